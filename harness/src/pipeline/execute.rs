//! Starting the capture worker and the replay worker, and reading what they leave behind.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use hallmark_chip::Architecture;
use hallmark_runtime::device_code::temporary::TemporaryFolder;
use hallmark_runtime::{
    DeviceSpec, FoundKernels, KernelLibrary, LastWrite, MetaliumPhase, Stop, StopCause,
    SuiteKernels, captured_kernels,
};
use hallmark_schema::model::{
    Capture, CommandKind, DeviceRequirements, Failure, Grid, Outcome, ProgramPart, RecordedCommand,
    SharedBytes,
};
use hallmark_schema::{CaptureError, check_program, journal};

use super::device_kernels;
use super::finding::Finding;
use super::{Settings, WorkerSettings, profiled, signatures};
use crate::executor::{Agreement, Executor, MetaliumUnusable, Release, ReleaseError, agree};
use crate::suite::bound::{BoundCase, BoundStep, BoundTest, KernelOrigin};
use crate::suite::name::TestName;
use crate::triage::signature::CallEnd;
use crate::verdict::{ExitCode, Verdict};
use crate::whole_file;
use crate::worker::card_lock::CardLock;
use crate::worker::contract::CONTRACT;
use crate::worker::job::{CaptureJob, DeviceJob, Job, ReplayJob};
use crate::worker::job_file::{CAPTURE, CAPTURE_LIMIT, JOURNAL, JobFile};
use crate::worker::kernels::{self, Contents, KernelUnavailable};
use crate::worker::memory::{self, BufferSnapshot};
use crate::worker::phase_file::last_phase;
use crate::worker::process::{Ended, Ending, WorkerProgram};
use crate::worker::profile::{self, ProfileNotes};
use crate::worker::report::WorkerReport;
use crate::worker::state::{self, StateJob, StateNote};
use crate::worker::writers;

/// A capture in the folder of a job that is to replay it.
const GIVEN: &str = "given.lmb";

/// A worker that has ended, and the capture that it left.
#[derive(Debug)]
pub struct Executed {
    /// How it ended.
    pub ended: Ended,
    /// What it reported; of a worker that a device ended, why.
    pub report: WorkerReport,
    /// A whole capture: written by the worker, or made of its journal after a fault ended it.
    pub capture: Option<Arc<Capture>>,
    /// That capture's bytes.
    pub bytes: SharedBytes,
    /// What a journal held whose writer died for no known reason.
    pub recovered: Option<Box<Capture>>,
    /// Why there is no capture.
    pub problem: Option<String>,
    /// What TT-Metalium was doing when its worker ended without a report, if it carried the capture out.
    pub phase: Option<MetaliumPhase>,
    /// Its folder, removed with this value.
    pub(super) folder: TemporaryFolder,
}

impl Executed {
    /// What buffers held, if that was asked for.
    pub fn memory(&self) -> Vec<BufferSnapshot> {
        memory::read(self.folder.path())
    }

    /// What memory held between the calls, if that was asked for and could be looked at.
    pub fn state(&self) -> Vec<StateNote> {
        state::read(self.folder.path())
    }

    /// The writes to the byte that was watched, if that was asked for and the device can tell.
    pub fn writes(&self) -> Option<Vec<LastWrite>> {
        writers::read(self.folder.path())
    }

    /// What calls and launches took, if that was asked for and the worker is of this release.
    pub fn profile(&self) -> Option<ProfileNotes> {
        profile::read(self.folder.path())
    }

    /// The capture's file.
    fn capture_path(&self) -> std::path::PathBuf {
        self.folder.path().join(CAPTURE)
    }
}

fn internal(what: &str, error: &impl std::fmt::Display) -> Finding {
    Finding::new(Verdict::InternalError, format!("{what}: {error}"))
}

/// A job in a folder of its own, whose worker is not started yet.
#[derive(Debug)]
pub struct Prepared {
    folder: TemporaryFolder,
    job: PathBuf,
    environment: BTreeMap<String, String>,
    device: Option<DeviceSpec>,
    program: WorkerProgram,
}

/// Whose worker does a job, and what it knows.
pub(super) struct Worker {
    program: WorkerProgram,
    /// What it has in common with this release, if it is of another.
    agreement: Option<Agreement>,
}

impl Worker {
    /// The worker of an executor; one of another release is asked what it speaks.
    pub(super) fn of(settings: &WorkerSettings, executor: &Executor) -> Result<Self, ReleaseError> {
        match &executor.release {
            Release::This | Release::Metalium(_) => Ok(Self::here(settings)),
            Release::Other(path) => Ok(Self {
                program: WorkerProgram { executable: path.clone() },
                agreement: Some(agree(path)?),
            }),
        }
    }

