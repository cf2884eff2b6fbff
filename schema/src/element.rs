//! Elements of data: their sizes, their numeric values, and rounding to them.
//!
//! Rounding uses integers, so that it gives the same result on every machine; goldens depend on it.

use crate::model::DataType;

/// A binary floating-point format as in IEEE 754: a sign, an exponent, a fraction.
#[derive(Clone, Copy)]
struct Format {
    exponent_bits: u32,
    fraction_bits: u32,
}

impl Format {
    const fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    const fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }

    const fn sign(self) -> u32 {
        self.exponent_bits + self.fraction_bits
    }

    /// The bits of the nearest value; a tie goes to the even one.
    fn round(self, value: f64) -> u64 {
        const FRACTION: u32 = 52;
        let bits = value.to_bits();
        let sign = (bits >> 63) << self.sign();
        let exponent = ((bits >> FRACTION) & 0x7ff) as i32;
        let fraction = bits & ((1 << FRACTION) - 1);
        if exponent == 0x7ff {
            let quiet = if fraction == 0 { 0 } else { 1 << (self.fraction_bits - 1) };
            return sign | self.infinity() | quiet;
        }
        if exponent == 0 {
            // The magnitude is far below the smallest value of every format here.
            return sign;
        }
        let significand = fraction | (1 << FRACTION);
        let exponent = exponent - 1023 + self.bias();
        let below = u32::try_from(1 - exponent).unwrap_or(0);
        let shift = FRACTION - self.fraction_bits + below;
        if shift > 60 {
            return sign;
        }
        let half = 1_u64 << (shift - 1);
        let rest = significand & ((1 << shift) - 1);
        let mut quotient = significand >> shift;
        if rest > half || (rest == half && quotient % 2 == 1) {
            quotient += 1;
        }
        // The leading bit of the significand adds one to the exponent.
        let magnitude = ((exponent.max(1) as u64 - 1) << self.fraction_bits) + quotient;
        sign | magnitude.min(self.infinity())
    }

    /// The exact value of the given bits.
    fn value(self, bits: u64) -> f64 {
        let sign = (bits >> self.sign()) << 63;
        let exponent = (bits >> self.fraction_bits) & ((1 << self.exponent_bits) - 1);
        let fraction = bits & ((1 << self.fraction_bits) - 1);
        let wide = fraction << (52 - self.fraction_bits);
        let magnitude = if exponent == (1 << self.exponent_bits) - 1 {
            f64::from_bits(0x7ff << 52 | wide)
        } else if exponent == 0 {
            // A power of two times a small integer is exact.
            let unit = 1 - self.bias() - self.fraction_bits as i32;
            fraction as f64 * f64::from_bits(((unit + 1023) as u64) << 52)
        } else {
            let exponent = exponent as i32 - self.bias() + 1023;
            f64::from_bits((exponent as u64) << 52 | wide)
        };
        f64::from_bits(magnitude.to_bits() | sign)
    }
}

impl DataType {
    /// Bytes of an element.
    pub const fn size(self) -> usize {
        match self {
            Self::Uint8 | Self::Int8 => 1,
            Self::Uint16 | Self::Int16 | Self::Bfloat16 | Self::Float16 => 2,
            Self::Uint32 | Self::Int32 | Self::Float32 => 4,
        }
    }

    const fn format(self) -> Option<Format> {
        match self {
            Self::Uint8 | Self::Uint16 | Self::Uint32 | Self::Int8 | Self::Int16 | Self::Int32 => {
                None
            }
            Self::Float32 => Some(Format { exponent_bits: 8, fraction_bits: 23 }),
            Self::Bfloat16 => Some(Format { exponent_bits: 8, fraction_bits: 7 }),
            Self::Float16 => Some(Format { exponent_bits: 5, fraction_bits: 10 }),
        }
    }

    /// Whether its elements are floating-point numbers.
    pub const fn is_float(self) -> bool {
        self.format().is_some()
    }

    /// The largest integer up to which a floating-point type holds every integer; 0 for integers.
    pub const fn exact_integers(self) -> u64 {
        match self.format() {
            Some(format) => 1 << (format.fraction_bits + 1),
            None => 0,
        }
    }

    /// The smallest and the largest finite value.
    pub fn range(self) -> (f64, f64) {
        match self {
            Self::Uint8 => (0.0, f64::from(u8::MAX)),
            Self::Uint16 => (0.0, f64::from(u16::MAX)),
            Self::Uint32 => (0.0, f64::from(u32::MAX)),
            Self::Int8 => (f64::from(i8::MIN), f64::from(i8::MAX)),
            Self::Int16 => (f64::from(i16::MIN), f64::from(i16::MAX)),
            Self::Int32 => (f64::from(i32::MIN), f64::from(i32::MAX)),
            Self::Bfloat16 | Self::Float32 | Self::Float16 => {
                let format = self.format();
                let most = format.map_or(0.0, |format| format.value(format.infinity() - 1));
                (-most, most)
            }
        }
    }

    /// The bits of the element nearest to a number; a tie goes to the even one. Integers saturate; a
    /// floating-point number out of range becomes infinite.
    pub fn nearest(self, value: f64) -> u32 {
        match self.format() {
            Some(format) => format.round(value) as u32,
            None => {
                let (least, most) = self.range();
                let whole = value.round_ties_even().clamp(least, most) as i64;
                self.truncated(whole)
            }
        }
    }

