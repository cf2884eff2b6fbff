//! Addresses of buffers that words in L1 have told a core.
//!
//! A program may give a kernel less than it uses: another kernel, or a table, tells the address of a buffer by a word in
//! L1. When the address is used, another word may lie there. So a core keeps the buffers in which the words lie that it
//! loads, if its description does not give them.

use std::cell::RefCell;
use std::ops::RangeInclusive;
use std::sync::Arc;

use hallmark_chip::{DescribedBuffer, LaunchDescription};

use super::data_of;

/// The addresses of a buffer, within its banks and on its tiles, with its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Addresses {
    range: RangeInclusive<u64>,
    number: u32,
}

/// The addresses of all buffers that have memory.
pub(super) fn addresses<'a>(
    buffers: impl Iterator<Item = &'a Arc<DescribedBuffer>>,
) -> Arc<[Addresses]> {
    let mut all: Vec<Addresses> = buffers
        .flat_map(|buffer| {
            let number = buffer.number;
            buffer.extents.iter().flat_map(move |extent| {
                // Within the bank, and on the tile. The end is told where pages are taken from the last one on.
                [buffer.address, extent.start.0].map(|start| Addresses {
                    range: start..=start.saturating_add(extent.length),
                    number,
                })
            })
        })
        .collect();
    // Most banks have the same.
    all.sort_unstable_by_key(|it| (*it.range.start(), *it.range.end(), it.number));
    all.dedup();
    all.into()
}

/// What a core was told in its launch.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    /// Of buffers that the launch was not given.
    others: Vec<Addresses>,
    numbers: RefCell<Vec<u32>>,
}

impl Told {
    /// A launch begins, beside whose buffers there are others.
    pub(super) fn new(launch: &LaunchDescription, all: &[Addresses]) -> Self {
        let is_given = |number: u32| launch.buffers.iter().any(|given| given.number == number);
        let others = all.iter().filter(|it| !is_given(it.number)).cloned().collect();
        Self { others, numbers: RefCell::default() }
    }

    /// The core loads a word from an address. The words before programs' data tell no address, apart from semaphores:
    /// arguments are looked at by themselves.
    pub(super) fn note(&self, launch: &LaunchDescription, address: u32, word: u32) {
        let is_semaphore = || launch.semaphores.iter().any(|it| it.address == address);
        if self.others.is_empty() || address < data_of(launch) && !is_semaphore() {
            return;
        }
        for other in self.others.iter().filter(|it| it.range.contains(&word.into())) {
            let mut numbers = self.numbers.borrow_mut();
            if !numbers.contains(&other.number) {
                numbers.push(other.number);
            }
        }
    }

    /// Whether the core has loaded an address of a buffer.
    pub(super) fn holds(&self, number: u32) -> bool {
        self.numbers.borrow().contains(&number)
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::{
        DescribedExtent, DescribedSemaphore, PhysicalCoordinate, ReservedMemory, ReservedUse,
        TileAddress,
    };

    use super::*;

    fn buffer(number: u32, address: u64, starts: &[u64]) -> Arc<DescribedBuffer> {
        let extents = starts.iter().map(|start| DescribedExtent {
            tile: PhysicalCoordinate { x: 5, y: 3 },
            start: TileAddress(*start),
            length: 0x80,
            runs: Vec::new(),
        });
        Arc::new(DescribedBuffer {
            number,
            name: "told".into(),
            pages: 2,
            page_size: 0x40,
            sharded: false,
            address,
            extents: extents.collect(),
        })
    }

    #[test]
    fn words_that_are_addresses_of_other_buffers_are_kept() {
        // Two banks on a tile, and a buffer that the launch was given.
        let all = [buffer(4, 0x240, &[0x240, 0x4000_0240]), buffer(6, 0x900, &[0x900])];
        let reserved = [ReservedMemory { range: 0..0x8000, purpose: ReservedUse::Launches }];
        let given = LaunchDescription {
            buffers: vec![buffer(6, 0x900, &[])],
            reserved: reserved.into(),
            semaphores: vec![DescribedSemaphore { number: 1, address: 0x10 }],
            ..Default::default()
        };
        let all = addresses(all.iter());
        for (word, is_told) in [
            (0x23F, false),
            (0x240, true),
            (0x2C0, true),
            (0x2C1, false),
            (0x4000_023F, false),
            (0x4000_0240, true),
            (0x4000_02C0, true),
        ] {
            // Data, a semaphore, and an argument or a word of firmware.
            for (address, counts) in [(0x8000, true), (0x10, true), (0x14, false), (0x7FFC, false)]
            {
                let told = Told::new(&given, &all);
                assert!(!told.holds(4));
                told.note(&given, address, 0x900);
                told.note(&given, address, word);
                told.note(&given, address, 1);
                let expected = (is_told && counts, false);
                assert_eq!((told.holds(4), told.holds(6)), expected, "{word:#x} at {address:#x}");
            }
        }
    }
}
