//! A profile as a timeline for Perfetto: lanes for the host's calls, each queue, each dispatcher, each
//! processor of each tile and the NoC requests of each tile. Arrows connect the call that enqueues a program
//! with its launch, and the launch with the next read.
//!
//! Host and device have separate clocks. The device's lanes begin when the host makes the first call that gives
//! the device work. A tick lasts a nanosecond there, unless the user states the ticks per second.

mod trace;

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use hallmark_chip::{NocRequest, PhysicalCoordinate, Processor, Tick};
use hallmark_execution::worker::profile::ProfileNotes;
use hallmark_runtime::{Interval, LaunchProfile, ProcessorProfile, ReplayProfile};
use hallmark_schema::model::{Capture, Command, CommandIndex, QueueId};
use prost::Message as _;

use self::trace::{
    ChildTracksOrdering, DebugAnnotation, EventType, Trace, TracePacket, TrackDescriptor,
    TrackEvent,
};
use super::csv::nanoseconds;
use super::operation::{Operation, queue_of};
use super::queues::{Dispatcher, Move, Queues};
use super::summary::place;

/// All packets have the same writer.
const SEQUENCE: u32 = 1;
const HOST: u64 = 1;
const DEVICE: u64 = 2;
/// The first id of lanes after those.
const FIRST_LANE: u64 = 16;

/// The file. `clock` is the number of ticks per second, if the user states it.
pub fn write(
    operations: &[Operation<'_>],
    capture: &Capture,
    notes: &ProfileNotes,
    clock: Option<NonZeroU64>,
) -> Vec<u8> {
    let queues = Queues::of_notes(capture, notes);
    let mut timeline = Timeline::new(operations, capture, clock);
    timeline.begin(operations, notes, &queues);
    timeline.calls(notes);
    for (number, operation) in (1..).zip(operations) {
        if let Some(launch) = operation.launch {
            timeline.launch(number, operation, launch);
        }
    }
    queues.moves.iter().for_each(|it| timeline.moves(it));
    timeline.queues();
    for (queue, dispatcher) in &queues.dispatchers {
        timeline.dispatcher(*queue, dispatcher);
    }
    for replay in &queues.replays {
        timeline.replay(replay);
    }
    timeline.finish()
}

/// The identity of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Lane {
    /// Overlapping events of a queue are in separate lanes, by number.
    Queue(QueueId, usize),
    Dispatch(QueueId, PhysicalCoordinate),
    Tile(PhysicalCoordinate),
    Processor(PhysicalCoordinate, Processor),
    /// Overlapping requests of a tile are in separate lanes, by number.
    Noc(PhysicalCoordinate, usize, usize),
}

/// A begin or an end.
struct Event {
    /// The time in nanoseconds.
    at: u64,
    track: u64,
    /// The name and values of a begin event.
    begins: Option<Begin>,
}

#[derive(Default)]
struct Begin {
    name: String,
    flows: Vec<u64>,
    ends_flows: Vec<u64>,
    notes: Vec<DebugAnnotation>,
}

struct Timeline<'a> {
    capture: &'a Capture,
    clock: Option<NonZeroU64>,
    /// The time on the host's clock at which the device's lanes begin, and the tick of that moment.
    base: (u64, Tick),
    /// Arrows from a call, and those to a call, by the call's index.
    leave: BTreeMap<u32, Vec<u64>>,
    arrive: BTreeMap<u32, Vec<u64>>,
    lanes: BTreeMap<Lane, u64>,
    events: Vec<Event>,
    /// The completed work of queues.
    carried_out: Vec<(QueueId, Interval, Begin)>,
}

