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
use hallmark_runtime::metalium::{Simulator, SiteChoice};
use hallmark_runtime::{DeviceSpec, FoundKernels, SimulatorSettings, find_kernels, lacks_kernels};
use hallmark_schema::model::{Capture, DeviceRequirements};

pub use self::by_architecture::{ChosenBy, Executors, Purpose, for_capture};
pub use self::choice::{ExecutorChoice, ExecutorError};
pub use self::dispatch::Dispatch;
pub use self::identity::IdentityError;
pub use self::metalium::MetaliumUnusable;
pub use self::metalium::{
    cache as metalium_cache, metalium_build, metalium_description, metalium_device_code,
    metalium_files, prepare as prepare_metalium, program_environment,
};
pub use self::release::{Agreement, ReleaseError, agree};
use crate::devices;
use crate::worker::job::DeviceJob;

/// The settings under which programs run, independent of the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramSettings {
    /// The absolute path of a firmware bundle; `None` for the built-in one.
    pub firmware: Option<PathBuf>,
    /// The dispatch mode.
    pub dispatch: Dispatch,
    /// The seed that chooses among orders that the hardware permits.
    pub schedule_seed: u64,
    /// What only Hallmark's simulator can be asked for.
    pub simulator: SimulatorSettings,
}

impl Default for ProgramSettings {
    fn default() -> Self {
        Self {
            firmware: None,
            dispatch: Dispatch::Host,
            schedule_seed: 0,
            simulator: SimulatorSettings::default(),
        }
    }
}

/// The release whose workers and runtime drive a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Release {
    /// This executable.
    This,
    /// Another release's executable, by its absolute path.
    Other(PathBuf),
    /// This executable, with the vendor's runtime in a folder, absolute.
    Metalium(SiteChoice),
}

/// An executor of captures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executor {
    /// The release whose workers drive the device.
    pub release: Release,
    /// The device.
    pub device: DeviceSpec,
    /// Its architecture.
    pub architecture: Architecture,
    /// The settings of its programs.
    pub programs: ProgramSettings,
    /// A folder of prebuilt kernels, absolute, the only source of kernels; `None` for the default sources.
    pub kernels: Option<PathBuf>,
}

impl Executor {
    /// The executor's part of a job.
    pub fn job(&self, mut asked: DeviceRequirements) -> DeviceJob {
        asked.dispatch.overlap |= self.programs.dispatch == Dispatch::Overlap;
        DeviceJob {
            device: self.device.to_string(),
            architecture: self.architecture.name().to_owned(),
            firmware: self.programs.firmware.clone(),
            schedule_seed: self.programs.schedule_seed,
            dispatch: self.programs.dispatch.mode(),
            asked,
            simulator: self.programs.simulator.into(),
            metalium: None,
        }
    }

    /// The chip of its device, as far as it is known before the device is opened.
    pub fn chip(&self) -> &'static ChipDescription {
        devices::chip_of(&self.device, self.architecture)
    }

    /// The maker of its device's simulator, as far as a library shows it.
    pub fn simulator(&self) -> Simulator {
        match &self.device {
            DeviceSpec::Ttsim(chip) => simulator_of(&chip.path),
            DeviceSpec::Simulator(_)
            | DeviceSpec::Pci(_)
            | DeviceSpec::SimulatedCard(_)
            | DeviceSpec::Misbehaving(_) => Simulator::Hallmark,
        }
    }

    /// Whether its device can report the writers of memory.
    pub fn knows_writers(&self) -> bool {
        match &self.device {
            DeviceSpec::Simulator(_) | DeviceSpec::Misbehaving(_) => {
                !matches!(self.release, Release::Metalium(_))
            }
            DeviceSpec::Ttsim(_) | DeviceSpec::Pci(_) | DeviceSpec::SimulatedCard(_) => false,
        }
    }

    /// The source of its kernels: its own folder, or the common store.
    pub fn kernel_store(&self, others: &Arc<KernelStore>) -> Arc<KernelStore> {
        match &self.kernels {
            Some(folder) => {
                Arc::new(KernelStore::builder().prebuilt(folder).only_prebuilt().build())
            }
            None => Arc::clone(others),
        }
    }

    /// Whether it needs kernels for which a capture has no ELFs. TT-Metalium builds its own.
    pub fn lacks_kernels(&self, capture: &Capture) -> bool {
        match self.release {
            Release::This | Release::Other(_) => lacks_kernels(capture, self.architecture),
            Release::Metalium(_) => false,
        }
    }

    /// The needed kernels for which a capture has no ELFs: see [`Self::kernel_store`].
    pub fn find_kernels(&self, capture: &Capture, others: &Arc<KernelStore>) -> FoundKernels {
        if !self.lacks_kernels(capture) {
            return FoundKernels::new();
        }
        find_kernels(capture, self.architecture, &self.kernel_store(others))
    }

    /// Its name in tables, without paths.
    pub fn short_name(&self) -> String {
        let mut device = devices::short_name(&self.device);
        let SimulatorSettings { data_cache, strict_isa, strict_tensix } = self.programs.simulator;
        if data_cache {
            device.push_str(", data cache");
        }
        if strict_isa {
            device.push_str(", strict");
        }
        if strict_tensix {
            device.push_str(", strict on sampling");
        }
        match &self.release {
            Release::This => device,
            Release::Other(_) => format!("hallmark, {device}"),
            Release::Metalium(site) => {
                let settings: String = site.settings().map(|it| format!("{it}, ")).collect();
                format!("metalium, {settings}{device}")
            }
        }
    }

    /// Whether opening it always succeeds: the built-in simulator with the built-in firmware.
    pub fn always_opens(&self) -> bool {
        matches!(self.device, DeviceSpec::Simulator(_))
            && self.programs.firmware.is_none()
            && self.release == Release::This
    }
}

/// The maker of a library's simulator, determined once in a process, because that reads the whole file.
fn simulator_of(library: &Path) -> Simulator {
    static KNOWN: Mutex<BTreeMap<PathBuf, Simulator>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry(library.to_owned()).or_insert_with(|| Simulator::of(library))
}

/// The release and the device, without the settings of programs.
impl fmt::Display for Executor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.release {
            Release::This => self.device.fmt(formatter),
            Release::Metalium(site) => {
                write!(formatter, "metalium:{}@{}", site.folder.display(), self.device)?;
                site.settings().try_for_each(|setting| write!(formatter, " {setting}"))
            }
            Release::Other(path) => {
                write!(formatter, "hallmark:{}@{}", path.display(), self.device)
            }
        }
    }
}
