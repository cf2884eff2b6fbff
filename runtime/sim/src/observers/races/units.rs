//! Instructions of the coprocessor's unpackers and packers, which access L1 after they were issued, and who knows that they
//! have finished.
//!
//! A unit executes the instructions of a thread in order. That they have finished is known from a `STALLWAIT` of the thread
//! on the unit, from the register by which a core waits for its thread (`TTSync.md`), and, of an instruction that gave the
//! matrix unit a bank, from a wait for that bank.

use super::clock::{Stamp, View};
use super::transfers::Points;
use crate::machine::actor::Actor;
use crate::machine::fault::CoreOrigin;
use crate::machine::observer::UnitOf;
use crate::quick_hash::QuickMap;

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
    /// The number of the last one that accessed L1.
    last: u64,
}

/// All such instructions.
#[derive(Debug, Default)]
pub(super) struct Flights {
    groups: Vec<Group>,
    by_unit: QuickMap<UnitOf, u32>,
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
        let Self { groups, by_unit } = self;
        let group = *by_unit.entry(unit).or_insert_with(|| {
            groups.push(Group::default());
            (groups.len() - 1) as u32
        });
        if let Some(group) = groups.get_mut(group as usize) {
            group.last = number;
        }
        Flight { stamp, unit, origin, pushed_at, group, number }
    }

    /// An actor at a count knows that the instructions up to a number have finished. What is kept is bounded by the
    /// instructions that accessed L1: nothing is to be known of the others.
    pub(super) fn finished(&mut self, unit: UnitOf, upto: u64, actor: Actor, count: u32) {
        let group = self.by_unit.get(&unit).and_then(|group| self.groups.get_mut(*group as usize));
        if let Some(Group { known, last }) = group {
            known.add_of(actor, upto.min(*last).saturating_add(1), count);
        }
    }

    /// Whether what an instruction did happened before.
    pub(super) fn ordered(&self, flight: &Flight, later: &View<'_>) -> bool {
        later.flight.is_some_and(|later| flight.is_implied_by(later))
            || self
                .groups
                .get(flight.group as usize)
                .is_some_and(|group| group.known.cover_by_anybody(flight.number, later))
    }

    /// Forgets who knew of instructions that nothing remembers.
    pub(super) fn retain<'a>(&mut self, live: impl Iterator<Item = &'a Flight>) {
        let mut least = vec![u64::MAX; self.groups.len()];
        for flight in live {
            if let Some(least) = least.get_mut(flight.group as usize) {
                *least = flight.number.min(*least);
            }
        }
        for (group, below) in self.groups.iter_mut().zip(least) {
            group.known.forget(below);
        }
    }
}
