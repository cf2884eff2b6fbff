//! The line *first bad* of a report: which command of a failed test went wrong first.

use serde::{Deserialize, Serialize};

/// Which command of a failed test went wrong first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FirstBadLine {
    /// The command's place among the calls, if it is known.
    pub command: Option<u32>,
    /// The command that must be done before it, if the two lack an order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u32>,
    /// The line in words, without the words *first bad*.
    pub text: String,
    /// Who wrote the first wrong byte, a line for each side, or one for both.
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
