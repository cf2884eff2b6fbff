//! Traces as bytes: collected in one process, loaded in another, elsewhere in memory, and refused where
//! they do not fit.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod common;

use std::process::Command;

use common::{RISCV_0, at, buffer, kernel, options_in, simulator};
use hallmark_runtime::{
    Argument, Buffer, CircularBufferConfig, CommandQueue, Device, GridAsked, LoadTraceError,
    SemaphoreConfig, TensorAccessorArgs, Trace,
};
use hallmark_schema::model::{
    BufferType, CircularBufferIndex, ContentHash, DataFormat, DispatchMode, Expectation, Failure,
    Grid,
};

const QUEUE: CommandQueue = CommandQueue::FIRST;
const SIZE: u64 = 1024;
const PAGE: u64 = 256;
/// Where the process that loads finds the bytes.
const FILE: &str = "HALLMARK_TEST_TRACE";

fn open(trace_region_size: u64) -> Device {
    let mut options = options_in("suites");
    options.trace_region_size = trace_region_size;
    Device::open(simulator(), options).unwrap()
}

struct Buffers {
    input: Buffer,
    output: Buffer,
    scratch: Buffer,
}

/// The buffers of the trace, behind as many others as are asked for.
fn buffers(device: &mut Device, others: u64) -> Buffers {
    let mut made = |name, buffer_type, size| {
        device.create_buffer(&buffer(name, buffer_type, size, PAGE)).unwrap()
    };
    for _ in 0..others {
        made("other", BufferType::Dram, SIZE * 12);
        made("other", BufferType::L1, PAGE * 100);
    }
    Buffers {
        input: made("input", BufferType::Dram, SIZE),
        output: made("output", BufferType::Dram, SIZE),
        scratch: made("scratch", BufferType::L1, PAGE),
    }
}

/// A trace of two programs, one of which has a semaphore and a circular buffer that it does not use.
fn collect(others: u64) -> (Device, Trace, Vec<u8>) {
    let mut device = open(4096);
    let made = buffers(&mut device, others);
    let address = |buffer| Argument::BufferAddress { buffer, offset: 0 };
    let mut programs = Vec::new();
    for (from, to, number) in [(made.input, made.output, 7_u32), (made.output, made.output, 1000)] {
        let program = device.create_program("add").unwrap();
        let cores = at(2, 1);
        let config = SemaphoreConfig { name: "flag", cores: &cores, initial_value: 5 };
        let semaphore = device.create_semaphore(program, &config).unwrap();
        let indices =
            [CircularBufferIndex { index: 3, page_size: 64, data_format: DataFormat::UInt32 }];
        let config = CircularBufferConfig {
            name: "cb",
            cores: &cores,
            total_size: 256,
            indices: &indices,
            globally_allocated_address: None,
        };
        device.create_circular_buffer(program, &config).unwrap();
        let accessors: Vec<u32> = [from, to]
            .iter()
            .flat_map(|buffer| {
                TensorAccessorArgs::new(&device, *buffer).unwrap().compile_args().to_vec()
            })
            .collect();
        let description = kernel("kernels/add_constant.cpp", &cores, RISCV_0, accessors);
        let kernel = device.create_kernel(program, description).unwrap();
        let arguments = [
            address(from),
            address(to),
            address(made.scratch),
            Argument::Value(PAGE as u32),
            Argument::Value((SIZE / PAGE) as u32),
            Argument::Value(number),
            // Not used by the kernel: each kind of symbol stands in the trace.
            Argument::SemaphoreAddress { semaphore, offset: 4 },
            Argument::CoreNocX(common::core(1, 1)),
            Argument::CoreNocY(common::core(1, 1)),
        ];
        device.set_runtime_args(kernel, &cores, &arguments).unwrap();
        programs.push(program);
    }
    device.enqueue_write_buffer(QUEUE, made.input, &[0; SIZE as usize][..], false).unwrap();
    for program in &programs {
        device.enqueue_program(QUEUE, *program, true).unwrap();
    }
    let trace = device.begin_trace_capture(QUEUE, "model").unwrap();
    for program in &programs {
        device.enqueue_program(QUEUE, *program, false).unwrap();
    }
    device.end_trace_capture(QUEUE, trace).unwrap();
    let bytes = device.collect_trace(trace).unwrap();
    (device, trace, bytes)
}

