//! Requests on their way. The network decides when each step of a transfer happens; the chip carries
//! it out.

use hallmark_chip::{Noc, NocRegisters, NocRequestKind, PhysicalCoordinate};

use super::agenda::Agenda;
use crate::machine::actor::Actor;
use crate::machine::core::pointers::Base;
use crate::machine::defects::{Defect, planted};
use crate::machine::fault::CoreOrigin;
use crate::machine::memory::Taint;
use crate::quick_hash::QuickMap;
use hallmark_chip::Random;

/// Ticks from a request's acceptance until its data leaves, at least.
const DEPARTURE: u64 = 8;
/// Ticks on the way, at least, in either direction.
const FLIGHT: u64 = 24;
/// Bytes that reach L1 at once; the pieces of a write may arrive in any order (NoC/Ordering.md).
const PIECE: usize = 16;
/// Ticks by which a seeded schedule lets some pieces of a write arrive before the rest, at most.
const TEAR: u64 = 100;
/// The most that a seeded schedule adds to each step.
const JITTER: u64 = 250;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    Read { length: u32 },
    Write { length: u32 },
    InlineWrite { value: u32 },
    Atomic { increment: u32 },
}

impl Operation {
    pub(crate) const fn kind(self) -> NocRequestKind {
        match self {
            Self::Read { .. } => NocRequestKind::Read,
            Self::Write { .. } => NocRequestKind::Write,
            Self::InlineWrite { .. } => NocRequestKind::InlineWrite,
            Self::Atomic { .. } => NocRequestKind::Atomic,
        }
    }

    /// Bytes at the target.
    pub(crate) const fn length(self) -> u32 {
        match self {
            Self::Read { length } | Self::Write { length } => length,
            Self::InlineWrite { .. } | Self::Atomic { .. } => 4,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Targets {
    One(PhysicalCoordinate),
    Many { tiles: Vec<PhysicalCoordinate>, low: PhysicalCoordinate, high: PhysicalCoordinate },
}

impl Targets {
    /// Equal for requests to the same tile or the same rectangle.
    pub(crate) fn key(&self) -> (PhysicalCoordinate, Option<PhysicalCoordinate>) {
        match self {
            Self::One(at) => (*at, None),
            Self::Many { low, high, .. } => (*low, Some(*high)),
        }
    }

    pub(crate) fn tiles(&self) -> &[PhysicalCoordinate] {
        match self {
            Self::One(at) => std::slice::from_ref(at),
            Self::Many { tiles, .. } => tiles,
        }
    }
}

/// The queue of an interface in which a request leaves. Requests of one queue leave in order, from whichever command
/// buffer they come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum DepartureQueue {
    #[default]
    Common,
    /// Of a chip where atomics may overtake writes that have not left.
    Atomics,
}

impl DepartureQueue {
    pub(super) fn of(operation: Operation, registers: &NocRegisters) -> Self {
        match operation {
            Operation::Atomic { .. } if registers.atomics_overtake_writes => Self::Atomics,
            Operation::Atomic { .. }
            | Operation::Read { .. }
            | Operation::Write { .. }
            | Operation::InlineWrite { .. } => Self::Common,
        }
    }
}

/// A request from its acceptance to its last response.
#[derive(Clone, Debug)]
pub(crate) struct Transfer {
    /// Its number among the requests that are under way.
    pub(crate) number: u32,
    pub(crate) noc: Noc,
    pub(crate) origin: CoreOrigin,
    /// The core that issued it, unless a request wrote the registers.
    pub(crate) issuer: Option<Actor>,
    /// The channel on which it travels, if requests on it keep their order.
    pub(crate) ordered_on: Option<Channel>,
    /// The command buffer that it was issued from.
    pub(crate) command_buffer: u8,
    /// The next request takes the same path.
    pub(crate) linked: bool,
    /// The queue in which it leaves the interface.
    pub(crate) queue: DepartureQueue,
    /// The tick of its acceptance.
    pub(crate) accepted: u64,
    pub(crate) transaction: usize,
    pub(crate) marked: bool,
    pub(crate) operation: Operation,
    pub(crate) targets: Targets,
    /// The address at the targets.
    pub(crate) address: u64,
    /// The address in the issuing tile's L1.
    pub(crate) local: u32,
    /// The pointers from which the kernel has computed the address in the issuing tile's L1 and the address at the targets,
    /// where the core follows them.
    pub(crate) bases: [Option<Base>; 2],
    /// What is carried at the moment.
    pub(crate) data: Vec<u8>,
    /// What of it nobody wrote.
    pub(crate) taint: Option<Taint>,
    /// Which pieces of a write come early; 0 if all come together.
    pub(crate) torn: u64,
}

impl Transfer {
    /// Where in the data the pieces lie that arrive early, or those that do not.
    pub(crate) fn pieces(&self, early: bool) -> Vec<std::ops::Range<usize>> {
        let head = (PIECE - self.address as usize % PIECE).min(self.data.len());
        let starts = std::iter::once(0).chain((head..self.data.len()).step_by(PIECE));
        let mut pieces: Vec<std::ops::Range<usize>> = Vec::new();
        for (number, start) in starts.enumerate() {
            let end = if start == 0 { head } else { (start + PIECE).min(self.data.len()) };
            let comes_early = self.torn.rotate_right(number as u32 * 7) & 2 != 0;
            if comes_early != early {
                continue;
            }
            match pieces.last_mut() {
                Some(last) if last.end == start => last.end = end,
                _ => pieces.push(start..end),
            }
        }
        pieces
    }
}

/// What happens next to a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransferStage {
    /// A write's data is read from L1 and leaves.
    Depart,
    /// Some pieces of a write reach their targets, before the rest.
    Tear,
    /// The request reaches its targets.
    Arrive,
    /// The response reaches the issuer.
    Respond,
}

/// Requests on one channel arrive in the order in which they left (NoC/Ordering.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Channel {
    pub(crate) noc: Noc,
    pub(crate) source: PhysicalCoordinate,
    pub(crate) destination: (PhysicalCoordinate, Option<PhysicalCoordinate>),
    pub(crate) virtual_channel: u8,
}

