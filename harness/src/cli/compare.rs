//! `hallmark compare`.

use std::collections::BTreeMap;

use clap::Args;
use hallmark_chip::Architecture;
use hallmark_schema::plural::{counted, grouped};

use super::options::{DEVICES, Devices, EXECUTION, ProgramOptions, RootOption, SELECTION};
use super::run::check_executor;
use super::select::{Selection, tests};
use super::{Failed, output, work};
use crate::executor::{ExecutorChoice, ExecutorError, Executors};
use crate::interrupt;
use crate::pipeline::compare::{Compared, Comparison, Difference, MemoryCompared, compare};
use crate::pipeline::{Settings, quoted};
use crate::suite::discover::SelectedTest;
use crate::verdict::ExitCode;

#[derive(Clone, Debug, Args)]
pub(super) struct CompareArguments {
    #[command(flatten)]
    selection: Selection,
    /// The architecture of the devices, where no name of a device says it
    #[arg(long, value_name = "ARCHITECTURE", help_heading = SELECTION)]
    arch: Option<Architecture>,
    #[command(flatten)]
    root: RootOption,
    /// The devices; the first is compared with each of the others
    ///
    /// Each is written as for `run --device`. `hallmark:PATH` or `hallmark:PATH@DEVICE` is the executable of another
    /// release.
    #[arg(long, value_name = "EXECUTOR,EXECUTOR…", value_delimiter = ',', required = true, help_heading = DEVICES)]
    devices: Vec<String>,
    #[command(flatten)]
    programs: ProgramOptions,
    /// How many tests run at a time [default: as many as there are processors]
    #[arg(short, long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024),
        help_heading = EXECUTION)]
    jobs: Option<u16>,
}

impl CompareArguments {
    /// The executors, as they are written.
    fn choices(&self) -> Result<Vec<ExecutorChoice>, Failed> {
        let parse = |text: &String| -> Result<ExecutorChoice, ExecutorError> {
            let choice: ExecutorChoice = text.parse()?;
            choice.check_folders()?;
            Ok(choice)
        };
        let choices: Result<_, _> = self.devices.iter().map(parse).collect();
        choices.map_err(|error| Failed::new(ExitCode::USAGE, error))
    }

    /// The one architecture of all devices.
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
                "devices of one architecture are compared, and these are of {one} and {two}"
            ))),
        }
    }
}

/// A test is made for one grid, and every device gets the same test.
fn check_grids(architecture: Architecture, settings: &[Settings]) -> Result<(), Failed> {
    let grid = |one: &Settings| one.workers.chip(architecture).compute_grid();
    let grids = settings.iter().map(grid);
    let (Some(first), Some(other)) =
        (grids.clone().next(), grids.clone().find(|other| Some(*other) != grids.clone().next()))
    else {
        return Ok(());
    };
    Err(Failed::new(
        ExitCode::USAGE,
        format!(
            "devices with the same grid are compared, and these have {}×{} and {}×{} cores",
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
            "two devices at least are compared: --devices A,B",
        ));
    }
    let devices = Devices { programs: arguments.programs.settings()?, ..Devices::default() };
    let shared = devices.settings(arguments.root.find()?, &[architecture])?;
    let mut settings = Vec::new();
    for choice in choices {
        let mut one = shared.clone();
        one.workers.executors = Executors::only(choice, architecture);
        one.workers.replay_executors = Executors::default();
        settings.push(one);
    }
    check_grids(architecture, &settings)?;
    let tests = tests(&shared.root, &[architecture], &arguments.selection)?;
    for one in &settings {
        check_executor(&one.workers, &one.workers.executor(architecture), architecture)?;
    }
    let jobs = arguments.jobs.map_or_else(work::processors, usize::from);
    let names = &arguments.devices;
    let compared = work::each(&tests, jobs, |test| {
        let comparison =
            compare(&settings, test).map_err(|mistakes| Failed::new(ExitCode::SUITE, mistakes))?;
        // What an interrupt stopped says nothing about a device.
        if interrupt::requested() {
            return Ok(comparison);
        }
        for (name, other) in names.iter().skip(1).zip(&comparison.others) {
            if let Compared::Differs(difference) = other {
                let again = again(&shared, arguments, architecture, test);
                output::say(&report(test, difference, [first_of(names), name], &again));
            }
        }
        Ok(comparison)
    })?;
    if let Some(signal) = interrupt::signal() {
        let total = counted(tests.len(), "test", "tests");
        let begun = grouped(compared.len());
        output::say(&format!("{} stopped after {begun} of {total}", signal.name()));
        return Ok(ExitCode::INTERRUPTED);
    }
    output::say_raw(&table(architecture, names, &compared));
    let mut others = compared.iter().flat_map(|comparison| &comparison.others);
    if others.all(|other| matches!(other, Compared::NotCompared(_))) {
        return Err(Failed::new(
            ExitCode::NOTHING_SELECTED,
            "no test that is selected applies to two of the devices",
        ));
    }
    Ok(exit_code(&compared))
}

