//! The failures by which each call is refused, by their codes. Each entry is a check, and a test tells each check a lie.

use hallmark_chip::sabotage::is_switched_off;
use hallmark_schema::model::{CommandKind, FailureCode};

use crate::error::{CallError, HostError};

/// The codes with which a call can be refused. A program's end on the device is no refusal, whichever call meets
/// it: [`Failure::ends_the_run`](hallmark_schema::model::Failure::ends_the_run).
pub const fn refusals_of(call: CommandKind) -> &'static [FailureCode] {
    use CommandKind as Call;
    use FailureCode::*;
    match call {
        Call::CreateProgram => &[],
        Call::CreateBuffer => &[
            PageSizeInvalid,
            SizeNotPageMultiple,
            OutOfMemory,
            ShardSpecMissing,
            ShardSpecUnexpected,
            EmptyCoreRange,
            CoreOutsideGrid,
            CoreRangesOverlap,
            ShardShapeInvalid,
            TensorShapeMismatch,
            ShardsTooSmall,
        ],
        Call::CreateBufferView => {
            &[UnknownObject, ReleasedObject, RegionNotPageMultiple, RegionOutsideBuffer]
        }
        Call::DeallocateBuffer => &[UnknownObject, ReleasedObject],
        Call::CreateKernel => &[
            ProgramAlreadyCompiled,
            EmptyCoreRange,
            CoreOutsideGrid,
            CoreOverlap,
            NocInUse,
            DefineInvalid,
            NamedCompileArgInvalid,
            NocModeUnsupported,
            CircularBufferIndexTooLarge,
            KernelSourceNotFound,
            KernelBuildFailed,
        ],
        Call::CreateSemaphore => {
            &[ProgramAlreadyCompiled, EmptyCoreRange, CoreOutsideGrid, TooManySemaphores]
        }
        Call::CreateCircularBuffer => &[
            ProgramAlreadyCompiled,
            EmptyCoreRange,
            CoreOutsideGrid,
            CircularBufferIndexTooLarge,
            CircularBufferIndexInUse,
            CircularBufferSizeNotPageMultiple,
            TileShapeInvalid,
            UnknownObject,
            ReleasedObject,
            CircularBufferNeedsL1Buffer,
            CircularBufferOffsetMisaligned,
            CircularBufferLargerThanBuffer,
        ],
        Call::UpdateCircularBufferTotalSize => {
            &[UnknownObject, CircularBufferSizeNotPageMultiple, CircularBufferLargerThanBuffer]
        }
        Call::UpdateCircularBufferPageSize => &[
            UnknownObject,
            CircularBufferIndexTooLarge,
            CircularBufferIndexNotConfigured,
            CircularBufferSizeNotPageMultiple,
        ],
        Call::UpdateDynamicCircularBufferAddress => &[
            UnknownObject,
            ReleasedObject,
            CircularBufferNeedsL1Buffer,
            CircularBufferOffsetMisaligned,
            CircularBufferLargerThanBuffer,
        ],
        Call::UpdateDynamicCircularBufferAddressAndTotalSize => &[
            UnknownObject,
            ReleasedObject,
            CircularBufferNeedsL1Buffer,
            CircularBufferLargerThanBuffer,
            CircularBufferSizeNotPageMultiple,
        ],
        Call::SetRuntimeArgs => &[
            UnknownObject,
            EmptyCoreRange,
            CoreOutsideGrid,
            KernelNotOnCore,
            TooManyRuntimeArgs,
            RuntimeArgsCountChanged,
            ArgsVectorMismatch,
            ReleasedObject,
            WrongProgram,
            ShardOutOfRange,
            ScratchpadInvalid,
        ],
        Call::SetCommonRuntimeArgs => &[
            UnknownObject,
            CommonRuntimeArgsAlreadySet,
            TooManyRuntimeArgs,
            CoreOutsideGrid,
            ReleasedObject,
            WrongProgram,
            ShardOutOfRange,
            ScratchpadInvalid,
        ],
        Call::UpdateCommonRuntimeArgs => &[
            UnknownObject,
            CommonRuntimeArgOutOfRange,
            CoreOutsideGrid,
            ReleasedObject,
            WrongProgram,
            ShardOutOfRange,
            ScratchpadInvalid,
        ],
        Call::EnqueueWriteBuffer => &[
            UnknownQueue,
            UnknownObject,
            ReleasedObject,
            RegionNotPageMultiple,
            RegionOutsideBuffer,
            DataLengthMismatch,
            WriteDuringTrace,
        ],
        Call::EnqueueReadBuffer => &[
            UnknownQueue,
            UnknownObject,
            ReleasedObject,
            RegionNotPageMultiple,
            RegionOutsideBuffer,
            ReadDuringTrace,
        ],
        Call::EnqueueProgram => &[
            UnknownQueue,
            EmptyProgram,
            BlockingDuringTrace,
            ProgramNotWarm,
            CircularBufferSizeNotPageMultiple,
            CircularBuffersBeyondL1,
            CircularBuffersClash,
            ReleasedObject,
            KernelConfigTooLarge,
            CoreInUseByQueue,
        ],
        Call::Finish => &[UnknownQueue, EventDuringTrace],
        Call::Synchronize => &[EventDuringTrace],
        Call::EnqueueRecordEvent => &[UnknownQueue, EventDuringTrace, EventNumberMismatch],
        Call::EnqueueWaitForEvent => &[UnknownQueue, UnknownObject, EventDuringTrace],
        Call::EventSynchronize => &[UnknownObject, EventNotHostVisible],
        Call::EventQuery => &[UnknownObject, EventNotHostVisible, EventStateMismatch],
        Call::BeginTraceCapture => &[UnknownQueue, QueueAlreadyTracing],
        Call::EndTraceCapture => {
            &[UnknownQueue, UnknownObject, ReleasedObject, QueueNotTracing, TraceRegionTooSmall]
        }
        Call::ReplayTrace => &[
            UnknownQueue,
            UnknownObject,
            ReleasedObject,
            TraceNotCaptured,
            ReplayDuringTrace,
            CoreInUseByQueue,
        ],
        Call::ReleaseTrace => &[UnknownObject, ReleasedObject, TraceNotCaptured],
        Call::CollectTrace => &[UnknownObject, ReleasedObject, TraceNotCaptured],
        Call::LoadTrace => &[TraceBuffersUnplaced, TraceCircularBuffersClash, TraceRegionTooSmall],
    }
}

/// The name under which the end of the device is switched off, instead of the call that met the end.
const DEVICE: &str = "device";

/// Accepts a call whose refusal is switched off. The object that the call should have made does not exist.
pub(super) fn accept_if_switched_off(result: Result<(), CallError>) -> Result<(), CallError> {
    let Err(CallError::Host(error)) = &result else { return result };
    let HostError { failure, call, .. } = &**error;
    debug_assert!(is_listed(*call, error), "`refusals_of` does not list: {error}");
    let met_by = if failure.ends_the_run() { DEVICE } else { call.name() };
    if is_switched_off(met_by, failure.code().name()) { Ok(()) } else { result }
}

fn is_listed(call: CommandKind, error: &HostError) -> bool {
    error.failure.ends_the_run() || refusals_of(call).contains(&error.failure.code())
}
