//! Functions by tables (`SFPLUT.md`, `SFPLUTFP32.md`, `SFPARECIP.md`).

use super::arithmetic::{by_magnitude, multiply_add, with_sign_of, write_result};
use super::call::Call;
use super::lanes::{choose, lanes_where, map};
use crate::Refusal;
use crate::registers::Vector;

const SIGN: u32 = 0x8000_0000;
const SIGN_RETAINED: u32 = 4;

/// The number of a byte of a table: sign, 3 bits of exponent, 4 of mantissa.
const fn of_8_bits(byte: u32) -> u32 {
    if byte == 0xFF {
        return 0;
    }
    byte >> 7 << 31 | (127 - (byte >> 4 & 7)) << 23 | (byte & 15) << 19
}

/// The number of 16 bits of a table: sign, 5 bits of exponent, 10 of mantissa.
const fn of_16_bits(bits: u32) -> u32 {
    let exponent = bits >> 10 & 31;
    let exponent = if exponent == 31 { 0 } else { 112 + exponent };
    (bits >> 15 & 1) << 31 | exponent << 23 | (bits & 0x3FF) << 13
}

fn low_half(vector: &Vector) -> Vector {
    map(vector, |datum| of_16_bits(datum & 0xFFFF))
}

fn high_half(vector: &Vector) -> Vector {
    map(vector, |datum| of_16_bits(datum >> 16))
}

/// The registers from `first` on, by the magnitude of `LReg[3]`.
fn entry(call: &Call<'_>, first: u32) -> Vector {
    let register = |number| call.vectors.register(first + number);
    by_magnitude(call.vectors.register(3), [register(0), register(1), register(2)])
}

fn finish(call: &mut Call<'_>, slope: &Vector, offset: &Vector) -> Result<(), Refusal> {
    let number = *call.vectors.register(3);
    let magnitude = map(&number, |datum| datum & !SIGN);
    let result = multiply_add(call, slope, &magnitude, offset);
    let result = with_sign_of(&result, &number, call.operation.has(SIGN_RETAINED));
    write_result(call, &result)
}

/// `SFPLUT`: three lines, each of two bytes.
#[inline(always)]
pub(super) fn lut(call: &mut Call<'_>) -> Result<(), Refusal> {
    if call.operation.has(3) {
        return Err(call.unsupported_mode());
    }
    let line = entry(call, 0);
    let slope = map(&line, |datum| of_8_bits(datum >> 8 & 0xFF));
    let offset = map(&line, |datum| of_8_bits(datum & 0xFF));
    finish(call, &slope, &offset)
}

/// `SFPLUTFP32`: three lines or six, of 32 or 16 bits.
#[inline(always)]
pub(super) fn lutfp32(call: &mut Call<'_>) -> Result<(), Refusal> {
    const OF_16_BITS: u32 = 2;
    const LATER_CUT: u32 = 1;
    const THREE_OF_16_BITS: u32 = 10;
    let operation = call.operation;
    let slopes = entry(call, 0);
    if !operation.has(OF_16_BITS) {
        if operation.has(LATER_CUT) {
            return Err(call.unsupported_mode());
        }
        let offsets = entry(call, 4);
        return finish(call, &slopes, &offsets);
    }
    if operation.mode & THREE_OF_16_BITS == THREE_OF_16_BITS {
        return finish(call, &high_half(&slopes), &low_half(&slopes));
    }
    let offsets = entry(call, 4);
    // 3 or 4.
    let cut = if operation.has(LATER_CUT) { 0x4080_0000 } else { 0x4040_0000 };
    let second = lanes_where(&call.vectors.register(3).lanes, |datum| {
        let magnitude = datum & !SIGN;
        let (low, end) = match magnitude {
            // Below 1: 0.5.
            ..0x3F80_0000 => (0x3F00_0000, 0x3F80_0000),
            // Below 2: 1.5.
            0x3F80_0000..0x4000_0000 => (0x3FC0_0000, 0x4000_0000),
            _ => (cut, u32::MAX),
        };
        (low..end).contains(&magnitude)
    });
    let of = |vector: &Vector| choose(second, &high_half(vector), &low_half(vector));
    finish(call, &of(&slopes), &of(&offsets))
}

/// The mantissas of reciprocals, by the highest 7 bits of a mantissa: 256 divided by the middle of the interval, rounded
/// down, without the implicit bit. The documentation lists them, and this formula gives all of its numbers.
const RECIPROCALS: [u8; 128] = {
    let mut mantissas = [0; 128];
    let mut rest: &mut [u8] = &mut mantissas;
    let mut index = 0;
    while let [first, others @ ..] = rest {
        // 256 / (1 + (2 · index + 1) / 256) - 127.5.
        let twice = 2 * 65536 / (257 + 2 * index);
        let mantissa = (twice - 255) / 2;
        *first = if mantissa > 127 { 127 } else { mantissa as u8 };
        index += 1;
        rest = others;
    }
    mantissas
};

/// About 1 / x of a number without a sign.
fn reciprocal(number: u32) -> u32 {
    match number {
        ..0x0080_0000 => 0x7F80_0000,
        0x0080_0000..0x7E80_0000 => {
            let mantissa = RECIPROCALS.get((number >> 16 & 0x7F) as usize).copied().unwrap_or(0);
            (253 - (number >> 23)) << 23 | u32::from(mantissa) << 16
        }
        _ => 0,
    }
}

/// `SFPARECIP`: about the reciprocal.
#[inline(always)]
pub(super) fn arecip(call: &mut Call<'_>) -> Result<(), Refusal> {
    let result = match call.operation.mode {
        0 => map(call.c(), |number| number & SIGN | reciprocal(number & !SIGN)),
        1 => {
            let condition = call.b();
            let chosen = lanes_where(&condition.lanes, |datum| datum & SIGN != 0);
            let reciprocals = map(call.c(), |number| reciprocal(number & !SIGN));
            let mut result = choose(chosen, &reciprocals, call.c());
            result.unknown |= condition.unknown;
            result
        }
        _ => return Err(call.unsupported("its exponential is not simulated (SFPARECIP.md)")),
    };
    call.write(&result);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_tables() {
        assert_eq!(of_8_bits(0xFF), 0);
        // -1.5 · 2⁻³.
        assert_eq!(f32::from_bits(of_8_bits(0xB8)), -0.1875);
        assert_eq!(f32::from_bits(of_16_bits(0xC100)), -2.5);
        assert_eq!(of_16_bits(0xFC00), SIGN);
        assert_eq!(f32::from_bits(of_16_bits(0)), 1.0 / 32768.0);
    }

    #[test]
    fn reciprocals_have_seven_bits() {
        assert_eq!(reciprocal(0x3F80_0000), 0x3F7F_0000);
        assert_eq!(reciprocal(0x3FFF_FFFF), 0x3F00_0000);
        assert_eq!(reciprocal(0x007F_FFFF), 0x7F80_0000);
        assert_eq!(reciprocal(0x7E80_0000), 0);
        // The first and the last of the documentation's numbers, and some between.
        let some = [0, 1, 5, 17, 66, 67, 126, 127].map(|index: usize| RECIPROCALS[index]);
        assert_eq!(some, [127, 125, 117, 97, 40, 40, 1, 0]);
    }
}
