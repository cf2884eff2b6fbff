//! The activity of queues' dispatchers, and the queues' writes and reads of buffers, as far as the device
//! reports them.

use std::collections::{BTreeMap, VecDeque};

use hallmark_chip::{NocRequest, NocRequestKind, PhysicalCoordinate};
use hallmark_execution::worker::profile::ProfileNotes;
use hallmark_pipeline::profiled::ProfiledRun;
use hallmark_runtime::{
    Dispatching, DispatchingSpan, Interval, MovePlan, MovedPiece, ReplayProfile,
};
use hallmark_schema::model::{BufferId, Capture, Command, CommandIndex, Outcome, QueueId};
use hallmark_schema::plural::grouped;

use super::operation::{Ended, Operation};

/// The activity of a device's queues over a whole replay.
#[derive(Clone, Debug, Default)]
pub struct Queues<'a> {
    /// Their dispatchers; empty if the host does their work, or the device does not report them.
    pub dispatchers: BTreeMap<QueueId, Dispatcher>,
    /// The writes and reads of buffers, in order for each queue.
    pub moves: Vec<Move>,
    /// The replays of traces for which the device reports the activity of tiles.
    pub replays: Vec<&'a ReplayProfile>,
    /// Whether no activity was dropped.
    is_whole: bool,
}

/// The activity of a dispatcher.
#[derive(Clone, Debug)]
pub struct Dispatcher {
    /// Its tile.
    pub tile: PhysicalCoordinate,
    /// Its activities with their times, in order.
    pub spans: Vec<DispatchingSpan>,
    /// Its NoC requests, in the order in which they were accepted.
    pub requests: Vec<NocRequest>,
}

/// A write or a read of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The call that enqueued it.
    pub command: CommandIndex,
    /// Its queue.
    pub queue: QueueId,
    /// The kind of transfer and the buffer's name: "write x".
    pub name: String,
    /// The number of bytes.
    pub bytes: u64,
    /// The time from the acceptance of the first request for the buffer's memory to the last response.
    pub at: Interval,
}

impl<'a> Queues<'a> {
    /// The queues of a replay.
    pub fn of(run: &'a ProfiledRun) -> Self {
        Self::of_notes(&run.capture, &run.notes)
    }

    /// The queues in a worker's notes.
    pub(crate) fn of_notes(capture: &Capture, notes: &'a ProfileNotes) -> Self {
        let mut queues = Self { is_whole: !notes.is_cut_off, ..Self::default() };
        let mut plans: BTreeMap<QueueId, VecDeque<MovePlan>> = BTreeMap::new();
        for told in notes.calls.iter().map(|call| &call.queues) {
            queues.is_whole &= told.dropped == 0;
            queues.replays.extend(&told.replays);
            for plan in &told.moves {
                plans.entry(plan.queue).or_default().push_back(plan.clone());
            }
            for it in &told.dispatchers {
                let known = queues.dispatchers.entry(it.queue).or_insert_with(|| Dispatcher {
                    tile: it.tile,
                    spans: Vec::new(),
                    requests: Vec::new(),
                });
                it.spans.iter().for_each(|span| known.goes_on(*span));
                known.requests.extend(&it.requests);
            }
        }
        for (queue, dispatcher) in &mut queues.dispatchers {
            dispatcher.requests.sort_by_key(|request| (request.from, request.until));
            let plans = plans.remove(queue).unwrap_or_default();
            let name = |command| name(capture, command);
            queues.moves.extend(moves(name, plans, &dispatcher.requests));
        }
        queues
    }

