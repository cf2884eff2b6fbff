//! Plain steps to commands, by the fields that the schema of captures gives their calls.

use hallmark_schema::commands::{CallValue, Command, Presence, Role};
use hallmark_schema::model::ObjectKind;
use serde_json::{Map, Value};

use super::evaluator::Evaluator;
use super::scope::{ProgramFacts, Scope};
use crate::language::{PlainStep, PlainValue};
use crate::read::Name;

/// The call of a step that needs no binding of its own. Every field is looked at, so that all
/// mistakes are noted.
pub(super) fn plain_step(
    evaluator: &mut Evaluator<'_>,
    scope: &mut Scope,
    step: &PlainStep,
) -> Option<Command> {
    let mut arguments = Map::new();
    let mut complete = true;
    for field in step.kind.fields() {
        let stands = step.fields.iter().find(|(known, _)| known.name == field.name);
        let value = match (field.value, stands.map(|(_, value)| value)) {
            // The name of what the call makes brings its id.
            (CallValue::Object(Role::Creates, kind), _) => {
                let given = step.fields.iter().find_map(|(known, value)| match value {
                    PlainValue::Name(name) if known.value == CallValue::GivenName => Some(name),
                    _ => None,
                });
                given.and_then(|name| {
                    let (id, name) = create(evaluator, scope, kind, name)?;
                    arguments.insert("name".to_owned(), name.into());
                    Some(Value::from(id))
                })
            }
            (CallValue::GivenName, _) => continue,
            (_, Some(value)) => {
                let what = format!("the {}", field.name.replace('_', " "));
                plain_value(evaluator, scope, field.value, value, &what)
            }
            (_, None) => match (field.presence, field.value) {
                (Presence::Absent, _) => continue,
                (_, CallValue::Flag) => Some(Value::from(false)),
                (Presence::Zero | Presence::Required, _) => Some(Value::from(0)),
            },
        };
        match value {
            Some(value) => {
                arguments.insert(field.name.to_owned(), value);
            }
            None => complete = false,
        }
    }
    complete.then_some(())?;
    let call = Map::from_iter([(step.kind.name().to_owned(), Value::Object(arguments))]);
    match serde_json::from_value(Value::Object(call)) {
        Ok(command) => Some(command),
        Err(error) => evaluator.mistakes().add(
            format!("`{}` cannot be made of these fields: {error}", step.kind.name()),
            step.span,
            "report this: the schema of captures and the suite language disagree",
        ),
    }
}

fn plain_value(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    holds: CallValue,
    value: &PlainValue,
    what: &str,
) -> Option<Value> {
    match (holds, value) {
        (CallValue::Object(_, kind), PlainValue::Name(name)) => {
            object_named(evaluator, scope, kind, name).map(Value::from)
        }
        (CallValue::Queue, PlainValue::Number(number)) => {
            evaluator.queue(Some(number)).map(|queue| Value::from(queue.0))
        }
        (CallValue::Number32, PlainValue::Number(number)) => {
            evaluator.u32(number, what).map(Value::from)
        }
        (CallValue::Number64, PlainValue::Number(number)) => {
            evaluator.u64(number, what).map(Value::from)
        }
        (CallValue::Flag, PlainValue::Flag(setting)) => evaluator.setting(setting).map(Value::from),
        // The reader has read each field as what it holds.
        _ => None,
    }
}

/// The id of an object by its name, or a mistake that lists the objects.
fn object_named(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    kind: ObjectKind,
    name: &Name,
) -> Option<u32> {
    let (scope, mistakes) = (&scope, &mut *evaluator.mistakes());
    match kind {
        ObjectKind::Buffer => scope.buffers.get(name, mistakes).map(|(id, _)| id),
        ObjectKind::Program => scope.programs.get(name, mistakes).map(|(id, _)| id),
        ObjectKind::Kernel => scope.kernels.get(name, mistakes).map(|(id, _)| id),
        ObjectKind::CircularBuffer => scope.circular_buffers.get(name, mistakes).map(|(id, ())| id),
        ObjectKind::Semaphore => scope.semaphores.get(name, mistakes).map(|(id, _)| id),
        ObjectKind::Event => scope.events.get(name, mistakes).map(|(id, ())| id),
        ObjectKind::Trace => scope.traces.get(name, mistakes).map(|(id, ())| id),
    }
}

/// Adds an object of which later steps know only the name; gives its id and the name by which captures know
/// it. Objects of other kinds have steps of their own, which know more of them.
fn create(
    evaluator: &mut Evaluator<'_>,
    scope: &mut Scope,
    kind: ObjectKind,
    name: &Name,
) -> Option<(u32, String)> {
    match kind {
        ObjectKind::Program => {
            let facts = ProgramFacts::default();
            let id = scope.programs.add(name, facts, evaluator.mistakes());
            Some((id, scope.given(name)))
        }
        // Recording an event again makes another one of that name.
        ObjectKind::Event => {
            let id = scope.events.add_again(name, ());
            Some((id, scope.events.name(id).unwrap_or_default().to_owned()))
        }
        ObjectKind::Trace => {
            let id = scope.traces.add(name, (), evaluator.mistakes());
            Some((id, scope.given(name)))
        }
        ObjectKind::CircularBuffer => {
            let id = scope.circular_buffers.add(name, (), evaluator.mistakes());
            Some((id, scope.given(name)))
        }
        ObjectKind::Buffer | ObjectKind::Kernel | ObjectKind::Semaphore => {
            evaluator.mistakes().add(
                format!("a {kind} cannot be made by a plain step"),
                name.span,
                "report this: the call needs a step of its own",
            )
        }
    }
}
