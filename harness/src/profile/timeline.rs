//! A profile as a timeline that Perfetto shows: lanes for the host's calls, each queue, each dispatcher, each processor of
//! each tile and the NoC requests of each tile, with arrows from the call that enqueues a program to its launch and on to the read behind it.
//!
//! Host and device have a clock each. The device's lanes begin when the host makes the first call that launches
//! something. A tick lasts a nanosecond there, unless somebody says how many ticks a second has.

mod trace;

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use hallmark_chip::{PhysicalCoordinate, Processor, Tick};
use hallmark_runtime::{Interval, LaunchProfile, ProcessorProfile};
use hallmark_schema::model::{Capture, Command, CommandIndex, QueueId};
use prost::Message as _;

use self::trace::{
    ChildTracksOrdering, DebugAnnotation, EventType, Trace, TracePacket, TrackDescriptor,
    TrackEvent,
};
use super::csv::nanoseconds;
use super::operation::Operation;
use super::summary::{place, processor_kernel};
use crate::worker::profile::ProfileNotes;

/// All packets come from one writer.
const SEQUENCE: u32 = 1;
const HOST: u64 = 1;
const DEVICE: u64 = 2;
/// Lanes below those.
const FIRST_LANE: u64 = 16;

/// The file. `clock` is how many ticks a second has, where somebody says so.
pub fn write(
    operations: &[Operation<'_>],
    capture: &Capture,
    notes: &ProfileNotes,
    clock: Option<NonZeroU64>,
) -> Vec<u8> {
    let mut timeline = Timeline::new(operations, capture, clock);
    timeline.calls(notes);
    for (number, operation) in (1..).zip(operations) {
        if let Some(launch) = operation.launch {
            timeline.launch(number, operation, launch);
        }
    }
    timeline.finish()
}

/// A lane, as far as lanes are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Lane {
    Queue(QueueId),
    Dispatch(PhysicalCoordinate),
    Tile(PhysicalCoordinate),
    Processor(PhysicalCoordinate, Processor),
    /// Requests of a tile that are on their way at once stand in lanes of their own, by number.
    Noc(PhysicalCoordinate, usize, usize),
}

/// A begin or an end.
struct Event {
    /// In nanoseconds.
    at: u64,
    track: u64,
    /// A begin has a name.
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
    /// When the device's lanes begin, on the host's clock, and the tick of that moment.
    base: (u64, Tick),
    /// Arrows that leave a call, and those that end at a call, by its place.
    leave: BTreeMap<u32, Vec<u64>>,
    arrive: BTreeMap<u32, Vec<u64>>,
    lanes: BTreeMap<Lane, u64>,
    events: Vec<Event>,
}

