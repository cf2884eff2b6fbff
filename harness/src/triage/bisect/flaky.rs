//! A failure that comes and goes: both sides run until the failure shows, or often enough to know that it does not.
//!
//! One run that shows the failure says where it begins in that run, so that nothing is repeated there. Only where it does
//! not show is it asked again: as often as a sequential test takes that is as sure as the whole search has to be.

use std::collections::BTreeSet;

use hallmark_schema_editing::Edited;
use hallmark_search::Answer;
use hallmark_search::statistics::{Confidence, Counts, Price, Rates, SequentialTest, tests_of};

use super::conclusion::{Flakiness, Inconclusive};
use super::sign::{Found, first_sign};
use super::{Bisecting, Pair, Stopped, looks};
use crate::worker::state::StateJob;

/// Runs of both sides that show how often each fails, and how many they may become.
const CALIBRATION: u32 = 20;
const MOST_CALIBRATION: u32 = 160;
/// The price at which a search stops and says so, if it was given no budget.
const USUAL_BUDGET: u64 = 1000;

/// How sure the answer about a flaky failure has to be, and what it may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlakyOptions {
    /// How sure.
    pub confidence: Confidence,
    /// How many runs of both sides there may be.
    pub budget: Option<u64>,
}

impl Bisecting<'_> {
    /// Runs both sides until it is known how often each fails; gives a run that failed.
    pub(super) fn calibrated(
        &self,
        whole: &Edited,
        open: &BTreeSet<u32>,
        options: FlakyOptions,
    ) -> Result<(Pair, Found), Stopped> {
        let after = looks::first(&whole.capture.program);
        let commands =
            looks::device_commands(&whole.capture.program, (None, self.bracket.get().1), true);
        let budget = options.budget.unwrap_or(USUAL_BUDGET);
        let mut wanted = CALIBRATION;
        let mut first: Option<Pair> = None;
        let mut failing = None;
        let (mut of_good, mut of_bad) = (Counts::default(), Counts::default());
        loop {
            while of_bad.runs() < wanted {
                self.check_budget(options.budget)?;
                let pair = self.observe(whole, &after)?;
                // The good side is compared with its own first run.
                let good = first.as_ref().is_some_and(|first| {
                    first_sign(whole, &first.good, &pair.good, open).is_some()
                });
                let bad = first_sign(whole, &pair.good, &pair.bad, open);
                of_good.add(Answer::of(good));
                of_bad.add(Answer::of(bad.is_some()));
                match bad {
                    Some(found) if failing.is_none() => failing = Some((pair, found)),
                    Some(_) | None => first = first.or(Some(pair)),
                }
            }
            let more = wanted < MOST_CALIBRATION;
            let rates = Rates::of(of_good, of_bad);
            let (Ok(rates), Some(_)) = (&rates, &failing) else {
                if more {
                    wanted = wanted.saturating_mul(2);
                    continue;
                }
                let memory = first.as_ref().is_some_and(Pair::has_memory);
                return Err(match (rates, of_bad.failures()) {
                    (_, 0) | (Ok(_), _) => Inconclusive::NoDifference { memory }.into(),
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
            let memory = first.as_ref().is_some_and(Pair::has_memory);
            return failing.ok_or_else(|| Inconclusive::NoDifference { memory }.into());
        }
    }

    /// Both sides of a candidate, until something shows that is wanted, or enough runs have shown nothing of the kind.
    pub(super) fn shown(
        &self,
        candidate: &Edited,
        state: &StateJob,
        open: &BTreeSet<u32>,
        wanted: impl Fn(&Found) -> bool,
    ) -> Result<Option<(Pair, Found)>, Stopped> {
        let patience = self.flakiness.get().map_or(1, |flakiness| flakiness.patience);
        for _ in 0..patience.max(1) {
            self.check_budget(self.flaky.and_then(|options| options.budget))?;
            let pair = self.observe_with(candidate, state.clone())?;
            let sign = first_sign(candidate, &pair.good, &pair.bad, open);
            if let Some(found) = sign.filter(|found| wanted(found)) {
                return Ok(Some((pair, found)));
            }
        }
        Ok(None)
    }

    fn check_budget(&self, budget: Option<u64>) -> Result<(), Stopped> {
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
