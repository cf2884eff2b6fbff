//! The spelling of an executor: `[ARCHITECTURE=]DEVICE [firmware=FOLDER] [kernels=FOLDER]
//! [dispatch=host|device|overlap] [schedule_seed=NUMBER] [data_cache=on|off] [strict_isa=on|off]
//! [strict_tensix=on|off] [abi=nearest] [sfploadmacro=on|off]`.
//!
//! DEVICE can also be `sim` alone, the simulator of the architecture in question; `hallmark:PATH`, another
//! release's executable, optionally followed by `@DEVICE`; or `metalium:SITE@ttsim:PATH`, the vendor's runtime
//! on a simulator's library. The command's flags are the defaults of the options. `data_cache`,
//! `strict_isa` and `strict_tensix` are settings of Hallmark's simulator alone, the latter of its library, too; `abi` and
//! `sfploadmacro` are settings of TT-Metalium.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use hallmark_chip::Architecture;
use hallmark_runtime::devices::{LibraryChip, ParseDeviceSpecError};
use hallmark_runtime::metalium::{Abi, LoadMacros, Simulator};
use hallmark_runtime::{DeviceSpec, SettingError, SimulatorSettings};

use super::{Dispatch, Executor, ProgramSettings, Release, simulator_of};

/// A choice of executor that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExecutorError {
    /// The text is not the name of a device.
    #[error(transparent)]
    Device(#[from] ParseDeviceSpecError),
    /// The device has another architecture than the one that it was chosen for.
    #[error("{text} cannot run the tests of {architecture}")]
    OtherArchitecture {
        /// The choice.
        text: String,
        /// The architecture in question.
        architecture: Architecture,
    },
    /// The architecture of the choice is ambiguous.
    #[error(
        "which architecture is {text}? write {flag} ARCHITECTURE={text}, or choose one with --arch"
    )]
    WhichArchitecture {
        /// The choice.
        text: String,
        /// The flag.
        flag: &'static str,
    },
    /// The path of another release's executable is missing.
    #[error(
        "`{text}` names no executable; write hallmark:PATH, or hallmark:PATH@DEVICE where it is not to be the simulator"
    )]
    NoExecutable {
        /// The choice.
        text: String,
    },
    /// A choice of another release for capturing, which only this release does.
    #[error(
        "{flag} {text}: this release captures; another one's executable serves `hallmark replay`, `hallmark compare`, \
         `hallmark portability` and --replay-device"
    )]
    OtherReleaseCaptures {
        /// The choice.
        text: String,
        /// The flag.
        flag: &'static str,
    },
    /// The simulator's library for TT-Metalium is missing.
    #[error(
        "`{text}` names no chip for TT-Metalium; write metalium:SITE@ttsim:PATH, with the folder of the ttnn wheel and a simulator's library"
    )]
    NoMetaliumChip {
        /// The choice.
        text: String,
    },
    /// A word after the device that is not an option.
    #[error(
        "`{option}` is no option of an executor; they are firmware=FOLDER, kernels=FOLDER, dispatch=host, device or overlap, \
         schedule_seed=NUMBER, data_cache=on or off, strict_isa=on or off, strict_tensix=on or off, abi=nearest, and sfploadmacro=on or off"
    )]
    UnknownOption {
        /// The word.
        option: String,
    },
    /// A repeated option.
    #[error("`{option}` stands twice")]
    OptionTwice {
        /// The option's name.
        option: String,
    },
    /// An invalid value of an option.
    #[error("`{option}={value}` is no {wanted}")]
    OptionValue {
        /// The option's name.
        option: &'static str,
        /// The value.
        value: String,
        /// The expected kind of value.
        wanted: &'static str,
    },
    /// A setting that the device cannot have.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A folder that does not exist.
    #[error("the folder of {what} {} is not there", folder.display())]
    NoFolder {
        /// The expected content of the folder.
        what: &'static str,
        /// The folder.
        folder: PathBuf,
    },
    /// A card that does not exist, or that is of another architecture.
    #[error("{architecture} cannot be tested on {device}: {reason}")]
    Card {
        /// The architecture whose tests need the card.
        architecture: Architecture,
        /// The card.
        device: DeviceSpec,
        /// The problem.
        reason: String,
    },
}

