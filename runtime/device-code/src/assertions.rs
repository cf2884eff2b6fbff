//! The assertions of a kernel (`api/debug/assert.h`): a table in a section that no device loads, read as untrusted
//! input.
//!
//! An entry is the address of an `ebreak` in the image, the line, the file and the expression, each text with its
//! terminating zero. An entry without a file comes from a header of the kernel API and reports misuse: its expression is a
//! sentence that says so.

use std::fmt;

/// The section of the table.
pub(crate) const SECTION: &str = ".hallmark.assertions";
/// The instruction that a kernel reaches when an assertion does not hold.
pub const EBREAK: u32 = 0x0010_0073;
/// The largest part of a table that is read, bytes.
const MOST_BYTES: usize = 256 << 10;
/// Characters of an expression that are shown.
const SHOWN: usize = 160;

/// An assertion of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Assertion {
    /// The address of its `ebreak`, relative to the image.
    pub(crate) offset: u32,
    /// The source file, as kernels include it; empty for a wrong use of the kernel API.
    pub file: String,
    /// Its line in the file.
    pub line: u32,
    /// The asserted expression, as in the source, or the sentence about a wrong use.
    pub expression: String,
}

impl Assertion {
    /// Why a kernel stops at the `ebreak`.
    pub fn reason(&self) -> String {
        if self.file.is_empty() { self.expression.clone() } else { format!("{self} does not hold") }
    }
}

/// `ASSERT(pages < 8) in kernels/copy.cpp:12`.
impl fmt::Display for Assertion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { offset: _, file, line, expression } = self;
        match expression.char_indices().nth(SHOWN) {
            Some((end, _)) => {
                let shown = expression.get(..end).unwrap_or_default();
                write!(formatter, "ASSERT({shown}…) in {file}:{line}")
            }
            None => write!(formatter, "ASSERT({expression}) in {file}:{line}"),
        }
    }
}

