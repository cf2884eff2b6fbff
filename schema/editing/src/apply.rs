//! Makes edits.

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
    /// What is left: a capture by all rules of the format, if the capture before any edit was one.
    pub capture: Capture,
    /// Where each of its commands comes from.
    pub sources: Vec<CommandSource>,
    /// The edits that were left out, by their positions in the list, ascending.
    pub skipped: Vec<usize>,
    numbers: Numbers,
}

impl Edited {
    /// The place of a command of the capture before any edit, if the command is left.
    pub fn place_of(&self, command: CommandIndex) -> Option<CommandIndex> {
        self.numbers.command(command)
    }

    /// The id of an object of the capture before any edit, if the object is left.
    pub fn object(&self, kind: ObjectKind, id: u32) -> Option<u32> {
        self.numbers.object(kind, id)
    }

    /// The id that an object had in the capture before any edit.
    pub fn original_object(&self, kind: ObjectKind, id: u32) -> Option<u32> {
        self.numbers.original_object(kind, id)
    }
}

/// Makes edits of a valid capture. Edits that are given twice are made once, and their order makes no difference.
///
/// Whatever cannot stand without what edits take away is taken away with it: uses of objects, launches of programs
/// whose arguments are gone, failures that blame them. What is left is numbered anew. The record holds what a replay
/// needs, and what is still true of the one run that the capture holds.
pub fn apply(edits: &[Edit], base: &Capture) -> Edited {
    let mut unique = HashSet::new();
    let mut ordered: Vec<(usize, &Edit)> =
        edits.iter().enumerate().filter(|(_, edit)| unique.insert(*edit)).collect();
    // Edits of one capture have one order, in which they do not disturb each other: that of their declaration.
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

/// Takes commands away and puts others in, until no rule of the format refuses what is left.
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
    // Each turn takes a command away.
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

/// Whether an edit changes calls, and neither takes commands away nor puts any there.
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

/// Changes calls: all at once if that can be, and otherwise one change after the other, without those that a rule of the
/// format refuses.
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

/// Makes a change; `false` if its precondition does not hold.
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

/// Closes the commands of a draft and numbers what is left.
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

/// The inputs and outputs whose buffers are left. One whose buffer is used in a way that only a buffer with content
/// can be is refused by a rule of the format.
fn free_tensors(before: &[FreeTensor], numbers: &Numbers) -> Vec<FreeTensor> {
    let left = before.iter().filter_map(|tensor| {
        let buffer = numbers.object(ObjectKind::Buffer, tensor.buffer.0)?;
        Some(FreeTensor { buffer: BufferId(buffer), ..tensor.clone() })
    });
    left.collect()
}

/// A program with other commands, and without inputs and outputs.
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

/// The capture of an edited program: what of the other parts goes with it.
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

/// The outputs of the reads that are left and return what they returned.
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
    let is_known = |output: &&OutputHash| {
        let hashes = record.map(|record| record.reads.iter().map(|read| read.hash));
        hashes.is_none_or(|mut hashes| hashes.any(|hash| hash == output.hash))
    };
    let left = outputs.iter().filter(|output| left.contains(output.name.as_str()));
    left.filter(is_known).cloned().collect()
}
