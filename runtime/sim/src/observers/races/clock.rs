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

/// The units of a tile: its cores and the threads of its coprocessor.
const UNITS: usize = Processor::ALL.len() + Thread::ALL.len();

/// A unit's number among those of its tile.
#[inline]
const fn number(unit: Unit) -> usize {
    match unit {
        Unit::Core(processor) => processor.index(),
        Unit::Thread(thread) => Processor::ALL.len() + thread.index(),
    }
}

/// The place of an actor's count in every clock.
#[inline]
pub(super) const fn place(actor: Actor) -> usize {
    match actor {
        Actor::Host => 0,
        Actor::Unit { tile, unit } => first_place(tile) + number(unit),
    }
}

/// The place of the first unit of a tile.
const fn first_place(tile: u16) -> usize {
    1 + tile as usize * UNITS
}

/// The number of places for the host and the units of a chip with this many Tensix tiles.
pub(super) const fn places(tiles: usize) -> usize {
    1 + tiles * UNITS
}

/// What an actor knows of the others: of each the count up to which everything that it did has happened before.
///
/// The units of a tile learn of each other all the time, and seldom of another tile. What they know of other tiles stands
/// once for all of them, as long as it is the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// Of the units of its own tile, by their numbers.
    near: [u32; UNITS],
    /// Of all actors by their places, 0 for those behind the end. Counts of its own tile's units may be old here.
    far: Option<Arc<[u32]>>,
}

/// Takes the greater one of two counts for each actor.
fn merge(mine: &mut [u32], theirs: &[u32]) {
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        *mine = (*mine).max(*theirs);
    }
}

impl Known {
    fn far(&self) -> &[u32] {
        self.far.as_deref().unwrap_or_default()
    }

    /// The counts of all actors, at least as many as are asked for.
    fn far_mut(&mut self, length: usize) -> &mut [u32] {
        let far = self.far.get_or_insert_default();
        if far.len() < length {
            let longer = far.iter().copied().chain(std::iter::repeat(0));
            *far = longer.take(length).collect();
        }
        Arc::make_mut(far)
    }

    /// What `me` knows of another actor.
    #[inline]
    fn of(&self, me: Actor, other: Actor) -> u32 {
        let count = match (me, other) {
            (Actor::Unit { tile: mine, .. }, Actor::Unit { tile, unit }) if mine == tile => {
                self.near.get(number(unit))
            }
            _ => self.far().get(place(other)),
        };
        count.copied().unwrap_or(0)
    }

    /// Comes to know what another actor of the same tile knows of the others.
    fn merge_near(&mut self, theirs: &Self) {
        merge(&mut self.near, &theirs.near);
        let (mine, their_far) = (self.far(), theirs.far());
        if std::ptr::eq(mine, their_far) {
            return;
        }
        let pairs = mine.iter().zip(their_far);
        let (has_more, lacks_some) = pairs.fold((false, false), |(more, less), (mine, theirs)| {
            (more | (mine > theirs), less | (mine < theirs))
        });
        let is_shorter = mine.len() < their_far.len();
        if !has_more && mine.len() <= their_far.len() {
            self.far.clone_from(&theirs.far);
        } else if lacks_some || is_shorter {
            merge(self.far_mut(their_far.len()), their_far);
        }
    }

    /// Comes to know what an actor of another tile, or the host, knows of the others.
    fn merge_far(&mut self, me: Actor, other: Actor, theirs: &Self) {
        let their_far = theirs.far();
        let length = their_far.len().max(place(other) + 1);
        if let Actor::Unit { tile, .. } = other {
            let first = first_place(tile);
            let far = self.far_mut(length.max(first + UNITS));
            merge(far, their_far);
            merge(far.get_mut(first..).unwrap_or_default(), &theirs.near);
        } else {
            merge(self.far_mut(length), their_far);
        }
        if let Actor::Unit { tile, .. } = me {
            merge(&mut self.near, their_far.get(first_place(tile)..).unwrap_or_default());
        }
    }

    /// `me` comes to know all that another actor knew when it stood at a count.
    fn learn(&mut self, me: Actor, other: Actor, count: u32, theirs: &Self) {
        match (me, other) {
            (Actor::Unit { tile: mine, .. }, Actor::Unit { tile, unit }) if mine == tile => {
                self.merge_near(theirs);
                if let Some(known) = self.near.get_mut(number(unit)) {
                    *known = count;
                }
            }
            _ => {
                self.merge_far(me, other, theirs);
                if let Some(known) = self.far_mut(0).get_mut(place(other)) {
                    *known = count;
                }
            }
        }
    }
}

/// Where an actor stands.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    known: Known,
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

impl Default for Clock {
    fn default() -> Self {
        Self {
            known: Known::default(),
            own: 1,
            mark: super::UNMARKED,
            seen: 0,
            stale_look: None,
            has_news: false,
            followed: None,
        }
    }
}

impl Clock {
    /// The count at which the actor comes to know something, which others may learn of.
    pub(super) const fn finds_out(&mut self) -> u32 {
        self.has_news = true;
        self.own
    }

