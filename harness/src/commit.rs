//! The commit that a checkout is at, by which reports of several machines are known to belong together.

use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

/// How `git` marks a checkout in which a file was changed.
const CHANGED: &str = "-dirty";

/// A commit, and whether files were changed since. Its text form is the commit's hash, perhaps with `-dirty`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Commit(String);

impl Commit {
    /// The commit of the checkout that a folder lies in; nothing outside of one, or without `git`.
    pub fn of(folder: &Path) -> Option<Self> {
        let output = Command::new("git")
            .args(["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        let text = text.trim();
        (output.status.success() && !text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// Whether the checkout held files that no commit has.
    pub fn is_changed(&self) -> bool {
        self.0.ends_with(CHANGED)
    }
}

impl fmt::Display for Commit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
