//! Colours of verdicts and messages, the same in all output.

use anstyle::{AnsiColor, Style};

use crate::verdict::Verdict;

/// What is well.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// What is not.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// What is excused, or wants a look.
pub const EXCUSED: Style = AnsiColor::Yellow.on_default();

/// The colour of a verdict.
pub const fn of(verdict: &Verdict) -> Style {
    match verdict {
        Verdict::Pass => GOOD,
        Verdict::Skipped { .. }
        | Verdict::ExpectedFailure { .. }
        | Verdict::KnownDeviation { .. }
        | Verdict::KnownFailure { .. }
        | Verdict::Missing => EXCUSED,
        Verdict::Mismatch
        | Verdict::Refused
        | Verdict::NotBuilt
        | Verdict::Unstable
        | Verdict::Changed
        | Verdict::Fault
        | Verdict::Deadlock
        | Verdict::Hang
        | Verdict::Crash
        | Verdict::Unsupported
        | Verdict::UnexpectedPass
        | Verdict::Interrupted
        | Verdict::InternalError => BAD,
    }
}

/// A text in a colour.
pub fn painted(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}
