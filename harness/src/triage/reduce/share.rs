//! A failure by other names: those that a capture has once nothing in it says where it comes from.

use std::collections::BTreeMap;

use hallmark_schema::commands::Command;
use hallmark_schema::model::{Capture, CommandIndex, ObjectKind};
use hallmark_schema_editing::{CommandSource, Edit, Edited, Fill};

use super::simplify::with;
use crate::triage::signature::{Signature, SignatureWait, WaitedBuffer, WaitedObject};

/// The edits that leave names, sources and data out, and then those that leave data in.
pub(super) fn edits(edits: &[Edit], edited: &Edited) -> [Vec<Edit>; 2] {
    let nameless = [Edit::ReplaceNames, Edit::ReplaceSources];
    let commands = edited.capture.program.commands.iter();
    let fills = edited.sources.iter().zip(commands).filter_map(|(source, recorded)| {
        match (source, &recorded.command) {
            (CommandSource::Command(command), Command::EnqueueWriteBuffer(_)) => {
                Some(fill(*command))
            }
            _ => None,
        }
    });
    let all: Vec<Edit> = nameless.iter().cloned().chain(fills).collect();
    [with(edits, &all), with(edits, &nameless)]
}

const fn fill(command: CommandIndex) -> Edit {
    Edit::FillData { command, fill: Fill::Ones }
}

/// A failure by the names that objects have in another capture of the same commands.
pub(super) fn renamed(signature: &Signature, before: &Capture, after: &Capture) -> Signature {
    let names = Names::between(before, after);
    let program =
        |name: &Option<String>| name.as_ref().map(|name| names.of(ObjectKind::Program, name));
    let waited = |buffer: &WaitedBuffer| WaitedBuffer {
        index: buffer.index,
        name: buffer.name.as_ref().map(|name| names.of(ObjectKind::CircularBuffer, name)),
    };
    match signature.clone() {
        Signature::Fault { category, program: of, processor, symbol } => {
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
                    WaitedObject::Transfers { .. } | WaitedObject::Word | WaitedObject::Nothing => {
                        wait.object.clone()
                    }
                };
                SignatureWait { object, ..wait }
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
