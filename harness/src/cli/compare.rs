//! `hallmark compare`.

mod agreement;
mod identities;
mod results;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use hallmark_chip::Architecture;
use hallmark_execution::executor::{ExecutorChoice, ExecutorError, Executors, Release};
use hallmark_execution::interrupt;
use hallmark_pipeline::captured_test::CapturedTest;
use hallmark_pipeline::compare::{
    CompareOptions, Compared, Comparison, Difference, MemoryCompared, NotCompared, compare,
    compare_capture,
};
use hallmark_pipeline::shard::Shard;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_pipeline::{Settings, quoted};
use hallmark_schema::plural::{counted, grouped};
use hallmark_suite::deviations::Deviations;
use hallmark_suite::discover::DEVIATIONS;
use hallmark_suite::discover::SelectedTest;

use self::identities::Identities;
use self::results::{Heading, Results, ResultsError};
use super::capture_file::{read, read_to_replay};
use super::options::{
    DEVICES, Devices, EXECUTION, FreshOption, ProgramOptions, RootOption, SELECTION, TimeoutOption,
};
use super::progress::{Form, Progress};
use super::run::check_executor;
use super::select::{Selection, tests};
use super::subject::{Subject, settings_of_captures};
use super::{Failed, output, work};

/// The wall-clock limit for the calls of a capture on a device.
const CAPTURE_TIMEOUT: Duration = Duration::from_secs(600);

/// The wall-clock limit for the minimal captures of known deviations, some of which never end.
const MINIMAL_CAPTURE_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Clone, Debug, Args)]
#[command(
    after_help = "A capture's file can stand among the paths: its calls are made again on every device."
)]
pub(super) struct CompareArguments {
    #[command(flatten)]
    selection: Selection,
    /// The architecture of the devices, where no name of a device says it
    #[arg(long, value_name = "ARCHITECTURE", value_parser = Architecture::named_by_user, help_heading = SELECTION)]
    arch: Option<Architecture>,
    #[command(flatten)]
    root: RootOption,
    /// The devices; the first is compared with each of the others
    ///
    /// Each is written as for `run --device`. `hallmark:PATH` or `hallmark:PATH@DEVICE` is the executable of another
    /// release; `metalium:SITE@ttsim:PATH` is TT-Metalium from the folder of a ttnn wheel, on a simulator's library.
    #[arg(long, value_name = "EXECUTOR,EXECUTOR…", value_delimiter = ',', required = true, help_heading = DEVICES)]
    devices: Vec<String>,
    #[command(flatten)]
    programs: ProgramOptions,
    #[command(flatten)]
    pub(super) fresh: FreshOption,
    /// Only one part of the tests: 1/8 is the first of eight parts
    #[arg(long, value_name = "NUMBER/TOTAL", help_heading = SELECTION)]
    shard: Option<Shard>,
    /// The file for the results: what it holds is not compared again
    ///
    /// Each result is written as soon as it is known, so that a comparison that was stopped goes on where it was. A test
    /// is compared again if it, an executable or a device has changed since.
    #[arg(long, value_name = "FILE", help_heading = EXECUTION)]
    results: Option<PathBuf>,
    #[command(flatten)]
    timeout: TimeoutOption,
    /// How many tests run at a time [default: as many as there are processors]
    #[arg(short, long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024),
        help_heading = EXECUTION)]
    jobs: Option<u16>,
}

impl CompareArguments {
    /// The executors that the command line names.
    fn choices(&self) -> Result<Vec<ExecutorChoice>, Failed> {
        let parse = |text: &String| -> Result<ExecutorChoice, ExecutorError> {
            let choice: ExecutorChoice = text.parse()?;
            choice.check_folders()?;
            Ok(choice)
        };
        let choices: Result<_, _> = self.devices.iter().map(parse).collect();
        choices.map_err(|error| Failed::new(ExitCode::USAGE, error))
    }

