//! `hallmark run` with a baseline: known failures of a device, from the command line to the reports.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "common/round_trips.rs"]
mod round_trips;

use std::path::Path;
use std::process::Command;

use common::{command, repository, text};
use hallmark_pipeline::baseline::Baseline;
use round_trips::{hallmark, root};

/// A device on which they fail.
const BAD: &str = "misbehaving:flips_bit:wormhole_b0";
const GOOD: &str = "sim:wormhole_b0";

/// Runs the tests on a device.
fn run(root: &Path, device: &str, arguments: &[&str]) -> (i32, String) {
    let common = ["run", "--arch", "wormhole_b0", "-j", "1", "--device", device];
    hallmark(root, &[common.as_slice(), arguments].concat())
}

fn read(root: &Path, file: &str) -> String {
    std::fs::read_to_string(root.join(file)).unwrap()
}

#[test]
fn a_run_writes_its_failures_and_then_succeeds_with_them() {
    let folder = root();
    let root = folder.path();
    // The file changes no exit code of the run that writes it.
    let (code, said) = run(root, BAD, &["--write-baseline", "card.yaml"]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("wrote card.yaml: 3 known failures, 3 new, 0 removed"), "{said}");
    let written = read(root, "card.yaml");
    let reports = ["--report", "a.json", "--report", "a.xml", "--report", "a.html"];
    let with = [["--baseline", "card.yaml"].as_slice(), &reports].concat();
    let (code, said) = run(root, BAD, &with);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("3 known failures  "), "{said}");
    assert!(said.trim_end().ends_with("   baseline card.yaml: 3 known failures"), "{said}");
    assert!(!said.contains("FAIL ") && !said.contains("update "), "{said}");
    let json = read(root, "a.json");
    assert_eq!(json.matches("\"KnownFailure\"").count(), 3, "{json}");
    assert!(json.contains("\"reason\": \"Mismatch, `a` differs: "), "{json}");
    let junit = read(root, "a.xml");
    assert_eq!(junit.matches("<skipped message=\"known failure: Mismatch, ").count(), 3, "{junit}");
    let page = read(root, "a.html");
    assert!(page.contains("Known failures") && page.contains("card.yaml ("), "{page}");
    assert!(junit.contains("<property name=\"baseline\" value=\"card.yaml ("), "{junit}");
    // Where nothing changed, the file stays as it is.
    let (code, said) =
        run(root, BAD, &["--baseline", "card.yaml", "--write-baseline", "card.yaml"]);
    assert_eq!((code, read(root, "card.yaml")), (0, written), "{said}");
    // What the baseline knows is no failed test.
    let (code, said) = run(root, BAD, &["--failed"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("no test failed when it last ran here"), "{said}");
}

#[test]
fn a_baseline_does_not_replace_another() {
    let folder = root();
    let root = folder.path();
    run(root, BAD, &["--write-baseline", "nightly.yaml"]);
    let mine = format!("{}  reason: mine\n", read(root, "nightly.yaml"));
    std::fs::write(root.join("card.yaml"), &mine).unwrap();
    let both = |file| ["--baseline", "nightly.yaml", "--write-baseline", file];
    let (code, said) = run(root, BAD, &both("card.yaml"));
    assert!(code == 2 && said.contains("card.yaml exists, and its entries"), "{code}: {said}");
    assert_eq!(read(root, "card.yaml"), mine);
    for file in ["./nightly.yaml", "new.yaml"] {
        let (code, said) = run(root, BAD, &both(file));
        assert_eq!(code, 0, "{said}");
        assert_eq!(read(root, file), read(root, "nightly.yaml"));
    }
}

