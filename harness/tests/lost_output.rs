//! Standard output that cannot be written: the exit code is 9, and one line says why. A closed pipe ends quietly.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;

use std::path::Path;
use std::process::{Output, Stdio};

use common::{command, repository, text};

const TEST: &str = "wormhole_b0::dataflow::loopback::one_core::pages=1::page_size=32::processor=riscv_0::noc=noc_0";
const LOST: &str =
    "error: standard output cannot be written: No space left on device (os error 28)\n";

fn hallmark(folder: &Path, arguments: &[&str], stdout: Stdio) -> Output {
    let mut command = command(folder);
    command.env("HALLMARK_ROOT", repository()).env_remove("GITHUB_ACTIONS");
    let child = command.args(arguments).stdout(stdout).stderr(Stdio::piped()).spawn();
    child.unwrap().wait_with_output().unwrap()
}

/// A device without room.
fn full() -> Stdio {
    std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap().into()
}

/// A pipe that nobody reads.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

/// Commands that print something, each through its own way of printing.
const COMMANDS: &[&[&str]] = &[
    &["--help"],
    &["run", "-h"],
    &["--version"],
    &["man"],
    &["completions", "bash"],
    &["schema"],
    &["kernels", "api"],
    &["list", "--exact", TEST],
    &["list", "--exact", TEST, "--format", "json"],
    &["run", "--exact", TEST],
    &["explain", TEST],
    &["dump", "c.lmb"],
    &["dump", "c.lmb", "--format", "jsonl"],
    &["diff", "c.lmb", "c.lmb"],
    &["portability", "c.lmb", "--device", "sim:wormhole_b0"],
    &["replay", "c.lmb"],
];

#[test]
fn output_that_is_lost_is_an_error_and_a_closed_pipe_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let made = hallmark(folder, &["capture", TEST, "-o", "c.lmb"], full());
    assert_eq!(made.status.code(), Some(9), "{}", text(&made));
    assert!(folder.join("c.lmb").is_file(), "what goes to a file is not lost");
    for arguments in COMMANDS {
        let expected = hallmark(folder, arguments, Stdio::piped());
        assert!(!expected.stdout.is_empty(), "{arguments:?}: {}", text(&expected));
        let lost = hallmark(folder, arguments, full());
        assert_eq!(lost.status.code(), Some(9), "{arguments:?}: {}", text(&lost));
        assert_eq!(String::from_utf8_lossy(&lost.stderr), LOST, "{arguments:?}");
        let quiet = hallmark(folder, arguments, closed());
        assert_eq!(quiet.status.code(), expected.status.code(), "{arguments:?}: {}", text(&quiet));
        assert_eq!(text(&quiet), "", "{arguments:?}");
    }
}

/// A command that fails keeps its reason beside the lost output.
#[test]
fn a_failure_is_told_beside_the_lost_output() {
    let folder = tempfile::tempdir().unwrap();
    let output =
        hallmark(folder.path(), &["run", "--exact", "wormhole_b0::no::such::test"], full());
    assert_eq!(output.status.code(), Some(8), "nothing was printed: {}", text(&output));
    let output = hallmark(folder.path(), &["list", "--exact", TEST, "--arch"], full());
    assert_eq!(output.status.code(), Some(2), "nothing was printed: {}", text(&output));
}
