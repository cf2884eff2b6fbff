//! What of a capture TT-Metalium's host API cannot say.

use hallmark_schema::model::{
    ArgumentRelocation, Capture, Command, CommandIndex, Outcome, RelocatedArgument,
};

/// Why a call cannot be made through TT-Metalium.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum Inexpressible {
    /// A kernel that includes Hallmark's own headers.
    #[error("the kernel includes a header that only Hallmark has")]
    HallmarkHeader,
    /// A semaphore's address as an argument: upstream gives its index, and places it when the program is enqueued.
    #[error(
        "an argument holds a semaphore's address, and TT-Metalium gives kernels the index of a semaphore alone"
    )]
    SemaphoreAddress,
    /// A call that met a fault, a deadlock or a hang.
    #[error("the capture meets a fault, a deadlock or a hang, which TT-Metalium does not report")]
    Stop,
    /// A trace as bytes.
    #[error("TT-Metalium has no traces as bytes")]
    TraceBytes,
}

/// What starts an `#include` that only Hallmark's kernels have.
const OWN_HEADERS: &str = "hallmark/";

/// Every call of a capture that cannot be made, with the reason.
pub fn inexpressible(capture: &Capture) -> Vec<(CommandIndex, Inexpressible)> {
    let mut all = Vec::new();
    for (index, recorded) in (0..).map(CommandIndex).zip(&capture.program.commands) {
        if let Some(reason) = reason(capture, &recorded.command) {
            all.push((index, reason));
        }
        if matches!(&recorded.outcome, Outcome::Failed(failure) if failure.ends_the_run()) {
            all.push((index, Inexpressible::Stop));
        }
    }
    all
}

fn reason(capture: &Capture, command: &Command) -> Option<Inexpressible> {
    match command {
        Command::CreateKernel(call) => {
            includes_own_header(capture, &call.source).then_some(Inexpressible::HallmarkHeader)
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
        | Command::CreateCircularBuffer(_)
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
        | Command::EventQuery(_)
        | Command::BeginTraceCapture(_)
        | Command::EndTraceCapture(_)
        | Command::ReplayTrace(_)
        | Command::ReleaseTrace(_) => None,
    }
}

fn of_arguments(relocations: &[ArgumentRelocation]) -> Option<Inexpressible> {
    relocations
        .iter()
        .any(|it| matches!(it.argument, RelocatedArgument::SemaphoreAddress { .. }))
        .then_some(Inexpressible::SemaphoreAddress)
}

/// Whether a kernel's source, or one of the sources beside it that it may include, names such a header.
fn includes_own_header(capture: &Capture, source: &str) -> bool {
    let file = capture.program.sources.iter().find(|file| file.path == source);
    let Some(bytes) = file.and_then(|file| capture.blobs.get(&file.hash)) else { return false };
    String::from_utf8_lossy(bytes).lines().any(|line| {
        let line = line.trim_start();
        line.strip_prefix("#include").is_some_and(|named| {
            named.trim_start().get(1..).is_some_and(|named| named.starts_with(OWN_HEADERS))
        })
    })
}
