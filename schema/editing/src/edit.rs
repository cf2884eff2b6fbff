//! The edits.

use hallmark_schema::model::{
    BufferId, BufferRegion, CircularBufferId, CommandIndex, CoreRange, Expectation, ObjectKind,
    ProgramId, QueueId, SemaphoreId, TraceId,
};
use serde::{Deserialize, Serialize};

/// A unit that an edit removes as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Unit {
    /// One call. If it makes an object, the object is removed too; if it ends a trace's capture, the trace is.
    Command(CommandIndex),
    /// An object and every call from its creation to its last use: a buffer with its views, a program with
    /// everything added to it, a trace with the launches enqueued into it, an event with its waits.
    Object {
        /// The kind of the object.
        kind: ObjectKind,
        /// The object's id among those of its kind.
        id: u32,
    },
}

/// A change of a capture. Ids and indices are those of the original capture, whatever other edits do.
///
/// Edits are applied in the order of their declaration here. Each edit has a precondition; if it does not hold,
/// [`apply`](crate::apply) leaves the edit out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Edit {
    /// Keeps only the first commands. The capture has at least this many, and no trace is being captured after
    /// them.
    Cut {
        /// The number of kept commands.
        commands: u32,
    },
    /// Removes a unit, and every call that is impossible without it. The capture has the unit. If numbers of
    /// the capture hold addresses, a buffer keeps its memory and loses its writes and reads.
    Remove(Unit),
    /// Replaces each replay of a trace by launches of the trace's programs. The trace was captured and not
    /// loaded, its bytes are not collected, and no program in it gets other arguments after its capture.
    UnrollTrace {
        /// The trace.
        trace: TraceId,
    },
    /// Inserts a wait for a queue after a command. The queue exists, and captures no trace at that point.
    InsertFinish {
        /// The preceding command; another edit may remove it.
        after: CommandIndex,
        /// The queue to wait for.
        queue: QueueId,
    },
    /// Inserts a blocking write of zeros to a whole buffer after a command. The buffer is live at that point;
    /// the queue exists and captures no trace there.
    InsertWrite {
        /// The preceding command; another edit may remove it.
        after: CommandIndex,
        /// The queue of the write.
        queue: QueueId,
        /// The destination buffer.
        buffer: BufferId,
    },
    /// Inserts a blocking read of a buffer after a command. The buffer is live at that point, the region
    /// consists of whole pages of the buffer, the queue exists and captures no trace there, and no other read
    /// has the output's name.
    InsertRead {
        /// The preceding command; another edit may remove it.
        after: CommandIndex,
        /// The queue of the read.
        queue: QueueId,
        /// The source buffer.
        buffer: BufferId,
        /// The bytes to read; `None` for the whole buffer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        region: Option<BufferRegion>,
        /// The output name.
        output: String,
        /// The expected content.
        expectation: InsertedExpectation,
    },
    /// Makes a call blocking. The call enqueues work, can wait, and does not yet; its queue captures no trace.
    MakeBlocking {
        /// The call.
        command: CommandIndex,
    },
    /// Moves all work to queue 0. The device has two queues, and while one captures a trace, the other gets no
    /// work.
    MergeQueues,
    /// Removes a program from all cores outside a rectangle. The program has cores outside and inside.
    KeepCores {
        /// The program.
        program: ProgramId,
        /// The cores that stay.
        cores: CoreRange,
    },
    /// Removes a program from the cores of a rectangle. The program has cores inside and outside.
    RemoveCores {
        /// The program.
        program: ProgramId,
        /// The cores to remove.
        cores: CoreRange,
    },
    /// Shrinks buffers, and changes every number that states their size. Data written to them is cut off. If a
    /// kernel gets one of their addresses, its arguments that equal the old number of pages, page size or size
    /// change, and so do its program's circular buffers with pages of the old size.
    ///
    /// All buffers are interleaved, equally large and without views; no write or read of a region extends past
    /// the new end. No compile-time argument of these kernels equals a changing old number of 16 or more.
    ResizeBuffers {
        /// The buffers, ascending.
        buffers: Vec<BufferId>,
        /// The new number of pages of each buffer.
        pages: u64,
        /// The new page size, bytes.
        page_size: u64,
    },
    /// Changes the number of pages of a circular buffer. All its pages have one size, and no call changes its
    /// size.
    ResizeCircularBuffer {
        /// The circular buffer.
        circular_buffer: CircularBufferId,
        /// The new number of pages.
        pages: u32,
    },
    /// Sets the value of a semaphore at each launch.
    SetInitialValue {
        /// The semaphore.
        semaphore: SemaphoreId,
        /// The new value.
        value: u32,
    },
    /// Sets an argument word of a call. The word is a plain number.
    SetArgument {
        /// The call.
        command: CommandIndex,
        /// The index of the call's set of arguments, among those with remaining cores; 0 for common arguments.
        set: u32,
        /// The index of the word.
        index: u32,
        /// The new value of the word.
        value: u32,
    },
    /// Replaces the data of a write by other data of the same length. The present data differ.
    FillData {
        /// The write.
        command: CommandIndex,
        /// The new data.
        fill: Fill,
    },
    /// Replaces exact and reference expectations of reads by the bytes that the first replay returns.
    ExpectAsCaptured,
    /// Names objects and outputs by their kinds and numbers.
    ReplaceNames,
    /// Removes the text of kernels, with definitions, argument names and line tables. Their ELFs stay.
    ReplaceSources,
    /// Removes or replaces the symbols in the ELFs of kernels, and removes debugging sections. The loaded bytes
    /// stay.
    ReplaceSymbols(Symbols),
}

/// The change of ELF symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Symbols {
    /// Removes their names.
    Remove,
    /// Replaces their names by their numbers.
    Number,
}

/// Data without any trace of their origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fill {
    /// Every 32-bit word is 1.
    Ones,
    /// 32-bit words that count from 0.
    Sequence,
}

/// The expectation of an inserted read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InsertedExpectation {
    /// No expectation: a replay compares nothing.
    Unchecked,
    /// The bytes that the first replay of the edited capture returns. Until then the capture holds
    /// [`NOT_YET_READ`](crate::NOT_YET_READ), from which every replay differs.
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
