//! Failures that come and go: by chance in each run, or by the schedule seed.

use serde_json::Value;
use tempfile::TempDir;

use super::common::repository;
use super::roots::hallmark;

const TEST: &str = "wormhole_b0::queues::again::a_word_changed";

fn bisect(more: &[&str]) -> (i32, String) {
    hallmark(&repository(), &[["bisect", TEST, "--flaky"].as_slice(), more].concat())
}

/// A device that fails now and then, in the same runs each time the test is run one job at a time.
fn by_chance(folder: &TempDir) -> String {
    let runs = folder.path().join("runs");
    format!(
        "misbehaving:forgets_launch:wormhole_b0:nth=2:chance=0.6:seed=2:counter={}",
        runs.display()
    )
}

#[test]
fn a_failure_by_chance_is_looked_for_until_it_shows() {
    let folder = tempfile::tempdir().unwrap();
    let bad = by_chance(&folder);
    let (code, text) = bisect(&["--bad", &bad, "--json", "--budget", "2h", "-j1"]);
    assert_eq!(code, 0, "{text}");
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer.pointer("/first_bad/command"), Some(&10.into()), "{text}");
    let flakiness = answer.pointer("/runs/flakiness").unwrap();
    let number = |name: &str| flakiness.get(name).and_then(Value::as_u64).unwrap();
    assert!(number("bad_runs") >= 20 && number("good_runs") == number("bad_runs"), "{text}");
    assert!(number("bad_failures") >= 1 && number("good_failures") == 0, "{text}");
    // With 20 failures of 20 it would be 3.
    assert!(number("passing_runs") >= 3, "{text}");
    let text = answer.pointer("/text").unwrap().to_string();
    assert!(text.contains(" runs fail, and 0 of "), "{text}");
    assert!(text.contains(" on the good side; sure to 99 %: what passes has passed "), "{text}");
}

#[test]
fn a_failure_by_seed_is_searched_under_a_seed_that_shows_it() {
    let bad = "misbehaving:forgets_launch:wormhole_b0:nth=2:chance=0.2:seed=4";
    let (code, text) = bisect(&["--bad", bad, "--json"]);
    assert_eq!(code, 0, "{text}");
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer.pointer("/first_bad/command"), Some(&10.into()), "{text}");
    let said = answer.pointer("/bad").and_then(Value::as_str).unwrap();
    let seed = said.strip_prefix(&format!("{bad} schedule_seed=")).unwrap();
    assert_ne!(seed, "0", "under the usual seed it does not show");
    // Under one seed nothing comes and goes.
    assert_eq!(answer.pointer("/runs/flakiness"), Some(&Value::Null), "{text}");
}

#[test]
fn a_budget_ends_a_search_with_what_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let (code, text) = bisect(&["--bad", &by_chance(&folder), "--budget", "5", "-j1"]);
    assert_eq!(code, 12, "{text}");
    assert!(text.contains("5 runs were used up; it is one of the commands 0 to 17"), "{text}");
    assert!(text.contains("--budget allows more runs"), "{text}");
}
