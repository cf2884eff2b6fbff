//! Compares minimal sets with an enumeration of all subsets.

use proptest::prelude::*;

use super::*;
use crate::testing::{resumes_everywhere, run};

fn names(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("item {number}")).collect()
}

/// The items of a question as bits.
fn bits(question: &SetQuestion, count: usize) -> u32 {
    let on = |number: &usize| question.on.contains(&Item::named(&format!("item {number}")));
    (0..count).filter(on).map(|number| 1 << number).sum()
}

fn set_bits(set: &MinimalSet, count: usize) -> u32 {
    bits(&SetQuestion { on: set.items.iter().copied().collect(), run: 0 }, count)
}

/// Fails if all bits of one of these terms are on: a disjunction of conjunctions.
fn or_of_ands(terms: &[u32], on: u32) -> bool {
    terms.iter().any(|term| on & term == *term)
}

/// The minimal sets with the effect, among all subsets.
fn walk(count: usize, shows: impl Fn(u32) -> bool) -> Vec<u32> {
    let showing: Vec<u32> = (0..1 << count).filter(|on| shows(*on)).collect();
    let least = |on: &&u32| !showing.iter().any(|other| other != *on && other & **on == *other);
    showing.iter().filter(least).copied().collect()
}

fn sets(outcome: MinimalSetsOutcome) -> (Effect, Vec<MinimalSet>, bool) {
    match outcome {
        MinimalSetsOutcome::Sets { effect, sets, all } => (effect, sets, all),
        MinimalSetsOutcome::NoDifference { .. } => panic!("{outcome:?}"),
    }
}

#[test]
fn one_culprit_of_many_is_found_by_halves() {
    for culprit in [0, 1, 499, 500, 999] {
        let mut search = MinimalSets::new(names(1000), 4).unwrap();
        let item = Item::named(&format!("item {culprit}"));
        let ended = run(&mut search, 1, |question| Answer::of(question.on.contains(&item)));
        let (effect, sets, all) = sets(ended.outcome);
        assert_eq!(sets, [MinimalSet { items: vec![item], confirmed: true, cannot_tell: vec![] }]);
        assert_eq!((effect, all), (Effect::Causes, true));
        assert!(ended.log.len() <= 2 + 2 * 10 + 2, "{}", ended.log.len());
        assert_eq!(search.name(item), Some(format!("item {culprit}").as_str()));
    }
}

#[test]
fn two_culprits_that_need_each_other_are_found_by_halves() {
    for culprits in [[3, 200], [126, 127], [0, 255]] {
        let mut search = MinimalSets::new(names(256), 4).unwrap();
        let items = culprits.map(|number| Item::named(&format!("item {number}")));
        let all = |question: &SetQuestion| items.iter().all(|item| question.on.contains(item));
        let ended = run(&mut search, 1, |question| Answer::of(all(question)));
        let (_, sets, _) = sets(ended.outcome);
        assert_eq!(sets[0].items, items);
        assert!(ended.log.len() <= 2 + 4 * 8 + 6, "{} questions", ended.log.len());
    }
}

#[test]
fn a_cure_is_found_as_a_cause_is() {
    let mut search = MinimalSets::new(names(6), 4).unwrap();
    let ended = run(&mut search, 1, |question| {
        let on = bits(question, 6);
        Answer::of(!or_of_ands(&[0b11_0000, 0b1], on))
    });
    let (effect, sets, all) = sets(ended.outcome);
    assert_eq!((effect, all), (Effect::Cures, true));
    let found: Vec<u32> = sets.iter().map(|set| set_bits(set, 6)).collect();
    assert_eq!(found, [0b1, 0b11_0000]);
}

#[test]
fn no_more_sets_are_looked_for_than_asked() {
    let mut search = MinimalSets::new(names(8), 2).unwrap();
    let ended = run(&mut search, 1, |question| Answer::of(bits(question, 8) != 0));
    let (_, sets, all) = sets(ended.outcome);
    assert_eq!((sets.len(), all), (2, false));
}

#[test]
fn what_has_no_effect_is_not_asked_again_with_less() {
    let mut search = MinimalSets::new(names(6), 8).unwrap();
    let ended =
        run(&mut search, 1, |question| Answer::of(or_of_ands(&[0b11, 0b101], bits(question, 6))));
    assert_eq!(sets(ended.outcome).1.len(), 2);
    let asked: Vec<u32> = ended.log.iter().map(|(question, _)| bits(question, 6)).collect();
    assert!(asked.contains(&0b11_1110), "without what both sets need");
    assert!(!asked.contains(&0b11_1100) && !asked.contains(&0b11_1010), "{asked:?}");
}

