//! Why a search ends without an answer.

use thiserror::Error;

use super::log::LogError;
use super::probe::ProbeError;

/// Why a search ends without an answer.
#[derive(Debug, Error)]
pub enum Stopped {
    /// No probe can be made.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The log cannot be written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A signal requested the end.
    #[error("interrupted")]
    Interrupted,
}
