//! The names of a failure in a capture from which all identifying names were removed.

use std::collections::BTreeMap;

use hallmark_pipeline::signature::{Signature, SignatureWait, WaitedBuffer, WaitedObject};
use hallmark_schema::commands::Command;
use hallmark_schema::model::{Capture, CommandIndex, ObjectKind};
use hallmark_schema_editing::{CommandSource, Edit, Edited, Fill, Symbols, numbered_symbol};

use super::simplify::with;

/// Edits that remove names, sources, symbols and data; then alternatives that keep parts that the failure may
/// need: numbered symbols, data, and finally symbols with their names.
pub(super) fn edits(edits: &[Edit], edited: &Edited) -> Vec<Vec<Edit>> {
    let commands = edited.capture.program.commands.iter();
    let fills = edited.sources.iter().zip(commands).filter_map(|(source, recorded)| {
        match (source, &recorded.command) {
            (CommandSource::Command(command), Command::EnqueueWriteBuffer(_)) => {
                Some(fill(*command))
            }
            _ => None,
        }
    });
    let fills: Vec<Edit> = fills.collect();
    let none = Vec::new();
    let symbols = [Some(Symbols::Remove), Some(Symbols::Number), None];
    let all = symbols.iter().flat_map(|symbols| [(symbols, &fills), (symbols, &none)]);
    let all = all.map(|(symbols, fills)| {
        let mut added = vec![Edit::ReplaceNames, Edit::ReplaceSources];
        added.extend(symbols.map(Edit::ReplaceSymbols));
        added.extend(fills.iter().cloned());
        with(edits, &added)
    });
    all.collect()
}

const fn fill(command: CommandIndex) -> Edit {
    Edit::FillData { command, fill: Fill::Ones }
}

/// A failure with the names that objects have in another capture of the same commands, made by `edits`.
pub(super) fn renamed(
    signature: &Signature,
    before: &Capture,
    after: &Capture,
    edits: &[Edit],
) -> Signature {
    let names = Names::between(before, after);
    let symbols = edits.iter().find_map(|edit| match edit {
        Edit::ReplaceSymbols(symbols) => Some(*symbols),
        _ => None,
    });
    let symbol = |name: &Option<String>| match (symbols, name) {
        (None, name) => name.clone(),
        (Some(Symbols::Remove), _) | (_, None) => None,
        (Some(Symbols::Number), Some(name)) => numbered_symbol(before, name),
    };
    let program =
        |name: &Option<String>| name.as_ref().map(|name| names.of(ObjectKind::Program, name));
    let waited = |buffer: &WaitedBuffer| WaitedBuffer {
        index: buffer.index,
        name: buffer.name.as_ref().map(|name| names.of(ObjectKind::CircularBuffer, name)),
    };
    match signature.clone() {
        Signature::Fault { category, program: of, processor, symbol: name } => {
            let symbol = symbol(&name);
            Signature::Fault { category, program: program(&of), processor, symbol }
        }
        Signature::Hang { program: of } => Signature::Hang { program: program(&of) },
        Signature::Deadlock { waits } => {
            let waits = waits.into_iter().map(|wait| {
                let object = match &wait.object {
                    WaitedObject::CircularBufferFilled(buffer) => {
                        WaitedObject::CircularBufferFilled(waited(buffer))
                    }
                    WaitedObject::CircularBufferEmptied(buffer) => {
                        WaitedObject::CircularBufferEmptied(waited(buffer))
                    }
                    WaitedObject::Semaphore { name } => {
                        WaitedObject::Semaphore { name: names.of(ObjectKind::Semaphore, name) }
                    }
                    WaitedObject::Transfers { .. }
                    | WaitedObject::Coprocessor { .. }
                    | WaitedObject::Word
                    | WaitedObject::Nothing => wait.object.clone(),
                };
                SignatureWait { object, symbol: symbol(&wait.symbol), ..wait }
            });
            Signature::Deadlock { waits: waits.collect() }
        }
        Signature::Differs { object, shape, bytes } => {
            Signature::Differs { object: names.of(ObjectKind::Buffer, &object), shape, bytes }
        }
        other @ (Signature::Crash { .. }
        | Signature::Outcome { .. }
        | Signature::Unstable { .. }) => other,
    }
}

struct Names(BTreeMap<(ObjectKind, String), String>);

impl Names {
    fn between(before: &Capture, after: &Capture) -> Self {
        let made = |capture: &Capture| -> Vec<(ObjectKind, String)> {
            let commands = capture.program.commands.iter();
            let made = commands.filter_map(|recorded| recorded.command.created());
            made.map(|(kind, _, name)| (kind, name.to_owned())).collect()
        };
        let after = made(after).into_iter().map(|(_, name)| name);
        Self(made(before).into_iter().zip(after).collect())
    }

    fn of(&self, kind: ObjectKind, name: &str) -> String {
        self.0.get(&(kind, name.to_owned())).cloned().unwrap_or_else(|| name.to_owned())
    }
}
