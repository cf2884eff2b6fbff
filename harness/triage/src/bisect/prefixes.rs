//! Prefixes of a capture, each followed by a `finish` and reads of all buffers: used if memory cannot be read
//! between calls.

use std::collections::BTreeMap;

use hallmark_execution::worker::memory::UnwrittenRange;
use hallmark_execution::worker::state::StateJob;
use hallmark_schema::model::{BufferRegion, CommandIndex};
use hallmark_schema_editing::{Edit, Edited, apply, prefix};
use hallmark_search::{Answer, Bisect, Bisection, Position, Search as _};

use super::conclusion::{Conclusion, Inconclusive};
use super::looks::open_buffers;
use super::sign::Found;
use super::{Bisecting, Good, Stopped, looks};
use crate::at_once::at_once;

/// The largest number of regions of one buffer that are read.
const MOST_REGIONS: usize = 16;
/// The number of runs per prefix: the good side first reports the written bytes, then both sides run the
/// prefix.
const RUNS_OF_A_PREFIX: usize = 3;

impl Bisecting<'_> {
    /// Finds the first command whose prefix fails. The empty prefix passes, and the whole capture fails.
    pub(super) fn by_prefixes(&self, found: &Found) -> Result<Conclusion, Stopped> {
        let program = &self.capture.program;
        let commands = looks::device_commands(program, found.bracket(), true);
        let mut search = Bisect::new(commands.len().saturating_add(1));
        search.answer(&Position(0), Answer::Passes);
        search.answer(&Position(commands.len()), Answer::Fails);
        // A position stands for the prefix that ends with the command before it.
        let last_of = |position: Position| {
            position.0.checked_sub(1).and_then(|index| commands.get(index)).copied()
        };
        let mut failing: BTreeMap<Position, (Edited, Found)> = BTreeMap::new();
        let mut reasons: BTreeMap<Position, String> = BTreeMap::new();
        loop {
            let positions = search.questions(self.jobs.max(1));
            if positions.is_empty() {
                break;
            }
            self.expect(search.rounds_left(self.jobs.max(1)), positions.len());
            let ask = |position: &Position| last_of(*position).map(|last| self.ask_prefix(last));
            let asked = at_once(&positions, ask);
            for (position, prefix) in positions.into_iter().zip(asked) {
                let answer = match prefix.transpose()? {
                    None => Answer::CannotTell,
                    Some(Prefix::Fails(candidate, found)) => {
                        failing.insert(position, (*candidate, found));
                        Answer::Fails
                    }
                    Some(Prefix::Passes) => Answer::Passes,
                    Some(Prefix::CannotTell(reason)) => {
                        reasons.insert(position, reason);
                        Answer::CannotTell
                    }
                };
                search.answer(&position, answer);
            }
            if let Some((before, after)) = search.bracket() {
                let until = last_of(after).unwrap_or(found.at);
                self.bracket.set((last_of(before), until));
                self.tell();
            }
        }
        let Some(Bisection::Boundary { before, after, cannot_tell, .. }) = search.outcome() else {
            return Err(Inconclusive::Unsteady.into());
        };
        let last = last_of(after).unwrap_or(found.at);
        if !cannot_tell.is_empty() {
            let first = commands.get(before.0).copied().unwrap_or(last);
            let with_reason = |position: Position| {
                Some((last_of(position)?, reasons.get(&position).cloned().unwrap_or_default()))
            };
            let cannot_tell = cannot_tell.into_iter().filter_map(with_reason).collect();
            return Err(Inconclusive::Range { first, last, cannot_tell }.into());
        }
        let open = open_buffers(program);
        let (candidate, mut sign) = match failing.remove(&after) {
            Some(known) => known,
            // The answer is the end itself, which was assumed to fail without trying its prefix.
            None => match self.ask_prefix(last)? {
                Prefix::Fails(candidate, sign) => (*candidate, sign),
                Prefix::Passes => return Err(Inconclusive::Unsteady.into()),
                Prefix::CannotTell(_) => (apply(&[], self.capture), found.clone()),
            },
        };
        // A prefix that passed once may have passed by chance.
        if let Some(previous) = last_of(before)
            && matches!(self.ask_prefix(previous)?, Prefix::Fails(..))
        {
            return Err(Inconclusive::Unsteady.into());
        }
        sign.blamed = sign.blamed.or_else(|| candidate.place_of(last));
        self.conclude(candidate, sign, &open)
    }

    /// Sets the expected number of runs for this many rounds of questions and the confirmation.
    fn expect(&self, rounds: u32, questions: usize) {
        let rounds = usize::try_from(rounds).unwrap_or(usize::MAX).saturating_add(2);
        let each = questions.saturating_mul(RUNS_OF_A_PREFIX);
        self.expected.set(self.runs.get().saturating_add(rounds.saturating_mul(each)));
    }

    fn ask_prefix(&self, last: CommandIndex) -> Result<Prefix, Stopped> {
        let program = &self.capture.program;
        let commands = last.0.saturating_add(1);
        let Some(edits) = prefix(program, commands) else {
            let inside = "because it stands inside of a trace's capture".to_owned();
            return Ok(Prefix::CannotTell(inside));
        };
        let edits = match self.written_alone(edits) {
            Ok(edits) => edits,
            Err(stopped) => {
                return Ok(Prefix::CannotTell(stopped.of_one_candidate()?.to_string()));
            }
        };
        let candidate = apply(&edits, self.capture);
        let end = end_of(&candidate);
        let open = open_buffers(program);
        match self.compare(&candidate, &[end], &open) {
            Ok(Some(found)) => Ok(Prefix::Fails(Box::new(candidate), found)),
            Ok(None) => Ok(Prefix::Passes),
            Err(stopped) => Ok(Prefix::CannotTell(stopped.of_one_candidate()?.to_string())),
        }
    }
}

