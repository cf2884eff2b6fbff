//! The lowest minor version of the format that holds a part, and copies of a part for readers of an older one.
//!
//! The FlatBuffer tables are walked by the schema's own description of them, so that a new field, command or
//! value is respected as soon as its attribute in `schema/fbs` states its version. The walked bytes have been
//! verified or were written by this crate; in any other bytes, a value out of bounds counts as absent.

use std::rc::Rc;

use crate::class::{FieldSchema, FormatSchema, Holds, Introduced, TableSchema};
use crate::error::{CaptureError, ErrorLocation, Part, Path, Problem, Version};

/// The minor version that a part needs, and the item that needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Latest {
    /// The lowest minor version that holds the part.
    pub(crate) minor: u16,
    /// The place and name of the first item of that version; `None` for minor version 0.
    pub(crate) cause: Option<(ErrorLocation, String)>,
}

/// The lowest minor version that holds a part.
pub(crate) fn lowest(format: &FormatSchema, part: Part, bytes: &[u8]) -> Latest {
    let mut walk = Walk::new(format, bytes, u16::MAX);
    walk.part(part);
    walk.latest
}

/// A part for readers of a minor version: unchanged if that version holds it, and otherwise without the later
/// droppable fields. Such a copy is well-formed but not canonical: it keeps unreferenced bytes.
///
/// # Errors
/// [`Problem::NotInOlderFormat`] names the item that cannot be left out.
pub(crate) fn for_minor(
    format: &FormatSchema,
    part: Part,
    bytes: Vec<u8>,
    minor: u16,
) -> Result<ForMinor, CaptureError> {
    let mut walk = Walk::new(format, &bytes, minor);
    walk.part(part);
    let Walk { latest, drops, .. } = walk;
    if latest.minor > minor
        && let Some((place, what)) = latest.cause
    {
        let of = |minor| Version { minor, ..crate::VERSION };
        let problem =
            Problem::NotInOlderFormat { what, since: of(latest.minor), wanted: of(minor) };
        return Err(CaptureError { place, problem });
    }
    if drops.is_empty() {
        return Ok(ForMinor::AsItIs(bytes));
    }
    let reason = "its tables lie too far apart for a copy in an older format";
    let problem = || Problem::Malformed { reason: reason.to_owned() };
    let reduced = without(&bytes, &drops).ok_or_else(|| Path::root(part).error(problem()))?;
    Ok(ForMinor::Reduced(reduced))
}

/// A part for readers of a minor version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ForMinor {
    /// The unchanged part, which such readers understand.
    AsItIs(Vec<u8>),
    /// The part without the later droppable fields.
    Reduced(Vec<u8>),
}

/// Refuses a part that needs a later version than its file states.
pub(crate) fn check_stamp(stamp: Version, part: Part, bytes: &[u8]) -> Result<(), CaptureError> {
    check_stamp_by(&crate::class::FORMAT, stamp, part, bytes)
}

fn check_stamp_by(
    format: &FormatSchema,
    stamp: Version,
    part: Part,
    bytes: &[u8],
) -> Result<(), CaptureError> {
    let Latest { minor, cause } = lowest(format, part, bytes);
    match cause {
        Some((place, what)) if minor > stamp.minor => {
            let since = Version { minor, ..stamp };
            CaptureError { place, problem: Problem::StampTooLow { stamp, what, since } }.refuse()
        }
        _ => Ok(()),
    }
}

/// The deepest nesting of tables; the verifier refuses deeper ones.
const DEPTH: usize = 16;

/// A dropped field: the position of its table, and its id.
type Drop = (usize, u16);

struct Walk<'a> {
    format: &'a FormatSchema,
    bytes: &'a [u8],
    /// The minor version of the copy: later droppable fields are left out.
    limit: u16,
    latest: Latest,
    drops: Vec<Drop>,
    /// By table: the fields that are of a later version, or may hold something that is; found out when a table is first met.
    fields: Vec<Option<Rc<[&'a FieldSchema]>>>,
}

impl<'a> Walk<'a> {
    fn new(format: &'a FormatSchema, bytes: &'a [u8], limit: u16) -> Self {
        let latest = Latest { minor: 0, cause: None };
        let fields = vec![None; format.tables.len()];
        Self { format, bytes, limit, latest, drops: Vec::new(), fields }
    }

