//! Host programs on the simulated chip.
#![cfg(feature = "recorder")]

mod common;

use common::{
    RISCV_0, RISCV_1, at, buffer, core, give_first_bytes, kernel, open, options, pattern, simulator,
};
use hallmark_chip::TileAddress;
use hallmark_runtime::{CaptureOptions, CommandQueue, ReplayOptions, WriteData, replay};
use hallmark_schema::model::{BufferType, Capture, DataType, Expectation, Generator};

#[test]
fn buffers_come_back_unchanged() {
    let mut device = open();
    let sizes = [(32, 32), (4, 4), (2048 * 7, 2048), (100, 20), (36 * 96, 96), (1 << 20, 4096)];
    for (place, (size, page_size)) in sizes.into_iter().enumerate() {
        for buffer_type in [BufferType::Dram, BufferType::L1] {
            let made = device.create_buffer(&buffer("b", buffer_type, size, page_size)).unwrap();
            let data = pattern(usize::try_from(size).unwrap());
            device.enqueue_write_buffer(CommandQueue::FIRST, made, &data[..], false).unwrap();
            let read = device
                .enqueue_read_buffer(
                    CommandQueue::FIRST,
                    made,
                    &format!("out{place}{buffer_type}"),
                    Expectation::AsCaptured,
                    true,
                )
                .unwrap();
            assert_eq!(&*device.take_read(read).unwrap().bytes, &data[..]);
            device.deallocate_buffer(made).unwrap();
        }
    }
}

#[test]
fn a_kernel_runs_on_either_processor() {
    for config in [RISCV_0, RISCV_1] {
        let mut device = open();
        let program = device.create_program("p").unwrap();
        let cores = at(1, 2);
        let target = give_first_bytes(&mut device, program, &cores);
        device
            .create_kernel(
                program,
                kernel("kernels/store_words.cpp", &cores, config, vec![target, 0x1234_5678]),
            )
            .unwrap();
        for _ in 0..3 {
            device.enqueue_program(CommandQueue::FIRST, program, true).unwrap();
            let mut word = [0; 4];
            device.inspect_l1(core(1, 2), TileAddress(target.into()), &mut word).unwrap();
            assert_eq!(u32::from_le_bytes(word), 0x1234_5678);
        }
        device.close().unwrap();
    }
}

#[test]
fn a_capture_replays_on_a_fresh_device() {
    let mut device = open();
    device.begin_capture(&CaptureOptions::default()).unwrap();
    let queue = CommandQueue::FIRST;
    let made = device.create_buffer(&buffer("b", BufferType::Dram, 4096, 512)).unwrap();
    let generator = Generator::Uniform { data_type: DataType::Uint32, seed: 7 };
    device
        .enqueue_write_buffer(queue, made, WriteData::Generated { generator, length: 4096 }, false)
        .unwrap();
    device.create_buffer(&buffer("odd", BufferType::L1, 100, 64)).unwrap_err();
    let program = device.create_program("p").unwrap();
    let cores = at(1, 2);
    let target = give_first_bytes(&mut device, program, &cores);
    let description = kernel("kernels/store_words.cpp", &cores, RISCV_0, vec![target, 5]);
    device.create_kernel(program, description).unwrap();
    device.enqueue_program(queue, program, false).unwrap();
    device.enqueue_read_buffer(queue, made, "out", Expectation::AsCaptured, false).unwrap();
    device.finish(queue).unwrap();
    let capture = device.end_capture().unwrap();
    device.close().unwrap();

    let bytes = capture.to_bytes().unwrap();
    let capture = Capture::from_bytes(&bytes).unwrap();
    let options = ReplayOptions::new(options().firmware);
    let report = replay(&capture, simulator(), &options).unwrap();
    assert_eq!(report.mismatches, []);
    assert_eq!(report.derived, []);
    assert_eq!(report.capture.program, capture.program);
    assert_eq!(report.capture.outputs, capture.outputs);
    assert_eq!(capture.outputs.len(), 1);
}
