//! What it costs to launch programs: by the host, by a dispatcher, out of a trace.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use hallmark_runtime::{CommandQueue, Device, Program, Trace};
use hallmark_schema::model::{CoreRange, DispatchMode};

use crate::common::counting::{Counting, DeviceWork, Traffic};
use crate::common::{RISCV_0, core, kernel, options, simulator};
use crate::scale::Scale;
use crate::watch::counted;
use crate::{Outcome, Row};

const QUEUE: CommandQueue = CommandQueue::FIRST;
/// Launches of a measurement.
const LAUNCHES: u32 = 1000;
/// Cores that a program is launched on: columns and rows.
const FOUR: (u32, u32) = (4, 1);

struct Measured {
    device: Device,
    traffic: Rc<Cell<Traffic>>,
    work: Rc<Cell<DeviceWork>>,
}

/// What a number of launches took.
struct Cost {
    /// Without what the simulator took to run the device.
    host: Duration,
    traffic: Traffic,
    dispatcher_instructions: u64,
}

impl Measured {
    fn open(dispatch: DispatchMode) -> Outcome<Self> {
        let (counting, traffic) = Counting::new(simulator());
        let counting = counting.that_asks_nothing();
        let work = counting.work();
        let mut options = options();
        options.dispatch = dispatch;
        options.trace_region_size = 1 << 20;
        let device = Device::open(Box::new(counting), options)?;
        Ok(Self { device, traffic, work })
    }

    /// A program on so many columns and rows of cores.
    fn program(&mut self, number: u32, (columns, rows): (u32, u32)) -> Outcome<Program> {
        let program = self.device.create_program("p")?;
        let target = self.device.firmware().memory().unreserved_base;
        let cores = [CoreRange { start: core(0, 0), end: core(columns - 1, rows - 1) }];
        let description = kernel("kernels/store_words.cpp", &cores, RISCV_0, vec![target, number]);
        self.device.create_kernel(program, description)?;
        Ok(program)
    }

    fn cost(&mut self, run: impl FnOnce(&mut Device) -> Outcome<()>) -> Outcome<Cost> {
        let (traffic, work, start) = (self.traffic.get(), self.work.get(), Instant::now());
        counted(|| run(&mut self.device))?;
        let (elapsed, after) = (start.elapsed(), self.work.get());
        let instructions = after.dispatcher_instructions - work.dispatcher_instructions;
        Ok(Cost {
            host: elapsed.saturating_sub(after.simulating - work.simulating),
            traffic: self.traffic.get() - traffic,
            dispatcher_instructions: instructions,
        })
    }

    /// Two programs, both loaded.
    fn loaded(&mut self, cores: (u32, u32)) -> Outcome<[Program; 2]> {
        let programs = [self.program(1, cores)?, self.program(5, cores)?];
        launches(&mut self.device, programs, 2)?;
        Ok(programs)
    }

    /// A trace of launches of two programs by turns, replayed once.
    fn trace(&mut self, programs: [Program; 2], length: u32) -> Outcome<Trace> {
        let trace = self.device.begin_trace_capture(QUEUE, "t")?;
        for program in programs.into_iter().cycle().take(length as usize) {
            self.device.enqueue_program(QUEUE, program, false)?;
        }
        self.device.end_trace_capture(QUEUE, trace)?;
        self.device.replay_trace(QUEUE, trace, true)?;
        Ok(trace)
    }

    /// The least of several.
    fn least(&mut self, tries: u32, run: impl Fn(&mut Device) -> Outcome<()>) -> Outcome<Cost> {
        let mut least = self.cost(&run)?;
        for _ in 1..tries {
            let cost = self.cost(&run)?;
            if cost.host < least.host {
                least = cost;
            }
        }
        Ok(least)
    }
}

/// The two by turns, one launch after the other, and their end.
fn launches(device: &mut Device, programs: [Program; 2], number: u32) -> Outcome<()> {
    for program in programs.into_iter().cycle().take(number as usize) {
        device.enqueue_program(QUEUE, program, false)?;
    }
    Ok(device.finish(QUEUE)?)
}

fn microseconds(cost: &Cost, count: f64) -> String {
    format!("{:.2} us", cost.host.as_secs_f64() / count * 1e6)
}

