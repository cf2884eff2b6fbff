//! Finds the position in a row at which the answer changes.

use std::collections::BTreeMap;
use std::fmt;

use crate::{Answer, Search};

/// A position in the row, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position(pub usize);

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// The direction of the change along the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From passing to failing.
    Breaks,
    /// From failing to passing.
    Mends,
}

/// The result of a bisection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Bisection {
    /// The answer changes after `before` and no later than `after`.
    Boundary {
        /// The last position known to have the answer of the row's beginning.
        before: Position,
        /// The first position after it with the other answer.
        after: Position,
        /// The direction of the change.
        direction: Direction,
        /// The positions between the two, none of which gave an answer. If the list is empty, the change is at
        /// `after`.
        cannot_tell: Vec<Position>,
    },
    /// Both ends have the same answer.
    NoDifference {
        /// The common answer.
        answer: Answer,
    },
    /// At most one position gave an answer.
    NothingTold,
}

/// Finds a position where the answer changes, by halves, or by smaller parts with several workers.
///
/// With the ends known, `positions` positions that all give answers take at most ⌈log₍w+1₎ positions⌉ rounds of
/// w questions. Positions that give no answer are avoided: the search continues in the middle of the larger
/// part beside them. An end without an answer moves inward. If the answer of an end is already known, the
/// caller supplies it before the first question, and the end is not asked.
///
/// If answers are not monotone, the result is still a position where the answer changes: the lowest known one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bisect {
    positions: usize,
    answers: BTreeMap<Position, Answer>,
}

/// The part of the row that is still open.
enum Left {
    /// An end must be asked first.
    Ends(Vec<Position>),
    /// The answer changes between these two.
    Between(Position, Position, Direction),
    /// The search has ended.
    Nothing(Bisection),
}

impl Bisect {
    /// A search over the positions from 0 to `positions - 1`.
    pub const fn new(positions: usize) -> Self {
        Self { positions, answers: BTreeMap::new() }
    }

    /// The answers so far, by position.
    pub const fn answers(&self) -> &BTreeMap<Position, Answer> {
        &self.answers
    }

    /// The last position known to have the answer of the beginning, and the first known to have the other one.
    /// `None` until both ends have different answers.
    pub fn bracket(&self) -> Option<(Position, Position)> {
        match self.left() {
            Left::Between(before, after, _) => Some((before, after)),
            Left::Ends(_) | Left::Nothing(_) => None,
        }
    }

    /// The largest number of further rounds of questions, if all positions give answers.
    pub fn rounds_left(&self, workers: usize) -> u32 {
        let places = match self.left() {
            Left::Ends(_) => self.positions.saturating_sub(1),
            Left::Between(before, after, _) => after.0.saturating_sub(before.0),
            Left::Nothing(_) => 1,
        };
        rounds(places, workers)
    }

    fn told(&self, position: Position) -> Option<Answer> {
        self.answers.get(&position).copied().filter(|answer| *answer != Answer::CannotTell)
    }

    fn is_open(&self, position: Position) -> bool {
        !self.answers.contains_key(&position)
    }

    /// The first of these positions that is not known to give no answer.
    fn end(&self, mut from: impl Iterator<Item = usize>) -> Option<Position> {
        from.find_map(|index| {
            let position = Position(index);
            (self.answers.get(&position) != Some(&Answer::CannotTell)).then_some(position)
        })
    }

    fn left(&self) -> Left {
        let (Some(first), Some(last)) =
            (self.end(0..self.positions), self.end((0..self.positions).rev()))
        else {
            return Left::Nothing(Bisection::NothingTold);
        };
        let (Some(beginning), Some(ending)) = (self.told(first), self.told(last)) else {
            let mut ends = vec![first, last];
            ends.dedup();
            ends.retain(|end| self.told(*end).is_none());
            return Left::Ends(ends);
        };
        if first == last {
            return Left::Nothing(Bisection::NothingTold);
        }
        if beginning == ending {
            return Left::Nothing(Bisection::NoDifference { answer: beginning });
        }
        let direction = match beginning {
            Answer::Passes => Direction::Breaks,
            Answer::Fails | Answer::CannotTell => Direction::Mends,
        };
        let mut before = first;
        for (position, answer) in self.answers.range(first..) {
            if *answer == beginning {
                before = *position;
            } else if *answer == ending {
                return Left::Between(before, *position, direction);
            }
        }
        Left::Between(before, last, direction)
    }

