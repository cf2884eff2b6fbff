//! Removes the programmers' names from ELFs.
//!
//! The loaded bytes and addresses of a kernel stay unchanged. Symbols, source names and debugging sections are
//! removed.

use std::collections::BTreeMap;
use std::ops::Range;

use hallmark_schema::model::{Capture, ContentHash, SharedBytes};
use object::elf::{self, FileHeader32};
use object::read::elf::{FileHeader as _, SectionHeader as _, Sym as _};
use object::{Endianness, read};

use crate::edit::Symbols;

/// The bytes of an entry of a symbol table (ELF-32, "Symbol Table" of the System V ABI).
const SYMBOL_BYTES: u64 = 16;

type Header = FileHeader32<Endianness>;

/// Replaces the symbols of a capture's ELFs. Other blobs stay unchanged.
pub(crate) fn replace(capture: &mut Capture, symbols: Symbols) {
    let Some(record) = &mut capture.record else { return };
    let mut replaced: BTreeMap<ContentHash, ContentHash> = BTreeMap::new();
    for elf in &mut record.elfs {
        let known = replaced.get(&elf.hash).copied();
        let hash = known.or_else(|| {
            let bytes = replaced_symbols(capture.blobs.get(&elf.hash)?, symbols)?;
            let hash = ContentHash::of(&bytes);
            capture.blobs.insert(hash, SharedBytes::from(bytes));
            Some(hash)
        });
        if let Some(hash) = hash {
            replaced.insert(elf.hash, hash);
            elf.hash = hash;
        }
    }
    for (before, after) in &replaced {
        // The same bytes may have another use, and an ELF may have had no names.
        let is_used = before == after || record.reads.iter().any(|read| read.hash == *before);
        if !is_used {
            capture.blobs.remove(before);
        }
    }
}

/// The name that a symbol of a capture's ELFs has after [`Symbols::Number`].
pub fn numbered_symbol(capture: &Capture, name: &str) -> Option<String> {
    let elfs = capture.record.iter().flat_map(|record| &record.elfs);
    let mut numbers = elfs.filter_map(|elf| {
        let bytes: &[u8] = capture.blobs.get(&elf.hash)?;
        let table = Table::of(bytes).ok()??;
        table.names.iter().position(|known| *known == name.as_bytes())
    });
    numbers.next().map(numbered)
}

fn numbered(number: usize) -> String {
    format!("s{number}")
}

/// An ELF with other symbols; `None` if the bytes are no ELF.
fn replaced_symbols(bytes: &[u8], symbols: Symbols) -> Option<Vec<u8>> {
    let mut out = bytes.to_vec();
    for range in debugging(bytes).ok()? {
        out.get_mut(range)?.fill(0);
    }
    let Some(table) = Table::of(bytes).ok()? else { return Some(out) };
    let mut strings = vec![0];
    for (number, before) in table.names.iter().enumerate() {
        let name = if before.is_empty() { String::new() } else { numbered(number) };
        let room = strings.len().checked_add(name.len())?.checked_add(1)?;
        // If the string table is too short for all numbers, the remaining symbols get none.
        let is_written =
            symbols == Symbols::Number && !name.is_empty() && room <= table.strings.len();
        let at = if is_written { u32::try_from(strings.len()).ok()? } else { 0 };
        if is_written {
            strings.extend(name.as_bytes());
            strings.push(0);
        }
        let entry = table.entries.get(number)?.clone();
        out.get_mut(entry)?.copy_from_slice(&at.to_le_bytes());
    }
    strings.resize(table.strings.len(), 0);
    out.get_mut(table.strings)?.copy_from_slice(&strings);
    Some(out)
}

/// Sections that no loader reads: the compiler's identification and debugging information.
fn debugging(bytes: &[u8]) -> read::Result<Vec<Range<usize>>> {
    let header = Header::parse(bytes)?;
    let endian = header.endian()?;
    let mut ranges = Vec::new();
    for section in header.sections(endian, bytes)?.iter() {
        let is_loaded = section.sh_flags(endian) & elf::SHF_ALLOC != elf::SectionFlags(0);
        let says_something = matches!(section.sh_type(endian), elf::SHT_PROGBITS | elf::SHT_NOTE);
        if !is_loaded && says_something {
            ranges.extend(section.file_range(endian).and_then(|(at, size)| range(at, size)));
        }
    }
    Ok(ranges)
}

/// The symbols of an ELF.
struct Table<'b> {
    /// The position of each symbol's name offset.
    entries: Vec<Range<usize>>,
    /// The names.
    names: Vec<&'b [u8]>,
    /// The byte range of the names.
    strings: Range<usize>,
}

