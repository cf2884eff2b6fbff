//! The file of a comparison's results: a line of JSON for each test, written as soon as the result is known. A
//! comparison that was stopped resumes from it.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use hallmark_chip::Architecture;
use hallmark_schema::model::ContentHash;
use serde::{Deserialize, Serialize};

use hallmark_pipeline::compare::Comparison;
use hallmark_pipeline::verdict::ExitCode;

/// The version of the lines.
const VERSION: u32 = 2;

/// The first line: the subject of the comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Heading {
    /// The version of the lines.
    results: u32,
    /// The release that made the comparison.
    hallmark: String,
    architecture: Architecture,
    /// The devices, as the user named them.
    devices: Vec<String>,
}

impl Heading {
    pub(super) fn new(architecture: Architecture, devices: &[String]) -> Self {
        let hallmark = env!("CARGO_PKG_VERSION").to_owned();
        Self { results: VERSION, hallmark, architecture, devices: devices.to_vec() }
    }
}

/// Any other line: the result of a test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    test: String,
    /// The identity of the comparison: the test and the executors.
    identity: ContentHash,
    /// Wall-clock time, in milliseconds.
    milliseconds: u64,
    comparison: Comparison,
}

/// A file of results cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum ResultsError {
    /// The system cannot open, read or write the file.
    #[error("{} cannot be {action}: {error}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// The attempted action.
        action: &'static str,
        /// The system's error.
        error: std::io::Error,
    },
    /// A line does not have the form of a results file.
    #[error("{}, line {line}: {error}; name another file", file.display())]
    Malformed {
        /// The file.
        file: PathBuf,
        /// The number of the line, counted from 1.
        line: usize,
        /// The parser's error.
        error: serde_json::Error,
    },
    /// The file holds results of another comparison.
    #[error(
        "{} holds results of other devices or of another release; name another file, or remove this one",
        file.display()
    )]
    Other {
        /// The file.
        file: PathBuf,
    },
}

impl ResultsError {
    /// The exit code: whether the user named a file that cannot hold results, or the machine failed, as with a full disk.
    pub(super) fn exit_code(&self) -> ExitCode {
        use std::io::ErrorKind::{
            InvalidData, IsADirectory, NotADirectory, NotFound, PermissionDenied,
        };
        match self {
            Self::File { error, .. } => match error.kind() {
                InvalidData | IsADirectory | NotADirectory | NotFound | PermissionDenied => {
                    ExitCode::USAGE
                }
                _ => ExitCode::INTERNAL,
            },
            Self::Malformed { .. } | Self::Other { .. } => ExitCode::USAGE,
        }
    }
}

/// An open file of results.
#[derive(Debug)]
pub(super) struct Results {
    path: PathBuf,
    file: Mutex<File>,
    known: BTreeMap<String, (ContentHash, Comparison)>,
}

