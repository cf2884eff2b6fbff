//! YAML text as a tree of values with their positions.
//!
//! The typed language of suites is read from this tree and not straight from serde, because serde stops at the first
//! mistake and the author of a suite wants to see all of them.
//!
//! The parser is generic code and is compiled in the crate that uses it. This crate is that place and holds nothing
//! else, so that a development build optimizes the parser without optimizing the harness: each test is a process that
//! parses its suite.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Budget, DuplicateKeyPolicy, MergeKeyPolicy, Options, Spanned};

/// A range of bytes in a YAML file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The offset of the first byte in the file.
    pub start: usize,
    /// The number of bytes.
    pub length: usize,
    /// The number of the file, as passed to [`parse`].
    pub file: u16,
}

impl Span {
    /// A part of this span.
    pub const fn part(self, start: usize, length: usize) -> Self {
        Self { start: self.start.saturating_add(start), length, ..self }
    }
}

/// A value with its position.
#[derive(Clone, Debug)]
pub struct Node {
    /// The position of the value.
    pub span: Span,
    /// The scalar, sequence or mapping.
    pub value: Value,
}

/// The content of a YAML node.
#[derive(Clone, Debug)]
pub enum Value {
    /// `null`, `~` or an empty scalar.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer in any of YAML's notations.
    Integer(i128),
    /// A number with a fraction or exponent.
    Float(f64),
    /// Any other scalar.
    Text(String),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in the order of the file.
    Map(Vec<Entry>),
}

/// A key and its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key's text.
    pub key: String,
    /// The position of the key.
    pub key_span: Span,
    /// The value of the key.
    pub value: Node,
}

impl Node {
    /// The kind of value, for "expected a list, found a number".
    pub const fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Integer(_) => "a number",
            Value::Float(_) => "a number with a fraction",
            Value::Text(_) => "a text",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }

    /// Sets the file of every span in it. The parser bounds the depth.
    fn set_file(&mut self, file: u16) {
        self.span.file = file;
        match &mut self.value {
            Value::List(nodes) => nodes.iter_mut().for_each(|node| node.set_file(file)),
            Value::Map(entries) => {
                for entry in entries {
                    entry.key_span.file = file;
                    entry.value.set_file(file);
                }
            }
            Value::Null | Value::Bool(_) | Value::Integer(_) | Value::Float(_) | Value::Text(_) => {
            }
        }
    }

    /// The map entry with this key.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|entry| entry.key == key),
            _ => None,
        }
    }
}

struct Parsed(Value);

fn span_of<T>(spanned: &Spanned<T>) -> Span {
    let span = spanned.referenced.span();
    let narrow = |number: Option<u64>| number.and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    Span { start: narrow(span.byte_offset()), length: narrow(span.byte_len()), file: 0 }
}

fn node_of(spanned: Spanned<Parsed>) -> Node {
    Node { span: span_of(&spanned), value: spanned.value.0 }
}

impl<'de> Deserialize<'de> for Parsed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyValue;

        impl<'de> Visitor<'de> for AnyValue {
            type Value = Parsed;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a scalar, a list or a map with text keys")
            }
            fn visit_unit<E>(self) -> Result<Parsed, E> {
                Ok(Parsed(Value::Null))
            }
            fn visit_bool<E>(self, value: bool) -> Result<Parsed, E> {
                Ok(Parsed(Value::Bool(value)))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Parsed, E> {
                Ok(Parsed(Value::Integer(i128::from(value))))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Parsed, E> {
                Ok(Parsed(Value::Integer(i128::from(value))))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Parsed, E> {
                Ok(Parsed(Value::Float(value)))
            }
            fn visit_str<E>(self, value: &str) -> Result<Parsed, E> {
                Ok(Parsed(Value::Text(value.to_owned())))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Parsed, A::Error> {
                let mut nodes = Vec::new();
                while let Some(node) = list.next_element()? {
                    nodes.push(node_of(node));
                }
                Ok(Parsed(Value::List(nodes)))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parsed, A::Error> {
                let mut entries = Vec::new();
                while let Some(key) = map.next_key::<Spanned<String>>()? {
                    let key_span = span_of(&key);
                    let value = node_of(map.next_value()?);
                    entries.push(Entry { key: key.value, key_span, value });
                }
                Ok(Parsed(Value::Map(entries)))
            }
        }
        deserializer.deserialize_any(AnyValue)
    }
}

/// Parses `text`. Every [`Span`] refers to the file with the number `file`.
///
/// ```
/// let node = hallmark_yaml::parse("pages: [1, 7]", 0)?;
/// let pages = node.get("pages").map(|entry| (entry.key_span.start, entry.value.kind()));
/// assert_eq!(pages, Some((0, "a list")));
/// # Ok::<(), serde_saphyr::Error>(())
/// ```
///
/// The parser's error with its location. The parser limits depth, nodes and events, and refuses aliases and
/// anchors, so that a small file cannot become a large tree; a duplicate key is an error.
pub fn parse(text: &str, file: u16) -> Result<Node, serde_saphyr::Error> {
    let mut budget = Budget::default();
    budget.max_depth = 32;
    budget.max_documents = 1;
    budget.max_nodes = 200_000;
    budget.max_events = 400_000;
    budget.max_aliases = 0;
    budget.max_anchors = 0;
    budget.flow_nesting_limit = 32;
    let mut options = Options::default();
    options.budget = Some(budget);
    options.duplicate_keys = DuplicateKeyPolicy::Error;
    options.merge_keys = MergeKeyPolicy::Error;
    options.strict_booleans = true;
    options.with_snippet = false;
    let mut node =
        serde_saphyr::from_str_with_options::<Spanned<Parsed>>(text, options).map(node_of)?;
    node.set_file(file);
    Ok(node)
}
