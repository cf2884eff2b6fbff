//! Calls that put work on a command queue and wait for it.

use serde::{Deserialize, Serialize};

use crate::commands::{Call, Wait};
use crate::error::{CaptureError, Path, Rule};
use crate::limits;
use crate::model::{BufferId, BufferRegion, Data, Expectation, ProgramId, QueueId, Tolerance};
use crate::validate::{Checker, check_name, check_reason};
use crate::wording::{self, Wording};

/// `EnqueueWriteBuffer`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnqueueWriteBuffer {
    /// The queue that executes the write.
    pub queue: QueueId,
    /// The destination buffer.
    pub buffer: BufferId,
    /// The bytes; their number is that of the buffer or the region.
    pub data: Data,
    /// Whether the call waits for the write.
    pub blocking: bool,
    /// The written bytes; `None` for the whole buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<BufferRegion>,
}

impl Call for EnqueueWriteBuffer {
    fn check_shape(&self, path: &Path<'_>) -> Result<(), CaptureError> {
        check_data(&self.data, &path.field("data"))
    }

    fn check(
        &self,
        checker: &mut Checker<'_>,
        done: bool,
        path: &Path<'_>,
    ) -> Result<(), CaptureError> {
        checker.moves(self.data.length, &path.field("data"))?;
        let size = checker.region(self.region, self.buffer.0, done, &path.field("region"))?;
        if done { check_length(&self.data, size, &path.field("data")) } else { Ok(()) }
    }

    fn waits_for(&self) -> Wait {
        Wait::if_blocking(self.blocking, self.queue)
    }

    fn sentence(&self, _: &Wording<'_>) -> String {
        let target = self.region.map(|region| format!(" to {}", wording::part(region)));
        let queue = wording::on_queue(self.queue);
        let data = wording::describe(&self.data);
        format!("{data}{}{queue}{}", target.unwrap_or_default(), wording::waits(self.blocking))
    }
}

/// `EnqueueReadBuffer`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnqueueReadBuffer {
    /// The queue that executes the read.
    pub queue: QueueId,
    /// The source buffer.
    pub buffer: BufferId,
    /// The name of the output; each name occurs at most once in a capture.
    pub output: String,
    /// Whether the call waits for the read.
    pub blocking: bool,
    /// The expected content.
    pub expectation: Expectation,
    /// The bytes to read; `None` for the whole buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<BufferRegion>,
}

impl Call for EnqueueReadBuffer {
    fn check_shape(&self, path: &Path<'_>) -> Result<(), CaptureError> {
        check_name(&self.output, &path.field("output"))?;
        let path = path.field("expectation");
        match &self.expectation {
            Expectation::AsCaptured | Expectation::Exact { .. } => Ok(()),
            Expectation::Reference { data, tolerance } => {
                check_data(data, &path.field("data"))?;
                check_tolerance(tolerance, &path.field("tolerance"))
            }
            Expectation::Unchecked { reason } => check_reason(reason, &path.field("reason")),
        }
    }

    fn check<'p>(
        &'p self,
        checker: &mut Checker<'p>,
        done: bool,
        path: &Path<'_>,
    ) -> Result<(), CaptureError> {
        if !checker.outputs.insert(&self.output) {
            let rule = Rule::OutputTwice { name: self.output.clone() };
            return Err(path.field("output").error(rule));
        }
        let size = checker.region(self.region, self.buffer.0, done, &path.field("region"))?;
        if done {
            path.at_most("bytes of data", size, limits::DATA_BYTES)?;
            checker.moves(size, path)?;
        }
        if let Expectation::Reference { data, .. } = &self.expectation {
            let path = path.field("expectation");
            let path = path.field("data");
            checker.moves(data.length, &path)?;
            if done {
                check_length(data, size, &path)?;
            }
        }
        Ok(())
    }

    fn waits_for(&self) -> Wait {
        Wait::if_blocking(self.blocking, self.queue)
    }

    fn sentence(&self, wording: &Wording<'_>) -> String {
        let source = self.region.map(|region| format!("{} ", wording::part(region)));
        let source = source.unwrap_or_default();
        let (output, returned) = (&self.output, wording.returned(&self.expectation));
        let queue = wording::on_queue(self.queue);
        format!("{source}→ {output}{returned}{queue}{}", wording::waits(self.blocking))
    }
}

/// `EnqueueProgram`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnqueueProgram {
    /// The queue that executes the launch.
    pub queue: QueueId,
    /// The program to launch, in its state at this call.
    pub program: ProgramId,
    /// Whether the call waits for the launch.
    pub blocking: bool,
}

impl Call for EnqueueProgram {
    fn waits_for(&self) -> Wait {
        Wait::if_blocking(self.blocking, self.queue)
    }

    fn sentence(&self, _: &Wording<'_>) -> String {
        wording::phrase(&[&wording::on_queue(self.queue), wording::waits(self.blocking)])
    }
}

/// `Finish`: waits until everything enqueued on the queue is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finish {
    /// The queue to wait for.
    pub queue: QueueId,
}

impl Call for Finish {
    fn waits_for(&self) -> Wait {
        Wait::Queue(self.queue)
    }

    fn sentence(&self, _: &Wording<'_>) -> String {
        wording::phrase(&[&wording::on_queue(self.queue)])
    }
}

/// `Synchronize`: waits until everything enqueued on every queue is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Synchronize {}

impl Call for Synchronize {
    fn waits_for(&self) -> Wait {
        Wait::AllQueues
    }
}

fn check_data(data: &Data, path: &Path<'_>) -> Result<(), CaptureError> {
    path.field("length").at_most("bytes of data", data.length, limits::DATA_BYTES)?;
    match &data.generator {
        Some(generator) => generator
            .check(data.length)
            .map_err(|reason| path.field("generator").error(Rule::Generator { reason })),
        None => Ok(()),
    }
}

/// Checks that data fill the buffer, or the region of it, exactly.
fn check_length(data: &Data, buffer: u64, path: &Path<'_>) -> Result<(), CaptureError> {
    if data.length != buffer {
        return Err(path.error(Rule::DataLength { data: data.length, buffer }));
    }
    Ok(())
}

fn check_tolerance(tolerance: &Tolerance, path: &Path<'_>) -> Result<(), CaptureError> {
    let (absolute, relative) = (tolerance.absolute.get(), tolerance.relative.get());
    if absolute < 0.0 || relative < 0.0 {
        return Err(path.error(Rule::Tolerance { reason: "a limit is negative" }));
    }
    let pcc = tolerance.pcc.get();
    if !(0.0..=1.0).contains(&pcc) {
        return Err(path.error(Rule::Tolerance { reason: "a correlation lies between 0 and 1" }));
    }
    if tolerance.ulp == 0 && absolute == 0.0 && relative == 0.0 && pcc == 0.0 {
        let reason = "it allows nothing; expect the exact bytes instead";
        return Err(path.error(Rule::Tolerance { reason }));
    }
    check_reason(&tolerance.reason, &path.field("reason"))
}
