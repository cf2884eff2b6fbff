//! The end of the queues: work for which no call waits is done before a capture ends, and changes no call.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]
#![cfg(feature = "recorder")]

mod common;

use std::sync::Arc;

use common::{RISCV_0, at, buffer, kernel, options_in, simulator};
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_runtime::{
    Argument, Buffer, CaptureOptions, CommandQueue, Device, DispatchSettings, Program,
    ReplayOptions, ReplayReport, SemaphoreConfig, replay,
};
use hallmark_schema::journal::recover;
use hallmark_schema::model::{
    BufferType, Capture, CommandIndex, DispatchMode, Expectation, Failure, Outcome, QueuesEnd,
};

const FIRST: CommandQueue = CommandQueue::FIRST;
const SECOND: CommandQueue = CommandQueue::SECOND;

/// The ways of dispatch: by the host, by dispatchers, and by dispatchers that let programs overlap.
const WAYS: [(DispatchMode, bool); 3] =
    [(DispatchMode::Host, false), (DispatchMode::Device, false), (DispatchMode::Device, true)];

fn open((dispatch, overlap): (DispatchMode, bool)) -> Device {
    let mut options = options_in("suites");
    options.dispatch = dispatch;
    options.dispatch_settings = DispatchSettings { overlap, ..DispatchSettings::default() };
    options.num_command_queues = 2;
    let mut device = Device::open(simulator(), options).unwrap();
    device.begin_capture(&CaptureOptions::default()).unwrap();
    device
}

fn replays(capture: &Capture, way: (DispatchMode, bool)) -> ReplayReport {
    let firmware = FirmwareBundle::builtin(capture.program.architecture).unwrap();
    let mut options = ReplayOptions::new(Arc::new(firmware));
    options.dispatch = way.0;
    options.dispatch_settings = DispatchSettings { overlap: way.1, ..DispatchSettings::default() };
    replay(capture, simulator(), &options).unwrap()
}

fn dram(device: &mut Device) -> Buffer {
    device.create_buffer(&buffer("b", BufferType::Dram, 64, 64)).unwrap()
}

/// A program on a core of its own that waits until its semaphore, which nobody sets, has a value.
fn waits_for(device: &mut Device, value: u32) -> Program {
    let cores = at(3, 1);
    let program = device.create_program("p").unwrap();
    let config = SemaphoreConfig { name: "s", cores: &cores, initial_value: 0 };
    device.create_semaphore(program, &config).unwrap();
    let waits = kernel("kernels/semaphore_never.cpp", &cores, RISCV_0, Vec::new());
    let waits = device.create_kernel(program, waits).unwrap();
    // The number of the program's only semaphore.
    let arguments = [Argument::Value(0), Argument::Value(value)];
    device.set_runtime_args(waits, &cores, &arguments).unwrap();
    program
}

/// The failure at the end of a capture.
fn failure(capture: &Capture) -> Option<&Failure> {
    capture.at_end().and_then(QueuesEnd::failure)
}

#[test]
fn a_read_for_which_no_call_waits_returns_nothing() {
    for way in WAYS {
        let mut device = open(way);
        let buffer = dram(&mut device);
        device.enqueue_write_buffer(FIRST, buffer, &[7; 64][..], false).unwrap();
        let read = device.enqueue_read_buffer(FIRST, buffer, "out", Expectation::AsCaptured, false);
        assert_eq!(device.drain().unwrap().unwrap().outcome, Outcome::Done);
        assert!(device.is_settled(), "{way:?}");
        assert!(device.take_read(read.unwrap()).is_none() && device.take_reads().is_empty());
        let capture = device.end_capture().unwrap();
        assert!(capture.record.as_ref().unwrap().reads.is_empty() && capture.outputs.is_empty());
        assert_eq!(capture.at_end(), Some(&QueuesEnd::of(Outcome::Done)));
        let report = replays(&capture, way);
        assert!(report.agrees(), "{way:?}: {report:?}");
    }
}