    /// An open position near `target`, which lies between the two bounds. Beside positions without an answer,
    /// it is the middle of the larger part.
    fn near(&self, mut low: usize, mut high: usize, mut target: usize) -> Option<Position> {
        let open = |range: std::ops::Range<usize>| range.filter(|it| self.is_open(Position(*it)));
        while !self.is_open(Position(target)) {
            let below = open(low.saturating_add(1)..target).next_back();
            let above = open(target.saturating_add(1)..high).next();
            // The bounds of the two parts beside the positions without an answer around the target.
            let below = below.map(|position| (low, position.saturating_add(1)));
            let above = above.map(|position| (position.saturating_sub(1), high));
            let size = |part: Option<(usize, usize)>| {
                part.map_or(0, |(low, high)| open(low.saturating_add(1)..high).count())
            };
            (low, high) = if size(above) > size(below) { above? } else { below? };
            target = middle(low, high, 1, 2);
        }
        Some(Position(target))
    }
}

/// The number of rounds of `workers` questions that distinguish this many places of the change.
fn rounds(places: usize, workers: usize) -> u32 {
    let parts = workers.max(1).saturating_add(1);
    let mut rounds = 0_u32;
    let mut reach = 1_usize;
    while reach < places {
        reach = reach.saturating_mul(parts);
        rounds = rounds.saturating_add(1);
    }
    rounds
}

/// The position at `part / parts` of the way from one bound to the other.
fn middle(low: usize, high: usize, part: usize, parts: usize) -> usize {
    let wide = |number: usize| number as u128;
    let way = wide(high.saturating_sub(low)) * wide(part) / wide(parts.max(1));
    low.saturating_add(usize::try_from(way).unwrap_or(usize::MAX))
}

impl Search for Bisect {
    type Question = Position;
    type Outcome = Bisection;

    fn questions(&self, workers: usize) -> Vec<Position> {
        let workers = workers.max(1);
        let (low, high) = match self.left() {
            Left::Ends(mut ends) => {
                ends.truncate(workers);
                return ends;
            }
            Left::Between(before, after, _) => (before.0, after.0),
            Left::Nothing(_) => return Vec::new(),
        };
        let open = || (low.saturating_add(1)..high).map(Position).filter(|it| self.is_open(*it));
        if open().nth(workers).is_none() {
            return open().collect();
        }
        let parts = workers.saturating_add(1);
        let mut questions: Vec<Position> = Vec::new();
        for part in 1..=workers {
            let wanted = self.near(low, high, middle(low, high, part, parts));
            let position = match wanted {
                Some(position) if !questions.contains(&position) => Some(position),
                Some(_) | None => open().find(|it| !questions.contains(it)),
            };
            questions.extend(position);
        }
        questions.sort_unstable();
        questions
    }

    /// A second answer for a position replaces the first. A position outside the row has no effect.
    fn answer(&mut self, question: &Position, answer: Answer) {
        if question.0 < self.positions {
            self.answers.insert(*question, answer);
        }
    }

    fn outcome(&self) -> Option<Bisection> {
        match self.left() {
            Left::Ends(_) => None,
            Left::Nothing(bisection) => Some(bisection),
            Left::Between(before, after, direction) => {
                let between = || (before.0.saturating_add(1)..after.0).map(Position);
                (!between().any(|it| self.is_open(it))).then(|| Bisection::Boundary {
                    before,
                    after,
                    direction,
                    cannot_tell: between().collect(),
                })
            }
        }
    }
}

#[cfg(test)]
mod tests;
