//! Which of many units a failure needs.
//!
//! Groups of units are deleted first, in rounds of ever smaller groups. Their sizes are those of counter-based delta
//! debugging (Zhang et al., "Toward a Better Understanding of Probabilistic Delta Debugging", ICSE 2025): from a round to
//! the next they shrink by the factor 1 - 1/e. Such rounds alone leave units that could go. So units are then deleted one
//! by one until none can go any more, and the answers of that last turn are the proof.

use std::collections::{BTreeMap, VecDeque};

use fixedbitset::FixedBitSet;
use thiserror::Error;

use crate::{Answer, Search};

/// The units that are tried by themselves, without all others.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Candidate {
    kept: FixedBitSet,
}

impl Candidate {
    /// The units that are there, in ascending order.
    pub fn kept(&self) -> impl Iterator<Item = usize> + '_ {
        self.kept.ones()
    }

    /// The units that are left out, in ascending order.
    pub fn deleted(&self) -> impl Iterator<Item = usize> + '_ {
        self.kept.zeroes()
    }

    /// How many units are there.
    pub fn size(&self) -> usize {
        self.kept.count_ones(..)
    }

    /// Whether a unit is there.
    pub fn keeps(&self, unit: usize) -> bool {
        self.kept.contains(unit)
    }
}

/// A unit that cannot go, and what came of leaving it out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rejection {
    /// The unit, and the units that go with it.
    pub deleted: Vec<usize>,
    /// What the rest answered.
    pub answer: Answer,
}

/// What a reduction came to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ReductionOutcome {
    /// The failure needs each of these units.
    Reduced {
        /// The units that are left.
        least: Candidate,
        /// For each of them, what came of leaving it out. If the answer is [`Answer::CannotTell`], it is not known whether
        /// the unit is needed.
        rejections: Vec<Rejection>,
    },
    /// All units together do not fail.
    NotThere {
        /// What they answer.
        answer: Answer,
    },
}

/// A unit or a slice names a unit that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("there is no unit {unit}: {units} units are counted from 0")]
pub struct UnknownUnit {
    /// The unit that was named.
    pub unit: usize,
    /// How many there are.
    pub units: usize,
}

/// Deletes units while the failure stays.
///
/// Units are tried in the order of their numbers, those outside the slices first. The outcome does not depend on how many
/// workers there are: a question that was asked in case others are rejected counts only if they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    plan: Plan,
    answers: BTreeMap<Candidate, Answer>,
    cursor: Cursor,
}

/// What a reduction is given.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Plan {
    units: usize,
    /// For each unit those that go when it goes.
    dependents: Vec<Vec<usize>>,
    slices: Vec<FixedBitSet>,
    essential: usize,
}

/// How far a reduction has come.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cursor {
    kept: FixedBitSet,
    at: At,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum At {
    /// Whether all units together fail.
    All,
    /// Whether one of the slices, by number, fails by itself.
    Slices(usize),
    /// In a round of groups of this size; what is to be tried yet.
    Groups { size: usize, rest: VecDeque<usize> },
    /// Units one by one, with what came of those that had to stay since the last one went.
    Single { order: VecDeque<usize>, rejections: Vec<Rejection> },
    /// At the end.
    Ended(ReductionOutcome),
}

impl Reduction {
    /// Over units 0 up to this number.
    pub fn new(units: usize) -> Self {
        let mut kept = FixedBitSet::with_capacity(units);
        kept.insert_range(..);
        Self {
            plan: Plan {
                units,
                dependents: vec![Vec::new(); units],
                slices: Vec::new(),
                essential: 8,
            },
            answers: BTreeMap::new(),
            cursor: Cursor { kept, at: At::All },
        }
    }

