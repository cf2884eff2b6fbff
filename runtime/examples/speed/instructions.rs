//! How many instructions of the host's processor a unit of work takes, counted by callgrind: figures that other work on
//! the machine does not move. They compare only where compiler, C library and processor are alike.

use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;

use hallmark_schema::model::DispatchMode;

use crate::captures::Work;
use crate::scale::Scale;
use crate::watch::HAS_NO_CLOCK;
use crate::{Outcome, Row, captures, coprocessor, dispatch, memory, programs};

const SCALE: Scale = Scale::Counted;

/// How a row's work is done.
enum Run {
    /// On a device, by its name.
    On(fn(&str) -> Outcome<u64>),
    /// On the simulator in process alone.
    InProcess(fn() -> Outcome<u64>),
}

/// Work of which all that is in [`crate::watch::counted`] is counted.
struct Counted {
    name: &'static str,
    unit: &'static str,
    /// How many units were done.
    work: Run,
}

fn instructions(device: &str, number: usize) -> Outcome<u64> {
    Ok(programs::execute(device, number, SCALE)?.instructions)
}

fn requests(device: &str, number: usize) -> Outcome<u64> {
    let executed = programs::execute(device, number, SCALE)?;
    Ok(executed.requests.ok_or("the loop makes no requests")?)
}

fn tiles(device: &str, number: usize) -> Outcome<u64> {
    Ok(coprocessor::compute(device, number, SCALE)?.tiles)
}

const ROWS: [Counted; 22] = [
    Counted {
        name: "start-up, from opening to the first launch done",
        unit: "in all",
        work: Run::On(|device| programs::start_up(device).map(|_| 1)),
    },
    Counted {
        name: "integer loop, one core",
        unit: "an instruction",
        work: Run::On(|device| instructions(device, 0)),
    },
    Counted {
        name: "integer loop, 64 tiles",
        unit: "an instruction",
        work: Run::On(|device| instructions(device, 1)),
    },
    Counted {
        name: "loads and stores, one core",
        unit: "an instruction",
        work: Run::On(|device| instructions(device, 2)),
    },
    Counted {
        name: "loads and stores, 64 tiles",
        unit: "an instruction",
        work: Run::On(|device| instructions(device, 3)),
    },
    Counted {
        name: "NoC exchange, one core",
        unit: "a request",
        work: Run::On(|device| requests(device, 4)),
    },
    Counted {
        name: "NoC exchange, 64 tiles",
        unit: "a request",
        work: Run::On(|device| requests(device, 5)),
    },
    Counted {
        name: "matmul, four phases",
        unit: "a tile",
        work: Run::On(|device| tiles(device, 0)),
    },
    Counted { name: "eltwise, sum", unit: "a tile", work: Run::On(|device| tiles(device, 1)) },
    Counted { name: "unpack and pack", unit: "a tile", work: Run::On(|device| tiles(device, 2)) },
    Counted {
        name: "SFPU, 16 instructions of 32 lanes",
        unit: "a tile",
        work: Run::On(|device| tiles(device, 3)),
    },
    Counted {
        name: "DRAM through a window, cold write",
        unit: "a KiB",
        work: Run::On(|device| memory::pass(device, 0, SCALE)),
    },
    Counted {
        name: "DRAM through a window, warm write",
        unit: "a KiB",
        work: Run::On(|device| memory::pass(device, 1, SCALE)),
    },
    Counted {
        name: "DRAM through a window, read",
        unit: "a KiB",
        work: Run::On(|device| memory::pass(device, 2, SCALE)),
    },
    Counted {
        name: "launches on 4 cores by the host",
        unit: "a launch",
        work: Run::InProcess(|| dispatch::launch(DispatchMode::Host, SCALE)),
    },
    Counted {
        name: "launches on 4 cores by the dispatcher",
        unit: "a launch",
        work: Run::InProcess(|| dispatch::launch(DispatchMode::Device, SCALE)),
    },
    Counted {
        name: "launches on 4 cores in traces of 10",
        unit: "a launch",
        work: Run::InProcess(|| dispatch::replay(SCALE)),
    },
    Counted {
        name: "calls that are not recorded",
        unit: "a call",
        work: Run::InProcess(|| captures::work(Work::Unrecorded, SCALE)),
    },
    Counted {
        name: "calls that are recorded in a journal",
        unit: "a call",
        work: Run::InProcess(|| captures::work(Work::Recorded, SCALE)),
    },
    Counted {
        name: "serialize a capture",
        unit: "a command",
        work: Run::InProcess(|| captures::work(Work::Serialize, SCALE)),
    },
    Counted {
        name: "verify and open a capture",
        unit: "a command",
        work: Run::InProcess(|| captures::work(Work::Open, SCALE)),
    },
    Counted {
        name: "replay a capture",
        unit: "a command",
        work: Run::InProcess(|| captures::work(Work::Replay, SCALE)),
    },
];

/// What a child process says how many units it did with.
const MARK: &str = "units\t";

/// Does the work of a row, and prints how many units of it.
pub fn work(number: usize, device: &str) -> Outcome<()> {
    let row = ROWS.get(number).ok_or("there is no such row")?;
    HAS_NO_CLOCK.store(true, Ordering::Relaxed);
    let units = match row.work {
        Run::On(work) => work(device)?,
        Run::InProcess(work) => work()?,
    };
    println!("{MARK}{units}");
    Ok(())
}

/// A row, counted in a process of its own.
fn count(number: usize, row: &Counted, device: &str) -> Outcome<Row> {
    let folder = tempfile::tempdir()?;
    let counts = folder.path().join("counts");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet", "--collect-atstart=no"])
        .arg("--toggle-collect=*speed::watch::counted*")
        .arg(format!("--callgrind-out-file={}", counts.display()))
        .arg(std::env::current_exe()?)
        .args(["--counted", &number.to_string(), device])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("valgrind does not start: {error}; install it"))?;
    if !output.status.success() {
        return Err(format!("{}: valgrind ended with {}", row.name, output.status).into());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let units = text.lines().find_map(|line| line.strip_prefix(MARK)).ok_or("no units")?;
    let text = std::fs::read_to_string(&counts)?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
    let total: f64 = total.ok_or("callgrind counted nothing")?.trim().parse()?;
    if total == 0.0 {
        return Err("callgrind did not meet `counted`; is the example built with symbols?".into());
    }
    let each = total / units.parse::<f64>()?;
    Ok((row.name.to_owned(), format!("{each:.1} {}", row.unit)))
}

/// All rows of a device. Those of the simulator in process alone have no figure beside another device.
pub fn measure(device: &str) -> Outcome<Vec<Row>> {
    let is_in_process = device.starts_with("sim:");
    let rows = (0..).zip(&ROWS).map(|(number, row)| match row.work {
        Run::InProcess(_) if !is_in_process => Ok((row.name.to_owned(), "-".to_owned())),
        Run::On(_) | Run::InProcess(_) => count(number, row, device),
    });
    rows.collect()
}
