//! Replays of untrusted captures end in an error or a report.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, reason = "tests")]
#![cfg(feature = "recorder")]

mod common;

use std::time::Instant;

use common::{RISCV_0, at, buffer, core, kernel, options, simulator};
use hallmark_chip::L1BankOrder;
use hallmark_runtime::{
    Argument, BufferConfig, CaptureOptions, CommandQueue, DerivedDifference, Device, ReplayError,
    ReplayMismatch, ReplayOptions, ReplayReport, WriteData, replay,
};
use hallmark_schema::commands;
use hallmark_schema::model::{
    BufferLayout, BufferType, Capture, Command, CommandIndex, ContentHash, CoreRange, Data,
    DataType, Expectation, Failure, Generator, Outcome, Real, RecordedCommand, Shape2D,
    ShardOrientation, ShardSpec, SharedBytes, Tolerance,
};

const QUEUE: CommandQueue = CommandQueue::FIRST;

fn again(capture: &Capture) -> Result<ReplayReport, ReplayError> {
    capture.validate().unwrap();
    replay_again(capture)
}

fn replay_again(capture: &Capture) -> Result<ReplayReport, ReplayError> {
    let options = ReplayOptions::new(options().firmware);
    replay(capture, simulator(), &options)
}

/// A write by generator, a write of bytes, a read of each buffer, and two refusals.
fn capture() -> Capture {
    let mut device = common::open();
    device.begin_capture(&CaptureOptions::default()).unwrap();
    let first = device.create_buffer(&buffer("first", BufferType::Dram, 4096, 512)).unwrap();
    let second = device.create_buffer(&buffer("second", BufferType::L1, 4096, 512)).unwrap();
    let generator = Generator::Uniform { data_type: DataType::Uint32, seed: 7 };
    let data = WriteData::Generated { generator, length: 4096 };
    device.enqueue_write_buffer(QUEUE, first, data, false).unwrap();
    device.enqueue_write_buffer(QUEUE, second, &common::pattern(4096)[..], false).unwrap();
    device.enqueue_write_buffer(QUEUE, second, &common::pattern(4000)[..], false).unwrap_err();
    device.create_buffer(&buffer("odd", BufferType::L1, 100, 64)).unwrap_err();
    device.enqueue_read_buffer(QUEUE, first, "one", Expectation::AsCaptured, false).unwrap();
    device.enqueue_read_buffer(QUEUE, second, "two", Expectation::AsCaptured, true).unwrap();
    device.end_capture().unwrap()
}

#[test]
fn what_came_out_otherwise_is_in_the_report() {
    let good = capture();
    assert!(again(&good).unwrap().agrees());

    let mut changed = good.clone();
    let outcome = Outcome::Failed(Failure::DeviceLost {});
    changed.program.commands[5].outcome = outcome.clone();
    let report = again(&changed).unwrap();
    assert!(
        matches!(&report.mismatches[0], ReplayMismatch::Outcome { command: CommandIndex(5), captured, .. } if *captured == outcome),
        "{report:?}"
    );
    assert!(matches!(report.mismatches[1], ReplayMismatch::ProgramBytes { .. }));

    let mut changed = good.clone();
    changed.outputs.clear();
    let record = changed.record.as_mut().unwrap();
    record.reads[0].hash = ContentHash([1; 32]);
    record.reads.truncate(1);
    record.addresses[0].address += 64;
    // A completed read without a result breaks a rule of captures; a replay tolerates it.
    assert!(changed.validate().is_err());
    let report = replay_again(&changed).unwrap();
    let [
        ReplayMismatch::Read { command: CommandIndex(6), .. },
        ReplayMismatch::ReadMissing { command: CommandIndex(7), captured: false, .. },
    ] = &report.mismatches[..]
    else {
        panic!("{report:?}");
    };
    assert!(matches!(report.derived[..], [DerivedDifference::Address { id: 0, .. }]));

    // A read with an unchecked expectation may return anything.
    let mut changed = good;
    let Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { expectation, .. }) =
        &mut changed.program.commands[6].command
    else {
        panic!();
    };
    *expectation = Expectation::Unchecked { reason: "a clock".to_owned() };
    changed.outputs.clear();
    changed.record.as_mut().unwrap().reads[0].hash = ContentHash([1; 32]);
    assert_eq!(again(&changed).unwrap().mismatches, []);
}