    /// The architecture of all devices, which must be the same.
    fn architecture(&self, choices: &[ExecutorChoice]) -> Result<Architecture, Failed> {
        let usage = |text: String| Failed::new(ExitCode::USAGE, text);
        let mut named: Vec<Architecture> = self.arch.into_iter().collect();
        named.extend(choices.iter().filter_map(|choice| choice.architecture));
        let devices = choices.iter().filter_map(|choice| choice.device.as_ref());
        named.extend(devices.filter_map(|device| device.architecture()));
        named.dedup();
        match named.as_slice() {
            [one] => Ok(*one),
            [] => Err(usage(
                "the architecture of the devices is unknown; name it with --arch, or a device as sim:ARCHITECTURE"
                    .to_owned(),
            )),
            [one, two, ..] => Err(usage(format!(
                "the devices must be of one architecture, but these are of {one} and {two}"
            ))),
        }
    }
}

/// Checks that all devices have the same grid: a test is made for one grid, and every device gets the same
/// test.
fn check_grids(architecture: Architecture, settings: &[Settings]) -> Result<(), Failed> {
    let grid = |one: &Settings| one.workers.test_executors(architecture).chip.compute_grid();
    let grids = settings.iter().map(grid);
    let (Some(first), Some(other)) =
        (grids.clone().next(), grids.clone().find(|other| Some(*other) != grids.clone().next()))
    else {
        return Ok(());
    };
    Err(Failed::new(
        ExitCode::USAGE,
        format!(
            "the devices must have the same grid of cores, but these have {}×{} and {}×{}",
            first.0, first.1, other.0, other.1
        ),
    ))
}

