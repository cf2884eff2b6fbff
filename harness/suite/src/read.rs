//! How the typed language is read from the tree of values, noting every mistake instead of stopping at
//! the first.
//!
//! A type that can be read also has a JSON Schema ([`schemars::JsonSchema`]); the macros below write
//! both from one declaration, so that neither the schema nor the reference can drift from the parser.

use std::borrow::Cow;

use hallmark_schema::model::Real;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::expression::Expression;
use super::mistake::{Mistakes, Span, nearest, quoted_list, suggest};
use super::node::{Entry, Node, Value};

/// A type that stands in a suite file.
pub trait Read: Sized + JsonSchema {
    /// Reads it, or notes what is wrong.
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self>;
}

/// A field of a map: required, unless it is an `Option`.
pub trait ReadField: Sized {
    /// What to do where the key is missing.
    fn missing(name: &str, owner: &str, span: Span, mistakes: &mut Mistakes) -> Option<Self>;
    /// Reads the value of the key.
    fn read_field(node: &Node, mistakes: &mut Mistakes) -> Option<Self>;
}

impl<T: Read> ReadField for T {
    fn missing(name: &str, owner: &str, span: Span, mistakes: &mut Mistakes) -> Option<Self> {
        mistakes.add(format!("{owner} needs `{name}`"), span, format!("add `{name}: …`"))
    }
    fn read_field(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        T::read(node, mistakes)
    }
}

impl<T: Read> ReadField for Option<T> {
    fn missing(_: &str, _: &str, _: Span, _: &mut Mistakes) -> Option<Self> {
        Some(None)
    }
    fn read_field(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        T::read(node, mistakes).map(Some)
    }
}

/// The entries of a map, or a mistake.
pub fn entries<'a>(node: &'a Node, what: &str, mistakes: &mut Mistakes) -> Option<&'a [Entry]> {
    match &node.value {
        Value::Map(entries) => Some(entries),
        _ => mistakes.add(
            format!("{what} must be a map, not {}", node.kind()),
            node.span,
            "write `{ key: value }`, or a line for each key",
        ),
    }
}

/// Notes every key that is none of `known`.
pub fn refuse_unknown_keys(entries: &[Entry], known: &[&str], what: &str, mistakes: &mut Mistakes) {
    for entry in entries {
        if !known.contains(&entry.key.as_str()) {
            mistakes.add::<()>(
                format!("unknown key `{}` in {what}", entry.key),
                entry.key_span,
                suggest(&entry.key, known.iter().copied()),
            );
        }
    }
}

/// What stands for the field `name`, whose key is missing. An unknown key that most likely means it has been noted, and one
/// typing mistake is one mistake.
pub fn missing<T: ReadField>(
    name: &str,
    among: (&[Entry], &[&str]),
    owner: &str,
    span: Span,
    mistakes: &mut Mistakes,
) -> Option<T> {
    let (entries, known) = among;
    let means_it = |entry: &Entry| {
        !known.contains(&entry.key.as_str())
            && nearest(&entry.key, known.iter().copied()) == Some(name)
    };
    if entries.iter().any(means_it) {
        return T::missing(name, owner, span, &mut Mistakes::default());
    }
    T::missing(name, owner, span, mistakes)
}

/// A value with its place.
#[derive(Clone, Debug)]
pub struct At<T> {
    /// The value that stands there.
    pub value: T,
    /// The place in the file where it stands.
    pub span: Span,
}

impl<T: Read> Read for At<T> {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        T::read(node, mistakes).map(|value| Self { value, span: node.span })
    }
}

/// Gives a wrapper the schema of what it wraps.
macro_rules! schema_of_inner {
    ([$($generic:tt)*] $type:ty => $inner:ty) => {
        impl<$($generic)*> JsonSchema for $type {
            fn inline_schema() -> bool {
                <$inner>::inline_schema()
            }
            fn schema_name() -> Cow<'static, str> {
                <$inner>::schema_name()
            }
            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                <$inner>::json_schema(generator)
            }
        }
    };
}
schema_of_inner!([T: JsonSchema] At<T> => T);

