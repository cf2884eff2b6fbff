//! Requests that land where the memory has changed hands while they were under way.
//!
//! Rights are judged when a request is issued. Until it lands, only the host can take the memory away: it frees a buffer,
//! and another one takes the place. Nothing is looked at when a request lands, unless the host has freed memory since the
//! chip was idle.

use std::ops::Range;
use std::sync::Arc;

use hallmark_chip::{DescribedBuffer, FaultCategory, FaultMemory, PhysicalCoordinate, TileAddress};

use crate::machine::fault::Violation;
use crate::machine::observer::BufferMemory;

/// Memory that the host has freed while requests may have been under way.
#[derive(Debug)]
struct Freed {
    memory: BufferMemory,
    range: Range<u64>,
    before: Arc<DescribedBuffer>,
    /// The buffer that has taken it since.
    now: Option<Arc<DescribedBuffer>>,
    /// The tick at which the last request was issued before.
    issued_until: u64,
    /// See [`super::Grants::version`].
    version: u64,
}

/// Freed ranges that are kept at most: requests into further ones are not judged where they land.
const MOST: usize = 1024;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Landings {
    freed: Vec<Freed>,
    last_issue: u64,
}

/// A request that reaches memory.
#[derive(Clone, Debug)]
pub(super) struct Landing {
    pub(super) memory: BufferMemory,
    pub(super) at: PhysicalCoordinate,
    pub(super) range: Range<u64>,
    /// The tick at which it was issued.
    pub(super) issued: u64,
    pub(super) writes: bool,
}

/// The launch of a request: its kernel in words, and the version at which it ended, if it has.
#[derive(Clone, Debug)]
pub(super) struct Sender {
    pub(super) kernel: String,
    pub(super) ended: Option<u64>,
}

impl Landings {
    /// Whether no memory has changed hands.
    #[inline]
    pub(super) const fn is_quiet(&self) -> bool {
        self.freed.is_empty()
    }

    #[inline]
    pub(super) const fn issued(&mut self, tick: u64) {
        self.last_issue = tick;
    }

    /// Nothing is under way.
    pub(super) fn nothing_is_under_way(&mut self) {
        self.freed.clear();
    }

    pub(super) fn freed(
        &mut self,
        memory: BufferMemory,
        range: Range<u64>,
        before: &Arc<DescribedBuffer>,
        version: u64,
    ) {
        if self.freed.len() < MOST {
            let (before, now, issued_until) = (Arc::clone(before), None, self.last_issue);
            self.freed.push(Freed { memory, range, before, now, issued_until, version });
        }
    }

    pub(super) fn taken(
        &mut self,
        memory: BufferMemory,
        range: &Range<u64>,
        buffer: &Arc<DescribedBuffer>,
    ) {
        for freed in &mut self.freed {
            if freed.memory == memory
                && freed.range.start < range.end
                && range.start < freed.range.end
            {
                freed.now = Some(Arc::clone(buffer));
            }
        }
    }

