//! A queue of events by tick. Events of one tick leave in the order in which they were added.

use std::collections::{BTreeMap, VecDeque};

/// The number of ticks that have a list of their own. Nearly all events are due sooner: a request travels for some ten ticks,
/// and for some hundred with the delays of a seeded schedule.
const NEAR: usize = 1024;
const NEAR_TICKS: u64 = NEAR as u64;
const WORD: usize = u64::BITS as usize;
const NOWHERE: u32 = u32::MAX;

/// Events, each due at a tick. The earliest is taken first.
///
/// Each of the next 1024 ticks has a list of its events, so that to add or to take an event needs no search.
#[derive(Debug)]
pub(super) struct Agenda<T> {
    /// Nothing is due before this tick, and nothing will be.
    start: u64,
    /// A list for each tick from `start` on, by its remainder; none until something is due.
    near: Vec<List>,
    /// The lists, by bit, that hold something.
    occupied: [u64; NEAR / WORD],
    entries: Vec<Entry<T>>,
    /// The first entry that holds nothing.
    free: u32,
    later: BTreeMap<u64, VecDeque<T>>,
}

#[derive(Clone, Copy, Debug)]
struct List {
    first: u32,
    last: u32,
}

#[derive(Debug)]
struct Entry<T> {
    thing: Option<T>,
    next: u32,
}

const EMPTY: List = List { first: NOWHERE, last: NOWHERE };

const fn place(tick: u64) -> usize {
    (tick % NEAR_TICKS) as usize
}

impl<T> Agenda<T> {
    pub(super) const fn new() -> Self {
        Self {
            start: 0,
            near: Vec::new(),
            occupied: [0; NEAR / WORD],
            entries: Vec::new(),
            free: NOWHERE,
            later: BTreeMap::new(),
        }
    }

    /// Adds something that is due at a tick. A tick before `start` counts as `start`.
    pub(super) fn add(&mut self, tick: u64, thing: T) {
        let tick = tick.max(self.start);
        if tick - self.start < NEAR_TICKS {
            self.append(place(tick), thing);
        } else {
            self.later.entry(tick).or_default().push_back(thing);
        }
    }

    fn append(&mut self, place: usize, thing: T) {
        if self.near.is_empty() {
            self.near = vec![EMPTY; NEAR];
        }
        let entry = Entry { thing: Some(thing), next: NOWHERE };
        let number = self.free;
        let number = match self.entries.get_mut(number as usize) {
            Some(unused) => {
                self.free = unused.next;
                *unused = entry;
                number
            }
            None => {
                self.entries.push(entry);
                (self.entries.len() - 1) as u32
            }
        };
        let Some(list) = self.near.get_mut(place) else { return };
        let last = std::mem::replace(&mut list.last, number);
        match self.entries.get_mut(last as usize) {
            Some(last) => last.next = number,
            None => list.first = number,
        }
        if let Some(word) = self.occupied.get_mut(place / WORD) {
            *word |= 1 << (place % WORD);
        }
    }

    /// When the first thing is due.
    pub(super) fn next(&self) -> Option<u64> {
        let first = place(self.start);
        let (word, bit) = (first / WORD, first % WORD);
        let words = self.occupied.len();
        // The word of the first place is looked at twice: at first from that place on, and in the end before it.
        let found = (0..=words).find_map(|step| {
            let index = (word + step) % words;
            let bits = self.occupied.get(index).copied().unwrap_or(0);
            let before = (1 << bit) - 1;
            let bits = match step {
                0 => bits & !before,
                step if step == words => bits & before,
                _ => bits,
            };
            (bits != 0).then(|| index * WORD + bits.trailing_zeros() as usize)
        });
        match found {
            Some(place) => Some(self.start + ((place + NEAR - first) % NEAR) as u64),
            None => self.later.first_key_value().map(|(&tick, _)| tick),
        }
    }

