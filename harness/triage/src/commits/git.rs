//! Git's commands, with hooks, prompts and the filters of Git LFS off.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use hallmark_execution::interrupt;
use hallmark_schema::plain;

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

/// The variables that name a repository (`git rev-parse --local-env-vars`). A hook sets some, and Hallmark may run in one.
const OF_REPOSITORY: [&str; 10] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// The longest part of Git's output that an error shows.
const SHOWN: usize = 400;

/// A folder that Git's commands run in: a repository or a work tree of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    folder: PathBuf,
    /// A folder above, in which Git must not look for a repository.
    ceiling: Option<PathBuf>,
}

/// Takes the variables out of a command's environment that name another repository than that of its folder.
pub(super) fn forget_repository(command: &mut Command) -> &mut Command {
    OF_REPOSITORY.iter().fold(command, |command, variable| command.env_remove(variable))
}

impl Checkout {
    /// The repository in a folder, or the one that the folder lies in.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), ceiling: None }
    }

    /// A work tree. Without its own `.git`, which a build may have removed, the repository around it would be taken.
    pub(super) fn tree(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), ceiling: folder.parent().map(Path::to_owned) }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs a command of Git; gives its output.
    pub(super) fn git<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<String, CommitsError> {
        let output = self.output(arguments)?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(failure(arguments, &output))
    }

    /// Whether a command of Git says yes, with exit code 0, or no, with 1.
    pub(super) fn answers_yes(&self, arguments: &[&str]) -> Result<bool, CommitsError> {
        let output = self.output(arguments)?;
        match output.status.code() {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(failure(arguments, &output)),
        }
    }

    fn output<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<Output, CommitsError> {
        let output = self.command(arguments).output().map_err(CommitsError::NoGit)?;
        if !output.status.success() && interrupt::requested() {
            return Err(CommitsError::Interrupted);
        }
        Ok(output)
    }

    /// A command of Git that is not started yet. A signal from the terminal does not reach it.
    pub(super) fn command<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.folder).args(SETTINGS).args(arguments);
        forget_repository(&mut command);
        if let Some(ceiling) = &self.ceiling {
            command.env("GIT_CEILING_DIRECTORIES", ceiling);
        }
        command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_LFS_SKIP_SMUDGE", "1");
        command.stdin(Stdio::null()).process_group(0);
        command
    }
}

fn failure<A: AsRef<OsStr>>(arguments: &[A], output: &Output) -> CommitsError {
    let said = String::from_utf8_lossy(&output.stderr);
    let words: Vec<_> = arguments.iter().map(|it| it.as_ref().to_string_lossy()).collect();
    CommitsError::Git {
        command: words.join(" "),
        said: plain(&said.trim().chars().take(SHOWN).collect::<String>()),
    }
}
