//! Command queues, events and traces beyond the suites: very many events, random workloads beside a model on
//! the host, and the effect of a missing event under other schedules.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]
#![cfg(feature = "recorder")]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{RISCV_0, at, buffer, kernel, options_in, simulator};
use hallmark_chip::PhysicalCoordinate;
use hallmark_runtime::{
    Argument, Buffer, CaptureOptions, CommandQueue, Device, DispatchSettings, Event, Kernel,
    LaunchProfile, Program, Read, ReplayOptions, TensorAccessorArgs, Trace, replay,
};
use hallmark_schema::model::{BufferType, Expectation, Failure};

const FIRST: CommandQueue = CommandQueue::FIRST;
const SECOND: CommandQueue = CommandQueue::SECOND;
const WORDS: usize = 128;
const PAGE: u32 = 256;

fn open(queues: u8, trace_region_size: u64, schedule_seed: u64) -> Device {
    open_with(DispatchSettings::default(), queues, trace_region_size, schedule_seed)
}

/// The smallest rings, and counts that wrap soon.
const OVERLAP: DispatchSettings = DispatchSettings {
    ring_size: 0x1000,
    completion_size: 0x1000,
    first_position: 0u32.wrapping_sub(0x8000),
    first_count: 0u32.wrapping_sub(20),
    overlap: true,
};

fn open_with(
    dispatch_settings: DispatchSettings,
    queues: u8,
    trace_region_size: u64,
    schedule_seed: u64,
) -> Device {
    let mut options = options_in("suites");
    options.dispatch_settings = dispatch_settings;
    options.num_command_queues = queues;
    options.trace_region_size = trace_region_size;
    options.schedule_seed = schedule_seed;
    Device::open(simulator(), options).unwrap()
}

/// Pseudo-random numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// A program that adds a number to the words of one buffer and writes the sums to another.
#[derive(Clone, Copy)]
struct Adder {
    program: Program,
    kernel: Kernel,
    scratch: Buffer,
    core: u32,
    source: usize,
    destination: usize,
    number: u32,
}

struct Workload {
    device: Device,
    buffers: Vec<Buffer>,
    /// The content of each buffer once all enqueued work is done.
    model: Vec<Vec<u32>>,
    adders: Vec<Adder>,
    traces: Vec<(Trace, Vec<Adder>)>,
    expected: Vec<(Read, Vec<u32>)>,
    /// The queue of the last work.
    last: CommandQueue,
    outputs: usize,
}

impl Workload {
    fn new(settings: DispatchSettings, seed: u64) -> Self {
        let mut device = open_with(settings, 2, 1 << 16, seed);
        device.begin_capture(&CaptureOptions::default()).unwrap();
        let size = (WORDS * 4) as u64;
        let buffers: Vec<Buffer> = (0..3)
            .map(|_| {
                let config = buffer("b", BufferType::Dram, size, PAGE.into());
                device.create_buffer(&config).unwrap()
            })
            .collect();
        let mut workload = Self {
            device,
            buffers,
            model: vec![vec![0; WORDS]; 3],
            adders: Vec::new(),
            traces: Vec::new(),
            expected: Vec::new(),
            last: FIRST,
            outputs: 0,
        };
        for index in 0..3 {
            workload.write(FIRST, index, index as u32 * 1000);
        }
        let mut random = Random(seed);
        for _ in 0..4 {
            let adder = workload.adder(&mut random);
            workload.adders.push(adder);
            // The launch compiles the program, so traces accept it.
            workload.launch(FIRST, adder);
        }
        workload
    }

    fn adder(&mut self, random: &mut Random) -> Adder {
        let (source, destination) = (random.below(3), random.below(3));
        let core = random.below(3) as u32;
        let number = random.below(1000) as u32;
        let device = &mut self.device;
        let scratch = buffer("scratch", BufferType::L1, PAGE.into(), PAGE.into());
        let scratch = device.create_buffer(&scratch).unwrap();
        let program = device.create_program("add").unwrap();
        let accessors: Vec<u32> = [source, destination]
            .iter()
            .flat_map(|&index| {
                let args = TensorAccessorArgs::new(device, self.buffers[index]).unwrap();
                args.compile_args().to_vec()
            })
            .collect();
        let cores = at(core, 0);
        let description = kernel("kernels/add_constant.cpp", &cores, RISCV_0, accessors);
        let kernel = device.create_kernel(program, description).unwrap();
        let adder = Adder { program, kernel, scratch, core, source, destination, number };
        self.set_number(adder);
        adder
    }

