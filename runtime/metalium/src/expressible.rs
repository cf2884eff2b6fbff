//! The parts of a capture that TT-Metalium's host API cannot express.

use std::collections::BTreeSet;

use hallmark_chip::FaultCategory;
use hallmark_schema::model::{
    ArgumentRelocation, Capture, Command, CommandIndex, CommandKind, DispatchMode, Failure,
    FailureCode, ObjectKind, Outcome, RelocatedArgument, TileShape,
};

use crate::ReleaseDescription;
use crate::simulator_library::Simulator;

/// Why a call cannot be made through TT-Metalium.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum Inexpressible {
    /// A kernel that needs Hallmark's own headers: it includes them, or its first line says `hallmark-only`.
    #[error("the kernel is written for Hallmark alone (`hallmark-only`)")]
    HallmarkKernel,
    /// A semaphore's address as an argument: upstream passes its index, and assigns its address when the
    /// program is enqueued.
    #[error(
        "an argument holds a semaphore's address, and TT-Metalium gives kernels the index of a semaphore alone"
    )]
    SemaphoreAddress,
    /// A call that ended in a deadlock or a hang, or in a fault that the chip's simulator does not detect.
    #[error("the capture meets a fault, a deadlock or a hang, which TT-Metalium does not report")]
    Stop,
    /// A tile with faces that upstream chooses otherwise, in a release that takes no faces.
    #[error(
        "a circular buffer's tile states its faces, and this release of TT-Metalium chooses others by the tile's shape"
    )]
    TileFaces,
    /// A trace as bytes.
    #[error("TT-Metalium has no traces as bytes")]
    TraceBytes,
    /// A trace with dispatch by the host: upstream's slow dispatch has no traces.
    #[error("TT-Metalium has traces only with dispatch on the device (`dispatch=device`)")]
    TraceByHost,
}

impl Inexpressible {
    /// The kind of reason, for statistics.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::HallmarkKernel => "hallmark_kernel",
            Self::SemaphoreAddress => "semaphore_address",
            Self::Stop => "stop",
            Self::TileFaces => "tile_faces",
            Self::TraceBytes => "trace_bytes",
            Self::TraceByHost => "trace_by_host",
        }
    }
}

/// Why a failing call of a capture is not made through TT-Metalium: a C++ program cannot make that mistake, or
/// upstream does not check for it. The call has no effect in the capture, so the other calls continue without
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum LeftOut {
    /// The call names an object that was released or never existed.
    #[error("it names an object that does not exist, and a C++ program has no such name")]
    NoObject,
    /// The call names an object of another program, by a number that TT-Metalium would take for one of the
    /// call's own program.
    #[error("it names an object of another program, and TT-Metalium has only its number")]
    ForeignObject,
    /// The number of bytes differs from the buffer's.
    #[error("it gives data of a wrong length, and TT-Metalium takes a pointer without a length")]
    DataLength,
    /// The call expects a particular event number.
    #[error("it expects another number of an event, and TT-Metalium does not tell the number")]
    EventNumber,
    /// The call updates common arguments that the kernel does not have.
    #[error("it writes behind the common arguments, to which TT-Metalium gives a pointer")]
    CommonArguments,
    /// The call takes the bank of a shard that does not exist.
    #[error(
        "it takes the bank of a shard that does not exist, which only Hallmark's arguments name"
    )]
    ShardBank,
    /// The call creates a circular buffer with a repeated index.
    #[error("it gives an index twice, and TT-Metalium takes a map of indices")]
    IndexTwice,
    /// The call needs a feature that only the firmware of the capture lacks.
    #[error("it fails because Hallmark's firmware lacks a mode that TT-Metalium has")]
    FirmwareMode,
    /// The call gives a compile-time argument an invalid name.
    #[error(
        "it gives a compile-time argument a name that no kernel can write, and TT-Metalium takes the name"
    )]
    ArgumentName,
    /// The call makes or replaces a scratchpad where only Hallmark's arguments can name one.
    #[error(
        "it makes a scratchpad that TT-Metalium's kernels cannot have, and TT-Metalium takes the number"
    )]
    Scratchpad,
    /// The call sets the unpack mode of a circular buffer that no core has.
    #[error(
        "it names a circular buffer that no core has, and TT-Metalium takes a list for those that a core has"
    )]
    UnpackIndex,
    /// The call reads a region.
    #[error("it reads a region, and TT-Metalium reads mesh buffers as a whole")]
    RegionRead,
}

