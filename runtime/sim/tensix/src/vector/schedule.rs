//! Instructions that `SFPLOADMACRO` schedules (`SFPLOADMACRO.md`).
//!
//! A cycle of the vector unit is the issue of an instruction. The instructions that are due in it read what the registers
//! held before it, as the issued one does, and all of their writes come after. Another instruction of the thread lets the
//! cycles elapse that no instruction of the vector unit takes: there, what waits for cycles alone is executed.

use super::call::{Call, Operation};
use super::{dispatch_on_this_processor, opcode, transfers};
use crate::Refusal;
use crate::bits::bits;
use crate::registers::{Due, MacroUnit};

/// The registers of an instruction that others of its kind lack.
const fn has_c(opcode: u32) -> bool {
    !matches!(
        opcode,
        opcode::SFPLUT
            | opcode::SFPMULI
            | opcode::SFPADDI
            | opcode::SFPPUSHC
            | opcode::SFPPOPC
            | opcode::SFPENCC
            | opcode::SFPCOMPC
            | opcode::SFPTRANSP
            | opcode::SFPNOP
            | opcode::SFPCONFIG
            | opcode::SFPLUTFP32
    )
}

fn has_b(operation: &Operation, has_second_source: bool) -> bool {
    match operation.word >> 24 {
        opcode::SFPMAD
        | opcode::SFPADD
        | opcode::SFPMUL
        | opcode::SFPMUL24
        | opcode::SFP_STOCH_RND
        | opcode::SFPARECIP
        | opcode::SFPSHFT2 => true,
        opcode::SFPAND | opcode::SFPOR => has_second_source && operation.has(1),
        _ => false,
    }
}

/// The sub-unit that executes an instruction. None is the load sub-unit.
const fn unit_of(opcode: u32) -> Option<MacroUnit> {
    match opcode {
        opcode::SFPLOAD | opcode::SFPLOADI | opcode::SFPLOADMACRO | opcode::SFPNOP => None,
        opcode::SFPSTORE => Some(MacroUnit::Store),
        opcode::SFP_STOCH_RND | opcode::SFPSHFT2 => Some(MacroUnit::Round),
        opcode::SFPMAD
        | opcode::SFPADD
        | opcode::SFPMUL
        | opcode::SFPMULI
        | opcode::SFPADDI
        | opcode::SFPLUT
        | opcode::SFPLUTFP32
        | opcode::SFPMUL24 => Some(MacroUnit::Mad),
        _ => Some(MacroUnit::Simple),
    }
}

