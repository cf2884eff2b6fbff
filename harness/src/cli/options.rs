//! Options that several commands share, each under its heading in `--help`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use clap::builder::FalseyValueParser;
use hallmark_chip::Architecture;
use hallmark_execution::executor::{Dispatch, ExecutorChoice, ProgramSettings, Purpose};
use hallmark_execution::worker::memory_budget::{self, MemorySize};
use hallmark_execution::worker::process::WorkerProgram;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_pipeline::{Notices, Settings, WorkerSettings};
use hallmark_runtime::{DeviceSpec, SimulatorSettings};
use hallmark_suite::discover::{Root, known_architectures};

use super::paths::absolute;
use super::select::Selection;
use super::{Failed, output};
use crate::configuration::{Configuration, TIMEOUTS, user_file};

/// The heading of options that choose tests.
pub(super) const SELECTION: &str = "Selection";
/// The heading of options that choose executors.
pub(super) const DEVICES: &str = "Devices";
/// The heading of options that control how tests run.
pub(super) const EXECUTION: &str = "Execution";
/// The heading of options that control output.
pub(super) const OUTPUT: &str = "Output";

/// Where suites and goldens are.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct RootOption {
    /// The folder that holds `suites` and `goldens` [default: the nearest above the current folder]
    #[arg(long, value_name = "FOLDER", env = "HALLMARK_ROOT", help_heading = SELECTION, global = true)]
    root: Option<PathBuf>,
}

impl RootOption {
    /// As [`root_at_hand`].
    pub(super) fn at_hand(&self) -> Result<Option<Root>, Failed> {
        root_at_hand(self.root.as_deref())
    }

    /// The folder that the option names, or the nearest root at or above the current folder.
    pub(super) fn find(&self) -> Result<Root, Failed> {
        let found = match &self.root {
            Some(folder) => Root::at(folder),
            None => {
                let current = std::env::current_dir().map_err(|error| {
                    Failed::new(ExitCode::USAGE, format!("there is no current folder: {error}"))
                })?;
                Root::above(&current)
            }
        };
        found.map_err(|error| Failed::new(ExitCode::USAGE, error))
    }
}

/// For commands that need no root: that of a folder that an option names, or the nearest at or above the current folder, if
/// there is one.
pub(super) fn root_at_hand(named: Option<&Path>) -> Result<Option<Root>, Failed> {
    match named {
        Some(folder) => {
            Root::at(folder).map(Some).map_err(|error| Failed::new(ExitCode::USAGE, error))
        }
        None => Ok(std::env::current_dir().ok().and_then(|here| Root::above(&here).ok())),
    }
}

/// Where suites and goldens are, and what the configuration files say.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct ConfiguredRoot {
    #[command(flatten)]
    root: RootOption,
    /// Let the root's hallmark.toml name libraries, executables, cards and paths outside the root
    #[arg(long, help_heading = SELECTION, global = true, hide_short_help = true)]
    trust: bool,
}

impl ConfiguredRoot {
    /// As [`RootOption::find`].
    pub(super) fn find(&self) -> Result<Root, Failed> {
        self.root.find()
    }

    /// As [`RootOption::at_hand`].
    pub(super) fn at_hand(&self) -> Result<Option<Root>, Failed> {
        self.root.at_hand()
    }

    /// What the files say. Where there is no root, the user's own file speaks alone.
    pub(super) fn configuration(&self) -> Result<Configuration, Failed> {
        let root = self.root.find().ok();
        let user_file = user_file(|name| std::env::var_os(name));
        let root = root.as_ref().map(Root::folder);
        let configuration = Configuration::read(root, user_file.as_deref(), self.trust)?;
        if let Some(color) = &configuration.color {
            output::use_color_of_file(color.value);
        }
        Ok(configuration)
    }
}

/// Which architectures' tests.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct ArchitectureOption {
    /// Only this architecture: wormhole_b0, blackhole or grayskull; wh, bh or gs (repeatable)
    ///
    /// By default those that hallmark.toml names, or wormhole_b0 and blackhole.
    #[arg(long, value_name = "ARCHITECTURE", value_parser = Architecture::named_by_user, help_heading = SELECTION,
        global = true)]
    arch: Vec<Architecture>,
}

impl ArchitectureOption {
    /// The architectures that the option names.
    pub(super) fn named(&self) -> &[Architecture] {
        &self.arch
    }

