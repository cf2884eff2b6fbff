//! Finds the units that a failure needs.
//!
//! Groups of units are deleted first, in rounds of ever smaller groups. The group sizes are those of
//! counter-based delta debugging (Zhang et al., "Toward a Better Understanding of Probabilistic Delta
//! Debugging", ICSE 2025): from round to round they shrink by the factor 1 - 1/e. Such rounds alone leave
//! deletable units. So units are then deleted one by one until none can be deleted, and the answers of that
//! last pass are the proof.

use std::collections::{BTreeMap, VecDeque};

use fixedbitset::FixedBitSet;
use thiserror::Error;

use crate::{Answer, Search};

/// The units of a try; all others are left out.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Candidate {
    kept: FixedBitSet,
}

impl Candidate {
    /// The present units, ascending.
    pub fn kept(&self) -> impl Iterator<Item = usize> + '_ {
        self.kept.ones()
    }

    /// The absent units, ascending.
    pub fn deleted(&self) -> impl Iterator<Item = usize> + '_ {
        self.kept.zeroes()
    }

    /// The number of present units.
    pub fn size(&self) -> usize {
        self.kept.count_ones(..)
    }

    /// Whether a unit is present.
    pub fn keeps(&self, unit: usize) -> bool {
        self.kept.contains(unit)
    }
}

/// A unit that cannot be deleted, and the answer without it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rejection {
    /// The unit, and its dependents.
    pub deleted: Vec<usize>,
    /// The answer of the rest.
    pub answer: Answer,
}

/// The result of a reduction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ReductionOutcome {
    /// The failure needs each of these units.
    Reduced {
        /// The remaining units.
        least: Candidate,
        /// For each of them, the answer without it. [`Answer::CannotTell`] means that the need for the unit is
        /// unknown.
        rejections: Vec<Rejection>,
    },
    /// The failure does not occur with all units.
    NotThere {
        /// The answer with all units.
        answer: Answer,
    },
}

/// A unit number or slice that is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("there is no unit {unit}: {units} units are counted from 0")]
pub struct UnknownUnit {
    /// The unit.
    pub unit: usize,
    /// The number of units.
    pub units: usize,
}

/// Deletes units as long as the failure stays.
///
/// Units are tried in the order of their numbers, those outside the slices first. The outcome does not depend
/// on the number of workers: the answer to a speculative question counts only if the questions before it are
/// rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    plan: Plan,
    answers: BTreeMap<Candidate, Answer>,
    cursor: Cursor,
}

/// The inputs of a reduction.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Plan {
    units: usize,
    /// The dependents of each unit, which are deleted with it.
    dependents: Vec<Vec<usize>>,
    slices: Vec<FixedBitSet>,
    essential: usize,
}

/// The state of a reduction.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cursor {
    kept: FixedBitSet,
    at: At,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum At {
    /// Tries all units together.
    All,
    /// Tries a slice, by number.
    Slices(usize),
    /// In a round of groups of this size, with the units still to try.
    Groups { size: usize, rest: VecDeque<usize> },
    /// Tries units one by one, with the rejections since the last deletion.
    Single { order: VecDeque<usize>, rejections: Vec<Rejection> },
    /// The reduction has ended.
    Ended(ReductionOutcome),
}

impl Reduction {
    /// A reduction of the units 0 to `units - 1`.
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

    /// Sets the direct dependencies of each unit, in order. A unit is deleted together with any unit that it
    /// depends on.
    ///
    /// # Errors
    /// A unit is out of range, or there are more lists than units.
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

    /// Adds a slice: units that are probably sufficient. Slices are tried alone first. If none is sufficient,
    /// the units outside them are the first to be deleted. Of several slices the first sufficient one counts.
    ///
    /// # Errors
    /// A unit is out of range.
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

    /// Sets the approximate number of units that the failure needs; 8 by default. The first groups contain as
    /// many units as there are for each of them. The value affects the number of questions, not the quality of
    /// the outcome.
    #[must_use]
    pub fn essential(mut self, units: usize) -> Self {
        self.plan.essential = units.max(1);
        self
    }

    /// The smallest candidate known to fail, if there is one.
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
    /// The units of `kept` without these and their dependents.
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

    /// The units of a slice, without those whose dependencies are missing.
    fn sliced(&self, kept: &FixedBitSet, slice: &FixedBitSet) -> FixedBitSet {
        let outside: Vec<usize> = kept.difference(slice).collect();
        self.without(kept, &outside)
    }

    /// The units of `kept` in the order of the tries.
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
        // A group of all units would delete everything that was just found to fail.
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
    /// The next candidate; `None` at the end. Steps without a question are skipped.
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

    /// Takes the answer of a candidate that [`Cursor::next`] returned.
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
            // Most deletions are rejected; the first two questions usually have the other answer.
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
