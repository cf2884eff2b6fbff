//! Commands of two queues that touch the same memory without an order between them.
//!
//! The memory of a write or a read is known from its buffer. For a program the device tells the memory that its NoC
//! requests reach, if it can. Loads and stores of cores in their own L1 do not count.

use hallmark_chip::{Footprint, SharedRange};
use hallmark_schema::model::CommandIndex;

use crate::defects::{Defect, planted};
use crate::order::{Progress, QueuePosition};

/// A command that was executed.
#[derive(Debug)]
pub(crate) struct Executed {
    pub(crate) command: CommandIndex,
    pub(crate) position: QueuePosition,
    /// The commands that were done before it could begin, whatever the schedule.
    pub(crate) before: Progress,
    pub(crate) touched: Footprint,
    /// The launches that ran at the same time, if the device let them.
    pub(crate) beside: Beside,
}

/// The launches beside which a launch ran.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beside {
    /// The other launches.
    pub(crate) launches: Vec<QueuePosition>,
    /// The memory outside L1 that the launch touched. In L1 the device itself follows the order that programs make
    /// among themselves, and stops those that race.
    pub(crate) outside_l1: Footprint,
}

impl Executed {
    /// Memory that this and another command touch, one of them writing, and whose order only events could give.
    fn conflict(&self, other: &Self) -> Option<SharedRange> {
        if self.beside.launches.contains(&other.position)
            || other.beside.launches.contains(&self.position)
        {
            self.beside.outside_l1.conflict(&other.beside.outside_l1)
        } else {
            self.touched.conflict(&other.touched)
        }
    }
}

/// Two commands without an order, and memory that both touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueRace {
    earlier: (CommandIndex, QueuePosition),
    later: (CommandIndex, QueuePosition),
    /// The last command of the earlier call's queue that races with the later call, as far as is known.
    pub last_of_queue: CommandIndex,
    /// Memory that both touch.
    pub shared: SharedRange,
}

impl QueueRace {
    /// The earlier call.
    pub const fn first(&self) -> (CommandIndex, QueuePosition) {
        self.earlier
    }

    /// The later call.
    pub const fn second(&self) -> (CommandIndex, QueuePosition) {
        self.later
    }
}

/// The executed commands that may still race with a later one, and the races found.
#[derive(Debug, Default)]
pub(super) struct QueueRaces {
    executed: Vec<Executed>,
    found: Vec<QueueRace>,
}

impl QueueRaces {
    /// Races of a command with those executed before it.
    fn with<'a>(&'a self, now: &'a Executed) -> impl Iterator<Item = QueueRace> + 'a {
        let unordered = |other: &&Executed| {
            let ordered = now.before.covers(other.position) || other.before.covers(now.position);
            !ordered && other.position.queue != now.position.queue
        };
        self.executed.iter().filter(unordered).filter_map(|other| {
            let shared = now.conflict(other)?;
            let (one, two) = ((other.command, other.position), (now.command, now.position));
            let (earlier, later) = if one.0 < two.0 { (one, two) } else { (two, one) };
            Some(QueueRace { earlier, later, last_of_queue: earlier.0, shared })
        })
    }

    /// Whether a command races with one executed before it.
    pub(super) fn would_race(&self, now: &Executed) -> bool {
        self.with(now).next().is_some()
    }

    /// Compares a command with the commands executed before it without an order. `floor` is done before each command
    /// that is still to be compared.
    pub(super) fn executed(&mut self, now: Executed, floor: &[Progress]) {
        if now.touched.is_empty() {
            return;
        }
        let found: Vec<QueueRace> = self.with(&now).collect();
        self.found.extend(found);
        self.executed.push(now);
        // A command before all that are still to come cannot race any more.
        self.executed.retain(|past| !floor.iter().all(|floor| floor.covers(past.position)));
    }

    /// Of the races between commands that the host knows to be done, the one whose calls came first.
    pub(super) fn known(&mut self, host: Progress) -> Option<QueueRace> {
        let is_known = |race: &QueueRace| host.covers(race.earlier.1) && host.covers(race.later.1);
        let first = self.found.iter().filter(|race| is_known(race));
        let mut first = first.min_by_key(|race| (race.later.0, race.earlier.0)).copied();
        if let Some(first) = &mut first {
            let with_same = |race: &&QueueRace| {
                race.later == first.later && race.earlier.1.queue == first.earlier.1.queue
            };
            let last = self.found.iter().filter(with_same).map(|race| race.earlier.0).max();
            first.last_of_queue = last.unwrap_or(first.last_of_queue);
        }
        // One report is enough for one missing event.
        self.found.retain(|race| !is_known(race));
        first.filter(|_| !planted(Defect::QueueRacesUnreported))
    }
}
