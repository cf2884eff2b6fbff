//! The memory orders of elements: row-major, and tiles of faces.

use std::fmt;

use crate::Error;
use crate::defects::{Defect, planted};

/// The order in which a tensor's elements lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Row after row.
    RowMajor,
    /// Tile after tile, row by row of tiles; within a tile, face after face; within a face, row after row.
    Tile(TileShape),
}

impl fmt::Display for Layout {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RowMajor => formatter.write_str("row_major"),
            Self::Tile(tile) => write!(formatter, "tile {tile}"),
        }
    }
}

/// A tile's height and width in elements. A tile consists of faces 16 elements wide and at most 16 high.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TileShape {
    height: u32,
    width: u32,
}

impl TileShape {
    /// Four faces of 16x16 elements: the default tile of an operation.
    pub const FULL: Self = Self { height: 32, width: 32 };

    /// The width and the largest height of a face: the unit of the matrix engine.
    pub(crate) const FACE: u32 = 16;

    /// Every valid tile (`TILE_FACE_HW_CHOICES` of `tt_metal/impl/data_format/tile.cpp`).
    pub const ALL: [Self; 12] = [
        Self::FULL,
        Self { height: 16, width: 32 },
        Self { height: 32, width: 16 },
        Self { height: 16, width: 16 },
        Self { height: 8, width: 32 },
        Self { height: 4, width: 32 },
        Self { height: 2, width: 32 },
        Self { height: 1, width: 32 },
        Self { height: 8, width: 16 },
        Self { height: 4, width: 16 },
        Self { height: 2, width: 16 },
        Self { height: 1, width: 16 },
    ];

    /// The tile with this height and width.
    ///
    /// # Errors
    /// No such tile exists.
    pub fn new(height: u32, width: u32) -> Result<Self, Error> {
        let tile = Self { height, width };
        if Self::ALL.contains(&tile) { Ok(tile) } else { Err(Error::NoSuchTile { height, width }) }
    }

    /// Rows of elements.
    pub const fn height(self) -> u32 {
        self.height
    }

    /// Columns of elements.
    pub const fn width(self) -> u32 {
        self.width
    }

    /// Rows of a face.
    pub const fn face_height(self) -> u32 {
        if self.height < Self::FACE { self.height } else { Self::FACE }
    }

    /// Columns of a face.
    pub const fn face_width(self) -> u32 {
        Self::FACE
    }

    /// Faces side by side.
    pub const fn faces_across(self) -> u32 {
        self.width / Self::FACE
    }

    /// Elements of a tile.
    pub const fn elements(self) -> u32 {
        self.height * self.width
    }

    /// Rows of all faces; in block formats each has its own exponent.
    pub const fn face_rows(self) -> u32 {
        self.elements() / Self::FACE
    }

    /// The index of an element in the tile, in memory order.
    pub(crate) fn element(self, row: u32, column: u32) -> u32 {
        self.face_row(row, column) * Self::FACE + column % Self::FACE
    }

    /// The index, among the rows of all faces in memory order, of the row that contains an element of the tile.
    pub(crate) fn face_row(self, row: u32, column: u32) -> u32 {
        let faces_down = self.height / self.face_height();
        let face = if planted(Defect::FacesColumnByColumn) {
            column / Self::FACE * faces_down + row / self.face_height()
        } else {
            row / self.face_height() * self.faces_across() + column / Self::FACE
        };
        face * self.face_height() + row % self.face_height()
    }

    pub(crate) fn names() -> String {
        Self::ALL.map(|tile| tile.to_string()).join(", ")
    }
}

impl fmt::Display for TileShape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}x{}", self.height, self.width)
    }
}