    fn set_number(&mut self, adder: Adder) {
        let address = |buffer| Argument::BufferAddress { buffer, offset: 0 };
        let arguments = [
            address(self.buffers[adder.source]),
            address(self.buffers[adder.destination]),
            address(adder.scratch),
            PAGE.into(),
            Argument::Value((WORDS * 4) as u32 / PAGE),
            adder.number.into(),
        ];
        self.device.set_runtime_args(adder.kernel, &at(adder.core, 0), &arguments).unwrap();
    }

    /// Makes work for a queue follow all earlier work.
    fn turn_to(&mut self, queue: CommandQueue) {
        if queue != self.last {
            let event: Event =
                self.device.enqueue_record_event(self.last, "turn", false, None).unwrap();
            self.device.enqueue_wait_for_event(queue, event).unwrap();
            self.last = queue;
        }
    }

    fn write(&mut self, queue: CommandQueue, index: usize, first: u32) {
        self.turn_to(queue);
        let words: Vec<u32> = (0..WORDS as u32).map(|word| first.wrapping_add(word * 3)).collect();
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.device.enqueue_write_buffer(queue, self.buffers[index], &bytes[..], false).unwrap();
        self.model[index] = words;
    }

    fn read(&mut self, queue: CommandQueue, index: usize) {
        self.turn_to(queue);
        self.outputs += 1;
        let name = format!("out{}", self.outputs);
        let expectation = Expectation::AsCaptured;
        let buffer = self.buffers[index];
        let read = self.device.enqueue_read_buffer(queue, buffer, &name, expectation, false);
        self.expected.push((read.unwrap(), self.model[index].clone()));
    }

    fn computes(&mut self, adder: Adder) {
        let sums = self.model[adder.source].iter().map(|word| word.wrapping_add(adder.number));
        self.model[adder.destination] = sums.collect();
    }

    fn launch(&mut self, queue: CommandQueue, adder: Adder) {
        self.turn_to(queue);
        self.device.enqueue_program(queue, adder.program, false).unwrap();
        self.computes(adder);
    }

    fn capture_trace(&mut self, queue: CommandQueue, adders: Vec<Adder>) {
        let trace = self.device.begin_trace_capture(queue, "t").unwrap();
        for adder in &adders {
            self.device.enqueue_program(queue, adder.program, false).unwrap();
        }
        self.device.end_trace_capture(queue, trace).unwrap();
        self.traces.push((trace, adders));
    }

    fn step(&mut self, random: &mut Random) {
        let queue = if random.below(2) == 0 { FIRST } else { SECOND };
        match random.below(9) {
            0 => {
                let (index, first) = (random.below(3), random.below(1 << 20) as u32);
                self.write(queue, index, first);
            }
            1 => {
                let index = random.below(3);
                self.read(queue, index);
            }
            2 | 3 => {
                let adder = self.adders[random.below(self.adders.len())];
                self.launch(queue, adder);
            }
            4 => {
                let count = 1 + random.below(4);
                let adders = (0..count).map(|_| self.adders[random.below(self.adders.len())]);
                let adders = adders.collect();
                self.capture_trace(queue, adders);
            }
            5 if !self.traces.is_empty() => {
                let place = random.below(self.traces.len());
                let (trace, _) = self.traces.swap_remove(place);
                self.device.release_trace(trace).unwrap();
            }
            6 | 7 if !self.traces.is_empty() => {
                let (trace, adders) = self.traces[random.below(self.traces.len())].clone();
                self.turn_to(queue);
                self.device.replay_trace(queue, trace, random.below(4) == 0).unwrap();
                adders.into_iter().for_each(|adder| self.computes(adder));
            }
            _ => {
                // A trace keeps the number from its capture.
                let place = random.below(self.adders.len());
                self.adders[place].number = random.below(1000) as u32;
                self.set_number(self.adders[place]);
            }
        }
    }

    fn check(&mut self) {
        self.device.finish(FIRST).unwrap();
        self.device.finish(SECOND).unwrap();
        for (read, expected) in std::mem::take(&mut self.expected) {
            let bytes = self.device.take_read(read).unwrap().bytes;
            let words: Vec<u32> =
                bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
            assert_eq!(words, expected, "the read of command {}", read.command());
        }
    }
}