fn first_of(names: &[String]) -> &str {
    names.first().map_or("", String::as_str)
}

/// A difference as people read it.
fn report(
    test: &SelectedTest,
    difference: &Difference,
    [first, other]: [&str; 2],
    again: &str,
) -> String {
    let mut text = format!("DIFFERS {}\n  first at {}\n", test.name, difference.place);
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
    test: &SelectedTest,
) -> String {
    format!(
        "hallmark compare --arch {architecture} --devices {} --exact {}{}",
        quoted(&arguments.devices.join(",")),
        test.name,
        settings.workers.program_flags()
    )
}

/// The closing table: how each device compares with the first.
fn table(architecture: Architecture, names: &[String], compared: &[Comparison]) -> String {
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let mut text = format!(
        "   {architecture}  {:<width$}  {}\n",
        first_of(names),
        counted(compared.len(), "test", "tests")
    );
    let indent = architecture.name().len();
    // Each reason, and how many tests it keeps from each device.
    let mut reasons: BTreeMap<&str, BTreeMap<usize, usize>> = BTreeMap::new();
    for (place, name) in names.iter().skip(1).enumerate() {
        let (mut equal, mut differ, mut not_compared) = (0, 0, 0);
        for other in compared.iter().filter_map(|comparison| comparison.others.get(place)) {
            match other {
                Compared::Equal => equal += 1,
                Compared::Differs(_) => differ += 1,
                Compared::NotCompared(reason) => {
                    not_compared += 1;
                    *reasons.entry(reason).or_default().entry(place).or_default() += 1;
                }
            }
        }
        text.push_str(&format!(
            "   {:indent$}  {name:<width$}  {} equal, {} differ, {} not compared\n",
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
    compared.iter().for_each(|comparison| memory.add(comparison.memory));
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

/// So many bytes, roughly.
fn bytes(number: u64) -> String {
    match number {
        0..10_000 => format!("{number} B"),
        10_000..10_000_000 => format!("{} kB", number / 1000),
        _ => format!("{} MB", number / 1_000_000),
    }
}

/// Tests in which the devices agree with each other, but not with their suite.
fn alike_but_wrong(compared: &[Comparison]) -> usize {
    let differs = |comparison: &Comparison| {
        comparison.others.iter().any(|other| matches!(other, Compared::Differs(_)))
    };
    let wrong = compared.iter().filter(|it| it.as_expected == Some(false) && !differs(it));
    wrong.count()
}

fn exit_code(compared: &[Comparison]) -> ExitCode {
    let others = compared.iter().flat_map(|comparison| &comparison.others);
    let codes = others.filter_map(|other| match other {
        Compared::Differs(difference) => Some(difference.exit_code),
        Compared::Equal | Compared::NotCompared(_) => None,
    });
    let wrong = (alike_but_wrong(compared) > 0).then_some(ExitCode::NOT_PASSED);
    ExitCode::first(codes.chain(wrong))
}
