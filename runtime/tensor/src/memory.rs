//! Where a tensor lives on a device: DRAM or L1, its pages dealt out to all banks or cut into shards.

use std::fmt;

use hallmark_schema::model::{BufferLayout, BufferType, CoreRange, Shape2D, ShardOrientation};

/// Where a tensor lives on a device: TT-Metalium's `MemoryConfig`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryConfig {
    /// The memory that holds the pages.
    pub buffer_type: BufferType,
    /// How the tensor is cut into shards; without it, pages go round all banks.
    pub sharding: Option<TensorSharding>,
}

impl MemoryConfig {
    /// Pages that go round all banks.
    pub const fn interleaved(buffer_type: BufferType) -> Self {
        Self { buffer_type, sharding: None }
    }

    /// How the pages of the tensor's buffer are spread.
    pub fn buffer_layout(&self) -> BufferLayout {
        self.sharding.as_ref().map_or(BufferLayout::Interleaved, |it| it.strategy.buffer_layout())
    }
}

/// How a tensor is cut into shards, one for each core. All matrices of the tensor stand one below the other for that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorSharding {
    /// Which sides of the tensor are cut.
    pub strategy: ShardStrategy,
    /// The cores that hold the shards: of the compute grid in L1, of the row of banks in DRAM. Shards cut on both
    /// sides need exactly one range.
    pub cores: Vec<CoreRange>,
    /// Elements of a shard. What a shard at the lower or right edge has beyond the tensor is padding.
    pub shape: Shape2D,
    /// In which order the cores of a range get shards.
    pub orientation: ShardOrientation,
}

/// Which sides of a tensor are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShardStrategy {
    /// The height: a shard has whole rows.
    Height,
    /// The width: a shard has whole columns.
    Width,
    /// Both: shards are rectangles, and lie on a rectangle of cores as they do in the tensor.
    Block,
}

impl ShardStrategy {
    /// The layout of a buffer whose tensor is cut like this.
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
