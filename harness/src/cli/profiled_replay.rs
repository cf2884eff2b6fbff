//! Replays a capture and keeps its measurements.

use hallmark_execution::executor::Executor;
use hallmark_execution::whole_file;
use hallmark_pipeline::markers::with_markers;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_pipeline::{
    Executed, Limits, ReplayOf, Settings, replay_noting_waits, replay_profiling,
};
use hallmark_runtime::device_code::temporary::TemporaryFolder;
use hallmark_schema::model::Capture;

use super::Failed;

/// The notes of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// The times of calls and launches.
    Times,
    /// The same, with the markers of kernels.
    Markers,
    /// The waits for units of the coprocessor.
    UnitWaits,
}

/// A capture that is replayed, and where.
pub(super) struct Profiled<'a> {
    pub(super) capture: &'a Capture,
    pub(super) executor: &'a Executor,
    pub(super) limits: Limits,
}

impl Profiled<'_> {
    /// The replay, and the reasons for which markers that were asked for are missing.
    pub(super) fn replay(
        &self,
        settings: &Settings,
        asked: Asked,
    ) -> Result<(Executed, Vec<String>), Failed> {
        let Self { capture, executor, limits } = *self;
        let unwritten = |error| {
            Failed::new(
                ExitCode::INTERNAL,
                format!("the capture cannot be written for a replay: {error}"),
            )
        };
        let folder = TemporaryFolder::new().map_err(unwritten)?;
        let bytes = capture.to_bytes().map_err(|error| Failed::new(ExitCode::CAPTURE, error))?;
        let file = folder.path().join("capture.lmb");
        whole_file::write_in_own_folder(&file, &bytes).map_err(unwritten)?;
        let replay = ReplayOf {
            capture: file,
            num_command_queues: capture.program.num_command_queues,
            kernels: executor.find_kernels(capture, &settings.kernels),
            executor: executor.clone(),
        };
        let (replay, without_markers) = match asked {
            Asked::Markers => with_markers(replay, capture, &settings.kernels),
            Asked::Times | Asked::UnitWaits => (replay, Vec::new()),
        };
        let run = match asked {
            Asked::Times | Asked::Markers => replay_profiling,
            Asked::UnitWaits => replay_noting_waits,
        };
        let executed = run(&settings.workers, replay, limits)
            .map_err(|finding| Failed::of_finding(&finding))?;
        Ok((executed, without_markers))
    }
}