impl<T: Read> Read for Box<T> {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        T::read(node, mistakes).map(Box::new)
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        let Value::List(nodes) = &node.value else {
            return mistakes.add(
                format!("expected a list, found {}", node.kind()),
                node.span,
                "write `[…]`, or begin a line with `-` for each entry",
            );
        };
        // All of them are read before any failure is returned.
        let read: Vec<Option<T>> = nodes.iter().map(|node| T::read(node, mistakes)).collect();
        read.into_iter().collect()
    }
}

/// A map whose keys are names that the suite's author chose, in the order of the file.
#[derive(Clone, Debug)]
pub struct Named<T>(pub Vec<(At<String>, T)>);

impl<T> Named<T> {
    /// The value with this name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(key, _)| key.value == name).map(|(_, value)| value)
    }

    /// Its names in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.value.as_str())
    }
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Read> Read for Named<T> {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        let mut named = Vec::new();
        let mut complete = true;
        for entry in entries(node, "this value", mistakes)? {
            let name = check_name(&entry.key, entry.key_span, mistakes);
            match (name, T::read(&entry.value, mistakes)) {
                (Some(name), Some(value)) => {
                    named.push((At { value: name, span: entry.key_span }, value));
                }
                _ => complete = false,
            }
        }
        complete.then_some(Self(named))
    }
}

impl<T: JsonSchema> JsonSchema for Named<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("Named{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "propertyNames": { "pattern": "^[A-Za-z0-9_.+-]+$" },
            "additionalProperties": generator.subschema_for::<T>(),
        })
    }
}

/// A map whose keys are any texts, in the order of the file.
#[derive(Clone, Debug)]
pub struct ByText<T>(pub Vec<(At<String>, T)>);

impl<T: Read> Read for ByText<T> {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        let mut values = Vec::new();
        let mut complete = true;
        for entry in entries(node, "this value", mistakes)? {
            match T::read(&entry.value, mistakes) {
                Some(value) => {
                    values.push((At { value: entry.key.clone(), span: entry.key_span }, value));
                }
                None => complete = false,
            }
        }
        complete.then_some(Self(values))
    }
}

impl<T: JsonSchema> JsonSchema for ByText<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("ByText{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "additionalProperties": generator.subschema_for::<T>(),
        })
    }
}

/// Whether a name may stand in a test's name, and so in paths, where dots alone have a meaning.
pub fn is_name(name: &str) -> bool {
    name.chars().any(|c| c != '.')
        && name.len() <= 80
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.+-".contains(c))
}

fn check_name(name: &str, span: Span, mistakes: &mut Mistakes) -> Option<String> {
    if is_name(name) {
        return Some(name.to_owned());
    }
    mistakes.add(
        format!("`{name}` is not a valid name"),
        span,
        "a name has 1 to 80 letters, digits, and any of _ . + -",
    )
}

impl Read for String {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        match &node.value {
            Value::Text(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            Value::Integer(number) => Some(number.to_string()),
            Value::Bool(flag) => Some(flag.to_string()),
            Value::Text(_) => mistakes.add("expected a text, found an empty one", node.span, ""),
            _ => mistakes.add(format!("expected a text, found {}", node.kind()), node.span, ""),
        }
    }
}

/// The value of a preprocessor definition, which may be empty, as in `#define FAST`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefineValue(pub String);

impl Read for DefineValue {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        match &node.value {
            Value::Text(text) if text.trim().is_empty() => Some(Self(String::new())),
            _ => String::read(node, mistakes).map(Self),
        }
    }
}

impl JsonSchema for DefineValue {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "DefineValue".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "integer", "boolean"], "title": "a text" })
    }
}

/// A name of an object or a value: letters, digits, `_ . + -`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name as it is written.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

impl Read for Name {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        match &node.value {
            Value::Text(text) => {
                check_name(text, node.span, mistakes).map(|text| Self { text, span: node.span })
            }
            _ => mistakes.add(format!("expected a name, found {}", node.kind()), node.span, ""),
        }
    }
}

impl JsonSchema for Name {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Name".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[A-Za-z0-9_.+-]+$", "title": "a name" })
    }
}

/// A number or an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number(pub Expression);

