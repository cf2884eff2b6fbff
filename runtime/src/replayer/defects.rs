//! What a sabotaged replayer does instead of what a capture says (`hallmark_chip::sabotage`).

use hallmark_chip::sabotage::{Defect, planted};
use hallmark_schema::model::{Command, CoreRange, Outcome, QueueId, RecordedCommand};

/// Whether a command is passed over.
pub(super) fn forgets(recorded: &RecordedCommand) -> bool {
    match (&recorded.command, &recorded.outcome) {
        (Command::DeallocateBuffer { .. }, _) => planted(Defect::ReplayerForgetsDeallocations),
        (_, Outcome::Failed(_)) => planted(Defect::ReplayerForgetsFailedCalls),
        _ => false,
    }
}

/// The command that is called.
pub(super) fn replayed(mut command: Command) -> Command {
    match &mut command {
        Command::SetRuntimeArgs { args, .. } if planted(Defect::ReplayerSetsOneCore) => {
            for range in args.iter_mut().flat_map(|arguments| &mut arguments.cores) {
                *range = CoreRange::single(range.start);
            }
        }
        Command::CreateSemaphore { initial_value, .. }
            if planted(Defect::ReplayerForgetsInitialValues) =>
        {
            *initial_value = 0;
        }
        Command::EnqueueWriteBuffer { queue, .. }
        | Command::EnqueueReadBuffer { queue, .. }
        | Command::EnqueueProgram { queue, .. }
            if planted(Defect::ReplayerForgetsQueues) =>
        {
            *queue = QueueId(0);
        }
        Command::LoadTrace { buffers, .. } if planted(Defect::ReplayerForgetsTraceBuffers) => {
            buffers.clear();
        }
        _ => {}
    }
    command
}
