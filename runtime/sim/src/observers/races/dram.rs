//! Who accessed which bytes of DRAM last, of the kernels of one program.
//!
//! Nearly all requests are to whole pages, so that a range of bytes has one entry, from its first byte on. Only requests
//! of kernels in the same run of a program are compared: what a program has left under way when it ends is waited for.
//! Dispatchers are not looked at.
//!
//! A range that a core reads until it has a value is a flag: a core that reads it comes after all that the flag's last writer
//! knew. No access to a flag is a race. Once there is a flag, a short read makes its range a flag, too, if following the code
//! does not tell whether the read polls. When the host writes a flag, or a few bytes that may become
//! one, all ranges of all channels are forgotten: the host may have waited for any core before.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::accesses::RequestSide;
use super::clock::Stamp;
use super::polling::Polls;
use super::transfers::{Record, Transfers};
use crate::machine::memory::SparseMemory;
use crate::quick_hash::QuickMap;

/// Ranges that are remembered of a channel. When there are more, all are forgotten.
const RANGES: usize = 1 << 13;
/// The most bytes that the host writes at once to give a core a sign.
const LONGEST_FLAG: u64 = 64;
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
    /// Cores wait for its value.
    is_flag: bool,
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
    /// Whether its core waits for a value in it.
    pub(super) polls: Polls,
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
        if accessed.is_flag {
            return None;
        }
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
    /// Notes an access, and gives what its issuer comes to know by a flag's value.
    fn touch(&mut self, touch: &Touch<'_>) -> Option<Stamp> {
        let record = touch.record;
        if touch.writes.is_some() {
            self.reads.clear();
            self.write = Some(Arc::clone(record));
            return None;
        }
        if self.is_flag {
            self.reads.clear();
            return self.write.as_ref().map(|write| write.arrival());
        }
        self.reads.retain(|earlier| !earlier.is_implied_by(record));
        if self.reads.len() >= READS {
            self.reads.remove(0);
        }
        self.reads.push(Arc::clone(record));
        None
    }
}

/// What is remembered of a channel, by the first byte of a range.
type Channel = BTreeMap<u64, Accessed>;

/// What is remembered of DRAM.
#[derive(Debug, Default)]
pub(super) struct DramAccesses {
    channels: QuickMap<u8, Channel>,
    /// Some ranges are flags.
    has_flags: bool,
}

impl DramAccesses {
    pub(super) fn forget(&mut self) {
        self.channels.clear();
        self.has_flags = false;
    }

    /// The host writes a range of a channel.
    pub(super) fn host_writes(&mut self, channel: u8, (start, end): (u64, u64)) {
        let ranges = self.channels.get(&channel);
        let before = ranges.into_iter().flat_map(|ranges| ranges.range(..end).rev());
        let mut written = before.map(|(_, accessed)| accessed).take_while(|it| it.end > start);
        // Nobody may have waited for the flag yet.
        if end.saturating_sub(start) <= LONGEST_FLAG || written.any(|accessed| accessed.is_flag) {
            self.channels.clear();
        }
    }

    /// The requests that are remembered.
    pub(super) fn records(&self) -> impl Iterator<Item = &Arc<Record>> {
        let ranges = self.channels.values().flat_map(BTreeMap::values);
        ranges.flat_map(|accessed| accessed.write.iter().chain(&accessed.reads))
    }

    /// A request reads or writes a range of a channel. Gives what its issuer comes to know by the values of flags.
    pub(super) fn touch(
        &mut self,
        transfers: &Transfers,
        channel: u8,
        touch: &Touch<'_>,
    ) -> Result<Vec<Stamp>, Unordered> {
        let (start, end) = touch.range;
        if touch.record.run.is_none() || start >= end {
            return Ok(Vec::new());
        }
        let waits = match touch.polls {
            Polls::Yes => true,
            Polls::Unclear => self.has_flags,
            Polls::No => false,
        };
        self.has_flags |= waits;
        let ranges = self.channels.entry(channel).or_default();
        if let Some(accessed) = ranges.get_mut(&start)
            && accessed.end == end
        {
            accessed.is_flag |= waits;
            if let Some(found) = touch.conflict(transfers, start, accessed) {
                return Err(found);
            }
            return Ok(accessed.touch(touch).into_iter().collect());
        }
        let before = ranges.range(..start).next_back().filter(|(_, accessed)| accessed.end > start);
        let first = before.map_or(start, |(&first, _)| first);
        let overlapped: Vec<u64> = ranges.range(first..end).map(|(&first, _)| first).collect();
        let mut has_flags = waits;
        for first in &overlapped {
            let Some(accessed) = ranges.get(first) else { continue };
            has_flags |= accessed.is_flag;
            if let Some(found) = touch.conflict(transfers, *first, accessed).filter(|_| !waits) {
                return Err(found);
            }
        }
        if ranges.len() >= RANGES {
            ranges.clear();
        }
        // A write replaces all entries within its range by one, but flags.
        let keeps = touch.writes.is_none() || has_flags;
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
            if keeps {
                if at < from {
                    ranges.insert(at, Accessed { end: from, ..Accessed::default() });
                }
                ranges.insert(from, Accessed { end: to, ..accessed });
            }
            at = to;
        }
        let rest = if keeps { at } else { start };
        if rest < end {
            ranges.insert(rest, Accessed { end, ..Accessed::default() });
        }
        let mut learnt = Vec::new();
        for (_, accessed) in ranges.range_mut(start..end) {
            accessed.is_flag |= waits;
            learnt.extend(accessed.touch(touch));
        }
        Ok(learnt)
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Processor;