    /// One of this release.
    pub(super) fn here(settings: &WorkerSettings) -> Self {
        Self { program: settings.worker.clone(), agreement: None }
    }

    /// The contract by which it takes its job.
    fn contract(&self) -> u32 {
        self.agreement.as_ref().map_or(CONTRACT, |agreement| agreement.contract)
    }
}

/// An executable of another release that is of no use here.
fn unusable(error: &ReleaseError) -> Finding {
    Finding::new(Verdict::Unsupported, error.to_string()).exit(ExitCode::DEVICE)
}

/// A TT-Metalium that is of no use here.
pub(super) fn without_metalium(error: &MetaliumUnusable) -> Finding {
    Finding::new(Verdict::Unsupported, error.to_string()).exit(ExitCode::DEVICE)
}

/// What an executor of an older release cannot be given.
fn too_new(executor: &Executor, error: &CaptureError) -> Finding {
    let text = format!("{executor} cannot carry this out: {error}");
    Finding::new(Verdict::Unsupported, text).exit(ExitCode::DEVICE)
}

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
        let environment = job.device().map(DeviceJob::environment).unwrap_or_default();
        let device = job.device().and_then(|job| job.device.parse().ok());
        let job = JobFile::create(folder.path(), job, contents, worker.contract())
            .map_err(|error| internal("the job cannot be written", &error))?;
        Ok(Self { folder, job, environment, device, program: worker.program })
    }

    /// Where the worker finds its job and leaves its journal and its capture.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The worker's process, for those who start it themselves.
    pub fn command(&self) -> Result<Command, std::io::Error> {
        let mut command = self.program.command(self.folder.path(), &self.job)?;
        command.envs(&self.environment);
        Ok(command)
    }
}

/// Makes what the executors of a test need and what no test's time is to count: TT-Metalium's firmware and dispatch
/// kernels.
///
/// # Errors
/// They cannot be made; the test would find the same.
pub(super) fn make_ready(
    settings: &Settings,
    architecture: Architecture,
    bound: &BoundTest,
) -> Result<(), Finding> {
    let workers = &settings.workers;
    for executor in [workers.executor(architecture), workers.replay_executor(architecture)] {
        match &executor.release {
            Release::This | Release::Other(_) => {}
            Release::Metalium(site) => {
                let queues = Some(bound.case.num_command_queues);
                device_kernels::prepare(workers, &executor, site, queues)?;
            }
        }
    }
    Ok(())
}

/// Captures a bound test.
pub fn capture(
    settings: &Settings,
    architecture: Architecture,
    bound: &BoundTest,
) -> Result<Executed, Finding> {
    let executor = settings.workers.executor(architecture);
    match executor.release {
        Release::This => capture_here(settings, architecture, bound),
        Release::Other(_) | Release::Metalium(_) => {
            carry_out(settings, architecture, bound, executor)
        }
    }
}

fn capture_here(
    settings: &Settings,
    architecture: Architecture,
    bound: &BoundTest,
) -> Result<Executed, Finding> {
    let mut executed = run(prepare_capture(settings, architecture, bound)?, bound.timeout)?;
    executed.note_expected_faults(&bound.case);
    Ok(executed)
}

/// Has another runtime or release make a test's calls. Neither reads suites: the calls are captured on a simulated chip,
/// and what is judged is what the other one made of that capture.
fn carry_out(
    settings: &Settings,
    architecture: Architecture,
    bound: &BoundTest,
    executor: Executor,
) -> Result<Executed, Finding> {
    let mut simulated = settings.clone();
    simulated.workers.executors = settings.workers.executors.simulated();
    let captured = capture_here(&simulated, architecture, bound)?;
    if captured.capture.is_none() {
        return Ok(captured);
    }
    let capture = captured.capture.as_deref();
    let kernels = capture.map(|capture| executor.find_kernels(capture, &settings.kernels));
    replay_on(settings, None, executor, kernels.unwrap_or_default(), bound, &captured)
}

/// Captures a bound test and writes down what its buffers hold.
pub fn capture_with_memory(
    settings: &Settings,
    architecture: Architecture,
    bound: &BoundTest,
) -> Result<Executed, Finding> {
    let executor = settings.workers.executor(architecture);
    match executor.release {
        Release::This | Release::Other(_) => {}
        // It shows nobody its memory.
        Release::Metalium(_) => return carry_out(settings, architecture, bound, executor),
    }
    let job = |job: CaptureJob| Job::Capture(CaptureJob { memory: true, ..job });
    run(prepare(settings, architecture, bound, job)?, bound.timeout)
}

