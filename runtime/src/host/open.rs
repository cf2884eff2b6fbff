//! Opens devices: chips behind PCIe, and chips that are only modelled.

use std::sync::Arc;

use hallmark_chip::{Architecture, ChipDescription, ConfigOffset, HarvestingMask, PciDevice};
use hallmark_engine::queue::ModelledQueues;
use hallmark_engine::{Engine, EngineSettings};
use hallmark_schema::model::DispatchMode;

use super::backend::Backend;
use super::device::{Device, Host};
use super::opened::Opened;
use super::options::{DeviceOptions, OpenError};
use crate::defects::{Defect, planted};

/// The chip of a device, and configuration word 0, by which the chip is recognised.
///
/// # Errors
/// [`OpenError::Absent`], [`OpenError::UnknownChip`], or the device's.
pub(crate) fn recognise(
    device: &mut dyn PciDevice,
) -> Result<(u32, &'static ChipDescription), OpenError> {
    let pci_id = device.config_read(ConfigOffset(0))?;
    if pci_id == u32::MAX {
        OpenError::Absent { device: device.name().to_owned() }.refuse()?;
    }
    let architecture = Architecture::from_pci_id(pci_id)
        .ok_or_else(|| OpenError::UnknownChip { device: device.name().to_owned(), pci_id })?;
    let harvesting = if planted(Defect::HarvestingUnread) {
        HarvestingMask::NONE
    } else {
        device.harvesting()?
    };
    let description = ChipDescription::harvested(architecture, harvesting)
        .map_err(|reason| OpenError::Harvesting { device: device.name().to_owned(), reason })?;
    Ok((pci_id, description))
}

impl Device {
    /// Opens a chip: recognises it by its PCI id and holds every core of the grid in reset.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open(
        mut device: Box<dyn PciDevice>,
        mut options: DeviceOptions,
    ) -> Result<Self, OpenError> {
        if options.dispatch_settings.overlap {
            options.dispatch = DispatchMode::Device;
        }
        let (pci_id, description) = recognise(&mut *device)?;
        let settings = EngineSettings {
            dispatch: options.dispatch,
            dispatch_settings: options.dispatch_settings,
            num_command_queues: options.num_command_queues,
            trace_region_size: options.trace_region_size,
            tick_budget: options.tick_budget,
            boot_budget: options.boot_budget,
            schedule_seed: options.schedule_seed,
        };
        let opened = Opened::new(device.name().to_owned(), pci_id, description, &options)?;
        let (firmware, banks) = (Arc::clone(opened.firmware()), Arc::clone(opened.banks()));
        let engine = Engine::open(device, description, firmware, banks, settings)?;
        let host = Host::new(opened, options.kernels);
        Ok(Self { host, backend: Backend::Engine(Box::new(engine)) })
    }

    /// A chip that exists only as its description: calls are checked, placed and recorded as on the chip
    /// itself, and their work is not done. A read brings nothing.
    ///
    /// # Errors
    /// Those of [`Device::open`] that need no device.
    pub fn modelled(
        description: &'static ChipDescription,
        options: DeviceOptions,
    ) -> Result<Self, OpenError> {
        let architecture = description.architecture;
        let name = format!("model:{architecture}");
        let queues = ModelledQueues::new(options.schedule_seed);
        let opened = Opened::new(name, architecture.pci_id(), description, &options)?;
        let host = Host::new(opened, options.kernels);
        Ok(Self { host, backend: Backend::Model(queues) })
    }
}
