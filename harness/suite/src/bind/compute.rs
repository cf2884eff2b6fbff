//! Values that expectations compute, element by element, on the host.
//!
//! Integers are computed without bounds and taken modulo their width at the end. Floating-point values
//! are computed in double precision and rounded once, to nearest, ties to even.

use hallmark_schema::model::DataType;

use super::Depth;
use super::data::{BoundData, limited};
use super::evaluator::Evaluator;
use crate::expression::{EvaluationError, Expression, Names};
use crate::language::{
    GatherValue, MapValue, PermuteValue, ReduceOperation, ReduceValue, SortValue,
};
use crate::mistake::{Mistake, Span};
use crate::read::Number;

/// The place of an element in the expressions of `map` and `permute`.
const INDEX: &str = "index";

/// Elements that a formula computes from those of `inputs`.
pub(super) fn map(
    evaluator: &mut Evaluator<'_>,
    map: &MapValue,
    data_type: DataType,
    inputs: &[(String, BoundData)],
    span: Span,
    depth: Depth,
) -> Option<BoundData> {
    let size = size_of(data_type);
    let count = match &map.count {
        Some(count) => evaluator.u64(count, "`count`")?,
        None => match inputs.first() {
            Some((_, first)) => first.length / size,
            None => {
                return evaluator.mistakes().add(
                    "the number of elements is not known",
                    span,
                    "add `count: …`, or name data in `of` or `with`",
                );
            }
        },
    };
    let length = limited(evaluator, count.saturating_mul(size), span)?;
    for (name, input) in inputs {
        if input.length < length {
            return evaluator.mistakes().add(
                format!("`{name}` has {} B, but the value takes {length} B of it", input.length),
                span,
                "",
            );
        }
    }
    // Names and operators are checked even while nothing is computed.
    let mut names: Names = evaluator.numbers().clone();
    names.insert(INDEX.to_owned(), 0);
    names.extend(inputs.iter().map(|(name, _)| (name.clone(), 1)));
    evaluator.noted(tried(map.formula(), &names, data_type), &names)?;
    if depth == Depth::Check || inputs.iter().any(|(_, input)| input.bytes.is_none()) {
        return Some(BoundData::unmade(length));
    }
    let computed = if data_type.is_float() {
        map_floats(map.formula(), &names, inputs, data_type, count)
    } else {
        map_integers(map.formula(), &names, inputs, data_type, count)
    };
    match computed {
        Ok(bytes) => Some(BoundData::of(bytes)),
        Err(mistake) => {
            evaluator.mistakes().push(mistake);
            None
        }
    }
}

/// Refuses a name for elements that has another meaning.
pub(super) fn check_name(
    evaluator: &mut Evaluator<'_>,
    inputs: &[(String, BoundData)],
    name: &str,
    span: Span,
) -> Option<()> {
    if evaluator.has_number(name) || name == INDEX {
        return evaluator.mistakes().add(
            format!("`{name}` is both data and a number here"),
            span,
            "rename the parameter, or name the data with `as`",
        );
    }
    if inputs.iter().any(|(other, _)| other == name) {
        return evaluator.mistakes().add(
            format!("`{name}` has two meanings here"),
            span,
            "give one of them another name",
        );
    }
    Some(())
}

