//! What entries of suites say that tensors are, and where they live.

use hallmark_schema::model::{BufferLayout, BufferType, ShardOrientation};
use hallmark_tensor::{
    Layout, MemoryConfig, Shape, ShardStrategy, TensorSharding, TensorSpec, TileShape,
};

use super::{Made, known};
use crate::suite::bind::Binder;
use crate::suite::language::{TensorEntry, TensorLayout, TensorMemory, TensorShards};
use crate::suite::mistake::Span;
use crate::suite::read::Number;

impl Binder<'_> {
    pub(super) fn dimensions(&mut self, numbers: &[Number]) -> Option<Vec<u32>> {
        let numbers: Vec<_> = numbers.iter().map(|size| self.u32(size, "the dimension")).collect();
        numbers.into_iter().collect()
    }

    /// What an entry says that a tensor is, apart from where it lives.
    pub(super) fn tensor_spec(&mut self, entry: TensorEntry<'_>) -> Made<TensorSpec> {
        let shape = self.dimensions(entry.shape);
        let data_type = self.setting(entry.dtype);
        let layout = self.setting_or(entry.layout, TensorLayout::RowMajor);
        let tile = match entry.tile {
            Some(tile) => self.shape(tile).map(Some),
            None => Some(None),
        };
        let (shape, data_type) = (known(shape)?, known(data_type)?);
        let layout = match (known(layout)?, known(tile)?) {
            (TensorLayout::RowMajor, _) => Layout::RowMajor,
            (TensorLayout::Tile, None) => Layout::Tile(TileShape::FULL),
            (TensorLayout::Tile, Some(tile)) => {
                Layout::Tile(TileShape::new(tile.height, tile.width)?)
            }
        };
        Ok(TensorSpec::new(Shape::new(&shape)?, data_type, layout)?)
    }

    /// Where an entry says that a tensor lives; nothing for the host.
    pub(super) fn memory(
        &mut self,
        entry: TensorEntry<'_>,
        span: Span,
    ) -> Made<Option<MemoryConfig>> {
        let memory = self.setting(entry.memory);
        let layout = self.setting_or(entry.memory_layout, BufferLayout::Interleaved);
        let buffer_type = match known(memory)? {
            TensorMemory::Host => return Ok(None),
            TensorMemory::Dram => BufferType::Dram,
            TensorMemory::L1 => BufferType::L1,
        };
        let strategy = match known(layout)? {
            BufferLayout::Interleaved => {
                return Ok(Some(MemoryConfig::interleaved(buffer_type)));
            }
            BufferLayout::HeightSharded => ShardStrategy::Height,
            BufferLayout::WidthSharded => ShardStrategy::Width,
            BufferLayout::BlockSharded => ShardStrategy::Block,
        };
        let Some(shard) = entry.shard else {
            return known(self.mistakes.add(
                format!("a tensor that is {strategy} needs `shard`"),
                span,
                "add `shard: { cores: …, shape: [height, width] }`",
            ));
        };
        let TensorShards { cores, shape, orientation } = shard;
        let cores = self.cores(cores);
        let shape = self.shape(shape);
        let orientation = self.setting_or(orientation.as_ref(), ShardOrientation::RowMajor);
        let sharding = TensorSharding {
            strategy,
            cores: known(cores)?,
            shape: known(shape)?,
            orientation: known(orientation)?,
        };
        Ok(Some(MemoryConfig { buffer_type, sharding: Some(sharding) }))
    }
}
