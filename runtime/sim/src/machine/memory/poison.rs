//! Which bytes of a memory hold what somebody wrote, and where the others came from.

use std::collections::BTreeMap;
use std::fmt;

use hallmark_chip::{FaultMemory, PhysicalCoordinate, Processor, TileAddress};

use crate::machine::fault::CoreOrigin;

/// Ranges of copied poison that a memory remembers. Past that it forgets them all, and a fault names
/// the copy instead of the original.
const COPIES: usize = 4096;

/// A kind of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    L1,
    Private(Processor),
    Dram,
    Ethernet,
    Host,
    /// Registers of the Tensix coprocessor.
    Coprocessor,
}

/// Where a byte that nothing wrote lay before anybody copied it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) memory: Memory,
    pub(crate) tile: PhysicalCoordinate,
    pub(crate) address: u64,
    /// The instruction whose NoC request copied it first.
    pub(crate) carrier: Option<CoreOrigin>,
}

impl Source {
    /// A byte that no request has copied.
    pub(crate) const fn new(memory: Memory, tile: PhysicalCoordinate, address: u64) -> Self {
        Self { memory, tile, address, carrier: None }
    }

    /// The byte so many further on.
    pub(crate) fn after(self, bytes: usize) -> Self {
        Self { address: self.address.wrapping_add(bytes as u64), ..self }
    }

    /// The byte as faults name it, if it is in memory that the host gives out.
    pub(crate) fn fault_memory(self) -> Option<FaultMemory> {
        let Self { memory, tile, address, carrier: _ } = self;
        match memory {
            Memory::L1 | Memory::Dram => {
                Some(FaultMemory { tile, address: TileAddress(address), length: 1 })
            }
            Memory::Private(_) | Memory::Ethernet | Memory::Host | Memory::Coprocessor => None,
        }
    }

    /// The byte so many before.
    pub(super) fn before(self, bytes: usize) -> Self {
        Self { address: self.address.wrapping_sub(bytes as u64), ..self }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { memory, tile, address, carrier: _ } = self;
        match memory {
            Memory::L1 => write!(formatter, "L1 {address:#x} of tile {tile}"),
            Memory::Private(core) => {
                write!(formatter, "private RAM {address:#x} of {core} on tile {tile}")
            }
            Memory::Dram => write!(formatter, "DRAM {address:#x} of tile {tile}"),
            Memory::Ethernet => write!(formatter, "Ethernet L1 {address:#x} of tile {tile}"),
            Memory::Host => write!(formatter, "host memory {address:#x}"),
            Memory::Coprocessor => {
                write!(formatter, "SrcA, SrcB, Dst or an LReg of the coprocessor on tile {tile}")
            }
        }
    }
}

/// What is not known of some bytes; there is none for bytes that are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Taint {
    /// Of each byte the bits that nothing wrote.
    pub(crate) masks: Vec<u8>,
    /// Where the first of the bytes came from, or would have, if it is not unknown itself.
    pub(crate) source: Source,
}

impl Taint {
    /// Of bytes of which nothing is known.
    pub(crate) fn complete(length: usize, source: Source) -> Self {
        Self { masks: vec![0xFF; length], source }
    }

    /// Of the first four bytes, as a word.
    pub(crate) fn word(&self) -> u32 {
        let mut bytes = [0; 4];
        for (byte, &mask) in bytes.iter_mut().zip(&self.masks) {
            *byte = mask;
        }
        u32::from_le_bytes(bytes)
    }

    /// The same bytes in a NoC request of this instruction.
    pub(crate) fn carried_by(mut self, origin: CoreOrigin) -> Self {
        self.source.carrier.get_or_insert(origin);
        self
    }

    /// Of bytes of which the first unknown one has this source.
    pub(crate) fn starting(masks: Vec<u8>, source: Source) -> Self {
        let first = masks.iter().position(|&mask| mask != 0).unwrap_or(0);
        Self { masks, source: source.before(first) }
    }

    /// Of some of the bytes.
    pub(crate) fn part(&self, range: std::ops::Range<usize>) -> Option<Self> {
        let source = self.source.after(range.start);
        let masks = self.masks.get(range).filter(|masks| masks.iter().any(|&mask| mask != 0))?;
        Some(Self { masks: masks.to_vec(), source })
    }

    /// The first unknown byte, and where it came from.
    pub(crate) fn first(&self) -> (usize, Source) {
        let index = self.masks.iter().position(|&mask| mask != 0).unwrap_or(0);
        (index, self.source.after(index))
    }