/// `SFPLOADMACRO`: loads, and schedules up to four instructions.
pub(super) fn load_macro(call: &mut Call<'_>) -> Result<(), Refusal> {
    let word = call.operation.word;
    let number = bits(word, 22, 2);
    let d = bits(word, 20, 2) | bits(word, 0, 1) << 2;
    call.operation.d = d;
    let address = transfers::load(call)?;
    let macros = call.vectors.macros;
    let sequence = macros.sequences.get(number as usize).copied().unwrap_or(0);
    for (index, unit) in (0..).zip(MacroUnit::ALL) {
        let sequence = bits(sequence, index * 8, 8);
        let delay = bits(sequence, 3, 3);
        let (moves_b, is_bonus) = (bits(sequence, 7, 1) == 1, bits(sequence, 6, 1) == 1);
        let template = match bits(sequence, 0, 3) {
            // The model of the page forgets what is due then, even though nothing is scheduled. The vendor's multiplication of
            // integers (`ckernel_sfpu_mul_int.h`) relies on the opposite: its second macro would lose the store of its fourth.
            0 => continue,
            1 => return Err(call.undefined("the sequence of its macro has the reserved source 1")),
            2 => opcode::SFPNOP << 24,
            3 => opcode::SFPSTORE << 24,
            source => macros.templates.get(source as usize - 4).copied().unwrap_or(0),
        };
        let opcode = template >> 24;
        let can_execute = opcode == opcode::SFPNOP && unit != MacroUnit::Store
            || (opcode::SFPLOAD..=opcode::SFPARECIP).contains(&opcode)
                && unit_of(opcode) == Some(unit);
        if !can_execute && unit == MacroUnit::Store {
            let reason = "its macro gives the store sub-unit what is no SFPSTORE";
            return Err(call.undefined(reason));
        }
        let template = if can_execute { template } else { opcode::SFPNOP << 24 };
        let mut operation = Operation::of(template, call.settings.chip);
        if unit == MacroUnit::Store {
            if is_bonus {
                operation.d = 16;
            } else if !moves_b {
                operation.d = d;
            }
            let uses_mode = bits(macros.misc, 4 + number, 1) == 1;
            operation.mode = if uses_mode { call.operation.mode } else { bits(macros.misc, 0, 4) };
        } else {
            let own = operation.d;
            let has_b = has_b(&operation, call.settings.chip.has_second_source);
            if moves_b {
                operation.b = d;
                if !has_c(template >> 24) {
                    operation.c = own;
                }
            } else {
                operation.c = d;
                if !has_b {
                    operation.b = own;
                }
            }
            operation.d = if is_bonus { 16 } else { d };
        }
        let Operation { word, mode, d, c, b, a } = operation;
        let counts_instructions = bits(macros.misc, 8 + index, 1) == 1;
        let due = Due { word, mode, registers: [d, c, b, a], address, counts_instructions };
        call.vectors.schedule.add(unit, delay, due);
    }
    Ok(())
}

/// Executes an instruction in the cycle in which others are due.
pub(super) fn issue(call: &mut Call<'_>) -> Result<(), Refusal> {
    // Results that come late are the schedule's own business.
    call.vectors.late = None;
    let due = call.vectors.schedule.next_cycle(true);
    let before = call.vectors.clone();
    let own = unit_of(call.operation.word >> 24);
    if own.is_some_and(|own| due.iter().any(|(unit, _)| *unit == own)) {
        return Err(call.non_contractual(
            "an instruction of SFPLOADMACRO takes its sub-unit in this cycle, and it is lost",
        ));
    }
    if call.operation.word >> 24 == opcode::SFPLOADMACRO {
        // What it schedules counts from the next cycle on.
        load_macro(call)?;
    } else if !call.keeps_template()? {
        call.refuse_corrupted_indices()?;
        dispatch_on_this_processor(call)?;
    }
    execute_due(call, &due, &before)
}

/// Lets cycles elapse in which no instruction of the vector unit is issued.
pub(super) fn elapse(call: &mut Call<'_>) -> Result<(), Refusal> {
    loop {
        let due = call.vectors.schedule.next_cycle(false);
        let before = call.vectors.clone();
        execute_due(call, &due, &before)?;
        if call.vectors.schedule.is_empty() || call.vectors.schedule.waits_for_instructions() {
            return Ok(());
        }
    }
}

/// Executes what is due on the registers as they were before the cycle.
fn execute_due(
    call: &mut Call<'_>,
    due: &[(MacroUnit, Due)],
    before: &crate::registers::Vectors,
) -> Result<(), Refusal> {
    for (unit, due) in due {
        let [d, c, b, a] = due.registers;
        let operation = Operation { word: due.word, mode: due.mode, d, c, b, a };
        let mut vectors = before.clone();
        let mut scheduled = Call {
            operation,
            vectors: &mut vectors,
            destination: &mut *call.destination,
            counters: &mut *call.counters,
            settings: call.settings,
        };
        if *unit == MacroUnit::Store {
            transfers::store_at(&mut scheduled, due.address)?;
        } else {
            scheduled.refuse_corrupted_indices()?;
            dispatch_on_this_processor(&mut scheduled)?;
        }
        call.vectors.take_changes(before, &vectors);
    }
    Ok(())
}
