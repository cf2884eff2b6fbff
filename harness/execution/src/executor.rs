//! Executors: each carries out a capture and says what came of it.
//!
//! An executor is a device with firmware, kernels, dispatch mode and schedule seed, driven by a worker of this release;
//! or the executable of another release; or TT-Metalium. [`ExecutorChoice`] is the form that users write, and
//! `choice.rs` is its one parser, for every command:
//! `sim:wormhole_b0 firmware=FOLDER kernels=FOLDER dispatch=device schedule_seed=7`, `hallmark:PATH@DEVICE`. The
//! command's flags supply every setting that an executor does not state.
//!
//! The parent asks the executable of another release which contracts and which format it speaks (`release.rs`). It then
//! writes a job of the newest contract that both know, and a copy of the capture in that executable's minor version.
//! `HALLMARK_TEST_OLDER_RELEASE` names an executable for the test that does this with a real one.
//!
//! `metalium.rs` prepares TT-Metalium. A worker of this release then loads it (`hallmark_metalium`).

mod by_architecture;
mod choice;
mod dispatch;
mod identity;
mod metalium;
mod release;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hallmark_chip::{Architecture, ChipDescription};
use hallmark_runtime::device_code::KernelStore;
use hallmark_runtime::metalium::Simulator;
use hallmark_runtime::{DeviceSpec, FoundKernels, find_kernels, lacks_kernels};
use hallmark_schema::model::{Capture, DeviceRequirements};

pub use self::by_architecture::{Executors, Purpose, for_capture};
pub use self::choice::{ExecutorChoice, ExecutorError};
pub use self::dispatch::Dispatch;
pub use self::identity::IdentityError;
pub use self::metalium::MetaliumUnusable;
pub use self::metalium::{
    cache as metalium_cache, prepare as prepare_metalium, program_environment,
};
pub use self::release::{Agreement, ReleaseError, agree};
use crate::devices;
use crate::worker::job::DeviceJob;

/// How programs run, whatever the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramSettings {
    /// A firmware bundle's folder, absolute; the built-in one otherwise.
    pub firmware: Option<PathBuf>,
    /// Who launches programs.
    pub dispatch: Dispatch,
    /// Chooses orders that the hardware leaves open.
    pub schedule_seed: u64,
}

impl Default for ProgramSettings {
    fn default() -> Self {
        Self { firmware: None, dispatch: Dispatch::Host, schedule_seed: 0 }
    }
}

/// Whose workers and whose runtime drive a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Release {
    /// Those of this executable.
    This,
    /// Those of another release's, by its absolute path.
    Other(PathBuf),
    /// Those of this executable, through the vendor's runtime in a folder, absolute.
    Metalium(PathBuf),
}

/// Who carries a capture out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executor {
    /// Whose workers drive the device.
    pub release: Release,
    /// What is opened.
    pub device: DeviceSpec,
    /// Its architecture.
    pub architecture: Architecture,
    /// How programs run on it.
    pub programs: ProgramSettings,
    /// A folder of prebuilt kernels, absolute, in which alone kernels are looked for.
    pub kernels: Option<PathBuf>,
}

impl Executor {
    /// Its part of a job.
    pub fn job(&self, mut asked: DeviceRequirements) -> DeviceJob {
        asked.dispatch.overlap |= self.programs.dispatch == Dispatch::Overlap;
        DeviceJob {
            device: self.device.to_string(),
            architecture: self.architecture.name().to_owned(),
            firmware: self.programs.firmware.clone(),
            schedule_seed: self.programs.schedule_seed,
            dispatch: self.programs.dispatch.mode(),
            asked,
            metalium: None,
        }
    }

    /// The chip that its device is, as far as that is known before it is opened.
    pub fn chip(&self) -> &'static ChipDescription {
        devices::chip_of(&self.device, self.architecture)
    }

    /// Whose simulator its device is, as far as a library says it.
    pub fn simulator(&self) -> Simulator {
        match &self.device {
            DeviceSpec::Ttsim(chip) => simulator_of(&chip.path),
            DeviceSpec::Simulator(_)
            | DeviceSpec::Pci(_)
            | DeviceSpec::SimulatedCard(_)
            | DeviceSpec::Misbehaving(_) => Simulator::Hallmark,
        }
    }

    /// Whether its device can tell who writes memory.
    pub fn knows_writers(&self) -> bool {
        match &self.device {
            DeviceSpec::Simulator(_) | DeviceSpec::Misbehaving(_) => {
                !matches!(self.release, Release::Metalium(_))
            }
            DeviceSpec::Ttsim(_) | DeviceSpec::Pci(_) | DeviceSpec::SimulatedCard(_) => false,
        }
    }

    /// Where its kernels come from: its own folder, or what others use.
    pub fn kernel_store(&self, others: &Arc<KernelStore>) -> Arc<KernelStore> {
        match &self.kernels {
            Some(folder) => {
                Arc::new(KernelStore::builder().prebuilt(folder).only_prebuilt().build())
            }
            None => Arc::clone(others),
        }
    }

    /// Whether it takes kernels that a capture holds no ELFs of. TT-Metalium builds its own.
    pub fn lacks_kernels(&self, capture: &Capture) -> bool {
        match self.release {
            Release::This | Release::Other(_) => lacks_kernels(capture, self.architecture),
            Release::Metalium(_) => false,
        }
    }

    /// The kernels that it takes and a capture holds no ELFs of, where there are any: see [`Self::kernel_store`].
    pub fn find_kernels(&self, capture: &Capture, others: &Arc<KernelStore>) -> FoundKernels {
        if !self.lacks_kernels(capture) {
            return FoundKernels::new();
        }
        find_kernels(capture, self.architecture, &self.kernel_store(others))
    }

    /// Its name for tables: without paths.
    pub fn short_name(&self) -> String {
        let device = devices::short_name(&self.device);
        match self.release {
            Release::This => device,
            Release::Other(_) => format!("hallmark, {device}"),
            Release::Metalium(_) => format!("metalium, {device}"),
        }
    }

    /// Whether it opens whatever happens: the built-in simulator with its built-in firmware.
    pub fn always_opens(&self) -> bool {
        matches!(self.device, DeviceSpec::Simulator(_))
            && self.programs.firmware.is_none()
            && self.release == Release::This
    }
}

/// Whose simulator a library holds: looked at once in a process, because that reads the whole file.
fn simulator_of(library: &Path) -> Simulator {
    static KNOWN: Mutex<BTreeMap<PathBuf, Simulator>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry(library.to_owned()).or_insert_with(|| Simulator::of(library))
}

/// Whose workers and which device, without how programs run there.
impl fmt::Display for Executor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.release {
            Release::This => self.device.fmt(formatter),
            Release::Metalium(site) => {
                write!(formatter, "metalium:{}@{}", site.display(), self.device)
            }
            Release::Other(path) => {
                write!(formatter, "hallmark:{}@{}", path.display(), self.device)
            }
        }
    }
}
