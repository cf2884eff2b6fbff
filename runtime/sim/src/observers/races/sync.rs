//! Words that synchronize: semaphores, mailboxes, go words, page counts of circular buffers.
//!
//! Stores and increments of a semaphore are judged, too. An increment that nothing orders with a store is lost in some
//! schedules, whether or not it is lost in this one. Increments need no order among themselves.

use std::collections::VecDeque;
use std::sync::Arc;

use hallmark_chip::{Awaited, LaunchDescription};

use super::accesses::RequestSide;
use super::clock::{Stamp, View};
use super::report::Party;
use super::transfers::{Record, Transfers};
use crate::machine::actor::Actor;
use crate::machine::defects::{Defect, planted};

/// Increments of a word that are remembered one by one. Whoever loads the word comes after those before them.
const COUNTED: usize = 128;

/// What whoever loads the word learns.
#[derive(Clone, Debug, Default)]
pub(crate) struct SyncWord {
    /// What every load learns.
    stamps: Vec<Stamp>,
    /// The increments since, which a wait learns of if it would not have ended without them.
    counted: VecDeque<Increment>,
    changes: u64,
    /// The load that comes next has learnt what it may, at these changes.
    judged: Option<(Actor, u64)>,
    /// Who loaded it last, and what it was then.
    seen: Option<(Actor, u64)>,
    /// Firmware and dispatchers have agreed on its uses, which are not judged.
    is_mailbox: bool,
    uses: Uses,
    /// Cores that poll the word through a line of their data caches; of each the last look.
    pollers: Vec<CachedPoll>,
}

/// A look of a core that polls a word through its data cache, which its loop never empties.
#[derive(Clone, Debug)]
pub(crate) struct CachedPoll {
    pub(super) actor: Actor,
    /// The actor's count at the look.
    pub(super) count: u32,
    pub(super) pc: u32,
    pub(super) launch: Arc<LaunchDescription>,
}

/// What was done to a word, as far as it must be ordered.
#[derive(Clone, Debug, Default)]
struct Uses {
    /// The last store that gave it another value; several, if they wrote the same value before the word synchronized.
    stored: Vec<Change>,
    /// The stores that those replaced.
    replaced: Vec<Change>,
    /// The value that those gave the word, if it is known.
    replaced_value: Option<u32>,
    /// The value that the next store replaces, if it is known.
    value: Option<u32>,
    /// The next store writes the value that the word has.
    keeps_value: bool,
    /// The increments since; of those that imply each other the last.
    added: Vec<Change>,
    /// Requests that take their data from the word; of those that imply each other the last.
    sources: Vec<Arc<Record>>,
    /// The loads of a core that found increments of which it had not known.
    looked: Option<Look>,
    /// The last loads of cores that have not stored since.
    glances: Vec<Glance>,
    /// The last load, as long as nobody has stored since.
    last_glance: Option<(Actor, u32)>,
    /// Waits that a change of another actor ended, of each core the last.
    ended: Vec<EndedWait>,
}

/// The last load of a core, by which the core may count by hand.
#[derive(Clone, Copy, Debug)]
struct Glance {
    actor: Actor,
    pc: u32,
    /// The load that found another core's store of which the actor had not known: its pc, and the store.
    found: Option<(u32, (Actor, u32))>,
}

/// An increment by a request.
#[derive(Clone, Debug)]
struct Increment {
    stamp: Stamp,
    by: u32,
    record: Arc<Record>,
}

/// The end of a wait.
#[derive(Clone, Copy, Debug)]
struct EndedWait {
    actor: Actor,
    count: u32,
    pc: u32,
    awaited: Awaited,
    /// The next store leaves a value that ends it, too.
    is_spared: bool,
}

/// A load of a core, with all that it finds out before it is executed.
pub(super) struct Load<'a> {
    pub(super) view: View<'a>,
    pub(super) pc: u32,
    /// What the loop waits for to which it belongs, if that is known.
    pub(super) awaited: Option<Awaited>,
    pub(super) value: u32,
}

/// A change of a word.
#[derive(Clone, Debug)]
pub(super) enum Change {
    /// By a core at a count and a pc.
    Core { actor: Actor, count: u32, pc: u32 },
    /// By a request that arrived, an increment by this number.
    Request { record: Arc<Record>, increment: u32 },
}

/// The loads by which an actor learnt of increments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Look {
    actor: Actor,
    /// The pc of the load that found them.
    found_at: u32,
    /// The pc of the actor's last load.
    last_at: u32,
    /// What the actor's last load waits for, if that is known, and what it found.
    awaited: Option<Awaited>,
    value: u32,
}