impl Read for Number {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        match &node.value {
            Value::Integer(number) => Some(Self(Expression::number(*number, node.span))),
            Value::Float(number) => match Real::new(*number) {
                Some(number) => Some(Self(Expression::fraction(number, node.span))),
                None => mistakes.add("this number is not finite", node.span, ""),
            },
            Value::Text(text) => match Expression::parse(text, inside_quotes(node.span, text)) {
                Ok(expression) => Some(Self(expression)),
                Err(mistake) => {
                    mistakes.push(mistake);
                    None
                }
            },
            _ => mistakes.add(
                format!("expected a number or an expression, found {}", node.kind()),
                node.span,
                "",
            ),
        }
    }
}

/// The place of a quoted text without its quotes.
fn inside_quotes(span: Span, text: &str) -> Span {
    if span.length == text.len().saturating_add(2) { span.part(1, text.len()) } else { span }
}

impl JsonSchema for Number {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Number".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["number", "string"], "title": "a number or an expression" })
    }
}

/// A type with a fixed set of names.
pub trait Choice: Copy + PartialEq + 'static {
    /// What it is called, for "unknown processor".
    const WHAT: &'static str;
    /// Every value of the enum with its name in a suite.
    const CHOICES: &'static [(&'static str, Self)];
    /// Names that a value has elsewhere, each with its name here. Another name here may be more like it.
    const ALSO_CALLED: &'static [(&'static str, &'static str)] = &[];

    /// The value with this name.
    fn from_name(name: &str) -> Option<Self> {
        Self::CHOICES.iter().find(|(known, _)| *known == name).map(|&(_, value)| value)
    }

    /// The name by which a suite chooses it.
    fn name(self) -> &'static str {
        Self::CHOICES.iter().find(|(_, value)| *value == self).map_or("?", |&(name, _)| name)
    }
}

/// Declares the names of a set of values.
#[macro_export]
macro_rules! choices {
    ($(
        $type:ty, $what:literal $(, also called $($elsewhere:literal => $here:literal),+)?:
        $($name:literal => $value:expr),+ $(,)?;
    )+) => {$(
        impl $crate::read::Choice for $type {
            const WHAT: &'static str = $what;
            $(const ALSO_CALLED: &'static [(&'static str, &'static str)] = &[$(($elsewhere, $here)),+];)?
            const CHOICES: &'static [(&'static str, Self)] = &[$(($name, $value)),+];
        }
    )+};
}
pub use choices;

/// One of a fixed set of names, or `=parameter`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting<T> {
    /// One of the names, the same in every combination.
    Fixed(T),
    /// A parameter that holds its name.
    Parameter(Name),
}

impl<T: Choice> Read for Setting<T> {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        let text = match &node.value {
            Value::Text(text) => text.clone(),
            Value::Bool(flag) => flag.to_string(),
            _ => {
                return mistakes.add(
                    format!("expected the name of a {}, found {}", T::WHAT, node.kind()),
                    node.span,
                    choice_help::<T>(""),
                );
            }
        };
        if let Some(name) = text.strip_prefix('=') {
            let span = node.span.part(1, name.len());
            return check_name(name, span, mistakes)
                .map(|text| Self::Parameter(Name { text, span }));
        }
        match T::from_name(&text) {
            Some(value) => Some(Self::Fixed(value)),
            None => mistakes.add(
                format!("unknown {} `{text}`", T::WHAT),
                node.span,
                choice_help::<T>(&text),
            ),
        }
    }
}

/// The nearest name, or all of them.
pub fn choice_help<T: Choice>(wrong: &str) -> String {
    if let Some((_, here)) = T::ALSO_CALLED.iter().find(|(elsewhere, _)| *elsewhere == wrong) {
        return format!("a {} calls it `{here}`", T::WHAT);
    }
    suggest(wrong, T::CHOICES.iter().map(|(name, _)| *name))
}

impl<T: Choice> JsonSchema for Setting<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("Setting of {}", T::WHAT).into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = T::CHOICES.iter().map(|(name, _)| *name).collect();
        let title = format!("{} or `=parameter`", quoted_list(&names));
        if names.iter().all(|name| ["true", "false"].contains(name)) {
            return json_schema!({ "title": title, "anyOf": [
                { "type": "boolean" }, { "type": "string", "pattern": "^=" }
            ]});
        }
        json_schema!({ "title": title, "anyOf": [
            { "enum": names }, { "type": "string", "pattern": "^=" }
        ]})
    }
}

