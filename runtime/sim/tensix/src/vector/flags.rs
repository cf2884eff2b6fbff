//! The flags that enable lanes, and their stack (`SFPSETCC.md`, `SFPENCC.md`, `SFPPUSHC.md`, `SFPPOPC.md`, `SFPCOMPC.md`,
//! `SFPLE.md`, `SFPGT.md`).

use super::call::Call;
use super::lanes::{lanes_where, lanes_where_both, order};
use crate::Refusal;
use crate::registers::{Flags, STACK, Vector};

/// `SFPSETCC`: a comparison with 0.
#[inline(always)]
pub(super) fn setcc(call: &mut Call<'_>) -> Result<(), Refusal> {
    const IMMEDIATE: u32 = 1;
    const CLEAR: u32 = 8;
    let operation = call.operation;
    let c = call.c();
    let (set, unknown) = if operation.has(CLEAR) {
        (0, 0)
    } else if operation.has(IMMEDIATE) {
        (if operation.immediate_12() & 1 == 1 { u32::MAX } else { 0 }, 0)
    } else {
        let lanes = &c.lanes;
        let set = match operation.mode {
            0 => lanes_where(lanes, |datum| (datum as i32) < 0),
            2 => lanes_where(lanes, |datum| datum != 0),
            4 => lanes_where(lanes, |datum| datum as i32 >= 0),
            _ => lanes_where(lanes, |datum| datum == 0),
        };
        (set, c.unknown)
    };
    let used = call.vectors.flags.used;
    call.vectors.set_flags(set & used, unknown & used);
    Ok(())
}

/// `SFPENCC`.
#[inline(always)]
pub(super) fn encc(call: &mut Call<'_>) -> Result<(), Refusal> {
    const INVERT: u32 = 1;
    const SET_USED: u32 = 2;
    const SET: u32 = 8;
    let operation = call.operation;
    if operation.has(4) {
        return Err(call.unimplemented(format!("its mode {} is not simulated", operation.mode)));
    }
    let immediate = operation.immediate_12();
    let all_if = |bit: u32| if immediate & bit != 0 { u32::MAX } else { 0 };
    let flags = &mut call.vectors.flags;
    if operation.has(SET_USED) {
        flags.used = all_if(1);
    } else if operation.has(INVERT) {
        flags.used = !flags.used;
    }
    flags.set = if operation.has(SET) { all_if(2) } else { u32::MAX };
    flags.unknown = 0;
    Ok(())
}

/// A function of two flags in each lane. It is unknown where an unknown flag decides it.
fn combined(function: impl Fn(u32, u32) -> u32, a: Flags, b: Flags) -> (u32, u32) {
    let result = function(a.set, b.set);
    let by_a = result ^ function(!a.set, b.set);
    let by_b = result ^ function(a.set, !b.set);
    let by_both = result ^ function(!a.set, !b.set);
    let unknown = by_a & a.unknown | by_b & b.unknown | by_both & a.unknown & b.unknown;
    (result, unknown)
}

/// `BooleanOp` of the pages `SFPPUSHC.md` and `SFPPOPC.md`.
const fn boolean(mode: u32, a: u32, b: u32) -> u32 {
    match mode {
        1 => b,
        2 => !b,
        3 => a & b,
        4 => a | b,
        5 => a & !b,
        6 => a | !b,
        7 => !a & b,
        8 => !a | b,
        9 => !a & !b,
        10 => !a | !b,
        11 => a ^ b,
        _ => !(a ^ b),
    }
}

/// The constants of modes 14 and 15.
const fn constant(mode: u32) -> Flags {
    Flags { set: if mode == 14 { u32::MAX } else { 0 }, unknown: 0, used: u32::MAX }
}

/// `SFPPUSHC`.
#[inline(always)]
pub(super) fn pushc(call: &mut Call<'_>) -> Result<(), Refusal> {
    let mode = call.operation.mode;
    if mode == 0 {
        if call.vectors.push() {
            return Ok(());
        }
        return Err(call.undefined(format!("the stack of flags is full with {STACK} of them")));
    }
    if !call.settings.chip.has_push_modes {
        return Err(call.unsupported_mode());
    }
    let flags = call.vectors.flags;
    let Some(top) = call.vectors.top_mut() else {
        return Err(call.undefined("the stack of flags is empty"));
    };
    match mode {
        1..=12 => {
            let (set, unknown) = combined(|top, now| boolean(mode, top, now), *top, flags);
            *top = Flags { set, unknown, used: flags.used };
        }
        13 => {
            let inverted = Flags { set: !flags.set, ..flags };
            *top = inverted;
            call.vectors.flags = inverted;
        }
        _ => *top = constant(mode),
    }
    Ok(())
}

/// `SFPPOPC`.
#[inline(always)]
pub(super) fn popc(call: &mut Call<'_>) -> Result<(), Refusal> {
    let mode = call.operation.mode;
    if mode == 0 {
        let Some(top) = call.vectors.pop() else {
            return Err(call.undefined("the stack of flags is empty"));
        };
        call.vectors.flags = top;
        return Ok(());
    }
    if call.vectors.depth() == STACK && !call.settings.chip.peeks_full_stacks {
        let reason = "a defect of the hardware changes the stack, which is full (SFPPOPC.md)";
        return Err(call.unsupported(reason));
    }
    let top = call.vectors.top_mut().map(|top| *top).unwrap_or_default();
    let flags = &mut call.vectors.flags;
    match mode {
        1..=12 => {
            let (set, unknown) = combined(|now, top| boolean(mode, now, top), *flags, top);
            *flags = Flags { set, unknown, used: top.used };
        }
        13 => flags.set = !flags.set,
        _ => *flags = constant(mode),
    }
    Ok(())
}

/// `SFPCOMPC`: the other lanes of those that the top of the stack enables.
#[inline(always)]
pub(super) fn compc(call: &mut Call<'_>) -> Result<(), Refusal> {
    let top = call.vectors.top_mut().map(|top| *top).unwrap_or(constant(14));
    let flags = &mut call.vectors.flags;
    let both_used = top.used & flags.used;
    let (set, unknown) = combined(|now, top| top & !now, *flags, top);
    flags.set = set & both_used;
    flags.unknown = unknown & both_used;
    Ok(())
}

/// `SFPGT`, or `SFPLE`: whether `VD` is greater than `VC` in the total order, or not.
#[inline(always)]
pub(super) fn compare(call: &mut Call<'_>, greater: bool) -> Result<(), Refusal> {
    const SET_FLAGS: u32 = 1;
    const CHANGE_TOP: u32 = 2;
    const BY_OR: u32 = 4;
    const SET_REGISTER: u32 = 8;
    let operation = call.operation;
    let (b, c) = (call.b(), call.c());
    let holds = lanes_where_both(b, c, |b, c| (order(b) > order(c)) == greater);
    let unknown = b.unknown | c.unknown;
    if operation.has(SET_REGISTER) {
        let mut result = Vector { unknown, ..Vector::of(0) };
        result.replace(holds, &Vector { unknown, ..Vector::of(u32::MAX) });
        call.write(&result);
    }
    if operation.has(SET_FLAGS) {
        call.vectors.set_flags(holds, unknown);
    }
    if operation.has(CHANGE_TOP)
        && let Some(top) = call.vectors.top_mut()
    {
        let compared = Flags { set: holds, unknown, used: 0 };
        let mode = if operation.has(BY_OR) { 4 } else { 3 };
        let (set, unknown) = combined(|top, now| boolean(mode, top, now), *top, compared);
        *top = Flags { set, unknown, used: top.used };
    }
    Ok(())
}
