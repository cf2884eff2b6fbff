//! Differences between two program parts: commands are paired by call and object, then compared by field.

use std::collections::HashMap;

use hallmark_chip::sabotage::is_switched_off;
use serde_json::Value;

use super::align::align;
use super::values::{Walk, compare_table};
use super::{DIFF, Difference, DifferencePlace, class_of};
use crate::class::TableSchema;
use crate::commands;
use crate::model::{
    Command, CommandIndex, FailureCode, FieldValue, FreeTensor, ObjectKind, Outcome, ProgramPart,
    RecordedCommand, TensorRole,
};
use crate::names::Names;

/// The id in the second program of each object of the first, derived from the commands that made them.
pub(super) type Objects = HashMap<(ObjectKind, u32), u32>;

pub(super) fn compare(first: &ProgramPart, second: &ProgramPart, found: &mut Vec<Difference>) {
    let names = (Names::of(first), Names::of(second));
    let keys = (keys(first, &names.0), keys(second, &names.1));
    let pairs = align(&keys.0, &keys.1);
    let objects = objects(first, second, &pairs);
    let same_ids = objects.iter().all(|((_, first), second)| first == second);
    let walk =
        Walk { place: DifferencePlace::Program, names: (&names.0, &names.1), objects: &objects };
    free_tensors(first, second, &walk, found);
    for (at_first, at_second) in pairs {
        let one = at_first.and_then(|at| first.commands.get(at));
        let other = at_second.and_then(|at| second.commands.get(at));
        if (same_ids || is_switched_off(DIFF, "IdOfAnotherObject")) && one == other {
            continue;
        }
        let Some((shown, from)) =
            one.map(|one| (one, &names.0)).or_else(|| other.map(|other| (other, &names.1)))
        else {
            continue;
        };
        let index = |at: Option<usize>| at.and_then(|at| u32::try_from(at).ok()).map(CommandIndex);
        let place = DifferencePlace::Command {
            first: index(at_first),
            second: index(at_second),
            kind: shown.command.kind(),
            subject: subject(&shown.command, from),
        };
        match (one, other) {
            (Some(one), Some(other)) => {
                let walk = Walk { place, names: (&names.0, &names.1), objects: &objects };
                compare_commands(one, other, &walk, found);
            }
            (None, _) if is_switched_off(DIFF, "CommandOfSecond") => {}
            (one, other) => {
                let there = |made: &RecordedCommand| made.command.kind().name().to_owned();
                found.push(Difference {
                    place,
                    field: String::new(),
                    class: class_of("Program", "commands"),
                    first: one.map(there),
                    second: other.map(there),
                });
            }
        }
    }
}

/// Compares inputs and outputs by position, because a submission passes tensors by position.
fn free_tensors(
    first: &ProgramPart,
    second: &ProgramPart,
    walk: &Walk<'_>,
    found: &mut Vec<Difference>,
) {
    let Some(table) = TableSchema::named("FreeTensor") else { return };
    for role in [TensorRole::Input, TensorRole::Output] {
        let of = |program: &ProgramPart| -> Vec<FreeTensor> {
            let tensors = program.free_tensors.iter();
            tensors.filter(|tensor| tensor.role == role).cloned().collect()
        };
        let (one, other) = (of(first), of(second));
        for place in 0..one.len().max(other.len()) {
            let called = format!("{} {place}", role.name());
            let value = |tensor| serde_json::to_value(tensor).unwrap_or_default();
            match (one.get(place), other.get(place)) {
                (Some(one), Some(other)) => {
                    let prefix = format!("{called}.");
                    compare_table(table, &value(one), &value(other), &prefix, walk, found);
                }
                (None, _) if is_switched_off(DIFF, "TensorOfSecond") => {}
                (one, other) => {
                    let name = |tensor: Option<&FreeTensor>| {
                        tensor.map(|tensor| format!("`{}`", tensor.name))
                    };
                    found.push(Difference {
                        place: walk.place.clone(),
                        field: called,
                        class: class_of("Program", "free_tensors"),
                        first: name(one),
                        second: name(other),
                    });
                }
            }
        }
    }
}

