//! The common settings of a run's tests: the root, the executors, and the source of kernels.

use std::sync::Arc;
use std::time::Duration;

use hallmark_chip::Architecture;
use hallmark_execution::executor::{Dispatch, Executor, Executors, ProgramSettings};
use hallmark_execution::worker::process::WorkerProgram;
use hallmark_runtime::SimulatorSettings;
use hallmark_runtime::device_code::KernelStore;
use hallmark_suite::deviations::Deviations;
use hallmark_suite::discover::Root;

use super::notices::Notices;
use super::test_executors::TestExecutors;

/// The common settings of a run's tests.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder with the suites and the goldens.
    pub root: Root,
    /// The settings of workers.
    pub workers: WorkerSettings,
    /// Whether a derived difference fails a test.
    pub strict_derived: bool,
    /// The source of kernels.
    pub kernels: Arc<KernelStore>,
    /// The known deviations of TT-Metalium; empty if no test runs through it.
    pub deviations: Arc<Deviations>,
}

/// The settings of workers.
#[derive(Clone, Debug)]
pub struct WorkerSettings {
    /// The capturing executors, by architecture.
    pub executors: Executors,
    /// The replaying executors, if they differ.
    pub replay_executors: Executors,
    /// The default settings of programs on executors.
    pub programs: ProgramSettings,
    /// The executable of this release's workers.
    pub worker: WorkerProgram,
    /// The wall-clock time that each run of a test has at least, whatever its suite says: for devices that are slower than
    /// the one that the suite was written on. A certification has none, so that all of them give the same time.
    pub least_timeout: Duration,
    /// The receiver of notices about long actions besides tests.
    pub notices: Notices,
}

impl WorkerSettings {
    /// The executors of an architecture's tests.
    pub fn test_executors(&self, architecture: Architecture) -> TestExecutors {
        let capture = self.executor(architecture);
        let chosen = self.replay_executors.chosen(architecture);
        let replay = chosen.map(|choice| choice.executor(architecture, &self.programs));
        let replay = replay.unwrap_or_else(|| capture.clone());
        let chip = capture.chip();
        let least_timeout = self.least_timeout;
        TestExecutors { architecture, capture, replay, chip, least_timeout }
    }

    /// The capturing executor of an architecture's tests.
    pub fn executor(&self, architecture: Architecture) -> Executor {
        self.executors.of(architecture, &self.programs)
    }

    /// The flags that reproduce the settings of programs and their time, each after a space.
    pub fn program_flags(&self) -> String {
        let mut flags = String::new();
        let ProgramSettings { firmware, dispatch, schedule_seed, simulator } = &self.programs;
        // No flag turns the data cache on, only an executor.
        let SimulatorSettings { data_cache: _, strict_isa, strict_tensix } = simulator;
        if let Some(firmware) = firmware {
            flags.push_str(&format!(" --firmware {}", firmware.display()));
        }
        if *dispatch != Dispatch::Host {
            flags.push_str(&format!(" --dispatch {dispatch}"));
        }
        if *schedule_seed != 0 {
            flags.push_str(&format!(" --schedule-seed {schedule_seed}"));
        }
        if *strict_isa {
            flags.push_str(" --strict-isa");
        }
        if *strict_tensix {
            flags.push_str(" --strict-tensix");
        }
        if !self.least_timeout.is_zero() {
            flags.push_str(&format!(" --timeout {}", self.least_timeout.as_secs()));
        }
        flags
    }
}

impl Settings {
    /// A store of kernels prebuilt below the root's suites, or built and kept below its `target`.
    pub fn kernel_store(root: &Root) -> Arc<KernelStore> {
        let builder = KernelStore::builder()
            .prebuilt(root.suites().join("kernels/prebuilt"))
            .cache(root.folder().join("target/hallmark-kernels"));
        Arc::new(builder.build())
    }
}
