//! The Tensix coprocessor of one tile as a state machine: three threads of instructions, and the units that execute
//! them.
//!
//! It knows no tile, no scheduler and no core. Documents are named relative to
//! `WormholeB0/TensixTile/TensixCoprocessor/` of `tenstorrent/tt-isa-documentation`. The numbers of the matrix unit,
//! which the documentation calls approximate, are those of Tenstorrent's simulator.
//!
//! Values take effect when an instruction is issued. An instruction that cannot be issued yet stays at the head of its
//! thread; an instruction that the crate does not execute is a [`Refusal`], which names it.
//!
//! # Layers
//!
//! A module knows only the layers below its own (`tests/layers.rs`).
//!
//! 1. `coprocessor`: the state, and the unit that executes each instruction
//! 2. `register_order`: a core's stores to general registers
//! 3. `unpacker`, `packer`, `scalar`: units
//! 4. `surroundings`: what the coprocessor reaches of its tile
//! 5. `configuration_order`, `source_order`, `bank_flips`: who wrote configuration and rows of the sources, who may still read
//!    them, and which banks are given back
//! 6. `configuration`, `synchronization`, `wait_gate`, `destination_order`, `stall_names`: what units stand on
//! 7. `order`: what threads and cores know of each other
//! 8. `frontend`, `chips`: instructions of a thread, and the tables that tell chips apart
//! 9. `matrix`, `vector`: the matrix unit and the vector unit
//! 10. `counters`: the rows and addresses that instructions count
//! 11. `registers`: `SrcA`, `SrcB`, `Dst`, `LReg`
//! 12. `formats`: the conversions between memory and registers
//! 13. `refusal`: why an instruction is not executed
//! 14. `opcodes`, `bits`, `threads`, `units`: the names of instructions, fields of words, one of each thread, the units that
//!     work on after an instruction was issued

mod bank_flips;
mod bits;
mod chips;
mod configuration;
mod configuration_order;
mod coprocessor;
pub mod counters;
mod destination_order;
pub mod formats;
mod frontend;
pub mod matrix;
mod opcodes;
mod order;
mod packer;
mod refusal;
mod register_order;
pub mod registers;
mod scalar;
mod source_order;
mod stall_names;
mod surroundings;
mod synchronization;
mod threads;
mod units;
mod unpacker;
pub mod vector;
mod wait_gate;

pub use chips::Chip;
pub use coprocessor::{Changes, Coprocessor, Step, Waiting};
pub use destination_order::{Hazard, Overlap, Use};
pub use frontend::{Entrance, Instruction, Origin};
pub use opcodes::name;
pub use order::{Disorder, Doing, Issued, Knowledge, Lack, Moment, Party};
pub use refusal::Refusal;
pub use stall_names::{wait_name, waits_for_ends};
pub use surroundings::{Handover, Surroundings, Unknown};
pub use synchronization::{AtItsEnd, Wait};
pub use threads::Thread;
pub use units::{Source, Unit, Units};
