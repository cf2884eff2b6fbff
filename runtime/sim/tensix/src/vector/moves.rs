//! Moves between registers and lanes (`SFPMOV.md`, `SFPTRANSP.md`, `SFPSWAP.md`, `SFPSHFT2.md`).

use super::bits::shifted;
use super::call::Call;
use super::lanes::{lanes_where_both, map, map_two, order, shuffle};
use crate::Refusal;
use crate::registers::{LaneBit, Vector};

const SIGN: u32 = 0x8000_0000;
/// Lanes of a row.
const ROW: usize = 8;

/// `SFPMOV`.
#[inline(always)]
pub(super) fn mov(call: &mut Call<'_>) -> Result<(), Refusal> {
    const NEGATES: u32 = 1;
    const OF_ALL_LANES: u32 = 2;
    const FROM_SPECIAL: u32 = 8;
    call.refuse_reserved(4)?;
    let operation = call.operation;
    let result = if operation.has(FROM_SPECIAL) {
        special(call)
    } else if operation.has(NEGATES) {
        map(call.c(), |datum| datum ^ SIGN)
    } else {
        *call.c()
    };
    if operation.mode == OF_ALL_LANES {
        call.vectors.overwrite(operation.d, u32::MAX, &result);
    } else {
        call.write(&result);
    }
    Ok(())
}

/// What is no register: the configuration, and random numbers.
fn special(call: &mut Call<'_>) -> Vector {
    let c = call.operation.c;
    let macros = &call.vectors.macros;
    let of = |words: &[u32; 4]| Vector::of(words.get(c as usize % 4).copied().unwrap_or(0));
    match c {
        0..4 => of(&macros.templates),
        4..8 => of(&macros.sequences),
        8 => Vector::of(macros.misc),
        9 => {
            let enabled = call.vectors.enabled();
            call.vectors.random(enabled)
        }
        15 => call.vectors.lanes().vector(),
        _ => Vector::of(0),
    }
}

/// `SFPTRANSP`: in each column, rows of four registers.
#[inline(always)]
pub(super) fn transp(call: &mut Call<'_>) -> Result<(), Refusal> {
    for first in [0, 4] {
        let registers = [0, 1, 2, 3].map(|number| *call.vectors.register(first + number));
        for to in 0..4 {
            let mut transposed = Vector::of(0);
            let rows = transposed.lanes.as_chunks_mut::<ROW>().0;
            for ((row, from), shift) in rows.iter_mut().zip(&registers).zip([0, 8, 16, 24]) {
                if let Some(moved) = from.lanes.as_chunks::<ROW>().0.get(to) {
                    *row = *moved;
                }
                transposed.unknown |= (from.unknown >> (ROW * to) & 0xFF) << shift;
            }
            call.vectors.write(first + to as u32, &transposed);
        }
    }
    Ok(())
}

/// The lanes in which `VD` becomes the smaller of both, by the mode of `SFPSWAP`.
const SMALLER_IN: [u32; 10] = [
    0,
    0xFFFF_FFFF,
    0x0000_FFFF,
    0x00FF_00FF,
    0xFF00_00FF,
    0x0000_00FF,
    0x0000_FF00,
    0x00FF_0000,
    0xFF00_0000,
    0,
];

/// `SFPSWAP`: exchanges two registers, or orders them.
#[inline(always)]
pub(super) fn swap(call: &mut Call<'_>) -> Result<(), Refusal> {
    let operation = call.operation;
    let Some(smaller_in) = SMALLER_IN.get(operation.mode as usize).copied() else {
        return Err(call.non_contractual(format!("its mode {} is reserved", operation.mode)));
    };
    let c = *call.c();
    let d = *call.vectors.register(operation.d);
    let lanes = call.vectors.lanes();
    let (moves_indices, exchanges) =
        (lanes.with(LaneBit::EnableDestIndex), lanes.with(LaneBit::ExchangeSrcbSrcc));
    let (swapped, open) = if operation.mode == 0 {
        (u32::MAX, 0)
    } else {
        let smaller = lanes_where_both(&c, &d, |c, d| order(c) < order(d));
        ((smaller ^ !smaller_in) ^ exchanges, c.unknown | d.unknown)
    };
    let write = |call: &mut Call<'_>, number: u32, lanes: u32, other: &Vector| {
        let mut result = *call.vectors.register(number);
        result.replace(swapped & lanes, other);
        result.unknown |= open & lanes;
        call.vectors.write_lanes(number, lanes, &result);
    };
    for (number, other) in [(operation.c, &d), (operation.d, &c)] {
        if number < 8 {
            let lanes = if number < 4 { u32::MAX } else { !moves_indices };
            write(call, number, lanes, other);
        }
    }
    if moves_indices != 0 {
        let [of_c, of_d] = [operation.c, operation.d].map(|number| 4 + number % 4);
        let [c, d] = [of_c, of_d].map(|number| *call.vectors.register(number));
        write(call, of_c, moves_indices, &d);
        write(call, of_d, moves_indices, &c);
    }
    Ok(())
}

/// Each lane gets the datum of the lane before it, the first of a row that of the last.
#[inline(always)]
fn rotated(vector: &Vector) -> Vector {
    let mut lanes = vector.lanes;
    for row in lanes.as_chunks_mut::<ROW>().0 {
        row.rotate_right(1);
    }
    const FIRST: u32 = 0x0101_0101;
    let unknown = vector.unknown << 1 & !FIRST | vector.unknown >> 7 & FIRST;
    Vector { lanes, unknown }
}

/// Registers 0 to 2 get what the next ones hold, and register 3 something else.
fn move_down(call: &mut Call<'_>, last: &Vector) {
    let next = [1, 2, 3].map(|number| *call.vectors.register(number));
    for (number, vector) in (0..).zip(next.iter().chain([last])) {
        call.vectors.write(number, vector);
    }
}

/// `SFPSHFT2`.
#[inline(always)]
pub(super) fn shft2(call: &mut Call<'_>) -> Result<(), Refusal> {
    let operation = call.operation;
    let c = *call.c();
    match operation.mode {
        0 => move_down(call, &Vector::of(0)),
        1 => {
            let first = call.vectors.register(0);
            let last = shuffle(first, |lane| (lane < 3 * ROW).then_some(lane + ROW));
            move_down(call, &last);
        }
        2 => {
            call.vectors.rotated = c;
            move_down(call, &rotated(&c));
        }
        3 => {
            call.vectors.rotated = c;
            call.write(&rotated(&c));
        }
        4 => {
            // On some chips, the first lane of a row gets what the lane would have got of the last rotation.
            let stale = call.settings.chip.shifts_stale_data_in;
            let first = if stale { rotated(&call.vectors.rotated) } else { Vector::of(0) };
            let mut result = rotated(&c);
            result.replace(0x0101_0101, &first);
            call.write(&result);
        }
        5 => {
            if operation.immediate_12() > 15 {
                return Err(call.unsupported("its register has more than 4 bits"));
            }
            let result = map_two(call.b(), &c, |bits, distance| shifted(bits, distance as i32));
            call.write(&result);
        }
        6 => {
            let distance = operation.signed_12();
            let result = map(call.b(), |bits| shifted(bits, distance));
            call.write(&result);
        }
        mode => return Err(call.undefined(format!("no page has its mode {mode}"))),
    }
    Ok(())
}
