//! Compares one test on several devices and finds the first command at which they differ.

mod identity;
mod memory;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use hallmark_chip::{Architecture, ChipDescription};
use hallmark_runtime::metalium::{Inexpressible, ReleaseDescription};
use hallmark_runtime::{DeviceSpec, find_kernels};
use hallmark_schema::commands;
use hallmark_schema::model::{
    Capture, Command, CommandIndex, ContentHash, Expectation, Failure, Outcome, RecordedCommand,
};
use serde::{Deserialize, Serialize};

use super::captured_test::CapturedTest;
use super::execute;
use super::executed::Executed;
use super::finding::Finding;
use super::judge::{self, Side};
use super::settings::Settings;
use super::test_executors::TestExecutors;
use super::test_folder::TestFolder;
use super::{mismatch, place, signatures};
use crate::signature::{CallEnd, Signature};
use crate::verdict::{ExitCode, Verdict};

use hallmark_execution::devices;
use hallmark_execution::executor::{Executor, Release, metalium_description};
use hallmark_execution::worker::memory::BufferSnapshot;
use hallmark_execution::worker::problem::WorkerProblem;
use hallmark_execution::worker::report::OtherEnd;
use hallmark_suite::bound::BoundTest;
use hallmark_suite::deviations::{ComparedSubject, Deviations, Known, SightingKey, Surroundings};
use hallmark_suite::discover::SelectedTest;
use hallmark_suite::mistake::SuiteMistakes;
pub use identity::{capture_identity, identity};
pub use memory::MemoryCompared;

/// The name of the reference of a read, for people.
const FIRST: &str = "the first device's";

/// The context of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct CompareOptions<'a> {
    /// The known deviations of other runtimes.
    pub deviations: &'a Deviations,
}

/// The results of a test on several devices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// The compared memory.
    pub memory: MemoryCompared,
    /// The comparison of each device after the first with the first.
    pub others: Vec<Compared>,
    /// Whether the first device met the expectations of the suite or capture; `None` if the test did not run on
    /// it.
    pub as_expected: Option<bool>,
    /// Whether some call is expected to fail, and was made on every device.
    pub meets_errors: bool,
    /// The reason for each failing call that was not made under another runtime.
    pub left_out: Vec<String>,
    /// Entries of the list of deviations that explained a difference.
    pub used: BTreeSet<SightingKey>,
    /// Entries that apply to the test and explained none.
    pub unused: BTreeSet<SightingKey>,
}

impl Comparison {
    /// The comparison of a test that runs on no device.
    fn not_run(others: Vec<Compared>) -> Self {
        Self { others, ..Self::default() }
    }
}

/// The comparison of a device with the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Compared {
    /// Every outcome, every read and all compared memory are equal.
    Equal,
    /// The first difference in outcomes, reads or memory.
    Differs(Box<Difference>),
    /// The list of deviations explains every difference, by these entries.
    Deviates(Vec<String>),
    /// The test does not apply to one of the two.
    NotCompared(NotCompared),
}

/// Why a test was not compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotCompared {
    /// The kind of reason.
    pub why: Why,
    /// The reason in words.
    pub reason: String,
}

/// A kind of reason not to compare a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The test does not apply to one of the devices.
    Inapplicable,
    /// Another runtime cannot build one of its kernels, which is written only for Hallmark.
    HallmarkKernel,
    /// The test expects a fault, a deadlock or a hang, which another runtime does not report.
    Stop,
    /// Another runtime has no such call.
    Inexpressible,
}

/// The first difference between two devices in a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// The command; `None` for the end of the run.
    pub command: Option<u32>,
    /// The place: the command, its object and its position in the suite, if it has one.
    pub place: String,
    /// The first device's result.
    pub first: String,
    /// The other device's result.
    pub other: String,
    /// Further lines about it.
    pub lines: Vec<String>,
    /// The resulting exit code.
    pub exit_code: ExitCode,
    /// The signature of the other device's failure, if it concerns the device and its programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
}

/// A test on one device.
struct Observed {
    /// How the run ended, if it left no complete capture.
    ending: Option<Finding>,
    /// The complete capture, or the content of its journal.
    capture: Option<Arc<Capture>>,
    executed: Option<Executed>,
    /// The contents of its buffers.
    memory: Vec<BufferSnapshot>,
}

