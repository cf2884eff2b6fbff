//! What dispatchers did and were given, and whose a tile's activity is where launches overlap: a tile belongs to one launch
//! at a time, from the moment at which a dispatcher is given it until its end is noticed.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_chip::{
    ActivitySpan, ChipDescription, CoreActivity, Doing, ExecutedInstruction, NocRequest,
    PhysicalCoordinate, Processor, Tick, TileAddress, Transfers,
};
use hallmark_device_code::dispatch_abi::{Control, DispatchTile};
use hallmark_schema::model::{CommandIndex, QueueId};
use serde::{Deserialize, Serialize};

use super::{Interval, KernelLines, LaunchProfile, OpenLaunch};
use crate::engine::Engine;
use crate::launch::ProgramLaunch;
use crate::trace::Trace;
use crate::work::Work;

/// What the dispatchers of a device did and were given since somebody asked last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueuesProfile {
    /// The dispatchers that did anything, in the order of the queues.
    pub dispatchers: Vec<QueueDispatcher>,
    /// The writes and reads that dispatchers were given, of each queue in their order.
    pub moves: Vec<MovePlan>,
    /// Replays of traces that dispatchers carried out, where launches overlap.
    pub replays: Vec<ReplayProfile>,
    /// Spans and requests of all cores that were not kept, because there were too many.
    pub dropped: u64,
}

/// What the dispatcher of a queue did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueDispatcher {
    /// Its queue.
    pub queue: QueueId,
    /// Its tile on the die.
    pub tile: PhysicalCoordinate,
    /// What it did and when, in order.
    pub spans: Vec<DispatchingSpan>,
    /// Its NoC requests that ended in that time, in the order of their ends.
    pub requests: Vec<NocRequest>,
}

/// A time in which a dispatcher did one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DispatchingSpan {
    /// When.
    pub at: Interval,
    /// What.
    pub doing: Dispatching,
}

/// What a dispatcher does. What it waits for is the word that its loop loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dispatching {
    /// It executes instructions.
    Executes,
    /// It waits for its own requests: for responses, or until its NoC interface takes the next one.
    AwaitsNoc,
    /// It waits until the tiles of a launch are done.
    AwaitsPrograms,
    /// It waits for an event of another queue.
    AwaitsEvent,
    /// It waits until the host has taken data.
    AwaitsHost,
    /// Its queue is empty.
    AwaitsCommands,
}

impl Dispatching {
    /// Of the words that a dispatcher loads in loops, those outside L1 are registers of its NoC interface, and those of
    /// L1 that are no part of [`Control`] are its own, which it loads until its store is there.
    fn of(doing: Doing, description: &ChipDescription) -> Self {
        let Doing::Waits { address: TileAddress(address), .. } = doing else {
            return Self::Executes;
        };
        if address >= description.l1_size {
            return Self::AwaitsNoc;
        }
        let control = address.checked_sub(u64::from(DispatchTile::CONTROL.start));
        let control = control.and_then(|offset| u32::try_from(offset).ok());
        match control {
            Some(Control::WRITTEN) => Self::AwaitsCommands,
            Some(Control::DRAINED) => Self::AwaitsHost,
            Some(Control::WORKERS_DONE) => Self::AwaitsPrograms,
            Some(Control::EVENTS..Control::CONFIG) => Self::AwaitsEvent,
            Some(_) | None => Self::Executes,
        }
    }

    /// Whether it carries a command out that long: it executes, or its requests are on their way.
    pub const fn is_work(self) -> bool {
        match self {
            Self::Executes | Self::AwaitsNoc => true,
            Self::AwaitsPrograms | Self::AwaitsEvent | Self::AwaitsHost | Self::AwaitsCommands => {
                false
            }
        }
    }

    /// As people say it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Executes => "executes",
            Self::AwaitsNoc => "waits for its NoC requests",
            Self::AwaitsPrograms => "waits for the cores of a program",
            Self::AwaitsEvent => "waits for an event of the other queue",
            Self::AwaitsHost => "waits until the host has taken data",
            Self::AwaitsCommands => "waits for commands",
        }
    }
}

/// The memory that a write or a read of a queue touches, in the order in which the dispatcher does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MovePlan {
    /// The call that enqueued it.
    pub command: CommandIndex,
    /// Its queue.
    pub queue: QueueId,
    /// Whether it writes the memory; otherwise it reads it.
    pub writes: bool,
    /// The memory.
    pub pieces: Vec<MovedPiece>,
}

/// A stretch of a tile's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MovedPiece {
    /// The tile.
    pub tile: PhysicalCoordinate,
    /// Its first byte there.
    pub address: u64,
    /// Bytes.
    pub length: u64,
}

