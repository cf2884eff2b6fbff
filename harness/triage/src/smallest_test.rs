//! The smallest test of a case that fails in the same way, in the terms of its suite.
//!
//! First the points of the case's matrix are asked, the smallest first. Then the numbers of the point that was found become
//! smaller, parameters and variables, whether the matrix has them or not. The suite's model says for each what is right, so
//! that no other device is needed to tell.

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

/// How often all numbers are tried again while one becomes smaller.
const ROUNDS: usize = 64;

/// A search for the smallest test.
pub struct SmallestTestSearch<'a> {
    /// How tests run where they fail.
    pub bad: &'a Settings,
    /// How tests run where they are right, if that is somewhere else.
    pub good: Option<&'a Settings>,
    /// The test that fails.
    pub test: &'a SelectedTest,
    /// The failure that has to stay; what the test does if `None`.
    pub sought: Option<Signature>,
    /// When two failures are the same.
    pub level: MatchLevel,
    /// The wall-clock time that no run exceeds.
    pub timeout: Duration,
    /// When to stop with what there is by then.
    pub deadline: Option<Instant>,
    /// Tests that run at the same time, at least 1.
    pub jobs: usize,
}

/// The smallest test that fails in the same way.
#[derive(Clone, Debug)]
pub struct SmallestTest {
    /// The point of the matrix, by the name of its test.
    pub point: TestName,
    /// The case at this point, with the numbers that were changed.
    pub case: NarrowedCase,
    /// The test that it is.
    pub test: SelectedTest,
    /// The calls of that test.
    pub bound: BoundTest,
    /// How it fails.
    pub signature: Signature,
    /// Numbers that are not those of the point: before and after, by name.
    pub changed: BTreeMap<String, (i128, i128)>,
    /// How large the test was that the search began with.
    pub before: Cost,
    /// How large this one is.
    pub after: Cost,
    /// How many points the case has.
    pub points: usize,
    /// How many tests were run where they fail.
    pub runs: u64,
    /// Whether everything was tried.
    pub is_complete: bool,
}

/// Why there is no smallest test.
#[derive(Debug, thiserror::Error)]
pub enum SmallestTestError {
    /// The suite is wrong.
    #[error(transparent)]
    Mistakes(#[from] SuiteMistakes),
    /// It does not fail by the model of its suite.
    #[error("the bad side does what the suite expects")]
    Passes,
    /// It fails otherwise than the failure that was given.
    #[error("the bad side fails otherwise: {0}")]
    Other(Signature),
    /// It fails on the good side, too.
    #[error("the good side fails, too: {0}")]
    GoodFails(String),
    /// Nothing is known of it.
    #[error("{0}")]
    CannotTell(String),
    /// A signal asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// What came of a test.
enum Outcome {
    Fails(Signature),
    Passes,
    CannotTell(String),
}

/// A test that may be run.
struct Candidate {
    case: NarrowedCase,
    test: SelectedTest,
    bound: BoundTest,
    cost: Cost,
}

/// How far a search is.
struct Progress<'a> {
    /// Hears of every test that was run.
    asked: &'a mut dyn FnMut(&TestName) -> ControlFlow<()>,
    runs: u64,
    is_stopped: bool,
}

impl Progress<'_> {
    /// A test was run.
    fn ran(&mut self, name: &TestName) {
        self.runs = self.runs.saturating_add(1);
        self.is_stopped |= (self.asked)(name).is_break();
    }
}

/// A test that fails in the way sought.
struct Failing {
    candidate: Candidate,
    signature: Signature,
}

impl SmallestTestSearch<'_> {
    /// Searches. `asked` hears of every test that was run, by name; a break ends the search with what there is.
    ///
    /// # Errors
    /// [`SmallestTestError`]: the test does not fail in the way sought.
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

    /// The test itself, which must fail in the way sought.
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

    /// The smallest of these tests that fails in the way sought, if one does that costs less than `cost`.
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
            // Data are made for those alone that are asked.
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

    /// The case with smaller numbers, as long as it fails in the way sought.
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

    /// A test of the suite, bound; nothing where the suite's text cannot be narrowed to it.
    fn candidate(&self, test: &SelectedTest) -> Result<Option<Candidate>, SuiteMistakes> {
        let Some(case) = NarrowedCase::of(test) else { return Ok(None) };
        let bound = self.bad.workers.test_executors(test.name.architecture).bind(test)?;
        let cost = Cost::of_test(&bound);
        Ok(Some(Candidate { case, test: test.clone(), bound, cost }))
    }

    /// A case with other numbers, bound; nothing where they make no test.
    fn narrowed(&self, case: NarrowedCase) -> Option<Candidate> {
        let test = case.test().ok()?;
        let bound = self.bad.workers.test_executors(test.name.architecture).bind(&test).ok()?;
        let cost = Cost::of_test(&bound);
        Some(Candidate { case, test, bound, cost })
    }

    /// The first of some candidates that fails in the way sought and is right on the good side.
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
                // A thread that panics has said so.
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

    /// How a test fails on the good side, if there is one and it does.
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

    /// Whether it is time to stop.
    fn is_over(&self, progress: &Progress<'_>) -> bool {
        let deadline = self.deadline;
        progress.is_stopped
            || interrupt::requested()
            || deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Numbers that are tried in the place of one, the smallest first: 0, 1, 2 and half of it.
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
