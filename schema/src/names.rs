//! The names of objects.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Command, ObjectKind, ProgramPart};

/// The names that a program gives its objects.
#[derive(Debug, Default)]
pub struct Names<'p> {
    names: BTreeMap<(ObjectKind, u32), &'p str>,
    /// Names that several objects of the same kind have.
    shared: BTreeSet<(ObjectKind, &'p str)>,
}

impl<'p> Names<'p> {
    /// The names in a program.
    pub fn of(program: &'p ProgramPart) -> Self {
        let mut names = Self::default();
        let mut seen = BTreeSet::new();
        for (kind, id, name) in program.commands.iter().filter_map(|made| made.command.created()) {
            names.names.insert((kind, id), name);
            if !seen.insert((kind, name)) {
                names.shared.insert((kind, name));
            }
        }
        names
    }

    /// The object's name, if it has one.
    pub(crate) fn get(&self, kind: ObjectKind, id: u32) -> Option<&'p str> {
        self.names.get(&(kind, id)).copied().filter(|name| !name.is_empty())
    }

    /// The object's kind and name, or its kind and id; all three if the name is ambiguous.
    pub fn title(&self, kind: ObjectKind, id: u32) -> String {
        match self.get(kind, id) {
            None => format!("{kind} {id}"),
            Some(name) if self.shared.contains(&(kind, name)) => {
                format!("{kind} `{name}` (id {id})")
            }
            Some(name) => format!("{kind} `{name}`"),
        }
    }

    /// The subject of a command.
    pub fn subject(&self, command: &Command) -> String {
        command.subject().map_or_else(String::new, |(kind, id)| self.show(kind, id))
    }

    /// The object's name, or its kind and id; both if the name is ambiguous.
    pub fn show(&self, kind: ObjectKind, id: u32) -> String {
        match self.get(kind, id) {
            None => format!("{kind} {id}"),
            Some(name) if self.shared.contains(&(kind, name)) => format!("{name} (id {id})"),
            Some(name) => name.to_owned(),
        }
    }
}
