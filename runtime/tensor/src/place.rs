//! The position of an element in the bytes of a tensor: its tile and face, its shared exponent.

use crate::data_type::{BlockFormat, Encoding};
use crate::{Error, Layout, TensorSpec};

/// The position of an element in the tensor's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The first byte of the element; in 4-bit formats the byte that contains it.
    pub byte: u64,
    /// Whether the element is the upper half of that byte.
    pub upper_half: bool,
    /// Tile and face, for a tensor in tiles.
    pub tile: Option<TilePlace>,
}

/// The position of an element among tiles and faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TilePlace {
    /// The index of its matrix.
    pub matrix: u64,
    /// The row of tiles in the matrix.
    pub tile_row: u32,
    /// The column of tiles in the matrix.
    pub tile_column: u32,
    /// The face in the tile, row by row of faces.
    pub face: u32,
    /// The row in the face.
    pub row: u32,
    /// The column in the face.
    pub column: u32,
    /// The byte of the tensor that holds the shared exponent of the face's row.
    pub exponent: Option<u64>,
}

impl TensorSpec {
    /// The position of the element with an index.
    ///
    /// # Errors
    /// The shape does not contain the element.
    pub fn place(&self, index: &[u32]) -> Result<Place, Error> {
        let (matrix, row, column) = self.shape().locate(index)?;
        Ok(match self.layout() {
            Layout::RowMajor => {
                let size = u64::from(self.data_type().item_size().unwrap_or(1));
                let row = matrix * u64::from(self.shape().height()) + u64::from(row);
                let byte = row * self.row_bytes() + u64::from(column) * size;
                Place { byte, upper_half: false, tile: None }
            }
            Layout::Tile(tile) => {
                let (tile_row, tile_column) = (row / tile.height(), column / tile.width());
                let (row, column) = (row % tile.height(), column % tile.width());
                let across = self.padded().1 / u64::from(tile.width());
                let down = self.padded().0 / u64::from(tile.height());
                let number =
                    (matrix * down + u64::from(tile_row)) * across + u64::from(tile_column);
                let start = number * u64::from(self.tile_bytes(tile));
                let element = tile.element(row, column);
                let (in_tile, upper_half, exponent) = match self.data_type().encoding() {
                    Encoding::Scalar(scalar) => (element * scalar.size() as u32, false, None),
                    Encoding::Block(format) => {
                        let first = format.exponents(tile);
                        let (byte, upper) = match format {
                            BlockFormat::Eight => (element, false),
                            BlockFormat::Four => (element / 2, element % 2 == 1),
                        };
                        (first + byte, upper, Some(start + u64::from(tile.face_row(row, column))))
                    }
                };
                let place = TilePlace {
                    matrix,
                    tile_row,
                    tile_column,
                    face: tile.face_row(row, column) / tile.face_height(),
                    row: row % tile.face_height(),
                    column: column % tile.face_width(),
                    exponent,
                };
                Place { byte: start + u64::from(in_tile), upper_half, tile: Some(place) }
            }
        })
    }
}