#[test]
fn a_read_may_differ_within_its_tolerance() {
    let mut near = capture();
    // Poses as the result of another device, within the tolerance.
    let reference: SharedBytes =
        common::pattern(4096).iter().map(|byte| byte ^ 1).collect::<Vec<_>>().into();
    let hash = ContentHash::of(&reference);
    let Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { expectation, .. }) =
        &mut near.program.commands[7].command
    else {
        panic!();
    };
    *expectation = Expectation::Reference {
        data: Data { length: 4096, hash, generator: None },
        tolerance: Tolerance {
            data_type: DataType::Uint8,
            ulp: 1,
            reason: "a test".to_owned(),
            absolute: Real::ZERO,
            relative: Real::ZERO,
            pcc: Real::ZERO,
        },
    };
    near.outputs.clear();
    near.record.as_mut().unwrap().reads[1].hash = hash;
    let mut alone = near.clone();
    alone.blobs.insert(hash, reference.clone());
    let report = again(&alone).unwrap();
    assert_eq!(report.mismatches, []);
    let [DerivedDifference::NearRead { command: CommandIndex(7), output }] = &report.derived[..]
    else {
        panic!("{report:?}");
    };
    assert_eq!(output, "two");
    assert_eq!(
        report.capture.blobs.get(&hash),
        Some(&reference),
        "the replay is self-contained too"
    );

    // A result beyond the tolerance, or without the reference, is a mismatch.
    let mut far = alone;
    let far_reference: SharedBytes =
        reference.iter().map(|byte| byte ^ 2).collect::<Vec<_>>().into();
    let far_hash = ContentHash::of(&far_reference);
    far.blobs.insert(far_hash, far_reference);
    let Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
        expectation: Expectation::Reference { data, .. },
        ..
    }) = &mut far.program.commands[7].command
    else {
        panic!();
    };
    data.hash = far_hash;
    for capture in [far, near] {
        let report = again(&capture).unwrap();
        assert!(matches!(&report.mismatches[..], [ReplayMismatch::Read { .. }]), "{report:?}");
    }
}

#[test]
fn an_unfinished_last_command_is_made_and_reported() {
    let mut capture = capture();
    capture.program.commands.last_mut().unwrap().outcome = Outcome::Unfinished;
    capture.record.as_mut().unwrap().reads.clear();
    capture.outputs.clear();
    let report = again(&capture).unwrap();
    assert_eq!(report.mismatches, []);
    assert_eq!(report.unfinished, Some((CommandIndex(7), Outcome::Done)));
}

/// Pages keep their places: captures from before the order existed have their banks row by row.
#[test]
fn banks_of_l1_have_the_order_that_the_capture_says() {
    let order = |capture: &Capture| capture.record.as_ref().unwrap().l1_bank_order;
    let shuffled = capture();
    assert_eq!(order(&shuffled), L1BankOrder::Shuffled);
    let mut by_rows = shuffled.clone();
    by_rows.record.as_mut().unwrap().l1_bank_order = L1BankOrder::RowByRow;
    for captured in [shuffled, by_rows] {
        let report = again(&captured).unwrap();
        assert!(report.agrees() && report.derived.is_empty(), "{report:?}");
        assert_eq!(order(&report.capture), order(&captured));
    }

    // The cores of the first pages, from libstdc++'s numbers of 72 banks.
    for (asked, expected) in [
        (None, [(1, 4), (4, 4), (3, 8), (2, 2)]),
        (Some(L1BankOrder::Shuffled), [(1, 4), (4, 4), (3, 8), (2, 2)]),
        (Some(L1BankOrder::RowByRow), [(0, 0), (1, 0), (2, 0), (3, 0)]),
    ] {
        let mut options = options();
        options.l1_bank_order = asked;
        let mut device = Device::open(simulator(), options).unwrap();
        let pages = device.create_buffer(&buffer("pages", BufferType::L1, 256, 64)).unwrap();
        let first = device.locate(pages, 0).unwrap().unwrap();
        for (page, (x, y)) in (0..).zip(expected) {
            let byte = device.locate(pages, 64 * page).unwrap().unwrap();
            assert_eq!((byte.bank, byte.address), (page, first.address), "{asked:?}");
            assert_eq!(device.description().logical(byte.tile), Some(core(x, y)), "{asked:?}");
        }
    }
}

