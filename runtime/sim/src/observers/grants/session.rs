//! Loads and stores of cores in their own L1.
//!
//! A core is asked about where races know of no earlier access of its own, and keeps the memory that was granted then: a
//! loop over a few buffers asks once for each. A word that it loads may tell it the address of a buffer, which it keeps,
//! too: the word may be gone when the address is used.

use std::ops::Range;

use super::recent::Recent;
use super::{Access, Grants, Running, What};
use crate::machine::fault::Violation;
use crate::machine::observer::{BufferMemory, CoreAt, Scene};

/// An access of a core.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoreAccess {
    start: u32,
    size: u32,
    writes: bool,
}

/// Memory that a core keeps as granted.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownRanges(Recent<Range<u32>>);

impl KnownRanges {
    #[inline]
    fn contain(&self, start: u32, size: u32) -> bool {
        let end = start.saturating_add(size);
        self.0.iter().any(|range| range.start <= start && end <= range.end)
    }

    fn keep(&mut self, range: Range<u32>) {
        self.0.keep(range);
    }

    fn forget(&mut self, range: &Range<u32>) {
        self.0.forget(range);
    }
}

/// A core that executes.
#[derive(Clone, Copy)]
pub(crate) struct GrantSession<'a> {
    running: Option<&'a Running>,
}

impl GrantSession<'_> {
    /// Whether the core may load these bytes of its L1, as far as that is known. `false`: it is asked about.
    #[inline(always)]
    pub(crate) fn allows_load(self, start: u32, bytes: &[u8]) -> bool {
        self.running.is_none_or(|running| may_load(running, start, bytes))
    }

    /// The same for a store.
    #[inline(always)]
    pub(crate) fn allows_store(self, start: u32, size: u32) -> bool {
        let writes = true;
        self.running.is_none_or(|running| is_known(running, CoreAccess { start, size, writes }))
    }
}

/// Out of the interpreter's way, which has its registers for itself then.
#[cold]
#[inline(never)]
fn may_load(running: &Running, start: u32, bytes: &[u8]) -> bool {
    running.told.note(&running.described.launch, start, bytes);
    is_known(running, CoreAccess { start, size: bytes.len() as u32, writes: false })
}

/// Out of the interpreter's way, which has its registers for itself then.
#[cold]
#[inline(never)]
fn is_known(running: &Running, access: CoreAccess) -> bool {
    let CoreAccess { start, size, writes } = access;
    let [loads, stores] = &running.known;
    let known = (if writes { stores } else { loads }).contain(start, size);
    if !known {
        running.asked.set(Some(access));
    }
    known
}

impl Grants {
    /// A core executes instructions.
    #[inline]
    pub(crate) fn session(&self, core: CoreAt) -> GrantSession<'_> {
        GrantSession { running: self.running(core.tile, core.processor) }
    }

    /// The access that a core is asked about, if one is.
    pub(crate) fn take_asked(&self, core: CoreAt) -> Option<CoreAccess> {
        self.running(core.tile, core.processor)?.asked.take()
    }

    /// The core is asked about its next load of a word, too.
    pub(crate) fn ask_again(&mut self, core: CoreAt, address: u32) {
        if let Some(running) = self.running_mut(core.tile, core.processor) {
            let [loads, _] = &mut running.known;
            loads.forget(&(address..address.saturating_add(4)));
        }
    }

    /// Judges the access that a core is about to make.
    ///
    /// # Errors
    /// The rule that it breaks.
    pub(crate) fn resolve(
        &mut self,
        core: CoreAt,
        scene: &Scene<'_>,
        CoreAccess { start, size, writes }: CoreAccess,
    ) -> Result<(), Violation> {
        let range = u64::from(start)..u64::from(start) + u64::from(size);
        let memory = BufferMemory::L1(core.tile);
        let what = if writes { What::Stores } else { What::Loads };
        let access = Access { memory, at: core.at, range, what, multicast: false };
        let granted = self.check((core.tile, core.processor), scene, &access)?;
        let itself = scene.tile.cores.get(core.processor.index());
        let follows = itself.is_some_and(|core| core.pointers.follow_arguments());
        if let Some(running) = self.running_mut(core.tile, core.processor) {
            // A core that follows arguments is asked about each word of them.
            let is_alone = follows && running.is_argument(core.processor, start);
            // A grant for this access alone is kept as well, because the access is tried again.
            let memory = granted.filter(|_| !is_alone).unwrap_or(access.range);
            let narrow = |address: u64| u32::try_from(address).unwrap_or(u32::MAX);
            let [loads, stores] = &mut running.known;
            let known = if writes { stores } else { loads };
            known.keep(narrow(memory.start)..narrow(memory.end));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_ranges_are_kept() {
        let mut known = KnownRanges::default();
        for start in [0x100, 0x200, 0x300, 0x400] {
            known.keep(start..start + 0x10);
        }
        assert!([0x100, 0x200, 0x300, 0x400].iter().all(|start| known.contain(*start, 4)));
        assert!(known.contain(0x10C, 4) && !known.contain(0x10D, 4) && !known.contain(0xFF, 1));
        known.keep(0x500..0x504);
        assert!(!known.contain(0x100, 4) && known.contain(0x500, 4) && known.contain(0x200, 4));
    }
}
