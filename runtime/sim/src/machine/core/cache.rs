//! The data cache between a core and L1, where the chip has one (BlackholeA0,
//! TensixTile/BabyRISCV/MemoryOrdering.md, "L0 data cache").
//!
//! It is not coherent: what others write to L1 shows only once the line is gone. Which line makes room
//! for another is not documented; here the oldest, and under a seeded schedule any.

use crate::machine::defects::{Defect, planted};
use crate::machine::memory::{Taint, TileMemory};
use hallmark_chip::Random;

#[derive(Clone, Debug, Default)]
struct Line {
    start: usize,
    bytes: Vec<u8>,
    /// What of it nobody had written when it was filled.
    unknown: Option<Box<Taint>>,
}

/// What a cache holds of some bytes.
pub(crate) enum CachedBytes {
    /// A load would not find them here.
    Absent,
    /// Somebody wrote all of them.
    Known,
    /// Nobody wrote these of them.
    Unknown(Taint),
}

#[derive(Clone, Debug)]
pub(crate) struct DataCache {
    /// Loads go through it.
    pub(crate) enabled: bool,
    /// A hit may empty it.
    pub(crate) hits_flush: bool,
    capacity: usize,
    line_size: usize,
    lines: Vec<Line>,
    next: usize,
    hits: u32,
    hits_per_flush: u32,
    random: Option<Random>,
}

impl DataCache {
    /// `random` chooses when hits empty it, and which line makes room; without it every so many hits do,
    /// and the oldest line does.
    pub(crate) fn new(
        description: Option<hallmark_chip::DataCache>,
        random: Option<Random>,
    ) -> Self {
        let (lines, line_size) = description.map_or((0, 1), |cache| (cache.lines, cache.line_size));
        let more = usize::from(planted(Defect::DataCacheOneLineMore));
        let less = usize::from(planted(Defect::DataCacheOneLineLess));
        Self {
            enabled: false,
            hits_flush: false,
            capacity: (lines as usize).saturating_add(more).saturating_sub(less),
            line_size: line_size.max(1) as usize,
            lines: Vec::new(),
            next: 0,
            hits: 0,
            hits_per_flush: description.map_or(1, |cache| cache.hits_per_flush).max(1),
            random,
        }
    }

    /// The bytes that it holds or drops together.
    pub(crate) const fn line_size(&self) -> usize {
        self.line_size
    }

    pub(crate) fn flush(&mut self) {
        self.lines.clear();
        self.next = 0;
    }

    fn line_start(&self, address: usize) -> usize {
        address - address % self.line_size
    }

    fn position(&self, address: usize) -> Option<usize> {
        let start = self.line_start(address);
        self.lines.iter().position(|line| line.start == start)
    }

    /// The core itself stores there.
    pub(crate) fn drop_line(&mut self, address: usize) {
        if let Some(position) = self.position(address) {
            self.lines.remove(position);
            self.next = 0;
        }
    }

    fn fill(&mut self, memory: &TileMemory, address: usize) -> Option<usize> {
        let start = self.line_start(address);
        let bytes = memory.bytes.get(start..start + self.line_size)?;
        let unknown = memory.taint_of(start as u32, self.line_size).map(Box::new);
        let line = Line { start, bytes: bytes.to_vec(), unknown };
        if self.lines.len() < self.capacity {
            self.lines.push(line);
            return Some(self.lines.len() - 1);
        }
        let place = match &mut self.random {
            Some(random) => random.next() as usize % self.capacity.max(1),
            None => self.next % self.capacity.max(1),
        };
        self.next = place + 1;
        *self.lines.get_mut(place)? = line;
        Some(place)
    }

    fn count_hit(&mut self) {
        if !self.hits_flush {
            return;
        }
        self.hits += 1;
        let flushes = match &mut self.random {
            Some(random) => random.next() % u64::from(self.hits_per_flush) == 0,
            None => self.hits.is_multiple_of(self.hits_per_flush),
        };
        if flushes {
            self.flush();
        }
    }

    /// An aligned load from L1; `None` if nobody wrote some of its bytes and `known` asks for that.
    pub(crate) fn load<const SIZE: usize>(
        &mut self,
        memory: &TileMemory,
        address: usize,
        known: bool,
    ) -> Option<[u8; SIZE]> {
        let held = self.position(address);
        let position = match held {
            Some(position) => position,
            None => self.fill(memory, address)?,
        };
        let line = self.lines.get(position)?;
        let range = address - line.start..address - line.start + SIZE;
        if known && line.unknown.as_ref().is_some_and(|taint| taint.part(range.clone()).is_some()) {
            return None;
        }
        let mut bytes = [0; SIZE];
        bytes.copy_from_slice(line.bytes.get(range)?);
        if held.is_some() {
            self.count_hit();
        }
        Some(bytes)
    }

    /// What is known of some bytes that a load might find here.
    pub(crate) fn taint_of(&self, address: usize, length: usize) -> CachedBytes {
        let line = self.position(address).and_then(|position| self.lines.get(position));
        let Some(line) = line else { return CachedBytes::Absent };
        let offset = address - line.start;
        let taint = line.unknown.as_ref().and_then(|taint| taint.part(offset..offset + length));
        taint.map_or(CachedBytes::Known, CachedBytes::Unknown)
    }

    /// Whether the word at an address is here and no longer what L1 holds.
    pub(crate) fn is_stale(&self, memory: &TileMemory, address: u32) -> bool {
        let word = (address & !3) as usize;
        let Some(line) = self.position(word).and_then(|position| self.lines.get(position)) else {
            return false;
        };
        let offset = word - line.start;
        line.bytes.get(offset..offset + 4) != memory.bytes.get(word..word + 4)
            || line.unknown.as_ref().and_then(|taint| taint.part(offset..offset + 4))
                != memory.taint_of(word as u32, 4)
    }
}
