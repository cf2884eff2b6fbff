//! Captures of any length, by which `scripts/growth` measures what each command of the executable costs.

use std::path::Path;

use hallmark_runtime::{Argument, Buffer, CaptureOptions, CommandQueue, Device, Kernel, Program};
use hallmark_schema::model::{BufferType, Expectation};

use crate::Outcome;
use crate::common::{RISCV_0, at, buffer, kernel, options_in, pattern, simulator};

const QUEUE: CommandQueue = CommandQueue::FIRST;
/// Calls of a turn.
const CALLS: usize = 8;
/// Turns for which a program serves.
const TURNS: usize = 32;
const PAGE: u64 = 64;

/// A program of one kernel that does nothing.
fn program(device: &mut Device) -> Outcome<(Program, Kernel)> {
    let program = device.create_program("p")?;
    let cores = at(1, 1);
    let description = kernel("kernels/blank.cpp", &cores, RISCV_0, vec![]);
    let kernel = device.create_kernel(program, description)?;
    Ok((program, kernel))
}

/// A buffer that is written, read and freed, and a launch with arguments of its own.
fn turn(
    device: &mut Device,
    (program, kernel): (Program, Kernel),
    number: usize,
    data: &[u8],
) -> Outcome<()> {
    let config = buffer("b", BufferType::Dram, data.len() as u64, PAGE);
    let buffer: Buffer = device.create_buffer(&config)?;
    device.enqueue_write_buffer(QUEUE, buffer, data, false)?;
    device.set_runtime_args(
        kernel,
        &at(1, 1),
        &[Argument::BufferAddress { buffer, offset: 4 }, 2.into()],
    )?;
    device.enqueue_program(QUEUE, program, false)?;
    let event = device.enqueue_record_event(QUEUE, "e", true, None)?;
    device.enqueue_read_buffer(
        QUEUE,
        buffer,
        &format!("out{number}"),
        Expectation::AsCaptured,
        true,
    )?;
    device.event_synchronize(event)?;
    device.deallocate_buffer(buffer)?;
    device.take_reads();
    Ok(())
}

/// Writes a capture of at least `calls` calls. Each buffer has `pages` pages of 64 bytes.
pub fn write(calls: usize, pages: usize, path: &Path) -> Outcome<()> {
    let mut device = Device::open(simulator(), options_in("suites"))?;
    let folder = tempfile::tempdir()?;
    device.begin_capture(&CaptureOptions { journal: Some(folder.path().join("journal")) })?;
    let mut objects = program(&mut device)?;
    let length = pages.max(1) * PAGE as usize;
    let data = pattern(length + TURNS * CALLS);
    for number in 0..calls.div_ceil(CALLS) {
        if number % TURNS == TURNS - 1 {
            objects = program(&mut device)?;
        }
        let start = number % (TURNS * CALLS);
        let data = data.get(start..start + length).ok_or("the pattern is too short")?;
        turn(&mut device, objects, number, data)?;
    }
    std::fs::write(path, device.end_capture()?.to_bytes()?)?;
    Ok(())
}
