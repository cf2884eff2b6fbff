//! The defects of a sabotaged replayer, which deviates from its capture (`hallmark_chip::sabotage`).

use hallmark_schema::commands;
use hallmark_schema::model::{
    Capture, Command, CoreRange, ObjectKind, Outcome, QueueId, RecordedCommand, RelocatedArgument,
};

use crate::defects::{Defect, planted};

/// Whether a command is passed over.
pub(super) fn forgets(recorded: &RecordedCommand) -> bool {
    match (&recorded.command, &recorded.outcome) {
        (Command::DeallocateBuffer(_), _) => planted(Defect::ReplayerForgetsDeallocations),
        (_, Outcome::Failed(_)) => planted(Defect::ReplayerForgetsFailedCalls),
        _ => false,
    }
}

/// The command that is called.
pub(super) fn replayed(mut command: Command) -> Command {
    match &mut command {
        Command::SetRuntimeArgs(commands::SetRuntimeArgs { args, .. })
            if planted(Defect::ReplayerSetsOneCore) =>
        {
            for range in args.iter_mut().flat_map(|arguments| &mut arguments.cores) {
                *range = CoreRange::single(range.start);
            }
        }
        Command::CreateSemaphore(commands::CreateSemaphore { initial_value, .. })
            if planted(Defect::ReplayerForgetsInitialValues) =>
        {
            *initial_value = 0;
        }
        Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer { queue, .. })
        | Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { queue, .. })
        | Command::EnqueueProgram(commands::EnqueueProgram { queue, .. })
            if planted(Defect::ReplayerForgetsQueues) =>
        {
            *queue = QueueId(0);
        }
        Command::LoadTrace(commands::LoadTrace { buffers, .. })
            if planted(Defect::ReplayerForgetsTraceBuffers) =>
        {
            buffers.clear();
        }
        _ => {}
    }
    command
}

/// The command that is called where a capture is replayed on another chip.
pub(super) fn adapted(mut command: Command, capture: &Capture) -> Command {
    if let Command::SetRuntimeArgs(commands::SetRuntimeArgs { args, .. }) = &mut command
        && planted(Defect::AdaptedReplayKeepsAddresses)
    {
        let addresses = capture.record.iter().flat_map(|record| &record.addresses);
        let buffers = addresses.filter(|it| it.object == ObjectKind::Buffer);
        for arguments in args {
            for assigned in buffers.clone() {
                arguments.relocations.retain(|relocation| {
                    let RelocatedArgument::BufferAddress { buffer, offset } = relocation.argument
                    else {
                        return true;
                    };
                    let replaced = buffer.0 == assigned.id;
                    let word = arguments.values.get_mut(relocation.index as usize);
                    if let (true, Some(word)) = (replaced, word) {
                        *word = (assigned.address as u32).wrapping_add(offset);
                    }
                    !replaced
                });
            }
        }
    }
    command
}
