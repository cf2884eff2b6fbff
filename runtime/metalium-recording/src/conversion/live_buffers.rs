//! The allocated buffers, searchable by address.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_metalium::BufferTypes;
use hallmark_schema::model::BufferId;

use crate::event::{BufferAllocated, ObservedBuffer};

/// An allocated buffer.
#[derive(Clone, Debug)]
pub(super) struct LiveBuffer {
    /// The number of buffers made before it.
    pub(super) number: usize,
    /// The event that made it.
    pub(super) made: BufferAllocated,
    /// The buffer of the capture that its address is relative to, and the distance in bytes.
    pub(super) place: Option<(BufferId, u32)>,
    /// The buffer of the capture for its writes and reads. `None` if its pages differ from those of the buffer
    /// that owns the memory.
    pub(super) id: Option<BufferId>,
    /// Its memory.
    pub(super) memory: Memory,
    /// Whether it owns its memory.
    pub(super) is_whole: bool,
}

impl LiveBuffer {
    /// Whether an address lies in its part of each bank.
    pub(super) fn contains(&self, address: u64) -> bool {
        address
            .checked_sub(self.made.address)
            .is_some_and(|offset| offset < self.made.size_per_bank)
    }

    /// Whether it lies in L1.
    pub(super) fn is_in_l1(&self) -> bool {
        self.memory == Memory::L1
    }
}

/// Memories with separate address spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Memory {
    Dram,
    L1,
    /// A memory that captures do not have.
    Other,
}

impl Memory {
    /// The memory for a number of upstream's `BufferType`.
    pub(super) fn of(types: &BufferTypes, number: u32) -> Self {
        match types.value(number) {
            Some(known) if known.is_l1() => Self::L1,
            Some(_) => Self::Dram,
            None if number == types.trace => Self::Dram,
            None => Self::Other,
        }
    }
}

/// The allocated buffers.
#[derive(Debug, Default)]
pub(super) struct LiveBuffers {
    all: BTreeMap<ObservedBuffer, LiveBuffer>,
    by_address: BTreeMap<u64, BTreeSet<ObservedBuffer>>,
    /// The buffers that own their memory, by their first address. They never overlap.
    wholes: BTreeMap<(Memory, u64), ObservedBuffer>,
    /// The buffers that show the memory of others.
    parts: BTreeSet<ObservedBuffer>,
    /// The buffers in each buffer of the capture.
    by_place: BTreeMap<BufferId, BTreeSet<ObservedBuffer>>,
}

impl LiveBuffers {
    pub(super) fn get(&self, buffer: ObservedBuffer) -> Option<&LiveBuffer> {
        self.all.get(&buffer)
    }

    pub(super) fn insert(&mut self, live: LiveBuffer) {
        let buffer = live.made.buffer;
        self.remove(buffer);
        let address = live.made.address;
        self.by_address.entry(address).or_default().insert(buffer);
        if live.is_whole {
            self.wholes.insert((live.memory, address), buffer);
        } else {
            self.parts.insert(buffer);
        }
        if let Some((place, _)) = live.place {
            self.by_place.entry(place).or_default().insert(buffer);
        }
        self.all.insert(buffer, live);
    }

    pub(super) fn remove(&mut self, buffer: ObservedBuffer) -> Option<LiveBuffer> {
        let live = self.all.remove(&buffer)?;
        forget(&mut self.by_address, live.made.address, buffer);
        let whole = (live.memory, live.made.address);
        if self.wholes.get(&whole) == Some(&buffer) {
            self.wholes.remove(&whole);
        }
        self.parts.remove(&buffer);
        if let Some((place, _)) = live.place {
            forget(&mut self.by_place, place, buffer);
        }
        Some(live)
    }

    /// The buffers that begin at an address, in any memory.
    pub(super) fn at(&self, address: u64) -> impl Iterator<Item = &LiveBuffer> {
        let buffers = self.by_address.get(&address).into_iter().flatten();
        buffers.filter_map(|buffer| self.all.get(buffer))
    }

    /// The buffers that contain an address, in any memory, the newest last.
    pub(super) fn around(&self, address: u64) -> impl Iterator<Item = &LiveBuffer> {
        let memories = [Memory::Dram, Memory::L1, Memory::Other];
        let wholes = memories.into_iter().filter_map(|memory| self.whole_around(memory, address));
        let parts = self.parts.iter().filter_map(|buffer| self.all.get(buffer));
        let mut found: Vec<&LiveBuffer> =
            wholes.chain(parts.filter(|live| live.contains(address))).collect();
        found.sort_unstable_by_key(|live| live.made.buffer);
        found.into_iter()
    }

