//! The memory of a buffer, or of a part of it.

use std::ops::Range;

use hallmark_schema::model::BufferType;

use super::page_mapping::PageMapping;

/// Where a buffer lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The same in every bank.
    pub address: u64,
    /// Bytes from one page of a bank to the next: the page size, aligned.
    pub page_stride: u64,
    /// Bytes in each bank, the largest share.
    pub bank_size: u64,
}

/// Where a buffer's bytes lie, or those of a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferExtent {
    /// The memory.
    pub buffer_type: BufferType,
    /// Bytes of a page, without what aligns the next one.
    pub page_size: u64,
    /// Of the whole buffer.
    pub placement: Placement,
    /// Of the whole buffer.
    pub mapping: PageMapping,
    /// The pages of the whole buffer that belong to it.
    pub pages: Range<u64>,
}

impl BufferExtent {
    /// Bytes of its pages.
    pub fn size(&self) -> u64 {
        self.pages.end.saturating_sub(self.pages.start).saturating_mul(self.page_size)
    }
}