    /// Whether it came last after another actor, which has done and found out nothing since.
    fn has_followed(&self, other: Actor, clock: &Self) -> bool {
        let is_same = self.followed == Some((other, clock.own));
        is_same && clock.mark == super::UNMARKED && !clock.has_news
    }

    /// `me` comes after what another actor did until now, unless it has done so already.
    pub(super) fn follow(&mut self, me: Actor, other: Actor, clock: &mut Self) {
        if self.has_followed(other, clock) {
            return;
        }
        self.learn_of(me, other, clock.own, &clock.known);
        clock.moves_on();
        self.followed = Some((other, clock.own));
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

    pub(super) const fn known(&self) -> &Known {
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
        let stamp = Stamp { actor, own: self.own, known: self.known.clone(), passed: None };
        self.moves_on();
        stamp
    }

    /// What the actor does from now on is not part of what others learn of the moment before.
    const fn moves_on(&mut self) {
        self.own = self.own.saturating_add(1);
        self.mark = super::UNMARKED;
        self.has_news = false;
    }

    /// The actor's next accesses leave a mark of their own.
    pub(super) const fn begin_mark(&mut self) {
        self.mark = super::UNMARKED;
    }

    /// Comes to know what a stamp says.
    pub(super) fn learn(&mut self, me: Actor, stamp: &Stamp) {
        self.learn_of(me, stamp.actor, stamp.own, &stamp.known);
    }

    /// Comes to know what another actor knew at a count.
    fn learn_of(&mut self, me: Actor, other: Actor, count: u32, known: &Known) {
        // Whoever knows a count of an actor has learnt all that this actor knew then.
        if other == me || self.known.of(me, other) >= count {
            return;
        }
        self.has_news = true;
        self.known.learn(me, other, count, known);
    }
}

/// A moment of an actor.
#[derive(Clone, Debug)]
pub(crate) struct Stamp {
    pub(super) actor: Actor,
    pub(super) own: u32,
    pub(super) known: Known,
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

/// The knowledge of an actor at the time of an access.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    pub(super) actor: Actor,
    pub(super) own: u32,
    pub(super) known: &'a Known,
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
            count <= self.known.of(self.actor, actor)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_learnt_is_passed_on_and_what_follows_is_not() {
        let cores = [Processor::Brisc, Processor::Ncrisc, Processor::Trisc0];
        let [a, b, c] = cores.map(|core| Actor::core(0, core));
        let [mut of_a, mut of_b, mut of_c] = [(); 3].map(|()| Clock::default());
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
    fn units_of_three_tiles_and_the_host_know_what_full_clocks_know() {
        let cores = [0, 1, 2].map(|tile| Actor::core(tile, Processor::Trisc2));
        let threads = [0, 1, 2].map(|tile| Actor::thread(tile, Thread::Pack));
        let others =
            [Actor::Host, Actor::core(2, Processor::Brisc), Actor::thread(0, Thread::Unpack)];
        let actors: Vec<Actor> = [cores, threads, others].concat();
        let mut clocks = vec![Clock::default(); actors.len()];
        let mut full = vec![vec![0; actors.len()]; actors.len()];
        let mut stamps = vec![];
        let mut state = 7_u32;
        let mut random = |below: usize| {
            state = state.wrapping_mul(0x915F_77F5).wrapping_add(1);
            (state >> 16) as usize % below
        };
        for turn in 0..4000 {
            let me = random(actors.len());
            if turn % 2 == 0 {
                let mut known = full[me].clone();
                known[me] = clocks[me].own();
                stamps.push((clocks[me].release(actors[me]), known));
            } else {
                let (stamp, known) = &stamps[random(stamps.len().min(12))];
                clocks[me].learn(actors[me], stamp);
                for (mine, theirs) in full[me].iter_mut().zip(known) {
                    *mine = (*mine).max(*theirs);
                }
                stamps.reverse();
                stamps.truncate(40);
            }
            for (me, other) in
                (0..actors.len()).flat_map(|me| (0..actors.len()).map(move |it| (me, it)))
            {
                let known = if me == other { clocks[me].own() } else { full[me][other] };
                let view = clocks[me].view(actors[me]);
                let knows = [known, known + 1].map(|count| view.knows(actors[other], count));
                assert_eq!(knows, [true, false], "{me} of {other} in turn {turn}");
            }
        }
    }

    #[test]
    fn an_actor_that_did_or_found_out_something_is_followed_anew() {
        let [core, thread] = [Actor::core(0, Processor::Brisc), Actor::thread(0, Thread::Unpack)];
        let [mut of_core, mut of_thread] = [(); 2].map(|()| Clock::default());
        let follow = |of_core: &mut Clock, of_thread: &mut Clock| {
            let before = of_core.own();
            of_thread.follow(thread, core, of_core);
            let view = of_thread.view(thread);
            assert!(view.knows(core, before) && !view.knows(core, of_core.own()));
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
                let stamp = Clock::default().release(ncrisc);
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
