//! The errors of a call: the caller's mistake or the device's end as a [`HostError`], an argument that no capture can
//! hold, a capture that cannot be kept, or an internal contradiction. They are never mixed.

use std::fmt;

use hallmark_engine::InternalError;
use hallmark_schema::model::{BufferId, CommandIndex, CommandKind, Failure, ObjectKind};
use hallmark_schema::{DataError, Problem};

use crate::recorder::CaptureError;

/// A call refused, or met by the end of the device: what a capture records as the call's outcome.
///
/// The message names object, limit and value, and says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostError {
    /// The code and its fields: all that is recorded.
    pub failure: Failure,
    /// The call that failed.
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

    /// How to mend it.
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

/// A call that took place and may be a mistake. No capture holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallWarning {
    /// The call.
    pub command: CommandIndex,
    /// What may go wrong, and how to mend it.
    pub text: String,
}

/// The caller's mistake, in a form that no capture can hold. The call did not take place and is not
/// recorded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {problem}", call.name())]
pub struct ArgumentError {
    /// The call that was refused.
    pub call: CommandKind,
    /// The argument and its fault.
    pub problem: ArgumentProblem,
}

/// The reason for which no capture can hold a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentProblem {
    /// A rule that holds for the call alone is broken.
    #[error("{field}: {problem}")]
    Shape {
        /// The field, from the call down.
        field: String,
        /// The fault of the field.
        problem: Problem,
    },
    /// The object that the call creates has not the id that comes next.
    #[error("the call names id {id}, but the next id is {next}")]
    NotTheNextId {
        /// The id that the call names.
        id: u32,
        /// The id that the object would get.
        next: u32,
    },
    /// No call has created the object.
    #[error("{object} {id} was never created; create the {object} on this device first")]
    NeverCreated {
        /// The kind of the object.
        object: ObjectKind,
        /// The id that no object has.
        id: u32,
    },
    /// Two reads have one output name.
    #[error("another read has the output name `{output}`; give each read its own output name")]
    OutputNameTaken {
        /// The output name that both reads have.
        output: String,
    },
    /// A read returns more bytes than a capture holds for one read.
    #[error("a read of {size} B; one read returns at most {limit} B")]
    ReadTooLarge {
        /// Bytes that the call asks for.
        size: u64,
        /// Bytes that one read returns at most.
        limit: u64,
    },
    /// The launches that are queued or traced hold too much of the host's memory.
    #[error("too many programs are queued or traced; call finish, or release traces")]
    TooManyLaunches,
    /// Two traces are collected under one name.
    #[error("another trace was collected as `{collected}`; give each collected trace its own name")]
    CollectedNameTaken {
        /// The name that both traces have.
        collected: String,
    },
    /// The collected traces hold too much of the host's memory.
    #[error("too many traces were collected; collect fewer traces in one capture")]
    TooManyCollected,
    /// No trace has been collected under the name.
    #[error("no trace was collected as `{from}`; collect the trace on this device first")]
    NotCollected {
        /// The name that no collected trace has.
        from: String,
    },
    /// A collected trace does not name the buffer for which another one is given.
    #[error("the trace `{from}` does not use buffer {buffer}; leave the buffer out")]
    BufferNotInTrace {
        /// The name under which the trace was collected.
        from: String,
        /// The buffer, as the trace's own capture numbers it.
        buffer: BufferId,
    },
    /// A collected trace has no buffer of the name.
    #[error("the trace does not use a buffer `{name}`; leave the buffer out")]
    BufferNameNotInTrace {
        /// The name that is given.
        name: String,
    },
    /// The bytes of a trace cannot be made or loaded.
    #[error("{reason}")]
    TraceBytes {
        /// The fault of the trace, and how to mend it.
        reason: String,
    },
}

hallmark_chip::error_checks! {
    pub(crate) ArgumentProblem: Shape, NotTheNextId, NeverCreated, OutputNameTaken, ReadTooLarge, TooManyLaunches,
        CollectedNameTaken, TooManyCollected, NotCollected, BufferNotInTrace, BufferNameNotInTrace;
    besides: TraceBytes
}

/// The error of a call of the host API.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The caller's mistake, or the device's end. Recorded as the call's outcome.
    #[error(transparent)]
    Host(#[from] Box<HostError>),
    /// The caller's mistake, in a form that no capture can hold.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// A write's data is missing, or differs from the call's hash or length. The call did not take place.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The kernel library cannot serve a kernel here, for want of a compiler for example. Recorded as
    /// begun, without an outcome.
    #[error("create_kernel: kernel {path} is not available here: {reason}")]
    KernelUnavailable {
        /// The kernel's source.
        path: String,
        /// Why, and what to do.
        reason: String,
    },
    /// The capture under way cannot be kept; the call did not take place or its outcome is unknown.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The device stopped, and no program of the host's is to blame. Recorded as begun, without an outcome.
    #[error(transparent)]
    Stopped(#[from] StoppedBeforeAnyProgram),
    /// Our own bug.
    #[error(transparent)]
    Internal(#[from] InternalError),
}

/// The firmware stopped the device before it launched a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the firmware stopped the device before any program ran: {how}")]
pub struct StoppedBeforeAnyProgram {
    /// The cause and its places, in one sentence.
    pub how: String,
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
            | Self::Stopped(_)
            | Self::Internal(_) => None,
        }
    }
}