/// The capture of a workload whose results equal the model's.
fn captured(settings: DispatchSettings, seed: u64) -> Vec<u8> {
    let mut workload = Workload::new(settings, seed);
    let mut random = Random(seed.wrapping_mul(77));
    for _ in 0..60 {
        workload.step(&mut random);
    }
    for index in 0..3 {
        workload.read(SECOND, index);
    }
    workload.check();
    let capture = workload.device.end_capture().unwrap();
    let bytes = capture.to_bytes().unwrap();
    workload.device.close().unwrap();
    bytes
}

/// Every third workload lets launches overlap, as far as its dependencies allow.
#[test]
fn random_workloads_compute_what_the_model_does_and_replay() {
    for seed in 1..=15 {
        let overlaps = seed % 3 == 0;
        let settings = if overlaps { OVERLAP } else { DispatchSettings::default() };
        let bytes = captured(settings, seed);
        let capture = hallmark_schema::model::Capture::from_bytes(&bytes).unwrap();
        assert_eq!(capture.asked().dispatch, settings);
        if overlaps {
            assert_eq!(captured(settings, seed), bytes, "seed {seed}: the same seed, other bytes");
        }
        let mut options = ReplayOptions::new(options_in("suites").firmware);
        options.dispatch_settings = settings;
        // The replay runs another legal order of the queues.
        options.schedule_seed = seed + 100;
        let report = replay(&capture, simulator(), &options).unwrap();
        assert!(report.agrees(), "seed {seed}: {:?}", report.mismatches);
    }
}

/// The profile of the launch after a random workload, and the profiles of the launches before it, if the test
/// asks after each step.
fn last_launch(
    settings: DispatchSettings,
    seed: u64,
    asks: bool,
) -> (LaunchProfile, Vec<LaunchProfile>) {
    let mut workload = Workload::new(settings, seed);
    let mut told = Vec::new();
    let mut random = Random(seed.wrapping_mul(77));
    if asks {
        assert!(workload.device.profile());
    }
    for _ in 0..60 {
        workload.step(&mut random);
        if asks {
            told.extend(workload.device.take_launches());
            workload.device.take_queues_profile();
        }
    }
    workload.check();
    told.extend(workload.device.take_launches());
    workload.device.profile();
    let adder = workload.adders[0];
    workload.launch(FIRST, adder);
    workload.check();
    let mut last = workload.device.take_launches();
    workload.device.close().unwrap();
    assert_eq!(last.len(), 1);
    (last.remove(0), told)
}

/// Ticks count from power-on: the last launch shows the duration of all earlier work.
#[test]
fn a_profile_changes_no_tick() {
    for settings in [DispatchSettings::default(), OVERLAP] {
        for seed in [3, 6] {
            let (with, told) = last_launch(settings, seed, true);
            let (without, none) = last_launch(settings, seed, false);
            assert!(!told.is_empty() && none.is_empty());
            // The kernel's work and its times. The firmware's are left out: a first profile misses a part of
            // its wait.
            let moments = |launch: &LaunchProfile| {
                let kernels = launch.processors.iter().filter(|it| it.kernel.is_some());
                let [kernel] = kernels.collect::<Vec<_>>()[..] else { panic!("one kernel runs") };
                assert!(kernel.requests.len() >= 4, "two pages come and go");
                (kernel.tile, kernel.kernel, kernel.instructions, kernel.requests.clone())
            };
            let (with, without) = (moments(&with), moments(&without));
            assert_eq!(with, without, "overlap: {}, seed {seed}", settings.overlap);
        }
    }
}

