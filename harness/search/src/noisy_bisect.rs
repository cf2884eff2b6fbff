//! Bisection of a failure that may be flaky: the ends first, then their failure rates, then one sequential test
//! per position, then both neighbours of the answer once more.

mod progress;
mod trial;

use std::collections::BTreeMap;

use self::progress::{At, CONFIRMING_RUNS, Cursor, FIRST_RUNS, Plan};
use crate::bisect::{Bisection, Position};
use crate::statistics::{Confidence, Counts, FailsAsOften, Price, Rates};
use crate::{Answer, Search};

/// One run of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Run {
    /// The position.
    pub position: Position,
    /// The number of the run at this position, counted from 0.
    pub run: u32,
}

/// The runs of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tally {
    /// Runs during the search.
    pub searching: Counts,
    /// Runs during the confirmation.
    pub confirming: Counts,
    /// Runs without an answer.
    pub untold: u32,
    /// The number of latest consecutive runs without an answer.
    untold_in_a_row: u32,
    /// The number of all runs, which is the number of the next one.
    started: u32,
}

/// The certainty of a boundary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Certainty {
    /// All runs of each position had the same answer.
    Steady,
    /// A sequential test decided each position.
    Sequential {
        /// The failure rates of both sides.
        rates: Rates,
        /// The share of such searches with a right answer.
        confidence: Confidence,
        /// The expected price.
        price: Price,
    },
}

/// The conclusion of a bisection of a failure that may be flaky.
#[derive(Clone, Debug, PartialEq)]
pub enum Conclusion {
    /// A boundary was found.
    Found {
        /// The boundary.
        bisection: Bisection,
        /// Its certainty.
        certainty: Certainty,
    },
    /// Both ends have the same answer.
    NoDifference {
        /// The common answer.
        answer: Answer,
    },
    /// At most one position gave an answer.
    NothingTold,
    /// Both ends fail about equally often.
    AsOften(FailsAsOften),
    /// The answer costs more runs than the budget.
    TooDear {
        /// The failure rates of both sides.
        rates: Rates,
        /// The price of the answer.
        price: Price,
        /// The budget in runs.
        budget: u64,
    },
    /// The budget is used up.
    OutOfBudget {
        /// The positions between which the answer changes, as far as known.
        bracket: Option<(Position, Position)>,
    },
    /// Fresh runs repeatedly contradicted the results.
    Unsettled {
        /// The position of the last contradiction.
        position: Position,
    },
}

/// A conclusion and its runs.
#[derive(Clone, Debug, PartialEq)]
pub struct NoisyBisection {
    /// The conclusion.
    pub conclusion: Conclusion,
    /// The runs of each position.
    pub tallies: BTreeMap<Position, Tally>,
    /// The number of runs.
    pub runs: u64,
}

/// Bisects a failure that may be flaky.
///
/// Each end is run three times. If all runs of each end have the same answer and the ends differ, the failure
/// is steady: one run decides a position, and two fresh runs of each neighbour confirm the answer. A
/// contradicting run makes the failure flaky.
///
/// A flaky failure is calibrated with 20 runs of each end. The number doubles, up to 160, as long as the
/// calibration is cheap compared with the price of one answer. Then a
/// [`SequentialTest`](crate::statistics::SequentialTest) decides each position. Its error rate is that of the
/// whole search divided by the number of positions. A fresh test of each neighbour confirms the answer.
///
/// A position with two consecutive runs without an answer counts as giving none.
#[derive(Clone, Debug, PartialEq)]
pub struct NoisyBisect {
    plan: Plan,
    answers: BTreeMap<Run, Answer>,
    cursor: Cursor,
}

impl NoisyBisect {
    /// A search over the positions from 0 to `positions - 1`.
    pub fn new(positions: usize, confidence: Confidence) -> Self {
        let plan = Plan {
            positions,
            confidence,
            budget: None,
            known_to_fail: false,
            first_runs: FIRST_RUNS,
            confirming_runs: CONFIRMING_RUNS,
        };
        let search = Self { cursor: Cursor::new(&plan), plan, answers: BTreeMap::new() };
        search.settled()
    }

