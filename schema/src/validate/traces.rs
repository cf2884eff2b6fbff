//! The trace that each queue records, and the commands that the queue accepts meanwhile.

use crate::commands;
use crate::error::{CaptureError, Path, Rule};
use crate::limits::COMMAND_QUEUES;
use crate::model::{Command, Failure, Outcome, QueueId, RecordedCommand, TraceId};

/// The trace that each queue records.
#[derive(Debug, Default)]
pub(super) struct Traces {
    recording: [Option<TraceId>; COMMAND_QUEUES as usize],
}

impl Traces {
    fn on(&self, queue: QueueId) -> Option<TraceId> {
        self.recording.get(usize::from(queue.0)).copied().flatten()
    }

    /// Checks a command recorded as done.
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
            // These commands can be part of a recording.
            Command::EnqueueProgram(commands::EnqueueProgram { blocking: false, .. })
            | Command::EndTraceCapture(_) => Ok(()),
            other if other.queue().and_then(|queue| self.on(queue)).is_some() => {
                refuse("the queue records a trace")
            }
            _ => Ok(()),
        }
    }

    /// Applies the outcome of a command; returns a trace that was begun but does not exist.
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
            // The recording has ended, and no trace exists.
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
