//! Moves elements between rows and tiles, a row of a face at a time.

use crate::defects::{Defect, planted};
use crate::{TensorSpec, TileShape};

/// Moves rows into tiles. The padding is `fill`, whose length is the size of an element.
pub(crate) fn tilize(rows: &[u8], spec: &TensorSpec, tile: TileShape, fill: &[u8]) -> Vec<u8> {
    let size = fill.len();
    let mut tiles = vec![0; spec.bytes()];
    let whole = spec.padded_elements() == spec.shape().elements();
    if planted(Defect::PaddingForgotten) {
        tiles.fill(0x55);
    } else if !whole && fill.iter().any(|byte| *byte != 0) {
        for element in tiles.chunks_exact_mut(size) {
            element.copy_from_slice(fill);
        }
    }
    let row_bytes = spec.shape().width() as usize * size;
    if row_bytes > 0 {
        for (row, bytes) in rows.chunks_exact(row_bytes).enumerate() {
            for (place, piece) in
                FaceRows::of(spec, tile, size, row).zip(bytes.chunks(face_row(size)))
            {
                if let Some(target) = tiles.get_mut(place..) {
                    copy(target, piece);
                }
            }
        }
    }
    tiles
}

/// Moves tiles into rows, without the padding. An element has `size` bytes.
pub(crate) fn untilize(tiles: &[u8], spec: &TensorSpec, tile: TileShape, size: usize) -> Vec<u8> {
    let elements = usize::try_from(spec.shape().elements()).unwrap_or(0);
    let mut rows = vec![0; elements * size];
    let row_bytes = spec.shape().width() as usize * size;
    if row_bytes > 0 {
        for (row, bytes) in rows.chunks_exact_mut(row_bytes).enumerate() {
            let places = FaceRows::of(spec, tile, size, row);
            for (place, piece) in places.zip(bytes.chunks_mut(face_row(size))) {
                let length = piece.len();
                if let Some(source) = tiles.get(place..).and_then(|tiles| tiles.get(..length)) {
                    copy(piece, source);
                }
            }
        }
    }
    rows
}

/// Bytes of a whole row of a face.
const fn face_row(size: usize) -> usize {
    TileShape::FACE as usize * size
}

/// Copies `source` to the beginning of `target`. The length of a whole row of a face is a compile-time
/// constant.
fn copy(target: &mut [u8], source: &[u8]) {
    fn fixed<const LENGTH: usize>(target: &mut [u8], source: &[u8]) {
        if let (Some(target), Some(source)) =
            (target.first_chunk_mut::<LENGTH>(), source.first_chunk::<LENGTH>())
        {
            *target = *source;
        }
    }
    match source.len() {
        16 => fixed::<16>(target, source),
        32 => fixed::<32>(target, source),
        64 => fixed::<64>(target, source),
        length => {
            if let Some(target) = target.get_mut(..length) {
                target.copy_from_slice(source);
            }
        }
    }
}

/// The offsets in tiles of the pieces of a tensor's row, from left to right. Each piece is a row of a face.
struct FaceRows {
    next: usize,
    in_tile: u32,
    faces_across: u32,
    face_bytes: usize,
    to_next_tile: usize,
}

impl FaceRows {
    fn of(spec: &TensorSpec, tile: TileShape, size: usize, row: usize) -> Self {
        let height = spec.shape().height().max(1) as usize;
        let (matrix, row) = if planted(Defect::MatricesPaddedTogether) {
            (0, row)
        } else {
            (row / height, row % height)
        };
        let (down, across) = (
            height.div_ceil(tile.height() as usize),
            (spec.shape().width() as usize).div_ceil(tile.width() as usize),
        );
        let tile_bytes = tile.elements() as usize * size;
        let band = matrix * down + row / tile.height() as usize;
        let in_tile = tile.element(row as u32 % tile.height(), 0) as usize * size;
        let face_bytes = (tile.face_height() * tile.face_width()) as usize * size;
        Self {
            next: band * across * tile_bytes + in_tile,
            in_tile: 0,
            faces_across: tile.faces_across(),
            face_bytes,
            to_next_tile: tile_bytes - face_bytes * (tile.faces_across() as usize - 1),
        }
    }
}

impl Iterator for FaceRows {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let place = self.next;
        self.in_tile += 1;
        if self.in_tile == self.faces_across {
            self.in_tile = 0;
            self.next += self.to_next_tile;
        } else {
            self.next += self.face_bytes;
        }
        Some(place)
    }
}