    /// The low bits of an integer, as wide as the element.
    const fn truncated(self, value: i64) -> u32 {
        let bits = value as u32;
        match self.size() {
            1 => bits & 0xff,
            2 => bits & 0xffff,
            _ => bits,
        }
    }

    /// The exact number that an element's bits represent.
    pub fn number(self, bits: u32) -> f64 {
        match self {
            Self::Uint8 => f64::from(bits as u8),
            Self::Uint16 => f64::from(bits as u16),
            Self::Uint32 => f64::from(bits),
            Self::Int8 => f64::from(bits as i8),
            Self::Int16 => f64::from(bits as i16),
            Self::Int32 => f64::from(bits as i32),
            Self::Bfloat16 | Self::Float32 | Self::Float16 => {
                self.format().map_or(0.0, |format| format.value(bits.into()))
            }
        }
    }

    /// The bits of consecutive elements. An incomplete last element is left out.
    pub fn elements(self, bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
        bytes.chunks_exact(self.size()).map(|element| {
            element.iter().rev().fold(0, |bits: u32, byte| bits << 8 | u32::from(*byte))
        })
    }

    /// The position of an element in the order of its type's values: floating-point neighbours differ by 1, and
    /// both zeros are 0. The ordinal of an integer is its value.
    pub fn ordinal(self, bits: u32) -> i64 {
        match self.format() {
            Some(format) => {
                let magnitude = i64::from(bits & ((1 << format.sign()) - 1));
                if bits >> format.sign() & 1 == 1 { -magnitude } else { magnitude }
            }
            None => self.number(bits) as i64,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rounding_to_single_is_that_of_the_processor(bits in any::<u64>(), exponent in 850_u64..1200) {
            // Most random doubles lie far outside the range of a single.
            let near = (bits & !(0x7ff << 52)) | exponent << 52;
            for value in [f64::from_bits(bits), f64::from_bits(near)] {
                let single = value as f32;
                if !single.is_nan() {
                    prop_assert_eq!(DataType::Float32.nearest(value), single.to_bits());
                }
            }
        }

        #[test]
        fn values_of_singles_are_exact(bits in any::<u32>()) {
            let single = f32::from_bits(bits);
            let value = DataType::Float32.number(bits);
            prop_assert!(value == f64::from(single) || (value.is_nan() && single.is_nan()));
        }

        #[test]
        fn what_a_type_holds_rounds_to_itself(bits in any::<u16>()) {
            for data_type in [DataType::Bfloat16, DataType::Float16] {
                let value = data_type.number(bits.into());
                if !value.is_nan() {
                    prop_assert_eq!(data_type.nearest(value), u32::from(bits));
                }
            }
        }
    }

    #[test]
    fn halves_as_ieee_754_has_them() {
        let half = DataType::Float16;
        for (bits, value) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0400, 6.103_515_625e-5),
            (0x0001, 5.960_464_477_539_063e-8),
            (0x3555, 0.333_251_953_125),
        ] {
            assert_eq!(half.number(bits), value);
            assert_eq!(half.nearest(value), bits);
        }
        assert_eq!(half.nearest(65520.0), 0x7c00);
        assert_eq!(half.nearest(65519.9), 0x7bff);
        assert_eq!(half.nearest(2.980_232_238_769_531_2e-8), 0, "a tie goes to the even zero");
        assert_eq!(half.nearest(1e-300), 0);
        assert!(half.number(half.nearest(f64::NAN)).is_nan());
        let bfloat = DataType::Bfloat16;
        // 1 + 2^-8 lies halfway between 1 and 1 + 2^-7; the even one is 1. A slightly larger number is no tie.
        assert_eq!(bfloat.nearest(1.003_906_25), 0x3f80);
        assert_eq!(bfloat.nearest(1.003_906_250_000_1), 0x3f81);
        assert_eq!(bfloat.nearest(f64::MAX), 0x7f80);
    }

    #[test]
    fn integers_round_to_even_and_stop_at_their_ends() {
        assert_eq!(DataType::Int8.nearest(-2.5), 0xfe);
        assert_eq!(DataType::Int8.nearest(1000.0), 127);
        assert_eq!(DataType::Uint16.nearest(-3.0), 0);
        assert_eq!(DataType::Uint32.nearest(4e9), 4_000_000_000);
        assert_eq!(DataType::Int16.number(0xffff), -1.0);
    }

    #[test]
    fn neighbours_count_up() {
        let single = DataType::Float32;
        assert_eq!(single.ordinal(0x8000_0000), 0);
        let (one, next) = (1.0_f32, 1.0_f32.next_up());
        assert_eq!(single.ordinal(next.to_bits()) - single.ordinal(one.to_bits()), 1);
        assert_eq!(single.ordinal((-next).to_bits()), -single.ordinal(next.to_bits()));
        assert_eq!(DataType::Int16.ordinal(0xfffe), -2);
        assert_eq!(DataType::Int8.elements(&[1, 2, 255]).collect::<Vec<_>>(), [1, 2, 255]);
        assert_eq!(DataType::Uint16.elements(&[1, 2, 3]).collect::<Vec<_>>(), [0x201]);
    }
}
