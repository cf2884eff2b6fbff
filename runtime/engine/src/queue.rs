//! The commands that were enqueued and not executed yet, queue by queue.
//!
//! A queue's commands are executed in their order. Between queues only the
//! commands themselves make an order, and memory that becomes or ceases to be a buffer.

mod command_queues;
mod modelled;
mod races;
mod schedule;

use std::collections::{BTreeSet, VecDeque};

use hallmark_schema::model::{CommandIndex, EventId, QueueId};

pub(crate) use self::command_queues::CommandQueues;
pub use self::modelled::ModelledQueues;
pub use self::races::QueueRace;
pub(crate) use self::races::{Beside, Executed};
use self::schedule::QueueSchedule;
use crate::InternalError;
use crate::defects::{Defect, planted};
use crate::launch::ProgramLaunch;
pub use crate::order::{Order, Progress, QUEUES, QueuePosition};
use crate::work::{Annotation, Work, WorkItem};

/// A command that was enqueued and is not executed yet.
#[derive(Debug)]
pub(crate) struct QueuedCommand {
    /// Its place among all commands and annotations.
    sequence: u64,
    /// The call that enqueued it.
    pub(crate) command: CommandIndex,
    pub(crate) position: QueuePosition,
    /// The commands that are done before it can begin.
    pub(crate) before: Progress,
    pub(crate) work: Work,
}

/// See [`WorkItem::Annotate`].
#[derive(Debug)]
struct QueuedAnnotation {
    sequence: u64,
    annotation: Annotation,
}

/// Commands and annotations in their order.
#[derive(Debug, Default)]
struct QueuedWork {
    queues: [VecDeque<QueuedCommand>; QUEUES],
    annotations: VecDeque<QueuedAnnotation>,
    /// The sequence number that comes next.
    next: u64,
    /// Bytes that launches hold, roughly.
    launches: u64,
    happened: BTreeSet<EventId>,
}

/// The point up to which work is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// The queue is empty.
    Empty(QueueId),
    /// An event of a queue has happened.
    Happened {
        /// The event that is waited for.
        event: EventId,
        /// The queue that records it.
        queue: QueueId,
    },
}

/// The item that is executed next.
#[derive(Debug)]
pub(crate) enum Due {
    Annotation(Annotation),
    Command(QueuedCommand),
}

impl QueuedWork {
    fn push(&mut self, item: WorkItem) {
        let sequence = self.take_sequence();
        match item {
            WorkItem::Enqueue { command, position, before, work } => {
                self.launches = self.launches.saturating_add(work.launch_weight());
                // A queue that the device does not have was refused before.
                if let Some(queue) = self.queues.get_mut(usize::from(position.queue.0)) {
                    queue.push_back(QueuedCommand { sequence, command, position, before, work });
                }
            }
            WorkItem::Annotate(annotation) => {
                self.annotations.push_back(QueuedAnnotation { sequence, annotation });
            }
        }
    }

    const fn take_sequence(&mut self) -> u64 {
        let sequence = self.next;
        self.next = sequence.wrapping_add(1);
        sequence
    }

    /// The launches among them, in the order of their calls.
    fn queued_launches(&self) -> impl Iterator<Item = (CommandIndex, &ProgramLaunch)> {
        let mut launches: Vec<_> = self
            .queues
            .iter()
            .flatten()
            .filter_map(|queued| match &queued.work {
                Work::Launch(launch) => Some((queued.command, &**launch)),
                Work::Write { .. }
                | Work::Read { .. }
                | Work::RecordEvent(_)
                | Work::WaitForEvent(_)
                | Work::Replay(_) => None,
            })
            .collect();
        launches.sort_by_key(|(command, _)| *command);
        launches.into_iter()
    }

    /// Bytes that queued launches hold, roughly.
    const fn launches(&self) -> u64 {
        self.launches
    }

    fn has_happened(&self, event: EventId) -> bool {
        self.happened.contains(&event)
    }

    /// Event ids count from 0 again.
    fn forget_events(&mut self) {
        self.happened.clear();
    }

    fn happens(&mut self, event: EventId) {
        self.happened.insert(event);
    }

    /// Whether a queue cannot go on now: it is empty, its next command waits for an event, or comes after
    /// an annotation that is due first.
    fn is_held_back(&self, queue: &VecDeque<QueuedCommand>) -> bool {
        let Some(QueuedCommand { sequence, work, .. }) = queue.front() else { return true };
        let waits = matches!(work, Work::WaitForEvent(event) if !self.has_happened(*event))
            && !planted(Defect::WaitsDoNotWait);
        waits || self.annotations.front().is_some_and(|due| due.sequence < *sequence)
    }

