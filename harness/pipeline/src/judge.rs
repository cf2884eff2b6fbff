//! From the remains of a worker to a verdict.

use std::cmp::Reverse;
use std::time::Duration;

use hallmark_chip::FaultCategory;
use hallmark_execution::worker::contract::ContractError;
use hallmark_execution::worker::problem::WorkerProblem;
use hallmark_execution::worker::process::Ending;
use hallmark_execution::worker::report::{NewerCheck, OtherEnd, WorkerReport};
use hallmark_runtime::MetaliumPhase;
use hallmark_schema::class::FieldClass;
use hallmark_schema::commands::CreateBuffer;
use hallmark_schema::model::{
    Capture, Command, CommandIndex, CommandKind, ContentHash, Failure, Outcome, ProgramPart,
    QueuesEnd, Tolerance,
};
use hallmark_schema::plural::{counted, first_lines};
use hallmark_schema::{Golden, plain, program_bytes};
use hallmark_suite::bound::{BoundStep, BoundTest, ExpectedOutput};
use hallmark_suite::checks::Check;

use super::differing_reads::{DifferingReads, differing_reads};
use super::executed::Executed;
use super::finding::Finding;
use super::pictures::{Sides, differing_bytes};
use super::repeated_fault::repeated_fault;
use super::tensor_difference::TensorDifference;
use super::test_folder::TestFolder;
use super::{mismatch, place, signatures, stopped, tensor_difference, tolerance};
use crate::signature::{CallEnd, Signature};
use crate::verdict::{ExitCode, Verdict};

/// The largest number of further lines of an exception's text.
const SHOWN_LINES: usize = 8;

/// The largest number of shown differences that a replay reports: calls and reads.
const SHOWN_DIFFERENCES: usize = 8;
/// The largest number of shown lines on differing fields of two program parts.
const SHOWN_FIELDS: usize = 20;

/// The run in question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The capturing run.
    Capture,
    /// The replay.
    Replay,
    /// A device that is opened and closed before the first test.
    Opening,
}

impl Side {
    const fn name(self) -> &'static str {
        match self {
            Self::Capture => "capturing run",
            Self::Replay => "replay",
            Self::Opening => "opening of the device",
        }
    }
}

impl Side {
    /// The flag for its time limit, if the user can set it.
    fn limit(self) -> Option<String> {
        match self {
            Self::Capture | Self::Replay => Some(
                "The limit is the longer of the case's `timeout` and --timeout, in seconds."
                    .to_owned(),
            ),
            Self::Opening => None,
        }
    }
}

/// The last informative lines of a worker's standard error.
fn last_words(executed: &Executed) -> Vec<String> {
    let text = format!("{}\n{}", executed.ended.stdout, executed.ended.stderr);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let shown = lines.iter().skip(lines.len().saturating_sub(5));
    shown.map(|line| format!("output    {}", line.chars().take(300).collect::<String>())).collect()
}