/// Runs a test on every device to which it applies.
///
/// `settings` holds, for each device, a run's settings with that device chosen.
///
/// # Errors
/// The suite is invalid.
pub fn compare(
    settings: &[Settings],
    test: &SelectedTest,
    options: CompareOptions<'_>,
) -> Result<Comparison, SuiteMistakes> {
    let runners = runners(settings, test.name.architecture);
    let (bound, skipped) = match applicable(&runners, test)? {
        Applicable::Nowhere(others) => return Ok(Comparison::not_run(others)),
        Applicable::Somewhere { bound, skipped } => (bound, skipped),
    };
    let seed = settings.first().map_or(0, |one| one.workers.programs.schedule_seed);
    let root = settings.first().map(|one| &one.root);
    let kept = root.map(|root| TestFolder::new(root, &test.name, seed));
    let known = |on: &Executor| known_of_test(options.deviations, test, on);
    Ok(compare_bound(&runners, &bound, skipped, kept.as_ref(), known))
}

/// The devices to which a test applies.
enum Applicable {
    /// Fewer than two; with the reason for each device after the first.
    Nowhere(Vec<Compared>),
    /// At least two.
    Somewhere {
        /// The test.
        bound: Box<BoundTest>,
        /// Why the test does not apply, for each device.
        skipped: Vec<Option<String>>,
    },
}

/// A run's settings with one device chosen, and its executors.
struct Runner<'a> {
    settings: &'a Settings,
    executors: TestExecutors,
}

/// The devices of a comparison, in their order.
fn runners(settings: &[Settings], architecture: Architecture) -> Vec<Runner<'_>> {
    let all = settings.iter();
    all.map(|settings| {
        let executors = settings.workers.test_executors(architecture);
        Runner { settings, executors }
    })
    .collect()
}

fn applicable(runners: &[Runner<'_>], test: &SelectedTest) -> Result<Applicable, SuiteMistakes> {
    let mut skipped: Vec<Option<String>> =
        runners.iter().map(|runner| runner.executors.skip_reason(test)).collect();
    let not_compared = |skipped: &[Option<String>]| {
        let first = skipped.first().cloned().flatten();
        let others = skipped.iter().skip(1);
        let reason =
            |other: &Option<String>| other.clone().or_else(|| first.clone()).map(inapplicable);
        others.map(reason).collect::<Option<Vec<Compared>>>()
    };
    // A test that applies to no device may be impossible to bind.
    if let Some(others) = not_compared(&skipped) {
        return Ok(Applicable::Nowhere(others));
    }
    // All devices have the same grid.
    let bound = match runners.first() {
        Some(first) => first.executors.bind(test),
        None => test.bind_on(ChipDescription::of(test.name.architecture)),
    };
    let bound = bound?;
    for (runner, skipped) in runners.iter().zip(&mut skipped) {
        let device = &runner.executors.capture.device;
        *skipped = skipped.take().or_else(|| excused(&bound, device));
    }
    Ok(match not_compared(&skipped) {
        Some(others) => Applicable::Nowhere(others),
        None => Applicable::Somewhere { bound: Box::new(bound), skipped },
    })
}

/// Makes a capture's calls on every device.
///
/// `settings` holds, for each device, a run's settings with that device chosen.
pub fn compare_capture(
    settings: &[Settings],
    captured: &CapturedTest,
    options: CompareOptions<'_>,
) -> Comparison {
    let runners = runners(settings, captured.capture.program.architecture);
    if let Some(reason) = without_kernels(&runners, &captured.capture) {
        let others = runners.iter().skip(1);
        return Comparison::not_run(others.map(|_| inapplicable(reason.clone())).collect());
    }
    let skipped = runners.iter().map(|_| None).collect();
    let known = |on: &Executor| known_of_capture(options.deviations, captured, on);
    compare_bound(&runners, &captured.bound, skipped, None, known)
}

/// Why our runtime, which makes the calls for every device, cannot make a capture's calls: the capture contains
/// no ELFs, and a kernel is not available.
fn without_kernels(runners: &[Runner<'_>], capture: &Capture) -> Option<String> {
    let Runner { settings, executors } = runners.first()?;
    let kernels = executors.capture.kernel_store(&settings.kernels);
    let found = find_kernels(capture, executors.architecture, &kernels);
    found.into_values().find_map(|kernel| kernel.err().map(|problem| problem.to_string()))
}

/// The known deviations of an executor in a test, if it uses another runtime.
pub(super) fn known_of_test<'a>(
    deviations: &'a Deviations,
    test: &SelectedTest,
    executor: &Executor,
) -> Option<Vec<Known<'a>>> {
    known(deviations, ComparedSubject::Test(&test.name), executor)
}

