//! Values that an output or a tensor must have.

use super::case_values::{CaseValues, ValueMeaning};
use super::data::{BoundData, DataMaker, limited, word_bytes};
use super::evaluator::Evaluator;
use super::known_data::{KnownData, Meaning};
use super::scope::Scope;
use super::{Depth, compute, matrix};
use crate::language::{ComputedValue, ExpectedValue, MapValue, MatrixValue, SliceValue, ValueForm};
use crate::mistake::{Mistake, Span, suggest};
use crate::read::Name;

/// Binds values: it reads known data and the names of buffers, and changes neither.
#[derive(Debug)]
pub(super) struct ValueBinder<'v, 'a> {
    evaluator: &'v mut Evaluator<'a>,
    maker: &'v DataMaker<'v>,
    known_data: &'v KnownData,
    scope: &'v Scope,
    /// The command before which names of data are looked up; none means now.
    before: Option<u32>,
    /// The values of the case, which only expectations may name.
    case_values: Option<&'v mut CaseValues<'a>>,
    /// How many of them may be named: a value may name those above it.
    visible: usize,
    /// How many values are being computed, each for the one before.
    nested: usize,
}

/// A value may be computed from a value that is computed from another, and so on, so often.
const NESTED_VALUES: usize = 64;

impl<'v, 'a> ValueBinder<'v, 'a> {
    pub(super) const fn new(
        evaluator: &'v mut Evaluator<'a>,
        maker: &'v DataMaker<'v>,
        known_data: &'v KnownData,
        scope: &'v Scope,
    ) -> Self {
        Self {
            evaluator,
            maker,
            known_data,
            scope,
            before: None,
            case_values: None,
            visible: usize::MAX,
            nested: 0,
        }
    }

    /// Gives names of data the meaning that they had when a command read.
    pub(super) const fn before(mut self, command: u32) -> Self {
        self.before = Some(command);
        self
    }

    /// The values of the case may be named.
    pub(super) const fn with_values(mut self, values: &'v mut CaseValues<'a>) -> Self {
        self.case_values = Some(values);
        self
    }

