//! Derives the signature of a failure from a worker's remains. `None` means that they say nothing about the
//! device and its programs.

use std::borrow::Cow;

use hallmark_chip::{Fault, FaultCategory, Waiting};
use hallmark_execution::worker::contract::ContractError;
use hallmark_execution::worker::problem::WorkerProblem;
use hallmark_execution::worker::process::Ending;
use hallmark_runtime::{MetaliumPhase, Stop, StopCause};
use hallmark_schema::commands;
use hallmark_schema::model::{
    BufferId, BufferRegion, Capture, Command, CommandIndex, CommandKind, ContentHash, Failure,
    Outcome, OutputHash, ProgramPart,
};

use super::awaited_enqueue::awaited_enqueue;
use super::differing_reads::{is_allowed, returned_bytes};
use super::executed::Executed;
use super::place::ReadPlace;
use super::stopped_program::StoppedProgram;
use super::waits;
use crate::signature::{CallEnd, Contents, ProcessEnd, Shape, Signature};

/// The largest number of earlier contents of a buffer that are examined.
const EARLIER_CONTENTS: usize = 8;
/// The largest read that is compared with earlier contents, bytes.
const LARGEST_EARLIER: u64 = 16 << 20;
/// The output of a process that panicked because of a bug in Hallmark.
const PANIC: &str = "panicked at ";

/// A call that failed although it should have ended otherwise. `stop` is why the device can no longer be used.
pub fn of_failure(
    capture: &Capture,
    stop: Option<&Stop>,
    at: CommandIndex,
    expected: &CallEnd,
    actual: &Failure,
) -> Option<Signature> {
    let program = |enqueue| StoppedProgram::new(capture, enqueue);
    let stop = stop.filter(|stop| stop.command == at);
    match actual {
        Failure::DeviceFault { category, enqueue } => {
            let met = stop.and_then(Stop::fault).or_else(|| recorded_fault(capture, at));
            Some(of_fault(*category, program(*enqueue).own_name(), met))
        }
        Failure::QueueRace { .. } => Some(of_fault(FaultCategory::DataRace, None, None)),
        Failure::Deadlock { enqueue } => {
            let waiting = match stop.map(|stop| &stop.cause) {
                Some(StopCause::Deadlock { waiting }) => Cow::Borrowed(waiting.as_slice()),
                _ => Cow::Owned(recorded_waits(capture)),
            };
            let waits = waits::signatures(&program(*enqueue), &waiting);
            Some(Signature::Deadlock { waits })
        }
        Failure::Hang { enqueue } => {
            Some(Signature::Hang { program: program(*enqueue).own_name() })
        }
        Failure::DeviceLost {} => None,
        _ => {
            let kind = kind_of(&capture.program, at)?;
            Some(of_call(kind, expected.clone(), actual.into()))
        }
    }
}

/// A program's fault, as far as its place is known.
fn of_fault(category: FaultCategory, program: Option<String>, fault: Option<&Fault>) -> Signature {
    let place = fault.and_then(|fault| fault.place.as_deref());
    Signature::Fault {
        category,
        program,
        processor: place.and_then(|place| place.processor),
        symbol: place.and_then(|place| place.symbol.clone()),
    }
}

/// The fault of a call in a record.
fn recorded_fault(capture: &Capture, at: CommandIndex) -> Option<&Fault> {
    let faults = &capture.record.as_ref()?.faults;
    faults.iter().find(|fault| fault.command() == at).map(|fault| fault.fault())
}

/// The waits of a deadlock in a record, which lacks what no signature tells: the awaited values and the writers of words.
fn recorded_waits(capture: &Capture) -> Vec<Waiting> {
    let waits = capture.record.iter().flat_map(|record| &record.waits);
    waits.map(Waiting::from).collect()
}

/// A call that did not end as it should.
pub fn of_call(kind: CommandKind, expected: CallEnd, actual: CallEnd) -> Signature {
    Signature::Outcome { call: kind.name().to_owned(), expected, actual }
}

/// The signature of an end of the queues that differs from the expected one, after every call was made.
pub fn of_end(expected: CallEnd, actual: CallEnd) -> Signature {
    Signature::Outcome { call: AT_THE_END.to_owned(), expected, actual }
}

/// Takes the place of a call's name in the signature of an end.
const AT_THE_END: &str = "end";

/// The kind of a command.
fn kind_of(program: &ProgramPart, at: CommandIndex) -> Option<CommandKind> {
    let place = usize::try_from(at.0).ok()?;
    program.commands.get(place).map(|recorded| recorded.command.kind())
}

