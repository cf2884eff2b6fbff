//! Products with a summand, partly fused (`SFPMAD.md`, "IEEE754 conformance / divergence"). The bits are those of the model
//! `Miscellaneous/FMA` of the documentation, as Tenstorrent's simulator has it.
//!
//! The product keeps 28 bits, the last of which stands for all that are dropped. The summand or the product, whichever has the
//! smaller exponent, is shifted and loses bits in the same way, unless nothing remains of it. The rest of the work is exact.
//! For most lanes, `f64` does all that side by side; the others are computed one by one.

use crate::registers::{LANES, Lanes};

/// What tells chips apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dialect {
    /// A NaN is the canonical one, and not one with bits of the sum.
    canonical_nan: bool,
    /// A zero has a sign.
    signed_zero: bool,
    /// All bits that a sum of 29 bits loses count for its rounding.
    rounds_all_bits: bool,
}

impl Dialect {
    pub(super) const WORMHOLE_B0: Self =
        Self { canonical_nan: false, signed_zero: false, rounds_all_bits: false };
    pub(super) const BLACKHOLE: Self =
        Self { canonical_nan: true, signed_zero: true, rounds_all_bits: true };
}

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7F80_0000;
/// The highest bit of a significand, which a normal number has and its bits leave out.
const IMPLICIT: u32 = 1 << 23;

#[inline(always)]
const fn exponent(number: u32) -> i32 {
    (number >> 23 & 0xFF) as i32
}

/// A significand; that of a denormal is 0.
const fn significand(number: u32) -> u32 {
    if exponent(number) == 0 { 0 } else { number & 0x7F_FFFF | IMPLICIT }
}

/// The bits of a number behind a shift. The last stands for all that are lost, unless nothing remains.
const fn shifted(bits: u32, by: i32) -> u32 {
    match bits.checked_shr(by as u32) {
        None | Some(0) => 0,
        Some(rest) => rest | (rest << by != bits) as u32,
    }
}

/// x · y + z of one lane.
fn of_lane(dialect: Dialect, x: u32, y: u32, z: u32) -> u32 {
    let (x_exponent, y_exponent, z_exponent) = (exponent(x), exponent(y), exponent(z));
    let (x_bits, y_bits) = (significand(x), significand(y));
    let (product_sign, z_sign) = ((x ^ y) & SIGN, z & SIGN);
    let product = (u64::from(x_bits) * u64::from(y_bits)) << 3;
    let mut product_bits = (product >> 23) as u32 | u32::from(product & 0x7F_FFFF != 0);
    let mut product_exponent = x_exponent + y_exponent - 127;
    let mut z_bits = significand(z) << 3;

    let mut nan = None;
    let of_factors = x_exponent == 255 || y_exponent == 255;
    if of_factors || product_exponent >= 255 || z_exponent == 255 {
        let is_nan = |exponent, bits| exponent == 255 && bits != IMPLICIT;
        let factors_are_nan = is_nan(x_exponent, x_bits)
            || is_nan(y_exponent, y_bits)
            || x_exponent == 255 && y_bits == 0
            || y_exponent == 255 && x_bits == 0;
        let z_is_nan = is_nan(z_exponent, z_bits >> 3);
        let opposite = z_exponent == 255 && z_sign != product_sign;
        if dialect.canonical_nan {
            if factors_are_nan || z_is_nan || opposite && of_factors {
                return 0x7FC0_0000;
            }
        } else if factors_are_nan
            || opposite && !z_is_nan && (of_factors || product_exponent >= 255)
        {
            nan = Some(product_sign | INFINITY | 1);
        } else if z_is_nan {
            nan = Some(z_sign | INFINITY | 1);
        }
        if nan.is_none() {
            return if z_exponent == 255 { z } else { product_sign | INFINITY };
        }
        product_exponent = product_exponent.min(255);
    }

    let zero = |sign| if dialect.signed_zero { sign } else { 0 };
    if product_bits == 0 || product_exponent < 0 {
        if nan.is_none() {
            return if z_bits == 0 { zero(z_sign & product_sign) } else { z };
        }
        (product_bits, product_exponent) = (0, 0);
    }

    let mut result_exponent = product_exponent.max(z_exponent);
    product_bits = shifted(product_bits, result_exponent - product_exponent);
    z_bits = shifted(z_bits, result_exponent - z_exponent);
    let (sign, mut bits) = if product_sign == z_sign {
        (product_sign, product_bits + z_bits)
    } else if product_bits >= z_bits {
        (product_sign, product_bits - z_bits)
    } else {
        (z_sign, z_bits - product_bits)
    };
    if bits == 0 {
        return nan.unwrap_or(zero(z_sign & product_sign));
    }

    // The highest bit becomes bit 26.
    let mut right = 5 - bits.leading_zeros() as i32;
    result_exponent += right;
    if result_exponent >= 255 {
        return nan.unwrap_or(sign | INFINITY);
    }
    if dialect.rounds_all_bits {
        if result_exponent <= 0 {
            right += 1;
            result_exponent = 0;
        }
    } else if result_exponent < 0 {
        return nan.unwrap_or(0);
    }
    bits = if right <= 0 {
        bits << -right
    } else {
        let counted = if dialect.rounds_all_bits { right as u32 | 1 } else { 1 };
        bits >> right | u32::from(bits & counted != 0)
    };
    let mut result = ((result_exponent as u32) << 23) + (bits >> 3 & 0x7F_FFFF);
    result += u32::from((bits & 7) + (result & 1) > 4);
    if exponent(result) == 0 {
        return nan.unwrap_or(zero(sign));
    }
    nan.unwrap_or(sign) | result
}

