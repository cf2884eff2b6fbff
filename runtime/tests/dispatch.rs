//! Dispatch on the device: wrapping rings, wrapping counts, a completion ring smaller than a read, and the
//! costs.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod common;

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use common::counting::{Counting, Traffic};
use common::{
    RISCV_0, TestKernels, at, buffer, core, give_first_bytes, kernel, options, pattern, simulator,
};
use hallmark_chip::{Architecture, TileAddress};
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_runtime::{
    Argument, CommandQueue, Device, DeviceOptions, DeviceSettings, DeviceSpec, DispatchSettings,
    Kernel, Program, StopCause, open_device, usable_dispatch_settings,
};
use hallmark_schema::model::{BufferType, CoreRange, DispatchMode, Expectation};

const QUEUE: CommandQueue = CommandQueue::FIRST;

fn open(architecture: Architecture, settings: DispatchSettings, seed: u64) -> Device {
    let firmware = FirmwareBundle::builtin(architecture).unwrap();
    let kernels = TestKernels::of("suites", architecture);
    let mut options = DeviceOptions::new(Arc::new(firmware), Box::new(kernels));
    options.dispatch = DispatchMode::Device;
    options.dispatch_settings = settings;
    let spec = DeviceSpec::simulator(architecture);
    let device = open_device(&spec, DeviceSettings::with_schedule_seed(seed)).unwrap();
    Device::open(device, options).unwrap()
}

/// Settings at a limit are used as they are. Past the limit, dispatch takes the nearest usable value.
#[test]
fn rings_and_counts_have_their_ends() {
    let asked = DispatchSettings::default();
    for at in [
        DispatchSettings { ring_size: 0x1000, ..asked },
        DispatchSettings { ring_size: 0x8_0000, ..asked },
        DispatchSettings { completion_size: 0x1000, ..asked },
        DispatchSettings { completion_size: 0x1000_0000, ..asked },
        DispatchSettings { first_position: 64, first_count: 2, ..asked },
        DispatchSettings { first_position: u32::MAX - 63, first_count: u32::MAX - 1, ..asked },
    ] {
        assert_eq!(usable_dispatch_settings(at), at);
        write_and_read(&mut open(Architecture::WormholeB0, at, 0));
    }
    for (past, nearest) in [
        (DispatchSettings { ring_size: 0xFFF, ..asked }, 0x1000),
        (DispatchSettings { ring_size: 0x1001, ..asked }, 0x1000),
        (DispatchSettings { ring_size: 0x10_0000, ..asked }, 0x8_0000),
    ] {
        assert_eq!(
            usable_dispatch_settings(past),
            DispatchSettings { ring_size: nearest, ..asked }
        );
    }
    for (past, nearest) in [(0xFFF, 0x1000), (0x1001, 0x1000), (0x2000_0000, 0x1000_0000)] {
        let past = DispatchSettings { completion_size: past, ..asked };
        assert_eq!(
            usable_dispatch_settings(past),
            DispatchSettings { completion_size: nearest, ..asked }
        );
    }
    let past = DispatchSettings { first_position: 63, first_count: 1, ..asked };
    assert_eq!(usable_dispatch_settings(past), asked);
}

/// Compares without printing all bytes.
fn same(found: &[u8], expected: &[u8]) {
    let differs = found.iter().zip(expected).position(|(a, b)| a != b);
    assert_eq!((differs, found.len()), (None, expected.len()));
}

