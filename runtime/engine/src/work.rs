//! What an engine is given to do.

use std::sync::Arc;

use hallmark_chip::Meaning;
use hallmark_schema::model::{
    BufferId, CommandIndex, ContentHash, EventId, Generator, SharedBytes,
};

use crate::addresses::BufferExtent;
use crate::launch::ProgramLaunch;
use crate::queue::{Progress, QueuePosition};
use crate::trace::Trace;

/// Bytes, or how to make them.
#[derive(Clone, Debug)]
pub enum Payload {
    /// Bytes that are there already.
    Bytes(SharedBytes),
    /// A recipe, for bytes that are made when they are needed.
    Generated {
        /// Which bytes are made.
        generator: Generator,
        /// Bytes that it makes.
        length: u64,
    },
}

/// What a queue's command does.
#[derive(Debug)]
pub enum Work {
    /// Fills a buffer, or a part of one.
    Write {
        /// What is filled.
        extent: BufferExtent,
        /// With what: as many bytes as the extent has.
        payload: Payload,
    },
    /// Reads a buffer, or a part of one.
    Read {
        /// What is read.
        extent: BufferExtent,
        /// The buffer, for whoever takes what comes back.
        buffer: BufferId,
        /// The name that the call gave to what comes back.
        output: String,
        /// The hash that the call expects, if it expects one.
        exact: Option<ContentHash>,
    },
    /// Runs a program.
    Launch(Arc<ProgramLaunch>),
    /// An event happens once everything before on the queue is done.
    RecordEvent(EventId),
    /// Nothing later on the queue begins before the event has happened.
    WaitForEvent(EventId),
    /// Runs every program of a trace.
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
pub enum WorkItem {
    /// A queue is given a command.
    Enqueue {
        /// The call that it came with.
        command: CommandIndex,
        /// Its queue, and its number there.
        position: QueuePosition,
        /// What is done before it can begin.
        before: Progress,
        /// What it does.
        work: Work,
    },
    /// A buffer's memory becomes or ceases to be a buffer, after everything enqueued before it, on any
    /// queue, because that may still use the memory, and before everything enqueued later.
    Annotate {
        /// The buffer's memory.
        extent: BufferExtent,
        /// What it is from then on.
        meaning: Meaning,
    },
}