/// The rule of words that synchronize which a store breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SyncRule {
    /// Nothing orders a store and an increment.
    Unordered,
    /// Others increment the word, or another core of the tile stores to it, of which the core had not known before a load.
    /// That load must wait for them, or the value that is stored must not follow from the last load.
    CountedByHand {
        /// The pc of the load that found the changes, or of the last one if it did not.
        found_at: u32,
        /// The pc of the last load.
        last_at: u32,
    },
    /// Nothing orders a core's store and another core's write of another value.
    OtherValue,
    /// Nothing orders an increment after a wait for this value, and for no greater one.
    Overshoots {
        /// The value.
        value: u32,
    },
    /// Nothing orders a store after another core's wait, which the stored value would not have ended.
    Wiped {
        /// The core that waits.
        waiter: Actor,
        /// The values that end its wait.
        awaited: Awaited,
    },
    /// A store ended a wait. Nothing orders an earlier store, whose value would not have ended the wait, before it.
    MayBeWiped {
        /// What the load waits for.
        awaited: Awaited,
        /// The actor whose store ended the wait.
        giver: Actor,
        /// The pc at which that was made or asked for.
        given_at: u32,
    },
    /// No rule yet: a core's store replaces another core's, to which nothing orders it.
    Replaces,
    /// A request still takes its data from the word.
    SetBack,
    /// No rule yet: a load may find more increments than it waits for.
    Looks,
    /// No rule yet: a load through the data cache may poll.
    LooksThroughCache,
}

impl Change {
    fn actor(&self) -> Actor {
        match self {
            Self::Core { actor, .. } => *actor,
            Self::Request { record, .. } => record.stamp.actor,
        }
    }

    /// Whether it is the store of a core at a count.
    fn is_of_core(&self, (by, at): (Actor, u32)) -> bool {
        matches!(*self, Self::Core { actor, count, .. } if (actor, count) == (by, at))
    }

    fn happened_before(&self, transfers: &Transfers, later: &View<'_>) -> bool {
        match self {
            Self::Core { actor, count, .. } => later.knows(*actor, *count),
            Self::Request { record, .. } => {
                transfers.ordered(record, RequestSide::Target, later)
                    // No channel says of such a request that it has arrived.
                    || !record.has_position()
                        && later.knows(record.stamp.actor, record.stamp.own)
            }
        }
    }

    pub(super) fn party(&self) -> Party {
        match self {
            Self::Core { actor, pc, .. } => Party::Core { actor: *actor, pc: *pc },
            Self::Request { record, .. } => Party::Request(Arc::clone(record), RequestSide::Target),
        }
    }

    /// Whether whoever comes after the other change comes after this one.
    fn is_implied_by(&self, later: &Self) -> bool {
        match (self, later) {
            (Self::Core { actor, .. }, Self::Core { actor: other, .. }) => actor == other,
            (Self::Request { record, .. }, Self::Request { record: other, .. }) => {
                record.is_implied_by(other)
            }
            _ => false,
        }
    }
}

impl Uses {
    /// A store ends all but what is known of stores.
    fn counts_are_over(&mut self) {
        let Self {
            stored: _,
            replaced: _,
            replaced_value: _,
            value: _,
            keeps_value: _,
            glances: _,
            last_glance,
            added,
            sources,
            looked,
            ended,
        } = self;
        *last_glance = None;
        added.clear();
        sources.clear();
        *looked = None;
        ended.retain_mut(|wait| {
            std::mem::take(&mut wait.is_spared) && !planted(Defect::KeptValuesEndWaits)
        });
    }

    /// The first increment by another actor that did not happen before.
    fn unordered(&self, transfers: &Transfers, later: &View<'_>) -> Option<&Change> {
        self.added
            .iter()
            .find(|one| one.actor() != later.actor && !one.happened_before(transfers, later))
    }
}

impl EndedWait {
    /// Whether nothing but luck tells another actor that it is over.
    fn is_unordered(&self, later: &View<'_>) -> bool {
        self.actor != later.actor && !later.knows(self.actor, self.count)
    }

    const fn party(&self) -> Party {
        Party::Core { actor: self.actor, pc: self.pc }
    }

    /// What a store breaks that does not spare it.
    fn wiped(&self) -> Option<(SyncRule, Party)> {
        let &Self { actor: waiter, awaited, .. } = self;
        (!planted(Defect::AwaitedValuesMayBeWiped))
            .then(|| (SyncRule::Wiped { waiter, awaited }, self.party()))
    }
}

impl Look {
    /// Whether the load would have gone on without an increment, which it found by luck.
    fn needs_not(&self, change: &Change) -> bool {
        match (self.awaited, change) {
            (Some(awaited), Change::Request { increment, .. }) => {
                change.actor() != self.actor
                    && awaited.includes(self.value.wrapping_sub(*increment))
            }
            _ => false,
        }
    }
}

impl SyncWord {
    /// Firmware and dispatchers use it.
    pub(super) fn make_mailbox(&mut self) {
        self.is_mailbox = true;
    }

    /// Whether firmware and dispatchers use it.
    pub(super) const fn is_mailbox(&self) -> bool {
        self.is_mailbox
    }