#[test]
fn what_the_baseline_does_not_know_fails_and_is_named() {
    let folder = root();
    let root = folder.path();
    run(root, BAD, &["--write-baseline", "card.yaml"]);
    let written = read(root, "card.yaml");
    let first = written.replacen("mask: 1", "mask: 2", 1);
    let without_last = first.rsplit_once("- test:").unwrap().0;
    std::fs::write(root.join("card.yaml"), without_last).unwrap();
    let (code, said) = run(root, BAD, &["--baseline", "card.yaml"]);
    assert_eq!(code, 1, "{said}");
    let name = |pages| format!("wormhole_b0::group::suite::round_trip::pages={pages}");
    let bit = |mask: &str| format!("Mismatch, `a` differs: flipped bits of words, 0x0000000{mask}");
    for words in [
        "   baseline card.yaml: 1 known failure, 1 new failure, 1 changed failure\n".to_owned(),
        format!("     new       {}  {}\n", name(3), bit("1")),
        format!("     changed   {}  {}; known: {}\n", name(1), bit("1"), bit("2")),
        "     update    the same command with --write-baseline card.yaml".to_owned(),
        format!("  card.yaml:4 knows another failure: {}\n", bit("2")),
    ] {
        assert!(said.contains(&words), "{words}: {said}");
    }
    // A test that was not selected is not judged, and its entry stays.
    let (code, said) = run(root, BAD, &["--filter", "*pages=2", "--baseline", "card.yaml"]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = run(root, GOOD, &["--baseline", "card.yaml"]);
    assert_eq!(code, 1, "{said}");
    for words in [
        format!("UNEXPECTED PASS {}\n  it passed, and card.yaml:4 knows a failure: ", name(1)),
        "   baseline card.yaml: 0 known failures, 2 unexpected passes\n".to_owned(),
        format!("     passes    {}  known: {}\n", name(2), bit("1")),
    ] {
        assert!(said.contains(&words), "{words}: {said}");
    }
    let filter = ["--filter", "*pages=2", "--write-baseline", "card.yaml"];
    let (code, said) = run(root, GOOD, &filter);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("wrote card.yaml: 1 known failure, 0 new, 1 removed"), "{said}");
    assert!(read(root, "card.yaml").contains(&name(1)));
}

#[test]
fn a_flake_and_a_check_by_name_are_known() {
    let folder = root();
    let root = folder.path();
    let entry = |pages, more: &str| {
        format!("- {{ test: 'wormhole_b0::group::suite::round_trip::pages={pages}', {more} }}\n")
    };
    let any = "verdict: Mismatch, flaky: true, reason: the board's DRAM";
    let entries: String = [1, 2, 3].map(|pages| entry(pages, any)).concat();
    std::fs::write(root.join("card.yaml"), format!("known_failures:\n{entries}")).unwrap();
    let (code, said) = run(root, GOOD, &["--baseline", "card.yaml"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.trim_end().ends_with("0 known failures, 3 flakes passed"), "{said}");
    let (code, said) = run(root, BAD, &["--baseline", "card.yaml", "--report", "a.json"]);
    assert_eq!(code, 0, "{said}");
    assert!(read(root, "a.json").contains("0x00000001; the board's DRAM\""));
    let other = format!("known_failures:\n{}", entry(1, "verdict: DataRace, reason: why not"));
    std::fs::write(root.join("card.yaml"), other).unwrap();
    let (code, said) = run(root, BAD, &["--baseline", "card.yaml"]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("1 changed failure") && said.contains("; known: DataRace"), "{said}");
}

#[test]
fn a_known_failure_stops_nothing_and_a_new_one_does() {
    let folder = root();
    let root = folder.path();
    let two = ["--exclude", "*pages=2", "--write-baseline", "card.yaml"];
    run(root, BAD, &two);
    let (code, said) = run(root, BAD, &["--baseline", "card.yaml", "--fail-fast"]);
    assert_eq!(code, 1, "{said}");
    let words = "--fail-fast stopped after 2 of 3 tests: 1 failed as known, 1 did not pass, \
                 1 did not run";
    assert!(said.contains(words), "{said}");
    let (code, said) = run(root, BAD, &["--fail-fast", "--write-baseline", "card.yaml"]);
    assert!(code == 2 && said.contains("cannot be used with"), "{said}");
}

#[test]
fn shards_with_a_baseline_become_one_report() {
    let folder = root();
    let root = folder.path();
    run(root, BAD, &["--write-baseline", "card.yaml"]);
    std::fs::write(root.join(".gitignore"), "*.json\n/target/\n").unwrap();
    for arguments in [["init", "-q"].as_slice(), &["add", "-A"], &["commit", "-q", "-m", "tests"]] {
        let identity = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.com"];
        let git = Command::new("git").args(identity).args(arguments).current_dir(root).output();
        let git = git.unwrap();
        assert!(git.status.success(), "{}", text(&git));
    }
    for (shard, report) in [("1/2", "1.json"), ("2/2", "2.json")] {
        let arguments = ["--baseline", "card.yaml", "--shard", shard, "--report", report];
        let (code, said) = run(root, BAD, &arguments);
        assert_eq!(code, 0, "{said}");
    }
    let merge = ["report", "merge", "1.json", "2.json", "--output", "both.json"];
    let (code, said) = hallmark(root, &merge);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("3 known failures  "), "{said}");
    let both = read(root, "both.json");
    assert_eq!(both.matches("\"reason\": \"Mismatch, `a` differs: ").count(), 3);
    assert!(both.contains("\"file\": \"card.yaml\""), "{both}");
    // The failures that are known must be the same in every shard.
    let card = read(root, "card.yaml");
    for (baseline, words) in [
        (
            Some(card.replacen("verdict", "reason: one of them\n  verdict", 1)),
            "2.json is of the baseline ",
        ),
        (None, "2.json is of no baseline, 1.json of the baseline "),
    ] {
        let mut arguments = vec!["--shard", "2/2", "--report", "2.json"];
        if let Some(text) = baseline {
            std::fs::write(root.join("target/other.yaml"), text).unwrap();
            arguments.extend(["--baseline", "target/other.yaml"]);
        }
        run(root, BAD, &arguments);
        let (code, said) = hallmark(root, &merge);
        assert!(code == 2 && said.contains(words), "{said}");
    }
}

