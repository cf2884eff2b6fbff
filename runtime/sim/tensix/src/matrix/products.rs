//! Sums of products, 16 columns side by side.

use super::number::{self, Form, Lanes, Terms};
use super::processor::{self, Arithmetic};
use crate::registers::{COLUMNS, Row};

/// 16 rows of `SrcA`, prepared: the signed piece of each significand that a phase multiplies, in quarters, and the exponents.
pub(super) struct Products {
    rows: [(Lanes<f32>, Lanes<i32>); 16],
    mask_b: u32,
    phase: u32,
    form: Form,
}

/// The exponent of a factor that is 0: far below those of all products.
const NO_EXPONENT: i32 = -4096;

/// Added to a float below 2²², it leaves the nearest integer in the low bits.
const TO_INTEGER: f32 = 12_582_912.0;

impl Products {
    /// Of 16 rows of `SrcA`; the masks are those of factors of `SrcA` and `SrcB`.
    pub(super) fn of(
        rows: &[Row<u32>; 16],
        (mask_a, mask_b): (u32, u32),
        phase: u32,
        form: Form,
    ) -> Self {
        let mut products = Self { rows: [([0.0; COLUMNS], [0; COLUMNS]); 16], mask_b, phase, form };
        for ((significands, exponents), row) in products.rows.iter_mut().zip(rows) {
            let all = significands.iter_mut().zip(exponents).zip(&row.data);
            for ((significand, exponent), datum) in all {
                let datum = datum & mask_a;
                *significand = 4.0 * signed(datum, number::piece_a(datum, phase));
                *exponent = exponent_of(datum);
            }
        }
        products
    }

    /// Adds the product of each row of `SrcB` to a row of numbers of `Dst`.
    pub(super) fn add_to(&self, rows: &[Row<u32>; 8], numbers: &mut [Row<u32>; 8]) {
        processor::add_to(numbers, &Sums { products: self, rows });
    }

    #[inline(always)]
    fn add(&self, rows: &[Row<u32>; 8], numbers: &mut [Row<u32>; 8]) {
        let bias = self.form.bias(self.phase);
        for (row, numbers) in rows.iter().zip(numbers) {
            let mut factors = [(0.0, 0); COLUMNS];
            for (factor, datum) in factors.iter_mut().zip(&row.data) {
                let datum = datum & self.mask_b;
                let piece = number::piece_b(datum, self.phase);
                *factor = (signed(datum, piece), exponent_of(datum).wrapping_add(bias));
            }
            let (first_rows, second_rows) = self.rows.split_at(8);
            let (first_factors, second_factors) = factors.split_at(8);
            let terms = [
                sum_of_products(first_rows, first_factors, bias.max(0)),
                sum_of_products(second_rows, second_factors, bias.max(0)),
            ];
            self.form.add_row(&terms, &mut numbers.data);
        }
    }
}

/// The products of rows of `SrcB`.
struct Sums<'rows> {
    products: &'rows Products,
    rows: &'rows [Row<u32>; 8],
}

impl Arithmetic for Sums<'_> {
    #[inline(always)]
    fn add_to(&self, numbers: &mut [Row<u32>; 8]) {
        self.products.add(self.rows, numbers);
    }
}

/// The sums of each column's products. Products are aligned to the largest exponent and
/// rounded to nearest, ties away from zero. A product of 0 has the exponent `zero`.
#[inline(always)]
fn sum_of_products(rows: &[(Lanes<f32>, Lanes<i32>)], factors: &[(f32, i32)], zero: i32) -> Terms {
    let mut largest = [zero; COLUMNS];
    for ((_, exponents), (_, other)) in rows.iter().zip(factors) {
        for (largest, exponent) in largest.iter_mut().zip(exponents) {
            *largest = (*largest).max(exponent.wrapping_add(*other));
        }
    }
    let mut sums = [0_i32; COLUMNS];
    for ((significands, exponents), (factor, other)) in rows.iter().zip(factors) {
        let lanes = significands.iter().zip(exponents).zip(&largest).zip(&mut sums);
        for (((significand, exponent), largest), sum) in lanes {
            let shift = largest.wrapping_sub(exponent.wrapping_add(*other)).min(30);
            let product = significand * factor;
            // A quarter more than the product: no tie is left, and those that were go away from zero.
            let quarters = product + 1.0_f32.copysign(product);
            let scale = f32::from_bits((125_i32.wrapping_sub(shift) as u32) << 23);
            let rounded = (quarters * scale + TO_INTEGER).to_bits();
            *sum = sum.wrapping_add(rounded.wrapping_sub(TO_INTEGER.to_bits()) as i32);
        }
    }
    Terms::of(&largest, &sums)
}

/// A factor that is 0 has the piece 0.
#[inline(always)]
fn signed(datum: u32, piece: u32) -> f32 {
    let piece = if number::is_zero(datum) { 0 } else { piece };
    f32::from_bits((piece as f32).to_bits() | datum & 0x8000_0000)
}

#[inline(always)]
fn exponent_of(datum: u32) -> i32 {
    if number::is_zero(datum) { NO_EXPONENT } else { (datum >> 23 & 0xFF) as i32 }
}

#[cfg(test)]
mod tests {
    use super::super::table::{BLACKHOLE, WORMHOLE_B0};
    use super::*;

    /// Rows of numbers with all exponents, from a seed.
    fn rows<const COUNT: usize>(seed: u32) -> [Row<u32>; COUNT] {
        let mut state = seed;
        std::array::from_fn(|_| {
            Row::known(std::array::from_fn(|_| {
                state = state.wrapping_mul(0x915F_77F5).wrapping_add(1);
                let exponent =
                    if state & 7 == 0 { state >> 3 & 0xFF } else { 118 + (state >> 3 & 15) };
                state >> 8 << 13 & 0x807F_E000 | exponent << 23
            }))
        })
    }

    #[test]
    fn all_processors_have_the_same_sums() {
        for seed in 0..200 {
            let form = match seed % 4 {
                0 => Form::new(&WORMHOLE_B0, true, true),
                1 => Form::new(&WORMHOLE_B0, false, true),
                2 => Form::new(&BLACKHOLE, true, true),
                _ => Form::new(&BLACKHOLE, false, true),
            };
            let masks = (0xFFFF_0000, 0xFFFF_E000);
            let products = Products::of(&rows(seed), masks, seed / 4 % 4, form);
            let (rows, numbers) = (rows(seed + 1000), rows(seed + 2000));
            let (mut fast, mut portable) = (numbers, numbers);
            products.add_to(&rows, &mut fast);
            products.add(&rows, &mut portable);
            assert_eq!(fast, portable, "seed {seed}");
            assert_ne!(fast, numbers);
        }
    }
}
