//! Sign, exponent and mantissa of floats (`SFPDIVP2.md`, `SFPEXEXP.md`, `SFPEXMAN.md`, `SFPSETEXP.md`, `SFPSETMAN.md`,
//! `SFPSETSGN.md`).

use super::call::Call;
use super::integers::set_flags;
use super::lanes::{lanes_where, map, map_two};
use crate::Refusal;

const SIGN: u32 = 0x8000_0000;
const EXPONENT: u32 = 0x7F80_0000;
const MANTISSA: u32 = 0x007F_FFFF;

const fn exponent(number: u32) -> u32 {
    number >> 23 & 0xFF
}

/// `SFPDIVP2`: sets the exponent, or adds to it.
#[inline(always)]
pub(super) fn divp2(call: &mut Call<'_>) -> Result<(), Refusal> {
    call.refuse_reserved(!1)?;
    let immediate = call.operation.signed_12();
    if !(-128..128).contains(&immediate) {
        return Err(call.non_contractual(format!("its operand {immediate} has more than 8 bits")));
    }
    let operand = immediate as u32 & 0xFF;
    let result = if call.operation.has(1) {
        map(call.c(), |number| match exponent(number) {
            255 => number,
            exponent => number & !EXPONENT | ((exponent + operand) & 0xFF) << 23,
        })
    } else {
        map(call.c(), |number| number & !EXPONENT | operand << 23)
    };
    call.write(&result);
    Ok(())
}

/// `SFPEXEXP`.
#[inline(always)]
pub(super) fn exexp(call: &mut Call<'_>) -> Result<(), Refusal> {
    const BIASED: u32 = 1;
    const FLAGS: u32 = 2;
    const OPPOSITE_FLAGS: u32 = 8;
    call.refuse_reserved(4)?;
    let operation = call.operation;
    let bias = if operation.has(BIASED) { 0 } else { 127 };
    let result = map(call.c(), |number| exponent(number).wrapping_sub(bias));
    let condition = operation
        .has(FLAGS)
        .then(|| (lanes_where(&result.lanes, |datum| datum & SIGN != 0), result.unknown));
    call.write(&result);
    set_flags(call, condition, operation.has(OPPOSITE_FLAGS));
    Ok(())
}

/// `SFPEXMAN`.
#[inline(always)]
pub(super) fn exman(call: &mut Call<'_>) -> Result<(), Refusal> {
    call.refuse_reserved(!1)?;
    let implicit = if call.operation.has(1) { 0 } else { 1 << 23 };
    let result = map(call.c(), |number| number & MANTISSA | implicit);
    call.write(&result);
    Ok(())
}

/// `SFPSETEXP`.
#[inline(always)]
pub(super) fn setexp(call: &mut Call<'_>) -> Result<(), Refusal> {
    let operation = call.operation;
    if operation.mode > 3 {
        return Err(call.unsupported_mode());
    }
    let with = |number: u32, exponent: u32| number & !EXPONENT | exponent << 23 & EXPONENT;
    let result = if operation.has(1) {
        let immediate = operation.immediate_12();
        map(call.c(), |number| with(number, immediate))
    } else if operation.has(2) {
        map_two(call.b(), call.c(), |other, number| with(number, exponent(other)))
    } else {
        map_two(call.b(), call.c(), |integer, number| with(number, integer))
    };
    call.write(&result);
    Ok(())
}

/// `SFPSETMAN`.
#[inline(always)]
pub(super) fn setman(call: &mut Call<'_>) -> Result<(), Refusal> {
    let operation = call.operation;
    if operation.mode > 1 {
        return Err(call.unsupported_mode());
    }
    let result = if operation.has(1) {
        let mantissa = operation.immediate_12() << 11;
        map(call.c(), |number| number & !MANTISSA | mantissa)
    } else {
        map_two(call.b(), call.c(), |other, number| number & !MANTISSA | other & MANTISSA)
    };
    call.write(&result);
    Ok(())
}

/// `SFPSETSGN`.
#[inline(always)]
pub(super) fn setsgn(call: &mut Call<'_>) -> Result<(), Refusal> {
    call.refuse_reserved(!1)?;
    let operation = call.operation;
    let result = if operation.has(1) {
        let sign = operation.immediate_12() << 31;
        map(call.c(), |number| number & !SIGN | sign)
    } else {
        map_two(call.b(), call.c(), |other, number| number & !SIGN | other & SIGN)
    };
    call.write(&result);
    Ok(())
}
