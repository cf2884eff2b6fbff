//! The number of ticks after which a program counts as hanging: more than it ever takes in a correct run.
//!
//! A device without deadlock detection lets a hanging program run to the end of its budget. That takes a minute
//! on some simulators, and a search meets the hang repeatedly.

use std::sync::Arc;

use hallmark_execution::executor::{Executor, Release};
use hallmark_execution::whole_file;
use hallmark_pipeline::{Limits, ReplayOf, WorkerSettings, replay_profiling};
use hallmark_runtime::DeviceSpec;
use hallmark_runtime::device_code::KernelStore;
use hallmark_runtime::device_code::temporary::TemporaryFolder;
use hallmark_schema::model::Capture;

use super::probe::Reference;

/// A program hangs if it takes this many times the ticks of the slowest launch. Simulators count ticks
/// differently.
const TIMES: u64 = 64;
/// The smallest budget, in ticks.
const LEAST: u64 = 1_000_000;

/// The limits of a search's runs, with a tick budget derived from one run of the good side. They are unchanged
/// if the good side is not the built-in simulator, or fails.
pub fn bound(
    limits: Limits,
    capture: &Capture,
    reference: &Reference,
    workers: &WorkerSettings,
    kernels: &Arc<KernelStore>,
) -> Limits {
    let Reference::Executor(good) = reference else { return limits };
    let Some(ticks) = slowest_launch(limits, capture, good, workers, kernels) else {
        return limits;
    };
    let budget = ticks.saturating_mul(TIMES).max(LEAST);
    let mut bound = limits;
    bound.asked.budget = Some(limits.asked.budget.map_or(budget, |asked| asked.min(budget)));
    bound
}

/// The ticks of the slowest launch, if the executor reports them and makes all calls as captured.
fn slowest_launch(
    limits: Limits,
    capture: &Capture,
    executor: &Executor,
    workers: &WorkerSettings,
    kernels: &Arc<KernelStore>,
) -> Option<u64> {
    if executor.release != Release::This || !matches!(executor.device, DeviceSpec::Simulator(_)) {
        return None;
    }
    let folder = TemporaryFolder::new().ok()?;
    let file = folder.path().join("capture.lmb");
    whole_file::write(&file, &capture.to_bytes().ok()?).ok()?;
    let replay = ReplayOf {
        capture: file,
        num_command_queues: capture.program.num_command_queues,
        executor: executor.clone(),
        kernels: executor.find_kernels(capture, kernels),
    };
    let executed = replay_profiling(workers, replay, limits).ok()?;
    // After a fault, launches are missing.
    if executed.capture.is_none() || executed.report.stop.is_some() {
        return None;
    }
    let notes = executed.profile()?;
    let launches = notes.calls.iter().flat_map(|call| &call.launches);
    let taken = launches.map(|launch| launch.until.0.saturating_sub(launch.from.0));
    // Without a launch, or without measurements, the ticks are unknown.
    if notes.knows_launches { taken.max() } else { None }
}
