//! Which minimal sets of items cause a failure, or cure it.
//!
//! The idea is that of Go's `bisect`: items have ids that are hashes of their names, a set is looked for by halves, what
//! was found is confirmed, and the search goes on without it. Which of *none* and *all* fails is asked and decides whether
//! causes or cures are looked for.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use thiserror::Error;

use crate::{Answer, Search};

/// An item by the hash of its name, so that a log of answers still holds when items come or go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Item(u64);

impl Item {
    /// The item of a name.
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

/// Which items to switch on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SetQuestion {
    /// The items that are on; all others are off.
    pub on: BTreeSet<Item>,
    /// 0 for the first run. 1 asks for a fresh run of the same, which confirms.
    pub run: u32,
}

/// What switching all items on does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// It passes with none and fails with all: the sets cause the failure.
    Causes,
    /// It fails with none and passes with all: the sets cure the failure.
    Cures,
}

/// A set of items that has the effect by itself, and has it no longer without any one of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MinimalSet {
    /// The items, in the order in which the search was given them.
    pub items: Vec<Item>,
    /// Whether a fresh run with exactly these items had the effect again.
    pub confirmed: bool,
    /// Those items without which it could not be told whether the effect is still there.
    pub cannot_tell: Vec<Item>,
}

/// What a search for minimal sets found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MinimalSetsOutcome {
    /// Sets that have the effect, in the order in which they were found.
    Sets {
        /// What they do.
        effect: Effect,
        /// The sets.
        sets: Vec<MinimalSet>,
        /// Whether there are no others, provided that more items never undo the effect.
        all: bool,
    },
    /// None and all answer alike, or one of the two could not be told.
    NoDifference {
        /// The answer with none.
        none: Answer,
        /// The answer with all.
        all: Answer,
    },
}

/// Why items cannot be searched.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MinimalSetsError {
    /// Two items have one name, so that no answer could say which of them is meant.
    #[error("two items are named `{name}`; give each its own name")]
    SameName {
        /// The name.
        name: String,
    },
}

/// Looks for minimal sets of items that cause or cure a failure.
///
/// If more items never undo the effect, it finds all minimal sets up to a maximum. Otherwise each set that it finds still
/// has the effect and loses it without any one of its items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinimalSets {
    items: Vec<Item>,
    names: BTreeMap<Item, String>,
    most: usize,
    answers: BTreeMap<SetQuestion, Answer>,
    outcome: Option<MinimalSetsOutcome>,
}

impl MinimalSets {
    /// Over items with these names; ends when it has found `most` sets. Items that belong together stand side by side.
    ///
    /// # Errors
    /// If two names are equal.
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

    /// The names of a question's items, in the order in which the search was given them.
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
        // What an answer will be is guessed, so that the questions behind it are known to other workers. An outcome that
        // rests on guesses counts for nothing.
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

/// An answer is needed first.
struct Unanswered;

/// One walk through the search, with the answers that there are.
struct Exploration<'a> {
    search: &'a MinimalSets,
    open: Vec<SetQuestion>,
    /// How many open questions there may be; the walk ends with the first one too many.
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

    /// Whether a set has the effect; most have not.
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
        // Whoever looks for another set leaves out one item of each set that is known. Reiter's tree of hitting sets
        // visits each way of doing so once.
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

    /// A minimal set among these, which have the effect together.
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

    /// Those of `among` that are needed for the effect beside `given`. `among` and `given` together have it; what is given
    /// back has it together with `given` as well, even if more items undo the effect.
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
