//! Replays of captures whose writer did not have a check that finds something now.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]
#![cfg(feature = "recorder")]

mod common;

use std::sync::Arc;

use common::{RISCV_0, at, buffer, kernel, options_in, simulator};
use hallmark_chip::FaultCategory;
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_runtime::{
    Argument, CaptureOptions, CommandQueue, Device, NewerFinding, ReplayMismatch, ReplayOptions,
    ReplayReport, replay,
};
use hallmark_schema::commands::Finish;
use hallmark_schema::model::{
    BufferType, Capture, Command, CommandIndex, Expectation, Failure, Outcome, QueueId,
    RecordedCommand,
};

const QUEUE: CommandQueue = CommandQueue::FIRST;
const FOUND: FaultCategory = FaultCategory::UnpredictableValueUsed;

/// A program that branches on memory that nothing has written, and the call that waits for it.
fn fault() -> (Capture, CommandIndex) {
    let mut device = Device::open(simulator(), options_in("suites")).unwrap();
    device.begin_capture(&CaptureOptions::default()).unwrap();
    let unwritten = device.create_buffer(&buffer("b", BufferType::L1, 64, 64)).unwrap();
    let cores = at(2, 1);
    let program = device.create_program("p").unwrap();
    let source = "kernels/fault_uninitialised_branch.cpp";
    let branch =
        device.create_kernel(program, kernel(source, &cores, RISCV_0, Vec::new())).unwrap();
    let address = Argument::BufferAddress { buffer: unwritten, offset: 0 };
    device.set_runtime_args(branch, &cores, &[address]).unwrap();
    let enqueue = device.next_command();
    device.enqueue_program(QUEUE, program, false).unwrap();
    device.finish(QUEUE).unwrap_err();
    (device.end_capture().unwrap(), enqueue)
}

/// As a writer with these checks would have captured it, on a device that noticed nothing and went on.
fn unnoticed(checks: Vec<FaultCategory>) -> Capture {
    let (mut capture, _) = fault();
    let commands = &mut capture.program.commands;
    let Outcome::Failed(Failure::DeviceFault { category: FOUND, .. }) =
        commands.last().unwrap().outcome
    else {
        panic!("{commands:?}")
    };
    commands.last_mut().unwrap().outcome = Outcome::Done;
    let command = Command::Finish(Finish { queue: QueueId(0) });
    commands.push(RecordedCommand { command, outcome: Outcome::Done });
    let record = capture.record.as_mut().unwrap();
    record.faults.clear();
    record.checks = checks;
    capture.validate().unwrap();
    capture
}

fn replayed(capture: &Capture) -> ReplayReport {
    let firmware = FirmwareBundle::builtin(capture.program.architecture).unwrap();
    replay(capture, simulator(), &ReplayOptions::new(Arc::new(firmware))).unwrap()
}

#[test]
fn a_capture_names_the_checks_of_its_writer() {
    let (capture, _) = fault();
    assert_eq!(capture.record.as_ref().unwrap().checks, FaultCategory::ALL);
    let report = replayed(&capture);
    assert!(report.agrees() && report.newer.is_none(), "{report:?}");
}

#[test]
fn what_a_newer_check_finds_ends_the_replay_and_is_no_difference() {
    let (_, enqueue) = fault();
    let others = FaultCategory::ALL.into_iter().filter(|check| *check != FOUND).collect();
    let report = replayed(&unnoticed(others));
    let command = Some(CommandIndex(enqueue.0 + 1));
    let newer = NewerFinding { command, category: FOUND, enqueue, captured_as: None };
    assert!(report.agrees() && report.derived.is_empty(), "{report:?}");
    assert_eq!(report.newer, Some(newer));
    // What came before is compared.
    let mut other = unnoticed(vec![FaultCategory::UndefinedBehavior]);
    other.program.commands[0].outcome =
        Outcome::Failed(Failure::SizeNotPageMultiple { size: 100, page_size: 64 });
    other.program.commands.truncate(1);
    other.record.as_mut().unwrap().elfs.clear();
    other.record.as_mut().unwrap().addresses.clear();
    assert!(!replayed(&other).agrees());
}

#[test]
fn what_a_check_finds_that_the_writer_had_is_a_difference() {
    // The first release had the check, and named none.
    for checks in [Vec::new(), FaultCategory::ALL.to_vec(), vec![FOUND]] {
        let report = replayed(&unnoticed(checks));
        let [ReplayMismatch::Outcome { .. }, ..] = report.mismatches[..] else {
            panic!("{report:?}")
        };
        assert_eq!(report.newer, None);
    }
}

#[test]
fn a_read_before_a_newer_finding_is_compared() {
    let mut device = Device::open(simulator(), options_in("suites")).unwrap();
    device.begin_capture(&CaptureOptions::default()).unwrap();
    let b = device.create_buffer(&buffer("b", BufferType::Dram, 64, 64)).unwrap();
    device.enqueue_write_buffer(QUEUE, b, &[3; 64][..], false).unwrap();
    device.enqueue_read_buffer(QUEUE, b, "out", Expectation::AsCaptured, true).unwrap();
    let mut capture = device.end_capture().unwrap();
    capture.record.as_mut().unwrap().checks = vec![FaultCategory::UndefinedBehavior];
    assert!(replayed(&capture).agrees());
    capture.record.as_mut().unwrap().reads[0].hash.0[0] ^= 1;
    assert!(!replayed(&capture).agrees());
}