/// The assertions of a table, by their places. Entries that name no `ebreak` of the image, or hold texts that cannot be
/// shown, are left out: no build of Hallmark's makes them.
pub(crate) fn assertions(table: &[u8], word: impl Fn(u32) -> Option<u32>) -> Vec<Assertion> {
    let mut rest = table.get(..MOST_BYTES).unwrap_or(table);
    let mut found = Vec::new();
    while let Some((entry, after)) = entry(rest) {
        rest = after;
        if let Some(entry) = entry.filter(|entry| word(entry.offset) == Some(EBREAK)) {
            found.push(entry);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The first entry of a table, if its texts can be shown, and the rest of the table; `None` at its end.
fn entry(bytes: &[u8]) -> Option<(Option<Assertion>, &[u8])> {
    let (offset, rest) = bytes.split_first_chunk::<4>()?;
    let (line, rest) = rest.split_first_chunk::<4>()?;
    let (file, rest) = text(rest)?;
    let (expression, rest) = text(rest)?;
    let (offset, line) = (u32::from_le_bytes(*offset), u32::from_le_bytes(*line));
    let entry = file.zip(expression).map(|(file, expression)| {
        let file = file.strip_prefix("./").unwrap_or(&file).to_owned();
        Assertion { offset, file, line, expression }
    });
    Some((entry, rest))
}

/// A text up to its terminating zero, if it can be shown, and the rest.
fn text(bytes: &[u8]) -> Option<(Option<String>, &[u8])> {
    let end = memchr::memchr(0, bytes)?;
    let (text, rest) = bytes.split_at_checked(end)?;
    let text = std::str::from_utf8(text).ok().filter(|text| !text.contains(char::is_control));
    Some((text.map(str::to_owned), rest.get(1..).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(entries: &[(u32, u32, &[u8], &[u8])]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (offset, line, file, expression) in entries {
            bytes.extend(offset.to_le_bytes());
            bytes.extend(line.to_le_bytes());
            for text in [file, expression] {
                bytes.extend(*text);
                bytes.push(0);
            }
        }
        bytes
    }

    /// An image of which the words at 8, 12 and 16 are `ebreak`.
    fn word(offset: u32) -> Option<u32> {
        match offset {
            8 | 12 | 16 => Some(EBREAK),
            0..32 => Some(0x13),
            _ => None,
        }
    }

    fn texts(table: &[u8]) -> Vec<String> {
        let found = assertions(table, word);
        found.iter().map(|it| format!("{:#x}: {it}", it.offset)).collect()
    }

    #[test]
    fn a_table_tells_file_line_and_expression() {
        let table = table(&[
            (12, 7, b"./kernels/copy.h", b"text == \"\\n\""),
            (8, 12, b"kernels/copy.cpp", b"pages < 8"),
            (12, 7, b"./kernels/copy.h", b"text == \"\\n\""),
        ]);
        let expected = [
            "0x8: ASSERT(pages < 8) in kernels/copy.cpp:12",
            "0xc: ASSERT(text == \"\\n\") in kernels/copy.h:7",
        ];
        assert_eq!(texts(&table), expected);
        assert!(texts(&[]).is_empty());
    }

    #[test]
    fn a_wrong_use_of_the_kernel_api_is_a_sentence() {
        let table = table(&[(8, 0, b"", b"add_tiles without add_init"), (12, 7, b"a.cpp", b"x")]);
        let reasons: Vec<String> = assertions(&table, word).iter().map(Assertion::reason).collect();
        assert_eq!(reasons, ["add_tiles without add_init", "ASSERT(x) in a.cpp:7 does not hold"]);
    }

    #[test]
    fn forged_entries_are_left_out_and_the_others_remain() {
        let forged: [(u32, u32, &[u8], &[u8]); 6] = [
            (4, 1, b"no.cpp", b"no ebreak"),
            (u32::MAX, 1, b"no.cpp", b"outside of the image"),
            (8, 1, b"no\x1b[2J.cpp", b"a file with an escape"),
            (8, 1, b"no.cpp", b"\n::error::an expression of two lines"),
            (8, 1, b"no\xff.cpp", b"no UTF-8"),
            (16, u32::MAX, b"yes.cpp", b"true"),
        ];
        assert_eq!(texts(&table(&forged)), ["0x10: ASSERT(true) in yes.cpp:4294967295"]);
    }

    #[test]
    fn a_table_may_end_anywhere() {
        let whole = table(&[(8, 12, b"a.cpp", b"a"), (12, 13, b"b.cpp", b"b")]);
        let counts: Vec<usize> =
            (0..=whole.len()).map(|length| texts(&whole[..length]).len()).collect();
        assert!(counts.is_sorted());
        assert_eq!(counts.iter().filter(|count| **count == 1).count(), whole.len() / 2);
        assert_eq!(counts.last(), Some(&2));
    }

    #[test]
    fn a_table_is_read_up_to_its_limit() {
        let entry = table(&[(8, 1, b"a", b"")]);
        let last = table(&[(12, 1, b"b", b"last")]);
        let with = |before: usize| {
            let padding = vec![b'x'; before - entry.len()];
            let first = table(&[(8, 1, b"a", &padding)]);
            assert_eq!(first.len(), before);
            texts(&[first, last.clone()].concat()).len()
        };
        assert_eq!(with(MOST_BYTES - last.len()), 2);
        assert_eq!(with(MOST_BYTES - last.len() + 1), 1);
    }

    #[test]
    fn a_long_expression_is_cut_between_characters() {
        let shown = |count: usize| {
            let expression = "é".repeat(count);
            let it = Assertion { offset: 0, file: "k".to_owned(), line: 1, expression };
            it.to_string()
        };
        assert_eq!(shown(SHOWN), format!("ASSERT({}) in k:1", "é".repeat(SHOWN)));
        assert_eq!(shown(SHOWN + 1), format!("ASSERT({}…) in k:1", "é".repeat(SHOWN)));
    }
}
