//! Makes edits.

use std::collections::HashSet;

use hallmark_schema::commands::EnqueueReadBuffer;
use hallmark_schema::model::{
    Blobs, Capture, Command, CommandIndex, ObjectKind, OutputHash, ProgramPart, RecordedCommand,
};

use crate::draft::{self, CommandSource, DraftCommand};
use crate::edit::Edit;
use crate::renumber::{Numbers, renumber};
use crate::{blobs, closure, insertion, record, removal};

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
    let removed = removal::removed(&ordered, &base.program, &mut skipped);
    let mut commands = draft::of(&base.program.commands);
    commands.retain(|command| !removed.contains(&command.source.position()));
    closure::close(&mut commands, &base.program);
    let commands = insertion::insert(commands, &ordered, &base.program, &mut skipped);
    skipped.sort_unstable();
    finish(commands, skipped, base)
}

/// Closes and renumbers commands until no rule of the format refuses one of them.
fn finish(mut commands: Vec<DraftCommand>, skipped: Vec<usize>, base: &Capture) -> Edited {
    loop {
        closure::close(&mut commands, &base.program);
        let (renumbered, sources, numbers) = renumber(commands.clone(), &base.program);
        let program = with_commands(&base.program, renumbered);
        // Each turn takes a command away.
        if let Some(refused) = program.refused_command() {
            let at = usize::try_from(refused.0).unwrap_or(usize::MAX);
            if at < commands.len() {
                commands.remove(at);
                continue;
            }
        }
        let capture = of_program(program, &numbers, base, &Blobs::new());
        return Edited { capture, sources, skipped, numbers };
    }
}

/// A program with other commands.
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
    }
}

/// The capture of an edited program: what of the other parts goes with it.
fn of_program(
    mut program: ProgramPart,
    numbers: &Numbers,
    base: &Capture,
    added: &Blobs,
) -> Capture {
    program.sources = blobs::sources(&base.program, &program, &base.blobs);
    let record = base.record.as_ref().map(|record| record::trimmed(record, numbers, &program));
    let mut blobs = blobs::needed(&base.blobs, &program, record.as_ref());
    blobs.extend(blobs::needed(added, &program, record.as_ref()));
    let outputs = outputs(&base.outputs, &program);
    Capture { program, record, outputs, blobs }
}

/// The outputs of the reads that are left.
fn outputs(outputs: &[OutputHash], program: &ProgramPart) -> Vec<OutputHash> {
    let left: HashSet<&str> = program
        .commands
        .iter()
        .filter_map(|recorded| match &recorded.command {
            Command::EnqueueReadBuffer(EnqueueReadBuffer { output, .. }) => Some(output.as_str()),
            _ => None,
        })
        .collect();
    outputs.iter().filter(|output| left.contains(output.name.as_str())).cloned().collect()
}
