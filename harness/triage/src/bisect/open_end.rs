//! Reopens the last call of a capture if it ended in an unexpected stop.
//!
//! The end of that call is the question to both sides. A device with fewer checks than the recorded one would
//! refuse to repeat a fault that it cannot detect.

use std::borrow::Cow;

use hallmark_schema::model::{Capture, CommandIndex, Outcome};

/// The capture without an unexpected stop at its end.
pub fn with_open_end(capture: &Capture) -> Cow<'_, Capture> {
    let last = capture.program.commands.len().saturating_sub(1);
    let at = CommandIndex(u32::try_from(last).unwrap_or(u32::MAX));
    let mut expected = capture.record.iter().flat_map(|record| &record.expected_faults);
    let stops = match capture.program.commands.last().map(|recorded| &recorded.outcome) {
        Some(Outcome::Failed(failure)) => failure.ends_the_run(),
        Some(Outcome::Done | Outcome::Unfinished) | None => false,
    };
    if !stops || expected.any(|fault| fault.command == at) {
        return Cow::Borrowed(capture);
    }
    let mut open = capture.clone();
    if let Some(last) = open.program.commands.last_mut() {
        last.outcome = Outcome::Unfinished;
    }
    if let Some(record) = &mut open.record {
        record.faults.clear();
        record.waits.clear();
    }
    Cow::Owned(open)
}
