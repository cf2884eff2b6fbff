//! The specifications and memory configurations of tensors.

use hallmark_schema::model::{BufferLayout, BufferType, ShardOrientation};
use hallmark_tensor::{
    Layout, MemoryConfig, Shape, ShardStrategy, TensorSharding, TensorSpec, TileShape,
};

use super::{Made, known};
use crate::bind::evaluator::Evaluator;
use crate::language::{TensorEntry, TensorLayout, TensorMemory, TensorShards};
use crate::mistake::Span;

/// The shape, data type and layout of a tensor.
pub(super) fn tensor_spec(
    evaluator: &mut Evaluator<'_>,
    entry: TensorEntry<'_>,
) -> Made<TensorSpec> {
    let shape = evaluator.dimensions(entry.shape);
    let data_type = evaluator.setting(entry.dtype);
    let layout = evaluator.setting_or(entry.layout, TensorLayout::RowMajor);
    let tile = match entry.tile {
        Some(tile) => evaluator.shape(tile).map(Some),
        None => Some(None),
    };
    let (shape, data_type) = (known(shape)?, known(data_type)?);
    let layout = match (known(layout)?, known(tile)?) {
        (TensorLayout::RowMajor, _) => Layout::RowMajor,
        (TensorLayout::Tile, None) => Layout::Tile(TileShape::FULL),
        (TensorLayout::Tile, Some(tile)) => Layout::Tile(TileShape::new(tile.height, tile.width)?),
    };
    Ok(TensorSpec::new(Shape::new(&shape)?, data_type, layout)?)
}

/// The memory configuration of a tensor; nothing for one on the host.
pub(super) fn memory(
    evaluator: &mut Evaluator<'_>,
    entry: TensorEntry<'_>,
    span: Span,
) -> Made<Option<MemoryConfig>> {
    let memory = evaluator.setting(entry.memory);
    let layout = evaluator.setting_or(entry.memory_layout, BufferLayout::Interleaved);
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
        return known(evaluator.mistakes().add(
            format!("a tensor that is {strategy} needs `shard`"),
            span,
            "add `shard: { cores: …, shape: [height, width] }`",
        ));
    };
    let TensorShards { cores, shape, orientation } = shard;
    let cores = evaluator.cores(cores);
    let shape = evaluator.shape(shape);
    let orientation = evaluator.setting_or(orientation.as_ref(), ShardOrientation::RowMajor);
    let sharding = TensorSharding {
        strategy,
        cores: known(cores)?,
        shape: known(shape)?,
        orientation: known(orientation)?,
    };
    Ok(Some(MemoryConfig { buffer_type, sharding: Some(sharding) }))
}
