//! A flaky failure: both sides run until the failure occurs, or often enough to rule it out.
//!
//! A run with the failure shows where it begins in that run, so it needs no repetition. A candidate without the
//! failure is repeated until a sequential test decides with the confidence of the whole search.

use std::collections::BTreeSet;

use hallmark_execution::worker::state::StateJob;
use hallmark_schema_editing::Edited;
use hallmark_search::Answer;
use hallmark_search::statistics::{Confidence, Counts, Price, Rates, SequentialTest, tests_of};

use super::conclusion::{Flakiness, Inconclusive};
use super::sign::{Found, first_sign};
use super::{Bisecting, Comparison, Pair, Stopped, looks};

/// The initial number of calibrating runs of both sides, and the largest one.
const CALIBRATION: u32 = 20;
const MOST_CALIBRATION: u32 = 160;
/// The price above which a search without a budget stops.
const USUAL_BUDGET: u64 = 1000;

/// The confidence and the budget of the answer about a flaky failure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlakyOptions {
    /// The confidence.
    pub confidence: Confidence,
    /// The budget in runs of both sides.
    pub budget: Option<u64>,
}

impl Bisecting<'_> {
    /// Runs both sides until their failure rates are known; returns a failed run.
    pub(super) fn calibrated(
        &self,
        whole: &Edited,
        open: &BTreeSet<u32>,
        options: FlakyOptions,
    ) -> Result<(Comparison, Found), Stopped> {
        let after = looks::first(&whole.capture.program);
        let state = StateJob { after, ..StateJob::default() };
        let commands =
            looks::device_commands(&whole.capture.program, (None, self.bracket.get().1), true);
        let budget = options.budget.unwrap_or(USUAL_BUDGET);
        let mut wanted = CALIBRATION;
        // The good side is compared with its own first run.
        let mut first: Option<Pair> = None;
        let mut memory = false;
        let mut failing = None;
        let (mut of_good, mut of_bad) = (Counts::default(), Counts::default());
        loop {
            while of_bad.runs() < wanted {
                self.check_budget()?;
                let before = first.as_ref().map(|first| &first.good);
                let (comparison, pair) = self.compared(whole, &state, open, before)?;
                of_good.add(Answer::of(comparison.good_differs()));
                of_bad.add(Answer::of(comparison.found().is_some()));
                memory |= comparison.has_memory();
                first = first.or(pair);
                if let (Some(found), None) = (comparison.found().cloned(), &failing) {
                    failing = Some((comparison, found));
                }
            }
            let more = wanted < MOST_CALIBRATION;
            let rates = Rates::of(of_good, of_bad);
            let (Ok(rates), Some(_)) = (&rates, &failing) else {
                if more {
                    wanted = wanted.saturating_mul(2);
                    continue;
                }
                return Err(match (rates, of_bad.failures()) {
                    (_, 0) | (Ok(_), _) => self.no_difference(memory).into(),
                    (Err(error), _) => Inconclusive::AsOften(error).into(),
                });
            };
            let test =
                SequentialTest::of_search(*rates, options.confidence, tests_of(commands.len()));
            let price = Price::of_bisection(&test, commands.len());
            if u64::from(wanted).saturating_mul(2) < price.passing && more {
                wanted = wanted.saturating_mul(2);
                continue;
            }
            if price.total > budget {
                return Err(Inconclusive::TooDear { rates: *rates, price, budget }.into());
            }
            self.flakiness.set(Some(Flakiness {
                good: of_good,
                bad: of_bad,
                patience: price.passing,
                confidence: options.confidence,
            }));
            let more = usize::try_from(price.total).unwrap_or(usize::MAX);
            self.expected.set(self.runs.get().saturating_add(more));
            return failing.ok_or_else(|| self.no_difference(memory).into());
        }
    }

    /// Runs both sides of a candidate until a wanted sign occurs, or until enough runs have shown none.
    pub(super) fn shown(
        &self,
        candidate: &Edited,
        state: &StateJob,
        open: &BTreeSet<u32>,
        wanted: impl Fn(&Found) -> bool,
    ) -> Result<Option<(Pair, Found)>, Stopped> {
        for _ in 0..self.patience() {
            self.check_budget()?;
            let pair = self.observe_with(candidate, state.clone())?;
            let sign = first_sign(candidate, &pair.good, &pair.bad, open, self.sought.as_ref());
            if let Some(found) = sign.filter(|found| wanted(found)) {
                return Ok(Some((pair, found)));
            }
        }
        Ok(None)
    }

    /// The number of runs without the failure after which a candidate passes.
    pub(super) fn patience(&self) -> u64 {
        self.flakiness.get().map_or(1, |flakiness| flakiness.patience).max(1)
    }

    /// Checks that the budget permits more runs.
    pub(super) fn check_budget(&self) -> Result<(), Stopped> {
        let budget = self.flaky.and_then(|options| options.budget);
        let runs = u64::try_from(self.runs.get()).unwrap_or(u64::MAX);
        match budget.filter(|budget| runs >= *budget) {
            None => Ok(()),
            Some(budget) => {
                let (after, until) = self.bracket.get();
                Err(Inconclusive::OutOfBudget { budget, after, until }.into())
            }
        }
    }
}
