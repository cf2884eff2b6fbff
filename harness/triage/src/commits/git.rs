//! Git's commands, with hooks, prompts and the filters of Git LFS off.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::CommitsError;

/// Settings that keep a repository from running anything when a commit is checked out.
const SETTINGS: [&str; 8] = [
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "filter.lfs.smudge=",
    "-c",
    "filter.lfs.process=",
    "-c",
    "filter.lfs.required=false",
];

/// The longest text of Git's that is shown.
const SHOWN: usize = 400;

/// A folder that Git's commands run in: a repository or a work tree of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    folder: PathBuf,
}

impl Checkout {
    /// The repository in a folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs a command of Git; gives what it writes.
    pub(super) fn git<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<String, CommitsError> {
        let output = self.command(arguments).output().map_err(CommitsError::NoGit)?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let words: Vec<_> = arguments.iter().map(|it| it.as_ref().to_string_lossy()).collect();
        Err(CommitsError::Git {
            command: words.join(" "),
            said: said.trim().chars().take(SHOWN).collect(),
        })
    }

    /// Whether a command of Git succeeds.
    pub(super) fn answers_yes(&self, arguments: &[&str]) -> Result<bool, CommitsError> {
        let output = self.command(arguments).output().map_err(CommitsError::NoGit)?;
        Ok(output.status.success())
    }

    fn command<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.folder).args(SETTINGS).args(arguments);
        // Hallmark itself may be run by a hook, whose repository is another one.
        for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
            command.env_remove(variable);
        }
        command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_LFS_SKIP_SMUDGE", "1");
        command.stdin(Stdio::null());
        command
    }
}
