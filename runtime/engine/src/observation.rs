//! Notes of work for tools that ask for them: profiles of launches and queues, markers, and the writers of a watched
//! byte. Notes that no tool asks for are not made.

mod markers;
mod open_works;
mod processors;
mod watched_byte;

use std::collections::BTreeSet;
use std::sync::Arc;

use hallmark_chip::{Activity, CoreActivity, Doing, PhysicalCoordinate, Tick, TileAddress};
use hallmark_schema::model::{CommandIndex, ProgramId, QueueId};

use self::markers::AwaitedMarkers;
use self::open_works::{OpenKind, OpenWork, OpenWorks, WorkProfile};
use self::processors::{KernelLines, processor_profile};
pub use self::watched_byte::LastWrite;
use self::watched_byte::WatchedByte;
use crate::addresses::Bank;
use crate::addresses::Run;
use crate::chip::Chip;
use crate::launch::ProgramLaunch;
use crate::profile::{
    DispatcherProfile, Interval, LaunchProfile, MovePlan, MovedPiece, ProcessorProfile,
    QueuesProfile,
};
use crate::tiles::Tiles;
use crate::trace::Trace;

/// A launch whose end is not noted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenLaunch {
    /// The enqueue of the program.
    pub(crate) command: CommandIndex,
    /// The replay of a trace that launches it, if one does.
    pub(crate) replay: Option<CommandIndex>,
    /// The program.
    pub(crate) program: ProgramId,
    /// The tile of the dispatcher that it was given to; nothing if the host launches the program.
    pub(crate) dispatcher: Option<PhysicalCoordinate>,
}

/// The notes of an engine.
#[derive(Debug, Default)]
pub(crate) struct Observation {
    watched: Option<WatchedByte>,
    /// Profiles of launches that were not taken yet, if launches are profiled.
    launches: Option<Vec<LaunchProfile>>,
    /// Whether the device is asked for the activity of its cores.
    asks_activity: bool,
    /// Launches whose markers are awaited, if firmware writes markers and launches are profiled.
    markers: Option<AwaitedMarkers>,
    /// The launch that a dispatcher was given last and that is not known to have ended.
    open_launch: Option<OpenLaunch>,
    /// Where launches overlap: those whose ends are not known.
    open_works: OpenWorks,
    /// The notes of dispatchers that were not taken yet.
    queues: QueuesProfile,
}

impl Observation {
    /// Watches a byte of a tile's memory from now on, and no other one. False if the device cannot tell who writes.
    pub(crate) fn watch(
        &mut self,
        chip: &mut Chip,
        tile: PhysicalCoordinate,
        address: TileAddress,
    ) -> bool {
        self.watched = WatchedByte::new(chip, tile, address);
        self.watched.is_some()
    }

    /// The writes to the watched byte that were not taken before, in their order.
    pub(crate) fn take_writes(&mut self, tiles: &mut Tiles) -> Vec<LastWrite> {
        self.note_writer(tiles, None, None);
        self.watched.as_mut().map(WatchedByte::take).unwrap_or_default()
    }

    /// Notes the writer of the watched byte since the last look, while the kernels concerned are in place.
    pub(crate) fn note_writer(
        &mut self,
        tiles: &mut Tiles,
        command: Option<CommandIndex>,
        launch: Option<CommandIndex>,
    ) {
        if let Some(watched) = &mut self.watched {
            watched.note(tiles, command, launch);
        }
    }

    /// Profiles launches from now on. `tells_launches_apart` says that each core is known to work for one launch at a
    /// time. False if neither the device's activity nor markers tell the times of launches.
    pub(crate) fn profile(&mut self, chip: &mut Chip, tells_launches_apart: bool) -> bool {
        self.asks_activity = tells_launches_apart && chip.access().activity().is_some();
        self.markers = chip.firmware().memory().profiler.map(|_| AwaitedMarkers::default());
        let knows = self.asks_activity || self.markers.is_some();
        self.launches = knows.then(Vec::new);
        knows
    }

