//! `hallmark bless --review`: goldens are decided one by one, and what is accepted outlives the end of the command.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "common/round_trips.rs"]
mod round_trips;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Stdio};

use common::{command, repository, text};
use round_trips::{SUITE, hallmark};
use rustix::process::{Pid, Signal, kill_process};

/// A root in which blessing would change the goldens of two tests and remove that of a third.
fn root() -> tempfile::TempDir {
    let folder = round_trips::root();
    let changed = SUITE.replace("seed: 1", "seed: 2").replace("[1, 2, 3]", "[1, 2]");
    std::fs::write(folder.path().join("suites/group/suite.yaml"), changed).unwrap();
    folder
}

fn goldens(root: &Path) -> [Option<Vec<u8>>; 3] {
    let folder = root.join("goldens/wormhole_b0/group/suite/round_trip");
    [1, 2, 3].map(|pages| std::fs::read(folder.join(format!("pages={pages}.lmb"))).ok())
}

fn begin(root: &Path, arguments: &[&str]) -> Child {
    command(root)
        .args(["bless", "--review", "--arch", "wormhole_b0"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The exit code, the output, and which goldens have changed.
fn review(root: &Path, answers: &str) -> (i32, String, [bool; 3]) {
    let before = goldens(root);
    let mut review = begin(root, &[]);
    // The review may end before it has read every answer.
    let _ = review.stdin.take().unwrap().write_all(answers.as_bytes());
    let output = review.wait_with_output().unwrap();
    let after = goldens(root);
    let changed = [0, 1, 2].map(|golden| before.get(golden) != after.get(golden));
    (output.status.code().unwrap(), text(&output), changed)
}

#[test]
fn each_answer_decides_one_golden() {
    for (answers, code, changed, score) in [
        ("a\na\na\n", 0, [true, true, true], "3 accepted, 0 rejected, 0 skipped\n"),
        ("accept\nR\ns\n", 1, [true, false, false], "1 accepted, 1 rejected, 1 skipped\n"),
        ("s\nq\n", 0, [false, false, false], "0 accepted, 0 rejected, 1 skipped, 2 not reviewed\n"),
        (
            "r\na\nq\n",
            1,
            [false, true, false],
            "1 accepted, 1 rejected, 0 skipped, 1 not reviewed\n",
        ),
        ("s\ns\na", 0, [false, false, true], "1 accepted, 0 rejected, 2 skipped\n"),
    ] {
        let folder = root();
        let reviewed = review(folder.path(), answers);
        assert!(
            reviewed.1.contains(&format!("\n3 goldens: {score}")),
            "{answers:?}: {}",
            reviewed.1
        );
        assert_eq!((reviewed.0, reviewed.2), (code, changed), "{answers:?}: {}", reviewed.1);
    }
}

#[test]
fn a_golden_is_shown_with_its_difference_until_a_line_is_an_answer() {
    let folder = root();
    let (code, said, changed) = review(folder.path(), "\n?\nyes\nq\n");
    assert_eq!((code, changed), (0, [false; 3]), "{said}");
    assert_eq!(
        said.matches("1 of 3  change goldens/wormhole_b0/group/suite/round_trip/pages=1.lmb")
            .count(),
        1
    );
    assert!(said.contains("data.generator.seed 1 → 2"), "{said}");
    assert!(
        said.contains("  r  reject: the golden stays as it is, and the command ends with 1\n"),
        "{said}"
    );
    assert_eq!(said.matches("Write one letter").count(), 2, "{said}");
    assert!(!said.contains("2 of 3"), "{said}");
}

#[test]
fn without_answers_the_review_ends_and_says_what_was_done() {
    let folder = root();
    for (answers, words, changed) in [
        ("", "standard input is at its end; 3 goldens: 0 accepted, ", [false; 3]),
        (
            &"\n".repeat(10),
            "`` is not an answer, and neither were the lines before it; ",
            [false; 3],
        ),
        (&"x".repeat(100_000), "standard input is at its end; 3 goldens: 0 accepted, ", [false; 3]),
        ("a\n", "standard input is at its end; 3 goldens: 1 accepted, ", [true, false, false]),
    ] {
        let (code, said, did) = review(folder.path(), answers);
        assert_eq!((code, did), (2, changed), "{said}");
        assert!(said.contains(words), "{said}");
    }
    // Nine lines that are no answer, and one that is.
    let (code, said, _) = review(folder.path(), &format!("{}q\n", "\n".repeat(9)));
    assert_eq!(code, 0, "{said}");
    for other in ["--yes", "--dry-run"] {
        let (code, said) = hallmark(folder.path(), &["bless", "--review", other]);
        assert!(code == 2 && said.contains("cannot be used with"), "{said}");
    }
}

/// Nobody sees what would be accepted.
#[test]
fn a_review_that_is_not_shown_decides_nothing() {
    let folder = root();
    let before = goldens(folder.path());
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let (reader, closed) = std::io::pipe().unwrap();
    drop(reader);
    for stdout in [Stdio::from(full), Stdio::from(closed)] {
        let mut review = command(folder.path());
        let review = review.args(["bless", "--review", "--arch", "wormhole_b0"]);
        let mut review =
            review.stdin(Stdio::piped()).stdout(stdout).stderr(Stdio::piped()).spawn().unwrap();
        let _ = review.stdin.take().unwrap().write_all(b"a\na\na\n");
        let output = review.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(9), "{}", text(&output));
        let words = "the review was not shown; 3 goldens: 0 accepted, ";
        assert!(text(&output).contains(words), "{}", text(&output));
        assert_eq!(goldens(folder.path()), before);
    }
}

/// A line is one answer however long it is, so that its end decides nothing.
#[test]
fn the_end_of_a_long_line_is_no_answer() {
    let folder = root();
    let (code, said, changed) = review(folder.path(), &format!("x{}a\nq\n", "x".repeat(4095)));
    assert_eq!((code, changed), (0, [false; 3]), "{said}");
    assert_eq!(said.matches("Write one letter").count(), 1, "{said}");
}

#[test]
fn where_nothing_changes_nothing_is_asked() {
    let folder = root();
    hallmark(folder.path(), &["bless", "--yes", "--arch", "wormhole_b0"]);
    let (code, said, changed) = review(folder.path(), "");
    assert_eq!((code, changed), (0, [false; 3]), "{said}");
    assert!(
        said.contains("2 tests, 0 goldens to change, 0 refused; nothing was written"),
        "{said}"
    );
}

#[test]
fn a_test_that_fails_keeps_its_exit_code_beside_the_decisions() {
    let folder = root();
    let suite = folder.path().join("suites/group/suite.yaml");
    let refused = "  refused:
    about: A wrong expectation.
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out, blocking: true }
    expect:
      - equal: [out, { constant: uint32, value: 5 }]
";
    let text = std::fs::read_to_string(&suite).unwrap();
    std::fs::write(&suite, text + refused).unwrap();
    let (code, said, changed) = review(folder.path(), "s\ns\na\n");
    assert_eq!((code, changed), (1, [false, false, true]), "{said}");
    assert!(said.contains("REFUSED wormhole_b0::group::suite::refused"), "{said}");
}

/// A signal, and what a process says that it ended.
#[test]
fn what_was_accepted_outlives_a_signal() {
    for (signal, code) in
        [(Signal::INT, Some(130)), (Signal::TERM, Some(130)), (Signal::KILL, None)]
    {
        let folder = root();
        let before = goldens(folder.path());
        let mut review = begin(folder.path(), &[]);
        let mut answers = review.stdin.take().unwrap();
        answers.write_all(b"a\n").unwrap();
        let mut lines = BufReader::new(review.stdout.take().unwrap()).lines();
        assert!(lines.by_ref().any(|line| line.unwrap().contains("2 of 3  change ")));
        kill_process(Pid::from_child(&review), signal).unwrap();
        let rest: Vec<String> = lines.map(|line| line.unwrap()).collect();
        assert_eq!(review.wait().unwrap().code(), code);
        drop(answers);
        let after = goldens(folder.path());
        assert_eq!(before.map(|it| it.is_some()), after.clone().map(|it| it.is_some()));
        let (run, said) = hallmark(folder.path(), &["run", "*pages=1", "--arch", "wormhole_b0"]);
        assert_eq!(run, 0, "{said}");
        if code.is_some() {
            let words =
                "stopped the review; 3 goldens: 1 accepted, 0 rejected, 0 skipped, 2 not reviewed";
            assert!(rest.concat().contains(words), "{rest:?}");
        }
    }
}

#[test]
fn the_documentation_names_the_review() {
    let page = std::fs::read_to_string(repository().join("CONTRIBUTING.md")).unwrap();
    assert!(page.contains("`--review`"));
}
