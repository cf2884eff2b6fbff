//! Numbers of the matrix unit: factors of 19 bits, and sums that are added to `Dst`.

use super::table::Table;
use crate::formats::{
    Format, bfloat16_from_destination, bfloat16_to_destination, float16_from_destination,
    float16_to_destination, word_from_destination, word_to_destination,
};
use crate::registers::{Destination, Row};

/// How sums are added to `Dst`, and how `Dst` holds them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    /// 32 bits.
    pub(super) wide: bool,
    /// Factors have 8 bits of exponent, and so has `Dst` of 16 bits.
    pub(super) eight_bits: bool,
    minus_one_is_misplaced: bool,
}

/// The highest bit of a significand, which a normal number has and its bits leave out.
const IMPLICIT: u32 = 1 << 23;

impl Form {
    pub(super) fn new(chip: &Table, wide: bool, eight_bits: bool) -> Self {
        Self { wide, eight_bits, minus_one_is_misplaced: chip.minus_one_is_misplaced }
    }

    /// What the exponents of two factors need so that their sum is that of the product in `Dst`. The factors' pieces in
    /// higher phases stand 5 bits lower in `SrcA` and 7 in `SrcB` (`SrcASrcB.md`, "Fidelity phases").
    pub(super) fn bias(self, phase: u32) -> i32 {
        let bias = match (self.eight_bits, self.wide) {
            (true, _) => -127,
            (false, true) => 127 - 30,
            (false, false) => -15,
        };
        bias - if phase & 1 != 0 { 5 } else { 0 } - if phase & 2 != 0 { 7 } else { 0 }
    }

    /// A row of `Dst` as numbers, in the order of an `f32`. Numbers with 5 bits of exponent have them in the low bits of 8.
    pub(super) fn read(self, destination: &Destination, row: u32) -> Row<u32> {
        if self.wide {
            destination.read_32(row).map(word_from_destination)
        } else if self.eight_bits {
            destination
                .read_16(row)
                .map(|stored| u32::from(bfloat16_from_destination(stored)) << 16)
        } else {
            destination.read_16(row).map(|stored| {
                let value = u32::from(float16_from_destination(stored));
                (value & 0x8000) << 16 | (value & 0x7FFF) << 13
            })
        }
    }

    /// The inverse of [`Form::read`].
    pub(super) fn write(self, destination: &mut Destination, row: u32, numbers: Row<u32>) {
        if self.wide {
            destination.write_32(row, numbers.map(word_to_destination));
        } else if self.eight_bits {
            let stored = numbers.map(|number| bfloat16_to_destination((number >> 16) as u16));
            destination.write_16(row, stored);
        } else {
            destination.write_16(row, numbers.map(float16_stored));
        }
    }

    /// Adds terms to a number of `Dst`. A term is a signed significand and its exponent: bits 23 of the significand has the
    /// value of the exponent, as in an `f32`. A term of exponent 0 or below is 0.
    pub(super) fn add(self, terms: [Term; 2], number: u32) -> u32 {
        let negative = number >> 31 == 1;
        let number_exponent = (number >> 23 & 0xFF) as i32;
        let number_significand =
            if number_exponent == 0 { 0 } else { number & (IMPLICIT - 1) | IMPLICIT };
        let [first, second] = terms;
        let exponent = first.exponent.max(second.exponent).max(number_exponent);
        if exponent <= 0 {
            return 0;
        }
        let mut sum =
            self.round(align(number_significand, exponent - number_exponent, 0), 0) as i32;
        for term in [first, second] {
            let below_half = u32::from(term.negative);
            let aligned = align(term.magnitude, exponent - term.exponent, below_half);
            let rounded = self.round(aligned, below_half) as i32;
            let signed = if term.negative == negative { rounded } else { rounded.wrapping_neg() };
            sum = sum.wrapping_add(signed);
        }
        let negative = negative ^ (sum < 0);
        if sum == 0 { 0 } else { self.normalize(negative, exponent, sum.unsigned_abs()) }
    }

    /// `Dst` of 16 bits keeps 11 bits of each term.
    fn round(self, magnitude: u32, below_half: u32) -> u32 {
        if self.wide { magnitude } else { magnitude.wrapping_add((1 << 12) - below_half) & !0x1FFF }
    }

