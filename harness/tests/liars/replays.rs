//! Captures that misstate the result of a replay, each in one respect. They are kept captures of a release.
//! They replay in this process with the firmware beside them.

use std::sync::Arc;

use hallmark_chip::{FaultCategory, PhysicalCoordinate};
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_runtime::{
    DerivedDifference, DeviceSettings, DeviceSpec, ReplayError, ReplayMismatch, ReplayOptions,
    ReplayReport, open_device, replay,
};
use hallmark_schema::model::{
    BufferId, Capture, Command, ContentHash, Data, DataFormat, DataType, Expectation, Failure,
    FaultRecord, FreeTensor, Generator, Outcome, QueuesEnd, Real, TensorRole, Tolerance,
};
use hallmark_schema::{DataError, commands};

use crate::common::repository;

const OTHER: ContentHash = ContentHash([1; 32]);

pub(crate) fn kept(name: &str) -> Capture {
    let path = repository().join(format!("schema/released/1.0/captures/{name}.lmb"));
    Capture::from_bytes(&std::fs::read(path).unwrap()).unwrap()
}

fn replayed_with(
    capture: &Capture,
    change: impl FnOnce(&mut ReplayOptions),
) -> Result<ReplayReport, ReplayError> {
    let architecture = capture.program.architecture;
    let firmware =
        repository().join("schema/released/1.0/firmware/hallmark-1").join(architecture.name());
    let firmware = Arc::new(FirmwareBundle::load(&firmware, architecture).unwrap());
    let mut options = ReplayOptions::new(firmware);
    options.dispatch = capture.record.as_ref().unwrap().dispatch_mode;
    change(&mut options);
    let spec = DeviceSpec::simulator(architecture);
    replay(capture, open_device(&spec, DeviceSettings::default()).unwrap(), &options)
}

fn replayed(capture: &Capture) -> ReplayReport {
    replayed_with(capture, |_| ()).unwrap()
}

/// A truthful capture that a test then changes.
fn truth(name: &str) -> Capture {
    let capture = kept(name);
    let report = replayed(&capture);
    assert!(report.agrees() && report.derived.is_empty(), "{report:?}");
    capture
}

/// The first read of a capture and its expectation.
fn first_read(capture: &mut Capture) -> (usize, &mut Expectation) {
    let commands = capture.program.commands.iter_mut().enumerate();
    let mut reads = commands.filter_map(|(index, recorded)| match &mut recorded.command {
        Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { expectation, .. }) => {
            Some((index, expectation))
        }
        _ => None,
    });
    reads.next().unwrap()
}

#[test]
fn a_call_ends_otherwise() {
    let mut capture = truth("fault");
    let mut outcomes = capture.program.commands.iter_mut().map(|made| &mut made.outcome);
    let outcome = outcomes.find(|outcome| matches!(outcome, Outcome::Failed(_))).unwrap();
    *outcome = Outcome::Failed(Failure::DeviceLost {});
    let report = replayed(&capture);
    let found = |it: &ReplayMismatch| matches!(it, ReplayMismatch::Outcome { .. });
    assert!(report.mismatches.iter().any(found), "{report:?}");
}

/// The capture is of a writer that had no check but one for failing systems.
#[test]
fn a_newer_check_finds_something() {
    let mut capture = truth("fault");
    let mut outcomes = capture.program.commands.iter_mut().map(|made| &mut made.outcome);
    let outcome = outcomes.find(|outcome| matches!(outcome, Outcome::Failed(_))).unwrap();
    *outcome = Outcome::Done;
    let record = capture.record.as_mut().unwrap();
    record.faults.clear();
    assert!(!replayed(&capture).agrees(), "the first release had the check");
    capture.record.as_mut().unwrap().checks = vec![FaultCategory::SystemError];
    let report = replayed(&capture);
    assert!(report.agrees() && report.newer.is_some(), "{report:?}");
}

#[test]
fn the_queues_end_otherwise() {
    let mut capture = truth("runtime_arguments");
    let with = |capture: &mut Capture, outcome| {
        capture.record.as_mut().unwrap().at_end = Some(QueuesEnd::of(outcome));
        replayed(capture)
    };
    let report = with(&mut capture, Outcome::Done);
    assert!(report.agrees(), "{report:?}");
    // An end that a killed recorder left open is no difference.
    let report = with(&mut capture, Outcome::Unfinished);
    assert!(report.agrees() && report.unfinished_end == Some(Outcome::Done), "{report:?}");
    let report = with(&mut capture, Outcome::Failed(Failure::DeviceLost {}));
    let [ReplayMismatch::End { replayed: Outcome::Done, .. }] = report.mismatches[..] else {
        panic!("{report:?}")
    };
}

