//! Options that several commands share, each under its heading in `--help`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use hallmark_chip::Architecture;
use hallmark_execution::executor::{Dispatch, Executors, ProgramSettings, Purpose};
use hallmark_execution::worker::memory_budget::{self, MemorySize};
use hallmark_execution::worker::process::WorkerProgram;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_pipeline::{Notices, Settings, WorkerSettings};
use hallmark_runtime::{DeviceSpec, SimulatorSettings};
use hallmark_suite::discover::{Root, known_architectures};

use super::paths::absolute;
use super::{Failed, output};

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

/// Which architectures' tests.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct ArchitectureOption {
    /// Only this architecture: grayskull, wormhole_b0 or blackhole (repeatable)
    #[arg(long, value_name = "ARCHITECTURE", help_heading = SELECTION, global = true)]
    arch: Vec<Architecture>,
}

impl ArchitectureOption {
    /// The selected architectures, each once; by default those that the simulator models.
    pub(super) fn chosen(&self) -> Vec<Architecture> {
        if self.arch.is_empty() {
            return known_architectures();
        }
        let mut chosen = self.arch.clone();
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
    /// --strict-isa for one simulator.
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
    /// Who launches programs
    #[arg(long, value_enum, default_value_t, env = "HALLMARK_DISPATCH", help_heading = DEVICES)]
    dispatch: Dispatch,
}

/// How programs run, whatever the device.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct ProgramOptions {
    #[command(flatten)]
    launch: LaunchOptions,
    /// The seed for orders that the hardware leaves open; it never changes data
    #[arg(long, value_name = "NUMBER", default_value_t = 0, help_heading = EXECUTION)]
    schedule_seed: u64,
    /// Let only what the ISA documentation promises order two NoC requests, on the built-in simulator
    ///
    /// Without the flag, an atomic increment arrives behind a write of the same core, NoC and virtual channel, as
    /// TT-Metalium expects. The end of a run says how many tests would differ.
    #[arg(long, help_heading = EXECUTION)]
    strict_isa: bool,
    /// The memory that each worker may take on the built-in simulator: bytes, or a number with KiB, MiB or GiB
    #[arg(long, value_name = "SIZE", default_value = "1GiB", help_heading = EXECUTION)]
    memory: MemorySize,
}

impl FirmwareOption {
    /// Settings with this firmware and defaults otherwise. The folder is absolute because workers have another
    /// current folder.
    pub(super) fn settings(&self) -> Result<ProgramSettings, Failed> {
        let firmware = match &self.firmware {
            Some(folder) if !folder.is_dir() => {
                let text = format!(
                    "there is no firmware folder {}; name a folder with a manifest, or leave --firmware out",
                    folder.display()
                );
                return Err(Failed::new(ExitCode::USAGE, text));
            }
            folder => folder.as_deref().map(absolute),
        };
        Ok(ProgramSettings { firmware, ..ProgramSettings::default() })
    }
}

impl LaunchOptions {
    /// Settings that leave no order open.
    pub(super) fn settings(&self) -> Result<ProgramSettings, Failed> {
        Ok(ProgramSettings { dispatch: self.dispatch, ..self.firmware.settings()? })
    }
}

impl ProgramOptions {
    /// Settings for executors that do not choose their own.
    pub(super) fn settings(&self) -> Result<ProgramSettings, Failed> {
        let Self { launch, schedule_seed, strict_isa, memory } = self;
        memory_budget::set(*memory);
        let simulator =
            SimulatorSettings { strict_isa: *strict_isa, ..SimulatorSettings::default() };
        Ok(ProgramSettings { schedule_seed: *schedule_seed, simulator, ..launch.settings()? })
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
}

impl Devices<'_> {
    /// The settings of a command about tests of some architectures.
    pub(super) fn settings(
        self,
        root: Root,
        architectures: &[Architecture],
    ) -> Result<Settings, Failed> {
        let choose = |choices: &[String], purpose| {
            Executors::choose(choices, architectures, purpose)
                .map_err(|error| Failed::new(ExitCode::USAGE, error))
        };
        let device = self.device.map(|option| option.device.as_slice());
        let replay_device = self.replay_device.map(|option| option.replay_device.as_slice());
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
        Ok(Settings {
            kernels: Settings::kernel_store(&root),
            root,
            workers: WorkerSettings {
                executors,
                replay_executors,
                programs: self.programs,
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
