//! The timeline, read by the wire format of Protocol Buffers and the field numbers of Perfetto's published schema
//! (`protos/perfetto/trace/perfetto_trace.proto`), without the messages by which it is written.

use std::collections::BTreeMap;

use super::common::text;
use super::{AHEAD, PIPELINE, library, profile, table};

/// The fields of a message: number and content, in their order.
type Fields<'a> = Vec<(u64, Field<'a>)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field<'a> {
    Varint(u64),
    Fixed(u64),
    Bytes(&'a [u8]),
}

impl<'a> Field<'a> {
    fn number(self) -> u64 {
        let Field::Varint(number) = self else { panic!("{self:?} is no varint") };
        number
    }

    fn fixed(self) -> u64 {
        let Field::Fixed(number) = self else { panic!("{self:?} has no 64 bits") };
        number
    }

    fn bytes(self) -> &'a [u8] {
        let Field::Bytes(bytes) = self else { panic!("{self:?} has no bytes") };
        bytes
    }

    fn text(self) -> String {
        String::from_utf8(self.bytes().to_vec()).unwrap()
    }
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return value;
        }
    }
    panic!("a varint has at most ten bytes")
}

fn fields(mut bytes: &[u8]) -> Fields<'_> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let field = match key & 7 {
            0 => Field::Varint(varint(&mut bytes)),
            1 => {
                let (number, rest) = bytes.split_first_chunk::<8>().unwrap();
                bytes = rest;
                Field::Fixed(u64::from_le_bytes(*number))
            }
            2 => {
                let length = usize::try_from(varint(&mut bytes)).unwrap();
                let (content, rest) = bytes.split_at(length);
                bytes = rest;
                Field::Bytes(content)
            }
            wire => panic!("wire type {wire}"),
        };
        fields.push((key >> 3, field));
    }
    fields
}

/// The fields of a message with a number. All other fields must have one of the known numbers.
fn all<'a>(of: &Fields<'a>, number: u64, known: &[u64]) -> Vec<Field<'a>> {
    for (number, _) in of {
        assert!(known.contains(number), "field {number} is not one of {known:?}");
    }
    of.iter().filter(|(it, _)| *it == number).map(|(_, field)| *field).collect()
}

fn one<'a>(of: &Fields<'a>, number: u64, known: &[u64]) -> Option<Field<'a>> {
    let fields = all(of, number, known);
    assert!(fields.len() <= 1, "field {number} stands {} times", fields.len());
    fields.first().copied()
}

/// An interval with a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Slice {
    /// The lane, as the names from the outermost lane inwards.
    lane: String,
    name: String,
    from: u64,
    until: u64,
    /// The number of enclosing slices in the lane.
    depth: usize,
    flows: Vec<u64>,
    ends_flows: Vec<u64>,
    notes: BTreeMap<String, String>,
}

const PACKET: [u64; 4] = [8, 10, 11, 60];
const DESCRIPTOR: [u64; 5] = [1, 2, 5, 11, 12];
const EVENT: [u64; 6] = [4, 9, 11, 23, 47, 48];
const ANNOTATION: [u64; 3] = [3, 6, 10];

