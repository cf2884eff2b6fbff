//! What launches took, for whoever asks where time went: no calls of the host API, never recorded.

mod markers;
mod queues;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use hallmark_chip::{
    Activity, CoreActivity, Doing, NocRequest, PhysicalCoordinate, Processor, SourceFrame, Tick,
    Transfers,
};
use hallmark_device_code::LineTable;
use hallmark_schema::model::{CommandIndex, ProgramId, QueueId};
use serde::{Deserialize, Serialize};

pub(crate) use self::markers::AwaitedMarkers;
pub use self::markers::{
    EventProfile, MarkedPlace, ProcessorMarkers, ZoneProfile, ZoneTotal, start_of_markers,
};
pub(crate) use self::queues::OpenWork;
pub use self::queues::{
    Dispatching, DispatchingSpan, MovePlan, MovedPiece, QueueDispatcher, QueuesProfile,
    ReplayProfile, ReplayedProcessor,
};
use crate::dispatch::{Dispatcher, KernelBinary};
use crate::engine::Engine;
use crate::launch::ProgramLaunch;

/// What a program took from its launch to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchProfile {
    /// The enqueue of the program.
    pub command: CommandIndex,
    /// The replay of a trace that launched it, if one did.
    pub replay: Option<CommandIndex>,
    /// The program.
    pub program: ProgramId,
    /// When the host began with the launch.
    pub from: Tick,
    /// When the host saw its end, or gave it up.
    pub until: Tick,
    /// Whether it came to its end. It may instead have met a fault, a deadlock or the end of its budget.
    pub completed: bool,
    /// The processors that did anything in that time, in the order of tiles.
    pub processors: Vec<ProcessorProfile>,
    /// Spans that were not kept, because there were too many. Where launches overlap, one of them has those of all.
    pub dropped: u64,
    /// What the dispatcher did for the launch; nothing if the host launched the program, or the device does not tell.
    pub dispatcher: Option<DispatcherProfile>,
    /// Processors whose markers did not arrive; nothing if none were awaited.
    pub lost_markers: Option<u32>,
}

/// What a dispatcher did for a launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DispatcherProfile {
    /// Its tile on the die.
    pub tile: PhysicalCoordinate,
    /// When it executed instructions, in order. The last time may go on with what its queue holds next. Nothing where
    /// launches overlap: what it did stands in [`QueueDispatcher`], and which of that was for the launch is not known.
    pub ran: Vec<Interval>,
}

/// What a processor did during a launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessorProfile {
    /// The tile on the die.
    pub tile: PhysicalCoordinate,
    /// The processor of that tile.
    pub processor: Processor,
    /// From the first instruction to the last one, the firmware's included, but without its wait for the next launch.
    pub firmware: Interval,
    /// From the first instruction of a kernel to the last one; nothing where no kernel ran.
    pub kernel: Option<Interval>,
    /// Instructions of kernels that were executed. Turns of a loop that only waits are not, but for the first ones.
    pub instructions: u64,
    /// Times in which a kernel could do nothing until a word changed, by the place where it waited.
    pub waits: Vec<WaitProfile>,
    /// Instructions of kernels by the source line that they come from, most first.
    pub lines: Vec<LineProfile>,
    /// What its NoC requests moved from and to memory of other tiles.
    pub transfers: Vec<Transfers>,
    /// Its NoC requests that ended in that time, in the order of their ends.
    pub requests: Vec<NocRequest>,
    /// What it marked, if its firmware or its kernel does.
    pub markers: Option<ProcessorMarkers>,
}

impl ProcessorProfile {
    /// What markers alone tell of a processor; nothing if its firmware has not marked its start.
    fn of_markers(
        tile: PhysicalCoordinate,
        processor: Processor,
        markers: ProcessorMarkers,
    ) -> Option<Self> {
        // What did not end was there until the last moment that is known.
        let last = markers.last();
        let until_last = |zone: &ZoneProfile| {
            let until = zone.until.or(last).unwrap_or(zone.from).max(zone.from);
            Interval { from: zone.from, until }
        };
        Some(Self {
            tile,
            processor,
            firmware: until_last(markers.firmware.as_ref()?),
            kernel: markers.kernel.as_ref().map(until_last),
            instructions: 0,
            waits: Vec::new(),
            lines: Vec::new(),
            transfers: Vec::new(),
            requests: Vec::new(),
            markers: Some(markers),
        })
    }
}

/// A time from a moment to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// The first tick.
    pub from: Tick,
    /// The first tick that no longer belongs to it.
    pub until: Tick,
}

