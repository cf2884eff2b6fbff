//! Who made the accesses that memory remembers, by number.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::clock::View;
use super::transfers::{Record, Transfers};
use super::units::Flight;
use crate::machine::actor::Actor;

/// The numbers that memory keeps have 28 bits.
const NUMBERS: usize = 1 << 28;
/// So many are taken before it is looked which memory still holds: few where there is little to look through, so that
/// they stay in the processor's caches.
const LIMITS: RangeInclusive<usize> = 1 << 12..=1 << 16;
/// As many numbers that memory holds are looked through for each that is taken.
const LOOKED_THROUGH: usize = 16;

/// What a NoC request does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestSide {
    /// The source of a write is read.
    Source,
    /// Its target is written or incremented, or the target of a read is read.
    Target,
    /// What a read brings, or what an atomic found, is written at the issuer.
    Return,
}

#[derive(Clone, Debug)]
pub(super) enum Access {
    Free,
    /// An actor at a count.
    Actor(Actor, u32),
    Transfer(Arc<Record>, RequestSide),
    /// An instruction of an unpacker or a packer.
    Flight(Arc<Flight>),
    /// Several that read, each with its number and its pc.
    Readers(Arc<[(u32, u32)]>),
}

/// All of them.
#[derive(Debug)]
pub(super) struct Accesses {
    table: Vec<Access>,
    free: Vec<u32>,
    limit: usize,
    /// The readers that were put together last, and what came of it.
    joined: Option<((u32, u32, u32), u32)>,
}

impl Accesses {
    pub(super) fn new() -> Self {
        let table = vec![Access::Free; super::FIRST_NUMBER as usize];
        Self { table, free: Vec::new(), limit: *LIMITS.start(), joined: None }
    }

    /// Whether any were noted since the start.
    pub(super) fn is_empty(&self) -> bool {
        self.table.len() <= super::FIRST_NUMBER as usize
    }

    pub(super) fn is_full(&self) -> bool {
        self.free.is_empty() && self.table.len() >= self.limit
    }

    pub(super) fn add(&mut self, access: Access) -> u32 {
        if let Some(number) = self.free.pop()
            && let Some(slot) = self.table.get_mut(number as usize)
        {
            *slot = access;
            return number;
        }
        if self.table.len() >= NUMBERS {
            // Never reached: memory of a whole chip holds fewer different ones, and what it does not
            // hold is given back.
            return super::NOBODY;
        }
        self.table.push(access);
        (self.table.len() - 1) as u32
    }

    pub(super) fn get(&self, number: u32) -> &Access {
        self.table.get(number as usize).unwrap_or(&Access::Free)
    }

    /// The number for the readers `old` and the reader `new`. Those that happened before the new one
    /// are dropped: whoever comes after it comes after them.
    pub(super) fn join(
        &mut self,
        transfers: &Transfers,
        old: (u32, u32),
        new: (u32, u32),
        later: &View<'_>,
    ) -> (u32, u32) {
        let key = (old.0, old.1, new.0);
        if let Some((joined, number)) = self.joined
            && joined == key
        {
            return (number, new.1);
        }
        let mut readers: Vec<(u32, u32)> = match self.get(old.0) {
            Access::Readers(readers) => readers.to_vec(),
            _ => vec![old],
        };
        readers.retain(|&(number, _)| {
            number != new.0
                && self.first_unordered(transfers, (number, 0), later).is_some()
                && !self.is_earlier_of_same(number, new.0)
        });
        let number = if readers.is_empty() {
            new.0
        } else {
            readers.push(new);
            self.add(Access::Readers(readers.into()))
        };
        self.joined = Some((key, number));
        (number, new.1)
    }

    /// Whether whoever comes after the second comes after the first: both are reads of a core whose
    /// completion is only known of all together.
    fn is_earlier_of_same(&self, first: u32, second: u32) -> bool {
        match (self.get(first), self.get(second)) {
            (Access::Transfer(first, stage), Access::Transfer(second, other)) => {
                stage == other && first.is_implied_by(second)
            }
            (Access::Flight(first), Access::Flight(second)) => first.is_implied_by(second),
            _ => false,
        }
    }

