//! Reads that completed, and the names of outputs.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_engine::CompletedRead;
use hallmark_schema::model::CommandIndex;

/// Reads that completed and were not taken, and the names of outputs that calls have given.
#[derive(Debug, Default)]
pub(super) struct Reads {
    completed: BTreeMap<CommandIndex, CompletedRead>,
    outputs: BTreeSet<String>,
}

impl Reads {
    pub(super) fn complete(&mut self, read: CompletedRead) {
        self.completed.insert(read.command, read);
    }

    /// Takes the bytes of a call's read; `None` if it has not completed or was taken.
    pub(super) fn take(&mut self, command: CommandIndex) -> Option<CompletedRead> {
        self.completed.remove(&command)
    }

    /// Takes all reads, in the order of their calls.
    pub(super) fn take_all(&mut self) -> Vec<CompletedRead> {
        std::mem::take(&mut self.completed).into_values().collect()
    }

    /// Takes the name of an output, whatever the call comes to.
    pub(super) fn take_name(&mut self, output: &str) {
        self.outputs.insert(output.to_owned());
    }

    pub(super) fn is_name_taken(&self, output: &str) -> bool {
        self.outputs.contains(output)
    }

    /// Forgets the names of outputs.
    pub(super) fn clear_names(&mut self) {
        self.outputs.clear();
    }

    /// Forgets reads and names.
    pub(super) fn clear(&mut self) {
        self.completed.clear();
        self.clear_names();
    }
}