    /// How many bytes are unknown side by side from one of them on.
    pub(crate) fn unknown_from(&self, index: usize) -> usize {
        let masks = self.masks.get(index..).unwrap_or_default();
        masks.iter().position(|&mask| mask == 0).unwrap_or(masks.len())
    }
}

/// The shadow of a memory. Fresh memory is poison, and costs nothing until touched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Poison {
    /// A bit per byte: every bit of that byte was written.
    written: Vec<u8>,
    /// The unknown bits of bytes of which others are known: bit fields. Of no meaning for bytes that
    /// are written in full.
    partial: BTreeMap<usize, u8>,
    /// Where poison was copied to, for how many bytes, and where it came from.
    copied: BTreeMap<usize, (usize, Source)>,
}

/// The bits of an aligned access in its byte of the shadow, from bit 0.
const fn bits(size: usize) -> u8 {
    ((1u16 << size) - 1) as u8
}

impl Poison {
    pub(crate) fn new(size: usize) -> Self {
        Self { written: vec![0; size.div_ceil(8)], ..Self::default() }
    }

    /// Whether an aligned access of 1, 2 or 4 bytes finds only what was written.
    #[inline]
    pub(crate) fn is_written<const SIZE: usize>(&self, start: usize) -> bool {
        let need = const { bits(SIZE) };
        self.written.get(start >> 3).is_some_and(|&bits| bits >> (start & 7) & need == need)
    }

    /// Notes an aligned store of 1, 2 or 4 known bytes.
    #[inline]
    pub(crate) fn note<const SIZE: usize>(&mut self, start: usize) {
        let new = const { bits(SIZE) } << (start & 7);
        // Most stores go where others went; not to write then keeps them independent of each other.
        if let Some(bits) = self.written.get_mut(start >> 3)
            && *bits & new != new
        {
            *bits |= new;
        }
    }

    /// The first byte of a range that was not written in full.
    pub(crate) fn first_gap(&self, start: usize, length: usize) -> Option<usize> {
        const STEP: usize = 32;
        let end = start.saturating_add(length);
        let mut at = start;
        while at < end {
            let index = at >> 3;
            if at & 7 == 0 {
                let ahead = self.written.get(index..index + STEP);
                if ahead.is_some_and(|ahead| ahead == [0xFF; STEP]) {
                    at += STEP * 8;
                    continue;
                }
            }
            let bits = self.written.get(index).copied().unwrap_or(0) >> (at & 7);
            let gap = at + (!bits).trailing_zeros() as usize;
            let next = (at & !7) + 8;
            if gap < next {
                return (gap < end).then_some(gap);
            }
            at = next;
        }
        None
    }

    fn set(&mut self, start: usize, length: usize, written: bool) {
        let end = start.saturating_add(length);
        let mut at = start;
        while at < end {
            if at & 7 == 0 && end - at >= 8 {
                if let Some(bytes) = self.written.get_mut(at >> 3..end >> 3) {
                    bytes.fill(if written { 0xFF } else { 0 });
                }
                at = end & !7;
                continue;
            }
            if let Some(bits) = self.written.get_mut(at >> 3) {
                let bit = 1 << (at & 7);
                *bits = if written { *bits | bit } else { *bits & !bit };
            }
            at += 1;
        }
    }

    /// Notes that a range was written with known bytes.
    pub(crate) fn write(&mut self, start: usize, length: usize) {
        self.set(start, length, true);
    }

    /// Has the execution loop stop before it loads an aligned word, all of which was written.
    pub(crate) fn mark(&mut self, start: usize) {
        self.set(start, 4, false);
        self.partial.extend((start..start.saturating_add(4)).map(|at| (at, 0)));
        self.forget_copies(start, start.saturating_add(4));
    }

    /// Ends [`Self::mark`], unless what was written there since is unknown.
    pub(crate) fn unmark(&mut self, start: usize) {
        for at in start..start.saturating_add(4) {
            if self.partial.get(&at) == Some(&0) {
                self.partial.remove(&at);
                self.set(at, 1, true);
            }
        }
    }

    /// Nobody knows any more what a range holds.
    pub(crate) fn forget(&mut self, start: usize, length: usize) {
        self.set(start, length, false);
        let end = start.saturating_add(length);
        remove(&mut self.partial, start..end);
        self.forget_copies(start, end);
    }

    fn forget_copies(&mut self, start: usize, end: usize) {
        remove(&mut self.copied, start..end);
        if let Some((&first, (length, _))) = self.copied.range_mut(..start).next_back() {
            *length = (*length).min(start - first);
        }
    }