fn known_of_capture<'a>(
    deviations: &'a Deviations,
    captured: &CapturedTest,
    executor: &Executor,
) -> Option<Vec<Known<'a>>> {
    known(deviations, ComparedSubject::Capture(Path::new(&captured.name)), executor)
}

/// The known deviations of an executor, if it uses another runtime.
pub(super) fn known<'a>(
    deviations: &'a Deviations,
    subject: ComparedSubject<'_>,
    executor: &Executor,
) -> Option<Vec<Known<'a>>> {
    let Release::Metalium(site) = &executor.release else { return None };
    // Nothing runs on a site that cannot be used.
    let newest = ReleaseDescription::all().ok().and_then(|all| all.last());
    let at = Surroundings {
        architecture: executor.architecture,
        dispatch: executor.programs.dispatch.mode(),
        simulator: executor.simulator(),
        release: metalium_description(site).or(newest)?,
    };
    Some(deviations.of(subject, at))
}

fn inapplicable(reason: String) -> Compared {
    Compared::NotCompared(NotCompared { why: Why::Inapplicable, reason })
}

/// Makes a test's calls on every device on which it is not skipped.
fn compare_bound<'a>(
    runners: &[Runner<'_>],
    bound: &BoundTest,
    skipped: Vec<Option<String>>,
    kept: Option<&TestFolder>,
    known: impl Fn(&Executor) -> Option<Vec<Known<'a>>>,
) -> Comparison {
    let mut comparison = Comparison::default();
    let mut runs = runners.iter().zip(skipped);
    let Some((shared, _)) = runs.next() else { return comparison };
    let first = observe(shared, bound);
    let as_expected = as_expected(bound, &first, kept);
    for (runner, skipped) in runs {
        if let Some(reason) = skipped {
            comparison.others.push(inapplicable(reason));
            continue;
        }
        let other = observe(runner, bound);
        if let Some(reason) = other.executed.as_ref().and_then(refusal) {
            comparison.others.push(Compared::NotCompared(reason));
            continue;
        }
        if let Some(executed) = &other.executed {
            let reasons = executed.report.left_out.iter().map(|line| line.text.clone());
            comparison.left_out.extend(reasons);
        }
        let mut known = known(&runner.executors.capture);
        // A simulator may find the fault of a program that is wrong on the modelled chip, too.
        if !as_expected && let Some(known) = &mut known {
            known.retain(Known::is_looked_for);
        }
        let runs = [&first, &other];
        let compared = compared(bound, runs, known.as_deref(), &mut comparison);
        comparison.others.push(compared);
    }
    let failing = bound.case.steps.iter().filter(|step| step.failure.is_some()).count();
    comparison.meets_errors = failing > comparison.left_out.len();
    comparison.as_expected = Some(as_expected);
    comparison
}

