//! Whether the captured run failed, determined from the capture alone: a replay that repeats a failure agrees
//! with its capture, but is no success.

use hallmark_schema::commands;
use hallmark_schema::model::{
    Capture, Command, CommandIndex, Expectation, Failure, Outcome, RecordedCommand,
};
use hallmark_suite::checks::Check;

use super::finding::Finding;
use super::signatures;
use crate::signature::CallEnd;
use crate::verdict::{ExitCode, Verdict};

/// The failures of a captured run, as repeated by its replay: the one that determines the exit code first, the
/// others in the order of the commands. The capture's own record lists expected failures.
pub fn failures(captured: &Capture, replayed: &Capture) -> Vec<Finding> {
    let is_newer = |(index, recorded): &(CommandIndex, &RecordedCommand)| {
        let was = usize::try_from(index.0).ok().and_then(|at| captured.program.commands.get(at));
        was.is_some_and(|was| is_newer(captured, &was.outcome, &recorded.outcome))
    };
    let commands = (0..).map(CommandIndex).zip(&replayed.program.commands);
    let mut findings: Vec<Finding> = commands
        .clone()
        .filter(|(index, _)| !captured.expects_fault_of(*index))
        .filter(|call| !is_newer(call))
        .filter_map(|(index, recorded)| fault(replayed, index, recorded))
        .collect();
    findings.extend(failed_end(captured, replayed));
    findings.extend(
        commands.filter_map(|(index, recorded)| missed(captured, replayed, index, recorded)),
    );
    let code = ExitCode::first(findings.iter().map(Finding::exit_code));
    if let Some(worst) = findings.iter().position(|finding| finding.exit_code() == code) {
        let worst = findings.remove(worst);
        findings.insert(0, worst);
    }
    findings
}

/// A fault, a deadlock, a hang or the loss of the device.
fn fault(replayed: &Capture, index: CommandIndex, recorded: &RecordedCommand) -> Option<Finding> {
    let Outcome::Failed(failure) = &recorded.outcome else { return None };
    Check::RepeatedFault.finds(failure.ends_the_run()).then(|| {
        let call = recorded.command.kind().name();
        let signature = signatures::of_failure(replayed, None, index, &CallEnd::Done, failure);
        Finding::new(Verdict::of_failure(failure), format!("command {index}, {call}: {failure}"))
            .signed(signature)
    })
}

/// Whether a replay failed where the captured run did not, by a check that is newer than the capture.
fn is_newer(captured: &Capture, was: &Outcome, is: &Outcome) -> bool {
    let knows = |category| captured.record.as_ref().is_none_or(|record| record.knows(category));
    match (was, is) {
        (Outcome::Done, Outcome::Failed(Failure::DeviceFault { category, .. })) => {
            !knows(*category)
        }
        _ => false,
    }
}

/// Queues that failed at their end, unless the captured program's author expected that.
fn failed_end(captured: &Capture, replayed: &Capture) -> Option<Finding> {
    let expected = captured.at_end().is_some_and(|end| end.expected);
    let end = replayed.at_end()?;
    let failure = end.failure()?;
    if captured.at_end().is_some_and(|was| is_newer(captured, &was.outcome, &end.outcome)) {
        return None;
    }
    Check::RepeatedEnd.finds(!expected).then(|| {
        let signature = signatures::of_failure_at_end(replayed, None, &CallEnd::Done, failure);
        let text = format!("the work at the end, for which no call waits: {failure}");
        Finding::new(Verdict::of_failure(failure), text).signed(signature)
    })
}

/// A read whose result differs from the program's expectation.
fn missed(
    captured: &Capture,
    replayed: &Capture,
    index: CommandIndex,
    RecordedCommand { command, outcome }: &RecordedCommand,
) -> Option<Finding> {
    let Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { output, expectation, .. }) =
        command
    else {
        return None;
    };
    if *outcome != Outcome::Done {
        return None;
    }
    let actual = replayed.read_result(index).map(|read| read.hash);
    let problem = match expectation {
        Expectation::AsCaptured | Expectation::Unchecked { .. } => return None,
        Expectation::Exact { hash } => match actual {
            Some(actual) if !Check::RepeatedBytes.finds(actual != *hash) => return None,
            Some(actual) => {
                format!(
                    "the data have the hash {}, and the program expects {}",
                    actual.short(),
                    hash.short()
                )
            }
            None => never_read(replayed)?,
        },
        Expectation::Reference { data, tolerance } => match actual {
            Some(actual) if actual == data.hash => return None,
            Some(actual) => {
                let reference = data.bytes(&captured.blobs).ok();
                let (Some(reference), Some(actual)) = (reference, replayed.returned_bytes(actual))
                else {
                    let text = "the capture lacks the data that decide whether the output is near its reference";
                    return Some(finding(index, output, text));
                };
                let outside = tolerance.outside(&reference, &actual);
                let outside = outside.filter(|_| Check::RepeatedNear.finds(true))?;
                format!("{} elements are not near their reference", outside.elements)
            }
            None => never_read(replayed)?,
        },
    };
    let unread = || signatures::of_call(command.kind(), CallEnd::Done, CallEnd::Unfinished);
    let signature = actual.map_or_else(unread, |actual| {
        let expected = match expectation {
            Expectation::Exact { hash } => captured.returned_bytes(*hash),
            Expectation::Reference { data, .. } => data.bytes(&captured.blobs).ok(),
            Expectation::AsCaptured | Expectation::Unchecked { .. } => None,
        };
        let actual = replayed.returned_bytes(actual);
        signatures::of_read(replayed, index, output, expected.as_deref(), actual.as_deref())
    });
    Some(finding(index, output, &problem).signed(Some(signature)))
}

fn finding(index: CommandIndex, output: &str, problem: &str) -> Finding {
    Finding::new(Verdict::Mismatch, format!("command {index}, read of `{output}`: {problem}"))
}

/// A read without a result. For an incomplete run it is unknown whether the read would have had one.
fn never_read(replayed: &Capture) -> Option<String> {
    let mut outcomes = replayed.program.commands.iter().map(|recorded| &recorded.outcome);
    let broken_off = outcomes.any(|outcome| match outcome {
        Outcome::Failed(failure) => failure.ends_the_run(),
        Outcome::Unfinished => true,
        Outcome::Done => false,
    });
    Check::RepeatedUnread
        .finds(!broken_off)
        .then(|| "no call waited for it, so nothing was read".to_owned())
}
