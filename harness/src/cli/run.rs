//! `hallmark run`.

use std::collections::BTreeSet;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use hallmark_chip::Architecture;
use hallmark_runtime::device_code::temporary::remove_leftovers_in;
use hallmark_schema::plural::counted;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::select::{Selection, tests};
use super::shard::Shard;
use super::{Common, Failed, failed_tests, output, work};
use crate::executor::Executor;
use crate::pipeline::probe::probe;
use crate::pipeline::seeds::{Seeds, run_test_under};
use crate::pipeline::{Settings, TestResult, WorkerSettings};
use crate::report::{self, BrokenKernels, EarlyEnd, RunReport, StopReason};
use crate::suite::discover::SelectedTest;
use crate::suite::name::TestName;
use crate::verdict::{ExitCode, Mode, Verdict};
use crate::{golden, interrupt, whole_file};

#[derive(Clone, Debug, Args)]
pub(super) struct RunArguments {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    common: Common,
    /// Only tests that did not pass when they last ran here
    #[arg(long)]
    failed: bool,
    /// Only a part of the tests: 2/5 is the second of five parts, which together are all
    #[arg(long, value_name = "NUMBER/TOTAL")]
    shard: Option<Shard>,
    /// Each test under several schedule seeds: 1..50 are the fifty from 1 to 50
    #[arg(long, value_name = "FIRST..LAST", conflicts_with = "schedule_seed")]
    schedule_seeds: Option<Seeds>,
    /// Each test in so many legal orders of its queues and NoC requests: under the schedule seeds from 0
    /// on. `--schedule-seed K` repeats the one numbered K
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["schedule_seed", "schedule_seeds"],
        value_parser = clap::value_parser!(u64).range(1..=100_000))]
    schedules: Option<u64>,
    /// Tests at a time; as many as there are processors otherwise
    #[arg(short, long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Also write a report: JSON for *.json, JUnit for *.xml
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ReportForm {
    Json,
    Junit,
}

fn report_form(path: &Path) -> Result<ReportForm, Failed> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => Ok(ReportForm::Json),
        Some("xml") => Ok(ReportForm::Junit),
        _ => Err(Failed::new(
            ExitCode::USAGE,
            format!("{}: a report is *.json or *.xml (JUnit)", path.display()),
        )),
    }
}

pub(super) fn run(arguments: &RunArguments) -> Result<ExitCode, Failed> {
    let form = arguments.report.as_deref().map(report_form).transpose()?;
    let settings = arguments.common.settings()?;
    let architectures = arguments.common.architectures()?;
    let mut tests = tests(&settings.root, &architectures, &arguments.selection)?;
    if arguments.failed {
        tests = failed_tests::only(&settings.root, tests)?;
    }
    if let Some(shard) = arguments.shard {
        let total = tests.len();
        tests = shard.of(tests);
        if tests.is_empty() {
            let total = counted(total, "test", "tests");
            let text = format!("shard {shard} of {total} is empty; share them among fewer");
            return Err(Failed::new(ExitCode::NOTHING_SELECTED, text));
        }
    }
    check_devices(&settings, &tests)?;
    // Of runs that were killed.
    for folder in ["target/hallmark", "target/hallmark-kernels"] {
        remove_leftovers_in(&settings.root.folder().join(folder));
    }
    let jobs = arguments.jobs.map_or_else(work::processors, usize::from);
    let seeds = match (arguments.schedule_seeds, arguments.schedules) {
        (Some(seeds), _) => seeds,
        (None, Some(count)) => Seeds::first(count),
        (None, None) => Seeds::one(settings.workers.programs.schedule_seed),
    };
    let outcome = run_all(&settings, &tests, jobs, seeds)?;
    failed_tests::note(&settings.root, &outcome.results);
    let report = report(&settings, &tests, outcome, seeds, is_everything(arguments))?;
    output::say_raw(&report::table(&report));
    if let (Some(path), Some(form)) = (&arguments.report, form) {
        let text = match form {
            ReportForm::Json => report::json(&report),
            ReportForm::Junit => {
                report::junit(&report).map_err(|error| Failed::new(ExitCode::INTERNAL, error))?
            }
        };
        whole_file::write(path, text.as_bytes()).map_err(|error| {
            Failed::new(
                ExitCode::INTERNAL,
                format!("{} cannot be written: {error}", path.display()),
            )
        })?;
    }
    if report.early_end.is_some() {
        return Ok(ExitCode::INTERRUPTED);
    }
    let mut codes: Vec<ExitCode> = report.results.iter().map(|result| result.exit_code).collect();
    if !report.unused_goldens.is_empty() {
        codes.push(ExitCode::NOT_PASSED);
    }
    Ok(ExitCode::first(codes))
}

