//! The log of a search: a line for each probe, written as soon as the probe has its result.
//!
//! The log makes a search resumable. A stopped search is started again with the same inputs, and its prober
//! remembers the results in the log (see [`Prober::remember`](super::probe::Prober::remember)), so it continues
//! where it stopped. The first line contains all inputs, and a log with other inputs is refused. A search may
//! be stopped while it writes, so an incomplete last line is ignored.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hallmark_execution::whole_file;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::defects::{Defect, planted};
use super::probe::{ProbeKey, ProbeResult};

/// The version of logs that this release writes and reads.
const VERSION: u32 = 1;
/// The largest log, bytes.
const LOG_LIMIT: u64 = 256 << 20;
/// The largest line, bytes. A line of a reduction lists every edit.
const LINE_LIMIT: usize = 8 << 20;

/// The inputs of a search, by name: hashes of files, and options as written. Searches with equal inputs ask the
/// same questions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Inputs(BTreeMap<String, String>);

impl Inputs {
    /// Adds an input. Errors refer to it by its name: `capture`, `bad executor`.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl fmt::Display) -> Self {
        self.0.insert(name.into(), value.to_string());
        self
    }

    /// Each input's name and value, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The first input that differs.
    fn difference(&self, now: &Self) -> Option<ChangedInput> {
        let value = |inputs: &Self, name: &String| inputs.0.get(name).cloned().unwrap_or_default();
        let names = self.0.keys().chain(now.0.keys());
        names.map(|name| (name, value(self, name), value(now, name))).find_map(
            |(name, then, now)| {
                (then != now).then(|| ChangedInput { name: name.clone(), then, now })
            },
        )
    }
}

/// An input that has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedInput {
    /// Its name.
    pub name: String,
    /// Its former value; empty if there was none.
    pub then: String,
    /// Its present value.
    pub now: String,
}

impl fmt::Display for ChangedInput {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_none =
            |value: &str| if value.is_empty() { "none".into() } else { format!("`{value}`") };
        write!(
            formatter,
            "the {} is {} and was {}",
            self.name,
            or_none(&self.now),
            or_none(&self.then)
        )
    }
}

/// One probe. `A` describes the candidate in the search's terms, and `R` is the result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line<A, R = ProbeResult> {
    /// Its number, counted from 0.
    pub n: u64,
    /// The description of the candidate.
    pub about: A,
    /// The question.
    pub key: ProbeKey,
    /// The result.
    pub result: R,
    /// The duration in milliseconds.
    pub ms: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FirstLine {
    triage_log: u32,
    hallmark: String,
    inputs: Inputs,
}

/// Only the version, which is checked before the rest is parsed.
#[derive(Deserialize)]
struct AnyFirstLine {
    triage_log: u32,
    #[serde(default)]
    hallmark: String,
}

/// The content of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents<A, R = ProbeResult> {
    /// The inputs of the search.
    pub inputs: Inputs,
    /// Its probes.
    pub lines: Vec<Line<A, R>>,
    /// The length of the complete lines in bytes; an incomplete last line follows them.
    whole: u64,
}

/// A log that cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LogError {
    /// An error of the file system.
    #[error("the log {path} cannot be {doing}: {error}")]
    File {
        /// The log.
        path: PathBuf,
        /// The attempted operation.
        doing: &'static str,
        /// The error.
        error: std::io::Error,
    },
    /// The folder already contains a search.
    #[error(
        "there is a search in {path} already; `--resume` goes on with it, `-o` names another folder"
    )]
    Exists {
        /// Its log.
        path: PathBuf,
    },
    /// Another process writes the log.
    #[error("another search writes to {path}; wait for it or stop it")]
    InUse {
        /// The log.
        path: PathBuf,
    },
    /// The file does not begin like a log.
    #[error("{path} is no log of a search: {reason}; begin the search anew in another folder")]
    NoLog {
        /// The file.
        path: PathBuf,
        /// The problem of its first line.
        reason: String,
    },
    /// The log has another version.
    #[error(
        "{path} is a log of version {version}, written by Hallmark {hallmark}; this Hallmark reads version {VERSION}; \
         go on with that Hallmark, or begin the search anew in another folder"
    )]
    Version {
        /// The log.
        path: PathBuf,
        /// Its version.
        version: u32,
        /// The release that wrote it.
        hallmark: String,
    },
    /// The log belongs to another search.
    #[error(
        "{path} is the log of another search: {difference}; begin this search anew in another folder"
    )]
    OtherInputs {
        /// The log.
        path: PathBuf,
        /// The first input that differs.
        difference: ChangedInput,
    },
    /// A line that is no valid probe.
    #[error("{path} line {line}: {reason}; delete this line and all behind it to go on from there")]
    Line {
        /// The log.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The problem.
        reason: String,
    },
    /// The log has reached its size limit.
    #[error(
        "{path} would have more than {limit} B; begin the search anew with fewer probes (`--budget`)"
    )]
    TooLarge {
        /// The log.
        path: PathBuf,
        /// The limit, in bytes.
        limit: u64,
    },
}

/// A log that is being written.
#[derive(Debug)]
pub struct Log<A, R = ProbeResult> {
    path: PathBuf,
    file: File,
    next: u64,
    length: u64,
    lines: PhantomData<fn(A, R)>,
}

/// A log that is continued, with its previous lines.
pub type ResumedLog<A, R = ProbeResult> = (Log<A, R>, Vec<Line<A, R>>);