    /// The expressions of the case.
    pub(super) const fn evaluator(&mut self) -> &mut Evaluator<'a> {
        self.evaluator
    }

    /// The objects of the steps so far.
    pub(super) const fn scope(&self) -> &'v Scope {
        self.scope
    }

    pub(super) const fn depth(&self) -> Depth {
        self.maker.depth()
    }

    /// The value that an output must have.
    pub(super) fn value(
        &mut self,
        value: &ExpectedValue,
        output_length: Option<u64>,
    ) -> Option<BoundData> {
        match &value.value {
            ValueForm::Name(name) => self.named(name, output_length),
            ValueForm::Words(words) => word_bytes(self.evaluator, words),
            ValueForm::Computed(computed) => self.computed(computed, value.span, output_length),
        }
    }

    /// The data that a name stands for.
    fn named(&mut self, name: &Name, output_length: Option<u64>) -> Option<BoundData> {
        let value = self.case_values.as_ref().and_then(|values| values.find(&name.text));
        if let Some((place, value)) = value {
            return self.case_value(place, value, name, output_length);
        }
        match self.known_data.meaning(&name.text, self.before) {
            Some(Meaning::Data(known)) => return Some(known.clone()),
            Some(Meaning::Mistaken) => return None,
            Some(Meaning::Unknown) | None => {}
        }
        if self.evaluator.mistakes().is_wrong_name(&format!("buffer `{}`", name.text), name.span) {
            return None;
        }
        let of_case = self.case_values.iter().flat_map(|values| values.names_above(self.visible));
        let help = suggest(&name.text, self.known_data.names(self.before).chain(of_case));
        if self.scope.buffers.find(&name.text).is_some() {
            return self.evaluator.mistakes().add(
                format!("no step writes to `{}`, so its content is not known", name.text),
                name.span,
                help,
            );
        }
        let mistake = Mistake::new(format!("unknown data `{}`", name.text), name.span, help);
        self.evaluator.mistakes().add_unknown_name(&format!("data {}", name.text), mistake)
    }

    /// A value of the case, as if it were written where its name is.
    fn case_value(
        &mut self,
        place: usize,
        value: &ExpectedValue,
        name: &Name,
        output_length: Option<u64>,
    ) -> Option<BoundData> {
        if self.visible <= place {
            return self.evaluator.mistakes().add(
                format!("the value `{}` is not known here", name.text),
                name.span,
                "a value can name those above it",
            );
        }
        let meaning = ValueMeaning { place, before: self.before, output_length };
        if let Some(made) = self.case_values.as_ref().and_then(|it| it.made(&meaning)) {
            return made;
        }
        if self.nested == NESTED_VALUES {
            return self.evaluator.mistakes().add(
                format!("values name each other more than {NESTED_VALUES} deep"),
                name.span,
                "compute several steps in one value",
            );
        }
        let visible = std::mem::replace(&mut self.visible, place);
        self.nested += 1;
        let made = self.value(value, output_length);
        self.nested -= 1;
        self.visible = visible;
        if let Some(values) = &mut self.case_values {
            values.keep(meaning, made.clone());
        }
        made
    }

    fn computed(
        &mut self,
        computed: &ComputedValue,
        span: Span,
        output_length: Option<u64>,
    ) -> Option<BoundData> {
        if let Some(source) = computed.source() {
            return self.maker.source(self.evaluator, &source, span, output_length);
        }
        match computed {
            ComputedValue::Map(map) => self.map(map, span, output_length),
            ComputedValue::Matrix(value) => self.matrix(value, span, output_length),
            ComputedValue::Slice(slice) => self.slice(slice, span, output_length),
            ComputedValue::Concatenate(list) => {
                let values: Vec<Option<BoundData>> =
                    list.concatenate.iter().map(|value| self.value(value, output_length)).collect();
                let values: Vec<BoundData> = values.into_iter().collect::<Option<_>>()?;
                let length =
                    values.iter().fold(0_u64, |sum, value| sum.saturating_add(value.length));
                limited(self.evaluator, length, span)?;
                let bytes: Option<Vec<&[u8]>> =
                    values.iter().map(|value| value.bytes.as_deref()).collect();
                Some(bytes.map_or(BoundData::unmade(length), |parts| BoundData::of(parts.concat())))
            }
            ComputedValue::Repeat(repeat) => {
                let value = self.value(&repeat.repeat, output_length);
                let times = self.evaluator.u64(&repeat.times, "`times`");
                let (value, times) = (value?, times?);
                let length = limited(self.evaluator, value.length.saturating_mul(times), span)?;
                let times = usize::try_from(times).ok()?;
                Some(
                    value.bytes.map_or(BoundData::unmade(length), |bytes| {
                        BoundData::of(bytes.repeat(times))
                    }),
                )
            }
            ComputedValue::Reduce(reduce) => {
                let value = self.value(&reduce.reduce, output_length);
                compute::reduce(self.evaluator, reduce, value, span)
            }
            ComputedValue::Permute(permute) => {
                let value = self.value(&permute.permute, output_length);
                compute::permute(self.evaluator, permute, value, span)
            }
            ComputedValue::Gather(gather) => {
                let value = self.value(&gather.gather, output_length);
                let at = self.value(&gather.at, output_length);
                compute::gather(self.evaluator, gather, value, at, span)
            }
            ComputedValue::Sort(sort) => {
                let value = self.value(&sort.sort, output_length);
                compute::sort(self.evaluator, sort, value)
            }
            ComputedValue::Hash(value) => {
                let Ok(hash) = value.hash.value.parse() else {
                    return self.evaluator.mistakes().add(
                        "this is not a hash",
                        value.hash.span,
                        "a BLAKE3 hash has 64 lower-case hexadecimal digits",
                    );
                };
                let length = match &value.length {
                    Some(length) => self.evaluator.u64(length, "the length")?,
                    None => output_length?,
                };
                Some(BoundData { length, bytes: None, generator: None, hash: Some(hash) })
            }
            ComputedValue::Uniform(_)
            | ComputedValue::Sequence(_)
            | ComputedValue::Constant(_)
            | ComputedValue::File(_)
            | ComputedValue::Words(_)
            | ComputedValue::Normal(_) => None,
        }
    }

    /// A part of a value.
    fn slice(
        &mut self,
        slice: &SliceValue,
        span: Span,
        output_length: Option<u64>,
    ) -> Option<BoundData> {
        let value = self.value(&slice.slice, output_length);
        let offset = self.evaluator.u64(&slice.offset, "the offset");
        let length = self.evaluator.u64(&slice.length, "the length");
        let (value, offset, length) = (value?, offset?, length?);
        let end = offset.checked_add(length).filter(|&end| end <= value.length);
        let Some(end) = end else {
            return self.evaluator.mistakes().add(
                format!(
                    "this slice ends at byte {}, but its value has {} B",
                    u128::from(offset).saturating_add(u128::from(length)),
                    value.length
                ),
                span,
                "",
            );
        };
        let range = usize::try_from(offset).ok()?..usize::try_from(end).ok()?;
        match value.bytes {
            Some(bytes) => bytes.get(range).map(|part| BoundData::of(part.to_vec())),
            None => Some(BoundData::unmade(length)),
        }
    }

    /// Elements that a formula computes from those of other values.
    fn map(&mut self, map: &MapValue, span: Span, output_length: Option<u64>) -> Option<BoundData> {
        let data_type = self.evaluator.setting(&map.map)?;
        let mut inputs: Vec<(String, BoundData)> = Vec::new();
        for name in map.of.iter().flatten() {
            compute::check_name(self.evaluator, &inputs, &name.text, name.span)?;
            inputs.push((name.text.clone(), self.named(name, output_length)?));
        }
        for (name, value) in map.with.iter().flat_map(|with| &with.0) {
            compute::check_name(self.evaluator, &inputs, &name.value, name.span)?;
            inputs.push((name.value.clone(), self.value(value, output_length)?));
        }
        compute::map(self.evaluator, map, data_type, &inputs, span, self.maker.depth())
    }

    /// A matrix that an expression computes of other matrices.
    fn matrix(
        &mut self,
        value: &MatrixValue,
        span: Span,
        output_length: Option<u64>,
    ) -> Option<BoundData> {
        let defaults = matrix::Defaults::read(self.evaluator, value)?;
        let mut operands: Vec<matrix::Operand<'_>> = Vec::new();
        for (name, operand) in &value.of.0 {
            let operand = &operand.0;
            if self.evaluator.has_number(&name.value) {
                return self.evaluator.mistakes().add(
                    format!("`{}` is both a matrix and a number here", name.value),
                    name.span,
                    "rename the parameter, or give the operand another name and its `data`",
                );
            }
            let data = match &operand.data {
                Some(data) => self.value(data, output_length),
                None => {
                    let name = Name { text: name.value.clone(), span: name.span };
                    self.named(&name, output_length)
                }
            };
            let own = (operand.dtype.as_ref(), operand.layout.as_ref(), operand.tile.as_ref());
            let form = matrix::MatrixForm::of_operand(
                self.evaluator,
                &operand.shape,
                own,
                defaults,
                name.span,
            );
            let (data, form) = (data?, form?);
            if data.length != form.length() {
                return self.evaluator.mistakes().add(
                    format!(
                        "`{}` has {} B, but matrices of this shape take {} B",
                        name.value,
                        data.length,
                        form.length()
                    ),
                    name.span,
                    "`[rows, columns]`, or `[matrices, rows, columns]`",
                );
            }
            operands.push((name.value.as_str(), form, data));
        }
        matrix::compute(self.evaluator, value, &operands, defaults, span, self.maker.depth())
    }
}
