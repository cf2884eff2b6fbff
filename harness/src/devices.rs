//! Which device each architecture's tests run on, and what that device can do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hallmark_chip::{Architecture, ChipDescription, HarvestingMask};
use hallmark_runtime::devices::SimulatedChip;
use hallmark_runtime::{DeviceSettings, DeviceSpec, open_device};

use crate::suite::bound::BoundTest;
use crate::suite::discover::SelectedTest;
use crate::suite::language::{Capability, Conditions, DeviceKind};
use crate::suite::mistake::SuiteMistakes;
use crate::suite::read::Choice as _;

/// A device for each architecture.
#[derive(Clone, Debug, Default)]
pub struct Devices {
    chosen: BTreeMap<Architecture, DeviceSpec>,
}

/// A choice of device cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DeviceChoiceError(String);

impl DeviceChoiceError {
    /// In these words.
    pub(crate) const fn new(text: String) -> Self {
        Self(text)
    }
}

/// What a device is chosen for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Capturing, and replaying unless another is chosen for that.
    Capture,
    /// Replaying alone.
    Replay,
}

impl Purpose {
    /// The flag that chooses it.
    const fn flag(self) -> &'static str {
        match self {
            Self::Capture => "--device",
            Self::Replay => "--replay-device",
        }
    }

    /// The variable that chooses it for an architecture.
    pub fn variable(self, architecture: Architecture) -> String {
        let prefix = match self {
            Self::Capture => "HALLMARK_DEVICE",
            Self::Replay => "HALLMARK_REPLAY_DEVICE",
        };
        format!("{prefix}_{}", architecture.name().to_uppercase())
    }

    /// The device of a name, for an architecture's captures: of that architecture itself if it is to make
    /// them, while they may be replayed on a chip of another one.
    pub(crate) fn device(
        self,
        text: &str,
        architecture: Architecture,
    ) -> Result<DeviceSpec, DeviceChoiceError> {
        match (text, self) {
            ("sim", _) => Ok(DeviceSpec::simulator(architecture)),
            (text, Self::Capture) => parse(text, Some(architecture)),
            (text, Self::Replay) => parse(text, None),
        }
    }
}

/// A choice in the form `[ARCHITECTURE=]DEVICE`, taken apart.
fn split(choice: &str) -> (Option<Architecture>, &str) {
    let named = choice.split_once('=').and_then(|(name, text)| Some((name.parse().ok()?, text)));
    named.map_or((None, choice), |(architecture, text)| (Some(architecture), text))
}

/// The architecture of a device: its own where its name says it.
pub fn architecture_of(device: &DeviceSpec, otherwise: Architecture) -> Architecture {
    device.architecture().unwrap_or(otherwise)
}

/// The chip that a device of an architecture is, as far as that is known before it is opened.
pub fn chip_of(device: &DeviceSpec, architecture: Architecture) -> &'static ChipDescription {
    ChipDescription::harvested(architecture, device.harvesting())
        .unwrap_or(ChipDescription::of(architecture))
}

/// The device on which a capture of an architecture is to be replayed, and its own architecture: chosen in
/// the form `[ARCHITECTURE=]DEVICE`, by the environment, or the simulator.
pub fn for_capture(
    choice: Option<&str>,
    captured: Architecture,
) -> Result<(DeviceSpec, Architecture), DeviceChoiceError> {
    let Some(choice) = choice else {
        let device = Devices::choose(&[], &[captured], Purpose::Capture)?.of(captured);
        let architecture = architecture_of(&device, captured);
        return Ok((device, architecture));
    };
    let (named, text) = split(choice);
    let device = match text {
        "sim" => DeviceSpec::simulator(named.unwrap_or(captured)),
        text => parse(text, named)?,
    };
    let architecture = architecture_of(&device, named.unwrap_or(captured));
    Ok((device, architecture))
}

