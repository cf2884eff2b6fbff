//! Reductions: no unit of the outcome can be deleted, and a known minimum is found.

use proptest::prelude::*;

use super::*;
use crate::testing::{resumes_everywhere, run};

fn least(outcome: &ReductionOutcome) -> (Vec<usize>, &[Rejection]) {
    match outcome {
        ReductionOutcome::Reduced { least, rejections } => (least.kept().collect(), rejections),
        ReductionOutcome::NotThere { .. } => panic!("{outcome:?}"),
    }
}

/// Fails if all of these units are present.
fn needs(units: &[usize]) -> impl Fn(&Candidate) -> Answer {
    move |candidate| Answer::of(units.iter().all(|unit| candidate.keeps(*unit)))
}

#[test]
fn a_needle_is_left_of_any_haystack() {
    for (units, most) in [(10, 25), (100, 90), (1000, 170)] {
        let needle = [units / 10, units / 2, units - 1];
        let mut search = Reduction::new(units).essential(3);
        let ended = run(&mut search, 1, needs(&needle));
        assert_eq!(least(&ended.outcome).0, needle);
        assert!(ended.log.len() <= most, "{} questions for {units} units", ended.log.len());
    }
}

#[test]
fn a_slice_that_is_enough_leaves_little_to_ask() {
    let needle = [3, 500, 777];
    let mut search = Reduction::new(1000).slice([3, 4, 500, 777, 900]).unwrap();
    let ended = run(&mut search, 1, needs(&needle));
    assert_eq!(least(&ended.outcome).0, needle);
    assert!(ended.log.len() <= 10, "{}", ended.log.len());
}

#[test]
fn of_several_slices_the_first_that_is_enough_counts() {
    let needle = [3, 500];
    let search = Reduction::new(1000).slice([3]).unwrap().slice([3, 500, 501]).unwrap();
    let ended = run(&mut search.slice(0..600).unwrap(), 1, needs(&needle));
    assert_eq!(least(&ended.outcome).0, needle);
    assert!(ended.log.len() <= 9, "{}", ended.log.len());
}

#[test]
fn a_slice_that_is_not_enough_is_what_is_deleted_last() {
    let mut search = Reduction::new(6).slice([0, 1]).unwrap();
    let mut asked = Vec::new();
    run(&mut search, 1, |candidate| {
        asked.push(candidate.deleted().collect::<Vec<_>>());
        needs(&[0, 5])(candidate)
    });
    assert_eq!(asked[..4], [vec![], vec![2, 3, 4, 5], vec![2], vec![2, 3]]);
}

#[test]
fn what_does_not_fail_cannot_be_reduced() {
    for answer in [Answer::Passes, Answer::CannotTell] {
        let mut search = Reduction::new(4);
        let ended = run(
            &mut search,
            3,
            |candidate| {
                if candidate.size() == 4 { answer } else { Answer::Fails }
            },
        );
        assert_eq!(ended.outcome, ReductionOutcome::NotThere { answer });
        assert_eq!(search.best(), None);
    }
}

#[test]
fn the_best_so_far_is_always_something_that_failed() {
    let mut search = Reduction::new(40).essential(4);
    let mut failed = Vec::new();
    while search.outcome().is_none() {
        let question = search.questions(1).remove(0);
        let answer = needs(&[7, 30])(&question);
        if answer == Answer::Fails {
            failed.push(question.clone());
        }
        search.answer(&question, answer);
        assert_eq!(search.best(), failed.iter().min_by_key(|it| it.size()).cloned());
    }
}

#[test]
fn an_answer_that_cannot_be_told_keeps_a_unit_and_says_so() {
    let mut search = Reduction::new(3);
    let ended = run(&mut search, 1, |candidate| {
        if candidate.keeps(1) { needs(&[2])(candidate) } else { Answer::CannotTell }
    });
    let (kept, rejections) = least(&ended.outcome);
    assert_eq!(kept, [1, 2]);
    let untold = Rejection { deleted: vec![1], answer: Answer::CannotTell };
    assert!(rejections.contains(&untold), "{rejections:?}");
}

#[test]
fn units_that_do_not_exist_are_refused() {
    let unknown = Err(UnknownUnit { unit: 4, units: 4 });
    assert_eq!(Reduction::new(4).slice([0, 4]), unknown);
    assert_eq!(Reduction::new(4).requires([vec![], vec![4]]), unknown);
    assert_eq!(Reduction::new(4).requires(vec![[0]; 5]), unknown);
}

