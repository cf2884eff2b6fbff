//! Calls that put work on a command queue and wait for it.

use serde::{Deserialize, Serialize};

use crate::model::{BufferId, BufferRegion, Data, Expectation, ProgramId, QueueId};

/// `EnqueueWriteBuffer`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnqueueWriteBuffer {
    /// On which queue.
    pub queue: QueueId,
    /// Into which buffer.
    pub buffer: BufferId,
    /// What.
    pub data: Data,
    /// Whether the call waits.
    pub blocking: bool,
    /// Which bytes; the whole buffer if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<BufferRegion>,
}

/// `EnqueueReadBuffer`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnqueueReadBuffer {
    /// On which queue.
    pub queue: QueueId,
    /// From which buffer.
    pub buffer: BufferId,
    /// The name of what comes back; each at most once in a capture.
    pub output: String,
    /// Whether the call waits.
    pub blocking: bool,
    /// What must come back.
    pub expectation: Expectation,
    /// Which bytes; the whole buffer if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<BufferRegion>,
}

/// `EnqueueProgram`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnqueueProgram {
    /// On which queue.
    pub queue: QueueId,
    /// Which program.
    pub program: ProgramId,
    /// Whether the call waits.
    pub blocking: bool,
}

/// `Finish`: waits until everything enqueued on the queue is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finish {
    /// Which queue.
    pub queue: QueueId,
}
