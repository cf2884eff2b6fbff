//! Worker processes: the same executable, started with one hidden first argument or forked ([`zygote`]), an emptied
//! environment, an empty current folder, and only the files that it is given by path.
//!
//! The test process opens no device. It starts a capture worker and then a replay worker. A fault that ends a process,
//! a crash or a hang costs one worker; the parent watches the clock and reads the files that are left.
//!
//! Job and report state the version of their contract ([`contract`]); captures and journals state their format. A job
//! or report of another contract is one error that names both versions. A version of the contract never changes;
//! `harness/tests/contract` holds samples of each version. `hallmark __hallmark_versions` prints the contracts and the
//! format that an executable speaks.
//!
//! Besides its report, a replay worker can write notes: [`state`] holds digests by page of every live buffer, for
//! triage; [`profile`] holds the duration of each call and launch, for profiles. A capture worker writes what kernels print
//! as it comes ([`printed_file`]).

pub mod capture_job;
pub mod card_lock;
mod child;
pub mod contract;
pub mod file_lock;
pub mod job;
pub mod job_file;
pub mod kernels;
pub mod memory;
pub mod memory_budget;
pub mod mock;
mod near_read;
mod open;
mod open_metalium_job;
mod own_memory;
pub mod phase_file;
pub mod plan;
mod plan_job;
pub mod portability;
pub mod printed_file;
pub mod problem;
pub mod process;
pub mod profile;
pub mod replay_job;
pub mod report;
pub mod state;
pub mod writers;
pub mod zygote;

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use self::contract::{FIRST_MINOR_WITH_LINES, SpokenVersions, VERSIONS_ARGUMENT};
use self::job::Job;
use self::job_file::JobFile;
use self::problem::WorkerProblem;
use self::report::{WorkerReport, write_report};

/// The first argument that makes the executable a worker. The second is the job file, the third its budget of memory in bytes,
/// if it has one.
pub const HIDDEN_ARGUMENT: &str = "__hallmark_worker";

/// Performs a worker's job, or reports the supported versions, if this process was started for that.
pub fn run_if_worker() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next()?;
    if first == OsStr::new(VERSIONS_ARGUMENT) {
        return Some(say_versions());
    }
    if first != OsStr::new(HIDDEN_ARGUMENT) {
        return None;
    }
    // The system kills a worker when its parent ends in any way.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    let job = arguments.next()?;
    if let Some(budget) = arguments.next().and_then(|budget| budget.to_str()?.parse().ok()) {
        own_memory::set_budget(budget);
    }
    Some(perform_job(Path::new(&job)))
}

fn say_versions() -> ExitCode {
    let line = serde_json::to_string(&SpokenVersions::here());
    let said = line.is_ok_and(|line| writeln!(std::io::stdout(), "{line}").is_ok());
    if said { ExitCode::SUCCESS } else { ExitCode::from(2) }
}

/// Performs the job of a file and reports beside it.
fn perform_job(job: &Path) -> ExitCode {
    crate::interrupt::survive_file_size_limit();
    let folder = job.parent().unwrap_or(Path::new("."));
    let mut has_metalium = false;
    let (report, newest_format) = match JobFile::open(job) {
        Ok(file) => {
            has_metalium = file.job.device().is_some_and(|device| device.metalium.is_some());
            (perform(&file), Some(file.newest_format))
        }
        Err(error) => (Err(WorkerProblem::Contract(error)), None),
    };
    let mut report = report.unwrap_or_else(|problem| WorkerReport {
        problem: Some(problem),
        ..WorkerReport::default()
    });
    if newest_format.is_some_and(|newest| newest.minor < FIRST_MINOR_WITH_LINES) {
        if let Some(stop) = &mut report.stop {
            stop.forget_additions();
        }
        report.warnings.clear();
    }
    let code = match write_report(folder, &report) {
        Ok(()) => 0,
        // The report cannot be written: the parent sees the code.
        Err(_) => 2,
    };
    // The vendor's exit handlers may wait forever for a stopped device, or end the process with another code.
    if has_metalium {
        signal_hook::low_level::exit(i32::from(code));
    }
    ExitCode::from(code)
}

fn perform(file: &JobFile) -> WorkerResult {
    match &file.job {
        Job::Capture(job) => capture_job::run(job, file),
        Job::Replay(job) => replay_job::run(job, file),
        Job::Assess(job) => replay_job::assess(job, file),
        Job::Plan(job) => plan_job::run(job, file),
        Job::OpenMetalium(job) => open_metalium_job::run(job, file),
        Job::Mock(job) => mock::run(job),
    }
}

/// The result of a worker: its report, or the problem that it reports.
pub type WorkerResult = Result<WorkerReport, WorkerProblem>;