impl<'a> Timeline<'a> {
    fn new(operations: &[Operation<'_>], capture: &'a Capture, clock: Option<NonZeroU64>) -> Self {
        let launched = || operations.iter().filter_map(|it| Some((it, it.launch?)));
        let host = launched().filter_map(|(it, _)| it.host).map(|(from, _)| from).min();
        let tick = launched().map(|(_, launch)| launch.from).min();
        let base = (host.unwrap_or(0), tick.unwrap_or(Tick(0)));
        let (mut leave, mut arrive) = (BTreeMap::new(), BTreeMap::new());
        for (flow, operation) in (1..).zip(operations) {
            let Some(launch) = operation.launch else { continue };
            let call = launch.replay.unwrap_or(launch.command);
            leave.entry(call.0).or_insert_with(Vec::new).push(flow);
            if let Some(read) = read_behind(capture, call) {
                arrive.entry(read).or_insert_with(Vec::new).push(flow);
            }
        }
        let (lanes, events) = (BTreeMap::new(), Vec::new());
        Self { capture, clock, base, leave, arrive, lanes, events }
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
        let queue = queue_of(self.capture, launch.replay.unwrap_or(launch.command));
        let track = self.lane(Lane::Queue(queue));
        let (from, until) = (self.at(launch.from), self.at(launch.until));
        let mut said = vec![
            number("command", launch.command.0.into()),
            number("ticks", launch.until.since(launch.from)),
        ];
        if !launch.completed {
            said.push(text("completed", "no"));
        }
        let name = operation.name.to_owned();
        let begin = Begin { name, flows: vec![flow], notes: said, ..Begin::default() };
        self.slice(track, from, until, begin, |_| ());
        let dispatcher = launch.dispatcher.iter();
        for (tile, span) in dispatcher.flat_map(|it| it.ran.iter().map(|span| (it.tile, span))) {
            let track = self.lane(Lane::Dispatch(tile));
            let (from, until) = (self.at(span.from), self.at(span.until));
            let notes = vec![number("ticks", span.ticks())];
            let begin = Begin { name: operation.name.to_owned(), notes, ..Begin::default() };
            self.slice(track, from, until, begin, |_| ());
        }
        for processor in &launch.processors {
            self.processor(operation, processor);
        }
        self.requests(launch);
    }

    /// Requests on their way, each in the first lane of its tile and NoC that is free.
    fn requests(&mut self, launch: &LaunchProfile) {
        let processors = launch.processors.iter();
        let mut requests: Vec<_> = processors
            .flat_map(|it| it.requests.iter().map(move |request| (it, request)))
            .collect();
        requests.sort_by_key(|(_, request)| (request.from, request.until));
        let mut busy: BTreeMap<(PhysicalCoordinate, usize), Vec<Tick>> = BTreeMap::new();
        for (it, request) in requests {
            let noc = request.noc.index();
            let lanes = busy.entry((it.tile, noc)).or_default();
            let free = lanes.iter().position(|until| *until <= request.from);
            let place = free.unwrap_or(lanes.len());
            match lanes.get_mut(place) {
                Some(until) => *until = request.until,
                None => lanes.push(request.until),
            }
            let track = self.lane(Lane::Noc(it.tile, noc, place));
            let others = match request.tiles {
                1 => format!("tile {}", request.tile),
                count => format!("{count} tiles from {} on", request.tile),
            };
            let begin = Begin {
                name: format!("{} {} B, {others}", request.kind.name(), request.bytes),
                notes: vec![
                    text("processor", it.processor.name()),
                    number("ticks", request.until.since(request.from)),
                ],
                ..Begin::default()
            };
            let (from, until) = (self.at(request.from), self.at(request.until));
            self.slice(track, from, until, begin, |_| ());
        }
    }

    fn processor(&mut self, operation: &Operation<'_>, it: &ProcessorProfile) {
        // The lane of the tile stands above.
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
            // A zone that did not end lasts as long as its kernel.
            let end = it.kernel.map_or(zone.from, |kernel| kernel.until);
            let until = zone.until.unwrap_or(end).max(zone.from);
            inner.push((Interval { from: zone.from, until }, zone.place.name.clone()));
        }
        // What holds another one stands before it.
        inner.sort_by_key(|(span, _)| (span.from, std::cmp::Reverse(span.until)));
        let (from, until) = (self.at(it.firmware.from), self.at(it.firmware.until));
        self.slice(track, from, until, named("firmware", it.firmware), |timeline| {
            let Some(kernel) = it.kernel else { return };
            let name = processor_kernel(operation, it.processor, &[]);
            let (from, until) = (timeline.at(kernel.from), timeline.at(kernel.until));
            timeline.slice(track, from, until, named(&name, kernel), |timeline| {
                let mut inner = inner.into_iter().peekable();
                timeline.nested(track, kernel, &mut inner);
            });
        });
    }

    /// Slices inside one, each with those that begin before it ends inside it.
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
                Lane::Queue(queue) => (format!("queue {}", queue.0), DEVICE),
                Lane::Dispatch(tile) => (format!("dispatch on tile {tile}"), DEVICE),
                Lane::Tile(tile) => (format!("tile {tile}"), DEVICE),
                Lane::Processor(tile, processor) => {
                    let parent = self.lanes.get(&Lane::Tile(*tile)).copied().unwrap_or(DEVICE);
                    (processor.name().to_owned(), parent)
                }
                // Lanes of one name are drawn as one.
                Lane::Noc(tile, noc, _) => {
                    let parent = self.lanes.get(&Lane::Tile(*tile)).copied().unwrap_or(DEVICE);
                    (format!("NoC {noc}"), parent)
                }
            };
            packets.push(descriptor(*track, &name, Some(parent), rank));
        }
        // Of one lane, the order stays where moments are equal: a begin stands before what it holds.
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

/// The queue of a call.
fn queue_of(capture: &Capture, at: CommandIndex) -> QueueId {
    let command = usize::try_from(at.0).ok().and_then(|at| capture.program.commands.get(at));
    command.and_then(|made| made.command.queue()).unwrap_or(QueueId(0))
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