/// An executor as the user spells it. The command's settings are the defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutorChoice {
    /// The architecture, if it is stated.
    pub architecture: Option<Architecture>,
    /// The release whose workers execute captures.
    pub release: Release,
    /// The device; `None` for the simulator of the architecture in question.
    pub device: Option<DeviceSpec>,
    /// A firmware bundle's folder.
    pub firmware: Option<PathBuf>,
    /// A folder of prebuilt kernels.
    pub kernels: Option<PathBuf>,
    /// The dispatch mode.
    pub dispatch: Option<Dispatch>,
    /// The seed that chooses among orders that the hardware permits.
    pub schedule_seed: Option<u64>,
    /// Whether kernels run with the data cache on.
    pub data_cache: Option<bool>,
    /// Whether only what the documents promise orders two NoC requests.
    pub strict_isa: Option<bool>,
    /// [`SimulatorSettings::strict_tensix`].
    pub strict_tensix: Option<bool>,
}

/// The prefixes of device names, which distinguish them from an `@` within a path.
const KINDS: [&str; 4] = ["sim:", "ttsim:", "pci:", "misbehaving:"];

impl From<DeviceSpec> for ExecutorChoice {
    fn from(device: DeviceSpec) -> Self {
        Self { device: Some(device), ..Self::simulator() }
    }
}

impl From<&Executor> for ExecutorChoice {
    /// The choice that gives this executor, regardless of a command's settings.
    fn from(executor: &Executor) -> Self {
        let Executor { release, device, architecture, programs, kernels } = executor;
        let ProgramSettings { firmware, dispatch, schedule_seed, simulator } = programs;
        let SimulatorSettings { data_cache, strict_isa, strict_tensix } = simulator;
        Self {
            architecture: Some(*architecture),
            release: release.clone(),
            device: Some(device.clone()),
            firmware: firmware.clone(),
            kernels: kernels.clone(),
            dispatch: Some(*dispatch),
            schedule_seed: Some(*schedule_seed),
            data_cache: Some(*data_cache),
            strict_isa: Some(*strict_isa),
            strict_tensix: Some(*strict_tensix),
        }
    }
}

impl FromStr for ExecutorChoice {
    type Err = ExecutorError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Paths are relative to the current folder.
        Self::written_in(Path::new(""), text)
    }
}

/// The text before the options, and the options. A word after a space that contains `=` begins an option;
/// everything else belongs to the text before it, because paths may contain spaces.
fn split_options(text: &str) -> (&str, Vec<(&str, &str)>) {
    let name_of = |word: &str| {
        let (name, _) = word.split_once('=')?;
        let is_name =
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        is_name.then_some(name.len())
    };
    let mut starts = Vec::new();
    for (at, _) in text.match_indices(char::is_whitespace) {
        let word = text.get(at..).unwrap_or_default();
        // A white-space character may be longer than a byte.
        let rest = word.trim_start();
        let start = text.len().saturating_sub(rest.len());
        if name_of(rest.split(char::is_whitespace).next().unwrap_or_default()).is_some()
            && starts.last() != Some(&start)
        {
            starts.push(start);
        }
    }
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default().trim();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let options =
        starts.iter().zip(ends).filter_map(|(start, end)| part(*start, end).split_once('='));
    let first = starts.first().copied().unwrap_or(text.len());
    (part(0, first), options.collect())
}

fn path(folder: &Path, text: impl AsRef<Path>) -> PathBuf {
    // Workers have another current folder, so the path must be absolute.
    let path = folder.join(text);
    std::path::absolute(&path).unwrap_or(path)
}

impl ExecutorChoice {
    /// The simulator of the architecture in question.
    pub const fn simulator() -> Self {
        Self {
            architecture: None,
            release: Release::This,
            device: None,
            firmware: None,
            kernels: None,
            dispatch: None,
            schedule_seed: None,
            data_cache: None,
            strict_isa: None,
            strict_tensix: None,
        }
    }

    /// The choice that a text spells, whose paths are relative to a folder.
    ///
    /// # Errors
    /// The text spells no choice.
    pub fn written_in(folder: &Path, text: &str) -> Result<Self, ExecutorError> {
        let (subject, options) = split_options(text);
        let mut choice = Self::subject(folder, subject)?;
        for (name, value) in options {
            choice.add(folder, name, value)?;
        }
        Ok(choice)
    }

