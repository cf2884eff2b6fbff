//! What memory is for, as its owner said.

use std::collections::{BTreeMap, HashMap};

use hallmark_chip::{Meaning, PhysicalCoordinate};

/// By tile and first address, the end of a range and what it is for.
#[derive(Debug, Default)]
pub(super) struct Meanings(HashMap<PhysicalCoordinate, BTreeMap<u64, (u64, Meaning)>>);

impl Meanings {
    /// What a range is for from now on.
    pub(super) fn set(&mut self, tile: PhysicalCoordinate, start: u64, end: u64, meaning: Meaning) {
        let ranges = self.0.entry(tile).or_default();
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
        let (_, &(end, meaning)) = self.0.get(&tile)?.range(..=address).next_back()?;
        (address < end).then_some(meaning)
    }

    /// Of an address that nobody spoke of, where the next range starts that somebody did; [`u64::MAX`] if none does.
    pub(super) fn gap_end(&self, tile: PhysicalCoordinate, address: u64) -> Option<u64> {
        if self.get(tile, address).is_some() {
            return None;
        }
        let next = self.0.get(&tile).and_then(|ranges| ranges.range(address..).next());
        Some(next.map_or(u64::MAX, |(&start, _)| start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
