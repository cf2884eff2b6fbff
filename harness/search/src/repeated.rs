//! A search whose answers are flaky: each of its questions is run until a sequential test decides.

use std::collections::BTreeMap;

use crate::statistics::SequentialTest;
use crate::{Answer, Search};

/// One run of a question.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepeatedRun<Q> {
    /// What is run.
    pub question: Q,
    /// Which of its runs this is, counted from 0.
    pub run: u32,
}

/// How many runs of a question may show neither, in a row, before the question cannot be told.
const MOST_UNTOLD_RUNS: u32 = 2;

/// Puts each question of a search as often as a test needs.
///
/// Runs count in the order of their numbers, so that the outcome does not depend on how many workers there are.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeated<S: Search> {
    search: S,
    test: SequentialTest,
    answers: BTreeMap<RepeatedRun<S::Question>, Answer>,
}

impl<S: Search> Repeated<S> {
    /// Each question of the search is decided by a test like this one, which has seen no run yet.
    pub const fn new(search: S, test: SequentialTest) -> Self {
        Self { search, test, answers: BTreeMap::new() }
    }

    /// The search inside.
    pub const fn search(&self) -> &S {
        &self.search
    }

    /// What the runs of a question say so far, and the number of the next one if they say nothing yet.
    fn decision(&self, question: &S::Question) -> Result<Answer, u32> {
        let mut test = self.test;
        let mut untold = 0;
        for run in 0.. {
            let key = RepeatedRun { question: question.clone(), run };
            let Some(answer) = self.answers.get(&key) else {
                return Err(run);
            };
            untold = if *answer == Answer::CannotTell { untold + 1 } else { 0 };
            if untold >= MOST_UNTOLD_RUNS {
                break;
            }
            test.add(*answer);
            if let Some(decision) = test.decision() {
                return Ok(decision);
            }
        }
        Ok(Answer::CannotTell)
    }
}

impl<S: Search> Search for Repeated<S> {
    type Question = RepeatedRun<S::Question>;
    type Outcome = S::Outcome;

    fn questions(&self, workers: usize) -> Vec<Self::Question> {
        let workers = workers.max(1);
        let questions = self.search.questions(workers);
        // Each question gets its share of the workers.
        let share = workers.div_ceil(questions.len().max(1));
        let mut runs = Vec::new();
        for question in questions {
            if let Err(next) = self.decision(&question) {
                let last = next.saturating_add(u32::try_from(share).unwrap_or(u32::MAX));
                let open = (next..last).map(|run| RepeatedRun { question: question.clone(), run });
                runs.extend(open.filter(|run| !self.answers.contains_key(run)));
            }
        }
        runs.truncate(workers);
        runs
    }

    fn answer(&mut self, question: &Self::Question, answer: Answer) {
        self.answers.insert(question.clone(), answer);
        if let Ok(decision) = self.decision(&question.question) {
            self.search.answer(&question.question, decision);
        }
    }

    fn outcome(&self) -> Option<S::Outcome> {
        self.search.outcome()
    }
}

#[cfg(test)]
mod tests;
