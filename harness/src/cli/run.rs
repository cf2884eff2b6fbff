//! `hallmark run`.

mod baseline;
mod display;
pub(super) mod report_file;
mod retries;
mod watch;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use hallmark_chip::Architecture;
use hallmark_execution::executor::Executor;
use hallmark_execution::interrupt;
use hallmark_pipeline::commit::Commit;
use hallmark_pipeline::golden;
use hallmark_pipeline::probe::probe;
use hallmark_pipeline::report::merge::mergeable;
use hallmark_pipeline::report::{self, EarlyEnd, RunReport, SelectedTests, StopReason};
use hallmark_pipeline::seeds::Seeds;
use hallmark_pipeline::verdict::{ExitCode, Mode, Verdict};
use hallmark_pipeline::{Settings, TestResult, WorkerSettings};
use hallmark_runtime::device_code::temporary::remove_leftovers_in;
use hallmark_suite::checks::Check;
use hallmark_suite::deviations::UnusedDeviations;
use hallmark_suite::discover::{ExcusesSeen, SelectedTest, UnusedExcuses, unused_excuses};
use hallmark_suite::name::TestName;
use hallmark_triage::first_bad;

use self::baseline::{BaselineOptions, RunBaseline};
use self::display::{Display, Verbosity};
use self::report_file::ReportFile;
use super::options::{
    ArchitectureOption, ConfiguredRoot, DeviceOption, Devices, EXECUTION, FreshOption, OUTPUT,
    ProgramOptions, ReplayDeviceOption, TimeoutOption,
};
use super::select::{Selection, tests};
use super::subset::Subset;
use super::{Failed, failed_tests, output, work};
use crate::configuration::{Configuration, JOBS};

#[derive(Clone, Debug, Args)]
pub(super) struct RunArguments {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    subset: Subset,
    #[command(flatten)]
    architectures: ArchitectureOption,
    #[command(flatten)]
    root: ConfiguredRoot,
    #[command(flatten)]
    device: DeviceOption,
    #[command(flatten)]
    replay_device: ReplayDeviceOption,
    #[command(flatten)]
    programs: ProgramOptions,
    /// Run each test under several schedule seeds: 1..50 are the fifty from 1 to 50
    #[arg(long, value_name = "FIRST..LAST", conflicts_with = "schedule_seed", help_heading = EXECUTION)]
    schedule_seeds: Option<Seeds>,
    /// Run each test in this many legal orders of its queues and NoC requests: under schedule seeds 0, 1, …
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["schedule_seed", "schedule_seeds"],
        value_parser = clap::value_parser!(u64).range(1..=100_000), help_heading = EXECUTION, hide_short_help = true)]
    schedules: Option<u64>,
    /// How many tests run at a time [default: as many as there are processors]
    #[arg(short, long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(JOBS),
        help_heading = EXECUTION)]
    jobs: Option<u16>,
    /// Stop after the first failure: begin no further test
    #[arg(long, help_heading = EXECUTION)]
    fail_fast: bool,
    /// Repeat a failed test on a card up to this many times; the report shows each repetition
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(1..=10),
        help_heading = EXECUTION, hide_short_help = true)]
    retries: Option<u8>,
    #[command(flatten)]
    timeout: TimeoutOption,
    #[command(flatten)]
    baseline: BaselineOptions,
    #[command(flatten)]
    pub(super) fresh: FreshOption,
    /// Look for the first bad command of each failed test, for at most 5 seconds each
    #[arg(long, help_heading = EXECUTION)]
    triage: bool,
    /// Wait for saved suites, kernels and headers, and run the selected tests that use them, until Ctrl-C
    #[arg(long, conflicts_with_all = ["failed", "shard"], help_heading = EXECUTION)]
    watch: bool,
    /// Fail tests whose addresses or ELFs differ between capture and replay
    #[arg(long, help_heading = EXECUTION, hide_short_help = true)]
    strict_derived: bool,
    /// Write a report: a page to *.html, JSON to *.json, JUnit to *.xml, or html=FILE, json=FILE or junit=FILE (repeatable)
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    report: Vec<ReportFile>,
    /// List this many of the slowest tests
    #[arg(long, value_name = "NUMBER", help_heading = OUTPUT, hide_short_help = true)]
    slowest: Option<usize>,
    /// Show all that kernels print (DPRINT), of each test as it ends; otherwise the last lines of failures are shown
    #[arg(long, conflicts_with = "quiet", help_heading = OUTPUT, hide_short_help = true)]
    print: bool,
    /// Show every test as it ends, and failures at full length
    #[arg(short, long, conflicts_with = "quiet", help_heading = OUTPUT)]
    verbose: bool,
    /// Show failures and nothing else
    #[arg(short, long, help_heading = OUTPUT)]
    quiet: bool,
}