pub(super) fn reduce(
    evaluator: &mut Evaluator<'_>,
    reduce: &ReduceValue,
    value: Option<BoundData>,
    span: Span,
) -> Option<BoundData> {
    let data_type = evaluator.setting(&reduce.r#type);
    let operation = evaluator.setting(&reduce.with);
    let (value, data_type, operation) = (value?, data_type?, operation?);
    if data_type.is_float() && operation == ReduceOperation::Xor {
        return evaluator.mistakes().add(
            "`xor` takes integers only",
            span,
            "name an integer type of the same size",
        );
    }
    let size = size_of(data_type);
    let elements = value.length / size;
    let group = match &reduce.group {
        Some(group) => evaluator.u64(group, "`group`")?,
        None => elements,
    };
    if group == 0 || !elements.is_multiple_of(group) || !value.length.is_multiple_of(size) {
        return evaluator.mistakes().add(
            format!("{} B are not a whole number of groups of {group} elements", value.length),
            span,
            "",
        );
    }
    let Some(bytes) = &value.bytes else {
        return Some(BoundData::unmade((elements / group).saturating_mul(size)));
    };
    let bits: Vec<u32> = data_type.elements(bytes).collect();
    let mut result = Vec::new();
    for group in bits.chunks(usize::try_from(group).unwrap_or(usize::MAX)) {
        if data_type.is_float() {
            let numbers = group.iter().map(|&bits| data_type.number(bits));
            let reduced = reduce_floats(operation, numbers);
            push(data_type.nearest(reduced), data_type, &mut result);
        } else {
            let numbers = group.iter().map(|&bits| i128::from(data_type.ordinal(bits)));
            push_integer(reduce_integers(operation, numbers), data_type, &mut result);
        }
    }
    Some(BoundData::of(result))
}

pub(super) fn permute(
    evaluator: &mut Evaluator<'_>,
    permute: &PermuteValue,
    value: Option<BoundData>,
    span: Span,
) -> Option<BoundData> {
    let data_type = evaluator.setting(&permute.r#type);
    let (value, data_type) = (value?, data_type?);
    let size = size_of(data_type);
    let elements = value.length / size;
    let count = match &permute.count {
        Some(count) => evaluator.u64(count, "`count`")?,
        None => elements,
    };
    let length = limited(evaluator, count.saturating_mul(size), span)?;
    let Some(bytes) = &value.bytes else {
        // The first and the last place are looked at even while nothing is made.
        let ends = [0, count.saturating_sub(1)];
        places(evaluator, &permute.from, ends.into_iter().filter(|_| count > 0), elements)?;
        return Some(BoundData::unmade(length));
    };
    let places = places(evaluator, &permute.from, 0..count, elements)?;
    Some(BoundData::of(picked(bytes, places, data_type)))
}

/// The value of `from` for each index, each within `elements`.
fn places(
    evaluator: &mut Evaluator<'_>,
    from: &Number,
    indices: impl Iterator<Item = u64>,
    elements: u64,
) -> Option<Vec<u64>> {
    let mut names: Names = evaluator.numbers().clone();
    let mut places = Vec::new();
    for index in indices {
        names.insert(INDEX.to_owned(), i128::from(index));
        let place = evaluator.noted(from.0.evaluate(&names), &names)?;
        match u64::try_from(place).ok().filter(|&place| place < elements) {
            Some(place) => places.push(place),
            None => {
                return evaluator.mistakes().add(
                    format!("element {place} does not exist: the value has {elements} elements"),
                    from.0.span(),
                    format!("at index {index}"),
                );
            }
        }
    }
    Some(places)
}

pub(super) fn gather(
    evaluator: &mut Evaluator<'_>,
    gather: &GatherValue,
    value: Option<BoundData>,
    at: Option<BoundData>,
    span: Span,
) -> Option<BoundData> {
    let data_type = evaluator.setting(&gather.r#type);
    let (value, at, data_type) = (value?, at?, data_type?);
    let size = size_of(data_type);
    let count = at.length / size_of(DataType::Uint32);
    let length = limited(evaluator, count.saturating_mul(size), span)?;
    let (Some(bytes), Some(at)) = (&value.bytes, &at.bytes) else {
        return Some(BoundData::unmade(length));
    };
    let elements = value.length / size;
    let mut places = Vec::new();
    for (index, place) in (0_u64..).zip(DataType::Uint32.elements(at)) {
        if u64::from(place) >= elements {
            return evaluator.mistakes().add(
                format!("element {place} does not exist: the value has {elements} elements"),
                gather.at.span,
                format!("at index {index}"),
            );
        }
        places.push(u64::from(place));
    }
    Some(BoundData::of(picked(bytes, places, data_type)))
}

pub(super) fn sort(
    evaluator: &mut Evaluator<'_>,
    sort: &SortValue,
    value: Option<BoundData>,
) -> Option<BoundData> {
    let data_type = evaluator.setting(&sort.r#type);
    let (value, data_type) = (value?, data_type?);
    if !value.length.is_multiple_of(size_of(data_type)) {
        return evaluator.mistakes().add(
            format!("{} B are not a whole number of elements", value.length),
            sort.sort.span,
            "",
        );
    }
    let Some(bytes) = &value.bytes else {
        return Some(BoundData::unmade(value.length));
    };
    let mut elements: Vec<u32> = data_type.elements(bytes).collect();
    elements.sort_by_key(|&bits| data_type.ordinal(bits));
    let mut sorted = Vec::new();
    for bits in elements {
        push(bits, data_type, &mut sorted);
    }
    Some(BoundData::of(sorted))
}

fn size_of(data_type: DataType) -> u64 {
    u64::try_from(data_type.size()).unwrap_or(1)
}

/// Checks that a formula has only known names, and operators that its type takes. An error that depends on the
/// elements, such as a division by one of them, shows when the elements are made.
fn tried(formula: &Expression, names: &Names, data_type: DataType) -> Result<(), EvaluationError> {
    let result = if data_type.is_float() {
        formula.evaluate_real(names).map(|_| ())
    } else {
        formula.evaluate(names).map(|_| ())
    };
    match result {
        Err(error) if error.depends_on_values() => Ok(()),
        other => other,
    }
}

fn map_integers(
    formula: &Expression,
    names: &Names,
    inputs: &[(String, BoundData)],
    data_type: DataType,
    count: u64,
) -> Result<Vec<u8>, Mistake> {
    let columns: Vec<(&str, Vec<i128>)> = inputs
        .iter()
        .map(|(name, known)| {
            let bits = data_type.elements(known.bytes.as_deref().unwrap_or_default());
            (name.as_str(), bits.map(|bits| i128::from(data_type.ordinal(bits))).collect())
        })
        .collect();
    let mut bytes = Vec::new();
    for index in 0..count {
        let place = usize::try_from(index).unwrap_or(usize::MAX);
        let lookup = |name: &str| {
            if name == INDEX {
                return Some(i128::from(index));
            }
            match columns.iter().find(|(column, _)| *column == name) {
                Some((_, numbers)) => numbers.get(place).copied(),
                None => names.get(name).copied(),
            }
        };
        let value = formula
            .evaluate_with(&lookup)
            .map_err(|error| at_element(error.into_mistake(names), index))?;
        push_integer(value, data_type, &mut bytes);
    }
    Ok(bytes)
}

#[expect(clippy::cast_precision_loss, reason = "double precision is what is asked for")]
fn map_floats(
    formula: &Expression,
    names: &Names,
    inputs: &[(String, BoundData)],
    data_type: DataType,
    count: u64,
) -> Result<Vec<u8>, Mistake> {
    let columns: Vec<(&str, Vec<f64>)> = inputs
        .iter()
        .map(|(name, known)| {
            let bits = data_type.elements(known.bytes.as_deref().unwrap_or_default());
            (name.as_str(), bits.map(|bits| data_type.number(bits)).collect())
        })
        .collect();
    let mut bytes = Vec::new();
    for index in 0..count {
        let place = usize::try_from(index).unwrap_or(usize::MAX);
        let lookup = |name: &str| {
            if name == INDEX {
                return Some(index as f64);
            }
            match columns.iter().find(|(column, _)| *column == name) {
                Some((_, numbers)) => numbers.get(place).copied(),
                None => names.get(name).map(|number| *number as f64),
            }
        };
        let value = formula
            .evaluate_real_with(&lookup)
            .map_err(|error| at_element(error.into_mistake(names), index))?;
        push(data_type.nearest(value), data_type, &mut bytes);
    }
    Ok(bytes)
}

fn at_element(mut mistake: Mistake, index: u64) -> Mistake {
    mistake.help = format!("at element {index}; {}", mistake.help);
    mistake
}

fn reduce_integers(operation: ReduceOperation, numbers: impl Iterator<Item = i128>) -> i128 {
    match operation {
        ReduceOperation::Sum => numbers.fold(0_i128, i128::wrapping_add),
        ReduceOperation::Minimum => numbers.min().unwrap_or_default(),
        ReduceOperation::Maximum => numbers.max().unwrap_or_default(),
        ReduceOperation::Xor => numbers.fold(0, |sum, number| sum ^ number),
    }
}

/// Reduces in the order of the elements; an element that is not a number makes the result not a number.
fn reduce_floats(operation: ReduceOperation, numbers: impl Iterator<Item = f64>) -> f64 {
    let better = |one: f64, other: f64, smaller: bool| {
        if one.is_nan() || other.is_nan() {
            f64::NAN
        } else if (other < one) == smaller {
            other
        } else {
            one
        }
    };
    match operation {
        ReduceOperation::Sum => numbers.fold(0.0, |sum, number| sum + number),
        ReduceOperation::Minimum => numbers.reduce(|a, b| better(a, b, true)).unwrap_or_default(),
        ReduceOperation::Maximum => numbers.reduce(|a, b| better(a, b, false)).unwrap_or_default(),
        // Refused before.
        ReduceOperation::Xor => f64::NAN,
    }
}

/// The elements at these places.
fn picked(bytes: &[u8], places: Vec<u64>, data_type: DataType) -> Vec<u8> {
    let size = data_type.size();
    let mut result = Vec::new();
    for place in places {
        let start = usize::try_from(place).unwrap_or(usize::MAX).saturating_mul(size);
        let element = bytes.get(start..).and_then(|rest| rest.get(..size));
        result.extend_from_slice(element.unwrap_or_default());
    }
    result
}

/// Appends an element.
fn push(bits: u32, data_type: DataType, bytes: &mut Vec<u8>) {
    bytes.extend(bits.to_le_bytes().iter().take(data_type.size()));
}

/// Appends a number modulo the element's width.
fn push_integer(number: i128, data_type: DataType, bytes: &mut Vec<u8>) {
    bytes.extend(number.to_le_bytes().iter().take(data_type.size()));
}
