//! A baseline after a run: the failures that the run showed, and the entries of tests that did not run.

use std::collections::BTreeMap;

use hallmark_suite::language::TestFailure;
use hallmark_suite::mistake::Span;
use hallmark_suite::name::TestName;
use hallmark_suite::read::Choice as _;
use serde::Serialize;

use super::{Baseline, KnownFailure, Standing};
use crate::signature::Signature;
use crate::test_result::TestResult;
use crate::verdict::Verdict;

/// The first lines of a file.
const HEADER: &str = "# Known failures of a device, for `hallmark run --baseline FILE`. `--write-baseline FILE` renews this file and keeps
# the reasons of failures that stay. An entry may be `flaky: true`.
";

/// A baseline that was made from a run.
#[derive(Clone, Debug)]
pub struct Renewed {
    /// The new baseline.
    pub baseline: Baseline,
    /// How it differs from the one before.
    pub changes: Changes,
}

/// How a renewed baseline differs from the one before, in numbers of entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Entries that were not there before.
    pub added: usize,
    /// Entries that are no longer there.
    pub removed: usize,
    /// Tests whose failure says nothing about a device, such as a golden that is absent.
    pub unknowable: usize,
}

#[derive(Serialize)]
struct FileText<'a> {
    known_failures: Vec<EntryText<'a>>,
}

/// The fields of an entry, in the order of the file.
#[derive(Serialize)]
struct EntryText<'a> {
    test: String,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<&'a Signature>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    flaky: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

impl Baseline {
    /// The baseline after a run, whether or not this one judged the run. Entries of tests that did not run stay.
    /// `earlier` holds the results before retries.
    pub fn renewed(
        &self,
        results: &[TestResult],
        earlier: &BTreeMap<TestName, Vec<TestResult>>,
    ) -> Renewed {
        let mut known = self.known.clone();
        let mut unknowable = 0_usize;
        for result in results {
            let earlier = earlier.get(&result.name).map_or(&[][..], Vec::as_slice);
            let Some(entries) = self.after(result, earlier) else {
                unknowable = unknowable.saturating_add(1);
                continue;
            };
            if entries.is_empty() {
                known.remove(&result.name);
            } else {
                known.insert(result.name.clone(), entries);
            }
        }
        let changes = Changes {
            added: missing(&self.known, &known),
            removed: missing(&known, &self.known),
            unknowable,
        };
        Renewed { baseline: Self { source: None, known }, changes }
    }

    /// The entries of a test after a run of it; `None` if its failure says nothing about the device.
    fn after(&self, result: &TestResult, earlier: &[TestResult]) -> Option<Vec<KnownFailure>> {
        let before = self.of(&result.name);
        let mut entries = match self.standing(result) {
            Standing::Known | Standing::FlakePassed | Standing::Unlisted => before.to_vec(),
            Standing::Passes => Vec::new(),
            Standing::New | Standing::Changed => {
                let flaky = before.iter().filter(|known| known.is_flaky);
                flaky.cloned().chain([KnownFailure::of(result)?]).collect()
            }
        };
        // Retries that ended otherwise show that the test is flaky.
        for run in earlier {
            if let Some(failure) = KnownFailure::of(run)
                && !entries.iter().any(|known| known.is(run))
            {
                entries.push(failure);
            }
        }
        let ends_otherwise =
            |run: &TestResult| entries.first().is_some_and(|one| !is_known_by(one, run));
        let ran_again = !earlier.is_empty();
        if entries.len() > 1 || ran_again && earlier.iter().chain([result]).any(ends_otherwise) {
            entries.iter_mut().for_each(|entry| entry.is_flaky = true);
        }
        entries.sort_by(|one, other| one.order().cmp(&other.order()));
        Some(entries)
    }

    /// The text of the file: sorted, and the same for the same failures.
    ///
    /// # Errors
    /// None that a baseline can cause.
    pub fn text(&self) -> Result<String, serde_saphyr::ser::Error> {
        let entries = self.known.iter().flat_map(|(test, known)| {
            known.iter().map(|known| EntryText {
                test: test.to_string(),
                verdict: known.failure.name(),
                signature: known.signature.as_ref(),
                flaky: known.is_flaky,
                reason: known.reason.as_deref(),
            })
        });
        let file = FileText { known_failures: entries.collect() };
        Ok(format!("{HEADER}{}", serde_saphyr::to_string(&file)?))
    }
}

/// Whether a result is a known failure, judged or not.
fn is_known_by(known: &KnownFailure, result: &TestResult) -> bool {
    matches!(result.verdict, Verdict::KnownFailure { .. }) || known.is(result)
}

/// How many entries of the second map the first lacks.
fn missing(
    of: &BTreeMap<TestName, Vec<KnownFailure>>,
    entries: &BTreeMap<TestName, Vec<KnownFailure>>,
) -> usize {
    let lacks = |test: &TestName, entry: &KnownFailure| {
        let known = of.get(test).map_or(&[][..], Vec::as_slice);
        !known.iter().any(|known| known.order() == entry.order())
    };
    let all = entries.iter().flat_map(|(test, of_test)| of_test.iter().map(move |it| (test, it)));
    all.filter(|(test, entry)| lacks(test, entry)).count()
}

impl KnownFailure {
    /// The entry of a result, if it is a failure that says something about the device. The signature holds what is
    /// compared, so that the same failure gives the same text.
    fn of(result: &TestResult) -> Option<Self> {
        Some(Self {
            failure: TestFailure::from_name(result.verdict.name())?,
            signature: result.signature.as_ref().map(Signature::compared),
            is_flaky: false,
            reason: None,
            span: Span::default(),
        })
    }

    /// The failure itself, by which entries of one test are sorted.
    fn order(&self) -> (&'static str, Option<&Signature>) {
        (self.failure.name(), self.signature.as_ref())
    }
}
