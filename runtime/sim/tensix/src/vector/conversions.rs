//! Conversions (`SFPCAST.md`, `SFPSTOCHRND_FloatFloat.md`, `SFPSTOCHRND_FloatInt.md`, `SFPSTOCHRND_IntInt.md`).

use super::call::Call;
use super::integers;
use super::lanes::{map, map_two};
use crate::Refusal;
use crate::bits::bits;
use crate::registers::Vector;

const SIGN: u32 = 0x8000_0000;

/// The exponent and the mantissa of an integer of 31 bits with the leading zeros `zeros`, and the integer at the top of a
/// word, whose lowest 8 bits are lost.
const fn float_of(magnitude: u32) -> (u32, u32) {
    let zeros = magnitude.leading_zeros();
    let top = magnitude << (zeros & 31);
    let exponent = if magnitude == 0 { 0 } else { 157_u32.wrapping_sub(zeros) };
    ((exponent << 23).wrapping_add(top >> 8), top)
}

/// `SFPCAST`.
#[inline(always)]
pub(super) fn cast(call: &mut Call<'_>) -> Result<(), Refusal> {
    let operation = call.operation;
    if operation.mode >= call.settings.chip.casts {
        return Err(call.non_contractual(format!("its mode {} is reserved", operation.mode)));
    }
    let result = match operation.mode {
        // To nearest, ties to even.
        0 => map(call.c(), |integer| integer & SIGN | ((integer & !SIGN) as i32 as f32).to_bits()),
        1 => {
            let enabled = call.vectors.enabled();
            let random = call.vectors.random(enabled);
            map_two(&random, call.c(), |random, integer| {
                let (float, top) = float_of(integer & !SIGN);
                (integer & SIGN | float) + u32::from(top & 0xFE > random >> 9 & 0xFE)
            })
        }
        2 => return integers::abs_of_integers(call),
        _ => map(call.c(), |integer| {
            let negative = integer & SIGN;
            negative | if negative != 0 { integer.wrapping_neg() } else { integer }
        }),
    };
    call.write(&result);
    Ok(())
}

/// Modes of `SFP_STOCH_RND`.
mod mode {
    pub(super) const TO_10_BITS: u32 = 0;
    pub(super) const TO_7_BITS: u32 = 1;
    pub(super) const TO_UINT8: u32 = 2;
    pub(super) const TO_INT8: u32 = 3;
    pub(super) const INTEGER_TO_UINT8: u32 = 4;
    pub(super) const INTEGER_TO_INT8: u32 = 5;
    pub(super) const TO_UINT16: u32 = 6;
}

/// What the discarded bits are compared with when they are rounded to nearest, and toward zero.
const NEAREST: u32 = 0x40_0000;
const TO_ZERO: u32 = 0x7F_FFFF;
/// Bits of a comparison.
const DISCARDED: u32 = 0x7F_FFFF;

/// A float with fewer bits of mantissa.
fn shortened(number: u32, discarded: u32, limit: u32) -> u32 {
    match number >> 23 & 0xFF {
        0 => 0,
        255 => number & 0xFF80_0000,
        _ => {
            let rest = number & ((1 << discarded) - 1);
            let up = rest >= limit >> (23 - discarded);
            number.wrapping_sub(rest).wrapping_add(u32::from(up) << discarded)
        }
    }
}

/// An integer with a fraction of 23 bits, rounded and at most `most`.
fn rounded(fixed: u64, limit: u32, most: u32) -> u32 {
    let up = fixed as u32 & DISCARDED >= limit;
    let integer = (fixed >> 23).wrapping_add(up.into());
    integer.min(most.into()) as u32
}

/// A float as an integer of sign and magnitude.
fn integer(number: u32, limit: u32, most: u32, keeps_sign: bool) -> u32 {
    let exponent = ((number >> 23 & 0xFF) as i32).wrapping_sub(127);
    let significand = u64::from(number & 0x7F_FFFF | 0x80_0000);
    let magnitude = match exponent {
        ..-1 => 0,
        -1 => rounded(significand >> 1, limit, most),
        0..16 => rounded(significand << (exponent & 15), limit, most),
        _ => most,
    };
    let sign = if keeps_sign && magnitude != 0 { number & SIGN } else { 0 };
    sign | magnitude
}

/// `SFP_STOCH_RND`.
#[inline(always)]
pub(super) fn stoch_rnd(call: &mut Call<'_>) -> Result<(), Refusal> {
    const BY_IMMEDIATE: u32 = 8;
    let operation = call.operation;
    let kind = operation.mode & 7;
    let of_integers = matches!(kind, mode::INTEGER_TO_UINT8 | mode::INTEGER_TO_INT8);
    // The pages of floats give the mode three bits, and no meaning to the fourth and to the distance; the vendor's kernels set
    // the fourth bit, with a distance of 0.
    if operation.has(BY_IMMEDIATE) && !of_integers && bits(operation.word, 16, 5) != 0 {
        return Err(call.undefined("a float is not shifted, and its distance is not 0"));
    }
    let chip = call.settings.chip;
    let rounding = bits(operation.word, 21, 2);
    // The random numbers go on whatever the rounding.
    let enabled = call.vectors.enabled();
    let random = call.vectors.random(enabled);
    let limits = match rounding {
        0 => Vector::of(NEAREST),
        1 => map(&random, |number| number & DISCARDED),
        2 if chip.rounds_to_zero => Vector::of(TO_ZERO),
        _ => return Err(call.unsupported(format!("no page has the rounding {rounding}"))),
    };
    let c = call.c();
    let with = |most: u32, keeps_sign: bool| {
        map_two(&limits, c, |limit, number| integer(number, limit, most, keeps_sign))
    };
    let result = match kind {
        mode::TO_10_BITS => map_two(&limits, c, |limit, number| shortened(number, 13, limit)),
        mode::TO_7_BITS => map_two(&limits, c, |limit, number| shortened(number, 16, limit)),
        mode::TO_UINT8 => with(255, false),
        mode::TO_INT8 => with(127, true),
        mode::TO_UINT16 => with(65535, false),
        mode::INTEGER_TO_UINT8 | mode::INTEGER_TO_INT8 => {
            let keeps_sign = kind == mode::INTEGER_TO_INT8;
            let most = if keeps_sign { 127 } else { 255 };
            let distances = if operation.has(BY_IMMEDIATE) {
                Vector::of(bits(operation.word, 16, 5))
            } else {
                *call.b()
            };
            let mut result = map_two(&limits, c, |_, _| 0);
            let all = result.lanes.iter_mut().zip(&limits.lanes).zip(&distances.lanes);
            for (((result, limit), distance), number) in all.zip(&c.lanes) {
                let fixed = u64::from(number & !SIGN) << 23 >> (distance & 31);
                let magnitude = rounded(fixed, *limit, most);
                let sign = if keeps_sign && magnitude != 0 { number & SIGN } else { 0 };
                *result = sign | magnitude;
            }
            result.unknown |= distances.unknown;
            result
        }
        _ => with(32767, true),
    };
    call.write(&result);
    Ok(())
}