/// Writes buffers of several shapes without waiting and reads them back in another order.
fn write_and_read(device: &mut Device) {
    let shapes = [
        (BufferType::Dram, 64 * 2048, 2048),
        (BufferType::L1, 40 * 64, 64),
        (BufferType::Dram, 50 * 48, 48),
        (BufferType::Dram, 7 * 20_000, 20_000),
        (BufferType::L1, 3 * 4, 4),
    ];
    let mut buffers = Vec::new();
    for (number, (kind, size, page_size)) in shapes.into_iter().enumerate() {
        let handle = device.create_buffer(&buffer("b", kind, size, page_size)).unwrap();
        let mut data = pattern(size as usize);
        data.iter_mut().for_each(|byte| *byte ^= number as u8);
        device.enqueue_write_buffer(QUEUE, handle, data.as_slice(), false).unwrap();
        buffers.push((handle, data));
    }
    let mut reads = Vec::new();
    for (number, (handle, data)) in buffers.iter().enumerate().rev() {
        let name = format!("out{number}");
        let expectation = Expectation::AsCaptured;
        let read = device.enqueue_read_buffer(QUEUE, *handle, &name, expectation, false).unwrap();
        reads.push((read, data));
    }
    device.finish(QUEUE).unwrap();
    for (read, data) in reads {
        same(&device.take_read(read).unwrap().bytes, data);
    }
}

#[test]
fn what_is_written_comes_back_on_every_architecture() {
    for architecture in Architecture::ALL {
        for seed in 0..3 {
            let mut device = open(architecture, DispatchSettings::default(), seed);
            write_and_read(&mut device);
            device.close().unwrap();
        }
    }
}

#[test]
fn ring_and_completion_space_wrap_around_and_so_do_their_positions() {
    let smallest =
        DispatchSettings { ring_size: 0x1000, completion_size: 0x1000, ..Default::default() };
    for first_position in [0, 0u32.wrapping_sub(0x8_0000), 0x7FFF_8000] {
        for seed in 0..3 {
            let settings = DispatchSettings { first_position, ..smallest };
            let mut device = open(Architecture::WormholeB0, settings, seed);
            write_and_read(&mut device);
            write_again(&mut device);
            device.close().unwrap();
        }
    }
}

/// A second round on the same device.
fn write_again(device: &mut Device) {
    let data = pattern(300 * 64);
    let handle = device.create_buffer(&buffer("c", BufferType::Dram, 300 * 64, 64)).unwrap();
    device.enqueue_write_buffer(QUEUE, handle, data.as_slice(), true).unwrap();
    let read =
        device.enqueue_read_buffer(QUEUE, handle, "c", Expectation::AsCaptured, true).unwrap();
    same(&device.take_read(read).unwrap().bytes, &data);
}

/// A program that stores a number at the start of the unreserved L1, on all cores of a row.
fn stores(device: &mut Device, number: u32) -> Program {
    let program = device.create_program("p").unwrap();
    let cores = [CoreRange { start: core(0, 0), end: core(3, 0) }];
    let target = give_first_bytes(device, program, &cores);
    let description = kernel("kernels/store_words.cpp", &cores, RISCV_0, vec![target, number]);
    device.create_kernel(program, description).unwrap();
    program
}

fn stored(device: &mut Device) -> u32 {
    let target = TileAddress(device.firmware().memory().unreserved_base.into());
    let mut word = [0; 4];
    device.inspect_l1(core(3, 0), target, &mut word).unwrap();
    u32::from_le_bytes(word)
}

/// The host's cost of a replay of `launches` launches after the first replay, and the cost of the same launches
/// without a trace.
fn costs(launches: usize, settings: DispatchSettings) -> (Traffic, Traffic) {
    let mut options = options();
    options.dispatch = DispatchMode::Device;
    options.dispatch_settings = settings;
    options.trace_region_size = 1 << 20;
    let (counting, traffic) = Counting::new(simulator());
    let mut device = Device::open(Box::new(counting), options).unwrap();
    let (one, five) = (stores(&mut device, 1), stores(&mut device, 5));
    for program in [one, five] {
        device.enqueue_program(QUEUE, program, true).unwrap();
    }
    let trace = device.begin_trace_capture(QUEUE, "t").unwrap();
    for number in 1..=launches {
        let last = number == launches;
        device.enqueue_program(QUEUE, if last { one } else { five }, false).unwrap();
    }
    device.end_trace_capture(QUEUE, trace).unwrap();
    device.replay_trace(QUEUE, trace, true).unwrap();
    let before = traffic.get();
    for _ in 0..launches {
        device.enqueue_program(QUEUE, five, false).unwrap();
    }
    device.finish(QUEUE).unwrap();
    let eager = traffic.get() - before;
    assert_eq!(stored(&mut device), 5);
    let before = traffic.get();
    device.replay_trace(QUEUE, trace, true).unwrap();
    let replayed = traffic.get() - before;
    assert_eq!(stored(&mut device), 1);
    device.close().unwrap();
    (replayed, eager)
}

