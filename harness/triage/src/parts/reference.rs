//! The standard of correctness: a capture recorded on the good side.

use std::sync::Arc;

use hallmark_execution::executor::Executor;
use hallmark_pipeline::signature::Signature;
use hallmark_schema::model::Capture;

use crate::bisect::Observation;
use crate::probe::{CannotTell, ProbeError, Prober};

/// A missing standard of correctness.
#[derive(Debug, thiserror::Error)]
pub enum ReferenceError {
    /// No probe can be made.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The good side's run gives no answer.
    #[error("{0}")]
    CannotTell(CannotTell),
    /// The good side fails.
    #[error("the good side fails by itself: {0}")]
    GoodFails(Signature),
}

/// The capture recorded on an executor that is right; other runs' reads are compared with its reads.
///
/// # Errors
/// [`ReferenceError`].
pub fn recorded_on(
    prober: &Prober<'_>,
    capture: &Capture,
    good: &Executor,
) -> Result<Arc<Capture>, ReferenceError> {
    let bytes = capture.to_bytes().map_err(|error| {
        ReferenceError::CannotTell(CannotTell::Unwritable { reason: error.to_string() })
    })?;
    let seed = good.programs.schedule_seed;
    let run = prober.carry_out(capture, &bytes, good, seed, None)?;
    let observed = Observation::of(run, good).map_err(ReferenceError::CannotTell)?;
    match observed.fails(capture) {
        Some(signature) => Err(ReferenceError::GoodFails(signature)),
        None => Ok(observed.capture),
    }
}