    /// The selected architectures, each once; by default that of the one test that `named` selects, or those of the
    /// configuration and those that `named` selects by their names.
    pub(super) fn chosen(
        &self,
        configuration: &Configuration,
        named: &Selection,
    ) -> Vec<Architecture> {
        let mut chosen = self.arch.clone();
        if chosen.is_empty() {
            chosen = match named.exact_architecture() {
                Some(one) => vec![one],
                None => configuration.usual_architectures(),
            };
            chosen.extend(named.named_architectures());
        }
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }
}

/// The device that tests run on.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct DeviceOption {
    /// The device that tests run on, the built-in simulator by default (repeatable)
    ///
    /// `sim` is the built-in simulator, `sim:ARCHITECTURE:harvested=MASK` a chip with rows or columns fused off,
    /// one for each bit of MASK (such as 0x3); `ttsim:PATH` is a simulator's library (Hallmark's own takes
    /// `:harvested=MASK`, too), `pci:NUMBER` a card.
    /// Settings for this device alone follow in the same argument:
    /// 'sim:wormhole_b0 firmware=FOLDER kernels=FOLDER dispatch=device schedule_seed=7'.
    /// 'sim:blackhole data_cache=on' runs kernels with the data cache on, which firmware leaves off; strict_isa=on is
    /// --strict-isa for one simulator, strict_tensix=on is --strict-tensix. 'metalium:SITE@ttsim:PATH sfploadmacro=on'
    /// has TT-Metalium use an instruction that Tenstorrent's simulator refuses.
    ///
    /// [env: HALLMARK_DEVICE_<ARCHITECTURE>=]
    #[arg(long, value_name = "[ARCHITECTURE=]EXECUTOR", help_heading = DEVICES)]
    device: Vec<String>,
}

impl DeviceOption {
    /// The option's values, for a command that does not choose an executor by it.
    pub(super) fn written(&self) -> &[String] {
        &self.device
    }
}

/// The device that replays.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct ReplayDeviceOption {
    /// Another device for the replays, written as for --device (repeatable)
    ///
    /// `hallmark:PATH` or `hallmark:PATH@DEVICE` is the executable of another release. With `ARCHITECTURE=` before
    /// it, the device may be of another architecture than the tests.
    ///
    /// `metalium:SITE@ttsim:PATH` is TT-Metalium, the vendor's runtime, from the folder of a ttnn
    /// wheel, on a simulator's library.
    ///
    /// [env: HALLMARK_REPLAY_DEVICE_<ARCHITECTURE>=]
    #[arg(long, value_name = "[ARCHITECTURE=]EXECUTOR", help_heading = DEVICES)]
    replay_device: Vec<String>,
}

/// The firmware on the device.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct FirmwareOption {
    /// The folder of a firmware bundle, instead of the built-in firmware
    #[arg(long, value_name = "FOLDER", env = "HALLMARK_FIRMWARE", help_heading = DEVICES)]
    firmware: Option<PathBuf>,
}

/// The firmware, and who launches programs.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct LaunchOptions {
    #[command(flatten)]
    firmware: FirmwareOption,
    /// Who launches programs [default: host]
    #[arg(long, value_enum, env = "HALLMARK_DISPATCH", help_heading = DEVICES)]
    dispatch: Option<Dispatch>,
}

/// How programs run, whatever the device.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct ProgramOptions {
    #[command(flatten)]
    launch: LaunchOptions,
    /// The seed for orders that the hardware leaves open; it never changes data [default: 0]
    #[arg(long, value_name = "NUMBER", help_heading = EXECUTION)]
    schedule_seed: Option<u64>,
    /// Let only what the ISA documentation promises order two NoC requests, on the built-in simulator
    ///
    /// Without the flag, an atomic increment arrives behind a write of the same core, NoC and virtual channel, as
    /// TT-Metalium expects. The end of a run says how many tests would differ.
    #[arg(long, help_heading = EXECUTION, hide_short_help = true)]
    strict_isa: bool,
    /// Let a unit of the Tensix coprocessor sample its configuration until it has finished, on the built-in simulator
    ///
    /// That is where no document says when the unit samples it. Without the flag, the unit counts as sampling when its
    /// instruction is issued, and a core's store to the configuration as arriving in time for an instruction that the
    /// core pushes some instructions later.
    #[arg(long, help_heading = EXECUTION, hide_short_help = true)]
    strict_tensix: bool,
    #[command(flatten)]
    memory: MemoryOption,
}

/// How workers start, for commands that start many.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(super) struct FreshOption {
    /// Execute every worker of the built-in simulator, as a certification does; otherwise workers are forked from a process that has run no test
    #[arg(long, env = "HALLMARK_FRESH", value_parser = FalseyValueParser::new(), help_heading = EXECUTION,
        hide_short_help = true)]
    pub(super) fresh: bool,
}

