//! The edits themselves.

use hallmark_schema::model::{
    BufferId, BufferRegion, CircularBufferId, CommandIndex, CoreRange, Expectation, ObjectKind,
    ProgramId, QueueId, SemaphoreId, TraceId,
};
use serde::{Deserialize, Serialize};

/// What is taken away as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Unit {
    /// One call. A call that makes an object takes the object along, and the end of a trace's capture the trace.
    Command(CommandIndex),
    /// An object from the call that makes it to the last that uses it: a buffer with its views, a program with what
    /// was added to it, a trace with what was enqueued into it, an event with its waits.
    Object {
        /// The kind of the object.
        kind: ObjectKind,
        /// The object's id among those of its kind.
        id: u32,
    },
}

/// A change of a capture. Ids and places of commands are those of the capture before any edit, whatever other edits
/// do.
///
/// Edits are made in the order of their kinds here. An edit has a precondition. Where the precondition does not hold, [`apply`](crate::apply) leaves the edit out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Edit {
    /// Keeps the first commands alone. The capture has so many, and no trace is being captured after them.
    Cut {
        /// How many commands are kept.
        commands: u32,
    },
    /// Takes a unit away, and every call that cannot be made without it. The capture has the unit. Where numbers of
    /// the capture hold places, a buffer keeps its memory and loses its writes and reads.
    Remove(Unit),
    /// Enqueues the programs of a trace in the place of each replay of it. The trace was captured and not loaded, its
    /// bytes are not collected, and nothing that it launches is given other arguments after it.
    UnrollTrace {
        /// The trace.
        trace: TraceId,
    },
    /// Waits for a queue after a command. The queue exists, and captures no trace there.
    InsertFinish {
        /// The command that is followed by the wait; another edit may take it away.
        after: CommandIndex,
        /// The queue that is waited for.
        queue: QueueId,
    },
    /// Writes zeros to all of a buffer after a command, and waits. The buffer is live there, the queue exists and captures
    /// no trace there.
    InsertWrite {
        /// The command that is followed by the write; another edit may take it away.
        after: CommandIndex,
        /// The queue that carries the write out.
        queue: QueueId,
        /// The buffer that is written.
        buffer: BufferId,
    },
    /// Reads a buffer after a command, and waits for the bytes. The buffer is live there, the region is whole pages of
    /// the buffer, the queue exists and captures no trace there, and no other read has the output's name.
    InsertRead {
        /// The command that is followed by the read; another edit may take it away.
        after: CommandIndex,
        /// The queue that carries the read out.
        queue: QueueId,
        /// The buffer that is read.
        buffer: BufferId,
        /// Which bytes; the whole buffer if `None`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        region: Option<BufferRegion>,
        /// The name of what comes back.
        output: String,
        /// What must come back.
        expectation: InsertedExpectation,
    },
    /// Has a call wait that enqueues something. The call can, and does not yet; its queue captures no trace.
    MakeBlocking {
        /// The call.
        command: CommandIndex,
    },
    /// Gives everything to queue 0. There are two queues, and while one captures a trace, the other is given nothing.
    MergeQueues,
    /// Takes a program away from all cores but those of a rectangle. The program has cores outside and inside.
    KeepCores {
        /// The program.
        program: ProgramId,
        /// The cores that stay.
        cores: CoreRange,
    },
    /// Takes a program away from the cores of a rectangle. The program has cores inside and outside.
    RemoveCores {
        /// The program.
        program: ProgramId,
        /// The cores that the program leaves.
        cores: CoreRange,
    },
    /// Makes buffers smaller, and every number with them that says their size: data that is written to them is cut
    /// off, and of kernels that are given one of their addresses each argument changes that equals the old number of
    /// pages, size of a page or size, and each circular buffer with pages of the old size.
    ///
    /// All buffers are interleaved, equally large and have no views; no write or read of a region passes the new end.
    /// No compile-time argument of these kernels equals an old number of 16 or more that changes.
    ResizeBuffers {
        /// The buffers, ascending.
        buffers: Vec<BufferId>,
        /// How many pages each has then.
        pages: u64,
        /// The bytes of each page then.
        page_size: u64,
    },
    /// Gives a circular buffer another number of pages. All its pages have one size, and no call changes its size.
    ResizeCircularBuffer {
        /// The circular buffer.
        circular_buffer: CircularBufferId,
        /// How many pages it has then.
        pages: u32,
    },
    /// Sets what a semaphore holds at each launch.
    SetInitialValue {
        /// The semaphore.
        semaphore: SemaphoreId,
        /// What it holds then.
        value: u32,
    },
    /// Sets an argument word of a call. The word is a plain number.
    SetArgument {
        /// The call.
        command: CommandIndex,
        /// Which of the call's sets of arguments, of those with cores that stay; 0 for arguments that all cores share.
        set: u32,
        /// The position of the word.
        index: u32,
        /// The word then.
        value: u32,
    },
    /// Writes other data of the same length. The call writes something else.
    FillData {
        /// The write.
        command: CommandIndex,
        /// What it writes then.
        fill: Fill,
    },
    /// Expects of reads what they return when the capture is replayed first, and neither exact bytes nor reference data.
    ExpectAsCaptured,
    /// Calls objects and outputs by their kinds and numbers.
    ReplaceNames,
    /// Leaves the text of kernels out, with definitions, names of arguments and line tables. Their ELFs stay.
    ReplaceSources,
    /// Leaves names out of the ELFs of kernels, with what compilers add for debuggers. What is loaded stays.
    ReplaceSymbols(Symbols),
}

/// What becomes of the symbols of ELFs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Symbols {
    /// They have no names.
    Remove,
    /// Their names are their numbers.
    Number,
}

/// Data that says nothing about where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fill {
    /// Every 32-bit word is 1.
    Ones,
    /// 32-bit words that count from 0.
    Sequence,
}

/// What must come back from a read that an edit inserts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InsertedExpectation {
    /// Whatever comes back: a replay compares nothing.
    Unchecked,
    /// What came back when the edited capture was first replayed. The edited capture itself holds
    /// [`NOT_YET_READ`](crate::NOT_YET_READ) in that place, from which every replay differs.
    AsCaptured,
}

impl From<InsertedExpectation> for Expectation {
    fn from(expectation: InsertedExpectation) -> Self {
        match expectation {
            InsertedExpectation::Unchecked => {
                Self::Unchecked { reason: "no capture holds what this read returns".to_owned() }
            }
            InsertedExpectation::AsCaptured => Self::AsCaptured,
        }
    }
}
