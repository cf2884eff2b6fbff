//! A replay of a capture that notes what it measures.

use hallmark_execution::executor::Executor;
use hallmark_execution::whole_file;
use hallmark_pipeline::markers::with_markers;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_pipeline::{Executed, Limits, ReplayOf, Settings, replay_profiling};
use hallmark_runtime::device_code::temporary::TemporaryFolder;
use hallmark_schema::model::Capture;

use super::Failed;

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
        asks_markers: bool,
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
        let (replay, without_markers) = if asks_markers {
            with_markers(replay, capture, &settings.kernels)
        } else {
            (replay, Vec::new())
        };
        let executed = replay_profiling(&settings.workers, replay, limits)
            .map_err(|finding| Failed::of_finding(&finding))?;
        Ok((executed, without_markers))
    }
}