impl<'a> Timeline<'a> {
    fn new(operations: &[Operation<'_>], capture: &'a Capture, clock: Option<NonZeroU64>) -> Self {
        let (mut leave, mut arrive) = (BTreeMap::new(), BTreeMap::new());
        for (flow, operation) in (1..).zip(operations) {
            let Some(launch) = operation.launch else { continue };
            let call = launch.replay.unwrap_or(launch.command);
            leave.entry(call.0).or_insert_with(Vec::new).push(flow);
            if let Some(read) = read_behind(capture, call) {
                arrive.entry(read).or_insert_with(Vec::new).push(flow);
            }
        }
        let (lanes, events, carried_out) = (BTreeMap::new(), Vec::new(), Vec::new());
        let base = (0, Tick(0));
        Self { capture, clock, base, leave, arrive, lanes, events, carried_out }
    }

    /// The device's lanes begin with the first call that gives it work.
    fn begin(&mut self, operations: &[Operation<'_>], notes: &ProfileNotes, queues: &Queues<'_>) {
        let launches = || operations.iter().filter(|it| it.launch.is_some());
        let moved = |call: u32| queues.moves.iter().any(|it| it.command.0 == call);
        let replayed = |call: u32| queues.replays.iter().any(|it| it.command.0 == call);
        let calls = notes.calls.iter().filter(|it| moved(it.command) || replayed(it.command));
        let host = launches().filter_map(|it| it.host).map(|(from, _)| from);
        let host = host.chain(calls.map(|call| call.from)).min();
        let ticks = launches().filter_map(|it| it.launch).map(|launch| launch.from);
        let busy = queues.dispatchers.values().filter_map(|it| it.shown().next());
        let tick = ticks.chain(busy.map(|span| span.at.from)).min();
        self.base = (host.unwrap_or(0), tick.unwrap_or(Tick(0)));
    }

    /// A moment of the device on the timeline.
    fn at(&self, tick: Tick) -> u64 {
        let (host, begin) = self.base;
        let ticks = tick.since(begin);
        host.saturating_add(self.clock.map_or(ticks, |clock| nanoseconds(ticks, clock)))
    }

    fn lane(&mut self, lane: Lane) -> u64 {
        let next = FIRST_LANE.saturating_add(self.lanes.len() as u64);
        *self.lanes.entry(lane).or_insert(next)
    }

    fn slice(
        &mut self,
        track: u64,
        from: u64,
        until: u64,
        begin: Begin,
        inside: impl FnOnce(&mut Self),
    ) {
        self.events.push(Event { at: from, track, begins: Some(begin) });
        inside(self);
        self.events.push(Event { at: until.max(from), track, begins: None });
    }

    fn calls(&mut self, notes: &ProfileNotes) {
        for note in &notes.calls {
            let place = usize::try_from(note.command).unwrap_or(usize::MAX);
            let Some(made) = self.capture.program.commands.get(place) else { continue };
            let begin = Begin {
                name: made.command.kind().name().to_owned(),
                flows: self.leave.remove(&note.command).unwrap_or_default(),
                ends_flows: self.arrive.remove(&note.command).unwrap_or_default(),
                notes: vec![number("command", note.command.into())],
            };
            self.slice(HOST, note.from, note.until, begin, |_| ());
        }
    }

    fn launch(&mut self, flow: u64, operation: &Operation<'_>, launch: &LaunchProfile) {
        // If launches overlap, a dispatcher receives a launch long before its start.
        let runs = operation.firmware().filter(|_| operation.is_beside_others());
        let at = runs.unwrap_or(Interval { from: launch.from, until: launch.until });
        let mut said = vec![
            number("command", launch.command.0.into()),
            number("ticks", at.ticks()),
            number("first tick", at.from.0),
        ];
        if !launch.completed {
            said.push(text("completed", "no"));
        }
        let name = operation.name.to_owned();
        let begin = Begin { name, flows: vec![flow], notes: said, ..Begin::default() };
        self.carried_out.push((operation.queue(), at, begin));
        for processor in &launch.processors {
            self.processor(operation, processor);
        }
        let requests = launch
            .processors
            .iter()
            .flat_map(|it| it.requests.iter().map(|request| (it.tile, it.processor, request)));
        self.requests(requests.collect());
    }

    /// Adds a queue's write or read.
    fn moves(&mut self, it: &Move) {
        let notes = vec![
            number("command", it.command.0.into()),
            number("bytes", it.bytes),
            number("ticks", it.at.ticks()),
            number("first tick", it.at.from.0),
        ];
        let begin = Begin { name: it.name.clone(), notes, ..Begin::default() };
        self.carried_out.push((it.queue, it.at, begin));
    }

    /// Adds the work of queues, each item to the first free lane of its queue.
    fn queues(&mut self) {
        let mut all = std::mem::take(&mut self.carried_out);
        all.sort_by_key(|(queue, at, _)| (*queue, at.from, at.until));
        let mut busy: BTreeMap<QueueId, Vec<Tick>> = BTreeMap::new();
        for (queue, at, begin) in all {
            let place = free_lane(busy.entry(queue).or_default(), at.from, at.until);
            let track = self.lane(Lane::Queue(queue, place));
            let (from, until) = (self.at(at.from), self.at(at.until));
            self.slice(track, from, until, begin, |_| ());
        }
    }

    /// Adds the activity of a dispatcher, without its waits for commands.
    fn dispatcher(&mut self, queue: QueueId, dispatcher: &Dispatcher) {
        for span in dispatcher.shown() {
            let track = self.lane(Lane::Dispatch(queue, dispatcher.tile));
            let (from, until) = (self.at(span.at.from), self.at(span.at.until));
            let notes = vec![number("ticks", span.at.ticks())];
            let begin = Begin { name: span.doing.name().to_owned(), notes, ..Begin::default() };
            self.slice(track, from, until, begin, |_| ());
        }
        if !dispatcher.requests.is_empty() {
            self.lane(Lane::Tile(dispatcher.tile));
        }
        let requests = dispatcher.requests.iter();
        // The dispatcher is the firmware of its tile's first core.
        self.requests(requests.map(|it| (dispatcher.tile, Processor::Brisc, it)).collect());
    }

    /// Adds the activity of cores during a trace, which is not known by program.
    fn replay(&mut self, replay: &ReplayProfile) {
        for it in &replay.processors {
            self.lane(Lane::Tile(it.tile));
            let track = self.lane(Lane::Processor(it.tile, it.processor));
            for span in &it.ran {
                let (from, until) = (self.at(span.from), self.at(span.until));
                let notes =
                    vec![number("command", replay.command.0.into()), number("ticks", span.ticks())];
                let name = "runs for a trace".to_owned();
                self.slice(track, from, until, Begin { name, notes, ..Begin::default() }, |_| ());
            }
        }
        let requests = replay
            .processors
            .iter()
            .flat_map(|it| it.requests.iter().map(|request| (it.tile, it.processor, request)));
        self.requests(requests.collect());
    }

    /// Adds requests, each to the first free lane of its tile and NoC.
    fn requests(&mut self, mut requests: Vec<(PhysicalCoordinate, Processor, &NocRequest)>) {
        requests.sort_by_key(|(_, _, request)| (request.from, request.until));
        let mut busy: BTreeMap<(PhysicalCoordinate, usize), Vec<Tick>> = BTreeMap::new();
        for (tile, processor, request) in requests {
            let noc = request.noc.index();
            let lanes = busy.entry((tile, noc)).or_default();
            let place = free_lane(lanes, request.from, request.until);
            let track = self.lane(Lane::Noc(tile, noc, place));
            let others = match request.tiles {
                1 => format!("tile {}", request.tile),
                count => format!("{count} tiles from {} on", request.tile),
            };
            let begin = Begin {
                name: format!("{} {} B, {others}", request.kind.name(), request.bytes),
                notes: vec![
                    text("processor", processor.name()),
                    number("ticks", request.until.since(request.from)),
                ],
                ..Begin::default()
            };
            let (from, until) = (self.at(request.from), self.at(request.until));
            self.slice(track, from, until, begin, |_| ());
        }
    }

    fn processor(&mut self, operation: &Operation<'_>, it: &ProcessorProfile) {
        // The lane of the tile must precede them.
        self.lane(Lane::Tile(it.tile));
        let track = self.lane(Lane::Processor(it.tile, it.processor));
        let named = |name: &str, over: Interval| Begin {
            name: name.to_owned(),
            notes: vec![number("ticks", over.ticks())],
            ..Begin::default()
        };
        let mut inner: Vec<(Interval, String)> = Vec::new();
        for wait in &it.waits {
            let name = format!("waits at {}", place(operation, wait));
            inner.extend(wait.spans.iter().map(|span| (*span, name.clone())));
        }
        for zone in it.markers.iter().flat_map(|markers| &markers.zones) {
            // A zone without an end lasts until its kernel's end.
            let end = it.kernel.map_or(zone.from, |kernel| kernel.until);
            let until = zone.until.unwrap_or(end).max(zone.from);
            inner.push((Interval { from: zone.from, until }, zone.place.name.clone()));
        }
        // An enclosing zone precedes the enclosed ones.
        inner.sort_by_key(|(span, _)| (span.from, std::cmp::Reverse(span.until)));
        let (from, until) = (self.at(it.firmware.from), self.at(it.firmware.until));
        self.slice(track, from, until, named("firmware", it.firmware), |timeline| {
            let Some(kernel) = it.kernel else { return };
            let name = operation.kernel_name(it);
            let (from, until) = (timeline.at(kernel.from), timeline.at(kernel.until));
            timeline.slice(track, from, until, named(&name, kernel), |timeline| {
                let mut inner = inner.into_iter().peekable();
                timeline.nested(track, kernel, &mut inner);
            });
        });
    }

    /// Adds nested slices, each enclosing those that begin before its end.
    fn nested(
        &mut self,
        track: u64,
        outer: Interval,
        inner: &mut std::iter::Peekable<std::vec::IntoIter<(Interval, String)>>,
    ) {
        while let Some((span, name)) = inner.next_if(|(span, _)| span.from < outer.until) {
            let from = span.from.clamp(outer.from, outer.until);
            let over = Interval { from, until: span.until.clamp(from, outer.until) };
            let begin =
                Begin { name, notes: vec![number("ticks", span.ticks())], ..Begin::default() };
            let (from, until) = (self.at(over.from), self.at(over.until));
            self.slice(track, from, until, begin, |timeline| timeline.nested(track, over, inner));
        }
    }

    fn finish(mut self) -> Vec<u8> {
        let mut packets = vec![
            descriptor(HOST, "host calls", None, 0),
            descriptor(DEVICE, &format!("device ({})", self.capture.program.architecture), None, 1),
        ];
        for (rank, (lane, track)) in (0..).zip(&self.lanes) {
            let (name, parent) = match lane {
                // Perfetto draws lanes with the same name as one.
                Lane::Queue(queue, _) => (format!("queue {}", queue.0), DEVICE),
                Lane::Dispatch(queue, tile) => {
                    (format!("dispatch of queue {} on tile {tile}", queue.0), DEVICE)
                }
                Lane::Tile(tile) => (format!("tile {tile}"), DEVICE),
                Lane::Processor(tile, processor) => {
                    let parent = self.lanes.get(&Lane::Tile(*tile)).copied().unwrap_or(DEVICE);
                    (processor.name().to_owned(), parent)
                }
                Lane::Noc(tile, noc, _) => {
                    let parent = self.lanes.get(&Lane::Tile(*tile)).copied().unwrap_or(DEVICE);
                    (format!("NoC {noc}"), parent)
                }
            };
            packets.push(descriptor(*track, &name, Some(parent), rank));
        }
        // The sort is stable: at equal times, a begin stays before the events that it encloses.
        self.events.sort_by_key(|event| event.at);
        packets.extend(self.events.into_iter().map(packet));
        Trace { packet: packets }.encode_to_vec()
    }
}

fn packet(Event { at, track, begins }: Event) -> TracePacket {
    let of = |kind: EventType| TrackEvent {
        r#type: Some(kind.into()),
        track_uuid: Some(track),
        ..TrackEvent::default()
    };
    let event = match begins {
        Some(Begin { name, flows, ends_flows, notes }) => TrackEvent {
            name: Some(name),
            flow_ids: flows,
            terminating_flow_ids: ends_flows,
            debug_annotations: notes,
            ..of(EventType::SliceBegin)
        },
        None => of(EventType::SliceEnd),
    };
    TracePacket {
        timestamp: Some(at),
        trusted_packet_sequence_id: Some(SEQUENCE),
        track_event: Some(event),
        track_descriptor: None,
    }
}

fn descriptor(uuid: u64, name: &str, parent: Option<u64>, rank: i32) -> TracePacket {
    let descriptor = TrackDescriptor {
        uuid: Some(uuid),
        name: Some(name.to_owned()),
        parent_uuid: parent,
        child_ordering: Some(ChildTracksOrdering::Explicit.into()),
        sibling_order_rank: Some(rank),
    };
    TracePacket {
        timestamp: None,
        trusted_packet_sequence_id: Some(SEQUENCE),
        track_event: None,
        track_descriptor: Some(descriptor),
    }
}

fn number(name: &str, value: u64) -> DebugAnnotation {
    let name = Some(name.to_owned());
    DebugAnnotation { name, uint_value: Some(value), string_value: None }
}

fn text(name: &str, value: &str) -> DebugAnnotation {
    let name = Some(name.to_owned());
    DebugAnnotation { name, uint_value: None, string_value: Some(value.to_owned()) }
}

/// The first lane that is free from a moment on, by the ends of the lanes' items. Occupies it until another
/// moment.
fn free_lane(lanes: &mut Vec<Tick>, from: Tick, until: Tick) -> usize {
    let free = lanes.iter().position(|end| *end <= from);
    let place = free.unwrap_or(lanes.len());
    match lanes.get_mut(place) {
        Some(end) => *end = until,
        None => lanes.push(until),
    }
    place
}

/// The next read on the queue of a call.
fn read_behind(capture: &Capture, at: CommandIndex) -> Option<u32> {
    let queue = queue_of(capture, at);
    let behind = (0_u32..).zip(&capture.program.commands).filter(|(index, _)| *index > at.0);
    let mut reads = behind.filter(|(_, made)| match &made.command {
        Command::EnqueueReadBuffer(read) => read.queue == queue,
        _ => false,
    });
    reads.next().map(|(index, _)| index)
}
