//! What kernels print, in reports: the last lines of a failure, all of them in its folder, and those of each test with
//! `--print`.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "common/linked_files.rs"]
mod linked_files;

use std::path::Path;

use common::{command, repository, text};
use linked_files::link_files;

const TEST: &str = "wormhole_b0::group::suite::one";

/// A root with one case, which runs a kernel of the suites with these arguments.
fn root(kernel: &str, arguments: &str, settings: &str, expect: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let suites = folder.path().join("suites");
    std::fs::create_dir_all(suites.join("group")).unwrap();
    link_files(&repository().join("suites/kernels"), &suites.join("kernels"));
    let suite = format!(
        "about: A suite.
kernels:
  k: {{ source: kernels/{kernel}.cpp }}
cases:
  one:
    about: A case.{settings}
    steps:
      - create_buffer: {{ id: dst, type: dram, size: 16, page_size: 16 }}
      - create_buffer: {{ id: scratch, type: l1, size: 16, page_size: 16 }}
      - create_program: {{ id: program }}
      - create_semaphore: {{ id: s, program: program, cores: [4, 2] }}
      - create_kernel: {{ id: k, program: program, kernel: k, cores: [4, 2], processor: riscv_0, compile_args: [{{ accessor: dst }}] }}
      - set_runtime_args: {{ kernel: k, args: [{{ buffer: dst }}, {{ buffer: scratch }}, {arguments}] }}
      - enqueue_write_buffer: {{ buffer: dst, data: {{ constant: uint32, value: 77 }} }}
      - enqueue_program: {{ program: program }}
      - enqueue_read_buffer: {{ buffer: dst, as: out }}
      - finish: {{}}
    expect:
      - equal: [out, [{expect}, 77, 77, 77]]
"
    );
    std::fs::write(suites.join("group/suite.yaml"), suite).unwrap();
    folder
}

fn hallmark(root: &Path, arguments: &[&str]) -> String {
    text(&command(root).args(arguments).output().unwrap())
}

fn printed_lines(said: &str) -> Vec<&str> {
    said.lines().filter_map(|line| line.trim_start().strip_prefix("| ")).collect()
}

#[test]
fn a_failure_shows_the_last_lines_and_its_folder_has_all() {
    let folder = root("prints", "40", "", "41");
    let said = hallmark(folder.path(), &["run", "--exact", TEST]);
    let place = "printed by `k` on (4,2) BRISC in program `program` (enqueued by command 7), after 22 lines:";
    assert!(said.contains(place), "{said}");
    let lines = printed_lines(&said);
    assert_eq!((lines.len(), lines[0]), (20, "line  21: 0.500, 0x15015, text"), "{said}");
    assert_eq!(lines.last(), Some(&"on NoC 0, at the end"));
    let kept = folder.path().join("target/hallmark/wormhole_b0/group/suite/one/printed.txt");
    let kept = std::fs::read_to_string(kept).unwrap();
    assert_eq!((printed_lines(&kept).len(), printed_lines(&kept)[0]), (42, "40 lines"));
    // In place of the last lines, all of them.
    let said = hallmark(folder.path(), &["run", "--print", "--exact", TEST]);
    assert_eq!(printed_lines(&said).len(), 42, "{said}");
}

#[test]
fn a_test_that_passes_shows_its_lines_on_request() {
    let folder = root("prints", "3", "", "3");
    hallmark(folder.path(), &["bless", "--yes"]);
    let said = hallmark(folder.path(), &["run", "--exact", TEST]);
    assert!(said.contains("1 pass") && printed_lines(&said).is_empty(), "{said}");
    let said = hallmark(folder.path(), &["run", "--print", "--exact", TEST]);
    assert_eq!(printed_lines(&said).len(), 5, "{said}");
    assert!(!folder.path().join("target/hallmark/wormhole_b0/group/suite/one").exists());
}

/// The kernel prints, and then counts for ever.
#[test]
fn a_worker_that_the_clock_stops_leaves_its_lines() {
    let settings = "\n    budget: 1000000000000\n    timeout: 2";
    let folder = root("waypoints", "2", settings, "5");
    let said = hallmark(folder.path(), &["run", "--exact", TEST]);
    assert!(said.contains("did not end in 2 s"), "{said}");
    assert_eq!(printed_lines(&said), ["end 2"], "{said}");
    let capture = "target/hallmark/wormhole_b0/group/suite/one/capture.lmb";
    let dumped = hallmark(folder.path(), &["dump", capture]);
    assert_eq!(printed_lines(&dumped), ["end 2"], "{dumped}");
}

#[test]
fn a_capture_keeps_the_lines_and_its_replay_shows_them() {
    let folder = root("prints", "40", "", "41");
    hallmark(folder.path(), &["run", "--exact", TEST]);
    let kept = "target/hallmark/wormhole_b0/group/suite/one";
    let capture = format!("{kept}/capture.lmb");
    let dumped = hallmark(folder.path(), &["dump", &capture]);
    let heading = "printed by (4,2) BRISC for command 7, after 22 lines:";
    assert!(dumped.contains(heading), "{dumped}");
    assert_eq!(printed_lines(&dumped).len(), 20, "{dumped}");
    let said = hallmark(folder.path(), &["replay", &capture]);
    assert!(said.contains("every read is as captured"), "{said}");
    assert!(printed_lines(&said).is_empty(), "{said}");
    let said = hallmark(folder.path(), &["replay", "--print", &capture]);
    let place = "printed by `k` on (4,2) BRISC in program `program` (enqueued by command 7):";
    assert!(said.contains(place), "{said}");
    assert_eq!(printed_lines(&said).len(), 42, "{said}");
}

/// The kernel prints once, and then fails an assertion.
#[test]
fn a_replay_that_stops_shows_the_last_lines() {
    let folder = root("prints_every_kind", "2", "", "2");
    let said = hallmark(folder.path(), &["run", "--exact", TEST]);
    assert!(said.contains("KernelAssertion"), "{said}");
    let shown = printed_lines(&said);
    assert!(!shown.is_empty(), "{said}");
    let capture = "target/hallmark/wormhole_b0/group/suite/one/capture.lmb";
    let replayed = hallmark(folder.path(), &["replay", capture]);
    assert_eq!(printed_lines(&replayed), shown, "{replayed}");
}
