//! The next run of the same tests removes the files that a run killed with SIGKILL has left.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::common::{command, text};

/// Many short tests, each of which fails, so that folders of failures and the list of failed tests are written too.
const SUITE: &str = "about: Buffers.
cases:
  wrong:
    about: What comes back is not what the suite expects.
    matrix:
      pages: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    steps:
      - create_buffer: { id: a, type: dram, size: pages * 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, { constant: uint32, value: 5 }]
";

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

/// Files that are not written to their end, wherever a run writes.
fn half_files(root: &Path) -> Vec<String> {
    let files = walkdir::WalkDir::new(root).into_iter().flatten();
    let names = files.map(|entry| entry.path().display().to_string());
    names.filter(|name| name.contains("/.hallmark-")).collect()
}

#[test]
fn a_killed_run_leaves_nothing_that_the_next_does_not_remove() {
    let root = tempfile::tempdir().unwrap();
    let temporary = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(root.path().join("suites/group")).unwrap();
    std::fs::write(root.path().join("suites/group/suite.yaml"), SUITE).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = command(root.path());
        command.arg("run").args(arguments).env("TMPDIR", temporary.path());
        command
    };
    let mut left = 0;
    // Killed when it is seen to work in its first folder, its second, …
    for moment in [1, 3, 8] {
        let mut killed = run(&["-j", "3", "--arch", "wormhole_b0"]);
        let mut killed = killed.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let start = Instant::now();
        let before = names(temporary.path());
        let mut seen = BTreeSet::new();
        while seen.len() < moment && start.elapsed() < Duration::from_secs(60) {
            seen.extend(names(temporary.path()).difference(&before).cloned());
        }
        kill_process(Pid::from_child(&killed), Signal::KILL).unwrap();
        killed.wait().unwrap();
        assert!(seen.len() >= moment, "the run ended before it was killed");
        left += names(temporary.path()).len();
        // Hardly any kill meets a file that is being written to the folder of a failure.
        let failure = root.path().join("target/hallmark/wormhole_b0/group/suite/wrong/pages=2");
        std::fs::create_dir_all(&failure).unwrap();
        std::fs::write(failure.join(".hallmark-write-killed"), "half").unwrap();

        // A worker that was about to start when its run was killed holds the lock of its run's folder until it has died.
        let start = Instant::now();
        loop {
            let next = run(&["--arch", "wormhole_b0"]).output().unwrap();
            assert_eq!(next.status.code(), Some(1), "{}", text(&next));
            let still = names(temporary.path());
            if still.is_empty() {
                break;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "killed at {moment}: {still:?}");
        }
        assert_eq!(half_files(root.path()), Vec::<String>::new(), "killed at {moment}");
    }
    assert!(left > 0, "no kill left anything, so that nothing was tested");
}

/// What two runs at a time work in is neither's to remove.
#[test]
fn a_run_keeps_away_from_what_another_works_in() {
    let root = tempfile::tempdir().unwrap();
    let temporary = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(root.path().join("suites/group")).unwrap();
    std::fs::write(root.path().join("suites/group/suite.yaml"), SUITE).unwrap();
    let run = || {
        let mut command = command(root.path());
        command.args(["run", "-j", "1", "--arch", "wormhole_b0"]).env("TMPDIR", temporary.path());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let runs: Vec<_> = (0..3).map(|_| run()).collect();
    for run in runs {
        let output = run.wait_with_output().unwrap();
        // A worker without its folder would be an error of Hallmark's own, which has another code.
        assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    }
    assert_eq!(names(temporary.path()), BTreeSet::new());
}
