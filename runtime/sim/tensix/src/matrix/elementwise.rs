//! `ELWADD.md`, `ELWSUB.md` and `ELWMUL.md`: 8 rows of `SrcA` and of `SrcB`, datum by datum.

use super::Executed;
use super::number::{self, Form, Term, Terms};
use super::processor::{self, Arithmetic};
use super::settings::{Call, End};
use crate::Refusal;
use crate::formats::Format;
use crate::registers::Row;

/// What is done with each pair of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Add,
    Subtract,
    Multiply,
}

/// How factors are read.
#[derive(Clone, Copy, Debug)]
struct Reading {
    operation: Operation,
    form: Form,
    mask_a: u32,
    mask_b: u32,
    phase: u32,
    keeps_denormals: bool,
}

/// `ELWADD`, `ELWSUB`, `ELWMUL`.
pub(super) fn execute(call: &mut Call<'_>, operation: Operation) -> Result<Executed, Refusal> {
    let address_mode = call.fields.field(call.settings.chip.address_mode);
    let operand = call.fields.take(0, 10);
    let (one_column, one_row) = (call.fields.flag(19), call.fields.flag(20));
    let adds_destination = call.fields.flag(21);
    let flips = call.fields.take(22, 2);
    call.fields.end()?;
    let multiplies = operation == Operation::Multiply;
    call.refuse_misaligned(operand, 8)?;
    if multiplies && adds_destination {
        return Err(Refusal::non_contractual(
            call.word(),
            "products are always added to Dst, and the bit for it must be 0 (ELWMUL.md)",
        ));
    }
    if let Some(waits) = call.wait() {
        return Ok(waits);
    }
    call.refuse_override()?;
    let (format_a, format_b) = (call.format_a(), call.format_b());
    check_formats(call, format_a, format_b)?;
    let row_a = call.row_a(0, 8)?;
    let row_b = call.row_b(0, 8)?;
    let row = call.destination_row(operand, 8, End::IsRefused)?;
    let phase = (call.counters.fidelity_phase + call.settings.fidelity_base) & 3;
    if phase != 0 && !multiplies {
        return Err(Refusal::non_contractual(
            call.word(),
            format!("a sum in fidelity phase {phase} is divided (ELWADD.md)"),
        ));
    }
    let (rows_a, rows_b) = operands(call, row_a, row_b, one_row, one_column);
    let integers = call.settings.integers;
    let five_bits = integers || format_a.has_short_exponent();
    if five_bits {
        call.refuse_high_exponents(&rows_a, &rows_b)?;
    }
    let form = Form::new(call.settings.chip, integers || call.settings.wide, !five_bits);
    let (mask_a, mask_b) = match (integers, multiplies) {
        (true, true) => number::integer_masks(phase),
        (true, false) => (u32::MAX, u32::MAX),
        (false, _) => (number::factor_mask(format_a), number::factor_mask(format_b)),
    };
    let keeps_denormals = call.settings.keeps_denormals;
    let reading = Reading { operation, form, mask_a, mask_b, phase, keeps_denormals };
    let accumulates = multiplies || adds_destination;
    let destination = &mut call.registers.destination;
    let mut numbers = [Row::default(); 8];
    if accumulates {
        for (row, numbers) in (row..).zip(&mut numbers) {
            *numbers = form.read(destination, row);
        }
    }
    if integers {
        for (numbers, (a, b)) in numbers.iter_mut().zip(rows_a.iter().zip(&rows_b)) {
            for (number, (a, b)) in numbers.data.iter_mut().zip(a.data.iter().zip(&b.data)) {
                *number = reading.integer(*a, *b, *number);
            }
        }
    } else {
        let (rows_a, rows_b) = (&rows_a, &rows_b);
        processor::add_to(&mut numbers, &Rows { reading, rows_a, rows_b });
    }
    for ((row, mut numbers), (a, b)) in (row..).zip(numbers).zip(rows_a.iter().zip(&rows_b)) {
        numbers.unknown |= reading.unknown(a, b);
        form.write(destination, row, numbers);
    }
    call.advance(address_mode)?;
    call.flip(flips)?;
    Ok(Executed::Done)
}

/// 8 rows of factors.
struct Rows<'rows> {
    reading: Reading,
    rows_a: &'rows [Row<u32>; 8],
    rows_b: &'rows [Row<u32>; 8],
}

