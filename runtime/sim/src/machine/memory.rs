//! Memories: a tile's L1 with its predecoded instructions, and DRAM; and what of them nobody wrote.

mod l1;
mod pages;
mod poison;
mod sparse;

pub(crate) use l1::TileMemory;
pub(crate) use poison::{Memory, Poison, Source, Taint};
pub(crate) use sparse::SparseMemory;