/// Replays a loaded trace on data of its own and checks every word.
fn check(device: &mut Device, trace: Trace, made: &Buffers, output: &str) {
    let words: Vec<u32> = (0..SIZE as u32 / 4).map(|word| word * 31).collect();
    let data: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    device.enqueue_write_buffer(QUEUE, made.input, &data[..], false).unwrap();
    device.replay_trace(QUEUE, trace, false).unwrap();
    let expectation = Expectation::AsCaptured;
    let read = device.enqueue_read_buffer(QUEUE, made.output, output, expectation, true).unwrap();
    let bytes = device.take_read(read).unwrap().bytes;
    let sums: Vec<u32> =
        bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let expected: Vec<u32> = words.iter().map(|word| word + 1007).collect();
    assert_eq!(sums, expected);
}

/// The bytes with another header, as if somebody had written them so.
fn forged(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let length = u64::from_le_bytes(bytes[8..16].try_into().unwrap()) as usize;
    let header = std::str::from_utf8(&bytes[16..16 + length]).unwrap();
    assert!(header.contains(from), "{header}");
    let header = header.replace(from, to);
    let mut forged = bytes[..8].to_vec();
    forged.extend((header.len() as u64).to_le_bytes());
    forged.extend(header.as_bytes());
    forged.extend(&bytes[16 + length..bytes.len() - 32]);
    let hash = ContentHash::of(&forged);
    forged.extend(hash.0);
    forged
}

#[test]
fn bytes_do_not_depend_on_where_buffers_lie() {
    let (_, _, bytes) = collect(0);
    let (_, _, elsewhere) = collect(3);
    assert_eq!(bytes, elsewhere);
}

