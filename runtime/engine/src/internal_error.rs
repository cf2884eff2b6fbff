//! Our own contradictions, apart from the mistakes of callers and devices.

use hallmark_chip::DeviceError;

/// Hallmark contradicted itself, or a device gave an answer that no device may give: never the caller's mistake.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("internal error in the runtime: {what}")]
pub struct InternalError {
    what: String,
}

impl InternalError {
    /// An error that names the contradiction.
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into() }
    }
}

impl From<DeviceError> for InternalError {
    fn from(error: DeviceError) -> Self {
        Self::new(error.to_string())
    }
}