    /// Parses the text before the options.
    fn subject(folder: &Path, text: &str) -> Result<Self, ExecutorError> {
        let named = text
            .split_once('=')
            .and_then(|(name, rest)| Some((Architecture::named_by_user(name).ok()?, rest)));
        let (architecture, text) = named.map_or((None, text), |(one, rest)| (Some(one), rest));
        let (release, device) = match text.strip_prefix("hallmark:") {
            None => match text.strip_prefix("metalium:") {
                None => (Release::This, device(folder, text)?),
                Some(rest) => metalium(folder, text, rest)?,
            },
            Some(rest) => {
                let (executable, behind) = split_device(rest);
                if executable.is_empty() {
                    return Err(ExecutorError::NoExecutable { text: text.to_owned() });
                }
                let device = behind.map(|text| device(folder, text)).transpose()?.flatten();
                (Release::Other(path(folder, executable)), device)
            }
        };
        Ok(Self { architecture, release, device, ..Self::simulator() })
    }

    fn add(&mut self, folder: &Path, name: &str, value: &str) -> Result<(), ExecutorError> {
        let wrong = |option, wanted| {
            Err(ExecutorError::OptionValue { option, value: value.to_owned(), wanted })
        };
        let twice = match name {
            "firmware" if value.is_empty() => return wrong("firmware", "folder"),
            "firmware" => self.firmware.replace(path(folder, value)).is_some(),
            "kernels" if value.is_empty() => return wrong("kernels", "folder"),
            "kernels" => self.kernels.replace(path(folder, value)).is_some(),
            "dispatch" => {
                let Some(dispatch) = Dispatch::named(value) else {
                    return wrong("dispatch", "dispatch mode: host, device or overlap");
                };
                self.dispatch.replace(dispatch).is_some()
            }
            "schedule_seed" => match value.parse() {
                Ok(seed) => self.schedule_seed.replace(seed).is_some(),
                Err(_) => return wrong("schedule_seed", "number"),
            },
            "data_cache" => match on_or_off(value) {
                Some(is_on) => self.data_cache.replace(is_on).is_some(),
                None => return wrong("data_cache", "state: on or off"),
            },
            "abi" => {
                let (Release::Metalium(site), "nearest") = (&mut self.release, value) else {
                    return wrong(
                        "abi",
                        "way to use TT-Metalium: write abi=nearest behind metalium:SITE@ttsim:PATH",
                    );
                };
                std::mem::replace(&mut site.abi, Abi::Nearest) == Abi::Nearest
            }
            "sfploadmacro" => {
                let (Release::Metalium(site), Some(is_on)) = (&mut self.release, on_or_off(value))
                else {
                    return wrong(
                        "sfploadmacro",
                        "way to use TT-Metalium: write sfploadmacro=on or off behind metalium:SITE@ttsim:PATH",
                    );
                };
                let load_macros = if is_on { LoadMacros::On } else { LoadMacros::Off };
                site.load_macros.replace(load_macros).is_some()
            }
            "strict_isa" => match on_or_off(value) {
                Some(is_on) => self.strict_isa.replace(is_on).is_some(),
                None => return wrong("strict_isa", "state: on or off"),
            },
            "strict_tensix" => match on_or_off(value) {
                Some(is_on) => self.strict_tensix.replace(is_on).is_some(),
                None => return wrong("strict_tensix", "state: on or off"),
            },
            _ => return Err(ExecutorError::UnknownOption { option: name.to_owned() }),
        };
        if twice { Err(ExecutorError::OptionTwice { option: name.to_owned() }) } else { Ok(()) }
    }

    /// Checks that its folders exist.
    ///
    /// # Errors
    /// [`ExecutorError::NoFolder`].
    pub fn check_folders(&self) -> Result<(), ExecutorError> {
        for (what, folder) in [("firmware", &self.firmware), ("kernels", &self.kernels)] {
            if let Some(folder) = folder.as_ref().filter(|folder| !folder.is_dir()) {
                return Err(ExecutorError::NoFolder { what, folder: folder.clone() });
            }
        }
        Ok(())
    }

    /// Checks that its device, for captures of an architecture, can have its settings.
    ///
    /// # Errors
    /// [`ExecutorError::Setting`].
    pub fn check_settings(&self, architecture: Architecture) -> Result<(), ExecutorError> {
        let executor = self.executor(architecture, &ProgramSettings::default());
        let is_ours = |library: &Path| simulator_of(library) == Simulator::Hallmark;
        Ok(executor.programs.simulator.check(&executor.device, is_ours)?)
    }

