//! Searches without I/O: the first bad one of many positions, the minimal sets of items that cause a failure, the parts
//! that can go while a failure stays, and the same under flaky answers.
//!
//! Each search is a [`Search`]: it asks questions, is told the answers, and ends with an outcome. The caller runs the
//! questions, on any number of workers. The same answers in the same order lead to the same state. So a log of
//! questions and answers is all that a stopped search needs to go on: the search begins anew and is told the logged
//! answers.
//!
//! This crate depends on no other crate of Hallmark's.

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

/// The result of a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Answer {
    /// The wanted failure occurred, with its own signature.
    Fails,
    /// No failure occurred.
    Passes,
    /// Neither: another failure, a lost device, or a try that cannot be run.
    CannotTell,
}

impl Answer {
    /// The answer of a run that failed or passed.
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
    /// A try.
    type Question: Clone + Ord + fmt::Debug;
    /// The result of the search.
    type Outcome;

    /// The most valuable questions now, at least one and at most as many as there are workers. Empty once the
    /// search has its outcome.
    ///
    /// The questions of one call belong together: all should be answered before the next call. A later answer
    /// does no harm, but another question might have been better.
    fn questions(&self, workers: usize) -> Vec<Self::Question>;

    /// Takes the answer of a question.
    fn answer(&mut self, question: &Self::Question, answer: Answer);

    /// The result of the search, once it has ended.
    fn outcome(&self) -> Option<Self::Outcome>;
}

/// Asks one question after the other until the search ends.
///
/// # Errors
/// The first error of `ask`, which ends the search.
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