pub(super) fn run(arguments: &RunArguments) -> Result<ExitCode, Failed> {
    report_file::check(&arguments.report)?;
    if arguments.watch {
        return watch::watch(arguments);
    }
    let prepared = prepare(arguments)?;
    let Prepared { settings, architectures, .. } = &prepared;
    let tests = tests(&settings.root, architectures, &arguments.selection)?;
    let tests = match arguments.subset.failed(&settings.root, tests) {
        Ok(tests) => tests,
        Err(nothing) => {
            output::say(&nothing.to_string());
            return Ok(ExitCode::SUCCESS);
        }
    };
    let everything = arguments.selection.is_everything() && arguments.subset.is_everything();
    run_tests(arguments, &prepared, tests, if everything { Ran::Everything } else { Ran::Part })
}

/// What a run needs besides its tests.
struct Prepared {
    configuration: Configuration,
    settings: Settings,
    architectures: Vec<Architecture>,
    baseline: RunBaseline,
}

/// How much of a root a run takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ran {
    /// Every test, so that what belongs to no test is known.
    Everything,
    /// Some tests.
    Part,
}

fn prepare(arguments: &RunArguments) -> Result<Prepared, Failed> {
    let mut configuration = arguments.root.configuration()?;
    let architectures = arguments.architectures.chosen(&configuration, &arguments.selection);
    let programs = arguments.programs.configured(&mut configuration)?;
    if arguments.schedule_seeds.is_some() || arguments.schedules.is_some() {
        configuration.overrule(|device| device.schedule_seed = None);
    }
    let devices = Devices {
        device: Some(&arguments.device),
        replay_device: Some(&arguments.replay_device),
        programs,
        configuration: Some(&configuration),
        timeout: arguments.timeout,
    };
    let mut settings = devices.settings(arguments.root.find()?, &architectures)?;
    settings.strict_derived = arguments.strict_derived;
    settings.read_deviations(&architectures)?;
    let baseline = arguments.baseline.read(&settings.root)?;
    Ok(Prepared { configuration, settings, architectures, baseline })
}

/// Removes the folders and files that killed runs have left. For a single test the folder of built kernels is left alone:
/// scanning its thousands of files takes as long as the test, and building a kernel scans them anyway.
fn remove_leftovers_of_killed_runs(settings: &Settings, tests: usize) {
    let folder = settings.root.folder().join("target");
    remove_leftovers_in(&folder.join("hallmark"));
    if tests > 1 {
        remove_leftovers_in(&folder.join("hallmark-kernels"));
    }
}

