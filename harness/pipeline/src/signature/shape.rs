//! How bytes differ from what they should be, as far as that hints at a cause.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

/// More bits of a word than this are no flipped bits but another word.
const MOST_FLIPPED_BITS: u32 = 4;
/// The longest way that bytes are looked for elsewhere, in bytes.
const LONGEST_SHIFT: usize = 4096;
/// Ways that are no multiple of a word are shorter, in bytes.
const LONGEST_ODD_SHIFT: usize = 64;
/// Fewer bytes than this may lie elsewhere by chance.
const LEAST_SHIFTED: usize = 8;

/// How bytes differ from what they should be: the first of these that describes all bytes that differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Shape {
    /// Zeros stand where something else should.
    Zeros,
    /// What the buffer held before stands there.
    Stale,
    /// The same few bits of words are flipped.
    Bits {
        /// Those bits, in words of 32.
        mask: u32,
    },
    /// What should stand elsewhere stands there.
    Shifted {
        /// How many bytes further on it stands than it should.
        bytes: i64,
    },
    /// Every word differs.
    All,
    /// Some pages differ, in equal distances.
    Pages {
        /// The first.
        first: u64,
        /// From each to the next; 0 if it is one page.
        stride: u64,
    },
    /// Otherwise.
    Other,
}

/// What bytes are and what they should be.
#[derive(Clone, Copy, Debug)]
pub struct Contents<'a> {
    /// What should be there.
    pub expected: &'a [u8],
    /// What is there.
    pub actual: &'a [u8],
    /// Bytes per page, where they are pages.
    pub page_size: Option<u64>,
    /// What was there before, the latest first. What has another length is not looked at.
    pub earlier: &'a [Vec<u8>],
}

impl Shape {
    /// How bytes differ that do differ.
    pub fn of(contents: Contents<'_>) -> Self {
        let Contents { expected, actual, page_size, earlier } = contents;
        if expected.len() != actual.len() {
            return Self::Other;
        }
        let both = || expected.iter().zip(actual);
        let differing = || both().filter(|(one, other)| one != other);
        if differing().all(|(_, actual)| *actual == 0) {
            return Self::Zeros;
        }
        let stands_there = |before: &Vec<u8>| {
            before.len() == actual.len()
                && both().zip(before).all(|((one, other), was)| one == other || other == was)
        };
        if earlier.iter().any(stands_there) {
            return Self::Stale;
        }
        let flipped = flipped(expected, actual);
        if flipped.count_ones() <= MOST_FLIPPED_BITS {
            return Self::Bits { mask: flipped };
        }
        if let Some(bytes) = shift(expected, actual) {
            return Self::Shifted { bytes };
        }
        if expected.chunks(4).zip(actual.chunks(4)).all(|(one, other)| one != other) {
            return Self::All;
        }
        let pages = page_size.and_then(|page_size| differing_pages(expected, actual, page_size));
        pages.unwrap_or(Self::Other)
    }

    /// What of it stays the same in a buffer of another size.
    pub(super) const fn compared(self) -> Self {
        match self {
            Self::Shifted { .. } => Self::Shifted { bytes: 0 },
            Self::Pages { .. } => Self::Pages { first: 0, stride: 0 },
            Self::Zeros | Self::Stale | Self::Bits { .. } | Self::All | Self::Other => self,
        }
    }
}

/// All bits of words that are flipped in some word.
fn flipped(expected: &[u8], actual: &[u8]) -> u32 {
    let word =
        |bytes: &[u8]| bytes.iter().rev().fold(0_u32, |word, byte| word << 8 | u32::from(*byte));
    let words = expected.chunks(4).zip(actual.chunks(4));
    words.fold(0, |mask, (one, other)| mask | (word(one) ^ word(other)))
}

/// By how many bytes what stands there is too far on, if it is by the same number everywhere.
fn shift(expected: &[u8], actual: &[u8]) -> Option<i64> {
    let differing: Vec<usize> = expected
        .iter()
        .zip(actual)
        .enumerate()
        .filter(|(_, (one, other))| one != other)
        .map(|(index, _)| index)
        .collect();
    let is_by = |bytes: i64| {
        let mut found = 0_usize;
        let mut values = BTreeSet::new();
        for &index in &differing {
            let from = i64::try_from(index).ok().and_then(|index| index.checked_sub(bytes));
            // What lies outside of the buffer is not known.
            let Some(from) = from.and_then(|from| usize::try_from(from).ok()) else { continue };
            let Some(should) = expected.get(from) else { continue };
            if actual.get(index) != Some(should) {
                return false;
            }
            found = found.saturating_add(1);
            values.insert(*should);
        }
        // Of one value, everything is as good a copy as everything else.
        found >= LEAST_SHIFTED && found.saturating_mul(2) > differing.len() && values.len() > 1
    };
    let distances = (1..=LONGEST_ODD_SHIFT).chain((LONGEST_ODD_SHIFT..=LONGEST_SHIFT).step_by(4));
    let distances = distances.take_while(|distance| *distance < expected.len());
    let both_ways = distances.filter_map(|distance| i64::try_from(distance).ok());
    both_ways.flat_map(|distance| [distance, -distance]).find(|&distance| is_by(distance))
}

