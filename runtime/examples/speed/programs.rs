//! How many instructions a second a device executes, with every check that it has.
//!
//! A kernel says how many ticks its loop took. Of the first two loops it is known how many instructions
//! those must be; a device on which they are not would be measured wrongly, and that is an error.

use std::sync::Arc;

use hallmark_chip::{Architecture, LogicalCore};
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_runtime::{
    Argument, Buffer, BufferConfig, CommandQueue, Device, DeviceOptions, DeviceSettings, Kernel,
    Program, open_device,
};
use hallmark_schema::model::{
    BufferLayout, BufferType, CoreRange, Expectation, KernelConfig, Shape2D, ShardOrientation,
    ShardSpec,
};

use crate::common::{RISCV_0, TestKernels, at, buffer, core, kernel};
use crate::scale::Scale;
use crate::watch::time;
use crate::{Outcome, Row};

const QUEUE: CommandQueue = CommandQueue::FIRST;
const SIDE: u32 = 8;
/// Bytes of L1 that each tile has for its loop, with the result at the start.
const PAGE: usize = 2048;
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

/// What runs on a device, and on how many tiles.
pub struct Setting<'setting> {
    /// The kernel's source, processor and compile-time arguments.
    pub kernel: (&'setting str, KernelConfig, Vec<u32>),
    /// The tiles of a row and of a column.
    pub side: u32,
    /// What each tile has in L1 at first: a page.
    pub page: &'setting [u8],
    /// Where in the page the kernel's working memory begins.
    pub working: u32,
}

/// A device with one program on some tiles.
pub struct Bench {
    device: Device,
    program: Program,
    kernel: Kernel,
    scratch: Buffer,
    side: u32,
    working: u32,
    reads: u32,
}

impl Bench {
    /// A device whose tiles have their pages and their kernel.
    pub fn new(device: &str, setting: Setting<'_>) -> Outcome<Self> {
        let Setting { kernel: (source, config, compile_args), side, page: contents, working } =
            setting;
        let chip = open_device(&device.parse()?, DeviceSettings::default())?;
        let firmware = Arc::new(FirmwareBundle::builtin(Architecture::WormholeB0)?);
        let kernels = Box::new(TestKernels::new("runtime/tests"));
        let mut device = Device::open(chip, DeviceOptions::new(firmware, kernels))?;
        // A shard for each tile, row by row: where pages of interleaved buffers lie is another matter.
        let length = contents.len() as u64;
        let (page, pages) = (Shape2D { height: 1, width: length as u32 }, SIDE * SIDE);
        let spec = ShardSpec {
            cores: vec![CoreRange { start: core(0, 0), end: core(SIDE - 1, SIDE - 1) }],
            shape: page,
            orientation: ShardOrientation::RowMajor,
            page_shape: page,
            tensor2d_shape_in_pages: Shape2D { height: pages, width: 1 },
        };
        let size = u64::from(pages) * length;
        let scratch = device.create_buffer(&BufferConfig {
            layout: BufferLayout::HeightSharded,
            shard_spec: Some(&spec),
            ..buffer("scratch", BufferType::L1, size, length)
        })?;
        device.enqueue_write_buffer(QUEUE, scratch, &contents.repeat(pages as usize)[..], true)?;
        let program = device.create_program("speed")?;
        let cores = [CoreRange { start: core(0, 0), end: core(side - 1, side - 1) }];
        let kernel = device.create_kernel(program, kernel(source, &cores, config, compile_args))?;
        Ok(Self { device, program, kernel, scratch, side, working, reads: 0 })
    }

    /// Sets what all tiles are given.
    fn prepare(&mut self, turns: u32) -> Outcome<Vec<LogicalCore>> {
        let Self { device, side, scratch, working, .. } = self;
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
                vec![place(0), turns.into(), place(*working), x, y]
            })
            .collect();
        device.set_runtime_args_per_core(self.kernel, &cores, &arguments)?;
        Ok(cores)
    }

    /// Loads the program.
    pub fn warm_up(&mut self, turns: u32) -> Outcome<()> {
        self.prepare(turns)?;
        Ok(self.device.enqueue_program(QUEUE, self.program, true)?)
    }

    /// The pages of all tiles after a run, and the seconds that it took.
    pub fn run(&mut self, turns: u32) -> Outcome<(Vec<u8>, f64)> {
        self.prepare(turns)?;
        let Self { device, scratch, .. } = self;
        let ((), seconds) = time(|| device.enqueue_program(QUEUE, self.program, true))?;
        let name = format!("result{}", self.reads);
        self.reads += 1;
        let read =
            device.enqueue_read_buffer(QUEUE, *scratch, &name, Expectation::AsCaptured, true)?;
        Ok((device.take_read(read).ok_or("the read is not complete")?.bytes.to_vec(), seconds))
    }
}

