//! Memories: a tile's L1 with its predecoded instructions, and DRAM.

mod l1;
mod sparse;

pub(crate) use l1::TileMemory;
pub(crate) use sparse::SparseMemory;