/// The finding for a worker's end; `None` if it left a complete capture.
pub(super) fn ending(executed: &Executed, timeout: Duration, side: Side) -> Option<Finding> {
    let name = side.name();
    let finding = match &executed.ended.ending {
        Ending::Reported(report) => match (&report.problem, &executed.problem) {
            (Some(problem @ WorkerProblem::Stopped { .. }), _) => {
                worker_problem(problem).lines(reached(executed))
            }
            (Some(problem), _) => worker_problem(problem),
            (None, Some(problem)) => {
                Finding::new(Verdict::InternalError, format!("the {name}: {problem}"))
            }
            (None, None) => return None,
        },
        Ending::Unreadable(error) => match error {
            ContractError::Version { .. } | ContractError::NoVersion { .. } => {
                Finding::new(Verdict::InternalError, format!("the {name}: {error}"))
            }
            // The writer did not reach its end.
            ContractError::Malformed { .. } | ContractError::Unreadable { .. } => {
                Finding::new(Verdict::Crash, format!("the {name} exited with code 0: {error}"))
            }
        },
        Ending::TimedOut => Finding::new(
            Verdict::Hang,
            format!("the {name} did not end in {} s and was stopped", timeout.as_secs()),
        )
        .lines(reached(executed))
        .lines(last_words(executed))
        .lines(side.limit()),
        Ending::OverBudget { budget } => Finding::new(
            Verdict::InternalError,
            format!(
                "the {name} took more memory than its budget of {budget} and was stopped; raise the budget with --memory"
            ),
        )
        .lines(reached(executed))
        .lines(largest_buffer(executed)),
        Ending::Interrupted => {
            Finding::new(Verdict::Interrupted, format!("the {name} was stopped"))
        }
        Ending::Exited(_) | Ending::Signal(_) if executed.capture.is_some() => return None,
        Ending::Exited(code) => match executed.ended.closing_fault() {
            Some(fault) => {
                let verdict = match &executed.phase {
                    // TT-Metalium was making a call of the capture, so a program of the capture caused the
                    // fault.
                    Some(MetaliumPhase::Calling { command, .. }) => {
                        let (category, enqueue) = (fault.category, *command);
                        Verdict::of_failure(&Failure::DeviceFault { category, enqueue })
                    }
                    // Everything that runs was enqueued by the capture.
                    Some(MetaliumPhase::Draining) => {
                        let (category, enqueue) = (fault.category, CommandIndex(0));
                        Verdict::of_failure(&Failure::DeviceFault { category, enqueue })
                    }
                    // No program was enqueued yet, so the device itself is at fault.
                    Some(MetaliumPhase::Opening | MetaliumPhase::Closing) | None => Verdict::Crash,
                };
                Finding::new(verdict, format!("the device ended the {name}: {fault}"))
                    .of_category(fault.category)
                    .lines(reached(executed))
            }
            None if executed.ended.stderr.contains("panicked at") => {
                Finding::new(Verdict::InternalError, format!("the {name} panicked"))
                    .lines(last_words(executed))
            }
            None => Finding::new(Verdict::Crash, format!("the {name} exited with code {code}"))
                .lines(reached(executed))
                .lines(last_words(executed)),
        },
        Ending::Signal(signal) => {
            Finding::new(Verdict::Crash, format!("the {name} was killed by signal {signal}"))
                .lines(reached(executed))
                .lines(last_words(executed))
        }
    };
    Some(finding.signed(signatures::of_ending(executed)))
}

/// The finding for a worker's own problem.
pub fn worker_problem(problem: &WorkerProblem) -> Finding {
    let text = problem.to_string();
    let finding = match problem {
        WorkerProblem::Device { .. } | WorkerProblem::Stopped { .. } => {
            Finding::new(Verdict::Crash, text)
        }
        WorkerProblem::Firmware { .. } => {
            Finding::new(Verdict::Unsupported, text).exit(ExitCode::DEVICE)
        }
        WorkerProblem::Capture { .. } => {
            Finding::new(Verdict::Unsupported, text).exit(ExitCode::CAPTURE)
        }
        WorkerProblem::Refused(report) => {
            let reasons: Vec<&str> =
                report.reasons.iter().map(|reason| reason.text.as_str()).collect();
            let reason = format!("{text}: {}", reasons.join("; "));
            Finding::new(Verdict::Skipped { reason }, text).exit(ExitCode::REFUSED)
        }
        WorkerProblem::Call { .. } | WorkerProblem::Accepted { .. } => {
            Finding::new(Verdict::Mismatch, text)
        }
        WorkerProblem::Kernel { .. } => Finding::new(Verdict::Unsupported, text),
        WorkerProblem::Contract(_)
        | WorkerProblem::File { .. }
        | WorkerProblem::Internal { .. } => Finding::new(Verdict::InternalError, text),
    };
    finding.signed(signatures::of_problem(problem))
}

/// The progress of a run, from its journal or its reported phases.
fn reached(executed: &Executed) -> Vec<String> {
    if let Some(phase) = &executed.phase {
        return vec![phase.to_string()];
    }
    let Some(capture) = &executed.recovered else {
        return executed.problem.iter().cloned().collect();
    };
    let commands = &capture.program.commands;
    let Some(last) = commands.last() else { return Vec::new() };
    if capture.at_end().is_some() {
        let what = "Every call had returned. The work was being done for which no call waits.";
        return vec![what.to_owned()];
    }
    let index = commands.len().saturating_sub(1);
    vec![format!("The run had reached command {index}, {}.", last.command.kind().name())]
}

