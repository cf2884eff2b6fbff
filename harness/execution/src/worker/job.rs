//! The jobs of workers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hallmark_chip::library_variables::{
    ORDER_ON, ORDER_STRICT, SIM_ARCH, SIM_HARVESTING, SIM_ORDER, SIM_WAITS,
};
use hallmark_runtime::devices::{DeviceSpec, SimulatorSettings};
use hallmark_runtime::metalium::Simulator;
use hallmark_schema::model::{ContentHash, DeviceRequirements, DispatchMode};
use hallmark_suite::bound::BoundCase;
use serde::{Deserialize, Serialize};

use super::mock::MockJob;
use super::state::StateJob;

/// A job of a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Job {
    /// Performs a test's calls under the recorder.
    Capture(CaptureJob),
    /// Performs a capture's calls again.
    Replay(ReplayJob),
    /// Checks whether a replay is possible, without running anything.
    Assess(ReplayJob),
    /// Makes a test's calls on a simulator without running anything, to find the placement of its objects.
    Plan(CaptureJob),
    /// Opens a device of TT-Metalium, so that its firmware and dispatch kernels are compiled.
    OpenMetalium(OpenMetaliumJob),
    /// Misbehaves, to test the parent.
    Mock(MockJob),
}

impl Job {
    /// The device of the job, if it has one.
    pub const fn device(&self) -> Option<&DeviceJob> {
        match self {
            Self::Capture(CaptureJob { device, .. })
            | Self::Replay(ReplayJob { device, .. })
            | Self::Assess(ReplayJob { device, .. })
            | Self::OpenMetalium(OpenMetaliumJob { device, .. })
            | Self::Plan(CaptureJob { device, .. }) => Some(device),
            Self::Mock(_) => None,
        }
    }

    /// The file of the capture that the job works on, if it has one.
    pub fn capture(&self) -> Option<&Path> {
        match self {
            Self::Replay(ReplayJob { capture, .. }) | Self::Assess(ReplayJob { capture, .. }) => {
                Some(capture)
            }
            Self::Capture(_) | Self::Plan(_) | Self::OpenMetalium(_) | Self::Mock(_) => None,
        }
    }

    /// The worker's environment. A simulator's library leaves its report of waits in the worker's folder, if that is asked
    /// for.
    pub fn environment(&self, folder: &Path) -> BTreeMap<String, String> {
        let mut environment = self.device().map(DeviceJob::environment).unwrap_or_default();
        if let Self::Replay(ReplayJob { device, unit_waits: true, .. }) = self
            && matches!(device.device.parse(), Ok(DeviceSpec::Ttsim(_)))
        {
            let file = folder.join(UNIT_WAITS).display().to_string();
            environment.insert(SIM_WAITS.to_owned(), file);
            environment.entry(SIM_ORDER.to_owned()).or_insert_with(|| ORDER_ON.to_owned());
        }
        environment
    }
}

/// The report of waits that Hallmark's simulator leaves as a library.
pub const UNIT_WAITS: &str = "unit-waits.txt";

/// The device of a job, and its settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceJob {
    /// The device, in the command line's spelling; a path is absolute.
    pub device: String,
    /// The architecture's name.
    pub architecture: String,
    /// The absolute path of a firmware bundle; `None` for the built-in one.
    pub firmware: Option<PathBuf>,
    /// The seed that chooses among orders that the hardware permits.
    pub schedule_seed: u64,
    /// The dispatch mode.
    pub dispatch: DispatchMode,
    /// The requirements of a test on the device.
    pub asked: DeviceRequirements,
    /// What only Hallmark's simulator can be asked for. A worker of a release before these settings refuses a job with
    /// one.
    #[serde(default, skip_serializing_if = "SimulatorJob::is_usual")]
    pub simulator: SimulatorJob,
    /// The prepared TT-Metalium that drives the device, if one does. Only for workers of the same build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metalium: Option<MetaliumJob>,
}

/// The settings of Hallmark's simulator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimulatorJob {
    /// Kernels run with the data cache on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub data_cache: bool,
    /// Only what the documents promise orders two NoC requests.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict_isa: bool,
    /// Units of the coprocessor sample their configuration until they have finished.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict_tensix: bool,
}

impl SimulatorJob {
    fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

impl From<SimulatorSettings> for SimulatorJob {
    fn from(settings: SimulatorSettings) -> Self {
        let SimulatorSettings { data_cache, strict_isa, strict_tensix } = settings;
        Self { data_cache, strict_isa, strict_tensix }
    }
}

impl From<SimulatorJob> for SimulatorSettings {
    fn from(job: SimulatorJob) -> Self {
        let SimulatorJob { data_cache, strict_isa, strict_tensix } = job;
        Self { data_cache, strict_isa, strict_tensix }
    }
}

/// TT-Metalium, prepared for a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetaliumJob {
    /// The C++ library with the C interface, absolute.
    pub interface: PathBuf,
    /// Its release, as reports name it.
    pub release: String,
    /// The release whose description it is used by.
    pub description: String,
    /// The GNU build id of the vendor's library.
    pub build_id: String,
    /// The maker of the chip's simulator.
    pub chip: Simulator,
    /// The environment of the worker.
    pub environment: BTreeMap<String, String>,
}

