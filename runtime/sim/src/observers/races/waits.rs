//! The waits for units of the coprocessor, and the order that rests on them, for somebody who asks.
//!
//! A wait tells an actor that a unit has finished some instructions; whoever comes after that actor knows it, too. Of two
//! steps that need an order, all waits are noted from which the later one knows the end of the earlier one.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_chip::PhysicalCoordinate;
use hallmark_tensix::Unit;

use super::accesses::{Access, Accesses};
use super::clock::View;
use crate::machine::actor::Actor;
use crate::machine::fault::CoreOrigin;
use crate::machine::observer::{CodePlace, UnitOf};
use crate::quick_hash::QuickMap;

/// The instructions by which units reach L1, without their operands.
const UNPACR: u32 = 0x42 << 24;
const PACR: u32 = 0x41 << 24;

/// Moments at which actors heard of the end of a unit's instructions that are remembered, at most.
const REMEMBERED: usize = 8192;

/// A moment at which an actor heard that a unit has finished instructions.
#[derive(Clone, Copy, Debug)]
struct Heard {
    upto: u64,
    actor: Actor,
    count: u32,
    /// Where it waited. Nothing: the unit is known to be that fast.
    wait: Option<CodePlace>,
}

/// The later one of two steps that need an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Later {
    /// A step of the same tile.
    Here(CodePlace),
    /// A NoC request of a core.
    Request(PhysicalCoordinate, CodePlace),
}

/// Two steps that need an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pair {
    /// The number of the tile.
    pub(crate) tile: u16,
    pub(crate) earlier: CodePlace,
    pub(crate) later: Later,
}

/// A wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WaitCount {
    /// How often it ended.
    pub(crate) times: u64,
    /// How often it was the first to tell its actor of the end of a unit's instructions, each unit by itself, or that stores have
    /// arrived.
    pub(crate) telling: u64,
}

/// How often a pair occurred, by the waits that ordered it.
pub(crate) type OrderedBy = BTreeMap<BTreeSet<CodePlace>, u64>;

/// The waits since somebody asked, and what they ordered.
#[derive(Debug, Default)]
pub(crate) struct WaitLog {
    heard: QuickMap<UnitOf, Vec<Heard>>,
    /// By the tile's number.
    pub(crate) waits: BTreeMap<(u16, CodePlace), WaitCount>,
    pub(crate) pairs: BTreeMap<Pair, OrderedBy>,
}

impl WaitLog {
    /// A wait of a tile has ended.
    pub(super) fn waited(&mut self, tile: u16, at: CodePlace, tells_of_stores: bool) {
        let counted = self.waits.entry((tile, at)).or_default();
        counted.times += 1;
        counted.telling += u64::from(tells_of_stores);
    }

    /// An actor has heard, at its count, that a unit has finished its instructions up to a number.
    pub(super) fn heard(
        &mut self,
        unit: UnitOf,
        upto: u64,
        (actor, count): (Actor, u32),
        wait: Option<CodePlace>,
    ) {
        let heard = self.heard.entry(unit).or_default();
        let is_news =
            upto > 0 && !heard.iter().any(|before| before.actor == actor && before.upto >= upto);
        if is_news && let Some(place) = wait {
            self.waits.entry((unit.tile, place)).or_default().telling += 1;
        }
        if heard.len() >= REMEMBERED {
            heard.drain(..REMEMBERED / 2);
        }
        heard.push(Heard { upto, actor, count, wait });
    }

    /// A step comes after the unit's instruction with a number.
    pub(super) fn ordered(
        &mut self,
        (unit, number): (UnitOf, u64),
        (earlier, later): (CodePlace, Later),
        view: &View<'_>,
    ) {
        let heard = self.heard.get(&unit).map(Vec::as_slice).unwrap_or_default();
        let telling = heard
            .iter()
            .filter(|heard| heard.upto >= number && view.knows(heard.actor, heard.count));
        let waits: Option<BTreeSet<CodePlace>> = telling.map(|heard| heard.wait).collect();
        if let Some(waits) = waits {
            self.note(Pair { tile: unit.tile, earlier, later }, waits);
        }
    }

    /// A pair that is ordered by waits alone.
    pub(super) fn note(&mut self, pair: Pair, waits: BTreeSet<CodePlace>) {
        if !waits.is_empty() {
            *self.pairs.entry(pair).or_default().entry(waits).or_default() += 1;
        }
    }