    /// A store: what others stored before is no longer what a load finds.
    pub(super) fn store(&mut self, stamp: Stamp, change: Option<Change>) {
        let keeps_value = std::mem::take(&mut self.uses.keeps_value);
        let value = self.uses.value.take();
        self.uses.counts_are_over();
        match change {
            Some(Change::Core { actor, .. }) => {
                self.uses.glances.retain(|glance| glance.actor != actor);
            }
            // The new value is no core's count.
            Some(Change::Request { .. }) | None => self.uses.glances.clear(),
        }
        if !keeps_value {
            self.stamps.clear();
            self.counted.clear();
            let Uses { stored, replaced, replaced_value, .. } = &mut self.uses;
            std::mem::swap(stored, replaced);
            stored.clear();
            *replaced_value = value;
            stored.extend(change.filter(|_| !self.is_mailbox));
        }
        self.note(stamp);
        self.changes += 1;
    }

    /// A store to some of its bytes: a load finds what others stored to the other bytes, too.
    pub(super) fn store_part(&mut self, stamp: Stamp, change: Option<Change>) {
        self.uses.keeps_value = false;
        self.uses.replaced_value = None;
        self.uses.value = None;
        self.uses.ended.clear();
        self.note_increments();
        self.note(stamp);
        self.changes += 1;
        if let Some(change) = change.filter(|_| !self.is_mailbox) {
            self.uses.stored.retain(|earlier| !earlier.is_implied_by(&change));
            self.uses.stored.push(change);
        }
    }

    /// The next store writes the value that the word has, without an order to the last one: a store that wipes it loses nothing.
    pub(super) fn keeps_value(&mut self) {
        self.uses.keeps_value = true;
    }

    /// The value of the word before the next store.
    pub(super) fn has_value(&mut self, value: Option<u32>) {
        self.uses.value = value;
    }

    /// A load finds this, too.
    fn note(&mut self, stamp: Stamp) {
        let same_way = |other: &Stamp| match (&other.passed, &stamp.passed) {
            (Some(old), Some(new)) => old.channel == new.channel,
            (None, _) => true,
            (Some(_), None) => false,
        };
        self.stamps.retain(|other| {
            !(other.actor == stamp.actor && other.own <= stamp.own && same_way(other))
        });
        self.stamps.push(stamp);
    }

    /// Each load finds all increments from now on.
    fn note_increments(&mut self) {
        while let Some(increment) = self.counted.pop_front() {
            self.note(increment.stamp);
        }
    }

    /// An atomic: a load finds what all of them did.
    pub(super) fn add(&mut self, stamp: Stamp, change: Option<Change>) {
        self.changes += 1;
        match change {
            Some(Change::Request { increment: by, ref record }) if !self.is_mailbox => {
                let record = Arc::clone(record);
                self.counted.push_back(Increment { stamp, by, record });
                if self.counted.len() > COUNTED
                    && let Some(first) = self.counted.pop_front()
                {
                    self.note(first.stamp);
                }
            }
            _ => self.note(stamp),
        }
        if let Some(change) = change
            && !self.is_mailbox
        {
            self.uses.added.retain(|earlier| !earlier.is_implied_by(&change));
            self.uses.added.push(change);
        }
    }

    /// The word was stored to before it synchronized.
    pub(super) fn was_stored(&mut self, change: Change) {
        self.uses.stored.push(change);
    }

    /// A request will take its data from the word.
    pub(super) fn lend(&mut self, record: &Arc<Record>) {
        if self.is_mailbox {
            return;
        }
        self.uses.sources.retain(|earlier| !earlier.is_implied_by(record));
        self.uses.sources.push(Arc::clone(record));
    }

    /// The rule that a core's store breaks, and the other party.
    pub(super) fn core_store_breaks(
        &self,
        transfers: &Transfers,
        later: &View<'_>,
    ) -> Option<(SyncRule, Party)> {
        let wipes = |change: &&Change| match change {
            Change::Request { record, .. } => {
                record.writes_word
                    && self.is_other_store(transfers, change, later)
                    && !self.has_rival(transfers, later.actor, &record.arriving())
            }
            Change::Core { .. } => false,
        };
        let found = || self.uses.stored.iter().find(wipes).map(Change::party);
        self.store_breaks(transfers, later)
            .or_else(|| self.counted_by_two(transfers, later))
            .or_else(|| self.wipes_awaited(later))
            .or_else(|| Some((SyncRule::OtherValue, found()?)))
            .or_else(|| Some((SyncRule::Replaces, self.replaced_by(transfers, later)?)))
    }

    /// The store of another core that a core's store replaces, if nothing orders the two, and if it is not known yet which
    /// value is replaced.
    fn replaced_by(&self, transfers: &Transfers, later: &View<'_>) -> Option<Party> {
        let is_replaced = |change: &&Change| {
            matches!(change, Change::Core { .. })
                && change.actor() != later.actor
                && !change.happened_before(transfers, later)
        };
        let mut stored = self.uses.stored.iter().filter(|_| self.uses.value.is_none());
        stored.find(is_replaced).map(Change::party)
    }

