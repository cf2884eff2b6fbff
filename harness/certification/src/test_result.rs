//! A package as an in-toto statement of test results, for tools that do not know Hallmark's packages.
//!
//! The form is
//! [`test-result/v0.1`](https://github.com/in-toto/attestation/blob/main/spec/predicates/test-result.md) in a
//! [Statement v1](https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md). It is not signed.

use std::borrow::Cow;
use std::collections::BTreeMap;

use hallmark_package::{
    CHALLENGE, Digests, LOCK, PROFILE, Package, STATEMENT_TYPE, Statement, SubjectKind,
};
use hallmark_pipeline::verdict::Verdict;
use serde::Serialize;

use super::report::is_failure;
use super::results::{Basis, ResultLine};
use super::verify::{Rejection, Verified};

/// The type of the predicate.
pub const PREDICATE_TYPE: &str = "https://in-toto.io/attestation/test-result/v0.1";

/// A statement of test results with JSON's field names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TestResultStatement {
    #[serde(rename = "_type")]
    statement_type: &'static str,
    subject: Vec<Resource>,
    #[serde(rename = "predicateType")]
    predicate_type: &'static str,
    predicate: Predicate,
}

/// A resource descriptor: a file by its name and its hashes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Resource {
    name: String,
    digest: BTreeMap<&'static str, String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Predicate {
    result: Outcome,
    configuration: Vec<Resource>,
    passed_tests: Vec<String>,
    warned_tests: Vec<String>,
    failed_tests: Vec<String>,
}

/// The overall result of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
enum Outcome {
    Passed,
    Warned,
    Failed,
}

impl TestResultStatement {
    /// The results of a package, recomputed by a verifier. A test that was waived, or that passed in runs which
    /// nobody has repeated, is a warning; a test that the profile skips is in no list.
    ///
    /// # Errors
    /// The rejection, unless the only problem is that the subject fails: no content of such a package is passed
    /// on.
    pub fn of<'a>(
        package: &Package<'_>,
        statement: &Statement,
        claimed: &'a [ResultLine],
        verified: Result<&'a Verified, &'a Rejection>,
    ) -> Result<Self, &'a Rejection> {
        let (results, is_reserved) = match verified {
            Ok(verified) => {
                (Cow::Borrowed(verified.results.as_slice()), !verified.reservations.is_empty())
            }
            // For this rejection, the claimed results equal the computed ones, but for the basis: packages of earlier
            // releases call replayed what the submitter alone has replayed.
            Err(rejection) if rejection.is_of_failure() => {
                let as_claimed = |result: &ResultLine| ResultLine {
                    basis: result.basis.as_claimed(),
                    ..result.clone()
                };
                (claimed.iter().map(as_claimed).collect(), true)
            }
            Err(rejection) => return Err(rejection),
        };
        Ok(Self {
            statement_type: STATEMENT_TYPE,
            subject: subject(statement),
            predicate_type: PREDICATE_TYPE,
            predicate: predicate(configuration(package), &results, is_reserved),
        })
    }
}

fn predicate(configuration: Vec<Resource>, results: &[ResultLine], is_reserved: bool) -> Predicate {
    let [mut passed_tests, mut warned_tests, mut failed_tests] = [const { Vec::new() }; 3];
    for result in results {
        let list = match &result.verdict.0 {
            Verdict::Skipped { .. } => continue,
            _ if is_failure(result) => &mut failed_tests,
            Verdict::Pass if result.basis == Basis::Replayed => &mut passed_tests,
            _ => &mut warned_tests,
        };
        list.push(result.run.to_string());
    }
    let result = if !failed_tests.is_empty() {
        Outcome::Failed
    } else if is_reserved || !warned_tests.is_empty() || passed_tests.is_empty() {
        Outcome::Warned
    } else {
        Outcome::Passed
    };
    Predicate { result, configuration, passed_tests, warned_tests, failed_tests }
}

