//! Bits (`SFPAND.md`, `SFPOR.md`, `SFPXOR.md`, `SFPNOT.md`, `SFPSHFT.md`).

use super::call::Call;
use super::lanes::{lanes_where, map, map_two};
use crate::Refusal;
use crate::registers::Vector;

/// Refuses modes and operands that the chip leaves open.
fn refuse_second_source(call: &Call<'_>) -> Result<(), Refusal> {
    let chip = call.settings.chip;
    let others = if chip.has_second_source { !1 } else { u32::MAX };
    if call.operation.mode & others != 0 {
        return Err(call.unsupported_mode());
    }
    if !chip.has_second_source && call.operation.immediate_12() != 0 {
        return Err(call.unsupported("the chip has no third operand of it"));
    }
    Ok(())
}

/// The lanes of which a known operand alone decides the result.
fn decided(b: &Vector, c: &Vector, by: u32) -> u32 {
    let decides = |vector: &Vector| !vector.unknown & lanes_where(&vector.lanes, |d| d == by);
    if b.unknown | c.unknown == 0 { 0 } else { decides(b) | decides(c) }
}

/// `SFPAND`.
#[inline(always)]
pub(super) fn and(call: &mut Call<'_>) -> Result<(), Refusal> {
    refuse_second_source(call)?;
    let (b, c) = (call.b(), call.c());
    let mut result = map_two(b, c, |b, c| b & c);
    result.unknown &= !decided(b, c, 0);
    call.write(&result);
    Ok(())
}

/// `SFPOR`.
#[inline(always)]
pub(super) fn or(call: &mut Call<'_>) -> Result<(), Refusal> {
    refuse_second_source(call)?;
    let (b, c) = (call.b(), call.c());
    let mut result = map_two(b, c, |b, c| b | c);
    result.unknown &= !decided(b, c, u32::MAX);
    call.write(&result);
    Ok(())
}

/// `SFPXOR`.
#[inline(always)]
pub(super) fn xor(call: &mut Call<'_>) -> Result<(), Refusal> {
    let mut result = map_two(call.b(), call.c(), |b, c| b ^ c);
    if call.operation.b == call.operation.c {
        result.unknown = 0;
    }
    call.write(&result);
    Ok(())
}

/// `SFPNOT`.
#[inline(always)]
pub(super) fn not(call: &mut Call<'_>) -> Result<(), Refusal> {
    let result = map(call.c(), |c| !c);
    call.write(&result);
    Ok(())
}

/// Bits moved to the left, or by a negative distance to the right.
pub(super) const fn shifted(bits: u32, distance: i32) -> u32 {
    if distance >= 0 { bits << (distance & 31) } else { bits >> (distance.wrapping_neg() & 31) }
}

/// [`shifted`], to the right with copies of the sign.
const fn shifted_with_sign(bits: u32, distance: i32) -> u32 {
    if distance >= 0 {
        bits << (distance & 31)
    } else {
        (bits as i32 >> (distance.wrapping_neg() & 31)) as u32
    }
}

/// `SFPSHFT`.
#[inline(always)]
pub(super) fn shft(call: &mut Call<'_>) -> Result<(), Refusal> {
    const IMMEDIATE: u32 = 1;
    const WITH_SIGN: u32 = 2;
    const OF_C: u32 = 4;
    let operation = call.operation;
    if call.settings.chip.shift_modes >> operation.mode & 1 == 0 {
        return Err(call.non_contractual(format!("its mode {} is reserved", operation.mode)));
    }
    let bits = if operation.has(OF_C) { call.c() } else { call.b() };
    let distances =
        if operation.has(IMMEDIATE) { Vector::of(operation.signed_12() as u32) } else { *call.c() };
    let result = if operation.has(WITH_SIGN) {
        map_two(bits, &distances, |bits, distance| shifted_with_sign(bits, distance as i32))
    } else {
        map_two(bits, &distances, |bits, distance| shifted(bits, distance as i32))
    };
    call.write(&result);
    Ok(())
}
