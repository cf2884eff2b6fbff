//! The findings of `hallmark doctor`, for people and as JSON.

use std::collections::BTreeMap;
use std::fmt;

use hallmark_chip::Architecture;
use hallmark_execution::devices::{capabilities, kind};
use hallmark_execution::executor::{Executor, Release, program_environment};
use hallmark_pipeline::golden;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_pipeline::{Settings, WorkerSettings};
use hallmark_report::untrusted::quoted;
use hallmark_runtime::device_code::{Compiler, FirmwareBundle};
use hallmark_runtime::devices::pci;
use hallmark_runtime::{DeviceSettings, DeviceSpec, open_device};
use hallmark_schema::plural::{counted, grouped};
use hallmark_suite::discover::{Root, SelectedTest};
use hallmark_suite::read::Choice as _;
use serde::Serialize;

use super::in_force::InForce;
use super::metalium::{self, Metalium};
use crate::cli::Failed;

/// Everything that runs depend on, and the problems with it.
#[derive(Debug, Serialize)]
pub(super) struct Environment {
    /// The version of this document.
    version: u32,
    hallmark: &'static str,
    capture_format: String,
    /// Absent if no folder with suites was found.
    root: Option<String>,
    suites: Option<Suites>,
    goldens: Option<Goldens>,
    settings: Vec<InForce>,
    devices: Vec<Device>,
    /// Absent if the command did not look for cards.
    cards: Option<Vec<Card>>,
    compiler: Option<String>,
    /// Whether the compiler can open no file but a kernel's own; absent without a compiler, and where it was not seen.
    builds_confined: Option<bool>,
    metalium: Metalium,
    problems: Vec<Problem>,
    exit_code: u8,
}

#[derive(Debug, Serialize)]
struct Suites {
    suites: usize,
    tests: usize,
}

#[derive(Debug, Serialize)]
struct Goldens {
    files: usize,
    bytes: u64,
    /// The number of tests that need a golden on their device and have none.
    missing: usize,
    /// Files of goldens that belong to no test.
    unused: Vec<String>,
}

/// The device of an architecture.
#[derive(Debug, Serialize)]
struct Device {
    architecture: &'static str,
    device: String,
    state: String,
    capabilities: Vec<&'static str>,
    /// The firmware's name and hash, why there is no firmware, or the firmware's owner if it is not Hallmark's.
    firmware: String,
    /// Variables with which a user's own program runs on the device under TT-Metalium; absent for every other
    /// executor.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    environment: BTreeMap<&'static str, String>,
}

#[derive(Debug, Serialize)]
struct Card {
    device: String,
    state: String,
}

/// A problem that keeps tests from passing.
#[derive(Debug, Serialize)]
struct Problem {
    exit_code: u8,
    text: String,
    #[serde(skip)]
    code: ExitCode,
}

impl Environment {
    /// The environment in a root with suites.
    pub(super) fn of(
        settings: &Settings,
        architectures: &[Architecture],
        in_force: Vec<InForce>,
    ) -> Self {
        let mut environment = Self { settings: in_force, ..Self::empty() };
        let root = &settings.root;
        environment.root = Some(root.folder().display().to_string());
        environment.look_at_suites(settings, architectures);
        for &architecture in architectures {
            let executor = settings.workers.executor(architecture);
            let device = environment.device(&executor, architecture);
            environment.devices.push(device);
            if let Some(problem) = metalium::problem(&executor.release) {
                environment.add(ExitCode::DEVICE, problem);
            }
        }
        environment.look_at_compiler(settings.kernels.compiler());
        environment.finished()
    }

    /// The environment without a root.
    pub(super) fn without_root(failed: &Failed) -> Self {
        let mut environment = Self::empty();
        environment.look_at_compiler(Compiler::find().as_ref());
        environment.add(failed.code, failed.text.clone());
        environment.finished()
    }

    fn empty() -> Self {
        let card = |card: &pci::ListedCard| Card {
            device: format!("pci:{}", card.number),
            state: card_state(card),
        };
        Self {
            version: 1,
            hallmark: env!("CARGO_PKG_VERSION"),
            capture_format: hallmark_schema::VERSION.to_string(),
            root: None,
            suites: None,
            goldens: None,
            settings: Vec::new(),
            devices: Vec::new(),
            cards: pci::cards().map(|cards| cards.iter().map(card).collect()),
            compiler: None,
            builds_confined: None,
            metalium: Metalium::look(),
            problems: Vec::new(),
            exit_code: 0,
        }
    }

    fn finished(mut self) -> Self {
        self.exit_code = self.exit_code().number();
        self
    }

    /// The exit code of the worst problem.
    pub(super) fn exit_code(&self) -> ExitCode {
        ExitCode::first(self.problems.iter().map(|problem| problem.code))
    }

    fn add(&mut self, code: ExitCode, text: impl Into<String>) {
        self.problems.push(Problem { exit_code: code.number(), text: text.into(), code });
    }