/// Compares two runs, with the known deviations of the second if another runtime executed it.
fn compared(
    bound: &BoundTest,
    runs: [&Observed; 2],
    known: Option<&[Known<'_>]>,
    comparison: &mut Comparison,
) -> Compared {
    let mut memory = MemoryCompared::default();
    let mut differences = differences(bound, runs, &mut memory);
    let Some(known) = known else {
        let first = differences.next();
        drop(differences);
        comparison.memory.add(memory);
        return first.map_or(Compared::Equal, |first| Compared::Differs(Box::new(first)));
    };
    let (compared, used) = explained(differences, known);
    comparison.memory.add(memory);
    comparison.unused.extend(of_no_use(known, &used));
    comparison.used.extend(used);
    compared
}

/// The entries of the list that should have explained a difference and did not.
fn of_no_use(known: &[Known<'_>], used: &BTreeSet<SightingKey>) -> BTreeSet<SightingKey> {
    // A run that ended in a known deviation does not show later differences.
    if known.iter().any(|known| !known.is_looked_for() && used.contains(&known.key())) {
        return BTreeSet::new();
    }
    let looked_for = known.iter().filter(|known| known.is_looked_for()).map(Known::key);
    looked_for.filter(|key| !used.contains(key)).collect()
}

/// The result of differences given the known deviations, and the entries that explain some.
fn explained(
    differences: impl Iterator<Item = Difference>,
    known: &[Known<'_>],
) -> (Compared, BTreeSet<SightingKey>) {
    let mut names: Vec<String> = Vec::new();
    let mut used = BTreeSet::new();
    let mut unexplained: Option<Difference> = None;
    for difference in differences {
        let entry = known.iter().find(|it| it.explains(difference.command, &difference.other));
        match (entry, &mut unexplained) {
            (Some(known), _) => {
                let key = known.key();
                if !names.contains(&key.deviation) {
                    names.push(key.deviation.clone());
                }
                used.insert(key);
            }
            (None, Some(first)) => {
                let Difference { place, other, .. } = difference;
                first.lines.push(format!("also at   {place}: {other}"));
            }
            (None, none) => *none = Some(difference),
        }
    }
    let compared = match unexplained {
        None if names.is_empty() => Compared::Equal,
        None => Compared::Deviates(names),
        Some(mut difference) => {
            let stated = known.iter().filter(|known| known.is_looked_for()).map(Known::key);
            let stated = stated.filter(|key| key.command == difference.command.map(u64::from));
            difference.lines.extend(stated.map(|key| {
                let SightingKey { deviation, does, .. } = key;
                format!("known     `{deviation}` says that it does something else: {does}")
            }));
            Compared::Differs(Box::new(difference))
        }
    };
    (compared, used)
}

/// Why a test is not compared on a device to which it applies: it is known to fail there.
fn excused(bound: &BoundTest, device: &DeviceSpec) -> Option<String> {
    let kind = devices::kind(device);
    let excused = bound.expected_failures.iter().find(|expected| expected.device == kind)?;
    Some(format!("expected to fail on {}: {}", devices::short_name(device), excused.reason))
}

/// Why an executor cannot make a capture's calls, if it reports that: the first reason of the most informative
/// kind.
fn refusal(executed: &Executed) -> Option<NotCompared> {
    let Some(WorkerProblem::Refused(report)) = &executed.report.problem else { return None };
    let of_kind =
        |kind: Inexpressible| report.reasons.iter().find(|reason| reason.kind == kind.kind());
    let (why, reason) = if let Some(reason) = of_kind(Inexpressible::HallmarkKernel) {
        (Why::HallmarkKernel, Some(reason))
    } else if let Some(reason) = of_kind(Inexpressible::Stop) {
        (Why::Stop, Some(reason))
    } else {
        (Why::Inexpressible, report.reasons.first())
    };
    let text = reason.map_or("the capture is refused", |reason| reason.text.as_str());
    // The same reason at another call is the same reason.
    let text = text.split_once(": ").filter(|(call, _)| call.starts_with("command "));
    let said = reason.map_or("the capture is refused", |reason| reason.text.as_str());
    let reason = text.map_or(said, |(_, reason)| reason).to_owned();
    Some(NotCompared { why, reason })
}

fn observe(runner: &Runner<'_>, bound: &BoundTest) -> Observed {
    match execute::capture_with_memory(runner.settings, &runner.executors, bound) {
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

/// Whether a run met the expectations. Differing outputs are kept, if there is a folder for them.
fn as_expected(bound: &BoundTest, observed: &Observed, kept: Option<&TestFolder>) -> bool {
    let (None, Some(capture)) = (&observed.ending, &observed.capture) else { return false };
    observed.surprise(bound).is_none() && judge::outputs(capture, bound, kept).is_none()
}

impl Observed {
    /// The first outcome that differs from the suite's expectation.
    fn surprise(&self, bound: &BoundTest) -> Option<Finding> {
        self.ending.clone().or_else(|| {
            let (capture, report) = (self.capture.as_ref()?, &self.executed.as_ref()?.report);
            judge::outcomes(capture, bound, report).or_else(|| judge::end(capture, bound, report))
        })
    }

    /// The failure of the work at the end, for which no call waits.
    fn failed_end(&self) -> Option<&Failure> {
        self.capture.as_ref()?.at_end()?.failure()
    }

    /// The verdict that the end of the run leads to, if it is not as it should be.
    fn end_verdict(&self) -> Option<Verdict> {
        let ending = self.ending.as_ref().map(|finding| finding.verdict.clone());
        ending.or_else(|| self.failed_end().map(Verdict::of_failure))
    }
}

/// The differences between two runs in the order of the calls, computed lazily. Nothing is compared after a
/// call that one of the runs did not complete.
fn differences<'a>(
    bound: &'a BoundTest,
    runs: [&'a Observed; 2],
    memory: &'a mut MemoryCompared,
) -> impl Iterator<Item = Difference> + 'a {
    let [first, other] = runs;
    let surprises = runs.map(|it| it.surprise(bound));
    let codes = surprises.iter().flatten().map(Finding::exit_code);
    let exit_code = ExitCode::first(codes.chain([ExitCode::NOT_PASSED]));
    // A finding of both runs is no difference.
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
    // The ends of the two runs come last: a run that died may have shown differences before.
    let words = |observed: &Observed| match (&observed.ending, observed.failed_end()) {
        (None, None) => "ended as expected".to_owned(),
        (None, Some(failure)) => {
            format!("the work at the end, for which no call waits, failed: {failure}")
        }
        (Some(finding), _) => format!("{}: {}", finding.verdict, finding.headline),
    };
    let at_end = (first.end_verdict() != other.end_verdict()).then(|| Difference {
        command: None,
        place: "how the run ended".to_owned(),
        first: words(first),
        other: words(other),
        lines: said,
        exit_code,
        signature: other.ending.as_ref().and_then(|it| it.signature().cloned()),
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

/// The difference between two captures at one command.
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
    let found = |first: String, other: String, lines, signature| {
        // Computed only for differing commands, because naming a command's object takes a search.
        let place = place_of(bound, if one.is_some() { of_first } else { of_other }, index)?;
        let (command, exit_code) = (Some(command.0), ExitCode::NOT_PASSED);
        Some(Difference { command, place, first, other, lines, exit_code, signature })
    };
    let [did, does] = [one.as_ref(), two.as_ref()].map(|it| it.map(|command| &command.outcome));
    // A capture may be unable to represent another runtime's outcome of a call.
    let [by_first, by_other] = runs.map(|run| run.executed.as_ref()?.report.other_end(command));
    if did != does || by_first != by_other {
        let words = |end: Option<&OtherEnd>, outcome| {
            end.map_or_else(|| outcome_words(outcome), other_end_words)
        };
        let signature = of_end(known, runs, of_other, command, [did, does]);
        return found(words(by_first, did), words(by_other, does), Vec::new(), signature);
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
    let (before, after) = (before.as_deref(), after.as_deref());
    let signature = signatures::of_read(other, command, output, before, after);
    found(words(was), words(is), lines, Some(signature))
}

/// The signature of a call whose outcome differs between the runs.
fn of_end(
    known: &RecordedCommand,
    [first, other]: [&Observed; 2],
    of_other: &Capture,
    command: CommandIndex,
    [did, does]: [Option<&Outcome>; 2],
) -> Option<Signature> {
    let said = |run: &Observed, outcome: Option<&Outcome>| {
        let report = run.executed.as_ref().map(|executed| &executed.report);
        match report.and_then(|report| report.other_end(command)) {
            None => outcome.map_or(CallEnd::Unfinished, CallEnd::from),
            Some(OtherEnd { exception: None, .. }) => CallEnd::Done,
            Some(OtherEnd { exception: Some(text), .. }) => {
                CallEnd::Refused { reason: signatures::first_line(text) }
            }
        }
    };
    let (expected, actual) = (said(first, did), said(other, does));
    match does {
        Some(Outcome::Failed(failure)) if matches!(actual, CallEnd::Failed { .. }) => {
            let executed = other.executed.as_ref();
            let stop = executed.and_then(|executed| executed.report.stop.as_deref());
            signatures::of_failure(of_other, stop, command, &expected, failure)
        }
        _ => Some(signatures::of_call(known.command.kind(), expected, actual)),
    }
}

fn hash_of(capture: &Capture, command: CommandIndex) -> Option<ContentHash> {
    capture.read_result(command).map(|read| read.hash)
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

#[cfg(test)]
mod tests {
    use hallmark_suite::deviations::{Deviation, DeviationFile};
    use hallmark_suite::mistake::Mistakes;
    use hallmark_suite::read::Read as _;

    use super::*;

    fn deviation() -> Deviation {
        shown_by(
            "[{ test: 'a::b::c', command: 3, does: succeeds }, { test: 'a::b::c', does: signal 8 }]",
        )
    }

    fn shown_by(sightings: &str) -> Deviation {
        let text = format!(
            "deviations:\n  - {{ name: lax, release: 0.81.1, whose: tt_metal, reason: R., link: l, shown_by: {sightings} }}\n"
        );
        let node = hallmark_suite::node::load(&text, 0).unwrap();
        let file = DeviationFile::read(&node, &mut Mistakes::default()).unwrap();
        file.deviations.into_iter().next().unwrap()
    }

    fn difference(command: Option<u32>, other: &str) -> Difference {
        Difference {
            command,
            place: command.map_or("the end".to_owned(), |command| format!("command {command}")),
            first: "done".to_owned(),
            other: other.to_owned(),
            lines: Vec::new(),
            exit_code: ExitCode::NOT_PASSED,
            signature: None,
        }
    }

    #[test]
    fn an_entry_is_of_no_use_where_the_run_came_that_far() {
        let deviation = shown_by(
            "[{ test: 'a::b::c', command: 3, does: succeeds }, { finding: DataRace, does: overtakes }]",
        );
        let sightings = deviation.shown_by.iter();
        let known: Vec<Known<'_>> =
            sightings.map(|at| Known { deviation: &deviation, sighting: &at.value }).collect();
        let [at_three, found] = known.as_slice() else { panic!("{known:?}") };
        let used = |keys: &[&Known<'_>]| keys.iter().map(|known| known.key()).collect();
        assert_eq!(of_no_use(&known, &used(&[])), used(&[at_three]));
        assert_eq!(of_no_use(&known, &used(&[at_three])), used(&[]));
        assert_eq!(of_no_use(&known, &used(&[found])), used(&[]));
    }

    #[test]
    fn only_what_an_entry_states_is_a_known_deviation() {
        let deviation = deviation();
        let sightings = deviation.shown_by.iter();
        let known: Vec<Known<'_>> =
            sightings.map(|at| Known { deviation: &deviation, sighting: &at.value }).collect();
        let of = |differences: Vec<Difference>| explained(differences.into_iter(), &known);
        let (compared, used) = of(Vec::new());
        assert_eq!((compared, used.len()), (Compared::Equal, 0));
        let (at_three, at_end) =
            (difference(Some(3), "succeeds"), difference(None, "Crash: killed by signal 8"));
        let (compared, used) = of(vec![at_three.clone(), at_end]);
        assert_eq!(compared, Compared::Deviates(vec!["lax".to_owned()]));
        assert_eq!(used.len(), 2);
        // An additional difference, and the same place with another text, are failures.
        let (compared, used) =
            of(vec![at_three, difference(Some(4), "x"), difference(Some(5), "y")]);
        let Compared::Differs(found) = compared else { panic!("{compared:?}") };
        assert_eq!((found.command, used.len()), (Some(4), 1));
        assert_eq!(found.lines, ["also at   command 5: y"]);
        let (compared, used) = of(vec![difference(Some(3), "throws")]);
        let Compared::Differs(found) = compared else { panic!("{compared:?}") };
        assert_eq!(found.lines, ["known     `lax` says that it does something else: succeeds"]);
        assert!(used.is_empty());
    }
}
