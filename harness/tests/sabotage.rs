//! The suites' own test: a build that holds deliberate defects, each of which a suite test must catch.
//!
//! `cargo nextest run -p hallmark --features sabotage --test sabotage`; `--no-capture` shows the list.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "sabotage/list.rs"]
mod list;

use std::collections::BTreeSet;
use std::path::Path;

use common::{command, text};
use hallmark_chip::sabotage::{Defect, VARIABLE};

/// Exit code and everything that was said of tests by name, with the repository's suites and goldens
/// in a root that keeps what fails.
fn run(defect: Option<Defect>, tests: &[&str]) -> (i32, String) {
    let root = tempfile::tempdir().unwrap();
    for folder in ["suites", "goldens"] {
        let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
        std::os::unix::fs::symlink(ours, root.path().join(folder)).unwrap();
    }
    let mut command = command(root.path());
    command.arg("run").args(tests);
    if let Some(defect) = defect {
        command.env(VARIABLE, defect.name());
    }
    let output = command.output().unwrap();
    (output.status.code().unwrap(), text(&output))
}

#[test]
fn without_a_defect_the_tests_of_the_list_pass() {
    let tests: BTreeSet<&str> =
        Defect::ALL.iter().filter_map(|&defect| list::caught_by(defect)).collect();
    let tests: Vec<&str> = tests.into_iter().collect();
    let (code, text) = run(None, &tests);
    assert_eq!(code, 0, "{text}");
}

#[test]
fn every_defect_is_caught_by_the_test_that_the_list_names() {
    let mut missed = Vec::new();
    let mut uncaught = 0;
    for &defect in Defect::ALL {
        let Some(test) = list::caught_by(defect) else {
            println!("{:<28} no test catches it yet", defect.name());
            uncaught += 1;
            continue;
        };
        let (code, text) = run(Some(defect), &[test]);
        // 2, 7 and 8 say that nothing was tested, 3 that the suite is wrong.
        let caught = !matches!(code, 0 | 2 | 3 | 7 | 8) && text.contains(test);
        let verdict = text.lines().next().unwrap_or_default();
        let verdict = verdict.split_whitespace().next().unwrap_or_default();
        println!("{:<28} {:<12} {test}", defect.name(), if caught { verdict } else { "MISSED" });
        if !caught {
            missed.push(format!("{} ({}) by {test}: {text}", defect.name(), defect.what().trim()));
        }
    }
    let planted = Defect::ALL.len();
    println!("{} of {planted} caught", planted - missed.len() - uncaught);
    assert!(missed.is_empty(), "not caught:\n{}", missed.join("\n"));
}
