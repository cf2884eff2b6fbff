//! Checks that a suite or a case excuses, by their names.

use std::borrow::Cow;

use hallmark_chip::FaultCategory;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::mistake::{Mistakes, Span};
use crate::node::Node;
use crate::read::{Choice as _, Read, choice_help, entries};

/// Checks by name, each with the reason for which its findings are excused.
#[derive(Clone, Debug, Default)]
pub struct Excuses(pub Vec<Excuse>);

/// A check whose findings are excused.
#[derive(Clone, Debug)]
pub struct Excuse {
    /// The check: a kind of fault.
    pub check: FaultCategory,
    /// Where its name stands.
    pub span: Span,
    /// Why its findings are excused, for reports.
    pub reason: String,
}

impl Read for Excuses {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        let before = mistakes.len();
        let mut excuses = Vec::new();
        for entry in entries(node, "`excuse`", mistakes)? {
            let check = FaultCategory::from_name(&entry.key);
            if check.is_none() {
                mistakes.add::<()>(
                    format!("unknown check `{}`", entry.key),
                    entry.key_span,
                    choice_help::<FaultCategory>(&entry.key),
                );
            }
            let reason = String::read(&entry.value, mistakes);
            if let (Some(check), Some(reason)) = (check, reason) {
                excuses.push(Excuse { check, span: entry.key_span, reason });
            }
        }
        if excuses.is_empty() && mistakes.len() == before {
            return mistakes.add("this excuses no check", node.span, "remove `excuse`");
        }
        (mistakes.len() == before).then_some(Self(excuses))
    }
}

impl JsonSchema for Excuses {
    fn schema_name() -> Cow<'static, str> {
        "Excuses".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let checks: serde_json::Map<String, serde_json::Value> = FaultCategory::CHOICES
            .iter()
            .map(|(name, _)| ((*name).to_owned(), serde_json::json!({ "type": "string" })))
            .collect();
        json_schema!({
            "description": "Checks whose findings are excused, each by the name of its fault category with the reason. A test that ends in such a fault counts as an expected failure, and a certification needs a waiver for it.",
            "type": "object",
            "minProperties": 1,
            "properties": checks,
            "additionalProperties": false,
        })
    }
}
