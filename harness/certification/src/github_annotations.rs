//! Failures of a package as annotations of a GitHub workflow, each beside the case that demands the test.
//!
//! GitHub shows the first ten of a step; the others are in its log.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hallmark_pipeline::report::annotations::{Annotation, Level};
use hallmark_schema::plural::counted;
use hallmark_suite::name::TestName;

use super::report::is_failure;
use super::results::ResultLine;
use super::verify::{Accounts, lines_about};

/// The largest number of annotations of each kind.
const MOST: usize = 50;
/// The largest number of lines of a failure in an annotation.
const LINES: usize = 6;

/// The position of a test in the suites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestPlace {
    /// The suite's file, below the root.
    pub file: String,
    /// The line of its case, counted from 1.
    pub line: usize,
}

/// Errors for failed tests, and warnings for waived ones; `place` finds the position of a suite's test.
pub fn annotations(
    results: &[ResultLine],
    accounts: &Accounts,
    mut place: impl FnMut(&TestName) -> Option<TestPlace>,
) -> String {
    let mut text = String::new();
    for (level, what, is_shown) in [
        (Level::Error, "more tests fail", is_failure as fn(&ResultLine) -> bool),
        (Level::Warning, "more tests are waived", |result| result.waiver.is_some()),
    ] {
        let mut tests: BTreeMap<&TestName, Vec<&ResultLine>> = BTreeMap::new();
        for result in results.iter().filter(|result| is_shown(result)) {
            tests.entry(&result.run.test).or_default().push(result);
        }
        for (test, runs) in tests.iter().take(MOST) {
            let place = place(test);
            let place = place.as_ref().map(|it| (it.file.as_str(), it.line));
            let (title, message) = (test.to_string(), message(runs, accounts));
            let title = Some(title.as_str());
            // Formatting into a `String` cannot fail.
            let _ = writeln!(text, "{}", Annotation { level, place, title, message: &message });
        }
        if let Some(more) = tests.len().checked_sub(MOST).filter(|more| *more > 0) {
            let message = &format!("{more} {what}");
            let annotation = Annotation { level, place: None, title: None, message };
            let _ = writeln!(text, "{annotation}");
        }
    }
    text
}

/// The results of a test's runs.
fn message(runs: &[&ResultLine], accounts: &Accounts) -> String {
    let mut message = String::new();
    if let Some(first) = runs.first() {
        let verdict = first.verdict.0.name();
        let waived = first.waiver.as_ref().map(|waiver| format!(", waived by {waiver}"));
        let runs = counted(runs.len(), "run", "runs");
        let _ = write!(message, "{verdict} in {runs}{}", waived.unwrap_or_default());
        for line in lines_about(first, accounts).iter().take(LINES) {
            let _ = write!(message, "\n{line}");
        }
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::Account;

    fn result(case: &str, verdict: &str, waiver: Option<&str>, repeat: u32) -> ResultLine {
        let value = serde_json::json!({
            "run": {
                "test": format!("wormhole_b0::group::suite::{case}"), "device": "sim", "harvesting": 0,
                "dispatch": "host", "schedule_seed": 0, "repeat": repeat, "pass": "canonical",
            },
            "verdict": { "name": verdict }, "basis": "replayed", "milliseconds": 1, "waiver": waiver,
            "lines": ["50 % of `out` differs", "::error::a second\r\nline"],
        });
        serde_json::from_value(value).unwrap()
    }

    fn place(test: &TestName) -> Option<TestPlace> {
        let file = "suites/a,b:c.yaml".to_owned();
        (test.case == "one").then_some(TestPlace { file, line: 7 })
    }

    #[test]
    fn each_test_that_fails_has_one_and_its_text_is_no_command() {
        let all = [
            result("one", "Mismatch", None, 1),
            result("one", "Mismatch", None, 2),
            result("two", "Mismatch", Some("W-1"), 1),
            result("three", "Pass", None, 1),
        ];
        // Captures give the lines of the first test. Those of the second are the submitter's alone.
        let account = Account { lines: all[0].lines.clone(), ..Account::default() };
        let accounts = Accounts::from([(all[0].run.clone(), account)]);
        assert_eq!(
            annotations(&all, &accounts, place),
            "::error file=suites/a%2Cb%3Ac.yaml,line=7,title=wormhole_b0%3A%3Agroup%3A%3Asuite%3A%3Aone::Mismatch in 2 runs\
             %0A50 %25 of `out` differs%0A::error::a second␍%0Aline\n\
             ::warning title=wormhole_b0%3A%3Agroup%3A%3Asuite%3A%3Atwo::Mismatch in 1 run, waived by W-1\
             %0AThe submitter's account, which nobody has checked:%0A50 %25 of `out` differs%0A::error::a second␍%0Aline\n"
        );
    }

    #[test]
    fn fifty_are_written_and_the_others_counted() {
        let failures = |count: usize| -> Vec<ResultLine> {
            (0..count).map(|at| result(&format!("case_{at}"), "Mismatch", None, 1)).collect()
        };
        let lines = |count| annotations(&failures(count), &Accounts::new(), place).lines().count();
        assert_eq!(lines(50), 50);
        assert_eq!(lines(51), 51);
        assert!(
            annotations(&failures(53), &Accounts::new(), place)
                .ends_with("\n::error::3 more tests fail\n")
        );
        assert_eq!(annotations(&[], &Accounts::new(), place), "");
    }
}
