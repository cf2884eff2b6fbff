//! The simulator as `libhallmark_sim_library.so`, with the C ABI that Tenstorrent documents for its own
//! simulator (`docs/libttsim_api.md` of `tenstorrent/ttsim`), so that whatever drives that one drives
//! this one unchanged.
//!
//! `HALLMARK_SIM_ARCH` says which chip: `grayskull`, `wormhole_b0` (also if it is not set) or
//! `blackhole`. `HALLMARK_SIM_HARVESTING` says which of its rows or columns of Tensix tiles are fused off:
//! a mask such as `0x3`, whose bits count from the first. A rule that is broken prints the line that the ABI's own errors have,
//! `[clock] ERROR: Category: function: detail`, and ends the process with status 1.
//!
//! The ABI has no way to say what memory is for, so a mailbox cannot be told from data: races are not
//! looked for. All other checks are as strict as in process.

pub mod abi;
mod simulator;
