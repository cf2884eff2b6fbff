//! `MVMUL.md` and `GAPOOL.md`: 8 or 4 rows of `SrcB` times 16 rows of `SrcA`, added to `Dst`.

use super::Executed;
use super::number::{self, Form};
use super::products::Products;
use super::settings::{Call, End};
use crate::Refusal;
use crate::formats::Format;
use crate::registers::Row;

/// `MVMUL`.
pub(super) fn mvmul(call: &mut Call<'_>) -> Result<Executed, Refusal> {
    let address_mode = call.fields.field(call.settings.chip.address_mode);
    let operand = call.fields.take(0, 10);
    let broadcasts = call.fields.flag(19);
    let flips = call.fields.take(22, 2);
    call.fields.end()?;
    if broadcasts {
        return Err(call.unsupported("the broadcast of a row is not supported (MVMUL.md)"));
    }
    multiply(call, operand, 8, address_mode, flips)
}

/// `GAPOOL`.
pub(super) fn gapool(call: &mut Call<'_>) -> Result<Executed, Refusal> {
    let address_mode = call.fields.field(call.settings.chip.pool_address_mode);
    let operand = call.fields.take(0, 10);
    let index = call.fields.flag(14);
    let four_rows = call.fields.flag(19);
    let flips = call.fields.take(22, 2);
    call.fields.end()?;
    if index {
        return Err(call.unsupported("ArgMax is not supported (GAPOOL.md)"));
    }
    if !four_rows {
        return Err(call.unsupported("its bit 19 must be set (GAPOOL.md)"));
    }
    multiply(call, operand, 4, address_mode, flips)
}

fn multiply(
    call: &mut Call<'_>,
    operand: u32,
    rows: u32,
    address_mode: u32,
    flips: u32,
) -> Result<Executed, Refusal> {
    call.refuse_misaligned(operand, rows)?;
    if let Some(waits) = call.wait() {
        return Ok(waits);
    }
    call.refuse_override()?;
    let (format_a, format_b) = (call.format_a(), call.format_b());
    check_formats(call, format_a, format_b)?;
    if call.settings.keeps_denormals {
        return Err(call.unsupported("Zero_Flag_disabled_src with products is not supported"));
    }
    let row_a = call.row_a(0, 16)?;
    let row_b = call.row_b(0, 8)?;
    let row = call.destination_row(operand, rows, End::Wraps)?;
    let phase = (call.counters.fidelity_phase + call.settings.fidelity_base) & 3;
    let mut factors_a = [Row::<u32>::default(); 16];
    let mut factors_b = [Row::<u32>::default(); 8];
    let source_a = &call.registers.source_a;
    for (factor, stored) in factors_a.iter_mut().zip(source_a.rows(source_a.matrix_bank(), row_a)) {
        *factor = *stored;
    }
    let source_b = &call.registers.source_b;
    let rows_b = source_b.rows(source_b.matrix_bank(), row_b).take(rows as usize);
    for (factor, stored) in factors_b.iter_mut().zip(rows_b) {
        *factor = *stored;
    }
    let five_bits = call.settings.integers || format_a.has_short_exponent();
    if five_bits {
        call.refuse_high_exponents(&factors_a, &factors_b)?;
    }
    let unknown = Unknown::of(&factors_a, &factors_b);
    let outputs = (row..).zip(factors_b.iter().take(rows as usize));
    let destination = &mut call.registers.destination;
    if call.settings.integers {
        let (mask_a, mask_b) = number::integer_masks(phase);
        let factors_a = factors_a.map(|row| row.data.map(|datum| integer_factor(datum, mask_a)));
        let form = Form::new(call.settings.chip, true, false);
        for (row, factors) in outputs {
            let mut numbers = form.read(destination, row);
            for (column, result) in numbers.data.iter_mut().enumerate() {
                let products = factors.data.iter().zip(&factors_a).map(|(factor, row)| {
                    integer_factor(*factor, mask_b) * row.get(column).copied().unwrap_or(0)
                });
                *result = number::add_integer(*result, products.sum());
            }
            numbers.unknown |= unknown.of_product(factors);
            form.write(destination, row, numbers);
        }
    } else {
        let form = Form::new(call.settings.chip, call.settings.wide, !five_bits);
        let masks = (number::factor_mask(format_a), number::factor_mask(format_b));
        let products = Products::of(&factors_a, masks, phase, form);
        let mut numbers = [Row::<u32>::default(); 8];
        for (numbers, (row, factors)) in numbers.iter_mut().zip(outputs.clone()) {
            *numbers = form.read(destination, row);
            numbers.unknown |= unknown.of_product(factors);
        }
        products.add_to(&factors_b, &mut numbers);
        for (numbers, (row, _)) in numbers.into_iter().zip(outputs) {
            form.write(destination, row, numbers);
        }
    }
    call.advance(address_mode)?;
    call.flip(flips)?;
    Ok(Executed::Done)
}

