//! The first sign of a deviation between two runs of a candidate.

use std::collections::BTreeSet;
use std::ops::Range;

use hallmark_execution::worker::state::{BufferState, StateNote};
use hallmark_pipeline::signature::{CallEnd, Signature};
use hallmark_pipeline::signatures;
use hallmark_schema::model::{CommandIndex, Failure, Outcome};
use hallmark_schema_editing::{CommandSource, Edited};
use serde::{Deserialize, Serialize};

use super::conclusion::EqualMemory;
use super::looks::{completion, is_traced};
use super::observation::Observation;
use super::sought::SoughtSign;
use crate::defects::{Defect, planted};

/// The first difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Sign {
    /// The end of a call, or the death of the process in it.
    Call(Signature),
    /// The result of a read.
    Read(Signature),
    /// The content of memory after a call.
    Memory(Vec<DifferingBuffer>),
}

/// A buffer that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DifferingBuffer {
    /// Its id in the candidate.
    pub(super) buffer: u32,
    /// The buffer's name in the host program.
    pub(super) name: String,
    /// The pages whose digests differ.
    pub(super) pages: Vec<Range<u64>>,
}

impl Sign {
    /// The signature of the failure, as far as the sign determines it.
    pub(super) const fn signature(&self) -> Option<&Signature> {
        match self {
            Self::Call(signature) | Self::Read(signature) => Some(signature),
            Self::Memory(_) => None,
        }
    }

    /// Whether the cause may be a read.
    pub(super) const fn is_of_read(&self) -> bool {
        match self {
            Self::Read(_) | Self::Call(_) => true,
            Self::Memory(_) => false,
        }
    }
}

/// The first sign, and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Found {
    /// The call at which it occurs.
    pub(super) at: CommandIndex,
    /// The last call that may have contributed: after `at` if a read was pending.
    until: CommandIndex,
    pub(super) sign: Sign,
    /// The command that the device itself names.
    pub(super) blamed: Option<CommandIndex>,
    /// The last call after which all memory was equal.
    pub(super) equal: Option<CommandIndex>,
    /// The amount of equal memory at that point.
    pub(super) equal_memory: EqualMemory,
}

impl Found {
    /// The bracket of the first bad command: after the first call, up to the second.
    pub(super) const fn bracket(&self) -> (Option<CommandIndex>, CommandIndex) {
        (self.equal, self.until)
    }
}

/// The first differing call, read or page that belongs to the sought failure, if there is one. `open` are the
/// buffers that need not agree.
pub(super) fn first_sign(
    candidate: &Edited,
    good: &Observation,
    bad: &Observation,
    open: &BTreeSet<u32>,
    sought: Option<&SoughtSign>,
) -> Option<Found> {
    let mut equal = None;
    let mut equal_memory = EqualMemory::default();
    let length = good.capture.program.commands.len();
    for at in (0..u32::try_from(length).unwrap_or(u32::MAX)).map(CommandIndex) {
        let found = |sign: Sign, blamed: Option<CommandIndex>| {
            let sign = match sought {
                Some(sought) => sought.of(sign)?,
                None => sign,
            };
            let until = match &sign {
                Sign::Read(_) if !planted(Defect::ReadsCompleteAtOnce) => {
                    completion(&candidate.capture.program, at)
                }
                Sign::Call(_) | Sign::Read(_) | Sign::Memory(_) => at,
            };
            Some(Found { at, until, sign, blamed, equal, equal_memory })
        };
        let by_call = || {
            let (signature, blamed) = call(good, bad, at)?;
            // A fault in a trace occurs in one of its replays, and a device blames the captured call.
            let is_named = |named: &CommandIndex| {
                *named == at || !is_traced(&candidate.capture.program, *named)
            };
            found(Sign::Call(signature), blamed.filter(is_named))
        };
        let by_another_call = || found(Sign::Call(another_call(good, bad, at)?), Some(at));
        let by_read = || found(Sign::Read(read(candidate, good, bad, at)?), None);
        if let Some(found) = by_call().or_else(by_another_call).or_else(by_read) {
            return Some(found);
        }
        let notes = good.notes.get(&at.0).zip(bad.notes.get(&at.0));
        if let Some((of_good, of_bad)) = notes {
            let differing = differing(of_good, of_bad, open);
            // A difference that does not belong to the sought failure is skipped, and its buffers do not count
            // as equal.
            let apart = open.iter().copied().chain(differing.iter().map(|it| it.buffer)).collect();
            if !differing.is_empty()
                && let Some(found) = found(Sign::Memory(differing), None)
            {
                return Some(found);
            }
            (equal, equal_memory) = (Some(at), EqualMemory::of(of_good, &apart));
        }
    }
    None
}

