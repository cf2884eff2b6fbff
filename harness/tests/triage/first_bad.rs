//! `hallmark run --triage`: the line *first bad* of each failure, and why there is none.

use std::path::Path;

use serde_json::Value;

use super::common::repository;
use super::roots::{hallmark, root_with};

/// Failures on the built-in simulator, where nobody else can say what is right.
const SUITE: &str = "about: A suite.
kernels:
  fault: { source: kernels/fault_misaligned_load.cpp }
cases:
  faults:
    about: A program that breaks a rule.
    steps:
      - create_buffer: { id: a, type: l1, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - create_program: { id: breaks }
      - create_kernel: { id: k, program: breaks, kernel: fault, cores: [2, 3], processor: riscv_0 }
      - set_runtime_args: { kernel: k, args: [{ buffer: a }] }
      - enqueue_program: { program: breaks }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, a]
  overwritten:
    about: A later write puts something else there.
    steps:
      - create_buffer: { id: a, type: dram, size: 128, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { constant: uint32, value: 9 }, as: data }
      - enqueue_write_buffer: { buffer: a, data: { constant: uint32, value: 5 } }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, data]
  refused:
    about: A call that fails.
    steps:
      - create_buffer: { id: a, type: l1, size: 64, page_size: 48 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, a]
  passes:
    about: What is written comes back.
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 }, blocking: true }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, a]
";

/// The lines of the text, and the same from JSON and JUnit.
fn first_bad(root: &Path, more: &[&str]) -> String {
    let run =
        ["run", "--arch", "wormhole_b0", "--triage", "--report", "r.json", "--report", "r.xml"];
    let (_, text) = hallmark(root, &[run.as_slice(), more].concat());
    let shown: Vec<&str> =
        text.lines().filter_map(|line| line.trim_start().strip_prefix("first bad ")).collect();
    let report: Value =
        serde_json::from_str(&std::fs::read_to_string(root.join("r.json")).unwrap()).unwrap();
    let tests = report.get("tests").unwrap().as_array().unwrap();
    let in_json: Vec<&str> =
        tests.iter().filter_map(|test| test.pointer("/first_bad/text")?.as_str()).collect();
    // What comes once for all tests is not shown with each.
    assert!(shown.iter().all(|line| in_json.contains(line)), "{text}");
    let junit = std::fs::read_to_string(root.join("r.xml")).unwrap();
    assert_eq!(junit.matches(r#"<property name="first_bad""#).count(), in_json.len(), "{junit}");
    let written = |test: &&Value| {
        let lines = test.pointer("/first_bad/written").and_then(Value::as_array);
        lines.is_some_and(|lines| !lines.is_empty())
    };
    let written = tests.iter().filter(written).count();
    assert_eq!(junit.matches(r#"<property name="written""#).count(), written, "{junit}");
    let of_test = |test: &Value| {
        let case = test.get("name")?.as_str()?.rsplit("::").next()?.to_owned();
        Some(format!("{case}: {}", test.pointer("/first_bad/text")?.as_str()?))
    };
    tests.iter().filter_map(of_test).collect::<Vec<_>>().join("\n")
}

#[test]
fn on_the_simulator_the_device_or_the_model_says_it() {
    let folder = root_with(SUITE);
    insta::assert_snapshot!(first_bad(folder.path(), &[]), @r"
    faults: command 5 of 8, enqueue_program of `breaks` on queue 0 (line 13 of the suite): command 7, finish, met it
    overwritten: command 2 of 5, enqueue_write_buffer of `a` on queue 0 (line 23 of the suite): it wrote byte 0 of `a` last, which read 3 finds wrong
    refused: command 0 of 1, create_buffer of `a` (line 31 of the suite): it fails with SizeNotPageMultiple
    passes: cannot be told: without a golden there is nothing to compare with
    ");
    // Whoever does not ask is told nothing.
    let (_, text) = hallmark(folder.path(), &["run", "--arch", "wormhole_b0"]);
    assert!(!text.contains("\n  first bad "), "{text}");
    assert!(
        text.contains("\n  triage    the same command with --triage names the first bad command\n"),
        "{text}"
    );
}

#[test]
fn another_device_is_bisected_against_the_simulator() {
    let folder = root_with(SUITE);
    let root = folder.path();
    let bless = ["bless", "--yes", "--arch", "wormhole_b0", "--filter", "passes"];
    assert_eq!(hallmark(root, &bless).0, 0);
    let filter = ["--filter", "passes"];
    for device in ["flips_bit", "drops_writes", "dies"] {
        let device = format!("misbehaving:{device}:wormhole_b0");
        let line = first_bad(root, &[["--device", &device].as_slice(), &filter].concat());
        if device.contains("dies") {
            assert_eq!(line, "passes: cannot be told: the failure is of what surrounds the device");
        } else {
            let command = "command 1 of 4, enqueue_write_buffer of `a` on queue 0 (line ";
            assert!(line.starts_with(&format!("passes: {command}")), "{line}");
            assert!(line.contains("after it `a` differs in "), "{line}");
        }
    }
    let replay = ["--replay-device", "misbehaving:flips_bit:wormhole_b0"];
    let line = first_bad(root, &[replay.as_slice(), &filter].concat());
    assert!(line.starts_with("passes: command 1 of 4, enqueue_write_buffer of `a`"), "{line}");
}

/// The line of a test of the repository on a device that misbehaves.
fn of_repository(test: &str, device: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("r.json");
    let path = report.to_str().unwrap();
    let run = ["run", "--exact", test, "--triage", "--device", device, "--report", path];
    let (code, text) = hallmark(&repository(), &run);
    assert_ne!(code, 0, "{test}: {text}");
    let report: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    report.pointer("/tests/0/first_bad").unwrap().clone()
}

/// The launch that is forgotten is named where another program suffers from it: one that it should meet, one that reads what
/// nobody wrote, one that goes on although it should not.
#[test]
fn the_launch_that_is_forgotten_is_named_and_not_what_suffers_from_it() {
    let device = "misbehaving:forgets_launch:wormhole_b0:nth=1";
    for (test, command) in [
        ("overlap::meet::first=0::times=1", "command 10 of 14, enqueue_program of `left`"),
        ("overlap::traces", "command 10 of 14, "),
        ("events::cores_in_use", "command 15 of 22, enqueue_program of `one_program`"),
        ("events::cyclic_wait", "command 8 of 13, enqueue_program of `wait_program`"),
        (
            "patterns::writes_and_reads_on_the_second_queue_with_a_trace",
            "command 19 of 22, enqueue_program of `load_program`",
        ),
    ] {
        let line = of_repository(&format!("wormhole_b0::queues::{test}"), device);
        let text = line.get("text").and_then(Value::as_str).unwrap();
        assert!(text.starts_with(command), "{test}: {line}");
    }
}

/// A program reads what an earlier one should have written: the device names the later one, and cannot repeat the fault
/// that was recorded on a stricter chip. The earlier one is to blame.
#[test]
fn what_a_device_names_may_only_suffer_from_an_earlier_command() {
    let test = "wormhole_b0::queues::loaded::buffers_elsewhere";
    let device = "misbehaving:forgets_launch:wormhole_b0:nth=1";
    let line = of_repository(test, device);
    let text = line.get("text").and_then(Value::as_str).unwrap();
    assert!(text.starts_with("command 12 of 15, enqueue_program of `one_program`"), "{text}");
}