/// The pages that differ, if they lie in equal distances and are not all of them.
fn differing_pages(expected: &[u8], actual: &[u8], page_size: u64) -> Option<Shape> {
    let page_size = usize::try_from(page_size).ok().filter(|size| *size > 0)?;
    let pages = expected.chunks(page_size).zip(actual.chunks(page_size));
    let total = expected.len().div_ceil(page_size);
    let differing = (0_u64..).zip(pages).filter(|(_, (one, other))| one != other);
    let differing: Vec<u64> = differing.map(|(page, _)| page).collect();
    let first = *differing.first()?;
    if differing.len() == total {
        return None;
    }
    let mut strides = differing.windows(2).map(|pair| match pair {
        [one, other] => other.saturating_sub(*one),
        _ => 0,
    });
    let stride = strides.next().unwrap_or(0);
    strides.all(|other| other == stride).then_some(Shape::Pages { first, stride })
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zeros => formatter.write_str("zeros instead of what was expected"),
            Self::Stale => formatter.write_str("it holds what it held before"),
            Self::Bits { mask } => write!(formatter, "flipped bits of words, {mask:#010x}"),
            Self::Shifted { bytes } => write!(formatter, "shifted by {bytes} bytes"),
            Self::All => formatter.write_str("every word"),
            Self::Pages { first, stride: 0 } => write!(formatter, "page {first}"),
            Self::Pages { first, stride: 1 } => write!(formatter, "pages from {first} on"),
            Self::Pages { first, stride } => {
                write!(formatter, "every page in steps of {stride} from {first} on")
            }
            Self::Other => formatter.write_str("some words"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(expected: &[u8], actual: &[u8], earlier: &[Vec<u8>]) -> Shape {
        Shape::of(Contents { expected, actual, page_size: Some(32), earlier })
    }

    fn counted(length: usize) -> Vec<u8> {
        (0..length).map(|index| (index * 7 + index / 32 + 1) as u8).collect()
    }

    #[test]
    fn each_shape_is_told_from_the_others() {
        let expected = counted(128);
        let mut zeros = expected.clone();
        zeros[32..64].fill(0);
        assert_eq!(shape(&expected, &zeros, &[]), Shape::Zeros);
        let before = vec![0xAA; 128];
        let mut stale = expected.clone();
        stale[64..].fill(0xAA);
        assert_eq!(shape(&expected, &stale, std::slice::from_ref(&before)), Shape::Stale);
        // What it held before must stand everywhere.
        stale[70] = 0xAB;
        assert_eq!(shape(&expected, &stale, &[before]), Shape::Pages { first: 2, stride: 1 });
        let bits: Vec<u8> =
            (0..).zip(&expected).map(|(at, it)| it ^ u8::from(at % 4 == 1)).collect();
        assert_eq!(shape(&expected, &bits, &[]), Shape::Bits { mask: 0x100 });
        let mut shifted = expected.clone();
        shifted.copy_within(0..120, 8);
        assert_eq!(shape(&expected, &shifted, &[]), Shape::Shifted { bytes: 8 });
        let mut shifted = expected.clone();
        shifted.copy_within(3.., 0);
        assert_eq!(shape(&expected, &shifted, &[]), Shape::Shifted { bytes: -3 });
        let all: Vec<u8> = expected.iter().map(|byte| byte.wrapping_mul(3) ^ 0x5A | 1).collect();
        assert_eq!(shape(&expected, &all, &[]), Shape::All);
        let mut pages = expected.clone();
        for page in [0, 2] {
            pages[page * 32..page * 32 + 32].iter_mut().for_each(|byte| *byte ^= 0x77);
        }
        assert_eq!(shape(&expected, &pages, &[]), Shape::Pages { first: 0, stride: 2 });
        pages[96..].iter_mut().for_each(|byte| *byte ^= 0x77);
        assert_eq!(shape(&expected, &pages, &[]), Shape::Other);
        assert_eq!(shape(&expected, &expected[1..], &[]), Shape::Other);
    }

    #[test]
    fn as_many_bits_may_flip_and_no_more() {
        let expected = counted(64);
        let flip = |mask: u8| -> Vec<u8> { expected.iter().map(|byte| byte ^ mask).collect() };
        let one_byte = |mask: u8| {
            let mut actual = expected.clone();
            actual[5] ^= mask;
            shape(&expected, &actual, &[])
        };
        assert_eq!(one_byte(0x0F), Shape::Bits { mask: 0x0F00 });
        assert_eq!(one_byte(0x1F), Shape::Pages { first: 0, stride: 0 });
        // Four bits of each of four bytes are sixteen.
        assert_eq!(shape(&expected, &flip(0x0F), &[]), Shape::All);
    }

    #[test]
    fn equal_bytes_are_not_shifted() {
        let (expected, actual) = ([[1_u8; 32], [0xFE; 32]].concat(), vec![0xFE; 64]);
        assert_eq!(shape(&expected, &actual, &[]), Shape::Pages { first: 0, stride: 0 });
    }
}