/// Makes a bound test's calls on the built-in simulator without running anything, and says where
/// everything would lie.
pub fn plan(
    settings: &Settings,
    architecture: Architecture,
    bound: &BoundTest,
) -> Result<Executed, Finding> {
    run(prepare(settings, architecture, bound, Job::Plan)?, bound.timeout)
}

/// Collects all that the capture worker of a bound test needs.
pub fn prepare_capture(
    settings: &Settings,
    architecture: Architecture,
    bound: &BoundTest,
) -> Result<Prepared, Finding> {
    prepare(settings, architecture, bound, Job::Capture)
}

fn prepare(
    settings: &Settings,
    architecture: Architecture,
    bound: &BoundTest,
    job: fn(CaptureJob) -> Job,
) -> Result<Prepared, Finding> {
    let executor = settings.workers.executor(architecture);
    let worker = Worker::of(&settings.workers, &executor).map_err(|error| unusable(&error))?;
    if let Some(agreement) = &worker.agreement {
        check_calls(&bound.case, agreement.format.minor)
            .map_err(|error| too_new(&executor, &error))?;
    }
    let (mut capture_job, contents) = capture_job(settings, architecture, bound)?;
    if let Some(agreement) = &worker.agreement {
        kernels::for_minor(&mut capture_job.kernels, agreement.format.minor);
    }
    Prepared::new(temporary_folder()?, job(capture_job), &contents, worker)
}

/// A test's calls and kernels as a worker of this release gets them, with the bytes that they name.
pub(super) fn capture_job(
    settings: &Settings,
    architecture: Architecture,
    bound: &BoundTest,
) -> Result<(CaptureJob, Contents), Finding> {
    let executor = settings.workers.executor(architecture);
    let mut contents: Contents = bound.blobs.clone();
    let store = executor.kernel_store(&settings.kernels);
    let mut library: Box<dyn KernelLibrary> = match &bound.kernels {
        KernelOrigin::Suites => Box::new(SuiteKernels::new(settings.root.suites(), store)),
        KernelOrigin::Capture(capture) => {
            let found = executor.find_kernels(capture, &settings.kernels);
            Box::new(captured_kernels(capture, &found))
        }
    };
    let kernels = kernels::collect(&bound.case, architecture, &mut *library, &mut contents)
        .map_err(without_kernels)?;
    let device = executor.job(bound.asked);
    Ok((CaptureJob { device, case: bound.case.clone(), kernels, memory: false }, contents))
}

/// What keeps a test from having its kernels.
fn without_kernels(error: KernelUnavailable) -> Finding {
    let headline = error.to_string();
    match error {
        KernelUnavailable::Library { .. } => Finding::new(Verdict::Unsupported, headline),
        KernelUnavailable::Broken { kernel, .. } => {
            let reason = kernel.messages.first().cloned().unwrap_or_default();
            let refused = CallEnd::Refused { reason };
            let signature = signatures::of_call(CommandKind::CreateKernel, CallEnd::Done, refused);
            Finding::new(Verdict::Mismatch, headline)
                .lines(kernel.messages.iter().cloned())
                .signed(Some(signature))
                .of_broken_kernel(kernel)
        }
    }
}

/// Whether an executor that knows the format up to a minor version knows all calls of a test.
fn check_calls(case: &BoundCase, minor: u16) -> Result<(), CaptureError> {
    let recorded = |step: &BoundStep| RecordedCommand {
        command: step.command.clone(),
        outcome: step.failure.clone().map_or(Outcome::Done, Outcome::Failed),
    };
    // The chip and its grid are of no minor version.
    let (architecture, grid) = (Architecture::Grayskull, Grid { columns: 1, rows: 1 });
    let commands = case.steps.iter().map(recorded).collect();
    let BoundCase { l1_small_size, worker_l1_size, .. } = *case;
    let program = ProgramPart {
        l1_small_size,
        worker_l1_size,
        ..ProgramPart::new(architecture, grid, commands)
    };
    check_program(&program, minor)
}

/// Replays a test's capture in a fresh process.
pub fn replay(
    settings: &Settings,
    name: &TestName,
    bound: &BoundTest,
    captured: &Executed,
) -> Result<Executed, Finding> {
    let architecture = name.architecture;
    let executor = settings.workers.replay_executor(architecture);
    let capture = captured.capture.as_ref();
    let kernels = capture.map(|capture| executor.find_kernels(capture, &settings.kernels));
    let kernels = kernels.unwrap_or_default();
    replay_on(settings, Some(name), executor, kernels, bound, captured)
}

