//! Removes commands and objects.

use std::collections::BTreeSet;

use hallmark_schema::commands::Role;
use hallmark_schema::model::{Command, CommandIndex, ObjectKind, ProgramPart};

use crate::edit::{Edit, Unit};
use crate::lifetimes::{legal_cuts, members_of_traces};

/// The commands that edits remove, without those that depend on them. Adds the positions of edits whose
/// precondition does not hold to `skipped`.
pub(crate) fn removed(
    edits: &[(usize, &Edit)],
    base: &ProgramPart,
    skipped: &mut Vec<usize>,
) -> BTreeSet<CommandIndex> {
    let mut removed = BTreeSet::new();
    for &(position, edit) in edits {
        let fits = if let Edit::Cut { commands } = edit {
            cut(*commands, base, &mut removed)
        } else if let Edit::Remove(unit) = edit {
            remove(*unit, base, &mut removed)
        } else {
            continue;
        };
        if !fits {
            skipped.push(position);
        }
    }
    removed
}

fn cut(commands: u32, base: &ProgramPart, removed: &mut BTreeSet<CommandIndex>) -> bool {
    if legal_cuts(base).binary_search(&commands).is_err() {
        return false;
    }
    let count = u32::try_from(base.commands.len()).unwrap_or(u32::MAX);
    removed.extend((commands..count).map(CommandIndex));
    true
}

fn remove(unit: Unit, base: &ProgramPart, removed: &mut BTreeSet<CommandIndex>) -> bool {
    match unit {
        Unit::Command(index) => {
            let at = usize::try_from(index.0).ok();
            let Some(recorded) = at.and_then(|at| base.commands.get(at)) else { return false };
            if let Command::EndTraceCapture(call) = &recorded.command {
                return remove_object(ObjectKind::Trace, call.trace.0, base, removed);
            }
            if let Some((kind, id, _)) = recorded.command.created()
                && (kind == ObjectKind::Trace || base.placement_bound)
            {
                return remove_object(kind, id, base, removed);
            }
            let frees = matches!(recorded.command, Command::DeallocateBuffer(_));
            if frees && base.placement_bound {
                return false;
            }
            removed.insert(index);
            true
        }
        Unit::Object { kind, id } => remove_object(kind, id, base, removed),
    }
}

fn remove_object(
    kind: ObjectKind,
    id: u32,
    base: &ProgramPart,
    removed: &mut BTreeSet<CommandIndex>,
) -> bool {
    let indexed = || (0..).map(CommandIndex).zip(&base.commands);
    let refers = |command: &Command, wanted: &dyn Fn(Role) -> bool| {
        let mut refers = false;
        command.for_each_reference(|role, of, named| {
            refers |= (of, named) == (kind, id) && wanted(role);
        });
        refers
    };
    let mut makers =
        indexed().filter(|(_, recorded)| refers(&recorded.command, &|role| role == Role::Creates));
    let Some((maker, made)) = makers.next() else { return false };
    let is_a_root = matches!(made.command, Command::CreateBuffer(_));
    if is_a_root && base.placement_bound {
        // Later allocations keep their addresses, which numbers of the capture hold.
        removed.extend(indexed().filter_map(|(index, recorded)| {
            let moves = matches!(
                recorded.command,
                Command::EnqueueWriteBuffer(_) | Command::EnqueueReadBuffer(_)
            );
            (moves && refers(&recorded.command, &|role| role == Role::Uses)).then_some(index)
        }));
        return true;
    }
    removed.insert(maker);
    if kind == ObjectKind::Trace {
        let members = members_of_traces(base).into_iter();
        removed.extend(members.filter(|(_, trace)| trace.0 == id).map(|(index, _)| index));
    }
    true
}