    /// The profiles of the launches that are known to have ended and were not taken before, in the order of their ends.
    /// `rests` says that nothing runs, `stopped` that the device has stopped.
    pub(crate) fn take_launches(
        &mut self,
        tiles: &mut Tiles,
        rests: bool,
        stopped: bool,
    ) -> Vec<LaunchProfile> {
        if let Some(markers) = &mut self.markers {
            if !rests {
                // Their markers are not known yet.
                return Vec::new();
            }
            markers.collect(tiles, self.launches.get_or_insert_default(), stopped);
        }
        self.launches.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The notes of dispatchers that were not taken yet.
    pub(crate) fn take_queues(&mut self, tiles: &mut Tiles) -> QueuesProfile {
        // Where launches are known one by one, the activity up to now may be a part of the open launch.
        if tiles.dispatch_tiles().next().is_some() && self.open_launch.is_none() {
            self.attribute_activity(tiles);
        }
        std::mem::take(&mut self.queues)
    }

    /// The activity up to now is no work for a queue.
    pub(crate) fn forget_activity(&self, chip: &mut Chip) {
        if self.asks_activity {
            chip.access().activity();
        }
    }

    /// The activity from now on belongs to a launch.
    pub(crate) fn begin(&mut self, tiles: &mut Tiles) {
        if self.asks_activity {
            self.take_activity(tiles);
        }
    }

    /// The activity of all cores since the last question. That of dispatchers is noted.
    fn take_activity(&mut self, tiles: &mut Tiles) -> Option<Activity> {
        let activity = tiles.chip_mut().access().activity()?;
        let noted = &mut self.queues;
        noted.dropped = noted.dropped.saturating_add(activity.dropped);
        for (queue, dispatcher) in tiles.dispatch_tiles() {
            let cores = activity.cores.iter().filter(|core| core.tile == dispatcher.physical);
            noted.dispatched(queue, cores, tiles.chip().description());
        }
        Some(activity)
    }

    /// A dispatcher is about to be given a launch; nothing else runs.
    pub(crate) fn open(&mut self, tiles: &mut Tiles, launch: OpenLaunch) {
        self.begin(tiles);
        self.open_launch = self.asks_activity.then_some(launch);
    }

    /// The launch that a dispatcher was given last has ended: nothing is left to do.
    pub(crate) fn close(&mut self, tiles: &mut Tiles, completed: bool) {
        if let Some(launch) = self.open_launch.take() {
            self.end(tiles, launch, completed);
        }
    }

    /// Notes the activity of cores since a launch began, while its kernels are in place.
    pub(crate) fn end(&mut self, tiles: &mut Tiles, launch: OpenLaunch, completed: bool) {
        if !self.asks_activity {
            return;
        }
        let Some(activity) = self.take_activity(tiles) else { return };
        let profile = launch_profile(tiles, launch, activity, completed);
        self.launches.get_or_insert_default().push(profile);
    }

    /// A dispatcher is about to be given a launch beside which others run.
    pub(crate) fn open_beside(
        &mut self,
        tiles: &mut Tiles,
        open: OpenLaunch,
        launch: &ProgramLaunch,
    ) {
        let description = tiles.chip().description();
        let own = launch.tiles.iter().filter_map(|tile| description.physical(tile.core));
        self.open_work(tiles, OpenKind::Launch(open), own.collect());
    }

    /// A dispatcher is about to be given a trace beside which others run.
    pub(crate) fn open_replay(&mut self, tiles: &mut Tiles, replay: CommandIndex, trace: &Trace) {
        let description = tiles.chip().description();
        let own = trace.cores.iter().filter_map(|core| description.physical(*core));
        self.open_work(tiles, OpenKind::Replay(replay), own.collect());
    }

    fn open_work(&mut self, tiles: &mut Tiles, kind: OpenKind, own: BTreeSet<PhysicalCoordinate>) {
        if let Some(from) = self.attribute_activity(tiles) {
            self.open_works.open(kind, own, from);
        }
    }

    /// Gives each launch under way the activity of its tiles. Gives the moment.
    fn attribute_activity(&mut self, tiles: &mut Tiles) -> Option<Tick> {
        if !self.asks_activity {
            return None;
        }
        let activity = self.take_activity(tiles)?;
        self.open_works.attribute(&activity);
        Some(activity.until)
    }

    /// The launches of a call are done, and their kernels are still in place.
    pub(crate) fn retire(&mut self, tiles: &mut Tiles, call: CommandIndex) {
        if self.open_works.has(call)
            && let Some(now) = self.attribute_activity(tiles)
        {
            let done = self.open_works.take(call);
            done.into_iter().for_each(|work| self.note_work(tiles, work, now, true));
        }
    }

    /// The device has stopped: launches under way are not going to end.
    pub(crate) fn abandon(&mut self, tiles: &mut Tiles) {
        if let Some(now) = self.attribute_activity(tiles) {
            let open = self.open_works.take_all();
            open.into_iter().for_each(|work| self.note_work(tiles, work, now, false));
        }
    }

    /// Orders the profiles of overlapping launches by their ends: the order in which the host noticed the ends depends
    /// on when it looked.
    pub(crate) fn order_by_ends(&mut self) {
        if let Some(launches) = &mut self.launches {
            launches.sort_by_key(|launch| launch.until);
        }
    }

    fn note_work(&mut self, tiles: &Tiles, work: OpenWork, now: Tick, completed: bool) {
        match work.profile(tiles, now, completed) {
            WorkProfile::Launch(launch) => self.launches.get_or_insert_default().push(launch),
            WorkProfile::Replay(replay) => self.queues.replays.push(replay),
        }
    }

    /// A dispatcher is about to be given a write or a read.
    pub(crate) fn begin_move(&mut self, command: CommandIndex, queue: QueueId, writes: bool) {
        if self.asks_activity {
            self.queues.moves.push(MovePlan { command, queue, writes, pieces: Vec::new() });
        }
    }

    /// The write or read that a dispatcher is given moves this memory next. Pages have so many bytes.
    pub(crate) fn move_pieces<'a>(
        &mut self,
        pieces: impl Iterator<Item = (&'a Bank, Run)>,
        page_size: u64,
    ) {
        if self.asks_activity
            && let Some(plan) = self.queues.moves.last_mut()
        {
            plan.pieces.extend(pieces.map(|(bank, Run { start, pages })| MovedPiece {
                tile: bank.physical,
                address: start.0,
                length: (pages.len() as u64).saturating_mul(page_size),
            }));
        }
    }

    /// A launch is about to run, whose markers will be there when it has ended.
    pub(crate) fn expect_markers(
        &mut self,
        command: CommandIndex,
        replay: Option<CommandIndex>,
        launch: &Arc<ProgramLaunch>,
    ) {
        if let Some(markers) = &mut self.markers {
            markers.expect(command, replay, launch);
        }
    }
}

/// The profile of a launch beside which nothing else ran, from the activity since it began.
fn launch_profile(
    tiles: &Tiles,
    launch: OpenLaunch,
    activity: Activity,
    completed: bool,
) -> LaunchProfile {
    let OpenLaunch { command, replay, program, dispatcher } = launch;
    let Activity { from, mut until, cores, dropped } = activity;
    let mut lines = KernelLines::default();
    let processors: Vec<ProcessorProfile> = cores
        .iter()
        .filter(|core| !tiles.is_dispatch_tile(core.tile))
        .filter_map(|core| processor_profile(tiles, core, &mut lines))
        .collect();
    let end = processors.iter().map(|it| it.firmware.until).max().filter(|_| completed);
    let dispatcher = dispatcher.map(|tile| dispatcher_profile(tile, &cores, end));
    if let Some((end, dispatcher)) = end.zip(dispatcher.as_ref()) {
        let last = dispatcher.ran.last().map_or(end, |span| span.until);
        until = until.min(last.max(end));
    }
    LaunchProfile {
        command,
        replay,
        program,
        from,
        until,
        completed,
        processors,
        dropped,
        dispatcher,
        lost_markers: None,
    }
}

/// The work of the dispatcher on a tile for a launch that ended at a moment.
fn dispatcher_profile(
    tile: PhysicalCoordinate,
    cores: &[CoreActivity],
    end: Option<Tick>,
) -> DispatcherProfile {
    let spans = cores.iter().filter(|core| core.tile == tile).flat_map(|core| &core.spans);
    let ran = spans.filter(|span| span.doing == Doing::Runs);
    // Work that it begins after the launch has ended is for other commands of its queue.
    let ran = ran.filter(|span| end.is_none_or(|end| span.from < end));
    let ran = ran.map(|span| Interval { from: span.from, until: span.until });
    DispatcherProfile { tile, ran: ran.collect() }
}
