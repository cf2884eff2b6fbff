//! Runtime and compile-time arguments, and the steps that set them.

use hallmark_chip::LogicalCore;
use hallmark_runtime::TensorAccessorArgs;
use hallmark_schema::model::{
    ArgumentRelocation, BufferId, Command, CoreArguments, CoreRange, KernelId, RelocatedArgument,
    SemaphoreId,
};
use hallmark_schema::{commands, limits};

use super::evaluator::Evaluator;
use super::global_semaphores::global_semaphore;
use super::scope::Scope;
use crate::language::{
    Argument, CompileArgument, CoreArgs, PlacedArgument, PlacedCompileArgument, SequenceArgument,
    SetCommonRuntimeArgs, SetRuntimeArgs, UpdateCommonRuntimeArgs,
};
use crate::mistake::Span;
use crate::read::{Name, Number};

/// More cores than any chip has.
const CORE_LIMIT: usize = 4096;

pub(super) fn set_runtime_args(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    call: &SetRuntimeArgs,
    span: Span,
) -> Option<Command> {
    let kernel = scope
        .kernels
        .get(&call.kernel, evaluator.mistakes())
        .map(|(id, facts)| (id, facts.cores.clone()));
    let args = match (&call.args, &call.per_core) {
        (Some(args), None) => {
            let cores = match &call.cores {
                Some(cores) => evaluator.cores(cores),
                None => Some(kernel.as_ref().map(|(_, cores)| cores.clone()).unwrap_or_default()),
            };
            cores.and_then(|cores| arguments(evaluator, scope, args, cores)).map(|args| vec![args])
        }
        (None, Some(entries)) if call.cores.is_none() => per_core(evaluator, scope, entries),
        (None, Some(_)) => evaluator.mistakes().add(
            "each entry of `per_core` names its own cores",
            span,
            "remove `cores`",
        ),
        (Some(_), Some(_)) | (None, None) => evaluator.mistakes().add(
            "`set_runtime_args` needs either `args` or `per_core`",
            span,
            "give one of the two",
        ),
    };
    Some(Command::SetRuntimeArgs(commands::SetRuntimeArgs {
        kernel: KernelId(kernel?.0),
        args: args?,
    }))
}

pub(super) fn set_common_runtime_args(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    call: &SetCommonRuntimeArgs,
) -> Option<Command> {
    let kernel = scope.kernels.get(&call.kernel, evaluator.mistakes()).map(|(id, _)| id);
    let (values, relocations) = argument_words(evaluator, scope, &call.args)?;
    let kernel = KernelId(kernel?);
    Some(Command::SetCommonRuntimeArgs(commands::SetCommonRuntimeArgs {
        kernel,
        values,
        relocations,
    }))
}

pub(super) fn update_common_runtime_args(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    call: &UpdateCommonRuntimeArgs,
) -> Option<Command> {
    let kernel = scope.kernels.get(&call.kernel, evaluator.mistakes()).map(|(id, _)| id);
    let first = match &call.first {
        Some(first) => evaluator.u32(first, "the first word"),
        None => Some(0),
    };
    let (values, relocations) = argument_words(evaluator, scope, &call.args)?;
    let kernel = KernelId(kernel?);
    Some(Command::UpdateCommonRuntimeArgs(commands::UpdateCommonRuntimeArgs {
        kernel,
        first: first?,
        values,
        relocations,
    }))
}

fn arguments(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    arguments: &[Argument],
    cores: Vec<CoreRange>,
) -> Option<CoreArguments> {
    let (values, relocations) = argument_words(evaluator, scope, arguments)?;
    Some(CoreArguments { cores, values, relocations })
}

/// Argument words, and which of them the runtime fills in.
fn argument_words(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    arguments: &[Argument],
) -> Option<(Vec<u32>, Vec<ArgumentRelocation>)> {
    let mut values = Vec::new();
    let mut relocations = Vec::new();
    let mut complete = true;
    for argument in arguments {
        let word = match argument {
            Argument::Number(number) => evaluator.word(number),
            Argument::Placed(PlacedArgument::Semaphore(argument)) => {
                semaphore_number(evaluator, scope, &argument.semaphore)
            }
            Argument::Placed(placed) => {
                let index = u32::try_from(values.len()).unwrap_or(u32::MAX);
                relocated(evaluator, scope, placed).map(|argument| {
                    relocations.push(ArgumentRelocation { index, argument });
                    0
                })
            }
            Argument::Accessor(argument) => {
                let accessor = accessor(evaluator, scope, &argument.accessor);
                complete &= accessor.is_some();
                let (buffer, pairs) = accessor
                    .map_or((0, 0), |(id, accessor)| (id, accessor.common_runtime_arg_count()));
                let buffer = BufferId(buffer);
                for pair in 0..pairs {
                    let index = u32::try_from(values.len()).unwrap_or(u32::MAX);
                    let argument = RelocatedArgument::ShardBankPair { buffer, pair };
                    relocations.push(ArgumentRelocation { index, argument });
                    values.push(0);
                }
                continue;
            }
            Argument::Sequence(sequence) => {
                complete &= word_sequence(evaluator, sequence, &mut values).is_some();
                continue;
            }
        };
        complete &= word.is_some();
        values.extend(word);
    }
    complete.then_some((values, relocations))
}

