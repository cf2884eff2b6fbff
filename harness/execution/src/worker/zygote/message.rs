//! The messages between a process and its zygote, one line of JSON each.

use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What a process asks of its zygote.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Request {
    /// Fork a worker.
    Start(Start),
    /// Wait for the end of a worker.
    Wait {
        /// Its process id.
        process: i32,
    },
}

/// A worker and its surroundings.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Start {
    /// The folder that the worker is in.
    pub(super) current: PathBuf,
    /// The existing files of its output.
    pub(super) stdout: PathBuf,
    pub(super) stderr: PathBuf,
    /// All its variables.
    pub(super) environment: BTreeMap<String, String>,
    /// The job file.
    pub(super) job: PathBuf,
    /// Bytes of memory that it may take.
    pub(super) budget: Option<u64>,
}

/// What the zygote answers.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    /// The worker is there.
    Started {
        /// Its process id.
        process: i32,
    },
    /// The worker has ended.
    Ended {
        /// The status as wait(2) gives it.
        status: i32,
    },
    /// The system refused.
    Failed,
}

/// The line of a message.
///
/// # Errors
/// A path that is not UTF-8.
pub(super) fn line(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

/// The next message; none if the other side has closed its end.
pub(super) fn read<M: DeserializeOwned>(from: &mut impl BufRead) -> io::Result<Option<M>> {
    let mut line = Vec::new();
    from.read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    Ok(Some(serde_json::from_slice(&line)?))
}
