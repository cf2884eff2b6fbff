//! The simulator as `libhallmark_sim_library.so`, with the C ABI that Tenstorrent documents for its own
//! simulator (`docs/libttsim_api.md` of `tenstorrent/ttsim`), so that whatever drives that one drives
//! this one unchanged.
//!
//! `HALLMARK_SIM_ARCH` says which chip: `grayskull`, `wormhole_b0` (also if it is not set) or
//! `blackhole`. `HALLMARK_SIM_HARVESTING` says which of its rows or columns of Tensix tiles are fused off:
//! a mask such as `0x3`, whose bits count from the first. A rule that is broken prints the line that the ABI's own errors have,
//! `[clock] ERROR: Category: function: detail`, and ends the process with status 1.
//!
//! `HALLMARK_SIM_ORDER` says when the order of the coprocessor's units is looked at: `on`, or `strict` as
//! [`hallmark_sim::SimulatorOptions::strict_tensix`] says, from the beginning; `annotated`, as without the variable, once
//! memory is annotated. With `HALLMARK_SIM_WAITS=FILE`, `libttsim_exit` writes to a file which waits for units ordered what,
//! as far as the order is looked at; so does [`abi::hallmark_write_waits`] before, for a client that ends its process without
//! `libttsim_exit`.
//!
//! Tenstorrent's ABI has no way to say what memory is for, so that other races are not looked for. All other checks are as
//! strict as in process. One more function, [`abi::hallmark_annotate`], says what memory is for; a client that finds the
//! function and calls it has races in that memory found from then on, and is told of reads of memory that was given back:
//!
//! ```c
//! void hallmark_annotate(uint32_t x, uint32_t y, uint64_t start, uint64_t length, uint32_t meaning);
//! ```
//!
//! Another one, [`abi::hallmark_state_program`], says what a program's kernels are called and how many arguments they have,
//! and where the client's firmware finds launches. runtime/README.md lists what is then checked in the program's launches.
//!
//! ```c
//! void hallmark_state_program(const uint8_t *text, size_t length);
//! ```

pub mod abi;
mod simulator;