    /// The part of a dispatcher's work that coincides with the other queue's programs, a sentence for each
    /// queue with programs. Only if both are completely known.
    pub fn beside(&self, operations: &[Operation<'_>]) -> Vec<String> {
        if !self.is_whole || self.dispatchers.len() < 2 {
            return Vec::new();
        }
        let mut lines = Vec::new();
        for &queue in self.dispatchers.keys() {
            let Some(programs) = programs(operations, queue) else { continue };
            for (other, dispatcher) in self.dispatchers.iter().filter(|(it, _)| **it != queue) {
                let work = dispatcher.work();
                let all = work.iter().map(|it| it.ticks()).sum::<u64>();
                if programs.is_empty() || all == 0 {
                    continue;
                }
                lines.push(format!(
                    "the dispatcher of queue {} works {} of {} ticks while programs of queue {} run",
                    other.0,
                    grouped(in_common(&work, &programs)),
                    grouped(all),
                    queue.0
                ));
            }
        }
        lines
    }
}

impl Dispatcher {
    fn goes_on(&mut self, span: DispatchingSpan) {
        match self.spans.last_mut() {
            Some(last) if (last.at.until, last.doing) == (span.at.from, span.doing) => {
                last.at.until = span.at.until;
            }
            Some(_) | None => self.spans.push(span),
        }
    }

    /// The spans in which it did not wait for commands.
    pub(super) fn shown(&self) -> impl Iterator<Item = &DispatchingSpan> {
        self.spans.iter().filter(|span| span.doing != Dispatching::AwaitsCommands)
    }