/// What the tiles of a trace did while a dispatcher replayed it: for all of its programs together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayProfile {
    /// The call that replayed the trace.
    pub command: CommandIndex,
    /// Whether it came to its end.
    pub completed: bool,
    /// The processors that did anything in that time, in the order of tiles.
    pub processors: Vec<ReplayedProcessor>,
}

/// What a processor did during the replay of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayedProcessor {
    /// The tile on the die.
    pub tile: PhysicalCoordinate,
    /// The processor of that tile.
    pub processor: Processor,
    /// When it executed instructions, in order.
    pub ran: Vec<Interval>,
    /// Its NoC requests that ended in that time, in the order of their ends.
    pub requests: Vec<NocRequest>,
}

impl QueuesProfile {
    /// Notes what the cores of a queue's dispatcher did.
    pub(super) fn dispatched<'a>(
        &mut self,
        queue: QueueId,
        cores: impl Iterator<Item = &'a CoreActivity>,
        description: &ChipDescription,
    ) {
        for core in cores {
            let place = self.dispatchers.iter().position(|it| it.queue == queue);
            let spans = core.spans.iter().map(|span| DispatchingSpan {
                at: Interval { from: span.from, until: span.until },
                doing: Dispatching::of(span.doing, description),
            });
            match place.and_then(|place| self.dispatchers.get_mut(place)) {
                Some(noted) => {
                    noted.spans.extend(spans);
                    noted.requests.extend(&core.requests);
                }
                None => {
                    let (spans, requests) = (spans.collect(), core.requests.clone());
                    let noted = QueueDispatcher { queue, tile: core.tile, spans, requests };
                    self.dispatchers.push(noted);
                    self.dispatchers.sort_by_key(|it| it.queue);
                }
            }
        }
    }
}

/// A launch or a replay beside which others run.
#[derive(Debug)]
pub(crate) struct OpenWork {
    kind: OpenKind,
    tiles: BTreeSet<PhysicalCoordinate>,
    /// When a dispatcher was given it.
    from: Tick,
    /// What its tiles have done since.
    cores: BTreeMap<(PhysicalCoordinate, Processor), CoreActivity>,
    dropped: u64,
}

#[derive(Debug)]
enum OpenKind {
    Launch(OpenLaunch),
    /// Of a whole trace, by the call that replays it.
    Replay(CommandIndex),
}

impl OpenWork {
    /// The call that has it carried out.
    fn call(&self) -> CommandIndex {
        match &self.kind {
            OpenKind::Launch(launch) => launch.replay.unwrap_or(launch.command),
            OpenKind::Replay(command) => *command,
        }
    }
}

/// Joins what a core did to what it did before.
fn join(before: &mut CoreActivity, more: &CoreActivity) {
    let mut spans = more.spans.iter().copied().peekable();
    // A span goes on where somebody has asked in the midst of it.
    if let (Some(last), Some(first)) = (before.spans.last_mut(), spans.peek())
        && (last.until, last.doing) == (first.from, first.doing)
    {
        last.until = first.until;
        spans.next();
    }
    before.spans.extend(spans);
    let known = before.instructions.drain(..);
    let mut instructions: BTreeMap<u32, ExecutedInstruction> =
        known.map(|it| (it.pc, it)).collect();
    for it in &more.instructions {
        let joined = instructions.entry(it.pc).or_insert(ExecutedInstruction { count: 0, ..*it });
        joined.count = joined.count.saturating_add(it.count);
        joined.first = joined.first.min(it.first);
        joined.last = joined.last.max(it.last);
    }
    before.instructions = instructions.into_values().collect();
    for moved in &more.transfers {
        let known = before
            .transfers
            .iter_mut()
            .find(|it| (it.tile, it.writes) == (moved.tile, moved.writes));
        let Some(known) = known else {
            before.transfers.push(moved.clone());
            continue;
        };
        known.packets = known.packets.saturating_add(moved.packets);
        known.bytes = known.bytes.saturating_add(moved.bytes);
        known.ranges = joined_ranges(known.ranges.iter().chain(&moved.ranges).copied().collect());
    }
    before.requests.extend(&more.requests);
}

/// Ranges of addresses as one list: ascending, apart, and no more than are kept.
fn joined_ranges(mut ranges: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    ranges.sort_unstable();
    let mut joined: Vec<(u64, u64)> = Vec::new();
    for (from, until) in ranges {
        match joined.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(until),
            Some(_) | None => joined.push((from, until)),
        }
    }
    joined.truncate(Transfers::RANGES);
    joined
}

fn ran(spans: &[ActivitySpan]) -> impl Iterator<Item = Interval> {
    let runs = spans.iter().filter(|span| span.doing == Doing::Runs);
    runs.map(|span| Interval { from: span.from, until: span.until })
}

