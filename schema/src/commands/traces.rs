//! Calls that record, replay and move traces.

use serde::{Deserialize, Serialize};

use crate::model::{QueueId, TraceBuffer, TraceId};

/// `BeginTraceCapture`: programs enqueued on the queue are recorded from now on, not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BeginTraceCapture {
    /// Which queue.
    pub queue: QueueId,
    /// The trace's id.
    pub trace: TraceId,
    /// Its name in the suite.
    pub name: String,
}

/// `EndTraceCapture`: the trace is complete and takes its place in device memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndTraceCapture {
    /// Which queue.
    pub queue: QueueId,
    /// The trace that was begun on it.
    pub trace: TraceId,
}

/// `ReplayTrace`: everything that the trace holds, once more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayTrace {
    /// On which queue.
    pub queue: QueueId,
    /// Which trace.
    pub trace: TraceId,
    /// Whether the call waits.
    pub blocking: bool,
}

/// `ReleaseTrace`: gives the trace's place in device memory back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleaseTrace {
    /// Which trace.
    pub trace: TraceId,
}

/// `CollectTrace`: a trace as bytes, which any process can load. The bytes themselves stand in the
/// record: they depend on the firmware, and the calls that made the trace say the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectTrace {
    /// Which trace.
    pub trace: TraceId,
    /// What later commands call the bytes; each name at most once in a capture.
    pub collected: String,
}

/// `LoadTrace`: a trace out of bytes, with the addresses that buffers have now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadTrace {
    /// Its id, one of the traces' ids.
    pub trace: TraceId,
    /// Its name in the suite.
    pub name: String,
    /// What a `CollectTrace` called the bytes.
    pub from: String,
    /// Buffers that take the place of those that the trace was made with, ascending by those. The
    /// others are the live ones with their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buffers: Vec<TraceBuffer>,
}