/// Runs tests, or the shard of them that the command line names, and reports.
fn run_tests(
    arguments: &RunArguments,
    prepared: &Prepared,
    tests: Vec<SelectedTest>,
    ran: Ran,
) -> Result<ExitCode, Failed> {
    let Prepared { configuration, settings, baseline, .. } = prepared;
    let everything = ran == Ran::Everything;
    let selected = SelectedTests {
        architectures: of_tests(&tests),
        tests: tests.len(),
        shard: arguments.subset.shard(),
    };
    let tests = arguments.subset.in_shard(tests)?;
    if arguments.retries.is_some() {
        retries::check(settings, &tests)?;
    }
    check_devices(settings, &tests)?;
    remove_leftovers_of_killed_runs(settings, tests.len());
    if selected.shard.is_some() {
        warn_of_merge(arguments, settings);
    }
    let seeds = match (arguments.schedule_seeds, arguments.schedules) {
        (Some(seeds), _) => seeds,
        (None, Some(count)) => Seeds::first(count),
        (None, None) => Seeds::one(one_seed(settings, &tests)),
    };
    let display = Display::new(arguments, tests.len(), configuration.usual_architectures());
    let jobs = jobs(arguments, configuration);
    let outcome = run_all(settings, &tests, arguments, jobs, seeds, baseline, &display)?;
    failed_tests::note(&settings.root, &outcome.results);
    let mut report = report(settings, &tests, outcome, seeds, everything, selected)?;
    report.baseline = baseline.identity();
    display.close(&report.results);
    if display.verbosity > Verbosity::Quiet {
        output::say(report::table(&report, output::width()).trim_end());
        let slowest = report::slowest(&report, arguments.slowest.unwrap_or(0));
        if !slowest.is_empty() {
            output::say(slowest.trim_end());
        }
        baseline.show(&report, display.verbosity);
    }
    if arguments.report.iter().any(ReportFile::says_commit) {
        report.commit = Commit::of(settings.root.folder());
    }
    for file in &arguments.report {
        file.write(&report)?;
    }
    baseline.write(&report)?;
    if everything
        && report.early_end.is_none()
        && let Some(mistakes) = unused_deviations(settings, &report)
    {
        return Err(mistakes.into());
    }
    if everything
        && report.early_end.is_none()
        && let Some(mistakes) = excuses_without_use(settings, &tests, &report)
    {
        return Err(mistakes.into());
    }
    Ok(report.exit_code())
}

/// The schedule seed of tests that run under one: that of their devices, if these agree.
fn one_seed(settings: &Settings, tests: &[SelectedTest]) -> u64 {
    let of_device = |architecture| settings.workers.executor(architecture).programs.schedule_seed;
    let seeds: BTreeSet<u64> = of_tests(tests).into_iter().map(of_device).collect();
    match (seeds.first(), seeds.len()) {
        (Some(seed), 1) => *seed,
        _ => settings.workers.programs.schedule_seed,
    }
}

/// How many tests run at a time.
fn jobs(arguments: &RunArguments, configuration: &Configuration) -> usize {
    let of_file = || configuration.jobs.as_ref().map(|it| it.value);
    arguments.jobs.or_else(of_file).map_or_else(work::processors, usize::from)
}

/// Warns before a shard runs whose report no merge accepts.
fn warn_of_merge(arguments: &RunArguments, settings: &Settings) {
    let mut files = arguments.report.iter().filter(|file| file.can_be_merged());
    if let Some(file) = files.next()
        && let Err(refusal) =
            mergeable(&file.to_string(), Commit::of(settings.root.folder()).as_ref())
    {
        output::warn(&format!("`hallmark report merge` will refuse this shard: {refusal}"));
    }
}

/// The excuses that excuse nothing in any test, as far as the built-in simulator ran them: other devices lack checks.
fn excuses_without_use(
    settings: &Settings,
    tests: &[SelectedTest],
    report: &RunReport,
) -> Option<UnusedExcuses> {
    let simulated = |test: &&SelectedTest| {
        settings.workers.test_executors(test.name.architecture).capture.always_opens()
    };
    let by_name: BTreeMap<&TestName, &SelectedTest> =
        tests.iter().filter(simulated).map(|test| (&test.name, test)).collect();
    let ran = report.results.iter().filter(|it| !matches!(it.verdict, Verdict::Skipped { .. }));
    let seen = |result: &TestResult| match result.excused {
        Some(check) => ExcusesSeen::One(check),
        None if result.verdict == Verdict::Pass => ExcusesSeen::None,
        None => ExcusesSeen::Unknown,
    };
    let ran = ran.filter_map(|it| Some((*by_name.get(&it.name)?, seen(it))));
    unused_excuses(ran).filter(|_| Check::ExcuseUsed.finds(true))
}

