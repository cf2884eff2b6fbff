//! Digests of a buffer's pages, in which bytes that nobody wrote count for nothing.

use serde::{Deserialize, Serialize};

use crate::worker::memory::UnwrittenRange;

/// A buffer with more pages has digests of several pages each.
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

/// A text that is no digest.
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
    /// Pages that each digest is of, at least 1; the last may be of fewer.
    pub pages_each: u64,
    /// In the order of the pages.
    pub digests: Vec<PageDigest>,
}

impl PageDigests {
    /// The pages whose digests differ, by their ranges; all of them where the two are of buffers of other sizes.
    pub fn differing(&self, other: &Self) -> Vec<std::ops::Range<u64>> {
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

/// The digests of a buffer. `unwritten` are the bytes that nothing wrote here, `mask` those that count for nothing.
/// What is unwritten and counts is a difference from everything that was written.
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
    let mut marks = vec![Mark::Written; bytes.len()];
    for (ranges, mark) in [(unwritten, Mark::Unwritten), (mask, Mark::CountsForNothing)] {
        for range in ranges {
            let (start, end) = (usize::try_from(range.start), usize::try_from(range.end));
            if let (Ok(start), Ok(end)) = (start, end) {
                let end = end.min(bytes.len());
                marks.get_mut(start..end).unwrap_or_default().fill(mark);
            }
        }
    }
    let digest = |(bytes, marks): (&[u8], &[Mark])| {
        let mut hasher = blake3::Hasher::new();
        if marks.iter().all(|mark| *mark == Mark::Written) {
            hasher.update(bytes);
        } else {
            let counts = |(byte, mark): (&u8, &Mark)| match mark {
                Mark::Written => [0, *byte],
                Mark::Unwritten => [1, 0],
                Mark::CountsForNothing => [2, 0],
            };
            let marked: Vec<u8> = bytes.iter().zip(marks).flat_map(counts).collect();
            hasher.update(&marked);
        }
        let hash = hasher.finalize();
        let mut first = [0; 8];
        first.iter_mut().zip(hash.as_bytes()).for_each(|(to, from)| *to = *from);
        PageDigest(u64::from_be_bytes(first))
    };
    let digests = bytes.chunks(span).zip(marks.chunks(span)).map(digest).collect();
    PageDigests { pages_each, digests }
}

/// What a byte of a page is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Written,
    Unwritten,
    CountsForNothing,
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
        // Whatever lies under the mask, written or not.
        let mut other = bytes;
        other[2] = 9;
        assert_eq!(of(&other, &[], &mask), masked);
        other[1] = 9;
        assert_eq!(of(&other, &[], &mask).differing(&masked).first(), Some(&(0..1)));
        // Written here and not there.
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
