//! Compares bisections with a walk over all positions.

use proptest::prelude::*;

use super::*;
use crate::testing::{resumes_everywhere, run};

/// A row that passes before `boundary` and fails from there on, or the reverse.
fn monotone(boundary: usize, mends: bool) -> impl Fn(&Position) -> Answer {
    move |position| Answer::of((position.0 >= boundary) != mends)
}

fn with_skips(row: impl Fn(&Position) -> Answer, skips: &[bool]) -> impl Fn(&Position) -> Answer {
    move |position| if skips[position.0] { Answer::CannotTell } else { row(position) }
}

/// The result of a walk over all positions of a monotone row.
fn walk(positions: usize, row: impl Fn(&Position) -> Answer) -> Bisection {
    let told: Vec<Position> = (0..positions)
        .map(Position)
        .filter(|position| row(position) != Answer::CannotTell)
        .collect();
    let (Some(first), Some(last)) = (told.first(), told.last()) else {
        return Bisection::NothingTold;
    };
    if first == last {
        return Bisection::NothingTold;
    }
    let beginning = row(first);
    let Some(after) = told.iter().find(|position| row(position) != beginning) else {
        return Bisection::NoDifference { answer: beginning };
    };
    let before = *told.iter().rfind(|position| *position < after).unwrap();
    Bisection::Boundary {
        before,
        after: *after,
        direction: if beginning == Answer::Passes { Direction::Breaks } else { Direction::Mends },
        cannot_tell: (before.0 + 1..after.0).map(Position).collect(),
    }
}

#[test]
fn every_boundary_is_found_in_as_few_rounds_as_there_can_be() {
    for positions in 2..=64_usize {
        for boundary in 1..positions {
            for (workers, mends) in [(1, false), (1, true), (2, false), (3, true), (4, false)] {
                let row = monotone(boundary, mends);
                let ended = run(&mut Bisect::new(positions), workers, &row);
                assert_eq!(ended.outcome, walk(positions, &row), "{boundary} of {positions}");
                // Both ends, then ⌈log₍w+1₎ n⌉, computed by multiplication.
                let ends = if workers == 1 { 2 } else { 1 };
                let (mut most, mut reach) = (ends, 1);
                while reach < positions {
                    reach *= workers + 1;
                    most += 1;
                }
                assert!(ended.rounds <= most, "{} rounds for {positions}", ended.rounds);
            }
        }
    }
}

#[test]
fn ends_that_are_known_are_not_asked() {
    let row = monotone(700, false);
    let mut search = Bisect::new(1024);
    search.answer(&Position(0), Answer::Passes);
    search.answer(&Position(1023), Answer::Fails);
    assert_eq!(search.rounds_left(1), 10);
    assert_eq!(search.rounds_left(3), 5);
    assert_eq!(search.bracket(), Some((Position(0), Position(1023))));
    let ended = run(&mut search, 1, &row);
    assert_eq!(ended.outcome, walk(1024, &row));
    assert!(ended.log.len() <= 10, "{}", ended.log.len());
    assert_eq!(search.rounds_left(1), 0);
}

#[test]
fn rows_without_an_answer_say_so() {
    let nothing = |positions| run(&mut Bisect::new(positions), 1, |_| Answer::Passes).outcome;
    assert_eq!(nothing(0), Bisection::NothingTold);
    assert_eq!(nothing(1), Bisection::NothingTold);
    assert_eq!(nothing(9), Bisection::NoDifference { answer: Answer::Passes });
    let untold = run(&mut Bisect::new(9), 3, |_| Answer::CannotTell);
    assert_eq!(untold.outcome, Bisection::NothingTold);
    assert_eq!(untold.log.len(), 9);
}

#[test]
fn a_stretch_that_cannot_be_told_is_kept_away_from() {
    let row = |position: &Position| match position.0 {
        30..=80 => Answer::CannotTell,
        position => Answer::of(position >= 95),
    };
    let ended = run(&mut Bisect::new(100), 1, row);
    let untold = ended.log.iter().filter(|(_, answer)| *answer == Answer::CannotTell).count();
    assert_eq!(ended.outcome, walk(100, row));
    assert!(untold <= 6, "{untold} of the 51 that cannot be told");
    let row = |position: &Position| match position.0 {
        30..=80 => Answer::CannotTell,
        position => Answer::of(position >= 55),
    };
    assert_eq!(run(&mut Bisect::new(100), 1, row).outcome, walk(100, row), "a range");
}

proptest! {
    #[test]
    fn skips_give_the_narrowest_range_that_can_be_told(
        skips in proptest::collection::vec(prop_oneof![3 => Just(false), 1 => Just(true)], 1..64),
        boundary in 0..64_usize,
        mends: bool,
        workers in 1..5_usize,
    ) {
        let row = with_skips(monotone(boundary, mends), &skips);
        let ended = run(&mut Bisect::new(skips.len()), workers, &row);
        prop_assert_eq!(ended.outcome, walk(skips.len(), &row));
    }

    #[test]
    fn a_row_that_is_not_monotone_still_gives_a_place_where_it_changes(
        row in proptest::collection::vec(0..3_u8, 2..64),
        workers in 1..5_usize,
    ) {
        let positions = row.len();
        let row = |position: &Position| match row[position.0] {
            0 => Answer::Passes,
            1 => Answer::Fails,
            _ => Answer::CannotTell,
        };
        let ended = run(&mut Bisect::new(positions), workers, row);
        if let Bisection::Boundary { before, after, direction, cannot_tell } = ended.outcome {
            let sides = match direction {
                Direction::Breaks => (Answer::Passes, Answer::Fails),
                Direction::Mends => (Answer::Fails, Answer::Passes),
            };
            prop_assert_eq!((row(&before), row(&after)), sides);
            prop_assert!(cannot_tell.iter().all(|it| row(it) == Answer::CannotTell));
            prop_assert_eq!(cannot_tell.len(), after.0 - before.0 - 1);
        }
    }

    #[test]
    fn a_bisection_resumes_behind_every_answer(
        skips in proptest::collection::vec(prop_oneof![5 => Just(false), 1 => Just(true)], 1..64),
        boundary in 0..64_usize,
        workers in 1..4_usize,
    ) {
        let row = with_skips(monotone(boundary, false), &skips);
        resumes_everywhere(&Bisect::new(skips.len()), workers, row, |outcome| outcome);
    }
}
