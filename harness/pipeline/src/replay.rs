//! Replays of a capture's file by any executor, each in a fresh process.

use std::path::Path;

use hallmark_execution::executor::Release;
use hallmark_execution::whole_file;
use hallmark_execution::worker::job::{Job, ReplayJob};
use hallmark_execution::worker::job_file::CAPTURE_LIMIT;
use hallmark_execution::worker::kernels::{self, Contents};
use hallmark_execution::worker::state::StateJob;
use hallmark_runtime::metalium::prints;
use hallmark_schema::CaptureError;
use hallmark_schema::model::Capture;

use super::device_kernels::{self, DeviceUse};
use super::executed::{Executed, Limits, ReplayOf};
use super::finding::Finding;
use super::prepared::{Prepared, Worker, internal, run, temporary_folder, too_new, unusable};
use super::program_kernels::run_compiling;
use super::settings::WorkerSettings;
use super::unavailable_kernels::without_kernels;

/// The capture in the folder of its replay job.
const GIVEN: &str = "given.lmb";

/// Replays a capture's file in a fresh process.
pub fn replay_capture(
    settings: &WorkerSettings,
    replay: ReplayOf,
    limits: Limits,
) -> Result<Executed, Finding> {
    start_replay(settings, replay, limits, Opens::Device, Notes::None, Job::Replay)
}

/// Replays a capture's file in a fresh process that measures calls and launches, if it is of this release.
pub fn replay_profiling(
    settings: &WorkerSettings,
    replay: ReplayOf,
    limits: Limits,
) -> Result<Executed, Finding> {
    start_replay(settings, replay, limits, Opens::Device, Notes::Profile, Job::Replay)
}

/// Replays a capture's file in a fresh process that notes the waits for units of the coprocessor, and measures as
/// [`replay_profiling`] does.
pub fn replay_noting_waits(
    settings: &WorkerSettings,
    replay: ReplayOf,
    limits: Limits,
) -> Result<Executed, Finding> {
    start_replay(settings, replay, limits, Opens::Device, Notes::UnitWaits, Job::Replay)
}

/// Replays a capture's file in a fresh process that notes the content of memory, if its release and its device
/// support that.
pub fn replay_noting_state(
    settings: &WorkerSettings,
    replay: ReplayOf,
    limits: Limits,
    state: StateJob,
) -> Result<Executed, Finding> {
    start_replay(settings, replay, limits, Opens::Device, Notes::State(state), Job::Replay)
}

/// Checks in a fresh process whether a capture's file could be replayed, without running anything.
pub fn assess_capture(
    settings: &WorkerSettings,
    replay: ReplayOf,
    limits: Limits,
) -> Result<Executed, Finding> {
    start_replay(settings, replay, limits, Opens::Nothing, Notes::None, Job::Assess)
}

/// The notes of a replay worker besides its report.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Notes {
    None,
    /// The content of memory.
    State(StateJob),
    /// The measurements of calls and launches.
    Profile,
    /// The same, and a simulator's library leaves a report of waits.
    UnitWaits,
}

/// The use of the device by a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opens {
    /// It opens the device.
    Device,
    /// It only reads the capture, because another runtime drives the device.
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
    let kernels = kernels::pack(kernels, &mut contents);
    let mut kernels = kernels.map_err(without_kernels)?;
    let unit_waits = notes == Notes::UnitWaits;
    let (mut state, mut profile) = match notes {
        Notes::None => (None, false),
        Notes::State(state) => (Some(state), false),
        Notes::Profile | Notes::UnitWaits => (None, true),
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
        let usage = (opens == Opens::Device)
            .then(|| DeviceUse { queues: num_command_queues, prints: is_printing_file(&capture) });
        let metalium = device_kernels::prepare(settings, &executor, site, usage)?;
        device.metalium = Some(metalium);
    }
    let metalium = device.metalium.clone();
    let job = job(ReplayJob { device, capture, kernels, state, profile, unit_waits });
    let first = Prepared::new(folder, job.clone(), &contents, worker)?;
    let Some(metalium) = metalium else { return run(first, limits.timeout) };
    run_compiling(settings, &metalium, limits.timeout, first, || {
        Prepared::new(temporary_folder()?, job.clone(), &contents, Worker::here(settings))
    })
}

/// Whether a kernel of a capture's file prints. An unreadable file is left to the worker, which reports the problem.
fn is_printing_file(path: &Path) -> bool {
    let bytes = whole_file::read(path, CAPTURE_LIMIT).ok();
    let capture = bytes.and_then(|bytes| Capture::open(&bytes.into()).ok());
    capture.is_some_and(|capture| is_printing(&capture))
}

/// Whether a kernel of a capture prints.
pub(super) fn is_printing(capture: &Capture) -> bool {
    let texts = capture.program.sources.iter().filter_map(|it| capture.blobs.get(&it.hash));
    texts.filter_map(|text| std::str::from_utf8(text).ok()).any(prints::is_printing)
}

/// A copy of a capture's file for readers of a minor version, if they cannot read it unchanged. An unreadable
/// file is left to the worker, which reports the problem.
fn copy_for(path: &Path, minor: u16) -> Result<Option<Vec<u8>>, CaptureError> {
    let Ok(bytes) = whole_file::read(path, CAPTURE_LIMIT) else { return Ok(None) };
    let Ok(capture) = Capture::open(&bytes.into()) else { return Ok(None) };
    if capture.version().minor <= minor {
        return Ok(None);
    }
    capture.to_bytes_for(minor).map(Some)
}
