//! The memory of a buffer, or of a part of it.

use std::ops::Range;

use hallmark_schema::model::BufferType;

use super::page_mapping::PageMapping;

/// The place of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The address of the first page, the same in every bank.
    pub address: u64,
    /// Bytes from one page of a bank to the next: the page size, aligned.
    pub page_stride: u64,
    /// Bytes in each bank, the largest share.
    pub bank_size: u64,
}

/// The place of a buffer's bytes, or of a part of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferExtent {
    /// The memory.
    pub buffer_type: BufferType,
    /// Bytes of a page, without the padding behind it.
    pub page_size: u64,
    /// The placement of the whole buffer.
    pub placement: Placement,
    /// The mapping of the whole buffer.
    pub mapping: PageMapping,
    /// The pages of the whole buffer that belong to it.
    pub pages: Range<u64>,
}

impl BufferExtent {
    /// Bytes of its pages.
    pub fn size(&self) -> u64 {
        self.pages.end.saturating_sub(self.pages.start).saturating_mul(self.page_size)
    }

    /// The same pages in parts of up to so many bytes, or of one page where pages are larger. Nothing without pages.
    pub(crate) fn parts(&self, bytes: u64) -> impl Iterator<Item = Self> + use<> {
        let of_part = bytes.checked_div(self.page_size).unwrap_or(1).max(1);
        let (whole, mut rest) = (self.clone(), self.pages.clone());
        std::iter::from_fn(move || {
            let start = rest.start;
            let end = start.saturating_add(of_part).min(rest.end);
            rest.start = end;
            (start < end).then(|| Self { pages: start..end, ..whole.clone() })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(pages: Range<u64>, page_size: u64, bytes: u64) -> Vec<Range<u64>> {
        let extent = BufferExtent {
            buffer_type: BufferType::L1,
            page_size,
            placement: Placement { address: 0, page_stride: page_size, bank_size: 0 },
            mapping: PageMapping::Interleaved { banks: 3 },
            pages,
        };
        let parts: Vec<BufferExtent> = extent.parts(bytes).collect();
        assert_eq!(parts.iter().map(BufferExtent::size).sum::<u64>(), extent.size());
        parts.into_iter().map(|part| part.pages).collect()
    }

    #[test]
    fn parts_hold_whole_pages_and_all_of_them() {
        assert_eq!(parts(5..12, 100, 300), [5..8, 8..11, 11..12]);
        assert_eq!(parts(5..12, 100, 399), [5..8, 8..11, 11..12]);
        assert_eq!(parts(5..12, 100, 700).len(), 1);
        assert_eq!(parts(0..3, 100, 99), [0..1, 1..2, 2..3]);
        assert!(parts(4..4, 100, 300).is_empty());
        assert_eq!(parts(0..2, 0, 300), [0..1, 1..2]);
    }
}