    fn normalize(self, negative: bool, exponent: i32, magnitude: u32) -> u32 {
        let sign = u32::from(negative) << 31;
        let mut shift = magnitude.leading_zeros() as i32 - 8;
        if self.minus_one_is_misplaced && negative && magnitude == 1 {
            shift -= 27;
        }
        let exponent = exponent - shift;
        let dropped = match (self.wide, self.eight_bits) {
            (true, _) => 0,
            (false, true) => 16,
            (false, false) => 13,
        };
        let kept = match shift - dropped {
            shift @ ..0 => magnitude.wrapping_add(1 << (-shift - 1)) >> -shift,
            shift => magnitude << shift,
        } << dropped;
        let exponent = if kept & (IMPLICIT << 1) == 0 { exponent } else { exponent + 1 };
        let mantissa = kept & (IMPLICIT - 1);
        let largest = if self.wide || self.eight_bits { 254 } else { 31 };
        match exponent {
            ..=0 => 0,
            exponent if exponent <= largest => sign | (exponent as u32) << 23 | mantissa,
            _ if largest == 254 => sign | 255 << 23,
            _ => sign | 31 << 23 | 0x3FF << 13,
        }
    }
}

/// The bits of `Dst` for a number with 5 bits of exponent.
pub(super) fn float16_stored(number: u32) -> u16 {
    float16_to_destination(((number & 0x8000_0000) >> 16 | (number & 0x0FFF_E000) >> 13) as u16)
}

/// A sum of products.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Term {
    pub(super) negative: bool,
    pub(super) exponent: i32,
    pub(super) magnitude: u32,
}

impl Term {
    /// A signed sum of products whose last place is that of 11 bits of significand.
    pub(super) fn of(exponent: i32, sum: i32) -> Self {
        Self { negative: sum < 0, exponent, magnitude: sum.unsigned_abs() << 13 }
    }
}

/// A magnitude shifted right, to nearest; ties go up in magnitude, of negative terms (`below_half` 1) down.
fn align(magnitude: u32, shift: i32, below_half: u32) -> u32 {
    match shift {
        ..=0 => magnitude,
        1..=30 => magnitude.wrapping_add((1 << (shift - 1)) - below_half) >> shift,
        _ => 0,
    }
}

/// The bits that arithmetic reads of a factor in `SrcA` or `SrcB` of a format.
pub(super) fn factor_mask(format: Format) -> u32 {
    match format {
        Format::FLOAT16 | Format::FLOAT8 => 0x8FFF_E000,
        Format::TF32 => 0xFFFF_FFFF,
        _ => 0xFFFF_0000,
    }
}

/// Whether a format has 5 bits of exponent.
pub(super) fn has_five_bits(format: Format) -> bool {
    matches!(format, Format::FLOAT16 | Format::FLOAT8)
}

/// Whether the exponent of a factor is 0, which counts as the number 0.
pub(super) fn is_zero(datum: u32) -> bool {
    datum & 0x7F80_0000 == 0
}

/// The piece of a significand of `SrcA` that a phase multiplies: 5 bits.
pub(super) fn piece_a(datum: u32, phase: u32) -> u32 {
    let significand = datum >> 13 & 0x3FF | 0x400;
    if phase & 1 == 0 { significand >> 6 } else { significand >> 1 & 0x1F }
}

/// The piece of a significand of `SrcB` that a phase multiplies: 7 bits.
pub(super) fn piece_b(datum: u32, phase: u32) -> u32 {
    let significand = datum >> 13 & 0x3FF | 0x400;
    if phase & 2 == 0 { significand >> 4 } else { (significand & 0xF) << 3 }
}

/// An integer of 8 bits in `SrcA` or `SrcB`.
pub(super) fn integer(datum: u32) -> i32 {
    let magnitude = (datum >> 13 & 0x3FF) as i32;
    if datum >> 31 == 1 { -magnitude } else { magnitude }
}

/// The bits of integers that a phase multiplies, of `SrcA` and of `SrcB`.
pub(super) fn integer_masks(phase: u32) -> (u32, u32) {
    (
        if phase & 1 == 0 { 0x801C_0000 } else { 0x8003_E000 },
        if phase & 2 == 0 { 0x807E_0000 } else { 0x8001_E000 },
    )
}

/// Adds to an integer of `Dst`, which holds sign and magnitude, up to the largest magnitude.
pub(super) fn add_integer(number: u32, value: i32) -> u32 {
    let magnitude = i64::from(number & 0x7FFF_FFFF);
    let sum = if number >> 31 == 1 { -magnitude } else { magnitude } + i64::from(value);
    sign_and_magnitude(sum.clamp(-0x7FFF_FFFF, 0x7FFF_FFFF))
}

