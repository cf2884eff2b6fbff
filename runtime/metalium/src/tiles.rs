//! The tiles of circular buffers, for kernels that ask for them.
//!
//! TT-Metalium generates tables of formats and tile sizes for each kernel, from the circular buffers of its program. A
//! capture states them in a definition, from which Hallmark's kernel API makes the same tables. The binder of suites and
//! the conversion of recordings add it to kernels that ask.

use hallmark_schema::model::{CircularBufferIndex, DataFormat, Shape2D};
use memchr::memmem;

use crate::ReleaseDescription;

/// The release whose formats the kernel API has.
const KERNEL_API: &str = "0.81.1";

/// The definition that states the tiles.
pub const TILES: &str = "HALLMARK_TILES";

/// Functions and tables of the kernel API that a source names if it asks for tiles.
const NAMES: [&str; 10] = [
    "get_dataformat",
    "get_face_r_dim",
    "get_num_faces_",
    "get_tile_c_dim",
    "get_tile_hw",
    "get_tile_num_faces",
    "get_tile_r_dim",
    "get_tile_size",
    "unpack_src_format",
    "unpack_tile_",
];

/// Whether a source asks for the tiles of circular buffers.
pub fn asks(text: &[u8]) -> bool {
    NAMES.iter().any(|name| memmem::find(text, name.as_bytes()).is_some())
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
