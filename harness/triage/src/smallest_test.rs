//! The smallest test of a case with the same failure, in the terms of its suite.
//!
//! First the points of the case's matrix are tried, the smallest first. Then the numbers of the point found are
//! reduced, both parameters and variables, whether or not the matrix contains them. The suite's model
//! determines the right results, so no other device is needed.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use hallmark_execution::interrupt;
use hallmark_pipeline::signature::{MatchLevel, Signature};
use hallmark_pipeline::verdict::Verdict;
use hallmark_pipeline::{JudgedCapture, Settings, captured_and_judged};
use hallmark_suite::bound::BoundTest;
use hallmark_suite::discover::SelectedTest;
use hallmark_suite::mistake::SuiteMistakes;
use hallmark_suite::name::TestName;
use hallmark_suite::narrowed::NarrowedCase;

use super::reduce::Cost;

/// The largest number of rounds over all numbers while one is reduced.
const ROUNDS: usize = 64;

/// A search for the smallest test.
pub struct SmallestTestSearch<'a> {
    /// The settings under which tests fail.
    pub bad: &'a Settings,
    /// The settings of the good side, if there is one.
    pub good: Option<&'a Settings>,
    /// The failing test.
    pub test: &'a SelectedTest,
    /// The failure that must stay; `None` for the failure of the test itself.
    pub sought: Option<Signature>,
    /// The level at which two failures count as the same.
    pub level: MatchLevel,
    /// The time limit of a run.
    pub timeout: Duration,
    /// The time at which the search ends with its present result.
    pub deadline: Option<Instant>,
    /// The number of parallel tests, at least 1.
    pub jobs: usize,
}

/// The smallest test with the same failure.
#[derive(Clone, Debug)]
pub struct SmallestTest {
    /// The point of the matrix, by its test's name.
    pub point: TestName,
    /// The case at this point, with the changed numbers.
    pub case: NarrowedCase,
    /// The resulting test.
    pub test: SelectedTest,
    /// The calls of the test.
    pub bound: BoundTest,
    /// The signature of its failure.
    pub signature: Signature,
    /// The numbers that differ from those of the point, by name: before and after.
    pub changed: BTreeMap<String, (i128, i128)>,
    /// The cost of the original test.
    pub before: Cost,
    /// The cost of this test.
    pub after: Cost,
    /// The number of the case's points.
    pub points: usize,
    /// The number of tests run on the failing side.
    pub runs: u64,
    /// Whether all possibilities were tried.
    pub is_complete: bool,
}

/// A search without a result.
#[derive(Debug, thiserror::Error)]
pub enum SmallestTestError {
    /// The suite is wrong.
    #[error(transparent)]
    Mistakes(#[from] SuiteMistakes),
    /// The test does not fail by the model of its suite.
    #[error("the bad side does what the suite expects")]
    Passes,
    /// The test has another failure than the given one.
    #[error("the bad side fails otherwise: {0}")]
    Other(Signature),
    /// The test fails on the good side too.
    #[error("the good side fails, too: {0}")]
    GoodFails(String),
    /// The test gives no answer.
    #[error("{0}")]
    CannotTell(String),
    /// A signal requested the end.
    #[error("interrupted")]
    Interrupted,
}

/// The result of a test.
enum Outcome {
    Fails(Signature),
    Passes,
    CannotTell(String),
}

/// A test to try.
struct Candidate {
    case: NarrowedCase,
    test: SelectedTest,
    bound: BoundTest,
    cost: Cost,
}

/// The progress of a search.
struct Progress<'a> {
    /// Called after every test.
    asked: &'a mut dyn FnMut(&TestName) -> ControlFlow<()>,
    runs: u64,
    is_stopped: bool,
}

impl Progress<'_> {
    /// Counts a test that was run.
    fn ran(&mut self, name: &TestName) {
        self.runs = self.runs.saturating_add(1);
        self.is_stopped |= (self.asked)(name).is_break();
    }
}

/// A test with the sought failure.
struct Failing {
    candidate: Candidate,
    signature: Signature,
}

