//! Puts waits and reads behind commands.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_schema::commands::EnqueueReadBuffer;
use hallmark_schema::model::{Command, CommandIndex, Outcome, ProgramPart, QueueId};

use crate::draft::{self, DraftCommand};
use crate::edit::Edit;
use crate::lifetimes::Lifetimes;

/// Makes the insertions among `edits`, with their positions in the list of all edits; adds the positions of those
/// that cannot be made to `skipped`.
pub(crate) fn insert(
    commands: Vec<DraftCommand>,
    edits: &[(usize, &Edit)],
    base: &ProgramPart,
    skipped: &mut Vec<usize>,
) -> Vec<DraftCommand> {
    let mut wanted: BTreeMap<CommandIndex, Vec<(usize, &Edit)>> = BTreeMap::new();
    for &(position, edit) in edits {
        match edit {
            Edit::InsertFinish { after, .. } | Edit::InsertRead { after, .. } => {
                wanted.entry(*after).or_default().push((position, edit));
            }
            Edit::Cut { .. } | Edit::Remove(_) => {}
        }
    }
    if wanted.is_empty() {
        return commands;
    }
    let mut insertion = Insertion {
        queues: base.num_command_queues,
        lifetimes: Lifetimes::default(),
        outputs: outputs(&commands),
        result: Vec::with_capacity(commands.len().saturating_add(wanted.len())),
        skipped,
    };
    // A command that is not there cannot be followed, though it may have been taken away.
    let count = u32::try_from(base.commands.len()).unwrap_or(u32::MAX);
    let beyond = wanted.split_off(&CommandIndex(count));
    insertion.skipped.extend(beyond.into_values().flatten().map(|(position, _)| position));
    let mut wanted = wanted.into_values().flatten().peekable();
    for command in commands {
        while let Some((position, edit)) =
            wanted.next_if(|(_, edit)| position_of(edit) < Some(command.source.position()))
        {
            insertion.edit(position, edit);
        }
        insertion.push(command);
    }
    for (position, edit) in wanted {
        insertion.edit(position, edit);
    }
    insertion.result
}

const fn position_of(edit: &Edit) -> Option<CommandIndex> {
    match edit {
        Edit::InsertFinish { after, .. } | Edit::InsertRead { after, .. } => Some(*after),
        Edit::Cut { .. } | Edit::Remove(_) => None,
    }
}

fn outputs(commands: &[DraftCommand]) -> BTreeSet<String> {
    let outputs = commands.iter().filter_map(|command| match &command.recorded.command {
        Command::EnqueueReadBuffer(call) => Some(call.output.clone()),
        _ => None,
    });
    outputs.collect()
}

struct Insertion<'s> {
    queues: u8,
    lifetimes: Lifetimes,
    outputs: BTreeSet<String>,
    result: Vec<DraftCommand>,
    skipped: &'s mut Vec<usize>,
}

impl Insertion<'_> {
    fn push(&mut self, command: DraftCommand) {
        self.lifetimes.follow(&command.recorded);
        self.result.push(command);
    }

    /// Whether a queue takes a call that waits.
    fn can_wait(&self, queue: QueueId) -> bool {
        queue.0 < self.queues && self.lifetimes.captured_on(queue).is_none()
    }

    fn edit(&mut self, position: usize, edit: &Edit) {
        // Nothing follows a call that did not return.
        let ends = self.result.last();
        let is_open = ends.is_some_and(|last| last.recorded.outcome == Outcome::Unfinished);
        let (after, command) = match edit {
            Edit::InsertFinish { after, queue } if !is_open && self.can_wait(*queue) => {
                (*after, draft::finish(*queue))
            }
            Edit::InsertRead { after, queue, buffer, region, output, expectation }
                if !is_open
                    && self.can_wait(*queue)
                    && self.lifetimes.can_read(*buffer, *region)
                    && self.outputs.insert(output.clone()) =>
            {
                let read = Command::EnqueueReadBuffer(EnqueueReadBuffer {
                    queue: *queue,
                    buffer: *buffer,
                    output: output.clone(),
                    blocking: true,
                    expectation: (*expectation).into(),
                    region: *region,
                });
                (*after, read)
            }
            Edit::InsertFinish { .. }
            | Edit::InsertRead { .. }
            | Edit::Cut { .. }
            | Edit::Remove(_) => {
                self.skipped.push(position);
                return;
            }
        };
        if command.check_shape().is_err() {
            self.skipped.push(position);
            return;
        }
        self.push(DraftCommand::inserted(after, command));
    }
}