impl Interval {
    /// How many ticks it lasts.
    pub const fn ticks(self) -> u64 {
        self.until.since(self.from)
    }
}

/// The waits at one place of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaitProfile {
    /// The source lines of the loop that waits, the outermost function first; nothing without a line table.
    pub frames: Vec<SourceFrame>,
    /// The word that it waits for.
    pub address: u64,
    /// How long, in all.
    pub ticks: u64,
    /// Each time, in its order.
    pub spans: Vec<Interval>,
}

/// What was executed of one source line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineProfile {
    /// The line, and the lines with the calls that led there, the outermost function first.
    pub frames: Vec<SourceFrame>,
    /// Instructions.
    pub instructions: u64,
}

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

/// Source lines of kernels, each table read once: the cores of a launch run the same few images.
#[derive(Debug, Default)]
struct KernelLines {
    /// By the image's place in memory, which it keeps while the launch is looked at.
    tables: HashMap<usize, LineTable>,
    frames: HashMap<(usize, u32), Vec<SourceFrame>>,
}

impl KernelLines {
    /// The lines of the instruction at an offset of an image.
    fn frames(&mut self, binary: &KernelBinary, offset: u32) -> &[SourceFrame] {
        let image = Arc::as_ptr(&binary.image) as usize;
        let tables = &mut self.tables;
        self.frames.entry((image, offset)).or_insert_with(|| {
            let read = || binary.image.line_table().unwrap_or_default();
            tables.entry(image).or_insert_with(read).frames_at(offset)
        })
    }

    /// The same, if it was asked for before.
    fn known(&self, binary: &KernelBinary, offset: u32) -> &[SourceFrame] {
        let image = Arc::as_ptr(&binary.image) as usize;
        self.frames.get(&(image, offset)).map(Vec::as_slice).unwrap_or_default()
    }
}

impl Engine {
    /// Profiles launches from now on. False if nobody tells what they take: firmware has no markers, and the device cannot
    /// tell what its cores do, or dispatchers may launch a program on the tiles of one that runs, so that nobody knows
    /// which of them a core works for.
    pub fn profile(&mut self) -> bool {
        let is_known =
            !self.dispatches_on_device() || self.launches_one_by_one() || self.overlaps();
        self.profiles_activity = is_known && self.chip.activity().is_some();
        self.markers = self.firmware.memory().profiler.map(|_| AwaitedMarkers::default());
        let knows = self.profiles_activity || self.markers.is_some();
        self.profiled = knows.then(Vec::new);
        knows
    }

