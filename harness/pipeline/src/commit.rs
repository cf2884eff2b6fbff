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
    /// The commit of the checkout that a folder lies in; nothing outside of one, or without `git`. A file below the
    /// folder's `suites` or `goldens` that no commit has is a change, too.
    pub fn of(folder: &Path) -> Option<Self> {
        let describe = ["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"];
        let commit = git(folder, &describe).filter(|commit| !commit.is_empty())?;
        let added = ["ls-files", "--others", "--exclude-standard", "--", "suites", "goldens"];
        let added = git(folder, &added)?;
        let is_new_change = !added.is_empty() && !commit.ends_with(CHANGED);
        Some(Self(if is_new_change { commit + CHANGED } else { commit }))
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

/// What `git` prints in a folder, if it succeeds.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = output.status.success().then_some(output.stdout)?;
    Some(String::from_utf8(text).ok()?.trim().to_owned())
}
