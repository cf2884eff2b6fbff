//! Block floats: 16 data that share an exponent of 8 or of 5 bits (`FloatBitPatterns.md`, "BFP").

use super::Format;

/// Data of a block.
const DATA: usize = 16;

/// A datum of a block as `Float16_b`. The magnitude has no implicit bit: it is normalized, by which the exponent may
/// wrap. A magnitude of 0 is +0, with a sign negative infinity.
///
/// `magnitude` has its sign in bit 7 and its magnitude aligned below, whatever the width in memory.
#[must_use]
pub const fn block_datum(magnitude: u8, exponent: u8) -> u16 {
    let negative = magnitude & 0x80 != 0;
    let bits = magnitude << 1;
    if bits == 0 {
        return if negative { 0xFF80 } else { 0 };
    }
    let leading = bits.leading_zeros();
    let mantissa = (bits << leading) & 0x7E;
    let exponent = exponent.wrapping_sub(leading as u8);
    (magnitude as u16 & 0x80) << 8 | (exponent as u16) << 7 | mantissa as u16
}

/// A datum of a block with an exponent of 5 bits, as `Float16`. `None` if normalizing takes the exponent out of its 5 bits, which
/// is undefined. A magnitude of 0 is +0, with a sign −2¹⁶.
///
/// `magnitude` has its sign in bit 7 and its magnitude aligned below, whatever the width in memory.
#[must_use]
pub const fn short_block_datum(magnitude: u8, exponent: u8) -> Option<u16> {
    let negative = magnitude & 0x80 != 0;
    let bits = magnitude << 1;
    if bits == 0 {
        return Some(if negative { 0xFC00 } else { 0 });
    }
    let leading = bits.leading_zeros();
    let mantissa = (bits << leading) & 0x7E;
    let exponent = exponent.wrapping_sub(leading as u8);
    if exponent > 31 {
        return None;
    }
    Some((magnitude as u16 & 0x80) << 8 | (exponent as u16) << 10 | (mantissa as u16) << 3)
}

/// The places of exponent and mantissa in a datum of 16 bits. A block takes 7 bits of the mantissa.
struct Form {
    exponent: u16,
    mask: u16,
    mantissa: u16,
}

impl Form {
    /// `Float16_b`.
    const LONG: Self = Self { exponent: 7, mask: 0xFF, mantissa: 0 };
    /// `Float16`.
    const SHORT: Self = Self { exponent: 10, mask: 0x1F, mantissa: 3 };

    const fn exponent(&self, value: u16) -> u16 {
        value >> self.exponent & self.mask
    }
}

/// A block as it stands in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The largest exponent, which all data share.
    pub exponent: u8,
    bytes: [u8; DATA],
    length: usize,
}

impl Block {
    /// The block of 16 values of `Float16_b`, or of `Float16` if the format has exponents of 5 bits. The mantissas are rounded
    /// from 7 bits and an implicit one to 7 bits, ties away from zero, and cut to the format's bits. `None` if the format is no
    /// block float.
    #[must_use]
    pub fn of(values: &[u16; DATA], format: Format) -> Option<Self> {
        let (form, bits) = match format {
            Format::BFP8 | Format::BFP4 | Format::BFP2 => (Form::LONG, format.bits()?),
            Format::BFP8A | Format::BFP4A | Format::BFP2A => (Form::SHORT, format.bits()?),
            _ => return None,
        };
        let exponent = values.iter().map(|value| form.exponent(*value)).max().unwrap_or(0);
        let mut block =
            Self { exponent: exponent as u8, bytes: [0; DATA], length: bits as usize * DATA / 8 };
        let data_per_byte = (8 / bits) as usize;
        for (byte, data) in block.bytes.iter_mut().zip(values.chunks(data_per_byte)) {
            for (place, value) in data.iter().enumerate() {
                *byte |= datum_of(*value, &form, exponent, bits) << (place as u32 * bits);
            }
        }
        Some(block)
    }

    /// Its data in memory, without the exponent.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or(&self.bytes)
    }
}

