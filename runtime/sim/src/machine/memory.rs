//! Memories: a tile's L1 with its predecoded instructions, and DRAM; and what of them nobody wrote.

mod l1;
mod messages;
mod pages;
mod poison;
mod sparse;

pub(crate) use l1::TileMemory;
pub(crate) use messages::LaunchMessage;
pub(crate) use poison::{Memory, Poison, Source, Taint};
pub(crate) use sparse::SparseMemory;
