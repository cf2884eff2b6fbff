//! Block floats: 16 data that share an exponent of 8 bits (`FloatBitPatterns.md`, "BFP").

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

/// A block as it stands in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The largest exponent, which all data share.
    pub exponent: u8,
    bytes: [u8; DATA],
    length: usize,
}

impl Block {
    /// The block of 16 values of `Float16_b`. The mantissas are rounded to 7 bits, ties away from zero, and cut to the
    /// format's bits. `None` if the format is no block float of 8 bits of exponent.
    #[must_use]
    pub fn of(values: &[u16; DATA], format: Format) -> Option<Self> {
        let bits = match format {
            Format::BFP8 | Format::BFP4 | Format::BFP2 => format.bits()?,
            _ => return None,
        };
        let exponent = values.iter().map(|value| value >> 7 & 0xFF).max().unwrap_or(0);
        let mut block =
            Self { exponent: exponent as u8, bytes: [0; DATA], length: bits as usize * DATA / 8 };
        let data_per_byte = (8 / bits) as usize;
        for (byte, data) in block.bytes.iter_mut().zip(values.chunks(data_per_byte)) {
            for (place, value) in data.iter().enumerate() {
                *byte |= datum_of(*value, exponent, bits) << (place as u32 * bits);
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
fn datum_of(value: u16, shared_exponent: u16, bits: u32) -> u8 {
    let exponent = value >> 7 & 0xFF;
    let mantissa = value & 0x7F | if exponent == 0 { 0 } else { 0x80 };
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
        assert_eq!(Block::of(&[0; 16], Format::BFP8A), None);
    }
}
