//! `run.jsonl`: the actions of a certification, in order. Each line contains the hash of the previous line, and
//! a stopped run continues at the end of its log.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Error, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use hallmark_chip::Architecture;
use hallmark_execution::whole_file;
use hallmark_package::json::{self, JsonError};
use hallmark_pipeline::shard::Shard;
use hallmark_schema::model::ContentHash;
use serde::{Deserialize, Serialize};

use super::results::{ResultLine, RunKey};

/// The largest log, bytes.
const LIMIT: u64 = 1 << 30;

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogLine {
    /// The hash of the previous line including its line feed; zeros in the first line.
    pub before: ContentHash,
    /// The event.
    pub event: LogEvent,
}

/// The content of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum LogEvent {
    /// The first line: the identity of the run.
    Begin(RunIdentity),
    /// The end of a test.
    Ended {
        /// Milliseconds since the first process of the run began, without pauses.
        at: u64,
        /// The result of the test.
        result: Box<ResultLine>,
    },
    /// Runs that failed are run anew, as the user asked; each has another result later.
    Again {
        /// Milliseconds since the first process of the run began, without pauses.
        at: u64,
        /// The runs.
        runs: Vec<RunKey>,
    },
}

/// The identity of a run. A run can only continue with the same identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunIdentity {
    /// The hash of the profile's lock.
    pub lock: ContentHash,
    /// The hash of each architecture's executor, with paths and the executable of its machine: a stopped run goes on with the
    /// same ones. No verifier can compute them.
    pub executors: BTreeMap<Architecture, ContentHash>,
    /// The hash of each architecture's part of the subject, which a verifier computes from the package. Logs of earlier
    /// releases lack it, and a verifier says so.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub subjects: BTreeMap<Architecture, ContentHash>,
    /// The hash of the challenge's file, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<ContentHash>,
    /// The shard that is executed, if other shards are executed elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

/// A log that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The log cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's message.
        error: Error,
    },
    /// The log cannot be written.
    #[error("{} cannot be written: {error}; once there is room, the same command goes on", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's message.
        error: Error,
    },
    /// Another process writes the log.
    #[error("another process goes on with the run of {}; wait for its end, or choose another -o", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// An invalid line.
    #[error("line {line} of {} is not a line of a run: {error}; remove its folder to begin again", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The problem.
        error: String,
    },
    /// The log belongs to another run.
    #[error(
        "{} is of a run of another profile, challenge, shard or subject; remove its folder to begin again, or choose another -o",
        path.display()
    )]
    OtherRun {
        /// The file.
        path: PathBuf,
    },
}

/// The content of a log.
#[derive(Clone, Debug, Default)]
pub struct ReadLog {
    /// The identity of the run.
    pub identity: Option<RunIdentity>,
    /// The results of tests, in the order in which they ended.
    pub results: Vec<ResultLine>,
    /// The time of the last result.
    pub at: u64,
    /// The number of its first line, counted from 1; 0 for an empty log.
    pub first_line: usize,
    /// The number of the first line whose time precedes that of the line before it.
    pub backwards: Option<usize>,
    /// The runs that failed and were run anew.
    pub again: BTreeSet<RunKey>,
    /// The number of the first line with a test that took longer than the whole run until its end.
    pub too_long: Option<usize>,
    /// The hash of the last line.
    head: Option<ContentHash>,
    /// The length of the complete lines in bytes.
    length: usize,
}

/// Why a line is invalid.
#[derive(Debug, thiserror::Error)]
pub enum LogLineError {
    /// The line is not in canonical form.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The line lacks the hash of the previous line.
    #[error("it does not follow the line before it")]
    Chain,
    /// The first line is no beginning, or a later line is one.
    #[error("a run begins once")]
    Begin,
    /// A run that is run anew without a failure.
    #[error("{0} is run anew, and no line before has a failure of it")]
    Again(Box<RunKey>),
    /// A run with two results.
    #[error("another line has a result of {0}")]
    Twice(Box<RunKey>),
}

const NOTHING_BEFORE: ContentHash = ContentHash([0; 32]);

/// Reads the log of one run. A last line without a line feed was left by a killed process, and is ignored.
///
/// # Errors
/// The number of the invalid line, counted from 1, and its problem.
pub fn read<B: AsRef<[u8]> + ?Sized>(bytes: &B) -> Result<ReadLog, (usize, LogLineError)> {
    let mut logs = read_all(bytes)?.into_iter();
    let log = logs.next().unwrap_or_default();
    match logs.next() {
        None => Ok(log),
        Some(second) => Err((second.first_line, LogLineError::Begin)),
    }
}