fn sign_and_magnitude(value: i64) -> u32 {
    value.unsigned_abs() as u32 | if value < 0 { 0x8000_0000 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::super::table::{BLACKHOLE, WORMHOLE_B0};
    use super::*;

    fn term(value: f32) -> Term {
        let bits = value.to_bits();
        Term {
            negative: bits >> 31 == 1,
            exponent: (bits >> 23 & 0xFF) as i32,
            magnitude: bits & 0x7F_FFFF | 0x80_0000,
        }
    }

    fn sum(form: Form, first: f32, second: f32, number: f32) -> f32 {
        f32::from_bits(form.add([term(first), term(second)], number.to_bits()))
    }

    #[test]
    fn exact_sums_are_exact() {
        let form = Form::new(&WORMHOLE_B0, true, true);
        assert_eq!(sum(form, 1.5, -4.0, 10.25), 7.75);
        assert_eq!(sum(form, -1.5, -4.0, -10.25), -15.75);
        assert_eq!(sum(form, 3.0, -1.0, -2.0).to_bits(), 0);
    }

    #[test]
    fn ties_go_away_from_zero_except_those_of_negative_terms() {
        let form = Form::new(&WORMHOLE_B0, true, true);
        let half = 2.0_f32.powi(-24);
        let last = 2.0_f32.powi(-23);
        // 1 + half of the last place.
        assert_eq!(sum(form, half, 0.0, 1.0), 1.0 + last);
        assert_eq!(sum(form, -half, 0.0, -1.0), -1.0);
        assert_eq!(sum(form, 1.0, 0.0, -half), 1.0 - last);
    }

    #[test]
    fn sixteen_bits_keep_eleven_bits_of_each_term() {
        let form = Form::new(&WORMHOLE_B0, false, true);
        let small = 2.0_f32.powi(-12);
        // Each is below half of the eleventh bit of 1.0, and both together are not.
        assert_eq!(sum(form, small, small, 1.0), 1.0);
        let form = Form::new(&WORMHOLE_B0, true, true);
        assert_eq!(sum(form, small, small, 1.0), 1.0 + 2.0 * small);
    }

    #[test]
    fn a_sum_beyond_the_largest_number() {
        let form = |wide, eight| Form::new(&WORMHOLE_B0, wide, eight);
        let large = f32::from_bits(254 << 23);
        assert_eq!(sum(form(true, true), large, 0.0, large), f32::INFINITY);
        assert_eq!(sum(form(false, true), -large, 0.0, -large), f32::NEG_INFINITY);
        let large = f32::from_bits(31 << 23);
        assert_eq!(sum(form(false, false), large, 0.0, large).to_bits(), 0x0FFF_E000);
    }

    #[test]
    fn minus_one_in_the_last_place_is_misplaced_on_wormhole() {
        let number = -1.0_f32 - 2.0_f32.powi(-23);
        let number_bits = |chip| sum(Form::new(chip, true, true), 1.0, 0.0, number).to_bits();
        assert_eq!(f32::from_bits(number_bits(&BLACKHOLE)), -(2.0_f32.powi(-23)));
        assert_eq!(f32::from_bits(number_bits(&WORMHOLE_B0)), -16.0);
        let positive = sum(Form::new(&WORMHOLE_B0, true, true), -1.0, 0.0, -number);
        assert_eq!(positive, 2.0_f32.powi(-23));
    }

    #[test]
    fn integers_saturate() {
        assert_eq!(add_integer(0x8000_0005, 3), 0x8000_0002);
        assert_eq!(add_integer(0x7FFF_FFF0, 100), 0x7FFF_FFFF);
        assert_eq!(add_integer(0xFFFF_FFF0, -100), 0xFFFF_FFFF);
        assert_eq!(add_integer(0x8000_0003, 3), 0);
    }

    #[test]
    fn phases_cover_a_significand() {
        let datum = 0x3F80_0000 | 0x2B7 << 13;
        let significand = 0x400 | 0x2B7;
        assert_eq!(piece_a(datum, 0) << 6 | piece_a(datum, 1) << 1, significand & !1);
        assert_eq!(piece_b(datum, 0) << 4 | piece_b(datum, 2) >> 3, significand);
        assert_eq!(piece_a(datum, 2), piece_a(datum, 0));
        assert_eq!(piece_b(datum, 1), piece_b(datum, 0));
    }
}