impl SmallestTestSearch<'_> {
    /// Runs the search. `asked` is called with the name of every test that was run; a break ends the search
    /// with its present result.
    ///
    /// # Errors
    /// [`SmallestTestError`]: the test does not have the sought failure.
    pub fn run(
        &self,
        asked: &mut dyn FnMut(&TestName) -> ControlFlow<()>,
    ) -> Result<SmallestTest, SmallestTestError> {
        let mut progress = Progress { asked, runs: 0, is_stopped: false };
        let whole = self.whole(&mut progress)?;
        let sought = self.sought.clone().unwrap_or_else(|| whole.signature.clone());
        let before = whole.candidate.cost;
        let tests = self.test.suite().tests(&[self.test.name.architecture]);
        let tests: Vec<SelectedTest> =
            tests.into_iter().filter(|test| test.name.case == self.test.name.case).collect();
        let points = tests.len();
        let of_point = self.smallest_point(tests, before, &sought, &mut progress).unwrap_or(whole);
        let point = of_point.candidate.test.name.clone();
        let numbers = of_point.candidate.case.numbers();
        let Failing { candidate, signature } =
            self.with_smaller_numbers(of_point, &sought, &mut progress);
        let after = candidate.case.numbers();
        let changed = numbers.into_iter().filter_map(|(name, before)| {
            let after = *after.get(&name)?;
            (after != before).then_some((name, (before, after)))
        });
        Ok(SmallestTest {
            point,
            signature,
            changed: changed.collect(),
            before,
            after: candidate.cost,
            points,
            runs: progress.runs,
            is_complete: !self.is_over(&progress),
            case: candidate.case,
            test: candidate.test,
            bound: candidate.bound,
        })
    }

    /// The original test, which must have the sought failure.
    fn whole(&self, progress: &mut Progress<'_>) -> Result<Failing, SmallestTestError> {
        let Some(candidate) = self.candidate(self.test)? else {
            let text = "the text of its suite changed while it was read; run the command again";
            return Err(SmallestTestError::CannotTell(text.to_owned()));
        };
        let signature = match self.outcome(self.bad, &candidate.bound) {
            Outcome::Fails(signature) => signature,
            Outcome::Passes => return Err(SmallestTestError::Passes),
            Outcome::CannotTell(_) if interrupt::requested() => {
                return Err(SmallestTestError::Interrupted);
            }
            Outcome::CannotTell(reason) => return Err(SmallestTestError::CannotTell(reason)),
        };
        progress.ran(&self.test.name);
        let is_sought =
            self.sought.as_ref().is_none_or(|sought| sought.matches(&signature, self.level));
        if !is_sought {
            return Err(SmallestTestError::Other(signature));
        }
        match self.good_fails(&candidate.bound) {
            None => Ok(Failing { candidate, signature }),
            Some(reason) => Err(SmallestTestError::GoodFails(reason)),
        }
    }

    /// The smallest of these tests with the sought failure and a cost below `cost`, if there is one.
    fn smallest_point(
        &self,
        tests: Vec<SelectedTest>,
        cost: Cost,
        sought: &Signature,
        progress: &mut Progress<'_>,
    ) -> Option<Failing> {
        let mut smaller: Vec<(Cost, SelectedTest)> = Vec::new();
        for test in tests {
            let chip = self.bad.workers.test_executors(test.name.architecture).chip;
            // Data are generated only for tests that are run.
            let measured = test.measure_on(chip).ok().map(|test| Cost::of_test(&test));
            smaller.extend(measured.filter(|it| *it < cost).map(|cost| (cost, test)));
        }
        smaller.sort_by_key(|(cost, _)| *cost);
        for group in smaller.chunks(self.jobs.max(1)) {
            if self.is_over(progress) {
                return None;
            }
            let candidates = group.iter().filter_map(|(_, test)| self.candidate(test).ok()?);
            let found = self.first(candidates.collect(), sought, progress);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The case with reduced numbers, as long as it has the sought failure.
    fn with_smaller_numbers(
        &self,
        mut best: Failing,
        sought: &Signature,
        progress: &mut Progress<'_>,
    ) -> Failing {
        for _ in 0..ROUNDS {
            let cost = best.candidate.cost;
            for (name, number) in best.candidate.case.numbers() {
                if self.is_over(progress) {
                    return best;
                }
                let changed = less(number).map(|less| best.candidate.case.with(&name, less));
                let candidates = changed.filter_map(|case| self.narrowed(case));
                let candidates: Vec<Candidate> =
                    candidates.filter(|it| it.cost < best.candidate.cost).collect();
                best = self.first(candidates, sought, progress).unwrap_or(best);
            }
            if best.candidate.cost == cost {
                break;
            }
        }
        best
    }

    /// A bound test of the suite; `None` if the suite's text cannot be narrowed to it.
    fn candidate(&self, test: &SelectedTest) -> Result<Option<Candidate>, SuiteMistakes> {
        let Some(case) = NarrowedCase::of(test) else { return Ok(None) };
        let bound = self.bad.workers.test_executors(test.name.architecture).bind(test)?;
        let cost = Cost::of_test(&bound);
        Ok(Some(Candidate { case, test: test.clone(), bound, cost }))
    }

    /// A bound case with other numbers; `None` if they form no valid test.
    fn narrowed(&self, case: NarrowedCase) -> Option<Candidate> {
        let test = case.test().ok()?;
        let bound = self.bad.workers.test_executors(test.name.architecture).bind(&test).ok()?;
        let cost = Cost::of_test(&bound);
        Some(Candidate { case, test, bound, cost })
    }

    /// The first candidate with the sought failure that is right on the good side.
    fn first(
        &self,
        candidates: Vec<Candidate>,
        sought: &Signature,
        progress: &mut Progress<'_>,
    ) -> Option<Failing> {
        let mut candidates = candidates.into_iter().peekable();
        while candidates.peek().is_some() && !self.is_over(progress) {
            let group: Vec<Candidate> = candidates.by_ref().take(self.jobs.max(1)).collect();
            let failures: Vec<Option<Signature>> = std::thread::scope(|scope| {
                let ask = |candidate: &Candidate| match self.outcome(self.bad, &candidate.bound) {
                    Outcome::Fails(found) if sought.matches(&found, self.level) => {
                        self.good_fails(&candidate.bound).is_none().then_some(found)
                    }
                    Outcome::Fails(_) | Outcome::Passes | Outcome::CannotTell(_) => None,
                };
                let threads: Vec<_> =
                    group.iter().map(|candidate| scope.spawn(move || ask(candidate))).collect();
                // A panicking thread has already reported its panic.
                threads.into_iter().map(|thread| thread.join().ok().flatten()).collect()
            });
            for (candidate, failure) in group.into_iter().zip(failures) {
                progress.ran(&candidate.test.name);
                if let Some(signature) = failure {
                    return Some(Failing { candidate, signature });
                }
            }
        }
        None
    }

    /// The failure of a test on the good side, if there is one.
    fn good_fails(&self, bound: &BoundTest) -> Option<String> {
        match self.outcome(self.good?, bound) {
            Outcome::Fails(signature) => Some(signature.to_string()),
            Outcome::Passes => None,
            Outcome::CannotTell(reason) => Some(reason),
        }
    }

    fn outcome(&self, settings: &Settings, bound: &BoundTest) -> Outcome {
        let Some(architecture) = bound.case.architecture.parse().ok() else {
            return Outcome::CannotTell(format!("{}: no architecture", bound.case.architecture));
        };
        let on = settings.workers.test_executors(architecture);
        let timeout = bound.timeout.min(self.timeout);
        let bound = BoundTest { timeout, ..bound.clone() };
        let judged = match captured_and_judged(settings, &on, &bound, None) {
            Ok(judged) => judged,
            Err(finding) => return Outcome::CannotTell(finding.headline),
        };
        let JudgedCapture { executed: _, findings } = judged;
        let Some(first) = findings.into_iter().next() else { return Outcome::Passes };
        match first.signature() {
            Some(signature) if first.verdict != Verdict::Interrupted => {
                Outcome::Fails(signature.clone())
            }
            Some(_) | None => Outcome::CannotTell(first.headline),
        }
    }

    /// Whether the time is used up.
    fn is_over(&self, progress: &Progress<'_>) -> bool {
        let deadline = self.deadline;
        progress.is_stopped
            || interrupt::requested()
            || deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Candidates for a smaller number, the smallest first: 0, 1, 2 and half of it.
fn less(number: i128) -> impl Iterator<Item = i128> {
    let mut less = vec![0, 1, 2, number / 2];
    less.retain(|it| *it < number);
    less.sort_unstable();
    less.dedup();
    less.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_numbers_come_in_their_order() {
        let tried = |number| less(number).collect::<Vec<_>>();
        assert_eq!(tried(40), [0, 1, 2, 20]);
        assert_eq!(tried(3), [0, 1, 2]);
        assert_eq!(tried(1), [0]);
        assert_eq!(tried(0), [0; 0]);
        assert_eq!(tried(-4), [0; 0]);
    }
}
