//! Accumulation of packers onto memory (`Packers/README.md`). The documentation does not specify its numbers: they are
//! those of Tenstorrent's simulator.

use super::Format;

/// The datum that a packer writes when it adds `value` to a datum of memory. `None` if packers do not accumulate in this
/// format.
#[must_use]
pub fn accumulate(format: Format, memory: u32, value: u32) -> Option<u32> {
    match format {
        Format::FLOAT32 => Some(float32(memory, value)),
        Format::FLOAT16 => Some(float16(memory as u16, value as u16).into()),
        Format::FLOAT16B => Some(bfloat16(memory as u16, value as u16).into()),
        _ => None,
    }
}

/// A denormal as zero of its sign.
fn without_denormals(bits: u32) -> u32 {
    if bits & 0x7F80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}

fn float32(memory: u32, value: u32) -> u32 {
    let sum = f32::from_bits(without_denormals(memory)) + f32::from_bits(without_denormals(value));
    if sum.is_nan() { 0x7FC0_0000 } else { without_denormals(sum.to_bits()) }
}

/// A NaN of memory counts as a number beyond all others, a NaN that is added as a number above infinity's exponent.
fn bfloat16(memory: u16, value: u16) -> u16 {
    const INFINITY: u16 = 0x7F80;
    if memory & 0x7FFF == INFINITY && memory ^ value == 0x8000 {
        return 0x7FC0;
    }
    let number = |bits: u16| f64::from(f32::from_bits(without_denormals(u32::from(bits) << 16)));
    let sign = |bits: u16| u64::from(bits & 0x8000) << 48;
    let memory = if memory & 0x7FFF > INFINITY {
        f64::from_bits(sign(memory) | f64::MAX.to_bits())
    } else {
        number(memory)
    };
    let value = if value & 0x7FFF > INFINITY {
        let exponent = u64::from(255_u32 - 127 + 1023);
        f64::from_bits(sign(value) | exponent << 52 | u64::from(value & 0x7F) << 45)
    } else {
        number(value)
    };
    let sum = (memory + value).to_bits();
    let sign = (sum >> 48) as u16 & 0x8000;
    let exponent = (sum >> 52 & 0x7FF) as i32 - 1023 + 127;
    let mantissa = sum & ((1 << 52) - 1);
    match exponent {
        ..=0 => sign,
        255.. => sign | INFINITY,
        // To nearest, ties to even.
        _ => {
            let rounded = (mantissa + (1 << 44) - 1 + (mantissa >> 45 & 1)) >> 45;
            sign | (((exponent as u64) << 7) + rounded) as u16
        }
    }
}

/// Saturates, except that a sum below the smallest normal becomes the largest number.
fn float16(memory: u16, value: u16) -> u16 {
    const LARGEST: u16 = 0x7FFF;
    // All exponents but 0 are numbers of `f32`.
    let wide = |bits: u16| {
        let sign = u32::from(bits & 0x8000) << 16;
        let magnitude = u32::from(bits & 0x7FFF);
        f32::from_bits(sign | if magnitude < 0x400 { 0 } else { (magnitude << 13) + (112 << 23) })
    };
    let sum = (wide(memory) + wide(value)).to_bits();
    let sign = (sum >> 16) as u16 & 0x8000;
    if sum & 0x7FFF_FFFF == 0 {
        // Large numbers that cancel out become the largest number.
        return sign | if memory >> 10 & 0x1F >= 30 { LARGEST } else { 0 };
    }
    let exponent = (sum >> 23 & 0xFF) as i32 - 112;
    if exponent <= 0 {
        return sign | if exponent < 0 { LARGEST } else { 0 };
    }
    let mantissa = sum & 0x7F_FFFF;
    // To nearest, ties to even.
    let rounded = (mantissa + (1 << 12) - 1 + (mantissa >> 13 & 1)) >> 13;
    let packed = ((exponent as u32) << 10) + rounded;
    sign | if packed < 0x8000 { packed as u16 } else { LARGEST }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(format: Format, memory: u32, value: u32) -> u32 {
        accumulate(format, memory, value).unwrap()
    }

    #[test]
    fn numbers_are_added() {
        let bits = |value: f32| value.to_bits();
        assert_eq!(sum(Format::FLOAT32, bits(1.5), bits(-4.25)), bits(-2.75));
        assert_eq!(sum(Format::FLOAT16B, bits(1.5) >> 16, bits(-4.25) >> 16), bits(-2.75) >> 16);
        // 1.5 + -4.25 of five bits of exponent.
        assert_eq!(sum(Format::FLOAT16, 0x3E00, 0xC440), 0xC180);
    }

    #[test]
    fn ties_go_to_even() {
        // 1 + 2⁻⁸ and 1 + 2⁻⁷ + 2⁻⁸, each between two neighbours.
        assert_eq!(sum(Format::FLOAT16B, 0x3F80, 0x3B80), 0x3F80);
        assert_eq!(sum(Format::FLOAT16B, 0x3F81, 0x3B80), 0x3F82);
        assert_eq!(sum(Format::FLOAT16, 0x3C00, 0x1000), 0x3C00);
        assert_eq!(sum(Format::FLOAT16, 0x3C01, 0x1000), 0x3C02);
    }

    #[test]
    fn denormals_are_zero() {
        assert_eq!(sum(Format::FLOAT32, 0x0000_0001, 0x3F80_0000), 0x3F80_0000);
        assert_eq!(sum(Format::FLOAT32, 0x807F_FFFF, 0x8000_0000), 0x8000_0000);
        assert_eq!(sum(Format::FLOAT16B, 0x007F, 0x0040), 0x0000);
        assert_eq!(sum(Format::FLOAT16, 0x03FF, 0x3C00), 0x3C00);
    }

    #[test]
    fn infinities_that_cancel_are_not_numbers() {
        assert_eq!(sum(Format::FLOAT32, 0x7F80_0000, 0xFF80_0000), 0x7FC0_0000);
        assert_eq!(sum(Format::FLOAT16B, 0x7F80, 0xFF80), 0x7FC0);
        assert_eq!(sum(Format::FLOAT16B, 0xFF80, 0x7F80), 0x7FC0);
        assert_eq!(sum(Format::FLOAT16B, 0x7F80, 0x7F80), 0x7F80);
    }

    #[test]
    fn float16_saturates() {
        assert_eq!(sum(Format::FLOAT16, 0x7FFF, 0x7FFF), 0x7FFF);
        assert_eq!(sum(Format::FLOAT16, 0x7800, 0xF800), 0x7FFF);
        assert_eq!(sum(Format::FLOAT16, 0x7400, 0xF400), 0x0000);
        // 2⁻¹⁴ · (1 + 2⁻¹⁰) − 2⁻¹⁴ is far below the smallest normal.
        assert_eq!(sum(Format::FLOAT16, 0x0401, 0x8400), 0x7FFF);
    }

    #[test]
    fn other_formats_do_not_accumulate() {
        assert_eq!(accumulate(Format::INT32, 1, 2), None);
        assert_eq!(accumulate(Format::BFP8, 1, 2), None);
    }
}