pub(super) fn run(arguments: &CompareArguments) -> Result<ExitCode, Failed> {
    let choices = arguments.choices()?;
    let architecture = arguments.architecture(&choices)?;
    if arguments.devices.len() < 2 {
        return Err(Failed::new(
            ExitCode::USAGE,
            "compare needs at least two devices: --devices A,B",
        ));
    }
    let programs = arguments.programs.settings()?;
    let (captures, selection) = captures_in(&arguments.selection);
    let only_captures = !captures.is_empty() && selection.is_everything();
    // Captures need no suites.
    let mut shared = if only_captures {
        settings_of_captures(programs)?
    } else {
        let devices = Devices { programs, ..Devices::default() };
        devices.settings(arguments.root.find()?, &[architecture])?
    };
    shared.workers.least_timeout = arguments.timeout.least();
    let mut settings = Vec::new();
    for choice in choices {
        let mut one = shared.clone();
        one.workers.executors = Executors::only(choice, architecture);
        one.workers.replay_executors = Executors::default();
        settings.push(one);
    }
    check_grids(architecture, &settings)?;
    let other_runtime = settings
        .iter()
        .any(|one| matches!(one.workers.executor(architecture).release, Release::Metalium(_)));
    let deviations = match other_runtime {
        true => Deviations::load(&shared.root)?,
        false => Deviations::default(),
    };
    let options = CompareOptions { deviations: &deviations };
    let mut captures: Vec<_> = captures.into_iter().map(|file| (file, CAPTURE_TIMEOUT)).collect();
    // A comparison of every test includes the captures of known deviations.
    if other_runtime && arguments.selection.is_everything() {
        let minimal = captures_with_deviations(&deviations, architecture)?;
        let timeout = MINIMAL_CAPTURE_TIMEOUT.max(shared.workers.least_timeout);
        captures.extend(minimal.into_iter().map(|file| (file, timeout)));
    }
    let mut work = captures
        .iter()
        .map(|(file, timeout)| captured(file, *timeout, architecture, &settings).map(Work::Capture))
        .collect::<Result<Vec<Work>, Failed>>()?;
    if !only_captures {
        let tests = tests(&shared.root, &[architecture], &selection)?;
        work.extend(tests.into_iter().map(Work::Test));
    }
    if let Some(shard) = arguments.shard {
        let part = shard.some_of(work);
        work = part.map_err(|error| Failed::new(ExitCode::NOTHING_SELECTED, error))?;
    }
    let heading = Heading::new(architecture, &arguments.devices);
    let results = arguments.results.as_deref().map(|file| Results::open(file, &heading));
    let unusable = |error: ResultsError| Failed::new(error.exit_code(), error);
    let results = results.transpose().map_err(unusable)?;
    for one in &settings {
        check_executor(&one.workers, &one.workers.executor(architecture), architecture)?;
    }
    let jobs = arguments.jobs.map_or_else(work::processors, usize::from);
    let names = &arguments.devices;
    let identities = results.as_ref().map(|_| Identities::of(&settings, architecture, options));
    let identities = identities.transpose()?;
    let kept = results.as_ref().zip(identities.as_ref());
    if let Some((results, identities)) = kept {
        identities.say_what_is_stale(results, &work, jobs)?;
    }
    let progress = Progress::with_estimate(work.len(), "tests", Form::of_stderr());
    let compared = work::each(&work, jobs, |work| {
        progress.begin(&work.name());
        let identity = kept.map(|(_, identities)| identities.of_work(work)).transpose()?;
        let known = results.as_ref().zip(identity);
        let known = known.and_then(|(results, identity)| results.of(&work.name(), identity));
        let begin = Instant::now();
        let comparison = match (known, work) {
            (Some(known), _) => known.clone(),
            (None, Work::Test(test)) => compare(&settings, test, options)?,
            (None, Work::Capture(captured)) => compare_capture(&settings, captured, options),
        };
        // An interrupted test says nothing about a device.
        if interrupt::requested() {
            return Ok((work.name(), comparison));
        }
        if let (Some(results), Some(identity), None) = (&results, identity, known) {
            results.add(&work.name(), identity, begin.elapsed(), &comparison).map_err(unusable)?;
        }
        let mut reports = Vec::new();
        for (name, other) in names.iter().skip(1).zip(&comparison.others) {
            if let Compared::Differs(difference) = other {
                let again = again(&shared, arguments, architecture, work);
                reports.push(report(work, difference, [first_of(names), name], &again));
            }
        }
        let print = || reports.iter().for_each(|report| output::say(report));
        progress.end(reports.is_empty(), (!reports.is_empty()).then_some(print));
        Ok((work.name(), comparison))
    });
    progress.close();
    let compared = compared?;
    if let Some(signal) = interrupt::signal() {
        let total = counted(work.len(), "test", "tests");
        let begun = grouped(compared.len());
        output::say(&format!("{} stopped after {begun} of {total}", signal.name()));
        return Ok(ExitCode::INTERRUPTED);
    }
    output::say_lines(&table(architecture, names, &compared));
    for (place, (name, one)) in names.iter().zip(&settings).skip(1).enumerate() {
        if matches!(one.workers.executor(architecture).release, Release::Metalium(_)) {
            output::say_lines(&agreement::agreement(name, place, &compared, &deviations));
        }
    }
    // Another test of the same case may show a deviation that one test does not show.
    if arguments.selection.is_everything() && arguments.shard.is_none() {
        let used: BTreeSet<_> = compared.iter().flat_map(|(_, it)| it.used.clone()).collect();
        let unused = compared.iter().flat_map(|(_, it)| it.unused.clone());
        let unused: BTreeSet<_> = unused.filter(|key| !used.contains(key)).collect();
        if let Some(mistakes) = deviations.unused(&unused) {
            output::say(&format!(
                "{} explained no difference; remove what is named below from {DEVIATIONS}, and give the same command again",
                counted(unused.len(), "known deviation", "known deviations")
            ));
            return Err(mistakes.into());
        }
    }
    let mut others = compared.iter().flat_map(|(_, comparison)| &comparison.others);
    if others.all(|other| matches!(other, Compared::NotCompared(_))) {
        return Err(Failed::new(
            ExitCode::NOTHING_SELECTED,
            "no selected test applies to two of the devices",
        ));
    }
    Ok(exit_code(&compared))
}

/// A unit of comparison: a test, or the calls of a capture.
enum Work {
    Test(SelectedTest),
    Capture(CapturedTest),
}

