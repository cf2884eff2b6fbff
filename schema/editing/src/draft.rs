//! A capture's commands while they are edited: their ids are still those of the capture before any edit.

use std::collections::BTreeSet;

use hallmark_schema::commands::{Finish, Wait};
use hallmark_schema::model::{
    Blobs, Capture, Command, CommandIndex, FreeTensor, Outcome, QueueId, RecordedCommand,
};
use serde::{Deserialize, Serialize};

use crate::edit::Symbols;

/// Where a command of an edited capture comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CommandSource {
    /// It is a command of the capture before any edit, perhaps with other arguments.
    Command(CommandIndex),
    /// It launches what a trace launched.
    Unrolled {
        /// The launch that became a part of the trace.
        enqueue: CommandIndex,
        /// The replay of the trace that it stands for.
        replay: CommandIndex,
    },
    /// An edit put it there.
    Inserted {
        /// The command of the capture before any edit that it follows.
        after: CommandIndex,
    },
}

impl CommandSource {
    /// The command of the capture before any edit that it comes from or follows.
    pub(crate) const fn position(self) -> CommandIndex {
        match self {
            Self::Command(index) => index,
            Self::Unrolled { replay, .. } => replay,
            Self::Inserted { after } => after,
        }
    }
}

/// A command of a draft.
#[derive(Clone, Debug)]
pub(crate) struct DraftCommand {
    pub(crate) source: CommandSource,
    pub(crate) recorded: RecordedCommand,
}

impl DraftCommand {
    /// A command that an edit puts there, and that is taken to succeed.
    pub(crate) const fn inserted(after: CommandIndex, command: Command) -> Self {
        let source = CommandSource::Inserted { after };
        Self { source, recorded: RecordedCommand { command, outcome: Outcome::Done } }
    }
}

/// A capture that is being edited.
#[derive(Clone, Debug)]
pub(crate) struct Draft<'c> {
    /// The capture before any edit.
    pub(crate) base: &'c Capture,
    pub(crate) commands: Vec<DraftCommand>,
    /// Command queues asked for.
    pub(crate) num_command_queues: u8,
    /// Inputs and outputs, with the ids of the capture before any edit.
    pub(crate) free_tensors: Vec<FreeTensor>,
    /// Bytes that the capture before any edit does not hold.
    pub(crate) added: Blobs,
    /// Whether the text of kernels is left out.
    pub(crate) without_sources: bool,
    /// What becomes of the symbols of ELFs, if they change.
    pub(crate) symbols: Option<Symbols>,
}

/// The commands of a program, each with its source.
pub(crate) fn of(commands: &[RecordedCommand]) -> Vec<DraftCommand> {
    let draft = |(index, recorded): (u32, &RecordedCommand)| DraftCommand {
        source: CommandSource::Command(CommandIndex(index)),
        recorded: recorded.clone(),
    };
    (0..).zip(commands).map(draft).collect()
}

/// `Finish`.
pub(crate) const fn finish(queue: QueueId) -> Command {
    Command::Finish(Finish { queue })
}

/// The queues on which a command takes a number of those that the queue gives its events.
pub(crate) fn numbered_queues(command: &Command, queues: u8) -> Vec<QueueId> {
    if let Command::EnqueueRecordEvent(call) = command {
        return vec![call.queue];
    }
    match command.waits_for() {
        Wait::Nothing | Wait::Event(_) => Vec::new(),
        Wait::Queue(queue) => vec![queue],
        Wait::AllQueues => (0..queues).map(QueueId).collect(),
    }
}

/// The queues that commands are given to, ascending.
pub(crate) fn queues_of<'c>(
    commands: impl IntoIterator<Item = &'c RecordedCommand>,
) -> Vec<QueueId> {
    let queues: BTreeSet<QueueId> =
        commands.into_iter().filter_map(|recorded| recorded.command.queue()).collect();
    queues.into_iter().collect()
}
