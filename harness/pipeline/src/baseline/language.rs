//! A baseline's file: what it may hold, and how it is read.

use std::collections::BTreeMap;

use hallmark_suite::language::TestFailure;
use hallmark_suite::mistake::{LocatedMistake, Mistakes, SourceText, SuiteMistakes};
use hallmark_suite::name::TestName;
use hallmark_suite::node::{Node, Value, load};
use hallmark_suite::read::{At, OneOf, Read, map_type};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::{Baseline, KnownFailure};
use crate::signature::Signature;

map_type! {
    /// Known failures of a device.
    BaselineFile, "a baseline" {
        /// The failures.
        known_failures: Vec<At<Entry>>,
    }
}

map_type! {
    /// A failure that is known.
    Entry, "a known failure" {
        /// The test, by its full name.
        test: At<String>,
        /// The verdict, or the check that finds the failure.
        verdict: OneOf<TestFailure>,
        /// The signature, as in reports [default: every failure with this verdict is known]
        signature: Option<WrittenSignature>,
        /// Whether the test may pass as well [default: false]
        flaky: Option<OneOf<bool>>,
        /// Why it is known, in any words.
        reason: Option<String>,
    }
}

/// A signature in a baseline.
#[derive(Clone, Debug)]
pub(super) struct WrittenSignature(Signature);

impl Read for WrittenSignature {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        match serde_json::from_value(json(node)) {
            Ok(signature) => Some(Self(signature)),
            Err(error) => mistakes.add(
                format!("this is no signature: {error}"),
                node.span,
                "copy it from a report, or let --write-baseline write it",
            ),
        }
    }
}

impl JsonSchema for WrittenSignature {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Signature".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "minProperties": 1, "maxProperties": 1 })
    }
}

/// A value as JSON. The parser bounds its depth.
fn json(node: &Node) -> serde_json::Value {
    match &node.value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(flag) => (*flag).into(),
        Value::Integer(number) => i64::try_from(*number)
            .map(serde_json::Value::from)
            .or_else(|_| u64::try_from(*number).map(serde_json::Value::from))
            .unwrap_or_else(|_| number.to_string().into()),
        Value::Float(number) => (*number).into(),
        Value::Text(text) => text.as_str().into(),
        Value::List(nodes) => nodes.iter().map(json).collect(),
        Value::Map(entries) => serde_json::Value::Object(
            entries.iter().map(|entry| (entry.key.clone(), json(&entry.value))).collect(),
        ),
    }
}

impl Baseline {
    /// Reads the text of a file; `path` is its name for people.
    ///
    /// # Errors
    /// Each mistake with its place.
    pub fn of_text(path: String, text: &str) -> Result<Self, SuiteMistakes> {
        let source = SourceText { path, text: text.into() };
        let node = load(text, 0).map_err(|mistake| {
            SuiteMistakes(vec![LocatedMistake { file: source.clone(), mistake }])
        })?;
        let mut mistakes = Mistakes::default();
        let file = BaselineFile::read(&node, &mut mistakes);
        let mut known: BTreeMap<TestName, Vec<KnownFailure>> = BTreeMap::new();
        for At { value, span } in file.into_iter().flat_map(|file| file.known_failures) {
            let Entry { test, verdict, signature, flaky, reason } = value;
            let name: TestName = match test.value.parse() {
                Ok(name) => name,
                Err(error) => {
                    mistakes.add::<()>(format!("{error}"), test.span, "write the test's full name");
                    continue;
                }
            };
            let entry = KnownFailure {
                failure: verdict.0,
                signature: signature.map(|WrittenSignature(signature)| signature),
                is_flaky: flaky.is_some_and(|OneOf(flaky)| flaky),
                reason,
                span,
            };
            match entry.failure {
                TestFailure::OfCategory(_) if entry.reason.is_none() => {
                    mistakes.add::<()>(
                        "a check is excused without a reason",
                        span,
                        "add `reason: …`",
                    );
                }
                _ => {}
            }
            let of_test = known.entry(name).or_default();
            if of_test.iter().any(|other| !(other.is_flaky && entry.is_flaky)) {
                mistakes.add::<()>(
                    format!("another entry knows how {} fails", test.value),
                    span,
                    "remove one, or say `flaky: true` in each",
                );
            }
            of_test.push(entry);
        }
        if !mistakes.is_empty() {
            return Err(SuiteMistakes(mistakes.located(&[source])));
        }
        Ok(Self { source: Some(source), known })
    }
}
