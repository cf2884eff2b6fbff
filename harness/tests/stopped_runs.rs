//! Runs that a signal stops: what the closing line and the reports say of the tests that did not run.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "common/linked_files.rs"]
mod linked_files;

use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use common::{command, repository, text};
use linked_files::link_files;
use rustix::process::{Pid, Signal, kill_process};

/// The first test passes, the second one runs until it is stopped, two come after it.
const SUITE: &str = "about: A suite.
kernels:
  k: { source: kernels/endless_loop.cpp }
cases:
  before:
    about: What is written comes back.
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out, blocking: true }
    expect:
      - equal: [out, a]
  endless:
    about: A program that does not end.
    budget: 1000000000000
    steps:
      - create_program: { id: program }
      - create_kernel: { id: bad, program: program, kernel: k, cores: [2, 3], processor: riscv_0 }
      - enqueue_program: { program: program }
      - finish: {}
        expect_error: { code: Deadlock, enqueue: program }
  later:
    about: What is written comes back.
    matrix:
      n: [1, 2]
    steps:
      - create_buffer: { id: a, type: dram, size: n * 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out, blocking: true }
    expect:
      - equal: [out, a]
";

const LATER: [&str; 2] =
    ["wormhole_b0::group::suite::later::n=1", "wormhole_b0::group::suite::later::n=2"];

/// A root with the golden of the first test.
fn root() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let suites = folder.path().join("suites");
    std::fs::create_dir_all(suites.join("group")).unwrap();
    link_files(&repository().join("suites/kernels"), &suites.join("kernels"));
    std::fs::write(suites.join("group/suite.yaml"), SUITE).unwrap();
    let test = "wormhole_b0::group::suite::before";
    let bless = command(folder.path()).args(["bless", "--yes", "--exact", test]).output().unwrap();
    assert!(bless.status.success(), "{}", text(&bless));
    folder
}

/// Whether a job of the endless test lies in a folder for temporary files.
fn is_endless_under_way(scratch: &Path) -> bool {
    let folders = std::fs::read_dir(scratch).unwrap().flatten();
    let files = folders.filter_map(|folder| std::fs::read_dir(folder.path()).ok()).flatten();
    files.flatten().any(|file| {
        let job = std::fs::read(file.path()).unwrap_or_default();
        String::from_utf8_lossy(&job).contains("group::suite::endless")
    })
}

/// Runs the suite and stops it when the endless test is under way.
fn stopped(root: &Path, signal: Signal, arguments: &[&str]) -> Output {
    let scratch = tempfile::tempdir().unwrap();
    let mut run = command(root)
        .args(["run", "--arch", "wormhole_b0", "--jobs", "1"])
        .args(arguments)
        .env("TMPDIR", scratch.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    while !is_endless_under_way(scratch.path()) {
        assert!(begin.elapsed() < Duration::from_secs(60), "the endless test was not begun");
        assert!(run.try_wait().unwrap().is_none(), "the run ended by itself");
        std::thread::sleep(Duration::from_millis(5));
    }
    kill_process(Pid::from_child(&run), signal).unwrap();
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output));
    assert!(!text(&output).contains("replayed in a fresh process"), "{}", text(&output));
    let left: Vec<_> = std::fs::read_dir(scratch.path()).unwrap().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
    output
}

#[test]
fn the_closing_line_and_the_json_say_what_did_not_run() {
    let folder = root();
    let output = stopped(folder.path(), Signal::INT, &["--report", "report.json"]);
    let line = "^C stopped after 2 of 4 tests: 1 passed, 1 was interrupted, 2 did not run\n";
    assert!(text(&output).contains(line), "{}", text(&output));
    let report = std::fs::read(folder.path().join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    assert_eq!(report["stopped_by"], "SIGINT");
    assert_eq!(report["did_not_run"], serde_json::json!(LATER));
    let verdicts = report["tests"].as_array().unwrap().iter().map(|test| &test["verdict"]);
    assert_eq!(verdicts.collect::<Vec<_>>(), ["Pass", "Interrupted"]);
}

#[test]
fn junit_lists_what_did_not_run_as_skipped() {
    let folder = root();
    let output = stopped(folder.path(), Signal::TERM, &["--report", "report.xml"]);
    let line = "SIGTERM stopped after 2 of 4 tests: 1 passed, 1 was interrupted, 2 did not run\n";
    assert!(text(&output).contains(line), "{}", text(&output));
    let report = std::fs::read_to_string(folder.path().join("report.xml")).unwrap();
    assert!(report.contains(r#"tests="4" skipped="2" errors="1" failures="0""#), "{report}");
    assert!(report.contains(r#"<property name="stopped_by" value="SIGTERM"/>"#), "{report}");
    assert!(report.contains(r#"<property name="did_not_run" value="2"/>"#), "{report}");
    for test in LATER {
        assert!(report.contains(&format!(r#"name="{test}""#)), "{report}");
    }
    let skipped = r#"<skipped message="did not run: SIGTERM stopped the run" type="DidNotRun""#;
    assert_eq!(report.matches(skipped).count(), 2, "{report}");
}

/// A terminal that closes, and Ctrl-\: the run ends as by SIGTERM, and leaves no folder.
#[test]
fn a_hang_up_and_a_quit_stop_a_run_as_well() {
    let folder = root();
    for (signal, name) in [(Signal::HUP, "SIGHUP"), (Signal::QUIT, "SIGQUIT")] {
        let output = stopped(folder.path(), signal, &["--report", "report.json"]);
        let line = "stopped after 2 of 4 tests: 1 passed, 1 was interrupted, 2 did not run\n";
        assert!(text(&output).contains(&format!("{name} {line}")), "{}", text(&output));
        let report = std::fs::read(folder.path().join("report.json")).unwrap();
        let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
        assert_eq!(report["stopped_by"], name);
    }
}

/// What nohup(1) starts outlives its terminal.
#[test]
fn a_hang_up_that_is_ignored_stops_nothing() {
    let folder = root();
    let scratch = tempfile::tempdir().unwrap();
    let executable = common::executable();
    let line =
        format!("trap '' HUP; exec '{}' run --arch wormhole_b0 --jobs 1", executable.display());
    let hallmark = command(folder.path());
    let variables: Vec<_> = hallmark.get_envs().map(|(name, _)| name.to_owned()).collect();
    let mut run = std::process::Command::new("sh");
    for name in &variables {
        run.env_remove(name);
    }
    let run = run.args(["-c", &line]).current_dir(folder.path()).env("TMPDIR", scratch.path());
    let mut run = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begin = Instant::now();
    while !is_endless_under_way(scratch.path()) {
        assert!(begin.elapsed() < Duration::from_secs(60), "the endless test was not begun");
        std::thread::sleep(Duration::from_millis(5));
    }
    kill_process(Pid::from_child(&run), Signal::HUP).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    assert!(run.try_wait().unwrap().is_none(), "the run ended");
    kill_process(Pid::from_child(&run), Signal::TERM).unwrap();
    let output = run.wait_with_output().unwrap();
    assert!(text(&output).contains("SIGTERM stopped after 2 of 4"), "{}", text(&output));
}

#[test]
fn a_run_that_came_to_its_end_left_nothing_out() {
    let folder = root();
    let test = "wormhole_b0::group::suite::before";
    let run = ["run", "--exact", test, "--report", "report.json"];
    let output = command(folder.path()).args(run).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("1 test, every capture replayed"), "{}", text(&output));
    let report = std::fs::read(folder.path().join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    assert_eq!(report["stopped_by"], serde_json::Value::Null);
    assert_eq!(report["did_not_run"], serde_json::json!([]));
}