/// The largest buffer that the run had made: its data is in most cases what takes the memory.
fn largest_buffer(executed: &Executed) -> Option<String> {
    let commands = executed.recovered.iter().flat_map(|capture| &capture.program.commands);
    let buffers = commands.enumerate().filter_map(|(index, made)| match &made.command {
        Command::CreateBuffer(CreateBuffer { name, size, .. }) => Some((size, index, name)),
        _ => None,
    });
    // Of equal ones the first.
    let (size, index, name) = buffers.max_by_key(|(size, index, _)| (*size, Reverse(*index)))?;
    let size = counted(*size, "B", "B");
    Some(format!("Its largest buffer is `{}` of {size}, made by command {index}.", plain(name)))
}

/// Compares the outcome of every call with what the suite expects.
pub fn outcomes(capture: &Capture, bound: &BoundTest, report: &WorkerReport) -> Option<Finding> {
    for (index, step) in bound.case.steps.iter().enumerate() {
        let outcome = capture.program.commands.get(index).map(|recorded| &recorded.outcome);
        let at = CommandIndex(u32::try_from(index).unwrap_or(u32::MAX));
        if let Some(end) = report.other_end(at) {
            return Some(ended_otherwise(index, step, end));
        }
        let finding = match (outcome, &step.failure) {
            (Some(Outcome::Done), None) => None,
            (Some(Outcome::Failed(actual)), Some(expected)) if is_expected(actual, expected) => {
                match actual {
                    Failure::DeviceFault { enqueue, .. } => {
                        stopped::wrong_place(capture, report, at, *enqueue, step.place.as_ref())
                    }
                    _ => None,
                }
            }
            (Some(Outcome::Done), Some(_)) if !Check::CallSucceeded.finds(true) => None,
            (Some(Outcome::Done), Some(expected)) => {
                let signature =
                    signatures::of_call(step.command.kind(), expected.into(), CallEnd::Done);
                let finding = Finding::new(
                    Verdict::Mismatch,
                    format!("{} succeeded, but the suite expects it to fail", call(index, step)),
                )
                .signed(Some(signature))
                .line(format!("expected  {}: {expected}", expected.code().name()));
                Some(if expected.ends_the_run() { finding.of_device() } else { finding })
            }
            (Some(Outcome::Failed(_)), _) if !Check::CallFailed.finds(true) => None,
            (Some(Outcome::Failed(actual)), expected) => {
                let finding = failed(capture, report, index, step, actual, expected.as_ref());
                Some(finding.lines(places_of_race(bound, actual)))
            }
            (Some(Outcome::Unfinished) | None, _) => Some(
                Finding::new(Verdict::Crash, format!("{} did not complete", call(index, step)))
                    .signed(Some(signatures::of_call(
                        step.command.kind(),
                        expected_end(step.failure.as_ref()),
                        CallEnd::Unfinished,
                    ))),
            ),
        };
        if finding.is_some() {
            return finding;
        }
    }
    None
}

/// The expected outcome of a call.
fn expected_end(failure: Option<&Failure>) -> CallEnd {
    failure.map_or(CallEnd::Done, CallEnd::from)
}

/// A call whose outcome under TT-Metalium differs from that on the modelled chip of its capture.
fn ended_otherwise(index: usize, step: &BoundStep, end: &OtherEnd) -> Finding {
    let call = call(index, step);
    let actual = match &end.exception {
        None => CallEnd::Done,
        Some(text) => CallEnd::Refused { reason: signatures::first_line(text) },
    };
    let expected = expected_end(step.failure.as_ref());
    let signature = signatures::of_call(step.command.kind(), expected, actual);
    let finding = match &end.exception {
        None => Finding::new(Verdict::Mismatch, format!("{call} succeeded on TT-Metalium")),
        Some(text) => {
            let mut lines = text.lines();
            let first = lines.next().unwrap_or_default();
            Finding::new(Verdict::Mismatch, format!("{call} threw on TT-Metalium: {first}"))
                .lines(lines.take(SHOWN_LINES).map(str::to_owned))
        }
    };
    let finding = finding.signed(Some(signature));
    match (&step.failure, &end.ended_with) {
        (Some(expected), _) => {
            finding.line(format!("expected  {}: {expected}", expected.code().name()))
        }
        (None, Some(failure)) => finding
            .line(format!("On the modelled chip the run ended there: {failure}"))
            .line("Below TT-Metalium the simulator knows which memory belongs to buffers, and not which belongs to each launch."),
        (None, None) => finding.line("expected  no exception"),
    }
}

