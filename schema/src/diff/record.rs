//! Differences between two record parts. Entries that belong to an object or a read are paired by it; all
//! others are paired by position.

use serde_json::Value;

use super::commands::Objects;
use super::values::{Walk, compare_table, text};
use super::{Difference, DifferencePlace, class_of};
use crate::class::TableSchema;
use crate::commands;
use crate::dump::bound_word;
use crate::model::{
    Capture, CircularBufferId, Command, CommandIndex, ContentHash, GeneratedBindings, KernelElf,
    ObjectKind, Origin, Printed, ProgramPart, Record,
};
use crate::names::Names;
use crate::plural::counted;

/// Entries, each with a text that identifies it.
type Keyed = Vec<(String, Value)>;

pub(super) fn compare(first: &Capture, second: &Capture, found: &mut Vec<Difference>) {
    let (one, other) = match (&first.record, &second.record) {
        (None, None) => return,
        (Some(one), Some(other)) => (one, other),
        (one, other) => {
            let there = |record: &Option<Record>| record.as_ref().map(|_| "a record".to_owned());
            found.push(Difference {
                place: DifferencePlace::Record,
                field: String::new(),
                class: class_of("Capture", "record"),
                first: there(one),
                second: there(other),
            });
            return;
        }
    };
    if one == other {
        return;
    }
    let names = (Names::of(&first.program), Names::of(&second.program));
    let objects = Objects::new();
    let place = DifferencePlace::Record;
    let walk = Walk { place, names: (&names.0, &names.1), objects: &objects };
    header(one, other, &walk, found);

    let address = |record: &Record, names: &Names<'_>| -> Keyed {
        let place = |assigned: &crate::model::AssignedAddress| {
            let name = names.show(assigned.object, assigned.id);
            (format!("{name} is at"), Value::String(format!("{:#x}", assigned.address)))
        };
        record.addresses.iter().map(place).collect()
    };
    let pair = (address(one, &names.0), address(other, &names.1));
    by_key(pair, ("AssignedAddress", "address"), &walk, found);

    let build = |elf: &KernelElf, names: &Names<'_>| {
        let name = names.show(ObjectKind::Kernel, elf.kernel.0);
        let on = hallmark_chip::Processor::ALL.get(usize::from(elf.processor));
        format!("{name} on {}", on.map(ToString::to_string).unwrap_or_default())
    };
    let elf = |record: &Record, names: &Names<'_>| -> Keyed {
        let place = |elf: &KernelElf| {
            (format!("ELF of {}", build(elf, names)), Value::String(elf.hash.to_string()))
        };
        record.elfs.iter().map(place).collect()
    };
    let pair = (elf(one, &names.0), elf(other, &names.1));
    by_key(pair, ("KernelElf", "hash"), &walk, found);

    let lines = |record: &Record, names: &Names<'_>| -> Keyed {
        let known = record.elfs.iter().filter(|elf| !elf.lines.is_empty());
        let place = |elf: &KernelElf| {
            let text = format!("{} B, {}", elf.lines.len(), ContentHash::of(&elf.lines));
            (format!("line table of {}", build(elf, names)), Value::String(text))
        };
        known.map(place).collect()
    };
    let pair = (lines(one, &names.0), lines(other, &names.1));
    by_key(pair, ("KernelElf", "lines"), &walk, found);

    let read = |capture: &Capture, record: &Record| -> Keyed {
        let place = |read: &crate::model::ReadResult| {
            let name = output(capture, read.command);
            let text = format!("{} B, {}", read.length, read.hash);
            (format!("read of `{name}` returned"), Value::String(text))
        };
        record.reads.iter().map(place).collect()
    };
    let pair = (read(first, one), read(second, other));
    by_key(pair, ("ReadResult", "hash"), &walk, found);

    let collected = |capture: &Capture, record: &Record| -> Keyed {
        let place = |bytes: &crate::model::CollectedBytes| {
            let name = collected(capture, bytes.command);
            (format!("trace collected as `{name}`"), Value::String(bytes.hash.to_string()))
        };
        record.collected.iter().map(place).collect()
    };
    let pair = (collected(first, one), collected(second, other));
    by_key(pair, ("CollectedBytes", "hash"), &walk, found);

    let expected = |record: &Record| -> Keyed {
        let faults = record.expected_faults.iter();
        faults
            .map(|fault| (format!("failure of command {}", fault.command), "expected".into()))
            .collect()
    };
    by_key((expected(one), expected(other)), ("ExpectedFault", "command"), &walk, found);

    let end = |record: &Record| -> Keyed {
        let end = record.at_end.iter();
        end.map(|end| {
            let expected = if end.expected { ", as expected" } else { "" };
            let text = format!("{}{expected}", end.outcome);
            ("the queues at the end".to_owned(), Value::String(text))
        })
        .collect()
    };
    by_key((end(one), end(other)), ("Record", "at_end"), &walk, found);

    let printed = |record: &Record| -> Keyed { record.printed.iter().map(printed_text).collect() };
    by_key((printed(one), printed(other)), ("PrintedText", "text"), &walk, found);

    for (field, list) in ORIGIN_LISTS {
        let of = |capture: &Capture, record: &Record, names: &Names<'_>| -> Keyed {
            let origin = record.origin.as_ref();
            origin.map(|origin| list(origin, names, &capture.program)).unwrap_or_default()
        };
        let pair = (of(first, one, &names.0), of(second, other, &names.1));
        by_key(pair, ("Origin", field), &walk, found);
    }

    let list = |list: Result<Value, serde_json::Error>| match list {
        Ok(Value::Array(list)) => list,
        _ => Vec::new(),
    };
    let faults =
        (list(serde_json::to_value(&one.faults)), list(serde_json::to_value(&other.faults)));
    by_position(faults, "FaultRecord", "fault", &walk, found);
    let waits = (list(serde_json::to_value(&one.waits)), list(serde_json::to_value(&other.waits)));
    by_position(waits, "WaitRecord", "wait", &walk, found);
}

