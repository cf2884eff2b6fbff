//! The tiles of circular buffers, for kernels that ask for them.
//!
//! TT-Metalium generates tables of formats and tile sizes for each kernel, from the circular buffers of its program. A
//! capture states them in a definition, from which Hallmark's kernel API makes the same tables. The binder of suites and
//! the conversion of recordings add it to kernels that ask.

use std::collections::BTreeMap;

use hallmark_schema::model::{CircularBufferIndex, DataFormat, Shape2D};
use memchr::memmem;

use crate::ReleaseDescription;

/// The release whose formats the kernel API has.
const KERNEL_API: &str = "0.81.1";

/// The definition that states the tiles.
pub const TILES: &str = "HALLMARK_TILES";

/// Functions and tables of the kernel API that a source names if it asks for tiles.
const NAMES: [&str; 13] = [
    "get_dataformat",
    "get_face_r_dim",
    "get_narrow_tile",
    "get_num_faces_",
    "get_pack_dst_format",
    "get_partial_face",
    "get_tile_c_dim",
    "get_tile_hw",
    "get_tile_num_faces",
    "get_tile_r_dim",
    "get_tile_size",
    "unpack_src_format",
    "unpack_tile_",
];

/// Functions and classes that print elements of tiles.
const PRINTS: [&str; 4] = ["TSLICE", "TileSlice", "print_full_tile", "print_tile_rows"];

/// Whether a source asks for the tiles of circular buffers.
pub fn asks(text: &[u8]) -> bool {
    names(text, &NAMES) || prints(text)
}

/// Whether a source prints elements of tiles, for which it asks for the tiles.
pub fn prints(text: &[u8]) -> bool {
    names(text, &PRINTS)
}

fn names(text: &[u8], names: &[&str]) -> bool {
    names.iter().any(|name| memmem::find(text, name.as_bytes()).is_some())
}

/// The value of the definition for a kernel with these circular buffers: `{index,format,bytes,rows,columns}` for each.
pub fn definition<'i>(indices: impl Iterator<Item = &'i CircularBufferIndex>) -> String {
    let formats = ReleaseDescription::of_version(KERNEL_API).map(|it| it.numbers().data_format);
    let entries = indices.filter_map(|index| {
        let shape = index.tile.map_or(Shape2D { height: 32, width: 32 }, |tile| tile.shape);
        let bytes = bytes(index.data_format, shape)?;
        let (format, Shape2D { height, width }) = (formats?.number(index.data_format), shape);
        Some(format!("{{{},{format},{bytes},{height},{width}}}", index.index))
    });
    entries.collect::<Vec<_>>().join(",")
}

/// The size of a tile in a circular buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileSize {
    /// Its bytes.
    pub bytes: u32,
    /// Its rows.
    pub rows: u32,
    /// Its columns.
    pub columns: u32,
}

/// The tiles in a [`definition`], by the index of their circular buffer. Entries of another form are left out: a suite may
/// define the value by hand.
pub fn tile_sizes(definition: &str) -> BTreeMap<u32, TileSize> {
    let entries = definition.split('{').filter_map(|entry| {
        let numbers = entry.split('}').next()?.split(',').map(|number| number.trim().parse());
        let numbers: Vec<u32> = numbers.collect::<Result<_, _>>().ok()?;
        let [index, _, bytes, rows, columns] = *numbers.as_slice() else { return None };
        Some((index, TileSize { bytes, rows, columns }))
    });
    entries.collect()
}

/// The bytes of a tile, if they are known.
fn bytes(format: DataFormat, Shape2D { height, width }: Shape2D) -> Option<u32> {
    let elements = height.checked_mul(width)?;
    // Sixteen elements of a block format share an exponent.
    let exponents = elements / 16;
    match format {
        DataFormat::Float32
        | DataFormat::Tf32
        | DataFormat::Int32
        | DataFormat::UInt32
        | DataFormat::RawUInt32 => elements.checked_mul(4),
        DataFormat::Float16
        | DataFormat::Float16B
        | DataFormat::UInt16
        | DataFormat::Int16
        | DataFormat::RawUInt16 => elements.checked_mul(2),
        DataFormat::UInt8
        | DataFormat::Int8
        | DataFormat::RawUInt8
        | DataFormat::Lf8
        | DataFormat::Fp8E4M3 => Some(elements),
        DataFormat::Bfp8 | DataFormat::Bfp8B => elements.checked_add(exponents),
        DataFormat::Bfp4 | DataFormat::Bfp4B => (elements / 2).checked_add(exponents),
        DataFormat::Bfp2 | DataFormat::Bfp2B => (elements / 4).checked_add(exponents),
        DataFormat::MxFp4 => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_read_as_it_is_written() {
        let index = |index, data_format| CircularBufferIndex {
            index,
            page_size: 4096,
            data_format,
            tile: None,
        };
        let indices = [
            index(3, DataFormat::Float32),
            index(5, DataFormat::MxFp4),
            index(7, DataFormat::Bfp8B),
        ];
        let size = |bytes| TileSize { bytes, rows: 32, columns: 32 };
        let read = tile_sizes(&definition(indices.iter()));
        assert_eq!(read, BTreeMap::from([(3, size(4096)), (7, size(1088))]));
    }

    #[test]
    fn a_definition_by_hand_is_read_as_far_as_it_is_one() {
        let size = TileSize { bytes: 3, rows: 4, columns: 5 };
        assert_eq!(tile_sizes("{1,2,3,4,5}, {x}, {6,7}"), BTreeMap::from([(1, size)]));
        assert_eq!(tile_sizes(""), BTreeMap::new());
    }
}
