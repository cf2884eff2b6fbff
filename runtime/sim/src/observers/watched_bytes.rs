//! Who wrote a byte last, of bytes that somebody asks about.
//!
//! Only those bytes cost anything: words of L1 that have one carry the mark of words that cores wait on, so that the
//! machine tells of a core's stores to them.

use std::collections::BTreeMap;

use hallmark_chip::{LastWriter, Position};

use crate::machine::fault::Origin;
use crate::machine::observer::{BufferMemory, MemoryRange, Observer};

/// The bytes that are asked about, by their memory, each with its last writer.
#[derive(Debug, Default)]
pub(crate) struct WatchedBytes(BTreeMap<BufferMemory, Vec<(u64, LastWriter)>>);

impl WatchedBytes {
    /// Who has written a byte last since the last call for this byte. The first call begins to look.
    pub(crate) fn last_writer(&mut self, memory: BufferMemory, address: u64) -> LastWriter {
        let bytes = self.0.entry(memory).or_default();
        match bytes.iter_mut().find(|(known, _)| *known == address) {
            Some((_, writer)) => std::mem::replace(writer, LastWriter::Nobody),
            None => {
                bytes.push((address, LastWriter::Nobody));
                LastWriter::Nobody
            }
        }
    }
}

impl Observer for WatchedBytes {
    fn wrote(&mut self, range: &MemoryRange, by: Origin) {
        if self.0.is_empty() {
            return;
        }
        let Some(bytes) = self.0.get_mut(&range.memory) else { return };
        let written = bytes.iter_mut().filter(|(address, _)| range.contains(*address));
        for (_, last) in written {
            *last = match by {
                Origin::Host => LastWriter::Host,
                Origin::Core(core) => LastWriter::Core(Position {
                    tile: core.tile,
                    processor: core.processor,
                    pc: core.pc,
                    symbol: None,
                    frames: Vec::new(),
                }),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::PhysicalCoordinate;

    use super::*;

    #[test]
    fn a_write_counts_for_the_bytes_in_it_until_somebody_asks() {
        let mut watched = WatchedBytes::default();
        let (memory, other) = (BufferMemory::Dram(1), BufferMemory::L1(1));
        let at = PhysicalCoordinate { x: 1, y: 2 };
        let range = |memory, start, length| MemoryRange { memory, at, start, length };
        watched.wrote(&range(memory, 16, 4), Origin::Host);
        let first = watched.last_writer(memory, 16);
        assert_eq!(first, LastWriter::Nobody, "nobody asked until then");
        for (start, length, is_written) in
            [(15, 1, false), (15, 2, true), (16, 1, true), (17, 4, false), (16, 0, false)]
        {
            watched.wrote(&range(memory, start, length), Origin::Host);
            let expected = if is_written { LastWriter::Host } else { LastWriter::Nobody };
            assert_eq!(watched.last_writer(memory, 16), expected, "{start} {length}");
            assert_eq!(watched.last_writer(memory, 16), LastWriter::Nobody, "asked twice");
        }
        watched.wrote(&range(other, 16, 1), Origin::Host);
        assert_eq!(watched.last_writer(memory, 16), LastWriter::Nobody, "another memory");
    }
}
