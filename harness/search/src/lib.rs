//! Searches without I/O: which of many positions is the first bad one, which minimal sets of items cause a failure, what
//! can go while a failure stays.
//!
//! Each search is a [`Search`]: it asks questions, is told the answers and ends with an outcome. Running a question is the
//! caller's work, on as many workers as there are. The same answers in the same order lead to the same state. So a log of
//! questions and answers is all that a search needs to go on after it was stopped: its answers are told again.

mod bisect;
mod minimal_sets;
mod noisy_bisect;
mod reduction;
pub mod statistics;
#[cfg(test)]
mod testing;

use std::fmt;

pub use self::bisect::{Bisect, Bisection, Direction, Position};
pub use self::minimal_sets::{
    Effect, Item, MinimalSet, MinimalSets, MinimalSetsError, MinimalSetsOutcome, SetQuestion,
};
pub use self::noisy_bisect::{Certainty, Conclusion, NoisyBisect, NoisyBisection, Run, Tally};
pub use self::reduction::{Candidate, Reduction, ReductionOutcome, Rejection, UnknownUnit};

/// What trying something showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Answer {
    /// The failure that is looked for was there, with its own signature.
    Fails,
    /// Nothing failed.
    Passes,
    /// It shows neither: another failure, a device that was lost, something that cannot be run.
    CannotTell,
}

impl Answer {
    /// The answer of a run that did or did not fail.
    pub const fn of(fails: bool) -> Self {
        if fails { Self::Fails } else { Self::Passes }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Fails => "fails",
            Self::Passes => "passes",
            Self::CannotTell => "cannot be told",
        })
    }
}

/// A search that asks questions.
pub trait Search {
    /// What is to be tried.
    type Question: Clone + Ord + fmt::Debug;
    /// What comes of the search.
    type Outcome;

    /// The questions that are worth most now, at most as many as there are workers and at least one. There is none once
    /// the search has its outcome.
    ///
    /// The questions of one call belong together: they are all to be answered before the next call. An answer that
    /// comes later than that does no harm, but another question may have been better.
    fn questions(&self, workers: usize) -> Vec<Self::Question>;

    /// Takes an answer.
    fn answer(&mut self, question: &Self::Question, answer: Answer);

    /// What came of the search, once it has ended.
    fn outcome(&self) -> Option<Self::Outcome>;
}

/// Asks until the search ends, one question after the other.
///
/// # Errors
/// The first error of `ask`, at which the search stops.
pub fn conclude<S: Search, E>(
    search: &mut S,
    mut ask: impl FnMut(&S::Question) -> Result<Answer, E>,
) -> Result<S::Outcome, E> {
    loop {
        if let Some(outcome) = search.outcome() {
            return Ok(outcome);
        }
        for question in search.questions(1) {
            let answer = ask(&question)?;
            search.answer(&question, answer);
        }
    }
}