    /// Judges a request where it lands. `sender`: its launch, if that was described.
    ///
    /// # Errors
    /// Its buffer was freed while its kernel ran, or another buffer has the memory by now.
    pub(super) fn check(
        &self,
        landing: &Landing,
        sender: impl FnOnce() -> Option<Sender>,
    ) -> Result<(), Violation> {
        let Landing { memory, at, range, issued, writes } = landing;
        let holds = |other: &Range<u64>| other.start < range.end && range.start < other.end;
        let found = self.freed.iter().find(|freed| {
            freed.memory == *memory && *issued <= freed.issued_until && holds(&freed.range)
        });
        let Some(freed) = found else { return Ok(()) };
        let Some(Sender { kernel, ended }) = sender() else { return Ok(()) };
        let now = freed.now.as_ref().filter(|now| {
            now.extents.iter().any(|extent| extent.tile == *at && holds(&extent.range()))
        });
        // A kernel may end once its writes have left. Then only a buffer that they hit is harmed.
        let has_ended = ended.is_some_and(|ended| ended <= freed.version);
        if has_ended && (now.is_none() || !writes) {
            return Ok(());
        }
        let length = range.end.saturating_sub(range.start).max(1);
        let memory = FaultMemory { tile: *at, address: TileAddress(range.start), length };
        let does = if *writes { "write" } else { "read" };
        let before = &freed.before.name;
        let now = now.map_or_else(String::new, |now| {
            format!(", and buffer `{}` has the memory by now", now.name)
        });
        let remedy = if has_ended {
            "wait in the kernel until its writes have arrived (noc_async_write_barrier), and not only until they have left"
        } else {
            "free a buffer after the last launch that uses it has finished"
        };
        let reason = format!(
            "a NoC {does} of {kernel} lands in {memory}, the memory of buffer `{before}`, which was freed while the \
             request was under way{now}: {remedy}"
        );
        Err(Violation::new(FaultCategory::MemoryNotGranted, reason).about(Some(memory)))
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::DescribedExtent;

    use super::*;

    const THERE: BufferMemory = BufferMemory::Dram(2);
    const AT: PhysicalCoordinate = PhysicalCoordinate { x: 4, y: 7 };

    fn buffer(name: &str, range: Range<u64>) -> Arc<DescribedBuffer> {
        let length = range.end - range.start;
        let start = TileAddress(range.start);
        let extents = vec![DescribedExtent { tile: AT, start, length, runs: Vec::new() }];
        let (pages, page_size, sharded, address) = (1, length, false, range.start);
        Arc::new(DescribedBuffer {
            number: 1,
            name: name.into(),
            pages,
            page_size,
            sharded,
            address,
            extents,
        })
    }

    fn landing(issued: u64, range: Range<u64>, writes: bool) -> Landing {
        Landing { memory: THERE, at: AT, range, issued, writes }
    }

    fn reason(landings: &Landings, landing: &Landing, ended: Option<u64>) -> Option<String> {
        let sender = || Some(Sender { kernel: "kernel `k`".to_owned(), ended });
        landings.check(landing, sender).err().map(|violation| violation.reason.clone())
    }

    #[test]
    fn a_write_that_was_issued_before_lands_in_what_was_freed_or_reused() {
        let mut landings = Landings::default();
        assert!(landings.is_quiet());
        landings.issued(50);
        landings.freed(THERE, 0x100..0x200, &buffer("old", 0x100..0x200), 7);
        let write = |issued| landing(issued, 0x180..0x1C0, true);
        // The kernel still runs, or ended after the memory was freed. If it ended before, the write harms no buffer.
        for ended in [None, Some(8)] {
            let text = reason(&landings, &write(50), ended).unwrap();
            assert!(
                text.contains("buffer `old`, which was freed while") && !text.contains("by now")
            );
        }
        assert_eq!(reason(&landings, &write(50), Some(7)), None);
        // Three requests that are not judged: issued after the memory was freed, to other memory, by no described launch.
        assert_eq!(reason(&landings, &write(51), None), None);
        assert_eq!(reason(&landings, &landing(50, 0x200..0x240, true), None), None);
        let other = Landing { memory: BufferMemory::L1(2), ..write(50) };
        assert_eq!(reason(&landings, &other, None), None);
        assert!(landings.check(&write(50), || None).is_ok());

        landings.taken(THERE, &(0x1A0..0x300), &buffer("new", 0x1A0..0x300));
        for (ended, remedy) in [(Some(7), "noc_async_write_barrier"), (None, "has finished")] {
            let text = reason(&landings, &write(50), ended).unwrap();
            let words = ["buffer `old`", "buffer `new` has the memory by now", remedy];
            assert!(words.iter().all(|word| text.contains(word)), "{text}");
        }
        assert_eq!(reason(&landings, &landing(50, 0x180..0x1C0, false), Some(7)), None);
        landings.nothing_is_under_way();
        assert!(landings.is_quiet() && reason(&landings, &write(50), None).is_none());
    }
}