#[test]
fn a_replay_costs_the_host_the_same_whatever_the_trace_holds() {
    let (least, _) = costs(1, DispatchSettings::default());
    for launches in [10, 300] {
        let (replayed, eager) = costs(launches, DispatchSettings::default());
        assert_eq!(replayed, least);
        assert!(eager.bytes >= replayed.bytes * launches as u64, "{eager:?} {replayed:?}");
    }
    // Two commands and the doorbell.
    assert_eq!((least.accesses, least.bytes), (2, 36));
}

/// A device that counts, and programs that store different numbers. Each program has `arguments` unread
/// arguments.
fn with_arguments(arguments: u32, programs: u32) -> (Device, Rc<Cell<Traffic>>, Vec<Launched>) {
    let mut options = options();
    options.dispatch = DispatchMode::Device;
    let (counting, traffic) = Counting::new(simulator());
    let mut device = Device::open(Box::new(counting), options).unwrap();
    let cores = [CoreRange { start: core(0, 0), end: core(3, 0) }];
    let programs = (0..programs).map(|number| {
        let program = device.create_program("p").unwrap();
        let stored = if number % 2 == 0 { 1 } else { 5 };
        let target = give_first_bytes(&mut device, program, &cores);
        let description = kernel("kernels/store_words.cpp", &cores, RISCV_0, vec![target, stored]);
        let kernel = device.create_kernel(program, description).unwrap();
        let arguments: Vec<_> = (0..arguments).map(|word| (word + number).into()).collect();
        device.set_runtime_args(kernel, &cores, &arguments).unwrap();
        Launched { program, kernel, stored }
    });
    let programs = programs.collect();
    (device, traffic, programs)
}

struct Launched {
    program: Program,
    kernel: Kernel,
    stored: u32,
}

/// The cost of a blocking launch with a checked effect.
fn launch(device: &mut Device, traffic: &Cell<Traffic>, launched: &Launched) -> Traffic {
    let before = traffic.get();
    device.enqueue_program(QUEUE, launched.program, true).unwrap();
    let cost = traffic.get() - before;
    assert_eq!(stored(device), launched.stored);
    cost
}

/// Two commands and the doorbell, independent of the program's size and of launches in between.
const UNCHANGED: Traffic = Traffic { accesses: 2, bytes: 36 };

#[test]
fn a_program_launched_again_costs_the_host_what_has_changed() {
    let (mut device, traffic, programs) = with_arguments(100, 3);
    for launched in &programs {
        let first = launch(&mut device, &traffic, launched);
        assert!(first.bytes > 4 * 400, "{first:?}");
    }
    for launched in programs.iter().chain(&programs) {
        assert_eq!(launch(&mut device, &traffic, launched), UNCHANGED);
    }
    // One word of one core changes: a command rewrites the line with the word.
    let mut arguments: Vec<Argument> = (0..100u32).map(Into::into).collect();
    arguments[50] = 4711.into();
    device.set_runtime_args(programs[0].kernel, &at(2, 0), &arguments).unwrap();
    let changed = launch(&mut device, &traffic, &programs[0]);
    assert_eq!((changed.accesses, changed.bytes), (2, 36 + 48));
    assert_eq!(launch(&mut device, &traffic, &programs[0]), UNCHANGED);
    // Equal arguments are no change.
    device.set_runtime_args(programs[0].kernel, &at(2, 0), &arguments).unwrap();
    assert_eq!(launch(&mut device, &traffic, &programs[0]), UNCHANGED);
    device.close().unwrap();
}

