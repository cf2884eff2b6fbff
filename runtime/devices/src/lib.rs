//! Devices by the names that users write: `sim:wormhole_b0`, `ttsim:PATH`, `pci:0`.
//!
//! [`DeviceSpec`] parses a name, and [`open_device`] opens the device as a [`PciDevice`]. The layers above see no other
//! type of device. `README.md` beside this crate says how to add a device.

pub mod misbehaving;
pub mod pci;
pub mod ttsim;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use hallmark_chip::library_variables::{ORDER_STRICT, SIM_ORDER};
use hallmark_chip::{Architecture, ChipDescription, HarvestingMask, PciDevice};
pub use hallmark_sim::ARCHITECTURES as SIMULATED_ARCHITECTURES;
use hallmark_sim::{SimulatedDevice, SimulatorError, SimulatorOptions};

use self::misbehaving::{CounterError, MisbehavingDevice, MisbehavingSpec};
use self::pci::{CardDevice, OpenCardError, SimulatedCard, SimulatedDriver};
use self::ttsim::{OpenTtsimError, TtsimDevice};

/// The name of a device.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DeviceSpec {
    /// Hallmark's simulator.
    Simulator(SimulatedChip),
    /// A library with the C ABI of Tenstorrent's simulator.
    Ttsim(LibraryChip),
    /// A card, by its number.
    Pci(u32),
    /// The driver code for cards, over a simulated chip in place of the card and its kernel driver.
    SimulatedCard(SimulatedChip),
    /// A simulated chip that misbehaves, to test the layers above.
    Misbehaving(MisbehavingSpec),
}

/// A chip of Hallmark's simulator, named `ARCHITECTURE`, optionally followed by `:harvested=MASK`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SimulatedChip {
    /// The chip's architecture.
    pub architecture: Architecture,
    /// The fused-off rows or columns; valid for the architecture.
    pub harvesting: HarvestingMask,
}

impl From<Architecture> for SimulatedChip {
    fn from(architecture: Architecture) -> Self {
        Self { architecture, harvesting: HarvestingMask::NONE }
    }
}

impl fmt::Display for SimulatedChip {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.architecture)?;
        if self.harvesting.is_none() {
            return Ok(());
        }
        write!(formatter, ":harvested={}", self.harvesting)
    }
}

impl FromStr for SimulatedChip {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, harvesting) = match text.split_once(':') {
            None => (text, None),
            Some((name, option)) => (name, Some(option)),
        };
        let architecture =
            Architecture::named_by_user(name).map_err(|unknown| format!("{unknown}"))?;
        let Some(option) = harvesting else { return Ok(architecture.into()) };
        let mask = option.strip_prefix("harvested=").ok_or_else(|| {
            format!(
                "a chip has no option `{option}`, only harvested=MASK with a bit for each of its {} of \
                 Tensix tiles that is fused off",
                ChipDescription::of(architecture).harvested_what()
            )
        })?;
        let harvesting: HarvestingMask = mask.parse().map_err(|error| format!("{error}"))?;
        ChipDescription::harvested(architecture, harvesting).map_err(|error| error.to_string())?;
        Ok(Self { architecture, harvesting })
    }
}

/// A chip of a simulator's library, named by the library's path, optionally followed by `:harvested=MASK`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LibraryChip {
    /// The library's file.
    pub path: PathBuf,
    /// The fused-off rows or columns. Hallmark's own library simulates harvested chips; Tenstorrent's only
    /// unharvested ones.
    pub harvesting: HarvestingMask,
}

/// The separator between a library's path and the mask.
const HARVESTED: &str = ":harvested=";

impl From<PathBuf> for LibraryChip {
    fn from(path: PathBuf) -> Self {
        Self { path, harvesting: HarvestingMask::NONE }
    }
}

impl fmt::Display for LibraryChip {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.path.display())?;
        if self.harvesting.is_none() {
            return Ok(());
        }
        write!(formatter, "{HARVESTED}{}", self.harvesting)
    }
}

