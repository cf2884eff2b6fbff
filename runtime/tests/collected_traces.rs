//! Traces as bytes: collected in one process, loaded in another at other addresses, and refused where they do
//! not fit.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failing helper fails its test"
)]

mod common;
#[path = "collected_traces/liars.rs"]
mod liars;

use std::process::Command;

use common::{RISCV_0, at, buffer, core, kernel, options_in, simulator};
use hallmark_runtime::{
    Argument, Buffer, CallError, CaptureOptions, CircularBufferConfig, CollectedTrace,
    CommandQueue, DerivedDifference, Device, DeviceSettings, DeviceSpec, GridAsked, LoadTraceError,
    ReplayError, ReplayOptions, SemaphoreConfig, StopCause, TensorAccessorArgs, Trace, open_device,
    replay,
};
use hallmark_schema::model::{
    BufferId, BufferType, Capture, CircularBufferIndex, ContentHash, DataFormat, DispatchMode,
    Expectation, Failure, Grid,
};

const QUEUE: CommandQueue = CommandQueue::FIRST;
const SIZE: u64 = 1024;
const PAGE: u64 = 256;
/// The variable that gives the loading process the path of the bytes.
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

/// Creates the buffers of the trace behind `others` other buffers.
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

/// Collects a trace of two programs. Each has an unused semaphore and an unused circular buffer.
fn collect(others: u64) -> (Device, Trace, Vec<u8>) {
    let mut device = open(4096);
    let (trace, collected) = collect_on(&mut device, others);
    let bytes = collected.bytes().to_vec();
    (device, trace, bytes)
}

