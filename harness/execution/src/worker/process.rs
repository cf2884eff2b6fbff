//! Starts workers and enforces their time limits.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Error;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use hallmark_chip::{Fault, FaultCategory, sabotage};
use hallmark_runtime::device_code::temporary::TemporaryFolder;

use super::HIDDEN_ARGUMENT;
use super::child::{EndOfProcess, StartedProcess};
use super::contract::{ContractError, SpokenVersions, VERSIONS_ARGUMENT};
use super::memory_budget::{self, MemorySize};
use super::report::{WorkerReport, read_report};
use super::zygote::{self, Surroundings};
use crate::interrupt;
use crate::whole_file;

/// The size of the end of a worker's output that is kept, bytes.
const OUTPUT_TAIL: u64 = 64 << 10;
const STDOUT: &str = "stdout";
const STDERR: &str = "stderr";

/// The end of a worker.
#[derive(Clone, Debug)]
pub enum Ending {
    /// It wrote its report.
    Reported(Box<WorkerReport>),
    /// It ended with code 0 and an unreadable report.
    Unreadable(ContractError),
    /// It ended without a report.
    Exited(i32),
    /// A signal ended it.
    Signal(i32),
    /// It took too long and was killed.
    TimedOut,
    /// It took more memory than its budget and was killed.
    OverBudget {
        /// The budget.
        budget: MemorySize,
    },
    /// The run was interrupted, and the worker was killed.
    Interrupted,
}

/// A worker that has ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The id of the process.
    pub process: u32,
    /// How it ended.
    pub ending: Ending,
    /// The end of its standard output.
    pub stdout: String,
    /// The end of its standard error.
    pub stderr: String,
    /// Its duration.
    pub elapsed: Duration,
}

impl Ended {
    /// The fault in its closing line, as simulators print it that end their process.
    pub fn closing_fault(&self) -> Option<Fault> {
        closing_fault(&self.stdout).or_else(|| closing_fault(&self.stderr))
    }
}

/// The fault in a last line `ERROR: Category: function: detail`, optionally preceded by a clock in brackets.
pub fn closing_fault(output: &str) -> Option<Fault> {
    output.lines().rev().find_map(|line| {
        let line = line.trim();
        let line = match line.strip_prefix('[') {
            Some(rest) => rest.split_once(']')?.1.trim_start(),
            None => line,
        };
        let (category, detail) = line.strip_prefix("ERROR: ")?.split_once(':')?;
        let category = FaultCategory::from_name(category.trim())?;
        Some(Fault::without_place(category, detail.trim()))
    })
}

/// The way in which a worker starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerStart {
    /// It is executed.
    Executed,
    /// It is forked from the zygote, if this process has one of the executable; else it is executed.
    Forked,
}

/// The executable of workers.
#[derive(Clone, Debug)]
pub struct WorkerProgram {
    /// The path of the executable.
    pub executable: PathBuf,
}

impl WorkerProgram {
    /// The running executable.
    pub fn current() -> Result<Self, Error> {
        Ok(Self { executable: std::env::current_exe()? })
    }

    /// Runs a job in its folder to its end or its time limit. The environment contains only the variables of
    /// its device. `budget` is the memory that it may take.
    pub fn run(
        &self,
        folder: &Path,
        job: &Path,
        environment: &BTreeMap<String, String>,
        timeout: Duration,
        budget: Option<MemorySize>,
        how: WorkerStart,
    ) -> Result<Ended, Error> {
        let files = WorkerFiles::create(folder)?;
        let mut variables = environment.clone();
        variables.extend(planted_defect());
        let forked = match how {
            WorkerStart::Forked => zygote::fork_worker(Surroundings {
                executable: &self.executable,
                current: &files.current,
                stdout: &files.stdout,
                stderr: &files.stderr,
                environment: &variables,
                job,
                budget: budget.map(|MemorySize(bytes)| bytes),
            }),
            WorkerStart::Executed => None,
        };
        let mut child = match forked {
            Some(worker) => StartedProcess::Forked(worker),
            None => {
                let mut command = self.command_in(&files, job)?;
                command.envs(&variables);
                if let Some(MemorySize(budget)) = budget {
                    command.arg(budget.to_string());
                }
                StartedProcess::Executed(command.spawn()?)
            }
        };
        let start = Instant::now();
        let (status, cause) = watch(&mut child, start, timeout, budget)?;
        let elapsed = start.elapsed();
        let ending = match (cause, status) {
            (Some(Cause::Time), _) => Ending::TimedOut,
            (Some(Cause::Memory(budget)), _) => Ending::OverBudget { budget },
            (Some(Cause::Interrupt), _) => Ending::Interrupted,
            (None, status) => match (read_report(folder), status.signal(), status.code()) {
                (Ok(Some(report)), _, Some(0)) => Ending::Reported(Box::new(report)),
                (Err(error), _, Some(0)) => Ending::Unreadable(error),
                (_, Some(signal), _) => Ending::Signal(signal),
                (_, None, code) => Ending::Exited(code.unwrap_or_default()),
            },
        };
        Ok(Ended {
            process: child.id(),
            ending,
            stdout: whole_file::tail(&folder.join(STDOUT), OUTPUT_TAIL),
            stderr: whole_file::tail(&folder.join(STDERR), OUTPUT_TAIL),
            elapsed,
        })
    }

