//! Numbers of the matrix unit: factors of 19 bits, and sums that are added to `Dst`.

use super::table::Table;
use crate::formats::{
    Format, bfloat16_from_destination, bfloat16_to_destination, float16_from_destination,
    float16_to_destination, widened_float16, word_from_destination, word_to_destination,
};
use crate::registers::{COLUMNS, Destination, Row};

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
            destination
                .read_16(row)
                .map(|stored| widened_float16(float16_from_destination(stored).into()))
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

    /// Adds two terms to each number of a row of `Dst`. A term of exponent 0 or below beside a number of 0 is 0.
    #[inline(always)]
    pub(super) fn add_row(self, terms: &[Terms; 2], numbers: &mut Lanes<u32>) {
        match (self.wide, self.eight_bits) {
            (true, _) => self.add_lanes::<24>(terms, numbers),
            (false, true) => self.add_lanes::<8>(terms, numbers),
            (false, false) => self.add_lanes::<11>(terms, numbers),
        }
    }

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "all arrays have a value for each column")]
    fn add_lanes<const KEPT: u32>(self, [first, second]: &[Terms; 2], numbers: &mut Lanes<u32>) {
        for (column, number) in numbers.iter_mut().enumerate() {
            let term = |terms: &Terms| Term {
                negative: terms.negative[column],
                exponent: terms.exponent[column],
                magnitude: terms.magnitude[column],
            };
            *number = self.add_keeping::<KEPT>([term(first), term(second)], *number);
        }
    }

    /// Adds terms to a number whose significand has `KEPT` bits. It has no branches: which term is the largest is as good as
    /// random, and columns are computed side by side.
    #[inline(always)]
    fn add_keeping<const KEPT: u32>(self, [first, second]: [Term; 2], number: u32) -> u32 {
        let negative = number >> 31;
        let number_exponent = (number >> 23 & 0xFF) as i32;
        let significand = number & (IMPLICIT - 1) | IMPLICIT;
        let significand = if number_exponent == 0 { 0 } else { significand };
        let exponent = first.exponent.max(second.exponent).max(number_exponent);
        let aligned = |magnitude, of: i32, below_half| {
            let aligned = align(magnitude, exponent.wrapping_sub(of), below_half);
            // `Dst` of 16 bits keeps 11 bits of each term.
            let rounded = aligned.wrapping_add((1_u32 << 12).wrapping_sub(below_half)) & !0x1FFF;
            (if KEPT == 24 { aligned } else { rounded }) as i32
        };
        let signed = |term: Term| {
            let aligned = aligned(term.magnitude, term.exponent, term.negative);
            if term.negative == negative { aligned } else { aligned.wrapping_neg() }
        };
        let sum = aligned(significand, number_exponent, 0)
            .wrapping_add(signed(first))
            .wrapping_add(signed(second));
        let negative = negative ^ u32::from(sum < 0);
        let normal = self.normalize::<KEPT>(negative, exponent, sum.unsigned_abs());
        if exponent <= 0 || sum == 0 { 0 } else { normal }
    }

    #[inline(always)]
    fn normalize<const KEPT: u32>(self, negative: u32, exponent: i32, magnitude: u32) -> u32 {
        let sign = negative << 31;
        let misplaced = self.minus_one_is_misplaced && negative == 1 && magnitude == 1;
        let leading = magnitude.leading_zeros() as i32;
        let shift = leading.wrapping_sub(if misplaced { 8 + 27 } else { 8 });
        let exponent = exponent.wrapping_sub(shift);
        let dropped = 24 - KEPT;
        let left = shift.wrapping_sub(dropped as i32);
        let rounded = round_off(magnitude, left.wrapping_neg().clamp(0, 31) as u32, 0);
        let kept = rounded.wrapping_shl(left.clamp(0, 31) as u32) << dropped;
        let exponent = exponent.wrapping_add((kept >> 24 & 1) as i32);
        let number = sign | (exponent as u32) << 23 | kept & (IMPLICIT - 1);
        // With 5 bits of exponent, all of them are numbers.
        let (largest, beyond) =
            if KEPT == 11 { (31, 31 << 23 | 0x3FF << 13) } else { (254, 255 << 23) };
        let number = if exponent > largest { sign | beyond } else { number };
        if exponent <= 0 { 0 } else { number }
    }
}

