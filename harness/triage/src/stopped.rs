//! Why a search ends without an answer.

use thiserror::Error;

use super::commits::CommitsError;
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
    /// A commit cannot be checked out or built.
    #[error(transparent)]
    Commits(CommitsError),
    /// A signal requested the end.
    #[error("interrupted")]
    Interrupted,
}

impl From<CommitsError> for Stopped {
    fn from(error: CommitsError) -> Self {
        match error {
            CommitsError::Interrupted => Self::Interrupted,
            other => Self::Commits(other),
        }
    }
}
