//! The commands of a capture that is being edited; their ids are still those of the original capture.

use std::collections::BTreeSet;

use hallmark_schema::commands::{Finish, Wait};
use hallmark_schema::model::{
    Blobs, Capture, Command, CommandIndex, FreeTensor, Outcome, QueueId, RecordedCommand,
};
use serde::{Deserialize, Serialize};

use crate::edit::Symbols;

/// The origin of a command of an edited capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CommandSource {
    /// A command of the original capture, perhaps with changed arguments.
    Command(CommandIndex),
    /// A launch from an unrolled trace.
    Unrolled {
        /// The launch that the trace recorded.
        enqueue: CommandIndex,
        /// The replay that the launch replaces.
        replay: CommandIndex,
    },
    /// A command that an edit inserted.
    Inserted {
        /// The command of the original capture that precedes it.
        after: CommandIndex,
    },
}

impl CommandSource {
    /// The command of the original capture that it comes from or follows.
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
    /// A command that an edit inserts. Its outcome is assumed to be `Done`.
    pub(crate) const fn inserted(after: CommandIndex, command: Command) -> Self {
        let source = CommandSource::Inserted { after };
        Self { source, recorded: RecordedCommand { command, outcome: Outcome::Done } }
    }
}

/// A capture that is being edited.
#[derive(Clone, Debug)]
pub(crate) struct Draft<'c> {
    /// The original capture.
    pub(crate) base: &'c Capture,
    pub(crate) commands: Vec<DraftCommand>,
    /// The requested number of command queues.
    pub(crate) num_command_queues: u8,
    /// Inputs and outputs, with the ids of the original capture.
    pub(crate) free_tensors: Vec<FreeTensor>,
    /// Bytes that the original capture does not hold.
    pub(crate) added: Blobs,
    /// Whether the text of kernels is left out.
    pub(crate) without_sources: bool,
    /// The change of the ELFs' symbols, if there is one.
    pub(crate) symbols: Option<Symbols>,
}

/// The commands of a program, each with its origin.
pub(crate) fn of(commands: &[RecordedCommand]) -> Vec<DraftCommand> {
    let draft = |(index, recorded): (u32, &RecordedCommand)| DraftCommand {
        source: CommandSource::Command(CommandIndex(index)),
        recorded: recorded.clone(),
    };
    (0..).zip(commands).map(draft).collect()
}

/// A `Finish` of the queue.
pub(crate) const fn finish(queue: QueueId) -> Command {
    Command::Finish(Finish { queue })
}

/// The queues on which a command takes an event number.
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

/// The queues of these commands, ascending.
pub(crate) fn queues_of<'c>(
    commands: impl IntoIterator<Item = &'c RecordedCommand>,
) -> Vec<QueueId> {
    let queues: BTreeSet<QueueId> =
        commands.into_iter().filter_map(|recorded| recorded.command.queue()).collect();
    queues.into_iter().collect()
}