impl Bisecting<'_> {
    /// The edits of a prefix that reads only bytes written on the good side: a strict device faults at a read
    /// of others.
    fn written_alone(&self, edits: Vec<Edit>) -> Result<Vec<Edit>, Stopped> {
        let Good::Executor(good) = self.good else { return Ok(edits) };
        let is_read = |edit: &Edit| matches!(edit, Edit::InsertRead { .. });
        let (reads, mut kept): (Vec<Edit>, Vec<Edit>) = edits.into_iter().partition(is_read);
        let without_reads = apply(&kept, self.capture);
        let after = vec![end_of(&without_reads)];
        let state = StateJob { after, ..StateJob::default() };
        let side = self.side(&without_reads, good, state)?;
        let last = side.notes.last_key_value().map(|(_, note)| note);
        for read in reads {
            let Edit::InsertRead { after, queue, buffer, output, expectation, .. } = &read else {
                continue;
            };
            let state = last.and_then(|note| note.buffers.get(&buffer.0));
            let unwritten = state.and_then(|state| Some((state, state.unwritten.as_ref()?)));
            match unwritten {
                Some((state, unwritten)) if !unwritten.is_empty() => {
                    let regions = written_pages(state.size, state.page_size, unwritten);
                    let named = regions.into_iter().enumerate().take(MOST_REGIONS);
                    kept.extend(named.map(|(index, region)| Edit::InsertRead {
                        after: *after,
                        queue: *queue,
                        buffer: *buffer,
                        region: Some(region),
                        output: format!("{output}.{index}"),
                        expectation: *expectation,
                    }));
                }
                Some(_) | None => kept.push(read),
            }
        }
        Ok(kept)
    }
}

/// The last command of a candidate.
fn end_of(candidate: &Edited) -> u32 {
    let last = candidate.capture.program.commands.len().saturating_sub(1);
    u32::try_from(last).unwrap_or(u32::MAX)
}

/// The regions of whole pages that are completely written.
fn written_pages(size: u64, page_size: u64, unwritten: &[UnwrittenRange]) -> Vec<BufferRegion> {
    let page_size = page_size.max(1);
    let mut regions: Vec<BufferRegion> = Vec::new();
    let mut start = 0;
    // An additional empty range at the end closes the last region.
    for range in unwritten.iter().copied().chain([UnwrittenRange { start: size, end: size }]) {
        let end = range.start / page_size * page_size;
        if end > start {
            regions.push(BufferRegion { offset: start, size: end.saturating_sub(start) });
        }
        start = start.max(range.end.div_ceil(page_size).saturating_mul(page_size));
    }
    regions
}

/// The answer of a prefix.
enum Prefix {
    Fails(Box<Edited>, Found),
    Passes,
    /// No answer, with the reason.
    CannotTell(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_that_are_written_whole_are_read() {
        let regions = |unwritten: &[(u64, u64)]| -> Vec<(u64, u64)> {
            let unwritten: Vec<UnwrittenRange> = unwritten
                .iter()
                .map(|(start, end)| UnwrittenRange { start: *start, end: *end })
                .collect();
            let regions = written_pages(128, 32, &unwritten);
            regions.into_iter().map(|region| (region.offset, region.size)).collect()
        };
        assert_eq!(regions(&[]), [(0, 128)]);
        assert_eq!(regions(&[(0, 128)]), []);
        assert_eq!(regions(&[(32, 64)]), [(0, 32), (64, 64)]);
        assert_eq!(regions(&[(33, 34), (70, 80)]), [(0, 32), (96, 32)]);
        assert_eq!(regions(&[(127, 128)]), [(0, 96)]);
    }
}