impl<'b> Table<'b> {
    /// The symbol table of an ELF, if it has one.
    fn of(bytes: &'b [u8]) -> read::Result<Option<Self>> {
        let header = Header::parse(bytes)?;
        let endian = header.endian()?;
        let sections = header.sections(endian, bytes)?;
        let symbols = sections.symbols(endian, bytes, elf::SHT_SYMTAB)?;
        if symbols.is_empty() {
            return Ok(None);
        }
        let place = |index| {
            let (at, size) = sections.section(index).ok()?.file_range(endian)?;
            range(at, size)
        };
        let (Some(table), Some(strings)) =
            (place(symbols.section()), place(symbols.string_section()))
        else {
            return Ok(None);
        };
        let start = u64::try_from(table.start).unwrap_or(u64::MAX);
        let mut entries = Vec::new();
        let mut names = Vec::new();
        for (number, symbol) in (0_u64..).zip(symbols.iter()) {
            let at = start.saturating_add(number.saturating_mul(SYMBOL_BYTES));
            let Some(entry) = range(at, 4) else { return Ok(None) };
            entries.push(entry);
            names.push(symbol.name(endian, symbols.strings())?);
        }
        Ok(Some(Self { entries, names, strings }))
    }
}

fn range(start: u64, length: u64) -> Option<Range<usize>> {
    let start = usize::try_from(start).ok()?;
    Some(start..start.checked_add(usize::try_from(length).ok()?)?)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use object::{Object as _, ObjectSection as _, ObjectSymbol as _};

    use super::*;

    /// A capture with ELFs.
    fn capture() -> Capture {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../released/1.0/captures");
        let bytes = std::fs::read(folder.join("circular_buffers.lmb")).unwrap();
        Capture::from_bytes(&bytes).unwrap()
    }

    fn elfs(capture: &Capture) -> Vec<&[u8]> {
        let elfs = capture.record.iter().flat_map(|record| &record.elfs);
        elfs.map(|elf| &**capture.blobs.get(&elf.hash).unwrap()).collect()
    }

    fn names(bytes: &[u8]) -> Vec<String> {
        let file = object::File::parse(bytes).unwrap();
        let names = file.symbols().map(|symbol| symbol.name().unwrap().to_owned());
        names.filter(|name| !name.is_empty()).collect()
    }

    /// The loaded bytes, with addresses and the values of symbols.
    fn loaded(bytes: &[u8]) -> (Vec<(u64, Vec<u8>)>, Vec<u64>) {
        let file = object::File::parse(bytes).unwrap();
        let sections = file.sections().filter(|section| section.address() > 0);
        let sections =
            sections.map(|section| (section.address(), section.data().unwrap().to_vec()));
        (sections.collect(), file.symbols().map(|symbol| symbol.address()).collect())
    }

    #[test]
    fn names_go_and_what_is_loaded_stays() {
        let before = capture();
        assert!(elfs(&before).iter().all(|elf| names(elf).iter().any(|name| name.len() > 4)));
        for symbols in [Symbols::Remove, Symbols::Number] {
            let mut after = before.clone();
            replace(&mut after, symbols);
            after.validate().unwrap();
            assert_eq!(elfs(&after).len(), elfs(&before).len());
            for (before, after) in elfs(&before).into_iter().zip(elfs(&after)) {
                assert_eq!(loaded(before), loaded(after));
                let is_number = |name: &String| {
                    name.strip_prefix('s').is_some_and(|number| number.parse::<u32>().is_ok())
                };
                let names = names(after);
                assert!(names.iter().all(is_number), "{names:?}");
                assert_eq!(names.is_empty(), symbols == Symbols::Remove);
            }
        }
    }

    #[test]
    fn a_symbol_is_known_by_its_number() {
        let before = capture();
        let name = names(elfs(&before)[0]).into_iter().next_back().unwrap();
        let numbered = numbered_symbol(&before, &name).unwrap();
        let mut after = before.clone();
        replace(&mut after, Symbols::Number);
        assert!(names(elfs(&after)[0]).contains(&numbered));
        assert_eq!(numbered_symbol(&before, "no such symbol"), None);
    }

    #[test]
    fn what_is_no_elf_stays() {
        for bytes in [&b""[..], b"\x7fELF", &[0x7f; 100]] {
            assert_eq!(replaced_symbols(bytes, Symbols::Remove), None);
        }
        let elf = elfs(&capture())[0].to_vec();
        // An ELF cut at any length is replaced or left alone; the function never panics.
        for length in (0..elf.len()).step_by(97) {
            let _ = replaced_symbols(&elf[..length], Symbols::Number);
        }
    }
}
