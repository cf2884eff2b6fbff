//! The configuration of the vector unit (`SFPCONFIG.md`).

use super::call::Call;
use crate::Refusal;
use crate::registers::{LANES, LaneConfiguration, Vector};

const VALUE_IS_IMMEDIATE: u32 = 1;
const COMBINES: u32 = 6;
const MASKED_BY_IMMEDIATE: u32 = 8;

/// Bits of the configuration of lanes that are simulated: all but those that keep columns out of the moves of the matrix
/// unit, and the reserved ones.
const SIMULATED: u32 = 0xF1FF;

/// Lanes of a row, which are configured as the others of their columns are.
const ROW: u32 = 0xFF;

/// `SFPCONFIG`.
pub(super) fn config(call: &mut Call<'_>) -> Result<(), Refusal> {
    let operation = call.operation;
    let columns = columns(call)?;
    let is_immediate = operation.has(VALUE_IS_IMMEDIATE);
    let immediate = operation.immediate_16();
    // LReg[0] of the first row.
    let register = *call.vectors.register(0);
    match operation.d {
        0..4 => {
            let value = of_all_columns(call, columns, false)?;
            if let Some(place) = call.vectors.macros.templates.get_mut(operation.d as usize) {
                *place = value;
            }
        }
        4..8 => {
            let value = of_all_columns(call, columns, is_immediate)?;
            let index = (operation.d - 4) as usize;
            if let Some(place) = call.vectors.macros.sequences.get_mut(index) {
                *place = value;
            }
        }
        8 => {
            let value = of_all_columns(call, columns, is_immediate)?;
            let misc = &mut call.vectors.macros.misc;
            *misc = combined(operation.mode, *misc, value & 0xFFF);
        }
        9 | 10 => {
            let d = operation.d;
            return Err(call.non_contractual(format!("its destination {d} does nothing")));
        }
        11..15 => {
            let value = if is_immediate {
                Vector::of(match operation.d {
                    11 => 0xBF80_0000,
                    12 => 0x3780_0000,
                    13 => 0xBF2C_C4C7,
                    _ => 0xBEB0_8FF9,
                })
            } else {
                broadcast(&register)
            };
            let mut constant = *call.vectors.register(operation.d);
            constant.replace(columns * 0x0101_0101, &value);
            call.vectors.set(operation.d, constant);
        }
        _ => {
            if !is_immediate && register.unknown & columns != 0 {
                return Err(call.unknown_decides("LReg[0] becomes the configuration of lanes"));
            }
            let mut configured = call.vectors.lanes().columns();
            for ((column, number), value) in configured.iter_mut().zip(0..8).zip(&register.lanes) {
                if columns >> number & 1 == 0 {
                    continue;
                }
                let value = if is_immediate { immediate } else { value & 0x3_FFFF };
                let original = *column;
                *column = combined(operation.mode, original, value);
                if is_immediate {
                    *column |= original & !0xFFFF;
                }
                if *column & !SIMULATED != 0 {
                    return Err(Refusal::unsupported(
                        operation.word,
                        format!("the configuration {:#x} of a lane is not simulated", *column),
                    ));
                }
            }
            call.vectors.configure(LaneConfiguration::new(configured));
        }
    }
    Ok(())
}

/// The columns that are configured.
fn columns(call: &Call<'_>) -> Result<u32, Refusal> {
    let flags = call.vectors.flags;
    if flags.used & flags.unknown & ROW != 0 {
        return Err(call.unknown_decides("the flags of lanes decide what is configured"));
    }
    let mut columns = (!flags.used | flags.set) & ROW;
    if call.operation.has(MASKED_BY_IMMEDIATE) {
        let immediate = call.operation.immediate_16();
        for column in 0..8 {
            if immediate >> (2 * column) & 1 == 0 {
                columns &= !(1 << column);
            }
        }
    }
    Ok(columns)
}

/// The value that all columns have: what `SFPLOADMACRO` schedules is kept once for all lanes.
fn of_all_columns(call: &Call<'_>, columns: u32, is_immediate: bool) -> Result<u32, Refusal> {
    let register = call.vectors.register(0);
    let [value, ..] = register.lanes;
    let is_same = is_immediate || register.lanes.iter().take(8).all(|datum| *datum == value);
    if columns != ROW || !is_same {
        return Err(call.unsupported("macros that differ between lanes are not simulated"));
    }
    if is_immediate {
        return Ok(call.operation.immediate_16());
    }
    if register.unknown & ROW != 0 {
        return Err(call.unknown_decides("LReg[0] becomes a part of a macro"));
    }
    Ok(value)
}

/// The first row in all rows.
fn broadcast(register: &Vector) -> Vector {
    let mut lanes = [0; LANES];
    for (lane, datum) in lanes.iter_mut().zip(register.lanes.iter().take(8).cycle()) {
        *lane = *datum;
    }
    Vector { lanes, unknown: (register.unknown & ROW) * 0x0101_0101 }
}

const fn combined(mode: u32, original: u32, value: u32) -> u32 {
    match mode & COMBINES {
        0 => value,
        2 => original | value,
        4 => original & value,
        _ => original ^ value,
    }
}
