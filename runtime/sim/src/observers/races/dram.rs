//! Who accessed which bytes of DRAM last, of the kernels of one program.
//!
//! Nearly all requests are to whole pages, so that a range of bytes has one entry, from its first byte on. Only requests
//! of kernels in the same run of a program are compared: what a program has left under way when it ends is waited for.
//! Dispatchers and the host are not looked at.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::accesses::RequestSide;
use super::transfers::{Record, Transfers};
use crate::machine::memory::SparseMemory;
use crate::quick_hash::QuickMap;

/// Ranges that are remembered of a channel. When there are more, all are forgotten.
const RANGES: usize = 1 << 13;
/// Reads of a range that are remembered, the last ones.
const READS: usize = 256;

/// A run of a program: its number, and which of its runs it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(super) program: u32,
    pub(super) number: u64,
}

/// The accesses to a range of bytes, each of all of them.
#[derive(Clone, Debug, Default)]
struct Accessed {
    end: u64,
    write: Option<Arc<Record>>,
    /// Those since the write; of those that imply each other the last.
    reads: Vec<Arc<Record>>,
}

/// An earlier request without an order to this one.
#[derive(Debug)]
pub(super) struct Unordered {
    pub(super) earlier: Arc<Record>,
    pub(super) wrote: bool,
    /// The first byte that both access, and the end.
    pub(super) range: (u64, u64),
}

/// A request at DRAM.
#[derive(Clone, Copy)]
pub(super) struct Touch<'a> {
    pub(super) record: &'a Arc<Record>,
    pub(super) range: (u64, u64),
    /// What it writes.
    pub(super) writes: Option<&'a [u8]>,
    /// What the channel holds until then.
    pub(super) memory: &'a SparseMemory,
}

impl Touch<'_> {
    /// Whether it writes what the channel holds, as far as a part of its range goes.
    fn keeps(&self, (start, end): (u64, u64)) -> bool {
        let from = start.saturating_sub(self.range.0) as usize;
        let mut held = vec![0; end.saturating_sub(start) as usize];
        let written = self.writes.and_then(|bytes| bytes.get(from..from.checked_add(held.len())?));
        self.memory.read(start, &mut held).is_ok() && written == Some(held.as_slice())
    }

    /// The access in a range that nothing orders with it.
    fn conflict(
        &self,
        transfers: &Transfers,
        start: u64,
        accessed: &Accessed,
    ) -> Option<Unordered> {
        let range = (start.max(self.range.0), accessed.end.min(self.range.1));
        let later = self.record.arriving();
        let is_unordered = |earlier: &&Arc<Record>| {
            earlier.run == self.record.run
                && !transfers.ordered(earlier, RequestSide::Target, &later)
        };
        if let Some(write) = accessed.write.as_ref().filter(is_unordered)
            && !self.keeps(range)
        {
            return Some(Unordered { earlier: Arc::clone(write), wrote: true, range });
        }
        let read = accessed.reads.iter().filter(|_| self.writes.is_some()).find(is_unordered)?;
        Some(Unordered { earlier: Arc::clone(read), wrote: false, range })
    }
}

impl Accessed {
    fn touch(&mut self, touch: &Touch<'_>) {
        let record = touch.record;
        if touch.writes.is_some() {
            self.reads.clear();
            self.write = Some(Arc::clone(record));
            return;
        }
        self.reads.retain(|earlier| !earlier.is_implied_by(record));
        if self.reads.len() >= READS {
            self.reads.remove(0);
        }
        self.reads.push(Arc::clone(record));
    }
}

/// What is remembered of a channel, by the first byte of a range.
type Channel = BTreeMap<u64, Accessed>;

/// What is remembered of DRAM.
#[derive(Debug, Default)]
pub(super) struct DramAccesses {
    channels: QuickMap<u8, Channel>,
    /// Cores wait for words of DRAM, in ways that are not followed: nothing is looked at until the chip is idle.
    has_flags: bool,
}

impl DramAccesses {
    pub(super) fn forget(&mut self) {
        self.channels.clear();
        self.has_flags = false;
    }

    /// A core waits for a word of DRAM.
    pub(super) fn has_flags(&mut self) {
        self.forget();
        self.has_flags = true;
    }

    /// The requests that are remembered.
    pub(super) fn records(&self) -> impl Iterator<Item = &Arc<Record>> {
        let ranges = self.channels.values().flat_map(BTreeMap::values);
        ranges.flat_map(|accessed| accessed.write.iter().chain(&accessed.reads))
    }

    /// A request reads or writes a range of a channel.
    pub(super) fn touch(
        &mut self,
        transfers: &Transfers,
        channel: u8,
        touch: &Touch<'_>,
    ) -> Result<(), Unordered> {
        let (start, end) = touch.range;
        if self.has_flags || touch.record.run.is_none() || start >= end {
            return Ok(());
        }
        let ranges = self.channels.entry(channel).or_default();
        if let Some(accessed) = ranges.get_mut(&start)
            && accessed.end == end
        {
            if let Some(found) = touch.conflict(transfers, start, accessed) {
                return Err(found);
            }
            accessed.touch(touch);
            return Ok(());
        }
        let before = ranges.range(..start).next_back().filter(|(_, accessed)| accessed.end > start);
        let first = before.map_or(start, |(&first, _)| first);
        let overlapped: Vec<u64> = ranges.range(first..end).map(|(&first, _)| first).collect();
        for first in &overlapped {
            if let Some(accessed) = ranges.get(first)
                && let Some(found) = touch.conflict(transfers, *first, accessed)
            {
                return Err(found);
            }
        }
        if ranges.len() >= RANGES {
            ranges.clear();
        }
        let mut at = start;
        for first in overlapped {
            let Some(accessed) = ranges.remove(&first) else { continue };
            if first < start {
                ranges.insert(first, Accessed { end: start, ..accessed.clone() });
            }
            if accessed.end > end {
                ranges.insert(end, accessed.clone());
            }
            let (from, to) = (first.max(start), accessed.end.min(end));
            if touch.writes.is_none() {
                if at < from {
                    ranges.insert(at, Accessed { end: from, ..Accessed::default() });
                }
                ranges.insert(from, Accessed { end: to, ..accessed });
            }
            at = to;
        }
        let rest = if touch.writes.is_some() { start } else { at };
        if rest < end {
            ranges.insert(rest, Accessed { end, ..Accessed::default() });
        }
        for (_, accessed) in ranges.range_mut(start..end) {
            accessed.touch(touch);
        }
        Ok(())
    }
}