/// Sharded buffers keep their cores, so their captures record no order and stay unchanged.
#[test]
fn only_a_buffer_interleaved_over_l1_has_the_order_recorded() {
    let made = |config: &BufferConfig<'_>| {
        let mut device = common::open();
        device.begin_capture(&CaptureOptions::default()).unwrap();
        let _ = device.create_buffer(config);
        device.end_capture().unwrap().record.unwrap().l1_bank_order
    };
    let shape = Shape2D { height: 1, width: 1 };
    let spec = ShardSpec {
        cores: at(3, 2),
        shape,
        orientation: ShardOrientation::RowMajor,
        page_shape: shape,
        tensor2d_shape_in_pages: shape,
    };
    let sharded = BufferConfig {
        layout: BufferLayout::HeightSharded,
        shard_spec: Some(&spec),
        ..buffer("b", BufferType::L1, 64, 64)
    };
    assert_eq!(made(&buffer("b", BufferType::L1, 64, 64)), L1BankOrder::Shuffled);
    assert_eq!(made(&sharded), L1BankOrder::RowByRow);
    assert_eq!(made(&buffer("b", BufferType::Dram, 64, 64)), L1BankOrder::RowByRow);
    assert_eq!(made(&buffer("refused", BufferType::L1, 65, 64)), L1BankOrder::RowByRow);
}

#[test]
fn a_capture_that_cannot_be_replayed_says_why() {
    let good = capture();
    let mut golden = good.clone();
    golden.record = None;
    assert!(matches!(again(&golden), Err(ReplayError::NoRecord)));

    let mut other = good.clone();
    other.record.as_mut().unwrap().firmware.launch_abi = 99;
    assert!(matches!(again(&other), Err(ReplayError::LaunchAbi { captured: 99, .. })));

    let mut bare = good.clone();
    bare.blobs.clear();
    let error = again(&bare).unwrap_err();
    assert!(matches!(error, ReplayError::BlobMissing { .. }), "{error}");

    // The recorded hash differs from the generator's.
    let mut lying = good.clone();
    let Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer { data, .. }) =
        &mut lying.program.commands[2].command
    else {
        panic!();
    };
    data.hash = ContentHash([2; 32]);
    let error = again(&lying).unwrap_err();
    assert!(matches!(error, ReplayError::Data { command: CommandIndex(2), .. }), "{error}");
    // The check includes a failed write, whose data is never generated.
    let mut lying = good.clone();
    let Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer { data, .. }) =
        &mut lying.program.commands[4].command
    else {
        panic!();
    };
    data.generator = Some(Generator::Constant { data_type: DataType::Uint8, bits: 1 });
    let error = again(&lying).unwrap_err();
    assert!(matches!(error, ReplayError::Data { command: CommandIndex(4), .. }), "{error}");
    // The blob's length differs from the write's.
    let mut short = good.clone();
    let Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer { data, .. }) =
        &mut short.program.commands[4].command
    else {
        panic!();
    };
    data.length -= 4;
    let error = again(&short).unwrap_err();
    assert!(matches!(error, ReplayError::Data { command: CommandIndex(4), .. }), "{error}");

    // The replay would exceed its memory limit: buffers are large, and nothing is embedded.
    let mut greedy = good;
    greedy.program.commands.clear();
    greedy.outputs.clear();
    greedy.record.as_mut().unwrap().reads.clear();
    greedy.record.as_mut().unwrap().addresses.clear();
    let size = 1 << 20;
    let generator = Generator::Constant { data_type: DataType::Uint8, bits: 1 };
    let hash = generator.hash(size);
    for id in 0..5 {
        let buffer = hallmark_schema::model::BufferId(id);
        let create = Command::CreateBuffer(commands::CreateBuffer {
            buffer,
            name: String::new(),
            size,
            page_size: 4096,
            buffer_type: BufferType::Dram,
            layout: hallmark_schema::model::BufferLayout::Interleaved,
            shard_spec: None,
            bottom_up: None,
        });
        let write = Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer {
            queue: QUEUE.id(),
            buffer,
            data: Data { length: size, hash, generator: Some(generator) },
            blocking: false,
            region: None,
        });
        for command in [create, write] {
            greedy.program.commands.push(RecordedCommand { command, outcome: Outcome::Done });
        }
    }
    let options =
        ReplayOptions { memory_budget: 4 << 20, ..ReplayOptions::new(options().firmware) };
    let error = replay(&greedy, simulator(), &options).unwrap_err();
    assert!(matches!(error, ReplayError::Memory { command: CommandIndex(9), .. }), "{error}");
}

