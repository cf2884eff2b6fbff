//! The differing bytes after the first bad command, from another run of both sides in fresh processes.

use std::collections::BTreeSet;

use hallmark_execution::worker::memory::UnwrittenRange;
use hallmark_execution::worker::state::{BytesAt, StateJob};
use hallmark_execution::worker::writers::WatchedByte;
use hallmark_pipeline::signature::{Contents, Shape, Signature};
use hallmark_pipeline::{buffer_difference, signatures};
use hallmark_schema::model::{BufferId, CommandIndex, ContentHash};
use hallmark_schema_editing::Edited;

use super::conclusion::{Inconclusive, MemoryDifference};
use super::observation::Observation;
use super::sign::{DifferingBuffer, Found, Sign};
use super::written::{first_difference, watched_byte, wrong_byte_of_read};
use super::{Bisecting, Good, Pair, Stopped};

/// The result of the confirming runs.
pub(super) struct Confirmed {
    /// The differing memory, if memory was read.
    pub(super) difference: Option<MemoryDifference>,
    /// The signature of the failure, if known.
    pub(super) signature: Option<Signature>,
    /// The first wrong byte, if known.
    pub(super) wrong: Option<WatchedByte>,
}

/// A summary of the bytes that differ between the sides.
struct DifferingBytes {
    shape: Shape,
    /// The hash of the bad side's bytes.
    hash: ContentHash,
    /// The offset of the first differing byte.
    first_wrong: Option<u64>,
}

impl Bisecting<'_> {
    /// Runs both sides once more and returns the difference, if the same sign occurs again.
    pub(super) fn confirmed(
        &self,
        candidate: &Edited,
        found: &Found,
        open: &BTreeSet<u32>,
    ) -> Result<Confirmed, Stopped> {
        let differing: &[DifferingBuffer] = match &found.sign {
            Sign::Memory(differing) => differing,
            Sign::Call(_) | Sign::Read(_) => &[],
        };
        let command = found.at.0;
        let first = differing.first();
        let bytes = first.map(|it| BytesAt { command, buffer: it.buffer }).into_iter().collect();
        let after = found.equal.iter().map(|at| at.0).chain([command]).collect();
        let state = StateJob { after, bytes, ..StateJob::default() };
        let again = |again: &Found| (again.at, &again.sign) == (found.at, &found.sign);
        let Some((pair, _)) = self.shown(candidate, &state, open, again)? else {
            return Err(Inconclusive::Unsteady.into());
        };
        let signature = found.sign.signature().cloned();
        let Some(first) = first else {
            let wrong = match &found.sign {
                Sign::Read(_) => wrong_byte_of_read(&pair, found.at),
                Sign::Call(_) | Sign::Memory(_) => None,
            };
            return Ok(Confirmed { difference: None, signature, wrong });
        };
        let others = differing.iter().skip(1).map(|it| it.name.clone()).collect();
        let (lines, bytes) = self.difference(&pair, command, first);
        let signature = Signature::Differs {
            object: first.name.clone(),
            shape: bytes.as_ref().map_or(Shape::Other, |bytes| bytes.shape),
            bytes: bytes.as_ref().map(|bytes| bytes.hash),
        };
        let wrong = bytes.and_then(|bytes| bytes.first_wrong);
        let wrong = wrong.map(|byte| watched_byte(first.buffer, byte, CommandIndex(command)));
        let difference = MemoryDifference {
            id: BufferId(first.buffer),
            buffer: first.name.clone(),
            lines,
            others,
        };
        Ok(Confirmed { difference: Some(difference), signature: Some(signature), wrong })
    }

    /// The description of a differing buffer, and the summary of its bytes.
    fn difference(
        &self,
        pair: &Pair,
        command: u32,
        differing: &DifferingBuffer,
    ) -> (Vec<String>, Option<DifferingBytes>) {
        let DifferingBuffer { buffer, name, pages } = differing;
        let held = |side: &Observation| side.bytes(command, *buffer)?.bytes;
        let (Some(expected), Some(actual)) = (held(&pair.good), held(&pair.bad)) else {
            let first = pages.first().map_or(0, |pages| pages.start);
            let line = format!(
                "`{name}` differs, first in page {first}; it is too large to show its words"
            );
            return (vec![line], None);
        };
        let state = pair.good.notes.get(&command).and_then(|note| note.buffers.get(buffer));
        let unwritten = state.and_then(|state| state.unwritten.as_deref()).unwrap_or_default();
        let (expected, actual) = (masked(&expected, unwritten), masked(&actual, unwritten));
        let lines = buffer_difference(
            &pair.bad.capture,
            BufferId(*buffer),
            name,
            [(&self.good_name(), &expected), (&self.bad_name(), &actual)],
        );
        let page_size = state.map(|state| state.page_size);
        // A later read sees the effect of the command too, so the watched past includes the command.
        let past = CommandIndex(command.saturating_add(1));
        let length = u64::try_from(actual.len()).unwrap_or(u64::MAX);
        let whole = (BufferId(*buffer), None);
        let earlier = signatures::earlier_contents(&pair.bad.capture, past, whole, length);
        let contents =
            Contents { expected: &expected, actual: &actual, page_size, earlier: &earlier };
        let bytes = DifferingBytes {
            shape: Shape::of(contents),
            hash: ContentHash::of(&actual),
            first_wrong: first_difference(&expected, &actual),
        };
        (lines, Some(bytes))
    }

    /// The name of the good side in comparisons.
    pub(super) fn good_name(&self) -> String {
        match self.good {
            Good::Executor(good) if good.short_name() != self.bad.short_name() => good.short_name(),
            Good::Executor(_) => "good".to_owned(),
            Good::Recorded => "recorded".to_owned(),
        }
    }

    /// The name of the bad side in comparisons.
    pub(super) fn bad_name(&self) -> String {
        match self.good {
            Good::Executor(good) if good.short_name() == self.bad.short_name() => "bad".to_owned(),
            Good::Executor(_) | Good::Recorded => self.bad.short_name(),
        }
    }
}

/// The bytes, with zeros for unwritten ones.
fn masked(bytes: &[u8], unwritten: &[UnwrittenRange]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for range in unwritten {
        if let (Ok(start), Ok(end)) = (usize::try_from(range.start), usize::try_from(range.end)) {
            bytes.get_mut(start..end).unwrap_or_default().fill(0);
        }
    }
    bytes
}
