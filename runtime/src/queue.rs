//! What was enqueued and not yet executed, queue by queue.
//!
//! A queue's commands are executed in their order. Between queues nothing is ordered but by what the
//! commands themselves ask for, and by memory that becomes or ceases to be a buffer.

mod execute;
mod transfer;

use std::collections::VecDeque;

use hallmark_chip::Meaning;
use hallmark_chip::sabotage::{Defect, planted};
use hallmark_schema::model::{BufferId, CommandIndex, ContentHash, QueueId};

pub(crate) use self::execute::Halt;
pub(crate) use self::transfer::{Run, Runs, slice, unwritten};
use crate::dispatch::ProgramLaunch;
use crate::host::{BufferExtent, Payload};

/// Command queues that a device can have.
const QUEUES: usize = 2;

/// One enqueued command.
#[derive(Debug)]
pub(crate) enum Work {
    Write { extent: BufferExtent, payload: Payload },
    Read { extent: BufferExtent, buffer: BufferId, output: String, exact: Option<ContentHash> },
    Launch(ProgramLaunch),
}

impl Work {
    /// Bytes that it holds as a launch, roughly.
    fn launch_weight(&self) -> u64 {
        match self {
            Self::Launch(launch) => launch.weight(),
            Self::Write { .. } | Self::Read { .. } => 0,
        }
    }
}

#[derive(Debug)]
struct Queued {
    /// Its place among all that was enqueued and annotated.
    sequence: u64,
    command: CommandIndex,
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
}

/// What is executed next.
#[derive(Debug)]
pub(crate) enum Step {
    Annotate(BufferExtent, Meaning),
    Run(CommandIndex, Work),
}

impl QueuedWork {
    pub(crate) fn push(&mut self, queue: QueueId, command: CommandIndex, work: Work) {
        let sequence = self.take_sequence();
        self.launches = self.launches.saturating_add(work.launch_weight());
        // A queue that the device does not have was refused before.
        if let Some(queue) = self.queues.get_mut(usize::from(queue.0)) {
            queue.push_back(Queued { sequence, command, work });
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
                Work::Launch(launch) => Some((queued.command, launch)),
                Work::Write { .. } | Work::Read { .. } => None,
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

    /// What is executed next so that a queue becomes empty; `None` once it is.
    pub(crate) fn step(&mut self, target: QueueId) -> Option<Step> {
        let earlier = |queue: &VecDeque<Queued>, than: u64| {
            queue.front().is_some_and(|queued| queued.sequence < than)
        };
        let due = self.annotations.front().map(|annotation| annotation.sequence);
        let held_back = |queue: &VecDeque<Queued>| due.is_some_and(|due| !earlier(queue, due));
        if self.queues.iter().all(held_back) {
            let Annotation { extent, meaning, .. } = self.annotations.pop_front()?;
            return Some(Step::Annotate(extent, meaning));
        }
        let target = self.queues.get_mut(usize::from(target.0))?;
        if target.is_empty() {
            return None;
        }
        // What is annotated next waits for the other queue.
        let next = if held_back(target) {
            self.queues.iter_mut().find(|queue| !held_back(queue))?.pop_front()?
        } else if planted(Defect::QueueReversed) {
            target.pop_back()?
        } else {
            target.pop_front()?
        };
        self.launches = self.launches.saturating_sub(next.work.launch_weight());
        Some(Step::Run(next.command, next.work))
    }

    /// Whether commands wait to be executed.
    pub(crate) fn has_work(&self) -> bool {
        self.queues.iter().any(|queue| !queue.is_empty())
    }
}