    /// Without which units each unit cannot be: for each unit in turn those that it needs directly. A unit goes when one
    /// that it needs goes.
    ///
    /// # Errors
    /// If a unit is named that does not exist, or there are more lists than units.
    pub fn requires<R: AsRef<[usize]>>(
        mut self,
        requirements: impl IntoIterator<Item = R>,
    ) -> Result<Self, UnknownUnit> {
        let units = self.plan.units;
        for (unit, needed) in requirements.into_iter().enumerate() {
            if unit >= units {
                return Err(UnknownUnit { unit, units });
            }
            for needed in needed.as_ref() {
                let unknown = UnknownUnit { unit: *needed, units };
                self.plan.dependents.get_mut(*needed).ok_or(unknown)?.push(unit);
            }
        }
        Ok(self)
    }

    /// Units that probably are enough. They are tried first by themselves, and if they are not enough, the others are the
    /// first to be deleted. Of several slices the first that is enough counts.
    ///
    /// # Errors
    /// If a unit is named that does not exist.
    pub fn slice(mut self, kept: impl IntoIterator<Item = usize>) -> Result<Self, UnknownUnit> {
        let units = self.plan.units;
        let mut slice = FixedBitSet::with_capacity(units);
        for unit in kept {
            if unit >= units {
                return Err(UnknownUnit { unit, units });
            }
            slice.insert(unit);
        }
        self.plan.slices.push(slice);
        Ok(self)
    }

    /// About how many units the failure needs; 8 if nothing is said. The first groups have as many units as there are for
    /// each of them. It changes how many questions there are, and not what the outcome is worth.
    #[must_use]
    pub fn essential(mut self, units: usize) -> Self {
        self.plan.essential = units.max(1);
        self
    }

    /// The least that is known to fail, as soon as anything is.
    pub fn best(&self) -> Option<Candidate> {
        match &self.cursor.at {
            At::All | At::Ended(ReductionOutcome::NotThere { .. }) => None,
            At::Slices(_)
            | At::Groups { .. }
            | At::Single { .. }
            | At::Ended(ReductionOutcome::Reduced { .. }) => {
                Some(Candidate { kept: self.cursor.kept.clone() })
            }
        }
    }
}

impl Plan {
    /// What is left of `kept` without these units and without what needs them.
    fn without(&self, kept: &FixedBitSet, units: &[usize]) -> FixedBitSet {
        let mut rest = kept.clone();
        let mut gone = units.to_vec();
        while let Some(unit) = gone.pop() {
            if rest.contains(unit) {
                rest.remove(unit);
                gone.extend(self.dependents.get(unit).into_iter().flatten());
            }
        }
        rest
    }

    /// The units of a slice, without those that need another one.
    fn sliced(&self, kept: &FixedBitSet, slice: &FixedBitSet) -> FixedBitSet {
        let outside: Vec<usize> = kept.difference(slice).collect();
        self.without(kept, &outside)
    }

    /// The units of `kept` in the order in which they are tried.
    fn order(&self, kept: &FixedBitSet) -> VecDeque<usize> {
        let sliced = |unit: usize| self.slices.iter().filter(|slice| slice.contains(unit)).count();
        let mut order: Vec<usize> = kept.ones().collect();
        order.sort_by_key(|unit| sliced(*unit));
        order.into()
    }

    /// The first round of groups.
    fn first_groups(&self, kept: &FixedBitSet) -> At {
        self.groups(kept, kept.count_ones(..) / self.essential.max(1))
    }

    fn groups(&self, kept: &FixedBitSet, size: usize) -> At {
        // A group of everything would delete what was just found to fail.
        let size = size.min(kept.count_ones(..) / 2);
        let order = self.order(kept);
        if size > 1 {
            At::Groups { size, rest: order }
        } else {
            At::Single { order, rejections: Vec::new() }
        }
    }
}

