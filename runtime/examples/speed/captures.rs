//! What a capture costs: recording, writing, verifying with opening, and replaying.

use std::path::PathBuf;
use std::sync::Arc;

use hallmark_chip::Architecture;
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_runtime::{CaptureOptions, CommandQueue, Device, Kernel, ReplayOptions, replay};
use hallmark_schema::model::{BufferType, Capture};

use crate::common::{RISCV_0, at, buffer, kernel, open, options_in, simulator};
use crate::scale::Scale;
use crate::watch::{shortest, time};
use crate::{Outcome, Row};

const QUEUE: CommandQueue = CommandQueue::FIRST;
const COMMANDS: u32 = 50_000;
const BLOBS: u32 = 64;
const BLOB: usize = 1 << 20;

/// Many cheap calls, of which each sets a kernel's arguments.
struct Calls {
    device: Device,
    kernel: Kernel,
}

impl Calls {
    /// `journal` is the file in which they are recorded, if they are.
    fn new(journal: Option<PathBuf>) -> Outcome<Self> {
        let mut device = Device::open(simulator(), options_in("suites"))?;
        if let Some(journal) = journal {
            device.begin_capture(&CaptureOptions { journal: Some(journal) })?;
        }
        let program = device.create_program("p")?;
        let cores = at(0, 0);
        let description = kernel("kernels/blank.cpp", &cores, RISCV_0, vec![]);
        let kernel = device.create_kernel(program, description)?;
        Ok(Self { device, kernel })
    }

    fn make(&mut self, calls: u32) -> Outcome<()> {
        for number in 0..calls {
            let arguments = [number.into(), 1.into(), 2.into()];
            self.device.set_runtime_args(self.kernel, &at(0, 0), &arguments)?;
        }
        Ok(())
    }
}

/// Blobs of 1 MiB each.
fn large(blobs: u32) -> Outcome<Capture> {
    let mut device = open();
    device.begin_capture(&CaptureOptions::default())?;
    let config = buffer("b", BufferType::Dram, BLOB as u64, 4096);
    let buffer = device.create_buffer(&config)?;
    let mut state = 1_u64;
    let mut word = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state.to_le_bytes()
    };
    for _ in 0..blobs {
        let data: Vec<u8> = (0..BLOB / 8).flat_map(|_| word()).collect();
        device.enqueue_write_buffer(QUEUE, buffer, &data[..], false)?;
    }
    device.finish(QUEUE)?;
    Ok(device.end_capture()?)
}

fn replay_options() -> Outcome<ReplayOptions> {
    Ok(ReplayOptions::new(Arc::new(FirmwareBundle::builtin(Architecture::WormholeB0)?)))
}

fn replayed(capture: &Capture, options: &ReplayOptions) -> Outcome<()> {
    if replay(capture, simulator(), options)?.agrees() {
        Ok(())
    } else {
        Err("a replay differs".into())
    }
}

/// What each of these works on is a call, or the command that was recorded of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Calls that are not recorded.
    Unrecorded,
    /// Calls that are recorded in a journal.
    Recorded,
    /// Making the bytes of a capture.
    Serialize,
    /// Reading the bytes of a capture.
    Open,
    /// Replaying it.
    Replay,
}

/// Does one kind of work; how many calls or commands it was done for.
pub fn work(work: Work, scale: Scale) -> Outcome<u64> {
    let commands = scale.of(COMMANDS);
    let folder = tempfile::tempdir()?;
    let journal = (work != Work::Unrecorded).then(|| folder.path().join("journal"));
    let mut calls = Calls::new(journal)?;
    let done = u64::from(commands);
    if let Work::Unrecorded | Work::Recorded = work {
        time(|| calls.make(commands))?;
        return Ok(done);
    }
    calls.make(commands)?;
    let capture = calls.device.end_capture()?;
    let file = capture.to_bytes()?;
    match work {
        Work::Unrecorded | Work::Recorded => {}
        Work::Serialize => drop(time(|| capture.to_bytes())?),
        Work::Open => drop(time(|| Capture::from_bytes(&file))?),
        Work::Replay => {
            let options = replay_options()?;
            time(|| replayed(&capture, &options))?;
        }
    }
    Ok(done)
}

/// Small calls, and large data.
pub fn measure(scale: Scale) -> Outcome<Vec<Row>> {
    let (commands, blobs) = (scale.of(COMMANDS), scale.of(BLOBS));
    let nanoseconds = |seconds: f64| format!("{:.0} ns", seconds / f64::from(commands) * 1e9);
    let milliseconds = |seconds: f64| format!("{:.1} ms", seconds * 1e3);
    let options = replay_options()?;
    let mut rows = Vec::new();
    let mut row = |what: &str, figure: String| rows.push((what.to_owned(), figure));

    let folder = tempfile::tempdir()?;
    let mut plain = Calls::new(None)?;
    let mut recording = Calls::new(Some(folder.path().join("journal")))?;
    let ((), without) = time(|| plain.make(commands))?;
    let ((), with) = time(|| recording.make(commands))?;
    let capture = recording.device.end_capture()?;
    row("a call that is not recorded", nanoseconds(without));
    row("recording it, in a journal", nanoseconds(with - without));
    let file = capture.to_bytes()?;
    row("serialize, a command", nanoseconds(shortest(3, || capture.to_bytes())?));
    row("verify and open, a command", nanoseconds(shortest(3, || Capture::from_bytes(&file))?));
    let ((), seconds) = time(|| replayed(&capture, &options))?;
    row("replay, a command", nanoseconds(seconds));

    let capture = large(blobs)?;
    let file = capture.to_bytes()?;
    let path = folder.path().join("large.lmb");
    std::fs::write(&path, &file)?;
    let mut row = |what: &str, seconds: f64| {
        let what = format!("{blobs} MiB of data: {what}");
        rows.push((what, milliseconds(seconds)));
    };
    row("serialize", shortest(3, || capture.to_bytes())?);
    let read = || Outcome::Ok(Capture::open(&std::fs::read(&path)?.into())?);
    row("read the file, verify, open", shortest(5, read)?);
    let ((), seconds) = time(|| replayed(&capture, &options))?;
    row("replay", seconds);
    Ok(rows)
}
