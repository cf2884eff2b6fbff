//! Buffers of a host that says what memory is for, and describes neither buffers nor launches: TT-Metalium, whose kernels
//! the simulator's library runs.
//!
//! Nobody knows there which buffer a kernel was given. A request that begins in a buffer must end in it nevertheless.

use std::collections::BTreeMap;
use std::ops::Range;

use hallmark_chip::{FaultCategory, FaultMemory, Meaning, TileAddress};

use super::{Access, What};
use crate::machine::fault::Violation;
use crate::machine::observer::BufferMemory;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct AnnotatedBuffers {
    /// The end of each by its start.
    memories: BTreeMap<BufferMemory, BTreeMap<u64, u64>>,
    /// The host describes its launches. Then their descriptions judge their kernels, and these ranges judge no request.
    described: bool,
}

impl AnnotatedBuffers {
    pub(super) fn host_describes(&mut self) {
        self.described = true;
        self.memories.clear();
    }

    pub(super) fn annotated(&mut self, memory: BufferMemory, range: Range<u64>, meaning: Meaning) {
        if self.described || range.is_empty() {
            return;
        }
        let buffers = self.memories.entry(memory).or_default();
        // Whatever lies there from now on, the buffers that it overlaps are gone.
        let before = buffers.range(..range.start).next_back().filter(|it| *it.1 > range.start);
        let first = before.map_or(range.start, |(start, _)| *start);
        let gone: Vec<u64> = buffers.range(first..range.end).map(|(start, _)| *start).collect();
        for start in gone {
            buffers.remove(&start);
        }
        if meaning == Meaning::Buffer {
            buffers.insert(range.start, range.end);
        }
    }

    /// Judges the ends of a request.
    ///
    /// # Errors
    /// One begins in a buffer and passes its end.
    pub(super) fn check(&self, mut ends: impl Iterator<Item = Access>) -> Result<(), Violation> {
        if self.memories.is_empty() {
            return Ok(());
        }
        ends.try_for_each(|access| self.crossed(&access).map_or(Ok(()), Err))
    }

    fn crossed(&self, access: &Access) -> Option<Violation> {
        let (start, end) =
            self.memories.get(&access.memory)?.range(..=access.range.start).next_back()?;
        if access.range.start >= *end || access.range.end <= *end {
            return None;
        }
        let memory = FaultMemory {
            tile: access.at,
            address: TileAddress(access.range.start),
            length: access.range.end.saturating_sub(access.range.start),
        };
        let does = match access.what {
            What::ReadBrings => "NoC read brings its data to",
            What::WriteTakes => "NoC write takes its data from",
            What::AtomicReturns => "NoC atomic returns the old value to",
            What::Reads => "NoC read reads",
            What::Writes => "NoC write writes",
            What::Increments => "NoC atomic increments",
            What::Loads => "core loads",
            What::Stores => "core stores to",
        };
        let reason = format!(
            "a {does} {memory}, across the end of the buffer at {start:#x} that ends before {end:#x}: mend the address, \
             the length or the number of pages"
        );
        Some(Violation::new(FaultCategory::MemoryNotGranted, reason).about(Some(memory)))
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::PhysicalCoordinate;

    use super::*;

    const HERE: BufferMemory = BufferMemory::L1(3);
    const THERE: BufferMemory = BufferMemory::Dram(2);

    fn access(memory: BufferMemory, range: Range<u64>) -> Access {
        let at = PhysicalCoordinate { x: 4, y: 7 };
        Access { memory, at, range, what: What::Writes, multicast: false }
    }

    fn crosses(buffers: &AnnotatedBuffers, memory: BufferMemory, range: Range<u64>) -> bool {
        // The second end of a request is judged as the first.
        let ends = [access(HERE, 0x10..0x14), access(memory, range)];
        buffers.check(ends.into_iter()).is_err()
    }

    #[test]
    fn a_request_that_begins_in_a_buffer_ends_in_it() {
        let mut buffers = AnnotatedBuffers::default();
        buffers.annotated(HERE, 0x400..0x500, Meaning::Buffer);
        buffers.annotated(THERE, 0x440..0x480, Meaning::Buffer);
        assert!(!crosses(&buffers, HERE, 0x4F0..0x500) && crosses(&buffers, HERE, 0x4F0..0x501));
        assert!(!crosses(&buffers, THERE, 0x440..0x480) && crosses(&buffers, THERE, 0x47F..0x481));
        // Nothing is known of memory that is no buffer.
        assert!(!crosses(&buffers, HERE, 0x3F0..0x501) && !crosses(&buffers, HERE, 0x500..0x600));
    }

    #[test]
    fn memory_that_is_something_else_by_now_is_no_buffer() {
        for (range, meaning) in
            [(0x400..0x500, Meaning::Freed), (0x4F0..0x4F1, Meaning::CircularBuffer)]
        {
            let mut buffers = AnnotatedBuffers::default();
            buffers.annotated(HERE, 0x400..0x500, Meaning::Buffer);
            buffers.annotated(HERE, 0x500..0x540, Meaning::Buffer);
            buffers.annotated(HERE, range, meaning);
            assert!(!crosses(&buffers, HERE, 0x4F8..0x508), "{meaning:?}");
            assert!(crosses(&buffers, HERE, 0x538..0x548), "{meaning:?}");
        }
    }

    #[test]
    fn a_host_that_describes_its_buffers_is_judged_by_its_launches_alone() {
        let mut buffers = AnnotatedBuffers::default();
        buffers.annotated(HERE, 0x400..0x500, Meaning::Buffer);
        buffers.host_describes();
        buffers.annotated(HERE, 0x600..0x700, Meaning::Buffer);
        assert!(!crosses(&buffers, HERE, 0x4F8..0x508) && !crosses(&buffers, HERE, 0x6F8..0x708));
    }
}