/// Compares how the queues ended after the last call with what the suite expects.
pub fn end(capture: &Capture, bound: &BoundTest, report: &WorkerReport) -> Option<Finding> {
    let expected = bound.case.at_end.fails();
    let actual = capture.at_end().and_then(QueuesEnd::failure);
    match (actual, expected) {
        (None, None) => None,
        (Some(actual), Some(expected)) if is_expected(actual, &expected.failure) => match actual {
            Failure::DeviceFault { enqueue, .. } => {
                let place = expected.place.as_ref();
                stopped::wrong_place(capture, report, *enqueue, *enqueue, place)
            }
            _ => None,
        },
        (None, Some(_)) if !Check::EndSucceeded.finds(true) => None,
        (None, Some(expected)) => {
            let failure = &expected.failure;
            let finding = Finding::new(
                Verdict::Mismatch,
                "the queues ended without a failure, but the suite expects one (`expect_at_end`)",
            )
            .signed(Some(signatures::of_end(failure.into(), CallEnd::Done)))
            .line(format!("expected  {}: {failure}", failure.code().name()));
            Some(if failure.ends_the_run() { finding.of_device() } else { finding })
        }
        (Some(_), _) if !Check::EndFailed.finds(true) => None,
        (Some(actual), expected) => {
            let expected = expected.map(|expected| &expected.failure);
            let at = signatures::at_end(&capture.program, actual);
            let what = || format!("the end of the queues failed: {actual}");
            let finding = failure(capture, report, at, what, actual, expected);
            Some(finding.lines(places_of_race(bound, actual)).line(AT_THE_END))
        }
    }
}

/// Why no call reports a failure.
const AT_THE_END: &str = "No call waits for this work. It was done after the last call.";

/// Whether a call failed as the suite expects.
fn is_expected(actual: &Failure, expected: &Failure) -> bool {
    match (actual, expected) {
        (
            Failure::DeviceFault { category, enqueue },
            Failure::DeviceFault { category: wanted, enqueue: of },
        ) => {
            !Check::FaultCategory.finds(category != wanted)
                && !Check::FaultProgram.finds(enqueue != of)
        }
        _ => actual.code() == expected.code() && !Check::FailureFields.finds(actual != expected),
    }
}

fn call(index: usize, step: &BoundStep) -> String {
    format!("command {index}, {} ({}),", step.command.kind().name(), step.written_at())
}

fn failed(
    capture: &Capture,
    report: &WorkerReport,
    index: usize,
    step: &BoundStep,
    actual: &Failure,
    expected: Option<&Failure>,
) -> Finding {
    let at = CommandIndex(u32::try_from(index).unwrap_or(u32::MAX));
    let what = || match actual {
        Failure::DeviceLost {} => format!("{} {actual}", call(index, step)),
        _ => format!("{} failed: {actual}", call(index, step)),
    };
    let mut finding = failure(capture, report, at, what, actual, expected);
    // The report of a fault says more than the call that reported it.
    if let Some(said) = &report.failed_call
        && said.command == at.0
        && matches!(finding.verdict, Verdict::Mismatch | Verdict::Refused | Verdict::NotBuilt)
    {
        let lines = [said.text.clone(), format!("remedy    {}", said.remedy)];
        finding = finding.lines(lines);
    }
    finding
}

/// The finding for a failure that a call met, or that the end of the queues met and that is blamed on the call.
fn failure(
    capture: &Capture,
    report: &WorkerReport,
    at: CommandIndex,
    what: impl Fn() -> String,
    actual: &Failure,
    expected: Option<&Failure>,
) -> Finding {
    let finding = match actual {
        Failure::QueueRace { first, second } => {
            let (one, two) = (told(capture, *first), told(capture, *second));
            Finding::new(
                Verdict::of_failure(actual),
                format!("DataRace: {one} and {two} touch the same memory, and nothing orders them"),
            )
            .of_category(FaultCategory::DataRace)
            .lines(shared_memory(report, at))
        }
        Failure::DeviceLost {} => {
            let stop = report.stop.as_ref();
            Finding::new(Verdict::of_failure(actual), what()).of_device()
                .lines(stop.map(ToString::to_string))
                .line("The next test opens the device again, and is refused if the device does not answer.")
        }
        _ => stopped::finding(capture, report, at, actual).unwrap_or_else(|| {
            let verdict = expected.map_or(Verdict::of_failure(actual), |_| Verdict::Mismatch);
            Finding::new(verdict, what())
        }),
    };
    let stop = report.stop.as_deref();
    let expected_end = expected_end(expected);
    let finding = finding.signed(signatures::of_failure(capture, stop, at, &expected_end, actual));
    match expected {
        Some(expected) => finding
            .line(format!("expected  {}: {expected}", expected.code().name()))
            .line(format!("actual    {}: {actual}", actual.code().name())),
        None => finding,
    }
}

