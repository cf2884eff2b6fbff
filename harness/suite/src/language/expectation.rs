//! What must come back: an independent model, evaluated on the host before the run.

use hallmark_schema::model::DataType;
use schemars::JsonSchema;

use super::value::{DataSource, UniformData};
use crate::expression::Expression;
use crate::mistake::Mistakes;
use crate::node::{Node, Value};
use crate::read::{
    At, Name, Named, Number, Read, Setting, alternatives, choices, entries, map_type,
    refuse_unknown_keys,
};

map_type! {
    /// A value computed element by element: `{ map: float32, of: [a, b, c], value: a * b + c }`. Integers
    /// are computed exactly and taken modulo their width at the end; floating-point values are computed
    /// in double precision and rounded once, to nearest, ties to even.
    MapValue, "`map`" {
        /// The element type of the data and of the result.
        map: Setting<DataType>,
        /// Names of data. In `value`, each name is the element of that data at `index`.
        of: Option<Vec<Name>>,
        /// Computed values and the names of their elements in `value`: `with: { x: { permute: … } }`.
        with: Option<Named<ExpectedValue>>,
        /// An expression of the elements, of `index` and of parameters.
        value: Number,
        /// The number of elements. Default: that of the data in `of`, which must all have as many.
        count: Option<Number>,
    }
}
map_type! {
    /// A part of a value.
    SliceValue, "`slice`" {
        /// The value of which a part is taken.
        slice: Box<ExpectedValue>,
        /// The first byte of the part.
        offset: Number,
        /// Bytes of the part.
        length: Number,
    }
}
map_type! {
    /// Values one after the other.
    ConcatenateValue, "`concatenate`" {
        /// The values, in their order.
        concatenate: Vec<ExpectedValue>,
    }
}
map_type! {
    /// A value, repeated.
    RepeatValue, "`repeat`" {
        /// The value that is repeated.
        repeat: Box<ExpectedValue>,
        /// How many times it is repeated.
        times: Number,
    }
}

map_type! {
    /// The elements of a value in another order, or some of them: `{ permute: a, type: uint32, from:
    /// index % 4 * 8 + index / 4 }` is the transpose of 4 × 8 elements.
    PermuteValue, "`permute`" {
        /// The value whose elements are put into another order.
        permute: Box<ExpectedValue>,
        /// The type of the elements.
        r#type: Setting<DataType>,
        /// The number of the element that goes to `index`: an expression of `index` and of parameters.
        from: Number,
        /// The number of elements. Default: that of the value.
        count: Option<Number>,
    }
}
map_type! {
    /// The elements of a value whose numbers are given by other data.
    GatherValue, "`gather`" {
        /// The value whose elements are picked.
        gather: Box<ExpectedValue>,
        /// The type of the elements.
        r#type: Setting<DataType>,
        /// The numbers of the elements, as `uint32`, counted from 0.
        at: Box<ExpectedValue>,
    }
}

map_type! {
    /// The elements of a value from the smallest to the largest. A NaN comes beyond the infinity of its sign.
    SortValue, "`sort`" {
        /// The value whose elements are sorted.
        sort: Box<ExpectedValue>,
        /// The type of the elements.
        r#type: Setting<DataType>,
    }
}

map_type! {
    /// A value of which only the hash is known.
    HashValue, "`hash`" {
        /// BLAKE3, 64 hexadecimal digits.
        hash: At<String>,
        /// The number of bytes. Default: that of the output.
        length: Option<Number>,
    }
}

/// How many elements become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReduceOperation {
    /// Their sum, modulo the element's width.
    Sum,
    /// The smallest of the elements.
    Minimum,
    /// The largest of the elements.
    Maximum,
    /// Exclusive or of their bits.
    Xor,
}

choices! {
    ReduceOperation, "reduction":
        "sum" => Self::Sum, "min" => Self::Minimum, "max" => Self::Maximum, "xor" => Self::Xor;
}

map_type! {
    /// Groups of elements, each reduced to one element. Floating-point values are combined in their order, in
    /// double precision, and rounded once.
    ReduceValue, "`reduce`" {
        /// The value whose elements are combined.
        reduce: Box<ExpectedValue>,
        /// The type of the elements.
        r#type: Setting<DataType>,
        /// The operation that combines two elements.
        with: Setting<ReduceOperation>,
        /// Elements per group. Default: all.
        group: Option<Number>,
    }
}