impl Engine {
    /// What dispatchers did and were given that nobody has taken yet.
    pub fn take_queues_profile(&mut self) -> QueuesProfile {
        // Where launches are known one by one, what happens now may be a part of the one that is open.
        if self.profiles_activity && self.dispatches_on_device() && self.open_launch.is_none() {
            self.attribute_activity();
        }
        std::mem::take(&mut self.queues_profile)
    }

    /// What happened up to now is nobody's.
    pub(crate) fn profile_forgets(&mut self) {
        if self.profiles_activity {
            self.chip.activity();
        }
    }

    /// A queue is about to be given a command.
    pub(crate) fn profile_moves(&mut self, command: CommandIndex, work: &Work) {
        let writes = match work {
            Work::Write { .. } => true,
            Work::Read { .. } => false,
            Work::Launch(_) | Work::Replay(_) | Work::RecordEvent(_) | Work::WaitForEvent(_) => {
                return;
            }
        };
        if !(self.profiles_activity && self.dispatches_on_device()) {
            return;
        }
        let Ok(queue) = u8::try_from(self.serving) else { return };
        let (queue, pieces) = (QueueId(queue), Vec::new());
        self.queues_profile.moves.push(MovePlan { command, queue, writes, pieces });
    }

    /// The command that a queue is given moves this memory next.
    pub(crate) fn profile_moves_piece(
        &mut self,
        tile: PhysicalCoordinate,
        TileAddress(address): TileAddress,
        length: u64,
    ) {
        if self.profiles_activity
            && let Some(plan) = self.queues_profile.moves.last_mut()
        {
            plan.pieces.push(MovedPiece { tile, address, length });
        }
    }

    /// A dispatcher is about to be given a launch beside which others run.
    pub(super) fn profile_opens_beside(&mut self, open: OpenLaunch, launch: &ProgramLaunch) {
        let description = self.chip.description();
        let tiles = launch.tiles.iter().filter_map(|tile| description.physical(tile.core));
        self.profile_opens_work(OpenKind::Launch(open), tiles.collect());
    }

    /// A dispatcher is about to be given a trace.
    pub(crate) fn profile_opens_replay(&mut self, replay: CommandIndex, trace: &Trace) {
        if self.overlaps() {
            let description = self.chip.description();
            let tiles = trace.cores.iter().filter_map(|core| description.physical(*core));
            self.profile_opens_work(OpenKind::Replay(replay), tiles.collect());
        }
    }

    fn profile_opens_work(&mut self, kind: OpenKind, tiles: BTreeSet<PhysicalCoordinate>) {
        if let Some(from) = self.attribute_activity() {
            let (cores, dropped) = (BTreeMap::new(), 0);
            self.open_works.push(OpenWork { kind, tiles, from, cores, dropped });
        }
    }

    /// Gives each launch under way what its tiles did. What other tiles did is nobody's: their firmware comes up, or waits.
    /// Gives the moment.
    fn attribute_activity(&mut self) -> Option<Tick> {
        if !self.profiles_activity {
            return None;
        }
        let activity = self.take_activity()?;
        for core in &activity.cores {
            let of = self.open_works.iter_mut().find(|work| work.tiles.contains(&core.tile));
            let Some(work) = of else { continue };
            let known = work.cores.entry((core.tile, core.processor));
            known.and_modify(|before| join(before, core)).or_insert_with(|| core.clone());
        }
        if let Some(work) = self.open_works.first_mut() {
            work.dropped = work.dropped.saturating_add(activity.dropped);
        }
        Some(activity.until)
    }

    /// What a call has had launched is done, and its kernels are still in place.
    pub(crate) fn profile_retires(&mut self, call: CommandIndex) {
        if self.open_works.iter().any(|work| work.call() == call)
            && let Some(now) = self.attribute_activity()
        {
            let is_done = |work: &mut OpenWork| work.call() == call;
            let done: Vec<OpenWork> = self.open_works.extract_if(.., is_done).collect();
            done.into_iter().for_each(|work| self.profile_work(work, now, true));
        }
    }

    /// Notes all launches that are done. If the device has stopped, the others are not going to be.
    pub(super) fn profile_retires_done(&mut self, stopped: bool) {
        for call in self.done_in_flight() {
            self.profile_retires(call);
        }
        if stopped && let Some(now) = self.attribute_activity() {
            let open = std::mem::take(&mut self.open_works);
            open.into_iter().for_each(|work| self.profile_work(work, now, false));
        }
        // Which end was noticed first depends on when somebody looked.
        if let Some(launches) = &mut self.profiled {
            launches.sort_by_key(|launch| launch.until);
        }
    }

