//! One test on several devices: the first command at which they differ.

mod memory;

use std::sync::Arc;

use hallmark_chip::{Architecture, ChipDescription};
use hallmark_runtime::DeviceSpec;
use hallmark_schema::commands;
use hallmark_schema::model::{Capture, Command, CommandIndex, ContentHash, Expectation, Outcome};

use super::captured_test::CapturedTest;
use super::execute::{self, Executed};
use super::finding::Finding;
use super::judge::{self, Side};
use super::{Settings, TestFolder, mismatch, place};
use crate::devices;
use crate::suite::bound::BoundTest;
use crate::suite::discover::SelectedTest;
use crate::suite::mistake::SuiteMistakes;
use crate::verdict::ExitCode;
use crate::worker::memory::BufferSnapshot;
use crate::worker::problem::WorkerProblem;
use crate::worker::report::OtherEnd;

pub use memory::MemoryCompared;

/// What a read is compared with, for people.
const FIRST: &str = "the first device's";

/// What came of a test on several devices.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Memory that was compared.
    pub memory: MemoryCompared,
    /// For each device after the first, how it compares with the first.
    pub others: Vec<Compared>,
    /// Whether the first device did what the suite or the capture expects; nothing if the test did not run on it.
    pub as_expected: Option<bool>,
}

/// How a device compares with the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compared {
    /// Every outcome, every read and all memory that was compared is the same.
    Equal,
    /// Some outcome, read or memory differs: the first that does.
    Differs(Box<Difference>),
    /// The test does not apply to one of the two, for this reason.
    NotCompared(String),
}

/// The first difference of a test between two devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where: the command, its object and its place in the suite, if there is one.
    pub place: String,
    /// What the first device did there.
    pub first: String,
    /// What the other did.
    pub other: String,
    /// More about it.
    pub lines: Vec<String>,
    /// The exit code that it asks for.
    pub exit_code: ExitCode,
}

/// A test on one device.
struct Observed {
    /// How the run ended, if it left no whole capture.
    ending: Option<Finding>,
    /// What it left: a whole capture, or what its journal held.
    capture: Option<Arc<Capture>>,
    executed: Option<Executed>,
    /// What its buffers held.
    memory: Vec<BufferSnapshot>,
}

/// Runs a test on every device to which it applies.
///
/// `settings` holds, for each device, a run's settings with that device chosen.
///
/// # Errors
/// The suite is wrong.
pub fn compare(settings: &[Settings], test: &SelectedTest) -> Result<Comparison, SuiteMistakes> {
    let mut skipped: Vec<Option<String>> =
        settings.iter().map(|settings| settings.workers.skip_reason(test)).collect();
    let not_compared = |skipped: &[Option<String>]| {
        let first = skipped.first().cloned().flatten();
        let others = skipped.iter().skip(1);
        let reason = |other: &Option<String>| {
            other.clone().or_else(|| first.clone()).map(Compared::NotCompared)
        };
        others.map(reason).collect::<Option<Vec<Compared>>>()
    };
    // What applies to no device need not even be one that can be bound.
    if let Some(others) = not_compared(&skipped) {
        return Ok(Comparison { memory: MemoryCompared::default(), others, as_expected: None });
    }
    // All have one grid.
    let architecture = test.name.architecture;
    let chip = settings.first().map(|one| one.workers.chip(architecture));
    let bound = test.bind_on(chip.unwrap_or(ChipDescription::of(architecture)))?;
    for (settings, skipped) in settings.iter().zip(&mut skipped) {
        let device = settings.workers.executor(test.name.architecture).device;
        *skipped = skipped.take().or_else(|| excused(&bound, &device));
    }
    if let Some(others) = not_compared(&skipped) {
        return Ok(Comparison { memory: MemoryCompared::default(), others, as_expected: None });
    }
    let seed = settings.first().map_or(0, |one| one.workers.programs.schedule_seed);
    let root = settings.first().map(|one| &one.root);
    let kept = root.map(|root| TestFolder::new(root, &test.name, seed));
    Ok(compare_bound(settings, architecture, &bound, skipped, kept.as_ref()))
}

/// Makes a capture's calls on every device.
///
/// `settings` holds, for each device, a run's settings with that device chosen.
pub fn compare_capture(settings: &[Settings], captured: &CapturedTest) -> Comparison {
    let architecture = captured.capture.program.architecture;
    let skipped = settings.iter().map(|_| None).collect();
    compare_bound(settings, architecture, &captured.bound, skipped, None)
}

/// Makes a test's calls on every device where nothing says to skip it.
fn compare_bound(
    settings: &[Settings],
    architecture: Architecture,
    bound: &BoundTest,
    skipped: Vec<Option<String>>,
    kept: Option<&TestFolder>,
) -> Comparison {
    let mut runs = settings.iter().zip(skipped);
    let Some((shared, _)) = runs.next() else {
        let memory = MemoryCompared::default();
        return Comparison { memory, others: Vec::new(), as_expected: None };
    };
    let first = observe(shared, architecture, bound);
    let mut others = Vec::new();
    let mut memory = MemoryCompared::default();
    for (settings, skipped) in runs {
        others.push(match skipped {
            Some(reason) => Compared::NotCompared(reason),
            None => {
                let other = observe(settings, architecture, bound);
                let refusal = other.executed.as_ref().and_then(refusal);
                if let Some(reason) = refusal {
                    others.push(Compared::NotCompared(reason));
                    continue;
                }
                match differences(bound, [&first, &other], &mut memory).next() {
                    None => Compared::Equal,
                    Some(difference) => Compared::Differs(Box::new(difference)),
                }
            }
        });
    }
    let right = as_expected(bound, &first, kept);
    Comparison { memory, others, as_expected: Some(right) }
}