impl Devices {
    /// Choices in the form `[ARCHITECTURE=]DEVICE`; one without an architecture counts for all of
    /// `selected`, which must then be a single one unless the device itself names its architecture.
    pub fn choose(
        choices: &[String],
        selected: &[Architecture],
        purpose: Purpose,
    ) -> Result<Self, DeviceChoiceError> {
        let mut devices = Self::default();
        for &architecture in &Architecture::ALL {
            if let Some(text) = std::env::var_os(purpose.variable(architecture)) {
                let text = text.to_string_lossy().into_owned();
                // Of several cards that share the tests of the test command, any will do.
                let text = text.split(',').next().unwrap_or_default();
                devices.chosen.insert(architecture, purpose.device(text, architecture)?);
            }
        }
        devices.add(choices, selected, purpose, purpose.flag())?;
        Ok(devices)
    }

    /// One device for an architecture.
    pub fn only(device: DeviceSpec, architecture: Architecture) -> Self {
        Self { chosen: BTreeMap::from([(architecture, device)]) }
    }

    /// The same by the flag `flag`, whatever the environment says.
    pub fn named(
        choices: &[String],
        selected: &[Architecture],
        flag: &str,
    ) -> Result<Self, DeviceChoiceError> {
        let mut devices = Self::default();
        devices.add(choices, selected, Purpose::Capture, flag)?;
        Ok(devices)
    }

    fn add(
        &mut self,
        choices: &[String],
        selected: &[Architecture],
        purpose: Purpose,
        flag: &str,
    ) -> Result<(), DeviceChoiceError> {
        let chosen = &mut self.chosen;
        for choice in choices {
            let (architecture, text) = split(choice);
            if text == "sim" {
                let all = architecture.map_or_else(|| selected.to_vec(), |one| vec![one]);
                chosen.extend(all.into_iter().map(|one| (one, DeviceSpec::simulator(one))));
                continue;
            }
            let named = text.parse::<DeviceSpec>().map_err(|error| error_of(&error))?;
            let architecture = match (architecture.or(named.architecture()), selected) {
                (Some(architecture), _) => architecture,
                (None, [only]) => *only,
                (None, _) => {
                    return Err(DeviceChoiceError(format!(
                        "which architecture is {text}? write {flag} ARCHITECTURE={text}, or choose one with --arch"
                    )));
                }
            };
            chosen.insert(architecture, purpose.device(text, architecture)?);
        }
        Ok(())
    }

    /// The device chosen for an architecture, if one was.
    pub fn chosen(&self, architecture: Architecture) -> Option<&DeviceSpec> {
        self.chosen.get(&architecture)
    }

    /// The device for an architecture; the simulator unless another was chosen.
    pub fn of(&self, architecture: Architecture) -> DeviceSpec {
        self.chosen(architecture).cloned().unwrap_or_else(|| DeviceSpec::simulator(architecture))
    }

    /// The chip that the device of an architecture is, as far as that is known before it is opened.
    pub fn chip(&self, architecture: Architecture) -> &'static ChipDescription {
        chip_of(&self.of(architecture), architecture)
    }

    /// A test bound for the chip that its device is.
    ///
    /// # Errors
    /// Its suite is wrong.
    pub fn bind(&self, test: &SelectedTest) -> Result<BoundTest, SuiteMistakes> {
        test.bind_on(self.chip(test.name.architecture))
    }

    /// The simulators of the same chips.
    pub fn simulated(&self) -> Self {
        let chosen = self.chosen.iter().map(|(&architecture, device)| {
            let harvesting = device.harvesting();
            (architecture, DeviceSpec::Simulator(SimulatedChip { architecture, harvesting }))
        });
        Self { chosen: chosen.collect() }
    }

    /// Why a test does not apply to its device, if it does not.
    pub fn skip_reason(&self, test: &SelectedTest) -> Option<String> {
        self.unmet_condition(test).or_else(|| test.misfit(self.chip(test.name.architecture)))
    }

    /// The same, whatever the chip's grid.
    pub fn unmet_condition(&self, test: &SelectedTest) -> Option<String> {
        let device = self.of(test.name.architecture);
        if let Some(conditions) = test.conditions()
            && let Some(reason) = unmet(conditions, test.name.architecture, &device)
        {
            return Some(reason);
        }
        let faults = test.expects_fault() && !detects_faults(&device);
        faults.then(|| format!("expects a fault, which {} does not report", kind(&device).name()))
    }
}

