//! What ends a search before it has an answer.

use thiserror::Error;

use super::log::LogError;
use super::probe::ProbeError;

/// What ends a search before it has an answer.
#[derive(Debug, Error)]
pub enum Stopped {
    /// Nobody can be asked.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The log cannot be written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A signal asked to stop.
    #[error("interrupted")]
    Interrupted,
}
