//! What an engine is given to do.

use std::sync::Arc;

use hallmark_chip::Meaning;
use hallmark_schema::model::{BufferId, CommandIndex, ContentHash, EventId};

use super::launch::ProgramLaunch;
use super::queue::{Progress, QueuePosition};
use super::trace::Trace;
use crate::addresses::BufferExtent;
use crate::payload::Payload;

/// What a queue's command does.
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
    pub(super) fn launch_weight(&self) -> u64 {
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

/// What calls become, in the order in which it is handed on.
#[derive(Debug)]
pub(crate) enum WorkItem {
    /// A queue is given a command.
    Enqueue {
        command: CommandIndex,
        position: QueuePosition,
        /// What is done before it can begin.
        before: Progress,
        work: Work,
    },
    /// A buffer's memory becomes or ceases to be a buffer, after everything enqueued before it, on any
    /// queue, because that may still use the memory, and before everything enqueued later.
    Annotate { extent: BufferExtent, meaning: Meaning },
}
