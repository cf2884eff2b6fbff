//! The pages of a buffer on their way between the host's bytes and the banks.

use hallmark_chip::{Fault, FaultCategory, FaultPlace, Footprint, TileAddress, Unwritten};

use super::{Bank, Banks, BufferExtent};
use crate::defects::{Defect, planted};

/// Bytes gathered for one transfer.
const CHUNK: usize = 1 << 20;

/// The runs of an extent in all banks of its memory, in the order in which they are written and read.
pub(crate) fn runs<'a>(
    banks: &'a Banks,
    extent: &BufferExtent,
) -> impl Iterator<Item = (&'a Bank, Run)> {
    runs_in(banks.of(extent.buffer_type), extent)
}

/// The runs of an extent, if its memory has these banks.
pub(crate) fn runs_in<'a>(
    banks: &'a [Bank],
    extent: &BufferExtent,
) -> impl Iterator<Item = (&'a Bank, Run)> {
    banks
        .iter()
        .zip(0..)
        .flat_map(|(bank, index)| Runs::new(extent, index, bank).map(move |run| (bank, run)))
}

/// The memory that a write or a read of an extent touches.
pub(crate) fn footprint(banks: &Banks, extent: &BufferExtent, writes: bool) -> Footprint {
    let mut footprint = Footprint::default();
    for (bank, Run { start, pages }) in runs(banks, extent) {
        let more = u64::from(planted(Defect::RegionsOfQueueRacesGrow));
        let length = (pages.len() as u64).saturating_mul(extent.page_size) + more;
        footprint.add(bank.physical, start.0, length, writes);
    }
    footprint
}

/// The pages of an extent as they follow one another in the host's bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostPages {
    first: u64,
    size: u64,
}

impl HostPages {
    pub(crate) const fn of(extent: &BufferExtent) -> Self {
        Self { first: extent.pages.start, size: extent.page_size }
    }

    /// Bytes of a page, at least one.
    pub(crate) fn size(self) -> usize {
        usize::try_from(self.size).unwrap_or(usize::MAX).max(1)
    }

    /// Where a page of the whole buffer lies among the host's bytes.
    fn slice(self, page: u64) -> Option<std::ops::Range<usize>> {
        let place = usize::try_from(page.checked_sub(self.first)?).ok()?;
        let start = place.checked_mul(self.size())?;
        Some(start..start.checked_add(self.size())?)
    }

    /// The bytes of some pages, one after the other: in `memory`, unless they lie so already.
    pub(crate) fn gathered<'a>(
        self,
        pages: &[u64],
        bytes: &'a [u8],
        memory: &'a mut Vec<u8>,
    ) -> &'a [u8] {
        if let (Some(first), Some(last)) = (pages.first(), pages.last())
            && pages.is_sorted_by(|before, after| before.checked_add(1) == Some(*after))
            && let (Some(first), Some(last)) = (self.slice(*first), self.slice(*last))
            && let Some(together) = bytes.get(first.start..last.end)
        {
            return together;
        }
        memory.clear();
        for source in pages.iter().filter_map(|&page| bytes.get(self.slice(page)?)) {
            memory.extend_from_slice(source);
        }
        memory
    }

    /// Puts the bytes of some pages at their places in the host's bytes.
    pub(crate) fn scatter(self, pages: &[u64], from: &[u8], bytes: &mut [u8]) {
        for (&page, source) in pages.iter().zip(from.chunks(self.size())) {
            if let Some(target) = self.slice(page).and_then(|range| bytes.get_mut(range)) {
                target.copy_from_slice(source);
            }
        }
    }

    /// The fault of a host that reads a byte of these pages of the buffer `name` that nothing has written.
    pub(crate) fn unwritten(self, name: &str, pages: &[u64], found: Unwritten) -> Fault {
        let Unwritten { tile, offset, length: _, source, memory, carrier } = found;
        let page_size = self.size() as u64;
        let index = usize::try_from(offset / page_size).unwrap_or(usize::MAX);
        let page = pages.get(index).copied().unwrap_or_default().saturating_sub(self.first);
        Fault {
            category: FaultCategory::UnpredictableValueUsed,
            reason: format!(
                "byte {} of page {page} of buffer `{name}`, which the host reads, comes from {source}, which nothing has \
                 written since power-on or since it was freed",
                offset % page_size
            ),
            place: Some(Box::new(carrier.unwrap_or_else(|| FaultPlace::of_tile(tile)))),
            against: None,
            memory: memory.map(Box::new),
        }
    }
}

/// Pages that follow one another in a bank without padding between them.
pub(crate) struct Run {
    pub(crate) start: TileAddress,
    pub(crate) pages: Vec<u64>,
}

/// The runs of an extent in one bank.
struct Runs {
    pages: std::iter::Peekable<Box<dyn Iterator<Item = (u64, u64)>>>,
    /// Where the bank's first page lies.
    base: u64,
    stride: u64,
    /// Pages of the longest run that is handed out.
    longest: usize,
}

impl Runs {
    fn new(extent: &BufferExtent, index: u64, bank: &Bank) -> Self {
        let stride = extent.placement.page_stride;
        let dense = stride == extent.page_size;
        let page_size = usize::try_from(extent.page_size).unwrap_or(usize::MAX).max(1);
        Self {
            pages: extent.mapping.pages_of(index, extent.pages.clone()).peekable(),
            base: bank.offset.saturating_add(extent.placement.address),
            stride,
            longest: if dense { (CHUNK / page_size).max(1) } else { 1 },
        }
    }
}

impl Iterator for Runs {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        let (page, first) = self.pages.next()?;
        let mut pages = vec![page];
        let mut expected = first.saturating_add(1);
        while pages.len() < self.longest {
            let Some((page, _)) = self.pages.next_if(|(_, slot)| *slot == expected) else { break };
            pages.push(page);
            expected = expected.saturating_add(1);
        }
        // The allocator has checked that all of this fits into a bank.
        let start = self.base.saturating_add(first.saturating_mul(self.stride));
        Some(Run { start: TileAddress(start), pages })
    }
}