/// Replays a test's capture with an executor.
fn replay_on(
    settings: &Settings,
    name: Option<&TestName>,
    executor: Executor,
    kernels: FoundKernels,
    bound: &BoundTest,
    captured: &Executed,
) -> Result<Executed, Finding> {
    let path = captured.capture_path();
    if !path.is_file() {
        // Made of a journal: the worker never came to write it.
        whole_file::write_in_own_folder(&path, &captured.bytes)
            .map_err(|error| internal("the capture cannot be written", &error))?;
    }
    let limits = Limits { timeout: bound.timeout, asked: bound.asked };
    let num_command_queues = bound.case.num_command_queues;
    let replay = ReplayOf { capture: path, num_command_queues, executor, kernels };
    match name {
        Some(name) => {
            let (workers, kernels) = (&settings.workers, &settings.kernels);
            profiled::replay_of(workers, kernels, replay, limits, &name.to_string())
        }
        None => replay_capture(&settings.workers, replay, limits),
    }
}

/// A capture's file and where it is replayed.
#[derive(Clone, Debug)]
pub struct ReplayOf {
    /// The file, absolute.
    pub capture: PathBuf,
    /// How many command queues the captured program has.
    pub num_command_queues: u8,
    /// Who replays it.
    pub executor: Executor,
    /// The kernels that the executor takes and the capture holds no ELFs of.
    pub kernels: FoundKernels,
}

/// What a run may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Wall-clock time.
    pub timeout: Duration,
    /// What is asked of the device.
    pub asked: DeviceRequirements,
}

/// Replays a capture's file in a fresh process.
pub fn replay_capture(
    settings: &WorkerSettings,
    replay: ReplayOf,
    limits: Limits,
) -> Result<Executed, Finding> {
    start_replay(settings, replay, limits, Opens::Device, Notes::None, Job::Replay)
}

/// Replays a capture's file in a fresh process that notes what calls and launches take, if it is one of this release.
pub fn replay_profiling(
    settings: &WorkerSettings,
    replay: ReplayOf,
    limits: Limits,
) -> Result<Executed, Finding> {
    start_replay(settings, replay, limits, Opens::Device, Notes::Profile, Job::Replay)
}

/// Replays a capture's file in a fresh process that notes what memory holds, if its release and its device let it.
pub fn replay_noting_state(
    settings: &WorkerSettings,
    replay: ReplayOf,
    limits: Limits,
    state: StateJob,
) -> Result<Executed, Finding> {
    start_replay(settings, replay, limits, Opens::Device, Notes::State(state), Job::Replay)
}

/// Says in a fresh process whether a capture's file could be replayed; nothing runs.
pub fn assess_capture(
    settings: &WorkerSettings,
    replay: ReplayOf,
    limits: Limits,
) -> Result<Executed, Finding> {
    start_replay(settings, replay, limits, Opens::Nothing, Notes::None, Job::Assess)
}

/// What a replay worker writes down beside its report.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Notes {
    None,
    /// What memory holds.
    State(StateJob),
    /// What calls and launches take.
    Profile,
}

/// What a worker does with the device of its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opens {
    /// It opens the device.
    Device,
    /// It looks at the capture alone, where another runtime has the device.
    Nothing,
}

fn start_replay(
    settings: &WorkerSettings,
    replay: ReplayOf,
    limits: Limits,
    opens: Opens,
    notes: Notes,
    job: fn(ReplayJob) -> Job,
) -> Result<Executed, Finding> {
    let ReplayOf { mut capture, num_command_queues, executor, kernels } = replay;
    let worker = Worker::of(settings, &executor).map_err(|error| unusable(&error))?;
    let folder = temporary_folder()?;
    if let Some(agreement) = &worker.agreement
        && let Some(copy) = copy_for(&capture, agreement.format.minor)
            .map_err(|error| too_new(&executor, &error))?
    {
        capture = folder.path().join(GIVEN);
        whole_file::write_in_own_folder(&capture, &copy)
            .map_err(|error| internal("the capture cannot be written", &error))?;
    }
    let mut contents = Contents::new();
    let mut kernels = kernels::pack(kernels, &mut contents);
    let (mut state, mut profile) = match notes {
        Notes::None => (None, false),
        Notes::State(state) => (Some(state), false),
        Notes::Profile => (None, true),
    };
    if let Some(agreement) = &worker.agreement {
        kernels::for_minor(&mut kernels, agreement.format.minor);
        profile = false;
        state = state.filter(|_| agreement.notes_state);
        if let Some(state) = state.as_mut().filter(|_| !agreement.notes_writers) {
            state.watched = None;
        }
    }
    let mut device = executor.job(limits.asked);
    if let Release::Metalium(site) = &executor.release {
        let queues = (opens == Opens::Device).then_some(num_command_queues);
        let metalium = device_kernels::prepare(settings, &executor, site, queues)?;
        device.metalium = Some(metalium);
    }
    let job = job(ReplayJob { device, capture, kernels, state, profile });
    run(Prepared::new(folder, job, &contents, worker)?, limits.timeout)
}