    /// Whether two cores count by hand: nothing orders another core's store before this core's load of the word. The load
    /// may have found it nevertheless.
    fn counted_by_two(&self, transfers: &Transfers, later: &View<'_>) -> Option<(SyncRule, Party)> {
        let glance = self.uses.glances.iter().find(|glance| glance.actor == later.actor)?;
        let stored = self.uses.stored.iter().filter(|it| matches!(it, Change::Core { .. }));
        for change in stored.filter(|it| it.actor() != later.actor) {
            let was_found = glance.found.filter(|(_, store)| change.is_of_core(*store));
            let found_at = match was_found {
                Some((found_at, _)) => found_at,
                None if !change.happened_before(transfers, later) => glance.pc,
                None => continue,
            };
            let rule = SyncRule::CountedByHand { found_at, last_at: glance.pc };
            return (!planted(Defect::CountingByTwoPasses)).then(|| (rule, change.party()));
        }
        None
    }

    /// The rule that a request's write of the word breaks, and the other party.
    pub(super) fn write_breaks(
        &self,
        transfers: &Transfers,
        later: &View<'_>,
    ) -> Option<(SyncRule, Party)> {
        let wipes = |change: &&Change| {
            matches!(change, Change::Core { .. })
                && self.is_other_store(transfers, change, later)
                && !self.has_rival(transfers, change.actor(), later)
        };
        let found = || self.uses.stored.iter().find(wipes).map(Change::party);
        self.store_breaks(transfers, later)
            .filter(|(rule, _)| *rule == SyncRule::Unordered)
            .or_else(|| Some((SyncRule::OtherValue, found()?)))
    }

    /// Whether a store is another actor's and did not happen before.
    fn is_other_store(&self, transfers: &Transfers, stored: &Change, later: &View<'_>) -> bool {
        !self.uses.keeps_value
            && !planted(Defect::UnorderedWritesOfFlagsPass)
            && stored.actor() != later.actor
            && !stored.happened_before(transfers, later)
    }

    /// Whether a core and a request gave the word a value when a third actor had just done so, to which nothing orders
    /// the request: several raise the flag, and one of them is enough.
    fn has_rival(&self, transfers: &Transfers, core: Actor, request: &View<'_>) -> bool {
        self.uses.replaced.iter().any(|change| {
            change.actor() != core
                && change.actor() != request.actor
                && !change.happened_before(transfers, request)
        })
    }

    /// The rule that a store breaks, and the other party.
    pub(super) fn store_breaks(
        &self,
        transfers: &Transfers,
        later: &View<'_>,
    ) -> Option<(SyncRule, Party)> {
        let Uses { added, sources, looked, .. } = &self.uses;
        let by_luck = |change: &&Change| match (looked, change) {
            (Some(look), Change::Request { record, .. }) => {
                look.actor == later.actor
                    && look.needs_not(change)
                    && !transfers.is_told_otherwise(record, later)
            }
            _ => false,
        };
        if !planted(Defect::UnorderedIncrementsPass)
            && let Some(change) =
                self.uses.unordered(transfers, later).or_else(|| added.iter().find(by_luck))
        {
            return Some((SyncRule::Unordered, change.party()));
        }
        if let Some(Look { actor, found_at, last_at, .. }) = *looked
            && actor == later.actor
            && !planted(Defect::CountingByHandPasses)
            && let Some(change) = added.iter().rev().find(|one| one.actor() != actor)
        {
            return Some((SyncRule::CountedByHand { found_at, last_at }, change.party()));
        }
        if planted(Defect::FlagsSetBackPass) {
            return None;
        }
        let source =
            sources.iter().find(|record| !transfers.ordered(record, RequestSide::Source, later))?;
        Some((SyncRule::SetBack, Party::Request(Arc::clone(source), RequestSide::Source)))
    }

    /// The rule that an increment breaks, and the other party.
    pub(super) fn add_breaks(
        &self,
        transfers: &Transfers,
        later: &View<'_>,
    ) -> Option<(SyncRule, Party)> {
        if let Some(party) = self.wiped_by(transfers, later) {
            return Some((SyncRule::Unordered, party));
        }
        let (wait, value) = self
            .uses
            .ended
            .iter()
            .filter(|wait| wait.is_unordered(later))
            .find_map(|wait| Some((wait, wait.awaited.only_value()?)))?;
        (!planted(Defect::ExactWaitsMayBePassed))
            .then(|| (SyncRule::Overshoots { value }, wait.party()))
    }

    /// Whether a core's store takes away the value for which another core waits, unless the new value ends that wait, too.
    fn wipes_awaited(&self, later: &View<'_>) -> Option<(SyncRule, Party)> {
        let is_wiped = |wait: &&EndedWait| !wait.is_spared && wait.is_unordered(later);
        self.uses.ended.iter().find(is_wiped)?.wiped()
    }

    /// The rule that a request's write of a value breaks which takes away another value, and the other party. The next
    /// store is this one.
    pub(super) fn write_wipes(
        &mut self,
        value: u32,
        later: &View<'_>,
    ) -> Option<(SyncRule, Party)> {
        let mut wiped = None;
        for wait in self.uses.ended.iter_mut().filter(|wait| wait.is_unordered(later)) {
            wait.is_spared = wait.awaited.includes(value);
            if !wait.is_spared {
                wiped = wiped.or_else(|| wait.wiped());
            }
        }
        wiped.filter(|_| !planted(Defect::AwaitedValuesMayBeOverwritten))
    }