/// Programs that the dispatcher has evicted are sent again.
#[test]
fn more_programs_than_a_dispatcher_keeps() {
    let (mut device, traffic, programs) = with_arguments(341, 90);
    let launched = programs.iter().map(|program| launch(&mut device, &traffic, program).bytes);
    let first = launched.sum::<u64>();
    // The dispatcher still holds the last program.
    assert_eq!(launch(&mut device, &traffic, &programs[89]), UNCHANGED);
    let again = programs.iter().map(|program| launch(&mut device, &traffic, program).bytes);
    let again = again.sum::<u64>();
    assert!(again > first / 2 && again < first, "{first} {again}");
    device.close().unwrap();
}

/// This device needs no declarations of memory, so the host waits for nothing between launches and replays: the
/// ring holds everything before the device moves.
#[test]
fn launches_and_replays_follow_one_another_without_a_pause() {
    let mut options = options();
    options.dispatch = DispatchMode::Device;
    options.trace_region_size = 1 << 20;
    let (counting, traffic) = Counting::new(simulator());
    let mut device = Device::open(Box::new(counting.that_asks_nothing()), options).unwrap();
    let (one, five) = (stores(&mut device, 1), stores(&mut device, 5));
    for program in [one, five] {
        device.enqueue_program(QUEUE, program, true).unwrap();
    }
    let trace = device.begin_trace_capture(QUEUE, "t").unwrap();
    for program in [one, five, one, five] {
        device.enqueue_program(QUEUE, program, false).unwrap();
    }
    device.end_trace_capture(QUEUE, trace).unwrap();
    device.replay_trace(QUEUE, trace, true).unwrap();
    device.enqueue_program(QUEUE, one, true).unwrap();
    for last_is_replay in [true, false] {
        let before = traffic.get();
        for round in 0..100 {
            let replay = (round % 2 == 1) == last_is_replay;
            if replay {
                device.replay_trace(QUEUE, trace, false).unwrap();
            } else {
                device.enqueue_program(QUEUE, one, false).unwrap();
            }
        }
        device.finish(QUEUE).unwrap();
        let cost = traffic.get() - before;
        assert_eq!(stored(&mut device), if last_is_replay { 5 } else { 1 });
        // The texts that the trace overwrote are sent again.
        assert!(cost.bytes >= 101 * 16 + 4, "{cost:?}");
        assert!(cost.accesses <= 4, "{cost:?}");
    }
    let before = traffic.get();
    for _ in 0..100 {
        device.replay_trace(QUEUE, trace, false).unwrap();
    }
    device.finish(QUEUE).unwrap();
    let cost = traffic.get() - before;
    assert_eq!((cost.accesses, cost.bytes), (2, 101 * 16 + 4));
    assert_eq!(stored(&mut device), 5);
    device.close().unwrap();
}

/// Launches, finished workers and events are counted modulo 2^32. The number 0 starts no launch.
#[test]
fn counts_wrap() {
    for first_count in [0u32.wrapping_sub(2), 0u32.wrapping_sub(6), 0xFFFE, 0x1_FFFE] {
        costs(10, DispatchSettings { first_count, ..Default::default() });
    }
}

fn open_two_queues(settings: DispatchSettings, seed: u64) -> Device {
    let mut options = options();
    options.dispatch = DispatchMode::Device;
    options.num_command_queues = 2;
    options.dispatch_settings = settings;
    let spec = DeviceSpec::simulator(Architecture::WormholeB0);
    let device = open_device(&spec, DeviceSettings::with_schedule_seed(seed)).unwrap();
    Device::open(device, options).unwrap()
}

/// Without the event the commands race. The error names the race, not an effect of the mixed bytes.
#[test]
fn commands_of_two_queues_that_race_are_named() {
    for kind in [BufferType::Dram, BufferType::L1] {
        let mut device = open_two_queues(DispatchSettings::default(), 0);
        let [first, second] = [CommandQueue::FIRST, CommandQueue::SECOND];
        let handle = device.create_buffer(&buffer("b", kind, 96 * 256, 256)).unwrap();
        device.enqueue_write_buffer(first, handle, &[1; 96 * 256][..], false).unwrap();
        let expectation = Expectation::AsCaptured;
        device.enqueue_read_buffer(second, handle, "out", expectation, false).unwrap();
        device.finish(second).unwrap();
        let error = device.finish(first).unwrap_err().to_string();
        assert!(error.contains("an event recorded on queue 0 after command 1"), "{error}");
    }
}