    fn part(&mut self, part: Part) {
        let root = match part {
            Part::Container => "Capture",
            Part::Program => "Program",
            Part::Record => "Record",
            Part::Journal => "JournalEntry",
        };
        let place = self.format.tables.iter().position(|table| table.name == root);
        if let (Some(place), Some(start)) = (place, follow(self.bytes, 0)) {
            self.table(place, start, &Path::root(part), DEPTH);
        }
    }

    fn note(&mut self, minor: u16, path: &Path<'_>, what: impl FnOnce() -> String) {
        if minor > self.latest.minor {
            self.latest = Latest { minor, cause: Some((path.place(), what())) };
        }
    }

    fn newest_of(&self, holds: Holds) -> u16 {
        let newest = match holds {
            Holds::Plain => None,
            Holds::Table(place) => self.format.tables.get(place).map(|table| table.newest),
            Holds::Union(place) => self.format.unions.get(place).map(|union| union.newest),
            Holds::Enumeration(place) => return self.newest_value(place),
            Holds::Struct(place) => {
                let found = self.format.structs.get(place);
                let enumerations = found.map_or(&[][..], |found| found.enumerations);
                enumerations.iter().map(|(place, _)| self.newest_value(*place)).max()
            }
        };
        newest.unwrap_or(0)
    }

    fn newest_value(&self, enumeration: usize) -> u16 {
        let found = self.format.enumerations.get(enumeration);
        let later = found.map_or(&[][..], |found| found.later);
        later.iter().map(|value| value.since).max().unwrap_or(0)
    }

    /// The fields of a table that need a look.
    fn fields(&mut self, place: usize, table: &'a TableSchema) -> Rc<[&'a FieldSchema]> {
        if let Some(Some(known)) = self.fields.get(place) {
            return Rc::clone(known);
        }
        let needs_look = |field: &&FieldSchema| {
            field.introduced != Introduced::FirstRelease || self.newest_of(field.holds) > 0
        };
        let found: Rc<[_]> = table.fields.iter().filter(needs_look).collect();
        if let Some(slot) = self.fields.get_mut(place) {
            *slot = Some(Rc::clone(&found));
        }
        found
    }

    fn table(&mut self, place: usize, start: usize, path: &Path<'_>, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let Some(table) = self.format.tables.get(place) else { return };
        self.note(table.since, path, || table.name.to_owned());
        if table.newest == 0 {
            return;
        }
        let Some(slots) = Slots::of(self.bytes, start) else { return };
        for field in &*self.fields(place, table) {
            let introduced = field.introduced;
            let Some(at) = slots.value(self.bytes, field.id) else { continue };
            let path = path.field(field.name);
            if matches!(introduced, Introduced::Droppable(minor) if minor > self.limit) {
                self.drops.push((start, field.id));
                continue;
            }
            self.note(introduced.minor(), &path, || format!("{}.{}", table.name, field.name));
            // The number of a union's member is a separate field.
            let member = field.id.checked_sub(1).and_then(|id| slots.value(self.bytes, id));
            if field.vector {
                self.vector(field.holds, at, &path, depth);
            } else {
                self.value(field.holds, at, member, &path, depth);
            }
        }
    }

    fn vector(&mut self, holds: Holds, at: usize, path: &Path<'_>, depth: usize) {
        let bytes = self.bytes;
        let Some(start) = follow(bytes, at) else { return };
        let Some(count) = u32_at(bytes, start) else { return };
        let width = match holds {
            Holds::Plain | Holds::Union(_) => return,
            Holds::Table(_) => 4,
            Holds::Enumeration(place) => {
                self.format.enumerations.get(place).map_or(0, |found| found.bytes)
            }
            Holds::Struct(place) => self.format.structs.get(place).map_or(0, |found| found.bytes),
        };
        let elements = (start.saturating_add(4)..bytes.len()).step_by(width.max(1));
        for (index, at) in (0..count).zip(elements) {
            let index = usize::try_from(index).unwrap_or(usize::MAX);
            self.value(holds, at, None, &path.index(index), depth);
        }
    }