/// Collects the same trace on an open device without objects.
fn collect_on(device: &mut Device, others: u64) -> (Trace, CollectedTrace) {
    let made = buffers(device, others);
    let address = |buffer| Argument::BufferAddress { buffer, offset: 0 };
    let mut programs = Vec::new();
    for (from, to, number) in [(made.input, made.output, 7_u32), (made.output, made.output, 1000)] {
        let program = device.create_program("add").unwrap();
        let cores = at(2, 1);
        let config = SemaphoreConfig { name: "flag", cores: &cores, initial_value: 5 };
        let semaphore = device.create_semaphore(program, &config).unwrap();
        let indices = [CircularBufferIndex {
            index: 3,
            page_size: 64,
            data_format: DataFormat::UInt32,
            tile: None,
        }];
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
                TensorAccessorArgs::new(device, *buffer).unwrap().compile_args().to_vec()
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
            // The kernel does not read these arguments. They put each kind of symbol into the trace.
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
    let collected = device.collect_trace(trace, "bytes").unwrap();
    (trace, collected)
}

/// Loads bytes of another process onto the buffers with the names in the trace.
fn load(device: &mut Device, bytes: &[u8]) -> Result<Trace, LoadTraceError> {
    load_for(device, bytes, &[])
}

fn load_for(
    device: &mut Device,
    bytes: &[u8],
    buffers: &[(&str, Buffer)],
) -> Result<Trace, LoadTraceError> {
    device.load_trace("loaded", &CollectedTrace::from_bytes(bytes), buffers)
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

/// The bytes with a changed header and a valid length and hash.
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
    let trace = load(&mut device, bytes).unwrap();
    check(&mut device, trace, &made, "one");
    check(&mut device, trace, &made, "two");
    assert_eq!(device.collect_trace(trace, "again").unwrap().bytes(), bytes);
    device.release_trace(trace).unwrap();
}

/// The source files of the running cores when a loaded trace runs out of ticks.
fn files_of_a_hang(bytes: &[u8], tick_budget: u64) -> Vec<String> {
    let mut options = options_in("suites");
    options.trace_region_size = 4096;
    options.tick_budget = tick_budget;
    let mut device = Device::open(simulator(), options).unwrap();
    let made = buffers(&mut device, 2);
    let trace = load(&mut device, bytes).unwrap();
    device.enqueue_write_buffer(QUEUE, made.input, &[0; SIZE as usize][..], false).unwrap();
    device.replay_trace(QUEUE, trace, true).unwrap_err();
    let StopCause::Hang { running, .. } = &device.stop().unwrap().cause else { panic!() };
    running.iter().filter_map(|at| Some(at.frames.first()?.file.clone())).collect()
}

#[test]
fn the_kernels_of_a_loaded_trace_have_source_lines() {
    let (_, _, bytes) = collect(0);
    // The budgets end between the kernel's begin and its end.
    let found = (3..12).map(|hundreds| files_of_a_hang(&bytes, hundreds * 100));
    let found: Vec<String> = found.flatten().collect();
    assert!(found.iter().any(|file| file.ends_with("add_constant.cpp")), "{found:?}");

    let older = forged(&bytes, r#""format":"1.1""#, r#""format":"1.0""#);
    let mut device = open(4096);
    let _made = buffers(&mut device, 2);
    load(&mut device, &older).unwrap();

    let strange = format!(r#""lines":{{"{}":0,"#, "0".repeat(64));
    let forged = forged(&bytes, r#""lines":{"#, &strange);
    let error = load(&mut open(4096), &forged).unwrap_err();
    assert!(error.to_string().contains("a line table belongs to no ELF"), "{error}");
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
    let Err(LoadTraceError::Unplaced { symbols }) =
        load_for(&mut device, &bytes, &[("input", input)])
    else {
        panic!();
    };
    let symbols: Vec<String> = symbols.iter().map(ToString::to_string).collect();
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
    let Err(LoadTraceError::Unplaced { symbols }) =
        load_for(&mut device, &bytes, &[("input", input)])
    else {
        panic!();
    };
    let [one] = symbols.as_slice() else { panic!("{symbols:?}") };
    assert!(one.to_string().contains("say which"), "{one}");
    let given = [("input", input), ("scratch", twice)];
    let trace = load_for(&mut device, &bytes, &given).unwrap();
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
        let refused = load(&mut device, &flipped);
        assert!(matches!(refused, Err(LoadTraceError::Bytes(_))), "byte {at}: {refused:?}");
        assert!(load(&mut device, &bytes[..at]).is_err(), "cut at {at}");
    }
}

#[test]
fn another_chip_firmware_or_version_is_refused_with_the_reason() {
    let (_, _, bytes) = collect(0);
    let mut device = open(4096);
    buffers(&mut device, 0);
    let mut refused =
        |from, to| load(&mut device, &forged(&bytes, from, to)).unwrap_err().to_string();
    let text = refused("\"wormhole_b0\"", "\"blackhole\"");
    assert!(text.contains("collected on blackhole") && text.contains("is wormhole_b0"), "{text}");
    let text = refused("\"format\":\"1.1\"", "\"format\":\"2.0\"");
    assert!(text.contains("format 2.0") && text.contains("reads formats 1.0, 1.1, 1.2"), "{text}");
    let hash = device.firmware().hash().to_string();
    let mut refused =
        |from: &str, to: &str| load(&mut device, &forged(&bytes, from, to)).unwrap_err();
    let text = refused(&hash, &"0".repeat(64)).to_string();
    assert!(text.contains("firmware hallmark-1 (00000000…"), "{text}");
    let text =
        refused("\"relocations\":[{\"offset\":", "\"relocations\":[{\"offset\":9").to_string();
    assert!(text.contains("contradicts itself"), "{text}");
}

/// Opens a chip with a part of its cores.
fn open_on(chip: &str, grid: GridAsked) -> Device {
    let mut options = options_in("suites");
    options.trace_region_size = 4096;
    options.grid = grid;
    let spec = chip.parse::<DeviceSpec>().unwrap();
    Device::open(open_device(&spec, DeviceSettings::default()).unwrap(), options).unwrap()
}

#[test]
fn a_trace_goes_to_chips_whose_cores_stand_elsewhere() {
    let (_, _, bytes) = collect(0);
    let whole = open_on("sim:wormhole_b0", GridAsked::All);
    // Row 1 of the whole chip is fused off, so the trace's core (2,1) is another tile.
    for (chip, grid) in [
        ("sim:wormhole_b0:harvested=0x2", GridAsked::All),
        ("sim:wormhole_b0:harvested=0x301", GridAsked::All),
        ("sim:wormhole_b0", GridAsked::Cores(Grid { columns: 4, rows: 4 })),
    ] {
        let mut device = open_on(chip, grid);
        let place = |device: &Device| device.description().physical(core(2, 1));
        assert_eq!(place(&device) == place(&whole), chip == "sim:wormhole_b0", "{chip}");
        let made = buffers(&mut device, 1);
        let trace = load(&mut device, &bytes).unwrap();
        check(&mut device, trace, &made, "out");
    }
    let mut small = open_on("sim:wormhole_b0", GridAsked::Cores(Grid { columns: 2, rows: 2 }));
    buffers(&mut small, 0);
    let text = load(&mut small, &bytes).unwrap_err().to_string();
    assert!(text.contains("core (2,1)") && text.contains("this device has 2×2 cores"), "{text}");
    let bound = forged(&bytes, "\"placement_bound\":false", "\"placement_bound\":true");
    let mut elsewhere = open_on("sim:wormhole_b0:harvested=0x2", GridAsked::All);
    buffers(&mut elsewhere, 0);
    let text = load(&mut elsewhere, &bound).unwrap_err().to_string();
    assert!(text.contains("mask 0x0") && text.contains("mask is 0x2 and the grid 8×8"), "{text}");
}

#[test]
fn the_trace_region_holds_loaded_traces_too() {
    let (mut first, trace, bytes) = collect(0);
    // The region holds the trace itself and three copies of it.
    for _ in 0..3 {
        load(&mut first, &bytes).unwrap();
    }
    let refused = load(&mut first, &bytes).unwrap_err();
    let LoadTraceError::Call(error) = refused else { panic!("{refused}") };
    let failure = Failure::TraceRegionTooSmall { size: 5120, limit: 4096 };
    assert_eq!(error.failure(), Some(&failure));
    first.release_trace(trace).unwrap();
    load(&mut first, &bytes).unwrap();
}

#[test]
fn a_capture_holds_what_was_collected_in_it_and_refuses_what_was_not() {
    let (_, _, elsewhere) = collect(3);
    let mut device = open(8192);
    device.begin_capture(&CaptureOptions::default()).unwrap();
    let (trace, collected) = collect_on(&mut device, 0);
    assert_eq!(collected.bytes(), elsewhere);
    // The capture holds the same bytes without the call that produced them.
    let refused = load(&mut device, &elsewhere).unwrap_err();
    assert!(matches!(refused, LoadTraceError::Capturing), "{refused}");
    let twice = device.collect_trace(trace, "bytes").unwrap_err();
    assert!(matches!(twice, CallError::Argument(_)) && twice.to_string().contains("`bytes`"));
    let mut made = |name, buffer_type, size| {
        device.create_buffer(&buffer(name, buffer_type, size, PAGE)).unwrap()
    };
    let input = made("new", BufferType::Dram, SIZE);
    let other = made("scratch", BufferType::L1, PAGE);
    // Two live buffers are called `scratch`, and the trace does not use the third given buffer.
    let refused = device.load_trace("loaded", &collected, &[("input", input)]).unwrap_err();
    let LoadTraceError::Call(error) = refused else { panic!("{refused}") };
    let failure = Failure::TraceBuffersUnplaced { buffer: BufferId(2), unplaced: 1 };
    assert_eq!(error.failure(), Some(&failure));
    assert!(error.to_string().contains("several buffers have that name"), "{error}");
    let unknown = [("input", input), ("scratch", other), ("inputs", input)];
    let refused = device.load_trace("loaded", &collected, &unknown).unwrap_err().to_string();
    assert!(refused.contains("does not use a buffer `inputs`"), "{refused}");
    let given = [("scratch", other), ("input", input)];
    let loaded = device.load_trace("loaded", &collected, &given).unwrap();
    device.enqueue_write_buffer(QUEUE, input, &[0; SIZE as usize][..], false).unwrap();
    device.replay_trace(QUEUE, loaded, true).unwrap();
    let capture = device.end_capture().unwrap();
    let [bytes] = capture.record.as_ref().unwrap().collected[..] else { panic!() };
    assert_eq!(&*capture.blobs[&bytes.hash], &elsewhere[..]);
    let again = Capture::open(&capture.to_bytes().unwrap().into()).unwrap();
    assert_eq!(again, capture);
}

/// A replay loads the bytes in a capture and runs their content. For another chip or firmware, the commands
/// make the trace.
#[test]
fn a_replay_loads_the_captures_bytes_where_they_fit() {
    let mut device = open(8192);
    device.begin_capture(&CaptureOptions::default()).unwrap();
    let (trace, collected) = collect_on(&mut device, 0);
    device.release_trace(trace).unwrap();
    let loaded = device.load_trace("loaded", &collected, &[]).unwrap();
    device.replay_trace(QUEUE, loaded, false).unwrap();
    let output = Buffer::from(BufferId(1));
    let expectation = Expectation::AsCaptured;
    device.enqueue_read_buffer(QUEUE, output, "out", expectation, true).unwrap();
    let capture = device.end_capture().unwrap();
    let hash = device.firmware().hash().to_string();
    let replayed = |bytes: Vec<u8>| {
        let mut changed = capture.clone();
        let hash = ContentHash::of(&bytes);
        changed.record.as_mut().unwrap().collected[0].hash = hash;
        changed.blobs.insert(hash, bytes.into());
        let mut options = ReplayOptions::new(options_in("suites").firmware);
        options.dispatch = DispatchMode::Device;
        replay(&changed, simulator(), &options)
    };
    let same = replayed(collected.bytes().to_vec()).unwrap();
    assert!(same.agrees() && same.derived.is_empty(), "{:?} {:?}", same.mismatches, same.derived);
    // These bytes of another firmware would add 1001. The replay ignores them, and the commands make the trace.
    let other = another_number(collected.bytes());
    let elsewhere = forged(&other, &hash, &"0".repeat(64));
    let rebuilt = replayed(elsewhere).unwrap();
    assert!(rebuilt.agrees(), "{:?}", rebuilt.mismatches);
    let command = capture.record.as_ref().unwrap().collected[0].command;
    assert_eq!(rebuilt.derived, [DerivedDifference::CollectedTrace { command }]);
    // With the same firmware the replay loads the bytes, and their result shows.
    let loaded = replayed(other).unwrap();
    assert!(!loaded.agrees());
    let mut damaged = collected.bytes().to_vec();
    damaged[100] ^= 1;
    let refused = replayed(damaged).unwrap_err();
    assert!(matches!(refused, ReplayError::CollectedTrace { .. }), "{refused}");
    // Without the bytes the commands make the trace.
    let mut without = capture.clone();
    without.record.as_mut().unwrap().collected.clear();
    let options = ReplayOptions::new(options_in("suites").firmware);
    assert!(replay(&without, simulator(), &options).unwrap().agrees());
}

/// The trace of [`collect`] with another number to add: the only word that is 1000.
fn another_number(bytes: &[u8]) -> Vec<u8> {
    let mut changed = bytes[..bytes.len() - 32].to_vec();
    let length = u64::from_le_bytes(bytes[8..16].try_into().unwrap()) as usize;
    let words = changed[16 + length..].as_chunks_mut::<4>().0;
    let word = words.iter_mut().find(|word| **word == 1000_u32.to_le_bytes()).unwrap();
    *word = 1001_u32.to_le_bytes();
    let hash = ContentHash::of(&changed);
    changed.extend(hash.0);
    changed
}

/// Two buffers of one name and shape get two symbols.
#[test]
fn buffers_of_one_name_are_kept_apart() {
    let mut device = open(4096);
    let mut made = |name, buffer_type, size| {
        device.create_buffer(&buffer(name, buffer_type, size, PAGE)).unwrap()
    };
    let first = made("same", BufferType::Dram, SIZE);
    let second = made("same", BufferType::Dram, SIZE);
    let scratch = made("scratch", BufferType::L1, PAGE);
    let program = device.create_program("add").unwrap();
    let accessors: Vec<u32> = [first, second]
        .iter()
        .flat_map(|it| TensorAccessorArgs::new(&device, *it).unwrap().compile_args().to_vec())
        .collect();
    let cores = at(0, 0);
    let description = kernel("kernels/add_constant.cpp", &cores, RISCV_0, accessors);
    let kernel = device.create_kernel(program, description).unwrap();
    let address = |buffer| Argument::BufferAddress { buffer, offset: 0 };
    let numbers = [PAGE as u32, (SIZE / PAGE) as u32, 1007].map(Argument::Value);
    let arguments = [&[first, second, scratch].map(address)[..], &numbers].concat();
    device.set_runtime_args(kernel, &cores, &arguments).unwrap();
    device.enqueue_write_buffer(QUEUE, first, &[0; SIZE as usize][..], false).unwrap();
    device.enqueue_program(QUEUE, program, true).unwrap();
    let trace = device.begin_trace_capture(QUEUE, "t").unwrap();
    device.enqueue_program(QUEUE, program, false).unwrap();
    device.end_trace_capture(QUEUE, trace).unwrap();
    let bytes = device.collect_trace(trace, "bytes").unwrap().bytes().to_vec();
    let mut device = open(4096);
    let made = buffers(&mut device, 1);
    let given = [("same", made.input), ("same (2)", made.output)];
    let loaded = load_for(&mut device, &bytes, &given).unwrap();
    check(&mut device, loaded, &made, "one");
}

/// Changed bytes with a valid hash are refused or loaded; nothing else happens.
#[test]
fn forged_bytes_end_in_an_error_or_a_trace() {
    let (_, _, bytes) = collect(0);
    let mut device = open(1 << 20);
    buffers(&mut device, 0);
    let content = bytes.len() - 32;
    let length = u64::from_le_bytes(bytes[8..16].try_into().unwrap()) as usize;
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    let digits: Vec<usize> = (16..16 + length).filter(|at| bytes[*at].is_ascii_digit()).collect();
    let (mut loaded, mut refused) = (0, 0);
    for _ in 0..3000 {
        let mut forged = bytes[..content].to_vec();
        for _ in 0..=next(2) {
            // Changes a digit of the header into a digit, or any byte.
            if next(4) > 0 {
                forged[digits[next(digits.len())]] = b'0' + next(10) as u8;
            } else {
                forged[next(16 + length + 64)] = next(256) as u8;
            }
        }
        let hash = ContentHash::of(&forged);
        forged.extend(hash.0);
        match load(&mut device, &forged) {
            Ok(trace) => {
                device.release_trace(trace).unwrap();
                loaded += 1;
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
    }
    assert!(loaded > 100 && refused > 1000, "{loaded} loaded, {refused} refused");
}