    /// An access comes after one of the coprocessor's accesses to L1, or several.
    pub(super) fn access_ordered(
        &mut self,
        accesses: &Accesses,
        number: u32,
        (view, later): (&View<'_>, Later),
    ) {
        match accesses.get(number) {
            Access::Flight(flight) if !view.flight.is_some_and(|by| flight.is_implied_by(by)) => {
                let earlier = code_place(flight.origin, Some(flight.unit.unit));
                self.ordered((flight.unit, flight.number()), (earlier, later), view);
            }
            Access::Readers(readers) => {
                for &(reader, _) in readers.iter() {
                    self.access_ordered(accesses, reader, (view, later));
                }
            }
            _ => {}
        }
    }

    /// Nothing runs. Who heard of what is over.
    pub(super) fn forget(&mut self) {
        self.heard.clear();
    }

    /// The waits and the pairs up to now.
    pub(super) fn take(&mut self) -> Self {
        // An instruction that waits for a bank by itself is no wait of the list.
        let mut waits = std::mem::take(&mut self.waits);
        waits.retain(|_, wait| wait.times > 0);
        let pairs = std::mem::take(&mut self.pairs);
        Self { heard: QuickMap::default(), waits, pairs }
    }
}

/// The place of an access of a unit, or of a core's request.
pub(super) const fn code_place(origin: CoreOrigin, unit: Option<Unit>) -> CodePlace {
    let CoreOrigin { processor, pc, .. } = origin;
    let opcode = match unit {
        Some(Unit::Packer(_)) => Some(PACR),
        Some(Unit::Unpacker(_)) => Some(UNPACR),
        Some(Unit::Matrix | Unit::Vector) | None => None,
    };
    CodePlace { processor, pc, pushed: opcode }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Processor;
    use hallmark_tensix::Thread;

    use super::super::clock::Clock;
    use super::*;

    const PACKER: UnitOf = UnitOf { tile: 3, thread: Thread::Pack, unit: Unit::Packer(1) };
    const MATRIX: UnitOf = UnitOf { tile: 3, thread: Thread::Math, unit: Unit::Matrix };

    fn at(pc: u32) -> CodePlace {
        CodePlace { processor: Processor::Trisc2, pc, pushed: Some(7) }
    }

    fn waits_of(log: &WaitLog) -> Vec<(Vec<u32>, u64)> {
        let by_waits = log.pairs.values().flatten();
        by_waits.map(|(waits, times)| (waits.iter().map(|it| it.pc).collect(), *times)).collect()
    }

    #[test]
    fn a_pair_is_ordered_by_the_waits_of_which_the_later_step_knows() {
        let [math, pack] = [Thread::Math, Thread::Pack].map(|thread| Actor::thread(3, thread));
        let [mut of_math, mut of_pack] = [(); 2].map(|()| Clock::default());
        let mut log = WaitLog::default();
        let pair = (at(1), Later::Here(at(2)));
        log.waited(3, at(10), false);
        log.heard(PACKER, 5, (pack, of_pack.finds_out()), Some(at(10)));
        let signal = of_pack.release(pack);
        log.waited(3, at(20), false);
        log.heard(PACKER, 8, (pack, of_pack.finds_out()), Some(at(20)));
        // MATH has heard of the first wait alone.
        of_math.learn(math, &signal);
        log.ordered((PACKER, 5), pair, &of_math.view(math));
        assert_eq!(waits_of(&log.take()), [(vec![10], 1)]);
        // The second wait comes later, and covers what came before, too.
        for (number, waits) in [(5, vec![10, 20]), (6, vec![20])] {
            log.ordered((PACKER, number), pair, &of_pack.view(pack));
            log.ordered((PACKER, number), pair, &of_pack.view(pack));
            assert_eq!(waits_of(&log.take()), [(waits, 2)], "{number}");
        }
        log.ordered((MATRIX, 5), pair, &of_pack.view(pack));
        log.ordered((PACKER, 9), pair, &of_pack.view(pack));
        assert!(log.take().pairs.is_empty());
        log.forget();
        log.ordered((PACKER, 5), pair, &of_pack.view(pack));
        assert!(log.take().pairs.is_empty());
    }

    #[test]
    fn no_wait_is_needed_for_a_unit_that_is_fast() {
        let math = Actor::thread(3, Thread::Math);
        let mut clock = Clock::default();
        let mut log = WaitLog::default();
        log.heard(MATRIX, 4, (math, clock.finds_out()), None);
        log.heard(MATRIX, 4, (math, clock.finds_out()), Some(at(30)));
        log.ordered((MATRIX, 4), (at(1), Later::Here(at(2))), &clock.view(math));
        assert!(log.take().pairs.is_empty());
    }

    #[test]
    fn a_wait_tells_something_when_its_actor_did_not_know() {
        let [math, pack] = [Thread::Math, Thread::Pack].map(|thread| Actor::thread(3, thread));
        let mut log = WaitLog::default();
        for (upto, actor, pc, telling) in [
            (0, pack, 10, 0),
            (5, pack, 10, 1),
            (5, pack, 10, 1),
            (5, math, 11, 1),
            (6, pack, 12, 1),
            (5, pack, 13, 0),
        ] {
            log.waited(3, at(pc), false);
            log.heard(PACKER, upto, (actor, 1), Some(at(pc)));
            let counted = log.waits.get(&(3, at(pc))).map(|wait| wait.telling);
            assert_eq!(counted, Some(telling), "{upto} {pc}");
        }
        // A bank for which an instruction waits by itself.
        log.heard(PACKER, 9, (pack, 1), Some(at(14)));
        let waits = log.take().waits;
        let times = waits.iter().map(|((tile, at), wait)| (*tile, at.pc, wait.times));
        let times: Vec<_> = times.collect();
        assert_eq!(times, [(3, 10, 3), (3, 11, 1), (3, 12, 1), (3, 13, 1)]);
        assert!(log.take().waits.is_empty());
    }

    #[test]
    fn the_last_moments_are_remembered() {
        let pack = Actor::thread(3, Thread::Pack);
        let clock = Clock::default();
        let mut log = WaitLog::default();
        for upto in 1..=REMEMBERED as u64 + 1 {
            log.heard(PACKER, upto, (pack, 1), Some(at(upto as u32)));
        }
        let heard = log.heard.get(&PACKER).map(Vec::len);
        assert_eq!(heard, Some(REMEMBERED / 2 + 1));
        let last = REMEMBERED as u64 + 1;
        log.ordered((PACKER, last), (at(1), Later::Here(at(2))), &clock.view(pack));
        assert_eq!(waits_of(&log.take()), [(vec![last as u32], 1)]);
    }
}
