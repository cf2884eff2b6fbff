//! Which queue records which trace, and what it may be given meanwhile.

use crate::commands;
use crate::error::{CaptureError, Path, Rule};
use crate::limits::COMMAND_QUEUES;
use crate::model::{Command, Failure, Outcome, QueueId, RecordedCommand, TraceId};

/// Which queue records which trace.
#[derive(Debug, Default)]
pub(super) struct Traces {
    recording: [Option<TraceId>; COMMAND_QUEUES as usize],
}

impl Traces {
    fn on(&self, queue: QueueId) -> Option<TraceId> {
        self.recording.get(usize::from(queue.0)).copied().flatten()
    }

    /// Checks a command that was done.
    pub(super) fn check(&self, command: &Command, path: &Path<'_>) -> Result<(), CaptureError> {
        let refuse = |state| Err(path.error(Rule::Tracing { state }));
        match command {
            Command::BeginTraceCapture(commands::BeginTraceCapture { queue, .. })
                if self.on(*queue).is_some() =>
            {
                refuse("the queue records a trace")
            }
            Command::EndTraceCapture(commands::EndTraceCapture { queue, trace })
                if self.on(*queue) != Some(*trace) =>
            {
                refuse("the queue does not record this trace")
            }
            Command::ReplayTrace(commands::ReplayTrace { trace, .. })
            | Command::ReleaseTrace(commands::ReleaseTrace { trace })
            | Command::CollectTrace(commands::CollectTrace { trace, .. })
                if self.recording.contains(&Some(*trace)) =>
            {
                refuse("the trace is being recorded")
            }
            // What a trace holds.
            Command::EnqueueProgram(commands::EnqueueProgram { blocking: false, .. })
            | Command::EndTraceCapture(_) => Ok(()),
            other if other.queue().and_then(|queue| self.on(queue)).is_some() => {
                refuse("the queue records a trace")
            }
            _ => Ok(()),
        }
    }

    /// Follows what came of a command; gives the trace that there is not, though it was begun.
    pub(super) fn after(&mut self, recorded: &RecordedCommand) -> Option<TraceId> {
        let RecordedCommand { command, outcome } = recorded;
        let (queue, recording, gone) = match (command, outcome) {
            (
                Command::BeginTraceCapture(commands::BeginTraceCapture { queue, trace, .. }),
                Outcome::Done,
            ) => (queue, Some(*trace), None),
            (Command::EndTraceCapture(commands::EndTraceCapture { queue, .. }), Outcome::Done) => {
                (queue, None, None)
            }
            // The capture has ended, and there is no trace.
            (
                Command::EndTraceCapture(commands::EndTraceCapture { queue, trace }),
                Outcome::Failed(Failure::TraceRegionTooSmall { .. }),
            ) if self.on(*queue) == Some(*trace) => (queue, None, Some(*trace)),
            _ => return None,
        };
        if let Some(place) = self.recording.get_mut(usize::from(queue.0)) {
            *place = recording;
        }
        gone
    }
}
