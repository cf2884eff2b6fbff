//! Test helpers for all searches: runs a search to its end in rounds, with its log, and resumes it from every
//! point.

use std::fmt::Debug;

use crate::{Answer, Search};

/// A search that has ended.
pub(crate) struct Ended<S: Search> {
    pub(crate) outcome: S::Outcome,
    pub(crate) log: Vec<(S::Question, Answer)>,
    pub(crate) rounds: usize,
}

/// Runs a search in rounds of as many questions as workers. Fails if a question is asked twice, or if a round
/// has more questions than workers.
pub(crate) fn run<S: Search>(
    search: &mut S,
    workers: usize,
    mut oracle: impl FnMut(&S::Question) -> Answer,
) -> Ended<S> {
    let mut log: Vec<(S::Question, Answer)> = Vec::new();
    let mut rounds = 0;
    loop {
        let questions = search.questions(workers);
        if let Some(outcome) = search.outcome() {
            assert!(questions.is_empty(), "a search that has ended asks nothing");
            return Ended { outcome, log, rounds };
        }
        assert!(!questions.is_empty(), "a search that has not ended asks something");
        assert!(questions.len() <= workers, "{questions:?} for {workers} workers");
        rounds += 1;
        for question in questions {
            assert!(log.iter().all(|(asked, _)| *asked != question), "{question:?} again");
            let answer = oracle(&question);
            search.answer(&question, answer);
            log.push((question, answer));
        }
        assert!(log.len() < 100_000, "it never ends");
    }
}

/// Stops a search after each of its answers and resumes it from the log. Fails if the log leads to another
/// state, or if the relevant part of the outcome differs.
pub(crate) fn resumes_everywhere<S: Search + Clone + PartialEq + Debug, T: PartialEq + Debug>(
    new: &S,
    workers: usize,
    mut oracle: impl FnMut(&S::Question) -> Answer,
    what_counts: impl Fn(S::Outcome) -> T,
) {
    let whole = run(&mut new.clone(), workers, &mut oracle);
    let outcome = what_counts(whole.outcome);
    let mut through = new.clone();
    for stop in 0..=whole.log.len() {
        let mut again = new.clone();
        for (question, answer) in &whole.log[..stop] {
            again.answer(question, *answer);
        }
        assert_eq!(again, through, "after {stop} answers");
        assert_eq!(again.questions(workers), through.questions(workers));
        let rest = run(&mut again, workers, &mut oracle);
        assert_eq!(what_counts(rest.outcome), outcome, "stopped after {stop} answers");
        if let Some((question, answer)) = whole.log.get(stop) {
            through.answer(question, *answer);
        }
    }
}
