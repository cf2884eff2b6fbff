//! What the tests of a run share: the root, who carries them out, and where kernels come from.

use std::sync::Arc;

use hallmark_chip::Architecture;
use hallmark_execution::executor::{Dispatch, Executor, Executors, ProgramSettings};
use hallmark_execution::worker::process::WorkerProgram;
use hallmark_runtime::device_code::KernelStore;
use hallmark_suite::deviations::Deviations;
use hallmark_suite::discover::Root;

use super::notices::Notices;
use super::test_executors::TestExecutors;

/// What all tests of a run share.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder with the suites and the goldens.
    pub root: Root,
    /// What workers are and what they open.
    pub workers: WorkerSettings,
    /// Whether a derived difference fails a test.
    pub strict_derived: bool,
    /// Where kernels come from.
    pub kernels: Arc<KernelStore>,
    /// What TT-Metalium is known to do otherwise; empty where nothing runs through it.
    pub deviations: Arc<Deviations>,
}

/// What workers are and what they open.
#[derive(Clone, Debug)]
pub struct WorkerSettings {
    /// Who captures, by architecture.
    pub executors: Executors,
    /// Who replays, where it is another.
    pub replay_executors: Executors,
    /// How programs run on executors that do not say it themselves.
    pub programs: ProgramSettings,
    /// The executable that this release's workers are.
    pub worker: WorkerProgram,
    /// Who hears of what takes long beside the tests.
    pub notices: Notices,
}

impl WorkerSettings {
    /// Who carries out a test of an architecture.
    pub fn test_executors(&self, architecture: Architecture) -> TestExecutors {
        let capture = self.executor(architecture);
        let chosen = self.replay_executors.chosen(architecture);
        let replay = chosen.map(|choice| choice.executor(architecture, &self.programs));
        let replay = replay.unwrap_or_else(|| capture.clone());
        let chip = capture.chip();
        TestExecutors { architecture, capture, replay, chip }
    }

    /// Who captures tests of an architecture.
    pub fn executor(&self, architecture: Architecture) -> Executor {
        self.executors.of(architecture, &self.programs)
    }

    /// The flags that make programs run so again, each after a space.
    pub fn program_flags(&self) -> String {
        let mut flags = String::new();
        let ProgramSettings { firmware, dispatch, schedule_seed } = &self.programs;
        if let Some(firmware) = firmware {
            flags.push_str(&format!(" --firmware {}", firmware.display()));
        }
        if *dispatch != Dispatch::Host {
            flags.push_str(&format!(" --dispatch {dispatch}"));
        }
        if *schedule_seed != 0 {
            flags.push_str(&format!(" --schedule-seed {schedule_seed}"));
        }
        flags
    }
}

impl Settings {
    /// Kernels prebuilt below the root's suites, or built and kept below its `target`.
    pub fn kernel_store(root: &Root) -> Arc<KernelStore> {
        let builder = KernelStore::builder()
            .prebuilt(root.suites().join("kernels/prebuilt"))
            .cache(root.folder().join("target/hallmark-kernels"));
        Arc::new(builder.build())
    }
}
