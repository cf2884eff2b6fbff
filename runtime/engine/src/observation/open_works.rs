//! Launches beside which others run: a tile belongs to one launch at a time, from the moment at which a dispatcher is
//! given the launch until its end is noticed. So does the tile's activity.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_chip::{
    Activity, ActivitySpan, CoreActivity, Doing, ExecutedInstruction, PhysicalCoordinate,
    Processor, Tick, Transfers,
};
use hallmark_schema::model::CommandIndex;

use super::OpenLaunch;
use super::processors::{KernelLines, processor_profile};
use crate::profile::{
    DispatcherProfile, Interval, LaunchProfile, ReplayProfile, ReplayedProcessor,
};
use crate::tiles::Tiles;

/// A launch or a replay that runs beside others.
#[derive(Debug)]
pub(super) struct OpenWork {
    kind: OpenKind,
    tiles: BTreeSet<PhysicalCoordinate>,
    /// When a dispatcher was given it.
    from: Tick,
    /// The activity of its tiles since.
    cores: BTreeMap<(PhysicalCoordinate, Processor), CoreActivity>,
    dropped: u64,
}

/// The kind of an open work.
#[derive(Debug)]
pub(super) enum OpenKind {
    Launch(OpenLaunch),
    /// A whole trace, by the call that replays it.
    Replay(CommandIndex),
}

/// The profile of a work that is over.
pub(super) enum WorkProfile {
    Launch(LaunchProfile),
    Replay(ReplayProfile),
}

impl OpenWork {
    /// The call that has it carried out.
    fn call(&self) -> CommandIndex {
        match &self.kind {
            OpenKind::Launch(launch) => launch.replay.unwrap_or(launch.command),
            OpenKind::Replay(command) => *command,
        }
    }

    /// Its profile at its end, while its kernels are in place. `now` is the moment at which the end was noticed.
    pub(super) fn profile(self, tiles: &Tiles, now: Tick, completed: bool) -> WorkProfile {
        let Self { kind, from, cores, dropped, .. } = self;
        match kind {
            OpenKind::Launch(OpenLaunch { command, replay, program, dispatcher }) => {
                let mut lines = KernelLines::default();
                let of_core = |core| processor_profile(tiles, core, &mut lines);
                let processors: Vec<_> = cores.values().filter_map(of_core).collect();
                let end = processors.iter().map(|it| it.firmware.until).max();
                WorkProfile::Launch(LaunchProfile {
                    command,
                    replay,
                    program,
                    from,
                    until: end.filter(|_| completed).unwrap_or(now),
                    completed,
                    processors,
                    dropped,
                    dispatcher: dispatcher.map(|tile| DispatcherProfile { tile, ran: Vec::new() }),
                    lost_markers: None,
                })
            }
            OpenKind::Replay(command) => {
                let processors = cores.into_values().map(|core| ReplayedProcessor {
                    tile: core.tile,
                    processor: core.processor,
                    ran: ran(&core.spans).collect(),
                    requests: core.requests,
                });
                let processors = processors.filter(|it| !it.ran.is_empty()).collect();
                WorkProfile::Replay(ReplayProfile { command, completed, processors })
            }
        }
    }
}

/// The launches and replays under way.
#[derive(Debug, Default)]
pub(super) struct OpenWorks(Vec<OpenWork>);

impl OpenWorks {
    /// Notes a launch or a replay that begins.
    pub(super) fn open(&mut self, kind: OpenKind, tiles: BTreeSet<PhysicalCoordinate>, from: Tick) {
        self.0.push(OpenWork { kind, tiles, from, cores: BTreeMap::new(), dropped: 0 });
    }

    /// Gives each launch under way the activity of its tiles. The activity of other tiles is dropped: their firmware
    /// comes up, or waits.
    pub(super) fn attribute(&mut self, activity: &Activity) {
        for core in &activity.cores {
            let of = self.0.iter_mut().find(|work| work.tiles.contains(&core.tile));
            let Some(work) = of else { continue };
            let known = work.cores.entry((core.tile, core.processor));
            known.and_modify(|before| join(before, core)).or_insert_with(|| core.clone());
        }
        if let Some(work) = self.0.first_mut() {
            work.dropped = work.dropped.saturating_add(activity.dropped);
        }
    }

    /// Whether a call has launched any of them.
    pub(super) fn has(&self, call: CommandIndex) -> bool {
        self.0.iter().any(|work| work.call() == call)
    }

    /// Takes those that a call has launched.
    pub(super) fn take(&mut self, call: CommandIndex) -> Vec<OpenWork> {
        self.0.extract_if(.., |work| work.call() == call).collect()
    }

    /// Takes all.
    pub(super) fn take_all(&mut self) -> Vec<OpenWork> {
        std::mem::take(&mut self.0)
    }
}

/// Joins the later activity of a core to its earlier one.
fn join(before: &mut CoreActivity, more: &CoreActivity) {
    let mut spans = more.spans.iter().copied().peekable();
    // A question in the midst of a span cuts it in two.
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
    before.unit_waits.extend_from_slice(&more.unit_waits);
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

#[cfg(test)]
mod tests {
    use hallmark_chip::TileAddress;

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
            unit_waits: Vec::new(),
        }
    }

    /// A profile does not depend on how often the device is asked.
    #[test]
    fn activity_in_parts_joins_to_the_whole() {
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
}