/// Where the suite has two racing commands: "command 9 is line 12 of the suite, and command 11 line 14 of the suite".
fn places_of_race(bound: &BoundTest, failure: &Failure) -> Option<String> {
    let Failure::QueueRace { first, second } = failure else { return None };
    let place = |command: &CommandIndex| {
        let step = bound.case.steps.get(usize::try_from(command.0).ok()?)?;
        (step.line > 0).then(|| format!("command {command} is {}", step.written_at()))
    };
    Some(format!("{}, and {}", place(first)?, place(second)?))
}

/// The shared memory of two racing commands, and the missing order, in the worker's words.
fn shared_memory(report: &WorkerReport, at: CommandIndex) -> Vec<String> {
    let said = report.failed_call.iter().filter(|said| said.command == at.0);
    let details = said.filter_map(|said| said.detail.as_deref());
    details.flat_map(|detail| detail.split("; ")).map(str::to_owned).collect()
}

/// A command with its object and queue: ``command 5, enqueue_write_buffer of `input` on queue 1``.
fn told(capture: &Capture, command: CommandIndex) -> String {
    let place = usize::try_from(command.0).ok();
    let Some(recorded) = place.and_then(|place| capture.program.commands.get(place)) else {
        return format!("command {command}");
    };
    let made = &recorded.command;
    let queue = made.queue().map_or_else(String::new, |queue| format!(" on queue {queue}"));
    let about = hallmark_schema::subject_of(&capture.program, made);
    format!("command {command}, {} of `{about}`{queue},", made.kind().name())
}

/// Compares what reads returned with what the suite expects.
pub fn outputs(capture: &Capture, bound: &BoundTest, kept: Option<&TestFolder>) -> Option<Finding> {
    for expected in &bound.outputs {
        let Some(wanted) = expected.hash else { continue };
        let Some(output) = capture.outputs.iter().find(|it| it.name == expected.output) else {
            let kind = CommandKind::EnqueueReadBuffer;
            let signature = signatures::of_call(kind, CallEnd::Done, CallEnd::Unfinished);
            return Some(
                Finding::new(
                    Verdict::Mismatch,
                    format!(
                        "the read of `{}` never completed; add `finish: {{}}`",
                        expected.output
                    ),
                )
                .signed(Some(signature)),
            );
        };
        if output.hash == wanted {
            continue;
        }
        if let (Some(tolerance), Some(reference)) = (&expected.tolerance, &expected.bytes) {
            match near(capture, expected, tolerance, reference, output.hash, kept) {
                finding @ Some(_) if Check::OutputNear.finds(true) => return finding,
                Some(_) | None => continue,
            }
        }
        let Some(wanted) = &expected.bytes else {
            if !Check::OutputHash.finds(true) {
                continue;
            }
            return Some(
                Finding::new(
                    Verdict::Mismatch,
                    format!("Mismatch: `{}` has another hash than the suite says", expected.output),
                )
                .of_device()
                .signed(Some(of_output(capture, expected, None, output.hash)))
                .line(format!("expected  {wanted}"))
                .line(format!("actual    {}", output.hash)),
            );
        };
        let Some(actual) = capture.returned_bytes(output.hash) else {
            return Some(Finding::new(
                Verdict::InternalError,
                format!("the capture does not hold what `{}` returned", expected.output),
            ));
        };
        if !Check::OutputBytes.finds(true) {
            continue;
        }
        let actual: &[u8] = &actual;
        if let Some(kept) = kept {
            kept.output(&expected.output, wanted, actual);
        }
        let read = place::ReadPlace::of(capture, expected.command);
        let of_tensor = expected.tensor.as_ref();
        let of_tensor = of_tensor.and_then(|pages| TensorDifference::of(pages, wanted, actual));
        let (headline, lines) = match &of_tensor {
            Some(differs) => (
                differs.headline(&expected.output, &expected.against),
                differs.lines(read.as_ref()),
            ),
            None => (
                mismatch::headline(
                    &expected.output,
                    &expected.against,
                    wanted,
                    actual,
                    read.as_ref(),
                ),
                mismatch::lines(wanted, actual, read.as_ref()),
            ),
        };
        return Some(
            Finding::new(Verdict::Mismatch, headline)
                .of_device()
                .signed(Some(of_output(capture, expected, Some(wanted), output.hash)))
                .lines(lines)
                .pictures(differing_bytes(
                    &sides(&expected.output, wanted, actual),
                    read.as_ref(),
                    |one, other| one != other,
                )),
        );
    }
    None
}