#[test]
fn a_trace_loads_in_another_process_with_other_addresses() {
    let (_, _, bytes) = collect(0);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "loads_what_the_other_process_collected", "--ignored", "--nocapture"])
        .env(FILE, file.path())
        .output()
        .unwrap();
    let said = [child.stdout, child.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    let said = said.concat();
    assert!(child.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
#[ignore = "the other process of the test above"]
fn loads_what_the_other_process_collected() {
    let bytes = std::fs::read(std::env::var_os(FILE).unwrap()).unwrap();
    for dispatch in [DispatchMode::Host, DispatchMode::Device] {
        load_and_run(&bytes, dispatch);
    }
}

fn load_and_run(bytes: &[u8], dispatch: DispatchMode) {
    let mut options = options_in("suites");
    options.trace_region_size = 4096;
    options.dispatch = dispatch;
    let mut device = Device::open(simulator(), options).unwrap();
    let made = buffers(&mut device, 2);
    let trace = device.load_trace(bytes, &[]).unwrap();
    check(&mut device, trace, &made, "one");
    check(&mut device, trace, &made, "two");
    assert_eq!(device.collect_trace(trace).unwrap(), bytes);
    device.release_trace(trace).unwrap();
}

#[test]
fn buffers_may_be_named_otherwise_and_what_cannot_be_placed_is_told() {
    let (_, _, bytes) = collect(0);
    let mut device = open(4096);
    let mut made = |name, buffer_type, size| {
        device.create_buffer(&buffer(name, buffer_type, size, PAGE)).unwrap()
    };
    let input = made("mine", BufferType::Dram, SIZE);
    let output = made("output", BufferType::Dram, SIZE * 2);
    let Err(LoadTraceError::Unplaced { symbols }) = device.load_trace(&bytes, &[("input", input)])
    else {
        panic!();
    };
    let [one, two] = symbols.as_slice() else { panic!("{symbols:?}") };
    assert!(one.contains("buffer `output`") && one.contains("2048 B"), "{one}");
    assert!(two.contains("buffer `scratch`") && two.contains("no buffer of that name"), "{two}");
    device.deallocate_buffer(output).unwrap();
    let mut made = |name, buffer_type, size| {
        device.create_buffer(&buffer(name, buffer_type, size, PAGE)).unwrap()
    };
    let output = made("output", BufferType::Dram, SIZE);
    let scratch = made("scratch", BufferType::L1, PAGE);
    let twice = made("scratch", BufferType::L1, PAGE);
    let Err(LoadTraceError::Unplaced { symbols }) = device.load_trace(&bytes, &[("input", input)])
    else {
        panic!();
    };
    assert!(symbols.len() == 1 && symbols[0].contains("say which"), "{symbols:?}");
    let given = [("input", input), ("scratch", twice)];
    let trace = device.load_trace(&bytes, &given).unwrap();
    check(&mut device, trace, &Buffers { input, output, scratch }, "one");
}

#[test]
fn every_flipped_bit_is_refused() {
    let (_, _, bytes) = collect(0);
    let mut device = open(4096);
    buffers(&mut device, 0);
    for at in (0..bytes.len()).step_by(97).chain(0..40).chain(bytes.len() - 40..bytes.len()) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        let refused = device.load_trace(&flipped, &[]);
        assert!(matches!(refused, Err(LoadTraceError::Bytes(_))), "byte {at}: {refused:?}");
        assert!(device.load_trace(&bytes[..at], &[]).is_err(), "cut at {at}");
    }
}

#[test]
fn another_chip_firmware_or_version_is_refused_with_the_reason() {
    let (_, _, bytes) = collect(0);
    let mut device = open(4096);
    buffers(&mut device, 0);
    let mut refused =
        |from, to| device.load_trace(&forged(&bytes, from, to), &[]).unwrap_err().to_string();
    let text = refused("\"wormhole_b0\"", "\"blackhole\"");
    assert!(text.contains("collected on blackhole") && text.contains("is wormhole_b0"), "{text}");
    let text = refused("\"format\":\"1.0\"", "\"format\":\"2.0\"");
    assert!(text.contains("format 2.0") && text.contains("reads 1.0"), "{text}");
    let hash = device.firmware().hash().to_string();
    let mut refused =
        |from: &str, to: &str| device.load_trace(&forged(&bytes, from, to), &[]).unwrap_err();
    let text = refused(&hash, &"0".repeat(64)).to_string();
    assert!(text.contains("firmware hallmark-1 (00000000…"), "{text}");
    let text =
        refused("\"relocations\":[{\"offset\":", "\"relocations\":[{\"offset\":9").to_string();
    assert!(text.contains("contradicts itself"), "{text}");
    let mut options = options_in("suites");
    options.trace_region_size = 4096;
    options.grid = GridAsked::Cores(Grid { columns: 4, rows: 4 });
    let mut small = Device::open(simulator(), options).unwrap();
    buffers(&mut small, 0);
    let text = small.load_trace(&bytes, &[]).unwrap_err().to_string();
    assert!(text.contains("grid of 8x9") && text.contains("grid of 4x4"), "{text}");
}

#[test]
fn the_trace_region_holds_loaded_traces_too() {
    let (mut first, trace, bytes) = collect(0);
    // The trace itself, three copies of it, and no more.
    for _ in 0..3 {
        first.load_trace(&bytes, &[]).unwrap();
    }
    let refused = first.load_trace(&bytes, &[]).unwrap_err();
    let LoadTraceError::Call(error) = refused else { panic!("{refused}") };
    let failure = Failure::TraceRegionTooSmall { size: 5120, limit: 4096 };
    assert_eq!(error.failure(), Some(&failure));
    first.release_trace(trace).unwrap();
    first.load_trace(&bytes, &[]).unwrap();
}
