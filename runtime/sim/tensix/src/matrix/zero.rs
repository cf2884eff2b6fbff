//! `ZEROACC.md` and `ZEROSRC.md`.

use super::Executed;
use super::settings::Call;
use crate::Refusal;
use crate::registers::Destination;

/// Rows of `Dst` become undefined.
pub(super) fn zeroacc(call: &mut Call<'_>) -> Result<Executed, Refusal> {
    let chip = call.settings.chip;
    let operand = call.fields.take(0, 10);
    let address_mode = call.fields.field(chip.address_mode);
    let mode = call.fields.take(19, 2);
    let wide = call.fields.flag(chip.zero_wide);
    let reverts = chip.zero_revert.is_some_and(|bit| call.fields.flag(bit));
    call.fields.end()?;
    let offset = call.settings.destination_offset.wrapping_add(call.counters.destination.value);
    let sixteen_wide_rows = chip.zero_has_wide_rows && wide && mode == 1;
    if reverts && !sixteen_wide_rows {
        return Err(call.undefined("Revert brings back what rows held before (ZEROACC.md)"));
    }
    match (mode, wide) {
        (0, false) => {
            let row = operand.wrapping_add(offset);
            if row >= Destination::ROWS {
                return Err(call.unimplemented(format!("row {row} of Dst is beyond its 1024 rows")));
            }
            if call.settings.integers {
                return Err(
                    call.unimplemented("one row of integers is not implemented (ZEROACC.md)")
                );
            }
            let row = if call.settings.wide { Destination::high_half(row) } else { row };
            call.registers.destination.undefine(row, 1);
        }
        (1, false) => {
            let section = if follows(call) && offset & 512 != 0 { 32 } else { 0 };
            let index = below(call, operand + section, 64)?;
            call.registers.destination.undefine(16 * index, 16);
        }
        (1, true) if sixteen_wide_rows => {
            let section = if follows(call) && offset & 768 != 0 { 16 } else { 0 };
            let index = below(call, operand + section, 32)?;
            let destination = &mut call.registers.destination;
            for row in (0..16).map(|row| Destination::high_half(16 * index + row)) {
                if reverts { destination.define(row) } else { destination.undefine(row, 1) }
            }
        }
        (2, _) => {
            let half = below(call, operand, 2)?;
            call.registers.destination.undefine(512 * half, 512);
        }
        (3, _) => {
            below(call, operand, 1)?;
            call.registers.destination.undefine(0, Destination::ROWS);
        }
        _ => {
            return Err(call.unsupported(format!(
                "mode {mode} with rows of {} bits is not supported (ZEROACC.md)",
                if wide { 32 } else { 16 }
            )));
        }
    }
    if mode <= 1 {
        call.advance(address_mode)?;
    }
    Ok(Executed::Done)
}

fn follows(call: &Call<'_>) -> bool {
    call.settings.chip.zero_follows_the_offset && !call.settings.absolute_tiles
}

fn below(call: &Call<'_>, index: u32, end: u32) -> Result<u32, Refusal> {
    if index < end {
        Ok(index)
    } else {
        Err(Refusal::non_contractual(
            call.word(),
            format!("it names block {index} of Dst, which has {end} of that size (ZEROACC.md)"),
        ))
    }
}

/// Banks of `SrcA` and `SrcB` become 0.
pub(super) fn zerosrc(call: &mut Call<'_>) -> Result<Executed, Refusal> {
    let (source_a, source_b) = (call.fields.flag(0), call.fields.flag(1));
    let both_banks = call.fields.flag(2);
    let matrix_bank = call.fields.flag(3);
    let negative_infinity = call.fields.flag(4);
    call.fields.end()?;
    let refusal = if !source_a && !source_b {
        Some("it clears nothing")
    } else if negative_infinity {
        Some("NegativeInfSrcA is not supported")
    } else if both_banks && matrix_bank {
        Some("both banks and the matrix unit's are not supported together")
    } else if both_banks && !(source_a && source_b) {
        Some("both banks of one register are not supported")
    } else if !both_banks && !matrix_bank {
        Some("the unpacker's bank is not supported")
    } else {
        None
    };
    if let Some(refusal) = refusal {
        return Err(call.unsupported(format!("{refusal} (ZEROSRC.md)")));
    }
    for (clears, source) in
        [(source_a, &mut call.registers.source_a), (source_b, &mut call.registers.source_b)]
    {
        let bank = source.matrix_bank();
        if clears {
            source.fill(bank, 0);
        }
        if clears && both_banks {
            source.fill(bank.other(), 0);
        }
    }
    Ok(Executed::Done)
}
