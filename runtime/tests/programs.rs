//! Whole programs with the suites' kernels: data, circular buffers, semaphores, and programs that fail.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
#![cfg(feature = "recorder")]

mod common;

use common::{RISCV_0, RISCV_1, at, buffer, core, kernel, options_in, simulator};
use hallmark_chip::{FaultPlace, PhysicalCoordinate, Processor};
use hallmark_runtime::{
    Argument, Buffer, CaptureOptions, CircularBufferConfig, CommandQueue, Device, ReplayOptions,
    SemaphoreConfig, TensorAccessorArgs, WriteData, replay,
};
use hallmark_schema::journal::recover;
use hallmark_schema::model::{
    BufferType, Capture, CircularBufferIndex, CommandIndex, CoreRange, Data, DataFormat, DataType,
    Expectation, Failure, Generator, KernelConfig, MathFidelity,
};

const QUEUE: CommandQueue = CommandQueue::FIRST;
const COMPUTE: KernelConfig = KernelConfig::compute(MathFidelity::HiFi4);

fn open() -> Device {
    Device::open(simulator(), options_in("suites")).unwrap()
}

fn address(buffer: Buffer) -> Argument {
    Argument::BufferAddress { buffer, offset: 0 }
}

fn accessor(device: &Device, buffer: Buffer) -> Vec<u32> {
    TensorAccessorArgs::new(device, buffer).unwrap().compile_args().to_vec()
}

fn circular_buffer(
    device: &mut Device,
    program: hallmark_runtime::Program,
    index: u32,
    pages: u64,
) {
    let indices = [CircularBufferIndex {
        index,
        page_size: 2048,
        data_format: DataFormat::UInt32,
        tile: None,
    }];
    let cores = at(0, 0);
    let config = CircularBufferConfig {
        name: "",
        cores: &cores,
        total_size: pages * 2048,
        indices: &indices,
        globally_allocated_address: None,
    };
    device.create_circular_buffer(program, &config).unwrap();
}

/// Replays on a fresh device and expects full agreement, including derived fields.
fn agrees(capture: &Capture) {
    let bytes = capture.to_bytes().unwrap();
    let capture = Capture::from_bytes(&bytes).unwrap();
    let options = ReplayOptions::new(options_in("suites").firmware);
    let report = replay(&capture, simulator(), &options).unwrap();
    assert_eq!((report.mismatches, report.derived), (vec![], vec![]));
    assert_eq!(report.capture, capture);
}

/// Reader, compute and writer on one core, with pages in DRAM.
#[test]
fn a_pipeline_through_circular_buffers() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("journal");
    let mut device = open();
    device.begin_capture(&CaptureOptions { journal: Some(journal.clone()) }).unwrap();
    pipeline(&mut device);
    let recovered = recover(&std::fs::read(journal).unwrap()).unwrap();
    let capture = device.end_capture().unwrap();
    assert_eq!(recovered.capture, capture);
    assert_eq!(recovered.executing, Some(CommandIndex(18)));
    // Only sources and ELFs are embedded: a generator or an expectation gives the data.
    assert_eq!(capture.missing_blobs(), []);
    let elfs = capture.record.as_ref().unwrap().elfs.len();
    assert_eq!(capture.blobs.len(), capture.program.sources.len() + elfs);
    agrees(&capture);
}

