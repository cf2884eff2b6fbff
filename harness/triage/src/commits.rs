//! The commits of a repository as versions: each is checked out and built when the search asks about it, and only the
//! named product of the build is kept.
//!
//! All commits are built in one work tree, so that each build repeats only the work that a commit affects. A commit that
//! cannot be built gives no answer, and the search goes around it. Products stay in the folder of the search; a resumed
//! search builds no commit twice.
//!
//! The repository is the user's, and its build command runs with the user's rights. Checking a commit out runs no code of
//! the repository: hooks are off, and so are the filters of Git LFS.

mod builds;
mod git;
mod history;

use std::io;
use std::path::PathBuf;

use thiserror::Error;

pub use self::builds::{BuildCommand, Builds, Built};
pub use self::git::Checkout;
pub use self::history::{Commit, CommitRange, NoCommitRange};

/// Commits that cannot be searched.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CommitsError {
    /// Git cannot be started.
    #[error("git cannot be started: {0}")]
    NoGit(io::Error),
    /// A command of Git failed.
    #[error("`git {command}` failed: {said}")]
    Git {
        /// The command with its arguments.
        command: String,
        /// What Git wrote.
        said: String,
    },
    /// The repository has no such commit.
    #[error("the repository has no commit `{end}`{}", shallow_words(*.shallow))]
    NoCommit {
        /// The commit, as written.
        end: String,
        /// Whether the clone lacks a part of its history.
        shallow: bool,
    },
    /// The first commit does not lead to the last one.
    #[error(
        "{first} is no ancestor of {last}; name a commit of {last}'s history first: OLDER..NEWER{}",
        shallow_words(*.shallow)
    )]
    NoAncestor {
        /// The first commit, as written.
        first: String,
        /// The last commit, as written.
        last: String,
        /// Whether the clone lacks a part of its history.
        shallow: bool,
    },
    /// The first commit came to the last one by a merge.
    #[error(
        "{first} is on a branch that was merged into {last}; name one of the commits that `git log --first-parent {last}` lists"
    )]
    OnABranch {
        /// The first commit, as written.
        first: String,
        /// The last commit, as written.
        last: String,
    },
    /// Both ends are the same commit.
    #[error("{first}..{last} holds no commit besides {first}; name two commits that differ")]
    OneCommit {
        /// The first commit, as written.
        first: String,
        /// The last commit, as written.
        last: String,
    },
    /// The product is not a path below the repository.
    #[error(
        "`{path}` is no path below the repository; name what a build makes, such as build/firmware"
    )]
    Product {
        /// The path as written.
        path: String,
    },
    /// A file or folder of the search cannot be written or read.
    #[error("{}: {error}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The system's message.
        error: io::Error,
    },
    /// A signal asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// The advice for a clone that lacks a part of its history.
const fn shallow_words(shallow: bool) -> &'static str {
    if shallow {
        "; the clone is shallow: `git fetch --unshallow` brings the rest of its history"
    } else {
        ""
    }
}