#[test]
fn an_annotation_is_of_what_the_baseline_does_not_know() {
    let folder = root();
    let root = folder.path();
    run(root, BAD, &["--exclude", "*pages=2", "--write-baseline", "card.yaml"]);
    let run = ["run", "--arch", "wormhole_b0", "--device", BAD, "--baseline", "card.yaml"];
    let output = command(root).args(run).env("GITHUB_ACTIONS", "true").output().unwrap();
    let said = text(&output);
    let annotations: Vec<&str> = said.lines().filter(|line| line.starts_with("::")).collect();
    let [annotation] = annotations.as_slice() else { panic!("{said}") };
    assert!(annotation.starts_with("::error ") && annotation.contains("pages=2"), "{said}");
}

#[test]
fn the_example_of_the_documentation_is_a_baseline() {
    let page = std::fs::read_to_string(repository().join("suites/FAILURES.md")).unwrap();
    let (_, after) = page.split_once("known_failures:").unwrap();
    let (entries, _) = after.split_once("```").unwrap();
    let example =
        Baseline::of_text("example.yaml".to_owned(), &format!("known_failures:{entries}"));
    assert_eq!(example.unwrap_or_else(|error| panic!("{error}")).len(), 3);
}

#[test]
fn a_baseline_is_wrong_before_anything_runs() {
    let folder = root();
    let root = folder.path();
    let stale = "known_failures:\n- { test: 'wormhole_b0::group::suite::round_trip::pages=4', verdict: Hang }\n";
    let large = format!("known_failures: [] # {}", "x".repeat(4 << 20));
    for (content, words) in [
        (stale, "card.yaml:2:3\n"),
        ("known_failure: []\n", "did you mean `known_failures`?"),
        (&large, "card.yaml is no baseline: it cannot be read: it has more than 4194304 B; "),
    ] {
        std::fs::write(root.join("card.yaml"), content).unwrap();
        let (code, said) = run(root, BAD, &["--baseline", "card.yaml"]);
        assert!(code == 2 && said.contains(words), "{said}");
        assert!(!said.contains("1 test"), "{said}");
    }
    // At the limit the file is read.
    let limit = large.get(..4 << 20).unwrap();
    std::fs::write(root.join("card.yaml"), limit).unwrap();
    let (code, said) = run(root, GOOD, &["--baseline", "card.yaml"]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = run(root, BAD, &["--baseline", "absent.yaml"]);
    assert!(
        code == 2 && said.contains("`hallmark run --write-baseline FILE` writes one"),
        "{said}"
    );
    // A run that renews the file leaves out entries of tests that are gone.
    std::fs::write(root.join("card.yaml"), stale).unwrap();
    let (code, said) = run(root, GOOD, &["--write-baseline", "card.yaml"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("1 entry left out, because their tests no longer exist"), "{said}");
    assert!(read(root, "card.yaml").ends_with("known_failures: []\n"));
    std::fs::create_dir(root.join("folder")).unwrap();
    let (code, said) = run(root, GOOD, &["--write-baseline", "folder"]);
    assert!(code == 2 && said.contains("folder cannot be written"), "{said}");
    // A certification has waivers instead.
    let (code, said) = hallmark(root, &["certify", "p", "--baseline", "card.yaml"]);
    assert!(code == 2 && said.contains("unexpected argument '--baseline'"), "{said}");
}