    /// Asks the executable for its versions. It opens no device for that.
    ///
    /// # Errors
    /// Its behaviour instead of an answer.
    pub fn versions(&self) -> Result<SpokenVersions, NoAnswer> {
        let failed = |error: Error| NoAnswer::NotStarted { reason: error.to_string() };
        let folder = TemporaryFolder::new().map_err(failed)?;
        let files = WorkerFiles::create(folder.path()).map_err(failed)?;
        let mut command = self.alone(&files).map_err(failed)?;
        command.arg(VERSIONS_ARGUMENT);
        let child = command.spawn().map_err(failed)?;
        let mut child = StartedProcess::Executed(child);
        match watch(&mut child, Instant::now(), ANSWER_TIMEOUT, None).map_err(failed)? {
            (_, Some(_)) => return Err(NoAnswer::TooLate { seconds: ANSWER_TIMEOUT.as_secs() }),
            (status, None) if !status.success() => {
                return Err(NoAnswer::Failed { status: status.to_string() });
            }
            (_, None) => {}
        }
        let said = whole_file::read(&folder.path().join(STDOUT), OUTPUT_TAIL).map_err(failed)?;
        serde_json::from_slice(&said)
            .map_err(|error| NoAnswer::Unreadable { reason: error.to_string() })
    }

    /// A worker that is not started yet, with only its folder as its surroundings.
    pub fn command(&self, folder: &Path, job: &Path) -> Result<Command, Error> {
        self.command_in(&WorkerFiles::create(folder)?, job)
    }

    fn command_in(&self, files: &WorkerFiles, job: &Path) -> Result<Command, Error> {
        let mut command = self.alone(files)?;
        command.arg(HIDDEN_ARGUMENT).arg(job);
        Ok(command)
    }

    /// The executable with only a folder as its surroundings.
    fn alone(&self, files: &WorkerFiles) -> Result<Command, Error> {
        let mut command = Command::new(&self.executable);
        command
            .env_clear()
            .current_dir(&files.current)
            .stdin(Stdio::null())
            .stdout(OpenOptions::new().write(true).open(&files.stdout)?)
            .stderr(OpenOptions::new().write(true).open(&files.stderr)?)
            // A separate process group, so that all its descendants can be killed with it.
            .process_group(0)
            .envs(planted_defect());
        Ok(command)
    }
}

/// The variable that plants a defect, which workers inherit in builds that have defects.
fn planted_defect() -> Option<(String, String)> {
    let defect = cfg!(feature = "sabotage").then(|| std::env::var(sabotage::VARIABLE).ok());
    Some((sabotage::VARIABLE.to_owned(), defect.flatten()?))
}

/// The folder that a worker is in, in the folder of its job.
pub(super) const CURRENT: &str = "empty";

/// The folder that a worker is in, and the files of its output.
struct WorkerFiles {
    current: PathBuf,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl WorkerFiles {
    /// Creates them, empty, in the folder of a job.
    fn create(folder: &Path) -> Result<Self, Error> {
        let files = Self {
            current: folder.join(CURRENT),
            stdout: folder.join(STDOUT),
            stderr: folder.join(STDERR),
        };
        std::fs::create_dir_all(&files.current)?;
        File::create(&files.stdout)?;
        File::create(&files.stderr)?;
        Ok(files)
    }
}

/// The time limit for the answer about versions; no executable needs that long.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);

/// The behaviour of an executable that did not report its versions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// The executable cannot be started.
    #[error("it cannot be started: {reason}")]
    NotStarted {
        /// The system's message.
        reason: String,
    },
    /// The executable did not end in time.
    #[error("it did not answer within {seconds} seconds")]
    TooLate {
        /// The time limit in seconds.
        seconds: u64,
    },
    /// The executable failed.
    #[error("it ended with {status}")]
    Failed {
        /// Its exit code or signal.
        status: String,
    },
    /// The answer is not a list of versions.
    #[error("its answer is none: {reason}")]
    Unreadable {
        /// The problem of the answer.
        reason: String,
    },
}

