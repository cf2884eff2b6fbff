//! Addresses of buffers that words in L1 have told a core.
//!
//! A program may give a kernel less than it uses: another kernel, or a table, tells the address of a buffer by a word in
//! L1. When the address is used, another word may lie there. So a core keeps the buffers in which the words lie that it
//! loads, if its description does not give them. A table may hold places in L1 in units of 16 bytes, and halves of words,
//! the upper one first or last.

use std::cell::{Cell, RefCell};
use std::ops::RangeInclusive;
use std::sync::Arc;

use hallmark_chip::{DescribedBuffer, LaunchDescription};

use super::{UNIT, data_of};

/// Numbers that are addresses of a buffer, with its number: within its banks or on its tiles, in bytes or in units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Addresses {
    range: RangeInclusive<u64>,
    number: u32,
}

/// The addresses of buffers that have memory. The flag says whether the memory is L1.
pub(super) fn addresses<'a>(
    buffers: impl Iterator<Item = (&'a Arc<DescribedBuffer>, bool)>,
) -> Arc<[Addresses]> {
    let unit = u64::from(UNIT);
    let mut all: Vec<Addresses> = Vec::new();
    for (buffer, in_l1) in buffers {
        let number = buffer.number;
        let mut places: Vec<(u64, u64)> = Vec::new();
        for extent in &buffer.extents {
            let place = (extent.start.0, extent.length);
            // Most banks have the same, next to each other or in turns.
            if places.iter().rev().take(4).any(|other| *other == place) {
                continue;
            }
            places.push(place);
            // Within the bank, and on the tile. The end is told where pages are taken from the last one on.
            for start in [buffer.address, extent.start.0] {
                let end = start.saturating_add(extent.length);
                all.push(Addresses { range: start..=end, number });
                if in_l1 {
                    all.push(Addresses { range: start.div_ceil(unit)..=end / unit, number });
                }
            }
        }
    }
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
    /// The half of a word that was loaded last.
    half: Cell<Option<u16>>,
}

impl Told {
    /// A launch begins, beside whose buffers there are others.
    pub(super) fn new(launch: &LaunchDescription, all: &[Addresses]) -> Self {
        let is_given = |number: u32| launch.buffers.iter().any(|given| given.number == number);
        let others = all.iter().filter(|it| !is_given(it.number)).cloned().collect();
        Self { others, numbers: RefCell::default(), half: Cell::default() }
    }

    /// The core loads bytes from an address. Those before programs' data tell no address, apart from semaphores: arguments
    /// are looked at by themselves.
    pub(super) fn note(&self, launch: &LaunchDescription, address: u32, bytes: &[u8]) {
        let is_semaphore = || launch.semaphores.iter().any(|it| it.address == address);
        if self.others.is_empty() || address < data_of(launch) && !is_semaphore() {
            return;
        }
        match *bytes {
            [a, b, c, d] => self.note_word(u32::from_le_bytes([a, b, c, d])),
            [low, high] => {
                let half = u16::from_le_bytes([low, high]);
                if let Some(before) = self.half.replace(Some(half)) {
                    let word = u32::from(before) << 16 | u32::from(half);
                    self.note_word(word);
                    self.note_word(word.rotate_left(16));
                }
            }
            _ => {}
        }
    }

    fn note_word(&self, word: u32) {
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
        let all = addresses(all.iter().zip([true, false]));
        for (word, is_told) in [
            (0x23, false),
            (0x24, true),
            (0x2C, true),
            (0x2D, false),
            (0x0400_0023, false),
            (0x0400_0024, true),
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
                for word in [0x900_u32, word, 1] {
                    told.note(&given, address, &word.to_le_bytes());
                }
                let expected = (is_told && counts, false);
                assert_eq!((told.holds(4), told.holds(6)), expected, "{word:#x} at {address:#x}");
            }
        }
    }

    #[test]
    fn halves_of_words_tell_an_address_together() {
        let all = [buffer(4, 0x5_0240, &[0x5_0240]), buffer(7, 0x9_0240, &[0x9_0240])];
        let given = LaunchDescription::default();
        let all = addresses(all.iter().zip([false, true]));
        for (halves, expected) in [
            (&[0x0240, 5][..], (true, false)),
            (&[5, 0x0240], (true, false)),
            (&[0x0240, 9, 3], (false, true)),
            (&[0x9024], (false, false)),
            (&[0x9024, 0], (false, true)),
            (&[0x0240, 1, 5], (false, false)),
        ] {
            let told = Told::new(&given, &all);
            for (place, half) in halves.iter().enumerate() {
                told.note(&given, 0x8000 + 6 * place as u32, &u16::to_le_bytes(*half));
            }
            assert_eq!((told.holds(4), told.holds(7)), expected, "{halves:#x?}");
        }
    }
}
