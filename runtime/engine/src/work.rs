//! The work that an engine is given.

use std::sync::Arc;

use hallmark_chip::{DescribedBuffer, Meaning};
use hallmark_schema::model::{
    BufferId, CommandIndex, ContentHash, EventId, Generator, SharedBytes,
};

use crate::addresses::BufferExtent;
use crate::launch::ProgramLaunch;
use crate::order::{Progress, QueuePosition};
use crate::trace::Trace;

/// Bytes, or a recipe for them.
#[derive(Clone, Debug)]
pub enum Payload {
    /// The bytes themselves.
    Bytes(SharedBytes),
    /// A recipe for bytes that are made when they are needed.
    Generated {
        /// The recipe.
        generator: Generator,
        /// Bytes that it makes.
        length: u64,
    },
}

/// The work of a queue's command.
#[derive(Debug)]
pub enum Work {
    /// Fills a buffer, or a part of one.
    Write {
        /// The pages that are filled.
        extent: BufferExtent,
        /// As many bytes as the extent has.
        payload: Payload,
    },
    /// Reads a buffer, or a part of one.
    Read {
        /// The pages that are read.
        extent: BufferExtent,
        /// The buffer, for the taker of the bytes.
        buffer: BufferId,
        /// The buffer's name, for reports.
        name: Arc<str>,
        /// The name that the call gave to the bytes.
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
    pub(crate) fn launch_weight(&self) -> u64 {
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

/// An item of work: calls become items, which are handed on in their order.
#[derive(Debug)]
pub enum WorkItem {
    /// A queue is given a command.
    Enqueue {
        /// The call that it came with.
        command: CommandIndex,
        /// Its queue, and its number there.
        position: QueuePosition,
        /// The commands that are done before it can begin.
        before: Progress,
        /// Its work.
        work: Work,
    },
    /// A buffer's memory becomes or ceases to be a buffer. All commands that were enqueued before, on any queue, come
    /// first, because they may still use the memory; all that are enqueued later come after.
    Annotate(Annotation),
}

/// A buffer's memory becomes or ceases to be a buffer.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// The buffer's memory.
    pub extent: BufferExtent,
    /// Its meaning from then on.
    pub meaning: Meaning,
    /// The buffer, if the memory becomes one.
    pub buffer: Option<Arc<DescribedBuffer>>,
}