/// x · y + z.
#[inline(always)]
pub(super) fn multiply_add(dialect: Dialect, x: &Lanes, y: &Lanes, z: &Lanes) -> Lanes {
    let mut results = [0; LANES];
    let mut special = [0; LANES];
    let all = results.iter_mut().zip(&mut special).zip(x).zip(y).zip(z);
    for ((((result, special), x), y), z) in all {
        (*result, *special) = side_by_side(dialect, *x, *y, *z);
    }
    one_by_one(dialect, &mut results, &special, [x, y, z]);
    results
}

/// Lanes that `f64` does not do.
fn one_by_one(dialect: Dialect, results: &mut Lanes, special: &Lanes, [x, y, z]: [&Lanes; 3]) {
    if special.iter().fold(0, |any, special| any | special) == 0 {
        return;
    }
    let all = results.iter_mut().zip(special).zip(x).zip(y).zip(z);
    for ((((result, special), x), y), z) in all {
        if *special != 0 {
            *result = of_lane(dialect, *x, *y, *z);
        }
    }
}

/// 2 to the power of 52: the distance of neighbouring `f64` behind it is 1.
const INTEGERS: f64 = 4_503_599_627_370_496.0;

/// The float of a normal number, or zero.
#[inline(always)]
fn float(number: u32) -> f32 {
    f32::from_bits(if number & INFINITY == 0 { number & SIGN } else { number })
}

/// The integer part of a number below 2²⁹, whose last bit stands for all that are lost, unless nothing remains.
#[inline(always)]
fn truncated(number: f64) -> u64 {
    let nearest = number + INTEGERS;
    let integer = nearest - INTEGERS;
    let down = (nearest.to_bits() & 0x3FFF_FFFF).wrapping_sub(u64::from(integer > number));
    down | u64::from((integer != number) & (down != 0))
}

/// The result of a lane, and whether it is to be computed alone (not 0).
#[inline(always)]
fn side_by_side(dialect: Dialect, x: u32, y: u32, z: u32) -> (u32, u32) {
    let (x_exponent, y_exponent, z_exponent) = (exponent(x), exponent(y), exponent(z));
    let exponents = x_exponent.wrapping_add(y_exponent).wrapping_sub(127);
    let vanishes = (x_exponent == 0) | (y_exponent == 0) | (exponents < 0);
    let product_exponent = if vanishes { 0 } else { exponents };
    let product = f64::from(float(x)) * f64::from(float(y));
    let product = if vanishes { 0.0 } else { product.abs() };
    let common = product_exponent.max(z_exponent) as u64;
    // The last bit of the aligned numbers has the weight 2 to the power of `common - 153`.
    let to_integers = f64::from_bits((1023_u64 + 153).wrapping_sub(common) << 52);
    let from_integers = f64::from_bits((1023_u64 - 153).wrapping_add(common) << 52);
    let product_bits = truncated(product * to_integers);
    let z_bits = truncated(f64::from(float(z)).abs() * to_integers);
    let (product_sign, z_sign) = ((x ^ y) & SIGN, z & SIGN);
    let subtracts = product_sign != z_sign;
    let larger = product_bits.max(z_bits);
    let smaller = product_bits.min(z_bits);
    let mut bits =
        if subtracts { larger.wrapping_sub(smaller) } else { larger.wrapping_add(smaller) };
    if !dialect.rounds_all_bits {
        bits &= !((bits >> 28 & 1) << 1);
    }
    let magnitude = (f64::from_bits(bits | INTEGERS.to_bits()) - INTEGERS) * from_integers;
    let sign = if product_bits >= z_bits { product_sign } else { z_sign };
    let zero = if dialect.signed_zero { product_sign & z_sign } else { 0 };
    let result = if bits == 0 { zero } else { (magnitude as f32).to_bits() | sign };
    let special = (x_exponent == 255)
        | (y_exponent == 255)
        | (z_exponent == 255)
        | (exponents >= 255)
        | ((magnitude < SMALLEST) & (bits != 0));
    (result, u32::from(special))
}

/// Twice the smallest normal number: results below are rounded in ways of their own.
const SMALLEST: f64 = 2.0 * f32::MIN_POSITIVE as f64;

