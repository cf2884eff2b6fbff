//! Differing bytes: the pages, their banks, and the first words side by side.

use std::collections::BTreeMap;

use hallmark_report::{Bank, BankBars, BytePair, PageRange, PageStrip, Picture};

use super::super::place::ReadPlace;

/// The largest number of examined pages.
const PAGES: usize = 1 << 20;
/// The largest number of ranges of differing pages in a picture.
const RANGES: usize = 4_096;
/// The number of shown bytes of either side, and of a row.
const SHOWN: usize = 128;
const ROW: usize = 16;

/// Two runs of bytes of one object.
pub(crate) struct Sides<'a> {
    /// The object, such as an output's name.
    pub object: &'a str,
    /// What one side is, such as "expected", and its bytes.
    pub left: (&'a str, &'a [u8]),
    /// What the other side is, and its bytes.
    pub right: (&'a str, &'a [u8]),
}

/// Pictures of the difference. `differ` compares two runs of bytes at the same place.
pub(crate) fn differing_bytes(
    sides: &Sides<'_>,
    read: Option<&ReadPlace>,
    differ: impl Fn(&[u8], &[u8]) -> bool,
) -> Vec<Picture> {
    let pages = read.map(|read| pages(sides, read, &differ)).unwrap_or_default();
    pages.into_iter().chain(first_bytes(sides, &differ)).collect()
}

/// The pages, and their banks.
fn pages(
    sides: &Sides<'_>,
    read: &ReadPlace,
    differ: &impl Fn(&[u8], &[u8]) -> bool,
) -> Vec<Picture> {
    let Some(page_size) = usize::try_from(read.page_size).ok().filter(|size| *size > 0) else {
        return Vec::new();
    };
    let (left, right) = (sides.left.1, sides.right.1);
    let differs = left.chunks(page_size).zip(right.chunks(page_size)).take(PAGES);
    let mut count: u64 = 0;
    let mut differing: Vec<PageRange> = Vec::new();
    let mut banks: BTreeMap<u64, Bank> = BTreeMap::new();
    for (page, (one, other)) in (0_u64..).zip(differs) {
        count = page.saturating_add(1);
        let differs = differ(one, other);
        if let Some((number, place)) = read.bank(page) {
            let empty = Bank { bank: number, place, pages: 0, differing: 0 };
            let bank = banks.entry(number).or_insert(empty);
            bank.pages = bank.pages.saturating_add(1);
            bank.differing = bank.differing.saturating_add(u64::from(differs));
        }
        if !differs {
            continue;
        }
        let is_full = differing.len() == RANGES;
        match differing.last_mut() {
            Some(range) if range.last.saturating_add(1) == page => range.last = page,
            Some(_) if is_full => {}
            Some(_) | None => differing.push(PageRange { first: page, last: page }),
        }
    }
    if count < 2 || differing.is_empty() {
        return Vec::new();
    }
    let (buffer, page_size) = (read.buffer.clone(), read.page_size);
    let strip = Picture::Pages(PageStrip { buffer, page_size, pages: count, differing });
    let bars = (banks.len() > 1).then(|| {
        let banks = banks.into_values().collect();
        let (memory, buffer) = (read.memory(), read.buffer.clone());
        Picture::Banks(BankBars { memory, buffer, banks })
    });
    std::iter::once(strip).chain(bars).collect()
}

/// The first differing bytes, with the row before them.
fn first_bytes(sides: &Sides<'_>, differ: &impl Fn(&[u8], &[u8]) -> bool) -> Option<Picture> {
    let (left, right) = (sides.left.1, sides.right.1);
    // A differing element is within one row: rows are larger than elements and aligned to them.
    let rows = left.chunks(ROW).zip(right.chunks(ROW));
    let first = rows.into_iter().position(|(one, other)| differ(one, other));
    let first = first.or_else(|| {
        let common = left.len().min(right.len());
        (left.len() != right.len()).then(|| common.checked_div(ROW).unwrap_or_default())
    })?;
    let start = first.saturating_sub(1).saturating_mul(ROW);
    let digits = |bytes: &[u8]| -> String {
        let shown = bytes.get(start..).unwrap_or_default();
        shown.iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect()
    };
    Some(Picture::Bytes(BytePair {
        object: sides.object.to_owned(),
        left_name: sides.left.0.to_owned(),
        right_name: sides.right.0.to_owned(),
        offset: u64::try_from(start).unwrap_or(u64::MAX),
        left: digits(left),
        right: digits(right),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(left: &[u8], right: &[u8]) -> Option<BytePair> {
        let sides = Sides { object: "out", left: ("expected", left), right: ("actual", right) };
        let pictures = differing_bytes(&sides, None, |one, other| one != other);
        pictures.into_iter().next().map(|picture| match picture {
            Picture::Bytes(pair) => pair,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn the_row_before_the_first_difference_is_shown_too() {
        let expected: Vec<u8> = (0..=255).collect();
        let mut actual = expected.clone();
        actual[40] = 0xff;
        let pair = bytes(&expected, &actual).unwrap();
        assert_eq!(pair.offset, 16);
        assert!(pair.left.starts_with("101112") && pair.left.len() == 2 * SHOWN, "{pair:?}");
        assert_eq!(&pair.right[48..52], "ff29");
        actual.clone_from(&expected);
        actual[0] = 1;
        assert_eq!(bytes(&expected, &actual).unwrap().offset, 0);
        assert_eq!(bytes(&expected, &expected), None);
    }

    #[test]
    fn a_side_that_ends_earlier_differs_there() {
        let expected = [7; 64];
        let pair = bytes(&expected, &expected[..48]).unwrap();
        assert_eq!((pair.offset, pair.left.len(), pair.right.len()), (32, 64, 32));
        assert_eq!(bytes(&expected, &[]).unwrap().right, "");
    }
}
