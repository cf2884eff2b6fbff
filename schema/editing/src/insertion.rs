//! Inserts waits, writes and reads after commands.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_schema::commands::{EnqueueReadBuffer, EnqueueWriteBuffer};
use hallmark_schema::model::{
    Command, CommandIndex, Data, DataType, Generator, Outcome, ProgramPart, QueueId,
};

use crate::draft::{self, DraftCommand};
use crate::edit::Edit;
use crate::lifetimes::Lifetimes;

/// Applies the insertions among `edits`, which come with their positions in the list of all edits. Adds the
/// positions of impossible ones to `skipped`.
pub(crate) fn insert(
    commands: Vec<DraftCommand>,
    edits: &[(usize, &Edit)],
    base: &ProgramPart,
    skipped: &mut Vec<usize>,
) -> Vec<DraftCommand> {
    let mut wanted: BTreeMap<CommandIndex, Vec<(usize, &Edit)>> = BTreeMap::new();
    for &(position, edit) in edits {
        if let Some(after) = position_of(edit) {
            wanted.entry(after).or_default().push((position, edit));
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
    // An insertion needs a command of the original capture, even one that another edit removes.
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
        Edit::InsertFinish { after, .. }
        | Edit::InsertWrite { after, .. }
        | Edit::InsertRead { after, .. } => Some(*after),
        _ => None,
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

    /// Whether a queue accepts a blocking call.
    fn can_wait(&self, queue: QueueId) -> bool {
        queue.0 < self.queues && self.lifetimes.captured_on(queue).is_none()
    }

    fn edit(&mut self, position: usize, edit: &Edit) {
        // No call can follow one that did not return.
        let last = self.result.last();
        let is_open = last.is_some_and(|last| last.recorded.outcome == Outcome::Unfinished);
        let inserted = position_of(edit).filter(|_| !is_open).zip(self.command(edit));
        match inserted.filter(|(_, command)| command.check_shape().is_ok()) {
            Some((after, command)) => self.push(DraftCommand::inserted(after, command)),
            None => self.skipped.push(position),
        }
    }

    /// The call that an edit inserts, if it is possible at this point.
    fn command(&mut self, edit: &Edit) -> Option<Command> {
        if let Edit::InsertFinish { after: _, queue } = edit {
            return self.can_wait(*queue).then(|| draft::finish(*queue));
        }
        if let Edit::InsertWrite { after: _, queue, buffer } = edit {
            let size = self.lifetimes.size(*buffer).filter(|_| self.can_wait(*queue))?;
            let zeros = Generator::Constant { data_type: DataType::Uint32, bits: 0 };
            return Some(Command::EnqueueWriteBuffer(EnqueueWriteBuffer {
                queue: *queue,
                buffer: *buffer,
                data: Data::generated(zeros, size),
                blocking: true,
                region: None,
            }));
        }
        let Edit::InsertRead { after: _, queue, buffer, region, output, expectation } = edit else {
            return None;
        };
        let fits = self.can_wait(*queue)
            && self.lifetimes.can_read(*buffer, *region)
            && self.outputs.insert(output.clone());
        fits.then(|| {
            Command::EnqueueReadBuffer(EnqueueReadBuffer {
                queue: *queue,
                buffer: *buffer,
                output: output.clone(),
                blocking: true,
                expectation: (*expectation).into(),
                region: *region,
            })
        })
    }
}
