//! `hallmark doctor`.

use clap::Args;
use hallmark_chip::Architecture;
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_runtime::devices::pci;
use hallmark_runtime::{DeviceSettings, DeviceSpec, open_device};
use hallmark_schema::plural::{counted, grouped};

use super::{Common, Failed, output};
use crate::golden;
use crate::suite::discover::known_architectures;
use crate::suite::read::Choice as _;
use crate::verdict::ExitCode;

#[derive(Clone, Debug, Args)]
pub(super) struct DoctorArguments {
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(arguments: &DoctorArguments) -> Result<ExitCode, Failed> {
    let common = &arguments.common;
    let mut codes = Vec::new();
    output::say(&format!(
        "hallmark {}, capture format {}",
        env!("CARGO_PKG_VERSION"),
        hallmark_schema::VERSION
    ));
    let settings = match common.settings() {
        Ok(settings) => settings,
        Err(failed) => {
            output::say(&format!("root       missing: {}", failed.text));
            return Ok(failed.code);
        }
    };
    let root = &settings.root;
    output::say(&format!("root       {}", root.folder().display()));
    let architectures = known_architectures();
    match root.load_all() {
        Ok(suites) => {
            let wrong: Vec<_> =
                suites.iter().filter_map(|suite| suite.check(&architectures).err()).collect();
            for mistakes in &wrong {
                codes.push(ExitCode::SUITE);
                output::say(&mistakes.to_string());
            }
            let tests: Vec<_> =
                suites.iter().flat_map(|suite| suite.tests(&architectures)).collect();
            output::say(&format!(
                "suites     {}, {}",
                counted(suites.len(), "suite", "suites"),
                counted(tests.len(), "test", "tests")
            ));
            goldens(root, &tests, &mut codes);
        }
        Err(mistakes) => {
            codes.push(ExitCode::SUITE);
            output::say(&mistakes.to_string());
        }
    }
    for architecture in architectures {
        let executor = settings.workers.executor(architecture);
        let bundle = match &executor.programs.firmware {
            Some(folder) => FirmwareBundle::load(folder, architecture),
            None => FirmwareBundle::builtin(architecture),
        };
        match bundle {
            Ok(bundle) => output::say(&format!(
                "firmware   {architecture}: {} ({})",
                bundle.manifest().name,
                bundle.hash().short()
            )),
            Err(error) => {
                codes.push(ExitCode::DEVICE);
                output::say(&format!("firmware   {architecture}: {error}"));
            }
        }
        let device = executor.device;
        output::say(&format!(
            "device     {architecture}: {device}, {}",
            state(&device, &mut codes)
        ));
        let has: Vec<&str> =
            crate::devices::capabilities(&device).iter().map(|it| it.name()).collect();
        output::say(&format!(
            "           it {}",
            if has.is_empty() {
                "claims nothing".to_owned()
            } else {
                format!("has {}", has.join(", "))
            }
        ));
    }
    cards();
    match settings.kernels.compiler() {
        Some(compiler) => output::say(&format!("compiler   {}", compiler.version())),
        None => output::say(
            "compiler   none: prebuilt kernels run, a new or edited one cannot be built",
        ),
    }
    Ok(ExitCode::first(codes))
}

fn state(device: &DeviceSpec, codes: &mut Vec<ExitCode>) -> String {
    match device {
        DeviceSpec::Simulator(_) | DeviceSpec::SimulatedCard(_) | DeviceSpec::Misbehaving(_) => {
            match open_device(device, DeviceSettings::default()) {
                Ok(_) => "opens".to_owned(),
                Err(error) => {
                    codes.push(ExitCode::DEVICE);
                    error.to_string()
                }
            }
        }
        // Such a library may end its process, so only a worker loads it.
        DeviceSpec::Ttsim(path) if path.is_file() => "the library is there".to_owned(),
        DeviceSpec::Ttsim(_) => {
            codes.push(ExitCode::DEVICE);
            "the library is not there".to_owned()
        }
        // Opening it would take it from whoever uses it.
        DeviceSpec::Pci(number) => match pci::cards() {
            None => {
                codes.push(ExitCode::DEVICE);
                "no driver for cards is built in; build with `--features pci`".to_owned()
            }
            Some(cards) => match cards.iter().find(|card| card.number == *number) {
                None => {
                    codes.push(ExitCode::DEVICE);
                    "the driver has found no such card".to_owned()
                }
                Some(card) => {
                    if card.card.is_err() || !card.users.is_empty() {
                        codes.push(ExitCode::DEVICE);
                    }
                    card_line(card)
                }
            },
        },
    }
}

/// The cards that the driver has found.
fn cards() {
    let lines: Vec<String> = match pci::cards() {
        None => {
            vec!["not looked for: this build has no driver for cards (`--features pci`)".to_owned()]
        }
        Some(cards) if cards.is_empty() => vec!["none: the driver has found none".to_owned()],
        Some(cards) => {
            cards.iter().map(|card| format!("pci:{}, {}", card.number, card_line(card))).collect()
        }
    };
    for line in lines {
        output::say(&format!("card       {line}"));
    }
}

/// What a card is and who uses it.
fn card_line(card: &pci::ListedCard) -> String {
    let users = || {
        let users: Vec<String> = card.users.iter().map(u32::to_string).collect();
        match users.as_slice() {
            [] => "free".to_owned(),
            [one] => format!("in use by process {one}"),
            many => format!("in use by processes {}", many.join(", ")),
        }
    };
    match &card.card {
        Err(reason) => format!("cannot be asked: {reason}"),
        Ok(info) => {
            let chip = match Architecture::from_pci_id(info.pci_id) {
                Some(architecture) => architecture.name().to_owned(),
                None => format!("an unknown chip, PCI id {:#010x}", info.pci_id),
            };
            let (major, minor, patch) = info.driver;
            format!("{chip} at {}, tt-kmd {major}.{minor}.{patch}, {}", info.address, users())
        }
    }
}

fn goldens(
    root: &crate::suite::discover::Root,
    tests: &[crate::suite::discover::SelectedTest],
    codes: &mut Vec<ExitCode>,
) {
    let files = match golden::files(root) {
        Ok(files) => files,
        Err(error) => {
            codes.push(ExitCode::CAPTURE);
            output::say(&format!("goldens    cannot be read: {error}"));
            return;
        }
    };
    let size: u64 = files.iter().map(|file| file.size).sum();
    let missing = tests.iter().filter(|test| !golden::path(root, &test.name).is_file()).count();
    let unused = golden::unused(&files, tests.iter().map(|test| &test.name));
    output::say(&format!(
        "goldens    {}, {} KiB; {} missing, {} of no test",
        counted(files.len(), "file", "files"),
        size.div_ceil(1024),
        grouped(missing),
        grouped(unused.len())
    ));
    if missing > 0 {
        codes.push(ExitCode::GOLDEN_ABSENT);
    }
    for path in unused {
        codes.push(ExitCode::NOT_PASSED);
        output::say(&format!("           of no test: {path}"));
    }
}