alternatives! {
    /// A value that is computed.
    ComputedValue, "a value" {
        /// Each element computed from the elements with the same number.
        "map" => Map(MapValue),
        /// A part of another value.
        "slice" => Slice(SliceValue),
        /// Values, one after the other.
        "concatenate" => Concatenate(ConcatenateValue),
        /// Another value, several times.
        "repeat" => Repeat(RepeatValue),
        /// A matrix computed of others.
        "matrix" => Matrix(super::matrix::MatrixValue),
        /// Groups reduced to one element each.
        "reduce" => Reduce(ReduceValue),
        /// Bytes of which only the hash is known.
        "hash" => Hash(HashValue),
        /// Seeded uniform values.
        "uniform" => Uniform(UniformData),
        /// An arithmetic sequence.
        "sequence" => Sequence(super::value::SequenceData),
        /// One element, again and again.
        "constant" => Constant(super::value::ConstantData),
        /// The bytes of a file.
        "file" => File(super::value::FileData),
        /// Words of 32 bits, one by one.
        "words" => Words(super::value::WordsData),
        /// Seeded values around a mean.
        "normal" => Normal(super::value::NormalData),
        /// The elements of another value in another order.
        "permute" => Permute(PermuteValue),
        /// The elements of another value whose numbers are given by data.
        "gather" => Gather(GatherValue),
        /// The elements of another value, from the smallest to the largest.
        "sort" => Sort(SortValue),
    }
}

/// The ways to give a value.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
pub enum ValueForm {
    /// Data that a step wrote, by the name of the data or of the buffer.
    Name(Name),
    /// 32-bit words.
    Words(Vec<Number>),
    /// A value computed from inputs and other values.
    Computed(Box<ComputedValue>),
}

/// A value that is known before the run: the name of data that was written (or of the buffer it was
/// written to), a list of 32-bit words, or something computed from them.
pub type ExpectedValue = At<ValueForm>;

impl Read for ValueForm {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        match &node.value {
            Value::Map(_) => ComputedValue::read(node, mistakes).map(|v| Self::Computed(v.into())),
            Value::List(_) => Vec::read(node, mistakes).map(Self::Words),
            _ => Name::read(node, mistakes).map(Self::Name),
        }
    }
}

impl ComputedValue {
    /// The data source, where the value is one.
    pub fn source(&self) -> Option<DataSource> {
        match self.clone() {
            Self::Uniform(data) => Some(DataSource::Uniform(data)),
            Self::Sequence(data) => Some(DataSource::Sequence(data)),
            Self::Constant(data) => Some(DataSource::Constant(data)),
            Self::File(data) => Some(DataSource::File(data)),
            Self::Words(data) => Some(DataSource::Words(data)),
            Self::Normal(data) => Some(DataSource::Normal(data)),
            Self::Map(_)
            | Self::Matrix(_)
            | Self::Slice(_)
            | Self::Concatenate(_)
            | Self::Repeat(_)
            | Self::Reduce(_)
            | Self::Permute(_)
            | Self::Gather(_)
            | Self::Sort(_)
            | Self::Hash(_) => None,
        }
    }
}

/// An output without an expectation.
#[derive(Clone, Debug)]
pub struct Unchecked {
    /// The output that is not checked.
    pub output: Name,
    /// The reason why nothing is expected of it.
    pub reason: String,
}

map_type! {
    /// An output whose elements are near those of a value. An element is near if it keeps any one of the
    /// given limits. An infinity or a NaN is near only to the same bits.
    NearEntry, "`near`" {
        /// The output (a name given by `enqueue_read_buffer`) and the value that it must be near to.
        near: OutputAndValue,
        /// The element type of the output and of the value.
        r#type: Setting<DataType>,
        /// The largest difference that is allowed, in units in the last place.
        ulp: Option<Number>,
        /// The largest absolute difference that is allowed.
        absolute: Option<Number>,
        /// The largest difference that is allowed, as a fraction of the value's magnitude.
        relative: Option<Number>,
        /// The least correlation of all elements with those of the value (Pearson's coefficient), up to 1. With
        /// another limit, both must be kept; without, elements have no limit of their own but to be finite.
        pcc: Option<Number>,
        /// Why the result is not exact.
        reason: String,
    }
}

