//! Data by content: a hash, and the generator or the blob that provides the bytes.

use serde::{Deserialize, Serialize};

use super::{ContentHash, Real};

/// How the elements of generated or compared data are encoded, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataType {
    /// 1 byte.
    Uint8,
    /// 2 bytes.
    Uint16,
    /// 4 bytes.
    Uint32,
    /// 4 bytes, two's complement.
    Int32,
    /// 2 bytes: the upper half of an IEEE single.
    Bfloat16,
    /// 4 bytes, IEEE single.
    Float32,
    /// 1 byte, two's complement.
    Int8,
    /// 2 bytes, two's complement.
    Int16,
    /// 2 bytes, IEEE half.
    Float16,
}

/// A numbered recipe for data that gives the same bytes on every machine and in every release.
///
/// Integer arithmetic wraps at the element's width. The bytes are those of consecutive elements,
/// cut off at the length asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Generator {
    /// Every element has these bits.
    Constant {
        /// How the elements are encoded.
        data_type: DataType,
        /// The element's bits; no more than the element has.
        bits: u32,
    },
    /// Element `i` is `start + i * step`. For floating-point types the sum is computed in integers and then
    /// converted, so it must be exactly representable.
    Sequence {
        /// How the elements are encoded.
        data_type: DataType,
        /// Element 0.
        start: i64,
        /// The difference between consecutive elements.
        step: i64,
    },
    /// ChaCha8 seeded by `seed_from_u64`'s documented expansion; integer types take uniform bits,
    /// floating-point types uniform values in [0, 1) by the generator's own mapping.
    Uniform {
        /// How the elements are encoded.
        data_type: DataType,
        /// The seed of all elements.
        seed: u64,
    },
    /// Uniform between two bounds, both included; integer types take whole numbers.
    UniformBetween {
        /// How the elements are encoded.
        data_type: DataType,
        /// The seed of all elements.
        seed: u64,
        /// The smallest value.
        minimum: Real,
        /// The largest value.
        maximum: Real,
    },
    /// Bell-shaped around `mean` with the standard deviation `deviation`: a sum of twelve uniform values, so no
    /// element lies more than six deviations away. Integer types round and saturate.
    Normal {
        /// How the elements are encoded.
        data_type: DataType,
        /// The seed of all elements.
        seed: u64,
        /// The mean.
        mean: Real,
        /// The standard deviation, at least 0.
        deviation: Real,
    },
}

/// Data by content, independent of the place where the bytes are kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// The number of bytes; the last element may be incomplete.
    pub length: u64,
    /// The hash of the bytes.
    pub hash: ContentHash,
    /// The generator of the bytes; without one, the bytes are a blob with that hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generator: Option<Generator>,
}
