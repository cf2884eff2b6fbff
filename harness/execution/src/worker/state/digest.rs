//! Digests of a buffer's pages, in which unwritten bytes are ignored.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::worker::memory::UnwrittenRange;

/// The largest number of digests; a digest of a larger buffer covers several pages.
const MOST_DIGESTS: u64 = 4096;

/// The first eight bytes of the BLAKE3 hash of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct PageDigest(u64);

impl From<PageDigest> for String {
    fn from(PageDigest(digest): PageDigest) -> Self {
        format!("{digest:016x}")
    }
}

impl PageDigest {
    fn of(bytes: &[u8]) -> Self {
        let mut first = [0; 8];
        let hash = blake3::hash(bytes);
        first.iter_mut().zip(hash.as_bytes()).for_each(|(to, from)| *to = *from);
        Self(u64::from_be_bytes(first))
    }
}

/// A text that is not a digest.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no digest of a page: 16 hexadecimal digits")]
pub struct NoDigest(String);

impl TryFrom<String> for PageDigest {
    type Error = NoDigest;

    fn try_from(text: String) -> Result<Self, NoDigest> {
        match u64::from_str_radix(&text, 16) {
            Ok(digest) if text.len() == 16 => Ok(Self(digest)),
            Ok(_) | Err(_) => Err(NoDigest(text)),
        }
    }
}

/// The digests of a buffer's pages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageDigests {
    /// The number of pages per digest, at least 1; the last digest may cover fewer.
    pub pages_each: u64,
    /// The digests in the order of the pages.
    pub digests: Vec<PageDigest>,
}

impl PageDigests {
    /// The ranges of pages with different digests; all pages if the buffers' sizes differ.
    pub fn differing(&self, other: &Self) -> Vec<Range<u64>> {
        let range = |index: u64| {
            let start = index.saturating_mul(self.pages_each);
            start..start.saturating_add(self.pages_each)
        };
        let is_comparable =
            (self.pages_each, self.digests.len()) == (other.pages_each, other.digests.len());
        let pairs = (0..).zip(self.digests.iter().zip(&other.digests));
        let differing = pairs.filter(|(_, (one, two))| !is_comparable || one != two);
        differing.map(|(index, _)| range(index)).collect()
    }
}

/// The digests of a buffer. `unwritten` are its unwritten bytes, `mask` its ignored ones. An unwritten byte
/// that is not ignored differs from every written one.
pub fn page_digests(
    bytes: &[u8],
    page_size: u64,
    unwritten: &[UnwrittenRange],
    mask: &[UnwrittenRange],
) -> PageDigests {
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let page_size = page_size.max(1);
    let pages_each = length.div_ceil(page_size).div_ceil(MOST_DIGESTS).max(1);
    let span = usize::try_from(page_size.saturating_mul(pages_each)).unwrap_or(usize::MAX);
    let pieces = Pieces { unwritten: Ranges::new(unwritten), mask: Ranges::new(mask) };
    // Completely unwritten pages are common, and equal.
    let mut blank: BTreeMap<(Mark, usize), PageDigest> = BTreeMap::new();
    let mut start = 0;
    let digests = bytes.chunks(span).map(|page| {
        let end = start + page.len();
        let marked = pieces.within(start..end);
        start = end;
        match marked.as_slice() {
            [(_, Mark::Written)] => PageDigest::of(page),
            [(_, mark)] => *blank
                .entry((*mark, page.len()))
                .or_insert_with(|| PageDigest::of(&mark.stream().repeat(page.len()))),
            several => PageDigest::of(&stream(page, several)),
        }
    });
    PageDigests { pages_each, digests: digests.collect() }
}

/// The hashed data of a page that is not completely written: two bytes for each of its bytes.
fn stream(page: &[u8], marked: &[(Range<usize>, Mark)]) -> Vec<u8> {
    let mut stream = Vec::with_capacity(page.len().saturating_mul(2));
    let mut rest = page;
    for (range, mark) in marked {
        let (bytes, after) = rest.split_at_checked(range.len()).unwrap_or((rest, &[]));
        match mark {
            Mark::Written => stream.extend(bytes.iter().flat_map(|byte| [0, *byte])),
            Mark::Unwritten | Mark::CountsForNothing => {
                stream.extend(mark.stream().repeat(bytes.len()));
            }
        }
        rest = after;
    }
    stream
}

/// The state of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    Written,
    Unwritten,
    CountsForNothing,
}

impl Mark {
    /// The hashed bytes for a state, without the value of the byte.
    const fn stream(self) -> [u8; 2] {
        match self {
            Self::Written => [0, 0],
            Self::Unwritten => [1, 0],
            Self::CountsForNothing => [2, 0],
        }
    }
}

/// Ranges of bytes, ascending and disjoint.
struct Ranges(Vec<Range<usize>>);

impl Ranges {
    fn new(given: &[UnwrittenRange]) -> Self {
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        let mut ranges: Vec<Range<usize>> =
            given.iter().map(|range| place(range.start)..place(range.end)).collect();
        ranges.retain(|range| !range.is_empty());
        ranges.sort_unstable_by_key(|range| range.start);
        ranges.dedup_by(|next, last| {
            let joins = next.start <= last.end;
            if joins {
                last.end = last.end.max(next.end);
            }
            joins
        });
        Self(ranges)
    }