/// The time of a test.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(super) struct TimeoutOption {
    /// The seconds of wall-clock time that each run of a test has at least, whatever its suite says: for slow devices
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(TIMEOUTS), help_heading = EXECUTION,
        hide_short_help = true)]
    timeout: Option<u32>,
}

impl TimeoutOption {
    /// The time that the option gives; none if it is not there.
    pub(super) fn least(self) -> Duration {
        Duration::from_secs(self.timeout.unwrap_or(0).into())
    }
}

/// The memory of a worker.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(super) struct MemoryOption {
    /// The memory that each worker may take on the built-in simulator: bytes, or a number with KiB, MiB or GiB [default: 1GiB plus 16 times the size of the calls and the record of the replayed capture, 3GiB at most]
    #[arg(long, value_name = "SIZE", help_heading = EXECUTION, hide_short_help = true)]
    memory: Option<MemorySize>,
}

impl MemoryOption {
    /// Gives the workers of this process what the user or a configuration file grants.
    pub(super) fn grant(self, configuration: &Configuration) {
        let of_file = configuration.memory.as_ref().map(|it| it.value);
        memory_budget::set(self.memory.or(of_file));
    }
}

impl FirmwareOption {
    /// As [`Self::configured`] without configuration files.
    pub(super) fn settings(&self) -> Result<ProgramSettings, Failed> {
        self.configured(&mut Configuration::default())
    }

    /// Settings with this firmware and defaults otherwise. The folder is absolute because workers have another
    /// current folder.
    pub(super) fn configured(
        &self,
        configuration: &mut Configuration,
    ) -> Result<ProgramSettings, Failed> {
        if self.firmware.is_some() {
            configuration.overrule(|device| device.firmware = None);
        }
        let of_file = configuration.firmware.as_ref().map(|it| &it.value);
        let firmware = match self.firmware.as_ref().or(of_file) {
            Some(folder) if !folder.is_dir() => {
                let text = format!(
                    "there is no firmware folder {}; name a folder with a manifest, or leave --firmware out",
                    folder.display()
                );
                return Err(Failed::new(ExitCode::USAGE, text));
            }
            folder => folder.map(|folder| absolute(folder)),
        };
        Ok(ProgramSettings { firmware, ..ProgramSettings::default() })
    }
}

impl LaunchOptions {
    /// As [`Self::configured`] without configuration files.
    pub(super) fn settings(&self) -> Result<ProgramSettings, Failed> {
        self.configured(&mut Configuration::default())
    }

    /// Settings that leave no order open.
    pub(super) fn configured(
        &self,
        configuration: &mut Configuration,
    ) -> Result<ProgramSettings, Failed> {
        if self.dispatch.is_some() {
            configuration.overrule(|device| device.dispatch = None);
        }
        let of_file = configuration.dispatch.as_ref().map(|it| it.value);
        let dispatch = self.dispatch.or(of_file).unwrap_or_default();
        Ok(ProgramSettings { dispatch, ..self.firmware.configured(configuration)? })
    }
}

impl ProgramOptions {
    /// As [`Self::configured`] without configuration files.
    pub(super) fn settings(&self) -> Result<ProgramSettings, Failed> {
        self.configured(&mut Configuration::default())
    }

    /// Settings for executors that do not choose their own.
    pub(super) fn configured(
        &self,
        configuration: &mut Configuration,
    ) -> Result<ProgramSettings, Failed> {
        let Self { launch, schedule_seed, strict_isa, strict_tensix, memory } = self;
        memory.grant(configuration);
        if schedule_seed.is_some() {
            configuration.overrule(|device| device.schedule_seed = None);
        }
        if *strict_isa {
            configuration.overrule(|device| device.strict_isa = None);
        }
        if *strict_tensix {
            configuration.overrule(|device| device.strict_tensix = None);
        }
        let simulator = SimulatorSettings {
            strict_isa: *strict_isa,
            strict_tensix: *strict_tensix,
            ..SimulatorSettings::default()
        };
        Ok(ProgramSettings {
            schedule_seed: schedule_seed.unwrap_or_default(),
            simulator,
            ..launch.configured(configuration)?
        })
    }
}

/// The executors of a command's tests, as far as the command lets its user choose.
#[derive(Clone, Debug, Default)]
pub(super) struct Devices<'a> {
    /// The option of the executor that captures.
    pub(super) device: Option<&'a DeviceOption>,
    /// The option of the executor that replays.
    pub(super) replay_device: Option<&'a ReplayDeviceOption>,
    /// The settings of programs.
    pub(super) programs: ProgramSettings,
    /// What the configuration files say of executors and of the time of tests.
    pub(super) configuration: Option<&'a Configuration>,
    /// The time of tests.
    pub(super) timeout: TimeoutOption,
}

