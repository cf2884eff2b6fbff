//! The shape of the tiles in a circular buffer.

use serde::{Deserialize, Serialize};

use super::Shape2D;

/// The tiles of a circular buffer: upstream's `Tile`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TileShape {
    /// Elements of a tile.
    pub shape: Shape2D,
    /// Elements of one of the tile's faces.
    pub face_shape: Shape2D,
    /// Whether the faces and the elements in them are transposed.
    pub transpose: bool,
}

impl TileShape {
    /// A tile with upstream's default faces, not transposed.
    pub fn of(shape: Shape2D) -> Self {
        let face_shape = Shape2D { height: shape.height.min(FACE), width: shape.width.min(FACE) };
        Self { shape, face_shape, transpose: false }
    }

    /// Why TT-Metalium refuses the tile, as a clause; `None` if it accepts the tile.
    pub fn problem(&self) -> Option<&'static str> {
        let Self { shape, face_shape: face, transpose } = *self;
        let has_height = shape.height.is_power_of_two() && shape.height <= 2 * FACE;
        if !(has_height && [FACE, 2 * FACE].contains(&shape.width)) {
            return Some("a tile has 1, 2, 4, 8, 16 or 32 rows and 16 or 32 columns");
        }
        let divides =
            |face: u32, tile: u32| (1..=FACE).contains(&face) && tile.is_multiple_of(face);
        if !(divides(face.height, shape.height) && divides(face.width, shape.width)) {
            return Some("a face has at most 16 rows and 16 columns, and a tile whole faces");
        }
        if transpose && shape.height < FACE {
            return Some("a transposed tile has 16 or 32 rows");
        }
        None
    }
}

/// Rows and columns of a full face.
const FACE: u32 = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(height: u32, width: u32) -> TileShape {
        TileShape::of(Shape2D { height, width })
    }

    /// The table of `tt_metal/impl/data_format/tile.cpp`.
    #[test]
    fn faces_are_those_of_metalium() {
        for (height, width, face) in [
            (32, 32, 16),
            (16, 32, 16),
            (32, 16, 16),
            (16, 16, 16),
            (8, 32, 8),
            (4, 32, 4),
            (2, 32, 2),
            (1, 32, 1),
            (8, 16, 8),
            (4, 16, 4),
            (2, 16, 2),
            (1, 16, 1),
        ] {
            let made = tile(height, width);
            assert_eq!(made.face_shape, Shape2D { height: face, width: 16 });
            assert_eq!(made.problem(), None, "{made:?}");
            let transposed = TileShape { transpose: true, ..made };
            assert_eq!(transposed.problem().is_none(), height >= 16, "{made:?}");
        }
    }

    #[test]
    fn other_tiles_and_faces_are_refused() {
        for (height, width) in [(0, 32), (3, 32), (64, 32), (32, 8), (32, 0), (32, 64), (16, 24)] {
            assert!(tile(height, width).problem().unwrap().starts_with("a tile has"));
        }
        for (height, width) in [(0, 16), (16, 0), (3, 16), (16, 5), (32, 16), (16, 32)] {
            let face_shape = Shape2D { height, width };
            let made = TileShape { face_shape, ..tile(32, 32) };
            assert!(made.problem().unwrap().starts_with("a face has"), "{made:?}");
        }
    }
}
