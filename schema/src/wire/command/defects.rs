//! The commands that a sabotaged encoder writes and a sabotaged decoder reads.

use std::borrow::Cow;

use crate::commands::Command;
use crate::defects::{Defect, planted};
use crate::model::CoreRange;

/// The command as a sabotaged encoder writes it.
pub(super) fn encoded(command: &Command) -> Cow<'_, Command> {
    match command {
        Command::CreateBuffer(call) if planted(Defect::EncoderCutsSizes) => {
            let mut call = call.clone();
            call.size &= 0xFFFF_FFFF;
            Cow::Owned(call.into())
        }
        Command::CreateKernel(call) if planted(Defect::EncoderLosesACompileArgument) => {
            let mut call = call.clone();
            call.compile_args.pop();
            Cow::Owned(call.into())
        }
        Command::CreateSemaphore(call) if planted(Defect::EncoderForgetsInitialValues) => {
            let mut call = call.clone();
            call.initial_value = 0;
            Cow::Owned(call.into())
        }
        Command::EnqueueRecordEvent(call) if planted(Defect::EncoderHidesEvents) => {
            let mut call = call.clone();
            call.host_visible = false;
            Cow::Owned(call.into())
        }
        Command::SetRuntimeArgs(call) if planted(Defect::EncoderLosesARelocation) => {
            let mut call = call.clone();
            for set in &mut call.args {
                set.relocations.pop();
            }
            Cow::Owned(call.into())
        }
        Command::SetCommonRuntimeArgs(call) if planted(Defect::EncoderLosesARelocation) => {
            let mut call = call.clone();
            call.relocations.pop();
            Cow::Owned(call.into())
        }
        Command::UpdateCommonRuntimeArgs(call) if planted(Defect::EncoderLosesARelocation) => {
            let mut call = call.clone();
            call.relocations.pop();
            Cow::Owned(call.into())
        }
        command => Cow::Borrowed(command),
    }
}

/// The command as a sabotaged decoder reads it.
pub(super) fn decoded(mut command: Command) -> Command {
    if planted(Defect::DecoderForgetsEndsOfRanges) {
        let forget =
            |ranges: &mut Vec<CoreRange>| ranges.iter_mut().for_each(|it| it.end = it.start);
        match &mut command {
            Command::CreateBuffer(call) => {
                call.shard_spec.iter_mut().for_each(|spec| forget(&mut spec.cores));
            }
            Command::CreateKernel(call) => forget(&mut call.cores),
            Command::CreateCircularBuffer(call) => forget(&mut call.cores),
            Command::CreateSemaphore(call) => forget(&mut call.cores),
            Command::SetRuntimeArgs(call) => {
                call.args.iter_mut().for_each(|set| forget(&mut set.cores));
            }
            _ => {}
        }
    }
    command
}
