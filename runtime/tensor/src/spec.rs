//! The specification of a tensor: shape, type, layout, and the sizes that follow from them.

use crate::data_type::{BlockFormat, Encoding};
use crate::{DataType, Error, Layout, Shape, TileShape};

/// The specification of a tensor without its data: TT-Metalium's `TensorSpec` without the memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorSpec {
    shape: Shape,
    data_type: DataType,
    layout: Layout,
    bytes: usize,
}

impl TensorSpec {
    /// The largest size of a tensor with padding, bytes: the order of a chip's DRAM.
    pub const BYTES: u64 = 1 << 40;

    /// A tensor with this shape, type and layout.
    ///
    /// # Errors
    /// A block format that is not in tiles; a tensor larger than [`Self::BYTES`].
    pub fn new(shape: Shape, data_type: DataType, layout: Layout) -> Result<Self, Error> {
        let mut spec = Self { shape, data_type, layout, bytes: 0 };
        // Padding can make even an empty tensor large.
        let (height, width) = spec.padded();
        let rows = spec.shape.matrices().checked_mul(height);
        rows.and_then(|rows| rows.checked_mul(width)).ok_or(Error::TooLarge)?;
        let bytes = match (data_type.encoding(), layout) {
            (Encoding::Block(_), Layout::RowMajor) => {
                return Err(Error::BlockFormatInRows { data_type });
            }
            (Encoding::Scalar(scalar), Layout::RowMajor) => {
                spec.shape.elements().checked_mul(scalar.size() as u64)
            }
            (_, Layout::Tile(tile)) => {
                spec.tiles(tile).and_then(|tiles| tiles.checked_mul(spec.tile_bytes(tile).into()))
            }
        };
        let bytes = bytes.filter(|bytes| *bytes <= Self::BYTES).ok_or(Error::TooLarge)?;
        spec.bytes = usize::try_from(bytes).map_err(|_| Error::TooLarge)?;
        Ok(spec)
    }

    /// The shape, without padding.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The type of its elements.
    pub fn data_type(&self) -> DataType {
        self.data_type
    }

    /// The order of its elements.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The size of the tensor in bytes, with padding and shared exponents.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Rows and columns of each matrix, with padding to whole tiles.
    pub fn padded(&self) -> (u64, u64) {
        let (height, width) = (u64::from(self.shape.height()), u64::from(self.shape.width()));
        match self.layout {
            Layout::RowMajor => (height, width),
            Layout::Tile(tile) => (
                height.next_multiple_of(tile.height().into()),
                width.next_multiple_of(tile.width().into()),
            ),
        }
    }

    /// Elements in memory, padding included.
    pub fn padded_elements(&self) -> u64 {
        let (height, width) = self.padded();
        self.shape.matrices() * height * width
    }

    /// Rows and columns of all matrices stacked vertically, with padding to whole tiles.
    pub fn physical(&self) -> (u64, u64) {
        let (height, width) = self.padded();
        (self.shape.matrices() * height, width)
    }

    /// Bytes of a row of a row-major tensor.
    pub(crate) fn row_bytes(&self) -> u64 {
        u64::from(self.shape.width()) * u64::from(self.data_type.item_size().unwrap_or(1))
    }

    /// Whether every tensor of this specification can be converted to the other one.
    ///
    /// # Errors
    /// The shapes differ.
    pub fn converts_to(&self, other: &Self) -> Result<(), Error> {
        if self.shape == other.shape {
            return Ok(());
        }
        Err(Error::OtherShape {
            given: self.shape.dimensions().to_vec(),
            needed: other.shape.dimensions().to_vec(),
        })
    }

    /// Tiles of all matrices; `None` if that overflows.
    fn tiles(&self, tile: TileShape) -> Option<u64> {
        let across = u64::from(self.shape.width()).div_ceil(tile.width().into());
        let down = u64::from(self.shape.height()).div_ceil(tile.height().into());
        self.shape.matrices().checked_mul(down)?.checked_mul(across)
    }

    /// Bytes of a tile.
    pub(crate) fn tile_bytes(&self, tile: TileShape) -> u32 {
        match self.data_type.encoding() {
            Encoding::Scalar(scalar) => tile.elements() * scalar.size() as u32,
            Encoding::Block(format) => format.exponents(tile) + format.significands(tile),
        }
    }
}

impl BlockFormat {
    /// The alignment to which the exponents of a tile are padded: that of L1, 16 bytes on each architecture.
    const ALIGNMENT: u32 = 16;

    /// Bytes of a tile's padded exponents, one for each row of a face; they precede all significands.
    pub(crate) const fn exponents(self, tile: TileShape) -> u32 {
        tile.face_rows().next_multiple_of(Self::ALIGNMENT)
    }

    /// Bytes of a tile's signs and significands.
    pub(crate) const fn significands(self, tile: TileShape) -> u32 {
        tile.elements() * self.bits() / 8
    }

    /// Bits of an element, its sign included.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Self::Eight => 8,
            Self::Four => 4,
        }
    }
}