    /// The value that a load waits for, and that the word had before increments of which the actor had not known; and the
    /// increment by which it lost the value. In another order, the wait would have ended. Increments of which another actor
    /// has learnt are not looked at.
    pub(super) fn has_passed(&self, load: &Load<'_>) -> Option<(SyncRule, Party)> {
        let awaited = load.awaited?;
        let value = awaited.only_value().filter(|value| *value != load.value)?;
        let mut before = load.value;
        for increment in self.counted.iter().rev() {
            if load.view.knows(increment.stamp.actor, increment.stamp.own) {
                return None;
            }
            before = before.wrapping_sub(increment.by);
            if before == value {
                let party = Party::Request(Arc::clone(&increment.record), RequestSide::Target);
                return (!planted(Defect::PassedWaitsAreDeadlocks))
                    .then_some((SyncRule::Overshoots { value }, party));
            }
        }
        None
    }

    /// Whether a load ends a wait by luck: nothing orders an earlier store of another value before the one that gave the word
    /// the value that the load finds.
    pub(super) fn may_be_wiped(
        &self,
        transfers: &Transfers,
        load: &Load<'_>,
    ) -> Option<(SyncRule, Party)> {
        let Uses { stored, replaced, replaced_value, added, .. } = &self.uses;
        let awaited = load.awaited.filter(|awaited| awaited.includes(load.value))?;
        let ([given], true, false) =
            (&**stored, added.is_empty(), awaited.includes((*replaced_value)?))
        else {
            return None;
        };
        let (giver, given_at) = match given {
            Change::Core { actor, pc, .. } => (*actor, *pc),
            Change::Request { record, .. } => (record.stamp.actor, record.origin.pc),
        };
        let stamp = self.stamps.iter().find(|stamp| stamp.actor == giver)?;
        let view = match given {
            Change::Core { .. } => stamp.view(),
            Change::Request { record, .. } => record.arriving(),
        };
        let wiping = replaced
            .iter()
            .find(|one| one.actor() != giver && !one.happened_before(transfers, &view))?;
        (giver != load.view.actor && !planted(Defect::ValuesOfTwoWritersPass))
            .then(|| (SyncRule::MayBeWiped { awaited, giver, given_at }, wiping.party()))
    }

    /// The store by another actor that nothing orders with an increment.
    fn wiped_by(&self, transfers: &Transfers, later: &View<'_>) -> Option<Party> {
        let is_unordered = |stored: &&Change| {
            stored.actor() != later.actor && !stored.happened_before(transfers, later)
        };
        let stored = self.uses.stored.iter().find(is_unordered)?;
        (!planted(Defect::UnorderedIncrementsPass)).then(|| stored.party())
    }

    /// An actor is about to load the word. Whether it must be found out what the load waits for.
    #[inline]
    pub(super) fn looks(&mut self, transfers: &Transfers, later: &View<'_>, pc: u32) -> bool {
        if self.uses.last_glance != Some((later.actor, pc)) {
            self.glance(transfers, later, pc);
        }
        !self.uses.added.is_empty() && self.looks_at_increments(transfers, later, pc)
            || !self.uses.stored.is_empty() && self.looks_at_stores(transfers, later)
    }

    /// Whether a load may end a wait by what another actor stored.
    fn looks_at_stores(&self, transfers: &Transfers, later: &View<'_>) -> bool {
        let is_news =
            |one: &Change| one.actor() != later.actor && !one.happened_before(transfers, later);
        !self.is_unchanged_for(later.actor)
            && self.uses.stored.iter().any(is_news)
            && !planted(Defect::WrittenFlagsMayBeWiped)
    }

    fn glance(&mut self, transfers: &Transfers, later: &View<'_>, pc: u32) {
        if self.is_mailbox {
            return;
        }
        let actor = later.actor;
        let Uses { stored, glances, last_glance, .. } = &mut self.uses;
        *last_glance = Some((actor, pc));
        let news = stored.iter().find_map(|change| match *change {
            Change::Core { actor: other, count, .. }
                if other != actor && !change.happened_before(transfers, later) =>
            {
                Some((pc, (other, count)))
            }
            _ => None,
        });
        match glances.iter_mut().find(|glance| glance.actor == actor) {
            Some(glance) => *glance = Glance { actor, pc, found: news.or(glance.found) },
            None => glances.push(Glance { actor, pc, found: news }),
        }
    }

    fn looks_at_increments(&mut self, transfers: &Transfers, later: &View<'_>, pc: u32) -> bool {
        let actor = later.actor;
        let Uses { added, looked, .. } = &mut self.uses;
        let is_new = self.seen != Some((actor, self.changes));
        let is_news = |one: &Change| one.actor() != actor && !one.happened_before(transfers, later);
        if is_new && added.iter().any(is_news) {
            *looked = Some(Look { actor, found_at: pc, last_at: pc, awaited: None, value: 0 });
            return true;
        }
        match looked {
            Some(look) if look.actor == actor => {
                look.last_at = pc;
                is_new || added.iter().any(|change| look.needs_not(change))
            }
            _ => is_new,
        }
    }

