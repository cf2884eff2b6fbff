//! What a capture costs: recording, writing, verifying with opening, and replaying.

use std::sync::Arc;

use hallmark_chip::Architecture;
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_runtime::{CaptureOptions, CommandQueue, Device, ReplayOptions, replay};
use hallmark_schema::model::{BufferType, Capture};

use crate::common::{RISCV_0, at, buffer, kernel, open, options_in, simulator};
use crate::watch::{shortest, time};
use crate::{Outcome, Row};

const QUEUE: CommandQueue = CommandQueue::FIRST;
const COMMANDS: u32 = 50_000;
const BLOBS: usize = 64;
const BLOB: usize = 1 << 20;

/// Many cheap calls; the seconds for one.
fn calls(device: &mut Device) -> Outcome<f64> {
    let program = device.create_program("p")?;
    let cores = at(0, 0);
    let made =
        device.create_kernel(program, kernel("kernels/blank.cpp", &cores, RISCV_0, vec![]))?;
    let ((), seconds) = time(|| {
        for number in 0..COMMANDS {
            device.set_runtime_args(made, &cores, &[number.into(), 1.into(), 2.into()])?;
        }
        Outcome::Ok(())
    })?;
    Ok(seconds / f64::from(COMMANDS))
}

fn small() -> Outcome<(Device, Device)> {
    let device = || Device::open(simulator(), options_in("suites"));
    Ok((device()?, device()?))
}

fn large() -> Outcome<Capture> {
    let mut device = open();
    device.begin_capture(&CaptureOptions::default())?;
    let config = buffer("b", BufferType::Dram, BLOB as u64, 4096);
    let buffer = device.create_buffer(&config)?;
    let mut state = 1_u64;
    let mut word = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state.to_le_bytes()
    };
    for _ in 0..BLOBS {
        let data: Vec<u8> = (0..BLOB / 8).flat_map(|_| word()).collect();
        device.enqueue_write_buffer(QUEUE, buffer, &data[..], false)?;
    }
    device.finish(QUEUE)?;
    Ok(device.end_capture()?)
}

pub fn measure() -> Outcome<Vec<Row>> {
    let nanoseconds = |seconds: f64| format!("{:.0} ns", seconds * 1e9);
    let per_command = |seconds: f64| nanoseconds(seconds / f64::from(COMMANDS));
    let milliseconds = |seconds: f64| format!("{:.1} ms", seconds * 1e3);
    let firmware = Arc::new(FirmwareBundle::builtin(Architecture::WormholeB0)?);
    let options = ReplayOptions::new(firmware);
    let mut rows = Vec::new();
    let mut row = |what: &str, figure: String| rows.push((what.to_owned(), figure));

    let (mut plain, mut recording) = small()?;
    let folder = tempfile::tempdir()?;
    let without = calls(&mut plain)?;
    recording.begin_capture(&CaptureOptions { journal: Some(folder.path().join("journal")) })?;
    let with = calls(&mut recording)?;
    let capture = recording.end_capture()?;
    row("a call that is not recorded", nanoseconds(without));
    row("recording it, in a journal", nanoseconds(with - without));
    let file = capture.to_bytes()?;
    row("serialize, a command", per_command(shortest(3, || capture.to_bytes())?));
    row("verify and open, a command", per_command(shortest(3, || Capture::from_bytes(&file))?));
    let (report, seconds) = time(|| replay(&capture, simulator(), &options))?;
    if !report.agrees() {
        return Err("a replay differs".into());
    }
    row("replay, a command", per_command(seconds));

    let capture = large()?;
    let file = capture.to_bytes()?;
    let path = folder.path().join("large.lmb");
    std::fs::write(&path, &file)?;
    row("64 MiB of data: serialize", milliseconds(shortest(3, || capture.to_bytes())?));
    let seconds = shortest(5, || Outcome::Ok(Capture::open(&std::fs::read(&path)?.into())?))?;
    row("64 MiB of data: read the file, verify, open", milliseconds(seconds));
    let (_, seconds) = time(|| replay(&capture, simulator(), &options))?;
    row("64 MiB of data: replay", milliseconds(seconds));
    Ok(rows)
}
