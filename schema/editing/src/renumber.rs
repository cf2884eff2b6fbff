//! Gives the remaining objects and commands of a capture dense ids again.

use std::collections::BTreeMap;

use hallmark_schema::commands::Role;
use hallmark_schema::model::{
    Command, CommandIndex, FailureReference, ObjectKind, Outcome, ProgramPart, RecordedCommand,
};

use crate::draft::{CommandSource, DraftCommand, numbered_queues};

/// The new numbers of remaining objects and commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Numbers {
    objects: BTreeMap<(ObjectKind, u32), u32>,
    commands: BTreeMap<CommandIndex, CommandIndex>,
}

impl Numbers {
    /// The new id of an object; `None` if it was removed.
    pub(crate) fn object(&self, kind: ObjectKind, id: u32) -> Option<u32> {
        self.objects.get(&(kind, id)).copied()
    }

    /// The original id of an object.
    pub(crate) fn original_object(&self, kind: ObjectKind, id: u32) -> Option<u32> {
        let of_kind = (kind, 0)..=(kind, u32::MAX);
        self.objects.range(of_kind).find(|(_, new)| **new == id).map(|((_, old), _)| *old)
    }

    /// The new index of a command; `None` if it was removed.
    pub(crate) fn command(&self, index: CommandIndex) -> Option<CommandIndex> {
        self.commands.get(&index).copied()
    }
}

/// Renumbers closed commands of `base`; returns them with their origins.
pub(crate) fn renumber(
    commands: Vec<DraftCommand>,
    base: &ProgramPart,
) -> (Vec<RecordedCommand>, Vec<CommandSource>, Numbers) {
    let mut numbers = Numbers::default();
    let mut next: BTreeMap<ObjectKind, u32> = BTreeMap::new();
    let mut events = EventNumbers::new(base);
    let (mut renumbered, mut sources) = (Vec::new(), Vec::new());
    for (place, DraftCommand { source, mut recorded }) in (0..).map(CommandIndex).zip(commands) {
        match source {
            CommandSource::Command(index) => {
                numbers.commands.insert(index, place);
            }
            CommandSource::Unrolled { .. } | CommandSource::Inserted { .. } => {}
        }
        recorded.command.for_each_reference_mut(|role, kind, id| match role {
            Role::Creates => {
                let next = next.entry(kind).or_default();
                numbers.objects.insert((kind, *id), *next);
                *id = *next;
                *next = next.saturating_add(1);
            }
            Role::Uses | Role::Releases | Role::Names => {
                *id = numbers.object(kind, *id).unwrap_or(*id);
            }
        });
        if let Outcome::Failed(failure) = &mut recorded.outcome {
            let again = failure.renumbered(|reference| match reference {
                FailureReference::Object(kind, id) => Some(numbers.object(kind, id).unwrap_or(id)),
                FailureReference::Command(index) => numbers.command(index).map(|place| place.0),
            });
            if let Some(again) = again {
                *failure = again;
            }
        }
        events.follow(source, &mut recorded.command);
        renumbered.push(recorded);
        sources.push(source);
    }
    (renumbered, sources, numbers)
}

/// The numbers that queues give their events. An expected number is dropped if an edit removed or inserted an
/// earlier call that takes a number.
struct EventNumbers<'p> {
    base: &'p ProgramPart,
    /// Numbers taken before each command of the base, by queue.
    before: Vec<BTreeMap<u8, u32>>,
    now: BTreeMap<u8, u32>,
}

impl<'p> EventNumbers<'p> {
    fn new(base: &'p ProgramPart) -> Self {
        let mut taken = BTreeMap::new();
        let mut before = Vec::with_capacity(base.commands.len());
        for recorded in &base.commands {
            before.push(taken.clone());
            take(&mut taken, &recorded.command, base.num_command_queues);
        }
        Self { base, before, now: BTreeMap::new() }
    }

    fn follow(&mut self, source: CommandSource, command: &mut Command) {
        if let (Command::EnqueueRecordEvent(call), CommandSource::Command(index)) =
            (&mut *command, source)
        {
            let before = usize::try_from(index.0).ok().and_then(|index| self.before.get(index));
            let before = before.and_then(|taken| taken.get(&call.queue.0));
            if before != self.now.get(&call.queue.0) {
                call.number = None;
            }
        }
        take(&mut self.now, command, self.base.num_command_queues);
    }
}

fn take(taken: &mut BTreeMap<u8, u32>, command: &Command, queues: u8) {
    for queue in numbered_queues(command, queues) {
        let count = taken.entry(queue.0).or_insert(0);
        *count = count.saturating_add(1);
    }
}