/// x · y. The product is added to a zero of a sign.
#[inline(always)]
pub(super) fn multiply(dialect: Dialect, x: &Lanes, y: &Lanes, zero: u32) -> Lanes {
    let mut results = [0; LANES];
    let mut special = [0; LANES];
    for (((result, special), x), y) in results.iter_mut().zip(&mut special).zip(x).zip(y) {
        let (x_exponent, y_exponent) = (exponent(*x), exponent(*y));
        let exponents = x_exponent.wrapping_add(y_exponent);
        let vanishes = (x_exponent == 0) | (y_exponent == 0);
        let product = (float(*x) * float(*y)).to_bits();
        let of_zero = if dialect.signed_zero { (x ^ y) & SIGN & zero } else { 0 };
        *result = if vanishes { of_zero } else { product };
        *special = u32::from(
            (x_exponent == 255)
                | (y_exponent == 255)
                | !vanishes & !(127 + 2..127 + 254).contains(&exponents),
        );
    }
    one_by_one(dialect, &mut results, &special, [x, y, &[zero; LANES]]);
    results
}

/// y + z.
#[inline(always)]
pub(super) fn add(dialect: Dialect, y: &Lanes, z: &Lanes) -> Lanes {
    let mut results = [0; LANES];
    let mut special = [0; LANES];
    for (((result, special), y), z) in results.iter_mut().zip(&mut special).zip(y).zip(z) {
        let sum = float(*y) + float(*z);
        let is_zero = sum == 0.0;
        *result = if is_zero & !dialect.signed_zero { 0 } else { sum.to_bits() };
        *special = u32::from(
            (exponent(*y) == 255)
                | (exponent(*z) == 255)
                | !is_zero & (f64::from(sum.abs()) < SMALLEST),
        );
    }
    one_by_one(dialect, &mut results, &special, [&[0x3F80_0000; LANES], y, z]);
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIALECTS: [Dialect; 2] = [Dialect::WORMHOLE_B0, Dialect::BLACKHOLE];

    /// SplitMix64.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u32 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut mixed = self.0;
            mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            ((mixed ^ mixed >> 31) >> 32) as u32
        }

        /// A number whose exponent is near that of 1, or anything.
        fn number(&mut self, spread: u32) -> u32 {
            let bits = self.next();
            match self.next() % 16 {
                0 => bits,
                1 => bits & SIGN,
                2 => bits & 0x807F_FFFF,
                3 => bits & SIGN | INFINITY | bits & (bits >> 9 & 1),
                4 => bits & 0xFF80_0000,
                _ => {
                    let exponent = 127 - spread + self.next() % (2 * spread + 1);
                    bits & 0x807F_FFFF | exponent << 23
                }
            }
        }
    }

    #[test]
    fn lanes_side_by_side_are_as_one_by_one() {
        let mut random = Random(5);
        for spread in [1, 3, 14, 28, 63, 126] {
            for _ in 0..400 {
                let [x, y, mut z]: [Lanes; 3] =
                    std::array::from_fn(|_| std::array::from_fn(|_| random.number(spread)));
                // Sums near zero.
                for ((z, x), y) in z.iter_mut().zip(&x).zip(&y).step_by(3) {
                    let product = f32::from_bits(*x) * f32::from_bits(*y);
                    *z = (product.to_bits() ^ SIGN).wrapping_add(random.next() % 5).wrapping_sub(2);
                }
                for dialect in DIALECTS {
                    let all = || x.iter().zip(&y).zip(&z);
                    let expected: Vec<u32> =
                        all().map(|((x, y), z)| of_lane(dialect, *x, *y, *z)).collect();
                    assert_eq!(multiply_add(dialect, &x, &y, &z)[..], expected);
                    for zero in [0, SIGN] {
                        let expected: Vec<u32> =
                            all().map(|((x, y), _)| of_lane(dialect, *x, *y, zero)).collect();
                        assert_eq!(multiply(dialect, &x, &y, zero)[..], expected);
                    }
                    let expected: Vec<u32> =
                        all().map(|((_, y), z)| of_lane(dialect, 0x3F80_0000, *y, *z)).collect();
                    assert_eq!(add(dialect, &y, &z)[..], expected);
                }
            }
        }
    }

    #[test]
    fn chips_differ_in_zeros_and_nans() {
        for (x, y, z, wormhole, blackhole) in [
            (0x8000_0000, 0x3F80_0000, 0x8000_0000, 0, 0x8000_0000),
            (0x7F80_0000, 0, 0x3FC0_0000, 0x7FC0_0001, 0x7FC0_0000),
            (0xFFC0_0000, 0x3F80_0000, 0, 0xFF80_0001, 0x7FC0_0000),
            // 1.5 · 1.5 - 2.25.
            (0x3FC0_0000, 0x3FC0_0000, 0xC010_0000, 0, 0),
            // Half of the smallest normal number.
            (0x0080_0000, 0xBF00_0000, 0, 0, 0x8000_0000),
        ] {
            let results = DIALECTS.map(|dialect| of_lane(dialect, x, y, z));
            assert_eq!(results, [wormhole, blackhole], "{x:#x} {y:#x} {z:#x}: {results:x?}");
        }
    }
}