    fn look_at_compiler(&mut self, compiler: Option<&Compiler>) {
        self.compiler = compiler.map(|it| it.version().to_owned());
        self.builds_confined = compiler.and_then(Compiler::confines_builds);
    }

    fn look_at_suites(&mut self, settings: &Settings, architectures: &[Architecture]) {
        let suites = match settings.root.load_all() {
            Ok(suites) => suites,
            Err(mistakes) => return self.add(ExitCode::SUITE, mistakes.to_string()),
        };
        for mistakes in suites.iter().filter_map(|suite| suite.check(architectures).err()) {
            self.add(ExitCode::SUITE, mistakes.to_string());
        }
        let tests: Vec<_> = suites.iter().flat_map(|suite| suite.tests(architectures)).collect();
        self.suites = Some(Suites { suites: suites.len(), tests: tests.len() });
        self.look_at_goldens(&settings.root, &settings.workers, &tests, architectures);
    }

    fn look_at_goldens(
        &mut self,
        root: &Root,
        workers: &WorkerSettings,
        tests: &[SelectedTest],
        architectures: &[Architecture],
    ) {
        let mut files = match golden::files(root) {
            Ok(files) => files,
            Err(error) => {
                let text = format!("the goldens cannot be read: {error}");
                return self.add(ExitCode::CAPTURE, text);
            }
        };
        // Goldens of other architectures belong to tests that were not selected.
        files.retain(|file| {
            let mut others = Architecture::ALL.iter().filter(|it| !architectures.contains(it));
            !others.any(|it| file.path.starts_with(&format!("goldens/{it}/")))
        });
        let without = tests.iter().filter(|test| !golden::path(root, &test.name).is_file());
        let missing = without.filter(|test| needs_golden(workers, test)).count();
        let unused = golden::unused(&files, tests.iter().map(|test| &test.name));
        let goldens = Goldens {
            files: files.len(),
            bytes: files.iter().map(|file| file.size).sum(),
            missing,
            unused: unused.into_iter().map(str::to_owned).collect(),
        };
        if missing > 0 {
            let text = format!(
                "{} no golden; `hallmark bless` shows what each test produces and writes the goldens",
                counted(missing, "test has", "tests have")
            );
            self.add(ExitCode::GOLDEN_ABSENT, text);
        }
        for path in &goldens.unused {
            let text = format!("{path} belongs to no test; `hallmark bless` removes the file");
            self.add(ExitCode::NOT_PASSED, text);
        }
        self.goldens = Some(goldens);
    }

    fn device(&mut self, executor: &Executor, architecture: Architecture) -> Device {
        let firmware = match executor.release {
            Release::This | Release::Other(_) => self.firmware(executor, architecture),
            Release::Metalium(_) => metalium::FIRMWARE.to_owned(),
        };
        let device = &executor.device;
        let state = state(device).unwrap_or_else(|problem| {
            self.add(ExitCode::DEVICE, format!("{device}: {problem}"));
            problem
        });
        Device {
            architecture: architecture.name(),
            device: executor.to_string(),
            state,
            capabilities: capabilities(device).iter().map(|it| it.name()).collect(),
            firmware,
            environment: self.environment(executor),
        }
    }

    /// The variables with which a program runs under TT-Metalium on an executor.
    fn environment(&mut self, executor: &Executor) -> BTreeMap<&'static str, String> {
        let Release::Metalium(site) = &executor.release else { return BTreeMap::new() };
        if metalium::problem(&executor.release).is_some() {
            // The executor's state reports the problem.
            return BTreeMap::new();
        }
        program_environment(site, executor).unwrap_or_else(|error| {
            self.add(ExitCode::DEVICE, error.to_string());
            BTreeMap::new()
        })
    }

    /// The name and hash of an executor's firmware.
    fn firmware(&mut self, executor: &Executor, architecture: Architecture) -> String {
        let bundle = match &executor.programs.firmware {
            Some(folder) => FirmwareBundle::load(folder, architecture),
            None => FirmwareBundle::builtin(architecture),
        };
        match bundle {
            Ok(bundle) => {
                format!("{} ({})", quoted(&bundle.manifest().name), bundle.hash().shortened())
            }
            Err(error) => {
                self.add(ExitCode::DEVICE, format!("firmware of {architecture}: {error}"));
                "cannot be used".to_owned()
            }
        }
    }
}

/// Whether a run compares the test with a golden. Blessing writes no golden for a test that is skipped or
/// expected to fail.
fn needs_golden(workers: &WorkerSettings, test: &SelectedTest) -> bool {
    let architecture = test.name.architecture;
    let kind = kind(&workers.executor(architecture).device);
    let mut expected =
        test.case().into_iter().flat_map(|case| case.expected_failure.iter().flatten());
    !expected.any(|failure| failure.device.0 == kind)
        && !workers.test_executors(architecture).is_harvested()
        && workers.test_executors(test.name.architecture).skip_reason(test).is_none()
}