fn slices(trace: &[u8]) -> Vec<Slice> {
    let mut lanes: BTreeMap<u64, String> = BTreeMap::new();
    let mut open: BTreeMap<u64, Vec<Slice>> = BTreeMap::new();
    let (mut done, mut now) = (Vec::new(), 0);
    for packet in all(&fields(trace), 1, &[1]) {
        let packet = fields(packet.bytes());
        assert_eq!(one(&packet, 10, &PACKET), Some(Field::Varint(1)), "one writer");
        if let Some(descriptor) = one(&packet, 60, &PACKET) {
            let descriptor = fields(descriptor.bytes());
            let uuid = one(&descriptor, 1, &DESCRIPTOR).unwrap().number();
            let name = one(&descriptor, 2, &DESCRIPTOR).unwrap().text();
            let parent =
                one(&descriptor, 5, &DESCRIPTOR).map(|parent| lanes[&parent.number()].clone());
            let name = parent.map_or(name.clone(), |parent| format!("{parent} > {name}"));
            assert_eq!(lanes.insert(uuid, name), None, "a lane is described once");
            continue;
        }
        let at = one(&packet, 8, &PACKET).unwrap().number();
        assert!(at >= now, "moments ascend");
        now = at;
        let event = fields(one(&packet, 11, &PACKET).unwrap().bytes());
        let track = one(&event, 11, &EVENT).unwrap().number();
        let lane = lanes[&track].clone();
        let stack = open.entry(track).or_default();
        match one(&event, 9, &EVENT).unwrap().number() {
            1 => {
                let name = one(&event, 23, &EVENT).unwrap().text();
                let numbers =
                    |field| all(&event, field, &EVENT).iter().map(|it| it.fixed()).collect();
                let note = |note: Field<'_>| {
                    let note = fields(note.bytes());
                    let name = one(&note, 10, &ANNOTATION).unwrap().text();
                    let number = one(&note, 3, &ANNOTATION).map(|it| it.number().to_string());
                    (name, number.or_else(|| Some(one(&note, 6, &ANNOTATION)?.text())).unwrap())
                };
                let notes = all(&event, 4, &EVENT).into_iter().map(note).collect();
                let (flows, ends_flows) = (numbers(47), numbers(48));
                let depth = stack.len();
                stack.push(Slice {
                    lane,
                    name,
                    from: at,
                    until: at,
                    depth,
                    flows,
                    ends_flows,
                    notes,
                });
            }
            2 => done.push(Slice { until: at, ..stack.pop().unwrap() }),
            kind => panic!("type {kind}"),
        }
    }
    assert!(open.values().all(Vec::is_empty), "each begin has an end");
    done
}

fn timeline(subject: &str, more: &[&str]) -> Vec<Slice> {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [&[subject, "-o", "table.csv", "--timeline", "t.pftrace"], more].concat();
    let output = profile(folder.path(), &arguments);
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("wrote t.pftrace"), "{}", text(&output));
    slices(&std::fs::read(folder.path().join("t.pftrace")).unwrap())
}

fn named<'s>(slices: &'s [Slice], lane: &str, name: &str) -> Vec<&'s Slice> {
    slices.iter().filter(|it| it.lane == lane && it.name.starts_with(name)).collect()
}

const QUEUE: &str = "device (wormhole_b0) > queue 0";

#[test]
fn a_program_has_lanes_and_arrows_from_its_call_to_the_read() {
    let slices = timeline(PIPELINE, &[]);
    let enqueue = named(&slices, "host calls", "enqueue_program");
    let launch = named(&slices, QUEUE, "pipe");
    let read = named(&slices, "host calls", "enqueue_read_buffer");
    let ([enqueue], [launch], [read]) = (&enqueue[..], &launch[..], &read[..]) else {
        panic!("{slices:?}")
    };
    assert_eq!(enqueue.flows, [1]);
    assert_eq!(launch.flows, enqueue.flows);
    assert_eq!(read.ends_flows, enqueue.flows);
    assert_eq!(launch.notes["ticks"], (launch.until - launch.from).to_string());
    assert_eq!(launch.from, enqueue.from, "the device's lanes begin with that call");
    let processors = ["BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2"];
    let kernels = ["write", "read", "compute", "compute", "compute"];
    for (processor, kernel) in processors.into_iter().zip(kernels) {
        let lane = format!("device (wormhole_b0) > tile (1,1) > {processor}");
        let (firmware, kernel) = (named(&slices, &lane, "firmware"), named(&slices, &lane, kernel));
        let ([firmware], [kernel]) = (&firmware[..], &kernel[..]) else { panic!("{slices:?}") };
        assert_eq!((firmware.depth, kernel.depth), (0, 1));
        let inside = |outer: &Slice, it: &Slice| outer.from <= it.from && it.until <= outer.until;
        assert!(inside(launch, firmware) && inside(firmware, kernel));
        for wait in named(&slices, &lane, "waits at") {
            assert!(inside(kernel, wait) && wait.depth == 2, "{wait:?}");
        }
    }
    assert!(slices.iter().any(|it| it.name.starts_with("waits at ") && it.until > it.from));
}

