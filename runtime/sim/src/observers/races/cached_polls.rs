//! Words that a core polls through its data cache.
//!
//! The cache is not coherent with L1 (BlackholeA0, TensixTile/BabyRISCV/MemoryOrdering.md, "L0 data cache"): a loop whose
//! loads find one line again and again sees nothing of a change by another actor, until a hit happens to empty the cache.
//! The loop's code decides ([`polls_one_line`]), and the order of the look and the change: a change that nothing orders
//! before the look is a fault, whichever of them comes first in a schedule and whatever the line holds then.
//!
//! Kernels of launches that were described are judged; firmware and other code polls at its own risk.

use std::sync::Arc;

use hallmark_chip::{LaunchDescription, Tick};

use super::clock::place;
use super::polling::polls_one_line;
use super::report::{Conflict, Party};
use super::sync::{CachedPoll, SyncRule};
use super::{Order, Shadow};
use crate::machine::actor::Actor;
use crate::machine::defects::{Defect, planted};
use crate::machine::observer::{CoreAt, Scene};
use crate::observers::per_core::PerCore;
use crate::quick_hash::QuickMap;

/// The kernels that run, and which of their loads poll one line.
#[derive(Debug)]
pub(super) struct CachedPolls {
    launches: PerCore<Option<Arc<LaunchDescription>>>,
    /// By the core and the load's pc.
    known: QuickMap<(Actor, u32), bool>,
}

impl CachedPolls {
    pub(super) fn new(tiles: usize) -> Self {
        Self { launches: PerCore::new(tiles), known: QuickMap::default() }
    }

    pub(super) fn begin(&mut self, core: CoreAt, launch: &Arc<LaunchDescription>, _: Tick) {
        self.known.retain(|(actor, _), _| *actor != core.actor());
        if let Some(slot) = self.launches.get_mut(core.actor()) {
            *slot = Some(Arc::clone(launch));
        }
    }

    pub(super) fn end(&mut self, core: CoreAt) {
        if let Some(slot) = self.launches.get_mut(core.actor()) {
            *slot = None;
        }
    }

    /// Code was replaced.
    pub(super) fn forget_code(&mut self) {
        self.known.clear();
    }

    /// Looks at the code of a load that a core is about to execute.
    pub(super) fn look(&mut self, core: CoreAt, pc: u32, scene: &mut Scene<'_>) {
        let Some(loading) = scene.tile.cores.get(core.processor.index()) else { return };
        let (returns_to, has_instruction_ram) = (loading.register(1), loading.has_instruction_ram);
        let line_size = loading.cache.line_size() as u32;
        let memory = &mut scene.tile.memory;
        let polls = polls_one_line(memory, (pc, returns_to), has_instruction_ram, line_size);
        self.known.insert((core.actor(), pc), polls);
    }
}

impl Order {
    /// A core is about to load a word through its data cache.
    pub(super) fn looks_through_cache(
        &mut self,
        shadow: &mut Shadow,
        actor: Actor,
        (address, pc): (u32, u32),
    ) -> Result<(), Box<Conflict>> {
        if !self.is_watching() || planted(Defect::StaleLinesPolled) {
            return Ok(());
        }
        let Some(Some(launch)) = self.cached_polls.launches.get(actor) else { return Ok(()) };
        let launch = Arc::clone(launch);
        let word = address & !3;
        match self.cached_polls.known.get(&(actor, pc)) {
            Some(false) => return Ok(()),
            Some(true) => {}
            None => {
                let conflict = Conflict::of_rule(SyncRule::LooksThroughCache, word, Party::Host);
                return Err(Box::new(conflict));
            }
        }
        // By its use a flag, as in `polling.rs`.
        self.promote(shadow, word);
        let (Some(clock), Some(word)) =
            (self.clocks.get(place(actor)), shadow.synchronizing(word >> 2))
        else {
            return Ok(());
        };
        let poll = CachedPoll { actor, count: clock.own(), pc, launch };
        let transfers = &self.history.transfers;
        match word.polled(transfers, &clock.view(actor), poll.clone()) {
            None => Ok(()),
            Some(change) => Err(Box::new(Conflict::of_cached_poll(poll, address & !3, change))),
        }
    }
}
