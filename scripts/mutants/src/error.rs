//! What can go wrong.

use std::path::{Path, PathBuf};

/// What went wrong, and where.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder.
    #[error("{}: {error}", path.display())]
    File {
        /// Where.
        path: PathBuf,
        /// The system's text.
        error: std::io::Error,
    },
    /// A program that is needed did not start, or failed.
    #[error("`{command}` failed: {reason}")]
    Command {
        /// What was called.
        command: String,
        /// What it said.
        reason: String,
    },
    /// Something is not the JSON that it should be.
    #[error("{what}: {error}")]
    Json {
        /// Whose JSON.
        what: String,
        /// Where it is wrong.
        error: serde_json::Error,
    },
    /// A source file that does not parse.
    #[error("{file}: {error}")]
    Source {
        /// The file, from the workspace.
        file: String,
        /// The parser's text.
        error: syn::Error,
    },
    /// The compiler's errors point at no mutant.
    #[error(
        "the copy does not compile, and no mutant is at fault; does the workspace compile?\n{messages}"
    )]
    NoMutantAtFault {
        /// What the compiler says.
        messages: String,
    },
}

impl Error {
    /// Makes the error of a path from the system's.
    pub fn at(path: &Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_path_buf();
        move |error| Self::File { path, error }
    }

    /// Makes the error of JSON.
    pub fn json(what: impl Into<String>) -> impl FnOnce(serde_json::Error) -> Self {
        let what = what.into();
        move |error| Self::Json { what, error }
    }
}
