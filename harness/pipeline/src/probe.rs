//! Checks whether an executor's device can be opened.

use std::collections::BTreeMap;
use std::time::Duration;

use hallmark_chip::Fault;
use hallmark_execution::executor::{Executor, Release, ReleaseError};
use hallmark_execution::worker::contract::ContractError;
use hallmark_execution::worker::job::{CaptureJob, Job};
use hallmark_execution::worker::problem::WorkerProblem;
use hallmark_execution::worker::process::Ending;
use hallmark_schema::model::DeviceRequirements;
use hallmark_suite::bound::{AtEnd, BoundCase};

use super::device_kernels;
use super::executed::Executed;
use super::finding::Finding;
use super::prepared::{Prepared, Worker, run, temporary_folder};
use super::settings::WorkerSettings;
use crate::verdict::Verdict;

/// The time limit for opening a device.
const PROBE_TIMEOUT: Duration = Duration::from_secs(60);

/// An executor's device that cannot be opened.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ProbeError {
    /// The executable of another release cannot be used.
    #[error(transparent)]
    Release(#[from] ReleaseError),
    /// TT-Metalium cannot be used, or does not open its device; or the worker could not be started.
    #[error("{}", .0.report().join("\n"))]
    Found(Finding),
    /// The problem that the worker reported.
    #[error(transparent)]
    Worker(WorkerProblem),
    /// The worker's report cannot be read.
    #[error(transparent)]
    Report(ContractError),
    /// The device did not open in time.
    #[error("the device did not open within {seconds} seconds")]
    TooLate {
        /// The time limit in seconds.
        seconds: u64,
    },
    /// The worker ended without a report, as with a simulator that ends its process.
    #[error("the device ended its process{}", fault.as_ref().map(|fault| format!(": {fault}")).unwrap_or_default())]
    Ended {
        /// The fault that it printed last, if there is one.
        fault: Option<Fault>,
    },
}

/// Opens an executor's device in a worker, with its firmware, without using it.
///
/// # Errors
/// Why it cannot be opened.
pub fn probe(settings: &WorkerSettings, executor: &Executor) -> Result<(), ProbeError> {
    if let Release::Metalium(site) = &executor.release {
        return match device_kernels::probe(settings, executor, site) {
            Err(finding) if finding.verdict != Verdict::Interrupted => {
                Err(ProbeError::Found(finding))
            }
            Ok(()) | Err(_) => Ok(()),
        };
    }
    let job = Job::Capture(CaptureJob {
        device: executor.job(DeviceRequirements::default()),
        case: BoundCase {
            test: String::new(),
            architecture: executor.architecture.name().to_owned(),
            num_command_queues: 1,
            trace_region_size: 0,
            l1_small_size: 0,
            worker_l1_size: 0,
            steps: Vec::new(),
            at_end: AtEnd::Good,
        },
        kernels: BTreeMap::new(),
        memory: false,
    });
    let worker = Worker::of(settings, executor)?;
    let executed = temporary_folder()
        .and_then(|folder| Prepared::new(folder, job, &BTreeMap::new(), worker))
        .and_then(|prepared| run(prepared, PROBE_TIMEOUT))
        .map_err(ProbeError::Found)?;
    let Executed { ended, report, .. } = executed;
    match (report.problem, &ended.ending) {
        (Some(problem), _) => Err(ProbeError::Worker(problem)),
        (None, Ending::Reported(_) | Ending::Interrupted) => Ok(()),
        (None, Ending::Unreadable(error)) => Err(ProbeError::Report(error.clone())),
        (None, Ending::TimedOut) => Err(ProbeError::TooLate { seconds: PROBE_TIMEOUT.as_secs() }),
        (None, Ending::Exited(_) | Ending::Signal(_) | Ending::OverBudget { .. }) => {
            Err(ProbeError::Ended { fault: ended.closing_fault() })
        }
    }
}
