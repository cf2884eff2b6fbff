//! Instructions of the coprocessor's units, which work on after they were issued, and who knows that they have finished.
//!
//! A unit executes the instructions of a thread in order. That they have finished is known from a `STALLWAIT` of the thread
//! on the unit, from the register by which a core waits for its thread (`TTSync.md`), and, of an instruction that gave the
//! matrix unit a bank, from a wait for that bank.

use hallmark_tensix::{Thread, Unit};

use super::clock::{Stamp, View};
use super::transfers::Points;
use crate::machine::actor::Actor;
use crate::machine::fault::CoreOrigin;
use crate::machine::observer::UnitOf;

/// An instruction of a unit that accesses L1.
#[derive(Debug)]
pub(crate) struct Flight {
    pub(super) stamp: Stamp,
    pub(super) unit: UnitOf,
    pub(super) origin: CoreOrigin,
    /// The count of the core that pushed it, when it began.
    pub(super) pushed_at: u32,
    /// The instructions of its thread in its unit.
    group: u32,
    /// Its number among the thread's instructions.
    number: u64,
}

impl Flight {
    /// The core that pushed it.
    pub(super) const fn core(&self) -> Actor {
        Actor::core(self.unit.tile, self.origin.processor)
    }

    /// What it knows: it comes after what its thread did before.
    pub(super) fn view(&self) -> View<'_> {
        View { flight: Some(self), ..self.stamp.view() }
    }

    /// Its number among the thread's instructions.
    pub(super) const fn number(&self) -> u64 {
        self.number
    }

    /// Whether it is the instruction of a unit with a number.
    pub(super) fn is(&self, unit: UnitOf, number: u64) -> bool {
        self.unit == unit && self.number == number
    }

    /// Whether whoever comes after another one comes after this one.
    pub(super) fn is_implied_by(&self, later: &Self) -> bool {
        self.group == later.group && self.number <= later.number
    }
}

/// The instructions of a thread in a unit.
#[derive(Debug, Default)]
struct Group {
    known: Points,
    /// Who knew of the end of smaller numbers is forgotten.
    remembered_from: u64,
}

impl Group {
    /// An actor comes to know, at its count, of the instructions up to a number. Gives whether the actor had not known.
    /// `forgets`: of many such moments the last are remembered.
    fn learn(&mut self, upto: u64, (actor, count): (Actor, u32), forgets: bool) -> bool {
        if !self.known.add_of(actor, upto.saturating_add(1), count) {
            return false;
        }
        if forgets && let Some(from) = self.known.forget_beyond(actor, REMEMBERED) {
            self.remembered_from = from.max(self.remembered_from);
        }
        true
    }

    /// Whether the instruction with a number is known, as far as that is remembered.
    fn covers(&self, number: u64, later: &View<'_>) -> bool {
        number < self.remembered_from || self.known.cover_by_anybody(number, later)
    }
}

/// The group with a number, which is made when somebody first asks for it.
fn made(groups: &mut Vec<Group>, number: usize) -> Option<&mut Group> {
    if groups.len() <= number {
        groups.resize_with(number + 1, Group::default);
    }
    groups.get_mut(number)
}

/// As many moments at which an actor came to know of ends of instructions that do not access L1 are remembered.
const REMEMBERED: usize = 4096;

/// All such instructions.
#[derive(Debug, Default)]
pub(super) struct Flights {
    /// By [`group_of`].
    groups: Vec<Group>,
    /// Who knew that a thread had issued instructions, by tile and thread.
    issued: Vec<Group>,
}

/// The number of the instructions of a thread in a unit.
const fn group_of(unit: UnitOf) -> u32 {
    let UnitOf { tile, thread, unit } = unit;
    (place_of((tile, thread)) * Unit::ALL.len() + unit.index()) as u32
}

/// The number of a thread among those of all tiles.
const fn place_of((tile, thread): (u16, Thread)) -> usize {
    tile as usize * Thread::ALL.len() + thread.index()
}

impl Flights {
    /// An instruction begins.
    pub(super) fn begin(
        &mut self,
        stamp: Stamp,
        (unit, number): (UnitOf, u64),
        origin: CoreOrigin,
        pushed_at: u32,
    ) -> Flight {
        self.group(unit);
        Flight { stamp, unit, origin, pushed_at, group: group_of(unit), number }
    }

