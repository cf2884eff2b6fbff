//! The bytes of buffers on their way between host and banks.

use hallmark_chip::{
    DeviceError, Fault, FaultCategory, FaultPlace, Footprint, Meaning, TileAddress, Unwritten,
};

use crate::addresses::{Bank, BufferExtent};
use crate::defects::{Defect, planted};
use crate::engine::Engine;
use crate::halt::Halt;

/// Bytes gathered for one transfer.
const CHUNK: usize = 1 << 20;

impl Engine {
    pub(crate) fn annotate_extent(
        &mut self,
        extent: &BufferExtent,
        meaning: Meaning,
    ) -> Result<(), Halt> {
        let length = extent.placement.bank_size;
        let banks = self.banks.of(extent.buffer_type).to_vec();
        let used = banks.iter().zip(0..).filter(|(_, index)| extent.mapping.uses(*index));
        for (bank, _) in used.filter(|_| !planted(Defect::FreedMemoryKeepsItsMeaning)) {
            let start = TileAddress(bank.offset.saturating_add(extent.placement.address));
            self.chip.annotate(bank.physical, start, length, meaning)?;
        }
        Ok(())
    }

    /// The memory that a write or a read touches.
    pub(super) fn extent_footprint(&self, extent: &BufferExtent, writes: bool) -> Footprint {
        let mut footprint = Footprint::default();
        for (bank, index) in self.banks.of(extent.buffer_type).iter().zip(0..) {
            for Run { start, pages } in Runs::new(extent, index, bank) {
                let more = u64::from(planted(Defect::RegionsOfQueueRacesGrow));
                let length = (pages.len() as u64).saturating_mul(extent.page_size) + more;
                footprint.add(bank.physical, start.0, length, writes);
            }
        }
        footprint
    }

    pub(super) fn write_extent(
        &mut self,
        extent: &BufferExtent,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        let mut banks = self.banks.of(extent.buffer_type).to_vec();
        if planted(Defect::WritesToTheNextBank) {
            banks.rotate_left(1);
        }
        let host = HostPages::of(extent);
        let mut memory = Vec::new();
        for (bank, index) in banks.iter().zip(0..) {
            for Run { start, pages } in Runs::new(extent, index, bank) {
                // Padding between pages stays as it is: a run has none.
                let gathered = host.gathered(&pages, bytes, &mut memory);
                self.chip.write(bank.tile, start, gathered)?;
            }
        }
        self.chip.order()
    }

    pub(super) fn read_extent(
        &mut self,
        extent: &BufferExtent,
        bytes: &mut [u8],
    ) -> Result<(), DeviceError> {
        let banks = self.banks.of(extent.buffer_type).to_vec();
        let host = HostPages::of(extent);
        let page_size = host.size();
        let mut scattered = Vec::new();
        // What a program should have written and did not must not equal an expectation by chance.
        // Padding is not asked about. A capture blames the program that ran last, so before the first
        // one there is nobody to blame, and what is read is what the chip happens to hold.
        let asks = self.last_launch.is_some() && self.chip.capabilities().detects_uninitialised;
        for (bank, index) in banks.iter().zip(0..) {
            for Run { start, pages } in Runs::new(extent, index, bank) {
                scattered.resize(pages.len() * page_size, 0);
                self.chip.read(bank.tile, start, &mut scattered)?;
                if asks {
                    let length = scattered.len() as u64;
                    if let Some(found) = self.chip.unwritten(bank.tile, start, length)? {
                        return Err(host.unwritten(&pages, found).into());
                    }
                }
                if planted(Defect::ReadsMissAPage) {
                    scattered.truncate(scattered.len() - page_size);
                }
                host.scatter(&pages, &scattered, bytes);
            }
        }
        Ok(())
    }
}

/// How the pages of an extent lie one after the other in the host's bytes of it.
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
    fn size(self) -> usize {
        usize::try_from(self.size).unwrap_or(usize::MAX).max(1)
    }

    /// Where a page of the whole buffer lies.
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

    /// Puts the bytes of some pages where they belong.
    pub(crate) fn scatter(self, pages: &[u64], from: &[u8], bytes: &mut [u8]) {
        for (&page, source) in pages.iter().zip(from.chunks(self.size())) {
            if let Some(target) = self.slice(page).and_then(|range| bytes.get_mut(range)) {
                target.copy_from_slice(source);
            }
        }
    }

    /// The host asked for a byte that nothing has written, among these pages.
    pub(crate) fn unwritten(self, pages: &[u64], found: Unwritten) -> Fault {
        let Unwritten { tile, offset, length: _, source, memory } = found;
        let page_size = self.size() as u64;
        let index = usize::try_from(offset / page_size).unwrap_or(usize::MAX);
        let page = pages.get(index).copied().unwrap_or_default().saturating_sub(self.first);
        Fault {
            category: FaultCategory::UnpredictableValueUsed,
            reason: format!(
                "byte {} of page {page} of a buffer that the host reads comes from {source}, which nothing \
             has written since power-on or since it was freed",
                offset % page_size
            ),
            place: Some(Box::new(FaultPlace::of_tile(tile))),
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
pub(crate) struct Runs {
    pages: std::iter::Peekable<Box<dyn Iterator<Item = (u64, u64)>>>,
    /// Where the bank's first page lies.
    base: u64,
    stride: u64,
    /// Pages of the longest run that is handed out.
    longest: usize,
}

impl Runs {
    pub(crate) fn new(extent: &BufferExtent, index: u64, bank: &Bank) -> Self {
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
