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
    pub fn remedy(&self) -> &'static str {
        match &self.failure {
            Failure::SizeNotPageMultiple { .. } => "make the size a multiple of the page size",
            Failure::PageSizeInvalid { .. } => "choose a page size that is a multiple of 4",
            Failure::OutOfMemory { .. } => "deallocate buffers or ask for less",
            Failure::UnknownObject { .. } => "create it first, on this device",
            Failure::ReleasedObject { .. } => "use it before releasing it",
            Failure::WrongProgram { .. } => "use an object of the same program",
            Failure::CoreOutsideGrid { .. } => {
                "use cores of the grid that the device was opened with"
            }
            Failure::EmptyCoreRange {} => "name at least one core, start before end",
            Failure::CoreOverlap { .. } => "use another processor or other cores",
            Failure::NocInUse { .. } => "give the two kernels different NoCs",
            Failure::ProgramAlreadyCompiled { .. } => "add everything before the first enqueue",
            Failure::KernelSourceNotFound {} => "check the path, which is relative to the suites",
            Failure::KernelBuildFailed {} => "see the compiler's message",
            Failure::DefineInvalid { .. } => "use an identifier as name and one line as value",
            Failure::CircularBufferIndexTooLarge { .. } => "use a smaller index",
            Failure::CircularBufferIndexInUse { .. } => "use another index or other cores",
            Failure::CircularBufferSizeNotPageMultiple { .. } => {
                "make pages a multiple of 16 B and the total a multiple of the page"
            }
            Failure::CircularBuffersBeyondL1 { .. } => "make circular buffers smaller",
            Failure::CircularBuffersClash { .. } => {
                "make circular buffers smaller or deallocate L1 buffers"
            }
            Failure::TooManyRuntimeArgs { .. } => "pass fewer, or put them into a buffer",
            Failure::RuntimeArgsCountChanged { .. } => "pass as many as the first time",
            Failure::KernelNotOnCore { .. } => "set arguments only for the kernel's own cores",
            Failure::ArgsVectorMismatch { .. } => "pass one vector for each core",
            Failure::TooManySemaphores { .. } => "use fewer semaphores on a core",
            Failure::DataLengthMismatch { .. } => "pass exactly the size of the buffer or region",
            Failure::UnknownQueue { .. } => {
                "use queue 0, or open the device with two command queues"
            }
            Failure::DeviceFault { .. } => "see the fault's place",
            Failure::Deadlock { .. } => "see the waiting cores",
            Failure::Hang { .. } => "raise the tick budget if the program is only slow",
            Failure::DeviceLost {} => "open the device again; an earlier call says how it was lost",
            Failure::EmptyProgram { .. } => "create a kernel in it first",
            Failure::KernelConfigTooLarge { .. } => {
                "use smaller kernels, fewer arguments or fewer circular buffers"
            }
            Failure::CommonRuntimeArgsAlreadySet { .. } => "update them in place instead",
            Failure::CommonRuntimeArgOutOfRange { .. } => {
                "set as many as are needed the first time; their number stays"
            }
            Failure::ShardSpecMissing {} => "say how it is sharded, or make it interleaved",
            Failure::ShardSpecUnexpected {} => "choose a sharded layout or drop the specification",
            Failure::ShardShapeInvalid { .. } => "make shards of whole pages",
            Failure::TensorShapeMismatch { .. } => "make the tensor's sides multiply to its pages",
            Failure::ShardsTooSmall { .. } => "use more cores or larger shards",
            Failure::CoreRangesOverlap { .. } => "name each core once",
            Failure::RegionNotPageMultiple { .. } => "start and end between pages",
            Failure::RegionOutsideBuffer { .. } => "end it within the buffer",
            Failure::CircularBufferNeedsL1Buffer { .. } => "use a buffer in L1",
            Failure::CircularBufferLargerThanBuffer { .. } => {
                "make the circular buffer smaller, or the buffer larger"
            }
            Failure::CircularBufferOffsetMisaligned { .. } => "use a multiple of the alignment",
            Failure::CircularBufferIndexNotConfigured { .. } => {
                "name one of the indices that it was created with"
            }
            Failure::QueueAlreadyTracing { .. } => "end that capture first, or use the other queue",
            Failure::QueueNotTracing { .. } => "end it on the queue that it was begun on",
            Failure::TraceRegionTooSmall { .. } => {
                "open the device with a trace region of that size, or release traces"
            }
            Failure::BlockingDuringTrace { .. } => "enqueue it without waiting",
            Failure::ProgramNotWarm { .. } => "enqueue it once before capturing a trace",
            Failure::WriteDuringTrace { .. } | Failure::ReadDuringTrace { .. } => {
                "write before and read after the replay, or use the other queue"
            }
            Failure::EventDuringTrace { .. } | Failure::ReplayDuringTrace { .. } => {
                "end the capture first, or use the other queue"
            }
            Failure::TraceNotCaptured { .. } => "end its capture first",
            Failure::TraceBuffersUnplaced { .. } => {
                "name a buffer of the same size, pages and place for each"
            }
            Failure::TraceCircularBuffersClash { .. } => "deallocate L1 buffers",
            Failure::EventNotHostVisible { .. } => "record it as visible to the host",
            Failure::EventNumberMismatch { .. } => {
                "count from 1: each event of the queue, and each call that waits for it"
            }
            Failure::EventStateMismatch { .. } => "synchronize before asking",
            Failure::CoreInUseByQueue { .. } => {
                "finish that queue, or wait for an event of it, to transfer ownership"
            }
            Failure::QueueRace { .. } => {
                "record an event after the first and wait for it before the second"
            }
            Failure::ShardOutOfRange { .. } => "name shards of a sharded buffer, counted from 0",
        }
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