/// Why a failing call is not made through TT-Metalium; `None` if it is made.
pub fn left_out(command: &Command, failure: &Failure) -> Option<LeftOut> {
    match failure.code() {
        FailureCode::ReleasedObject => {
            // A trace's name stays valid after its release.
            let trace =
                matches!(failure, Failure::ReleasedObject { object: ObjectKind::Trace, .. });
            (!trace).then_some(LeftOut::NoObject)
        }
        FailureCode::UnknownObject => Some(LeftOut::NoObject),
        FailureCode::WrongProgram => Some(LeftOut::ForeignObject),
        FailureCode::DataLengthMismatch => Some(LeftOut::DataLength),
        FailureCode::EventNumberMismatch => Some(LeftOut::EventNumber),
        FailureCode::CommonRuntimeArgOutOfRange => Some(LeftOut::CommonArguments),
        FailureCode::ShardOutOfRange => Some(LeftOut::ShardBank),
        FailureCode::NocModeUnsupported => Some(LeftOut::FirmwareMode),
        FailureCode::CircularBufferIndexTooLarge => {
            (command.kind() == CommandKind::CreateKernel).then_some(LeftOut::UnpackIndex)
        }
        FailureCode::NamedCompileArgInvalid => Some(LeftOut::ArgumentName),
        FailureCode::ScratchpadInvalid => Some(LeftOut::Scratchpad),
        FailureCode::CircularBufferIndexInUse => {
            let Command::CreateCircularBuffer(call) = command else { return None };
            let indices: BTreeSet<u32> = call.indices.iter().map(|index| index.index).collect();
            (indices.len() < call.indices.len()).then_some(LeftOut::IndexTwice)
        }
        FailureCode::RegionNotPageMultiple | FailureCode::RegionOutsideBuffer => {
            (command.kind() == CommandKind::EnqueueReadBuffer).then_some(LeftOut::RegionRead)
        }
        FailureCode::SizeNotPageMultiple
        | FailureCode::PageSizeInvalid
        | FailureCode::OutOfMemory
        | FailureCode::CoreOutsideGrid
        | FailureCode::EmptyCoreRange
        | FailureCode::CoreOverlap
        | FailureCode::NocInUse
        | FailureCode::ProgramAlreadyCompiled
        | FailureCode::KernelSourceNotFound
        | FailureCode::KernelBuildFailed
        | FailureCode::DefineInvalid
        | FailureCode::TileShapeInvalid
        | FailureCode::CircularBufferSizeNotPageMultiple
        | FailureCode::CircularBuffersBeyondL1
        | FailureCode::CircularBuffersClash
        | FailureCode::TooManyRuntimeArgs
        | FailureCode::RuntimeArgsCountChanged
        | FailureCode::KernelNotOnCore
        | FailureCode::ArgsVectorMismatch
        | FailureCode::TooManySemaphores
        | FailureCode::UnknownQueue
        | FailureCode::DeviceFault
        | FailureCode::Deadlock
        | FailureCode::Hang
        | FailureCode::DeviceLost
        | FailureCode::EmptyProgram
        | FailureCode::KernelConfigTooLarge
        | FailureCode::CommonRuntimeArgsAlreadySet
        | FailureCode::ShardSpecMissing
        | FailureCode::ShardSpecUnexpected
        | FailureCode::ShardShapeInvalid
        | FailureCode::TensorShapeMismatch
        | FailureCode::ShardsTooSmall
        | FailureCode::CoreRangesOverlap
        | FailureCode::CircularBufferNeedsL1Buffer
        | FailureCode::CircularBufferLargerThanBuffer
        | FailureCode::CircularBufferOffsetMisaligned
        | FailureCode::CircularBufferIndexNotConfigured
        | FailureCode::QueueAlreadyTracing
        | FailureCode::QueueNotTracing
        | FailureCode::TraceRegionTooSmall
        | FailureCode::BlockingDuringTrace
        | FailureCode::ProgramNotWarm
        | FailureCode::WriteDuringTrace
        | FailureCode::ReadDuringTrace
        | FailureCode::EventDuringTrace
        | FailureCode::ReplayDuringTrace
        | FailureCode::TraceNotCaptured
        | FailureCode::EventNotHostVisible
        | FailureCode::EventStateMismatch
        | FailureCode::CoreInUseByQueue
        | FailureCode::QueueRace
        | FailureCode::TraceBuffersUnplaced
        | FailureCode::TraceCircularBuffersClash => None,
    }
}

