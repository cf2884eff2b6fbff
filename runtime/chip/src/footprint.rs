//! The memory that was read and written, as ranges.

use std::collections::BTreeMap;

use crate::PhysicalCoordinate;

/// The ranges of device memory that were read, and those that were written, in each tile's own addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    read: Ranges,
    written: Ranges,
}

/// The memory that the cores of each tile touched.
pub type Footprints = BTreeMap<PhysicalCoordinate, Footprint>;

/// Memory that two footprints have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SharedRange {
    /// The tile on the die.
    pub tile: PhysicalCoordinate,
    /// The first common byte.
    pub start: u64,
    /// The byte after the last common one.
    pub end: u64,
}

/// Ranges by tile and start; the value is the end (exclusive). Ranges are never empty and never adjacent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Ranges(BTreeMap<PhysicalCoordinate, BTreeMap<u64, u64>>);

impl Ranges {
    fn add(&mut self, tile: PhysicalCoordinate, start: u64, length: u64) {
        if length == 0 {
            return;
        }
        let ranges = self.0.entry(tile).or_default();
        let (mut start, mut end) = (start, start.saturating_add(length));
        // Adjacent ranges are joined, so that only the last one before the start can touch the new one.
        if let Some((&before, &until)) = ranges.range(..=start).next_back()
            && until >= start
        {
            if until >= end {
                return;
            }
            start = before;
        }
        while let Some((&next, &until)) = ranges.range(start..=end).next() {
            end = end.max(until);
            ranges.remove(&next);
        }
        ranges.insert(start, end);
    }

    /// The first common range.
    fn shared(&self, other: &Self) -> Option<SharedRange> {
        self.0.iter().find_map(|(tile, mine)| {
            let theirs = other.0.get(tile)?;
            let (few, many) =
                if mine.len() <= theirs.len() { (mine, theirs) } else { (theirs, mine) };
            few.iter().find_map(|(&start, &end)| {
                let before = many.range(..=start).next_back().filter(|(_, until)| **until > start);
                let (&from, &until) = before.or_else(|| many.range(start..end).next())?;
                let (start, end) = (start.max(from), end.min(until));
                Some(SharedRange { tile: *tile, start, end })
            })
        })
    }
}

impl Footprint {
    /// Whether no memory was touched.
    pub fn is_empty(&self) -> bool {
        self.read.0.is_empty() && self.written.0.is_empty()
    }

    /// Adds an access.
    pub fn add(&mut self, tile: PhysicalCoordinate, start: u64, length: u64, writes: bool) {
        let ranges = if writes { &mut self.written } else { &mut self.read };
        ranges.add(tile, start, length);
    }

    /// Adds all accesses of another footprint.
    pub fn join(&mut self, other: &Self) {
        for (mine, theirs) in [(&mut self.read, &other.read), (&mut self.written, &other.written)] {
            for (tile, ranges) in &theirs.0 {
                for (&start, &end) in ranges {
                    mine.add(*tile, start, end.saturating_sub(start));
                }
            }
        }
    }

    /// Keeps only the tiles that `keep` accepts.
    pub fn retain(&mut self, keep: impl Fn(PhysicalCoordinate) -> bool) {
        for ranges in [&mut self.read, &mut self.written] {
            ranges.0.retain(|tile, _| keep(*tile));
        }
    }

    /// The ranges that were read or those that were written, by tile and start: tile, first byte, byte after
    /// the last.
    pub fn ranges(&self, writes: bool) -> impl Iterator<Item = (PhysicalCoordinate, u64, u64)> {
        let Ranges(tiles) = if writes { &self.written } else { &self.read };
        tiles
            .iter()
            .flat_map(|(tile, ranges)| ranges.iter().map(|(&start, &end)| (*tile, start, end)))
    }

    /// Memory that both touch and that at least one of them writes.
    pub fn conflict(&self, other: &Self) -> Option<SharedRange> {
        self.written
            .shared(&other.written)
            .or_else(|| self.written.shared(&other.read))
            .or_else(|| self.read.shared(&other.written))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TILE: PhysicalCoordinate = PhysicalCoordinate { x: 1, y: 2 };

    fn footprint(ranges: &[(u64, u64, bool)]) -> Footprint {
        let mut footprint = Footprint::default();
        for &(start, length, writes) in ranges {
            footprint.add(TILE, start, length, writes);
        }
        footprint
    }

    #[test]
    fn ranges_join_in_any_order() {
        let joined = footprint(&[(0, 64, true)]);
        for ranges in [
            [(0, 32, true), (32, 32, true), (0, 1, true)],
            [(48, 16, true), (0, 16, true), (8, 44, true)],
            [(10, 1, true), (0, 64, true), (63, 1, true)],
        ] {
            assert_eq!(footprint(&ranges), joined, "{ranges:?}");
        }
    }

    #[test]
    fn a_conflict_needs_a_write_and_common_bytes() {
        let written = footprint(&[(64, 32, true), (256, 32, true)]);
        let range = |start, end| Some(SharedRange { tile: TILE, start, end });
        assert_eq!(written.conflict(&footprint(&[(0, 64, true), (96, 160, false)])), None);
        assert_eq!(written.conflict(&footprint(&[(0, 65, false)])), range(64, 65));
        assert_eq!(footprint(&[(280, 100, false)]).conflict(&written), range(280, 288));
        assert_eq!(footprint(&[(64, 1, false)]).conflict(&footprint(&[(64, 1, false)])), None);
        let mut elsewhere = Footprint::default();
        elsewhere.add(PhysicalCoordinate { x: 2, y: 2 }, 64, 32, true);
        assert_eq!(elsewhere.conflict(&written), None);
        elsewhere.join(&footprint(&[(70, 2, false)]));
        assert_eq!(elsewhere.conflict(&written), range(70, 72));
    }
}
