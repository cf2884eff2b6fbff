//! Waits for a queue after single commands, as parts: the side with all of them is right, the other has none.

use std::sync::Arc;

use hallmark_execution::executor::Executor;
use hallmark_schema::model::{Capture, CommandIndex};
use hallmark_schema_editing::{apply, insert_finish_after};

use super::{Mixed, Mixture, PartKind};
use crate::bisect::device_commands;
use crate::probe::CannotTell;

/// Waits after the commands that a device executes.
#[derive(Debug)]
pub struct FinishMixture {
    capture: Arc<Capture>,
    executor: Executor,
    commands: Vec<CommandIndex>,
}

impl FinishMixture {
    /// Waits between the commands of a capture, for an executor.
    pub fn new(capture: Arc<Capture>, executor: Executor) -> Self {
        let length = capture.program.commands.len();
        let last = CommandIndex(u32::try_from(length).unwrap_or(u32::MAX));
        let mut commands = device_commands(&capture.program, (None, last), true);
        // A wait after the last command has no later command to delay.
        commands.retain(|at| usize::try_from(at.0).is_ok_and(|at| at.saturating_add(1) < length));
        Self { capture, executor, commands }
    }
}

impl Mixture for FinishMixture {
    fn kind(&self) -> PartKind {
        PartKind::Syncs
    }

    fn parts(&self) -> Vec<String> {
        self.commands.iter().map(|at| format!("a finish after command {at}")).collect()
    }

    fn equal_parts(&self) -> usize {
        0
    }

    fn with(&self, bad: &[usize]) -> Result<Mixed, CannotTell> {
        let after: Vec<CommandIndex> =
            bad.iter().filter_map(|number| self.commands.get(*number)).copied().collect();
        let edits = insert_finish_after(&self.capture.program, &after);
        let capture = Arc::new(apply(&edits, &self.capture).capture);
        Ok(Mixed { capture, executor: self.executor.clone() })
    }
}
