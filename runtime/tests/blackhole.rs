//! Host programs on Blackhole, if a library with the simulator ABI that simulates the chip is at hand.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
#![cfg(feature = "recorder")]

mod common;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use common::{RISCV_0, RISCV_1, at, buffer, core, kernel, pattern};
use hallmark_chip::{Architecture, HarvestingMask, PciDevice};
use hallmark_runtime::device_code::{FirmwareBundle, KernelStore};
use hallmark_runtime::devices::ttsim::TtsimDevice;
use hallmark_runtime::{
    Argument, Buffer, CaptureOptions, CircularBufferConfig, CommandQueue, Device, DeviceOptions,
    GridAsked, OpenError, ReplayOptions, SuiteKernels, TensorAccessorArgs, replay,
};
use hallmark_schema::model::{
    BufferType, Capture, CircularBufferIndex, CoreRange, DataFormat, Expectation, Failure, Grid,
};

const QUEUE: CommandQueue = CommandQueue::FIRST;

fn device() -> Box<dyn PciDevice> {
    let path = std::env::var_os("HALLMARK_TTSIM_BLACKHOLE").unwrap();
    Box::new(TtsimDevice::open(Path::new(&path), HarvestingMask::NONE).unwrap())
}

fn options() -> DeviceOptions {
    let firmware = FirmwareBundle::builtin(Architecture::Blackhole).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../suites");
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels");
    let store = KernelStore::builder().cache(cache).build();
    DeviceOptions::new(Arc::new(firmware), Box::new(SuiteKernels::new(root, Arc::new(store))))
}

fn address(buffer: Buffer) -> Argument {
    Argument::BufferAddress { buffer, offset: 0 }
}

fn accessor(device: &Device, buffer: Buffer) -> Vec<u32> {
    TensorAccessorArgs::new(device, buffer).unwrap().compile_args().to_vec()
}

fn read(device: &mut Device, buffer: Buffer, name: &str) -> Vec<u8> {
    let read = device.enqueue_read_buffer(QUEUE, buffer, name, Expectation::AsCaptured, true);
    device.take_read(read.unwrap()).unwrap().bytes.to_vec()
}

fn buffers(device: &mut Device) {
    // A page takes a multiple of 64 bytes in DRAM. The 300 pages go round 8 banks and 130 cores.
    let sizes = [(64, 64), (4, 4), (7 * 2048, 2048), (100, 20), (300 * 96, 96), (1 << 20, 4096)];
    for (place, (size, page_size)) in sizes.into_iter().enumerate() {
        for buffer_type in [BufferType::Dram, BufferType::L1] {
            let made = device.create_buffer(&buffer("b", buffer_type, size, page_size)).unwrap();
            let data = pattern(usize::try_from(size).unwrap());
            device.enqueue_write_buffer(QUEUE, made, &data[..], false).unwrap();
            assert_eq!(read(device, made, &format!("b{place}{buffer_type}")), data);
            device.deallocate_buffer(made).unwrap();
        }
    }
    let large = buffer("large", BufferType::Dram, 9 * 4_278_190_080, 4_278_190_080);
    let error = device.create_buffer(&large).unwrap_err();
    assert!(matches!(error.failure(), Some(Failure::OutOfMemory { banks: 8, .. })), "{error}");
}

/// Every core writes its coordinates and rank to its page.
fn whole_grid(device: &mut Device) {
    let Grid { columns, rows } = device.grid();
    assert_eq!((columns, rows), (13, 10));
    let size = u64::from(columns * rows) * 32;
    let out = device.create_buffer(&buffer("grid", BufferType::Dram, size, 32)).unwrap();
    assert_eq!(accessor(device, out), [2, 64]);
    let scratch = device.create_buffer(&buffer("scratch", BufferType::L1, size, 32)).unwrap();
    let program = device.create_program("grid").unwrap();
    let all = [CoreRange { start: core(0, 0), end: core(columns - 1, rows - 1) }];
    let args = accessor(device, out);
    let made = kernel("kernels/whole_grid.cpp", &all, RISCV_0, args);
    let made = device.create_kernel(program, made).unwrap();
    let cores: Vec<_> = all[0].cores().collect();
    let vectors: Vec<_> =
        (0..columns * rows).map(|rank| vec![address(out), address(scratch), rank.into()]).collect();
    device.set_runtime_args_per_core(made, &cores, &vectors).unwrap();
    device.enqueue_program(QUEUE, program, true).unwrap();
    for (rank, page) in read(device, out, "grid").chunks(32).enumerate() {
        let word = |at: usize| u32::from_le_bytes(page[at * 4..at * 4 + 4].try_into().unwrap());
        let place = core(rank as u32 % columns, rank as u32 / columns);
        assert_eq!((word(0), word(1), word(4)), (place.x, place.y, rank as u32));
        let column = if place.x < 7 { 1 + place.x } else { 3 + place.x };
        assert_eq!((word(2), word(3)), (column, 2 + place.y));
    }
}

