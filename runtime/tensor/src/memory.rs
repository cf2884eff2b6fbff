//! The memory of a tensor on a device: DRAM or L1, with pages interleaved over all banks or cut into shards.

use std::fmt;

use hallmark_schema::model::{BufferLayout, BufferType, CoreRange, Shape2D, ShardOrientation};

/// The memory of a tensor on a device: TT-Metalium's `MemoryConfig`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryConfig {
    /// The memory that holds the pages.
    pub buffer_type: BufferType,
    /// How the tensor is cut into shards; `None` if its pages are interleaved over all banks.
    pub sharding: Option<TensorSharding>,
}

impl MemoryConfig {
    /// Pages interleaved over all banks.
    pub const fn interleaved(buffer_type: BufferType) -> Self {
        Self { buffer_type, sharding: None }
    }

    /// The layout of the tensor's buffer.
    pub fn buffer_layout(&self) -> BufferLayout {
        self.sharding.as_ref().map_or(BufferLayout::Interleaved, |it| it.strategy.buffer_layout())
    }
}

/// How a tensor is cut into shards, one for each core. For this, all matrices of the tensor are stacked
/// vertically.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorSharding {
    /// The sides of the tensor that are cut.
    pub strategy: ShardStrategy,
    /// The cores that hold the shards: of the compute grid for L1, of the row of banks for DRAM. Shards cut on
    /// both sides need exactly one range.
    pub cores: Vec<CoreRange>,
    /// Elements of a shard. The part of a shard beyond the tensor's lower or right edge is padding.
    pub shape: Shape2D,
    /// The order in which the cores of a range get shards.
    pub orientation: ShardOrientation,
}

/// The sides of a tensor that are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShardStrategy {
    /// The height: a shard has whole rows.
    Height,
    /// The width: a shard has whole columns.
    Width,
    /// Both: shards are rectangles, and their cores form the same arrangement.
    Block,
}

impl ShardStrategy {
    /// The layout of the buffer of a tensor that is cut in this way.
    pub const fn buffer_layout(self) -> BufferLayout {
        match self {
            Self::Height => BufferLayout::HeightSharded,
            Self::Width => BufferLayout::WidthSharded,
            Self::Block => BufferLayout::BlockSharded,
        }
    }
}

impl fmt::Display for ShardStrategy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Height => "height_sharded",
            Self::Width => "width_sharded",
            Self::Block => "block_sharded",
        })
    }
}
