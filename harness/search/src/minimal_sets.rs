//! Finds minimal sets of items that cause or cure a failure.
//!
//! The method is that of Go's `bisect`: the id of an item is the hash of its name, a set is found by halves,
//! each result is confirmed, and the search continues without it. First the search tries none and all of the
//! items: the answers decide whether it looks for causes or cures.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use thiserror::Error;

use crate::{Answer, Search};

/// An item, identified by the hash of its name, so that a log of answers stays valid when items are added or
/// removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Item(u64);

impl Item {
    /// The item with a name.
    pub fn named(name: &str) -> Self {
        let mut bytes = [0; 8];
        blake3::Hasher::new().update(name.as_bytes()).finalize_xof().fill(&mut bytes);
        Self(u64::from_le_bytes(bytes))
    }
}

impl fmt::Display for Item {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:016x}", self.0)
    }
}

/// A set of items to switch on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SetQuestion {
    /// The items that are on; all others are off.
    pub on: BTreeSet<Item>,
    /// The number of the run: 0 for the first, 1 for a fresh run of the same set as confirmation.
    pub run: u32,
}

/// The effect of switching all items on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// The test passes with none and fails with all: the sets cause the failure.
    Causes,
    /// The test fails with none and passes with all: the sets cure the failure.
    Cures,
}

/// A set of items that has the effect alone, and loses it without any one of its items.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MinimalSet {
    /// The items, in the order of the search's input.
    pub items: Vec<Item>,
    /// Whether a fresh run with exactly these items had the effect again.
    pub confirmed: bool,
    /// Items for which the try without them gave no answer.
    pub cannot_tell: Vec<Item>,
}

/// The result of a search for minimal sets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MinimalSetsOutcome {
    /// The sets with the effect, in the order in which they were found.
    Sets {
        /// The effect of the sets.
        effect: Effect,
        /// The sets.
        sets: Vec<MinimalSet>,
        /// Whether these are all sets, provided that additional items never undo the effect.
        all: bool,
    },
    /// The tries with none and all gave the same answer, or one gave no answer.
    NoDifference {
        /// The answer with none.
        none: Answer,
        /// The answer with all.
        all: Answer,
    },
}

/// Invalid items.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MinimalSetsError {
    /// Two items with the same name, which an answer could not distinguish.
    #[error("two items are named `{name}`; give each its own name")]
    SameName {
        /// The name.
        name: String,
    },
}

/// Finds minimal sets of items that cause or cure a failure.
///
/// If additional items never undo the effect, it finds all minimal sets up to a maximum number. Otherwise each
/// set found still has the effect and loses it without any one of its items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinimalSets {
    items: Vec<Item>,
    names: BTreeMap<Item, String>,
    most: usize,
    answers: BTreeMap<SetQuestion, Answer>,
    outcome: Option<MinimalSetsOutcome>,
}

impl MinimalSets {
    /// A search over items with these names; it ends after `most` sets. Related items should be adjacent.
    ///
    /// # Errors
    /// Two names are equal.
    pub fn new<N: Into<String>>(
        names: impl IntoIterator<Item = N>,
        most: usize,
    ) -> Result<Self, MinimalSetsError> {
        let mut items = Vec::new();
        let mut by_item = BTreeMap::new();
        for name in names {
            let name = name.into();
            let item = Item::named(&name);
            items.push(item);
            if let Some(name) = by_item.insert(item, name) {
                return Err(MinimalSetsError::SameName { name });
            }
        }
        Ok(Self { items, names: by_item, most, answers: BTreeMap::new(), outcome: None })
    }

    /// An item's name.
    pub fn name(&self, item: Item) -> Option<&str> {
        self.names.get(&item).map(String::as_str)
    }

    /// The names of a question's items, in the order of the search's input.
    pub fn names(&self, question: &SetQuestion) -> Vec<&str> {
        let on = self.items.iter().filter(|item| question.on.contains(item));
        on.filter_map(|item| self.name(*item)).collect()
    }
}

impl Search for MinimalSets {
    type Question = SetQuestion;
    type Outcome = MinimalSetsOutcome;

    fn questions(&self, workers: usize) -> Vec<SetQuestion> {
        if self.outcome.is_some() {
            return Vec::new();
        }
        let mut exploration = Exploration::new(self, workers.max(1));
        // The exploration guesses answers, so that other workers get the questions that would follow. A result
        // based on guesses is discarded.
        let _ = exploration.explore();
        exploration.open
    }

    fn answer(&mut self, question: &SetQuestion, answer: Answer) {
        self.answers.insert(question.clone(), answer);
        let mut exploration = Exploration::new(self, 0);
        self.outcome = exploration.explore().ok();
    }

    fn outcome(&self) -> Option<MinimalSetsOutcome> {
        self.outcome.clone()
    }
}

/// The exploration needs an answer first.
struct Unanswered;

/// One walk through the search with the known answers.
struct Exploration<'a> {
    search: &'a MinimalSets,
    open: Vec<SetQuestion>,
    /// The largest number of open questions; the walk ends when it is exceeded.
    most_open: usize,
    sought: Answer,
}

type Walk<T> = Result<T, Unanswered>;

impl<'a> Exploration<'a> {
    const fn new(search: &'a MinimalSets, most_open: usize) -> Self {
        Self { search, open: Vec::new(), most_open, sought: Answer::Fails }
    }

