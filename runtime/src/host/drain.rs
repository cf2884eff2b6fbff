//! The end of the queues: what calls have enqueued and no call has waited for is done before a capture ends.

use hallmark_engine::queue::Until;
use hallmark_schema::model::{CommandIndex, CommandKind, Outcome};

use super::backend::Goal;
use super::device::{Device, Host};
use super::waiting::{report_races, work};
use crate::error::{CallError, HostError};

/// How the queues ended.
#[derive(Debug)]
pub struct Drained {
    /// The outcome, which the capture under way records.
    pub outcome: Outcome,
    /// The error behind a failure.
    pub error: Option<Box<HostError>>,
}

impl Device {
    /// Has all work done that calls have enqueued and none has waited for, and records how that ended. This is no call of
    /// the host API: no outcome, no event number and no program byte changes, and a read that completes here has returned
    /// nothing to the host program.
    ///
    /// A trace that is still being captured is no enqueued work and does not run; what its queue was given before is
    /// done. `None` if the device has stopped: nothing is done then. A stop here, or a race between commands of two
    /// queues, is the outcome and names the calls that enqueued the work.
    ///
    /// # Errors
    /// [`CallError::Capture`], [`CallError::Stopped`], [`CallError::Internal`].
    pub fn drain(&mut self) -> Result<Option<Drained>, CallError> {
        if self.host.queues.stop().is_some() {
            return Ok(None);
        }
        self.host.calls.recorder().queues_drained(&Outcome::Unfinished)?;
        let error = match self.drain_queues() {
            Ok(()) => None,
            Err(CallError::Host(error)) => Some(error),
            Err(error) => return Err(error),
        };
        let failure = error.as_ref().map(|error| error.failure.clone());
        let outcome = failure.map_or(Outcome::Done, Outcome::Failed);
        self.host.calls.recorder().queues_drained(&outcome)?;
        Ok(Some(Drained { outcome, error }))
    }

    /// Has the queues emptied one after the other, and then looks for races between their commands.
    fn drain_queues(&mut self) -> Result<(), CallError> {
        let Self { host, backend } = self;
        let Host { queues, reads, calls, .. } = host;
        // A stop takes the place of the call that it blames.
        let last = CommandIndex(calls.next_command().0.saturating_sub(1));
        for queue in queues.all() {
            let goal = Goal::Drain(Until::Empty(queue));
            work(backend, queues, reads, calls, goal, last, CommandKind::Finish)?;
            queues.host_saw(queues.before_next(queue));
        }
        report_races(backend, queues, CommandKind::Finish)
    }
}
