//! Compares two values of the same table, field by field, guided by the schema's own description.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::commands::{Objects, object_kind};
use super::{Difference, DifferencePlace};
use crate::class::{FieldClass, FieldSchema, TableSchema, UnionSchema};
use crate::model::{
    ArgumentRelocation, BufferId, CoreRange, ObjectKind, PartyLine, RelocatedArgument,
};
use crate::names::Names;
use crate::wording::{Wording, other_party, ranges};

/// The most differing elements of one list that are reported one by one.
const SHOWN_ELEMENTS: usize = 16;

/// The context of a comparison.
pub(super) struct Walk<'a> {
    pub(super) place: DifferencePlace,
    pub(super) names: (&'a Names<'a>, &'a Names<'a>),
    pub(super) objects: &'a Objects,
}

impl Walk<'_> {
    fn note(
        &self,
        field: String,
        class: FieldClass,
        first: Option<String>,
        second: Option<String>,
        found: &mut Vec<Difference>,
    ) {
        found.push(Difference { place: self.place.clone(), field, class, first, second });
    }

    /// Whether an id of the first program means the same object as one of the second.
    fn same_object(&self, kind: ObjectKind, first: u32, second: u32) -> bool {
        match self.objects.get(&(kind, first)) {
            Some(mapped) => *mapped == second,
            // Without a partner, the id can only match an id that has no partner either.
            None => {
                let mut taken = self.objects.iter().filter(|((of, _), _)| *of == kind);
                first == second && !taken.any(|(_, mapped)| *mapped == second)
            }
        }
    }
}

/// The text of a value that is shown as a whole.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) if text.is_empty() => Some("empty".to_owned()),
        Value::String(text) => Some(text.escape_debug().to_string()),
        // A member of a union is shown by its name.
        Value::Object(map) if map.len() == 1 => map.keys().next().cloned(),
        other => Some(other.to_string()),
    }
}

fn camel(snake: &str) -> String {
    snake
        .split('_')
        .map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|letter| letter.to_ascii_uppercase());
            first.into_iter().chain(letters).collect::<String>()
        })
        .collect()
}

/// Compares two values of a table. `prefix` is their path with a final dot, or empty.
pub(super) fn compare_table(
    table: &TableSchema,
    first: &Value,
    second: &Value,
    prefix: &str,
    walk: &Walk<'_>,
    found: &mut Vec<Difference>,
) {
    let absent = Value::Null;
    for field in table.fields {
        let one = first.get(field.name).unwrap_or(&absent);
        let other = second.get(field.name).unwrap_or(&absent);
        compare_field(field, (first, second), (one, other), prefix, walk, found);
    }
}

fn compare_field(
    field: &FieldSchema,
    tables: (&Value, &Value),
    (first, second): (&Value, &Value),
    prefix: &str,
    walk: &Walk<'_>,
    found: &mut Vec<Difference>,
) {
    let path = format!("{prefix}{}", field.name);
    if !field.vector
        && field.type_name == "uint"
        && let Some(kind) = object_kind(field.name)
    {
        let id = |value: &Value| value.as_u64().and_then(|id| u32::try_from(id).ok());
        if let (Some(one), Some(other)) = (id(first), id(second))
            && !walk.same_object(kind, one, other)
        {
            let shown = (walk.names.0.show(kind, one), walk.names.1.show(kind, other));
            walk.note(path, field.class, Some(shown.0), Some(shown.1), found);
        }
        return;
    }
    // Equal ids in the two tables may still name different objects.
    let may_name_objects = (first.is_array() || first.is_object())
        && !matches!(field.type_name, "CoreRange" | "FaultParty")
        && TableSchema::named(field.type_name).is_some();
    match (field.type_name, first, second) {
        ("ArgumentRelocation", _, _) => relocations(field, tables, walk, found),
        _ if first == second && !may_name_objects => {}
        ("CoreRange", _, _) => {
            walk.note(path, field.class, cores(first), cores(second), found);
        }
        ("FaultParty", Value::Null, _) | ("FaultParty", _, Value::Null) => {
            walk.note(path, field.class, party(first), party(second), found);
        }
        (_, Value::Array(one), Value::Array(other)) => {
            let words = field.type_name == "uint";
            let element = |at: usize| match field.name {
                // A differing word is named by its core and index, as in the program's source.
                "values" => argument(tables.0, at as u64),
                _ if words => format!("{path}[{at}]"),
                _ => format!("{path}[{at}]."),
            };
            compare_lists(field, (one, other), &path, &element, walk, found);
        }
        (_, Value::Object(one), Value::Object(other)) => {
            compare_objects(field, (one, other), (first, second), &path, walk, found);
        }
        _ => walk.note(path, field.class, text(first), text(second), found),
    }
}

fn compare_objects(
    field: &FieldSchema,
    (one, other): (&Map<String, Value>, &Map<String, Value>),
    (first, second): (&Value, &Value),
    path: &str,
    walk: &Walk<'_>,
    found: &mut Vec<Difference>,
) {
    if field.vector {
        // The text forms hold a sorted list of names and values as a map.
        let mut names: Vec<&String> = one.keys().chain(other.keys()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let (before, after) = (one.get(name), other.get(name));
            if before != after {
                let texts = (before.and_then(text), after.and_then(text));
                let field_path = format!("{path}.{name}");
                walk.note(field_path, field.class, texts.0, texts.1, found);
            }
        }
    } else if UnionSchema::named(field.type_name).is_some() {
        match (one.iter().next(), other.iter().next()) {
            (Some((before, one)), Some((after, other))) if before == after => {
                if let Some(table) = TableSchema::named(&camel(before)) {
                    compare_table(table, one, other, &format!("{path}."), walk, found);
                }
            }
            _ => walk.note(path.to_owned(), field.class, text(first), text(second), found),
        }
    } else if let Some(table) = TableSchema::named(field.type_name) {
        compare_table(table, first, second, &format!("{path}."), walk, found);
    } else {
        walk.note(path.to_owned(), field.class, text(first), text(second), found);
    }
}

