//! Sixteen numbers with a shared exponent: a row of a face in the formats `bfp8_b` and `bfp4_b`.
//!
//! The shared exponent is the largest of the singles' exponents, with the same bias. A significand has an
//! explicit leading bit and is shifted right by the difference of the exponents; bits shifted out are lost
//! before rounding. It is rounded to nearest, ties to even, and saturates: rounding never raises the shared
//! exponent. A zero, and a value that becomes zero, has no sign. A subnormal single counts as if it had a
//! leading bit, and infinities and NaNs as numbers with the exponent 255, as in
//! `tt_metal/impl/data_format/blockfloat_common.cpp`.

use crate::TileShape;
use crate::data_type::BlockFormat;
use crate::defects::{Defect, planted};

/// Bits of a single's fraction.
const FRACTION: u32 = 23;
/// A single's largest biased exponent, also the mask of the exponent.
const EXPONENT: u32 = 0xff;

impl BlockFormat {
    /// Bits of a significand, without sign.
    const fn significand_bits(self) -> u32 {
        self.bits() - 1
    }

    /// The shared exponent of the bits of some singles.
    pub(crate) fn shared_exponent(row: &[u32]) -> u8 {
        let looked_at = if planted(Defect::ExponentOfTheFirst) { 1 } else { row.len() };
        let exponents = row.iter().map(|bits| (bits >> FRACTION & EXPONENT) as u8);
        exponents.take(looked_at).max().unwrap_or(0)
    }

    /// The bits of a single as an element of a block: sign and significand.
    pub(crate) fn pack(self, single: u32, shared: u8) -> u8 {
        let width = self.significand_bits();
        if single << 1 == 0 {
            return 0;
        }
        let exponent = single >> FRACTION & EXPONENT;
        let leading = 1 << FRACTION | single & ((1 << FRACTION) - 1);
        let below = (shared as u32).saturating_sub(exponent);
        let aligned = if below > FRACTION { 0 } else { leading >> below };
        let dropped = FRACTION + 1 - width;
        let (kept, rest, half) =
            (aligned >> dropped, aligned & ((1 << dropped) - 1), 1 << (dropped - 1));
        let is_odd = kept % 2 == 1 || planted(Defect::SignificandsRoundedUp);
        let up = rest > half || rest == half && is_odd;
        let most = (1 << width) - 1;
        let stops = kept >= most && !planted(Defect::SignificandsOverflow);
        let rounded = if up && !stops { kept + 1 } else { kept };
        if rounded == 0 {
            return 0;
        }
        (single >> 31 << width | rounded) as u8
    }

    /// The exact single, as bits, that an element of a block represents.
    pub(crate) const fn unpack(self, element: u8, shared: u8) -> u32 {
        let width = self.significand_bits();
        let significand = element as u32 & ((1 << width) - 1);
        let sign = (element as u32 >> width & 1) << 31;
        if significand == 0 {
            return sign;
        }
        let shift = significand.leading_zeros() - (u32::BITS - width);
        let fraction = significand << shift << (FRACTION + 1 - width) & ((1 << FRACTION) - 1);
        // As in the vendor's code, an exponent below that of the smallest single wraps.
        let exponent = (shared as u32).wrapping_sub(shift);
        sign | exponent << FRACTION | fraction
    }
}

/// Elements of a row of a face.
const FACE_ROW: usize = TileShape::FACE as usize;

/// Converts tiles of singles to tiles of a block format.
pub(crate) fn pack_tiles(format: BlockFormat, tile: TileShape, singles: &[u8]) -> Vec<u8> {
    let exponent_bytes = format.exponents(tile) as usize;
    let tile_bytes = exponent_bytes + format.significands(tile) as usize;
    let singles = singles.chunks_exact(tile.elements() as usize * 4);
    let mut bytes = vec![0; singles.len() * tile_bytes];
    for (singles, bytes) in singles.zip(bytes.chunks_exact_mut(tile_bytes)) {
        let (exponents, significands) = bytes.split_at_mut(exponent_bytes);
        let rows = singles.as_chunks::<4>().0.as_chunks::<FACE_ROW>().0.iter().zip(exponents);
        let row_bytes = FACE_ROW * format.bits() as usize / 8;
        for ((row, exponent), significands) in rows.zip(significands.chunks_exact_mut(row_bytes)) {
            let row = row.map(u32::from_le_bytes);
            let shared = BlockFormat::shared_exponent(&row);
            *exponent = shared;
            match format {
                BlockFormat::Eight => {
                    for (byte, bits) in significands.iter_mut().zip(row) {
                        *byte = format.pack(bits, shared);
                    }
                }
                BlockFormat::Four => {
                    for (byte, [low, high]) in significands.iter_mut().zip(row.as_chunks::<2>().0) {
                        let [low, high] = if planted(Defect::HalvesOfBytesSwapped) {
                            [high, low]
                        } else {
                            [low, high]
                        };
                        *byte = format.pack(*low, shared) | format.pack(*high, shared) << 4;
                    }
                }
            }
        }
    }
    bytes
}

/// Converts tiles of a block format to tiles of singles.
pub(crate) fn unpack_tiles(format: BlockFormat, tile: TileShape, bytes: &[u8]) -> Vec<u8> {
    let exponent_bytes = format.exponents(tile) as usize;
    let row_bytes = FACE_ROW * format.bits() as usize / 8;
    let tiles = bytes.chunks_exact(exponent_bytes + format.significands(tile) as usize);
    let mut singles = vec![0; tiles.len() * tile.elements() as usize * 4];
    let rows = tiles.flat_map(|tile| {
        let (exponents, significands) = tile.split_at(exponent_bytes);
        significands.chunks_exact(row_bytes).zip(exponents)
    });
    for ((row, shared), singles) in
        rows.zip(singles.as_chunks_mut::<4>().0.chunks_exact_mut(FACE_ROW))
    {
        match format {
            BlockFormat::Eight => {
                for (single, byte) in singles.iter_mut().zip(row) {
                    *single = format.unpack(*byte, *shared).to_le_bytes();
                }
            }
            BlockFormat::Four => {
                for (pair, byte) in singles.as_chunks_mut::<2>().0.iter_mut().zip(row) {
                    *pair = [byte & 0xf, byte >> 4]
                        .map(|half| format.unpack(half, *shared).to_le_bytes());
                }
            }
        }
    }
    singles
}
