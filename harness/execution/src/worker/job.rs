//! What a worker is to do.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hallmark_runtime::devices::DeviceSpec;
use hallmark_schema::model::{ContentHash, DeviceRequirements, DispatchMode};
use hallmark_suite::bound::BoundCase;
use serde::{Deserialize, Serialize};

use super::mock::MockJob;
use super::state::StateJob;

/// What a worker does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Job {
    /// Performs a test's calls under the recorder.
    Capture(CaptureJob),
    /// Performs a capture's calls again.
    Replay(ReplayJob),
    /// Says whether it could, and runs nothing.
    Assess(ReplayJob),
    /// Makes a test's calls on a simulator without running anything, to see where everything would lie.
    Plan(CaptureJob),
    /// Opens a device of TT-Metalium, so that what opening compiles is compiled.
    OpenMetalium(OpenMetaliumJob),
    /// Misbehaves, so that the parent can be tested.
    Mock(MockJob),
}

impl Job {
    /// On which device, if on one.
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
}

/// Which device, and what runs on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceJob {
    /// The device, as users write it; a path is absolute.
    pub device: String,
    /// The architecture's name.
    pub architecture: String,
    /// A firmware bundle's folder, absolute; the built-in one otherwise.
    pub firmware: Option<PathBuf>,
    /// Chooses orders that the hardware leaves open.
    pub schedule_seed: u64,
    /// Who launches programs.
    pub dispatch: DispatchMode,
    /// What a test asks of it.
    pub asked: DeviceRequirements,
    /// Through what the vendor's runtime drives it, if it does. For workers of the same build alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metalium: Option<MetaliumJob>,
}

/// TT-Metalium, made ready for a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetaliumJob {
    /// The C++ library with the C interface, absolute.
    pub interface: PathBuf,
    /// Its release.
    pub release: String,
    /// The GNU build id of the vendor's library.
    pub build_id: String,
    /// What the worker's environment must hold.
    pub environment: BTreeMap<String, String>,
}

impl DeviceJob {
    /// Who launches programs in the end: a test may ask for dispatchers.
    pub const fn launched_by(&self) -> DispatchMode {
        self.asked.dispatch.launched_by(self.dispatch)
    }

    /// What the worker's environment must hold for the device: a simulator's library that has several
    /// chips in it is told there which one to be.
    pub fn environment(&self) -> BTreeMap<String, String> {
        let mut environment =
            self.metalium.as_ref().map(|it| it.environment.clone()).unwrap_or_default();
        match self.device.parse() {
            Ok(DeviceSpec::Ttsim(chip)) => {
                environment.insert("HALLMARK_SIM_ARCH".to_owned(), self.architecture.clone());
                if !chip.harvesting.is_none() {
                    let mask = chip.harvesting.to_string();
                    environment.insert("HALLMARK_SIM_HARVESTING".to_owned(), mask);
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
    /// The device that the calls are made on.
    pub device: DeviceJob,
    /// The test's calls, with what must come of each.
    pub case: BoundCase,
    /// What its kernels are, by kernel id.
    pub kernels: BTreeMap<u32, JobKernel>,
    /// Whether to write down what buffers hold, beside the capture.
    pub memory: bool,
}

/// A capture to replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayJob {
    /// The device that the calls are made on.
    pub device: DeviceJob,
    /// The capture's file, absolute.
    pub capture: PathBuf,
    /// Its kernels for the device's architecture, by kernel id, where that is not the capture's.
    pub kernels: BTreeMap<u32, JobKernel>,
    /// What is noted of the device's memory, for workers that say that they note it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<StateJob>,
    /// Whether it is noted what launches take, for workers of the same build alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub profile: bool,
}

/// A device of TT-Metalium to open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenMetaliumJob {
    /// The device, with what drives it.
    pub device: DeviceJob,
    /// How many command queues it has: their dispatch kernels differ.
    pub num_command_queues: u8,
}

/// A kernel, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum JobKernel {
    /// Sources by path and ELFs by the processor's index; the bytes are blobs.
    Ready {
        /// Its source and what that includes.
        sources: Vec<JobSource>,
        /// One ELF for each processor that it runs on.
        elfs: Vec<JobElf>,
        /// Their line tables, for workers that know the format up to 1.1.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lines: Vec<JobLineTable>,
    },
    /// Its source is not there: the text says which file.
    SourceNotFound(String),
    /// It cannot be built: the text is the compiler's.
    BuildFailed(String),
    /// It is not available here, for want of a compiler for example.
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
