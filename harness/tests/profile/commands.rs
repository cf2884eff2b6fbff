//! Profiles of a command: one for each of its replays.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

use rustix::process::{Pid, Signal};

use crate::common::{command, repository, text};
use crate::{PIPELINE, cell, rows_of, table};

const OTHER: &str = "wormhole_b0::queues::traces::one_program::replays=10::blocking=true::queues=2";

/// Profiles a command in a folder; returns its exit code and its output.
fn profile(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = command(folder).arg("profile").args(arguments).output().unwrap();
    (output.status.code(), text(&output))
}

fn root() -> String {
    repository().to_str().unwrap().to_owned()
}

#[test]
fn each_test_of_a_run_has_the_rows_that_it_has_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let root = root();
    let run = ["--", "hallmark", "run", OTHER, PIPELINE, "--root", &root];
    let (code, said) = profile(folder, &[&["-o", "x/table.csv"], run.as_slice()].concat());
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("2 replays on sim"), "{said}");
    assert!(said.contains(&format!("pipe of {PIPELINE}")), "{said}");
    let (_, rows) = rows_of(&folder.join("x/table.csv"));
    for subject in [PIPELINE, OTHER] {
        let (_, alone, _) = table(subject, &[]);
        let own = rows.iter().filter(|row| cell(row, "SUBJECT") == subject);
        let of_device = |row: &crate::Row| {
            let is_host = |name: &str| name.starts_with("HOST") || name == "GLOBAL CALL COUNT";
            let cells = row.iter().filter(|(name, _)| !is_host(name));
            cells.map(|(name, cell)| (name.clone(), cell.clone())).collect::<Vec<_>>()
        };
        let own: Vec<_> = own.map(of_device).collect();
        assert_eq!(own, alone.iter().map(of_device).collect::<Vec<_>>(), "{subject}");
    }
    // A simulator's ticks are the same in each run.
    let against = ["-o", "again.csv", "--against", "x/table.csv", "--timeline", "x.pftrace"];
    let (code, said) = profile(folder, &[against.as_slice(), run.as_slice()].concat());
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("0 operations take longer than in x/table.csv"), "{said}");
    assert!(said.contains("x.pftrace is not written: a timeline is of one replay"), "{said}");
    assert!(!folder.join("x.pftrace").exists());
}

#[test]
fn a_replay_is_profiled_and_its_command_says_how_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let root = root();
    let mut captured = command(folder);
    let captured = captured.args(["capture", PIPELINE, "-o", "p.lmb", "--root", &root]).output();
    assert!(captured.unwrap().status.success());
    let page = ["-o", "t.csv", "--html", "p.html", "--timeline", "p.pftrace"];
    let (code, said) =
        profile(folder, &[page.as_slice(), &["--", "hallmark", "replay", "p.lmb"]].concat());
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("p.lmb on sim"), "{said}");
    assert!(folder.join("p.html").is_file() && folder.join("p.pftrace").is_file());
    let wrong =
        ["--", "hallmark", "replay", "p.lmb", "--device", "misbehaving:flips_bit:wormhole_b0"];
    let (code, said) = profile(folder, &[&["-o", "t.csv"], wrong.as_slice()].concat());
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("hallmark ended with 1"), "{said}");
    assert!(said.contains("wrote t.csv  1 operation"), "{said}");
}

#[test]
fn a_command_that_cannot_be_profiled_is_refused_with_a_way_that_can() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (arguments, code, words) in [
        (["--", "sh", "model.sh"].as_slice(), 2, "`hallmark capture -o FILE -- sh …`"),
        (&["--", "halmark", "run"], 2, "there is no program halmark; name one that is on PATH"),
        (&["--", "./model", "--fast"], 2, "there is no program ./model"),
        (&["--", "./hallmark", "run"], 2, "./hallmark cannot be started: "),
        (&["--", "hallmark", "explain"], 2, "hallmark replayed nothing"),
        (&["--", "hallmark", "profile", "--columns"], 12, "hallmark replayed nothing"),
        (&["--device", "sim", "--", "hallmark", "run"], 2, "give it to the command behind `--`"),
        (&["x.lmb", "--", "hallmark", "run"], 2, "cannot be used with"),
        (
            &["x.lmb", "--markers", "log.csv", "--clock", "999999"],
            2,
            "a --clock of at least 1000000",
        ),
        // The clock is not the mistake in this case.
        (&["x.lmb", "--markers", "log.csv", "--clock", "1000000"], 4, "x.lmb: No such file"),
        (&[], 2, "required"),
    ] {
        let (ended, said) = profile(folder, arguments);
        assert_eq!(ended, Some(code), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
        assert!(!folder.join("results").exists(), "{arguments:?}");
    }
}

/// SIGTERM reaches the command, and no profile results.
#[test]
fn a_command_that_is_stopped_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let script =
        "#!/bin/sh\ntrap 'echo stopped; exit 7' TERM\necho started\nwhile :; do sleep 0.01; done\n";
    std::fs::write(folder.join("cargo"), script).unwrap();
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.join("cargo"), mode).unwrap();
    let mut command = command(folder);
    command.args(["profile", "--", "./cargo"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(said.next().unwrap().unwrap(), "started");
    rustix::process::kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(said.next().unwrap().unwrap(), "stopped");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(7));
    assert!(text(&output).contains("./cargo replayed nothing"), "{}", text(&output));
    assert!(!folder.join("results").exists());
}
