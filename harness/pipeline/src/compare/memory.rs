//! Compares the contents of buffers on two devices after the calls that wait.
//!
//! Unwritten bytes have no meaning. A device that tracks them reports which they are. If neither device does,
//! only buffers that the host has written completely are compared. A buffer with an unchecked read, or with a
//! read within a tolerance, may differ between any two devices.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_schema::commands;
use hallmark_schema::model::{
    BufferId, Capture, Command, ContentHash, Expectation, Outcome, QueueId,
};

use hallmark_execution::worker::memory::{BufferSnapshot, UnwrittenRange};
use hallmark_suite::bound::BoundTest;
use serde::{Deserialize, Serialize};

use super::{Difference, FIRST, Observed, mismatch, place};
use crate::open_buffers;
use crate::signature::{Contents, Shape, Signature};
use crate::verdict::ExitCode;

/// The amount of compared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryCompared {
    /// The number of compared buffers, counted once per snapshot.
    pub buffers: u64,
    /// The number of compared bytes.
    pub bytes: u64,
    /// The number of buffers left out, counted once per snapshot.
    pub left_out: u64,
}

impl MemoryCompared {
    /// Adds the amount of another test.
    pub const fn add(&mut self, other: Self) {
        self.buffers = self.buffers.saturating_add(other.buffers);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.left_out = self.left_out.saturating_add(other.left_out);
    }
}

/// The contents of two devices' buffers, by command and buffer.
pub(super) struct Moments<'a> {
    first: BTreeMap<u32, Vec<&'a BufferSnapshot>>,
    other: BTreeMap<(u32, u32), &'a BufferSnapshot>,
    /// Buffers that may differ between devices.
    open: BTreeSet<u32>,
    compared: &'a mut MemoryCompared,
}

impl<'a> Moments<'a> {
    pub(super) fn new(
        bound: &BoundTest,
        [first, other]: [&'a Observed; 2],
        compared: &'a mut MemoryCompared,
    ) -> Self {
        let mut by_command: BTreeMap<u32, Vec<&BufferSnapshot>> = BTreeMap::new();
        for held in &first.memory {
            by_command.entry(held.command).or_default().push(held);
        }
        let other = other.memory.iter().map(|held| ((held.command, held.buffer), held));
        Self { first: by_command, other: other.collect(), open: open(bound), compared }
    }

    /// The first buffer that differs after a command.
    pub(super) fn at(&mut self, index: usize, captures: [&Capture; 2]) -> Option<Difference> {
        let command = u32::try_from(index).ok()?;
        let of_first = self.first.get(&command)?.clone();
        of_first.into_iter().find_map(|one| self.differs(one, captures))
    }

    fn differs(&mut self, one: &BufferSnapshot, captures: [&Capture; 2]) -> Option<Difference> {
        let two = *self.other.get(&(one.command, one.buffer))?;
        if self.open.contains(&one.buffer) {
            return None;
        }
        let (Some(before), Some(after)) = (&one.bytes, &two.bytes) else {
            self.compared.left_out += 1;
            return None;
        };
        let nobody_knows = one.unwritten.is_none() && two.unwritten.is_none();
        if nobody_knows && !captures.iter().all(|capture| written_whole(capture, one)) {
            self.compared.left_out += 1;
            return None;
        }
        let (mut before, mut after) = (before.to_vec(), after.to_vec());
        let mut unwritten = vec![false; before.len()];
        for unwritten_range in [&one.unwritten, &two.unwritten].into_iter().flatten().flatten() {
            let UnwrittenRange { start, end } = *unwritten_range;
            let range = usize::try_from(start).ok()?..usize::try_from(end).ok()?;
            before.get_mut(range.clone()).unwrap_or_default().fill(0);
            after.get_mut(range.clone()).unwrap_or_default().fill(0);
            unwritten.get_mut(range).unwrap_or_default().fill(true);
        }
        let bytes = unwritten.iter().filter(|unwritten| !**unwritten).count();
        self.compared.buffers += u64::from(bytes > 0);
        self.compared.bytes += u64::try_from(bytes).unwrap_or(u64::MAX);
        if before == after {
            return None;
        }
        let name = &one.name;
        let [_, other] = captures;
        let read = place::ReadPlace::of_buffer(other, BufferId(one.buffer), 0);
        let headline = mismatch::headline(name, FIRST, &before, &after, read.as_ref());
        let mut lines = vec![headline.trim_start_matches("Mismatch: ").to_owned()];
        lines.extend(mismatch::lines(&before, &after, read.as_ref()));
        let contents = Contents {
            expected: &before,
            actual: &after,
            page_size: read.as_ref().map(|read| read.page_size),
            earlier: &[],
        };
        let signature = Signature::Differs {
            object: name.clone(),
            shape: Shape::of(contents),
            bytes: Some(ContentHash::of(&after)),
        };
        let words = |bytes: &[u8]| {
            format!("`{name}` holds bytes with the hash {}", ContentHash::of(bytes).short())
        };
        Some(Difference {
            command: Some(one.command),
            place: String::new(),
            first: words(&before),
            other: words(&after),
            lines,
            exit_code: ExitCode::NOT_PASSED,
            signature: Some(signature),
        })
    }
}

/// The buffers that may differ between devices.
fn open(bound: &BoundTest) -> BTreeSet<u32> {
    let is_tolerant = |index| {
        let mut outputs = bound.outputs.iter();
        outputs.any(|expected| expected.command == index && expected.tolerance.is_some())
    };
    let calls = bound.case.steps.iter().map(|step| &step.command);
    open_buffers(calls, |index, expectation| {
        matches!(expectation, Expectation::Unchecked { .. }) || is_tolerant(index)
    })
}

/// Whether the host has written the whole buffer before the snapshot.
fn written_whole(capture: &Capture, held: &BufferSnapshot) -> bool {
    let mut traced: BTreeSet<QueueId> = BTreeSet::new();
    for (index, recorded) in (0_u32..).zip(&capture.program.commands) {
        if index > held.command {
            break;
        }
        if recorded.outcome != Outcome::Done {
            continue;
        }
        match &recorded.command {
            // The calls in a trace are executed only when it is replayed.
            Command::BeginTraceCapture(commands::BeginTraceCapture { queue, .. }) => {
                traced.insert(*queue);
            }
            Command::EndTraceCapture(commands::EndTraceCapture { queue, .. }) => {
                traced.remove(queue);
            }
            Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer {
                queue,
                buffer,
                region: None,
                ..
            }) if buffer.0 == held.buffer && !traced.contains(queue) => {
                return true;
            }
            _ => {}
        }
    }
    false
}
