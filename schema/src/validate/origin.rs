//! The rules of a capture's origin: the program contains everything that the origin names.

use std::collections::HashMap;

use hallmark_chip::LogicalCore;

use super::record::{ascending, command};
use super::text;
use crate::commands;
use crate::error::{CaptureError, Path, Rule};
use crate::limits;
use crate::model::{
    ArgumentRelocation, Command, CoreArguments, ExecutorRecord, ObjectKind, Origin,
    PlacementBoundWord, ProgramPart,
};

type Result = std::result::Result<(), CaptureError>;

/// Checks an origin against its program.
pub(super) fn check(origin: &Origin, program: &ProgramPart, path: &Path<'_>) -> Result {
    let ExecutorRecord { name, release, build_id, kernel_compiler } = &origin.executor;
    let place = path.field("executor");
    text::prose(name, &place.field("name"))?;
    text::prose(release, &place.field("release"))?;
    text::prose(build_id, &place.field("build_id"))?;
    text::prose(kernel_compiler, &place.field("kernel_compiler"))?;
    let place = path.field("missing");
    place.at_most("texts", origin.missing.len() as u64, limits::RECORD_ENTRIES)?;
    for (index, what) in origin.missing.iter().enumerate() {
        text::reason(what, &place.index(index))?;
    }
    let place = path.field("generated_bindings");
    place.at_most("kernels", origin.generated_bindings.len() as u64, limits::RECORD_ENTRIES)?;
    ascending(&origin.generated_bindings, |bindings| bindings.kernel, &place)?;
    let kernels = count(program, ObjectKind::Kernel);
    for (index, bindings) in origin.generated_bindings.iter().enumerate() {
        let place = place.index(index);
        text::prose(&bindings.original, &place.field("original"))?;
        defined(ObjectKind::Kernel, bindings.kernel.0, kernels, &place.field("kernel"))?;
    }
    let place = path.field("dataflow_buffers");
    place.at_most("buffers", origin.dataflow_buffers.len() as u64, limits::RECORD_ENTRIES)?;
    ascending(&origin.dataflow_buffers, |buffer| *buffer, &place)?;
    let buffers = count(program, ObjectKind::CircularBuffer);
    for (index, buffer) in origin.dataflow_buffers.iter().enumerate() {
        defined(ObjectKind::CircularBuffer, buffer.0, buffers, &place.index(index))?;
    }
    words(&origin.placement_bound_words, program, &path.field("placement_bound_words"))
}

/// The number of objects of a kind that the program creates or tries to create.
fn count(program: &ProgramPart, object: ObjectKind) -> u64 {
    let created = program.commands.iter().filter_map(|made| made.command.created());
    created.filter(|(kind, ..)| *kind == object).count() as u64
}

fn defined(object: ObjectKind, id: u32, count: u64, path: &Path<'_>) -> Result {
    if u64::from(id) >= count {
        return Err(path.error(Rule::Undefined { object, id }));
    }
    Ok(())
}

fn words(words: &[PlacementBoundWord], program: &ProgramPart, path: &Path<'_>) -> Result {
    path.at_most("words", words.len() as u64, limits::RECORD_ENTRIES)?;
    ascending(words, |word| *word, path)?;
    if !words.is_empty() && !program.placement_bound {
        let other = "the program part, which is not placement-bound";
        return Err(path.error(Rule::Contradiction { other }));
    }
    let mut first = 0;
    for of_command in words.chunk_by(|one, other| one.command == other.command) {
        let is_there = has_words(of_command, program);
        for (index, (word, is_there)) in (first..).zip(of_command.iter().zip(is_there)) {
            if !is_there {
                let PlacementBoundWord { command, core: _, index: word } = *word;
                let rule = Rule::NotThatWord { command, index: word };
                return Err(path.index(index).error(rule));
            }
        }
        first = first.saturating_add(of_command.len());
    }
    Ok(())
}

/// Whether each of these words of one command exists and is a plain number.
fn has_words(words: &[PlacementBoundWord], program: &ProgramPart) -> Vec<bool> {
    let named = words.first().and_then(|word| command(program, word.command));
    let of_all = |values: &[u32], relocations: &[ArgumentRelocation]| -> Vec<bool> {
        let is_there = |word: &PlacementBoundWord| {
            word.core.is_none() && is_plain(word.index, values, relocations)
        };
        words.iter().map(is_there).collect()
    };
    match named.map(|made| &made.command) {
        Some(Command::CreateKernel(call)) => of_all(&call.compile_args, &[]),
        Some(Command::SetCommonRuntimeArgs(call)) => of_all(&call.values, &call.relocations),
        Some(Command::UpdateCommonRuntimeArgs(call)) => of_all(&call.values, &call.relocations),
        Some(Command::SetRuntimeArgs(call)) => {
            let sets = last_sets(words, call);
            let is_there = |word: &PlacementBoundWord| {
                let set = word.core.and_then(|core| sets.get(&core).copied().flatten());
                set.is_some_and(|set| is_plain(word.index, &set.values, &set.relocations))
            };
            words.iter().map(is_there).collect()
        }
        Some(_) | None => vec![false; words.len()],
    }
}

/// The arguments that a call sets for each core named by a word. Each core of the call is visited once, so that
/// the time does not depend on the number of words.
fn last_sets<'c>(
    words: &[PlacementBoundWord],
    call: &'c commands::SetRuntimeArgs,
) -> HashMap<LogicalCore, Option<&'c CoreArguments>> {
    let mut sets: HashMap<LogicalCore, Option<&CoreArguments>> =
        words.iter().filter_map(|word| Some((word.core?, None))).collect();
    for set in &call.args {
        for core in set.cores.iter().flat_map(|range| range.cores()) {
            if let Some(found) = sets.get_mut(&core) {
                *found = Some(set);
            }
        }
    }
    sets
}

fn is_plain(index: u32, values: &[u32], relocations: &[ArgumentRelocation]) -> bool {
    let is_there = usize::try_from(index).is_ok_and(|index| index < values.len());
    is_there && relocations.binary_search_by_key(&index, |relocation| relocation.index).is_err()
}
