//! Searches whose questions are run several times.

use super::*;
use crate::minimal_sets::{Item, MinimalSets, MinimalSetsOutcome};
use crate::statistics::{Confidence, Rates};
use crate::testing::{resumes_everywhere, run};

const RATES: Rates = Rates { good: 0.0, bad: 0.3 };

fn search() -> Repeated<MinimalSets> {
    let sets = MinimalSets::new(["a", "b", "c", "d", "e"], 3).unwrap();
    Repeated::new(sets, SequentialTest::of_search(RATES, Confidence::OF_ANSWERS, 16))
}

/// Fails in every fourth run while `b` and `d` are on.
fn flaky(run: &RepeatedRun<crate::SetQuestion>) -> Answer {
    let on = |name| run.question.on.contains(&Item::named(name));
    Answer::of(on("b") && on("d") && run.run % 4 == 3)
}

#[test]
fn a_flaky_failure_has_its_minimal_set() {
    for workers in 1..4 {
        let MinimalSetsOutcome::Sets { sets, all, .. } = run(&mut search(), workers, flaky).outcome
        else {
            panic!("no sets");
        };
        let items: Vec<_> = sets.iter().map(|set| set.items.clone()).collect();
        assert_eq!((items, all), (vec![vec![Item::named("b"), Item::named("d")]], true));
        assert!(sets[0].confirmed);
    }
}

#[test]
fn workers_are_shared_among_the_questions() {
    let asked = |workers| {
        let runs = search().questions(workers);
        runs.into_iter().map(|it| (it.question.on.len(), it.run)).collect::<Vec<_>>()
    };
    assert_eq!(asked(1), [(0, 0)]);
    assert_eq!(asked(2), [(0, 0), (5, 0)]);
    assert!(asked(8).len() <= 8);
}

#[test]
fn what_shows_neither_twice_in_a_row_cannot_be_told() {
    let mut once = 0;
    let ended = run(&mut search(), 1, |_| {
        once += 1;
        Answer::CannotTell
    });
    assert_eq!((once, ended.log.len()), (4, 4));
    let untold = Answer::CannotTell;
    assert_eq!(ended.outcome, MinimalSetsOutcome::NoDifference { none: untold, all: untold });
}

#[test]
fn repeated_searches_resume_behind_every_answer() {
    resumes_everywhere(&search(), 2, flaky, |outcome| outcome);
}
