//! Actors, and what each knows of the others: vector clocks.
//!
//! An actor's count grows whenever it gives others something to learn of. What it did before carries
//! smaller counts than what it does afterwards, so that a single number says how much of an actor's
//! past somebody knows.

use std::sync::Arc;

use hallmark_chip::Processor;
use hallmark_tensix::Thread;

use super::transfers::Record;
use super::units::Flight;
use crate::machine::actor::{Actor, Unit};
use crate::machine::noc::DepartureQueue;

const CORES: usize = Processor::ALL.len();
const THREADS: usize = Thread::ALL.len();

/// The most Tensix tiles of a chip: Blackhole's 14 columns of 10.
const MOST_TILES: usize = 140;
/// The place of the first thread of the coprocessor. Clocks end before it until one of them learns of a thread.
const FIRST_THREAD: usize = 1 + MOST_TILES * CORES;

/// The place of an actor's count in every clock.
#[inline]
pub(super) const fn place(actor: Actor) -> usize {
    match actor {
        Actor::Host => 0,
        Actor::Unit { tile, unit: Unit::Core(processor) } => {
            1 + tile as usize * CORES + processor.index()
        }
        Actor::Unit { tile, unit: Unit::Thread(thread) } => {
            FIRST_THREAD + tile as usize * THREADS + thread.index()
        }
    }
}

/// The number of places for the host and the cores of a chip with this many Tensix tiles.
pub(super) const fn places(tiles: usize) -> usize {
    1 + tiles * CORES
}

/// By actor, the count up to which everything that it did has happened before; 0 for actors behind the end.
pub(super) type HappenedBefore = Arc<[u32]>;

/// Where an actor stands.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    known: HappenedBefore,
    own: u32,
    /// The mark of its accesses since it last gave others something to learn of; [`super::UNMARKED`]
    /// before the first.
    pub(super) mark: u32,
    /// A write that was found to have happened before, as memory holds it: the next word of the same
    /// transfer need not be looked up again.
    pub(super) seen: u32,
    /// The first load of a word that synchronizes, since the last that found a change, which found the word as it was.
    stale_look: Option<StaleLook>,
    /// It has come to know something since it last gave others something to learn of.
    has_news: bool,
    /// The actor after which it came last, and that actor's count from then on.
    followed: Option<(Actor, u32)>,
}

/// A load of a word that synchronizes which found no change since the same actor's load before.
#[derive(Clone, Copy, Debug)]
struct StaleLook {
    count: u32,
    pc: u32,
    /// Who changed the word last.
    changed_by: Option<Actor>,
}

impl Clock {
    pub(super) fn new(known: HappenedBefore) -> Self {
        Self {
            known,
            own: 1,
            mark: super::UNMARKED,
            seen: 0,
            stale_look: None,
            has_news: false,
            followed: None,
        }
    }

    /// The count at which the actor comes to know something, which others may learn of.
    pub(super) const fn finds_out(&mut self) -> u32 {
        self.has_news = true;
        self.own
    }

    /// Whether it came last after another actor, which has done and found out nothing since.
    pub(super) fn has_followed(&self, other: Actor, clock: &Self) -> bool {
        let is_same = self.followed == Some((other, clock.own));
        is_same && clock.mark == super::UNMARKED && !clock.has_news
    }

    /// It comes after another actor, whose count from now on is this one.
    pub(super) const fn follows(&mut self, other: Actor, count: u32) {
        self.followed = Some((other, count));
    }

    /// A load of a word that synchronizes found it changed.
    pub(super) const fn found_a_change(&mut self) {
        self.stale_look = None;
    }

    /// A load of a word that synchronizes found it as it was.
    pub(super) fn found_no_change(&mut self, pc: u32, changed_by: impl FnOnce() -> Option<Actor>) {
        if self.stale_look.is_none() {
            self.stale_look = Some(StaleLook { count: self.own, pc, changed_by: changed_by() });
        }
    }

    /// The pc of a load of a word that synchronizes, and that another actor changed last, after which the actor did what it
    /// did at a count, and since which it has found no such word changed.
    pub(super) fn stale_look_before(&self, count: u32, other: Actor) -> Option<u32> {
        let counts = |look: &StaleLook| look.count <= count && look.changed_by == Some(other);
        self.stale_look.filter(counts).map(|look| look.pc)
    }

    pub(super) const fn own(&self) -> u32 {
        self.own
    }

    pub(super) const fn known(&self) -> &HappenedBefore {
        &self.known
    }