/// What is amiss with a device by a case's own conditions.
fn unmet(
    conditions: &Conditions,
    architecture: Architecture,
    device: &DeviceSpec,
) -> Option<String> {
    let kind = kind(device);
    if !conditions.admits(architecture) {
        return Some(format!("not for {architecture}: {}", conditions.reason));
    }
    if let Some(devices) = &conditions.devices
        && !devices.iter().any(|one| one.0 == kind)
    {
        let wanted: Vec<&str> = devices.iter().map(|one| one.0.name()).collect();
        let hint = match wanted.as_slice() {
            ["ttsim"] => {
                let variable = Purpose::Capture.variable(architecture);
                format!(" (name one with {variable}=ttsim:PATH)")
            }
            _ => String::new(),
        };
        return Some(format!(
            "needs a device of kind {}{hint}: {}",
            wanted.join(" or "),
            conditions.reason
        ));
    }
    let needs = conditions.needs.as_deref().unwrap_or_default();
    if needs.is_empty() {
        return None;
    }
    let has = capabilities(device);
    let lacking: Vec<&str> =
        needs.iter().filter(|need| !has.contains(&need.0)).map(|need| need.0.name()).collect();
    if lacking.is_empty() {
        return None;
    }
    let lacking = lacking.join(" and ");
    Some(format!("needs {lacking}, which {} lacks: {}", kind.name(), conditions.reason))
}

fn error_of(error: &impl std::fmt::Display) -> DeviceChoiceError {
    DeviceChoiceError(error.to_string())
}

/// The device of a name; of an architecture, if one is given.
fn parse(text: &str, of: Option<Architecture>) -> Result<DeviceSpec, DeviceChoiceError> {
    let spec = text.parse::<DeviceSpec>().map_err(|error| error_of(&error))?;
    match (spec, of) {
        (spec, Some(architecture)) if architecture_of(&spec, architecture) != architecture => {
            Err(DeviceChoiceError(format!("{text} cannot run the tests of {architecture}")))
        }
        // Workers have another current folder.
        (DeviceSpec::Ttsim(path), _) => Ok(DeviceSpec::Ttsim(absolute(&path))),
        (spec, _) => Ok(spec),
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
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
const fn detects_faults(device: &DeviceSpec) -> bool {
    !matches!(kind(device), DeviceKind::Pci)
}

/// Whether NoC requests name each core as on a whole chip: without translation, rows that follow a
/// harvested one have other numbers.
fn has_fixed_coordinates(device: &DeviceSpec) -> bool {
    let (DeviceSpec::Simulator(chip) | DeviceSpec::SimulatedCard(chip)) = *device else {
        return true;
    };
    let SimulatedChip { architecture, harvesting } = chip;
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
        DeviceSpec::SimulatedCard(_) => {
            list.extend([Capability::ReordersNoc, Capability::DataCache]);
        }
        DeviceSpec::Simulator(_) | DeviceSpec::Misbehaving(_) => {
            let Ok(device) = open_device(device, DeviceSettings::default()) else { return list };
            let has = device.capabilities();
            for (present, capability) in [
                (has.detects_uninitialised, Capability::DetectsUninitialised),
                (has.detects_races, Capability::DetectsRaces),
                (has.detects_deadlock, Capability::DetectsDeadlock),
                (has.reports_fault_place, Capability::ReportsPlaces),
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