/// A read that returned what it should not.
pub fn of_read(
    capture: &Capture,
    at: CommandIndex,
    output: &str,
    expected: Option<&[u8]>,
    actual: Option<&[u8]>,
) -> Signature {
    let read = ReadPlace::of(capture, at.0);
    let object = read.as_ref().map_or_else(|| output.to_owned(), |read| read.buffer.clone());
    let shape = match (expected, actual) {
        (Some(expected), Some(actual)) => {
            let earlier = earlier_contents_of_read(capture, at);
            let page_size = read.map(|read| read.page_size);
            Shape::of(Contents { expected, actual, page_size, earlier: &earlier })
        }
        _ => Shape::Other,
    };
    Signature::Differs { object, shape, bytes: actual.map(ContentHash::of) }
}

/// The earlier contents of the bytes that a command reads, the latest first.
fn earlier_contents_of_read(capture: &Capture, at: CommandIndex) -> Vec<Vec<u8>> {
    let Some(read) = capture.read_call(at) else { return Vec::new() };
    let length = capture.read_result(at).map_or(0, |known| known.length);
    earlier_contents(capture, at, (read.buffer, read.region), length)
}

/// What was in bytes of a buffer, or in all of it, before a command, the latest first: what calls wrote there and what
/// reads returned. `length` is in bytes.
pub fn earlier_contents(
    capture: &Capture,
    at: CommandIndex,
    place: (BufferId, Option<BufferRegion>),
    length: u64,
) -> Vec<Vec<u8>> {
    if length > LARGEST_EARLIER {
        return Vec::new();
    }
    let commands = usize::try_from(at.0).unwrap_or(usize::MAX);
    let before = (0..).map(CommandIndex).zip(&capture.program.commands).take(commands);
    let mut contents: Vec<Vec<u8>> = Vec::new();
    for (index, recorded) in before.collect::<Vec<_>>().into_iter().rev() {
        if contents.len() == EARLIER_CONTENTS {
            break;
        }
        let bytes = match &recorded.command {
            Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer {
                buffer,
                region,
                data,
                ..
            }) if (*buffer, *region) == place => {
                data.bytes(&capture.blobs).ok().map(|bytes| bytes.into_owned())
            }
            Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { buffer, region, .. })
                if (*buffer, *region) == place =>
            {
                let known = capture.read_result(index);
                let bytes = known.and_then(|known| capture.returned_bytes(known.hash));
                bytes.map(|bytes| bytes.into_owned())
            }
            _ => None,
        };
        contents.extend(bytes);
    }
    contents
}

/// A program part that came out otherwise.
pub fn of_programs(before: &ProgramPart, after: &ProgramPart) -> Option<Signature> {
    let differences = hallmark_schema::diff_programs(before, after);
    let first = differences.as_slice().first()?;
    let field = match first.field.as_str() {
        "" => "command",
        field => field,
    };
    Some(Signature::unstable(first.class, field))
}

/// Outputs that differ from a golden's.
pub(crate) fn of_outputs(before: &[OutputHash], after: &[OutputHash]) -> Option<Signature> {
    let differs = |(one, other): (&[OutputHash], &[OutputHash])| {
        one.iter().find(|output| !other.contains(output)).map(|output| output.name.clone())
    };
    let object = differs((before, after)).or_else(|| differs((after, before)))?;
    let bytes = after.iter().find(|output| output.name == object).map(|output| output.hash);
    Some(Signature::Differs { object, shape: Shape::Other, bytes })
}

/// How a worker ended that left no whole capture.
pub fn of_ending(executed: &Executed) -> Option<Signature> {
    let end = match &executed.ended.ending {
        Ending::Reported(report) => return report.problem.as_ref().and_then(of_problem),
        Ending::Unreadable(ContractError::Version { .. } | ContractError::NoVersion { .. })
        | Ending::OverBudget { .. }
        | Ending::Interrupted => return None,
        // The writer of the report did not reach its end.
        Ending::Unreadable(ContractError::Malformed { .. } | ContractError::Unreadable { .. }) => {
            ProcessEnd::Exit(0)
        }
        Ending::TimedOut => return Some(Signature::Hang { program: awaited(executed) }),
        Ending::Exited(code) => ProcessEnd::Exit(*code),
        Ending::Signal(signal) => ProcessEnd::Signal(*signal),
    };
    if let (ProcessEnd::Exit(_), Some(fault)) = (end, executed.ended.closing_fault()) {
        // No program was enqueued yet, so the device itself is at fault.
        return match &executed.phase {
            Some(MetaliumPhase::Calling { .. } | MetaliumPhase::Draining) => {
                Some(of_fault(fault.category, under_way(executed), Some(&fault)))
            }
            Some(MetaliumPhase::Opening | MetaliumPhase::Closing) | None => None,
        };
    }
    let panic = executed.ended.stderr.split_once(PANIC).and_then(|(_, place)| place.lines().next());
    let frame = panic.map(|place| place.trim_end_matches(':').to_owned());
    (!end.is_from_outside()).then_some(Signature::Crash { end, frame })
}