/// Why a test is not looked at on a device that it does apply to: it is known to fail there.
fn excused(bound: &BoundTest, device: &DeviceSpec) -> Option<String> {
    let kind = devices::kind(device);
    let excused = bound.expected_failures.iter().find(|expected| expected.device == kind)?;
    Some(format!("expected to fail on {}: {}", devices::short_name(device), excused.reason))
}

/// Why an executor cannot make a capture's calls, if it says so: the first reason.
fn refusal(executed: &Executed) -> Option<String> {
    let Some(WorkerProblem::Refused(report)) = &executed.report.problem else { return None };
    let first = report.reasons.first();
    Some(first.map_or_else(|| "the capture is refused".to_owned(), |reason| reason.text.clone()))
}

fn observe(settings: &Settings, architecture: Architecture, bound: &BoundTest) -> Observed {
    match execute::capture_with_memory(settings, architecture, bound) {
        Err(finding) => {
            Observed { ending: Some(finding), capture: None, executed: None, memory: Vec::new() }
        }
        Ok(executed) => {
            let recovered = || executed.recovered.as_deref().cloned().map(Arc::new);
            Observed {
                ending: judge::ending(&executed, bound.timeout, Side::Capture),
                capture: executed.capture.clone().or_else(recovered),
                memory: executed.memory(),
                executed: Some(executed),
            }
        }
    }
}

/// Whether a run did what is expected of it. Outputs that differ are kept, if there is a folder for them.
fn as_expected(bound: &BoundTest, observed: &Observed, kept: Option<&TestFolder>) -> bool {
    let (None, Some(capture)) = (&observed.ending, &observed.capture) else { return false };
    observed.surprise(bound).is_none() && judge::outputs(capture, bound, kept).is_none()
}

impl Observed {
    /// What did not end as the suite says.
    fn surprise(&self, bound: &BoundTest) -> Option<Finding> {
        self.ending
            .clone()
            .or_else(|| judge::outcomes(self.capture.as_ref()?, bound, self.executed.as_ref()?))
    }
}

/// The differences between two runs in the order of the calls, computed as they are asked for. Behind a call that one
/// of the two did not complete nothing is known, and nothing is compared.
fn differences<'a>(
    bound: &'a BoundTest,
    runs: [&'a Observed; 2],
    memory: &'a mut MemoryCompared,
) -> impl Iterator<Item = Difference> + 'a {
    let [first, other] = runs;
    let surprises = runs.map(|it| it.surprise(bound));
    let codes = surprises.iter().flatten().map(Finding::exit_code);
    let exit_code = ExitCode::first(codes.chain([ExitCode::NOT_PASSED]));
    // What both met is no news.
    let met = |one: &Option<Finding>, two: &Option<Finding>| -> Vec<String> {
        let report = |it: &Option<Finding>| it.as_ref().map(Finding::report).unwrap_or_default();
        let lines = report(one);
        if lines == report(two) { Vec::new() } else { lines }
    };
    let [one, two] = &surprises;
    let said: Vec<String> = met(one, two).into_iter().chain(met(two, one)).collect();
    let about_said = said.clone();
    let captures = first.capture.as_deref().zip(other.capture.as_deref());
    let mut moments = memory::Moments::new(bound, runs, memory);
    let length =
        captures.map_or(0, |(one, two)| one.program.commands.len().max(two.program.commands.len()));
    let known = (0..length).take_while(move |&index| {
        let both = captures.into_iter().flat_map(|(one, two)| [one, two]);
        let before = index.checked_sub(1);
        before.is_none_or(|before| both.into_iter().all(|capture| completed(capture, before)))
    });
    let at_calls = known.filter_map(move |index| {
        let (one, two) = captures?;
        at(bound, runs, [one, two], index).or_else(|| {
            let difference = moments.at(index, [one, two])?;
            let place = place_of(bound, one, index)?;
            Some(Difference { place: format!("{place}: memory"), ..difference })
        })
    });
    let mut is_first = true;
    let at_calls = at_calls.map(move |found| {
        let about = if std::mem::take(&mut is_first) { about_said.clone() } else { Vec::new() };
        let lines = found.lines.into_iter().chain(about).collect();
        Difference { lines, exit_code, ..found }
    });
    // How the two runs ended comes last: a run that died may have shown differences before.
    let words = |observed: &Observed| match &observed.ending {
        None => "ended as expected".to_owned(),
        Some(finding) => format!("{}: {}", finding.verdict, finding.headline),
    };
    let verdict = |observed: &Observed| observed.ending.as_ref().map(|it| it.verdict.clone());
    let at_end = (verdict(first) != verdict(other)).then(|| Difference {
        place: "how the run ended".to_owned(),
        first: words(first),
        other: words(other),
        lines: said,
        exit_code,
    });
    at_calls.chain(at_end)
}