#[test]
fn a_read_returns_other_bytes() {
    let mut capture = truth("runtime_arguments");
    capture.record.as_mut().unwrap().reads[0].hash = OTHER;
    let report = replayed(&capture);
    let [ReplayMismatch::Read { captured: OTHER, .. }] = report.mismatches[..] else {
        panic!("{report:?}")
    };
}

#[test]
fn a_read_never_completes() {
    let mut capture = truth("runtime_arguments");
    // Every call from the one that waits for the reads.
    let (first, _) = first_read(&mut capture);
    let Command::EnqueueReadBuffer(read) = &mut capture.program.commands[first].command else {
        panic!()
    };
    read.blocking = false;
    capture.program.commands.truncate(first + 1);
    let command = capture.record.as_ref().unwrap().reads[0].command;
    assert_eq!(command.0 as usize, first);
    let report = replayed(&capture);
    let found = |it: &ReplayMismatch| matches!(it, ReplayMismatch::ReadMissing { captured: true, command: at, .. } if *at == command);
    assert!(report.mismatches.iter().any(found), "{report:?}");
}

#[test]
fn a_read_completes_that_did_not() {
    let mut capture = truth("runtime_arguments");
    capture.record.as_mut().unwrap().reads.remove(0);
    let report = replayed(&capture);
    let [ReplayMismatch::ReadMissing { captured: false, .. }] = report.mismatches[..] else {
        panic!("{report:?}")
    };
}

#[test]
fn a_read_is_near_its_reference_or_not() {
    let mut capture = truth("runtime_arguments");
    let read = capture.record.as_ref().unwrap().reads[0];
    capture.record.as_mut().unwrap().reads[0].hash = OTHER;
    let mut within = |absolute: f64| {
        let generator = Generator::Constant { data_type: DataType::Uint8, bits: 0 };
        let data = Data::generated(generator, read.length);
        let tolerance = Tolerance {
            data_type: DataType::Uint8,
            ulp: 0,
            reason: "a test".to_owned(),
            absolute: Real::new(absolute).unwrap(),
            relative: Real::ZERO,
            pcc: Real::ZERO,
        };
        *first_read(&mut capture).1 = Expectation::Reference { data, tolerance };
        replayed(&capture)
    };
    // Every byte is within 255 of 0, but not within half of that.
    let near = within(255.0);
    let found = |it: &DerivedDifference| matches!(it, DerivedDifference::NearRead { .. });
    assert!(near.derived.iter().any(found) && near.agrees(), "{near:?}");
    let far = within(0.5);
    let found = |it: &ReplayMismatch| matches!(it, ReplayMismatch::Read { .. });
    assert!(far.mismatches.iter().any(found), "{far:?}");
}

#[test]
fn the_program_part_is_another() {
    let mut capture = truth("runtime_arguments");
    let mut more = capture.program.sources[0].clone();
    more.path.insert(0, 'z');
    capture.program.sources.push(more);
    let report = replayed(&capture);
    let [ReplayMismatch::ProgramBytes { .. }] = report.mismatches[..] else { panic!("{report:?}") };
}

#[test]
fn an_object_lies_elsewhere() {
    let mut capture = truth("runtime_arguments");
    capture.record.as_mut().unwrap().addresses[0].address += 64;
    let report = replayed(&capture);
    let [DerivedDifference::Address { .. }] = report.derived[..] else { panic!("{report:?}") };
}

#[test]
fn a_kernel_runs_as_another_elf() {
    let mut capture = truth("runtime_arguments");
    let elfs = &mut capture.record.as_mut().unwrap().elfs;
    let mut more = elfs[0].clone();
    let taken =
        |processor| elfs.iter().any(|elf| (elf.kernel, elf.processor) == (more.kernel, processor));
    more.processor = (0..5).find(|processor| !taken(*processor)).unwrap();
    elfs.push(more);
    let report = replayed(&capture);
    let [DerivedDifference::Elf { replayed: None, .. }] = report.derived[..] else {
        panic!("{report:?}")
    };
}

#[test]
fn a_collected_trace_has_other_bytes() {
    let mut capture = truth("trace");
    let collected = &mut capture.record.as_mut().unwrap().collected;
    // Missing bytes are made again.
    collected[0].hash = OTHER;
    let report = replayed(&capture);
    let [DerivedDifference::CollectedTrace { .. }] = report.derived[..] else {
        panic!("{report:?}")
    };
}

#[test]
fn a_fault_happens_elsewhere() {
    let mut capture = truth("fault");
    let faults = &mut capture.record.as_mut().unwrap().faults;
    let mut fault = faults[0].fault().clone();
    let PhysicalCoordinate { x, .. } = &mut fault.place.as_mut().unwrap().tile;
    *x += 1;
    faults[0] = FaultRecord::new(faults[0].command(), fault);
    let report = replayed(&capture);
    let [DerivedDifference::FaultPlace { .. }] = report.derived[..] else { panic!("{report:?}") };
}