fn pipeline(device: &mut Device) {
    let (pages, size) = (7, 7 * 2048);
    let source = device.create_buffer(&buffer("in", BufferType::Dram, size, 2048)).unwrap();
    let target = device.create_buffer(&buffer("out", BufferType::L1, size, 2048)).unwrap();
    let program = device.create_program("pipe").unwrap();
    circular_buffer(device, program, 0, 2);
    circular_buffer(device, program, 16, 2);
    let cores = at(0, 0);
    let mut args = vec![0, 1];
    args.extend(accessor(device, source));
    let reader =
        device.create_kernel(program, kernel("kernels/reader.cpp", &cores, RISCV_0, args)).unwrap();
    let mut args = vec![16, 1];
    args.extend(accessor(device, target));
    let writer =
        device.create_kernel(program, kernel("kernels/writer.cpp", &cores, RISCV_1, args)).unwrap();
    let compute = kernel("kernels/compute_add_one.cpp", &cores, COMPUTE, vec![0, 16]);
    let compute = device.create_kernel(program, compute).unwrap();
    device.set_runtime_args(reader, &cores, &[address(source), 0.into(), pages.into()]).unwrap();
    device.set_runtime_args(writer, &cores, &[address(target), 0.into(), pages.into()]).unwrap();
    device.set_runtime_args(compute, &cores, &[pages.into(), 3.into()]).unwrap();
    let sequence = |start| Generator::Sequence { data_type: DataType::Uint32, start, step: 1 };
    let data = WriteData::Generated { generator: sequence(10), length: size };
    device.enqueue_write_buffer(QUEUE, source, data, false).unwrap();
    let mut expected = 13;
    for round in 0..3 {
        device.enqueue_program(QUEUE, program, false).unwrap();
        let hash = Data::generated(sequence(expected), size).hash;
        let exact = Expectation::Exact { hash };
        let output = format!("out{round}");
        let read = device.enqueue_read_buffer(QUEUE, target, &output, exact, true).unwrap();
        let expected_bytes = sequence(expected).bytes(size);
        assert_eq!(*device.take_read(read).unwrap().bytes, *expected_bytes, "round {round}");
        // Arguments may change between enqueues; kernels keep their place.
        expected = 10 + 4 + round;
        device
            .set_runtime_args(compute, &cores, &[pages.into(), (expected as u32 - 10).into()])
            .unwrap();
    }
}

#[test]
fn two_tiles_take_turns_by_semaphores() {
    let mut device = open();
    device.begin_capture(&CaptureOptions::default()).unwrap();
    let out = device.create_buffer(&buffer("out", BufferType::Dram, 32, 32)).unwrap();
    let scratch = device.create_buffer(&buffer("scratch", BufferType::L1, 64 * 72, 64)).unwrap();
    let program = device.create_program("pingpong").unwrap();
    let cores = [CoreRange { start: core(0, 0), end: core(1, 0) }];
    let config = SemaphoreConfig { name: "turn", cores: &cores, initial_value: 0 };
    let semaphore = device.create_semaphore(program, &config).unwrap();
    let number = device.semaphore_number(semaphore).unwrap();
    let accessor = accessor(&device, out);
    let made = kernel("kernels/semaphore_ping_pong.cpp", &cores, RISCV_0, accessor);
    let made = device.create_kernel(program, made).unwrap();
    let arguments = |other, begins: u32| {
        vec![
            number.into(),
            Argument::CoreNocX(other),
            Argument::CoreNocY(other),
            10.into(),
            (begins + 1).into(),
            begins.into(),
            address(scratch),
            address(out),
        ]
    };
    // The program writes one word of the buffer.
    device.enqueue_write_buffer(QUEUE, out, &[0; 32][..], false).unwrap();
    let vectors = [arguments(core(1, 0), 1), arguments(core(0, 0), 0)];
    device.set_runtime_args_per_core(made, &[core(0, 0), core(1, 0)], &vectors).unwrap();
    for round in 0..2 {
        device.enqueue_program(QUEUE, program, false).unwrap();
        let output = format!("out{round}");
        device.enqueue_read_buffer(QUEUE, out, &output, Expectation::AsCaptured, false).unwrap();
    }
    device.finish(QUEUE).unwrap();
    let reads = device.take_reads();
    assert_eq!(reads.len(), 2);
    assert_eq!(reads[0].bytes, reads[1].bytes);
    agrees(&device.end_capture().unwrap());
}