/// A call with another outcome on the bad side, and the command that the device blames.
fn call(
    good: &Observation,
    bad: &Observation,
    at: CommandIndex,
) -> Option<(Signature, Option<CommandIndex>)> {
    let was = good.call(at)?;
    let expected = CallEnd::from(&was.outcome);
    let executed = bad.executed.as_ref()?;
    let kind = was.command.kind();
    let blamed_before = match &was.outcome {
        Outcome::Failed(failure) => blamed(failure, at),
        Outcome::Done | Outcome::Unfinished => None,
    };
    if let Some(end) = executed.report.other_end(at) {
        let actual = match &end.exception {
            None => CallEnd::Done,
            Some(text) => CallEnd::Refused { reason: signatures::first_line(text) },
        };
        return Some((signatures::of_call(kind, expected, actual), blamed_before));
    }
    let died = || signatures::of_ending(executed);
    let Some(is) = bad.call(at) else { return died().map(|signature| (signature, None)) };
    if was.outcome == is.outcome {
        return None;
    }
    match &is.outcome {
        Outcome::Failed(failure) => {
            let stop = executed.report.stop.as_deref();
            let signature = signatures::of_failure(&bad.capture, stop, at, &expected, failure)?;
            Some((signature, blamed(failure, at)))
        }
        Outcome::Unfinished => died().map(|signature| (signature, None)),
        Outcome::Done => Some((signatures::of_call(kind, expected, CallEnd::Done), blamed_before)),
    }
}

/// A call that the bad side made with other arguments than the good side.
fn another_call(good: &Observation, bad: &Observation, at: CommandIndex) -> Option<Signature> {
    let (was, is) = (&good.capture.program, &bad.capture.program);
    let is_other = good.call(at)?.command != bad.call(at)?.command;
    // A capture adapted to another architecture has other calls.
    (is_other && was.architecture == is.architecture)
        .then(|| signatures::of_programs(was, is))
        .flatten()
}

/// The command that a failed call blames; the call itself if it was refused, because a refusal does not involve
/// the device.
const fn blamed(failure: &Failure, at: CommandIndex) -> Option<CommandIndex> {
    match failure {
        Failure::DeviceFault { enqueue, .. }
        | Failure::Deadlock { enqueue }
        | Failure::Hang { enqueue } => Some(*enqueue),
        Failure::QueueRace { second, .. } => Some(*second),
        refused if !refused.ends_the_run() => Some(at),
        _ => None,
    }
}

/// A read with another result, where a difference is not permitted.
fn read(
    candidate: &Edited,
    good: &Observation,
    bad: &Observation,
    at: CommandIndex,
) -> Option<Signature> {
    let source = candidate.sources.get(usize::try_from(at.0).ok()?)?;
    if matches!(source, CommandSource::Inserted { .. }) {
        return inserted_read(good, bad, at);
    }
    signatures::of_repeated_read(&good.capture, &bad.capture, at)
}

/// An inserted read. Replays do not check it, and it reads bytes that the good side has written.
fn inserted_read(good: &Observation, bad: &Observation, at: CommandIndex) -> Option<Signature> {
    let output = &good.capture.read_call(at)?.output;
    let bytes = |side: &Observation| -> Option<Vec<u8>> {
        let hash = side.capture.read_result(at)?.hash;
        Some(side.capture.returned_bytes(hash)?.into_owned())
    };
    let (expected, actual) = (bytes(good)?, bytes(bad)?);
    (expected != actual)
        .then(|| signatures::of_read(&bad.capture, at, output, Some(&expected), Some(&actual)))
}

/// The buffers that differ after a call.
fn differing(good: &StateNote, bad: &StateNote, open: &BTreeSet<u32>) -> Vec<DifferingBuffer> {
    let pairs = good.buffers.iter().filter_map(|(id, state)| {
        let other = bad.buffers.get(id).filter(|_| !open.contains(id))?;
        let pages = state.pages.differing(&other.pages);
        let BufferState { name, .. } = state;
        let differs = DifferingBuffer { buffer: *id, name: name.clone(), pages };
        (!differs.pages.is_empty()).then_some(differs)
    });
    pairs.collect()
}