/// How a command in its own process group ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupEnd {
    /// The command ended by itself.
    Ended(ExitStatus),
    /// The time limit was reached, and the group was killed.
    TimedOut,
    /// A signal asked this process to stop, and the group was killed.
    Interrupted,
}

/// Runs a command in its own process group. The whole group is killed when the command ends, at the time limit, or on a signal
/// that asks to stop. A process that left the group (setsid(2)) lives on.
///
/// # Errors
/// The command cannot be started or waited for.
pub fn run_group(mut command: Command, timeout: Duration) -> Result<GroupEnd, Error> {
    let mut child = StartedProcess::Executed(command.process_group(0).spawn()?);
    Ok(match watch(&mut child, Instant::now(), timeout, None)? {
        (_, Some(Cause::Interrupt)) => GroupEnd::Interrupted,
        (_, Some(Cause::Time | Cause::Memory(_))) => GroupEnd::TimedOut,
        (status, None) => GroupEnd::Ended(status),
    })
}

#[derive(Clone, Copy)]
enum Cause {
    Time,
    Memory(MemorySize),
    Interrupt,
}

fn watch(
    child: &mut StartedProcess,
    start: Instant,
    timeout: Duration,
    budget: Option<MemorySize>,
) -> Result<(ExitStatus, Option<Cause>), Error> {
    let end = EndOfProcess::of(child);
    let mut weighed: Option<Instant> = None;
    loop {
        let cause = if interrupt::requested() {
            Some(Cause::Interrupt)
        } else if start.elapsed() >= timeout {
            Some(Cause::Time)
        } else {
            // Where the system tells nobody of a process's end, the loop comes round every millisecond.
            let is_due = weighed.is_none_or(|at| at.elapsed() >= INTERRUPT_LATENCY);
            let is_over = |budget: &MemorySize| {
                memory_budget::taken(child.id()).is_some_and(|taken| taken > budget.0)
            };
            if is_due {
                weighed = Some(Instant::now());
            }
            budget.filter(|budget| is_due && is_over(budget)).map(Cause::Memory)
        };
        if child.has_ended()? {
            child.kill_group();
            return Ok((child.wait()?, None));
        }
        if cause.is_some() {
            child.kill_group();
            // The ending is told by its cause. The status says no more, and is lost if the zygote was killed.
            return Ok((child.wait().unwrap_or_default(), cause));
        }
        end.wait(INTERRUPT_LATENCY.min(timeout.saturating_sub(start.elapsed())));
    }
}

/// The longest delay until a signal to this process is noticed.
const INTERRUPT_LATENCY: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_ends_with_its_command_or_at_its_limit() {
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        let long = Duration::from_secs(60);
        let code = |end| match end {
            GroupEnd::Ended(status) => status.code(),
            GroupEnd::TimedOut | GroupEnd::Interrupted => None,
        };
        assert_eq!(code(run_group(shell("exit 3"), long).unwrap()), Some(3));
        // What the command leaves behind would write the file.
        let folder = TemporaryFolder::new().unwrap();
        let left = folder.path().join("left");
        let script = format!("(sleep 1; touch {}) & exit 0", left.display());
        assert_eq!(code(run_group(shell(&script), long).unwrap()), Some(0));
        let end = run_group(shell("sleep 600"), Duration::from_millis(1500)).unwrap();
        assert_eq!(end, GroupEnd::TimedOut);
        assert!(!left.exists());
    }

    #[test]
    fn last_words_of_simulators() {
        let fault = closing_fault(
            "hello\n[1234] ERROR: UndefinedBehavior: noc_read: address 0x5 is not aligned\n",
        );
        let fault = fault.unwrap();
        assert_eq!(fault.category, FaultCategory::UndefinedBehavior);
        assert_eq!(fault.reason, "noc_read: address 0x5 is not aligned");
        assert!(closing_fault("ERROR: SomethingElse: x: y").is_none());
        assert!(closing_fault("ERROR UndefinedBehavior").is_none());
        assert!(closing_fault("ERROR: AssertionFailure: f: a: b").is_some());
    }
}
