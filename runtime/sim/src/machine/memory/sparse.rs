//! Large memory of which only touched pages are held: DRAM and L1 of Ethernet tiles.

use super::poison::{Poison, Source, Taint};
use crate::machine::fault::Violation;
use crate::quick_hash::QuickMap;

/// log2 of the bytes that are allocated together: a page of the host. Larger allocations are cleared by the allocator,
/// or are mappings of their own, which cost more to make and to give back than the few bytes that most programs
/// write to a bank.
const CHUNK_BITS: u32 = 12;
const CHUNK: usize = 1 << CHUNK_BITS;

/// Memory of which only what was written costs anything; the rest reads as zero.
#[derive(Debug)]
pub(crate) struct SparseMemory {
    name: &'static str,
    size: u64,
    /// By their number.
    chunks: QuickMap<usize, Chunk>,
}

#[derive(Debug)]
struct Chunk {
    bytes: Box<[u8]>,
    poison: Poison,
}

impl Chunk {
    fn new() -> Self {
        Self { bytes: vec![0; CHUNK].into_boxed_slice(), poison: Poison::new(CHUNK) }
    }

    fn write(&mut self, offset: usize, part: &[u8]) {
        if let Some(target) = self.bytes.get_mut(offset..offset + part.len()) {
            target.copy_from_slice(part);
        }
        self.poison.write(offset, part.len());
    }
}

/// A range as parts of chunks: the chunk's number, the offset in it, and how much of the range comes
/// before and lies in it.
fn parts(address: u64, length: usize) -> impl Iterator<Item = (usize, usize, usize, usize)> {
    let start = address as usize;
    let mut done = 0;
    std::iter::from_fn(move || {
        let at = start + done;
        let offset = at & (CHUNK - 1);
        let part = (length - done).min(CHUNK - offset);
        let before = done;
        done += part;
        (part > 0).then_some((at >> CHUNK_BITS, offset, before, part))
    })
}

impl SparseMemory {
    pub(crate) fn new(name: &'static str, size: u64) -> Self {
        Self { name, size, chunks: QuickMap::default() }
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    fn check(&self, address: u64, length: usize) -> Result<(), Violation> {
        match address.checked_add(length as u64) {
            Some(end) if end <= self.size => Ok(()),
            _ => Err(Violation::undefined(format!(
                "{length} bytes at {address:#x} pass the end of {} at {:#x}",
                self.name, self.size
            ))),
        }
    }

    pub(crate) fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Violation> {
        self.check(address, buffer.len())?;
        for (index, offset, before, length) in parts(address, buffer.len()) {
            let Some(part) = buffer.get_mut(before..before + length) else { continue };
            match self.chunk(index) {
                Some(chunk) => {
                    if let Some(source) = chunk.bytes.get(offset..offset + length) {
                        part.copy_from_slice(source);
                    }
                }
                None => part.fill(0),
            }
        }
        Ok(())
    }

    pub(crate) fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Violation> {
        self.check(address, bytes.len())?;
        for (index, offset, before, length) in parts(address, bytes.len()) {
            let part = bytes.get(before..before + length).unwrap_or_default();
            self.chunks.entry(index).or_insert_with(Chunk::new).write(offset, part);
        }
        Ok(())
    }

    fn chunk(&self, index: usize) -> Option<&Chunk> {
        self.chunks.get(&index)
    }

    /// What is unknown of a range, whose first byte is `own`.
    pub(crate) fn taint_of(&self, address: u64, length: usize, own: Source) -> Option<Taint> {
        let mut taint: Option<Taint> = None;
        for (index, offset, before, part) in parts(address, length) {
            let own = own.after(before);
            let of_part = match self.chunk(index) {
                Some(chunk) => chunk.poison.of(offset, part, own),
                None => Some(Taint::complete(part, own)),
            };
            let Some(of_part) = of_part else { continue };
            let whole = taint.get_or_insert_with(|| Taint {
                masks: vec![0; length],
                source: of_part.source.before(before),
            });
            if let Some(masks) = whole.masks.get_mut(before..before + part) {
                masks.copy_from_slice(&of_part.masks);
            }
        }
        taint
    }

    /// Notes that what was just written is unknown in part.
    pub(crate) fn taint(&mut self, address: u64, taint: &Taint) {
        for (index, offset, before, length) in parts(address, taint.masks.len()) {
            if let Some(part) = taint.part(before..before + length)
                && let Some(chunk) = self.chunks.get_mut(&index)
            {
                chunk.poison.taint(offset, &part);
            }
        }
    }

    /// Nobody knows any more what a range holds.
    pub(crate) fn forget(&mut self, address: u64, length: usize) {
        // Banks are given back whole, of which little was written.
        if length >> CHUNK_BITS > self.chunks.len() {
            let (start, end) = (address as usize, (address as usize).saturating_add(length));
            for (&index, chunk) in &mut self.chunks {
                let base = index << CHUNK_BITS;
                let (from, to) = (start.max(base), end.min(base + CHUNK));
                chunk.poison.forget(from.saturating_sub(base), to.saturating_sub(from));
            }
            return;
        }
        for (index, offset, _, part) in parts(address, length) {
            if let Some(chunk) = self.chunks.get_mut(&index) {
                chunk.poison.forget(offset, part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::PhysicalCoordinate;

    use super::*;
    use crate::machine::memory::Memory;

    #[test]
    fn what_was_written_comes_back_and_the_rest_is_zero() {
        let mut memory = SparseMemory::new("DRAM", 1 << 31);
        let bytes: Vec<u8> = (0..5 * CHUNK / 2).map(|byte| byte as u8).collect();
        let start = (CHUNK - 100) as u64;
        memory.write(start, &bytes).unwrap();
        let mut back = vec![1; bytes.len() + 200];
        memory.read(start - 100, &mut back).unwrap();
        assert_eq!(&back[..100], &[0; 100]);
        assert_eq!(&back[100..100 + bytes.len()], &bytes);
        assert_eq!(&back[100 + bytes.len()..], &[0; 100]);
    }

    #[test]
    fn what_is_forgotten_ends_where_it_should() {
        let own = Source::new(Memory::Dram, PhysicalCoordinate { x: 0, y: 0 }, 0);
        // A few pages, and more than were ever written.
        for length in [CHUNK, 1 << 30] {
            let mut memory = SparseMemory::new("DRAM", 1 << 31);
            memory.write(0, &vec![1; 3 * CHUNK]).unwrap();
            memory.write(1 << 30, &[1; 200]).unwrap();
            memory.forget(100, length);
            assert_eq!(memory.taint_of(0, 100, own), None);
            assert_eq!(memory.taint_of(99, 2, own).unwrap().masks, [0, 0xFF]);
            let end = 100 + length as u64;
            assert_eq!(memory.taint_of(end - 1, 2, own).unwrap().masks, [0xFF, 0]);
            assert_eq!(memory.taint_of(end, 50, own), None);
        }
    }

    #[test]
    fn the_end_is_the_end() {
        let mut memory = SparseMemory::new("DRAM", 1 << 31);
        memory.write((1 << 31) - 4, &[1; 4]).unwrap();
        assert!(memory.write((1 << 31) - 3, &[1; 4]).is_err());
        assert!(memory.read(u64::MAX, &mut [0; 4]).is_err());
    }
}