    use super::super::clock::Clock;
    use super::super::transfers::tests::{OTHER, SENDER, request};
    use super::*;
    use crate::machine::actor::Actor;
    use crate::observers::noc_counters::Kind;

    const THIRD: Actor = Actor::core(2, Processor::Brisc);

    /// Requests of cores between which nothing is ordered, to one channel.
    struct Bench {
        transfers: Transfers,
        accesses: DramAccesses,
        memory: SparseMemory,
    }

    impl Bench {
        /// With the bytes 0, 1, 2 and so on.
        fn new() -> Self {
            let mut memory = SparseMemory::new("DRAM", 1 << 20);
            let bytes: Vec<u8> = (0..=255).collect();
            memory.write(0x1000, &bytes).unwrap();
            Self { transfers: Transfers::default(), accesses: DramAccesses::default(), memory }
        }

        /// The range in which a request conflicts with an earlier one.
        fn touch(
            &mut self,
            actor: Actor,
            range: (u64, u64),
            writes: Option<&[u8]>,
            polls: Polls,
        ) -> Option<(u64, u64)> {
            let kind = if writes.is_some() { Kind::MarkedWrite } else { Kind::Read };
            let stamp = Clock::default().release(actor);
            let record = self.transfers.issue(stamp, &request(kind, None, 0x100));
            let touch = Touch { record: &record, range, writes, polls, memory: &self.memory };
            self.accesses.touch(&self.transfers, 5, &touch).err().map(|found| found.range)
        }
    }

    #[test]
    fn a_write_of_what_is_there_conflicts_with_no_write() {
        for (start, length) in [(0x1000_u64, 64_usize), (0x1010, 64), (0x1030, 32)] {
            let range = (start, start + length as u64);
            let same: Vec<u8> = (0..length).map(|byte| (start as u8) + byte as u8).collect();
            // The ranges overlap in 0x1020 to 0x1040, which is somewhere else in each.
            let mut bench = Bench::new();
            let earlier = vec![7; 32];
            assert_eq!(bench.touch(OTHER, (0x1020, 0x1040), Some(&earlier), Polls::No), None);
            assert_eq!(bench.touch(SENDER, range, Some(&same), Polls::No), None, "{start:#x}");
            let mut bench = Bench::new();
            assert_eq!(bench.touch(OTHER, (0x1020, 0x1040), Some(&earlier), Polls::No), None);
            let overlap = (start.max(0x1020), range.1.min(0x1040));
            let mut other = same.clone();
            other[(overlap.0 - start) as usize] ^= 1;
            assert_eq!(bench.touch(SENDER, range, Some(&other), Polls::No), Some(overlap));
        }
    }

    #[test]
    fn ranges_are_cut_where_others_begin_and_end() {
        let bytes = [0xEE; 64];
        let mut bench = Bench::new();
        assert_eq!(bench.touch(OTHER, (0x1000, 0x1040), None, Polls::No), None);
        assert_eq!(bench.touch(OTHER, (0x1050, 0x1060), None, Polls::No), None);
        // Reads conflict with no read, and each part keeps its own.
        assert_eq!(bench.touch(SENDER, (0x1020, 0x1058), None, Polls::No), None);
        for (range, found) in [
            ((0x1010, 0x1020), (0x1010, 0x1020)),
            ((0x1040, 0x1050), (0x1040, 0x1050)),
            ((0x1058, 0x1068), (0x1058, 0x1060)),
        ] {
            let length = (range.1 - range.0) as usize;
            let conflict = bench.touch(THIRD, range, Some(&bytes[..length]), Polls::No);
            assert_eq!(conflict, Some(found), "{range:x?}");
        }
        assert_eq!(bench.touch(THIRD, (0x1060, 0x1070), Some(&bytes[..16]), Polls::No), None);
    }

    #[test]
    fn a_flag_makes_unclear_reads_flags_until_all_is_forgotten() {
        let (flag, data) = ((0x1000, 0x1004), (0x1080, 0x1084));
        for (has_flag, is_forgotten) in [(false, false), (true, false), (true, true)] {
            let mut bench = Bench::new();
            if has_flag {
                assert_eq!(bench.touch(OTHER, flag, None, Polls::Yes), None);
            }
            if is_forgotten {
                bench.accesses.forget();
            }
            assert_eq!(bench.touch(OTHER, data, None, Polls::Unclear), None);
            let conflict = bench.touch(SENDER, data, Some(&[1; 4]), Polls::No);
            let is_flag = has_flag && !is_forgotten;
            assert_eq!(conflict, (!is_flag).then_some(data), "{has_flag} {is_forgotten}");
        }
    }

    #[test]
    fn what_the_host_writes_to_a_flag_ends_all_that_was_before() {
        let data = (0x1080, 0x10C0);
        // A whole page beside the flag, a page with the flag in its end, and a word beside it.
        for (written, is_over) in
            [((0x2000, 0x3000), false), ((0x0800, 0x1004), true), ((0x2000, 0x2004), true)]
        {
            let mut bench = Bench::new();
            assert_eq!(bench.touch(OTHER, (0x1000, 0x1004), None, Polls::Yes), None);
            assert_eq!(bench.touch(OTHER, data, None, Polls::No), None);
            bench.accesses.host_writes(5, written);
            let conflict = bench.touch(SENDER, data, Some(&[1; 64]), Polls::No);
            assert_eq!(conflict, (!is_over).then_some(data), "{written:x?}");
        }
    }
}