/// The cost of a call without a journal, with one, and at replay.
#[test]
#[ignore = "a measurement, printed and never judged; run with: cargo nextest run --run-ignored only --no-capture -E 'test(costs)'"]
fn costs() {
    let folder = tempfile::tempdir().unwrap();
    let rounds = 200u32;
    let mut per_call = Vec::new();
    let mut last = None;
    for journal in [None, Some(folder.path().join("journal"))] {
        let (device, options) = (simulator(), options());
        let begin = Instant::now();
        let mut device = Device::open(device, options).unwrap();
        println!("open: {:?}", begin.elapsed());
        let begin = Instant::now();
        device.begin_capture(&CaptureOptions { journal }).unwrap();
        let made = device.create_buffer(&buffer("b", BufferType::Dram, 4096, 1024)).unwrap();
        let program = device.create_program("p").unwrap();
        let cores = at(0, 0);
        let place = device.firmware().memory().unreserved_base;
        let description = kernel("kernels/store_words.cpp", &cores, RISCV_0, vec![place, 1]);
        let made_kernel = device.create_kernel(program, description).unwrap();
        let set_up = begin.elapsed();
        let begin = Instant::now();
        let argument = Argument::BufferAddress { buffer: made, offset: 0 };
        for _ in 0..rounds {
            device.set_runtime_args(made_kernel, &cores, &[argument, 1.into()]).unwrap();
        }
        let set = begin.elapsed() / rounds;
        let begin = Instant::now();
        for _ in 0..rounds {
            device.enqueue_write_buffer(QUEUE, made, &common::pattern(4096)[..], true).unwrap();
        }
        let write = begin.elapsed() / rounds;
        device.enqueue_program(QUEUE, program, true).unwrap();
        let begin = Instant::now();
        for _ in 0..rounds {
            device.enqueue_program(QUEUE, program, true).unwrap();
        }
        let launch = begin.elapsed() / rounds;
        let all = [CoreRange { start: core(0, 0), end: core(7, 8) }];
        let grid = device.create_program("grid").unwrap();
        let description = kernel("kernels/store_words.cpp", &all, RISCV_0, vec![place, 1]);
        device.create_kernel(grid, description).unwrap();
        let begin = Instant::now();
        device.enqueue_program(QUEUE, grid, true).unwrap();
        let boot = begin.elapsed();
        let begin = Instant::now();
        device.enqueue_program(QUEUE, grid, true).unwrap();
        println!("72 tiles: boot and launch {boot:?}, launch again {:?}", begin.elapsed());
        per_call.push((set_up, set, write, launch));
        last = Some(device.end_capture().unwrap());
    }
    let capture = last.unwrap();
    let begin = Instant::now();
    let report = again(&capture).unwrap();
    let calls = capture.program.commands.len() as u32;
    assert!(report.agrees());
    println!("set up, set_runtime_args, write 4 KiB, launch: {per_call:?}");
    println!("replay: {:?} in all, {:?} per call", begin.elapsed(), begin.elapsed() / calls);
}