/// Whether the dependencies of every present unit are present.
fn is_closed(candidate: &Candidate, requirements: &[Vec<usize>]) -> bool {
    candidate.kept().all(|unit| requirements[unit].iter().all(|needed| candidate.keeps(*needed)))
}

/// The units without one unit and its dependents.
fn without(units: usize, kept: u32, unit: usize, requirements: &[Vec<usize>]) -> u32 {
    let mut rest = kept & !(1 << unit);
    for _ in 0..units {
        for (unit, needed) in requirements.iter().enumerate().take(units) {
            if needed.iter().any(|needed| rest & 1 << needed == 0) {
                rest &= !(1 << unit);
            }
        }
    }
    rest
}

fn bits(candidate: &Candidate) -> u32 {
    candidate.kept().map(|unit| 1 << unit).sum()
}

/// Random dependencies of each unit on earlier units.
fn requirements() -> impl Strategy<Value = Vec<Vec<usize>>> {
    proptest::collection::vec(any::<[bool; 12]>(), 12).prop_map(|table| {
        let needed = |unit: usize, row: [bool; 12]| {
            // Few enough that not everything depends on the first unit.
            (0..unit).filter(|other| row[*other] && (unit + other).is_multiple_of(4)).collect()
        };
        table.into_iter().enumerate().map(|(unit, row)| needed(unit, row)).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn conjunctions_come_to_exactly_their_units(
        needle in proptest::collection::btree_set(0..64_usize, 0..8),
        essential in 1..12_usize,
        workers in 1..5_usize,
    ) {
        let needle: Vec<usize> = needle.into_iter().collect();
        let mut search = Reduction::new(64).essential(essential);
        let ended = run(&mut search, workers, needs(&needle));
        let (kept, rejections) = least(&ended.outcome);
        prop_assert_eq!(&kept, &needle);
        let deleted: Vec<Vec<usize>> = rejections.iter().map(|it| it.deleted.clone()).collect();
        prop_assert_eq!(deleted.len(), needle.len());
        prop_assert!(needle.iter().all(|unit| deleted.contains(&vec![*unit])));
    }

    #[test]
    fn nothing_of_the_outcome_can_go_whatever_fails(
        table in proptest::collection::vec(any::<bool>(), 1 << 10),
        requirements in requirements(),
        essential in 1..6_usize,
        workers in 1..5_usize,
    ) {
        let fails = |kept: u32| kept == (1 << 12) - 1 || table[(kept % (1 << 10)) as usize];
        let mut search = Reduction::new(12).requires(&requirements).unwrap().essential(essential);
        let ended = run(&mut search, workers, |candidate| {
            assert!(is_closed(candidate, &requirements));
            Answer::of(fails(bits(candidate)))
        });
        let ReductionOutcome::Reduced { least, .. } = &ended.outcome else {
            panic!("{:?}", ended.outcome);
        };
        prop_assert!(fails(bits(least)));
        for unit in least.kept() {
            let rest = without(12, bits(least), unit, &requirements);
            prop_assert!(!fails(rest), "{:b} without {unit}", bits(least));
        }
    }

    #[test]
    fn the_outcome_does_not_depend_on_the_workers(
        table in proptest::collection::vec(any::<bool>(), 1 << 10),
        workers in 2..6_usize,
    ) {
        let fails = |candidate: &Candidate| {
            let kept = bits(candidate);
            Answer::of(kept == (1 << 12) - 1 || table[(kept % (1 << 10)) as usize])
        };
        let one = run(&mut Reduction::new(12).essential(2), 1, fails);
        let several = run(&mut Reduction::new(12).essential(2), workers, fails);
        prop_assert_eq!(one.outcome, several.outcome);
        prop_assert!(several.rounds <= one.rounds);
    }

    #[test]
    fn a_reduction_resumes_behind_every_answer(
        needle in proptest::collection::btree_set(0..24_usize, 0..5),
        slice in proptest::collection::btree_set(0..24_usize, 0..12),
        workers in 1..4_usize,
    ) {
        let needle: Vec<usize> = needle.into_iter().collect();
        let new = Reduction::new(24).essential(3).slice(slice).unwrap();
        resumes_everywhere(&new, workers, needs(&needle), |outcome| outcome);
    }
}