#[test]
fn a_deadlock_names_the_enqueue_and_who_waits_where() {
    let mut device = open();
    device.begin_capture(&CaptureOptions::default()).unwrap();
    let program = device.create_program("pipe").unwrap();
    circular_buffer(&mut device, program, 0, 4);
    let cores = at(0, 0);
    for (source, config, pages) in [("producer", RISCV_0, 3u32), ("consumer", RISCV_1, 4)] {
        let source = format!("kernels/deadlock_{source}.cpp");
        let made = device.create_kernel(program, kernel(&source, &cores, config, vec![0])).unwrap();
        device.set_runtime_args(made, &cores, &[pages.into()]).unwrap();
    }
    let enqueue = device.next_command();
    device.enqueue_program(QUEUE, program, false).unwrap();
    let error = device.finish(QUEUE).unwrap_err();
    assert_eq!(error.failure(), Some(&Failure::Deadlock { enqueue }), "{error}");
    let message = error.to_string();
    assert!(message.contains("NCRISC") && message.contains("kernel_main"), "{message}");
    let error = device.enqueue_program(QUEUE, program, false).unwrap_err();
    assert_eq!(error.failure(), Some(&Failure::DeviceLost {}));
    let capture = device.end_capture().unwrap();
    assert_eq!(capture.record.as_ref().unwrap().waits.len(), 1);
    agrees(&capture);
}

#[test]
fn a_fault_has_its_category_and_place() {
    let mut device = open();
    device.begin_capture(&CaptureOptions::default()).unwrap();
    let scratch = device.create_buffer(&buffer("scratch", BufferType::L1, 64, 64)).unwrap();
    let program = device.create_program("p").unwrap();
    let cores = at(3, 1);
    let made = kernel("kernels/fault_misaligned_load.cpp", &cores, RISCV_0, vec![]);
    let made = device.create_kernel(program, made).unwrap();
    device.set_runtime_args(made, &cores, &[address(scratch)]).unwrap();
    let error = device.enqueue_program(QUEUE, program, true).unwrap_err();
    let failure = error.failure();
    let enqueue = CommandIndex(4);
    assert!(
        matches!(failure, Some(Failure::DeviceFault { enqueue: blamed, .. }) if *blamed == enqueue),
        "{error}"
    );
    let capture = device.end_capture().unwrap();
    let fault = capture.record.as_ref().unwrap().faults[0].fault();
    let place = fault.place.as_ref().unwrap();
    let tile = PhysicalCoordinate { x: 4, y: 2 };
    assert_eq!((place.tile, place.processor), (tile, Some(Processor::Brisc)));
    assert!(
        place.symbol.as_deref().is_some_and(|symbol| symbol.contains("kernel_main")),
        "{fault:?}"
    );
    agrees(&capture);
}

/// Runs a program without effect, then reads a buffer.
fn read_after_a_launch(device: &mut Device, made: Buffer) -> Option<(Failure, String)> {
    let program = device.create_program("p").unwrap();
    let cores = at(0, 0);
    device.create_kernel(program, kernel("kernels/blank.cpp", &cores, RISCV_0, vec![0])).unwrap();
    device.enqueue_program(QUEUE, program, false).unwrap();
    let output = format!("out{}", device.next_command().0);
    device.enqueue_read_buffer(QUEUE, made, &output, Expectation::AsCaptured, false).unwrap();
    let error = device.finish(QUEUE).err()?;
    Some((error.failure().unwrap().clone(), error.to_string()))
}

#[test]
fn reading_what_no_program_wrote_is_a_fault() {
    let mut device = open();
    device.begin_capture(&CaptureOptions::default()).unwrap();
    // Pages of 40 bytes have gaps between them. The gaps are unwritten, and the read skips them.
    let padded = device.create_buffer(&buffer("padded", BufferType::Dram, 400, 40)).unwrap();
    device.enqueue_write_buffer(QUEUE, padded, &[7; 400][..], false).unwrap();
    assert_eq!(read_after_a_launch(&mut device, padded), None);
    // A new buffer has no content, even at the address of an older one.
    device.deallocate_buffer(padded).unwrap();
    let made = device.create_buffer(&buffer("made", BufferType::Dram, 400, 40)).unwrap();
    let (failure, text) = read_after_a_launch(&mut device, made).unwrap();
    let category = hallmark_chip::FaultCategory::UnpredictableValueUsed;
    assert!(
        matches!(failure, Failure::DeviceFault { category: found, .. } if found == category),
        "{text}"
    );
    assert!(text.contains("which the host reads, comes from"), "{text}");
    let capture = device.end_capture().unwrap();
    let fault = capture.record.as_ref().unwrap().faults[0].fault();
    let place = FaultPlace::of_tile(PhysicalCoordinate { x: 0, y: 0 });
    assert_eq!(fault.place.as_deref(), Some(&place));
    agrees(&capture);
}

