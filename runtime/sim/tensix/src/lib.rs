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
//! 1. `matrix`: the matrix unit
//! 2. `counters`: the rows that instructions address
//! 3. `registers`: `SrcA`, `SrcB`, `Dst`
//! 4. `formats`: the conversions between memory and registers
//! 5. `refusal`: why an instruction is not executed
//! 6. `opcodes`: the names of instructions

pub mod counters;
pub mod formats;
pub mod matrix;
mod opcodes;
mod refusal;
pub mod registers;

pub use opcodes::name;
pub use refusal::Refusal;