fn compare_lists(
    field: &FieldSchema,
    (one, other): (&[Value], &[Value]),
    path: &str,
    element: &dyn Fn(usize) -> String,
    walk: &Walk<'_>,
    found: &mut Vec<Difference>,
) {
    let table = TableSchema::named(field.type_name);
    let mut untold = 0_u64;
    let mut told = 0;
    for (at, (one, other)) in one.iter().zip(other).enumerate() {
        match table {
            Some(table) => compare_table(table, one, other, &element(at), walk, found),
            None if one == other => {}
            None if told < SHOWN_ELEMENTS => {
                told += 1;
                walk.note(element(at), field.class, text(one), text(other), found);
            }
            None => untold += 1,
        }
    }
    if untold > 0 {
        let more = format!("{path}, {} more", crate::plural::counted(untold, "entry", "entries"));
        walk.note(more, field.class, Some("…".to_owned()), Some("…".to_owned()), found);
    }
    if one.len() != other.len() {
        let entries =
            |list: &[Value]| Some(crate::plural::counted(list.len() as u64, "entry", "entries"));
        walk.note(path.to_owned(), field.class, entries(one), entries(other), found);
    }
}

fn party(value: &Value) -> Option<String> {
    let party: PartyLine = serde_json::from_value(value.clone()).ok()?;
    Some(other_party(&party.into()))
}

fn cores(value: &Value) -> Option<String> {
    let cores: Vec<CoreRange> = serde_json::from_value(value.clone()).ok()?;
    Some(ranges(&cores))
}

/// The name of an argument word. It includes the core if the words belong to one core.
fn argument(table: &Value, word: u64) -> String {
    match table.get("cores").and_then(cores) {
        Some(cores) => format!("core {cores}, argument {word}"),
        None => {
            let first = table.get("first").and_then(Value::as_u64).unwrap_or_default();
            format!("common argument {}", first.saturating_add(word))
        }
    }
}

/// Compares the meanings of argument words, word by word.
fn relocations(
    field: &FieldSchema,
    (first, second): (&Value, &Value),
    walk: &Walk<'_>,
    found: &mut Vec<Difference>,
) {
    let list = |set: &Value| -> BTreeMap<u32, RelocatedArgument> {
        let list = set.get(field.name).cloned().unwrap_or_default();
        let list: Vec<ArgumentRelocation> = serde_json::from_value(list).unwrap_or_default();
        list.into_iter().map(|relocation| (relocation.index, relocation.argument)).collect()
    };
    let (one, other) = (list(first), list(second));
    let words: BTreeSet<u32> = one.keys().chain(other.keys()).copied().collect();
    for word in words {
        let (before, after) = (one.get(&word).copied(), other.get(&word).copied());
        if let (Some(before), Some(after)) = (before, after)
            && same_argument(before, after, walk)
        {
            continue;
        }
        let shown = |argument: Option<RelocatedArgument>, names: &Names<'_>| {
            let wording = Wording { names, returned: None };
            let text = argument.map(|argument| wording.relocated(argument));
            Some(text.unwrap_or_else(|| "a plain number".to_owned()))
        };
        let name = argument(first, word.into());
        let (before, after) = (shown(before, walk.names.0), shown(after, walk.names.1));
        walk.note(name, field.class, before, after, found);
    }
}

/// Whether two words stand for the same value. Objects are compared through their pairing.
fn same_argument(one: RelocatedArgument, other: RelocatedArgument, walk: &Walk<'_>) -> bool {
    use RelocatedArgument::{
        BufferAddress, CoreNocX, CoreNocY, ScratchpadAddress, SemaphoreAddress, ShardBankPair,
    };
    let same_buffer =
        |one: BufferId, other: BufferId| walk.same_object(ObjectKind::Buffer, one.0, other.0);
    match (one, other) {
        (BufferAddress { buffer, offset }, BufferAddress { buffer: with, offset: at }) => {
            offset == at && same_buffer(buffer, with)
        }
        (ShardBankPair { buffer, pair }, ShardBankPair { buffer: with, pair: at }) => {
            pair == at && same_buffer(buffer, with)
        }
        (
            SemaphoreAddress { semaphore, offset },
            SemaphoreAddress { semaphore: with, offset: at },
        ) => offset == at && walk.same_object(ObjectKind::Semaphore, semaphore.0, with.0),
        (CoreNocX { .. } | CoreNocY { .. } | ScratchpadAddress { .. }, _) => one == other,
        (BufferAddress { .. } | SemaphoreAddress { .. } | ShardBankPair { .. }, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_as_a_whole_loses_nothing() {
        assert_eq!(text(&json!(null)), None);
        assert_eq!(text(&json!("")).unwrap(), "empty");
        assert_eq!(text(&json!("a\n")).unwrap(), "a\\n");
        // A union member without fields is named; one with several fields is written out.
        assert_eq!(text(&json!({ "Sharded": { "x": 1 } })).unwrap(), "Sharded");
        assert_eq!(text(&json!({ "x": 1, "y": 2 })).unwrap(), "{\"x\":1,\"y\":2}");
        assert_eq!(text(&json!([1, 2])).unwrap(), "[1,2]");
    }
}