#[test]
fn a_program_for_which_no_call_waits_runs_and_is_blamed() {
    for way in WAYS {
        for (value, ends) in [(0, true), (1, false)] {
            let mut device = open(way);
            let program = waits_for(&mut device, value);
            let enqueue = device.next_command();
            device.enqueue_program(FIRST, program, false).unwrap();
            // The other queue waits for the program, and is not to blame.
            let event = device.enqueue_record_event(FIRST, "e", false, None).unwrap();
            device.enqueue_wait_for_event(SECOND, event).unwrap();
            let buffer = dram(&mut device);
            device.enqueue_write_buffer(SECOND, buffer, &[7; 64][..], false).unwrap();
            let drained = device.drain().unwrap().unwrap();
            let stop = device.stop().cloned();
            let capture = device.end_capture().unwrap();
            assert!(capture.program.commands.iter().all(|made| made.outcome == Outcome::Done));
            let deadlock = Failure::Deadlock { enqueue };
            assert_eq!(failure(&capture), (!ends).then_some(&deadlock), "{way:?}");
            assert_eq!(drained.outcome, capture.at_end().unwrap().outcome);
            assert_eq!(stop.map(|stop| stop.command), (!ends).then_some(enqueue));
            let report = replays(&capture, way);
            assert!(report.agrees() && report.stop.is_some() != ends, "{way:?}: {report:?}");
            // A cut says nothing of its end: what none of its calls waits for does not run.
            let mut cut = capture;
            let record = cut.record.as_mut().unwrap();
            record.at_end = None;
            record.waits.clear();
            let report = replays(&cut, way);
            assert!(report.agrees() && report.stop.is_none(), "{way:?}: {report:?}");
        }
    }
}

#[test]
fn a_race_of_two_queues_is_told_at_the_end() {
    for way in WAYS {
        let mut device = open(way);
        let buffer = dram(&mut device);
        let first = device.next_command();
        device.enqueue_write_buffer(SECOND, buffer, &[7; 64][..], false).unwrap();
        device.enqueue_write_buffer(FIRST, buffer, &[8; 64][..], false).unwrap();
        let drained = device.drain().unwrap().unwrap();
        let second = CommandIndex(first.0 + 1);
        assert_eq!(drained.outcome, Outcome::Failed(Failure::QueueRace { first, second }));
        assert!(drained.error.unwrap().detail.unwrap().contains("would order them"));
        // A race stops no device.
        assert!(device.stop().is_none());
        let capture = device.end_capture().unwrap();
        let report = replays(&capture, way);
        assert!(report.agrees(), "{way:?}: {report:?}");
    }
}

#[test]
fn a_device_that_has_stopped_does_nothing_more() {
    let mut device = open(WAYS[0]);
    let program = waits_for(&mut device, 1);
    device.enqueue_program(FIRST, program, false).unwrap();
    device.finish(FIRST).unwrap_err();
    device.enqueue_program(SECOND, program, false).unwrap_err();
    assert!(device.drain().unwrap().is_none());
    let capture = device.end_capture().unwrap();
    assert_eq!(capture.at_end(), None);
    assert!(replays(&capture, WAYS[0]).agrees());
}

#[test]
fn a_trace_under_capture_is_no_enqueued_work() {
    let mut options = options_in("suites");
    options.trace_region_size = 4096;
    let mut device = Device::open(simulator(), options).unwrap();
    device.begin_capture(&CaptureOptions::default()).unwrap();
    let program = waits_for(&mut device, 0);
    device.enqueue_program(FIRST, program, true).unwrap();
    let trace = device.begin_trace_capture(FIRST, "t").unwrap();
    device.enqueue_program(FIRST, program, false).unwrap();
    assert_eq!(device.drain().unwrap().unwrap().outcome, Outcome::Done);
    // The capture of the trace goes on.
    device.end_trace_capture(FIRST, trace).unwrap();
}

#[test]
fn the_journal_of_a_killed_host_says_how_far_its_queues_were() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let mut device = Device::open(simulator(), options_in("suites")).unwrap();
    device.begin_capture(&CaptureOptions { journal: Some(path.clone()) }).unwrap();
    let program = waits_for(&mut device, 1);
    let enqueue = device.next_command();
    device.enqueue_program(FIRST, program, false).unwrap();
    let killed = recover(&std::fs::read(&path).unwrap()).unwrap();
    assert!(killed.capture.at_end().is_none() && !killed.is_draining());
    // A replay makes the calls that there are, and no call of them waits for the program.
    let report = replays(&killed.capture, WAYS[0]);
    assert!(report.agrees() && report.stop.is_none(), "{report:?}");
    device.drain().unwrap();
    let ended = recover(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(failure(&ended.capture), Some(&Failure::Deadlock { enqueue }));
    assert_eq!(ended.capture, device.end_capture().unwrap());
}