#[test]
fn each_replay_of_a_trace_has_its_arrow() {
    let test = "wormhole_b0::queues::traces::one_program::replays=10::blocking=true::queues=2";
    let slices = timeline(test, &[]);
    let replays = named(&slices, "host calls", "replay_trace");
    assert_eq!(replays.len(), 10);
    let launches: Vec<u64> =
        named(&slices, QUEUE, "").iter().flat_map(|launch| launch.flows.clone()).collect();
    assert!(
        replays.iter().all(|replay| replay.flows.len() == 1 && launches.contains(&replay.flows[0]))
    );
}

#[test]
fn a_clock_stretches_the_lanes_of_the_device() {
    let [ticks, nanoseconds] = [&[][..], &["--clock", "500000000"]].map(|more| {
        let slices = timeline(PIPELINE, more);
        let launch = named(&slices, QUEUE, "pipe")[0];
        launch.until - launch.from
    });
    assert_eq!(nanoseconds, 2 * ticks);
}

#[test]
fn a_launch_that_did_not_end_says_so() {
    let test = "wormhole_b0::faults::faults::misaligned_load::processor=riscv_0";
    let slices = timeline(test, &[]);
    let launches = named(&slices, QUEUE, "");
    assert_eq!(launches.len(), 1);
    assert_eq!(launches[0].notes["completed"], "no");
}

#[test]
fn a_device_that_tells_nothing_has_the_hosts_lane_alone() {
    let slices = timeline(PIPELINE, &["--device", &library()]);
    assert!(!slices.is_empty());
    assert!(slices.iter().all(|it| it.lane == "host calls" && it.flows.is_empty()));
}

#[test]
fn a_dispatcher_has_a_lane_of_its_own() {
    let slices = timeline(PIPELINE, &["--device", "sim dispatch=device"]);
    let on_lane = dispatching(&slices, 0);
    // It sends the kernels off, and learns of their end.
    let write = slices.iter().find(|slice| slice.name == "write").unwrap();
    let waits = |it: &&&Slice| it.name == "waits for the cores of a program";
    let waits: Vec<&&Slice> = on_lane.iter().filter(waits).collect();
    let [wait] = waits[..] else { panic!("{on_lane:?}") };
    assert!(wait.from < write.from && write.until < wait.until, "{wait:?}");
    assert!(on_lane.windows(2).all(|pair| pair[0].until <= pair[1].from), "one after the other");
    assert!(on_lane.iter().any(|it| it.name == "executes" && it.until == wait.from));
    let by_host = timeline(PIPELINE, &["--device", "sim dispatch=host"]);
    assert!(by_host.iter().all(|slice| !slice.lane.contains("dispatch of queue")));
}

/// The work of a queue's dispatcher in order.
fn dispatching(slices: &[Slice], queue: u8) -> Vec<&Slice> {
    let lane = format!("dispatch of queue {queue} on tile (");
    let mut on_lane: Vec<&Slice> = slices.iter().filter(|it| it.lane.contains(&lane)).collect();
    on_lane.sort_by_key(|it| it.from);
    on_lane
}

/// The ticks that two slices share.
fn in_common(one: &Slice, other: &Slice) -> u64 {
    one.until.min(other.until).saturating_sub(one.from.max(other.from))
}

