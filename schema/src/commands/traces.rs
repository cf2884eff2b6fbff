//! Calls that record, replay and move traces.

use serde::{Deserialize, Serialize};

use crate::commands::{Call, Wait};
use crate::error::{CaptureError, Path, Rule};
use crate::limits;
use crate::model::{BufferId, ObjectKind, QueueId, TraceBuffer, TraceId};
use crate::validate::{Checker, check_name};
use crate::wording::{self, Wording};

/// `BeginTraceCapture`: from now on the queue records enqueued programs and does not run them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BeginTraceCapture {
    /// The queue that records.
    pub queue: QueueId,
    /// Its id: the number of traces begun before it, failed ones included.
    pub trace: TraceId,
    /// Its name in the suite.
    pub name: String,
}

impl Call for BeginTraceCapture {
    fn sentence(&self, _: &Wording<'_>) -> String {
        wording::phrase(&[&wording::on_queue(self.queue)])
    }
}

/// `EndTraceCapture`: completes the trace and places it in device memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndTraceCapture {
    /// The queue that stops recording.
    pub queue: QueueId,
    /// The trace that was begun on it.
    pub trace: TraceId,
}

impl Call for EndTraceCapture {
    fn sentence(&self, _: &Wording<'_>) -> String {
        wording::phrase(&[&wording::on_queue(self.queue)])
    }
}

/// `ReplayTrace`: runs the content of the trace once more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayTrace {
    /// The queue that executes the replay.
    pub queue: QueueId,
    /// The trace whose programs run again.
    pub trace: TraceId,
    /// Whether the call waits for the replay.
    pub blocking: bool,
}

impl Call for ReplayTrace {
    fn waits_for(&self) -> Wait {
        Wait::if_blocking(self.blocking, self.queue)
    }

    fn sentence(&self, _: &Wording<'_>) -> String {
        wording::phrase(&[&wording::on_queue(self.queue), wording::waits(self.blocking)])
    }
}

/// `ReleaseTrace`: frees the device memory of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleaseTrace {
    /// The trace to release.
    pub trace: TraceId,
}

impl Call for ReleaseTrace {}

/// `CollectTrace`: serializes a trace as bytes that any process can load. The record holds the bytes: they
/// depend on the firmware, and the calls that made the trace describe it fully.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectTrace {
    /// The trace to serialize.
    pub trace: TraceId,
    /// The name by which later commands refer to the bytes; each name occurs at most once in a capture.
    pub collected: String,
}

impl Call for CollectTrace {
    fn check_shape(&self, path: &Path<'_>) -> Result<(), CaptureError> {
        check_name(&self.collected, &path.field("collected"))
    }

    fn check<'p>(
        &'p self,
        checker: &mut Checker<'p>,
        done: bool,
        path: &Path<'_>,
    ) -> Result<(), CaptureError> {
        if checker.collected.insert(&self.collected, done).is_some() {
            let rule = Rule::CollectedTwice { name: self.collected.clone() };
            return Err(path.field("collected").error(rule));
        }
        Ok(())
    }

    fn sentence(&self, _: &Wording<'_>) -> String {
        format!("→ {}", self.collected)
    }
}

/// `LoadTrace`: makes a trace from bytes and substitutes the buffers' current addresses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadTrace {
    /// Its id, one of the traces' ids.
    pub trace: TraceId,
    /// Its name in the suite.
    pub name: String,
    /// The name that a `CollectTrace` gave the bytes.
    pub from: String,
    /// Buffers that replace those of the recorded trace, ascending by recorded buffer. A recorded buffer that
    /// is not listed is replaced by the live buffer of the same name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buffers: Vec<TraceBuffer>,
}

impl Call for LoadTrace {
    fn check_shape(&self, path: &Path<'_>) -> Result<(), CaptureError> {
        check_name(&self.from, &path.field("from"))?;
        let path = path.field("buffers");
        path.at_most("buffers", self.buffers.len() as u64, limits::TRACE_BUFFERS)?;
        let mut before = None;
        for (index, TraceBuffer { recorded, .. }) in self.buffers.iter().enumerate() {
            if before.is_some_and(|before| before >= *recorded) {
                return Err(path.index(index).error(Rule::NotAscending));
            }
            before = Some(*recorded);
        }
        Ok(())
    }

    fn check<'p>(
        &'p self,
        checker: &mut Checker<'p>,
        _: bool,
        path: &Path<'_>,
    ) -> Result<(), CaptureError> {
        if checker.collected.get(self.from.as_str()) != Some(&true) {
            let rule = Rule::NotCollected { name: self.from.clone() };
            return Err(path.field("from").error(rule));
        }
        checker.weigh(self.buffers.len().saturating_mul(8), &path.field("buffers"))
    }

    fn sentence(&self, wording: &Wording<'_>) -> String {
        let name = |buffer: BufferId| wording.names.show(ObjectKind::Buffer, buffer.0);
        let pairs = self.buffers.iter();
        let pairs =
            pairs.map(|pair| format!(", {} for {}", name(pair.buffer), name(pair.recorded)));
        format!("from {}{}", self.from, pairs.collect::<String>())
    }
}