/// The entries of the list of deviations that no test shows.
fn unused_deviations(settings: &Settings, report: &RunReport) -> Option<UnusedDeviations> {
    let of_results = || report.results.iter().map(|result| &result.sightings);
    let needed: BTreeSet<_> = of_results().flat_map(|sightings| &sightings.needed).collect();
    let unused = of_results().flat_map(|sightings| &sightings.unused);
    let unused = unused.filter(|key| !needed.contains(key)).cloned().collect();
    settings.deviations.unused(&unused)
}

/// Reports a missing device or unusable firmware once, not for every test. The built-in simulator with its
/// built-in firmware always opens.
fn check_devices(settings: &Settings, tests: &[SelectedTest]) -> Result<(), Failed> {
    let architectures: BTreeSet<Architecture> =
        tests.iter().map(|test| test.name.architecture).collect();
    for architecture in architectures {
        let other = settings.workers.test_executors(architecture).other_replay().cloned();
        for executor in [Some(settings.workers.executor(architecture)), other].into_iter().flatten()
        {
            check_executor(&settings.workers, &executor, architecture)?;
        }
    }
    Ok(())
}

/// Opens an executor's device once, unless it always opens.
pub(super) fn check_executor(
    workers: &WorkerSettings,
    executor: &Executor,
    architecture: Architecture,
) -> Result<(), Failed> {
    if executor.always_opens() {
        return Ok(());
    }
    probe(workers, executor).map_err(|problem| {
        Failed::new(
            ExitCode::DEVICE,
            format!("{architecture} cannot be tested on {executor}: {problem}"),
        )
    })
}

/// The architectures of the tests, ascending.
fn of_tests(tests: &[SelectedTest]) -> Vec<Architecture> {
    let architectures: BTreeSet<Architecture> =
        tests.iter().map(|test| test.name.architecture).collect();
    architectures.into_iter().collect()
}

struct Outcome {
    results: Vec<TestResult>,
    /// The results of tests before their retries.
    earlier_runs: BTreeMap<TestName, Vec<TestResult>>,
    elapsed: Vec<(Architecture, Duration)>,
    /// A test did not pass and the run stops at the first failure.
    fails_fast: bool,
}

/// Runs tests on several threads, and shows their results.
fn run_all(
    settings: &Settings,
    tests: &[SelectedTest],
    arguments: &RunArguments,
    jobs: usize,
    seeds: Seeds,
    baseline: &RunBaseline,
    display: &Display,
) -> Result<Outcome, Failed> {
    let begin = Instant::now();
    let failed = AtomicBool::new(false);
    let triage = arguments.triage.then_some(first_bad::BUDGET);
    let fails_fast = || arguments.fail_fast && failed.load(Ordering::Relaxed);
    let is_over = || interrupt::requested() || fails_fast();
    let finished = work::each_until(tests, jobs, is_over, |test| {
        display.begin(test);
        let (result, earlier) =
            retries::run(settings, test, seeds, arguments.retries.unwrap_or(0), triage, baseline)?;
        if !result.verdict.is_success(Mode::Ordinary) && result.verdict != Verdict::Interrupted {
            failed.store(true, Ordering::Relaxed);
        }
        display.end(test, &result, &earlier);
        Ok((result, earlier, begin.elapsed()))
    });
    let finished = finished.inspect_err(|_| display.close(&[]))?;
    let mut elapsed: Vec<(Architecture, Duration)> = Vec::new();
    let mut before = Duration::ZERO;
    for architecture in Architecture::ALL {
        let last = finished
            .iter()
            .filter(|(result, ..)| result.name.architecture == architecture)
            .map(|(.., at)| *at)
            .max();
        if let Some(last) = last {
            elapsed.push((architecture, last.saturating_sub(before)));
            before = last;
        }
    }
    let mut outcome = Outcome {
        results: Vec::new(),
        earlier_runs: BTreeMap::new(),
        elapsed,
        fails_fast: fails_fast(),
    };
    for (result, earlier, _) in finished {
        if !earlier.is_empty() {
            outcome.earlier_runs.insert(result.name.clone(), earlier);
        }
        outcome.results.push(result);
    }
    Ok(outcome)
}