    /// The architecture that it states, or that of its device.
    pub fn says_architecture(&self) -> Option<Architecture> {
        self.architecture.or_else(|| self.device.as_ref().and_then(DeviceSpec::architecture))
    }

    /// The spelling of an executor, with all settings that differ from the defaults.
    pub fn spelling(executor: &Executor) -> String {
        let usual = ProgramSettings::default();
        let choice = Self::from(executor);
        let dispatch = choice.dispatch.filter(|dispatch| *dispatch != usual.dispatch);
        let schedule_seed = choice.schedule_seed.filter(|seed| *seed != usual.schedule_seed);
        let data_cache = choice.data_cache.filter(|on| *on != usual.simulator.data_cache);
        let strict_isa = choice.strict_isa.filter(|on| *on != usual.simulator.strict_isa);
        let strict_tensix = choice.strict_tensix.filter(|on| *on != usual.simulator.strict_tensix);
        Self {
            architecture: None,
            dispatch,
            schedule_seed,
            data_cache,
            strict_isa,
            strict_tensix,
            ..choice
        }
        .to_string()
    }

    /// The executor, for captures of an architecture.
    pub fn executor(&self, architecture: Architecture, others: &ProgramSettings) -> Executor {
        let device = self.device.clone().unwrap_or_else(|| DeviceSpec::simulator(architecture));
        Executor {
            release: self.release.clone(),
            architecture: device.architecture().unwrap_or(architecture),
            device,
            programs: ProgramSettings {
                firmware: self.firmware.clone().or_else(|| others.firmware.clone()),
                dispatch: self.dispatch.unwrap_or(others.dispatch),
                schedule_seed: self.schedule_seed.unwrap_or(others.schedule_seed),
                simulator: SimulatorSettings {
                    data_cache: self.data_cache.unwrap_or(others.simulator.data_cache),
                    strict_isa: self.strict_isa.unwrap_or(others.simulator.strict_isa),
                    strict_tensix: self.strict_tensix.unwrap_or(others.simulator.strict_tensix),
                },
            },
            kernels: self.kernels.clone(),
        }
    }
}