/// Two queues: one writes, and the other waits for the event of the write and reads.
#[test]
fn a_queue_waits_on_the_device_for_the_other_ones_event() {
    let counts = [0, 0u32.wrapping_sub(4), 0x7FFF_FFFE];
    for (seed, first_count) in (0..).zip(counts.into_iter().cycle().take(6)) {
        let mut device = open_two_queues(
            DispatchSettings {
                ring_size: 0x1000,
                completion_size: 0x1000,
                first_count,
                ..Default::default()
            },
            seed,
        );
        let [first, second] = [CommandQueue::FIRST, CommandQueue::SECOND];
        for kind in [BufferType::Dram, BufferType::L1] {
            let handle = device.create_buffer(&buffer("b", kind, 96 * 256, 256)).unwrap();
            let mut reads = Vec::new();
            for round in 0..6u8 {
                let mut data = pattern(96 * 256);
                data.iter_mut().for_each(|byte| *byte ^= round);
                device.enqueue_write_buffer(first, handle, data.as_slice(), false).unwrap();
                let written = device.enqueue_record_event(first, "written", false, None).unwrap();
                device.enqueue_wait_for_event(second, written).unwrap();
                let name = format!("{kind}{round}");
                let expectation = Expectation::AsCaptured;
                let read =
                    device.enqueue_read_buffer(second, handle, &name, expectation, false).unwrap();
                let taken = device.enqueue_record_event(second, "taken", false, None).unwrap();
                device.enqueue_wait_for_event(first, taken).unwrap();
                reads.push((read, data));
            }
            device.finish(second).unwrap();
            for (read, data) in reads {
                same(&device.take_read(read).unwrap().bytes, &data);
            }
        }
        device.close().unwrap();
    }
}

/// Includes launch numbers that wrap: 0 starts no launch.
#[test]
fn a_hang_names_the_cores_of_its_launch_that_have_not_finished() {
    for first_count in [0, u32::MAX - 5, u32::MAX - 3, u32::MAX - 1] {
        let settings = DispatchSettings { first_count, ..DispatchSettings::default() };
        let architecture = Architecture::WormholeB0;
        let firmware = FirmwareBundle::builtin(architecture).unwrap();
        let kernels = TestKernels::of("suites", architecture);
        let mut options = DeviceOptions::new(Arc::new(firmware), Box::new(kernels));
        options.dispatch = DispatchMode::Device;
        options.dispatch_settings = usable_dispatch_settings(settings);
        options.tick_budget = 100_000;
        let mut device = Device::open(simulator(), options).unwrap();
        let mut enqueue = |kernels: &[(&str, CoreRange)]| {
            let program = device.create_program("p").unwrap();
            for &(source, cores) in kernels {
                device.create_kernel(program, kernel(source, &[cores], RISCV_0, vec![])).unwrap();
            }
            device.enqueue_program(QUEUE, program, false).unwrap();
        };
        let (blank, endless) = ("kernels/blank.cpp", "kernels/endless_loop.cpp");
        enqueue(&[(blank, CoreRange { start: core(0, 0), end: core(3, 3) })]);
        enqueue(&[
            (blank, CoreRange::single(core(5, 5))),
            (endless, CoreRange::single(core(2, 1))),
        ]);
        device.finish(QUEUE).unwrap_err();
        let StopCause::Hang { unfinished, running, .. } = &device.stop().unwrap().cause else {
            panic!("{first_count}: {:?}", device.stop());
        };
        assert_eq!(unfinished, &[core(2, 1)], "{first_count}");
        assert_eq!(running.len(), 1, "{first_count}");
    }
}
