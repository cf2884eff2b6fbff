//! Measures devices and captures, and prints a row for each measurement with a column for each device:
//! `cargo run --release --package hallmark-runtime --example speed -- [DEVICE...]`, by default
//! `sim:wormhole_b0`. `scripts/speed` runs it with what else there is to measure.
//!
//! All figures are per second of processor time, so that they mean the same on a busy machine. With `--smallest` first, each
//! row takes a hundredth of its work: its figure is worth nothing, but the measurement is seen to work. With
//! `--instructions` first, callgrind counts instructions instead, in process and on each device that follows.
#![expect(clippy::print_stdout, reason = "its output is what it is for")]
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a command for developers that shares a module with the tests"
)]

mod captures;
#[path = "../../tests/common/mod.rs"]
mod common;
mod coprocessor;
mod dispatch;
mod growth;
mod instructions;
mod memory;
mod programs;
mod scale;
mod watch;

use std::iter;
use std::process::{Command, Stdio};

use hallmark_runtime::DeviceSpec;
use scale::Scale;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// What was measured, with its figure.
type Row = (String, String);

/// Puts the columns of several devices beside each other.
fn print(title: &str, names: &[String], columns: &[Vec<Row>]) {
    let figures = columns.iter().flatten().map(|(_, figure)| figure.len() + 2);
    let width = figures.max().unwrap_or_default().max(18);
    print!("{title:<46}");
    names.iter().for_each(|name| print!("{name:>width$}"));
    println!();
    for (number, (what, _)) in columns.first().into_iter().flatten().enumerate() {
        print!("{what:<46}");
        for column in columns {
            let figure = column.get(number).map_or("-", |(_, figure)| figure.as_str());
            print!("{figure:>width$}");
        }
        println!();
    }
}

/// A device's name without the path of a library; our own by its name, so that it is told from the vendor's.
fn short(device: &str) -> String {
    match device.split_once(':') {
        Some(("ttsim", path)) if path.ends_with("libhallmark_sim_library.so") => {
            "our library".to_owned()
        }
        Some(("ttsim", _)) => "ttsim".to_owned(),
        _ => device.to_owned(),
    }
}

/// What a child process begins its rows with: a library may print lines of its own.
const MARK: &str = "measured\t";

/// A measurement in a process of its own, because a simulator's library can be opened once in each.
fn apart(device: &str, number: usize, scale: Scale) -> Outcome<Vec<Row>> {
    let number = number.to_string();
    let scale = (scale == Scale::Smallest).then_some(SMALLEST);
    let output = Command::new(std::env::current_exe()?)
        .args(scale)
        .args(["--measurement", &number, device])
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(format!("measurement {number} on {device} ended with {}", output.status).into());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let rows = text.lines().filter_map(|line| line.strip_prefix(MARK)?.split_once('\t'));
    Ok(rows.map(|(what, figure)| (what.to_owned(), figure.to_owned())).collect())
}

fn measure(device: &str, number: usize, scale: Scale) -> Outcome<Vec<Row>> {
    let Some(number) = number.checked_sub(programs::MEASUREMENTS) else {
        return programs::measure(device, number, scale);
    };
    if number < coprocessor::MEASUREMENTS {
        coprocessor::measure(device, number, scale)
    } else {
        memory::measure(device, scale)
    }
}

const SMALLEST: &str = "--smallest";

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (scale, arguments) = match arguments.as_slice() {
        [SMALLEST, rest @ ..] => (Scale::Smallest, rest),
        all => (Scale::Full, all),
    };
    let simulator = "sim:wormhole_b0".to_owned();
    let devices: Vec<String> = match arguments {
        ["--measurement", number, device] => {
            for (what, figure) in measure(device, number.parse()?, scale)? {
                println!("{MARK}{what}\t{figure}");
            }
            return Ok(());
        }
        ["--capture", calls, pages, path] => {
            return growth::write(calls.parse()?, pages.parse()?, path.as_ref());
        }
        ["--counted", number, device] => return instructions::work(number.parse()?, device),
        ["--instructions", others @ ..] => {
            let devices: Vec<&str> =
                iter::once(&*simulator).chain(others.iter().copied()).collect();
            let columns: Outcome<Vec<_>> =
                devices.iter().map(|device| instructions::measure(device)).collect();
            let names: Vec<String> = devices.iter().map(|device| short(device)).collect();
            print("instructions of the host's processor", &names, &columns?);
            return Ok(());
        }
        [] => vec![simulator.clone()],
        devices => devices.iter().map(|device| (*device).to_owned()).collect(),
    };
    // A word that names no device is refused before minutes are spent on the devices beside it.
    for device in &devices {
        device.parse::<DeviceSpec>()?;
    }
    let names: Vec<String> = devices.iter().map(|device| short(device)).collect();
    // A device that fails leaves the rows of the others; its failures are printed at the end.
    let mut failures = Vec::new();
    let mut columns = vec![Vec::new(); devices.len()];
    for number in 0..=programs::MEASUREMENTS + coprocessor::MEASUREMENTS {
        let measured: Vec<_> = devices.iter().map(|device| apart(device, number, scale)).collect();
        let names: Vec<String> = measured
            .iter()
            .find_map(|rows| rows.as_ref().ok())
            .map(|rows| rows.iter().map(|(what, _)| what.clone()).collect())
            .unwrap_or_default();
        for (column, rows) in columns.iter_mut().zip(measured) {
            column.extend(rows.unwrap_or_else(|error| {
                failures.push(error.to_string());
                names.iter().map(|what| (what.clone(), "failed".to_owned())).collect()
            }));
        }
    }
    print("device", &names, &columns);
    println!();
    print("launching on 4 cores", std::slice::from_ref(&simulator), &[dispatch::measure(scale)?]);
    println!();
    print("capture", &[simulator], &[captures::measure(scale)?]);
    if failures.is_empty() { Ok(()) } else { Err(failures.join("; ").into()) }
}
