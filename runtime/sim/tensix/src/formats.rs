//! Data formats, and the conversions between memory and registers.

use std::fmt;

mod accumulate;
mod block;
mod order;
mod pack;
mod unpack;

pub use accumulate::accumulate;
pub use block::{Block, block_datum, short_block_datum};
pub(crate) use order::widened_float16;
pub use order::{
    bfloat16_from_destination, bfloat16_to_destination, float16_from_destination,
    float16_to_destination, word_from_destination, word_to_destination,
};
pub use pack::{Pack, PackSettings, Relu};
pub use unpack::{Exponents, Unpack, UnpackSettings, UnpackTarget};

/// A data format by the code of four bits that configuration words hold
/// (`Unpackers/FormatConversion.md`, `Packers/FormatConversion.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format(u8);

impl Format {
    /// 8 bits of exponent, 23 of mantissa.
    pub const FLOAT32: Self = Self(0);
    /// 5 bits of exponent, 10 of mantissa; no infinities, no NaN.
    pub const FLOAT16: Self = Self(1);
    /// Blocks of 16 with one exponent of 5 bits, and 7 bits of magnitude each.
    pub const BFP8A: Self = Self(2);
    /// Blocks of 16 with one exponent of 5 bits, and 3 bits of magnitude each.
    pub const BFP4A: Self = Self(3);
    /// 8 bits of exponent, 10 of mantissa; only in registers.
    pub const TF32: Self = Self(4);
    /// 8 bits of exponent, 7 of mantissa.
    pub const FLOAT16B: Self = Self(5);
    /// Blocks of 16 with one exponent of 8 bits, and 7 bits of magnitude each.
    pub const BFP8: Self = Self(6);
    /// Blocks of 16 with one exponent of 8 bits, and 3 bits of magnitude each.
    pub const BFP4: Self = Self(7);
    /// 32 bits that are moved unchanged.
    pub const INT32: Self = Self(8);
    /// 16 bits that are moved unchanged.
    pub const INT16: Self = Self(9);
    /// 5 bits of exponent and 2 of mantissa, or 4 and 3.
    pub const FLOAT8: Self = Self(10);
    /// Blocks of 16 with one exponent of 5 bits, and 1 bit of magnitude each.
    pub const BFP2A: Self = Self(11);
    /// Sign and magnitude, or a magnitude of 8 bits.
    pub const INT8: Self = Self(14);
    /// Blocks of 16 with one exponent of 8 bits, and 1 bit of magnitude each.
    pub const BFP2: Self = Self(15);

    /// The format of a code; higher bits are ignored.
    #[must_use]
    pub const fn from_code(code: u32) -> Self {
        Self((code & 15) as u8)
    }

    /// Its code.
    #[must_use]
    pub const fn code(self) -> u32 {
        self.0 as u32
    }

    /// Bits of a datum in memory. The codes 12 and 13 are reserved.
    #[must_use]
    pub const fn bits(self) -> Option<u32> {
        match self {
            Self::FLOAT32 | Self::TF32 | Self::INT32 => Some(32),
            Self::FLOAT16 | Self::FLOAT16B | Self::INT16 => Some(16),
            Self::BFP8A | Self::BFP8 | Self::FLOAT8 | Self::INT8 => Some(8),
            Self::BFP4A | Self::BFP4 => Some(4),
            Self::BFP2A | Self::BFP2 => Some(2),
            _ => None,
        }
    }

    /// Whether 16 data share an exponent.
    #[must_use]
    pub const fn is_block(self) -> bool {
        matches!(
            self,
            Self::BFP8A | Self::BFP4A | Self::BFP2A | Self::BFP8 | Self::BFP4 | Self::BFP2
        )
    }

    /// Whether it is a float with 5 bits of exponent.
    #[must_use]
    pub const fn has_short_exponent(self) -> bool {
        matches!(self, Self::FLOAT16 | Self::FLOAT8 | Self::BFP8A | Self::BFP4A | Self::BFP2A)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match *self {
            Self::FLOAT32 => "Float32",
            Self::FLOAT16 => "Float16",
            Self::BFP8A => "Bfp8",
            Self::BFP4A => "Bfp4",
            Self::TF32 => "Tf32",
            Self::FLOAT16B => "Float16_b",
            Self::BFP8 => "Bfp8_b",
            Self::BFP4 => "Bfp4_b",
            Self::INT32 => "Int32",
            Self::INT16 => "Int16",
            Self::FLOAT8 => "Lf8",
            Self::BFP2A => "Bfp2",
            Self::INT8 => "Int8",
            Self::BFP2 => "Bfp2_b",
            Self(reserved) => return write!(formatter, "the reserved format {reserved}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_one_format() {
        for code in 0..16 {
            assert_eq!(Format::from_code(code).code(), code);
            assert_eq!(Format::from_code(code | 0x30), Format::from_code(code));
        }
    }

    #[test]
    fn reserved_codes_have_no_width() {
        let widths: Vec<_> = (0..16).map(|code| Format::from_code(code).bits()).collect();
        let (reserved, known): (Vec<_>, Vec<_>) =
            widths.iter().enumerate().partition(|(_, width)| width.is_none());
        assert_eq!(reserved.iter().map(|(code, _)| *code).collect::<Vec<_>>(), [12, 13]);
        assert_eq!(known.len(), 14);
        assert_eq!(Format::from_code(13).to_string(), "the reserved format 13");
    }

    #[test]
    fn blocks_are_narrow() {
        for format in (0..16).map(Format::from_code).filter(|format| format.is_block()) {
            assert!(format.bits().is_some_and(|bits| bits <= 8), "{format}");
        }
    }
}
