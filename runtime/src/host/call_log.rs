//! The calls so far: how many, and the capture that records them.

use hallmark_schema::model::CommandIndex;

use crate::InternalError;
use crate::error::CallWarning;
use crate::recorder::{CaptureError, Recorder};

/// Counts calls, and records them while a capture is under way.
#[derive(Debug, Default)]
pub(super) struct CallLog {
    recorder: Recorder,
    next_command: u32,
    /// Whether an address or coordinate was handed out as a plain number.
    placement_bound: bool,
    warnings: Vec<CallWarning>,
}

impl CallLog {
    pub(super) const fn recorder(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    /// Whether a capture is under way.
    pub(super) const fn is_recording(&self) -> bool {
        self.recorder.is_active()
    }

    /// The place of the next call among the calls.
    pub(super) const fn next_command(&self) -> CommandIndex {
        CommandIndex(self.next_command)
    }

    /// Counts a call.
    pub(super) fn count(&mut self) -> Result<(), InternalError> {
        let next = self.next_command.checked_add(1);
        self.next_command = next.ok_or_else(|| InternalError::new("more than 2^32 calls"))?;
        Ok(())
    }

    /// Calls count from 0 again.
    pub(super) fn restart(&mut self) {
        self.next_command = 0;
        self.warnings.clear();
    }

    /// Notes that a call may be a mistake.
    pub(super) fn warn(&mut self, command: CommandIndex, text: String) {
        self.warnings.push(CallWarning { command, text });
    }

    /// The warnings since the last call of this function.
    pub(super) fn take_warnings(&mut self) -> Vec<CallWarning> {
        std::mem::take(&mut self.warnings)
    }

    /// Whether an address or coordinate was handed out as a plain number.
    pub(super) const fn is_placement_bound(&self) -> bool {
        self.placement_bound
    }

    /// Marks the capture under way, and every later one: the number may be used in it as well.
    pub(super) fn mark_placement_bound(&mut self) -> Result<(), CaptureError> {
        self.placement_bound = true;
        self.recorder.placement_bound()
    }
}
