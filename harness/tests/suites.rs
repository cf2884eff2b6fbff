//! Every test of the suites under `cargo nextest run` and `cargo test`.
//!
//! The workers are this same executable. One test asked for by its exact name reads only its own suite
//! file: listing anew in each of nextest's processes would cost the square of the number of tests.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use hallmark::devices::{Devices, Purpose};
use hallmark::pipeline::{Settings, WorkerSettings, run_test};
use hallmark::report::failure;
use hallmark::suite::discover::{Root, SelectedTest, known_architectures};
use hallmark::verdict::{Mode, Verdict};
use hallmark::worker::process::WorkerProgram;
use hallmark_chip::{Architecture, HarvestingMask};
use hallmark_runtime::DeviceSpec;
use hallmark_runtime::devices::SimulatedChip;
use hallmark_schema::model::DispatchMode;
use libtest_mimic::{Arguments, Failed, Trial};

type Error = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    if let Some(code) = hallmark::worker::run_if_worker() {
        return code;
    }
    match run() {
        Ok(code) => code,
        Err(error) => {
            // stdout holds nothing but the list.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The nearest root above the current folder, the workspace of nextest, or the package.
fn root() -> Result<Root, Error> {
    if let Some(folder) = std::env::var_os("HALLMARK_ROOT") {
        return Ok(Root::at(Path::new(&folder))?);
    }
    let current = std::env::current_dir()?;
    // An archive is unpacked elsewhere: its workspace is known only at run time.
    for variable in ["NEXTEST_WORKSPACE_ROOT", "CARGO_MANIFEST_DIR"] {
        if let Some(folder) = std::env::var_os(variable)
            && let Ok(root) = Root::above(Path::new(&folder))
        {
            return Ok(root);
        }
    }
    Ok(Root::above(&current)?)
}

fn settings() -> Result<Settings, Error> {
    let root = root()?;
    Ok(Settings {
        kernels: Settings::kernel_store(&root),
        root,
        workers: WorkerSettings {
            devices: Devices::choose(&[], &known_architectures(), Purpose::Capture)?,
            replay_devices: Devices::choose(&[], &known_architectures(), Purpose::Replay)?,
            firmware: std::env::var_os("HALLMARK_FIRMWARE").map(std::path::absolute).transpose()?,
            schedule_seed: 0,
            dispatch: dispatch()?,
            worker: WorkerProgram::current()?,
        },
        strict_derived: false,
    })
}

/// As the flag of the command.
fn dispatch() -> Result<DispatchMode, Error> {
    match std::env::var("HALLMARK_DISPATCH").as_deref() {
        Ok("device") => Ok(DispatchMode::Device),
        Ok("host") | Err(_) => Ok(DispatchMode::Host),
        Ok(other) => Err(format!("HALLMARK_DISPATCH is `{other}`, not host or device").into()),
    }
}

fn run() -> Result<ExitCode, Error> {
    let arguments = Arguments::from_args();
    hallmark::interrupt::install()?;
    let settings = Arc::new(settings()?);
    let exact = exact(&arguments);
    if exact.as_ref().is_some_and(|name| name.starts_with(SAMPLES)) {
        return Ok(libtest_mimic::run(&arguments, samples(&settings)).exit_code());
    }
    let exact_is_none = exact.is_none();
    let tests = match exact {
        Some(name) => match name.parse() {
            Ok(name) => vec![settings.root.test(&name)?],
            // Some other name: nothing of it is here, and libtest's answer to that is success.
            Err(_) => Vec::new(),
        },
        None => all(&settings)?,
    };
    let mut trials: Vec<Trial> = tests.into_iter().map(|test| trial(&settings, test)).collect();
    if exact_is_none {
        trials.extend(samples(&settings));
    }
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}

/// The only test asked for, if it is one by its whole name.
fn exact(arguments: &Arguments) -> Option<String> {
    if arguments.list {
        return None;
    }
    match (&arguments.filter, arguments.exact) {
        (Some(name), true) => Some(name.clone()),
        _ => None,
    }
}

/// Begins the names of tests that run a sample of all tests in another way.
const SAMPLES: &str = "sample::";
/// Schedule seeds of the sample; all others run under 0, and `scripts/nightly` takes fifty.
const SAMPLED_SEEDS: std::ops::RangeInclusive<u64> = 1..=4;
/// Harvested chips of the sample: the two rows of a Wormhole that the ISA documentation takes for its example,
/// the first and last row, two columns of which one is on the other side of the die.
const SAMPLED_CHIPS: [(Architecture, u32); 3] = [
    (Architecture::Grayskull, 0x201),
    (Architecture::WormholeB0, 0x120),
    (Architecture::Blackhole, 0x81),
];
/// Tests of each architecture in each of these ways.
const SAMPLED_TESTS: usize = 16;

/// For each architecture and way a test that runs some of all tests so: under other schedule seeds, with
/// the other dispatch mode, of which `hallmark run --dispatch device` takes all, and on harvested chips, of
/// which `hallmark run --device sim:ARCHITECTURE:harvested=MASK` does. Each takes others.
fn samples(settings: &Arc<Settings>) -> Vec<Trial> {
    let mut trials = Vec::new();
    for architecture in known_architectures() {
        for seed in SAMPLED_SEEDS {
            let mut settings = Settings::clone(settings);
            settings.workers.schedule_seed = seed;
            trials.push(sample(settings, architecture, &format!("seed={seed}"), seed as usize));
        }
        let mut settings = Settings::clone(settings);
        let (other, name) = match settings.workers.dispatch {
            DispatchMode::Host => (DispatchMode::Device, "device"),
            DispatchMode::Device => (DispatchMode::Host, "host"),
        };
        settings.workers.dispatch = other;
        trials.push(sample(settings, architecture, &format!("dispatch={name}"), 0));
    }
    for (first, (architecture, mask)) in (5..).zip(SAMPLED_CHIPS) {
        let mut settings = Settings::clone(settings);
        let chip = SimulatedChip { architecture, harvesting: HarvestingMask(mask) };
        settings.workers.devices = Devices::only(DeviceSpec::Simulator(chip), architecture);
        settings.workers.replay_devices = Devices::default();
        trials.push(sample(settings, architecture, &format!("harvested={mask:#x}"), first));
    }
    trials
}

fn sample(settings: Settings, architecture: Architecture, way: &str, first: usize) -> Trial {
    Trial::test(format!("{SAMPLES}{architecture}::{way}"), move || {
        let tests: Vec<SelectedTest> = all(&settings)
            .map_err(|error| Failed::from(error.to_string()))?
            .into_iter()
            .filter(|test| test.name.architecture == architecture)
            .filter(|test| settings.workers.skip_reason(test).is_none())
            .collect();
        let step = tests.len().div_ceil(SAMPLED_TESTS).max(1);
        for test in tests.iter().skip(first % step).step_by(step) {
            let result = run_test(&settings, test)?;
            if !result.verdict.is_success(Mode::Ordinary) {
                return Err(Failed::from(failure(&result)));
            }
        }
        Ok(())
    })
}

fn all(settings: &Settings) -> Result<Vec<SelectedTest>, Error> {
    let architectures = known_architectures();
    let suites = settings.root.load_all()?;
    Ok(suites.iter().flat_map(|suite| suite.tests(&architectures)).collect())
}

fn trial(settings: &Arc<Settings>, test: SelectedTest) -> Trial {
    // Decided here: a test that finds out later that it does not apply would count as passed.
    let skipped = settings.workers.skip_reason(&test).is_some();
    let name = test.name.to_string();
    let settings = Arc::clone(settings);
    Trial::test(name, move || {
        let result = run_test(&settings, &test)?;
        match &result.verdict {
            Verdict::Skipped { reason } => Err(Failed::from(format!("skipped: {reason}"))),
            verdict if verdict.is_success(Mode::Ordinary) => Ok(()),
            _ => Err(Failed::from(failure(&result))),
        }
    })
    .with_ignored_flag(skipped)
}
