//! The edits themselves.

use hallmark_schema::model::{
    BufferId, BufferRegion, CommandIndex, Expectation, ObjectKind, QueueId,
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
    /// Waits for a queue after a command. The queue exists, and captures no trace there.
    InsertFinish {
        /// The command that is followed by the wait; another edit may take it away.
        after: CommandIndex,
        /// The queue that is waited for.
        queue: QueueId,
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