    /// The annotation that is due, if every command before it was executed.
    fn take_annotation(&mut self) -> Option<Due> {
        let due = self.annotations.front()?;
        let comes_later = |queued: &QueuedCommand| queued.sequence > due.sequence;
        if !self.queues.iter().all(|queue| queue.front().is_none_or(comes_later)) {
            return None;
        }
        let QueuedAnnotation { annotation, .. } = self.annotations.pop_front()?;
        Some(Due::Annotation(annotation))
    }

    /// The item that is executed next, whatever the host waits for; `None` if none can be. `must_wait` says of
    /// which queues the first command cannot begin yet.
    fn take_any(&mut self, schedule: &mut QueueSchedule, must_wait: [bool; QUEUES]) -> Option<Due> {
        if let Some(annotation) = self.take_annotation() {
            return Some(annotation);
        }
        let goes_on = self
            .queues
            .iter()
            .zip(must_wait)
            .map(|(queue, must_wait)| !must_wait && !self.is_held_back(queue));
        let ready: Vec<usize> =
            (0..).zip(goes_on).filter_map(|(index, goes_on)| goes_on.then_some(index)).collect();
        // Without a seed, the command that was enqueued first.
        let first = |index: &usize| self.queues.get(*index)?.front().map(|queued| queued.sequence);
        let target = ready.iter().copied().min_by_key(first)?;
        let next = schedule.choose(&ready, target)?;
        let command = self.queues.get_mut(next)?.pop_front()?;
        self.launches = self.launches.saturating_sub(command.work.launch_weight());
        Some(Due::Command(command))
    }

    /// The work that each queue executes next.
    fn first_of_each(&self) -> [Option<&Work>; QUEUES] {
        self.queues.each_ref().map(|queue| queue.front().map(|queued| &queued.work))
    }

    /// Whether a queue has nothing to be executed.
    fn is_empty(&self, queue: QueueId) -> bool {
        self.queues.get(usize::from(queue.0)).is_none_or(VecDeque::is_empty)
    }

    /// The item that is executed next to come to a point; `None` once it is reached.
    fn take_next(
        &mut self,
        until: Until,
        schedule: &mut QueueSchedule,
    ) -> Result<Option<Due>, InternalError> {
        if let Some(annotation) = self.take_annotation() {
            return Ok(Some(annotation));
        }
        let target = match until {
            Until::Happened { event, .. } if self.has_happened(event) => return Ok(None),
            Until::Happened { queue, .. } | Until::Empty(queue) => usize::from(queue.0),
        };
        let wanted = self.queues.get(target);
        if wanted.is_none_or(VecDeque::is_empty) {
            return Ok(None);
        }
        // A queue waits only for commands that were enqueued before, so that some queue can always go on.
        let can_go_on =
            |index: &usize| self.queues.get(*index).is_some_and(|queue| !self.is_held_back(queue));
        let ready: Vec<usize> = (0..QUEUES).filter(can_go_on).collect();
        let next = schedule.choose(&ready, target);
        let queue = next.and_then(|next| self.queues.get_mut(next));
        let popped = queue.and_then(|queue| {
            if planted(Defect::QueueReversed) { queue.pop_back() } else { queue.pop_front() }
        });
        let command =
            popped.ok_or_else(|| InternalError::new("command queues wait for each other"))?;
        self.launches = self.launches.saturating_sub(command.work.launch_weight());
        Ok(Some(Due::Command(command)))
    }

    /// The commands that are done before any command that each queue has still to execute. `later` are those that are
    /// done before the commands that the queue is given later.
    fn floor(&self, later: [Progress; QUEUES]) -> [Progress; QUEUES] {
        let mut floor = later;
        for (floor, queue) in floor.iter_mut().zip(&self.queues) {
            if let Some(waiting) = queue.front() {
                *floor = waiting.before;
            }
        }
        floor
    }

    /// Whether commands wait to be executed.
    fn has_work(&self) -> bool {
        self.queues.iter().any(|queue| !queue.is_empty())
    }

    /// Whether any command but events waits to be executed.
    fn has_more_than_events(&self) -> bool {
        self.queues.iter().flatten().any(|queued| match queued.work {
            Work::RecordEvent(_) | Work::WaitForEvent(_) => false,
            Work::Write { .. } | Work::Read { .. } | Work::Launch(_) | Work::Replay(_) => true,
        })
    }
}
