//! Why the first bad command of a failed test is unknown.

use hallmark_schema::CaptureError;

use crate::bisect::Inconclusive;
use crate::probe::{CannotTell, ProbeError};

/// Why the first bad command of a failed test is unknown.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unknown {
    /// The test has no golden.
    #[error("without a golden there is nothing to compare with")]
    NoGolden,
    /// The device does not exist, or a process was killed.
    #[error("the failure is of what surrounds the device")]
    Surroundings,
    /// Nothing was recorded.
    #[error("the run left no capture")]
    NoCapture,
    /// The program differs from the golden's.
    #[error("the calls are others than the golden's, and the report names the first")]
    OtherCalls,
    /// Capture and replay used the same executor.
    #[error(
        "two runs of one executor differ; hallmark run --schedules 50 looks for a seed that always fails"
    )]
    Unsteady,
    /// There is neither another executor nor a model.
    #[error(
        "there is no other executor to compare with, and the suite's model says nothing about calls"
    )]
    NoModel,
    /// The suite's expectation is only a hash.
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
    /// The capture lacks the read's buffer.
    #[error("`{output}` is of no buffer that is known")]
    NoBuffer {
        /// The output.
        output: String,
    },
    /// No read has a wrong result.
    #[error("every read returned what the suite's model says")]
    AllRight,
    /// The device is never idle, or its memory cannot be read.
    #[error("memory cannot be looked at between the calls")]
    NotLooked,
    /// The search is inconclusive.
    #[error(transparent)]
    Inconclusive(#[from] Box<Inconclusive>),
    /// No probe can be made.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// A run gives no answer.
    #[error(transparent)]
    CannotTell(#[from] CannotTell),
    /// The calls with a `finish` after each are no valid capture.
    #[error(transparent)]
    Capture(#[from] CaptureError),
}
