//! The work of dispatchers, and the moves and replays that they were given.

use hallmark_chip::{
    ChipDescription, CoreActivity, Doing, NocRequest, PhysicalCoordinate, Processor, TileAddress,
};
use hallmark_device_code::dispatch_abi::{Control, DispatchTile};
use hallmark_schema::model::{CommandIndex, QueueId};
use serde::{Deserialize, Serialize};

use super::Interval;

/// The work of a device's dispatchers, and the moves that they were given, since the last question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueuesProfile {
    /// The dispatchers that ran, in the order of the queues.
    pub dispatchers: Vec<QueueDispatcher>,
    /// The writes and reads that dispatchers were given, of each queue in their order.
    pub moves: Vec<MovePlan>,
    /// Replays of traces that dispatchers carried out, where launches overlap.
    pub replays: Vec<ReplayProfile>,
    /// Spans and requests of all cores that were not kept, because there were too many.
    pub dropped: u64,
}

/// The work of a queue's dispatcher.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueDispatcher {
    /// Its queue.
    pub queue: QueueId,
    /// Its tile on the die.
    pub tile: PhysicalCoordinate,
    /// Its activity, in order.
    pub spans: Vec<DispatchingSpan>,
    /// Its NoC requests that ended in that time, in the order of their ends.
    pub requests: Vec<NocRequest>,
}

/// A time in which a dispatcher did one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DispatchingSpan {
    /// The time.
    pub at: Interval,
    /// The activity.
    pub doing: Dispatching,
}

/// The activity of a dispatcher. It waits for the word that its loop loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dispatching {
    /// It executes instructions.
    Executes,
    /// It waits for its own requests: for responses, or until its NoC interface takes the next one.
    AwaitsNoc,
    /// It waits until the tiles of a launch are done.
    AwaitsPrograms,
    /// It waits for an event of another queue.
    AwaitsEvent,
    /// It waits until the host has taken data.
    AwaitsHost,
    /// Its queue is empty.
    AwaitsCommands,
}

impl Dispatching {
    /// Of the words that a dispatcher loads in loops, those outside L1 are registers of its NoC interface. Those in
    /// L1 that are no part of [`Control`] are its own, which it loads until its store is there.
    fn of(doing: Doing, description: &ChipDescription) -> Self {
        let Doing::Waits { address: TileAddress(address), .. } = doing else {
            return Self::Executes;
        };
        if address >= description.l1_size {
            return Self::AwaitsNoc;
        }
        let control = address.checked_sub(u64::from(DispatchTile::CONTROL.start));
        let control = control.and_then(|offset| u32::try_from(offset).ok());
        match control {
            Some(Control::WRITTEN) => Self::AwaitsCommands,
            Some(Control::DRAINED) => Self::AwaitsHost,
            Some(Control::WORKERS_DONE) => Self::AwaitsPrograms,
            Some(Control::EVENTS..Control::CONFIG) => Self::AwaitsEvent,
            Some(_) | None => Self::Executes,
        }
    }

    /// Whether it carries a command out: it executes, or its requests are on their way.
    pub const fn is_work(self) -> bool {
        match self {
            Self::Executes | Self::AwaitsNoc => true,
            Self::AwaitsPrograms | Self::AwaitsEvent | Self::AwaitsHost | Self::AwaitsCommands => {
                false
            }
        }
    }

    /// The activity in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Executes => "executes",
            Self::AwaitsNoc => "waits for its NoC requests",
            Self::AwaitsPrograms => "waits for the cores of a program",
            Self::AwaitsEvent => "waits for an event of the other queue",
            Self::AwaitsHost => "waits until the host has taken data",
            Self::AwaitsCommands => "waits for commands",
        }
    }
}

/// The memory that a write or a read of a queue touches, in the order in which the dispatcher touches it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MovePlan {
    /// The call that enqueued it.
    pub command: CommandIndex,
    /// Its queue.
    pub queue: QueueId,
    /// Whether it writes the memory; otherwise it reads it.
    pub writes: bool,
    /// The memory.
    pub pieces: Vec<MovedPiece>,
}

/// A stretch of a tile's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MovedPiece {
    /// The tile.
    pub tile: PhysicalCoordinate,
    /// Its first byte there.
    pub address: u64,
    /// Bytes.
    pub length: u64,
}

/// The work of a trace's tiles while a dispatcher replayed it, for all of its programs together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayProfile {
    /// The call that replayed the trace.
    pub command: CommandIndex,
    /// Whether it came to its end.
    pub completed: bool,
    /// The processors that ran in that time, in the order of tiles.
    pub processors: Vec<ReplayedProcessor>,
}

/// A processor's work during the replay of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayedProcessor {
    /// The tile on the die.
    pub tile: PhysicalCoordinate,
    /// The processor of that tile.
    pub processor: Processor,
    /// The times in which it executed instructions, in order.
    pub ran: Vec<Interval>,
    /// Its NoC requests that ended in that time, in the order of their ends.
    pub requests: Vec<NocRequest>,
}

impl QueuesProfile {
    /// Notes the work of the cores of a queue's dispatcher.
    pub(crate) fn dispatched<'a>(
        &mut self,
        queue: QueueId,
        cores: impl Iterator<Item = &'a CoreActivity>,
        description: &ChipDescription,
    ) {
        for core in cores {
            let place = self.dispatchers.iter().position(|it| it.queue == queue);
            let spans = core.spans.iter().map(|span| DispatchingSpan {
                at: Interval { from: span.from, until: span.until },
                doing: Dispatching::of(span.doing, description),
            });
            match place.and_then(|place| self.dispatchers.get_mut(place)) {
                Some(noted) => {
                    noted.spans.extend(spans);
                    noted.requests.extend(&core.requests);
                }
                None => {
                    let (spans, requests) = (spans.collect(), core.requests.clone());
                    let noted = QueueDispatcher { queue, tile: core.tile, spans, requests };
                    self.dispatchers.push(noted);
                    self.dispatchers.sort_by_key(|it| it.queue);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dispatcher_says_by_its_word_what_it_waits_for() {
        let chip = ChipDescription::of(hallmark_chip::Architecture::WormholeB0);
        let control = u64::from(DispatchTile::CONTROL.start);
        for (address, doing) in [
            (control, Dispatching::AwaitsCommands),
            (control + u64::from(Control::DRAINED), Dispatching::AwaitsHost),
            (control + u64::from(Control::WORKERS_DONE), Dispatching::AwaitsPrograms),
            (control + u64::from(Control::EVENTS) + 16, Dispatching::AwaitsEvent),
            (control + u64::from(Control::CONFIG), Dispatching::Executes),
            (u64::from(DispatchTile::STATUS_LINE), Dispatching::Executes),
            (chip.l1_size, Dispatching::AwaitsNoc),
        ] {
            let waits = Doing::Waits { pc: 0, address: TileAddress(address) };
            assert_eq!(Dispatching::of(waits, chip), doing, "{address:#x}");
        }
        assert_eq!(Dispatching::of(Doing::Runs, chip), Dispatching::Executes);
    }
}
