//! The formats and texts of a kernel that prints (`api/debug/dprint.h`): a table in a section that no device loads, read as
//! untrusted input.
//!
//! An entry is a number, the line, the file and the text, each text with its terminating zero. Messages name texts by
//! number.

use std::collections::BTreeMap;

/// The section of the table.
pub(crate) const SECTION: &str = ".hallmark.prints";
/// The largest part of a table that is read, bytes.
const MOST_BYTES: usize = 256 << 10;
/// The largest part of a text that is kept, bytes.
const MOST_TEXT: usize = 4 << 10;

/// The texts of a kernel, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PrintedTexts(BTreeMap<u32, String>);

impl PrintedTexts {
    /// The texts of a table. Of several texts with one number the first one counts; a text that is no UTF-8 is read with
    /// replacement characters.
    pub(crate) fn of_table(table: &[u8]) -> Self {
        let mut rest = table.get(..MOST_BYTES).unwrap_or(table);
        let mut texts = BTreeMap::new();
        while let Some((number, text, after)) = entry(rest) {
            rest = after;
            let text = text.get(..MOST_TEXT).unwrap_or(text);
            texts.entry(number).or_insert_with(|| String::from_utf8_lossy(text).into_owned());
        }
        Self(texts)
    }

    /// The text with a number.
    pub(crate) fn get(&self, number: u32) -> Option<&str> {
        self.0.get(&number).map(String::as_str)
    }
}

/// The number and the text of the first entry, and the rest of the table; `None` at its end. Line and file are for those
/// who read the ELF.
fn entry(bytes: &[u8]) -> Option<(u32, &[u8], &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    let (_line, rest) = rest.split_first_chunk::<4>()?;
    let (_file, rest) = text(rest)?;
    let (text, rest) = text(rest)?;
    Some((u32::from_le_bytes(*number), text, rest))
}

fn text(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(0, bytes)?;
    let (text, rest) = bytes.split_at_checked(end)?;
    Some((text, rest.get(1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(number: u32, text: &[u8]) -> Vec<u8> {
        let mut bytes = number.to_le_bytes().to_vec();
        bytes.extend(12u32.to_le_bytes());
        bytes.extend(b"kernels/k.cpp\0");
        bytes.extend(text);
        bytes.push(0);
        bytes
    }

    #[test]
    fn texts_have_their_numbers() {
        let rows = [row(7, b"x = {}\n"), row(3, b""), row(7, b"another"), row(u32::MAX, b"\xff")];
        let texts = PrintedTexts::of_table(&rows.concat());
        assert_eq!(texts.get(7), Some("x = {}\n"));
        assert_eq!((texts.get(3), texts.get(4)), (Some(""), None));
        assert_eq!(texts.get(u32::MAX), Some("\u{fffd}"));
    }

    #[test]
    fn a_table_may_end_anywhere() {
        let whole = [row(1, b"one"), row(2, b"two")].concat();
        let counts: Vec<usize> =
            (0..=whole.len()).map(|end| PrintedTexts::of_table(&whole[..end]).0.len()).collect();
        assert!(counts.is_sorted());
        assert_eq!(counts.iter().filter(|count| **count == 1).count(), whole.len() / 2);
        assert_eq!(counts.last(), Some(&2));
    }

    #[test]
    fn table_and_text_are_read_up_to_their_limits() {
        let kept = |length: usize| {
            PrintedTexts::of_table(&row(1, &vec![b'x'; length])).get(1).unwrap().len()
        };
        assert_eq!([kept(MOST_TEXT), kept(MOST_TEXT + 1)], [MOST_TEXT, MOST_TEXT]);
        let with = |length: usize| {
            let empty = row(1, b"").len();
            let rows = [row(1, &vec![b'x'; length - empty]), row(2, b"")].concat();
            PrintedTexts::of_table(&rows).get(2).is_some()
        };
        let last = row(2, b"").len();
        assert!(with(MOST_BYTES - last) && !with(MOST_BYTES - last + 1));
    }
}