#[derive(Debug)]
struct Event {
    stage: TransferStage,
    channel: Channel,
    transfer: Box<Transfer>,
}

#[derive(Debug)]
pub(crate) struct Network {
    events: Agenda<Event>,
    /// Numbers of requests that have ended, and how many were given out.
    free_numbers: Vec<u32>,
    numbers: u32,
    /// The last departure of each queue of an interface and the last arrival of each channel, while
    /// anything is in flight.
    departures: QuickMap<(Noc, PhysicalCoordinate, DepartureQueue), u64>,
    arrivals: QuickMap<Channel, u64>,
    random: Option<Random>,
    /// Bytes that a link moves per tick: a flit.
    flit_bytes: u64,
}

impl Network {
    /// Seed 0 is the schedule of fixed delays.
    pub(crate) fn new(seed: u64, registers: &NocRegisters) -> Self {
        Self {
            events: Agenda::new(),
            free_numbers: Vec::new(),
            numbers: 0,
            departures: QuickMap::default(),
            arrivals: QuickMap::default(),
            random: (seed != 0).then(|| Random::new(seed)),
            flit_bytes: registers.flit_bytes.max(1).into(),
        }
    }

    /// A number that no request under way has.
    pub(super) fn take_number(&mut self) -> u32 {
        self.free_numbers.pop().unwrap_or_else(|| {
            self.numbers += 1;
            self.numbers - 1
        })
    }

    /// A request has ended.
    pub(crate) fn give_number_back(&mut self, number: u32) {
        self.free_numbers.push(number);
    }

    fn delay(&mut self, least: u64) -> u64 {
        least + self.random.as_mut().map_or(0, |random| random.between(0, JITTER))
    }

    fn push(&mut self, time: u64, stage: TransferStage, channel: Channel, transfer: Box<Transfer>) {
        self.events.add(time, Event { stage, channel, transfer });
    }

    pub(super) fn start(&mut self, transfer: Transfer, channel: Channel, now: u64) {
        let mut time = now + self.delay(DEPARTURE);
        let departure = (channel.noc, channel.source, transfer.queue);
        let last = self.departures.entry(departure).or_insert(0);
        time = time.max(*last);
        *last = time;
        self.push(time, TransferStage::Depart, channel, Box::new(transfer));
    }

    /// When the next step is due.
    pub(crate) fn next_time(&self) -> Option<u64> {
        self.events.next()
    }

    /// The next step that is due at `now`. The caller carries it out and gives the transfer to
    /// [`Network::proceed`] if there is another.
    pub(crate) fn pop(&mut self, now: u64) -> Option<DueStage> {
        let (time, Event { stage, channel, transfer }) = self.events.take(now)?;
        Some(DueStage { time, stage, channel, transfer })
    }

    pub(crate) fn proceed(&mut self, step: DueStage) {
        let DueStage { time, stage, channel, mut transfer } = step;
        let flits = transfer.data.len() as u64 / self.flit_bytes;
        let mut due = time + self.delay(FLIGHT) + flits;
        match stage {
            TransferStage::Depart => {
                if planted(Defect::ChannelsUnordered) {
                    self.arrivals.clear();
                }
                let last = self.arrivals.entry(channel).or_insert(0);
                let earliest = time.max(*last);
                due = due.max(*last);
                *last = due;
                if let Some(random) = &mut self.random
                    && matches!(transfer.operation, Operation::Write { .. })
                    && transfer.data.len() > PIECE
                {
                    transfer.torn = random.next() | 1;
                    let early = due.saturating_sub(random.between(0, TEAR)).max(earliest);
                    self.push(early, TransferStage::Tear, channel, transfer.clone());
                }
                self.push(due, TransferStage::Arrive, channel, transfer);
            }
            TransferStage::Tear => {}
            TransferStage::Arrive => self.push(due, TransferStage::Respond, channel, transfer),
            TransferStage::Respond => {}
        }
    }

    /// Whether nothing is in flight; then the order of what was is forgotten.
    pub(crate) fn is_idle(&mut self) -> bool {
        let idle = self.events.is_empty();
        if idle && !(self.arrivals.is_empty() && self.departures.is_empty()) {
            self.arrivals.clear();
            self.departures.clear();
        }
        idle
    }
}

/// A step of a transfer that is due.
#[derive(Debug)]
pub(crate) struct DueStage {
    time: u64,
    pub(crate) stage: TransferStage,
    channel: Channel,
    pub(crate) transfer: Box<Transfer>,
}