/// Each program has a core's time for itself: a launch on a tile ends before the next one on that tile begins.
#[test]
fn launches_that_may_overlap_are_told_apart() {
    for seed in [3, 6, 9] {
        let (_, told) = last_launch(OVERLAP, seed, true);
        let mut tiles: BTreeMap<PhysicalCoordinate, Vec<(u64, u64)>> = BTreeMap::new();
        for launch in &told {
            assert!(launch.completed, "seed {seed}: {launch:?}");
            let ran = launch.processors.iter().filter_map(|it| Some((it.tile, it.kernel?)));
            let [(tile, kernel)] = ran.collect::<Vec<_>>()[..] else { panic!("{launch:?}") };
            assert!(launch.from <= kernel.from && kernel.until <= launch.until, "{launch:?}");
            tiles.entry(tile).or_default().push((kernel.from.0, kernel.until.0));
            // Each launch adds to all words of the buffer.
            let instructions: u64 = launch.processors.iter().map(|it| it.instructions).sum();
            assert!(instructions > WORDS as u64, "{launch:?}");
        }
        assert!(!told.is_empty());
        for mut times in tiles.into_values() {
            times.sort_unstable();
            assert!(times.windows(2).all(|pair| pair[0].1 < pair[1].0), "seed {seed}: {times:?}");
        }
    }
}

#[test]
fn a_hundred_thousand_events_are_numbered_and_happen() {
    let mut device = open(2, 0, 0);
    let mut last = None;
    for number in 1..=100_000 {
        let event = device.enqueue_record_event(FIRST, "", true, Some(number)).unwrap();
        if number % 1000 == 0 {
            device.enqueue_wait_for_event(SECOND, event).unwrap();
        }
        last = Some(event);
    }
    let last = last.unwrap();
    let behind = device.enqueue_record_event(SECOND, "", true, Some(1)).unwrap();
    device.event_synchronize(behind).unwrap();
    assert!(device.event_query(last, Some(true)).unwrap());
}

/// The host queries an event until it has happened, without waiting.
#[test]
fn asking_makes_the_device_go_on() {
    for mut device in [open(2, 0, 0), open_with(OVERLAP, 2, 0, 0)] {
        asks_until_done(&mut device);
        // Event ids count from 0 again, and the earlier events no longer count as happened.
        device.release_all().unwrap();
        asks_until_done(&mut device);
    }
}

fn asks_until_done(device: &mut Device) {
    let config = buffer("b", BufferType::Dram, 1024, 256);
    let made = device.create_buffer(&config).unwrap();
    device.enqueue_write_buffer(SECOND, made, &[5; 1024][..], false).unwrap();
    let written = device.enqueue_record_event(SECOND, "written", false, None).unwrap();
    device.enqueue_wait_for_event(FIRST, written).unwrap();
    let expectation = Expectation::AsCaptured;
    let read = device.enqueue_read_buffer(FIRST, made, "out", expectation, false).unwrap();
    let done = device.enqueue_record_event(FIRST, "done", true, None).unwrap();
    let mut asked = 0;
    while !device.event_query(done, None).unwrap() {
        asked += 1;
        assert!(asked < 100);
    }
    assert!(asked > 0, "the first answer is yes");
    assert_eq!(device.take_read(read).unwrap().bytes[..], [5; 1024]);
}

/// Without its event a read returns either content, depending on the schedule. The checker reports the race
/// under every schedule.
#[test]
fn a_missing_event_shows_in_some_schedule_and_is_reported_in_all() {
    let run = |seed: u64, ordered: bool| {
        let mut device = open(2, 0, seed);
        let config = buffer("b", BufferType::Dram, 1024, 256);
        let made = device.create_buffer(&config).unwrap();
        device.enqueue_write_buffer(FIRST, made, &[1; 1024][..], true).unwrap();
        device.enqueue_write_buffer(FIRST, made, &[2; 1024][..], false).unwrap();
        if ordered {
            let written = device.enqueue_record_event(FIRST, "written", false, None).unwrap();
            device.enqueue_wait_for_event(SECOND, written).unwrap();
        }
        let expectation = Expectation::AsCaptured;
        let read = device.enqueue_read_buffer(SECOND, made, "out", expectation, false).unwrap();
        let mut raced = Vec::new();
        for queue in [SECOND, FIRST] {
            match device.finish(queue) {
                Ok(()) => {}
                Err(error) => raced.push(error.failure().cloned().unwrap()),
            }
        }
        (device.take_read(read).unwrap().bytes[0], raced)
    };
    let results: BTreeSet<u8> = (0..16).map(|seed| run(seed, false).0).collect();
    assert_eq!(results, BTreeSet::from([1, 2]));
    for seed in 0..16 {
        let (_, raced) = run(seed, false);
        assert!(matches!(raced.as_slice(), [Failure::QueueRace { .. }]), "seed {seed}: {raced:?}");
        assert_eq!(run(seed, true), (2, Vec::new()), "seed {seed}");
    }
}