    /// A load is about to find the word's value, and all about it is known: what its actor learns. `outlives` tells
    /// whether anybody but the loop may use the value.
    pub(super) fn learn_for(
        &mut self,
        load: &Load<'_>,
        outlives: impl FnOnce() -> bool,
    ) -> &[Stamp] {
        let &Load { view: View { actor, own, .. }, pc, awaited, value } = load;
        if let Some(look) = &mut self.uses.looked {
            *look = Look { awaited, value, ..*look };
        }
        self.judged = Some((actor, self.changes));
        let Some(awaited) = awaited else { return self.load(actor) };
        let ends = awaited.includes(value);
        if ends {
            let wait = EndedWait { actor, count: own, pc, awaited, is_spared: false };
            self.uses.ended.retain(|wait| wait.actor != actor);
            self.uses.ended.push(wait);
        }
        if self.counted.is_empty() || planted(Defect::WaitsOrderAllIncrements) {
            return self.load(actor);
        }
        // The loop goes on: only the load that ends it tells of increments.
        if !ends {
            return &self.stamps;
        }
        // What the wait would have found, had an increment and all that comes after its issue not come yet.
        let ends_without = |one: &Increment| {
            let later =
                |other: &&Increment| other.stamp.view().knows(one.stamp.actor, one.stamp.own);
            let missing = self.counted.iter().filter(later);
            awaited.includes(missing.fold(value, |value, other| value.wrapping_sub(other.by)))
        };
        let by_luck: Vec<bool> = self.counted.iter().map(ends_without).collect();
        if !by_luck.contains(&true) || outlives() {
            return self.load(actor);
        }
        for by_luck in by_luck {
            match self.counted.pop_front() {
                Some(increment) if by_luck => self.counted.push_back(increment),
                Some(increment) => self.note(increment.stamp),
                None => {}
            }
        }
        self.seen = None;
        &self.stamps
    }

    /// Whether an actor has learnt what its next load finds.
    pub(super) fn is_judged(&self, actor: Actor) -> bool {
        self.judged == Some((actor, self.changes))
    }

    /// A core looks at the word through a line of its data cache that its loop never empties. The change that it may
    /// therefore never see: the last one that nothing orders before the look.
    pub(super) fn polled(
        &mut self,
        transfers: &Transfers,
        later: &View<'_>,
        poll: CachedPoll,
    ) -> Option<Party> {
        if self.is_mailbox {
            return None;
        }
        let Uses { stored, added, .. } = &self.uses;
        let is_hidden = |change: &&Change| match change {
            // A store of its own drops the line.
            Change::Core { actor, .. } if *actor == poll.actor => false,
            _ => !change.happened_before(transfers, later),
        };
        let hidden = added.iter().rev().chain(stored).find(is_hidden).map(Change::party);
        self.pollers.retain(|earlier| earlier.actor != poll.actor);
        self.pollers.push(poll);
        hidden
    }

    /// The look of a core through its data cache that nothing orders before a change of the word.
    pub(super) fn hides_from(&self, change: &View<'_>, by_core: bool) -> Option<&CachedPoll> {
        self.pollers.iter().find(|poll| {
            let is_own = by_core && poll.actor == change.actor;
            !is_own && !change.knows(poll.actor, poll.count)
        })
    }

    /// What a rule found is right.
    pub(super) fn excuse(&mut self, rule: SyncRule, actor: Actor) {
        match rule {
            SyncRule::Unordered => self.uses.added.clear(),
            SyncRule::CountedByHand { .. } => {
                self.uses.looked = None;
                self.uses.glances.retain(|glance| glance.actor != actor);
            }
            SyncRule::OtherValue => self.keeps_value(),
            SyncRule::Overshoots { .. } => self.uses.ended.clear(),
            SyncRule::Wiped { waiter, .. } => {
                for wait in self.uses.ended.iter_mut().filter(|wait| wait.actor == waiter) {
                    wait.is_spared = true;
                }
            }
            SyncRule::SetBack => self.uses.sources.clear(),
            SyncRule::Replaces
            | SyncRule::MayBeWiped { .. }
            | SyncRule::Looks
            | SyncRule::LooksThroughCache => {}
        }
    }

    /// The requests that it remembers.
    pub(super) fn records(&self) -> impl Iterator<Item = &Arc<Record>> {
        let Uses { stored, replaced, added, sources, .. } = &self.uses;
        let changes =
            stored.iter().chain(replaced).chain(added).filter_map(|change| match change {
                Change::Request { record, .. } => Some(record),
                Change::Core { .. } => None,
            });
        changes.chain(sources)
    }

    /// What an actor learns that loads the word, if it has not since the last change.
    #[inline]
    pub(super) fn load(&mut self, actor: Actor) -> &[Stamp] {
        if self.is_unchanged_for(actor) {
            return &[];
        }
        self.load_changed(actor)
    }

    fn load_changed(&mut self, actor: Actor) -> &[Stamp] {
        self.seen = Some((actor, self.changes));
        self.note_increments();
        &self.stamps
    }