/// A device that is not there, or firmware that cannot be used, is said once and not for every test.
/// The built-in simulator with its built-in firmware always opens.
fn check_devices(settings: &Settings, tests: &[SelectedTest]) -> Result<(), Failed> {
    let architectures: BTreeSet<Architecture> =
        tests.iter().map(|test| test.name.architecture).collect();
    for architecture in architectures {
        let other = settings.workers.other_replay_executor(architecture);
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

fn is_everything(arguments: &RunArguments) -> bool {
    let selection = &arguments.selection;
    let whole =
        selection.exact.is_none() && selection.what.is_empty() && selection.filter.is_empty();
    whole && !arguments.failed && arguments.shard.is_none()
}

struct Outcome {
    results: Vec<TestResult>,
    elapsed: Vec<(Architecture, Duration)>,
}

/// Runs tests on some threads, showing failures as they come.
fn run_all(
    settings: &Settings,
    tests: &[SelectedTest],
    jobs: usize,
    seeds: Seeds,
) -> Result<Outcome, Failed> {
    let progress = progress(tests.len());
    let broken_kernels = BrokenKernels::default();
    let begin = Instant::now();
    let finished = work::each(tests, jobs, |test| {
        progress.set_message(test.name.to_string());
        let result = run_test_under(settings, test, seeds)
            .map_err(|mistakes| Failed::new(ExitCode::SUITE, mistakes))?;
        // What a compiler says is told once, whichever tests need the kernel.
        if broken_kernels.is_news(&result) {
            show(&progress, &result);
        }
        progress.inc(1);
        Ok((result, begin.elapsed()))
    });
    progress.finish_and_clear();
    for line in broken_kernels.closing() {
        output::say(&line);
    }
    let finished = finished?;
    let mut elapsed: Vec<(Architecture, Duration)> = Vec::new();
    let mut before = Duration::ZERO;
    for architecture in Architecture::ALL {
        let last = finished
            .iter()
            .filter(|(result, _)| result.name.architecture == architecture)
            .map(|(_, at)| *at)
            .max();
        if let Some(last) = last {
            elapsed.push((architecture, last.saturating_sub(before)));
            before = last;
        }
    }
    Ok(Outcome { results: finished.into_iter().map(|(result, _)| result).collect(), elapsed })
}

fn progress(tests: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    }
    let bar = ProgressBar::new(u64::try_from(tests).unwrap_or(u64::MAX));
    if let Ok(style) = ProgressStyle::with_template("   {bar:30} {pos}/{len}  {wide_msg}") {
        bar.set_style(style.progress_chars("■□ "));
    }
    bar
}

fn show(progress: &ProgressBar, result: &TestResult) {
    if result.verdict.is_success(Mode::Ordinary) || result.verdict == Verdict::Interrupted {
        return;
    }
    // The bar is taken away while something is printed.
    progress.suspend(|| output::say(&report::failure(result)));
}

fn report(
    settings: &Settings,
    tests: &[SelectedTest],
    outcome: Outcome,
    seeds: Seeds,
    everything: bool,
) -> Result<RunReport, Failed> {
    let mut architectures: Vec<Architecture> =
        tests.iter().map(|test| test.name.architecture).collect();
    architectures.sort_unstable();
    architectures.dedup();
    let unused_goldens =
        if everything { unused_goldens(settings, &architectures)? } else { Vec::new() };
    let early_end = interrupt::signal().map(|signal| EarlyEnd {
        reason: StopReason::Signal(signal),
        did_not_run: did_not_run(tests, &outcome.results),
    });
    Ok(RunReport {
        results: outcome.results,
        devices: architectures
            .iter()
            .map(|&architecture| {
                (architecture, settings.workers.executor(architecture).short_name())
            })
            .collect(),
        replay_devices: architectures
            .iter()
            .filter_map(|&architecture| {
                let executor = settings.workers.other_replay_executor(architecture)?;
                Some((architecture, executor.short_name()))
            })
            .collect(),
        without_goldens: architectures
            .iter()
            .copied()
            .filter(|&architecture| settings.workers.is_harvested(architecture))
            .collect(),
        elapsed: outcome.elapsed,
        seeds,
        unused_goldens,
        early_end,
    })
}

/// The tests without a result.
fn did_not_run(tests: &[SelectedTest], results: &[TestResult]) -> Vec<TestName> {
    let ran: BTreeSet<&TestName> = results.iter().map(|result| &result.name).collect();
    let names = tests.iter().map(|test| &test.name);
    names.filter(|name| !ran.contains(name)).cloned().collect()
}

/// Goldens of the selected architectures that belong to no test.
pub(super) fn unused_goldens(
    settings: &Settings,
    architectures: &[Architecture],
) -> Result<Vec<String>, Failed> {
    let suites =
        settings.root.load_all().map_err(|mistakes| Failed::new(ExitCode::SUITE, mistakes))?;
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
