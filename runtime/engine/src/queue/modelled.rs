//! Queues of a modelled chip, whose commands are not executed.

use hallmark_schema::model::EventId;

use super::{Due, QueueSchedule, QueuedWork, Until};
use crate::InternalError;
use crate::work::{Work, WorkItem};

/// The queues of a modelled chip: a command leaves its queue when an engine would execute it, so that the queues
/// hold the same commands as those of a device.
#[derive(Debug)]
pub struct ModelledQueues {
    queue: QueuedWork,
    schedule: QueueSchedule,
}

impl ModelledQueues {
    /// Empty queues. `schedule_seed` chooses between queues that are open, as for an engine.
    pub fn new(schedule_seed: u64) -> Self {
        Self { queue: QueuedWork::default(), schedule: QueueSchedule::new(schedule_seed) }
    }

    /// Takes work; it leaves once a call waits for it.
    pub fn take(&mut self, item: WorkItem) {
        self.queue.push(item);
    }

    /// Bytes that queued launches hold, roughly.
    pub const fn queued_launches_weight(&self) -> u64 {
        self.queue.launches()
    }

    /// Whether commands are queued.
    pub fn has_work(&self) -> bool {
        self.queue.has_work()
    }

    /// Whether an event would have happened.
    pub fn has_happened(&self, event: EventId) -> bool {
        self.queue.has_happened(event)
    }

    /// Event ids count from 0 again.
    pub fn forget_events(&mut self) {
        self.queue.forget_events();
    }

    /// Passes over the commands that an engine would execute up to a point, because a call waits for it.
    ///
    /// # Errors
    /// The queues wait for each other, which no calls can bring about.
    pub fn pass_until(&mut self, until: Until) -> Result<(), InternalError> {
        while self.pass_one(until)? {}
        Ok(())
    }

    /// Passes over one command on the way to a point; false if the point is reached.
    ///
    /// # Errors
    /// As [`ModelledQueues::pass_until`].
    pub fn pass_one(&mut self, until: Until) -> Result<bool, InternalError> {
        match self.queue.take_next(until, &mut self.schedule)? {
            None => return Ok(false),
            Some(Due::Annotation(..)) => {}
            Some(Due::Command(passed)) => {
                if let Work::RecordEvent(event) = passed.work {
                    self.queue.happens(event);
                }
            }
        }
        Ok(true)
    }
}
