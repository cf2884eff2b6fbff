//! Measures devices and captures, and prints a row for each measurement with a column for each device:
//! `cargo run --release --package hallmark-runtime --example speed -- [DEVICE...]`, by default
//! `sim:wormhole_b0`. `scripts/speed` runs it with what else there is to measure.
//!
//! All figures are per second of processor time, so that they mean the same on a busy machine.
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
mod dispatch;
mod memory;
mod programs;
mod watch;

use std::process::{Command, Stdio};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// What was measured, with its figure.
type Row = (String, String);

/// Puts the columns of several devices beside each other.
fn print(title: &str, names: &[String], columns: &[Vec<Row>]) {
    print!("{title:<46}");
    names.iter().for_each(|name| print!("{name:>18}"));
    println!();
    for (number, (what, _)) in columns.first().into_iter().flatten().enumerate() {
        print!("{what:<46}");
        for column in columns {
            let figure = column.get(number).map_or("-", |(_, figure)| figure.as_str());
            print!("{figure:>18}");
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
fn apart(device: &str, number: usize) -> Outcome<Vec<Row>> {
    let number = number.to_string();
    let output = Command::new(std::env::current_exe()?)
        .args([device, "--measurement", &number])
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(format!("measurement {number} on {device} ended with {}", output.status).into());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let rows = text.lines().filter_map(|line| line.strip_prefix(MARK)?.split_once('\t'));
    Ok(rows.map(|(what, figure)| (what.to_owned(), figure.to_owned())).collect())
}

fn measure(device: &str, number: usize) -> Outcome<Option<Vec<Row>>> {
    match number.checked_sub(programs::MEASUREMENTS) {
        None => programs::measure(device, number).map(Some),
        Some(0) => memory::measure(device).map(Some),
        Some(_) => Ok(None),
    }
}

fn main() -> Outcome<()> {
    let mut devices: Vec<String> = std::env::args().skip(1).collect();
    if let [device, option, number] = devices.as_slice()
        && option == "--measurement"
    {
        for (what, figure) in measure(device, number.parse()?)?.into_iter().flatten() {
            println!("{MARK}{what}\t{figure}");
        }
        return Ok(());
    }
    if devices.is_empty() {
        devices.push("sim:wormhole_b0".to_owned());
    }
    let names: Vec<String> = devices.iter().map(|device| short(device)).collect();
    let columns = devices.iter().map(|device| {
        let rows = (0..=programs::MEASUREMENTS).map(|number| apart(device, number));
        Ok(rows.collect::<Outcome<Vec<_>>>()?.concat())
    });
    let columns = columns.collect::<Outcome<Vec<_>>>()?;
    print("device", &names, &columns);
    println!();
    print("launching on 4 cores", &["sim:wormhole_b0".to_owned()], &[dispatch::measure()?]);
    println!();
    print("capture", &["sim:wormhole_b0".to_owned()], &[captures::measure()?]);
    Ok(())
}