impl Arithmetic for Rows<'_> {
    /// Adds their sums or products.
    #[inline(always)]
    fn add_to(&self, numbers: &mut [Row<u32>; 8]) {
        let reading = self.reading;
        for (numbers, (a, b)) in numbers.iter_mut().zip(self.rows_a.iter().zip(self.rows_b)) {
            let terms = reading.terms(a, b);
            reading.form.add_row(&[terms, Terms::default()], &mut numbers.data);
        }
    }
}

/// 8 rows of `SrcA`, and 8 of `SrcB`, of which one row or one column may stand for all.
fn operands(
    call: &Call<'_>,
    row_a: u32,
    row_b: u32,
    one_row: bool,
    one_column: bool,
) -> ([Row<u32>; 8], [Row<u32>; 8]) {
    let (source_a, source_b) = (&call.registers.source_a, &call.registers.source_b);
    let mut rows_a = [Row::default(); 8];
    for (row, stored) in rows_a.iter_mut().zip(source_a.rows(source_a.matrix_bank(), row_a)) {
        *row = *stored;
    }
    let mut rows_b = [Row::default(); 8];
    for (index, row) in (0..).zip(&mut rows_b) {
        let stored = source_b.row(source_b.matrix_bank(), row_b + if one_row { 0 } else { index });
        *row = if one_column { stored.of_column_zero() } else { *stored };
    }
    (rows_a, rows_b)
}

impl Reading {
    #[inline(always)]
    fn is_zero_a(&self, datum: u32) -> bool {
        number::is_zero(datum)
    }

    #[inline(always)]
    fn is_zero_b(&self, datum: u32) -> bool {
        !self.keeps_denormals && number::is_zero(datum)
    }

    fn integer(&self, a: u32, b: u32, number: u32) -> u32 {
        let b = if self.operation == Operation::Subtract { b ^ 0x8000_0000 } else { b };
        let value_a = if self.is_zero_a(a) { 0 } else { number::integer(a & self.mask_a) };
        let value_b = if self.is_zero_b(b) { 0 } else { number::integer(b & self.mask_b) };
        let result = match self.operation {
            Operation::Multiply => value_a * value_b,
            Operation::Add | Operation::Subtract => value_a + value_b,
        };
        number::add_integer(number, result)
    }

    /// What a row adds to `Dst`.
    #[inline(always)]
    fn terms(&self, a: &Row<u32>, b: &Row<u32>) -> Terms {
        let flipped = if self.operation == Operation::Subtract { 0x8000_0000 } else { 0 };
        let data_a = a.data.map(|datum| datum & self.mask_a);
        let data_b = b.data.map(|datum| (datum ^ flipped) & self.mask_b);
        match self.operation {
            Operation::Multiply => Terms::of_pairs(&data_a, &data_b, |a, b| self.product(a, b)),
            Operation::Add | Operation::Subtract => {
                Terms::of_pairs(&data_a, &data_b, |a, b| self.sum(a, b))
            }
        }
    }

    #[inline(always)]
    fn product(&self, a: u32, b: u32) -> Term {
        let bias = self.form.bias(self.phase);
        let exponent = (a >> 23 & 0xFF) as i32 + (b >> 23 & 0xFF) as i32 + bias;
        let product = number::piece_a(a, self.phase).wrapping_mul(number::piece_b(b, self.phase));
        let is_zero = self.is_zero_a(a) | self.is_zero_b(b) | (exponent <= 0);
        Term {
            negative: if is_zero { 0 } else { (a ^ b) >> 31 },
            exponent: if is_zero { bias.max(0) } else { exponent },
            magnitude: if is_zero { 0 } else { product << 13 },
        }
    }

    /// The smaller magnitude is aligned to the larger, to nearest, ties away from zero.
    #[inline(always)]
    fn sum(&self, a: u32, b: u32) -> Term {
        let a = if self.is_zero_a(a) { 0 } else { a };
        let b = if self.is_zero_b(b) { 0 } else { b };
        let a_is_small = a & 0x7FFF_FFFF < b & 0x7FFF_FFFF;
        let (large, small) = if a_is_small { (b, a) } else { (a, b) };
        let significand = |datum: u32| if datum == 0 { 0 } else { datum >> 13 & 0x3FF | 0x400 };
        let exponent = (large >> 23 & 0xFF) as i32;
        let shift = (large >> 23 & 0xFF).wrapping_sub(small >> 23 & 0xFF);
        // Behind 11 places nothing is left.
        let aligned = number::round_off(significand(small), shift.min(31), 0);
        let aligned = if shift > 11 { 0 } else { aligned };
        // A kept -0 of `SrcB` beside +0 has a significand, and the difference wraps.
        let aligned = if (large ^ small) >> 31 == 0 { aligned } else { aligned.wrapping_neg() };
        let magnitude = significand(large).wrapping_add(aligned);
        let widened = if exponent == 0 { 127 - 30 } else { exponent.wrapping_add(127 - 15) };
        let widens = self.form.wide && !self.form.eight_bits;
        Term {
            negative: large >> 31,
            exponent: if widens { widened } else { exponent },
            magnitude: magnitude << 13,
        }
    }