impl Devices<'_> {
    /// The settings of a command about tests of some architectures.
    pub(super) fn settings(
        self,
        root: Root,
        architectures: &[Architecture],
    ) -> Result<Settings, Failed> {
        let choose = |choices: &[String], purpose| {
            let of_files = self.configuration.map(|it| it.executors(purpose)).unwrap_or_default();
            of_files
                .overridden(choices, architectures, purpose)
                .map_err(|error| Failed::new(ExitCode::USAGE, error))
        };
        let device = self.device.map(|option| option.device.as_slice());
        let replay_device = self.replay_device.map(|option| option.replay_device.as_slice());
        for text in device.into_iter().chain(replay_device).flatten() {
            warn_if_unused(text, architectures);
        }
        let executors = choose(device.unwrap_or_default(), Purpose::Capture)?;
        let replay_executors = choose(replay_device.unwrap_or_default(), Purpose::Replay)?;
        let known = known_architectures();
        for &architecture in architectures {
            let device = executors.of(architecture, &self.programs).device;
            if device == DeviceSpec::simulator(architecture) && !known.contains(&architecture) {
                return Err(Failed::new(
                    ExitCode::USAGE,
                    format!(
                        "there is no simulated {architecture} yet; name a device with \
                         --device {architecture}=ttsim:PATH or in {}",
                        Purpose::Capture.variable(architecture)
                    ),
                ));
            }
        }
        let of_files = self.configuration.and_then(|it| it.timeout.as_ref()).map(|it| it.value);
        let timeout = TimeoutOption { timeout: self.timeout.timeout.or(of_files) };
        Ok(Settings {
            kernels: Settings::kernel_store(&root),
            root,
            workers: WorkerSettings {
                executors,
                replay_executors,
                programs: self.programs,
                least_timeout: timeout.least(),
                worker: WorkerProgram::current().map_err(|error| {
                    let text = format!("the path of this executable is unknown: {error}");
                    Failed::new(ExitCode::INTERNAL, text)
                })?,
                notices: Notices::to(output::note),
            },
            strict_derived: false,
            deviations: Arc::default(),
        })
    }
}

/// Warns that the user chose a device for an architecture of which no test is selected.
fn warn_if_unused(text: &str, architectures: &[Architecture]) {
    let architecture =
        text.parse().ok().and_then(|choice: ExecutorChoice| choice.says_architecture());
    if let Some(architecture) = architecture.filter(|it| !architectures.contains(it)) {
        output::warn(&format!(
            "the device `{text}` is not used, because no test of {architecture} is selected; add --arch {architecture}"
        ));
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::configuration::Setting;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        programs: ProgramOptions,
    }

    /// The device of a file, after options were given.
    fn device_after(options: &[&str]) -> String {
        let mut configuration = Configuration::default();
        let text =
            "sim:wh firmware=/f dispatch=device schedule_seed=7 strict_isa=off strict_tensix=off";
        let value: ExecutorChoice = text.parse().unwrap();
        let device = Setting { value, file: "hallmark.toml".into() };
        configuration.devices.insert(Architecture::WormholeB0, device.clone());
        configuration.replay_devices.insert(Architecture::WormholeB0, device);
        let line = Line::parse_from([&["hallmark"], options].concat());
        line.programs.configured(&mut configuration).unwrap();
        let after = |devices: &std::collections::BTreeMap<_, Setting<ExecutorChoice>>| {
            devices[&Architecture::WormholeB0].value.to_string()
        };
        let replays = after(&configuration.replay_devices);
        assert_eq!(replays, after(&configuration.devices));
        replays
    }

    #[test]
    fn an_option_counts_more_than_a_word_of_a_file_s_device() {
        let all =
            "sim:wormhole_b0 firmware=/f dispatch=device schedule_seed=7 strict_isa=off strict_tensix=off".to_owned();
        assert_eq!(device_after(&[]), all);
        let here = env!("CARGO_MANIFEST_DIR");
        for (options, word) in [
            (["--firmware", here].as_slice(), " firmware=/f"),
            (&["--dispatch", "host"], " dispatch=device"),
            (&["--schedule-seed", "0"], " schedule_seed=7"),
            (&["--strict-isa"], " strict_isa=off"),
            (&["--strict-tensix"], " strict_tensix=off"),
        ] {
            assert_eq!(device_after(options), all.replace(word, ""), "{options:?}");
        }
    }
}
