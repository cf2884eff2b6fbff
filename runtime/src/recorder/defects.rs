//! The defects of a sabotaged recorder, which records other calls than were made (`hallmark_chip::sabotage`).

use hallmark_schema::commands;
use hallmark_schema::model::{Command, Outcome};

use crate::defects::{Defect, planted};

/// The call that is recorded.
pub(super) fn recorded(mut command: Command) -> Command {
    match &mut command {
        Command::SetRuntimeArgs(commands::SetRuntimeArgs { args, .. })
            if planted(Defect::RecorderLosesRelocations) =>
        {
            args.iter_mut().for_each(|arguments| arguments.relocations.clear());
        }
        Command::SetRuntimeArgs(commands::SetRuntimeArgs { args, .. })
            if planted(Defect::RecorderSharesArguments) =>
        {
            if let Some(values) = args.first().map(|first| first.values.clone()) {
                args.iter_mut().for_each(|arguments| arguments.values.clone_from(&values));
            }
        }
        Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer { blocking, .. })
        | Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { blocking, .. })
        | Command::EnqueueProgram(commands::EnqueueProgram { blocking, .. })
            if planted(Defect::RecorderForgetsBlocking) =>
        {
            *blocking = false;
        }
        Command::CreateKernel(commands::CreateKernel { defines, .. })
            if planted(Defect::RecorderForgetsDefines) =>
        {
            defines.clear();
        }
        _ => {}
    }
    command
}

/// The outcome that is recorded.
pub(super) fn outcome(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Failed(_) if planted(Defect::RecorderForgetsFailures) => Outcome::Done,
        outcome => outcome,
    }
}