    fn ask(&mut self, on: BTreeSet<Item>, run: u32, guess: Answer) -> Walk<Answer> {
        let question = SetQuestion { on, run };
        if let Some(answer) = self.search.answers.get(&question) {
            return Ok(*answer);
        }
        if !self.open.contains(&question) {
            if self.open.len() >= self.most_open {
                return Err(Unanswered);
            }
            self.open.push(question);
        }
        Ok(guess)
    }

    const fn opposite(&self) -> Answer {
        match self.sought {
            Answer::Fails | Answer::CannotTell => Answer::Passes,
            Answer::Passes => Answer::Fails,
        }
    }

    /// Whether a set has the effect; the guess is no.
    fn shows(&mut self, on: &BTreeSet<Item>) -> Walk<bool> {
        let guess = self.opposite();
        Ok(self.ask(on.clone(), 0, guess)? == self.sought)
    }

    fn explore(&mut self) -> Walk<MinimalSetsOutcome> {
        let everything: BTreeSet<Item> = self.search.items.iter().copied().collect();
        let none = self.ask(BTreeSet::new(), 0, Answer::Passes)?;
        let all = self.ask(everything.clone(), 0, Answer::Fails)?;
        let effect = match (none, all) {
            (Answer::Passes, Answer::Fails) => Effect::Causes,
            (Answer::Fails, Answer::Passes) => Effect::Cures,
            (Answer::Passes, Answer::Passes)
            | (Answer::Fails, Answer::Fails)
            | (Answer::CannotTell, _)
            | (_, Answer::CannotTell) => {
                return Ok(MinimalSetsOutcome::NoDifference { none, all });
            }
        };
        self.sought = all;

        let mut sets: Vec<MinimalSet> = Vec::new();
        let mut complete = true;
        // Another set lacks at least one item of each known set. Reiter's tree of hitting sets visits each
        // choice of such items once.
        let mut without: VecDeque<BTreeSet<Item>> = VecDeque::from([BTreeSet::new()]);
        let mut visited: BTreeSet<BTreeSet<Item>> = BTreeSet::new();
        let mut exhausted: Vec<BTreeSet<Item>> = Vec::new();
        while let Some(excluded) = without.pop_front() {
            if !visited.insert(excluded.clone())
                || exhausted.iter().any(|smaller| smaller.is_subset(&excluded))
            {
                continue;
            }
            let known = sets.iter().map(|set| &set.items);
            let disjoint = known.clone().find(|set| !set.iter().any(|it| excluded.contains(it)));
            let items = if let Some(items) = disjoint {
                items.clone()
            } else {
                if sets.len() >= self.search.most {
                    complete = false;
                    break;
                }
                let left: BTreeSet<Item> = everything.difference(&excluded).copied().collect();
                if !self.shows(&left)? {
                    complete &= self.ask(left, 0, self.opposite())? != Answer::CannotTell;
                    exhausted.push(excluded);
                    continue;
                }
                let set = self.minimal(&left)?;
                let items = set.items.clone();
                sets.push(set);
                items
            };
            for item in items {
                let mut excluded = excluded.clone();
                excluded.insert(item);
                without.push_back(excluded);
            }
        }
        Ok(MinimalSetsOutcome::Sets { effect, sets, all: complete })
    }

    /// A minimal subset of these items, which have the effect together.
    fn minimal(&mut self, among: &BTreeSet<Item>) -> Walk<MinimalSet> {
        let items: Vec<Item> =
            self.search.items.iter().copied().filter(|item| among.contains(item)).collect();
        let mut found: BTreeSet<Item> =
            self.needed(&BTreeSet::new(), &items)?.into_iter().collect();
        let mut cannot_tell = Vec::new();
        let mut order: VecDeque<Item> =
            items.iter().copied().filter(|item| found.contains(item)).collect();
        let mut kept_in_a_row = 0;
        while kept_in_a_row < order.len() {
            let Some(item) = order.pop_front() else { break };
            let mut rest = found.clone();
            rest.remove(&item);
            if self.shows(&rest)? {
                found = rest;
                kept_in_a_row = 0;
                cannot_tell.clear();
            } else {
                if self.ask(rest, 0, self.opposite())? == Answer::CannotTell {
                    cannot_tell.push(item);
                }
                order.push_back(item);
                kept_in_a_row += 1;
            }
        }
        let confirmed = self.ask(found.clone(), 1, self.sought)? == self.sought;
        let items = items.into_iter().filter(|item| found.contains(item)).collect();
        Ok(MinimalSet { items, confirmed, cannot_tell })
    }

    /// The items of `among` that the effect needs besides `given`. `among` and `given` together have the
    /// effect. The returned items and `given` together have it too, even if additional items can undo the
    /// effect.
    fn needed(&mut self, given: &BTreeSet<Item>, among: &[Item]) -> Walk<Vec<Item>> {
        if among.len() <= 1 {
            return Ok(among.to_vec());
        }
        let (left, right) = among.split_at(among.len() / 2);
        let with = |items: &[Item]| given.iter().chain(items).copied().collect::<BTreeSet<Item>>();
        if self.shows(&with(left))? {
            return self.needed(given, left);
        }
        if self.shows(&with(right))? {
            return self.needed(given, right);
        }
        let mut needed = self.needed(&with(right), left)?;
        let rest = self.needed(&with(&needed), right)?;
        needed.extend(rest);
        Ok(needed)
    }
}

#[cfg(test)]
mod tests;
