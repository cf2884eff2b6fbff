//! `ELWADD.md`, `ELWSUB.md` and `ELWMUL.md`: 8 rows of `SrcA` and of `SrcB`, datum by datum.

use super::Executed;
use super::number::{self, Form, Term, Terms};
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
    if let Some(waits) = call.wait(true, true) {
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
    let five_bits = integers || number::has_five_bits(format_a);
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
    for (row, (a, b)) in (row..).zip(rows_a.iter().zip(&rows_b)) {
        let mut numbers = if accumulates { form.read(destination, row) } else { Row::default() };
        if integers {
            for (number, (a, b)) in numbers.data.iter_mut().zip(a.data.iter().zip(&b.data)) {
                *number = reading.integer(*a, *b, *number);
            }
        } else {
            form.add_row(&[reading.terms(a, b), Terms::default()], &mut numbers.data);
        }
        numbers.unknown |= reading.unknown(a, b);
        form.write(destination, row, numbers);
    }
    call.advance(address_mode)?;
    call.flip(flips)?;
    Ok(Executed::Done)
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
    fn is_zero_a(&self, datum: u32) -> bool {
        number::is_zero(datum)
    }

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
    fn terms(&self, a: &Row<u32>, b: &Row<u32>) -> Terms {
        Terms::from_fn(|column| {
            let datum = |row: &Row<u32>| row.data.get(column).copied().unwrap_or_default();
            let b = if self.operation == Operation::Subtract {
                datum(b) ^ 0x8000_0000
            } else {
                datum(b)
            };
            let (a, b) = (datum(a) & self.mask_a, b & self.mask_b);
            match self.operation {
                Operation::Multiply => self.product(a, b),
                Operation::Add | Operation::Subtract => self.sum(a, b),
            }
        })
    }

    fn product(&self, a: u32, b: u32) -> Term {
        let bias = self.form.bias(self.phase);
        let exponent = (a >> 23 & 0xFF) as i32 + (b >> 23 & 0xFF) as i32 + bias;
        if self.is_zero_a(a) || self.is_zero_b(b) || exponent <= 0 {
            return Term { exponent: bias.max(0), ..Term::default() };
        }
        let product = number::piece_a(a, self.phase) * number::piece_b(b, self.phase);
        Term { negative: (a ^ b) >> 31, exponent, magnitude: product << 13 }
    }

    /// The smaller magnitude is aligned to the larger, to nearest, ties away from zero.
    fn sum(&self, a: u32, b: u32) -> Term {
        let a = if self.is_zero_a(a) { 0 } else { a };
        let b = if self.is_zero_b(b) { 0 } else { b };
        let (large, small) = if a & 0x7FFF_FFFF < b & 0x7FFF_FFFF { (b, a) } else { (a, b) };
        let significand = |datum: u32| if datum == 0 { 0 } else { datum >> 13 & 0x3FF | 0x400 };
        let exponent = (large >> 23 & 0xFF) as i32;
        let aligned = match (large >> 23 & 0xFF) - (small >> 23 & 0xFF) {
            0 => significand(small),
            shift @ 1..12 => (significand(small) + (1 << (shift - 1))) >> shift,
            _ => 0,
        };
        let magnitude = if (large ^ small) >> 31 == 0 {
            significand(large) + aligned
        } else {
            // A kept -0 of `SrcB` beside +0 has a significand, and the difference wraps.
            significand(large).wrapping_sub(aligned)
        };
        let exponent = match (self.form.wide && !self.form.eight_bits, exponent) {
            (false, exponent) => exponent,
            (true, 0) => 127 - 30,
            (true, exponent) => exponent + 127 - 15,
        };
        Term { negative: large >> 31, exponent, magnitude: magnitude << 13 }
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
    if number::has_five_bits(a) {
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