    /// Walks the value at `at`, which is inline or an offset.
    fn value(
        &mut self,
        holds: Holds,
        at: usize,
        member: Option<usize>,
        path: &Path<'_>,
        depth: usize,
    ) {
        let (format, bytes) = (self.format, self.bytes);
        match holds {
            Holds::Plain => {}
            Holds::Table(place) => {
                if let Some(start) = follow(bytes, at) {
                    self.table(place, start, path, depth);
                }
            }
            Holds::Union(place) => {
                let number = member.and_then(|at| bytes.get(at)).copied().unwrap_or_default();
                let index = usize::from(number).checked_sub(1);
                let union = format.unions.get(place);
                let table = union.and_then(|union| union.tables.get(index?)).copied();
                if let (Some(table), Some(start)) = (table, follow(bytes, at)) {
                    self.table(table, start, path, depth);
                }
            }
            Holds::Enumeration(place) => self.number(place, at, path),
            Holds::Struct(place) => {
                let found = format.structs.get(place);
                for (place, offset) in found.map_or(&[][..], |found| found.enumerations) {
                    self.number(*place, at.saturating_add(*offset), path);
                }
            }
        }
    }

    /// Walks the value of an enum.
    fn number(&mut self, enumeration: usize, at: usize, path: &Path<'_>) {
        let Some(found) = self.format.enumerations.get(enumeration) else { return };
        let number = match found.bytes {
            1 => self.bytes.get(at).copied().map(u16::from),
            _ => u16_at(self.bytes, at),
        };
        if let Some(later) = found.later.iter().find(|value| Some(value.number) == number) {
            self.note(later.since, path, || format!("{}.{}", found.name, later.name));
        }
    }
}

/// A copy of a FlatBuffer without some fields. Tables share field indices (vtables), so a table that loses a
/// field gets a new one at the end of the buffer.
fn without(bytes: &[u8], drops: &[Drop]) -> Option<Vec<u8>> {
    let mut copy = bytes.to_vec();
    for of_one_table in drops.chunk_by(|one, other| one.0 == other.0) {
        let (table, _) = *of_one_table.first()?;
        let (index, slots) = field_index(&copy, table)?;
        let mut kept: Vec<u16> = (0..slots)
            .map(|id| u16_at(&copy, index.checked_add(4)?.checked_add(id.checked_mul(2)?)?))
            .collect::<Option<_>>()?;
        for (_, id) in of_one_table {
            if let Some(offset) = kept.get_mut(usize::from(*id)) {
                *offset = 0;
            }
        }
        // A reader refuses a table with slots for unknown fields, even absent ones.
        let length = kept.iter().rposition(|offset| *offset != 0).map_or(0, |last| last + 1);
        kept.truncate(length);
        let own_size = u16_at(&copy, index.checked_add(2)?)?;
        copy.resize(copy.len().next_multiple_of(2), 0);
        let new_index = copy.len();
        let index_size = u16::try_from(length.checked_mul(2)?.checked_add(4)?).ok()?;
        for number in [index_size, own_size].into_iter().chain(kept) {
            copy.extend_from_slice(&number.to_le_bytes());
        }
        // A table holds the distance back to its field index.
        let distance = i64::try_from(table).ok()?.checked_sub(i64::try_from(new_index).ok()?)?;
        let distance = i32::try_from(distance).ok()?.to_le_bytes();
        copy.get_mut(table..)?.first_chunk_mut::<4>()?.copy_from_slice(&distance);
    }
    Some(copy)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().copied().map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().copied().map(u32::from_le_bytes)
}

/// The target of the offset at `at`.
fn follow(bytes: &[u8], at: usize) -> Option<usize> {
    at.checked_add(usize::try_from(u32_at(bytes, at)?).ok()?)
}

/// The position of a table's field index, and the number of its slots.
fn field_index(bytes: &[u8], table: usize) -> Option<(usize, usize)> {
    let distance = i32::from_le_bytes(bytes.get(table..)?.first_chunk().copied()?);
    let index = i64::try_from(table).ok()?.checked_sub(i64::from(distance))?;
    let index = usize::try_from(index).ok()?;
    let slots = usize::from(u16_at(bytes, index)?).checked_sub(4)? / 2;
    Some((index, slots))
}

/// Where the fields of a table are.
#[derive(Clone, Copy)]
struct Slots {
    table: usize,
    index: usize,
    count: usize,
}

impl Slots {
    fn of(bytes: &[u8], table: usize) -> Option<Self> {
        let (index, count) = field_index(bytes, table)?;
        Some(Self { table, index, count })
    }

    /// The position of a field's value, if the field is present.
    fn value(self, bytes: &[u8], id: u16) -> Option<usize> {
        let id = usize::from(id);
        if id >= self.count {
            return None;
        }
        let at = self.index.checked_add(4)?.checked_add(id.checked_mul(2)?)?;
        match usize::from(u16_at(bytes, at)?) {
            0 => None,
            offset => self.table.checked_add(offset),
        }
    }
}

#[cfg(test)]
mod tests;
