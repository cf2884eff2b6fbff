//! Why a tensor cannot be made or converted.

use hallmark_schema::model::{CoreRange, Shape2D};

use crate::{DataType, Layout, TileShape};

/// Why a tensor cannot be made or converted. The cause is always the request, never a defect of this crate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// More dimensions than [`Shape::DIMENSIONS`](crate::Shape::DIMENSIONS).
    #[error("a shape has {given} dimensions; at most {} are possible", crate::Shape::DIMENSIONS)]
    TooManyDimensions {
        /// The number of dimensions.
        given: usize,
    },
    /// The tensor, with padding, exceeds [`TensorSpec::BYTES`](crate::TensorSpec::BYTES).
    #[error("the tensor takes more than {} bytes; take a smaller shape", crate::TensorSpec::BYTES)]
    TooLarge,
    /// The numbers of strides and dimensions differ.
    #[error("{strides} strides for {dimensions} dimensions; give one stride for each")]
    StridesOfAnotherShape {
        /// The number of strides.
        strides: usize,
        /// The number of dimensions.
        dimensions: usize,
    },
    /// The data ends before the last element.
    #[error("the data holds {given} bytes, and shape and strides reach to byte {needed}")]
    DataTooShort {
        /// The given bytes.
        given: u64,
        /// The needed bytes.
        needed: u64,
    },
    /// The item size is not that of the type.
    #[error("an item of {given} bytes is no {data_type}, which takes {}", sizes(*.data_type))]
    ItemSize {
        /// The given bytes of an item.
        given: u32,
        /// The requested type of elements.
        data_type: DataType,
    },
    /// Block formats exist in tiles only.
    #[error(
        "{data_type} shares exponents within faces and needs the layout `tile`; convert the layout first, or the type last"
    )]
    BlockFormatInRows {
        /// The block format.
        data_type: DataType,
    },
    /// A tile of this shape does not exist.
    #[error("no tile is {height}x{width}; there are {}", TileShape::names())]
    NoSuchTile {
        /// The requested height in elements.
        height: u32,
        /// The requested width in elements.
        width: u32,
    },
    /// A value out of range of the target type. TT-Metalium does not define the result.
    #[error("element {element} is {value}, which {data_type} cannot hold")]
    OutOfRange {
        /// The index of the element in memory, padding included.
        element: u64,
        /// The value.
        value: f64,
        /// The target type.
        data_type: DataType,
    },
    /// A padding value out of range of the type.
    #[error("{data_type} cannot hold the padding {value}")]
    Padding {
        /// The requested padding.
        value: f64,
        /// The tensor's type.
        data_type: DataType,
    },
    /// An index outside the shape.
    #[error("the index {index:?} lies outside of the shape {shape:?}")]
    NoSuchElement {
        /// The index, a number for each dimension.
        index: Vec<u32>,
        /// The shape's dimensions.
        shape: Vec<u32>,
    },
    /// The number of bytes does not match this type, shape and layout.
    #[error("{given} bytes for a tensor of {needed} bytes in the layout {layout}")]
    OtherSize {
        /// The given bytes.
        given: u64,
        /// The needed bytes.
        needed: u64,
        /// The layout.
        layout: Layout,
    },
    /// A conversion between tensors of different shapes.
    #[error(
        "a tensor of shape {given:?} does not become one of shape {needed:?}; give both one shape"
    )]
    OtherShape {
        /// The shape of the source tensor.
        given: Vec<u32>,
        /// The requested shape.
        needed: Vec<u32>,
    },
    /// A shard without elements.
    #[error("a shard of {}x{} holds nothing; give it rows and columns", .shape.height, .shape.width)]
    EmptyShard {
        /// The shape of the shard in elements.
        shape: Shape2D,
    },
    /// A shard whose sides are no multiples of the tile's sides.
    #[error(
        "a shard of {}x{} breaks tiles of {tile}; give it whole tiles", .shape.height, .shape.width
    )]
    ShardOfBrokenTiles {
        /// The shape of the shard in elements.
        shape: Shape2D,
        /// The tensor's tile.
        tile: TileShape,
    },
    /// The shards cut only the height, so a shard must be as wide as the tensor.
    #[error(
        "shards that cut the height are as wide as the padded tensor, {needed} elements; these have {given}"
    )]
    ShardOfOtherWidth {
        /// Columns of the shard.
        given: u32,
        /// Columns of the tensor, padding included.
        needed: u64,
    },
    /// The shards cut only the width, so a shard must be as high as the tensor.
    #[error(
        "shards that cut the width are as high as all padded matrices, {needed} rows; these have {given}"
    )]
    ShardOfOtherHeight {
        /// Rows of the shard.
        given: u32,
        /// Rows of all matrices, padding included.
        needed: u64,
    },
    /// Shards that cut both sides need a rectangle of cores.
    #[error("shards that cut both sides lie on one range of cores; {ranges} are given")]
    NotOneRectangle {
        /// The number of given ranges.
        ranges: usize,
    },
    /// The rectangle of cores is smaller than the rectangle of shards.
    #[error(
        "the shards take {columns} columns and {rows} rows of cores, more than from ({}, {}) to ({}, {})",
        .range.start.x, .range.start.y, .range.end.x, .range.end.y
    )]
    BlocksBeyondCores {
        /// Columns of cores that the shards take.
        columns: u64,
        /// Rows of cores that the shards take.
        rows: u64,
        /// The given cores.
        range: CoreRange,
    },
    /// More shards than cores.
    #[error("the tensor has {shards} shards, and {cores} cores are to hold one each")]
    ShardsBeyondCores {
        /// The number of shards.
        shards: u64,
        /// The number of given cores.
        cores: u64,
    },
}

fn sizes(data_type: DataType) -> String {
    match data_type.item_size() {
        Some(size) => format!("{size}"),
        None => "no whole number of bytes: create it from another type and convert it".to_owned(),
    }
}
