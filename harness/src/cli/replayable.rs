//! A capture with everything that its replay needs: an executor, kernels for its architecture, and a worker.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use hallmark_execution::executor::{Executors, for_capture};
use hallmark_execution::worker::process::WorkerProgram;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_pipeline::{Notices, ReplayOf, Settings, WorkerSettings};
use hallmark_runtime::FoundKernels;
use hallmark_runtime::device_code::KernelStore;
use hallmark_runtime::device_code::temporary::TemporaryFolder;
use hallmark_schema::model::Capture;
use hallmark_suite::discover::Root;

use super::capture_file::{is_in_the_format, read_to_replay, write};
use super::options::{DEVICES, ProgramOptions, root_at_hand};
use super::paths::absolute;
use super::{Failed, output};

/// A replay needs no root, unless it takes kernels that the capture holds no ELFs of.
#[derive(Clone, Debug, Args)]
pub(super) struct ReplayCommon {
    /// The device that replays, written as for `run --device` [default: the simulator of the capture's chip]
    ///
    /// `hallmark:PATH` or `hallmark:PATH@DEVICE` is the executable of another release. The device may be of another
    /// architecture than the capture.
    ///
    /// `metalium:SITE@ttsim:PATH` is TT-Metalium, the vendor's runtime, from the folder of a ttnn
    /// wheel, on a simulator's library.
    ///
    /// [env: HALLMARK_DEVICE_<ARCHITECTURE>=]
    #[arg(long, value_name = "[ARCHITECTURE=]EXECUTOR", help_heading = DEVICES)]
    device: Option<String>,
    /// A folder of prebuilt kernels, for those of which the capture holds no ELF
    ///
    /// It holds `<architecture>.lock` and ELFs; no kernel is taken from elsewhere. Without it, kernels come from
    /// the folder that --root names, and a missing one is built.
    #[arg(long, value_name = "FOLDER", help_heading = DEVICES)]
    kernels: Option<PathBuf>,
    /// The folder that holds `suites`, for prebuilt kernels [default: the nearest above the current folder]
    #[arg(long, value_name = "FOLDER", env = "HALLMARK_ROOT", help_heading = DEVICES)]
    root: Option<PathBuf>,
    #[command(flatten)]
    programs: ProgramOptions,
}

impl ReplayCommon {
    /// The source of kernels for another architecture: a folder, a root, or a compiler alone.
    pub(super) fn kernel_store(&self) -> Result<Arc<KernelStore>, Failed> {
        if let Some(folder) = &self.kernels {
            if !folder.is_dir() {
                let text = format!(
                    "there is no folder of kernels {}; --kernels names one with `<architecture>.lock` and ELFs",
                    folder.display()
                );
                return Err(Failed::new(ExitCode::USAGE, text));
            }
            return Ok(Arc::new(
                KernelStore::builder().prebuilt(absolute(folder)).only_prebuilt().build(),
            ));
        }
        Ok(kernel_store_of(root_at_hand(self.root.as_deref())?))
    }
}

/// The kernels of a replay: those of a root, or a compiler's alone.
pub(super) fn kernel_store_of(root: Option<Root>) -> Arc<KernelStore> {
    match root {
        Some(root) => Settings::kernel_store(&root),
        None => Arc::new(KernelStore::builder().build()),
    }
}

/// A capture with everything that its replay needs.
pub(super) struct Replayable {
    pub(super) capture: Capture,
    pub(super) workers: WorkerSettings,
    pub(super) replay: ReplayOf,
    /// Keeps a file that was made for the replay until this value is dropped.
    pub(super) folder: Option<TemporaryFolder>,
}

impl Replayable {
    pub(super) fn open(file: &Path, common: &ReplayCommon) -> Result<Self, Failed> {
        Self::open_changed(file, common, |_| Ok(false))
    }

    /// As [`Self::open`], for a capture to which something is added before the replay; `change` says whether it was.
    pub(super) fn open_changed(
        file: &Path,
        common: &ReplayCommon,
        change: impl FnOnce(&mut Capture) -> Result<bool, Failed>,
    ) -> Result<Self, Failed> {
        let mut capture = read_to_replay(file)?;
        let changed = change(&mut capture)?;
        let programs = common.programs.settings()?;
        let executor =
            for_capture(common.device.as_deref(), capture.program.architecture, &programs)
                .map_err(|error| Failed::new(ExitCode::USAGE, error))?;
        let (file, folder) = if !changed && is_in_the_format(file) {
            (absolute(file), None)
        } else {
            let folder = TemporaryFolder::new().map_err(|error| {
                Failed::new(
                    ExitCode::INTERNAL,
                    format!("a temporary folder cannot be created: {error}"),
                )
            })?;
            let bytes =
                capture.to_bytes().map_err(|error| Failed::new(ExitCode::CAPTURE, error))?;
            let file = folder.path().join("capture.lmb");
            write(&file, &bytes)?;
            (file, Some(folder))
        };
        let kernels = if executor.lacks_kernels(&capture) {
            executor.find_kernels(&capture, &common.kernel_store()?)
        } else {
            FoundKernels::new()
        };
        let workers = WorkerSettings {
            executors: Executors::default(),
            replay_executors: Executors::default(),
            programs,
            worker: WorkerProgram::current()
                .map_err(|error| Failed::new(ExitCode::INTERNAL, error))?,
            least_timeout: Duration::ZERO,
            notices: Notices::to(output::note),
        };
        let queues = capture.program.num_command_queues;
        let replay = ReplayOf { capture: file, num_command_queues: queues, executor, kernels };
        Ok(Self { capture, workers, replay, folder })
    }
}
