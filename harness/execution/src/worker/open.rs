//! Opens the device of a job, with its firmware.

use std::sync::Arc;

use hallmark_chip::{Architecture, PciDevice};
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_runtime::{DeviceSettings, DeviceSpec, StoppedBeforeAnyProgram, open_device};

use super::job::DeviceJob;
use super::problem::WorkerProblem;

/// The newly opened device of a job.
pub(super) struct Opened {
    pub(super) device: Box<dyn PciDevice>,
    pub(super) firmware: Arc<FirmwareBundle>,
}

impl DeviceJob {
    /// A problem of the device, in words.
    pub(super) fn problem(&self, error: &impl std::fmt::Display) -> WorkerProblem {
        WorkerProblem::Device { device: self.device.clone(), reason: error.to_string() }
    }

    /// The problem of a device that stopped before any program ran. Where Hallmark brings the firmware and the device, the
    /// mistake is Hallmark's own.
    pub(super) fn stopped(&self, error: &StoppedBeforeAnyProgram) -> WorkerProblem {
        match self.device.parse() {
            Ok(DeviceSpec::Simulator(_)) if self.firmware.is_none() => {
                WorkerProblem::internal(error)
            }
            Ok(_) | Err(_) => WorkerProblem::Stopped { reason: error.to_string() },
        }
    }

    /// Opens the job's device and reads its firmware.
    pub(super) fn open(&self) -> Result<Opened, WorkerProblem> {
        let architecture: Architecture =
            self.architecture.parse().map_err(WorkerProblem::internal)?;
        let firmware = match &self.firmware {
            Some(folder) => FirmwareBundle::load(folder, architecture),
            None => FirmwareBundle::builtin(architecture),
        }
        .map_err(|error| WorkerProblem::Firmware {
            folder: self.firmware.clone(),
            reason: error.to_string(),
        })?;
        let spec: DeviceSpec = self.device.parse().map_err(|error| self.problem(&error))?;
        let settings =
            DeviceSettings { schedule_seed: self.schedule_seed, simulator: self.simulator.into() };
        let device = open_device(&spec, settings).map_err(|error| self.problem(&error))?;
        Ok(Opened { device, firmware: Arc::new(firmware) })
    }
}