/// Reads the concatenated logs of several runs, none of which shares a result with another.
///
/// # Errors
/// As of [`read`].
pub fn read_all<B: AsRef<[u8]> + ?Sized>(bytes: &B) -> Result<Vec<ReadLog>, (usize, LogLineError)> {
    // A log with its results by the numbers of their lines.
    let mut logs: Vec<(ReadLog, BTreeMap<usize, ResultLine>)> = Vec::new();
    // The line with the result of each run, in any of the logs.
    let mut seen: BTreeMap<RunKey, usize> = BTreeMap::new();
    for (number, line) in (1..).zip(bytes.as_ref().split_inclusive(|byte| *byte == b'\n')) {
        if !line.ends_with(b"\n") {
            break;
        }
        let at = |error| (number, error);
        let LogLine { before, event } =
            json::read(line).map_err(|error| at(LogLineError::Json(error)))?;
        let begins = before == NOTHING_BEFORE && matches!(event, LogEvent::Begin(_));
        if begins {
            let log = ReadLog { first_line: number, ..ReadLog::default() };
            logs.push((log, BTreeMap::new()));
        }
        let Some((log, results)) = logs.last_mut() else {
            let chain = before == NOTHING_BEFORE;
            return Err(at(if chain { LogLineError::Begin } else { LogLineError::Chain }));
        };
        if before != log.head.unwrap_or(NOTHING_BEFORE) {
            return Err(at(LogLineError::Chain));
        }
        match event {
            LogEvent::Begin(identity) => {
                if log.identity.replace(identity).is_some() {
                    return Err(at(LogLineError::Begin));
                }
            }
            LogEvent::Ended { at: ended, result } => {
                if ended < log.at {
                    log.backwards = log.backwards.or(Some(number));
                }
                // A test that ended at once is said to have taken 1 ms.
                if result.milliseconds > ended.saturating_add(1) {
                    log.too_long = log.too_long.or(Some(number));
                }
                if seen.insert(result.run.clone(), number).is_some() {
                    return Err(at(LogLineError::Twice(Box::new(result.run))));
                }
                results.insert(number, *result);
                log.at = ended;
            }
            LogEvent::Again { at: begun, runs } => {
                if begun < log.at {
                    log.backwards = log.backwards.or(Some(number));
                }
                log.at = begun;
                for run in runs {
                    // A run of another log is not in `results`.
                    let failure = seen.get(&run).and_then(|line| results.get(line));
                    if !failure.is_some_and(ResultLine::needs_waiver) {
                        return Err(at(LogLineError::Again(Box::new(run))));
                    }
                    if let Some(line) = seen.remove(&run) {
                        results.remove(&line);
                    }
                    log.again.insert(run);
                }
            }
        }
        log.head = Some(ContentHash::of(line));
        log.length = log.length.saturating_add(line.len());
    }
    let with_results = |(log, results): (ReadLog, BTreeMap<usize, ResultLine>)| ReadLog {
        results: results.into_values().collect(),
        ..log
    };
    Ok(logs.into_iter().map(with_results).collect())
}

/// A log that is being written.
#[derive(Debug)]
pub struct RunLog {
    path: PathBuf,
    began: Instant,
    /// The time that earlier processes of the run took.
    earlier: u64,
    end: Mutex<LogEnd>,
}

#[derive(Debug)]
struct LogEnd {
    file: File,
    head: ContentHash,
}

