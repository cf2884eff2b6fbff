//! Every test of the suites under `cargo nextest run` and `cargo test`.
//!
//! The workers are this same executable. One test asked for by its exact name reads only its own suite
//! file: listing anew in each of nextest's processes would cost the square of the number of tests.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use hallmark::slots::{Slot, Slots};
use hallmark_chip::{Architecture, HarvestingMask};
use hallmark_execution::executor::{Dispatch, ExecutorChoice, Executors, ProgramSettings, Purpose};
use hallmark_execution::worker::process::WorkerProgram;
use hallmark_execution::worker::zygote;
use hallmark_pipeline::report::failure;
use hallmark_pipeline::verdict::{Mode, Verdict};
use hallmark_pipeline::{Notices, Settings, WorkerSettings, run_test};
use hallmark_runtime::DeviceSpec;
use hallmark_runtime::device_code::temporary::remove_leftovers;
use hallmark_runtime::devices::SimulatedChip;
use hallmark_runtime::devices::pci::cards;
use hallmark_suite::discover::{Root, SelectedTest, known_architectures};
use hallmark_triage::first_bad::{BUDGET, looked_for};
use libtest_mimic::{Arguments, Failed, Trial};

type Error = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    if let Some(code) = hallmark_execution::worker::run_if_worker() {
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
    let mut settings = Settings {
        kernels: Settings::kernel_store(&root),
        root,
        workers: WorkerSettings {
            executors: Executors::choose(&[], &known_architectures(), Purpose::Capture)?,
            replay_executors: Executors::choose(&[], &known_architectures(), Purpose::Replay)?,
            programs: ProgramSettings {
                firmware: std::env::var_os("HALLMARK_FIRMWARE")
                    .map(std::path::absolute)
                    .transpose()?,
                dispatch: dispatch()?,
                ..ProgramSettings::default()
            },
            worker: WorkerProgram::current()?,
            least_timeout: std::time::Duration::ZERO,
            notices: Notices::to(notice),
        },
        strict_derived: false,
        deviations: Arc::default(),
    };
    settings.read_deviations(&known_architectures())?;
    Ok(settings)
}

/// A line beside the results of tests.
#[expect(clippy::print_stderr, reason = "this is a command")]
fn notice(line: &str) {
    eprintln!("{line}");
}

/// As the flag of the command.
fn dispatch() -> Result<Dispatch, Error> {
    let Ok(name) = std::env::var("HALLMARK_DISPATCH") else { return Ok(Dispatch::Host) };
    Dispatch::named(&name)
        .ok_or_else(|| format!("HALLMARK_DISPATCH is `{name}`, not host, device or overlap").into())
}

fn run() -> Result<ExitCode, Error> {
    let arguments = Arguments::from_args();
    // In the zygote and in each worker, it returns the code with which that process ends.
    if exact(&arguments).is_some()
        && !is_fresh()
        && let Some(code) = zygote::start()
    {
        return Ok(code);
    }
    let code = run_tests(arguments);
    zygote::end();
    code
}

fn run_tests(mut arguments: Arguments) -> Result<ExitCode, Error> {
    hallmark_execution::interrupt::install()?;
    let mut settings = settings()?;
    let slots = Slots::of_environment()?;
    let Some(exact) = exact(&arguments) else {
        // Of processes that were killed; once a run.
        remove_leftovers();
        // Once a run: the process of a test knows its card by its name.
        slots.check(cards().as_deref())?;
        let mut places: BTreeMap<Architecture, usize> = BTreeMap::new();
        let mut trials = Vec::new();
        for test in all(&settings)? {
            let place = places.entry(test.name.architecture).or_default();
            let slot = slots.slot(test.name.architecture, *place);
            *place += 1;
            trials.push((slot, test));
        }
        let settings = Arc::new(settings);
        let mut trials: Vec<Trial> =
            trials.into_iter().map(|(slot, test)| trial(&settings, slot, test)).collect();
        trials.extend(samples(&settings, &slots));
        return Ok(libtest_mimic::run(&arguments, trials).exit_code());
    };
    // One test needs no thread, with a heap of its own, beside the first.
    arguments.test_threads = Some(1);
    let (slot, name) = slots.split(&exact);
    if let Some((architecture, slot)) = slot {
        settings.workers.executors = Executors::only(slot.executor.clone(), architecture);
    }
    let settings = Arc::new(settings);
    if name.starts_with(SAMPLES) {
        return Ok(libtest_mimic::run(&arguments, samples(&settings, &slots)).exit_code());
    }
    let trials = match name.parse() {
        Ok(name) => {
            vec![trial(&settings, slot.map(|(_, slot)| slot), settings.root.test_alone(&name)?)]
        }
        // Some other name: nothing of it is here, and libtest's answer to that is success.
        Err(_) => Vec::new(),
    };
    Ok(libtest_mimic::run(&arguments, trials).exit_code())
}