choices! {
    bool, "truth value": "true" => true, "false" => false;
}

/// One of a fixed set of names, where no parameter may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneOf<T>(pub T);

impl<T: Choice> Read for OneOf<T> {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        match Setting::<T>::read(node, mistakes)? {
            Setting::Fixed(value) => Some(Self(value)),
            Setting::Parameter(name) => mistakes.add(
                format!("no parameter can choose the {} here", T::WHAT),
                name.span,
                choice_help::<T>(""),
            ),
        }
    }
}

impl<T: Choice> JsonSchema for OneOf<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        T::WHAT.into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = T::CHOICES.iter().map(|(name, _)| *name).collect();
        let title = quoted_list(&names);
        if names.iter().all(|name| ["true", "false"].contains(name)) {
            return json_schema!({ "type": "boolean", "title": title });
        }
        json_schema!({ "enum": names, "title": title })
    }
}

/// Declares a map with fixed keys: the struct, its reader and its schema. `Option` fields may be left
/// out.
#[macro_export]
macro_rules! map_type {
    ($(#[doc = $doc:literal])+ $name:ident, $what:literal {
        $($(#[doc = $field_doc:literal])+ $field:ident: $type:ty,)*
    }) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug, schemars::JsonSchema)]
        #[schemars(deny_unknown_fields)]
        pub struct $name {
            $($(#[doc = $field_doc])+ pub $field: $type,)*
        }

        impl $name {
            /// The keys that the mapping may have.
            pub const KEYS: &'static [&'static str] = &[$($crate::read::key(stringify!($field))),*];
        }

        impl $crate::read::Read for $name {
            fn read(
                node: &$crate::node::Node,
                mistakes: &mut $crate::mistake::Mistakes,
            ) -> Option<Self> {
                let entries = $crate::read::entries(node, $what, mistakes)?;
                $crate::read::refuse_unknown_keys(entries, Self::KEYS, $what, mistakes);
                $(let $field: Option<$type> = {
                    let name = $crate::read::key(stringify!($field));
                    match node.get(name) {
                        Some(entry) => <$type as $crate::read::ReadField>::read_field(&entry.value, mistakes),
                        None => {
                            let among = (entries, Self::KEYS);
                            $crate::read::missing::<$type>(name, among, $what, node.span, mistakes)
                        }
                    }
                };)*
                Some(Self { $($field: $field?),* })
            }
        }
    };
}
pub use map_type;

/// A field's key: raw identifiers stand for the words that Rust reserves.
pub const fn key(identifier: &'static str) -> &'static str {
    match identifier.as_bytes() {
        [b'r', b'#', ..] => identifier.split_at(2).1,
        _ => identifier,
    }
}

/// Declares a choice between maps, each told by its first key.
#[macro_export]
macro_rules! alternatives {
    ($(#[doc = $doc:literal])+ $name:ident, $what:literal {
        $($(#[doc = $variant_doc:literal])+ $key:literal => $variant:ident($type:ty),)+
    }) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug, schemars::JsonSchema)]
        #[schemars(untagged)]
        pub enum $name {
            $($(#[doc = $variant_doc])+ $variant($type),)+
        }

        impl $name {
            /// The keys by which its forms are told apart.
            pub const FORMS: &'static [&'static str] = &[$($key),+];
        }

        impl $crate::read::Read for $name {
            fn read(
                node: &$crate::node::Node,
                mistakes: &mut $crate::mistake::Mistakes,
            ) -> Option<Self> {
                let entries = $crate::read::entries(node, $what, mistakes)?;
                $(if entries.iter().any(|entry| entry.key == $key) {
                    return <$type as $crate::read::Read>::read(node, mistakes).map(Self::$variant);
                })+
                let (wrong, span) = entries
                    .first()
                    .map_or(("", node.span), |entry| (entry.key.as_str(), entry.key_span));
                let help = $crate::mistake::suggest(wrong, Self::FORMS.iter().copied());
                if wrong.is_empty() {
                    mistakes.add(concat!($what, " is missing"), span, help)
                } else {
                    mistakes.add(format!(concat!("unknown key `{}` in ", $what), wrong), span, help)
                }
            }
        }
    };
}
pub use alternatives;