#[test]
fn what_makes_no_difference_or_cannot_be_told_says_so() {
    for answer in [Answer::Passes, Answer::Fails, Answer::CannotTell] {
        let mut search = MinimalSets::new(names(8), 2).unwrap();
        let ended = run(&mut search, 2, |_| answer);
        assert_eq!(ended.outcome, MinimalSetsOutcome::NoDifference { none: answer, all: answer });
    }
    let same = MinimalSets::new(["a", "b", "a"], 1);
    assert_eq!(same, Err(MinimalSetsError::SameName { name: "a".into() }));
}

#[test]
fn a_set_that_fresh_runs_do_not_show_is_not_confirmed() {
    let mut search = MinimalSets::new(names(4), 1).unwrap();
    let ended = run(&mut search, 1, |question| {
        Answer::of(question.run == 0 && bits(question, 4) & 0b10 != 0)
    });
    let (_, sets, _) = sets(ended.outcome);
    assert!(!sets[0].confirmed);
}

#[test]
fn items_without_which_nothing_can_be_told_are_named() {
    let mut search = MinimalSets::new(names(4), 4).unwrap();
    let ended = run(&mut search, 1, |question| match bits(question, 4) {
        0b11 | 0b111 | 0b1011 | 0b1111 => Answer::Fails,
        0b10 => Answer::CannotTell,
        _ => Answer::Passes,
    });
    let (_, sets, _) = sets(ended.outcome);
    assert_eq!((sets.len(), set_bits(&sets[0], 4)), (1, 0b11));
    assert_eq!(sets[0].cannot_tell, [Item::named("item 0")]);
}

#[test]
fn an_item_keeps_its_number_whatever_stands_beside_it() {
    // Logs contain these numbers, so the number of an item must not change.
    assert_eq!(Item::named("finish after 12").to_string(), ITEM);
}

const ITEM: &str = "f59eed24b5c70dae";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn planted_formulas_give_all_their_minimal_sets(
        terms in proptest::collection::vec(1..1_u32 << 9, 1..4),
        workers in 1..4_usize,
    ) {
        let mut search = MinimalSets::new(names(9), 64).unwrap();
        let ended = run(&mut search, workers, |question| {
            Answer::of(or_of_ands(&terms, bits(question, 9)))
        });
        let (effect, sets, all) = sets(ended.outcome);
        let mut found: Vec<u32> = sets.iter().map(|set| set_bits(set, 9)).collect();
        found.sort_unstable();
        prop_assert_eq!(found, walk(9, |on| or_of_ands(&terms, on)));
        prop_assert!(all && effect == Effect::Causes && sets.iter().all(|set| set.confirmed));
    }

    #[test]
    fn each_set_is_minimal_even_if_more_items_undo_the_effect(
        table in proptest::collection::vec(any::<bool>(), 1 << 6),
        workers in 1..4_usize,
    ) {
        let shows = |on: u32| match on {
            0 => false,
            0b11_1111 => true,
            on => table[on as usize],
        };
        let mut search = MinimalSets::new(names(6), 3).unwrap();
        let ended = run(&mut search, workers, |question| Answer::of(shows(bits(question, 6))));
        let (_, sets, _) = sets(ended.outcome);
        prop_assert!(!sets.is_empty());
        for set in sets {
            let on = set_bits(&set, 6);
            prop_assert!(shows(on) && set.confirmed);
            for item in (0..6).filter(|item| on & 1 << item != 0) {
                prop_assert!(!shows(on & !(1 << item)), "{on:b} without {item}");
            }
        }
    }

    #[test]
    fn a_search_for_sets_resumes_behind_every_answer(
        terms in proptest::collection::vec(1..1_u32 << 5, 1..3),
        workers in 1..4_usize,
    ) {
        let new = MinimalSets::new(names(5), 8).unwrap();
        let oracle = |question: &SetQuestion| Answer::of(or_of_ands(&terms, bits(question, 5)));
        resumes_everywhere(&new, workers, oracle, |outcome| outcome);
    }
}
