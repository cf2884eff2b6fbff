//! Applies edits to captures.

use std::collections::HashSet;

use hallmark_schema::commands::EnqueueReadBuffer;
use hallmark_schema::model::{
    Blobs, BufferId, Capture, Command, CommandIndex, FreeTensor, ObjectKind, OutputHash,
    ProgramPart, Record, RecordedCommand,
};

use crate::draft::{self, CommandSource, Draft};
use crate::edit::Edit;
use crate::renumber::{Numbers, renumber};
use crate::{
    blobs, closure, cores, insertion, naming, queues, record, removal, sizes, symbols, traces,
    values,
};

/// A capture after edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The edited capture. It keeps all rules of the format if the original capture did.
    pub capture: Capture,
    /// The origin of each of its commands.
    pub sources: Vec<CommandSource>,
    /// The positions in the list of the edits that were left out, ascending.
    pub skipped: Vec<usize>,
    numbers: Numbers,
}

impl Edited {
    /// The new index of a command of the original capture; `None` if the command was removed.
    pub fn place_of(&self, command: CommandIndex) -> Option<CommandIndex> {
        self.numbers.command(command)
    }

    /// The new id of an object of the original capture; `None` if the object was removed.
    pub fn object(&self, kind: ObjectKind, id: u32) -> Option<u32> {
        self.numbers.object(kind, id)
    }

    /// The id in the original capture of an object of the edited one.
    pub fn original_object(&self, kind: ObjectKind, id: u32) -> Option<u32> {
        self.numbers.original_object(kind, id)
    }
}

/// Applies edits to a valid capture. A repeated edit is applied once, and the order of the edits makes no
/// difference.
///
/// Everything that depends on removed parts is removed with them: uses of objects, launches of programs whose
/// arguments were removed, failures that blame them. The remaining commands and objects are renumbered. The
/// record keeps the facts that a replay needs, and those that remain true of the recorded run.
pub fn apply(edits: &[Edit], base: &Capture) -> Edited {
    let mut unique = HashSet::new();
    let mut ordered: Vec<(usize, &Edit)> =
        edits.iter().enumerate().filter(|(_, edit)| unique.insert(*edit)).collect();
    // The edits of one capture are applied in the order of their declaration, in which they do not disturb each
    // other.
    ordered.sort_by_key(|(_, edit)| *edit);
    let mut skipped = Vec::new();
    let mut draft = structure(&ordered, base, &mut skipped);
    let changes: Vec<(usize, &Edit)> =
        ordered.into_iter().filter(|(_, edit)| is_change(edit)).collect();
    if !changes.is_empty() {
        draft = changed(draft, &changes, &mut skipped);
    }
    skipped.sort_unstable();
    let (program, sources, numbers) = numbered(&mut draft);
    let capture = of_program(program, &numbers, &draft);
    Edited { capture, sources, skipped, numbers }
}

/// Removes and inserts commands until the rest breaks no rule of the format.
fn structure<'c>(
    ordered: &[(usize, &Edit)],
    base: &'c Capture,
    skipped: &mut Vec<usize>,
) -> Draft<'c> {
    let removed = removal::removed(ordered, &base.program, skipped);
    let mut commands = draft::of(&base.program.commands);
    commands.retain(|command| !removed.contains(&command.source.position()));
    for &(position, edit) in ordered {
        if let Edit::UnrollTrace { trace } = edit
            && !traces::unroll(*trace, &mut commands, &base.program)
        {
            skipped.push(position);
        }
    }
    closure::close(&mut commands, &base.program);
    let commands = insertion::insert(commands, ordered, &base.program, skipped);
    let mut draft = Draft {
        base,
        commands,
        num_command_queues: base.program.num_command_queues,
        free_tensors: base.program.free_tensors.clone(),
        added: Blobs::new(),
        without_sources: false,
        symbols: None,
    };
    // Each iteration removes a command.
    loop {
        let (program, ..) = numbered(&mut draft);
        let refused = program.refused_command();
        let refused = refused.and_then(|index| usize::try_from(index.0).ok());
        match refused.filter(|index| *index < draft.commands.len()) {
            Some(index) => {
                draft.commands.remove(index);
            }
            None => return draft,
        }
    }
}

/// Whether an edit changes calls, and neither removes nor inserts commands.
const fn is_change(edit: &Edit) -> bool {
    match edit {
        Edit::Cut { .. }
        | Edit::Remove(_)
        | Edit::UnrollTrace { .. }
        | Edit::InsertFinish { .. }
        | Edit::InsertWrite { .. }
        | Edit::InsertRead { .. } => false,
        Edit::MakeBlocking { .. }
        | Edit::MergeQueues
        | Edit::KeepCores { .. }
        | Edit::RemoveCores { .. }
        | Edit::ResizeBuffers { .. }
        | Edit::ResizeCircularBuffer { .. }
        | Edit::SetInitialValue { .. }
        | Edit::SetArgument { .. }
        | Edit::FillData { .. }
        | Edit::ExpectAsCaptured
        | Edit::ReplaceNames
        | Edit::ReplaceSources
        | Edit::ReplaceSymbols(_) => true,
    }
}

