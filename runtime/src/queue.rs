//! What was enqueued and not yet executed, queue by queue.
//!
//! A queue's commands are executed in their order. Between queues nothing is ordered but by what the
//! commands themselves ask for, and by memory that becomes or ceases to be a buffer.

mod defects;
mod execute;
mod order;
mod races;
mod schedule;
mod transfer;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use hallmark_chip::Meaning;
use hallmark_schema::limits::COMMAND_QUEUES;
use hallmark_schema::model::{BufferId, CommandIndex, ContentHash, EventId, QueueId};

pub(crate) use self::defects::DEFECTS;
use self::defects::{Defect, planted};
pub(crate) use self::execute::Halt;
pub(crate) use self::order::{Order, Place, Progress};
use self::races::Executed;
pub(crate) use self::races::QueueRaces;
pub(crate) use self::schedule::QueueSchedule;
pub(crate) use self::transfer::{HostPages, Run, Runs};
use crate::InternalError;
use crate::addresses::BufferExtent;
use crate::dispatch::ProgramLaunch;
use crate::payload::Payload;
use crate::trace::Trace;

/// Command queues that a device can have.
pub(crate) const QUEUES: usize = COMMAND_QUEUES as usize;

/// One enqueued command.
#[derive(Debug)]
pub(crate) enum Work {
    Write { extent: BufferExtent, payload: Payload },
    Read { extent: BufferExtent, buffer: BufferId, output: String, exact: Option<ContentHash> },
    Launch(Arc<ProgramLaunch>),
    RecordEvent(EventId),
    WaitForEvent(EventId),
    Replay(Arc<Trace>),
}

impl Work {
    /// Bytes that it holds as a launch, roughly.
    fn launch_weight(&self) -> u64 {
        match self {
            Self::Launch(launch) => launch.weight(),
            Self::Write { .. }
            | Self::Read { .. }
            | Self::RecordEvent(_)
            | Self::WaitForEvent(_)
            | Self::Replay(_) => 0,
        }
    }
}

#[derive(Debug)]
struct Queued {
    /// Its place among all that was enqueued and annotated.
    sequence: u64,
    command: CommandIndex,
    place: Place,
    /// What is done before it can begin.
    before: Progress,
    work: Work,
}

/// A buffer's memory becomes or ceases to be a buffer, after everything enqueued before it, on any
/// queue, because that may still use the memory, and before everything enqueued later.
#[derive(Debug)]
struct Annotation {
    sequence: u64,
    extent: BufferExtent,
    meaning: Meaning,
}

/// What queued launches may hold together, bytes: far more than any program that finishes now and
/// then, and little enough that no capture fills the host's memory.
pub(crate) const QUEUED_LAUNCHES: u64 = 512 << 20;

/// Commands and annotations in their order.
#[derive(Debug, Default)]
pub(crate) struct QueuedWork {
    queues: [VecDeque<Queued>; QUEUES],
    annotations: VecDeque<Annotation>,
    /// The sequence number that comes next.
    next: u64,
    /// Bytes that launches hold, roughly.
    launches: u64,
    happened: BTreeSet<EventId>,
}

/// Up to where work is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// The queue is empty.
    Empty(QueueId),
    /// An event of a queue has happened.
    Happened { event: EventId, queue: QueueId },
}

/// A command that is executed next.
#[derive(Debug)]
struct Next {
    command: CommandIndex,
    place: Place,
    before: Progress,
    work: Work,
}

/// What is executed next.
#[derive(Debug)]
enum Step {
    Annotate(BufferExtent, Meaning),
    Run(Next),
}

impl QueuedWork {
    pub(crate) fn push(
        &mut self,
        command: CommandIndex,
        (place, before): (Place, Progress),
        work: Work,
    ) {
        let sequence = self.take_sequence();
        self.launches = self.launches.saturating_add(work.launch_weight());
        // A queue that the device does not have was refused before.
        if let Some(queue) = self.queues.get_mut(usize::from(place.queue.0)) {
            queue.push_back(Queued { sequence, command, place, before, work });
        }
    }

    const fn take_sequence(&mut self) -> u64 {
        let sequence = self.next;
        self.next = sequence.wrapping_add(1);
        sequence
    }