    /// The spans in which it executed instructions or waited for its own requests, ascending.
    fn work(&self) -> Vec<Interval> {
        let work = self.spans.iter().filter(|span| span.doing.is_work());
        joined(work.map(|span| span.at).collect())
    }
}

/// The times of a queue's programs, ascending; `None` if one of them is unknown.
fn programs(operations: &[Operation<'_>], queue: QueueId) -> Option<Vec<Interval>> {
    let of_queue = operations.iter().filter(|it| it.queue() == queue);
    let ran = of_queue.map(|it| it.firmware().filter(|_| it.ended() == Ended::Yes));
    Some(joined(ran.collect::<Option<Vec<Interval>>>()?))
}

/// Joins touching and overlapping times.
fn joined(mut intervals: Vec<Interval>) -> Vec<Interval> {
    intervals.sort_by_key(|it| (it.from, it.until));
    let mut joined: Vec<Interval> = Vec::new();
    for it in intervals {
        match joined.last_mut() {
            Some(last) if it.from <= last.until => last.until = last.until.max(it.until),
            Some(_) | None => joined.push(it),
        }
    }
    joined
}

/// The ticks in both lists; each is ascending and without overlaps.
fn in_common(some: &[Interval], others: &[Interval]) -> u64 {
    let both = some.iter().map(|one| {
        let parts = others.iter().map(|it| {
            let (from, until) = (one.from.max(it.from), one.until.min(it.until));
            until.since(from)
        });
        parts.sum::<u64>()
    });
    both.sum()
}

/// The times of a queue's writes and reads. A dispatcher executes one command after the other, so its requests
/// for the memory of commands have the order of the commands. Requests for other memory belong to launches and
/// to its status for the host.
fn moves(
    name: impl Fn(CommandIndex) -> String,
    mut plans: VecDeque<MovePlan>,
    requests: &[NocRequest],
) -> Vec<Move> {
    let mut moves = Vec::new();
    let mut at: Option<Interval> = None;
    let mut moved = 0;
    plans.retain_mut(|plan| {
        plan.pieces.retain(|piece| piece.length > 0);
        plan.pieces.reverse();
        !plan.pieces.is_empty()
    });
    for request in requests {
        let Some(plan) = plans.front_mut() else { break };
        let kind = if plan.writes { NocRequestKind::Write } else { NocRequestKind::Read };
        let Some(piece) = plan.pieces.last_mut().filter(|piece| is_for(request, kind, piece))
        else {
            continue;
        };
        let bytes = u64::from(request.bytes);
        piece.address = piece.address.saturating_add(bytes);
        piece.length = piece.length.saturating_sub(bytes);
        moved += bytes;
        let so_far = at.unwrap_or(Interval { from: request.from, until: request.until });
        at = Some(Interval { from: so_far.from, until: so_far.until.max(request.until) });
        if piece.length == 0 {
            plan.pieces.pop();
        }
        if plan.pieces.is_empty()
            && let Some(at) = at.take()
        {
            let name = name(plan.command);
            let (command, queue, bytes) = (plan.command, plan.queue, std::mem::take(&mut moved));
            moves.push(Move { command, queue, name, bytes, at });
            plans.pop_front();
        }
    }
    moves
}

fn is_for(request: &NocRequest, kind: NocRequestKind, piece: &MovedPiece) -> bool {
    request.kind == kind
        && request.tiles == 1
        && (request.tile, request.address) == (piece.tile, piece.address)
        && (1..=piece.length).contains(&u64::from(request.bytes))
}

/// The kind of a call, with the buffer's name.
fn name(capture: &Capture, at: CommandIndex) -> String {
    let calls = &capture.program.commands;
    let index = usize::try_from(at.0).unwrap_or(usize::MAX);
    let buffer = |id: BufferId| {
        let before = calls.iter().take(index).rev().filter(|made| made.outcome == Outcome::Done);
        let mut names = before.filter_map(|made| match &made.command {
            Command::CreateBuffer(call) if call.buffer == id => Some(call.name.as_str()),
            _ => None,
        });
        names.next().unwrap_or("?")
    };
    match calls.get(index).map(|made| &made.command) {
        Some(Command::EnqueueWriteBuffer(call)) => format!("write {}", buffer(call.buffer)),
        Some(Command::EnqueueReadBuffer(call)) => format!("read {}", buffer(call.buffer)),
        Some(other) => other.kind().name().to_owned(),
        None => "?".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::{Noc, Tick};

    use super::*;

    fn interval(from: u64, until: u64) -> Interval {
        Interval { from: Tick(from), until: Tick(until) }
    }

    #[test]
    fn ticks_in_common_are_counted_once() {
        let programs = joined(vec![interval(30, 40), interval(0, 10), interval(5, 20)]);
        assert_eq!(programs, [interval(0, 20), interval(30, 40)]);
        for (work, ticks) in [((20, 30), 0), ((19, 31), 2), ((0, 50), 30), ((40, 50), 0)] {
            assert_eq!(in_common(&[interval(work.0, work.1)], &programs), ticks, "{work:?}");
        }
    }

    const BANK: PhysicalCoordinate = PhysicalCoordinate { x: 0, y: 0 };

    fn request(address: u64, bytes: u32, from: u64, until: u64) -> NocRequest {
        let (kind, at) = (NocRequestKind::Write, interval(from, until));
        let (noc, tile, tiles) = (Noc::Noc0, BANK, 1);
        NocRequest { noc, kind, tile, tiles, address, bytes, from: at.from, until: at.until }
    }

    fn plan(command: u32, writes: bool, pieces: &[(u64, u64)]) -> MovePlan {
        let piece = |&(address, length)| MovedPiece { tile: BANK, address, length };
        let (command, queue) = (CommandIndex(command), QueueId(1));
        MovePlan { command, queue, writes, pieces: pieces.iter().map(piece).collect() }
    }

    fn moved(plans: &[MovePlan], requests: &[NocRequest]) -> Vec<(u32, u64, Interval)> {
        let moved = moves(|_| String::new(), plans.iter().cloned().collect(), requests);
        moved.into_iter().map(|it| (it.command.0, it.bytes, it.at)).collect()
    }

    /// The same memory is written twice, with another command in between.
    #[test]
    fn requests_are_those_of_the_commands_in_their_order() {
        let plans = [plan(3, true, &[(64, 96), (512, 0), (1024, 32)]), plan(5, true, &[(64, 96)])];
        let requests = [
            request(64, 64, 10, 90),
            request(9000, 32, 12, 30),
            request(128, 32, 20, 60),
            request(1024, 32, 30, 70),
            request(64, 96, 100, 120),
            request(64, 96, 200, 220),
        ];
        let both = [(3, 128, interval(10, 90)), (5, 96, interval(100, 120))];
        assert_eq!(moved(&plans, &requests), both);
        // A command with a missing request is not reported, nor are the later ones.
        assert_eq!(moved(&plans, &requests[1..4]), []);
        assert_eq!(moved(&plans, &requests[..4]), both[..1]);
        // Requests of another kind, or for more bytes than the command transfers, do not belong to it.
        assert_eq!(moved(&[plan(3, false, &[(64, 64)])], &requests), []);
        assert_eq!(moved(&[plan(3, true, &[(64, 63)])], &requests[..1]), []);
    }
}