/// The tested subject, and the manifest of the package as evidence.
fn subject(statement: &Statement) -> Vec<Resource> {
    let tested = &statement.predicate.subject;
    // The hash of firmware covers its files together, and these are subjects themselves.
    let file = tested.hash.filter(|_| tested.kind != SubjectKind::Firmware).map(|hash| Resource {
        name: tested.name.clone(),
        digest: BTreeMap::from([("blake3", hash.to_string())]),
    });
    let files = statement.subject.iter().filter(|subject| subject.name != LOCK);
    let files = files.map(|subject| Resource {
        name: subject.name.clone(),
        digest: BTreeMap::from([
            ("blake3", subject.digest.blake3.to_string()),
            ("sha256", subject.digest.sha256.to_string()),
        ]),
    });
    file.into_iter().chain(files).collect()
}

/// The files that configure the tests.
fn configuration(package: &Package<'_>) -> Vec<Resource> {
    let resource = |name: &str| {
        let digests = Digests::of(package.file(name)?);
        let digest = BTreeMap::from([
            ("blake3", digests.blake3.to_string()),
            ("sha256", digests.sha256.to_string()),
        ]);
        Some(Resource { name: name.to_owned(), digest })
    };
    [PROFILE, LOCK, CHALLENGE].into_iter().filter_map(resource).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(verdict: &str, basis: &str, waiver: Option<&str>, repeat: u32) -> ResultLine {
        let reason = (verdict == "Skipped").then_some("it says so");
        let value = serde_json::json!({
            "run": {
                "test": "wormhole_b0::group::suite::case", "device": "sim", "harvesting": 0,
                "dispatch": "host", "schedule_seed": 0, "repeat": repeat, "pass": "canonical",
            },
            "verdict": match reason {
                Some(reason) => serde_json::json!({ "name": verdict, "reason": reason }),
                None => serde_json::json!({ "name": verdict }),
            },
            "basis": basis, "milliseconds": 1, "waiver": waiver,
        });
        serde_json::from_value(value).unwrap()
    }

    fn outcome(results: &[ResultLine], is_reserved: bool) -> (Outcome, [usize; 3]) {
        let it = predicate(Vec::new(), results, is_reserved);
        let lists = [&it.passed_tests, &it.warned_tests, &it.failed_tests];
        (it.result, lists.map(Vec::len))
    }

    #[test]
    fn nothing_that_needs_an_excuse_is_called_passed() {
        let pass = result("Pass", "replayed", None, 1);
        let asserted = result("Pass", "asserted", None, 2);
        let submitted = result("Pass", "submitted", None, 6);
        let waived = result("Mismatch", "replayed", Some("W-1"), 3);
        let failed = result("Mismatch", "replayed", None, 4);
        let skipped = result("Skipped", "recomputed", None, 5);
        let of = |results: &[&ResultLine], is_reserved| {
            let results: Vec<ResultLine> = results.iter().copied().cloned().collect();
            outcome(&results, is_reserved)
        };
        assert_eq!(of(&[&pass], false), (Outcome::Passed, [1, 0, 0]));
        assert_eq!(of(&[&pass, &skipped], false), (Outcome::Passed, [1, 0, 0]));
        assert_eq!(of(&[&pass], true), (Outcome::Warned, [1, 0, 0]));
        assert_eq!(of(&[&pass, &asserted], false), (Outcome::Warned, [1, 1, 0]));
        assert_eq!(of(&[&pass, &submitted], false), (Outcome::Warned, [1, 1, 0]));
        assert_eq!(of(&[&pass, &waived], false), (Outcome::Warned, [1, 1, 0]));
        assert_eq!(of(&[&pass, &waived, &failed], true), (Outcome::Failed, [1, 1, 1]));
        // If no test ran, none passed.
        for none in [&[] as &[_], &[&skipped]] {
            assert_eq!(of(none, false), (Outcome::Warned, [0, 0, 0]));
        }
    }
}
