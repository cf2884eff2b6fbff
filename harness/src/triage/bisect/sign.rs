//! The first sign that two runs of one candidate went different ways.

use std::collections::BTreeSet;
use std::ops::Range;

use hallmark_schema::commands;
use hallmark_schema::model::{Command, CommandIndex, Failure, Outcome};
use hallmark_schema_editing::{CommandSource, Edited};

use super::conclusion::EqualMemory;
use super::observation::Observation;
use crate::pipeline::signatures;
use crate::triage::signature::{CallEnd, Signature};
use crate::worker::state::{BufferState, StateNote};

/// What differs first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// How a call ended, or that the process died in it.
    Call(Signature),
    /// What a read returned.
    Read(Signature),
    /// What memory held after a call.
    Memory(Vec<DifferingBuffer>),
}

/// A buffer that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DifferingBuffer {
    /// Its id in the candidate.
    pub(super) buffer: u32,
    /// What the host program calls it.
    pub(super) name: String,
    /// The pages whose digests differ.
    pub(super) pages: Vec<Range<u64>>,
}

impl Sign {
    /// What the failure is, as far as the sign says it.
    pub(super) const fn signature(&self) -> Option<&Signature> {
        match self {
            Self::Call(signature) | Self::Read(signature) => Some(signature),
            Self::Memory(_) => None,
        }
    }

    /// Whether a read may be to blame for it.
    pub(super) const fn is_of_read(&self) -> bool {
        match self {
            Self::Read(_) | Self::Call(_) => true,
            Self::Memory(_) => false,
        }
    }
}

/// The first sign, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The call with which it shows.
    pub(super) at: CommandIndex,
    pub(super) sign: Sign,
    /// The command that the device itself names.
    pub(super) blamed: Option<CommandIndex>,
    /// The last call after which all memory was equal.
    pub(super) equal: Option<CommandIndex>,
    /// How much memory was equal then.
    pub(super) equal_memory: EqualMemory,
}

impl Found {
    /// Behind which call and up to which one the first bad command is.
    pub(super) const fn bracket(&self) -> (Option<CommandIndex>, CommandIndex) {
        (self.equal, self.at)
    }
}

/// The first call, read or page that differs. `open` are the buffers that need not agree.
pub(super) fn first_sign(
    candidate: &Edited,
    good: &Observation,
    bad: &Observation,
    open: &BTreeSet<u32>,
) -> Option<Found> {
    let mut equal = None;
    let mut equal_memory = EqualMemory::default();
    let length = good.capture.program.commands.len();
    for at in (0..u32::try_from(length).unwrap_or(u32::MAX)).map(CommandIndex) {
        let found = |sign, blamed| Some(Found { at, sign, blamed, equal, equal_memory });
        if let Some((signature, blamed)) = call(good, bad, at) {
            return found(Sign::Call(signature), blamed);
        }
        if let Some(signature) = read(candidate, good, bad, at) {
            return found(Sign::Read(signature), None);
        }
        let notes = good.notes.get(&at.0).zip(bad.notes.get(&at.0));
        if let Some((of_good, of_bad)) = notes {
            let differing = differing(of_good, of_bad, open);
            if !differing.is_empty() {
                return found(Sign::Memory(differing), None);
            }
            (equal, equal_memory) = (Some(at), EqualMemory::of(of_good, open));
        }
    }
    None
}

/// A call that the bad side ended otherwise, and the command that the device names.
fn call(
    good: &Observation,
    bad: &Observation,
    at: CommandIndex,
) -> Option<(Signature, Option<CommandIndex>)> {
    let was = good.call(at)?;
    let expected = CallEnd::from(&was.outcome);
    let executed = bad.executed.as_ref()?;
    let kind = was.command.kind();
    if let Some(end) = executed.report.other_end(at) {
        let actual = match &end.exception {
            None => CallEnd::Done,
            Some(text) => CallEnd::Refused { reason: signatures::first_line(text) },
        };
        return Some((signatures::of_call(kind, expected, actual), None));
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
            Some((signature, blamed(failure)))
        }
        Outcome::Unfinished => died().map(|signature| (signature, None)),
        Outcome::Done => Some((signatures::of_call(kind, expected, CallEnd::Done), None)),
    }
}

/// The command that a failure names.
const fn blamed(failure: &Failure) -> Option<CommandIndex> {
    match failure {
        Failure::DeviceFault { enqueue, .. }
        | Failure::Deadlock { enqueue }
        | Failure::Hang { enqueue } => Some(*enqueue),
        Failure::QueueRace { second, .. } => Some(*second),
        _ => None,
    }
}

/// A read that returned something else, where it must not.
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

/// An inserted read. It is unchecked to every replay, and is of bytes that the good side has written.
fn inserted_read(good: &Observation, bad: &Observation, at: CommandIndex) -> Option<Signature> {
    let Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { output, .. }) =
        &good.call(at)?.command
    else {
        return None;
    };
    let bytes = |side: &Observation| -> Option<Vec<u8>> {
        let reads = &side.capture.record.as_ref()?.reads;
        let hash = reads.iter().find(|read| read.command == at)?.hash;
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
