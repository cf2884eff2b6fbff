//! Needles in haystacks: one launch that a device forgets among the commands of many captures.

use std::path::Path;

use hallmark_schema::model::{Capture, Command};
use hallmark_schema_editing::concatenate;
use serde_json::Value;

use super::common::repository;
use super::roots::hallmark;

/// Tests whose captures are the hay: programs on one core and on several, data in DRAM and L1.
const HAY: [&str; 3] = [
    "wormhole_b0::arguments::arguments::vectors::cores=2",
    "wormhole_b0::dataflow::loopback::one_core::pages=7::page_size=32::processor=riscv_0::noc=noc_0",
    "wormhole_b0::cores::cores::all_five::columns=1::rows=1",
];
/// The test whose first launch is forgotten. It stands in the stack once: of a launch that is repeated, the memory still
/// holds what it made the last time.
const NEEDLE: &str = "wormhole_b0::arguments::common::two_kernels";

fn captured(folder: &Path, test: &str) -> Capture {
    let file = folder.join("captured.lmb");
    let (code, text) = hallmark(&repository(), &["capture", test, "-o", file.to_str().unwrap()]);
    assert_eq!(code, 0, "{text}");
    Capture::from_bytes(&std::fs::read(file).unwrap()).unwrap()
}

/// A stack of so many commands.
struct Stack {
    capture: Capture,
    /// The place of the command that launches the needle, and which launch that is, counted from 1.
    needle: u64,
    nth: usize,
}

/// Captures one after the other up to so many commands, with the needle behind some share of them.
fn stack(hay: &[Capture], needle: &Capture, commands: usize, before: usize) -> Stack {
    let mut parts: Vec<&Capture> = Vec::new();
    let mut total = 0;
    let mut position = None;
    for part in hay.iter().cycle() {
        if position.is_none() && total >= before {
            position = Some(parts.len());
            parts.push(needle);
        }
        if total >= commands && position.is_some() {
            break;
        }
        total += part.program.commands.len();
        parts.push(part);
    }
    let joined = concatenate(&parts).unwrap();
    let launches: Vec<(u64, bool)> = (0..)
        .zip(joined.capture.program.commands.iter().zip(&joined.sources))
        .filter(|(_, (made, _))| matches!(made.command, Command::EnqueueProgram(_)))
        .map(|(at, (_, (part, _)))| (at, Some(*part) == position))
        .collect();
    let first = launches.iter().position(|(_, of_needle)| *of_needle).unwrap();
    let (place, _) = *launches.get(first).unwrap();
    Stack { needle: place, nth: first + 1, capture: joined.capture }
}

#[test]
fn the_launch_that_a_device_forgets_is_found_among_any_number_of_commands() {
    let folder = tempfile::tempdir().unwrap();
    let hay: Vec<Capture> = HAY.iter().map(|test| captured(folder.path(), test)).collect();
    let needle = captured(folder.path(), NEEDLE);
    let file = folder.path().join("stack.lmb");
    for (commands, before) in [(10, 0), (100, 50), (1000, 500), (1000, 990)] {
        let Stack { capture, needle, nth } = stack(&hay, &needle, commands, before);
        std::fs::write(&file, capture.to_bytes().unwrap()).unwrap();
        let bad = format!("misbehaving:forgets_launch:wormhole_b0:nth={nth}");
        let path = file.to_str().unwrap();
        let (code, text) = hallmark(folder.path(), &["bisect", path, "--bad", &bad, "--json"]);
        assert_eq!(code, 0, "{commands} {before}: {text}");
        let answer: Value = serde_json::from_str(&text).unwrap();
        let named = answer.pointer("/first_bad/command").and_then(Value::as_u64);
        assert_eq!(named, Some(needle), "{commands} {before}: {text}");
        // However many commands there are.
        let runs = answer.pointer("/runs/to_find").and_then(Value::as_u64).unwrap();
        assert!(runs <= 4, "{commands} {before}: {text}");
    }
}
