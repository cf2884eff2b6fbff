//! The memory of a buffer, or of a part of it.

use std::ops::Range;

use hallmark_schema::model::{BufferId, BufferRegion, BufferType, Failure};

use super::allocator::Placement;
use super::page_mapping::PageMapping;

/// Where a buffer's bytes lie, or those of a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BufferExtent {
    pub(crate) buffer_type: BufferType,
    pub(crate) page_size: u64,
    pub(crate) placement: Placement,
    /// Of the whole buffer.
    pub(crate) mapping: PageMapping,
    /// The pages of the whole buffer that belong to it.
    pub(crate) pages: Range<u64>,
}

impl BufferExtent {
    pub(crate) fn size(&self) -> u64 {
        self.pages.end.saturating_sub(self.pages.start).saturating_mul(self.page_size)
    }

    /// A part of it, which must be made of whole pages and lie within.
    pub(crate) fn part(&self, buffer: BufferId, region: BufferRegion) -> Result<Self, Failure> {
        let BufferRegion { offset, size } = region;
        if !region.is_paged(self.page_size) {
            let page_size = self.page_size;
            return Err(Failure::RegionNotPageMultiple { offset, size, page_size });
        }
        let limit = self.size();
        if !region.lies_within(limit) {
            return Err(Failure::RegionOutsideBuffer { buffer, offset, size, limit });
        }
        // It lies within, so nothing overflows.
        let start = self.pages.start + offset / self.page_size;
        Ok(Self { pages: start..start + size / self.page_size, ..self.clone() })
    }
}