impl<A: Serialize + DeserializeOwned, R: Serialize + DeserializeOwned> Log<A, R> {
    /// Begins a log in a new file.
    ///
    /// # Errors
    /// [`LogError::Exists`]; the file cannot be written.
    pub fn create(path: &Path, inputs: &Inputs) -> Result<Self, LogError> {
        if path.try_exists().map_err(|error| at(path, "looked for", error))? {
            return Err(LogError::Exists { path: path.to_owned() });
        }
        let first = FirstLine {
            triage_log: VERSION,
            hallmark: env!("CARGO_PKG_VERSION").to_owned(),
            inputs: inputs.clone(),
        };
        let bytes = line(path, &first)?;
        // Written atomically, so that a search killed now leaves either no log or a complete first line.
        whole_file::write(path, &bytes).map_err(|error| at(path, "written", error))?;
        Self::open(path, 0, bytes.len() as u64)
    }

    /// Continues the log of a search with the same inputs.
    ///
    /// # Errors
    /// The file is no log, the log of another search or version, damaged, or in use.
    pub fn resume(path: &Path, inputs: &Inputs) -> Result<ResumedLog<A, R>, LogError> {
        // Another writer may not have completed its line yet, so the log is locked first.
        let log = Self::open(path, 0, 0)?;
        let contents = read(path)?;
        if let Some(difference) = contents.inputs.difference(inputs) {
            return Err(LogError::OtherInputs { path: path.to_owned(), difference });
        }
        log.file.set_len(contents.whole).map_err(|error| at(path, "shortened", error))?;
        let next = contents.lines.len() as u64;
        Ok((Self { next, length: contents.whole, ..log }, contents.lines))
    }

    fn open(path: &Path, next: u64, length: u64) -> Result<Self, LogError> {
        let about = std::fs::metadata(path).map_err(|error| at(path, "read", error))?;
        if !about.is_file() {
            let reason = "it is no file".to_owned();
            return Err(LogError::NoLog { path: path.to_owned(), reason });
        }
        let file = OpenOptions::new().append(true).open(path);
        let file = file.map_err(|error| at(path, "written", error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LogError::InUse { path: path.to_owned() }),
            Err(TryLockError::Error(error)) => return Err(at(path, "locked", error)),
        }
        Ok(Self { path: path.to_owned(), file, next, length, lines: PhantomData })
    }

    /// Writes a probe.
    ///
    /// # Errors
    /// The probe cannot be written.
    pub fn append(
        &mut self,
        about: A,
        key: ProbeKey,
        result: R,
        elapsed: Duration,
    ) -> Result<(), LogError> {
        let ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        if planted(Defect::LogLosesAProbe) && self.next == 1 {
            return Ok(());
        }
        let bytes = line(&self.path, &Line { n: self.next, about, key, result, ms })?;
        let length = self.length.saturating_add(bytes.len() as u64);
        if length > LOG_LIMIT || bytes.len() > LINE_LIMIT {
            return Err(LogError::TooLarge { path: self.path.clone(), limit: LOG_LIMIT });
        }
        // A single call, so that a killed search leaves only complete lines before at most one incomplete one.
        self.file.write_all(&bytes).map_err(|error| at(&self.path, "written", error))?;
        (self.next, self.length) = (self.next.saturating_add(1), length);
        Ok(())
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number of probes in it.
    pub const fn probes(&self) -> u64 {
        self.next
    }
}

/// Reads a log.
///
/// # Errors
/// The file is no log, has another version, or is damaged.
pub fn read<A: DeserializeOwned, R: DeserializeOwned>(
    path: &Path,
) -> Result<Contents<A, R>, LogError> {
    let bytes = whole_file::read(path, LOG_LIMIT).map_err(|error| at(path, "read", error))?;
    let no_log = |reason: String| LogError::NoLog { path: path.to_owned(), reason };
    let whole =
        bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end.saturating_add(1));
    let mut lines = bytes.get(..whole).unwrap_or_default().split_inclusive(|byte| *byte == b'\n');
    let first = lines.next().ok_or_else(|| no_log("its first line has no end".into()))?;
    let version: AnyFirstLine =
        serde_json::from_slice(first).map_err(|error| no_log(error.to_string()))?;
    if version.triage_log != VERSION {
        let AnyFirstLine { triage_log: version, hallmark } = version;
        let hallmark = if hallmark.is_empty() { "of an unknown release".into() } else { hallmark };
        return Err(LogError::Version { path: path.to_owned(), version, hallmark });
    }
    let first: FirstLine =
        serde_json::from_slice(first).map_err(|error| no_log(error.to_string()))?;
    let mut probes: Vec<Line<A, R>> = Vec::new();
    for (index, line) in lines.enumerate() {
        let wrong = |reason: String| LogError::Line {
            path: path.to_owned(),
            // The first line has the number 1, and this one comes after it.
            line: index.saturating_add(2),
            reason,
        };
        if line.len() > LINE_LIMIT {
            return Err(wrong(format!("it has more than {LINE_LIMIT} B")));
        }
        let line: Line<A, R> =
            serde_json::from_slice(line).map_err(|error| wrong(error.to_string()))?;
        if line.n != probes.len() as u64 {
            return Err(wrong(format!(
                "it is probe {}, and probe {} is next",
                line.n,
                probes.len()
            )));
        }
        probes.push(line);
    }
    Ok(Contents { inputs: first.inputs, lines: probes, whole: whole as u64 })
}

fn at(path: &Path, doing: &'static str, error: std::io::Error) -> LogError {
    LogError::File { path: path.to_owned(), doing, error }
}

fn line(path: &Path, value: &impl Serialize) -> Result<Vec<u8>, LogError> {
    let mut bytes = serde_json::to_vec(value)
        .map_err(|error| at(path, "written", std::io::Error::from(error)))?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(test)]
mod tests;