/// Through the last of 64 circular buffers.
fn last_circular_buffer(device: &mut Device) {
    let (pages, size) = (19, 19 * 512);
    let source = device.create_buffer(&buffer("in", BufferType::Dram, size, 512)).unwrap();
    let target = device.create_buffer(&buffer("out", BufferType::L1, size, 512)).unwrap();
    let data = pattern(usize::try_from(size).unwrap());
    device.enqueue_write_buffer(QUEUE, source, &data[..], false).unwrap();
    let program = device.create_program("pipe").unwrap();
    let cores = at(12, 9);
    let config = |indices| CircularBufferConfig {
        name: "",
        cores: &cores,
        total_size: 3 * 512,
        indices,
        globally_allocated_address: None,
    };
    let index = |index| {
        [CircularBufferIndex { index, page_size: 512, data_format: DataFormat::UInt32, tile: None }]
    };
    let (over, last) = (index(64), index(63));
    let error = device.create_circular_buffer(program, &config(&over)).unwrap_err();
    let limit = Failure::CircularBufferIndexTooLarge { index: 64, limit: 64 };
    assert_eq!(error.failure(), Some(&limit));
    device.create_circular_buffer(program, &config(&last)).unwrap();
    for (source, config, buffer) in [("reader", RISCV_0, source), ("writer", RISCV_1, target)] {
        let path = format!("kernels/{source}.cpp");
        let args = [&[63, 1], accessor(device, buffer).as_slice()].concat();
        let made = device.create_kernel(program, kernel(&path, &cores, config, args)).unwrap();
        device.set_runtime_args(made, &cores, &[address(buffer), 0.into(), pages.into()]).unwrap();
    }
    for round in 0..2 {
        device.enqueue_program(QUEUE, program, false).unwrap();
        assert_eq!(read(device, target, &format!("out{round}")), data);
    }
}

/// Inline writes go through staging lines, and a later one waits for an earlier one.
fn inline_writes(device: &mut Device) {
    let out = device.create_buffer(&buffer("inline", BufferType::Dram, 64, 64)).unwrap();
    let scratch = device.create_buffer(&buffer("words", BufferType::L1, 64 * 130, 64)).unwrap();
    for (round, config) in [RISCV_0, RISCV_1].into_iter().enumerate() {
        let program = device.create_program("inline").unwrap();
        let cores = at(0, 0);
        let args = accessor(device, out);
        let made = kernel("kernels/inline_write.cpp", &cores, config, args);
        let made = device.create_kernel(program, made).unwrap();
        let (x, y) = (Argument::CoreNocX(core(9, 9)), Argument::CoreNocY(core(9, 9)));
        let args = [address(out), x, y, address(scratch), 16.into(), 5.into()];
        device.set_runtime_args(made, &cores, &args).unwrap();
        device.enqueue_program(QUEUE, program, false).unwrap();
        let words: Vec<u8> = (0..16u32).flat_map(|word| (5 + 3 * word).to_le_bytes()).collect();
        assert_eq!(read(device, out, &format!("inline{round}")), words);
    }
}

/// Names a capture to replay, for the second process: the ABI allows one device in each.
const REPLAY: &str = "HALLMARK_TEST_REPLAY";

#[test]
#[ignore = "needs HALLMARK_TTSIM_BLACKHOLE=path of a Blackhole libttsim.so; run with: cargo nextest run --run-ignored only -E 'test(on_blackhole) + binary(blackhole)'"]
fn host_programs_run_and_replay_elsewhere() {
    if let Some(file) = std::env::var_os(REPLAY) {
        let capture = Capture::from_bytes(&std::fs::read(file).unwrap()).unwrap();
        let report = replay(&capture, device(), &ReplayOptions::new(options().firmware)).unwrap();
        assert_eq!((report.mismatches, report.derived), (vec![], vec![]));
        assert_eq!(report.capture.program, capture.program);
        return;
    }
    let mut device = Device::open(device(), options()).unwrap();
    device.begin_capture(&CaptureOptions::default()).unwrap();
    buffers(&mut device);
    whole_grid(&mut device);
    last_circular_buffer(&mut device);
    inline_writes(&mut device);
    let capture = device.end_capture().unwrap();
    device.close().unwrap();
    assert_eq!(capture.program.architecture, Architecture::Blackhole);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("capture.lmb");
    std::fs::write(&file, capture.to_bytes().unwrap()).unwrap();
    let second = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "host_programs_run_and_replay_elsewhere"])
        .env(REPLAY, &file)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&second.stdout);
    assert!(second.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
#[ignore = "needs HALLMARK_TTSIM_BLACKHOLE=path of a Blackhole libttsim.so; run with: cargo nextest run --run-ignored only -E 'test(on_blackhole) + binary(blackhole)'"]
fn the_last_column_is_refused() {
    let mut options = options();
    options.grid = GridAsked::Cores(Grid { columns: 14, rows: 10 });
    let error = Device::open(device(), options).unwrap_err();
    let available = Grid { columns: 13, rows: 10 };
    assert!(
        matches!(error, OpenError::GridTooLarge { available: there, .. } if there == available)
    );
}

#[test]
#[ignore = "needs HALLMARK_TTSIM_BLACKHOLE=path of a Blackhole libttsim.so; run with: cargo nextest run --run-ignored only -E 'test(on_blackhole) + binary(blackhole)'"]
fn firmware_for_another_chip_is_refused() {
    let mut options = options();
    options.firmware = Arc::new(FirmwareBundle::builtin(Architecture::WormholeB0).unwrap());
    let error = Device::open(device(), options).unwrap_err().to_string();
    assert!(error.contains("is for wormhole_b0") && error.contains("is a blackhole"), "{error}");
}
