//! Edits that replace numbers and data.

use hallmark_schema::model::{
    ArgumentRelocation, CircularBufferId, Command, CommandIndex, Data, DataType, Expectation,
    Generator, SemaphoreId,
};

use crate::draft::{CommandSource, Draft};
use crate::edit::Fill;

/// The command of a draft with this index in the original capture.
fn at<'d>(draft: &'d mut Draft<'_>, index: CommandIndex) -> Option<&'d mut Command> {
    let source = CommandSource::Command(index);
    let mut commands = draft.commands.iter_mut();
    commands.find(|command| command.source == source).map(|command| &mut command.recorded.command)
}

/// Sets the value of a semaphore at each launch, or returns `false`.
pub(crate) fn set_initial_value(semaphore: SemaphoreId, value: u32, draft: &mut Draft<'_>) -> bool {
    draft.commands.iter_mut().any(|command| match &mut command.recorded.command {
        Command::CreateSemaphore(call) if call.semaphore == semaphore => {
            std::mem::replace(&mut call.initial_value, value) != value
        }
        _ => false,
    })
}

/// Sets an argument word that is a plain number, or changes nothing and gives `false`.
pub(crate) fn set_argument(
    command: CommandIndex,
    set: u32,
    index: u32,
    value: u32,
    draft: &mut Draft<'_>,
) -> bool {
    let (values, relocations): (&mut Vec<u32>, &[ArgumentRelocation]) = match at(draft, command) {
        Some(Command::SetRuntimeArgs(call)) => {
            let place = usize::try_from(set).unwrap_or(usize::MAX);
            let Some(set) = call.args.get_mut(place) else { return false };
            (&mut set.values, &set.relocations)
        }
        Some(Command::SetCommonRuntimeArgs(call)) if set == 0 => {
            (&mut call.values, &call.relocations)
        }
        Some(Command::UpdateCommonRuntimeArgs(call)) if set == 0 => {
            (&mut call.values, &call.relocations)
        }
        Some(_) | None => return false,
    };
    if relocations.iter().any(|relocation| relocation.index == index) {
        return false;
    }
    let place = usize::try_from(index).unwrap_or(usize::MAX);
    values.get_mut(place).is_some_and(|word| std::mem::replace(word, value) != value)
}

/// Changes the number of pages of a circular buffer, or changes nothing and returns `false`.
pub(crate) fn resize_circular_buffer(
    circular_buffer: CircularBufferId,
    pages: u32,
    draft: &mut Draft<'_>,
) -> bool {
    let is_changed = draft.commands.iter().any(|command| match &command.recorded.command {
        Command::UpdateCircularBufferTotalSize(call) => call.circular_buffer == circular_buffer,
        Command::UpdateCircularBufferPageSize(call) => call.circular_buffer == circular_buffer,
        Command::UpdateDynamicCircularBufferAddressAndTotalSize(call) => {
            call.circular_buffer == circular_buffer
        }
        _ => false,
    });
    if is_changed {
        return false;
    }
    let mut commands = draft.commands.iter_mut();
    let made = commands.find_map(|command| match &mut command.recorded.command {
        Command::CreateCircularBuffer(call) if call.circular_buffer == circular_buffer => {
            Some(call)
        }
        _ => None,
    });
    let Some(made) = made else { return false };
    let mut sizes = made.indices.iter().map(|index| index.page_size);
    let Some(page_size) = sizes.next() else { return false };
    if sizes.any(|other| other != page_size) {
        return false;
    }
    let total_size = u64::from(page_size).saturating_mul(pages.into());
    std::mem::replace(&mut made.total_size, total_size) != total_size
}

/// Replaces the data of a write by others of the same length, or changes nothing and returns `false`.
pub(crate) fn fill(command: CommandIndex, fill: Fill, draft: &mut Draft<'_>) -> bool {
    let data_type = DataType::Uint32;
    let generator = match fill {
        Fill::Ones => Generator::Constant { data_type, bits: 1 },
        Fill::Sequence => Generator::Sequence { data_type, start: 0, step: 1 },
    };
    let Some(Command::EnqueueWriteBuffer(call)) = at(draft, command) else { return false };
    if call.data.generator == Some(generator) {
        return false;
    }
    call.data = Data::generated(generator, call.data.length);
    true
}

/// Makes all reads expect the captured bytes.
pub(crate) fn expect_as_captured(draft: &mut Draft<'_>) -> bool {
    for command in &mut draft.commands {
        if let Command::EnqueueReadBuffer(call) = &mut command.recorded.command {
            match &call.expectation {
                Expectation::Exact { .. } | Expectation::Reference { .. } => {
                    call.expectation = Expectation::AsCaptured;
                }
                Expectation::AsCaptured | Expectation::Unchecked { .. } => {}
            }
        }
    }
    true
}
