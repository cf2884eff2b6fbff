//! The types of elements, and their encodings.

use std::fmt;

use hallmark_schema::model;

/// A type of elements: the types of TT-Metalium's tensors (`DataType` of `tt_metal/api/tt-metalium/tensor`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataType {
    /// IEEE 754 single.
    Float32,
    /// The upper half of a single.
    Bfloat16,
    /// 32 bits, unsigned.
    Uint32,
    /// 32 bits, two's complement.
    Int32,
    /// 16 bits, unsigned.
    Uint16,
    /// 8 bits, unsigned.
    Uint8,
    /// Sign and 7 bits of significand; sixteen elements share an 8-bit exponent.
    Bfp8B,
    /// Sign and 3 bits of significand; sixteen elements share an 8-bit exponent.
    Bfp4B,
}

impl DataType {
    /// All types.
    pub const ALL: [Self; 8] = [
        Self::Float32,
        Self::Bfloat16,
        Self::Uint32,
        Self::Int32,
        Self::Uint16,
        Self::Uint8,
        Self::Bfp8B,
        Self::Bfp4B,
    ];

    /// The type's name in suites and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Float32 => "float32",
            Self::Bfloat16 => "bfloat16",
            Self::Uint32 => "uint32",
            Self::Int32 => "int32",
            Self::Uint16 => "uint16",
            Self::Uint8 => "uint8",
            Self::Bfp8B => "bfp8_b",
            Self::Bfp4B => "bfp4_b",
        }
    }

    /// The encoding of an element: alone, or in a block.
    pub(crate) const fn encoding(self) -> Encoding {
        match self {
            Self::Float32 => Encoding::Scalar(model::DataType::Float32),
            Self::Bfloat16 => Encoding::Scalar(model::DataType::Bfloat16),
            Self::Uint32 => Encoding::Scalar(model::DataType::Uint32),
            Self::Int32 => Encoding::Scalar(model::DataType::Int32),
            Self::Uint16 => Encoding::Scalar(model::DataType::Uint16),
            Self::Uint8 => Encoding::Scalar(model::DataType::Uint8),
            Self::Bfp8B => Encoding::Block(BlockFormat::Eight),
            Self::Bfp4B => Encoding::Block(BlockFormat::Four),
        }
    }

    /// Bytes of an element; `None` for block formats, whose elements share bytes.
    pub const fn item_size(self) -> Option<u32> {
        match self.encoding() {
            Encoding::Scalar(scalar) => Some(scalar.size() as u32),
            Encoding::Block(_) => None,
        }
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The encoding of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Each element by itself.
    Scalar(model::DataType),
    /// Rows of a face, which share an exponent.
    Block(BlockFormat),
}

/// The number of bits of an element in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockFormat {
    /// A sign and seven bits of significand.
    Eight,
    /// A sign and three bits of significand.
    Four,
}