fn check_formats(call: &Call<'_>, a: Format, b: Format) -> Result<(), Refusal> {
    let pair = || format!("SrcA of {a} times SrcB of {b} is not supported (MVMUL.md)");
    if call.settings.integers {
        return if a == Format::INT8 && b == Format::INT8 {
            Ok(())
        } else {
            Err(call.unsupported(pair()))
        };
    }
    if a.has_short_exponent() {
        return if a == b { Ok(()) } else { Err(call.unsupported(pair())) };
    }
    let is_float = |format| {
        matches!(
            format,
            Format::FLOAT32 | Format::TF32 | Format::FLOAT16B | Format::BFP8 | Format::BFP4
        )
    };
    if is_float(a) && (is_float(b) || b == Format::INT16) {
        Ok(())
    } else {
        Err(call.unimplemented(pair()))
    }
}

/// An integer of 8 bits as far as a phase multiplies it. An exponent of 0 is the number 0.
fn integer_factor(datum: u32, mask: u32) -> i32 {
    if number::is_zero(datum) { 0 } else { number::integer(datum & mask) }
}

impl Call<'_> {
    /// Formats with 5 bits of exponent have 0 above them.
    pub(super) fn refuse_high_exponents(
        &self,
        rows_a: &[Row<u32>],
        rows_b: &[Row<u32>],
    ) -> Result<(), Refusal> {
        for (register, rows) in [("SrcA", rows_a), ("SrcB", rows_b)] {
            let data = rows.iter().flat_map(|row| row.data);
            if let Some(datum) = data.into_iter().find(|datum| datum & 0x7000_0000 != 0) {
                return Err(self.unsupported(format!(
                    "{register} holds {datum:#010x}, which is not a number with a 5-bit exponent (SrcASrcB.md)"
                )));
            }
        }
        Ok(())
    }
}

/// The columns of 16 rows of `SrcA` that are unknown, and those that are not known to be 0.
struct Unknown {
    rows: [(u16, u16); 16],
    any: bool,
}

impl Unknown {
    /// Of 16 rows of `SrcA`, for products with rows of `SrcB`. Most are known, and nothing has to be found out.
    fn of(rows: &[Row<u32>; 16], rows_b: &[Row<u32>; 8]) -> Self {
        let any = rows.iter().any(|row| row.unknown != 0);
        if !any && rows_b.iter().all(|row| row.unknown == 0) {
            return Self { rows: [(0, 0); 16], any };
        }
        let rows = rows.each_ref().map(|row| {
            let mut nonzero = row.unknown;
            for (column, datum) in row.data.iter().enumerate() {
                nonzero |= u16::from(!number::is_zero(*datum)) << column;
            }
            (row.unknown, nonzero)
        });
        Self { rows, any }
    }

    /// The columns that an unknown factor decides. A factor that is known to be 0 hides the other.
    fn of_product(&self, factors: &Row<u32>) -> u16 {
        if !self.any && factors.unknown == 0 {
            return 0;
        }
        let mut unknown = 0;
        for (index, (datum, (unknown_a, nonzero_a))) in
            factors.data.iter().zip(self.rows).enumerate()
        {
            if factors.unknown >> index & 1 == 1 {
                unknown |= nonzero_a;
            } else if !number::is_zero(*datum) {
                unknown |= unknown_a;
            }
        }
        unknown
    }
}