    pub(super) fn view(&self, actor: Actor) -> View<'_> {
        View {
            actor,
            own: self.own,
            known: &self.known,
            arriving: None,
            flight: None,
            discards: false,
        }
    }

    /// What whoever learns of this moment comes to know. What the actor does next is not part of it.
    pub(super) fn release(&mut self, actor: Actor) -> Stamp {
        let stamp = Stamp { actor, own: self.own, known: Arc::clone(&self.known), passed: None };
        self.own = self.own.saturating_add(1);
        self.mark = super::UNMARKED;
        self.has_news = false;
        stamp
    }

    /// The actor's next accesses leave a mark of their own.
    pub(super) const fn begin_mark(&mut self) {
        self.mark = super::UNMARKED;
    }

    /// Comes to know what a stamp says.
    pub(super) fn learn(&mut self, me: Actor, stamp: &Stamp) {
        let at = place(stamp.actor);
        // Whoever knows a count of an actor has learnt all that this actor knew then.
        if stamp.actor == me || self.known.get(at).is_some_and(|&known| known >= stamp.own) {
            return;
        }
        self.has_news = true;
        let length = stamp.known.len().max(at + 1);
        if self.known.len() < length {
            let longer = self.known.iter().copied().chain(std::iter::repeat(0));
            self.known = longer.take(length).collect();
        }
        let known = Arc::make_mut(&mut self.known);
        for (mine, theirs) in known.iter_mut().zip(stamp.known.iter()) {
            *mine = (*mine).max(*theirs);
        }
        if let Some(count) = known.get_mut(at) {
            *count = stamp.own;
        }
    }
}

/// A moment of an actor.
#[derive(Clone, Debug)]
pub(crate) struct Stamp {
    pub(super) actor: Actor,
    pub(super) own: u32,
    pub(super) known: HappenedBefore,
    /// For the moment at which a NoC request arrives: what arrived before it on its way.
    pub(super) passed: Option<Passed>,
}

impl Stamp {
    pub(super) fn view(&self) -> View<'_> {
        View {
            actor: self.actor,
            own: self.own,
            known: &self.known,
            arriving: None,
            flight: None,
            discards: false,
        }
    }
}

/// What a NoC request comes after on its channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passed {
    pub(super) channel: u32,
    /// Requests of the channel with a smaller number.
    pub(super) before: u64,
    /// The queue in which it left itself.
    pub(super) queue: DepartureQueue,
    /// Atomics among them too, not only writes.
    pub(super) atomics: bool,
}

/// What somebody who makes an access knows.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    pub(super) actor: Actor,
    pub(super) own: u32,
    pub(super) known: &'a [u32],
    /// A NoC request that arrives comes after others on its channel.
    pub(super) arriving: Option<&'a Record>,
    /// An instruction of a unit of the coprocessor comes after the earlier ones of its thread there.
    pub(super) flight: Option<&'a Flight>,
    /// The old value that an atomic brings back, which nobody looks at, goes where others went.
    pub(super) discards: bool,
}

impl<'a> View<'a> {
    pub(super) fn of_arriving(self, record: &'a Record) -> Self {
        Self { arriving: Some(record), ..self }
    }

    /// Whether what an actor did at a count happened before.
    pub(super) fn knows(&self, actor: Actor, count: u32) -> bool {
        if actor == self.actor {
            count <= self.own
        } else {
            self.known.get(place(actor)).is_some_and(|&known| count <= known)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_learnt_is_passed_on_and_what_follows_is_not() {
        let nothing: HappenedBefore = vec![0; places(1)].into();
        let cores = [Processor::Brisc, Processor::Ncrisc, Processor::Trisc0];
        let [a, b, c] = cores.map(|core| Actor::core(0, core));
        let [mut of_a, mut of_b, mut of_c] = [(); 3].map(|()| Clock::new(Arc::clone(&nothing)));
        let before = of_a.own();
        let first = of_a.release(a);
        let after = of_a.own();
        assert!(!of_b.view(b).knows(a, before));
        of_b.learn(b, &first);
        assert!(of_b.view(b).knows(a, before));
        assert!(!of_b.view(b).knows(a, after));
        let own = of_b.own();
        let second = of_b.release(b);
        of_c.learn(c, &second);
        assert!(of_c.view(c).knows(a, before) && of_c.view(c).knows(b, own));
        assert!(!of_c.view(c).knows(a, after) && !of_c.view(c).knows(b, of_b.own()));
        assert!(!of_a.view(a).knows(b, own));
    }

    #[test]
    fn an_actor_that_did_or_found_out_something_is_followed_anew() {
        let [core, thread] = [Actor::core(0, Processor::Brisc), Actor::thread(0, Thread::Unpack)];
        let [mut of_core, mut of_thread] = [(); 2].map(|()| Clock::new([].into()));
        let follow = |of_core: &mut Clock, of_thread: &mut Clock| {
            let stamp = of_core.release(core);
            of_thread.learn(thread, &stamp);
            of_thread.follows(core, of_core.own());
        };
        assert!(!of_thread.has_followed(core, &of_core));
        follow(&mut of_core, &mut of_thread);
        assert!(of_thread.has_followed(core, &of_core));
        assert!(!of_thread.has_followed(Actor::core(0, Processor::Trisc0), &of_core));
        let changes: [fn(&mut Clock); 4] = [
            |clock| clock.mark = 1 << 4,
            |clock| _ = clock.finds_out(),
            |clock| _ = clock.release(Actor::core(0, Processor::Brisc)),
            |clock| {
                let ncrisc = Actor::core(0, Processor::Ncrisc);
                let stamp = Clock::new([].into()).release(ncrisc);
                clock.learn(Actor::core(0, Processor::Brisc), &stamp);
            },
        ];
        for (number, change) in changes.iter().enumerate() {
            change(&mut of_core);
            assert!(!of_thread.has_followed(core, &of_core), "{number}");
            follow(&mut of_core, &mut of_thread);
            assert!(of_thread.has_followed(core, &of_core), "{number}");
        }
    }
}
