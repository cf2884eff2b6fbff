//! Why a tensor cannot be made or converted.

use hallmark_schema::model::{CoreRange, Shape2D};

use crate::{DataType, Layout, TileShape};

/// Why a tensor cannot be made or converted: always what was asked for, never a defect of this crate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// More dimensions than [`Shape::DIMENSIONS`](crate::Shape::DIMENSIONS).
    #[error("a shape has {given} dimensions; at most {} are possible", crate::Shape::DIMENSIONS)]
    TooManyDimensions {
        /// How many dimensions were given.
        given: usize,
    },
    /// More bytes, with padding, than [`TensorSpec::BYTES`](crate::TensorSpec::BYTES).
    #[error("the tensor takes more than {} bytes; take a smaller shape", crate::TensorSpec::BYTES)]
    TooLarge,
    /// As many strides as dimensions are needed.
    #[error("{strides} strides for {dimensions} dimensions; give one stride for each")]
    StridesOfAnotherShape {
        /// How many strides were given.
        strides: usize,
        /// How many dimensions the shape has.
        dimensions: usize,
    },
    /// The data ends before the last element.
    #[error("the data holds {given} bytes, and shape and strides reach to byte {needed}")]
    DataTooShort {
        /// Bytes given.
        given: u64,
        /// Bytes needed.
        needed: u64,
    },
    /// The size of an item is another one than the type's.
    #[error("an item of {given} bytes is no {data_type}, which takes {}", sizes(*.data_type))]
    ItemSize {
        /// Bytes of an item, as given.
        given: u32,
        /// The type of elements asked for.
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
    /// No such tile.
    #[error("no tile is {height}x{width}; there are {}", TileShape::names())]
    NoSuchTile {
        /// The height asked for, in elements.
        height: u32,
        /// The width asked for, in elements.
        width: u32,
    },
    /// A value that the other type does not hold. TT-Metalium leaves open what comes of it.
    #[error("element {element} is {value}, which {data_type} cannot hold")]
    OutOfRange {
        /// The element's number among those in memory, padding included.
        element: u64,
        /// The value.
        value: f64,
        /// The type that cannot hold it.
        data_type: DataType,
    },
    /// A padding that the type does not hold.
    #[error("{data_type} cannot hold the padding {value}")]
    Padding {
        /// The padding asked for.
        value: f64,
        /// The tensor's type.
        data_type: DataType,
    },
    /// An index outside of the shape.
    #[error("the index {index:?} lies outside of the shape {shape:?}")]
    NoSuchElement {
        /// The index, a number for each dimension.
        index: Vec<u32>,
        /// The shape's dimensions.
        shape: Vec<u32>,
    },
    /// Bytes that are no tensor of this type, shape and layout.
    #[error("{given} bytes for a tensor of {needed} bytes in the layout {layout}")]
    OtherSize {
        /// Bytes given.
        given: u64,
        /// Bytes needed.
        needed: u64,
        /// The layout.
        layout: Layout,
    },
    /// A conversion between tensors of different shapes.
    #[error(
        "a tensor of shape {given:?} does not become one of shape {needed:?}; give both one shape"
    )]
    OtherShape {
        /// The shape of the tensor that is converted.
        given: Vec<u32>,
        /// The shape asked for.
        needed: Vec<u32>,
    },
    /// A shard without elements.
    #[error("a shard of {}x{} holds nothing; give it rows and columns", .shape.height, .shape.width)]
    EmptyShard {
        /// Elements of the shard.
        shape: Shape2D,
    },
    /// A shard whose sides are no multiples of the tile's.
    #[error(
        "a shard of {}x{} breaks tiles of {tile}; give it whole tiles", .shape.height, .shape.width
    )]
    ShardOfBrokenTiles {
        /// Elements of the shard.
        shape: Shape2D,
        /// The tensor's tile.
        tile: TileShape,
    },
    /// Where only the height is cut, a shard is as wide as the tensor.
    #[error(
        "shards that cut the height are as wide as the padded tensor, {needed} elements; these have {given}"
    )]
    ShardOfOtherWidth {
        /// Columns of the shard.
        given: u32,
        /// Columns of the tensor, padding included.
        needed: u64,
    },
    /// Where only the width is cut, a shard is as high as the tensor.
    #[error(
        "shards that cut the width are as high as all padded matrices, {needed} rows; these have {given}"
    )]
    ShardOfOtherHeight {
        /// Rows of the shard.
        given: u32,
        /// Rows of all matrices, padding included.
        needed: u64,
    },
    /// Shards that cut both sides lie on a rectangle of cores.
    #[error("shards that cut both sides lie on one range of cores; {ranges} are given")]
    NotOneRectangle {
        /// How many ranges were given.
        ranges: usize,
    },
    /// The rectangle of cores is too small for the rectangle of shards.
    #[error(
        "the shards take {columns} columns and {rows} rows of cores, more than from ({}, {}) to ({}, {})",
        .range.start.x, .range.start.y, .range.end.x, .range.end.y
    )]
    BlocksBeyondCores {
        /// Columns of cores that the shards take.
        columns: u64,
        /// Rows of cores that they take.
        rows: u64,
        /// The cores that were given.
        range: CoreRange,
    },
    /// More shards than cores.
    #[error("the tensor has {shards} shards, and {cores} cores are to hold one each")]
    ShardsBeyondCores {
        /// How many shards there are.
        shards: u64,
        /// How many cores were given.
        cores: u64,
    },
}

fn sizes(data_type: DataType) -> String {
    match data_type.item_size() {
        Some(size) => format!("{size}"),
        None => "no whole number of bytes: create it from another type and convert it".to_owned(),
    }
}