    fn group(&mut self, unit: UnitOf) -> Option<&mut Group> {
        made(&mut self.groups, group_of(unit) as usize)
    }

    /// An actor comes to know, at its count, that a unit has finished the instructions of a thread up to a number. Gives
    /// whether the actor had not known.
    pub(super) fn finished(&mut self, unit: UnitOf, upto: u64, actor: Actor, count: u32) -> bool {
        let forgets = !unit.unit.reaches_l1();
        self.group(unit).is_some_and(|group| group.learn(upto, (actor, count), forgets))
    }

    /// An actor comes to know, at its count, that a thread of a tile has issued its instructions up to a number. Gives
    /// whether the actor had not known.
    pub(super) fn issued(
        &mut self,
        of: (u16, Thread),
        upto: u64,
        actor: Actor,
        count: u32,
    ) -> bool {
        let group = made(&mut self.issued, place_of(of));
        group.is_some_and(|group| group.learn(upto, (actor, count), true))
    }

    /// Whether the instruction with a number had been issued, as far as that is remembered.
    pub(super) fn is_issued(&self, of: (u16, Thread), number: u64, later: &View<'_>) -> bool {
        self.issued.get(place_of(of)).is_some_and(|group| group.covers(number, later))
    }

    /// Whether the instruction with a number had finished, as far as that is remembered.
    pub(super) fn is_over(&self, unit: UnitOf, number: u64, later: &View<'_>) -> bool {
        self.groups.get(group_of(unit) as usize).is_some_and(|group| group.covers(number, later))
    }

    /// Whether what an instruction did happened before.
    pub(super) fn ordered(&self, flight: &Flight, later: &View<'_>) -> bool {
        later.flight.is_some_and(|later| flight.is_implied_by(later))
            || self
                .groups
                .get(flight.group as usize)
                .is_some_and(|group| group.known.cover_by_anybody(flight.number, later))
    }

