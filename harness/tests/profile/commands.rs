//! Profiles of a command: of each replay that it makes.

use std::path::Path;

use crate::common::{command, repository, text};
use crate::{PIPELINE, cell, rows_of, table};

const OTHER: &str = "wormhole_b0::queues::traces::one_program::replays=10::blocking=true::queues=2";

/// Profiles a command in a folder; gives its exit code and what it said.
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
        (["--", "python3", "model.py"].as_slice(), 2, "`hallmark capture -o FILE -- python3 …`"),
        (&["--", "./hallmark", "run"], 2, "./hallmark cannot be started: "),
        (&["--", "hallmark", "explain"], 2, "hallmark replayed nothing"),
        (&["--", "hallmark", "profile", "--columns"], 12, "hallmark replayed nothing"),
        (&["--device", "sim", "--", "hallmark", "run"], 2, "give it to the command behind `--`"),
        (&["x.lmb", "--", "hallmark", "run"], 2, "cannot be used with"),
        (&[], 2, "required"),
    ] {
        let (ended, said) = profile(folder, arguments);
        assert_eq!(ended, Some(code), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
        assert!(!folder.join("results").exists(), "{arguments:?}");
    }
}