    /// What the launches took that are known to have ended and were not taken before, in the order of their ends.
    /// `stopped` says that the device has, so that what still runs does not come to its end.
    pub fn take_launches(&mut self, stopped: bool) -> Vec<LaunchProfile> {
        let rests = stopped || self.dispatchers.iter().all(Dispatcher::is_idle);
        if rests {
            self.profile_closes(!stopped);
        }
        if self.overlaps() {
            self.profile_retires_done(stopped);
        }
        if rests {
            self.collect_markers(stopped);
        } else if self.markers.is_some() {
            // What was marked of them is not known yet.
            return Vec::new();
        }
        self.profiled.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// What happens from now on belongs to a launch.
    pub(crate) fn profile_begins(&mut self) {
        if self.profiles_activity {
            self.take_activity();
        }
    }

    /// What the device tells of its cores. What dispatchers did is kept.
    fn take_activity(&mut self) -> Option<Activity> {
        let activity = self.chip.activity()?;
        let noted = &mut self.queues_profile;
        noted.dropped = noted.dropped.saturating_add(activity.dropped);
        for (queue, dispatcher) in (0..).map(QueueId).zip(&self.dispatchers) {
            let cores = activity.cores.iter().filter(|core| core.tile == dispatcher.physical);
            noted.dispatched(queue, cores, self.chip.description());
        }
        Some(activity)
    }

    /// What happens from now on belongs to a launch that a dispatcher is given.
    pub(crate) fn profile_opens(
        &mut self,
        command: CommandIndex,
        replay: Option<CommandIndex>,
        launch: &ProgramLaunch,
    ) {
        let dispatcher = self.dispatchers.get(self.serving).map(|it| it.physical);
        let open = OpenLaunch { command, replay, program: launch.program, dispatcher };
        if self.overlaps() {
            self.profile_opens_beside(open, launch);
            return;
        }
        self.profile_begins();
        self.open_launch = self.profiles_activity.then_some(open);
    }

    /// The launch that a dispatcher was given last has ended: nothing is left to do.
    pub(crate) fn profile_closes(&mut self, completed: bool) {
        if let Some(launch) = self.open_launch.take() {
            self.profile_ends(launch, completed);
        }
    }

    /// Notes what cores have done since a launch began, while its kernels are in place.
    pub(crate) fn profile_ends(&mut self, launch: OpenLaunch, completed: bool) {
        if !self.profiles_activity {
            return;
        }
        let OpenLaunch { command, replay, program, dispatcher } = launch;
        let Some(activity) = self.take_activity() else { return };
        let Activity { from, mut until, cores, dropped } = activity;
        let mut lines = KernelLines::default();
        let is_dispatcher = |core: &CoreActivity| {
            self.dispatchers.iter().any(|dispatcher| dispatcher.physical == core.tile)
        };
        let processors: Vec<ProcessorProfile> = cores
            .iter()
            .filter(|core| !is_dispatcher(core))
            .filter_map(|core| self.processor_profile(core, &mut lines))
            .collect();
        let end = processors.iter().map(|it| it.firmware.until).max().filter(|_| completed);
        let dispatcher = dispatcher.map(|tile| {
            let spans = cores.iter().filter(|core| core.tile == tile).flat_map(|core| &core.spans);
            let ran = spans.filter(|span| span.doing == Doing::Runs);
            // What it begins after the launch has ended is for other commands of its queue.
            let ran = ran.filter(|span| end.is_none_or(|end| span.from < end));
            let ran = ran.map(|span| Interval { from: span.from, until: span.until });
            DispatcherProfile { tile, ran: ran.collect() }
        });
        if let Some((end, dispatcher)) = end.zip(dispatcher.as_ref()) {
            let last = dispatcher.ran.last().map_or(end, |span| span.until);
            until = until.min(last.max(end));
        }
        let launch = LaunchProfile {
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
        };
        self.profiled.get_or_insert_default().push(launch);
    }

    fn processor_profile(
        &self,
        core: &CoreActivity,
        lines: &mut KernelLines,
    ) -> Option<ProcessorProfile> {
        let CoreActivity { tile, processor, spans, instructions, transfers, requests } = core;
        let ran: Vec<_> = spans.iter().filter(|span| span.doing == Doing::Runs).collect();
        let firmware = Interval { from: ran.first()?.from, until: ran.last()?.until };
        let binaries = self.binaries_of(*tile);
        let binary = |pc| binaries.iter().find_map(|it| Some((it, it.offset(pc)?)));
        let of_kernel = || instructions.iter().filter(|it| binary(it.pc).is_some());
        let first = of_kernel().map(|it| it.first).min();
        let last = of_kernel().map(|it| it.last).max();
        let kernel = first.zip(last).map(|(from, last)| Interval { from, until: Tick(last.0 + 1) });
        let mut waits: BTreeMap<(u32, u64), WaitProfile> = BTreeMap::new();
        for span in spans {
            let Doing::Waits { pc, address } = span.doing else { continue };
            let Some((image, offset)) = binary(pc) else { continue };
            let wait = waits.entry((pc, address.0)).or_insert_with(|| WaitProfile {
                frames: lines.frames(image, offset).to_vec(),
                address: address.0,
                ticks: 0,
                spans: Vec::new(),
            });
            wait.ticks += span.until.since(span.from);
            wait.spans.push(Interval { from: span.from, until: span.until });
        }
        let mut counts: BTreeMap<&[SourceFrame], u64> = BTreeMap::new();
        for executed in of_kernel() {
            if let Some((image, offset)) = binary(executed.pc) {
                lines.frames(image, offset);
            }
        }
        for executed in of_kernel() {
            let frames = binary(executed.pc).map(|(image, at)| lines.known(image, at));
            *counts.entry(frames.unwrap_or_default()).or_default() += executed.count;
        }
        counts.remove([].as_slice());
        let mut counts: Vec<LineProfile> = counts
            .into_iter()
            .map(|(frames, instructions)| LineProfile { frames: frames.to_vec(), instructions })
            .collect();
        counts.sort_by_key(|line| std::cmp::Reverse(line.instructions));
        let mut waits: Vec<WaitProfile> = waits.into_values().collect();
        waits.sort_by_key(|wait| std::cmp::Reverse(wait.ticks));
        Some(ProcessorProfile {
            tile: *tile,
            processor: *processor,
            firmware,
            kernel,
            instructions: of_kernel().map(|it| it.count).sum(),
            waits,
            lines: counts,
            transfers: transfers.iter().filter(|it| it.tile != *tile).cloned().collect(),
            requests: requests.clone(),
            markers: None,
        })
    }
}