/// A key for each command by which two programs' commands are paired: the call, and the object's name.
fn keys(program: &ProgramPart, names: &Names<'_>) -> Vec<String> {
    let key = |recorded: &RecordedCommand| {
        let command = &recorded.command;
        let about = match command {
            // A read is keyed by its output. An unnamed object is keyed by its id, the number of earlier
            // objects of its kind.
            Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { output, .. }) => {
                output.clone()
            }
            _ => names.subject(command),
        };
        format!("{} {about}", command.kind().name())
    };
    program.commands.iter().map(key).collect()
}

fn objects(
    first: &ProgramPart,
    second: &ProgramPart,
    pairs: &[(Option<usize>, Option<usize>)],
) -> Objects {
    let made = |program: &ProgramPart, at: Option<usize>| {
        let (kind, id, _) = program.commands.get(at?)?.command.created()?;
        Some((kind, id))
    };
    let both = |(one, other): &(Option<usize>, Option<usize>)| {
        let ((kind, id), (_, second)) = (made(first, *one)?, made(second, *other)?);
        Some(((kind, id), second))
    };
    pairs.iter().filter_map(both).collect()
}

fn subject(command: &Command, names: &Names<'_>) -> String {
    let Some((kind, id)) = command.subject() else { return String::new() };
    let name = names.get(kind, id);
    let known = name.map_or_else(|| format!("{kind} {id}"), |name| format!("`{name}` (id {id})"));
    match command {
        Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { output: name, .. })
        | Command::CollectTrace(commands::CollectTrace { collected: name, .. }) => {
            format!("{known} as `{name}`")
        }
        _ => known,
    }
}

fn compare_commands(
    first: &RecordedCommand,
    second: &RecordedCommand,
    walk: &Walk<'_>,
    found: &mut Vec<Difference>,
) {
    let table = TableSchema::named(first.command.kind().table_name());
    if let Some(table) = table {
        let fields = |command: &Command| {
            let value = serde_json::to_value(command).unwrap_or_default();
            value.get(command.kind().name()).cloned().unwrap_or(Value::Null)
        };
        compare_table(table, &fields(&first.command), &fields(&second.command), "", walk, found);
    }
    outcome(&first.outcome, &second.outcome, walk, found);
}

fn outcome(first: &Outcome, second: &Outcome, walk: &Walk<'_>, found: &mut Vec<Difference>) {
    let mut note = |field: String, name: &str, first: String, second: String| {
        if first != second {
            found.push(Difference {
                place: walk.place.clone(),
                field,
                class: class_of("RecordedCommand", name),
                first: Some(first),
                second: Some(second),
            });
        }
    };
    let text = |outcome: &Outcome| match outcome {
        Outcome::Done => "done".to_owned(),
        Outcome::Failed(failure) => format!("failed with {}", failure.code().name()),
        Outcome::Unfinished => "unfinished".to_owned(),
    };
    note("outcome".to_owned(), "outcome", text(first), text(second));
    if let (Outcome::Failed(first), Outcome::Failed(second)) = (first, second)
        && first.code() == second.code()
    {
        let code: FailureCode = first.code();
        for ((name, first), (_, second)) in first.texts().into_iter().zip(second.texts()) {
            note(format!("{} {}", code.name(), name.name()), "failure", first, second);
        }
    }
}

/// The kind of object whose id a failure or a field with this name holds.
pub(super) fn object_kind(field: &str) -> Option<ObjectKind> {
    // The parent of a view is a buffer.
    if field == "parent" {
        return Some(ObjectKind::Buffer);
    }
    ObjectKind::ALL.into_iter().find(|kind| kind.to_text() == field)
}