/// The prefix of includes that only Hallmark's kernels have.
const OWN_HEADERS: &str = "hallmark/";

/// Whether the end of a run would not be reported. A simulator's library ends the process on a fault and names it;
/// only Hallmark's detects the faults of Hallmark's own simulator. It detects fewer of them below TT-Metalium, which
/// does not state the memory of each launch; so a fault that its suite expects is not looked for. TT-Metalium compiles
/// assertions into kernels only where its watcher is on.
fn is_unreported(failure: &Failure, is_expected: bool, chip: Simulator) -> bool {
    let is_detectable = match failure {
        Failure::DeviceFault { category, .. } => *category != FaultCategory::KernelAssertion,
        _ => false,
    };
    failure.ends_the_run() && !(is_detectable && !is_expected && chip == Simulator::Hallmark)
}

/// The calls of a capture that a release cannot make in dispatch mode `dispatch` on the library `chip`, with their reasons.
pub fn inexpressible(
    capture: &Capture,
    release: &ReleaseDescription,
    dispatch: DispatchMode,
    chip: Simulator,
) -> Vec<(CommandIndex, Inexpressible)> {
    let mut all = Vec::new();
    for (index, recorded) in (0..).map(CommandIndex).zip(&capture.program.commands) {
        if let Some(reason) = reason(capture, release, dispatch, &recorded.command) {
            all.push((index, reason));
        }
        let is_expected = capture.expects_fault_of(index);
        if let Outcome::Failed(failure) = &recorded.outcome
            && is_unreported(failure, is_expected, chip)
        {
            all.push((index, Inexpressible::Stop));
        }
    }
    // No call meets it, and upstream would meet it when it closes the device.
    if let Some(end) = capture.at_end()
        && let Some(failure) = end.failure()
        && is_unreported(failure, end.expected, chip)
    {
        all.push((failure.blamed().unwrap_or(CommandIndex(0)), Inexpressible::Stop));
    }
    all
}

fn reason(
    capture: &Capture,
    release: &ReleaseDescription,
    dispatch: DispatchMode,
    command: &Command,
) -> Option<Inexpressible> {
    match command {
        Command::CreateCircularBuffer(call) => {
            let mut tiles = call.indices.iter().filter_map(|index| index.tile);
            let differs = |tile: TileShape| tile.face_shape != TileShape::of(tile.shape).face_shape;
            (!release.takes_faces() && tiles.any(differs)).then_some(Inexpressible::TileFaces)
        }
        Command::CreateKernel(call) => {
            is_hallmark_only(capture, &call.source).then_some(Inexpressible::HallmarkKernel)
        }
        Command::SetRuntimeArgs(call) => {
            call.args.iter().find_map(|arguments| of_arguments(&arguments.relocations))
        }
        Command::SetCommonRuntimeArgs(call) => of_arguments(&call.relocations),
        Command::UpdateCommonRuntimeArgs(call) => of_arguments(&call.relocations),
        Command::CollectTrace(_) | Command::LoadTrace(_) => Some(Inexpressible::TraceBytes),
        Command::CreateBuffer(_)
        | Command::CreateBufferView(_)
        | Command::DeallocateBuffer(_)
        | Command::CreateProgram(_)
        | Command::CreateSemaphore(_)
        | Command::UpdateCircularBufferTotalSize(_)
        | Command::UpdateCircularBufferPageSize(_)
        | Command::UpdateDynamicCircularBufferAddress(_)
        | Command::UpdateDynamicCircularBufferAddressAndTotalSize(_)
        | Command::EnqueueWriteBuffer(_)
        | Command::EnqueueReadBuffer(_)
        | Command::EnqueueProgram(_)
        | Command::Finish(_)
        | Command::Synchronize(_)
        | Command::EnqueueRecordEvent(_)
        | Command::EnqueueWaitForEvent(_)
        | Command::EventSynchronize(_)
        | Command::EventQuery(_) => None,
        Command::BeginTraceCapture(_)
        | Command::EndTraceCapture(_)
        | Command::ReplayTrace(_)
        | Command::ReleaseTrace(_) => match dispatch {
            DispatchMode::Host => Some(Inexpressible::TraceByHost),
            DispatchMode::Device => None,
        },
    }
}

