//! The order of bits in `Dst` (`Dst.md`, "Data type bit layout"): the exponent stands below the mantissa.

/// Sign, exponent of 8 bits, mantissa of 7 bits → sign, mantissa, exponent.
#[must_use]
pub const fn bfloat16_to_destination(value: u16) -> u16 {
    value & 0x8000 | (value & 0x7F) << 8 | value >> 7 & 0xFF
}

/// Sign, mantissa of 7 bits, exponent of 8 bits → sign, exponent, mantissa.
#[must_use]
pub const fn bfloat16_from_destination(stored: u16) -> u16 {
    stored & 0x8000 | (stored & 0xFF) << 7 | stored >> 8 & 0x7F
}

/// Sign, exponent of 5 bits, mantissa of 10 bits → sign, mantissa, exponent.
#[must_use]
pub const fn float16_to_destination(value: u16) -> u16 {
    value & 0x8000 | (value & 0x3FF) << 5 | value >> 10 & 0x1F
}

/// Sign, mantissa of 10 bits, exponent of 5 bits → sign, exponent, mantissa.
#[must_use]
pub const fn float16_from_destination(stored: u16) -> u16 {
    stored & 0x8000 | (stored & 0x1F) << 10 | stored >> 5 & 0x3FF
}

/// A word of 32 bits, floating-point or integer: its high half is ordered as a `Float16_b`, its low half is kept.
#[must_use]
pub const fn word_to_destination(value: u32) -> u32 {
    (bfloat16_to_destination((value >> 16) as u16) as u32) << 16 | value & 0xFFFF
}

/// The inverse of [`word_to_destination`].
#[must_use]
pub const fn word_from_destination(stored: u32) -> u32 {
    (bfloat16_from_destination((stored >> 16) as u16) as u32) << 16 | stored & 0xFFFF
}

/// A `Float16` in the order of an `f32`: its 5 bits of exponent are the low bits of 8.
#[must_use]
pub(crate) const fn widened_float16(value: u32) -> u32 {
    (value & 0x8000) << 16 | (value & 0x7FFF) << 13
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_inverse() {
        for value in 0..=u16::MAX {
            assert_eq!(bfloat16_from_destination(bfloat16_to_destination(value)), value);
            assert_eq!(float16_from_destination(float16_to_destination(value)), value);
            let word = u32::from(value) << 16 | u32::from(value).wrapping_mul(0x9E37) & 0xFFFF;
            assert_eq!(word_from_destination(word_to_destination(word)), word);
        }
    }

    #[test]
    fn exponents_stand_below_mantissas() {
        // -1.5: exponent 127 and 15, the highest bit of the mantissa.
        assert_eq!(bfloat16_to_destination(0xBFC0), 0xC07F);
        assert_eq!(float16_to_destination(0xBE00), 0xC00F);
        assert_eq!(word_to_destination(0xBFC0_1234), 0xC07F_1234);
    }
}