/// The expected and the actual bytes of an output.
const fn sides<'a>(output: &'a str, expected: &'a [u8], actual: &'a [u8]) -> Sides<'a> {
    Sides { object: output, left: ("expected", expected), right: ("actual", actual) }
}

/// The signature of a wrong output.
fn of_output(
    capture: &Capture,
    expected: &ExpectedOutput,
    wanted: Option<&[u8]>,
    actual: ContentHash,
) -> Signature {
    let bytes = capture.returned_bytes(actual);
    let at = CommandIndex(expected.command);
    signatures::of_read(capture, at, &expected.output, wanted, bytes.as_deref())
}

/// Compares the result of a read with reference data, within a tolerance.
fn near(
    capture: &Capture,
    expected: &ExpectedOutput,
    tolerance: &Tolerance,
    reference: &[u8],
    hash: ContentHash,
    kept: Option<&TestFolder>,
) -> Option<Finding> {
    let output = &expected.output;
    let Some(actual) = capture.returned_bytes(hash) else {
        return Some(Finding::new(
            Verdict::InternalError,
            format!("the capture does not hold what `{output}` returned"),
        ));
    };
    let read = place::ReadPlace::of(capture, expected.command);
    let outside = tolerance.outside(reference, &actual)?;
    if let Some(kept) = kept {
        kept.output(output, reference, &actual);
    }
    let against = &expected.against;
    let size = u64::try_from(tolerance.data_type.size()).unwrap_or(1);
    let of_tensor = expected.tensor.as_ref().map_or_else(Vec::new, |pages| {
        let at = [("first", &outside.first), ("worst", &outside.worst)];
        tensor_difference::places(
            pages,
            at.map(|(what, it)| (what, it.element.saturating_mul(size))),
        )
    });
    Some(
        Finding::new(
            Verdict::Mismatch,
            tolerance::headline(output, against, tolerance, &outside, reference, read.as_ref()),
        )
        .of_device()
        .signed(Some(of_output(capture, expected, Some(reference), hash)))
        .lines(of_tensor)
        .lines(tolerance::lines(tolerance, &outside, reference, &actual, read.as_ref()))
        .pictures(differing_bytes(
            &sides(output, reference, &actual),
            read.as_ref(),
            |one, other| tolerance.outside(one, other).is_some(),
        )),
    )
}

/// Why an assessment gave no answer.
pub fn no_answer(executed: &Executed, timeout: Duration) -> Finding {
    let nothing = || Finding::new(Verdict::InternalError, "the worker gave no answer");
    match (&executed.ended.ending, &executed.report.problem) {
        (Ending::Reported(_), Some(problem)) => worker_problem(problem),
        (Ending::Reported(_), None) => nothing(),
        _ => ending(executed, timeout, Side::Replay).unwrap_or_else(nothing),
    }
}

