//! The values that a case names for its expectations.

use std::collections::{BTreeMap, BTreeSet};

use super::data::BoundData;
use super::evaluator::Evaluator;
use super::known_data::KnownData;
use super::reads::ReadSoFar;
use super::scope::Scope;
use crate::language::ExpectedValue;
use crate::mistake::Mistakes;
use crate::read::{At, Named};

/// A use of a value: everything that its bytes depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ValueMeaning {
    /// The value's place among those of the case.
    pub(super) place: usize,
    /// The command before which names of data are looked up.
    pub(super) before: Option<u32>,
    /// The length of the output that it is expected of, which data without a length of their own take.
    pub(super) output_length: Option<u64>,
}

/// The values of a case in their order, each computed once for each of its meanings.
#[derive(Debug)]
pub(super) struct CaseValues<'a> {
    /// Values whose names are already taken are left out.
    values: Vec<&'a (At<String>, ExpectedValue)>,
    made: BTreeMap<ValueMeaning, Option<BoundData>>,
}

impl<'a> CaseValues<'a> {
    /// Notes a mistake for each name that means something else already.
    pub(super) fn new(
        values: Option<&'a Named<ExpectedValue>>,
        evaluator: &mut Evaluator<'_>,
        scope: &Scope,
        known_data: &KnownData,
        reads: &BTreeMap<String, ReadSoFar>,
    ) -> Self {
        let mut new = Vec::new();
        for value in values.iter().flat_map(|values| &values.0) {
            let name = &value.0;
            let text = name.value.as_str();
            let meaning = if evaluator.is_taken(text) {
                "a parameter or a number"
            } else if scope.buffers.find(text).is_some() {
                "a buffer"
            } else if reads.contains_key(text) {
                "an output"
            } else if known_data.is_named(text) {
                "data of a step"
            } else {
                new.push(value);
                continue;
            };
            evaluator.mistakes().add::<()>(
                format!("`{text}` is already {meaning}"),
                name.span,
                "choose another name",
            );
        }
        Self { values: new, made: BTreeMap::new() }
    }

    /// The place and the definition of a value.
    pub(super) fn find(&self, name: &str) -> Option<(usize, &'a ExpectedValue)> {
        let found = self.values.iter().enumerate().find(|(_, value)| value.0.value == name);
        found.map(|(place, value)| (place, &value.1))
    }

    /// The names of the values above a place.
    pub(super) fn names_above(&self, place: usize) -> impl Iterator<Item = &'a str> {
        self.values.iter().take(place).map(|value| value.0.value.as_str())
    }

    /// The bytes of a value that was computed before; within, nothing where a mistake kept it from being computed.
    pub(super) fn made(&self, meaning: &ValueMeaning) -> Option<Option<BoundData>> {
        self.made.get(meaning).cloned()
    }

    /// Stores the computed bytes, or `None` after a mistake.
    pub(super) fn keep(&mut self, meaning: ValueMeaning, made: Option<BoundData>) {
        self.made.insert(meaning, made);
    }

    /// Notes a mistake for each value that nothing names.
    pub(super) fn check_uses(&self, mistakes: &mut Mistakes) {
        let used: BTreeSet<usize> = self.made.keys().map(|meaning| meaning.place).collect();
        for (place, value) in self.values.iter().enumerate() {
            let name = &value.0;
            if !used.contains(&place) {
                mistakes.add::<()>(
                    format!("no expectation uses the value `{}`", name.value),
                    name.span,
                    "name it in an expectation, or remove it",
                );
            }
        }
    }
}