/// What a test is listed as: on a card, its name begins with that.
fn listed(slot: Option<&Slot>, name: &impl std::fmt::Display) -> String {
    slot.map_or_else(|| name.to_string(), |slot| format!("{}::{name}", slot.name))
}

/// Whether HALLMARK_FRESH is set. The command's flag takes the same words for no.
fn is_fresh() -> bool {
    let value = std::env::var("HALLMARK_FRESH").unwrap_or_default().to_lowercase();
    !["", "n", "no", "f", "false", "off", "0"].contains(&value.as_str())
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
fn samples(settings: &Arc<Settings>, slots: &Slots) -> Vec<Trial> {
    let mut trials = Vec::new();
    for architecture in known_architectures() {
        let slot = slots.slot(architecture, 0);
        for seed in SAMPLED_SEEDS {
            let mut settings = Settings::clone(settings);
            settings.workers.programs.schedule_seed = seed;
            let way = format!("seed={seed}");
            trials.push(sample(settings, slot, architecture, &way, seed as usize));
        }
        let mut settings = Settings::clone(settings);
        let other = match settings.workers.programs.dispatch {
            Dispatch::Host => Dispatch::Device,
            Dispatch::Device | Dispatch::Overlap => Dispatch::Host,
        };
        settings.workers.programs.dispatch = other;
        trials.push(sample(settings, slot, architecture, &format!("dispatch={other}"), 0));
    }
    for (first, (architecture, mask)) in (5..).zip(SAMPLED_CHIPS) {
        let mut settings = Settings::clone(settings);
        let chip = SimulatedChip { architecture, harvesting: HarvestingMask(mask) };
        let choice = ExecutorChoice::from(DeviceSpec::Simulator(chip));
        settings.workers.executors = Executors::only(choice, architecture);
        settings.workers.replay_executors = Executors::default();
        trials.push(sample(settings, None, architecture, &format!("harvested={mask:#x}"), first));
    }
    trials
}

fn sample(
    settings: Settings,
    slot: Option<&Slot>,
    architecture: Architecture,
    way: &str,
    first: usize,
) -> Trial {
    let name = listed(slot, &format!("{SAMPLES}{architecture}::{way}"));
    Trial::test(name, move || {
        let tests: Vec<SelectedTest> = all(&settings)
            .map_err(|error| Failed::from(error.to_string()))?
            .into_iter()
            .filter(|test| test.name.architecture == architecture)
            .filter(|test| {
                settings.workers.test_executors(test.name.architecture).skip_reason(test).is_none()
            })
            .collect();
        let step = tests.len().div_ceil(SAMPLED_TESTS).max(1);
        for test in tests.iter().skip(first % step).step_by(step) {
            let result = looked_for(&settings, run_test(&settings, test)?, Some(BUDGET));
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

fn trial(settings: &Arc<Settings>, slot: Option<&Slot>, test: SelectedTest) -> Trial {
    // Decided here: a test that finds out later that it does not apply would count as passed.
    let skipped =
        settings.workers.test_executors(test.name.architecture).skip_reason(&test).is_some();
    let name = listed(slot, &test.name);
    let settings = Arc::clone(settings);
    Trial::test(name, move || {
        let result = looked_for(&settings, run_test(&settings, &test)?, Some(BUDGET));
        match &result.verdict {
            Verdict::Skipped { reason } => Err(Failed::from(format!("skipped: {reason}"))),
            verdict if verdict.is_success(Mode::Ordinary) => Ok(()),
            _ => Err(Failed::from(failure(&result))),
        }
    })
    .with_ignored_flag(skipped)
}
