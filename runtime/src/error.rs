//! What a call can fail with: the caller's mistake or the device's end as a [`HostError`], an
//! argument beyond what captures hold, a capture that cannot be kept, or our own contradiction. They
//! are never mixed.

use std::fmt;

use hallmark_engine::InternalError;
use hallmark_schema::DataError;
use hallmark_schema::model::{CommandKind, Failure};

use crate::recorder::CaptureError;

/// A call refused, or met by the end of the device: what a capture records as the call's outcome.
///
/// The message names object, limit and value, and says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostError {
    /// The code and its fields: all that is recorded.
    pub failure: Failure,
    /// The call.
    pub call: CommandKind,
    /// The name that the host program gave the object, where it has one.
    pub object: Option<String>,
    /// Derived facts, such as assigned addresses: never recorded.
    pub detail: Option<String>,
}

impl HostError {
    pub(crate) fn new(call: CommandKind, failure: Failure) -> Self {
        Self { failure, call, object: None, detail: None }
    }

    pub(crate) fn named(mut self, name: &str) -> Self {
        if !name.is_empty() {
            self.object = Some(name.to_owned());
        }
        self
    }

    pub(crate) fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// What to do about it.
    pub const fn remedy(&self) -> &'static str {
        self.failure.remedy()
    }
}

impl fmt::Display for HostError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.call.name())?;
        if let Some(object) = &self.object {
            write!(formatter, " of `{object}`")?;
        }
        write!(formatter, ": {}", self.failure)?;
        if let Some(detail) = &self.detail {
            write!(formatter, " ({detail})")?;
        }
        write!(formatter, "; {}", self.remedy())
    }
}

impl std::error::Error for HostError {}

/// The caller's mistake, in a form that no capture can hold. The call did not take place and is not
/// recorded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {what}", call.name())]
pub struct ArgumentError {
    /// The call.
    pub call: CommandKind,
    /// Which argument and what is wrong with it.
    pub what: String,
}

/// Why a call of the host API did not return.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The caller's mistake, or the device's end. Recorded as the call's outcome.
    #[error(transparent)]
    Host(#[from] Box<HostError>),
    /// The caller's mistake, in a form that no capture can hold.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// A write's data are not there, or are not what the call says. The call did not take place.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The kernel library cannot serve a kernel here, for want of a compiler for example. Recorded as
    /// begun, without an outcome.
    #[error("create_kernel: kernel {path} cannot be had here: {reason}")]
    KernelUnavailable {
        /// The kernel's source.
        path: String,
        /// Why, and what to do.
        reason: String,
    },
    /// The capture under way cannot be kept; the call did not take place or its outcome is unknown.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// Our own bug.
    #[error(transparent)]
    Internal(#[from] InternalError),
}

impl From<HostError> for CallError {
    fn from(error: HostError) -> Self {
        Self::Host(Box::new(error))
    }
}

impl CallError {
    /// The recorded failure, if it is one.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Host(error) => Some(&error.failure),
            Self::Argument(_)
            | Self::Data(_)
            | Self::KernelUnavailable { .. }
            | Self::Capture(_)
            | Self::Internal(_) => None,
        }
    }
}
