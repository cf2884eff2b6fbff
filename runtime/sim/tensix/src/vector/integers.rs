//! Integers (`SFPIADD.md`, `SFPABS.md`, `SFPLZ.md`).

use super::call::Call;
use super::lanes::{lanes_where, map, map_two};
use crate::Refusal;

const SIGN: u32 = 0x8000_0000;

/// Sets flags from those that a condition gives, or the opposite.
#[inline(always)]
pub(super) fn set_flags(call: &mut Call<'_>, condition: Option<(u32, u32)>, opposite: bool) {
    if !call.may_set_flags() {
        return;
    }
    let flags = call.vectors.flags;
    let (set, unknown) = match condition {
        Some(condition) => condition,
        None if opposite => (flags.set, flags.unknown),
        None => return,
    };
    call.vectors.set_flags(if opposite { !set } else { set }, unknown);
}

/// `SFPIADD`.
#[inline(always)]
pub(super) fn iadd(call: &mut Call<'_>) -> Result<(), Refusal> {
    const IMMEDIATE: u32 = 1;
    const SUBTRACTS: u32 = 2;
    const NO_FLAGS: u32 = 4;
    const OPPOSITE_FLAGS: u32 = 8;
    let operation = call.operation;
    let result = if operation.has(IMMEDIATE) {
        let immediate = operation.signed_12() as u32;
        map(call.c(), |c| c.wrapping_add(immediate))
    } else if operation.has(SUBTRACTS) {
        map_two(call.b(), call.c(), |b, c| c.wrapping_sub(b))
    } else {
        map_two(call.b(), call.c(), u32::wrapping_add)
    };
    let condition = (!operation.has(NO_FLAGS))
        .then(|| (lanes_where(&result.lanes, |datum| datum & SIGN != 0), result.unknown));
    call.write(&result);
    set_flags(call, condition, operation.has(OPPOSITE_FLAGS));
    Ok(())
}

/// `SFPABS`, of integers in two's complement or of floats.
#[inline(always)]
pub(super) fn abs(call: &mut Call<'_>) -> Result<(), Refusal> {
    call.refuse_reserved(!1)?;
    if !call.operation.has(1) {
        return abs_of_integers(call);
    }
    // A negative NaN stays.
    let result = map(call.c(), |datum| if datum > 0xFF80_0000 { datum } else { datum & !SIGN });
    call.write(&result);
    Ok(())
}

/// The absolute value of integers in two's complement.
#[inline(always)]
pub(super) fn abs_of_integers(call: &mut Call<'_>) -> Result<(), Refusal> {
    let result = map(call.c(), |datum| (datum as i32).unsigned_abs());
    call.write(&result);
    Ok(())
}

/// `SFPLZ`.
#[inline(always)]
pub(super) fn lz(call: &mut Call<'_>) -> Result<(), Refusal> {
    const FLAGS: u32 = 2;
    const NO_SIGN: u32 = 4;
    const OPPOSITE_FLAGS: u32 = 8;
    call.refuse_reserved(1)?;
    let operation = call.operation;
    let mask = if operation.has(NO_SIGN) { !SIGN } else { u32::MAX };
    let number = map(call.c(), |datum| datum & mask);
    let condition = operation
        .has(FLAGS)
        .then(|| (lanes_where(&number.lanes, |datum| datum != 0), number.unknown));
    call.write(&map(&number, u32::leading_zeros));
    set_flags(call, condition, operation.has(OPPOSITE_FLAGS));
    Ok(())
}
