//! A job in a separate folder, and its worker.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use hallmark_execution::executor::{
    Agreement, Executor, MetaliumUnusable, Release, ReleaseError, agree,
};
use hallmark_execution::worker::card_lock::CardLock;
use hallmark_execution::worker::contract::CONTRACT;
use hallmark_execution::worker::job::Job;
use hallmark_execution::worker::job_file::JobFile;
use hallmark_execution::worker::kernels::Contents;
use hallmark_execution::worker::memory_budget::{self, MemorySize};
use hallmark_execution::worker::process::{Ending, WorkerProgram, WorkerStart};
use hallmark_execution::worker::report::WorkerReport;
use hallmark_runtime::DeviceSpec;
use hallmark_runtime::device_code::temporary::TemporaryFolder;
use hallmark_schema::CaptureError;

use super::executed::Executed;
use super::finding::Finding;
use super::settings::WorkerSettings;
use crate::verdict::{ExitCode, Verdict};

/// The finding for a failure of the machine, or of Hallmark itself.
pub(super) fn internal(what: &str, error: &impl std::fmt::Display) -> Finding {
    Finding::new(Verdict::InternalError, format!("{what}: {error}"))
}

/// A job in a separate folder, whose worker is not started yet.
#[derive(Debug)]
pub struct Prepared {
    folder: TemporaryFolder,
    job: PathBuf,
    environment: BTreeMap<String, String>,
    device: Option<DeviceSpec>,
    program: WorkerProgram,
    /// The memory that the worker may take.
    budget: Option<MemorySize>,
    how: WorkerStart,
}

/// The executable of a job's worker, and its versions.
pub(super) struct Worker {
    program: WorkerProgram,
    /// The common part with this release, for a worker of another release.
    pub(super) agreement: Option<Agreement>,
}

impl Worker {
    /// The worker of an executor; a worker of another release is asked for its versions.
    pub(super) fn of(settings: &WorkerSettings, executor: &Executor) -> Result<Self, ReleaseError> {
        match &executor.release {
            Release::This | Release::Metalium(_) => Ok(Self::here(settings)),
            Release::Other(path) => Ok(Self {
                program: WorkerProgram { executable: path.clone() },
                agreement: Some(agree(path)?),
            }),
        }
    }

    /// A worker of this release.
    pub(super) fn here(settings: &WorkerSettings) -> Self {
        Self { program: settings.worker.clone(), agreement: None }
    }

    /// The contract version of its job.
    fn contract(&self) -> u32 {
        self.agreement.as_ref().map_or(CONTRACT, |agreement| agreement.contract)
    }
}

/// The finding for an unusable executable of another release.
pub(super) fn unusable(error: &ReleaseError) -> Finding {
    Finding::new(Verdict::Unsupported, error.to_string()).exit(ExitCode::DEVICE)
}

/// The finding for an unusable TT-Metalium.
pub(super) fn without_metalium(error: &MetaliumUnusable) -> Finding {
    Finding::new(Verdict::Unsupported, error.to_string()).exit(ExitCode::DEVICE)
}

/// The finding for a capture that an older release does not support.
pub(super) fn too_new(executor: &Executor, error: &CaptureError) -> Finding {
    let text = format!("{executor} cannot carry this out: {error}");
    Finding::new(Verdict::Unsupported, text).exit(ExitCode::DEVICE)
}

/// A folder for a job.
pub(super) fn temporary_folder() -> Result<TemporaryFolder, Finding> {
    TemporaryFolder::new().map_err(|error| internal("a temporary folder cannot be created", &error))
}

impl Prepared {
    pub(super) fn new(
        folder: TemporaryFolder,
        job: Job,
        contents: &Contents,
        worker: Worker,
    ) -> Result<Self, Finding> {
        let environment = job.environment(folder.path());
        let device = job.device().and_then(|job| job.device.parse().ok());
        let is_simulated = match &device {
            Some(
                DeviceSpec::Simulator(_)
                | DeviceSpec::SimulatedCard(_)
                | DeviceSpec::Misbehaving(_),
            ) => true,
            Some(DeviceSpec::Ttsim(_) | DeviceSpec::Pci(_)) | None => false,
        };
        let has_metalium = job.device().is_some_and(|job| job.metalium.is_some());
        let is_own = worker.agreement.is_none() && is_simulated && !has_metalium;
        let budget = is_own.then(|| memory_budget::of_worker(job.capture()));
        // Libraries and drivers are not made to be opened behind a fork.
        let how = if is_own { WorkerStart::Forked } else { WorkerStart::Executed };
        let job = JobFile::create(folder.path(), job, contents, worker.contract())
            .map_err(|error| internal("the job cannot be written", &error))?;
        Ok(Self { folder, job, environment, device, program: worker.program, budget, how })
    }

    /// The folder in which the worker finds its job and leaves its journal and its capture.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The worker's process, for callers that start it themselves.
    pub fn command(&self) -> Result<Command, std::io::Error> {
        let mut command = self.program.command(self.folder.path(), &self.job)?;
        command.envs(&self.environment);
        Ok(command)
    }
}

/// Runs a job in a separate folder with a worker of this release.
pub fn start(
    settings: &WorkerSettings,
    job: Job,
    contents: &Contents,
    timeout: Duration,
) -> Result<Executed, Finding> {
    let worker = Worker::here(settings);
    run(Prepared::new(temporary_folder()?, job, contents, worker)?, timeout)
}

pub(super) fn run(prepared: Prepared, timeout: Duration) -> Result<Executed, Finding> {
    let Prepared { folder, job, environment, device, program, budget, how } = prepared;
    let lock = device.as_ref().map_or(Ok(None), CardLock::of);
    let _lock = lock.map_err(|error| internal("the lock file of the card", &error))?;
    let ended = program
        .run(folder.path(), &job, &environment, timeout, budget, how)
        .map_err(|error| internal("the worker cannot be run", &error))?;
    let report = match &ended.ending {
        Ending::Reported(report) => (**report).clone(),
        _ => WorkerReport::default(),
    };
    Ok(Executed::of(ended, report, folder))
}
