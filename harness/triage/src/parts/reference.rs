//! What is right: a capture as the good side carries it out.

use std::sync::Arc;

use hallmark_execution::executor::Executor;
use hallmark_pipeline::signature::Signature;
use hallmark_schema::model::Capture;

use crate::bisect::Observation;
use crate::probe::{CannotTell, ProbeError, Prober};

/// Nobody can say what is right.
#[derive(Debug, thiserror::Error)]
pub enum ReferenceError {
    /// Nobody can be asked.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The good side's run says nothing.
    #[error("{0}")]
    CannotTell(CannotTell),
    /// The good side is not good.
    #[error("the good side fails by itself: {0}")]
    GoodFails(Signature),
}

/// A capture as an executor records it that does what is right: its reads are those to compare others with.
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