/// Makes the entries of one list of an origin.
type OriginList = fn(&Origin, &Names<'_>, &ProgramPart) -> Keyed;

/// The lists of an origin: the field's name, and its entries with their identifying texts.
const ORIGIN_LISTS: &[(&str, OriginList)] = &[
    ("missing", |origin, _, _| {
        origin.missing.iter().map(|what| (format!("missing: {what}"), "said".into())).collect()
    }),
    ("placement_bound_words", |origin, names, program| {
        let words = origin.placement_bound_words.iter();
        words.map(|word| (bound_word(word, program, names), "placement-bound".into())).collect()
    }),
    ("generated_bindings", |origin, names, _| {
        let text = |bindings: &GeneratedBindings| {
            let kernel = names.show(ObjectKind::Kernel, bindings.kernel.0);
            (format!("generated bindings of {kernel}"), bindings.original.clone().into())
        };
        origin.generated_bindings.iter().map(text).collect()
    }),
    ("dataflow_buffers", |origin, names, _| {
        let text = |buffer: &CircularBufferId| {
            let buffer = names.show(ObjectKind::CircularBuffer, buffer.0);
            (format!("kind of {buffer}"), "dataflow buffer".into())
        };
        origin.dataflow_buffers.iter().map(text).collect()
    }),
];

/// A text that a processor printed: itself if it is short, else its size and hash.
fn printed_text(printed: &Printed) -> (String, Value) {
    const SHORT: usize = 80;
    let Printed { launch, core, processor, text, dropped } = printed;
    let launch = launch.map_or_else(String::new, |launch| format!(" for command {launch}"));
    let mut value = if text.len() <= SHORT {
        text.clone()
    } else {
        let lines = counted(text.lines().count(), "line", "lines");
        format!("{lines}, {}", ContentHash::of(text.as_bytes()))
    };
    if *dropped > 0 {
        value.push_str(&format!(", then {} dropped", counted(*dropped, "line", "lines")));
    }
    (format!("printed by {core} {processor}{launch}"), Value::String(value))
}

fn output(capture: &Capture, command: CommandIndex) -> String {
    let index = usize::try_from(command.0).unwrap_or(usize::MAX);
    match capture.program.commands.get(index).map(|made| &made.command) {
        Some(Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { output, .. })) => {
            output.clone()
        }
        _ => format!("command {command}"),
    }
}