#[test]
fn an_endless_loop_is_a_hang() {
    let mut options = options_in("suites");
    options.tick_budget = 100_000;
    let mut device = Device::open(simulator(), options).unwrap();
    let program = device.create_program("p").unwrap();
    let cores = at(0, 0);
    device
        .create_kernel(program, kernel("kernels/endless_loop.cpp", &cores, RISCV_0, vec![]))
        .unwrap();
    let enqueue = device.next_command();
    let error = device.enqueue_program(QUEUE, program, true).unwrap_err();
    assert_eq!(error.failure(), Some(&Failure::Hang { enqueue }), "{error}");
}

/// Every core writes its coordinates and rank to its page.
fn whole_grid(device: &mut Device) -> Vec<u8> {
    let grid = device.grid();
    let (columns, rows) = (grid.columns, grid.rows);
    let size = u64::from(columns * rows) * 32;
    let out = device.create_buffer(&buffer("grid", BufferType::Dram, size, 32)).unwrap();
    let scratch = device.create_buffer(&buffer("scratch", BufferType::L1, size, 32)).unwrap();
    let program = device.create_program("grid").unwrap();
    let all = [CoreRange { start: core(0, 0), end: core(columns - 1, rows - 1) }];
    let accessor = accessor(device, out);
    let made = kernel("kernels/whole_grid.cpp", &all, RISCV_0, accessor);
    let made = device.create_kernel(program, made).unwrap();
    let cores: Vec<_> = all[0].cores().collect();
    let vectors: Vec<_> =
        (0..columns * rows).map(|rank| vec![address(out), address(scratch), rank.into()]).collect();
    device.set_runtime_args_per_core(made, &cores, &vectors).unwrap();
    device.enqueue_program(QUEUE, program, true).unwrap();
    let read =
        device.enqueue_read_buffer(QUEUE, out, "grid", Expectation::AsCaptured, true).unwrap();
    let bytes = device.take_read(read).unwrap().bytes.to_vec();
    for (rank, page) in bytes.chunks(32).enumerate() {
        let word = |at: usize| u32::from_le_bytes(page[at * 4..at * 4 + 4].try_into().unwrap());
        let place = core(rank as u32 % columns, rank as u32 / columns);
        assert_eq!((word(0), word(1), word(4)), (place.x, place.y, rank as u32));
        assert_eq!((word(2), word(3)), (18 + place.x, 18 + place.y));
    }
    bytes
}

#[test]
fn the_whole_grid_at_once() {
    let mut device = open();
    whole_grid(&mut device);
}

/// Firmware that cannot start loses the device; it does not contradict the runtime.
#[test]
fn firmware_that_does_not_come_up_loses_the_device() {
    let mut options = options_in("suites");
    options.boot_budget = 10;
    let mut device = Device::open(simulator(), options).unwrap();
    let program = device.create_program("p").unwrap();
    let cores = at(0, 0);
    device.create_kernel(program, kernel("kernels/blank.cpp", &cores, RISCV_0, vec![])).unwrap();
    let error = device.enqueue_program(QUEUE, program, true).unwrap_err();
    assert_eq!(error.failure(), Some(&Failure::DeviceLost {}));
    assert!(error.to_string().contains("did not start within 10 ticks"), "{error}");
}

mod with_ttsim {
    use super::*;

    /// A capture of our simulator replays on Tenstorrent's with the same program bytes and the same reads.
    #[test]
    #[ignore = "needs HALLMARK_TTSIM=path of a libttsim.so; run with: cargo nextest run --run-ignored only -E 'test(with_ttsim)'"]
    fn the_vendors_simulator_agrees() {
        let mut device = open();
        device.begin_capture(&CaptureOptions::default()).unwrap();
        pipeline(&mut device);
        whole_grid(&mut device);
        let capture = device.end_capture().unwrap();
        let options = ReplayOptions::new(options_in("suites").firmware);
        let report = replay(&capture, common::ttsim(), &options).unwrap();
        assert_eq!((report.mismatches, report.derived), (vec![], vec![]));
        assert_eq!(report.capture.program, capture.program);
    }
}