    /// The buffer that owns the memory at an address.
    pub(super) fn whole_around(&self, memory: Memory, address: u64) -> Option<&LiveBuffer> {
        let (_, buffer) = self.wholes.range((memory, 0)..=(memory, address)).next_back()?;
        self.get(*buffer).filter(|live| live.contains(address))
    }

    /// The buffers that own memory in a range.
    pub(super) fn overlapping(&self, memory: Memory, start: u64, end: u64) -> Vec<ObservedBuffer> {
        let first = self.whole_around(memory, start).map_or(start, |live| live.made.address);
        let range = (memory, first)..(memory, end.max(first));
        self.wholes.range(range).map(|(_, buffer)| *buffer).collect()
    }

    /// The buffers in a buffer of the capture.
    pub(super) fn placed_in(&self, place: BufferId) -> impl Iterator<Item = &LiveBuffer> {
        let buffers = self.by_place.get(&place).into_iter().flatten();
        buffers.filter_map(|buffer| self.all.get(buffer))
    }
}

/// Removes a buffer from the set of a key.
fn forget<K: Ord>(
    sets: &mut BTreeMap<K, BTreeSet<ObservedBuffer>>,
    key: K,
    buffer: ObservedBuffer,
) {
    if let Some(set) = sets.get_mut(&key) {
        set.remove(&buffer);
        if set.is_empty() {
            sets.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(buffer: u64, address: u64, size: u64, buffer_type: u32, is_whole: bool) -> LiveBuffer {
        LiveBuffer {
            number: 0,
            made: BufferAllocated {
                buffer: ObservedBuffer(buffer),
                device: 0,
                address,
                is_at_given_address: !is_whole,
                size,
                page_size: 32,
                size_per_bank: size,
                buffer_type,
                layout: 0,
                bottom_up: None,
                sharding: None,
            },
            memory: if buffer_type == 1 { Memory::L1 } else { Memory::Dram },
            place: Some((BufferId(1), 0)),
            id: None,
            is_whole,
        }
    }

    /// Two memories with a buffer each at the same address, another buffer after it, and a view.
    fn several() -> LiveBuffers {
        let mut all = LiveBuffers::default();
        for made in [
            live(9, 0x100, 0x40, 0, true),
            live(2, 0x100, 0x80, 1, true),
            live(3, 0x200, 0x40, 0, true),
            live(4, 0x120, 0x10, 0, false),
        ] {
            all.insert(made);
        }
        all
    }

    fn ids<'b>(found: impl Iterator<Item = &'b LiveBuffer>) -> Vec<u64> {
        found.map(|live| live.made.buffer.0).collect()
    }

    #[test]
    fn buffers_are_found_as_a_search_of_all_finds_them() {
        let mut all = several();
        let around = |all: &LiveBuffers, address| {
            let found = ids(all.around(address));
            let expected = ids(all.all.values().filter(|live| live.contains(address)));
            assert_eq!(found, expected, "{address:#x}");
            let found = ids(all.at(address));
            let expected = ids(all.all.values().filter(|live| live.made.address == address));
            assert_eq!(found, expected, "{address:#x}");
            ids(all.around(address))
        };
        for address in 0..0x280 {
            around(&all, address);
        }
        assert_eq!(around(&all, 0x120), [2, 4, 9]);
        all.remove(ObservedBuffer(9));
        assert_eq!(around(&all, 0x120), [2, 4]);
        assert_eq!(ids(all.placed_in(BufferId(1))), [2, 3, 4]);
        all.remove(ObservedBuffer(4));
        all.remove(ObservedBuffer(4));
        assert_eq!(around(&all, 0x120), [2]);
    }

    #[test]
    fn memory_that_is_given_anew_was_that_of_all_that_overlap_it() {
        let all = several();
        let below = |start, end| -> Vec<u64> {
            all.overlapping(Memory::Dram, start, end).iter().map(|buffer| buffer.0).collect()
        };
        assert_eq!(below(0x13F, 0x140), [9]);
        assert_eq!(below(0x140, 0x200), [0; 0]);
        assert_eq!(below(0, 0x100), [0; 0]);
        assert_eq!(below(0, 0x101), [9]);
        assert_eq!(below(0x110, 0x201), [9, 3]);
        assert_eq!(below(0x110, 0x110), [9]);
    }
}
