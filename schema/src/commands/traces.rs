//! Calls that record, replay and move traces.

use serde::{Deserialize, Serialize};

use crate::commands::{Call, Wait};
use crate::error::{CaptureError, Path, Rule};
use crate::limits;
use crate::model::{BufferId, ObjectKind, QueueId, TraceBuffer, TraceId};
use crate::validate::{Checker, check_name};
use crate::wording::{self, Wording};

/// `BeginTraceCapture`: programs enqueued on the queue are recorded from now on, not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BeginTraceCapture {
    /// The queue that records what is enqueued on it, and runs none of it.
    pub queue: QueueId,
    /// What later commands call it: the number of traces before it, failed ones included.
    pub trace: TraceId,
    /// Its name in the suite.
    pub name: String,
}

impl Call for BeginTraceCapture {
    fn sentence(&self, _: &Wording<'_>) -> String {
        wording::phrase(&[&wording::on_queue(self.queue)])
    }
}

/// `EndTraceCapture`: the trace is complete and takes its place in device memory.
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

/// `ReplayTrace`: everything that the trace holds, once more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayTrace {
    /// The queue that carries it out.
    pub queue: QueueId,
    /// The trace whose programs run again.
    pub trace: TraceId,
    /// Whether the call waits.
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

/// `ReleaseTrace`: gives the trace's place in device memory back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleaseTrace {
    /// The trace whose room is given back.
    pub trace: TraceId,
}

impl Call for ReleaseTrace {}

/// `CollectTrace`: a trace as bytes, which any process can load. The bytes themselves stand in the
/// record: they depend on the firmware, and the calls that made the trace say the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectTrace {
    /// The trace whose bytes are taken.
    pub trace: TraceId,
    /// What later commands call the bytes; each name at most once in a capture.
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
