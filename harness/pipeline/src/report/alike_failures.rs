//! Failures that are alike: the terminal shows the first of each kind in full, and names or counts the others.
//!
//! Tests that need one kernel that does not compile are alike in the whole run. Other failures are alike within a suite,
//! as HTML reports compare them: two suites may fail with one signature for two reasons.

use std::sync::{Mutex, PoisonError};

use hallmark_schema::plural::counted;
use hallmark_suite::name::TestName;

use super::failure_groups::Likeness;
use super::label;
use super::style::{self, painted};
use crate::TestResult;

/// The number of tests named beside the first one of a kind.
const NAMED: usize = 3;

/// The failures of a run that the terminal has shown.
#[derive(Debug, Default)]
pub struct AlikeFailures {
    kinds: Mutex<Vec<Kind>>,
}

/// Failures that are alike: the first, and the names of the others.
#[derive(Debug)]
struct Kind {
    first: TestResult,
    others: Vec<TestName>,
}

impl Kind {
    fn holds(&self, result: &TestResult) -> bool {
        let first = &self.first;
        if first.broken_kernel.is_some() || result.broken_kernel.is_some() {
            return first.broken_kernel == result.broken_kernel;
        }
        first.name.suite_path() == result.name.suite_path()
            && Likeness::of(first).is_like(&Likeness::of(result))
    }

    /// One line for the tests after the first. `None` if the first is the only one.
    fn closing(&self) -> Option<String> {
        let more = match self.others.len() {
            0 => return None,
            1 => "1 more test fails".to_owned(),
            many => format!("{} fail", counted(many, "more test", "more tests")),
        };
        let heading = painted(style::of(&self.first.verdict), &label(&self.first.verdict));
        if let Some(kernel) = &self.first.broken_kernel {
            return Some(format!(
                "{heading} {more} for the same reason: {} does not compile",
                kernel.source
            ));
        }
        let mut names: Vec<String> =
            self.others.iter().take(NAMED).map(ToString::to_string).collect();
        let unnamed = self.others.len().saturating_sub(names.len());
        if unnamed > 0 {
            names.push(format!("{} (--verbose shows each)", counted(unnamed, "other", "others")));
        }
        Some(format!("{heading} {more} like {}:\n  {}", self.first.name, names.join("\n  ")))
    }
}

impl AlikeFailures {
    /// Notes a failure. `true` for the first of its kind.
    pub fn is_news(&self, result: &TestResult) -> bool {
        let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kind) = kinds.iter_mut().find(|kind| kind.holds(result)) {
            kind.others.push(result.name.clone());
            return false;
        }
        kinds.push(Kind { first: result.clone(), others: Vec::new() });
        true
    }

    /// The tests that were not shown: a text for each kind, in the order of the first ones.
    pub fn closing(&self) -> Vec<String> {
        let kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        kinds.iter().filter_map(Kind::closing).collect()
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::FaultCategory;

    use super::*;
    use crate::signature::Signature;
    use crate::verdict::Verdict;

    /// The kernel API has many rules under one category.
    #[test]
    fn assertions_are_alike_if_their_sentences_are_but_for_numbers() {
        let alike = AlikeFailures::default();
        let assertion = |number: u32, sentence: &str| {
            let name = format!("blackhole::group::one::case::n={number}");
            let mut result = fault(&name, "p");
            result.lines = vec![sentence.to_owned(), format!("at {name}")];
            result.signature = Some(Signature::Fault {
                category: FaultCategory::KernelAssertion,
                program: Some("p".to_owned()),
                processor: None,
                symbol: None,
            });
            result
        };
        let (index, other) = ("tile 16 lies behind Dst", "tile 8 lies behind Dst");
        assert!(alike.is_news(&assertion(1, index)));
        assert!(!alike.is_news(&assertion(2, other)));
        assert!(alike.is_news(&assertion(3, "no init came before")));
        assert!(!alike.is_news(&assertion(4, index)));
    }

    fn fault(name: &str, program: &str) -> TestResult {
        let number = name.len();
        let name = name.parse().unwrap();
        let lines = vec![format!("two stores to {number}")];
        let mut result = TestResult::new(name, Verdict::Fault, Verdict::Fault.exit_code(), lines);
        result.signature = Some(Signature::Fault {
            category: FaultCategory::DataRace,
            program: Some(program.to_owned()),
            processor: None,
            symbol: None,
        });
        result
    }

    #[test]
    fn the_first_of_a_kind_is_shown_and_the_others_are_named() {
        let alike = AlikeFailures::default();
        for (name, program, is_news) in [
            ("blackhole::group::one::case::n=1", "p", true),
            ("blackhole::group::one::case::n=2", "p", false),
            // Another program, another suite.
            ("blackhole::group::one::case::n=3", "q", true),
            ("blackhole::group::two::case::n=4", "p", true),
            ("blackhole::group::one::case::n=5", "p", false),
            ("wormhole_b0::group::one::case::n=6", "p", false),
            ("wormhole_b0::group::one::case::n=7", "p", false),
            ("wormhole_b0::group::one::case::n=8", "p", false),
            ("wormhole_b0::group::two::case::n=9", "p", false),
        ] {
            assert_eq!(alike.is_news(&fault(name, program)), is_news, "{name}");
        }
        // Another rule of the category.
        let mut other = fault("blackhole::group::one::other::n=1", "p");
        other.lines = vec!["a store and a load of 3".to_owned()];
        assert!(alike.is_news(&other));
        let mut waits = fault("blackhole::group::one::case::n=10", "p");
        waits.verdict = Verdict::Deadlock;
        assert!(alike.is_news(&waits));
        let shown: Vec<String> = alike
            .closing()
            .iter()
            .map(|text| anstream::adapter::strip_str(text).to_string())
            .collect();
        assert_eq!(
            shown,
            [
                "FAULT 5 more tests fail like blackhole::group::one::case::n=1:\n  \
                 blackhole::group::one::case::n=2\n  \
                 blackhole::group::one::case::n=5\n  \
                 wormhole_b0::group::one::case::n=6\n  \
                 2 others (--verbose shows each)",
                "FAULT 1 more test fails like blackhole::group::two::case::n=4:\n  \
                 wormhole_b0::group::two::case::n=9",
            ]
        );
    }
}
