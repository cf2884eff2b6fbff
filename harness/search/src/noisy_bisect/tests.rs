//! Bisections of simulated failures with known rates.

use super::*;
use crate::bisect::Direction;
use crate::statistics::tests::Random;
use crate::testing::{resumes_everywhere, run};

const POSITIONS: usize = 100;

/// A simulated boundary from which on runs fail at a rate; seed, position and run determine each answer.
fn planted(seed: u64, boundary: usize, rate: f64) -> impl Fn(&Run) -> Answer {
    move |run| {
        let mixed =
            (run.position.0 as u64 + 1) * 1_000_003 + u64::from(run.run) * 7919 + seed * 104_729;
        let mut random = Random(mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..4 {
            random.chance(0.5);
        }
        Answer::of(run.position.0 >= boundary && random.chance(rate))
    }
}

fn found(conclusion: &Conclusion) -> Option<(usize, usize)> {
    match conclusion {
        Conclusion::Found { bisection: Bisection::Boundary { before, after, .. }, .. } => {
            Some((before.0, after.0))
        }
        Conclusion::Found { .. }
        | Conclusion::NoDifference { .. }
        | Conclusion::NothingTold
        | Conclusion::AsOften(_)
        | Conclusion::TooDear { .. }
        | Conclusion::OutOfBudget { .. }
        | Conclusion::Unsettled { .. } => None,
    }
}

#[test]
fn a_steady_failure_costs_one_run_a_position_and_ten_more() {
    for boundary in 1..POSITIONS {
        for workers in [1, 2, 3] {
            let mut search = NoisyBisect::new(POSITIONS, Confidence::OF_ANSWERS);
            let ended = run(&mut search, workers, |it| Answer::of(it.position.0 >= boundary));
            let bisection = Bisection::Boundary {
                before: Position(boundary - 1),
                after: Position(boundary),
                direction: Direction::Breaks,
                cannot_tell: Vec::new(),
            };
            let certainty = Certainty::Steady;
            assert_eq!(ended.outcome.conclusion, Conclusion::Found { bisection, certainty });
            assert!(ended.log.len() <= 6 + 4 + 7 * workers, "{}", ended.log.len());
            let tally = ended.outcome.tallies[&Position(boundary)];
            assert_eq!(tally.confirming, Counts::new(2, 2));
        }
    }
}

#[test]
fn a_failure_that_is_known_to_repeat_costs_one_run_a_position_and_one_more_of_either_neighbour() {
    for boundary in 1..16 {
        let mut search =
            NoisyBisect::new(16, Confidence::OF_ANSWERS).cannot_tell(Position(16)).repeatable();
        let ended = run(&mut search, 1, |it| Answer::of(it.position.0 >= boundary));
        assert_eq!(found(&ended.outcome.conclusion), Some((boundary - 1, boundary)));
        assert!(ended.log.len() <= 2 + 4 + 2, "{}", ended.log.len());
    }
}

/// The numbers of wrong and of missing answers over this many seeds, and the total number of runs.
fn seeds(count: u64, rate: f64, budget: u64) -> (u32, u32, u64) {
    let (mut wrong, mut none, mut runs) = (0, 0, 0);
    for seed in 1..=count {
        let boundary = 1 + (seed as usize * 37) % (POSITIONS - 1);
        let mut search =
            NoisyBisect::new(POSITIONS, Confidence::OF_ANSWERS).known_to_fail().budget(budget);
        let oracle = planted(seed, boundary, rate);
        while let Some(run) = search.questions(1).first().copied() {
            search.answer(&run, oracle(&run));
        }
        let outcome = search.outcome().unwrap();
        runs += outcome.runs;
        match found(&outcome.conclusion) {
            Some(found) => wrong += u32::from(found != (boundary - 1, boundary)),
            None => none += 1,
        }
    }
    (wrong, none, runs / count)
}

#[test]
fn planted_flakiness_is_answered_wrongly_in_at_most_1_percent() {
    for (rate, seed_count) in [(0.30, 300), (0.14, 300), (0.05, 300)] {
        let (wrong, none, runs) = seeds(seed_count, rate, 20_000);
        println!("{rate}: {wrong} wrong, {none} without an answer, {runs} runs on average");
        assert!(u64::from(wrong) * 100 <= seed_count, "{wrong} wrong answers at {rate}");
        assert!(u64::from(none) * 10 <= seed_count, "{none} without an answer at {rate}");
    }
}

#[test]
fn a_flaky_boundary_is_told_with_its_confidence_and_its_counts() {
    let mut search = NoisyBisect::new(POSITIONS, Confidence::OF_ANSWERS);
    // Every third run fails, so that the calibration sees 6 or 7 of 20.
    let ended = run(&mut search, 2, |it| Answer::of(it.position.0 >= 41 && it.run % 3 == 1));
    assert_eq!(found(&ended.outcome.conclusion), Some((40, 41)));
    let Conclusion::Found { certainty: Certainty::Sequential { rates, confidence, price }, .. } =
        ended.outcome.conclusion
    else {
        panic!("{:?}", ended.outcome.conclusion);
    };
    assert_eq!((rates.good, confidence), (0.0, Confidence::OF_ANSWERS));
    let tally = ended.outcome.tallies[&Position(40)];
    assert_eq!((tally.searching.failures(), tally.confirming.failures()), (0, 0));
    assert_eq!(u64::from(tally.searching.runs()), price.passing);
    assert_eq!(u64::from(tally.confirming.runs()), price.passing);
    assert!(ended.outcome.runs <= price.total + 2 * 40);
}

#[test]
fn a_failure_that_goes_away_is_found_as_well() {
    let mut search = NoisyBisect::new(POSITIONS, Confidence::OF_ANSWERS);
    let ended = run(&mut search, 1, |it| Answer::of(it.position.0 < 10 && it.run % 3 == 1));
    assert_eq!(found(&ended.outcome.conclusion), Some((9, 10)));
    let mut search = NoisyBisect::new(POSITIONS, Confidence::OF_ANSWERS);
    let ended = run(&mut search, 1, |it| Answer::of(it.position.0 < 10));
    assert_eq!(found(&ended.outcome.conclusion), Some((9, 10)));
    assert!(ended.log.len() <= 6 + 4 + 7, "{}", ended.log.len());
}

#[test]
fn an_answer_that_is_too_dear_is_not_begun() {
    let mut search = NoisyBisect::new(POSITIONS, Confidence::OF_ANSWERS).known_to_fail();
    let ended = run(&mut search, 1, |it| Answer::of(it.position.0 > 3 && it.run % 80 == 5));
    let Conclusion::TooDear { price, budget: 1000, .. } = ended.outcome.conclusion else {
        panic!("{:?}", ended.outcome.conclusion);
    };
    assert!(price.total > 1000, "{price:?}");
    assert_eq!(ended.outcome.runs, 2 * 160, "no more than the calibration");
}

#[test]
fn a_budget_is_kept() {
    for budget in [0, 1, 5, 30, 100] {
        let mut search = NoisyBisect::new(POSITIONS, Confidence::OF_ANSWERS).budget(budget);
        let ended = run(&mut search, 1, |it| Answer::of(it.position.0 > 3 && it.run % 3 == 1));
        assert!(ended.outcome.runs <= budget);
        assert_eq!(found(&ended.outcome.conclusion), None);
    }
}

#[test]
fn a_search_that_is_stopped_says_how_far_it_came() {
    let oracle = planted(1, 41, 0.30);
    for runs in [0, 1, 30, 100] {
        let mut search = NoisyBisect::new(POSITIONS, Confidence::OF_ANSWERS).known_to_fail();
        for _ in 0..runs {
            let run = *search.questions(1).first().unwrap();
            search.answer(&run, oracle(&run));
        }
        let bracket = search.bracket();
        search.stop();
        assert_eq!(search.questions(1), []);
        let outcome = search.outcome().unwrap();
        assert_eq!(outcome.runs, runs);
        assert_eq!(outcome.conclusion, Conclusion::OutOfBudget { bracket });
    }
    let mut search = NoisyBisect::new(16, Confidence::OF_ANSWERS).repeatable();
    let ended = run(&mut search, 1, |it| Answer::of(it.position.0 >= 3));
    search.stop();
    assert_eq!(search.outcome().unwrap().conclusion, ended.outcome.conclusion, "it had ended");
}

#[test]
fn ends_that_are_alike_make_no_difference() {
    for (answer, known, runs) in
        [(Answer::Passes, false, 6), (Answer::Fails, false, 6), (Answer::Passes, true, 320)]
    {
        let search = NoisyBisect::new(POSITIONS, Confidence::OF_ANSWERS);
        let mut search = if known { search.known_to_fail() } else { search };
        let ended = run(&mut search, 1, |_| answer);
        assert_eq!(ended.outcome.conclusion, Conclusion::NoDifference { answer });
        assert_eq!(ended.outcome.runs, runs);
    }
    let mut search = NoisyBisect::new(POSITIONS, Confidence::OF_ANSWERS);
    let ended = run(&mut search, 1, |it| Answer::of(it.run % 2 == 0));
    let alike = Counts::new(80, 160);
    assert_eq!(
        ended.outcome.conclusion,
        Conclusion::AsOften(FailsAsOften { good: alike, bad: alike })
    );
}

#[test]
fn positions_that_cannot_be_told_are_kept_away_from() {
    let mut search = NoisyBisect::new(10, Confidence::OF_ANSWERS)
        .cannot_tell(Position(0))
        .cannot_tell(Position(5));
    let ended = run(&mut search, 2, |it| match it.position.0 {
        9 => Answer::CannotTell,
        0 | 5 => panic!("{it:?}"),
        position => Answer::of(position >= 5),
    });
    assert_eq!(found(&ended.outcome.conclusion), Some((4, 6)));
    let mut search = NoisyBisect::new(10, Confidence::OF_ANSWERS);
    let ended = run(&mut search, 2, |_| Answer::CannotTell);
    assert_eq!(ended.outcome.conclusion, Conclusion::NothingTold);
    assert_eq!(ended.outcome.runs, 18, "the last one left is of no use by itself");
}

#[test]
fn a_run_that_shows_neither_now_and_then_is_only_run_again() {
    let mut search = NoisyBisect::new(POSITIONS, Confidence::OF_ANSWERS);
    let ended = run(&mut search, 1, |it| match (it.position.0, it.run) {
        (50, 0 | 2) => Answer::CannotTell,
        (position, _) => Answer::of(position >= 50),
    });
    assert_eq!(found(&ended.outcome.conclusion), Some((49, 50)));
    assert_eq!(ended.outcome.tallies[&Position(50)].untold, 2);
}

#[test]
fn a_failure_that_only_seemed_steady_is_calibrated() {
    // The bad end fails in its first runs, and later in every fifth.
    let mut search = NoisyBisect::new(POSITIONS, Confidence::OF_ANSWERS);
    let ended = run(&mut search, 1, |it| {
        let early = it.position.0 == POSITIONS - 1 && it.run < 3;
        Answer::of(it.position.0 >= 20 && (early || it.run % 5 == 0))
    });
    assert_eq!(found(&ended.outcome.conclusion), Some((19, 20)));
}

#[test]
fn an_answer_that_fresh_runs_keep_contradicting_is_none() {
    let flaky_end = |it: &Run| Answer::of(it.position.0 == POSITIONS - 1 && it.run % 3 == 1);
    let mut search = NoisyBisect::new(POSITIONS, Confidence::OF_ANSWERS);
    run(&mut search, 1, flaky_end);
    let passing = search.price().unwrap().passing;
    // Each position passes during the search, and fails during the confirmation.
    let mut search = NoisyBisect::new(POSITIONS, Confidence::OF_ANSWERS);
    let ended = run(&mut search, 1, |it| {
        let inside = it.position.0 > 0 && it.position.0 < POSITIONS - 1;
        if inside { Answer::of(u64::from(it.run) >= passing) } else { flaky_end(it) }
    });
    let position = Position(POSITIONS - 5);
    assert_eq!(ended.outcome.conclusion, Conclusion::Unsettled { position });
}

#[test]
fn noisy_bisections_resume_behind_every_answer() {
    for (rate, workers) in [(1.0, 1), (1.0, 3), (0.5, 1), (0.5, 2)] {
        for boundary in [1, 4, 8] {
            let new = NoisyBisect::new(9, Confidence::OF_ANSWERS).cannot_tell(Position(2));
            // Rounds that start elsewhere ask other positions, so only the answers are equal.
            let found = |outcome: NoisyBisection| found(&outcome.conclusion);
            resumes_everywhere(&new, workers, planted(3, boundary, rate), found);
        }
    }
}