impl DeviceJob {
    /// The effective dispatch mode: a test may require dispatchers.
    pub const fn launched_by(&self) -> DispatchMode {
        self.asked.dispatch.launched_by(self.dispatch)
    }

    /// The worker's environment for the device: it tells a simulator's library with several chips which one to
    /// simulate.
    pub fn environment(&self) -> BTreeMap<String, String> {
        let mut environment =
            self.metalium.as_ref().map(|it| it.environment.clone()).unwrap_or_default();
        match self.device.parse() {
            Ok(DeviceSpec::Ttsim(chip)) => {
                environment.insert(SIM_ARCH.to_owned(), self.architecture.clone());
                if !chip.harvesting.is_none() {
                    let mask = chip.harvesting.to_string();
                    environment.insert(SIM_HARVESTING.to_owned(), mask);
                }
                if self.simulator.strict_tensix {
                    environment.insert(SIM_ORDER.to_owned(), ORDER_STRICT.to_owned());
                }
            }
            Ok(
                DeviceSpec::Simulator(_)
                | DeviceSpec::Pci(_)
                | DeviceSpec::SimulatedCard(_)
                | DeviceSpec::Misbehaving(_),
            )
            | Err(_) => {}
        }
        environment
    }
}

/// A test to capture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaptureJob {
    /// The device of the calls.
    pub device: DeviceJob,
    /// The test's calls, with the expected outcome of each.
    pub case: BoundCase,
    /// Its kernels, by kernel id.
    pub kernels: BTreeMap<u32, JobKernel>,
    /// Whether to record the contents of buffers, beside the capture.
    pub memory: bool,
}

/// A capture to replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayJob {
    /// The device of the calls.
    pub device: DeviceJob,
    /// The capture's file, absolute.
    pub capture: PathBuf,
    /// Its kernels for the device's architecture, by kernel id, if that differs from the capture's.
    pub kernels: BTreeMap<u32, JobKernel>,
    /// The requested notes of the device's memory, for workers that support them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<StateJob>,
    /// Whether to measure launches; only for workers of the same build.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub profile: bool,
    /// Whether a simulator's library leaves a report of waits. The worker learns of it by its environment.
    #[serde(skip)]
    pub unit_waits: bool,
}

/// A device of TT-Metalium to open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenMetaliumJob {
    /// The device, with the prepared TT-Metalium.
    pub device: DeviceJob,
    /// The number of its command queues, which determines its dispatch kernels.
    pub num_command_queues: u8,
}

/// A kernel, or why it is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum JobKernel {
    /// Sources by path and ELFs by the processor's index; the bytes are blobs.
    Ready {
        /// Its source and the included files.
        sources: Vec<JobSource>,
        /// An ELF for each of its processors.
        elfs: Vec<JobElf>,
        /// The line tables, for workers that support format 1.1.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lines: Vec<JobLineTable>,
    },
    /// The source does not exist: the text names the file.
    SourceNotFound(String),
    /// The kernel cannot be built: the text is the compiler's message.
    BuildFailed(String),
    /// The kernel is not available here, for instance without a compiler.
    Unusable(String),
}

/// A source of a kernel: a pair in the job's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(String, ContentHash)", into = "(String, ContentHash)")]
pub struct JobSource {
    /// Its path relative to the suites, with `/`.
    pub path: String,
    /// The hash of its bytes, which are a blob of the job.
    pub hash: ContentHash,
}

impl From<(String, ContentHash)> for JobSource {
    fn from((path, hash): (String, ContentHash)) -> Self {
        Self { path, hash }
    }
}

impl From<JobSource> for (String, ContentHash) {
    fn from(JobSource { path, hash }: JobSource) -> Self {
        (path, hash)
    }
}

/// The line table of a kernel for one processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobLineTable {
    /// The processor's index in [`hallmark_chip::Processor::ALL`].
    pub processor: u8,
    /// The hash of the encoded table, which is a blob of the job.
    pub hash: ContentHash,
}

/// The ELF of a kernel for one processor: a pair in the job's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u8, ContentHash)", into = "(u8, ContentHash)")]
pub struct JobElf {
    /// The processor's index in [`hallmark_chip::Processor::ALL`].
    pub processor: u8,
    /// The hash of the ELF, which is a blob of the job.
    pub hash: ContentHash,
}

impl From<(u8, ContentHash)> for JobElf {
    fn from((processor, hash): (u8, ContentHash)) -> Self {
        Self { processor, hash }
    }
}

impl From<JobElf> for (u8, ContentHash) {
    fn from(JobElf { processor, hash }: JobElf) -> Self {
        (processor, hash)
    }
}