#[test]
fn inputs_are_loaded_while_another_iteration_runs_and_only_where_launches_overlap() {
    let other = "device (wormhole_b0) > queue 1";
    for (overlap, device) in [(true, "sim"), (false, "sim dispatch=device")] {
        let test = format!("{AHEAD}{overlap}");
        let slices = timeline(&test, &["--device", device]);
        let named_kernel = |it: &&Slice| it.name == "add_five_kernel";
        let kernels: Vec<&Slice> = slices.iter().filter(named_kernel).collect();
        let programs = named(&slices, QUEUE, "add_five_program");
        let (loads, reads) = (named(&slices, other, "write "), named(&slices, other, "read "));
        assert_eq!((kernels.len(), programs.len(), loads.len(), reads.len()), (6, 6, 6, 5));
        // Each load has all bytes of its tensor, and requests of its dispatcher at both ends.
        for load in &loads {
            assert_eq!(load.notes["bytes"], (64 * 96 * 4).to_string());
            let requests = slices.iter().filter(|it| it.lane.ends_with("> NoC 0"));
            let mut own = requests.filter(|it| it.name.starts_with("write "));
            assert!(own.clone().any(|it| it.from == load.from));
            assert!(own.any(|it| it.until == load.until));
        }
        let overlaps = |load: &&&Slice| kernels.iter().any(|it| in_common(load, it) > 0);
        assert_eq!(loads.iter().any(|load| overlaps(&load)), overlap);
        assert_eq!(reads.iter().filter(overlaps).count(), 0, "what is read was written before");
        let is_work =
            |it: &&Slice| it.name == "executes" || it.name == "waits for its NoC requests";
        let work: Vec<&Slice> = dispatching(&slices, 1).into_iter().filter(is_work).collect();
        let inside =
            |it: &Slice| kernels.iter().any(|of| of.from <= it.from && it.until <= of.until);
        assert_eq!(work.iter().any(|it| inside(it)), overlap);
        // The sentence agrees with the lanes.
        let meanwhile: u64 =
            work.iter().map(|it| programs.iter().map(|of| in_common(it, of)).sum::<u64>()).sum();
        let all: u64 = work.iter().map(|it| it.until - it.from).sum();
        let (_, _, said) = table(&test, &["--device", device]);
        let line = said.lines().find(|line| line.contains("the dispatcher of queue 1 works "));
        let numbers = line.unwrap().replace(' ', "");
        let words = format!("queue1works{meanwhile}of{all}ticks");
        assert_eq!((numbers.contains(&words), meanwhile > 0), (true, overlap), "{said} {words}");
    }
    // With writes by the host, no queue has a dispatcher.
    let (_, _, said) = table(&format!("{AHEAD}false"), &[]);
    assert!(!said.contains("works "), "{said}");
}

/// The profile does not know for which program of a trace a core works.
#[test]
fn a_trace_beside_others_shows_that_its_cores_run() {
    let test = "wormhole_b0::queues::traces::two_programs";
    let slices = timeline(test, &["--dispatch", "overlap"]);
    let runs = slices.iter().filter(|it| it.name == "runs for a trace");
    let replays: std::collections::BTreeSet<&String> =
        runs.map(|it| &it.notes["command"]).collect();
    let calls = named(&slices, "host calls", "replay_trace");
    assert!(!calls.is_empty());
    assert_eq!(replays.len(), calls.len());
}

#[test]
fn requests_on_their_way_stand_beside_the_processors() {
    let slices = timeline(PIPELINE, &[]);
    let lane = |noc: u32| format!("device (wormhole_b0) > tile (1,1) > NoC {noc}");
    let [reads, writes] = [(1, "read"), (0, "write")].map(|(noc, kind)| {
        let all: Vec<&Slice> = slices.iter().filter(|it| it.lane == lane(noc)).collect();
        assert!(all.iter().all(|it| it.name.starts_with(&format!("{kind} "))), "{all:?}");
        all
    });
    for (requests, processor, kernel) in [(&reads, "NCRISC", "read"), (&writes, "BRISC", "write")] {
        let ran =
            slices.iter().find(|it| it.lane.ends_with(processor) && it.name == kernel).unwrap();
        assert!(!requests.is_empty());
        for request in requests {
            assert_eq!(request.notes["processor"], processor);
            assert_eq!(request.notes["ticks"], (request.until - request.from).to_string());
            assert!(ran.from <= request.from && request.until <= ran.until, "{request:?} {ran:?}");
        }
    }
    assert_eq!((reads.len(), writes.len()), (9, 9), "one a page");
}