    /// Notes that a range was written with bytes of which something is unknown.
    pub(crate) fn taint(&mut self, start: usize, taint: &Taint) {
        for (&mask, at) in taint.masks.iter().zip(start..) {
            self.set(at, 1, mask == 0);
            match mask {
                0 => {}
                0xFF if self.partial.is_empty() => {}
                0xFF => {
                    self.partial.remove(&at);
                }
                _ => {
                    self.partial.insert(at, mask);
                }
            }
        }
        self.forget_copies(start, start.saturating_add(taint.masks.len()));
        if self.copied.len() >= COPIES {
            self.copied.clear();
        }
        self.copied.insert(start, (taint.masks.len(), taint.source));
    }

    /// What is unknown of a range, whose first byte is `own`.
    pub(crate) fn of(&self, start: usize, length: usize, own: Source) -> Option<Taint> {
        let first = self.first_gap(start, length)?;
        let mask = |at: usize| {
            if self.is_written::<1>(at) {
                0
            } else {
                self.partial.get(&at).copied().unwrap_or(0xFF)
            }
        };
        let masks: Vec<u8> = (start..start.saturating_add(length)).map(mask).collect();
        if masks.iter().all(|mask| *mask == 0) {
            return None;
        }
        let skipped = first - start;
        let source = match self.copied.range(..=first).next_back() {
            Some((&begin, &(length, source))) if first - begin < length => {
                source.after(first - begin)
            }
            _ => own.after(skipped),
        };
        Some(Taint { masks, source: source.before(skipped) })
    }
}

fn remove<T>(map: &mut BTreeMap<usize, T>, range: std::ops::Range<usize>) {
    if map.is_empty() {
        return;
    }
    let gone: Vec<usize> = map.range(range).map(|(&at, _)| at).collect();
    for at in gone {
        map.remove(&at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: Source = Source::new(Memory::L1, PhysicalCoordinate { x: 1, y: 1 }, 0);

    #[test]
    fn gaps_are_found_wherever_they_are() {
        for gap in [0, 1, 7, 8, 9, 255, 256, 300, 511, 999] {
            let mut poison = Poison::new(1000);
            poison.write(0, 1000);
            assert_eq!(poison.first_gap(0, 1000), None);
            poison.forget(gap, 1);
            assert_eq!(poison.first_gap(0, 1000), Some(gap));
            assert_eq!(poison.first_gap(gap + 1, 999 - gap), None);
            assert_eq!(poison.first_gap(0, gap), None);
            assert!(!poison.is_written::<1>(gap));
        }
    }

    #[test]
    fn a_copy_remembers_its_original_until_it_is_freed() {
        let mut poison = Poison::new(64);
        poison.write(0, 64);
        let there = Source { memory: Memory::Dram, address: 0x100, ..OWN };
        poison.taint(8, &Taint { masks: vec![0, 0xFF, 0x0F, 0xFF], source: there });
        let taint = poison.of(0, 64, OWN).unwrap();
        assert_eq!(taint.first(), (9, there.after(1)));
        assert_eq!(taint.masks.get(8..12), Some(&[0, 0xFF, 0x0F, 0xFF][..]));
        assert_eq!(taint.part(0..9), None);
        poison.forget(10, 1);
        let taint = poison.of(10, 1, OWN.after(10)).unwrap();
        assert_eq!((taint.masks, taint.source), (vec![0xFF], OWN.after(10)));
        poison.write(8, 4);
        assert_eq!(poison.of(0, 64, OWN), None);
    }

    #[test]
    fn a_byte_of_which_half_was_known_may_be_unknown_as_a_whole() {
        let mut poison = Poison::new(64);
        poison.write(0, 64);
        for masks in [vec![0x0F, 0xF0], vec![0xFF, 0x03], vec![0, 0xFF]] {
            poison.taint(20, &Taint { masks: masks.clone(), source: OWN.after(20) });
            let mut expected = vec![0; 4];
            expected[1..3].copy_from_slice(&masks);
            assert_eq!(poison.of(19, 4, OWN.after(19)).unwrap().masks, expected);
        }
    }

    #[test]
    fn a_copy_ends_where_its_middle_was_freed() {
        let mut poison = Poison::new(64);
        let there = Source { memory: Memory::Dram, address: 0x100, ..OWN };
        poison.taint(8, &Taint::complete(32, there));
        poison.forget(16, 4);
        for (at, source) in [(15, there.after(7)), (16, OWN.after(16)), (30, OWN.after(30))] {
            assert_eq!(poison.of(at, 1, OWN.after(at)).unwrap().source, source, "{at}");
        }
    }
}
