//! The commits of a repository as versions: each is checked out and built when the search asks about it, and only the
//! named product of the build is kept.
//!
//! All commits are built in one work tree, so that a build does again only what a commit changes. A commit that cannot be
//! built gives no answer, and the search goes around it. What was built is kept in the folder of the search, so that a
//! search that is resumed builds nothing twice.
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
    /// The first commit does not lead to the last one.
    #[error(
        "{first} is no ancestor of {last}; name a commit of {last}'s history first: OLDER..NEWER"
    )]
    NoAncestor {
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
    /// There are more commits than an axis has versions.
    #[error("{first}..{last} holds {count} commits, more than {most}; name a part of them")]
    TooMany {
        /// The first commit, as written.
        first: String,
        /// The last commit, as written.
        last: String,
        /// The number of commits.
        count: usize,
        /// The largest number.
        most: usize,
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