/// The program that an incomplete run waited for, if there was exactly one.
fn awaited(executed: &Executed) -> Option<String> {
    let capture = executed.recovered.as_deref().or(executed.capture.as_deref())?;
    StoppedProgram::new(capture, awaited_enqueue(&capture.program)?).own_name()
}

/// The last program that an incomplete run enqueued.
fn under_way(executed: &Executed) -> Option<String> {
    let capture = executed.recovered.as_deref().or(executed.capture.as_deref())?;
    let commands = (0..).map(CommandIndex).zip(&capture.program.commands);
    let enqueues = commands.filter(|(_, made)| matches!(made.command, Command::EnqueueProgram(_)));
    let (last, _) = enqueues.last()?;
    StoppedProgram::new(capture, last).own_name()
}

/// The signature of a worker's own problem.
pub(crate) fn of_problem(problem: &WorkerProblem) -> Option<Signature> {
    let outcome = |call: &str, expected, actual| {
        Some(Signature::Outcome { call: call.to_owned(), expected, actual })
    };
    match problem {
        WorkerProblem::Call { call, reason, .. } => {
            outcome(call, CallEnd::Done, CallEnd::Refused { reason: first_line(reason) })
        }
        WorkerProblem::Accepted { call, expected, .. } => {
            outcome(call, expected.into(), CallEnd::Done)
        }
        WorkerProblem::Contract(_)
        | WorkerProblem::Device { .. }
        | WorkerProblem::Firmware { .. }
        | WorkerProblem::Capture { .. }
        | WorkerProblem::Refused(_)
        | WorkerProblem::Kernel { .. }
        | WorkerProblem::File { .. }
        | WorkerProblem::Stopped { .. }
        | WorkerProblem::Internal { .. } => None,
    }
}

/// The first line of a text.
pub fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

/// The result of repeating a capture's calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// All outcomes and results are the same.
    Agrees,
    /// Some differ.
    Fails(Signature),
    /// The device's environment failed: nothing is known about the calls.
    Lost {
        /// The reason.
        reason: String,
    },
}

impl Repetition {
    /// The signature of the failure, if there is one.
    pub fn signature(self) -> Option<Signature> {
        match self {
            Self::Fails(signature) => Some(signature),
            Self::Agrees | Self::Lost { .. } => None,
        }
    }
}

/// Whether the results of reads count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reads {
    Compared,
    Ignored,
}

/// The first deviation of a replay from its capture: an outcome of a call or a result of a read, and otherwise
/// the program itself.
pub fn of_replay(before: &Capture, replayed: &Executed) -> Repetition {
    repetition(before, replayed, Reads::Compared)
}

/// The same, ignoring the results of reads, because calls before the reads are missing.
pub fn of_calls(before: &Capture, replayed: &Executed) -> Repetition {
    repetition(before, replayed, Reads::Ignored)
}

/// The result of a run without a capture.
pub fn without_capture(replayed: &Executed) -> Repetition {
    let lost = || Repetition::Lost { reason: lost(replayed) };
    of_ending(replayed).map_or_else(lost, Repetition::Fails)
}