/// Applies changes of calls: all at once if the format allows it, and otherwise one after the other, without
/// those that break a rule of the format.
fn changed<'c>(
    draft: Draft<'c>,
    changes: &[(usize, &Edit)],
    skipped: &mut Vec<usize>,
) -> Draft<'c> {
    let mut all = draft.clone();
    let mut unfit = Vec::new();
    for &(position, edit) in changes {
        if !change(edit, &mut all) {
            unfit.push(position);
        }
    }
    if numbered(&mut all).0.refused_command().is_none() {
        skipped.extend(unfit);
        return all;
    }
    let mut draft = draft;
    for &(position, edit) in changes {
        let mut next = draft.clone();
        if change(edit, &mut next) && numbered(&mut next).0.refused_command().is_none() {
            draft = next;
        } else {
            skipped.push(position);
        }
    }
    draft
}

/// Applies a change; `false` if its precondition does not hold.
fn change(edit: &Edit, draft: &mut Draft<'_>) -> bool {
    match edit {
        Edit::Cut { .. }
        | Edit::Remove(_)
        | Edit::UnrollTrace { .. }
        | Edit::InsertFinish { .. }
        | Edit::InsertWrite { .. }
        | Edit::InsertRead { .. } => true,
        Edit::MakeBlocking { command } => queues::make_blocking(*command, draft),
        Edit::MergeQueues => queues::merge(draft),
        Edit::KeepCores { program, cores } => cores::keep(*program, *cores, draft),
        Edit::RemoveCores { program, cores } => cores::remove(*program, *cores, draft),
        Edit::ResizeBuffers { buffers, pages, page_size } => {
            sizes::resize(buffers, *pages, *page_size, draft)
        }
        Edit::ResizeCircularBuffer { circular_buffer, pages } => {
            values::resize_circular_buffer(*circular_buffer, *pages, draft)
        }
        Edit::SetInitialValue { semaphore, value } => {
            values::set_initial_value(*semaphore, *value, draft)
        }
        Edit::SetArgument { command, set, index, value } => {
            values::set_argument(*command, *set, *index, *value, draft)
        }
        Edit::FillData { command, fill } => values::fill(*command, *fill, draft),
        Edit::ExpectAsCaptured => values::expect_as_captured(draft),
        Edit::ReplaceNames => naming::replace_names(draft),
        Edit::ReplaceSources => {
            draft.without_sources = true;
            true
        }
        Edit::ReplaceSymbols(symbols) => {
            draft.symbols = Some(*symbols);
            true
        }
    }
}

/// Removes the dependents of removed commands from a draft and renumbers the rest.
fn numbered(draft: &mut Draft<'_>) -> (ProgramPart, Vec<CommandSource>, Numbers) {
    closure::close(&mut draft.commands, &draft.base.program);
    let (renumbered, sources, numbers) = renumber(draft.commands.clone(), &draft.base.program);
    let mut program = with_commands(&draft.base.program, renumbered);
    program.num_command_queues = draft.num_command_queues;
    program.free_tensors = free_tensors(&draft.free_tensors, &numbers);
    while let Some(place) = program.refused_free_tensor() {
        program.free_tensors.remove(place);
    }
    (program, sources, numbers)
}

/// The inputs and outputs whose buffers remain. A rule of the format refuses a tensor whose buffer is used as
/// one with content.
fn free_tensors(before: &[FreeTensor], numbers: &Numbers) -> Vec<FreeTensor> {
    let left = before.iter().filter_map(|tensor| {
        let buffer = numbers.object(ObjectKind::Buffer, tensor.buffer.0)?;
        Some(FreeTensor { buffer: BufferId(buffer), ..tensor.clone() })
    });
    left.collect()
}

/// The program with other commands, and without inputs and outputs.
fn with_commands(base: &ProgramPart, commands: Vec<RecordedCommand>) -> ProgramPart {
    ProgramPart {
        architecture: base.architecture,
        grid: base.grid,
        placement_bound: base.placement_bound,
        sources: base.sources.clone(),
        commands,
        num_command_queues: base.num_command_queues,
        trace_region_size: base.trace_region_size,
        l1_small_size: base.l1_small_size,
        worker_l1_size: base.worker_l1_size,
        free_tensors: Vec::new(),
    }
}

/// The capture of an edited program, with the matching record, outputs and blobs.
fn of_program(mut program: ProgramPart, numbers: &Numbers, draft: &Draft<'_>) -> Capture {
    let base = draft.base;
    program.sources = blobs::sources(&base.program, &program, &base.blobs);
    let record = base.record.as_ref().map(|record| record::trimmed(record, numbers, &program));
    let mut blobs = blobs::needed(&base.blobs, &program, record.as_ref());
    blobs.extend(blobs::needed(&draft.added, &program, record.as_ref()));
    let outputs = outputs(&base.outputs, &program, record.as_ref());
    let mut capture = Capture { program, record, outputs, blobs };
    if draft.without_sources {
        naming::without_sources(&mut capture);
    }
    if let Some(symbols) = draft.symbols {
        symbols::replace(&mut capture, symbols);
    }
    capture
}

/// The outputs of the remaining reads that still return the same bytes.
fn outputs(
    outputs: &[OutputHash],
    program: &ProgramPart,
    record: Option<&Record>,
) -> Vec<OutputHash> {
    let left: HashSet<&str> = program
        .commands
        .iter()
        .filter_map(|recorded| match &recorded.command {
            Command::EnqueueReadBuffer(EnqueueReadBuffer { output, .. }) => Some(output.as_str()),
            _ => None,
        })
        .collect();
    let read: Option<HashSet<_>> =
        record.map(|record| record.reads.iter().map(|read| read.hash).collect());
    let is_known =
        |output: &&OutputHash| read.as_ref().is_none_or(|read| read.contains(&output.hash));
    let left = outputs.iter().filter(|output| left.contains(output.name.as_str()));
    left.filter(is_known).cloned().collect()
}