    fn profile_work(&mut self, work: OpenWork, now: Tick, completed: bool) {
        let OpenWork { kind, from, cores, dropped, .. } = work;
        match kind {
            OpenKind::Launch(OpenLaunch { command, replay, program, dispatcher }) => {
                let mut lines = KernelLines::default();
                let of_core = |core| self.processor_profile(core, &mut lines);
                let processors: Vec<_> = cores.values().filter_map(of_core).collect();
                let end = processors.iter().map(|it| it.firmware.until).max();
                let launch = LaunchProfile {
                    command,
                    replay,
                    program,
                    from,
                    until: end.filter(|_| completed).unwrap_or(now),
                    completed,
                    processors,
                    dropped,
                    dispatcher: dispatcher
                        .map(|tile| super::DispatcherProfile { tile, ran: Vec::new() }),
                    lost_markers: None,
                };
                self.profiled.get_or_insert_default().push(launch);
            }
            OpenKind::Replay(command) => {
                let processors = cores.into_values().map(|core| ReplayedProcessor {
                    tile: core.tile,
                    processor: core.processor,
                    ran: ran(&core.spans).collect(),
                    requests: core.requests,
                });
                let processors = processors.filter(|it| !it.ran.is_empty()).collect();
                self.queues_profile.replays.push(ReplayProfile { command, completed, processors });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn core(spans: &[(u64, u64, Doing)], pc: u32, at: (u64, u64)) -> CoreActivity {
        let span =
            |&(from, until, doing)| ActivitySpan { from: Tick(from), until: Tick(until), doing };
        let (first, last) = (Tick(at.0), Tick(at.1));
        let moved = Transfers {
            tile: PhysicalCoordinate { x: 1, y: 1 },
            writes: true,
            packets: 1,
            bytes: 8,
            ranges: vec![(at.0, at.0 + 8)],
        };
        CoreActivity {
            tile: PhysicalCoordinate { x: 1, y: 1 },
            processor: Processor::Brisc,
            spans: spans.iter().map(span).collect(),
            instructions: vec![ExecutedInstruction { pc, count: 3, first, last }],
            transfers: vec![moved],
            requests: Vec::new(),
        }
    }

    /// Whoever asks often learns the same.
    #[test]
    fn what_was_asked_for_in_parts_is_the_whole() {
        let waits = Doing::Waits { pc: 4, address: TileAddress(0) };
        let mut joined = core(&[(0, 5, Doing::Runs), (5, 8, waits)], 4, (0, 4));
        join(&mut joined, &core(&[(8, 10, waits), (10, 12, Doing::Runs)], 4, (10, 11)));
        join(&mut joined, &core(&[(14, 15, Doing::Runs)], 8, (14, 14)));
        let spans: Vec<_> =
            joined.spans.iter().map(|it| (it.from.0, it.until.0, it.doing)).collect();
        let runs = Doing::Runs;
        assert_eq!(spans, [(0, 5, runs), (5, 10, waits), (10, 12, runs), (14, 15, runs)]);
        let executed: Vec<_> =
            joined.instructions.iter().map(|it| (it.pc, it.count, it.first.0, it.last.0)).collect();
        assert_eq!(executed, [(4, 6, 0, 11), (8, 3, 14, 14)]);
        let [moved] = joined.transfers.as_slice() else { panic!("{:?}", joined.transfers) };
        assert_eq!((moved.packets, moved.bytes), (3, 24));
        assert_eq!(moved.ranges, [(0, 8), (10, 22)]);
    }

    #[test]
    fn a_dispatcher_says_by_its_word_what_it_waits_for() {
        let chip = ChipDescription::of(hallmark_chip::Architecture::WormholeB0);
        let control = u64::from(DispatchTile::CONTROL.start);
        for (address, doing) in [
            (control, Dispatching::AwaitsCommands),
            (control + u64::from(Control::DRAINED), Dispatching::AwaitsHost),
            (control + u64::from(Control::WORKERS_DONE), Dispatching::AwaitsPrograms),
            (control + u64::from(Control::EVENTS) + 16, Dispatching::AwaitsEvent),
            (control + u64::from(Control::CONFIG), Dispatching::Executes),
            (u64::from(DispatchTile::STATUS_LINE), Dispatching::Executes),
            (chip.l1_size, Dispatching::AwaitsNoc),
        ] {
            let waits = Doing::Waits { pc: 0, address: TileAddress(address) };
            assert_eq!(Dispatching::of(waits, chip), doing, "{address:#x}");
        }
        assert_eq!(Dispatching::of(Doing::Runs, chip), Dispatching::Executes);
    }
}
