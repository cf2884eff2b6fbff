//! Bisection of a failure that may be flaky: the ends first, then how often they fail, then one sequential test per
//! position, then both neighbours of the answer once more.

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
    /// What is run.
    pub position: Position,
    /// Which of the position's runs this is, counted from 0.
    pub run: u32,
}

/// The runs of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tally {
    /// Runs of the search.
    pub searching: Counts,
    /// Runs that confirmed what the search had found.
    pub confirming: Counts,
    /// Runs that showed neither.
    pub untold: u32,
    /// How many of the latest runs showed neither.
    untold_in_a_row: u32,
    /// All runs, which is the number of the next one.
    started: u32,
}

/// How a boundary is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Certainty {
    /// All runs of a position were alike.
    Steady,
    /// Each position was decided by a sequential test.
    Sequential {
        /// How often either side fails.
        rates: Rates,
        /// The share of such searches that end with the right answer.
        confidence: Confidence,
        /// What was to be paid for it.
        price: Price,
    },
}

/// What a bisection of a failure that may be flaky came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Conclusion {
    /// The answer changes here.
    Found {
        /// Where.
        bisection: Bisection,
        /// How that is known.
        certainty: Certainty,
    },
    /// Both ends answer alike.
    NoDifference {
        /// What they answer.
        answer: Answer,
    },
    /// Nothing, or only one position, could be told.
    NothingTold,
    /// The ends fail about equally often.
    AsOften(FailsAsOften),
    /// The answer costs more runs than there may be.
    TooDear {
        /// How often either side fails.
        rates: Rates,
        /// What the answer costs.
        price: Price,
        /// How many runs there may be.
        budget: u64,
    },
    /// All runs that there may be were used.
    OutOfBudget {
        /// Between these two it changes, as far as that is known.
        bracket: Option<(Position, Position)>,
    },
    /// Fresh runs kept contradicting what had been found.
    Unsettled {
        /// The position that was contradicted last.
        position: Position,
    },
}

/// A conclusion and the runs that it rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct NoisyBisection {
    /// What came of it.
    pub conclusion: Conclusion,
    /// The runs of each position that was run.
    pub tallies: BTreeMap<Position, Tally>,
    /// How many runs there were.
    pub runs: u64,
}

/// Bisects a failure that may be flaky.
///
/// Each end is run three times. If all runs of an end are alike and the ends differ, the failure is steady: one run decides
/// a position, and two fresh runs of either neighbour confirm the answer. A run that contradicts makes it flaky.
///
/// A flaky failure is calibrated: 20 runs of each end, and twice as many, up to 160, while that is little beside the price
/// of one answer. Then each position is decided by a [`SequentialTest`](crate::statistics::SequentialTest). Its share of wrong answers is that of the whole
/// search divided by the number of positions. A fresh test of either neighbour confirms.
///
/// Something that shows neither twice in a row cannot be told.
#[derive(Clone, Debug, PartialEq)]
pub struct NoisyBisect {
    plan: Plan,
    answers: BTreeMap<Run, Answer>,
    cursor: Cursor,
}

impl NoisyBisect {
    /// Over the positions from 0 up to this number.
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

    /// At the end, if that needs no run.
    fn settled(mut self) -> Self {
        self.cursor.next(&self.plan);
        self
    }

    /// There may be so many runs. Without a budget a search stops before the first test if its price is above 1000 runs.
    #[must_use]
    pub fn budget(mut self, runs: u64) -> Self {
        self.plan.budget = Some(runs);
        self.settled()
    }

    /// Ends the search where it is, as if there might be no more runs.
    pub fn stop(&mut self) {
        self.plan.budget = Some(self.cursor.runs);
        self.cursor.next(&self.plan);
    }

    /// The failure has been seen. So it is calibrated even if neither end fails at first.
    #[must_use]
    pub const fn known_to_fail(mut self) -> Self {
        self.plan.known_to_fail = true;
        self
    }

    /// Runs of a position are known to be alike, so that one is enough where otherwise several tell whether they are. A run
    /// that contradicts still makes the failure flaky.
    #[must_use]
    pub fn repeatable(mut self) -> Self {
        self.plan.first_runs = 1;
        self.plan.confirming_runs = 1;
        if let At::Ends { runs } = &mut self.cursor.at {
            *runs = 1;
        }
        self.settled()
    }

    /// This position cannot be told and is never run.
    #[must_use]
    pub fn cannot_tell(mut self, position: Position) -> Self {
        self.cursor.bisect.answer(&position, Answer::CannotTell);
        self.settled()
    }

    /// Between which two positions the answer changes, as far as it is known.
    pub fn bracket(&self) -> Option<(Position, Position)> {
        self.cursor.bisect.bracket()
    }

    /// The runs so far, by position.
    pub const fn tallies(&self) -> &BTreeMap<Position, Tally> {
        &self.cursor.tallies
    }

    /// What the answer costs, once that is known. A steady failure has no price.
    pub fn price(&self) -> Option<Price> {
        self.cursor.noise.map(|noise| noise.price)
    }

    /// How many runs there were.
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