    /// Whether `at` is in a range, and the next byte for which this differs.
    fn run(&self, at: usize) -> (bool, usize) {
        let next = self.0.partition_point(|range| range.end <= at);
        match self.0.get(next) {
            Some(range) if range.start <= at => (true, range.end),
            Some(range) => (false, range.start),
            None => (false, usize::MAX),
        }
    }
}

/// The states of a buffer's bytes: those of the mask are ignored regardless of their state.
struct Pieces {
    unwritten: Ranges,
    mask: Ranges,
}

impl Pieces {
    /// The pieces of a range, with a different state from one to the next.
    fn within(&self, range: Range<usize>) -> Vec<(Range<usize>, Mark)> {
        let mut pieces: Vec<(Range<usize>, Mark)> = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let (masked, end_of_masked) = self.mask.run(at);
            let (unwritten, end_of_unwritten) = self.unwritten.run(at);
            let (mark, end) = match (masked, unwritten) {
                (true, _) => (Mark::CountsForNothing, end_of_masked),
                (false, true) => (Mark::Unwritten, end_of_masked.min(end_of_unwritten)),
                (false, false) => (Mark::Written, end_of_masked.min(end_of_unwritten)),
            };
            let end = end.min(range.end);
            match pieces.last_mut() {
                Some((last, before)) if *before == mark => last.end = end,
                _ => pieces.push((at..end, mark)),
            }
            at = end;
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u64, end: u64) -> UnwrittenRange {
        UnwrittenRange { start, end }
    }

    #[test]
    fn what_the_mask_holds_counts_for_nothing_and_all_else_counts() {
        let bytes = [1, 2, 3, 4, 5, 6, 7, 8];
        let of = |bytes: &[u8], unwritten: &[UnwrittenRange], mask: &[UnwrittenRange]| {
            page_digests(bytes, 4, unwritten, mask)
        };
        let mask = [range(2, 3)];
        let masked = of(&bytes, &mask, &mask);
        // The bytes under the mask do not matter, written or not.
        let mut other = bytes;
        other[2] = 9;
        assert_eq!(of(&other, &[], &mask), masked);
        other[1] = 9;
        assert_eq!(of(&other, &[], &mask).differing(&masked).first(), Some(&(0..1)));
        // Written on this side and not on the other.
        assert_eq!(of(&bytes, &[range(1, 3)], &mask).differing(&masked).first(), Some(&(0..1)));
        assert_eq!(
            of(&[1, 2, 0, 4, 5, 6, 7, 8], &[], &[]).differing(&masked).first(),
            Some(&(0..1))
        );
        assert_eq!(
            of(&bytes, &[range(7, 90)], &[]).differing(&of(&bytes, &[], &[])).first(),
            Some(&(1..2))
        );
    }

    /// Other releases compare their digests with these, so none may change.
    #[test]
    fn each_byte_is_hashed_with_its_mark() {
        let bytes: Vec<u8> = (0..60).collect();
        let unwritten = [range(40, 50), range(5, 9), range(45, 47), range(20, 40)];
        let mask = [range(7, 22), range(58, 99), range(30, 30)];
        let of = |at: u64| match bytes.get(usize::try_from(at).unwrap()) {
            _ if mask.iter().any(|it| (it.start..it.end).contains(&at)) => [2, 0],
            _ if unwritten.iter().any(|it| (it.start..it.end).contains(&at)) => [1, 0],
            byte => [0, *byte.unwrap()],
        };
        for page in [1, 2, 4, 7, 12, 60, 100] {
            let expected: Vec<PageDigest> = (0..60_u64)
                .step_by(page)
                .map(|first| {
                    let end = (first + page as u64).min(60);
                    let marked: Vec<[u8; 2]> = (first..end).map(of).collect();
                    let is_written = marked.iter().all(|marked| marked[0] == 0);
                    let whole =
                        &bytes[usize::try_from(first).unwrap()..usize::try_from(end).unwrap()];
                    PageDigest::of(&if is_written { whole.to_vec() } else { marked.concat() })
                })
                .collect();
            let digests = page_digests(&bytes, page as u64, &unwritten, &mask).digests;
            assert_eq!(digests, expected, "pages of {page}");
        }
    }

    #[test]
    fn so_many_pages_have_a_digest_each_and_one_more_shares() {
        let most = usize::try_from(MOST_DIGESTS).unwrap();
        let full = page_digests(&vec![0; most * 2], 2, &[], &[]);
        assert_eq!((full.pages_each, full.digests.len()), (1, most));
        let mut bytes = vec![0; most * 2 + 2];
        let before = page_digests(&bytes, 2, &[], &[]);
        assert_eq!((before.pages_each, before.digests.len()), (2, most / 2 + 1));
        bytes[most * 2] = 1;
        let last = MOST_DIGESTS..MOST_DIGESTS + 2;
        assert_eq!(page_digests(&bytes, 2, &[], &[]).differing(&before), [last]);
        assert_eq!(page_digests(&[], 0, &[], &[]).digests, []);
    }

    #[test]
    fn a_digest_is_sixteen_digits() {
        let digest = page_digests(&[1], 1, &[], &[]).digests[0];
        let text = String::from(digest);
        assert_eq!((text.len(), PageDigest::try_from(text).unwrap()), (16, digest));
        for wrong in ["", "1", "00000000000000001", "000000000000000g"] {
            assert!(PageDigest::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }
}
