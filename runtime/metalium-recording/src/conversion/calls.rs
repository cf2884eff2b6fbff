//! The calls of the capture so far.

use hallmark_schema::model::{Command, CommandIndex, CommandKind, Outcome, RecordedCommand};

/// The calls of the capture so far, and the next ids.
#[derive(Debug, Default)]
pub(super) struct Calls {
    all: Vec<RecordedCommand>,
    next: Next,
}

/// The id of the next object of each kind. `Buffers` counts buffers.
#[derive(Debug, Default)]
pub(super) struct Next {
    pub(super) program: u32,
    pub(super) kernel: u32,
    pub(super) circular_buffer: u32,
    pub(super) semaphore: u32,
    pub(super) event: u32,
    pub(super) trace: u32,
    pub(super) read: u32,
}

impl Calls {
    /// Adds a call with the outcome `Done`.
    pub(super) fn push(&mut self, command: Command) -> CommandIndex {
        let index = CommandIndex(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        self.all.push(RecordedCommand { command, outcome: Outcome::Done });
        index
    }

    /// Returns an id and increments it.
    pub(super) fn take(&mut self, next: impl FnOnce(&mut Next) -> &mut u32) -> u32 {
        let next = next(&mut self.next);
        let id = *next;
        *next = next.saturating_add(1);
        id
    }

    pub(super) const fn len(&self) -> usize {
        self.all.len()
    }

    /// Sets the outcome of a call.
    pub(super) fn end_with(&mut self, index: CommandIndex, outcome: Outcome) {
        let at = usize::try_from(index.0).unwrap_or(usize::MAX);
        if let Some(call) = self.all.get_mut(at) {
            call.outcome = outcome;
        }
    }

    /// Whether a call is the last.
    pub(super) fn is_last(&self, index: CommandIndex) -> bool {
        usize::try_from(index.0).is_ok_and(|at| at.checked_add(1) == Some(self.len()))
    }

    /// Removes a call. The calls after it move up by one.
    pub(super) fn remove(&mut self, index: CommandIndex) -> Option<CommandKind> {
        let at = usize::try_from(index.0).ok().filter(|at| *at < self.len())?;
        Some(self.all.remove(at).command.kind())
    }

    pub(super) fn into_commands(self) -> Vec<RecordedCommand> {
        self.all
    }
}
