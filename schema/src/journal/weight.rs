//! About how many bytes an entry will take, never less than half of it: an entry that no journal can
//! hold is refused before it is encoded.

use super::RecordUpdate;
use crate::commands;
use crate::model::{Command, CoreRange};

pub(super) fn bytes(content: &[u8]) -> u64 {
    content.len() as u64
}

fn sum(parts: impl IntoIterator<Item = usize>) -> u64 {
    parts.into_iter().fold(0, |sum, part| sum.saturating_add(part as u64))
}

fn cores(cores: &[CoreRange]) -> usize {
    cores.len().saturating_mul(16)
}

pub(super) fn command(command: &Command) -> u64 {
    match command {
        Command::CreateBuffer(commands::CreateBuffer { name, shard_spec, .. }) => {
            sum([name.len(), shard_spec.as_ref().map_or(0, |spec| cores(&spec.cores))])
        }
        Command::CreateBufferView(commands::CreateBufferView { name, .. })
        | Command::CreateProgram(commands::CreateProgram { name, .. }) => sum([name.len()]),
        Command::CreateKernel(commands::CreateKernel {
            name,
            source,
            cores: ranges,
            compile_args,
            defines,
            ..
        }) => {
            let texts = [name.len(), source.len(), cores(ranges), compile_args.len() * 4];
            let defines = defines.iter().flat_map(|(name, value)| [name.len(), value.len(), 32]);
            sum(texts.into_iter().chain(defines))
        }
        Command::SetRuntimeArgs(commands::SetRuntimeArgs { args, .. }) => {
            sum(args.iter().flat_map(|set| {
                [cores(&set.cores), set.values.len() * 4, set.relocations.len() * 16, 32]
            }))
        }
        Command::SetCommonRuntimeArgs(commands::SetCommonRuntimeArgs {
            values,
            relocations,
            ..
        })
        | Command::UpdateCommonRuntimeArgs(commands::UpdateCommonRuntimeArgs {
            values,
            relocations,
            ..
        }) => sum([values.len() * 4, relocations.len() * 16]),
        Command::CreateCircularBuffer(commands::CreateCircularBuffer {
            name,
            cores: ranges,
            indices,
            ..
        }) => sum([name.len(), cores(ranges), indices.len() * 24]),
        Command::CreateSemaphore(commands::CreateSemaphore { name, cores: ranges, .. }) => {
            sum([name.len(), cores(ranges)])
        }
        Command::EnqueueRecordEvent(commands::EnqueueRecordEvent { name, .. })
        | Command::BeginTraceCapture(commands::BeginTraceCapture { name, .. }) => sum([name.len()]),
        Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { output: name, .. })
        | Command::CollectTrace(commands::CollectTrace { collected: name, .. }) => {
            sum([name.len()])
        }
        Command::LoadTrace(commands::LoadTrace { name, from, buffers, .. }) => {
            sum([name.len(), from.len(), buffers.len() * 16])
        }
        Command::DeallocateBuffer(_)
        | Command::EnqueueWriteBuffer(_)
        | Command::EnqueueProgram(_)
        | Command::Finish(_)
        | Command::UpdateCircularBufferTotalSize(_)
        | Command::UpdateCircularBufferPageSize(_)
        | Command::UpdateDynamicCircularBufferAddress(_)
        | Command::UpdateDynamicCircularBufferAddressAndTotalSize(_)
        | Command::EnqueueWaitForEvent(_)
        | Command::EventSynchronize(_)
        | Command::EventQuery(_)
        | Command::EndTraceCapture(_)
        | Command::ReplayTrace(_)
        | Command::ReleaseTrace(_) => 0,
    }
}

pub(super) fn update(update: &RecordUpdate) -> u64 {
    let faults = update.faults.iter().flat_map(|fault| [fault.reason.len(), 64]);
    let lists = [
        update.addresses.len().saturating_mul(32),
        update.elfs.len().saturating_mul(64),
        update.waits.len().saturating_mul(64),
        update.collected.len().saturating_mul(48),
    ];
    sum(lists.into_iter().chain(faults))
}