    /// The access of a number that did not happen before, if there is one; with its pc.
    pub(super) fn first_unordered(
        &self,
        transfers: &Transfers,
        (number, pc): (u32, u32),
        later: &View<'_>,
    ) -> Option<(u32, u32)> {
        let ordered = match self.get(number) {
            Access::Free => true,
            &Access::Actor(actor, count) => later.knows(actor, count),
            Access::Transfer(record, stage) => transfers.ordered(record, *stage, later),
            Access::Flight(flight) => transfers.flights.ordered(flight, later),
            Access::Readers(readers) => {
                return readers
                    .iter()
                    .find_map(|&reader| self.first_unordered(transfers, reader, later));
            }
        };
        (!ordered).then_some((number, pc))
    }

    /// The instructions of the coprocessor's units among them.
    pub(super) fn flights(&self) -> impl Iterator<Item = &Flight> {
        self.table.iter().filter_map(|access| match access {
            Access::Flight(flight) => Some(&**flight),
            _ => None,
        })
    }

    /// Starts anew.
    pub(super) fn clear(&mut self) {
        self.table.truncate(super::FIRST_NUMBER as usize);
        self.free.clear();
        self.limit = *LIMITS.start();
        self.joined = None;
    }

    /// Gives back the numbers that nothing holds, and says of which transfers there still are some. `held` has pairs
    /// of a number and its count.
    pub(super) fn collect(
        &mut self,
        held: impl IntoIterator<Item = (u32, usize)>,
    ) -> impl Iterator<Item = &Arc<Record>> {
        let mut live = vec![false; self.table.len()];
        let mut looked_through = 0;
        let mut mark = |number: u32| {
            live.get_mut(number as usize).is_some_and(|live| !std::mem::replace(live, true))
        };
        // Iterators that are chained are quick where they iterate by themselves.
        held.into_iter().for_each(|(number, times)| {
            looked_through += times;
            if mark(number)
                && let Access::Readers(readers) =
                    self.table.get(number as usize).unwrap_or(&Access::Free)
            {
                for &(reader, _) in readers.iter() {
                    mark(reader);
                }
            }
        });
        self.free.clear();
        for (number, (access, live)) in self.table.iter_mut().zip(&live).enumerate() {
            if !live && number >= super::FIRST_NUMBER as usize {
                *access = Access::Free;
                self.free.push(number as u32);
            }
        }
        let least = (looked_through / LOOKED_THROUGH).clamp(*LIMITS.start(), *LIMITS.end());
        self.limit = self.limit.max(least);
        if self.free.len() < self.table.len() / 2 {
            self.limit = self.limit.max(self.table.len().saturating_mul(2));
        }
        self.joined = None;
        self.table.iter().filter_map(|access| match access {
            Access::Transfer(record, _) => Some(record),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes numbers until it is time to look which of them memory holds. Gives how many there are.
    fn fill(accesses: &mut Accesses) -> usize {
        while !accesses.is_full() {
            accesses.add(Access::Actor(Actor::Host, 1));
        }
        accesses.table.len()
    }

    #[test]
    fn as_much_as_is_looked_through_is_taken_in_between() {
        let mut accesses = Accesses::new();
        let first = fill(&mut accesses);
        assert_eq!(first, *LIMITS.start());
        for (held, expected) in [(5, first), (32 * first, 2 * first), (1 << 22, *LIMITS.end())] {
            let number = super::super::FIRST_NUMBER;
            assert_eq!(accesses.collect(std::iter::repeat_n((number, 1), held)).count(), 0);
            assert!(!accesses.is_full());
            assert_eq!(fill(&mut accesses), expected, "{held}");
        }
        // Half of them and more are held.
        let held = (0..(*LIMITS.end() / 2 + 1) as u32).map(|number| (number, 1));
        assert_eq!(accesses.collect(held).count(), 0);
        assert_eq!(fill(&mut accesses), 2 * LIMITS.end());
    }
}