    /// Forgets who knew of instructions that nothing remembers, but for the last ones: rows of `Dst` are remembered apart.
    pub(super) fn retain<'a>(&mut self, live: impl Iterator<Item = &'a Flight>) {
        let mut least: Vec<u64> =
            self.groups.iter().map(|group| group.known.last().unwrap_or(0)).collect();
        least.iter_mut().for_each(|least| *least = least.saturating_sub(REMEMBERED as u64));
        for flight in live {
            if let Some(least) = least.get_mut(flight.group as usize) {
                *least = flight.number.min(*least);
            }
        }
        for (group, below) in self.groups.iter_mut().zip(least) {
            group.known.forget(below);
            group.remembered_from = below.max(group.remembered_from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::clock::Clock;
    use super::*;

    const MATRIX: UnitOf = UnitOf { tile: 3, thread: Thread::Math, unit: Unit::Matrix };

    #[test]
    fn an_end_is_known_to_who_heard_of_it() {
        let [math, pack] = [Thread::Math, Thread::Pack].map(|thread| Actor::thread(3, thread));
        let [mut of_math, mut of_pack] = [(); 2].map(|()| Clock::default());
        let mut flights = Flights::default();
        flights.finished(MATRIX, 5, math, of_math.own());
        let signal = of_math.release(math);
        flights.finished(MATRIX, 9, math, of_math.own());
        for (number, known) in [(5, true), (6, false), (9, false)] {
            assert_eq!(flights.is_over(MATRIX, number, &of_math.view(math)), number <= 9);
            assert!(!flights.is_over(MATRIX, number, &of_pack.view(pack)), "{number}");
            let mut later = of_pack.clone();
            later.learn(pack, &signal);
            assert_eq!(flights.is_over(MATRIX, number, &later.view(pack)), known, "{number}");
        }
        of_pack.learn(pack, &of_math.release(math));
        assert!(flights.is_over(MATRIX, 9, &of_pack.view(pack)));
        assert!(!flights.is_over(MATRIX, 10, &of_pack.view(pack)));
    }

    #[test]
    fn each_of_many_moments_is_known_to_who_heard_of_it() {
        let [math, pack] = [Thread::Math, Thread::Pack].map(|thread| Actor::thread(3, thread));
        let mut of_math = Clock::default();
        let mut flights = Flights::default();
        let signals: Vec<_> = (1..=30)
            .map(|number| {
                flights.finished(MATRIX, 2 * number, math, of_math.own());
                of_math.release(math)
            })
            .collect();
        for (heard, signal) in (1..).zip(&signals) {
            let mut of_pack = Clock::default();
            of_pack.learn(pack, signal);
            for number in 1..=61 {
                let known = flights.is_over(MATRIX, number, &of_pack.view(pack));
                assert_eq!(known, number <= 2 * heard, "{number}, {heard}");
            }
        }
    }

    #[test]
    fn the_last_ends_are_remembered_although_no_access_to_l1_is() {
        let [math, pack] = [Thread::Math, Thread::Pack].map(|thread| Actor::thread(3, thread));
        let [mut of_math, of_pack] = [(); 2].map(|()| Clock::default());
        let mut flights = Flights::default();
        for number in [4, 7] {
            flights.finished(MATRIX, number, math, of_math.own());
            of_math.release(math);
        }
        flights.retain(std::iter::empty());
        assert!(!flights.is_over(MATRIX, 4, &of_pack.view(pack)));
        assert!(flights.is_over(MATRIX, 7, &of_math.view(math)));
        flights.finished(MATRIX, 7 + REMEMBERED as u64, math, of_math.own());
        flights.retain(std::iter::empty());
        assert!(flights.is_over(MATRIX, 7, &of_pack.view(pack)));
        assert!(!flights.is_over(MATRIX, 8, &of_pack.view(pack)));
    }

    #[test]
    fn an_issue_is_known_to_who_heard_of_it() {
        let [math, pack] = [Thread::Math, Thread::Pack].map(|thread| Actor::thread(3, thread));
        let [mut of_math, mut of_pack] = [(); 2].map(|()| Clock::default());
        let mut flights = Flights::default();
        let of = (3, Thread::Math);
        assert!(flights.issued(of, 5, math, of_math.own()));
        assert!(!flights.issued(of, 5, math, of_math.own()));
        let signal = of_math.release(math);
        assert!(flights.issued(of, 9, math, of_math.own()));
        assert!(!flights.is_issued(of, 5, &of_pack.view(pack)));
        of_pack.learn(pack, &signal);
        for (number, known) in [(5, true), (6, false), (9, false)] {
            assert_eq!(flights.is_issued(of, number, &of_pack.view(pack)), known, "{number}");
        }
        assert!(!flights.is_issued((3, Thread::Pack), 5, &of_pack.view(pack)));
        assert!(!flights.is_issued((4, Thread::Math), 5, &of_pack.view(pack)));
    }

    #[test]
    fn moments_beyond_memory_count_as_known() {
        let [math, pack] = [Thread::Math, Thread::Pack].map(|thread| Actor::thread(3, thread));
        let (mut of_math, of_pack) = (Clock::default(), Clock::default());
        let mut flights = Flights::default();
        let most = REMEMBERED as u64;
        for number in 1..=most + 1 {
            flights.finished(MATRIX, number, math, of_math.own());
            of_math.release(math);
        }
        let is_over = |number| flights.is_over(MATRIX, number, &of_pack.view(pack));
        assert!(is_over(most / 2));
        assert!(!is_over(most / 2 + 1) && !is_over(most + 1));
    }

    #[test]
    fn issues_beyond_memory_count_as_known() {
        let [math, pack] = [Thread::Math, Thread::Pack].map(|thread| Actor::thread(3, thread));
        let (mut of_math, of_pack) = (Clock::default(), Clock::default());
        let mut flights = Flights::default();
        let (of, most) = ((3, Thread::Math), REMEMBERED as u64);
        for number in 1..=most + 1 {
            flights.issued(of, number, math, of_math.own());
            of_math.release(math);
        }
        let is_issued = |number| flights.is_issued(of, number, &of_pack.view(pack));
        assert!(is_issued(most / 2));
        assert!(!is_issued(most / 2 + 1) && !is_issued(most + 1));
    }
}
