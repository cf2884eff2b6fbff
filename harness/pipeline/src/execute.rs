//! The jobs of a bound test: capturing or planning its calls, and replaying its capture.

use hallmark_chip::Architecture;
use hallmark_execution::executor::{Executor, Release};
use hallmark_execution::whole_file;
use hallmark_execution::worker::job::{CaptureJob, Job};
use hallmark_execution::worker::kernels::{self, Contents};
use hallmark_runtime::device_code::SourceClosure;
use hallmark_runtime::metalium::prints;
use hallmark_runtime::{FoundKernels, KernelLibrary, SuiteKernels, captured_kernels};
use hallmark_schema::model::{Command, Grid, Outcome, ProgramPart, RecordedCommand};
use hallmark_schema::{CaptureError, check_program};
use hallmark_suite::bound::{BoundCase, BoundStep, BoundTest, KernelOrigin};
use hallmark_suite::name::TestName;

use super::device_kernels::{self, DeviceUse};
use super::executed::{Executed, Limits, ReplayOf};
use super::finding::Finding;
use super::prepared::{Prepared, Worker, internal, run, temporary_folder, too_new, unusable};
use super::profiled;
use super::replay::{is_printing, replay_capture};
use super::settings::Settings;
use super::test_executors::TestExecutors;
use super::unavailable_kernels::without_kernels;

/// Prepares the parts of a test's executors that do not count as the test's time: TT-Metalium's firmware and
/// dispatch kernels.
///
/// # Errors
/// The preparation failed; the test would fail in the same way.
pub(super) fn make_ready(
    settings: &Settings,
    on: &TestExecutors,
    bound: &BoundTest,
) -> Result<(), Finding> {
    let workers = &settings.workers;
    for executor in [&on.capture, &on.replay] {
        match &executor.release {
            Release::This | Release::Other(_) => {}
            Release::Metalium(site) => {
                let queues = bound.case.num_command_queues;
                let usage = Some(DeviceUse { queues, prints: prints(settings, bound) });
                device_kernels::prepare(workers, executor, site, usage)?;
            }
        }
    }
    Ok(())
}

/// Whether a kernel of a test prints. A source that cannot be read is left to the run, which reports the problem.
fn prints(settings: &Settings, bound: &BoundTest) -> bool {
    match &bound.kernels {
        KernelOrigin::Capture(capture) => is_printing(capture),
        KernelOrigin::Suites => {
            let suites = settings.root.suites();
            let sources = bound.case.steps.iter().filter_map(|step| match &step.command {
                Command::CreateKernel(call) => SourceClosure::read(&suites, &call.source).ok(),
                _ => None,
            });
            sources.into_iter().any(|closure| {
                let mut texts =
                    closure.files().values().filter_map(|it| std::str::from_utf8(it).ok());
                texts.any(prints::is_printing)
            })
        }
    }
}

/// Captures a bound test.
pub fn capture(
    settings: &Settings,
    on: &TestExecutors,
    bound: &BoundTest,
) -> Result<Executed, Finding> {
    match on.capture.release {
        Release::This => capture_here(settings, on, bound),
        Release::Other(_) | Release::Metalium(_) => carry_out(settings, on, bound),
    }
}

fn capture_here(
    settings: &Settings,
    on: &TestExecutors,
    bound: &BoundTest,
) -> Result<Executed, Finding> {
    let mut executed = run(prepare_capture(settings, on, bound)?, bound.timeout)?;
    executed.note_expected_faults(&bound.case);
    Ok(executed)
}

/// Makes a test's calls under another runtime or release. Neither reads suites: the calls are captured on a
/// modelled chip, and the other side's replay of that capture is judged.
fn carry_out(
    settings: &Settings,
    on: &TestExecutors,
    bound: &BoundTest,
) -> Result<Executed, Finding> {
    let executor = on.capture.clone();
    let mut simulated = settings.clone();
    simulated.workers.executors = settings.workers.executors.simulated();
    let on_simulator = simulated.workers.test_executors(on.architecture);
    let captured = capture_here(&simulated, &on_simulator, bound)?;
    if captured.capture.is_none() {
        return Ok(captured);
    }
    let capture = captured.capture.as_deref();
    let kernels = capture.map(|capture| executor.find_kernels(capture, &settings.kernels));
    replay_on(settings, None, executor, kernels.unwrap_or_default(), bound, &captured)
}