fn repetition(before: &Capture, replayed: &Executed, reads: Reads) -> Repetition {
    let Some(again) = &replayed.capture else { return without_capture(replayed) };
    let stop = replayed.report.stop.as_deref();
    let newer = replayed.report.newer.as_ref();
    let pairs = before.program.commands.iter().zip(&again.program.commands);
    let calls = (0..).map(CommandIndex).zip(pairs);
    for (at, (was, is)) in calls {
        let expected = CallEnd::from(&was.outcome);
        if let Some(end) = replayed.report.other_end(at) {
            let actual = match &end.exception {
                None => CallEnd::Done,
                Some(text) => CallEnd::Refused { reason: first_line(text) },
            };
            return Repetition::Fails(of_call(was.command.kind(), expected, actual));
        }
        // The finding of a check that is newer than the capture says nothing of the device.
        if let Some(newer) = newer.filter(|it| it.command == Some(at.0)) {
            if newer.ends_the_replay() {
                return Repetition::Agrees;
            }
            continue;
        }
        // The outcome that the last call of an incomplete capture would have had is unknown.
        if was.outcome != is.outcome && was.outcome != Outcome::Unfinished {
            let signature = match &is.outcome {
                Outcome::Failed(failure) => of_failure(again, stop, at, &expected, failure),
                actual @ (Outcome::Done | Outcome::Unfinished) => {
                    Some(of_call(was.command.kind(), expected, actual.into()))
                }
            };
            let lost = || Repetition::Lost { reason: "the device was lost".to_owned() };
            return signature.map_or_else(lost, Repetition::Fails);
        }
        if reads == Reads::Compared
            && let Some(signature) = of_repeated_read(before, again, at)
        {
            return Repetition::Fails(signature);
        }
    }
    if let Some(newer) = newer {
        // The programs differ in the outcome alone.
        return match newer.command {
            Some(_) => Repetition::Agrees,
            None => of_programs(&before.program, &again.program)
                .map_or(Repetition::Agrees, Repetition::Fails),
        };
    }
    if let Some(signature) = of_repeated_end(before, again, stop) {
        return Repetition::Fails(signature);
    }
    let mut expected = Cow::Borrowed(&before.program);
    if replayed.is_adapted() {
        let program = expected.to_mut();
        (program.architecture, program.grid) = (again.program.architecture, again.program.grid);
    }
    of_programs(&expected, &again.program).map_or(Repetition::Agrees, Repetition::Fails)
}

/// The signature of an end of the queues that differs from the earlier one. `None` if either end is unknown.
fn of_repeated_end(before: &Capture, again: &Capture, stop: Option<&Stop>) -> Option<Signature> {
    let (was, is) = (&before.at_end()?.outcome, &again.at_end()?.outcome);
    if was == is || *was == Outcome::Unfinished {
        return None;
    }
    let expected = CallEnd::from(was);
    match is {
        Outcome::Failed(failure) => of_failure_at_end(again, stop, &expected, failure),
        actual @ (Outcome::Done | Outcome::Unfinished) => Some(of_end(expected, actual.into())),
    }
}

/// The signature of a failure at the end of the queues.
pub fn of_failure_at_end(
    capture: &Capture,
    stop: Option<&Stop>,
    expected: &CallEnd,
    actual: &Failure,
) -> Option<Signature> {
    of_failure(capture, stop, at_end(&capture.program, actual), expected, actual)
}

/// The call that stands for the end of the queues in the report of a failure there: the one that enqueued the work.
pub(crate) fn at_end(program: &ProgramPart, failure: &Failure) -> CommandIndex {
    let last = program.commands.len().saturating_sub(1);
    let last = CommandIndex(u32::try_from(last).unwrap_or(u32::MAX));
    failure.blamed().unwrap_or(last)
}

/// Why a run without a capture says nothing about the device.
fn lost(executed: &Executed) -> String {
    match &executed.ended.ending {
        Ending::Reported(report) => match &report.problem {
            Some(WorkerProblem::Refused(portability)) => {
                let reasons = portability.reasons.iter().map(|reason| reason.text.as_str());
                reasons.collect::<Vec<_>>().join("; ")
            }
            Some(problem) => problem.to_string(),
            None => executed.problem.clone().unwrap_or_else(|| "it left no capture".to_owned()),
        },
        Ending::Unreadable(error) => error.to_string(),
        Ending::Exited(code) => match executed.ended.closing_fault() {
            Some(fault) => format!("the device ended it before its calls: {fault}"),
            None => format!("it exited with code {code}"),
        },
        Ending::Signal(signal) => format!("signal {signal} ended it"),
        Ending::TimedOut => "it did not end in its time".to_owned(),
        Ending::OverBudget { budget } => format!("it took more memory than {budget}"),
        Ending::Interrupted => "it was interrupted".to_owned(),
    }
}

/// A read that returned something else than before, unless it may.
pub fn of_repeated_read(before: &Capture, again: &Capture, at: CommandIndex) -> Option<Signature> {
    let commands::EnqueueReadBuffer { output, expectation, .. } = before.read_call(at)?;
    let hash = |capture: &Capture| capture.read_result(at).map(|read| read.hash);
    // An incomplete read adds nothing to the call that waited for it.
    let (was, is) = hash(before).zip(hash(again)).filter(|(was, is)| was != is)?;
    let bytes = || returned_bytes([before, again], [was, is]);
    if is_allowed(before, expectation, bytes) {
        return None;
    }
    let [was, is] = bytes();
    Some(of_read(again, at, output, was.as_deref(), is.as_deref()))
}
