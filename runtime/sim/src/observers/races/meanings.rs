//! What memory is for, as its owner said, or as a launch has it.

use std::collections::{BTreeMap, HashMap};

use hallmark_chip::{Meaning, PhysicalCoordinate};

use super::launched_buffers::LaunchedBuffers;

/// The meaning of memory, by tile.
#[derive(Debug, Default)]
pub(super) struct Meanings {
    /// The end and the meaning of each range, by tile and first address.
    said: HashMap<PhysicalCoordinate, BTreeMap<u64, (u64, Meaning)>>,
    /// Circular buffers in memory that the host has given no meaning.
    pub(super) launched: LaunchedBuffers,
}

impl Meanings {
    /// What a range is for from now on.
    pub(super) fn set(&mut self, tile: PhysicalCoordinate, start: u64, end: u64, meaning: Meaning) {
        let ranges = self.said.entry(tile).or_default();
        let overlapped: Vec<(u64, (u64, Meaning))> = ranges
            .range(..end)
            .rev()
            .take_while(|&(_, &(last, _))| last > start)
            .map(|(&first, &rest)| (first, rest))
            .collect();
        for (first, (last, old)) in overlapped {
            ranges.remove(&first);
            if first < start {
                ranges.insert(first, (start, old));
            }
            if last > end {
                ranges.insert(end, (last, old));
            }
        }
        if meaning != Meaning::Freed {
            ranges.insert(start, (end, meaning));
        }
    }

    /// What an address is for, as far as anybody said.
    pub(super) fn get(&self, tile: PhysicalCoordinate, address: u64) -> Option<Meaning> {
        let ranges = self.said.get(&tile).into_iter();
        let last = ranges.filter_map(|ranges| ranges.range(..=address).next_back()).next();
        let said = last.filter(|&(_, &(end, _))| address < end).map(|(_, &(_, meaning))| meaning);
        let is_launched = || self.launched.hold(tile, address);
        said.or_else(|| is_launched().then_some(Meaning::CircularBuffer))
    }

    /// Of an address that nobody spoke of, where the next range starts that somebody did; [`u64::MAX`] if none does.
    pub(super) fn gap_end(&self, tile: PhysicalCoordinate, address: u64) -> Option<u64> {
        if self.get(tile, address).is_some() {
            return None;
        }
        let said = self.said.get(&tile).and_then(|ranges| ranges.range(address..).next());
        let next =
            said.map(|(&start, _)| start).into_iter().chain(self.launched.next(tile, address));
        Some(next.min().unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hallmark_chip::{DescribedCircularBuffer, LaunchDescription, Processor};

    use super::*;
    use crate::machine::observer::CoreAt;

    #[test]
    fn meanings_replace_each_other_in_part() {
        let tile = PhysicalCoordinate { x: 1, y: 1 };
        let mut meanings = Meanings::default();
        meanings.set(tile, 0x100, 0x400, Meaning::Buffer);
        meanings.set(tile, 0x200, 0x300, Meaning::CircularBuffer);
        meanings.set(tile, 0x240, 0x280, Meaning::Freed);
        let addresses = [0xFF, 0x1FF, 0x200, 0x23F, 0x240, 0x280, 0x300, 0x3FF, 0x400];
        use Meaning::{Buffer, CircularBuffer};
        let all = [
            None,
            Some(Buffer),
            Some(CircularBuffer),
            Some(CircularBuffer),
            None,
            Some(CircularBuffer),
            Some(Buffer),
            Some(Buffer),
            None,
        ];
        assert_eq!(addresses.map(|address| meanings.get(tile, address)), all);
        let ends = [Some(0x100), None, None, None, Some(0x280), None, None, None, Some(u64::MAX)];
        assert_eq!(addresses.map(|address| meanings.gap_end(tile, address)), ends);
        let other = PhysicalCoordinate { x: 2, y: 1 };
        assert_eq!(meanings.gap_end(other, 0x100), Some(u64::MAX));
    }

    #[test]
    fn what_the_host_says_goes_before_what_a_launch_has() {
        let at = PhysicalCoordinate { x: 1, y: 1 };
        let core = CoreAt { tile: 0, at, processor: Processor::Brisc };
        let circular = DescribedCircularBuffer {
            index: 0,
            address: 0x200,
            size: 0x200,
            page_size: 0x100,
            pages: 2,
            buffer: None,
        };
        let launch = LaunchDescription {
            circular_buffers: vec![circular],
            ends_by_return: true,
            ..LaunchDescription::default()
        };
        let mut meanings = Meanings::default();
        meanings.launched.begin(core, &Arc::new(launch));
        meanings.set(at, 0x380, 0x480, Meaning::Buffer);
        meanings.set(at, 0x100, 0x140, Meaning::Buffer);
        let addresses = [0x140, 0x1FF, 0x200, 0x37F, 0x380, 0x400, 0x480];
        use Meaning::{Buffer, CircularBuffer};
        let all = [
            None,
            None,
            Some(CircularBuffer),
            Some(CircularBuffer),
            Some(Buffer),
            Some(Buffer),
            None,
        ];
        assert_eq!(addresses.map(|address| meanings.get(at, address)), all);
        let ends = [0, 0x140, 0x480].map(|address| meanings.gap_end(at, address));
        assert_eq!(ends, [Some(0x100), Some(0x200), Some(u64::MAX)]);
    }
}
