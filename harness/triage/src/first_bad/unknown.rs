//! Why the first bad command of a failed test is not known.

use hallmark_schema::CaptureError;

use crate::bisect::Inconclusive;
use crate::probe::{CannotTell, ProbeError};

/// Why the first bad command of a failed test is not known.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unknown {
    /// The test has no golden.
    #[error("without a golden there is nothing to compare with")]
    NoGolden,
    /// The device is not there, or a process was killed.
    #[error("the failure is of what surrounds the device")]
    Surroundings,
    /// Nothing was recorded.
    #[error("the run left no capture")]
    NoCapture,
    /// The program is not the golden's.
    #[error("the calls are others than the golden's, and the report names the first")]
    OtherCalls,
    /// Capture and replay were on one executor.
    #[error(
        "two runs of one executor differ; hallmark run --schedules 50 looks for a seed that always fails"
    )]
    Unsteady,
    /// There is neither another executor nor a model.
    #[error(
        "there is no other executor to compare with, and the suite's model says nothing about calls"
    )]
    NoModel,
    /// The suite has no data to compare with.
    #[error("the suite knows only the hash of `{output}`")]
    HashAlone {
        /// The output.
        output: String,
    },
    /// The capture lacks the bytes that a read returned.
    #[error("the capture does not hold what `{output}` returned")]
    NotHeld {
        /// The output.
        output: String,
    },
    /// The read's buffer is not in the capture.
    #[error("`{output}` is of no buffer that is known")]
    NoBuffer {
        /// The output.
        output: String,
    },
    /// No read is wrong.
    #[error("every read returned what the suite's model says")]
    AllRight,
    /// The device never rests, or shows nobody its memory.
    #[error("memory cannot be looked at between the calls")]
    NotLooked,
    /// The search has no answer.
    #[error(transparent)]
    Inconclusive(#[from] Box<Inconclusive>),
    /// Nobody can be asked.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// A run says nothing.
    #[error(transparent)]
    CannotTell(#[from] CannotTell),
    /// The calls with a `finish` after each are no capture.
    #[error(transparent)]
    Capture(#[from] CaptureError),
}
