//! The line *first bad* of a report: the first bad command of a failed test.

use serde::{Deserialize, Serialize};

/// The first bad command of a failed test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FirstBadLine {
    /// The index of the command among the calls, if known.
    pub command: Option<u32>,
    /// The command that must complete before it, if the two lack an order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u32>,
    /// The line without the words *first bad*.
    pub text: String,
    /// The writers of the first wrong byte, a line for each side, or one for both.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<String>,
}

impl FirstBadLine {
    /// The lines of a report.
    pub fn lines(&self) -> Vec<String> {
        let first = format!("first bad {}", self.text);
        let written = self.written.iter().map(|line| format!("written   {line}"));
        std::iter::once(first).chain(written).collect()
    }
}
