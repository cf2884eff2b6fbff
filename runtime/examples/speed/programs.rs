//! How many instructions a second a device executes, with every check that it has.
//!
//! A kernel says how many ticks its loop took. Of the first two loops it is known how many instructions
//! those must be; a device on which they are not would be measured wrongly, and that is an error.

use std::sync::Arc;

use hallmark_chip::Architecture;
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_runtime::{
    Argument, Buffer, CommandQueue, Device, DeviceOptions, DeviceSettings, Kernel, Program,
    open_device,
};
use hallmark_schema::model::{BufferType, CoreRange, Expectation};

use crate::common::{RISCV_0, TestKernels, at, buffer, core, kernel};
use crate::watch::{Watch, time};
use crate::{Outcome, Row};

const QUEUE: CommandQueue = CommandQueue::FIRST;
const SIDE: u32 = 8;
/// Bytes of L1 that each tile has for its loop: a page, whose first bytes are the result.
const PAGE: u64 = 2048;
const WORKING: u32 = 1024;

struct Loop {
    name: &'static str,
    source: &'static str,
    /// Instructions a turn, where that is known.
    instructions: Option<u32>,
    /// On one tile and on each of 64.
    turns: [u32; 2],
    requests: Option<u32>,
}

const LOOPS: [Loop; 3] = [
    Loop {
        name: "integer loop",
        source: "kernels/speed_integer.cpp",
        instructions: Some(8),
        turns: [3_000_000, 60_000],
        requests: None,
    },
    Loop {
        name: "loads and stores",
        source: "kernels/speed_memory.cpp",
        instructions: Some(11),
        turns: [2_000_000, 40_000],
        requests: None,
    },
    Loop {
        name: "NoC exchange",
        source: "kernels/speed_exchange.cpp",
        instructions: None,
        turns: [30_000, 600],
        requests: Some(8),
    },
];

/// A device with one program on some tiles.
struct Bench {
    device: Device,
    program: Program,
    kernel: Kernel,
    scratch: Buffer,
    side: u32,
    reads: u32,
}

impl Bench {
    fn new(device: &str, source: &str, side: u32) -> Outcome<Self> {
        let chip = open_device(&device.parse()?, DeviceSettings::default())?;
        let firmware = Arc::new(FirmwareBundle::builtin(Architecture::WormholeB0)?);
        let kernels = Box::new(TestKernels::new("runtime/tests"));
        let mut device = Device::open(chip, DeviceOptions::new(firmware, kernels))?;
        let grid = device.grid();
        let size = u64::from(grid.columns * grid.rows) * PAGE;
        let scratch = device.create_buffer(&buffer("scratch", BufferType::L1, size, PAGE))?;
        device.enqueue_write_buffer(QUEUE, scratch, &vec![1; size as usize][..], true)?;
        let program = device.create_program("speed")?;
        let cores = [CoreRange { start: core(0, 0), end: core(side - 1, side - 1) }];
        let kernel = device.create_kernel(program, kernel(source, &cores, RISCV_0, vec![]))?;
        Ok(Self { device, program, kernel, scratch, side, reads: 0 })
    }

    /// The ticks that all tiles together took, and the seconds.
    fn run(&mut self, turns: u32) -> Outcome<(u64, f64)> {
        let Self { device, side, scratch, .. } = self;
        let place = |offset| Argument::BufferAddress { buffer: *scratch, offset };
        let cores: Vec<_> =
            (0..*side * *side).map(|tile| core(tile % *side, tile / *side)).collect();
        let next = |tile: usize| {
            let tile = tile as u32 + 1;
            core(tile % SIDE, tile / SIDE % SIDE)
        };
        let arguments: Vec<_> = (0..cores.len())
            .map(|tile| {
                let (x, y) = (Argument::CoreNocX(next(tile)), Argument::CoreNocY(next(tile)));
                vec![place(0), turns.into(), place(WORKING), x, y]
            })
            .collect();
        device.set_runtime_args_per_core(self.kernel, &cores, &arguments)?;
        let ((), seconds) = time(|| device.enqueue_program(QUEUE, self.program, true))?;
        let name = format!("result{}", self.reads);
        self.reads += 1;
        let read =
            device.enqueue_read_buffer(QUEUE, *scratch, &name, Expectation::AsCaptured, true)?;
        let bytes = device.take_read(read).ok_or("the read is not complete")?.bytes;
        let grid = device.grid();
        let mut ticks = 0;
        for core in &cores {
            let page = (core.y * grid.columns + core.x) as usize * PAGE as usize;
            let word = bytes.get(page..).and_then(|bytes| bytes.first_chunk());
            ticks += u64::from(word.copied().map_or(0, u32::from_le_bytes));
        }
        Ok((ticks, seconds))
    }
}

/// From opening the device until a blank kernel has run.
fn start_up(device: &str) -> Outcome<Row> {
    let watch = Watch::start();
    let chip = open_device(&device.parse()?, DeviceSettings::default())?;
    let firmware = Arc::new(FirmwareBundle::builtin(Architecture::WormholeB0)?);
    let kernels = Box::new(TestKernels::new("suites"));
    let mut device = Device::open(chip, DeviceOptions::new(firmware, kernels))?;
    let program = device.create_program("p")?;
    let cores = at(0, 0);
    device.create_kernel(program, kernel("kernels/blank.cpp", &cores, RISCV_0, vec![]))?;
    device.enqueue_program(QUEUE, program, true)?;
    let (seconds, _) = watch.stop();
    Ok((
        "start-up, from opening to the first launch done".to_owned(),
        format!("{:.1} ms", seconds * 1e3),
    ))
}

/// The start-up, and each loop on one tile and on 64.
pub const MEASUREMENTS: usize = 1 + 2 * LOOPS.len();

/// One of them.
pub fn measure(device: &str, number: usize) -> Outcome<Vec<Row>> {
    let Some(number) = number.checked_sub(1) else { return Ok(vec![start_up(device)?]) };
    let chosen = LOOPS.get(number / 2).ok_or("there is no such measurement")?;
    let Loop { name, source, instructions, turns, requests } = chosen;
    let (side, place) = if number % 2 == 0 { (1, "one core") } else { (SIDE, "64 tiles") };
    let turns = turns.get(number % 2).copied().unwrap_or_default();
    let mut bench = Bench::new(device, source, side)?;
    bench.run(1)?;
    let (ticks, seconds) = bench.run(turns)?;
    let tiles = u64::from(side * side);
    if let Some(instructions) = instructions {
        let known = u64::from(*instructions) * u64::from(turns) * tiles;
        if !(known..known + 16 * tiles).contains(&ticks) {
            let text = format!("{name}: {known} instructions took {ticks} ticks on {device}");
            return Err(text.into());
        }
    }
    let rate = ticks as f64 / seconds / 1e6;
    let mut rows = vec![(format!("{name}, {place}"), format!("{rate:.1} M/s"))];
    if let Some(requests) = requests {
        let made = f64::from(*requests) * f64::from(turns) * tiles as f64;
        let rate = made / seconds / 1e6;
        rows.push(("  its requests of 64 bytes".to_owned(), format!("{rate:.2} M/s")));
    }
    Ok(rows)
}