fn word_sequence(
    evaluator: &mut Evaluator<'_>,
    sequence: &SequenceArgument,
    values: &mut Vec<u32>,
) -> Option<()> {
    let count = evaluator.u64(&sequence.sequence, "the number of words");
    let start = sequence.start.as_ref().map_or(Some(0), |start| evaluator.word(start))?;
    let step = sequence.step.as_ref().map_or(Some(1), |step| evaluator.word(step))?;
    let count = count?;
    if count.saturating_add(values.len() as u64) > limits::ARGUMENT_WORDS {
        return evaluator.mistakes().add(
            format!("{count} words are too many"),
            sequence.sequence.0.span(),
            format!("a call has at most {} argument words", limits::ARGUMENT_WORDS),
        );
    }
    let mut word = start;
    for _ in 0..count {
        values.push(word);
        word = word.wrapping_add(step);
    }
    Some(())
}

/// One entry for each core, so that expressions may use the core's place.
fn per_core(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    entries: &[CoreArgs],
) -> Option<Vec<CoreArguments>> {
    let mut list = Vec::new();
    let mut complete = true;
    for entry in entries {
        let Some(ranges) = evaluator.cores(&entry.cores) else {
            complete = false;
            continue;
        };
        let cores: Vec<LogicalCore> =
            ranges.iter().flat_map(|range| range.cores()).take(CORE_LIMIT).collect();
        for (index, core) in (0_i128..).zip(cores) {
            for (name, number) in [
                ("core_x", i128::from(core.x)),
                ("core_y", i128::from(core.y)),
                ("core_index", index),
            ] {
                evaluator.define(name, number);
            }
            match arguments(evaluator, scope, &entry.args, vec![CoreRange::single(core)]) {
                Some(arguments) => list.push(arguments),
                None => complete = false,
            }
        }
        for name in ["core_x", "core_y", "core_index"] {
            evaluator.undefine(name);
        }
    }
    complete.then_some(list)
}

fn relocated(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    placed: &PlacedArgument,
) -> Option<RelocatedArgument> {
    match placed {
        PlacedArgument::Buffer(argument) => {
            let (id, _) = scope.buffers.get(&argument.buffer, evaluator.mistakes())?;
            let offset = offset(evaluator, argument.offset.as_ref())?;
            Some(RelocatedArgument::BufferAddress { buffer: BufferId(id), offset })
        }
        PlacedArgument::GlobalSemaphore(argument) => {
            let semaphore = global_semaphore(evaluator, scope, &argument.global_semaphore)?;
            let buffer = semaphore.buffer().id();
            Some(RelocatedArgument::BufferAddress { buffer, offset: 0 })
        }
        PlacedArgument::ShardBankPair(argument) => {
            let (id, _) = scope.buffers.get(&argument.shard_bank_pair, evaluator.mistakes())?;
            let pair = evaluator.u32(&argument.index, "the pair")?;
            Some(RelocatedArgument::ShardBankPair { buffer: BufferId(id), pair })
        }
        PlacedArgument::SemaphoreAddress(argument) => {
            let (id, _) =
                scope.semaphores.get(&argument.semaphore_address, evaluator.mistakes())?;
            let offset = offset(evaluator, argument.offset.as_ref())?;
            Some(RelocatedArgument::SemaphoreAddress { semaphore: SemaphoreId(id), offset })
        }
        PlacedArgument::Scratchpad(argument) => {
            let size = evaluator.u32(&argument.scratchpad, "the scratchpad's size")?;
            Some(RelocatedArgument::ScratchpadAddress { size })
        }
        PlacedArgument::NocX(argument) => {
            let (x, y) = evaluator.core_in_grid(&argument.noc_x)?;
            Some(RelocatedArgument::CoreNocX { x, y })
        }
        PlacedArgument::NocY(argument) => {
            let (x, y) = evaluator.core_in_grid(&argument.noc_y)?;
            Some(RelocatedArgument::CoreNocY { x, y })
        }
        PlacedArgument::Semaphore(_) => None,
    }
}

fn offset(evaluator: &mut Evaluator<'_>, offset: Option<&Number>) -> Option<u32> {
    offset.map_or(Some(0), |offset| evaluator.u32(offset, "the offset"))
}

fn semaphore_number(evaluator: &mut Evaluator<'_>, scope: &Scope, name: &Name) -> Option<u32> {
    scope.semaphores.get(name, evaluator.mistakes()).map(|(_, facts)| facts.number)
}

pub(super) fn compile_arguments(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    arguments: &[CompileArgument],
) -> Option<Vec<u32>> {
    let mut words = Vec::new();
    let mut complete = true;
    for argument in arguments {
        match argument {
            CompileArgument::Number(number) => match evaluator.word(number) {
                Some(word) => words.push(word),
                None => complete = false,
            },
            CompileArgument::Placed(PlacedCompileArgument::Semaphore(argument)) => {
                match semaphore_number(evaluator, scope, &argument.semaphore) {
                    Some(number) => words.push(number),
                    None => complete = false,
                }
            }
            CompileArgument::Placed(PlacedCompileArgument::Accessor(argument)) => {
                match accessor(evaluator, scope, &argument.accessor) {
                    Some((_, accessor)) => words.extend(accessor.compile_args()),
                    None => complete = false,
                }
            }
        }
    }
    complete.then_some(words)
}

/// The arguments of a `TensorAccessor` for a buffer, and the buffer's id.
fn accessor(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    name: &Name,
) -> Option<(u32, TensorAccessorArgs)> {
    let (id, facts) = scope.buffers.get(name, evaluator.mistakes())?;
    let (chip, buffer_type, page_size) = (evaluator.chip(), facts.buffer_type?, facts.page_size?);
    let arguments = match &facts.sharding {
        Some(sharding) => TensorAccessorArgs::sharded(chip, buffer_type, page_size, sharding),
        None => TensorAccessorArgs::interleaved(chip, buffer_type, page_size),
    };
    Some((id, arguments))
}
