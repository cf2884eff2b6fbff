//! Our own contradictions, apart from what callers and devices do wrong.

use hallmark_chip::DeviceError;

/// Hallmark contradicted itself, or a device answered what no device may: never the caller's mistake.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("internal error in the runtime: {what}")]
pub struct InternalError {
    what: String,
}

impl InternalError {
    /// With what contradicts what.
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into() }
    }
}

impl From<DeviceError> for InternalError {
    fn from(error: DeviceError) -> Self {
        Self::new(error.to_string())
    }
}