/// A datum of `bits` bits. Only a magnitude other than 0 has a sign: the negative zero stands for infinity.
fn datum_of(value: u16, form: &Form, shared_exponent: u16, bits: u32) -> u8 {
    let exponent = form.exponent(value);
    let mantissa = value >> form.mantissa & 0x7F | if exponent == 0 { 0 } else { 0x80 };
    let shift = shared_exponent - exponent;
    let rounded = if shift >= 8 { 0 } else { ((mantissa + (1 << shift)) >> (shift + 1)).min(0x7F) };
    let magnitude = rounded >> (8 - bits);
    let sign = if magnitude == 0 { 0 } else { value >> 15 };
    (magnitude | sign << (bits - 1)) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bfloat16(value: f32) -> u16 {
        (value.to_bits() >> 16) as u16
    }

    #[test]
    fn a_datum_is_normalized() {
        // The magnitude 0x40 is 1.0, with the exponent of 1.0.
        assert_eq!(block_datum(0x40, 127), bfloat16(1.0));
        assert_eq!(block_datum(0x41, 127), bfloat16(1.0 + 1.0 / 64.0));
        assert_eq!(block_datum(0xA0, 127), bfloat16(-0.5));
        assert_eq!(block_datum(0x01, 127), bfloat16(1.0 / 64.0));
    }

    #[test]
    fn magnitudes_of_zero_are_zero_and_infinity() {
        assert_eq!(block_datum(0x00, 127), 0);
        assert_eq!(block_datum(0x80, 127), bfloat16(f32::NEG_INFINITY));
    }

    #[test]
    fn exponents_wrap() {
        // Six leading zeros take the exponent 3 below 0.
        assert_eq!(block_datum(0x01, 3), 253 << 7);
    }

    #[test]
    fn a_block_has_the_largest_exponent() {
        let mut values = [bfloat16(1.0); 16];
        values[3] = bfloat16(-6.0);
        values[9] = bfloat16(0.25);
        let block = Block::of(&values, Format::BFP8).unwrap();
        assert_eq!(block.exponent, 129);
        assert_eq!(block.bytes().len(), 16);
        assert_eq!(block.bytes()[0], 0x10);
        assert_eq!(block.bytes()[3], 0x80 | 0x60);
        assert_eq!(block.bytes()[9], 0x04);
    }

    #[test]
    fn what_a_block_keeps_comes_back() {
        let values = std::array::from_fn(|index| bfloat16(index as f32 * 0.5 - 3.5));
        let block = Block::of(&values, Format::BFP8).unwrap();
        for (datum, value) in block.bytes().iter().zip(values) {
            assert_eq!(block_datum(*datum, block.exponent), value);
        }
    }

    #[test]
    fn narrow_data_begin_in_the_low_bits() {
        let mut values = [0; 16];
        values[0] = bfloat16(1.75);
        values[1] = bfloat16(-1.0);
        values[15] = bfloat16(-1.5);
        let block = Block::of(&values, Format::BFP4).unwrap();
        assert_eq!(block.bytes(), [0xC7, 0, 0, 0, 0, 0, 0, 0xE0]);
        let block = Block::of(&values, Format::BFP2).unwrap();
        assert_eq!(block.bytes(), [0b1101, 0, 0, 0b1100_0000]);
    }

    #[test]
    fn a_lost_magnitude_loses_its_sign() {
        let mut values = [bfloat16(-1.0); 16];
        values[0] = bfloat16(1024.0);
        let block = Block::of(&values, Format::BFP8).unwrap();
        assert_eq!(block.bytes()[1], 0);
    }

    #[test]
    fn rounding_stays_below_the_implicit_bit() {
        let values = [bfloat16(1.992_187_5); 16];
        let block = Block::of(&values, Format::BFP8).unwrap();
        assert_eq!((block.exponent, block.bytes()[0]), (127, 0x7F));
    }

    #[test]
    fn only_block_floats_are_blocks() {
        assert_eq!(Block::of(&[0; 16], Format::INT8), None);
        assert_eq!(Block::of(&[0; 16], Format::FLOAT16), None);
    }

    #[test]
    fn short_exponents_are_those_of_float16() {
        // 1.0, -6.0 and 0.25 + 0.25 / 128.
        let mut values = [0x3C00; 16];
        values[3] = 0xC600;
        values[9] = 0x3408;
        let block = Block::of(&values, Format::BFP8A).unwrap();
        assert_eq!(block.exponent, 17);
        assert_eq!((block.bytes()[0], block.bytes()[3], block.bytes()[9]), (0x10, 0xE0, 0x04));
        let block = Block::of(&values, Format::BFP4A).unwrap();
        assert_eq!((block.exponent, block.bytes().len()), (17, 8));
        assert_eq!((block.bytes()[0], block.bytes()[1]), (0x11, 0xE1));
        let block = Block::of(&values, Format::BFP2A).unwrap();
        assert_eq!((block.exponent, block.bytes()), (17, &[0xC0, 0, 0, 0][..]));
    }

    #[test]
    fn short_blocks_round_and_stay_below_the_implicit_bit() {
        // Mantissas 1.0000001, 1.0000010 and 1.1111111. A magnitude does not hold their last bit.
        let mut values = [0x3C00; 16];
        values[0] = 0x3C08;
        values[1] = 0xBC10;
        values[2] = 0x3FF8;
        let block = Block::of(&values, Format::BFP8A).unwrap();
        assert_eq!(block.exponent, 15);
        assert_eq!(block.bytes()[..3], [0x41, 0xC1, 0x7F]);
    }

    #[test]
    fn a_short_datum_is_normalized() {
        assert_eq!(short_block_datum(0x40, 15), Some(0x3C00));
        assert_eq!(short_block_datum(0xA0, 15), Some(0xB800));
        assert_eq!(short_block_datum(0x7F, 31), Some(0x7FF0));
        assert_eq!(short_block_datum(0, 200), Some(0));
        assert_eq!(short_block_datum(0x80, 15), Some(0xFC00));
        // Six leading zeros take the exponent 6 to 0, and 5 below it; 32 has six bits.
        assert_eq!(short_block_datum(0x01, 6), Some(0));
        assert_eq!(short_block_datum(0x01, 5), None);
        assert_eq!(short_block_datum(0x40, 32), None);
        assert_eq!(short_block_datum(0x20, 32), Some(0x7C00));
    }

    #[test]
    fn what_a_short_block_keeps_comes_back() {
        let values: [u16; 16] =
            std::array::from_fn(|index| 0x3C00 | (index as u16) << 6 | (index as u16 & 1) << 15);
        let block = Block::of(&values, Format::BFP8A).unwrap();
        for (datum, value) in block.bytes().iter().zip(values) {
            assert_eq!(short_block_datum(*datum, block.exponent), Some(value));
        }
    }
}