impl Cursor {
    /// What is tried next, or nothing at the end. What asks for nothing is passed over.
    fn next(&mut self, plan: &Plan) -> Option<Candidate> {
        loop {
            match &mut self.at {
                At::All => return Some(Candidate { kept: self.kept.clone() }),
                At::Slices(number) => match plan.slices.get(*number) {
                    None => self.at = plan.first_groups(&self.kept),
                    Some(slice) => {
                        let kept = plan.sliced(&self.kept, slice);
                        if kept != self.kept {
                            return Some(Candidate { kept });
                        }
                        *number = number.saturating_add(1);
                    }
                },
                At::Groups { size, rest } => {
                    rest.retain(|unit| self.kept.contains(*unit));
                    if rest.is_empty() {
                        let smaller = size.saturating_mul(632) / 1000;
                        self.at = plan.groups(&self.kept, smaller);
                        continue;
                    }
                    let group: Vec<usize> = rest.iter().take(*size).copied().collect();
                    return Some(Candidate { kept: plan.without(&self.kept, &group) });
                }
                At::Single { order, rejections } => {
                    if rejections.len() < order.len()
                        && let Some(unit) = order.front()
                    {
                        return Some(Candidate { kept: plan.without(&self.kept, &[*unit]) });
                    }
                    let least = Candidate { kept: self.kept.clone() };
                    let rejections = std::mem::take(rejections);
                    self.at = At::Ended(ReductionOutcome::Reduced { least, rejections });
                }
                At::Ended(_) => return None,
            }
        }
    }

    /// Goes on behind a candidate that [`Cursor::next`] gave.
    fn take(&mut self, plan: &Plan, candidate: &Candidate, answer: Answer) {
        let fails = answer == Answer::Fails;
        match &mut self.at {
            At::All if fails => self.at = At::Slices(0),
            At::All => self.at = At::Ended(ReductionOutcome::NotThere { answer }),
            At::Slices(_) if fails => self.at = plan.first_groups(&candidate.kept),
            At::Slices(number) => *number = number.saturating_add(1),
            At::Groups { size, rest } => {
                let tried = (*size).min(rest.len());
                rest.drain(..tried);
            }
            At::Single { order, rejections } if fails => {
                order.retain(|unit| candidate.keeps(*unit));
                rejections.clear();
            }
            At::Single { order, rejections } => {
                order.rotate_left(1.min(order.len()));
                let deleted = self.kept.difference(&candidate.kept).collect();
                rejections.push(Rejection { deleted, answer });
            }
            At::Ended(_) => return,
        }
        if fails {
            self.kept.clone_from(&candidate.kept);
        }
    }
}

impl Search for Reduction {
    type Question = Candidate;
    type Outcome = ReductionOutcome;

    fn questions(&self, workers: usize) -> Vec<Candidate> {
        let mut cursor = self.cursor.clone();
        let mut questions = Vec::new();
        while questions.len() < workers.max(1)
            && let Some(candidate) = cursor.next(&self.plan)
        {
            let known = self.answers.get(&candidate).copied();
            // Most deletions are rejected; the first two questions are there to be answered otherwise.
            let guess = known.unwrap_or(match cursor.at {
                At::All => Answer::Fails,
                At::Slices(_) | At::Groups { .. } | At::Single { .. } | At::Ended(_) => {
                    Answer::Passes
                }
            });
            cursor.take(&self.plan, &candidate, guess);
            if known.is_none() && !questions.contains(&candidate) {
                questions.push(candidate);
            }
        }
        questions
    }

    fn answer(&mut self, question: &Candidate, answer: Answer) {
        self.answers.insert(question.clone(), answer);
        while let Some(candidate) = self.cursor.next(&self.plan)
            && let Some(answer) = self.answers.get(&candidate)
        {
            self.cursor.take(&self.plan, &candidate, *answer);
        }
    }

    fn outcome(&self) -> Option<ReductionOutcome> {
        match &self.cursor.at {
            At::Ended(outcome) => Some(outcome.clone()),
            At::All | At::Slices(_) | At::Groups { .. } | At::Single { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests;