#[test]
fn other_cores_wait() {
    let mut capture = truth("deadlock");
    assert!(!capture.record.as_ref().unwrap().waits.is_empty());
    capture.record.as_mut().unwrap().waits.clear();
    let report = replayed(&capture);
    let [DerivedDifference::Waits] = report.derived[..] else { panic!("{report:?}") };
}

#[test]
fn kernels_of_another_launch_abi_are_refused() {
    let mut capture = truth("runtime_arguments");
    capture.record.as_mut().unwrap().firmware.launch_abi += 1;
    let report = replayed_with(&capture, |_| ());
    assert!(matches!(report, Err(ReplayError::LaunchAbi { .. })), "{report:?}");
}

/// Nothing writes a free buffer, so a replay would run on the memory's old content.
#[test]
fn the_inputs_of_a_binary_are_free() {
    let mut capture = truth("runtime_arguments");
    let buffer = BufferId(0);
    capture.program.commands.retain(|recorded| match &recorded.command {
        Command::EnqueueWriteBuffer(call) => call.buffer != buffer,
        Command::EnqueueReadBuffer(call) => call.buffer != buffer,
        Command::DeallocateBuffer(call) => call.buffer != buffer,
        _ => true,
    });
    capture.record.as_mut().unwrap().reads.clear();
    capture.outputs.clear();
    capture.program.free_tensors = vec![FreeTensor {
        role: TensorRole::Output,
        name: "out".to_owned(),
        buffer,
        shape: vec![1],
        data_format: DataFormat::UInt32,
        tile: None,
    }];
    let report = replayed_with(&capture, |_| ());
    assert!(matches!(report, Err(ReplayError::Binary)), "{report:?}");
}

#[test]
fn what_is_not_embedded_is_missed() {
    let mut capture = truth("runtime_arguments");
    let source = capture.program.sources[0].hash;
    capture.blobs.remove(&source).unwrap();
    let report = replayed_with(&capture, |_| ());
    let Err(ReplayError::BlobMissing { hash, what }) = &report else { panic!("{report:?}") };
    assert!(*hash == source && what.starts_with("source "), "{what}");
}

/// The data of the first write.
fn first_data(capture: &mut Capture) -> &mut Data {
    let mut commands = capture.program.commands.iter_mut();
    let write = commands.find_map(|made| match &mut made.command {
        Command::EnqueueWriteBuffer(call) => Some(&mut call.data),
        _ => None,
    });
    write.unwrap()
}

#[test]
fn data_are_others_than_the_capture_says() {
    let mut made = truth("runtime_arguments");
    let length = first_data(&mut made).length;
    let generator = Generator::Constant { data_type: DataType::Uint8, bits: 1 };
    *first_data(&mut made) = Data { hash: OTHER, ..Data::generated(generator, length) };
    let refused = |capture: &Capture| match replayed_with(capture, |_| ()) {
        Err(ReplayError::Data { error, .. }) => error,
        other => panic!("{other:?}"),
    };
    let error = refused(&made);
    assert!(matches!(error, DataError::Hash { stored: OTHER, .. }), "{error}");
    let mut longer = truth("runtime_arguments");
    let bytes = vec![1; length as usize + 4];
    let data = Data { length, ..Data::blob(&bytes) };
    longer.blobs.insert(data.hash, bytes.into());
    *first_data(&mut longer) = data;
    let error = refused(&longer);
    assert!(matches!(error, DataError::Length { .. }), "{error}");
}

#[test]
fn a_collected_trace_is_damaged() {
    let mut capture = truth("trace");
    let hash = capture.record.as_ref().unwrap().collected[0].hash;
    let mut bytes = capture.blobs[&hash].to_vec();
    bytes[100] ^= 1;
    capture.blobs.insert(hash, bytes.into());
    let report = replayed_with(&capture, |_| ());
    assert!(matches!(report, Err(ReplayError::CollectedTrace { .. })), "{report:?}");
}

#[test]
fn a_call_breaks_a_rule() {
    let mut capture = truth("runtime_arguments");
    let Command::CreateBuffer(call) = &mut capture.program.commands[0].command else { panic!() };
    call.name = "two words".to_owned();
    let report = replayed_with(&capture, |_| ());
    assert!(matches!(report, Err(ReplayError::Invalid { .. })), "{report:?}");
}

#[test]
fn memory_has_a_budget() {
    let capture = truth("runtime_arguments");
    let needed = match replayed_with(&capture, |options| options.memory_budget = 1) {
        Err(ReplayError::Memory { needed, budget: 1, .. }) => needed,
        other => panic!("{other:?}"),
    };
    assert!(needed > 1);
}