impl Work {
    fn name(&self) -> String {
        match self {
            Self::Test(test) => test.name.to_string(),
            Self::Capture(captured) => captured.name.clone(),
        }
    }
}

/// The captures of an architecture from the list of deviations.
fn captures_with_deviations(
    deviations: &Deviations,
    architecture: Architecture,
) -> Result<Vec<PathBuf>, Failed> {
    let mut captures = Vec::new();
    for file in deviations.captures() {
        if read(&file)?.program.architecture == architecture {
            captures.push(file);
        }
    }
    Ok(captures)
}

/// Splits a selection into files of captures and the rest.
fn captures_in(selection: &Selection) -> (Vec<PathBuf>, Selection) {
    let mut rest = selection.clone();
    let mut captures = Vec::new();
    rest.what.retain(|text| match text.parse() {
        // Suites are files, too.
        Ok(Subject::Capture(file))
            if file.is_file() && file.extension().is_none_or(|it| it != "yaml") =>
        {
            captures.push(file);
            false
        }
        Ok(Subject::Capture(_) | Subject::Test(_)) | Err(_) => true,
    });
    (captures, rest)
}

/// Prepares a capture for every device, with the wall-clock limit of its calls.
fn captured(
    file: &Path,
    timeout: Duration,
    architecture: Architecture,
    settings: &[Settings],
) -> Result<CapturedTest, Failed> {
    let captured = CapturedTest::new(file, read_to_replay(file)?, timeout);
    let program = &captured.capture.program;
    let usage = |text: String| Err(Failed::new(ExitCode::USAGE, text));
    if program.architecture != architecture {
        return usage(format!(
            "{} was captured on {}, and the devices are of {architecture}; hallmark replay adapts a capture to \
             another architecture",
            captured.name, program.architecture
        ));
    }
    let grid = (program.grid.columns, program.grid.rows);
    let other =
        settings.iter().map(|one| one.workers.test_executors(architecture).chip.compute_grid());
    if let Some((columns, rows)) = other.into_iter().find(|other| *other != grid) {
        return usage(format!(
            "{} was captured on {}×{} cores, and a device has {columns}×{rows}",
            captured.name, grid.0, grid.1
        ));
    }
    Ok(captured)
}

fn first_of(names: &[String]) -> &str {
    names.first().map_or("", String::as_str)
}

/// Formats a difference for people.
fn report(work: &Work, difference: &Difference, [first, other]: [&str; 2], again: &str) -> String {
    let mut text = format!("DIFFERS {}\n  first at {}\n", work.name(), difference.place);
    let width = first.chars().count().max(other.chars().count());
    for (device, did) in [(first, &difference.first), (other, &difference.other)] {
        text.push_str(&format!("    {device:<width$}  {did}\n"));
    }
    for line in &difference.lines {
        text.push_str(&format!("    {line}\n"));
    }
    text.push_str(&format!("  again     {again}"));
    text
}

/// The command that repeats a comparison.
fn again(
    settings: &Settings,
    arguments: &CompareArguments,
    architecture: Architecture,
    work: &Work,
) -> String {
    let what = match work {
        Work::Test(test) => format!("--exact {}", test.name),
        Work::Capture(captured) => quoted(&captured.name),
    };
    format!(
        "hallmark compare --arch {architecture} --devices {} {what}{}",
        quoted(&arguments.devices.join(",")),
        settings.workers.program_flags()
    )
}

