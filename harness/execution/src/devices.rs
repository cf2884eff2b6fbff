//! What devices are and can do.

use hallmark_chip::{Architecture, ChipDescription, HarvestingMask};
use hallmark_runtime::devices::SimulatedChip;
use hallmark_runtime::{DeviceSettings, DeviceSpec, open_device};

use hallmark_suite::language::{Capability, DeviceKind};
use hallmark_suite::read::Choice as _;

/// The chip that a device of an architecture is, as far as that is known before it is opened.
pub fn chip_of(device: &DeviceSpec, architecture: Architecture) -> &'static ChipDescription {
    ChipDescription::harvested(architecture, device.harvesting())
        .unwrap_or(ChipDescription::of(architecture))
}

/// The kind of a device.
pub const fn kind(device: &DeviceSpec) -> DeviceKind {
    match device {
        DeviceSpec::Simulator(_) | DeviceSpec::Misbehaving(_) => DeviceKind::Sim,
        DeviceSpec::Ttsim(_) => DeviceKind::Ttsim,
        DeviceSpec::Pci(_) | DeviceSpec::SimulatedCard(_) => DeviceKind::Pci,
    }
}

/// The name of a device for tables: without its path.
pub fn short_name(device: &DeviceSpec) -> String {
    let name = match device {
        DeviceSpec::Misbehaving(_) => "misbehaving",
        DeviceSpec::SimulatedCard(_) => "pci:sim",
        _ => kind(device).name(),
    };
    match device.harvesting() {
        HarvestingMask::NONE => name.to_owned(),
        mask => format!("{name}, {mask} harvested"),
    }
}

/// Whether a device tells of rules that are broken: silicon goes on with whatever comes of it.
pub const fn detects_faults(device: &DeviceSpec) -> bool {
    !matches!(kind(device), DeviceKind::Pci)
}

/// Whether NoC requests name each core as on a whole chip: without translation, rows that follow a
/// harvested one have other numbers.
fn has_fixed_coordinates(device: &DeviceSpec) -> bool {
    let SimulatedChip { architecture, harvesting } = match *device {
        DeviceSpec::Simulator(chip) | DeviceSpec::SimulatedCard(chip) => chip,
        // The name of a library does not say whose coordinates move.
        DeviceSpec::Ttsim(ref chip) => return chip.harvesting.is_none(),
        DeviceSpec::Pci(_) | DeviceSpec::Misbehaving(_) => return true,
    };
    let whole = ChipDescription::of(architecture);
    ChipDescription::harvested(architecture, harvesting).is_ok_and(|chip| {
        whole.column_names.starts_with(chip.column_names)
            && whole.row_names.starts_with(chip.row_names)
    })
}

/// What a device can do. A library that may end the process is never loaded to ask it.
pub fn capabilities(device: &DeviceSpec) -> Vec<Capability> {
    let mut list = Vec::new();
    if has_fixed_coordinates(device) {
        list.push(Capability::FixedCoordinates);
    }
    if detects_faults(device) {
        list.push(Capability::DetectsFaults);
    }
    match device {
        DeviceSpec::Ttsim(_) => {
            // Measured with 1.10: memory that nothing wrote reads as zero and is not noticed.
            list.push(Capability::Tensix);
        }
        DeviceSpec::Pci(_) => {
            list.extend([Capability::Tensix, Capability::ReordersNoc, Capability::DataCache]);
        }
        // What a card cannot do is not asked of it, although the chip behind it could.
        DeviceSpec::SimulatedCard(chip) => {
            list.extend([Capability::ReordersNoc, Capability::DataCache]);
            let behind = capabilities(&DeviceSpec::Simulator(*chip));
            list.extend(behind.into_iter().filter(|has| *has == Capability::Tensix));
        }
        DeviceSpec::Simulator(_) | DeviceSpec::Misbehaving(_) => {
            let Ok(device) = open_device(device, DeviceSettings::default()) else { return list };
            let has = device.capabilities();
            for (present, capability) in [
                (has.detects_uninitialised, Capability::DetectsUninitialised),
                (has.detects_races, Capability::DetectsRaces),
                (has.detects_misuse, Capability::DetectsMisuse),
                (has.detects_deadlock, Capability::DetectsDeadlock),
                (has.reports_fault_place, Capability::ReportsPlaces),
                // The place of its `ebreak` tells the assertion.
                (has.reports_fault_place, Capability::Asserts),
                (has.reorders_noc, Capability::ReordersNoc),
                (has.data_cache, Capability::DataCache),
                (has.tensix, Capability::Tensix),
            ] {
                if present {
                    list.push(capability);
                }
            }
        }
    }
    list
}