impl Results {
    /// Opens a file, or begins a new one. Removes a last line without a line end: the comparison was stopped
    /// while it wrote that line.
    pub(super) fn open(path: &Path, heading: &Heading) -> Result<Self, ResultsError> {
        let problem = |action, error| ResultsError::File { file: path.to_owned(), action, error };
        let malformed =
            |line, error| ResultsError::Malformed { file: path.to_owned(), line, error };
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|error| problem("opened", error))?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(|error| problem("read", error))?;
        let whole = text.rfind('\n').map_or(0, |end| end.saturating_add(1));
        let length = u64::try_from(whole).unwrap_or(u64::MAX);
        file.set_len(length).map_err(|error| problem("written", error))?;
        file.seek(SeekFrom::End(0)).map_err(|error| problem("written", error))?;
        let mut lines = (1..).zip(text.get(..whole).unwrap_or_default().lines());
        let mut known = BTreeMap::new();
        match lines.next() {
            None => write_line(&mut file, heading).map_err(|error| problem("written", error))?,
            Some((number, first)) => {
                let found: Heading =
                    serde_json::from_str(first).map_err(|error| malformed(number, error))?;
                if found != *heading {
                    return Err(ResultsError::Other { file: path.to_owned() });
                }
            }
        }
        for (number, text) in lines {
            let line: Line =
                serde_json::from_str(text).map_err(|error| malformed(number, error))?;
            // A test that was compared again has a later line, which counts.
            known.insert(line.test, (line.identity, line.comparison));
        }
        Ok(Self { path: path.to_owned(), file: Mutex::new(file), known })
    }

    /// Whether the file held a result of a test, of any identity.
    pub(super) fn holds(&self, test: &str) -> bool {
        self.known.contains_key(test)
    }

    /// The result that the file held of a test, if the test and the executors are unchanged.
    pub(super) fn of(&self, test: &str, identity: ContentHash) -> Option<&Comparison> {
        let (known, comparison) = self.known.get(test)?;
        (*known == identity).then_some(comparison)
    }

    /// Writes a result.
    pub(super) fn add(
        &self,
        test: &str,
        identity: ContentHash,
        elapsed: std::time::Duration,
        comparison: &Comparison,
    ) -> Result<(), ResultsError> {
        let milliseconds = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        let comparison = comparison.clone();
        let line = Line { test: test.to_owned(), identity, milliseconds, comparison };
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        write_line(&mut file, &line).map_err(|error| ResultsError::File {
            file: self.path.clone(),
            action: "written",
            error,
        })
    }
}

/// Writes a line in one call, so that lines of several threads do not mix.
fn write_line(file: &mut File, line: &impl Serialize) -> Result<(), std::io::Error> {
    let mut text = serde_json::to_string(line)?;
    text.push('\n');
    file.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn heading(device: &str) -> Heading {
        Heading::new(Architecture::WormholeB0, &["sim:wormhole_b0".to_owned(), device.to_owned()])
    }

    #[test]
    fn a_comparison_goes_on_where_it_was_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        let results = Results::open(&path, &heading("pci:0")).unwrap();
        let comparison = Comparison::default();
        let identity = ContentHash::of(b"a test");
        results.add("one", identity, Duration::from_millis(7), &comparison).unwrap();
        results.add("two", identity, Duration::ZERO, &comparison).unwrap();
        assert!(!results.holds("one"), "it was not there when the file was opened");
        drop(results);
        // The third line was being written when the comparison stopped.
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("{\"test\":\"three\"");
        std::fs::write(&path, text).unwrap();
        let results = Results::open(&path, &heading("pci:0")).unwrap();
        assert!(results.of("one", identity).is_some() && results.of("two", identity).is_some());
        assert!(!results.holds("three"));
        results.add("three", identity, Duration::ZERO, &comparison).unwrap();
        let again = Results::open(&path, &heading("pci:0")).unwrap();
        assert!(again.of("three", identity).is_some());
        // A result of another test or of other executors does not count; the later line counts.
        let other = ContentHash::of(b"another test");
        assert!(again.holds("three") && again.of("three", other).is_none());
        again.add("three", other, Duration::ZERO, &comparison).unwrap();
        let again = Results::open(&path, &heading("pci:0")).unwrap();
        assert!(again.of("three", other).is_some() && again.of("three", identity).is_none());
    }

    #[test]
    fn a_file_of_something_else_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        Results::open(&path, &heading("pci:0")).unwrap();
        let error = Results::open(&path, &heading("pci:1")).unwrap_err().to_string();
        assert!(error.contains("holds results of other devices"), "{error}");
        std::fs::write(&path, "no results\n").unwrap();
        let error = Results::open(&path, &heading("pci:0")).unwrap_err().to_string();
        assert!(error.contains("results.jsonl, line 1: "), "{error}");
        let folder = Results::open(folder.path(), &heading("pci:0")).unwrap_err().to_string();
        assert!(folder.contains("cannot be opened"), "{folder}");
    }
}
