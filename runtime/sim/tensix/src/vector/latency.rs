//! Results that are there one cycle late ("Instruction scheduling" on the pages of the instructions). On chips that do not wait
//! for them, the next instruction of the vector unit must not read them.

use super::call::{Call, Operation};
use super::opcode;
use crate::Refusal;
use crate::bits::bits;
use crate::opcodes::name;
use crate::registers::{LaneBit, Late};

/// A set of registers, a bit for each.
type Registers = u32;

/// `LReg[0]` to `LReg[3]`, and `LReg[1]` to `LReg[3]`.
const FIRST_FOUR: Registers = 0b1111;
const SECOND_TO_FOURTH: Registers = 0b1110;

/// The registers that an instruction writes.
fn written(call: &Call<'_>, late_only: bool) -> Registers {
    let operation = &call.operation;
    let d = 1 << operation.d;
    match (operation.word >> 24, operation.mode) {
        (
            opcode::SFPLUT
            | opcode::SFPMULI
            | opcode::SFPADDI
            | opcode::SFPMAD
            | opcode::SFPADD
            | opcode::SFPMUL
            | opcode::SFPLUTFP32
            | opcode::SFPMUL24,
            mode,
        ) => {
            if mode & 8 == 0 {
                return d;
            }
            let numbers = call.vectors.register(7).lanes;
            numbers.iter().fold(0, |set, number| set | 1 << (number & 15))
        }
        (opcode::SFPSHFT2, 2) => FIRST_FOUR,
        (opcode::SFPSHFT2, 3 | 4) => d,
        _ if late_only => 0,
        (opcode::SFPSHFT2, 0 | 1) => FIRST_FOUR,
        (opcode::SFPSWAP, _) => d | 1 << operation.c,
        (opcode::SFPTRANSP, _) => 0xFF,
        (
            opcode::SFPSTORE
            | opcode::SFPSETCC
            | opcode::SFPENCC
            | opcode::SFPCOMPC
            | opcode::SFPPUSHC
            | opcode::SFPPOPC
            | opcode::SFPNOP
            | opcode::SFPCONFIG,
            _,
        ) => 0,
        _ => d,
    }
}

/// The registers that an instruction reads. A half that an instruction leaves as it was counts for none.
fn read(operation: &Operation) -> Registers {
    let Operation { word, mode, d, c, b, a } = *operation;
    let [d, c, b, a] = [d, c, b, a].map(|number| 1 << number);
    let by_register_7 = |bits: u32| if mode & bits == 0 { 0 } else { 1 << 7 };
    match word >> 24 {
        opcode::SFPSTORE => d,
        opcode::SFPLUT => FIRST_FOUR | by_register_7(8),
        opcode::SFPLUTFP32 if mode & 10 == 10 => FIRST_FOUR | 1 << 7,
        opcode::SFPLUTFP32 => 0x7F | by_register_7(8),
        opcode::SFPMULI | opcode::SFPADDI => c | by_register_7(8),
        opcode::SFPMAD | opcode::SFPADD | opcode::SFPMUL | opcode::SFPMUL24 => {
            a | b | c | by_register_7(12)
        }
        opcode::SFPIADD
        | opcode::SFPSHFT
        | opcode::SFPSETEXP
        | opcode::SFPSETMAN
        | opcode::SFPSETSGN
            if mode & 1 == 1 =>
        {
            // Of shifts by an immediate, `VB` is what is shifted.
            if word >> 24 == opcode::SFPSHFT { b } else { c }
        }
        opcode::SFPIADD
        | opcode::SFPSHFT
        | opcode::SFPSETEXP
        | opcode::SFPSETMAN
        | opcode::SFPSETSGN
        | opcode::SFPAND
        | opcode::SFPOR
        | opcode::SFPXOR
        | opcode::SFPLE
        | opcode::SFPGT => b | c,
        opcode::SFP_STOCH_RND if matches!(mode, 4 | 5) => b | c,
        opcode::SFPSETCC if mode & 9 != 0 => 0,
        opcode::SFPMOV if mode & 8 != 0 => 0,
        opcode::SFPSWAP => c | d,
        opcode::SFPTRANSP => 0xFF,
        opcode::SFPSHFT2 => match mode {
            0 => SECOND_TO_FOURTH,
            1 => FIRST_FOUR,
            2 => SECOND_TO_FOURTH | c,
            5 => b | c,
            6 => b,
            _ => c,
        },
        opcode::SFPCONFIG if mode & 1 == 1 && bits(word, 4, 4) > 3 => 0,
        opcode::SFPCONFIG => 1,
        opcode::SFPLOAD
        | opcode::SFPLOADI
        | opcode::SFPLOADMACRO
        | opcode::SFPNOP
        | opcode::SFPENCC
        | opcode::SFPCOMPC
        | opcode::SFPPUSHC
        | opcode::SFPPOPC => 0,
        _ => c,
    }
}