/// A capture's file for readers of a minor version, if they do not read it as it is. What cannot be read at
/// all is left to the worker, which says why.
fn copy_for(path: &Path, minor: u16) -> Result<Option<Vec<u8>>, CaptureError> {
    let Ok(bytes) = whole_file::read(path, CAPTURE_LIMIT) else { return Ok(None) };
    let Ok(capture) = Capture::open(&bytes.into()) else { return Ok(None) };
    if capture.version().minor <= minor {
        return Ok(None);
    }
    capture.to_bytes_for(minor).map(Some)
}

/// Runs a job of this release's worker in a folder of its own.
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
    let Prepared { folder, job, environment, device, program } = prepared;
    let lock = device.as_ref().map_or(Ok(None), CardLock::of);
    let _lock = lock.map_err(|error| internal("the lock file of the card", &error))?;
    let ended = program
        .run(folder.path(), &job, &environment, timeout)
        .map_err(|error| internal("the worker cannot be started", &error))?;
    let report = match &ended.ending {
        Ending::Reported(report) => (**report).clone(),
        _ => WorkerReport::default(),
    };
    let mut executed = Executed {
        ended,
        report,
        capture: None,
        bytes: Vec::new().into(),
        recovered: None,
        problem: None,
        phase: None,
        folder,
    };
    executed.collect();
    Ok(executed)
}

impl Executed {
    /// Reads the capture, or makes one of the journal.
    fn collect(&mut self) {
        if matches!(self.ended.ending, Ending::Reported(_)) {
            if self.report.problem.is_some() {
                return;
            }
            match whole_file::read(&self.capture_path(), CAPTURE_LIMIT) {
                Ok(bytes) => {
                    let bytes = bytes.into();
                    match Capture::open(&bytes) {
                        Ok(capture) => self.keep(capture, bytes),
                        Err(error) => {
                            self.problem = Some(format!("the capture is refused: {error}"));
                        }
                    }
                }
                Err(error) => self.problem = Some(format!("there is no capture: {error}")),
            }
            return;
        }
        self.phase = last_phase(self.folder.path());
        let Ok(bytes) = whole_file::read(&self.folder.path().join(JOURNAL), CAPTURE_LIMIT) else {
            return;
        };
        let mut recovered = match journal::recover(&bytes) {
            Ok(recovered) => recovered,
            Err(error) => {
                self.problem = Some(format!("the journal cannot be used: {error}"));
                return;
            }
        };
        // A device that ends its process on a fault: the fault comes to light at the call that was
        // under way, as it does on a device that reports it.
        if let Some(fault) = self.ended.closing_fault()
            && let Some(enqueue) = recovered.executing
        {
            let failure = Failure::DeviceFault { category: fault.category, enqueue };
            let under_way = recovered.unfinished();
            match recovered.complete_with(Outcome::Failed(failure)) {
                Ok(()) => match recovered.capture.to_bytes() {
                    Ok(bytes) => {
                        self.report.stop = under_way.map(|command| {
                            let cause = StopCause::Fault(fault);
                            let enqueue = Some(enqueue);
                            Box::new(Stop { command, enqueue, replaying: None, cause })
                        });
                        self.keep(recovered.capture, bytes.into());
                        return;
                    }
                    Err(error) => self.problem = Some(error.to_string()),
                },
                Err(error) => self.problem = Some(error.to_string()),
            }
        }
        self.recovered = Some(Box::new(recovered.capture));
    }

    /// Completes a capture that was made of a journal, as a worker that comes to its end does itself.
    fn note_expected_faults(&mut self, case: &BoundCase) {
        if matches!(self.ended.ending, Ending::Reported(_)) {
            return;
        }
        let Some(mut capture) = self.capture.as_deref().cloned() else { return };
        case.note_expected_faults(&mut capture, self.report.stop.as_deref());
        match capture.to_bytes() {
            Ok(bytes) => self.keep(capture, bytes.into()),
            Err(error) => self.problem = Some(error.to_string()),
        }
    }

    fn keep(&mut self, capture: Capture, bytes: SharedBytes) {
        self.capture = Some(Arc::new(capture));
        self.bytes = bytes;
    }
}