    /// The launches among them, in the order of their calls.
    pub(crate) fn queued_launches(&self) -> impl Iterator<Item = (CommandIndex, &ProgramLaunch)> {
        let mut launches: Vec<_> = self
            .queues
            .iter()
            .flatten()
            .filter_map(|queued| match &queued.work {
                Work::Launch(launch) => Some((queued.command, &**launch)),
                _ => None,
            })
            .collect();
        launches.sort_by_key(|(command, _)| *command);
        launches.into_iter()
    }

    /// Bytes that queued launches hold, roughly.
    pub(crate) const fn launches(&self) -> u64 {
        self.launches
    }

    pub(crate) fn annotate_buffer(&mut self, extent: &BufferExtent, allocated: bool) {
        let meaning = if allocated { Meaning::Buffer } else { Meaning::Freed };
        if extent.placement.bank_size > 0 {
            let sequence = self.take_sequence();
            self.annotations.push_back(Annotation { sequence, extent: extent.clone(), meaning });
        }
    }

    pub(crate) fn has_happened(&self, event: EventId) -> bool {
        self.happened.contains(&event)
    }

    /// Event ids count from 0 again.
    pub(crate) fn forget_events(&mut self) {
        self.happened.clear();
    }

    pub(crate) fn happens(&mut self, event: EventId) {
        self.happened.insert(event);
    }

    /// Whether a queue cannot go on now: it is empty, its next command waits for an event, or comes after
    /// an annotation that is due first.
    fn is_held_back(&self, queue: &VecDeque<Queued>) -> bool {
        let Some(Queued { sequence, work, .. }) = queue.front() else { return true };
        let waits = matches!(work, Work::WaitForEvent(event) if !self.has_happened(*event))
            && !planted(Defect::WaitsDoNotWait);
        waits || self.annotations.front().is_some_and(|due| due.sequence < *sequence)
    }

    /// What is executed next to come to a point; `None` once it is reached.
    fn step(
        &mut self,
        until: Until,
        schedule: &mut QueueSchedule,
    ) -> Result<Option<Step>, InternalError> {
        if let Some(due) = self.annotations.front() {
            let comes_later = |queued: &Queued| queued.sequence > due.sequence;
            if self.queues.iter().all(|queue| queue.front().is_none_or(comes_later))
                && let Some(Annotation { extent, meaning, .. }) = self.annotations.pop_front()
            {
                return Ok(Some(Step::Annotate(extent, meaning)));
            }
        }
        let target = match until {
            Until::Happened { event, .. } if self.has_happened(event) => return Ok(None),
            Until::Happened { queue, .. } | Until::Empty(queue) => usize::from(queue.0),
        };
        let wanted = self.queues.get(target);
        if wanted.is_none_or(VecDeque::is_empty) {
            return Ok(None);
        }
        // Whatever a queue waits for was enqueued before, so that some queue can always go on.
        let can_go_on =
            |index: &usize| self.queues.get(*index).is_some_and(|queue| !self.is_held_back(queue));
        let ready: Vec<usize> = (0..QUEUES).filter(can_go_on).collect();
        let next = schedule.choose(&ready, target);
        let queue = next.and_then(|next| self.queues.get_mut(next));
        let popped = queue.and_then(|queue| {
            if planted(Defect::QueueReversed) { queue.pop_back() } else { queue.pop_front() }
        });
        let Queued { command, place, before, work, .. } =
            popped.ok_or_else(|| InternalError::new("command queues wait for each other"))?;
        self.launches = self.launches.saturating_sub(work.launch_weight());
        Ok(Some(Step::Run(Next { command, place, before, work })))
    }

    /// What is done before any command that a queue has still to execute; `next` is what is done before
    /// those that it is given later.
    fn floor(&self, queue: QueueId, next: Progress) -> Progress {
        let waiting = self.queues.get(usize::from(queue.0)).and_then(VecDeque::front);
        waiting.map_or(next, |queued| queued.before)
    }

    /// Whether commands wait to be executed.
    pub(crate) fn has_work(&self) -> bool {
        self.queues.iter().any(|queue| !queue.is_empty())
    }
}