/// Instructions that the round sub-unit's two cycles exclude (`SFPSHFT2.md`).
fn is_excluded_by_rotation(operation: &Operation) -> bool {
    match operation.word >> 24 {
        opcode::SFPSHFT2 => !matches!(operation.mode, 2..=4),
        opcode::SFPABS
        | opcode::SFPAND
        | opcode::SFPCAST
        | opcode::SFPDIVP2
        | opcode::SFPEXEXP
        | opcode::SFPEXMAN
        | opcode::SFPIADD
        | opcode::SFPLZ
        | opcode::SFPMOV
        | opcode::SFPNOT
        | opcode::SFPOR
        | opcode::SFPSETEXP
        | opcode::SFPSETMAN
        | opcode::SFPSETSGN
        | opcode::SFPSHFT
        | opcode::SFP_STOCH_RND
        | opcode::SFPXOR => true,
        _ => false,
    }
}

/// Refuses an instruction that depends on what the last one has not finished.
pub(super) fn check(call: &Call<'_>) -> Result<(), Refusal> {
    let Some(Late { word, registers }) = call.vectors.late else { return Ok(()) };
    let last = name(word).unwrap_or("the last instruction");
    let page = if word >> 24 == opcode::SFP_STOCH_RND { "SFPSTOCHRND" } else { last };
    let refused = |what: String| {
        Err(call.undefined(format!(
            "{what} {last} {word:#010x} before it, which takes a cycle more ({page}.md, \"Instruction scheduling\"): put an \
             SFPNOP between them"
        )))
    };
    let operation = &call.operation;
    if word >> 24 == opcode::SFPCONFIG {
        if operation.d >= 12 && operation.word >> 24 != opcode::SFPCONFIG {
            return refused("whether it is kept as a template depends on".to_owned());
        }
        return Ok(());
    }
    let read = read(operation) & registers;
    if read != 0 {
        return refused(format!("it reads LReg[{}], the result of", read.trailing_zeros()));
    }
    if word >> 24 == opcode::SFPSHFT2 {
        let written = written(call, false) & registers & SECOND_TO_FOURTH;
        if bits(word, 0, 4) == 2 && written != 0 {
            let register = written.trailing_zeros();
            return refused(format!("it writes LReg[{register}], as does"));
        }
        if is_excluded_by_rotation(operation) {
            return refused("its sub-unit is still taken by".to_owned());
        }
    }
    Ok(())
}

/// What an instruction leaves to the next cycle. It stands for what is executed now.
pub(super) fn late(call: &Call<'_>) -> Option<Late> {
    let word = call.operation.word;
    let is_rotation = word >> 24 == opcode::SFPSHFT2 && matches!(call.operation.mode, 2..=4);
    let configures = word >> 24 == opcode::SFPCONFIG && bits(word, 4, 4) == 15;
    // Constants are written by none.
    let registers = written(call, true) & 0xFF;
    (registers != 0 || is_rotation || configures).then_some(Late { word, registers })
}

/// Whether a configuration changed what `late` says of it.
pub(super) fn changes_templates(call: &Call<'_>, before: u32) -> bool {
    call.vectors.lanes().with(LaneBit::DisableBackdoorLoad) != before
}
