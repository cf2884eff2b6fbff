//! The data that names stand for, as far as it is known before the run.

use std::collections::BTreeMap;

use super::data::BoundData;

/// The meaning of a name of data from a command on.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// These bytes.
    Data(BoundData),
    /// Bytes that are not known before the run.
    Unknown,
    /// Bytes that would be known but for a mistake, which is noted.
    Mistaken,
}

/// Data by name: a name that a step gave the data, or the buffer that it was written to.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownData {
    /// With the command that wrote it, in their order.
    written: BTreeMap<String, Vec<(u32, Meaning)>>,
}

impl KnownData {
    /// Notes the data that a command wrote; nothing where a mistake keeps it from being known.
    pub(super) fn insert(&mut self, name: String, command: u32, known: Option<BoundData>) {
        let meaning = known.map_or(Meaning::Mistaken, Meaning::Data);
        self.written.entry(name).or_default().push((command, meaning));
    }

    /// From this command on, the bytes of the name are not known before the run.
    pub(super) fn forget(&mut self, name: &str, command: u32) {
        if let Some(written) = self.written.get_mut(name) {
            written.push((command, Meaning::Unknown));
        }
    }

    /// Whether a step gave data this name, known or not.
    pub(super) fn is_named(&self, name: &str) -> bool {
        self.is_named_before(name, None)
    }

    fn is_named_before(&self, name: &str, before: Option<u32>) -> bool {
        !matches!(self.meaning(name, before), None | Some(Meaning::Unknown))
    }

    /// The meaning of a name before a command, or after all of them.
    pub(super) fn meaning(&self, name: &str, before: Option<u32>) -> Option<&Meaning> {
        let all = self.written.get(name)?;
        let seen = match before {
            Some(command) => all.partition_point(|(written, _)| *written < command),
            None => all.len(),
        };
        all.get(seen.checked_sub(1)?).map(|(_, meaning)| meaning)
    }

    /// The names of data that is known before a command, or after all of them.
    pub(super) fn names(&self, before: Option<u32>) -> impl Iterator<Item = &str> {
        let names = self.written.keys().map(String::as_str);
        names.filter(move |name| self.is_named_before(name, before))
    }
}