/// Captures a bound test and records the contents of its buffers.
pub fn capture_with_memory(
    settings: &Settings,
    on: &TestExecutors,
    bound: &BoundTest,
) -> Result<Executed, Finding> {
    match on.capture.release {
        Release::This | Release::Other(_) => {}
        // TT-Metalium's memory cannot be read.
        Release::Metalium(_) => return carry_out(settings, on, bound),
    }
    let job = |job: CaptureJob| Job::Capture(CaptureJob { memory: true, ..job });
    run(prepare(settings, on, bound, job)?, bound.timeout)
}

/// Makes a bound test's calls on the built-in simulator without running anything, and returns the placement of
/// its objects.
pub fn plan(
    settings: &Settings,
    on: &TestExecutors,
    bound: &BoundTest,
) -> Result<Executed, Finding> {
    run(prepare(settings, on, bound, Job::Plan)?, bound.timeout)
}

/// Collects the inputs of a bound test's capture worker.
pub fn prepare_capture(
    settings: &Settings,
    on: &TestExecutors,
    bound: &BoundTest,
) -> Result<Prepared, Finding> {
    prepare(settings, on, bound, Job::Capture)
}

fn prepare(
    settings: &Settings,
    on: &TestExecutors,
    bound: &BoundTest,
    job: fn(CaptureJob) -> Job,
) -> Result<Prepared, Finding> {
    let executor = &on.capture;
    let worker = Worker::of(&settings.workers, executor).map_err(|error| unusable(&error))?;
    if let Some(agreement) = &worker.agreement {
        check_calls(&bound.case, agreement.format.minor)
            .map_err(|error| too_new(executor, &error))?;
    }
    let (mut capture_job, contents) = capture_job(settings, on, bound)?;
    if let Some(agreement) = &worker.agreement {
        kernels::for_minor(&mut capture_job.kernels, agreement.format.minor);
    }
    Prepared::new(temporary_folder()?, job(capture_job), &contents, worker)
}

/// A test's calls and kernels in the form for a worker of this release, with their bytes.
pub(super) fn capture_job(
    settings: &Settings,
    on: &TestExecutors,
    bound: &BoundTest,
) -> Result<(CaptureJob, Contents), Finding> {
    let executor = &on.capture;
    let mut contents: Contents = bound.blobs.clone();
    let store = executor.kernel_store(&settings.kernels);
    let mut library: Box<dyn KernelLibrary> = match &bound.kernels {
        KernelOrigin::Suites => Box::new(SuiteKernels::new(settings.root.suites(), store)),
        KernelOrigin::Capture(capture) => {
            let found = executor.find_kernels(capture, &settings.kernels);
            Box::new(captured_kernels(capture, &found))
        }
    };
    let kernels = kernels::collect(&bound.case, on.architecture, &mut *library, &mut contents)
        .map_err(without_kernels)?;
    let device = executor.job(bound.asked);
    Ok((CaptureJob { device, case: bound.case.clone(), kernels, memory: false }, contents))
}

/// Checks that an executor for a minor version of the format knows all calls of a test.
fn check_calls(case: &BoundCase, minor: u16) -> Result<(), CaptureError> {
    let recorded = |step: &BoundStep| RecordedCommand {
        command: step.command.clone(),
        outcome: step.failure.clone().map_or(Outcome::Done, Outcome::Failed),
    };
    // Chip and grid do not depend on the minor version.
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
    on: &TestExecutors,
    name: &TestName,
    bound: &BoundTest,
    captured: &Executed,
) -> Result<Executed, Finding> {
    let executor = on.replay.clone();
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
        // A capture made from a journal was not written by the worker.
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