/// Compares a replay with its capture.
pub fn replayed_file(
    capture: &Capture,
    replayed: &Executed,
    timeout: Duration,
    strict_derived: bool,
) -> Option<Finding> {
    if repeated_fault(capture, replayed).is_some() {
        return None;
    }
    if let Some(finding) = ending(replayed, timeout, Side::Replay) {
        return Some(finding);
    }
    let Some(again) = &replayed.capture else {
        return Some(Finding::new(Verdict::InternalError, "the replay left no capture"));
    };
    let reported = replayed.report.differences.clone();
    let mut lines = first_lines(reported, SHOWN_DIFFERENCES, "more difference", "more differences");
    let mut pictures = Vec::new();
    let newer = replayed.report.newer.as_ref();
    // A replay completes an unfinished capture, and ends with the finding of a check that is newer than the capture.
    if replayed.report.finished_now.is_none() && !newer.is_some_and(NewerCheck::ends_the_replay) {
        // An adapted replay runs on another chip, and states that.
        let mut before = capture.program.clone();
        if replayed.is_adapted() {
            (before.architecture, before.grid) = (again.program.architecture, again.program.grid);
        }
        if let Some(at) = newer.and_then(|it| usize::try_from(it.command?).ok())
            && let (Some(was), Some(is)) =
                (before.commands.get_mut(at), again.program.commands.get(at))
        {
            was.outcome = is.outcome.clone();
        }
        let differing = differences_of_runs(&before, capture, again);
        lines.extend(differing.lines);
        pictures = differing.pictures;
    }
    if !lines.is_empty() {
        return Some(
            Finding::new(Verdict::Unstable, "the replay did not repeat what was captured")
                .signed(signatures::of_replay(capture, replayed).signature())
                .lines(lines)
                .pictures(pictures),
        );
    }
    let derived = &replayed.report.derived_differences;
    if Check::StrictDerived.finds(strict_derived && !derived.is_empty()) {
        return Some(
            Finding::new(
                Verdict::Unstable,
                format!(
                    "{} between capture and replay, which --strict-derived forbids",
                    counted(derived.len(), "derived difference", "derived differences")
                ),
            )
            .signed(derived.first().map(|first| {
                // The text begins with the object's name, followed by the difference.
                let field = first.split_once(": ").map_or(first.as_str(), |(_, what)| what);
                Signature::unstable(FieldClass::Derived, field)
            }))
            .lines(derived.clone()),
        );
    }
    None
}

/// What a second run of a capture's calls recorded otherwise: its program part, which should be `before`, and reads that
/// must not differ.
pub fn differences_of_runs(
    before: &ProgramPart,
    capture: &Capture,
    again: &Capture,
) -> DifferingReads {
    let bytes = |program: &ProgramPart| program_bytes(program).unwrap_or_default();
    let after = &again.program;
    let mut differing = DifferingReads::default();
    if Check::AgainProgram.finds(bytes(before) != bytes(after)) {
        differing.lines.extend(program_differences(before, after));
    }
    // The worker reports differences within tolerances.
    let exact = |capture: &Capture| Golden::of(capture, true).map(|golden| golden.outputs);
    let DifferingReads { lines: mut details, pictures } = differing_reads(capture, again);
    if details.is_empty()
        && let (Ok(before), Ok(after)) = (exact(capture), exact(again))
    {
        details.extend(crate::golden::output_differences(&before, &after));
    }
    if Check::AgainOutputs.finds(!details.is_empty()) {
        differing.lines.extend(details);
        differing.pictures = pictures;
    }
    differing
}

/// Every field that differs, with its class, a line each.
pub fn all_program_differences(before: &ProgramPart, after: &ProgramPart) -> String {
    hallmark_schema::diff_programs(before, after).to_string()
}

/// The first differing fields with their classes.
pub fn program_differences(before: &ProgramPart, after: &ProgramPart) -> Vec<String> {
    let text = all_program_differences(before, after);
    let lines = text.lines().map(str::to_owned).collect();
    first_lines(lines, SHOWN_FIELDS, "more line", "more lines")
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Architecture;
    use hallmark_schema::model::{Grid, SourceFile};

    use super::*;

    fn with_sources(count: usize) -> ProgramPart {
        let file = |number| SourceFile {
            path: format!("kernels/{number:02}.cpp"),
            hash: ContentHash::of(b"source"),
        };
        ProgramPart {
            architecture: Architecture::WormholeB0,
            grid: Grid { columns: 1, rows: 1 },
            placement_bound: false,
            sources: (0..count).map(file).collect(),
            commands: Vec::new(),
            num_command_queues: 1,
            trace_region_size: 0,
            l1_small_size: 0,
            worker_l1_size: 0,
            free_tensors: Vec::new(),
        }
    }

    #[test]
    fn only_what_is_left_out_is_counted() {
        let lines = |count| program_differences(&with_sources(0), &with_sources(count));
        // A title precedes the differences.
        assert_eq!(lines(19).len(), 20);
        assert!(!lines(19).concat().contains("more"), "{:?}", lines(19));
        assert_eq!(lines(20).len(), 21);
        assert_eq!(lines(20)[20], "and 1 more line");
    }
}