map_type! {
    /// A tolerance by itself, with the limits of `near`: for reads that are compared with those of another run.
    ToleranceEntry, "a tolerance" {
        /// The read, by the name of its output. Default: each read that no other tolerance names.
        read: Option<Name>,
        /// The type of the elements.
        r#type: Setting<DataType>,
        /// The largest difference that is allowed, in units in the last place.
        ulp: Option<Number>,
        /// The largest absolute difference that is allowed.
        absolute: Option<Number>,
        /// The largest difference that is allowed, as a fraction of the other run's magnitude.
        relative: Option<Number>,
        /// The least correlation of all elements.
        pcc: Option<Number>,
    }
}

/// `[output, value]`
#[derive(Clone, Debug)]
pub struct OutputAndValue {
    /// The output: a name given by `enqueue_read_buffer`.
    pub output: Name,
    /// What it is compared with.
    pub value: ExpectedValue,
}

impl Read for OutputAndValue {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        let pair = match &node.value {
            Value::List(nodes) => match nodes.as_slice() {
                [output, value] => Some((output, value)),
                _ => None,
            },
            _ => None,
        };
        let Some((output, value)) = pair else {
            return mistakes.add(
                "expected an output and a value",
                node.span,
                "write `[output, value]`",
            );
        };
        let (output, value) = (Name::read(output, mistakes), ExpectedValue::read(value, mistakes));
        Some(Self { output: output?, value: value? })
    }
}

impl JsonSchema for OutputAndValue {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "OutputAndValue".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let name = generator.subschema_for::<Name>();
        let value = generator.subschema_for::<ExpectedValue>();
        schemars::json_schema!({
            "title": "`[output, value]`",
            "type": "array", "prefixItems": [name, value], "minItems": 2, "maxItems": 2,
        })
    }
}

/// An entry of `expect`.
#[derive(Clone, Debug)]
pub enum Expect {
    /// `equal: [output, value]`
    Equal(OutputAndValue),
    /// `near: [output, value]` with a tolerance
    Near(Box<NearEntry>),
    /// `unchecked: output`, `reason: text`
    Unchecked(Unchecked),
}

map_type! {
    /// An output without an expectation.
    UncheckedEntry, "`unchecked`" {
        /// The output that is not checked.
        unchecked: Name,
        /// Why nothing can be expected of the output.
        reason: String,
    }
}

impl Read for Expect {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        let list = entries(node, "an expectation", mistakes)?;
        if node.get("unchecked").is_some() {
            let entry = UncheckedEntry::read(node, mistakes)?;
            return Some(Self::Unchecked(Unchecked {
                output: entry.unchecked,
                reason: entry.reason,
            }));
        }
        if node.get("near").is_some() {
            return NearEntry::read(node, mistakes).map(|entry| Self::Near(entry.into()));
        }
        let before = mistakes.len();
        refuse_unknown_keys(list, &["equal", "near", "unchecked"], "an expectation", mistakes);
        let Some(entry) = node.get("equal") else {
            if mistakes.len() == before {
                mistakes.add::<()>(
                    "this entry expects nothing",
                    node.span,
                    "write `equal: [output, value]`",
                );
            }
            return None;
        };
        let pair = OutputAndValue::read(&entry.value, mistakes);
        (mistakes.len() == before).then_some(Self::Equal(pair?))
    }
}

impl Expect {
    /// The output that it is about.
    pub const fn output(&self) -> &Name {
        match self {
            Self::Equal(pair) => &pair.output,
            Self::Near(entry) => &entry.near.output,
            Self::Unchecked(unchecked) => &unchecked.output,
        }
    }
}

impl JsonSchema for Expect {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Expect".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let pair = generator.subschema_for::<OutputAndValue>();
        let near = generator.subschema_for::<NearEntry>();
        let unchecked = generator.subschema_for::<UncheckedEntry>();
        schemars::json_schema!({
            "description": "What must come back: `equal: [output, value]` byte for byte, `near: [output, value]` with a tolerance, or `unchecked: output` with a `reason`.",
            "oneOf": [
                {
                    "type": "object", "additionalProperties": false, "required": ["equal"],
                    "properties": { "equal": pair },
                },
                near,
                unchecked,
            ],
        })
    }
}

impl MapValue {
    /// The expression that gives an element.
    pub const fn formula(&self) -> &Expression {
        &self.value.0
    }
}