/// The state of a usable device, or the reason why it is unusable.
fn state(device: &DeviceSpec) -> Result<String, String> {
    match device {
        DeviceSpec::Simulator(_) | DeviceSpec::SimulatedCard(_) | DeviceSpec::Misbehaving(_) => {
            match open_device(device, DeviceSettings::default()) {
                Ok(_) => Ok("opens".to_owned()),
                Err(error) => Err(error.to_string()),
            }
        }
        // The library may end its process, so only a worker loads it.
        DeviceSpec::Ttsim(chip) if chip.path.is_file() => Ok("the library exists".to_owned()),
        DeviceSpec::Ttsim(_) => Err("the library does not exist".to_owned()),
        // Opening the card would take it from its current user.
        DeviceSpec::Pci(number) => {
            let cards = pci::cards().ok_or(
                "this build has no driver for cards; build with `--features pci`".to_owned(),
            )?;
            let found = cards.iter().find(|card| card.number == *number);
            let card = found.ok_or("the driver has found no such card".to_owned())?;
            let usable = card.card.is_ok() && card.users.is_empty();
            if usable { Ok(card_state(card)) } else { Err(card_state(card)) }
        }
    }
}

/// Describes a card and its current user.
fn card_state(card: &pci::ListedCard) -> String {
    let info = match &card.card {
        Ok(info) => info,
        Err(reason) => return format!("does not answer: {reason}"),
    };
    let chip = match Architecture::from_pci_id(info.pci_id) {
        Some(architecture) => architecture.name().to_owned(),
        None => format!("an unknown chip, PCI id {:#010x}", info.pci_id),
    };
    let users: Vec<String> = card.users.iter().map(u32::to_string).collect();
    let users = match users.as_slice() {
        [] => "free".to_owned(),
        [one] => format!("in use by process {one}"),
        many => format!("in use by processes {}", many.join(", ")),
    };
    let (major, minor, patch) = info.driver;
    format!("{chip} at {}, tt-kmd {major}.{minor}.{patch}, {users}", info.address)
}

impl fmt::Display for Environment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "hallmark   {}, capture format {}",
            self.hallmark, self.capture_format
        )?;
        match &self.root {
            Some(root) => writeln!(formatter, "root       {root}")?,
            None => writeln!(formatter, "root       none")?,
        }
        if let Some(Suites { suites, tests }) = &self.suites {
            let suites = counted(*suites, "suite", "suites");
            writeln!(formatter, "suites     {suites}, {}", counted(*tests, "test", "tests"))?;
        }
        if let Some(Goldens { files, bytes, missing, unused }) = &self.goldens {
            writeln!(
                formatter,
                "goldens    {}, {} KiB; {} missing, {} unused",
                counted(*files, "file", "files"),
                grouped(bytes.div_ceil(1024)),
                grouped(*missing),
                grouped(unused.len())
            )?;
        }
        let width = |text: fn(&InForce) -> &str| {
            self.settings.iter().map(|it| text(it).chars().count()).max().unwrap_or_default()
        };
        let (names, values) = (width(|it| &it.name), width(|it| &it.value));
        for (at, InForce { name, value, from }) in self.settings.iter().enumerate() {
            let heading = if at == 0 { "settings" } else { "" };
            writeln!(formatter, "{heading:<10} {name:<names$}  {value:<values$}  {from}")?;
        }
        for device in &self.devices {
            let Device { architecture, device, state, capabilities, firmware, environment } =
                device;
            let capabilities = match capabilities.as_slice() {
                [] => "none".to_owned(),
                some => some.join(", "),
            };
            writeln!(formatter, "device     {architecture}: {device}, {state}")?;
            writeln!(formatter, "             firmware      {firmware}")?;
            writeln!(formatter, "             capabilities  {capabilities}")?;
            for (at, (name, value)) in environment.iter().enumerate() {
                let heading = if at == 0 { "programs need" } else { "" };
                writeln!(formatter, "             {heading:<13} {name}={value}")?;
            }
        }
        match self.cards.as_deref() {
            None => writeln!(
                formatter,
                "card       unknown: this build has no driver for cards (`--features pci`)"
            )?,
            Some([]) => writeln!(formatter, "card       none found by the driver")?,
            Some(cards) => {
                for Card { device, state } in cards {
                    writeln!(formatter, "card       {device}, {state}")?;
                }
            }
        }
        match &self.compiler {
            Some(version) => {
                writeln!(formatter, "compiler   {version}")?;
                match self.builds_confined {
                    Some(true) => writeln!(
                        formatter,
                        "           confined: builds read only a kernel's files and the compiler's installation"
                    )?,
                    Some(false) => writeln!(
                        formatter,
                        "           not confined: messages that may quote other files are withheld; Landlock is missing, \
                         or the compiler needs files outside its installation"
                    )?,
                    None => {}
                }
            }
            None => writeln!(
                formatter,
                "compiler   none: prebuilt kernels run; to build new or edited ones, {}",
                Compiler::INSTALL
            )?,
        }
        write!(formatter, "{}", self.metalium)?;
        for problem in &self.problems {
            writeln!(formatter, "problem    {}", problem.text)?;
        }
        Ok(())
    }
}