impl FromStr for LibraryChip {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (path, mask) = match text.rsplit_once(HARVESTED) {
            None => (text, None),
            Some((path, mask)) => (path, Some(mask)),
        };
        if path.is_empty() {
            return Err("the path is missing".to_owned());
        }
        let harvesting = mask.map(str::parse).transpose().map_err(|error| format!("{error}"))?;
        Ok(Self { path: path.into(), harvesting: harvesting.unwrap_or_default() })
    }
}

impl DeviceSpec {
    /// An unharvested chip of Hallmark's simulator.
    pub fn simulator(architecture: Architecture) -> Self {
        Self::Simulator(architecture.into())
    }

    /// The architecture, if the name states it.
    pub const fn architecture(&self) -> Option<Architecture> {
        match self {
            Self::Simulator(chip) | Self::SimulatedCard(chip) => Some(chip.architecture),
            Self::Misbehaving(spec) => Some(spec.architecture),
            Self::Ttsim(_) | Self::Pci(_) => None,
        }
    }

    /// Whether two runs with the same schedule seed are identical.
    pub const fn repeats(&self) -> bool {
        match self {
            Self::Simulator(_) => true,
            Self::Misbehaving(spec) => {
                spec.chance.is_none() || (spec.seed.is_some() && spec.counter.is_none())
            }
            // The seed also chooses the late writes of the simulated card, but that device stands for a card.
            Self::Ttsim(_) | Self::Pci(_) | Self::SimulatedCard(_) => false,
        }
    }

    /// The harvesting that is known before a test opens the device. A card is opened and queried once.
    pub fn harvesting(&self) -> HarvestingMask {
        match self {
            Self::Simulator(chip) | Self::SimulatedCard(chip) => chip.harvesting,
            Self::Ttsim(chip) => chip.harvesting,
            Self::Pci(number) => asked_of_card(*number),
            Self::Misbehaving(_) => HarvestingMask::NONE,
        }
    }
}

/// The harvesting that a card reports; tests are made for the remaining grid. A card that cannot be opened
/// counts as unharvested here; the later opening for a test reports the reason.
fn asked_of_card(number: u32) -> HarvestingMask {
    static KNOWN: Mutex<BTreeMap<u32, HarvestingMask>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry(number).or_insert_with(|| {
        let card = open_device(&DeviceSpec::Pci(number), DeviceSettings::default());
        card.ok().and_then(|mut card| card.harvesting().ok()).unwrap_or_default()
    })
}

impl fmt::Display for DeviceSpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Simulator(chip) => write!(formatter, "sim:{chip}"),
            Self::Ttsim(chip) => write!(formatter, "ttsim:{chip}"),
            Self::Pci(number) => write!(formatter, "pci:{number}"),
            Self::SimulatedCard(chip) => write!(formatter, "pci:sim:{chip}"),
            Self::Misbehaving(spec) => write!(formatter, "misbehaving:{spec}"),
        }
    }
}

/// The text is not the name of a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown device `{text}`: {problem}; write sim:ARCHITECTURE, ttsim:PATH or pci:NUMBER")]
pub struct ParseDeviceSpecError {
    text: String,
    problem: String,
}

impl FromStr for DeviceSpec {
    type Err = ParseDeviceSpecError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = |problem: String| ParseDeviceSpecError { text: text.to_owned(), problem };
        let (kind, rest) =
            text.split_once(':').ok_or_else(|| error("the colon is missing".to_owned()))?;
        match kind {
            "sim" => rest.parse().map(Self::Simulator).map_err(error),
            "ttsim" => rest.parse().map(Self::Ttsim).map_err(error),
            "pci" => match rest.split_once(':') {
                Some(("sim", rest)) => rest.parse().map(Self::SimulatedCard).map_err(error),
                _ => rest
                    .parse()
                    .map(Self::Pci)
                    .map_err(|_| error(format!("`{rest}` is not the number of a card"))),
            },
            "misbehaving" => {
                let spec: Result<MisbehavingSpec, _> = rest.parse();
                spec.map(Self::Misbehaving).map_err(|problem| error(problem.to_string()))
            }
            other => Err(error(format!("unknown kind of device `{other}`"))),
        }
    }
}

