//! Dispatch on the device: rings that wrap, counts that wrap, completion space that is smaller than a
//! read, and what it costs.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod common;

use std::sync::Arc;

use common::{TestKernels, buffer, pattern};
use hallmark_chip::Architecture;
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_runtime::{
    CommandQueue, Device, DeviceOptions, DeviceSettings, DeviceSpec, DispatchSettings, open_device,
};
use hallmark_schema::model::{BufferType, DispatchMode, Expectation};

const QUEUE: CommandQueue = CommandQueue::FIRST;

fn open(architecture: Architecture, settings: DispatchSettings, seed: u64) -> Device {
    let firmware = FirmwareBundle::builtin(architecture).unwrap();
    let kernels = TestKernels::of("suites", architecture);
    let mut options = DeviceOptions::new(Arc::new(firmware), Box::new(kernels));
    options.dispatch = DispatchMode::Device;
    options.dispatch_settings = settings;
    let spec = DeviceSpec::Simulator(architecture);
    let device = open_device(&spec, DeviceSettings { schedule_seed: seed }).unwrap();
    Device::open(device, options).unwrap()
}

/// Without printing all of them.
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