    /// Ends the search if it needs no run.
    fn settled(mut self) -> Self {
        self.cursor.next(&self.plan);
        self
    }

    /// Sets the budget in runs. Without a budget, a search stops before the first test if its price exceeds
    /// 1000 runs.
    #[must_use]
    pub fn budget(mut self, runs: u64) -> Self {
        self.plan.budget = Some(runs);
        self.settled()
    }

    /// Ends the search now, as if the budget were used up.
    pub fn stop(&mut self) {
        self.plan.budget = Some(self.cursor.runs);
        self.cursor.next(&self.plan);
    }

    /// States that the failure has been seen, so that it is calibrated even if neither end fails at first.
    #[must_use]
    pub const fn known_to_fail(mut self) -> Self {
        self.plan.known_to_fail = true;
        self
    }

    /// States that all runs of a position have the same answer, so that one run suffices. A contradicting run
    /// still makes the failure flaky.
    #[must_use]
    pub fn repeatable(mut self) -> Self {
        self.plan.first_runs = 1;
        self.plan.confirming_runs = 1;
        if let At::Ends { runs } = &mut self.cursor.at {
            *runs = 1;
        }
        self.settled()
    }

    /// States that a position gives no answer; it is never run.
    #[must_use]
    pub fn cannot_tell(mut self, position: Position) -> Self {
        self.cursor.bisect.answer(&position, Answer::CannotTell);
        self.settled()
    }

    /// The positions between which the answer changes, as far as known.
    pub fn bracket(&self) -> Option<(Position, Position)> {
        self.cursor.bisect.bracket()
    }

    /// The runs so far, by position.
    pub const fn tallies(&self) -> &BTreeMap<Position, Tally> {
        &self.cursor.tallies
    }

    /// The price of the answer, once it is known. A steady failure has none.
    pub fn price(&self) -> Option<Price> {
        self.cursor.noise.map(|noise| noise.price)
    }

    /// The number of runs so far.
    pub const fn runs(&self) -> u64 {
        self.cursor.runs
    }
}

impl Search for NoisyBisect {
    type Question = Run;
    type Outcome = NoisyBisection;

    fn questions(&self, workers: usize) -> Vec<Run> {
        let workers = workers.max(1);
        let mut cursor = self.cursor.clone();
        let mut runs = Vec::new();
        while runs.len() < workers
            && let Some(run) = cursor.next(&self.plan)
        {
            if cursor.is_steady_search() && runs.is_empty() {
                let positions = cursor.bisect.questions(workers).into_iter();
                return positions
                    .map(|position| Run { position, run: cursor.tally(position).started })
                    .collect();
            }
            let known = self.answers.get(&run).copied();
            if known.is_none() {
                runs.push(run);
            }
            let answer = known.unwrap_or_else(|| cursor.guess(&self.plan, run));
            cursor.take(&self.plan, run, answer);
        }
        runs
    }

    fn answer(&mut self, question: &Run, answer: Answer) {
        self.answers.insert(*question, answer);
        let cursor = &mut self.cursor;
        let open = !cursor.bisect.answers().contains_key(&question.position);
        let next = cursor.next(&self.plan);
        if cursor.is_steady_search()
            && next.is_some()
            && next != Some(*question)
            && open
            && question.position.0 < self.plan.positions
            && cursor.tally(question.position).started == question.run
        {
            cursor.take(&self.plan, *question, answer);
        }
        while let Some(run) = cursor.next(&self.plan)
            && let Some(answer) = self.answers.get(&run)
        {
            cursor.take(&self.plan, run, *answer);
        }
    }

    fn outcome(&self) -> Option<NoisyBisection> {
        match &self.cursor.at {
            At::Ended(conclusion) => Some(NoisyBisection {
                conclusion: conclusion.clone(),
                tallies: self.cursor.tallies.clone(),
                runs: self.cursor.runs,
            }),
            At::Ends { .. } | At::Search { .. } | At::Confirmation { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests;