fn on_or_off(value: &str) -> Option<bool> {
    match value {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

/// A path, and the device after an `@`, if there is one; a path may also contain the character.
fn split_device(text: &str) -> (&str, Option<&str>) {
    let at = text.match_indices('@').find(|(at, _)| {
        let behind = text.get(at.saturating_add(1)..).unwrap_or_default();
        behind == "sim" || KINDS.iter().any(|kind| behind.starts_with(kind))
    });
    match at {
        None => (text, None),
        Some((at, _)) => text
            .split_at_checked(at)
            .map_or((text, None), |(path, behind)| (path, behind.strip_prefix('@'))),
    }
}

/// The vendor's runtime in a folder, on a simulator's library.
fn metalium(
    folder: &Path,
    text: &str,
    rest: &str,
) -> Result<(Release, Option<DeviceSpec>), ExecutorError> {
    let (site, behind) = split_device(rest);
    match behind.map(|text| device(folder, text)).transpose()?.flatten() {
        Some(chip @ DeviceSpec::Ttsim(_)) if !site.is_empty() => {
            Ok((Release::Metalium(path(folder, site).into()), Some(chip)))
        }
        Some(_) | None => Err(ExecutorError::NoMetaliumChip { text: text.to_owned() }),
    }
}

/// A device; `None` for `sim` alone.
fn device(folder: &Path, text: &str) -> Result<Option<DeviceSpec>, ExecutorError> {
    if text == "sim" {
        return Ok(None);
    }
    Ok(Some(match text.parse()? {
        DeviceSpec::Ttsim(LibraryChip { path: library, harvesting }) => {
            DeviceSpec::Ttsim(LibraryChip { path: path(folder, library), harvesting })
        }
        device => device,
    }))
}

/// The spelling without the architecture.
impl fmt::Display for ExecutorChoice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.release, &self.device) {
            (Release::This, None) => formatter.write_str("sim")?,
            (Release::This, Some(device)) => device.fmt(formatter)?,
            (Release::Other(path), None) => write!(formatter, "hallmark:{}", path.display())?,
            // The chip is part of the spelling.
            (Release::Metalium(site), None) => {
                write!(formatter, "metalium:{}", site.folder.display())?;
            }
            (Release::Metalium(site), Some(device)) => {
                write!(formatter, "metalium:{}@{device}", site.folder.display())?;
            }
            (Release::Other(path), Some(device)) => {
                write!(formatter, "hallmark:{}@{device}", path.display())?;
            }
        }
        if let Release::Metalium(site) = &self.release {
            site.settings().try_for_each(|setting| write!(formatter, " {setting}"))?;
        }
        if let Some(folder) = &self.firmware {
            write!(formatter, " firmware={}", folder.display())?;
        }
        if let Some(folder) = &self.kernels {
            write!(formatter, " kernels={}", folder.display())?;
        }
        if let Some(dispatch) = self.dispatch {
            write!(formatter, " dispatch={dispatch}")?;
        }
        if let Some(seed) = self.schedule_seed {
            write!(formatter, " schedule_seed={seed}")?;
        }
        for (name, state) in [
            ("data_cache", self.data_cache),
            ("strict_isa", self.strict_isa),
            ("strict_tensix", self.strict_tensix),
        ] {
            if let Some(is_on) = state {
                write!(formatter, " {name}={}", if is_on { "on" } else { "off" })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use hallmark_runtime::metalium::SiteChoice;

    use super::*;

    fn parse(text: &str) -> ExecutorChoice {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn here(name: &str) -> PathBuf {
        std::env::current_dir().unwrap().join(name)
    }

    #[test]
    fn devices_alone_are_executors_as_they_were() {
        assert_eq!(parse("sim"), ExecutorChoice::simulator());
        for text in ["sim:wormhole_b0", "sim:blackhole:harvested=0x3", "pci:1", "ttsim:/a b/c=d.so"]
        {
            let choice = parse(text);
            assert_eq!(choice, ExecutorChoice::from(text.parse::<DeviceSpec>().unwrap()));
            assert_eq!(choice.to_string(), text);
        }
        for (short, whole) in [
            ("sim:wh", "sim:wormhole_b0"),
            ("sim:bh:harvested=0x3", "sim:blackhole:harvested=0x3"),
            ("misbehaving:flips_bit:gs", "misbehaving:flips_bit:grayskull"),
        ] {
            assert_eq!(parse(short).to_string(), whole);
        }
        assert_eq!(parse("bh=pci:0"), parse("blackhole=pci:0"));
        let choice = parse("wormhole_b0=ttsim:lib.so");
        assert_eq!(choice.architecture, Some(Architecture::WormholeB0));
        assert_eq!(choice.device, Some(DeviceSpec::Ttsim(here("lib.so").into())));
    }

    #[test]
    fn an_executor_is_spelled_as_it_is_chosen() {
        let usual = ProgramSettings::default();
        for text in [
            "sim:wormhole_b0",
            "misbehaving:flips_bit:blackhole",
            "sim:wormhole_b0 firmware=/f kernels=/k dispatch=device schedule_seed=7",
            "hallmark:/old/hallmark@sim:blackhole schedule_seed=1",
            "sim:blackhole data_cache=on strict_isa=on",
            "sim:grayskull strict_isa=on",
            "sim:wormhole_b0 strict_tensix=on",
        ] {
            let executor = parse(text).executor(Architecture::WormholeB0, &usual);
            assert_eq!(ExecutorChoice::spelling(&executor), text);
            let again = ExecutorChoice::from(&executor);
            // The command's settings have no effect.
            let others = ProgramSettings { schedule_seed: 9, ..usual.clone() };
            assert_eq!(again.executor(Architecture::WormholeB0, &others), executor);
        }
    }

    #[test]
    fn options_stand_behind_the_device() {
        let choice =
            parse("sim:wormhole_b0  firmware=F dispatch=device schedule_seed=7 kernels=/k s");
        assert_eq!(choice.firmware, Some(here("F")));
        assert_eq!(choice.kernels, Some(PathBuf::from("/k s")));
        assert_eq!((choice.dispatch, choice.schedule_seed), (Some(Dispatch::Device), Some(7)));
        // The spelling can be parsed again.
        let written = choice.to_string();
        assert_eq!(parse(&written), choice, "{written}");
        let others = ProgramSettings {
            firmware: Some("/other".into()),
            dispatch: Dispatch::Host,
            schedule_seed: 3,
            ..ProgramSettings::default()
        };
        let executor = choice.executor(Architecture::Grayskull, &others);
        assert_eq!(executor.architecture, Architecture::WormholeB0);
        assert_eq!(executor.programs.firmware, Some(here("F")));
        assert_eq!(executor.programs.schedule_seed, 7);
        for dispatch in Dispatch::ALL {
            let choice = parse(&format!("sim dispatch={dispatch}"));
            assert_eq!((choice.dispatch, parse(&choice.to_string())), (Some(dispatch), choice));
        }
        let executor = parse("sim schedule_seed=0").executor(Architecture::Grayskull, &others);
        assert_eq!(executor.device, DeviceSpec::simulator(Architecture::Grayskull));
        assert_eq!(executor.programs, ProgramSettings { schedule_seed: 0, ..others });
    }

    #[test]
    fn the_data_cache_is_a_setting_of_a_simulator_that_has_one() {
        let others = ProgramSettings::default();
        let is_on = |text: &str, architecture| {
            parse(text).executor(architecture, &others).programs.simulator.data_cache
        };
        assert!(is_on("sim:blackhole data_cache=on", Architecture::Blackhole));
        assert!(is_on("sim data_cache=on", Architecture::Blackhole));
        assert!(!is_on("sim:blackhole data_cache=off", Architecture::Blackhole));
        assert!(!is_on("sim:blackhole", Architecture::Blackhole));
        let checked = |text: &str, architecture| parse(text).check_settings(architecture);
        assert_eq!(checked("sim data_cache=on", Architecture::Blackhole), Ok(()));
        assert_eq!(checked("sim data_cache=off", Architecture::WormholeB0), Ok(()));
        for text in ["sim data_cache=on", "sim:wormhole_b0 data_cache=on", "pci:0 data_cache=on"] {
            let error = checked(text, Architecture::WormholeB0).unwrap_err().to_string();
            assert!(error.contains("has no data cache to turn on"), "{text}: {error}");
        }
    }

    #[test]
    fn paths_of_a_file_are_relative_to_its_folder() {
        for (text, whole) in [
            ("ttsim:lib.so", "ttsim:/r/lib.so"),
            ("ttsim:/lib.so", "ttsim:/lib.so"),
            ("hallmark:old@ttsim:lib.so", "hallmark:/r/old@ttsim:/r/lib.so"),
            ("metalium:site@ttsim:lib.so", "metalium:/r/site@ttsim:/r/lib.so"),
            ("sim firmware=f kernels=k", "sim firmware=/r/f kernels=/r/k"),
        ] {
            let choice = ExecutorChoice::written_in(Path::new("/r"), text).unwrap();
            assert_eq!(choice.to_string(), whole);
        }
    }

    #[test]
    fn another_release_is_a_path_perhaps_with_a_device() {
        let release = |text: &str| Release::Other(PathBuf::from(text));
        let choice = parse("hallmark:/old/hallmark");
        assert_eq!((choice.release, choice.device), (release("/old/hallmark"), None));
        let choice = parse("blackhole=hallmark:/a@b/hall mark@pci:0 dispatch=device");
        assert_eq!(choice.release, release("/a@b/hall mark"));
        assert_eq!(choice.device, Some(DeviceSpec::Pci(0)));
        assert_eq!(choice.says_architecture(), Some(Architecture::Blackhole));
        assert_eq!(choice.to_string(), "hallmark:/a@b/hall mark@pci:0 dispatch=device");
        let choice = parse("hallmark:/x@ttsim:/a@b.so");
        assert_eq!(choice.device, Some(DeviceSpec::Ttsim(PathBuf::from("/a@b.so").into())));
        assert_eq!(parse("hallmark:/x@sim").device, None);
        assert_eq!(parse("hallmark:old").release, Release::Other(here("old")));
    }

    #[test]
    fn the_vendor_s_runtime_is_a_folder_and_a_library() {
        let text = "metalium:/a@b/site@ttsim:/lib.so dispatch=device";
        let choice = parse(&format!("blackhole={text}"));
        assert_eq!(choice.release, Release::Metalium(PathBuf::from("/a@b/site").into()));
        assert_eq!(choice.device, Some(DeviceSpec::Ttsim(PathBuf::from("/lib.so").into())));
        assert_eq!(choice.says_architecture(), Some(Architecture::Blackhole));
        assert_eq!(choice.to_string(), text);
        for text in [
            "metalium:/site",
            "metalium:@ttsim:/lib.so",
            "metalium:/site@sim:blackhole",
            "metalium:/site@sim",
        ] {
            let error = text.parse::<ExecutorChoice>().unwrap_err().to_string();
            assert!(error.contains("write metalium:SITE@ttsim:PATH"), "{error}");
        }
    }

    #[test]
    fn the_nearest_description_is_asked_for_and_said() {
        let text = "metalium:/site@ttsim:/lib.so abi=nearest dispatch=device";
        let choice = parse(text);
        let Release::Metalium(site) = &choice.release else { panic!("{choice:?}") };
        assert_eq!(site.abi, Abi::Nearest);
        assert_eq!(choice.to_string(), text);
        let executor = choice.executor(Architecture::Blackhole, &ProgramSettings::default());
        assert!(executor.to_string().ends_with("@ttsim:/lib.so abi=nearest"), "{executor}");
        assert_eq!(executor.short_name(), "metalium, abi=nearest, ttsim");
        assert_eq!(ExecutorChoice::from(&executor).release, choice.release);
        for (text, says) in [
            ("sim:blackhole abi=nearest", "write abi=nearest behind metalium:SITE@ttsim:PATH"),
            (
                "metalium:/site@ttsim:/lib.so abi=0.80.0",
                "`abi=0.80.0` is no way to use TT-Metalium",
            ),
            ("metalium:/site@ttsim:/lib.so abi=nearest abi=nearest", "`abi` stands twice"),
        ] {
            let error = text.parse::<ExecutorChoice>().unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn kernels_without_load_macros_are_asked_for_and_said() {
        let text = "metalium:/site@ttsim:/lib.so sfploadmacro=off dispatch=device";
        let choice = parse(text);
        let Release::Metalium(site) = &choice.release else { panic!("{choice:?}") };
        assert_eq!(site.load_macros_on(Simulator::Hallmark), LoadMacros::Off);
        let default = SiteChoice::from(PathBuf::from("/site"));
        assert_eq!(default.load_macros_on(Simulator::Hallmark), LoadMacros::On);
        assert_eq!(default.load_macros_on(Simulator::Ttsim), LoadMacros::Off);
        assert_eq!(choice.to_string(), text);
        let executor = choice.executor(Architecture::Blackhole, &ProgramSettings::default());
        assert!(executor.to_string().ends_with("@ttsim:/lib.so sfploadmacro=off"), "{executor}");
        assert_eq!(executor.short_name(), "metalium, sfploadmacro=off, ttsim");
        assert_eq!(ExecutorChoice::from(&executor).release, choice.release);
        let both = "metalium:/site@ttsim:/lib.so abi=nearest sfploadmacro=on";
        assert_eq!(parse(both).to_string(), both);
        for (text, says) in [
            ("sim:blackhole sfploadmacro=off", "write sfploadmacro=on or off behind metalium:"),
            ("metalium:/site@ttsim:/lib.so sfploadmacro=1", "`sfploadmacro=1` is no way"),
            (
                "metalium:/site@ttsim:/lib.so sfploadmacro=on sfploadmacro=off",
                "`sfploadmacro` stands twice",
            ),
        ] {
            let error = text.parse::<ExecutorChoice>().unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn mistakes_say_what_could_stand_there() {
        let error = |text: &str| text.parse::<ExecutorChoice>().unwrap_err().to_string();
        assert!(error("sim:wormhol").contains("sim:ARCHITECTURE, ttsim:PATH or pci:NUMBER"));
        assert!(error("").contains("unknown device ``"));
        assert!(error("hallmark:").contains("hallmark:PATH@DEVICE"));
        assert!(error("hallmark:@sim:blackhole").contains("names no executable"));
        assert!(error("hallmark:/x@pci:one").contains("`one` is not the number of a card"));
        let unknown = error("sim:wormhole_b0 firmwar=F");
        assert!(unknown.starts_with("`firmwar` is no option of an executor"), "{unknown}");
        assert_eq!(
            error("sim dispatch=both"),
            "`dispatch=both` is no dispatch mode: host, device or overlap"
        );
        assert_eq!(error("sim schedule_seed=-1"), "`schedule_seed=-1` is no number");
        assert_eq!(error("sim firmware="), "`firmware=` is no folder");
        assert_eq!(error("sim data_cache=1"), "`data_cache=1` is no state: on or off");
        assert_eq!(error("sim dispatch=host dispatch=host"), "`dispatch` stands twice");
        let absent = parse("sim firmware=/nowhere/at/all").check_folders().unwrap_err();
        assert_eq!(absent.to_string(), "the folder of firmware /nowhere/at/all is not there");
    }
}