    /// Takes the first thing that is due until `now`, with its tick. If there is none, nothing is added any more that is due
    /// before `now`.
    pub(super) fn take(&mut self, now: u64) -> Option<(u64, T)> {
        let due = self.next().filter(|&tick| tick <= now);
        let reached = due.unwrap_or(now);
        if reached > self.start {
            self.start = reached;
            self.bring_near();
        }
        let tick = due?;
        let place = place(tick);
        let list = self.near.get_mut(place)?;
        let number = list.first;
        let entry = self.entries.get_mut(number as usize)?;
        let thing = entry.thing.take();
        list.first = std::mem::replace(&mut entry.next, self.free);
        self.free = number;
        if list.first == NOWHERE {
            list.last = NOWHERE;
            if let Some(word) = self.occupied.get_mut(place / WORD) {
                *word &= !(1 << (place % WORD));
            }
        }
        Some((tick, thing?))
    }

    /// Moves later events into the lists of their ticks. It runs whenever `start` moves, so that these events stand before
    /// events of the same tick that are added afterwards.
    fn bring_near(&mut self) {
        while let Some(first) = self.later.first_entry()
            && first.key() - self.start < NEAR_TICKS
        {
            let (tick, things) = first.remove_entry();
            for thing in things {
                self.append(place(tick), thing);
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.later.is_empty() && self.occupied.iter().all(|word| *word == 0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// What is taken until a tick.
    fn taken(agenda: &mut Agenda<u32>, now: u64) -> Vec<(u64, u32)> {
        std::iter::from_fn(|| agenda.take(now)).collect()
    }

    #[test]
    fn the_last_near_tick_and_the_first_one_behind_it() {
        for start in [0, 1, 63, 64, 1000, 1023, 1024, u64::MAX / 2] {
            let mut agenda = Agenda::new();
            assert!(agenda.is_empty());
            agenda.add(start, 0);
            assert_eq!(taken(&mut agenda, start), [(start, 0)]);
            let last = start + NEAR_TICKS - 1;
            agenda.add(last + 1, 1);
            agenda.add(last, 2);
            agenda.add(last + 1, 3);
            agenda.add(start, 4);
            assert!(!agenda.is_empty());
            assert_eq!(agenda.next(), Some(start));
            assert_eq!(taken(&mut agenda, last), [(start, 4), (last, 2)]);
            // Behind what came before it for the same tick.
            agenda.add(last + 1, 5);
            let at_last = [(last + 1, 1), (last + 1, 3), (last + 1, 5)];
            assert_eq!(taken(&mut agenda, last + 1), at_last);
            assert!(agenda.is_empty());
            assert_eq!(agenda.next(), None);
        }
    }

    #[test]
    fn what_should_have_been_before_is_due_with_what_was_taken_last() {
        let mut agenda = Agenda::new();
        agenda.add(70, 1);
        assert_eq!(agenda.take(69), None);
        assert_eq!(agenda.take(200), Some((70, 1)));
        agenda.add(3, 2);
        assert_eq!(agenda.take(200), Some((70, 2)));
    }

    proptest! {
        #[test]
        fn things_are_taken_by_their_ticks_and_then_as_they_came(
            steps in vec((vec(0_u64..3000, 0..8), 0_u64..700), 1..60),
        ) {
            let mut agenda = Agenda::new();
            let mut expected: Vec<(u64, u32)> = Vec::new();
            let (mut now, mut number) = (0, 0);
            for (delays, pause) in steps {
                for delay in delays {
                    agenda.add(now + delay, number);
                    expected.push((now + delay, number));
                    number += 1;
                }
                now += pause;
                let due = |&(tick, _): &(u64, u32)| tick <= now;
                let mut now_due: Vec<_> = expected.iter().copied().filter(due).collect();
                now_due.sort_unstable();
                expected.retain(|one| !due(one));
                prop_assert_eq!(taken(&mut agenda, now), now_due);
                prop_assert_eq!(agenda.next(), expected.iter().map(|one| one.0).min());
                prop_assert_eq!(agenda.is_empty(), expected.is_empty());
            }
        }
    }
}