/// The options for opening a device, besides its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceSettings {
    /// Chooses among orders that the hardware permits, if the device supports it; never changes data.
    pub schedule_seed: u64,
    /// What only Hallmark's simulator can be asked for.
    pub simulator: SimulatorSettings,
}

impl DeviceSettings {
    /// The default settings with another schedule.
    pub fn with_schedule_seed(schedule_seed: u64) -> Self {
        Self { schedule_seed, ..Self::default() }
    }
}

/// What only Hallmark's simulator can be asked for, `sim:ARCHITECTURE`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SimulatorSettings {
    /// Kernels run with the data cache on, as the vendor's firmware can be asked to set it up; off by default, as there.
    pub data_cache: bool,
    /// Only what the chips' documents promise orders two NoC requests. By default an atomic arrives behind a write of the
    /// same core, NoC and virtual channel, too, as TT-Metalium expects.
    pub strict_isa: bool,
    /// A unit of the Tensix coprocessor samples its configuration until it has finished an instruction, where no document
    /// says when it does.
    pub strict_tensix: bool,
}

impl SimulatorSettings {
    /// Checks that a device can have these settings, without opening it. `is_ours` says whether a simulator's library is
    /// Hallmark's.
    ///
    /// # Errors
    /// [`SettingError`].
    pub fn check(
        self,
        device: &DeviceSpec,
        is_ours: impl FnOnce(&Path) -> bool,
    ) -> Result<(), SettingError> {
        let Self { data_cache, strict_isa, strict_tensix } = self;
        if strict_isa && !matches!(device, DeviceSpec::Simulator(_)) {
            return Err(SettingError::TracksNoOrder { device: device.clone() });
        }
        let tracks_units = || match device {
            DeviceSpec::Simulator(_) => true,
            DeviceSpec::Ttsim(chip) => is_ours(&chip.path),
            DeviceSpec::Pci(_) | DeviceSpec::SimulatedCard(_) | DeviceSpec::Misbehaving(_) => false,
        };
        if strict_tensix && !tracks_units() {
            return Err(SettingError::TracksNoUnits { device: device.clone() });
        }
        let has_cache = match device {
            DeviceSpec::Simulator(chip) => {
                ChipDescription::of(chip.architecture).data_cache.is_some()
            }
            DeviceSpec::Ttsim(_)
            | DeviceSpec::Pci(_)
            | DeviceSpec::SimulatedCard(_)
            | DeviceSpec::Misbehaving(_) => false,
        };
        if data_cache && !has_cache {
            return Err(SettingError::NoDataCache { device: device.clone() });
        }
        Ok(())
    }
}

/// A setting that a device cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// The data cache is asked for where there is none, or none that a setting could turn on.
    #[error(
        "{device} has no data cache to turn on; data_cache=on is a setting of Hallmark's simulator of a chip with a data \
         cache: sim:blackhole"
    )]
    NoDataCache {
        /// The device.
        device: DeviceSpec,
    },
    /// Only promised orders are asked for where none is tracked.
    #[error(
        "{device} does not track the order of NoC requests; strict_isa=on (--strict-isa) is a setting of Hallmark's \
         simulator, sim:ARCHITECTURE: write strict_isa=off behind this device"
    )]
    TracksNoOrder {
        /// The device.
        device: DeviceSpec,
    },
    /// The device does not track when units of the coprocessor sample their configuration.
    #[error(
        "{device} does not track when units of the coprocessor sample their configuration; strict_tensix=on \
         (--strict-tensix) is a setting of Hallmark's simulator, sim:ARCHITECTURE or its library: write strict_tensix=off \
         behind this device"
    )]
    TracksNoUnits {
        /// The device.
        device: DeviceSpec,
    },
}