/// The bits of `Dst` for a number with 5 bits of exponent.
pub(super) fn float16_stored(number: u32) -> u16 {
    float16_to_destination(((number & 0x8000_0000) >> 16 | (number & 0x0FFF_E000) >> 13) as u16)
}

/// Columns of a row, side by side.
pub(super) type Lanes<Value> = [Value; COLUMNS];

/// What each column of a row adds to `Dst`. Bit 23 of a magnitude has the value of the exponent, as in an `f32`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Terms {
    /// 1 for a negative term.
    pub(super) negative: Lanes<u32>,
    pub(super) exponent: Lanes<i32>,
    pub(super) magnitude: Lanes<u32>,
}

/// A column of [`Terms`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Term {
    pub(super) negative: u32,
    pub(super) exponent: i32,
    pub(super) magnitude: u32,
}

impl Terms {
    /// Signed sums of products whose last place is that of 11 bits of significand. Those of exponent 0 or below are 0.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "all arrays have a value for each column")]
    pub(super) fn of(exponents: &Lanes<i32>, sums: &Lanes<i32>) -> Self {
        let mut terms = Self::default();
        for column in 0..COLUMNS {
            let exponent = exponents[column].max(0);
            let sum = if exponent == 0 { 0 } else { sums[column] };
            terms.negative[column] = u32::from(sum < 0);
            terms.exponent[column] = exponent;
            terms.magnitude[column] = sum.unsigned_abs() << 13;
        }
        terms
    }

    /// The terms of pairs of data.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "all arrays have a value for each column")]
    pub(super) fn of_pairs(
        a: &Lanes<u32>,
        b: &Lanes<u32>,
        term: impl Fn(u32, u32) -> Term,
    ) -> Self {
        let mut terms = Self::default();
        for column in 0..COLUMNS {
            let term = term(a[column], b[column]);
            terms.negative[column] = term.negative;
            terms.exponent[column] = term.exponent;
            terms.magnitude[column] = term.magnitude;
        }
        terms
    }
}

/// A magnitude shifted right, to nearest; ties go up in magnitude, of negative terms (`below_half` 1) down.
#[inline(always)]
fn align(magnitude: u32, shift: i32, below_half: u32) -> u32 {
    let aligned = round_off(magnitude, shift.clamp(0, 31) as u32, below_half);
    if shift > 30 { 0 } else { aligned }
}

/// Drops up to 31 bits.
#[inline(always)]
pub(super) fn round_off(magnitude: u32, bits: u32, below_half: u32) -> u32 {
    let half = 1_u32.wrapping_shl(bits) >> 1;
    let less = if bits == 0 { 0 } else { below_half };
    magnitude.wrapping_add(half).wrapping_sub(less).wrapping_shr(bits)
}

/// The bits that arithmetic reads of a factor in `SrcA` or `SrcB` of a format.
pub(super) fn factor_mask(format: Format) -> u32 {
    match format {
        _ if format.has_short_exponent() => 0x8FFF_E000,
        Format::TF32 => 0xFFFF_FFFF,
        _ => 0xFFFF_0000,
    }
}

/// Whether the exponent of a factor is 0, which counts as the number 0.
#[inline(always)]
pub(super) fn is_zero(datum: u32) -> bool {
    datum & 0x7F80_0000 == 0
}

/// The piece of a significand of `SrcA` that a phase multiplies: 5 bits.
#[inline(always)]
pub(super) fn piece_a(datum: u32, phase: u32) -> u32 {
    let significand = datum >> 13 & 0x3FF | 0x400;
    if phase & 1 == 0 { significand >> 6 } else { significand >> 1 & 0x1F }
}

/// The piece of a significand of `SrcB` that a phase multiplies: 7 bits.
#[inline(always)]
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
            negative: bits >> 31,
            exponent: (bits >> 23 & 0xFF) as i32,
            magnitude: bits & 0x7F_FFFF | 0x80_0000,
        }
    }

    fn sum(form: Form, first: f32, second: f32, number: f32) -> f32 {
        let mut numbers = [number.to_bits(); COLUMNS];
        let terms = |value| Terms::of_pairs(&[0; COLUMNS], &[0; COLUMNS], |_, _| term(value));
        form.add_row(&[terms(first), terms(second)], &mut numbers);
        f32::from_bits(numbers[0])
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
