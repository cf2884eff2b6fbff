//! The approximate size of an entry, at least half of its actual size. An entry too large for any journal is
//! refused before it is encoded.

use std::collections::BTreeMap;

use hallmark_chip::{Fault, SourceFrame};

use super::RecordUpdate;
use crate::commands::Command;

/// A value whose encoded size can be estimated from the lengths of its parts.
pub(crate) trait Weight {
    /// The approximate encoded size, bytes.
    fn weight(&self) -> u64;
}

impl<T: Weight> Weight for Vec<T> {
    fn weight(&self) -> u64 {
        self.iter().map(Weight::weight).fold(8, u64::saturating_add)
    }
}

/// Preprocessor definitions: tables of two texts.
impl Weight for BTreeMap<String, String> {
    fn weight(&self) -> u64 {
        let pairs = self.iter().map(|(name, value)| table(2) + text(name) + text(value));
        pairs.fold(8, u64::saturating_add)
    }
}

/// Named compile-time arguments: tables of a text and a number.
impl Weight for BTreeMap<String, u32> {
    fn weight(&self) -> u64 {
        let pairs = self.keys().map(|name| table(2) + text(name));
        pairs.fold(8, u64::saturating_add)
    }
}

/// A struct, or a union of a small table.
pub(crate) const INLINE: u64 = 32;

/// A table and the offset to it, without the fields' out-of-line values.
pub(crate) const fn table(fields: u64) -> u64 {
    8 + 4 * fields
}

/// A text, with its length and its terminator.
pub(crate) const fn text(text: &str) -> u64 {
    8 + text.len() as u64
}

/// Values of fixed size, with their count.
pub(crate) const fn vector<T>(items: &[T]) -> u64 {
    8 + size_of_val(items) as u64
}

pub(super) const fn bytes(content: &[u8]) -> u64 {
    content.len() as u64
}

fn sum(parts: impl IntoIterator<Item = usize>) -> u64 {
    parts.into_iter().fold(0, |sum, part| sum.saturating_add(part as u64))
}

/// A command with everything in it.
pub(super) fn command(command: &Command) -> u64 {
    command.as_call().weight()
}

fn frames(frames: &[SourceFrame]) -> usize {
    let sizes = frames.iter().map(|frame| frame.function.len().saturating_add(frame.file.len()));
    sizes.fold(0, |sum, size| sum.saturating_add(size).saturating_add(32))
}

pub(super) fn update(update: &RecordUpdate) -> u64 {
    let faults = update.faults.iter().flat_map(|record| {
        let Fault { reason, place, against, .. } = record.fault();
        let parties = place.iter().chain(against).map(AsRef::as_ref);
        let frames = parties.map(|place| frames(&place.frames)).fold(0, usize::saturating_add);
        [reason.len(), frames, 128]
    });
    let waits = update.waits.iter().flat_map(|wait| [frames(&wait.frames), 64]);
    let line_tables = update.elfs.iter().map(|elf| elf.lines.len());
    let lists = [
        update.addresses.len().saturating_mul(32),
        update.elfs.len().saturating_mul(64),
        update.collected.len().saturating_mul(48),
    ];
    sum(lists.into_iter().chain(faults).chain(waits).chain(line_tables))
}