/// Whether a capture's call has an outcome.
fn completed(capture: &Capture, index: usize) -> bool {
    let recorded = capture.program.commands.get(index);
    recorded.is_some_and(|recorded| recorded.outcome != Outcome::Unfinished)
}

/// A command, its object and its place in the suite.
fn place_of(bound: &BoundTest, capture: &Capture, index: usize) -> Option<String> {
    let command = &capture.program.commands.get(index)?.command;
    let subject = hallmark_schema::subject_of(&capture.program, command);
    let subject = if subject.is_empty() { String::new() } else { format!(" of `{subject}`") };
    let written = bound.case.steps.get(index).filter(|step| step.line > 0);
    let written = written.map_or_else(String::new, |step| format!(" ({})", step.written_at()));
    Some(format!("command {index}, {}{subject}{written}", command.kind().name()))
}

/// How two captures differ at one command.
fn at(
    bound: &BoundTest,
    runs: [&Observed; 2],
    [first, other]: [&Capture; 2],
    index: usize,
) -> Option<Difference> {
    let command = CommandIndex(u32::try_from(index).ok()?);
    let get = |capture: &Capture| capture.program.commands.get(index).cloned();
    let [one, two] = [get(first), get(other)];
    let known = one.as_ref().or(two.as_ref())?;
    let (of_first, of_other) = (first, other);
    let found = |first: String, other: String, lines| {
        // Only now: to name a command's object takes a search, and most commands do not differ.
        let place = place_of(bound, if one.is_some() { of_first } else { of_other }, index)?;
        Some(Difference { place, first, other, lines, exit_code: ExitCode::NOT_PASSED })
    };
    let [did, does] = [one.as_ref(), two.as_ref()].map(|it| it.map(|command| &command.outcome));
    // Another runtime's end of a call need not be one that a capture can hold.
    let [by_first, by_other] = runs.map(|run| run.executed.as_ref()?.report.other_end(command));
    if did != does || by_first != by_other {
        let words = |end: Option<&OtherEnd>, outcome| {
            end.map_or_else(|| outcome_words(outcome), other_end_words)
        };
        return found(words(by_first, did), words(by_other, does), Vec::new());
    }
    let Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { output, expectation, .. }) =
        &known.command
    else {
        return None;
    };
    if matches!(expectation, Expectation::Unchecked { .. }) {
        return None;
    }
    let [was, is] = [hash_of(first, command), hash_of(other, command)];
    if was == is {
        return None;
    }
    let bytes = |capture: &Capture, hash: Option<ContentHash>| -> Option<Vec<u8>> {
        capture.returned_bytes(hash?).map(|bytes| bytes.into_owned())
    };
    let [before, after] = [bytes(first, was), bytes(other, is)];
    let expected = bound.outputs.iter().find(|expected| expected.command == command.0);
    if let Some(expected) = expected
        && let (Some(tolerance), Some(reference)) = (&expected.tolerance, &expected.bytes)
        && let (Some(before), Some(after)) = (&before, &after)
        && tolerance.outside(reference, before).is_none()
        && tolerance.outside(reference, after).is_none()
    {
        return None;
    }
    let words = |hash: Option<ContentHash>| {
        let Some(hash) = hash else { return "the read did not complete".to_owned() };
        let short = hash.short();
        match expected.and_then(|expected| expected.hash) {
            Some(wanted) if wanted == hash => {
                format!("`{output}` has the hash {short}, as expected")
            }
            Some(_) => format!("`{output}` has the hash {short}, which is not expected"),
            None => format!("`{output}` has the hash {short}"),
        }
    };
    let lines = match (&before, &after) {
        (Some(before), Some(after)) => {
            let read = place::ReadPlace::of(other, command.0);
            let headline = mismatch::headline(output, FIRST, before, after, read.as_ref());
            let mut lines = vec![headline.trim_start_matches("Mismatch: ").to_owned()];
            lines.extend(mismatch::lines(before, after, read.as_ref()));
            lines
        }
        _ => Vec::new(),
    };
    found(words(was), words(is), lines)
}

fn hash_of(capture: &Capture, command: CommandIndex) -> Option<ContentHash> {
    let reads = &capture.record.as_ref()?.reads;
    reads.iter().find(|read| read.command == command).map(|read| read.hash)
}

fn other_end_words(end: &OtherEnd) -> String {
    match &end.exception {
        None => "succeeds".to_owned(),
        Some(text) => format!("throws an exception: {text}"),
    }
}

fn outcome_words(outcome: Option<&Outcome>) -> String {
    match outcome {
        None => "did not get this far".to_owned(),
        Some(Outcome::Done) => "done".to_owned(),
        Some(Outcome::Unfinished) => "begun but not completed".to_owned(),
        Some(Outcome::Failed(failure)) => format!("{}: {failure}", failure.code().name()),
    }
}