impl RunLog {
    /// Begins or continues the log of a run; returns the results in it.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn open(path: &Path, identity: &RunIdentity) -> Result<(Self, Vec<ResultLine>), LogError> {
        let write_error = |error| LogError::Write { path: path.to_owned(), error };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(write_error)?;
        }
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(write_error)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LogError::Busy { path: path.to_owned() }),
            Err(TryLockError::Error(error)) => return Err(write_error(error)),
        }
        let bytes = whole_file::read(path, LIMIT)
            .map_err(|error| LogError::Read { path: path.to_owned(), error })?;
        let known = read(&bytes).map_err(|(line, error)| LogError::Line {
            path: path.to_owned(),
            line,
            error: error.to_string(),
        })?;
        if known.identity.as_ref().is_some_and(|known| known != identity) {
            return Err(LogError::OtherRun { path: path.to_owned() });
        }
        // Removes the incomplete line of a killed process.
        file.set_len(u64::try_from(known.length).unwrap_or(u64::MAX)).map_err(write_error)?;
        let log = Self {
            path: path.to_owned(),
            began: Instant::now(),
            earlier: known.at,
            end: Mutex::new(LogEnd { file, head: known.head.unwrap_or(NOTHING_BEFORE) }),
        };
        if known.identity.is_none() {
            let mut end = log.end.lock().unwrap_or_else(PoisonError::into_inner);
            log.append(&mut end, LogEvent::Begin(identity.clone()))?;
            drop(end);
        }
        Ok((log, known.results))
    }

    /// Adds the result of a test.
    ///
    /// # Errors
    /// [`LogError::Write`].
    pub fn add(&self, result: ResultLine) -> Result<(), LogError> {
        self.append_now(|at| LogEvent::Ended { at, result: Box::new(result) })
    }

    /// Notes that runs which failed are run anew.
    ///
    /// # Errors
    /// [`LogError::Write`].
    pub fn again(&self, runs: Vec<RunKey>) -> Result<(), LogError> {
        self.append_now(|at| LogEvent::Again { at, runs })
    }

    fn append_now(&self, event: impl FnOnce(u64) -> LogEvent) -> Result<(), LogError> {
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        // The clock is read under the lock, so that times in the log never decrease.
        let elapsed = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.append(&mut end, event(self.earlier.saturating_add(elapsed)))
    }

    fn append(&self, end: &mut LogEnd, event: LogEvent) -> Result<(), LogError> {
        let write_error = |error| LogError::Write { path: self.path.clone(), error };
        let line = LogLine { before: end.head, event };
        let text = json::write(&line).map_err(|error| write_error(error.into()))?;
        let length = end.file.metadata().map_err(write_error)?.len();
        if let Err(error) = end.file.write_all(&text) {
            // An incomplete line would make later lines unreadable.
            let _ = end.file.set_len(length);
            return Err(write_error(error));
        }
        end.head = ContentHash::of(&text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use hallmark_suite::language::DeviceKind;

    use super::*;
    use crate::results::{Pass, RunVerdict};
    use hallmark_pipeline::verdict::Verdict;
    use hallmark_schema::model::DispatchMode;

    fn result(case: &str) -> ResultLine {
        let key = RunKey {
            test: format!("wormhole_b0::group::suite::{case}").parse().unwrap(),
            device: DeviceKind::Sim,
            harvesting: 0,
            dispatch: DispatchMode::Host,
            schedule_seed: 0,
            repeat: 1,
            pass: Pass::Canonical,
        };
        ResultLine::skipped(&key, "a reason")
    }

    fn identity(byte: u8) -> RunIdentity {
        RunIdentity {
            lock: ContentHash([byte; 32]),
            executors: BTreeMap::new(),
            subjects: BTreeMap::new(),
            challenge: None,
            shard: None,
        }
    }

    #[test]
    fn a_killed_run_goes_on_behind_its_last_whole_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/run.jsonl");
        let (log, known) = RunLog::open(&path, &identity(1)).unwrap();
        assert!(known.is_empty());
        log.add(result("one")).unwrap();
        log.add(result("two")).unwrap();
        drop(log);
        let whole = std::fs::read_to_string(&path).unwrap();
        // Wherever the process was killed, the rest is a prefix of the log.
        let ends = whole.match_indices('\n').flat_map(|(end, _)| [end, end + 1]);
        for length in ends.chain((0..whole.len()).step_by(41)) {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (log, known) = RunLog::open(&path, &identity(1)).unwrap();
            let lines = whole[..length].matches('\n').count();
            assert_eq!(known.len(), lines.saturating_sub(1), "{length}");
            log.add(result("three")).unwrap();
            let read = read(&std::fs::read(&path).unwrap()).unwrap();
            assert_eq!(read.results.len(), known.len() + 1);
            assert_eq!(read.results.last(), Some(&result("three")));
        }
    }

    #[test]
    fn a_log_of_another_run_or_with_another_line_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.jsonl");
        let (log, _) = RunLog::open(&path, &identity(1)).unwrap();
        for case in ["one", "two", "three"] {
            log.add(result(case)).unwrap();
        }
        drop(log);
        let error = RunLog::open(&path, &identity(2)).unwrap_err().to_string();
        assert!(error.contains("a run of another profile, challenge, shard or subject"), "{error}");
        let whole = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = whole.split_inclusive('\n').collect();
        let [begin, one, two, three] = lines.as_slice() else { panic!("{whole}") };
        let other = two.replace("a reason", "another reason");
        for (wrong, number, words) in [
            ([*begin, *two, *three].concat(), 2, "does not follow"),
            ([*begin, *one, &other, *three].concat(), 4, "does not follow"),
            ([*begin, *two, *one].concat(), 2, "does not follow"),
            ([*one, *two].concat(), 1, "does not follow"),
            ([*begin, *begin].concat(), 2, "a run begins once"),
            ([*begin, "{}\n"].concat(), 2, "missing field"),
        ] {
            let (line, error) = read(wrong.as_bytes()).unwrap_err();
            assert_eq!(line, number);
            assert!(error.to_string().contains(words), "{error}");
            std::fs::write(&path, &wrong).unwrap();
            let error = RunLog::open(&path, &identity(1)).unwrap_err().to_string();
            assert!(error.contains(&format!("line {number} of ")), "{error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), wrong, "it is left as it was");
        }
    }

    #[test]
    fn a_byte_that_is_no_text_leaves_the_log_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.jsonl");
        let (log, _) = RunLog::open(&path, &identity(1)).unwrap();
        log.add(result("one")).unwrap();
        drop(log);
        let mut bytes = std::fs::read(&path).unwrap();
        let last = bytes.len() - 5;
        bytes[last] = 0xff;
        std::fs::write(&path, &bytes).unwrap();
        let error = RunLog::open(&path, &identity(1)).unwrap_err().to_string();
        assert!(error.contains("line 2 of "), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn one_process_adds_to_a_log_and_its_time_never_runs_backwards() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.jsonl");
        let (log, _) = RunLog::open(&path, &identity(1)).unwrap();
        let error = RunLog::open(&path, &identity(1)).unwrap_err().to_string();
        assert!(error.contains("another process goes on with the run"), "{error}");
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let log = &log;
                scope.spawn(move || {
                    for number in 0..50 {
                        log.add(result(&format!("case_{thread}_{number}"))).unwrap();
                    }
                });
            }
        });
        drop(log);
        let text = std::fs::read_to_string(&path).unwrap();
        let times: Vec<u64> = text
            .lines()
            .filter_map(|line| match serde_json::from_str::<LogLine>(line).unwrap().event {
                LogEvent::Begin(_) | LogEvent::Again { .. } => None,
                LogEvent::Ended { at, .. } => Some(at),
            })
            .collect();
        assert_eq!(times.len(), 200);
        assert!(times.is_sorted(), "{times:?}");
        assert!(RunLog::open(&path, &identity(1)).is_ok());
    }

    #[test]
    fn no_run_has_two_results_and_a_log_has_one_beginning() {
        let chain = |events: &[LogEvent]| {
            let mut text = String::new();
            let mut before = NOTHING_BEFORE;
            for event in events {
                let line = LogLine { before, event: event.clone() };
                let line = serde_json::to_string(&line).unwrap() + "\n";
                before = ContentHash::of(line.as_bytes());
                text.push_str(&line);
            }
            text
        };
        let begin = LogEvent::Begin(identity(1));
        let ended = LogEvent::Ended { at: 0, result: Box::new(result("one")) };
        let failure = ResultLine { verdict: RunVerdict(Verdict::Hang), ..result("one") };
        let failed = LogEvent::Ended { at: 0, result: Box::new(failure) };
        let again = LogEvent::Again { at: 0, runs: vec![result("one").run] };
        let of = |case: &str, verdict: Verdict| {
            let result = ResultLine { verdict: RunVerdict(verdict), ..result(case) };
            LogEvent::Ended { at: 0, result: Box::new(result) }
        };
        let all = ["one", "two", "three"].map(|case| of(case, Verdict::Hang));
        let anew = LogEvent::Again { at: 0, runs: vec![result("two").run, result("one").run] };
        let later = [of("one", Verdict::Pass), of("two", Verdict::Hang)];
        let ordered = [[begin.clone()].as_slice(), &all, &[anew], &later].concat();
        let ordered = read(chain(&ordered).as_bytes()).unwrap();
        let cases = |log: &ReadLog| {
            let test = |it: &ResultLine| it.run.test.to_string();
            let tests: Vec<String> = log.results.iter().map(test).collect();
            tests
                .iter()
                .map(|test| test.rsplit("::").next().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(cases(&ordered), ["three", "one", "two"]);
        // A log runs nothing anew of another one.
        let first = chain(&[begin.clone(), failed.clone()]);
        let second = chain(&[begin.clone(), again.clone()]);
        let (line, error) = read_all((first + &second).as_bytes()).unwrap_err();
        assert!(line == 4 && error.to_string().contains("no line before has a failure"), "{error}");
        let right = chain(&[begin.clone(), ended.clone()]);
        assert_eq!(read(right.as_bytes()).unwrap().results.len(), 1);
        let anew = chain(&[begin.clone(), failed.clone(), again.clone(), ended.clone()]);
        let anew = read(anew.as_bytes()).unwrap();
        assert_eq!((anew.results.len(), anew.again.len()), (1, 1));
        for (events, line, words) in [
            (vec![begin.clone(), failed.clone(), ended.clone()], 3, "another line has a result of"),
            (vec![begin.clone(), again.clone(), ended.clone()], 2, "no line before has a failure"),
            (vec![begin.clone(), ended.clone(), again.clone()], 3, "no line before has a failure"),
            (vec![begin.clone(), failed, again.clone(), again], 4, "no line before has a failure"),
            (vec![begin.clone(), ended.clone(), ended.clone()], 3, "another line has a result of"),
            (vec![begin.clone(), begin], 2, "a run begins once"),
            (vec![ended], 1, "a run begins once"),
        ] {
            let (number, error) = read(chain(&events).as_bytes()).unwrap_err();
            assert_eq!(number, line);
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}
