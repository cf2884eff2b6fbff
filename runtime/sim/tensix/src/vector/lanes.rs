//! Functions of each lane, which compilers turn into vector instructions.

use crate::registers::{LANE_BITS, LANES, Lanes, Vector};

/// A function of each lane.
#[inline(always)]
pub(super) fn map(c: &Vector, change: impl Fn(u32) -> u32) -> Vector {
    Vector { lanes: c.lanes.map(change), unknown: c.unknown }
}

/// A function of two vectors' lanes.
#[inline(always)]
pub(super) fn map_two(b: &Vector, c: &Vector, change: impl Fn(u32, u32) -> u32) -> Vector {
    let mut lanes = [0; LANES];
    for ((datum, b), c) in lanes.iter_mut().zip(&b.lanes).zip(&c.lanes) {
        *datum = change(*b, *c);
    }
    Vector { lanes, unknown: b.unknown | c.unknown }
}

/// The lanes in which something holds.
#[inline(always)]
pub(super) fn lanes_where(lanes: &Lanes, holds: impl Fn(u32) -> bool) -> u32 {
    let mut mask = 0;
    for (datum, bit) in lanes.iter().zip(&LANE_BITS) {
        mask |= if holds(*datum) { *bit } else { 0 };
    }
    mask
}

/// The lanes in which something holds of two vectors.
#[inline(always)]
pub(super) fn lanes_where_both(b: &Vector, c: &Vector, holds: impl Fn(u32, u32) -> bool) -> u32 {
    let mut mask = 0;
    for ((b, c), bit) in b.lanes.iter().zip(&c.lanes).zip(&LANE_BITS) {
        mask |= if holds(*b, *c) { *bit } else { 0 };
    }
    mask
}

/// The first vector's data in some lanes, and the second one's in the others.
#[inline(always)]
pub(super) fn choose(lanes: u32, first: &Vector, second: &Vector) -> Vector {
    let mut chosen = *second;
    chosen.replace(lanes, first);
    chosen
}

/// Vectors of which lanes are the same, moved: lane `n` becomes what lane `from(n)` was.
#[inline(always)]
pub(super) fn shuffle(vector: &Vector, from: impl Fn(usize) -> Option<usize>) -> Vector {
    let mut moved = Vector::of(0);
    for (lane, datum) in moved.lanes.iter_mut().enumerate() {
        let Some(from) = from(lane) else { continue };
        *datum = vector.lanes.get(from).copied().unwrap_or(0);
        moved.unknown |= (vector.unknown >> from & 1) << lane;
    }
    moved
}

/// Integers that order numbers of sign and magnitude, and floats (`SFPSWAP.md`, `SignMagIsSmaller`).
pub(super) const fn order(datum: u32) -> i32 {
    datum as i32 ^ ((datum as i32 >> 31) as u32 >> 1) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_total_order() {
        // -NaN, -infinity, -1, -0, 0, a denormal, 1, infinity, NaN.
        let rising = [
            0xFFC0_0000,
            0xFF80_0000,
            0xBF80_0000,
            0x8000_0000,
            0,
            1,
            0x3F80_0000,
            0x7F80_0000,
            0x7FC0_0000,
        ];
        assert!(rising.map(order).is_sorted_by(|one, other| one < other));
    }

    #[test]
    fn lanes_have_their_bits() {
        let vector = Vector::known(std::array::from_fn(|lane| lane as u32));
        assert_eq!(lanes_where(&vector.lanes, |datum| datum == 3 || datum > 29), 0xC000_0008);
        let other = Vector { lanes: [5; LANES], unknown: 1 << 6 };
        assert_eq!(lanes_where_both(&vector, &other, |one, other| one == other), 1 << 5);
        let chosen = choose(1 << 6 | 1 << 7, &other, &vector);
        assert_eq!((chosen.lanes[6], chosen.lanes[8], chosen.unknown), (5, 8, 1 << 6));
        let moved = shuffle(&chosen, |lane| lane.checked_sub(1));
        assert_eq!((moved.lanes[0], moved.lanes[7], moved.unknown), (0, 5, 1 << 7));
    }
}