    /// The columns that an unknown operand decides. A factor that is known to be 0 hides the other.
    fn unknown(&self, a: &Row<u32>, b: &Row<u32>) -> u16 {
        let either = a.unknown | b.unknown;
        if either == 0 || self.operation != Operation::Multiply {
            return either;
        }
        let mut unknown = 0;
        for (column, (datum_a, datum_b)) in a.data.into_iter().zip(b.data).enumerate() {
            let hides = |row: &Row<u32>, is_zero| row.unknown >> column & 1 == 0 && is_zero;
            let hidden = hides(a, self.is_zero_a(datum_a)) || hides(b, self.is_zero_b(datum_b));
            unknown |= u16::from(!hidden) << column;
        }
        either & unknown
    }
}

fn check_formats(call: &Call<'_>, a: Format, b: Format) -> Result<(), Refusal> {
    let pair = || format!("SrcA of {a} with SrcB of {b} is not supported (ELWADD.md)");
    if call.settings.integers {
        let fits = a == Format::INT8 && matches!(b, Format::INT8 | Format::BFP2);
        return if fits { Ok(()) } else { Err(call.unsupported(pair())) };
    }
    if a.has_short_exponent() {
        return if a == b { Ok(()) } else { Err(call.unsupported(pair())) };
    }
    let is_float = |format| {
        matches!(
            format,
            Format::FLOAT32
                | Format::TF32
                | Format::FLOAT16B
                | Format::BFP8
                | Format::BFP4
                | Format::BFP2
        )
    };
    let fits = is_float(a) && (is_float(b) || matches!(b, Format::INT32 | Format::INT16));
    if fits { Ok(()) } else { Err(call.unimplemented(pair())) }
}

#[cfg(test)]
mod tests {
    use super::super::table::{BLACKHOLE, WORMHOLE_B0};
    use super::*;

    /// Rows of numbers of both signs, with zeros, equal exponents, and exponents that are far apart.
    fn rows(seed: u32) -> [Row<u32>; 8] {
        let mut state = seed;
        std::array::from_fn(|_| {
            Row::known(std::array::from_fn(|_| {
                state = state.wrapping_mul(0x915F_77F5).wrapping_add(1);
                let exponent = match state & 7 {
                    0 => 0,
                    1 => state >> 3 & 0xFF,
                    _ => 118 + (state >> 3 & 15),
                };
                state >> 8 << 13 & 0x807F_E000 | exponent << 23
            }))
        })
    }

    #[test]
    fn all_processors_have_the_same_numbers() {
        let operations = [Operation::Add, Operation::Subtract, Operation::Multiply];
        for seed in 0..240 {
            let operation = operations[seed as usize % 3];
            let chip = if seed / 3 % 2 == 0 { &WORMHOLE_B0 } else { &BLACKHOLE };
            let form = Form::new(chip, seed / 6 % 2 == 0, seed / 12 % 2 == 0);
            let phase = if operation == Operation::Multiply { seed / 24 % 4 } else { 0 };
            let (mask_a, mask_b) = (0xFFFF_0000, 0xFFFF_E000);
            let keeps_denormals = seed / 24 % 2 == 1;
            let reading = Reading { operation, form, mask_a, mask_b, phase, keeps_denormals };
            let (rows_a, rows_b) = (&rows(seed), &rows(seed + 1000));
            let numbers = rows(seed + 2000);
            let (mut fast, mut portable) = (numbers, numbers);
            let arithmetic = Rows { reading, rows_a, rows_b };
            processor::add_to(&mut fast, &arithmetic);
            arithmetic.add_to(&mut portable);
            assert_eq!(fast, portable, "seed {seed}");
            assert_ne!(fast, numbers);
        }
    }
}