/// The dispatcher executes an instruction in each tick, also while it waits for workers, and does not stop
/// between launches.
const TICKS: &str = "  ticks a launch, its run on the workers included";

fn ticks(cost: &Cost, count: f64) -> String {
    format!("{:.0}", cost.dispatcher_instructions as f64 / count)
}

fn bytes(cost: &Cost, count: f64) -> String {
    format!("{:.0} B", cost.traffic.bytes as f64 / count)
}

/// Replays of a measurement.
const REPLAYS: u32 = 100;

fn replays(device: &mut Device, trace: Trace, number: u32) -> Outcome<()> {
    for _ in 0..number {
        device.replay_trace(QUEUE, trace, false)?;
    }
    Ok(device.finish(QUEUE)?)
}

/// Launches one by one; how many.
pub fn launch(dispatch: DispatchMode, scale: Scale) -> Outcome<u64> {
    let number = scale.of(LAUNCHES);
    let mut measured = Measured::open(dispatch)?;
    let programs = measured.loaded(FOUR)?;
    measured.cost(|device| launches(device, programs, number))?;
    Ok(number.into())
}

/// Replays a trace of ten launches; how many launches that is.
pub fn replay(scale: Scale) -> Outcome<u64> {
    let (length, number) = (10, scale.of(REPLAYS));
    let mut measured = Measured::open(DispatchMode::Device)?;
    let programs = measured.loaded(FOUR)?;
    let trace = measured.trace(programs, length)?;
    measured.cost(|device| replays(device, trace, number))?;
    Ok(u64::from(number) * u64::from(length))
}

/// What the host takes is the time that passes but for that in which the simulator runs the device: its own work,
/// and its accesses to the device, for which the simulator needs about as long as PCIe. Nothing is waited for
/// between launches or replays but where the host itself launches. That the simulator leaves the processor's
/// caches cold counts too, and most for who waits for it after each launch. Of several tries the shortest
/// counts, as other work on the machine counts too.
pub fn measure(scale: Scale) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    let mut row = |what: String, figure: String| rows.push((what, figure));
    let (count, replay_count) = (scale.of(LAUNCHES), scale.of(REPLAYS));
    let each = f64::from(count);
    let mut eager = Vec::new();
    for (who, mode) in [("host", DispatchMode::Host), ("dispatcher", DispatchMode::Device)] {
        let mut measured = Measured::open(mode)?;
        let programs = [measured.program(1, FOUR)?, measured.program(5, FOUR)?];
        let [one, five] = programs;
        measured.device.enqueue_program(QUEUE, one, true)?;
        let first = measured.cost(|device| Ok(device.enqueue_program(QUEUE, five, true)?))?;
        row(format!("{who}: a program's first launch"), microseconds(&first, 1.0));
        row("  over PCIe".to_owned(), bytes(&first, 1.0));
        let again = measured.least(3, |device| launches(device, programs, count))?;
        row(format!("{who}: each later launch"), microseconds(&again, each));
        row("  over PCIe".to_owned(), bytes(&again, each));
        eager.push((who, again));
        let Some((_, again)) = eager.last() else { continue };
        if mode == DispatchMode::Host {
            continue;
        }
        row(TICKS.to_owned(), ticks(again, each));
        let wide = measured.loaded((8, 8))?;
        let number = scale.of(LAUNCHES / 10);
        let again = measured.least(3, |device| launches(device, wide, number))?;
        row(format!("{who}: each later launch on 64 cores"), microseconds(&again, number.into()));
        row("  over PCIe".to_owned(), bytes(&again, number.into()));
        row(TICKS.to_owned(), ticks(&again, number.into()));
        for length in [1, 10, 100, LAUNCHES] {
            let trace = measured.trace(programs, length)?;
            let number = f64::from(replay_count);
            let replay = measured.least(10, |device| replays(device, trace, replay_count))?;
            row(format!("replay of a trace of {length}"), microseconds(&replay, number));
            row("  over PCIe".to_owned(), bytes(&replay, number));
            for (who, again) in &eager {
                let one_by_one = again.host.as_secs_f64() / each * f64::from(length);
                let ratio = one_by_one / replay.host.as_secs_f64() * number;
                row(format!("  the same launches by the {who}"), format!("{ratio:.0} times"));
            }
            row(TICKS.to_owned(), ticks(&replay, f64::from(length) * number));
        }
    }
    Ok(rows)
}
