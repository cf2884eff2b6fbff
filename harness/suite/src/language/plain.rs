//! Steps of calls whose fields are objects, numbers, truth values and a queue: they need no declaration
//! here, because the schema of captures says all that there is to read and to bind.

use hallmark_schema::commands::{CallField, CallValue, CommandKind, Presence, Role};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value as Json, json};

use crate::mistake::{Mistakes, Span};
use crate::node::Node;
use crate::read::{Name, Number, Read, ReadField, Setting, entries, refuse_unknown_keys};

/// A step that binds itself.
#[derive(Clone, Debug)]
pub struct PlainStep {
    /// Which call.
    pub kind: CommandKind,
    /// Where its fields stand.
    pub span: Span,
    /// The fields that stand there, in the order of the schema.
    pub fields: Vec<(&'static CallField, PlainValue)>,
}

/// What stands in a field of a plain step.
#[derive(Clone, Debug)]
pub enum PlainValue {
    /// The name of an object, or the one that the call gives.
    Name(Name),
    /// A number, or the number of a queue.
    Number(Number),
    /// A truth value.
    Flag(Setting<bool>),
}

/// Whether every field of a call can be bound without knowing the call.
pub fn is_plain(kind: CommandKind) -> bool {
    kind.fields().iter().all(|field| field.value.is_plain())
}

/// A field's key in a suite. The id of an object that the call makes has none: its name stands for it.
pub fn key(field: &CallField) -> Option<&'static str> {
    match field.value {
        CallValue::Object(Role::Creates, _) => None,
        CallValue::GivenName => Some("id"),
        _ => Some(field.name),
    }
}

/// The keys that a call cannot do without.
pub fn required_keys(kind: CommandKind) -> impl Iterator<Item = &'static str> {
    let required = keyed(kind).filter(|(_, field)| field.presence == Presence::Required);
    required.map(|(key, _)| key)
}

fn keyed(kind: CommandKind) -> impl Iterator<Item = (&'static str, &'static CallField)> {
    kind.fields().iter().filter_map(|field| Some((key(field)?, field)))
}

impl PlainStep {
    /// Reads the fields of a call, or notes what is wrong with them.
    pub fn read(kind: CommandKind, node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        let owner = format!("`{}`", kind.name());
        let list = entries(node, &owner, mistakes)?;
        let keys: Vec<&str> = keyed(kind).map(|(key, _)| key).collect();
        refuse_unknown_keys(list, &keys, &owner, mistakes);
        let mut fields = Vec::new();
        let mut complete = true;
        for (key, field) in keyed(kind) {
            match (node.get(key), field.presence) {
                (Some(entry), _) => match PlainValue::read(field.value, &entry.value, mistakes) {
                    Some(value) => fields.push((field, value)),
                    None => complete = false,
                },
                (None, Presence::Required) => {
                    complete = false;
                    let _: Option<Name> = Name::missing(key, &owner, node.span, mistakes);
                }
                (None, Presence::Zero | Presence::Absent) => {}
            }
        }
        complete.then_some(Self { kind, span: node.span, fields })
    }

    /// The JSON Schema of a call's fields, under the name of the call's table.
    pub fn schema(kind: CommandKind, generator: &mut SchemaGenerator) -> Schema {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for (key, field) in keyed(kind) {
            let optional = field.presence != Presence::Required;
            let mut schema = PlainValue::schema(field.value, optional, generator);
            schema.insert("description".to_owned(), field.doc.into());
            properties.insert(key.to_owned(), schema.into());
            if !optional {
                required.push(key);
            }
        }
        let mut schema = json_schema!({
            "description": kind.doc(),
            "type": "object", "properties": properties, "additionalProperties": false,
        });
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        let name = kind.table_name().to_owned();
        generator.definitions_mut().insert(name.clone(), schema.into());
        Schema::new_ref(format!("#/$defs/{name}"))
    }
}

impl PlainValue {
    fn read(value: CallValue, node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        match value {
            CallValue::Object(..) | CallValue::GivenName => {
                Name::read(node, mistakes).map(Self::Name)
            }
            CallValue::Queue | CallValue::Number32 | CallValue::Number64 => {
                Number::read(node, mistakes).map(Self::Number)
            }
            CallValue::Flag => Setting::read(node, mistakes).map(Self::Flag),
            CallValue::Other => {
                mistakes.add("a suite cannot set this field", node.span, "remove it")
            }
        }
    }

    fn schema(value: CallValue, optional: bool, generator: &mut SchemaGenerator) -> Schema {
        fn of<T: JsonSchema>(optional: bool, generator: &mut SchemaGenerator) -> Schema {
            if optional {
                generator.subschema_for::<Option<T>>()
            } else {
                generator.subschema_for::<T>()
            }
        }
        match value {
            CallValue::Object(..) | CallValue::GivenName => of::<Name>(optional, generator),
            CallValue::Queue | CallValue::Number32 | CallValue::Number64 => {
                of::<Number>(optional, generator)
            }
            CallValue::Flag => of::<Setting<bool>>(optional, generator),
            CallValue::Other => Json::Bool(false).try_into().unwrap_or_default(),
        }
    }
}