/// The ticks that the loops of all tiles together took.
fn ticks(pages: &[u8], side: u32) -> u64 {
    let tiles = (0..side * side).map(|tile| tile / side * SIDE + tile % side);
    let words = tiles.map(|tile| {
        let word = pages.get(tile as usize * PAGE..).and_then(|bytes| bytes.first_chunk());
        u64::from(word.copied().map_or(0, u32::from_le_bytes))
    });
    words.sum()
}

/// Seconds from opening the device until a blank kernel has run.
pub fn start_up(device: &str) -> Outcome<f64> {
    let ((), seconds) = time(|| {
        let chip = open_device(&device.parse()?, DeviceSettings::default())?;
        let firmware = Arc::new(FirmwareBundle::builtin(Architecture::WormholeB0)?);
        let kernels = Box::new(TestKernels::new("suites"));
        let mut device = Device::open(chip, DeviceOptions::new(firmware, kernels))?;
        let program = device.create_program("p")?;
        let cores = at(0, 0);
        device.create_kernel(program, kernel("kernels/blank.cpp", &cores, RISCV_0, vec![]))?;
        Outcome::Ok(device.enqueue_program(QUEUE, program, true)?)
    })?;
    Ok(seconds)
}

/// What a loop took.
pub struct Executed {
    /// The loop, and where it ran.
    name: String,
    /// Instructions of all tiles together.
    pub instructions: u64,
    /// NoC requests of all tiles together, of those loops that make some.
    pub requests: Option<u64>,
    seconds: f64,
}

/// Each loop on one tile and on 64.
pub const EXECUTIONS: usize = 2 * LOOPS.len();

/// Executes one of them.
pub fn execute(device: &str, number: usize, scale: Scale) -> Outcome<Executed> {
    let chosen = LOOPS.get(number / 2).ok_or("there is no such loop")?;
    let Loop { name, source, instructions, turns, requests } = chosen;
    let (side, place) = if number.is_multiple_of(2) { (1, "one core") } else { (SIDE, "64 tiles") };
    let turns = scale.of(turns.get(number % 2).copied().unwrap_or_default());
    let kernel = (*source, RISCV_0, vec![]);
    let mut bench =
        Bench::new(device, Setting { kernel, side, page: &[1; PAGE], working: WORKING })?;
    bench.warm_up(1)?;
    let (pages, seconds) = bench.run(turns)?;
    let ticks = ticks(&pages, side);
    let tiles = u64::from(side * side);
    if let Some(instructions) = instructions {
        let known = u64::from(*instructions) * u64::from(turns) * tiles;
        if !(known..known + 16 * tiles).contains(&ticks) {
            let text = format!("{name}: {known} instructions took {ticks} ticks on {device}");
            return Err(text.into());
        }
    }
    Ok(Executed {
        name: format!("{name}, {place}"),
        instructions: ticks,
        requests: requests.map(|requests| u64::from(requests) * u64::from(turns) * tiles),
        seconds,
    })
}

/// The start-up, and each loop on one tile and on 64.
pub const MEASUREMENTS: usize = 1 + EXECUTIONS;

/// One of them.
pub fn measure(device: &str, number: usize, scale: Scale) -> Outcome<Vec<Row>> {
    let Some(number) = number.checked_sub(1) else {
        let name = "start-up, from opening to the first launch done".to_owned();
        return Ok(vec![(name, format!("{:.1} ms", start_up(device)? * 1e3))]);
    };
    let Executed { name, instructions, requests, seconds } = execute(device, number, scale)?;
    let rate = |count: u64| count as f64 / seconds / 1e6;
    let mut rows = vec![(name, format!("{:.1} M/s", rate(instructions)))];
    if let Some(requests) = requests {
        rows.push(("  its requests of 64 bytes".to_owned(), format!("{:.2} M/s", rate(requests))));
    }
    Ok(rows)
}
