//! Memory that the requests of a core were found to be granted, so that a loop over a few buffers asks once for each.

use std::ops::Range;

use hallmark_chip::PhysicalCoordinate;

use super::recent::Recent;
use super::{Access, contains};
use crate::machine::observer::BufferMemory;

#[derive(Clone, Debug)]
struct ReachedRange {
    version: u64,
    memory: BufferMemory,
    at: PhysicalCoordinate,
    writes: bool,
    range: Range<u64>,
}

/// The memory of the last few requests. Judgements of an older version are void.
#[derive(Clone, Debug, Default)]
pub(super) struct ReachedRanges(Recent<Option<ReachedRange>>);

impl ReachedRanges {
    pub(super) fn contain(&self, version: u64, access: &Access) -> bool {
        self.0.iter().flatten().any(|known| {
            known.version == version
                && known.memory == access.memory
                && known.at == access.at
                && known.writes == access.what.writes()
                && contains(known.range.clone(), &access.range)
        })
    }

    pub(super) fn keep(&mut self, version: u64, access: &Access, range: Range<u64>) {
        // One multicast would take the places of all others.
        if access.multicast {
            return;
        }
        let &Access { memory, at, what, .. } = access;
        self.0.keep(Some(ReachedRange { version, memory, at, writes: what.writes(), range }));
    }
}

#[cfg(test)]
mod tests {
    use super::super::What;
    use super::*;

    fn access(memory: BufferMemory, what: What, range: Range<u64>) -> Access {
        let at = PhysicalCoordinate { x: 4, y: 7 };
        Access { memory, at, range, what, multicast: false }
    }

    #[test]
    fn a_range_is_known_for_its_memory_its_direction_and_its_version() {
        let (here, there) = (BufferMemory::L1(3), BufferMemory::L1(4));
        let mut reached = ReachedRanges::default();
        reached.keep(2, &access(here, What::Reads, 0x110..0x120), 0x100..0x200);
        let known =
            |version, memory, what, range| reached.contain(version, &access(memory, what, range));
        assert!(known(2, here, What::WriteTakes, 0x1F0..0x200));
        assert!(!known(2, here, What::Reads, 0x1F0..0x201));
        assert!(!known(2, here, What::Reads, 0xFF..0x110));
        assert!(!known(2, here, What::Writes, 0x110..0x120));
        assert!(!known(2, there, What::Reads, 0x110..0x120));
        assert!(!known(3, here, What::Reads, 0x110..0x120));
        let other = PhysicalCoordinate { x: 4, y: 8 };
        let access = Access { at: other, ..access(here, What::Reads, 0x110..0x120) };
        assert!(!reached.contain(2, &access));
    }

    #[test]
    fn the_last_four_are_kept_and_no_multicast() {
        let mut reached = ReachedRanges::default();
        let of = |number: u64| access(BufferMemory::Dram(2), What::Writes, number..number + 1);
        for number in 1..=5 {
            reached.keep(0, &of(number), number..number + 1);
            reached.keep(0, &Access { multicast: true, ..of(9) }, 9..10);
        }
        let known: Vec<u64> = (1..=9).filter(|number| reached.contain(0, &of(*number))).collect();
        assert_eq!(known, [2, 3, 4, 5]);
    }
}
