//! The buffers of a memory: those that are alive, and those whose memory nobody has taken since they were freed.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use hallmark_chip::DescribedBuffer;

use crate::machine::observer::BufferMemory;

/// Memory of a buffer.
#[derive(Clone, Debug)]
pub(super) struct Allocation {
    pub(super) range: Range<u64>,
    pub(super) buffer: Arc<DescribedBuffer>,
    /// Its place among the extents of the buffer.
    pub(super) extent: usize,
    pub(super) alive: bool,
}

impl Allocation {
    /// The end of the memory that kernels may use. A shard may have room for more pages than there are, and kernels work
    /// on whole shards. In L1 a buffer has the same memory on each tile, whether a page lies there or not, and kernels
    /// use it for their own data.
    pub(super) fn end_of_pages(&self, memory: BufferMemory) -> u64 {
        let counts = matches!(memory, BufferMemory::Dram(_)) && !self.buffer.sharded;
        let extent = self.buffer.extents.get(self.extent);
        let Some(extent) = extent.filter(|_| counts) else { return self.range.end };
        let ends = extent
            .runs
            .iter()
            .map(|run| run.start.0.saturating_add(run.distance.saturating_mul(run.count)));
        ends.max().unwrap_or(self.range.start)
    }
}

/// The buffers of one memory, none over another.
#[derive(Debug, Default)]
pub(super) struct Allocations(BTreeMap<u64, Allocation>);

impl Allocations {
    /// A buffer takes memory. Of freed buffers there, nothing is known any more.
    pub(super) fn take(&mut self, allocation: Allocation) {
        let Range { start, end } = allocation.range;
        self.remove(start..end, |_| true);
        self.0.insert(start, allocation);
    }

    /// The buffers that have memory.
    pub(super) fn live(&self) -> impl Iterator<Item = &Arc<DescribedBuffer>> {
        self.0.values().filter(|it| it.alive).map(|it| &it.buffer)
    }

    /// The buffers within a range are freed. Gives those that were alive.
    pub(super) fn free(&mut self, range: &Range<u64>) -> Vec<Allocation> {
        let mut freed = Vec::new();
        for (_, allocation) in self.0.range_mut(range.clone()) {
            if allocation.range.end <= range.end {
                if allocation.alive {
                    freed.push(allocation.clone());
                }
                allocation.alive = false;
            }
        }
        freed
    }

    fn remove(&mut self, range: Range<u64>, which: impl Fn(&Allocation) -> bool) {
        let first = self.0.range(..range.start).next_back();
        let first =
            first.filter(|(_, before)| before.range.end > range.start).map(|(start, _)| *start);
        let within = self.0.range(range).filter(|(_, other)| which(other)).map(|(start, _)| *start);
        let gone: Vec<u64> = first.into_iter().chain(within).collect();
        for start in gone {
            self.0.remove(&start);
        }
    }

    /// The buffer that holds a byte.
    pub(super) fn at(&self, address: u64) -> Option<&Allocation> {
        let (_, found) = self.0.range(..=address).next_back()?;
        (address < found.range.end).then_some(found)
    }

    /// The first buffer that begins in a range.
    pub(super) fn first_in(&self, range: Range<u64>) -> Option<&Allocation> {
        self.0.range(range).next().map(|(_, found)| found)
    }

    /// The last buffer that ends before a byte or at it.
    pub(super) fn before(&self, address: u64) -> Option<&Allocation> {
        self.0
            .range(..address)
            .next_back()
            .map(|(_, found)| found)
            .filter(|found| found.range.end <= address)
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::{DescribedExtent, DescribedPages, PhysicalCoordinate, TileAddress};

    use super::*;

    fn allocation(number: u32, range: Range<u64>, pages: u64, sharded: bool) -> Allocation {
        let start = TileAddress(range.start);
        let run = DescribedPages { start, distance: 0x40, first: 0, step: 3, count: pages };
        let tile = PhysicalCoordinate { x: 1, y: 2 };
        let length = range.end - range.start;
        let buffer = Arc::new(DescribedBuffer {
            number,
            name: "b".into(),
            pages: pages * 3,
            page_size: 0x30,
            sharded,
            address: start.0,
            extents: vec![DescribedExtent { tile, start, length, runs: vec![run] }],
        });
        Allocation { range, buffer, extent: 0, alive: true }
    }

    fn at(allocations: &Allocations, address: u64) -> Option<(u32, bool)> {
        allocations.at(address).map(|found| (found.buffer.number, found.alive))
    }

    #[test]
    fn freed_memory_keeps_its_buffer_until_another_takes_it() {
        let mut allocations = Allocations::default();
        allocations.take(allocation(1, 0x100..0x200, 4, false));
        allocations.take(allocation(2, 0x200..0x280, 2, false));
        assert_eq!(
            [0xFF, 0x100, 0x1FF, 0x27F, 0x280].map(|it| at(&allocations, it)),
            [None, Some((1, true)), Some((1, true)), Some((2, true)), None]
        );
        let freed = |it: Vec<Allocation>| it.iter().map(|it| it.buffer.number).collect::<Vec<_>>();
        assert_eq!(freed(allocations.free(&(0x100..0x200))), [1]);
        assert_eq!(freed(allocations.free(&(0x100..0x201))), []);
        assert_eq!(
            [at(&allocations, 0x180), at(&allocations, 0x200)],
            [Some((1, false)), Some((2, true))]
        );
        // It begins within the freed one and ends behind it.
        allocations.free(&(0x200..0x280));
        allocations.take(allocation(3, 0x1C0..0x240, 2, false));
        assert_eq!(
            [at(&allocations, 0x100), at(&allocations, 0x1C0), at(&allocations, 0x240)],
            [None, Some((3, true)), None]
        );
    }

    #[test]
    fn pages_end_before_the_memory_of_a_bank_that_has_fewer() {
        let (dram, l1) = (BufferMemory::Dram(3), BufferMemory::L1(7));
        let end = |pages, sharded, memory| {
            allocation(1, 0x100..0x200, pages, sharded).end_of_pages(memory)
        };
        assert_eq!(end(3, false, dram), 0x1C0);
        assert_eq!(end(0, false, dram), 0x100);
        assert_eq!(end(3, true, dram), 0x200);
        assert_eq!(end(3, false, l1), 0x200);
    }
}