fn report(
    settings: &Settings,
    tests: &[SelectedTest],
    outcome: Outcome,
    seeds: Seeds,
    everything: bool,
    selected: SelectedTests,
) -> Result<RunReport, Failed> {
    let architectures = of_tests(tests);
    let unused_goldens =
        if everything { unused_goldens(settings, &architectures)? } else { Vec::new() };
    let early_end = early_end(&outcome, tests);
    Ok(RunReport {
        commit: None,
        selected,
        missing_shards: Vec::new(),
        results: outcome.results,
        earlier_runs: outcome.earlier_runs,
        devices: architectures
            .iter()
            .map(|&architecture| {
                (architecture, settings.workers.executor(architecture).short_name())
            })
            .collect(),
        replay_devices: architectures
            .iter()
            .filter_map(|&architecture| {
                let executor =
                    settings.workers.test_executors(architecture).other_replay().cloned()?;
                Some((architecture, executor.short_name()))
            })
            .collect(),
        dispatch: architectures
            .iter()
            .map(|&architecture| {
                (architecture, settings.workers.executor(architecture).programs.dispatch)
            })
            .collect(),
        without_goldens: architectures
            .iter()
            .copied()
            .filter(|&architecture| settings.workers.test_executors(architecture).is_harvested())
            .collect(),
        elapsed: outcome.elapsed,
        baseline: None,
        seeds,
        unused_goldens,
        early_end,
    })
}

/// The reason for an early end, and the tests without a result; `None` if the run was complete.
fn early_end(outcome: &Outcome, tests: &[SelectedTest]) -> Option<EarlyEnd> {
    let ran: BTreeSet<&TestName> = outcome.results.iter().map(|result| &result.name).collect();
    let names = tests.iter().map(|test| &test.name);
    let did_not_run: Vec<TestName> = names.filter(|name| !ran.contains(name)).cloned().collect();
    let reason = match interrupt::signal() {
        Some(signal) => StopReason::Signal(signal),
        // A failure of the last test stops nothing.
        None if outcome.fails_fast && !did_not_run.is_empty() => StopReason::FirstFailure,
        None => return None,
    };
    Some(EarlyEnd { reason, did_not_run })
}

/// Goldens of the selected architectures that belong to no test.
pub(super) fn unused_goldens(
    settings: &Settings,
    architectures: &[Architecture],
) -> Result<Vec<String>, Failed> {
    let suites = settings.root.load_all()?;
    let names: Vec<TestName> =
        suites.iter().flat_map(|suite| suite.tests(architectures)).map(|test| test.name).collect();
    let files = golden::files(&settings.root).map_err(|error| {
        Failed::new(ExitCode::GOLDEN_ABSENT, format!("goldens cannot be read: {error}"))
    })?;
    let prefixes: Vec<String> =
        architectures.iter().map(|architecture| format!("goldens/{architecture}/")).collect();
    Ok(golden::unused(&files, names.iter())
        .into_iter()
        .filter(|path| prefixes.iter().any(|prefix| path.starts_with(prefix.as_str())))
        .map(str::to_owned)
        .collect())
}
