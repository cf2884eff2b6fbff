//! What it costs to launch programs: by the host, by a dispatcher, out of a trace.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use hallmark_runtime::{CommandQueue, Device, Program};
use hallmark_schema::model::{CoreRange, DispatchMode};

use crate::common::counting::{Counting, DeviceWork, Traffic};
use crate::common::{RISCV_0, core, kernel, options, simulator};
use crate::{Outcome, Row};

const QUEUE: CommandQueue = CommandQueue::FIRST;
/// Launches of a measurement.
const LAUNCHES: u32 = 1000;

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
        let work = counting.work();
        let mut options = options();
        options.dispatch = dispatch;
        options.trace_region_size = 1 << 20;
        let device = Device::open(Box::new(counting), options)?;
        Ok(Self { device, traffic, work })
    }

    /// A program on four cores.
    fn program(&mut self, number: u32) -> Outcome<Program> {
        let program = self.device.create_program("p")?;
        let target = self.device.firmware().memory().unreserved_base;
        let cores = [CoreRange { start: core(0, 0), end: core(3, 0) }];
        let description = kernel("kernels/store_words.cpp", &cores, RISCV_0, vec![target, number]);
        self.device.create_kernel(program, description)?;
        Ok(program)
    }

    fn cost(&mut self, run: impl FnOnce(&mut Device) -> Outcome<()>) -> Outcome<Cost> {
        let (traffic, work, start) = (self.traffic.get(), self.work.get(), Instant::now());
        run(&mut self.device)?;
        let (elapsed, after) = (start.elapsed(), self.work.get());
        let instructions = after.dispatcher_instructions - work.dispatcher_instructions;
        Ok(Cost {
            host: elapsed.saturating_sub(after.simulating - work.simulating),
            traffic: self.traffic.get() - traffic,
            dispatcher_instructions: instructions,
        })
    }
}

fn launches(device: &mut Device, program: Program) -> Outcome<()> {
    for _ in 0..LAUNCHES {
        device.enqueue_program(QUEUE, program, false)?;
    }
    Ok(device.finish(QUEUE)?)
}

pub fn measure() -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    let mut row = |what: String, figure: String| rows.push((what, figure));
    let each = f64::from(LAUNCHES);
    let microseconds =
        |cost: &Cost, count: f64| format!("{:.2} us", cost.host.as_secs_f64() / count * 1e6);
    let bytes = |cost: &Cost, count: f64| format!("{:.0} B", cost.traffic.bytes as f64 / count);
    for (who, mode) in [("host", DispatchMode::Host), ("dispatcher", DispatchMode::Device)] {
        let mut measured = Measured::open(mode)?;
        let (one, five) = (measured.program(1)?, measured.program(5)?);
        measured.device.enqueue_program(QUEUE, one, true)?;
        let first = measured.cost(|device| Ok(device.enqueue_program(QUEUE, five, true)?))?;
        row(format!("{who}: a program's first launch"), microseconds(&first, 1.0));
        row("  over PCIe".to_owned(), bytes(&first, 1.0));
        let again = measured.cost(|device| launches(device, five))?;
        row(format!("{who}: each later launch"), microseconds(&again, each));
        row("  over PCIe".to_owned(), bytes(&again, each));
        if mode == DispatchMode::Host {
            continue;
        }
        let instructions = again.dispatcher_instructions as f64 / each;
        row("  the dispatcher's instructions".to_owned(), format!("{instructions:.0}"));
        for length in [100, LAUNCHES] {
            let trace = measured.device.begin_trace_capture(QUEUE, "t")?;
            for number in 0..length {
                let program = if number % 2 == 0 { one } else { five };
                measured.device.enqueue_program(QUEUE, program, false)?;
            }
            measured.device.end_trace_capture(QUEUE, trace)?;
            measured.device.replay_trace(QUEUE, trace, true)?;
            // The shortest of some, as other work on the machine counts too.
            let mut replay =
                measured.cost(|device| Ok(device.replay_trace(QUEUE, trace, true)?))?;
            for _ in 0..20 {
                let other = measured.cost(|device| Ok(device.replay_trace(QUEUE, trace, true)?))?;
                if other.host < replay.host {
                    replay = other;
                }
            }
            let ratio =
                again.host.as_secs_f64() / each * f64::from(length) / replay.host.as_secs_f64();
            let traffic =
                again.traffic.bytes as f64 / each * f64::from(length) / replay.traffic.bytes as f64;
            row(format!("replay of a trace of {length}"), microseconds(&replay, 1.0));
            row("  over PCIe".to_owned(), bytes(&replay, 1.0));
            row("  launched one by one: host time".to_owned(), format!("{ratio:.0} times"));
            row("  launched one by one: bytes".to_owned(), format!("{traffic:.0} times"));
            let instructions = replay.dispatcher_instructions as f64 / f64::from(length);
            let what = "  the dispatcher's instructions, a launch";
            row(what.to_owned(), format!("{instructions:.0}"));
        }
    }
    Ok(rows)
}