/// A device that cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenDeviceError {
    /// The simulator does not support the chip.
    #[error(transparent)]
    Simulator(#[from] SimulatorError),
    /// The simulator library cannot be used.
    #[error(transparent)]
    Ttsim(#[from] OpenTtsimError),
    /// The card cannot be used.
    #[error(transparent)]
    Card(#[from] OpenCardError),
    /// A misbehaving device cannot count its runs.
    #[error(transparent)]
    Counter(#[from] CounterError),
    /// It cannot have a setting.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// This build has no driver for cards.
    #[error(
        "pci:{number} cannot be opened: this build of Hallmark has no driver for cards; build it with `--features pci`, or \
         use sim:ARCHITECTURE or ttsim:PATH"
    )]
    NotBuiltIn {
        /// The card's number.
        number: u32,
    },
}

/// Opens a device.
///
/// # Errors
/// See [`OpenDeviceError`].
pub fn open_device(
    spec: &DeviceSpec,
    settings: DeviceSettings,
) -> Result<Box<dyn PciDevice>, OpenDeviceError> {
    // A simulator's library was told before it was loaded.
    let was_told = |_: &Path| std::env::var(SIM_ORDER).is_ok_and(|it| it == ORDER_STRICT);
    settings.simulator.check(spec, was_told)?;
    match spec {
        DeviceSpec::Simulator(SimulatedChip { architecture, harvesting }) => {
            let DeviceSettings { schedule_seed, simulator } = settings;
            let SimulatorSettings { data_cache, strict_isa, strict_tensix } = simulator;
            let options = SimulatorOptions {
                schedule_seed,
                harvesting: *harvesting,
                data_cache,
                strict_isa,
                strict_tensix,
                ..SimulatorOptions::default()
            };
            Ok(Box::new(SimulatedDevice::new(*architecture, options)?))
        }
        DeviceSpec::Ttsim(LibraryChip { path, harvesting }) => {
            Ok(Box::new(TtsimDevice::open(path, *harvesting)?))
        }
        DeviceSpec::Misbehaving(spec) => {
            // The kernel driver takes no annotations, so races could not be distinguished from permitted
            // accesses.
            let options = SimulatorOptions::with_schedule_seed(settings.schedule_seed);
            let options = SimulatorOptions { allow_races: true, ..options };
            let chip = SimulatedDevice::new(spec.architecture, options)?;
            Ok(Box::new(MisbehavingDevice::new(spec.clone(), chip, settings.schedule_seed)?))
        }
        #[cfg(feature = "pci")]
        DeviceSpec::Pci(number) => {
            let driver = pci::KernelDriver::open(*number)?;
            Ok(Box::new(CardDevice::open(spec.to_string(), driver)?))
        }
        #[cfg(not(feature = "pci"))]
        DeviceSpec::Pci(number) => Err(OpenDeviceError::NotBuiltIn { number: *number }),
        DeviceSpec::SimulatedCard(chip) => {
            let card = SimulatedCard::new(*chip, settings.schedule_seed)?;
            let driver = SimulatedDriver::new(&Rc::new(RefCell::new(card)));
            Ok(Box::new(CardDevice::open(spec.to_string(), driver)?.without_coprocessor()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_specs_are_the_same() {
        for text in [
            "sim:wormhole_b0",
            "sim:blackhole:harvested=0x2001",
            "ttsim:a/b.so",
            "ttsim:a:harvested=/b.so:harvested=0x3",
            "pci:3",
            "pci:sim:blackhole",
            "pci:sim:wormhole_b0:harvested=0x2",
        ] {
            assert_eq!(text.parse::<DeviceSpec>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_wrong_name_says_what_to_write() {
        for (text, part) in [
            ("wormhole_b0", "the colon is missing"),
            ("sim:wormhol", "unknown architecture `wormhol`"),
            (
                "sim:wormhole_b0:0x3",
                "no option `0x3`, only harvested=MASK with a bit for each of its rows",
            ),
            (
                "sim:wormhole_b0:harvested=3",
                "not a harvesting mask; write the mask in hexadecimal digits, such as 0x3",
            ),
            ("sim:wormhole_b0:harvested=0x+3", "not a harvesting mask"),
            ("sim:wormhole_b0:harvested=0x400", "has bits above 0x3ff"),
            ("sim:wormhole_b0:harvested=0x1ff", "leaves 1 of 10 rows of a wormhole_b0; at least 2"),
            ("sim:blackhole:harvested=0x4000", "each of its 14 columns"),
            ("ttsim:", "path is missing"),
            ("ttsim::harvested=0x3", "path is missing"),
            ("ttsim:a.so:harvested=3", "not a harvesting mask"),
            ("pci:x", "not the number of a card"),
            ("pci:sim:b200", "unknown architecture `b200`"),
            ("qemu:1", "unknown kind of device `qemu`"),
        ] {
            let message = text.parse::<DeviceSpec>().unwrap_err().to_string();
            assert!(message.contains(part) && message.contains("ttsim:PATH"), "{message}");
        }
    }

    #[test]
    fn the_data_cache_is_on_where_there_is_one() {
        let simulator = SimulatorSettings { data_cache: true, ..SimulatorSettings::default() };
        let settings = DeviceSettings { simulator, ..DeviceSettings::default() };
        for (text, has_cache) in [
            ("sim:blackhole", true),
            ("sim:blackhole:harvested=0x1", true),
            ("sim:wormhole_b0", false),
            ("sim:grayskull", false),
            ("pci:sim:blackhole", false),
            ("misbehaving:dies:blackhole", false),
            ("ttsim:/nowhere.so", false),
        ] {
            let spec: DeviceSpec = text.parse().unwrap();
            let checked = simulator.check(&spec, |_| false);
            assert_eq!(checked.is_ok(), has_cache, "{text}");
            match checked {
                Ok(()) => drop(open_device(&spec, settings).unwrap()),
                Err(error) => {
                    let words = error.to_string();
                    assert!(words.starts_with(&format!("{text} has no data cache")), "{words}");
                    assert_eq!(open_device(&spec, settings).err().unwrap().to_string(), words);
                }
            }
            assert_eq!(SimulatorSettings::default().check(&spec, |_| false), Ok(()));
        }
    }

    #[test]
    fn only_the_simulator_knows_which_orders_are_promised() {
        let usual = SimulatorSettings::default();
        let strict = SimulatorSettings { strict_isa: true, ..usual };
        let strict_tensix = SimulatorSettings { strict_tensix: true, ..usual };
        for text in ["sim:grayskull", "sim:wormhole_b0", "sim:blackhole:harvested=0x1"] {
            assert_eq!(strict.check(&text.parse().unwrap(), |_| false), Ok(()));
            assert_eq!(strict_tensix.check(&text.parse().unwrap(), |_| false), Ok(()));
        }
        let library = "ttsim:/ours.so".parse().unwrap();
        assert_eq!(strict_tensix.check(&library, |path| path == Path::new("/ours.so")), Ok(()));
        assert!(strict.check(&library, |_| true).is_err());
        for text in ["pci:sim:blackhole", "misbehaving:dies:blackhole", "ttsim:/nowhere.so"] {
            let error = strict.check(&text.parse().unwrap(), |_| true).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{text} does not track the order")), "{error}");
            let checked = strict_tensix.check(&text.parse().unwrap(), |_| false);
            let error = checked.unwrap_err().to_string();
            assert!(error.starts_with(&format!("{text} does not track when")), "{error}");
        }
    }

    #[test]
    fn a_card_that_cannot_be_there_says_why() {
        // The error does not depend on whether the driver is built in; no machine has this many cards.
        let spec = DeviceSpec::Pci(9999);
        let error = open_device(&spec, DeviceSettings::default()).err().unwrap().to_string();
        let words = if cfg!(feature = "pci") { "pci:9999 was not found" } else { "--features pci" };
        assert!(error.contains(words), "{error}");
        let gone = DeviceSpec::SimulatedCard(Architecture::Grayskull.into());
        let error = open_device(&gone, DeviceSettings::default()).err().unwrap().to_string();
        assert!(error.contains("no chip that Hallmark can drive"), "{error}");
    }
}