/// The closing table: how each device compares with the first.
fn table(
    architecture: Architecture,
    names: &[String],
    compared: &[(String, Comparison)],
) -> String {
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let mut text = format!(
        "   {architecture}  {:<width$}  {}\n",
        first_of(names),
        counted(compared.len(), "test", "tests")
    );
    let indent = architecture.name().len();
    // Each reason, and the number of tests that it excludes on each device.
    let mut reasons: BTreeMap<&str, BTreeMap<usize, usize>> = BTreeMap::new();
    for (place, name) in names.iter().skip(1).enumerate() {
        let (mut equal, mut differ, mut deviate, mut not_compared) = (0, 0, 0, 0);
        for other in compared.iter().filter_map(|(_, comparison)| comparison.others.get(place)) {
            match other {
                Compared::Equal => equal += 1,
                Compared::Differs(_) => differ += 1,
                Compared::Deviates(_) => deviate += 1,
                Compared::NotCompared(NotCompared { reason, .. }) => {
                    not_compared += 1;
                    *reasons.entry(reason).or_default().entry(place).or_default() += 1;
                }
            }
        }
        let deviate = match deviate {
            0 => String::new(),
            _ => format!(", {} differ as is known", grouped(deviate)),
        };
        text.push_str(&format!(
            "   {:indent$}  {name:<width$}  {} equal, {} differ{deviate}, {} not compared\n",
            "",
            grouped(equal),
            grouped(differ),
            grouped(not_compared)
        ));
    }
    for (reason, counts) in reasons {
        let mut different: Vec<usize> = counts.values().copied().collect();
        different.dedup();
        if let ([count], true) = (different.as_slice(), counts.len() + 1 == names.len()) {
            text.push_str(&format!("   not compared: {} {reason}\n", grouped(*count)));
            continue;
        }
        for (place, count) in counts {
            let name = names.get(place.saturating_add(1)).map_or("", String::as_str);
            text.push_str(&format!("   not compared on {name}: {} {reason}\n", grouped(count)));
        }
    }
    let mut memory = MemoryCompared::default();
    compared.iter().for_each(|(_, comparison)| memory.add(comparison.memory));
    text.push_str(&format!(
        "   memory compared: {} that were written, in {} (each as often as it was looked at; {} left out)\n",
        bytes(memory.bytes),
        counted(memory.buffers, "buffer", "buffers"),
        grouped(memory.left_out),
    ));
    let wrong = alike_but_wrong(compared);
    if wrong > 0 {
        text.push_str(&format!(
            "   {} alike on all devices, and not as the suite says; `hallmark run` says how\n",
            counted(wrong, "test is", "tests are")
        ));
    }
    text
}

/// Formats a number of bytes, rounded.
fn bytes(number: u64) -> String {
    match number {
        0..10_000 => format!("{number} B"),
        10_000..10_000_000 => format!("{} kB", number / 1000),
        _ => format!("{} MB", number / 1_000_000),
    }
}

/// The number of tests in which the devices agree with each other but not with their suite.
fn alike_but_wrong(compared: &[(String, Comparison)]) -> usize {
    let differs = |comparison: &Comparison| {
        comparison.others.iter().any(|other| matches!(other, Compared::Differs(_)))
    };
    let wrong = |it: &Comparison| it.as_expected == Some(false) && !differs(it);
    compared.iter().filter(|(_, comparison)| wrong(comparison)).count()
}

fn exit_code(compared: &[(String, Comparison)]) -> ExitCode {
    let others = compared.iter().flat_map(|(_, comparison)| &comparison.others);
    let codes = others.filter_map(|other| match other {
        Compared::Differs(difference) => Some(difference.exit_code),
        Compared::Equal | Compared::Deviates(_) | Compared::NotCompared(_) => None,
    });
    let wrong = (alike_but_wrong(compared) > 0).then_some(ExitCode::NOT_PASSED);
    ExitCode::first(codes.chain(wrong))
}

#[cfg(test)]
mod tests {
    use hallmark_suite::discover::Root;

    use super::*;

    #[test]
    fn captures_of_another_architecture_are_not_added() {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let deviations = Deviations::load(&Root::at(&repository).unwrap()).unwrap();
        let captures = |architecture| captures_with_deviations(&deviations, architecture).unwrap();
        let wormhole = captures(Architecture::WormholeB0);
        assert_eq!(wormhole.len(), deviations.captures().len());
        assert!(!wormhole.is_empty());
        assert_eq!(captures(Architecture::Blackhole), Vec::<PathBuf>::new());
    }
}
