//! Worker processes: the same executable, started with one hidden first argument, an emptied
//! environment, an empty current folder, and only the files that it is given by path.
//!
//! A fault that ends a process, a crash or a hang costs one worker; the parent watches the clock and
//! reads what is left.

pub mod capture;
pub mod card_lock;
pub mod job;
pub mod kernels;
pub mod memory;
pub mod mock;
pub mod plan;
pub mod process;
pub mod replay;

use std::ffi::OsStr;
use std::path::Path;

use self::job::{Job, JobFile, WorkerProblem, WorkerReport};

/// The first argument that makes the executable a worker. The second is the job file.
pub const HIDDEN_ARGUMENT: &str = "__hallmark_worker";

/// Does a worker's job, if this process was started as one.
pub fn run_if_worker() -> Option<std::process::ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().as_deref() != Some(OsStr::new(HIDDEN_ARGUMENT)) {
        return None;
    }
    // A worker never outlives its parent, however that ends.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    crate::interrupt::survive_file_size_limit();
    let job = arguments.next()?;
    Some(run(Path::new(&job)))
}

fn run(job: &Path) -> std::process::ExitCode {
    let file = match JobFile::open(job) {
        Ok(file) => file,
        // Nowhere to report to: the parent sees the code.
        Err(_) => return std::process::ExitCode::from(2),
    };
    let report = match &file.job {
        Job::Capture(job) => capture::run(job, &file),
        Job::Replay(job) => replay::run(job, &file),
        Job::Assess(job) => replay::assess(job, &file),
        Job::Plan(job) => plan::run(job, &file),
        Job::Mock(job) => mock::run(job),
    };
    let report = report.unwrap_or_else(|problem| WorkerReport {
        problem: Some(problem),
        ..WorkerReport::default()
    });
    match file.report(&report) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(_) => std::process::ExitCode::from(2),
    }
}

/// What a worker gives instead of a report.
pub type WorkerResult = Result<WorkerReport, WorkerProblem>;