fn of_arguments(relocations: &[ArgumentRelocation]) -> Option<Inexpressible> {
    relocations
        .iter()
        .any(|it| matches!(it.argument, RelocatedArgument::SemaphoreAddress { .. }))
        .then_some(Inexpressible::SemaphoreAddress)
}

/// Whether a kernel's first line says `hallmark-only`, or its source includes such a header.
fn is_hallmark_only(capture: &Capture, source: &str) -> bool {
    let file = capture.program.sources.iter().find(|file| file.path == source);
    let Some(bytes) = file.and_then(|file| capture.blobs.get(&file.hash)) else { return false };
    let text = String::from_utf8_lossy(bytes);
    let says_so = text.lines().next().is_some_and(|first| first.contains("hallmark-only"));
    says_so
        || text.lines().any(|line| {
            line.trim_start().strip_prefix("#include").is_some_and(|named| {
                named.trim_start().get(1..).is_some_and(|named| named.starts_with(OWN_HEADERS))
            })
        })
}

#[cfg(test)]
mod tests {
    use hallmark_schema::commands;
    use hallmark_schema::model::{BufferId, QueueId, TraceId};

    use super::*;

    #[test]
    fn only_mistakes_that_upstream_could_meet_are_made_there() {
        let released = |object, id| Failure::ReleasedObject { object, id };
        let replay = Command::ReplayTrace(commands::ReplayTrace {
            queue: QueueId(0),
            trace: TraceId(0),
            blocking: false,
        });
        assert_eq!(left_out(&replay, &released(ObjectKind::Trace, 0)), None);
        let free = Command::DeallocateBuffer(commands::DeallocateBuffer { buffer: BufferId(0) });
        let gone = released(ObjectKind::Buffer, 0);
        assert_eq!(left_out(&free, &gone), Some(LeftOut::NoObject));
        let size = Failure::SizeNotPageMultiple { size: 100, page_size: 64 };
        assert_eq!(left_out(&free, &size), None);
    }

    #[test]
    fn only_an_unexpected_fault_on_our_library_is_looked_for() {
        let fault =
            Failure::DeviceFault { category: FaultCategory::DataRace, enqueue: CommandIndex(0) };
        let assertion = Failure::DeviceFault {
            category: FaultCategory::KernelAssertion,
            enqueue: CommandIndex(0),
        };
        let refusal = Failure::SizeNotPageMultiple { size: 100, page_size: 64 };
        let deadlock = Failure::Deadlock { enqueue: CommandIndex(0) };
        for (failure, is_expected, chip, unreported) in [
            (&fault, false, Simulator::Hallmark, false),
            (&fault, true, Simulator::Hallmark, true),
            (&fault, false, Simulator::Ttsim, true),
            (&assertion, false, Simulator::Hallmark, true),
            (&deadlock, false, Simulator::Hallmark, true),
            (&refusal, true, Simulator::Ttsim, false),
        ] {
            assert_eq!(
                is_unreported(failure, is_expected, chip),
                unreported,
                "{failure} {is_expected} {chip:?}"
            );
        }
    }

    #[test]
    fn traces_need_dispatch_on_the_device() {
        let bytes = std::fs::read(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../schema/released/1.0/captures/trace.lmb"
        ));
        let capture = Capture::from_bytes(&bytes.unwrap()).unwrap();
        let release = ReleaseDescription::of_version("0.81.1").unwrap();
        let by_device = inexpressible(&capture, release, DispatchMode::Device, Simulator::Ttsim);
        let (traces, others): (Vec<_>, Vec<_>) =
            inexpressible(&capture, release, DispatchMode::Host, Simulator::Ttsim)
                .into_iter()
                .partition(|(_, reason)| *reason == Inexpressible::TraceByHost);
        assert_eq!(others, by_device);
        let commands = (0..).map(CommandIndex).zip(&capture.program.commands);
        let made: Vec<CommandIndex> = commands
            .filter(|(_, recorded)| {
                matches!(
                    recorded.command.kind(),
                    CommandKind::BeginTraceCapture
                        | CommandKind::EndTraceCapture
                        | CommandKind::ReplayTrace
                        | CommandKind::ReleaseTrace
                )
            })
            .map(|(index, _)| index)
            .collect();
        assert!(made.len() > 3);
        assert_eq!(traces.iter().map(|(index, _)| *index).collect::<Vec<_>>(), made);
    }
}
