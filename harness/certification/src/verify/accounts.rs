//! The verifier's own accounts of a package's failures: words and pictures, made from its captures.

use std::collections::BTreeMap;

use hallmark_execution::parallel;
use hallmark_package::Package;
use hallmark_report::Picture;

use super::{Rejection, Verified, Verifier};
use crate::results::{ResultLine, RunKey};

/// What stands above the lines that the submitter wrote and no capture gives.
const SUBMITTED: &str = "The submitter's account, which nobody has checked:";

/// What the captures of a result tell about its failure; nothing of a failure that no capture contains.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// The report, one entry per line.
    pub lines: Vec<String>,
    /// Its pictures.
    pub pictures: Box<[Picture]>,
}

/// Accounts of failures, by their runs.
pub type Accounts = BTreeMap<RunKey, Account>;

/// The lines about a failure: those of its captures, then those that the submitter alone gives, under a heading of their own.
pub fn lines_about(result: &ResultLine, accounts: &Accounts) -> Vec<String> {
    let own = accounts.get(&result.run).map(|account| account.lines.as_slice()).unwrap_or_default();
    let submitted = result.lines.iter().filter(|line| !own.contains(line)).cloned();
    let mut submitted = submitted.peekable();
    let heading = submitted.peek().map(|_| SUBMITTED.to_owned());
    own.iter().cloned().chain(heading).chain(submitted).collect()
}

impl Verifier<'_> {
    /// Verifies a package as [`Verifier::verify`] does, and tells its failures from the captures. For a package
    /// that is rejected for other reasons than failed tests, there are no accounts.
    pub fn verify_telling(&self, package: &Package<'_>) -> (Result<Verified, Rejection>, Accounts) {
        let mut accounts = Accounts::new();
        let verified = self.verify_and(package, |recomputation, results| {
            let failures: Vec<&ResultLine> =
                results.iter().filter(|result| result.needs_waiver()).collect();
            let tell = |result: &&ResultLine| {
                Ok::<_, Rejection>((result.run.clone(), recomputation.account(result)))
            };
            // A failure without an account is still a failure.
            let told = parallel::each(&failures, self.jobs, tell).unwrap_or_default();
            accounts = told.into_iter().collect();
        });
        if verified.as_ref().err().is_some_and(|rejection| !rejection.is_of_failure()) {
            accounts.clear();
        }
        (verified, accounts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_the_submitter_says_stands_under_its_heading() {
        let value = serde_json::json!({
            "run": {
                "test": "wormhole_b0::group::suite::case", "device": "sim", "harvesting": 0,
                "dispatch": "host", "schedule_seed": 0, "repeat": 1, "pass": "canonical",
            },
            "verdict": { "name": "Mismatch" }, "basis": "submitted", "milliseconds": 1,
            "lines": ["a", "b"],
        });
        let result: ResultLine = serde_json::from_value(value).unwrap();
        let of = |lines: &[&str]| {
            let lines = lines.iter().map(|line| (*line).to_owned()).collect();
            let account = Account { lines, ..Account::default() };
            lines_about(&result, &Accounts::from([(result.run.clone(), account)]))
        };
        assert_eq!(of(&["a", "b"]), ["a", "b"]);
        assert_eq!(of(&["a", "b", "c"]), ["a", "b", "c"]);
        assert_eq!(of(&["a"]), ["a", SUBMITTED, "b"]);
        assert_eq!(of(&[]), [SUBMITTED, "a", "b"]);
        assert_eq!(lines_about(&result, &Accounts::new()), [SUBMITTED, "a", "b"]);
        let silent = ResultLine { lines: Vec::new(), ..result };
        assert_eq!(lines_about(&silent, &Accounts::new()), [""; 0]);
    }
}