fn collected(capture: &Capture, command: CommandIndex) -> String {
    let index = usize::try_from(command.0).unwrap_or(usize::MAX);
    match capture.program.commands.get(index).map(|made| &made.command) {
        Some(Command::CollectTrace(commands::CollectTrace { collected, .. })) => collected.clone(),
        _ => format!("command {command}"),
    }
}

/// Compares the fields that a record has once.
fn header(one: &Record, other: &Record, walk: &Walk<'_>, found: &mut Vec<Difference>) {
    let value = |record: &Record| {
        let mut map = serde_json::Map::new();
        map.insert("writer".to_owned(), Value::String(record.writer.clone()));
        map.insert("schema_hash".to_owned(), Value::String(record.schema_hash.to_string()));
        map.insert("chip".to_owned(), serde_json::to_value(&record.chip).unwrap_or_default());
        let firmware = serde_json::to_value(&record.firmware).unwrap_or_default();
        map.insert("firmware".to_owned(), firmware);
        let dispatch = serde_json::to_value(record.dispatch_mode).unwrap_or_default();
        map.insert("dispatch_mode".to_owned(), dispatch);
        if !record.asked.is_none() {
            map.insert("asked".to_owned(), serde_json::to_value(record.asked).unwrap_or_default());
        }
        if !record.checks.is_empty() {
            let checks = serde_json::to_value(&record.checks).unwrap_or_default();
            map.insert("checks".to_owned(), checks);
        }
        let order = serde_json::to_value(record.l1_bank_order).unwrap_or_default();
        map.insert("l1_bank_order".to_owned(), order);
        if let Some(origin) = &record.origin {
            let executor = serde_json::to_value(&origin.executor).unwrap_or_default();
            let relocations = serde_json::to_value(origin.relocations).unwrap_or_default();
            let origin = serde_json::json!({ "executor": executor, "relocations": relocations });
            map.insert("origin".to_owned(), origin);
        }
        Value::Object(map)
    };
    if let Some(table) = TableSchema::named("Record") {
        compare_table(table, &value(one), &value(other), "", walk, found);
    }
}

/// Compares two lists whose entries have identifying texts.
fn by_key(
    (one, other): (Keyed, Keyed),
    (table, field): (&str, &str),
    walk: &Walk<'_>,
    found: &mut Vec<Difference>,
) {
    let class = class_of(table, field);
    let of = |list: &[(String, Value)]| -> std::collections::HashMap<String, Value> {
        list.iter().cloned().collect()
    };
    let maps = (of(&one), of(&other));
    let only_second = other.iter().filter(|(key, _)| !maps.0.contains_key(key));
    for (key, _) in one.iter().chain(only_second) {
        let (before, after) = (maps.0.get(key), maps.1.get(key));
        if before != after {
            found.push(Difference {
                place: walk.place.clone(),
                field: key.clone(),
                class,
                first: before.and_then(text),
                second: after.and_then(text),
            });
        }
    }
}

fn by_position(
    (one, other): (Vec<Value>, Vec<Value>),
    table: &str,
    name: &str,
    walk: &Walk<'_>,
    found: &mut Vec<Difference>,
) {
    let Some(table) = TableSchema::named(table) else { return };
    for at in 0..one.len().max(other.len()) {
        match (one.get(at), other.get(at)) {
            (Some(one), Some(other)) => {
                compare_table(table, one, other, &format!("{name} {at}, "), walk, found);
            }
            (one, other) => {
                let there = |entry: Option<&Value>| entry.map(|_| "there".to_owned());
                found.push(Difference {
                    place: walk.place.clone(),
                    field: format!("{name} {at}"),
                    class: table
                        .fields
                        .first()
                        .map_or_else(|| class_of("Capture", "record"), |field| field.class),
                    first: there(one),
                    second: there(other),
                });
            }
        }
    }
}