    /// Whether an actor loaded it last, and nobody has changed it since.
    pub(super) fn is_unchanged_for(&self, actor: Actor) -> bool {
        self.seen == Some((actor, self.changes))
    }

    /// Who changed it last.
    pub(super) fn changed_by(&self) -> Option<Actor> {
        let last = self.counted.back().map(|increment| &increment.stamp);
        last.or(self.stamps.last()).map(|stamp| stamp.actor)
    }

    /// What a request learns that reads the word.
    pub(super) fn stamps(&self) -> impl Iterator<Item = &Stamp> {
        self.stamps.iter().chain(self.counted.iter().map(|increment| &increment.stamp))
    }

    pub(super) fn forget(&mut self) {
        self.stamps.clear();
        self.counted.clear();
        self.judged = None;
        self.seen = None;
        self.changes += 1;
        self.uses = Uses::default();
        self.pollers.clear();
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Processor;

    use super::super::clock::Clock;
    use super::super::transfers::tests::{OTHER, SENDER, channel, request};
    use super::*;
    use crate::observers::noc_counters::Kind;

    const WAITER: Actor = Actor::core(2, Processor::Brisc);

    struct Bench {
        transfers: Transfers,
        word: SyncWord,
    }

    impl Bench {
        fn new() -> Self {
            Self { transfers: Transfers::default(), word: SyncWord::default() }
        }

        /// An increment by a request that arrives.
        fn add(&mut self, clock: &mut Clock, actor: Actor, increment: u32) {
            let issue = request(Kind::MarkedAtomic, Some(channel(4)), 0x200);
            let record = self.transfers.issue(clock.release(actor), &issue);
            let change = Change::Request { record: Arc::clone(&record), increment };
            self.word.add(record.arrival(), Some(change));
        }

        /// What a wait for exactly a value has passed that finds another one.
        fn has_passed(&self, awaits: u32, finds: u32, waiter: &Clock) -> Option<u32> {
            let awaited = Some(Awaited::Range { bits: 32, first: awaits, last: awaits });
            let load = Load { view: waiter.view(WAITER), pc: 0x300, awaited, value: finds };
            match self.word.has_passed(&load) {
                Some((SyncRule::Overshoots { value }, Party::Request(..))) => Some(value),
                Some(other) => panic!("{other:?}"),
                None => None,
            }
        }
    }

    #[test]
    fn a_wait_is_passed_by_increments_of_any_size() {
        let mut bench = Bench::new();
        let (mut sender, waiter) = (Clock::default(), Clock::default());
        // From 10 by 5 and by 3.
        bench.add(&mut sender, SENDER, 5);
        bench.add(&mut sender, SENDER, 3);
        for (awaits, passed) in [(10, true), (15, true), (17, false), (14, false), (16, false)] {
            let expected = passed.then_some(awaits);
            assert_eq!(bench.has_passed(awaits, 18, &waiter), expected, "{awaits}");
        }
        // A waiter that knows of the increments has not lost the value by them.
        let mut told = Clock::default();
        told.learn(WAITER, &sender.release(SENDER));
        assert_eq!(bench.has_passed(15, 18, &told), None);
    }

    /// A core's store that the word does not judge.
    fn stores(word: &mut SyncWord, clock: &mut Clock, actor: Actor) {
        let change = Change::Core { actor, count: clock.own(), pc: 0x400 };
        word.store(clock.release(actor), Some(change));
    }

    /// A core looks at the word with a value, and waits for a range.
    fn looks(bench: &mut Bench, clock: &Clock, (first, last): (u32, u32), value: u32) -> bool {
        let view = clock.view(WAITER);
        let asks = bench.word.looks(&bench.transfers, &view, 0x300);
        if asks {
            let awaited = Some(Awaited::Range { bits: 32, first, last });
            bench.word.learn_for(&Load { view, pc: 0x300, awaited, value }, || false);
        } else {
            bench.word.load(WAITER);
        }
        asks
    }

    fn wiped(found: Option<(SyncRule, Party)>) -> bool {
        match found {
            Some((SyncRule::Wiped { waiter, .. }, Party::Core { actor, pc: 0x300 })) => {
                assert_eq!((waiter, actor), (WAITER, WAITER));
                true
            }
            Some((SyncRule::Replaces, _)) | None => false,
            Some(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_store_is_looked_at_by_whoever_has_not_known_of_it() {
        for (knows, looks_twice) in [(false, false), (false, true), (true, false)] {
            let mut bench = Bench::new();
            let (mut sender, mut waiter) = (Clock::default(), Clock::default());
            stores(&mut bench.word, &mut sender, SENDER);
            if knows {
                waiter.learn(WAITER, &sender.release(SENDER));
            }
            assert_eq!(looks(&mut bench, &waiter, (1, 1), 1), !knows);
            if looks_twice {
                assert!(!looks(&mut bench, &waiter, (1, 1), 1));
            }
            let other = Clock::default();
            let found = bench.word.core_store_breaks(&bench.transfers, &other.view(OTHER));
            assert_eq!(wiped(found), !knows);
            // Not its own.
            let own = bench.word.core_store_breaks(&bench.transfers, &waiter.view(WAITER));
            assert!(!matches!(own, Some((SyncRule::Wiped { .. }, _))), "{own:?}");
        }
    }

    #[test]
    fn a_wait_is_remembered_through_stores_of_values_that_end_it() {
        let both = |bench: &mut Bench, other: &Clock, value| {
            let view = other.view(OTHER);
            let core = bench.word.core_store_breaks(&bench.transfers, &view);
            (wiped(core), wiped(bench.word.write_wipes(value, &view)))
        };
        for keeps in [true, false] {
            let mut bench = Bench::new();
            let (mut sender, waiter) = (Clock::default(), Clock::default());
            let mut other = Clock::default();
            stores(&mut bench.word, &mut sender, SENDER);
            assert!(looks(&mut bench, &waiter, (2, 5), 3));
            assert_eq!(both(&mut bench, &other, 6), (true, true));
            assert_eq!(both(&mut bench, &other, 5), (true, false));
            if !keeps {
                bench.word.write_wipes(1, &other.view(OTHER));
            }
            stores(&mut bench.word, &mut other, OTHER);
            let third = Clock::default();
            let found = bench.word.core_store_breaks(&bench.transfers, &third.view(SENDER));
            let is_wait = matches!(found, Some((SyncRule::Wiped { .. }, _)));
            assert_eq!(is_wait, keeps);
        }
    }

    #[test]
    fn an_earlier_store_of_another_value_is_ordered_before_the_one_that_ends_a_wait() {
        for (told, value, found) in [
            (false, Some(4), true),
            (true, Some(4), false),
            (false, Some(1), false),
            (false, None, false),
        ] {
            let mut bench = Bench::new();
            let (mut sender, mut other) = (Clock::default(), Clock::default());
            stores(&mut bench.word, &mut other, OTHER);
            if told {
                sender.learn(SENDER, &other.release(OTHER));
            }
            // A core whose order is known does not ask for the value.
            let broken = bench.word.core_store_breaks(&bench.transfers, &sender.view(SENDER));
            assert_eq!(matches!(broken, Some((SyncRule::Replaces, _))), !told, "{broken:?}");
            bench.word.has_value(value);
            stores(&mut bench.word, &mut sender, SENDER);
            let waiter = Clock::default();
            let breaks = |value, last| {
                let awaited = Some(Awaited::Range { bits: 32, first: 1, last });
                let load = Load { view: waiter.view(WAITER), pc: 0x300, awaited, value };
                bench.word.may_be_wiped(&bench.transfers, &load).map(|(rule, _)| rule)
            };
            let awaited = Awaited::Range { bits: 32, first: 1, last: 1 };
            let rule = SyncRule::MayBeWiped { awaited, giver: SENDER, given_at: 0x400 };
            assert_eq!(breaks(1, 1), found.then_some(rule), "{told} {value:?}");
            // A wait for both values, and one that goes on.
            assert_eq!((breaks(1, 4), breaks(2, 1)), (None, None));
        }
    }

    #[test]
    fn a_wait_that_has_not_ended_is_none() {
        let mut bench = Bench::new();
        let (mut sender, waiter) = (Clock::default(), Clock::default());
        stores(&mut bench.word, &mut sender, SENDER);
        assert!(looks(&mut bench, &waiter, (2, 5), 1));
        let other = Clock::default();
        let found = bench.word.core_store_breaks(&bench.transfers, &other.view(OTHER));
        assert!(!wiped(found) && !wiped(bench.word.write_wipes(0, &other.view(OTHER))));
        // Nothing has changed since.
        assert!(!looks(&mut bench, &waiter, (2, 5), 1));
    }

    #[test]
    fn a_store_of_an_actor_keeps_what_its_request_tells_of_its_channel() {
        let mut bench = Bench::new();
        let mut sender = Clock::default();
        let issue = request(Kind::MarkedWrite, Some(channel(4)), 0x200);
        let arrival = bench.transfers.issue(sender.release(SENDER), &issue).arrival();
        bench.word.store(arrival, None);
        bench.word.store_part(sender.release(SENDER), None);
        let told = |word: &mut SyncWord, by: Actor| -> Vec<(Actor, bool)> {
            word.load(by).iter().map(|stamp| (stamp.actor, stamp.passed.is_some())).collect()
        };
        assert_eq!(told(&mut bench.word, WAITER), [(SENDER, true), (SENDER, false)]);
        // It has been told, and is told again only of something new.
        assert_eq!(told(&mut bench.word, WAITER), []);
        bench.word.store_part(Clock::default().release(OTHER), None);
        let all = [(SENDER, true), (SENDER, false), (OTHER, false)];
        assert_eq!(told(&mut bench.word, WAITER), all);
        // A later request of the same channel says all that the earlier one did.
        let arrival = bench.transfers.issue(sender.release(SENDER), &issue).arrival();
        bench.word.store_part(arrival, None);
        assert_eq!(told(&mut bench.word, WAITER), [(OTHER, false), (SENDER, true)]);
    }
}
