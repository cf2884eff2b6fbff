//! `GMPOOL.md`: the largest of 16 rows of `SrcA` and a row of `Dst`, column by column.

use hallmark_chip::FaultCategory;

use super::Executed;
use super::number::{self, Form};
use super::settings::{Call, End};
use crate::Refusal;
use crate::formats::Format;
use crate::registers::{Destination, Row};

/// The exponent of the factor 1, and those of numbers.
const EXPONENT_OF_ONE: u32 = 127;
const EXPONENTS: std::ops::RangeInclusive<u32> = 1..=254;

/// `GMPOOL`.
pub(super) fn gmpool(call: &mut Call<'_>) -> Result<Executed, Refusal> {
    let address_mode = call.fields.field(call.settings.chip.pool_address_mode);
    let operand = call.fields.take(0, 10);
    let index = call.fields.flag(14);
    let sixteen_rows = call.fields.flag(19);
    let flips = call.fields.take(22, 2);
    call.fields.end()?;
    if index {
        return Err(call.unsupported("ArgMax is not supported (GMPOOL.md)"));
    }
    if !sixteen_rows {
        return Err(call.unsupported("its bit 19 must be set (GMPOOL.md)"));
    }
    call.refuse_misaligned(operand, 4)?;
    if let Some(waits) = call.wait() {
        return Ok(waits);
    }
    if call.settings.integers {
        return Err(call.unsupported("integers are not supported (GMPOOL.md)"));
    }
    call.refuse_override()?;
    let (format_a, format_b) = (call.format_a(), call.format_b());
    for format in [format_a, format_b] {
        if !matches!(
            format,
            Format::FLOAT32 | Format::TF32 | Format::FLOAT16B | Format::BFP8 | Format::BFP4
        ) {
            return Err(call.unsupported(format!("{format} is not supported (GMPOOL.md)")));
        }
    }
    let row_a = call.row_a(0, 16)?;
    let row_b = call.row_b(0, 8)?;
    let row = call.destination_row(operand, 4, End::IsRefused)?;
    let factors = factors(call, row_b)?;
    let form = Form::new(call.settings.chip, call.settings.wide, true);
    let mask = number::factor_mask(format_a);
    let source = &call.registers.source_a;
    let mut largest = current(form, &call.registers.destination, row);
    let rows = source.rows(source.matrix_bank(), row_a).take(16);
    for (candidates, factor) in rows.zip(factors) {
        largest.unknown |= candidates.unknown;
        // A factor of zero makes minus infinity of its row.
        let Some(factor) = factor else { continue };
        for (largest, datum) in largest.data.iter_mut().zip(candidates.data) {
            let candidate = scaled(datum & mask, factor).ok_or_else(|| {
                call.unsupported(format!(
                    "a number times the power of 2 with exponent {factor} of row {row_b} of SrcB is beyond the format (GMPOOL.md)"
                ))
            })?;
            if rank(candidate) > rank(*largest) {
                *largest = candidate;
            }
        }
    }
    let destination = &mut call.registers.destination;
    form.write(destination, row, largest);
    for row in row + 1..row + 4 {
        form.write(destination, row, Row::default());
    }
    call.advance(address_mode)?;
    call.flip(flips)?;
    Ok(Executed::Done)
}

/// The row of `Dst`. An undefined row is below all numbers.
fn current(form: Form, destination: &Destination, row: u32) -> Row<u32> {
    let stored = if form.wide { Destination::high_half(row) } else { row };
    if destination.is_undefined(stored) {
        let lowest = if form.wide { 0xFFFF_E000 } else { 0xFFFF_0000 };
        return Row::known([lowest; 16]);
    }
    form.read(destination, row).map(|number| if form.wide { number & 0xFFFF_E000 } else { number })
}

/// Patterns in the order of their numbers.
fn rank(datum: u32) -> i32 {
    (if datum >> 31 == 1 { datum ^ 0x7FFF_FFFF } else { datum }) as i32
}

/// A number times a power of 2, by their exponents. What is beyond the format turns over on the chip.
fn scaled(datum: u32, factor: u32) -> Option<u32> {
    if number::is_zero(datum) {
        return Some(0);
    }
    if factor == EXPONENT_OF_ONE {
        return Some(datum);
    }
    let exponent = exponent(datum).checked_add(factor)?.checked_sub(EXPONENT_OF_ONE)?;
    EXPONENTS.contains(&exponent).then_some(datum & 0x807F_FFFF | exponent << 23)
}

const fn exponent(datum: u32) -> u32 {
    datum >> 23 & 0xFF
}

/// The exponents of the factors that a row of `SrcB` holds for the rows of `SrcA`; `None` for zero.
fn factors(call: &Call<'_>, row: u32) -> Result<[Option<u32>; 16], Refusal> {
    let source = &call.registers.source_b;
    let factors = source.row(source.matrix_bank(), row);
    if factors.unknown != 0 {
        return Err(Refusal::of(
            call.word(),
            FaultCategory::UnpredictableValueUsed,
            format!("row {row} of SrcB, which scales, holds data that nothing wrote (GMPOOL.md)"),
        ));
    }
    Ok(factors.data.map(|datum| Some(exponent(datum)).filter(|exponent| *exponent != 0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_of_2_scales_by_the_exponent_alone() {
        let scaled = |number: f32, factor: f32| {
            scaled(number.to_bits(), exponent(factor.to_bits())).map(f32::from_bits)
        };
        assert_eq!(scaled(-3.0, 1.0), Some(-3.0));
        assert_eq!(scaled(-3.0, 0.25), Some(-0.75));
        assert_eq!(scaled(1.5, 6.0), Some(6.0));
        assert_eq!(scaled(0.0, 1e30), Some(0.0));
        assert_eq!(scaled(1e30, 1e30), None);
        assert_eq!(scaled(1e-30, 1e-30), None);
    }
}
