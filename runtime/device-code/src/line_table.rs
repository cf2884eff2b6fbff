//! A kernel's line table: the source lines of each instruction, in at most 2 KiB.
//!
//! An encoded table is a version byte followed by four lists, each preceded by its length. All numbers are
//! unsigned LEB128, signed ones as zigzag:
//!
//! 1. files: a text each;
//! 2. functions: the file's index, and the name;
//! 3. frames: the distance back to the caller's frame, or 0 for the outermost function; the function's index;
//!    the line, less that of the previous frame of the same function. Stacks with the same callers share
//!    frames;
//! 4. runs of instructions, from the image's start: the number of words, and the innermost frame's index plus
//!    1, or 0 for unknown, less that of the previous run.
//!
//! A text is its length followed by UTF-8. Captures contain tables, so they are read as untrusted input.

use std::collections::BTreeMap;
use std::ops::Range;

use hallmark_chip::SourceFrame;

use super::limits;

/// The version of written and accepted tables.
const VERSION: u8 = 1;
const WORD: u32 = 4;

/// An encoded line table that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineTableError {
    /// The table is larger than any written one.
    #[error("the line table has {size} bytes, at most {} are read", limits::LINE_TABLE)]
    TooLarge {
        /// The table's size in bytes.
        size: usize,
    },
    /// The table has another version.
    #[error("the line table has version {found}, and this release reads version {VERSION}")]
    Version {
        /// The table's version.
        found: u8,
    },
    /// The table ends before it is complete.
    #[error("the line table ends inside its {list}")]
    Truncated {
        /// The name of the list.
        list: &'static str,
    },
    /// A number is larger than any written one.
    #[error("the line table holds a number beyond 32 bits in its {list}")]
    Number {
        /// The name of the list.
        list: &'static str,
    },
    /// A text is not UTF-8, or contains control characters.
    #[error("the line table holds a text in its {list} that cannot be shown")]
    Text {
        /// The name of the list.
        list: &'static str,
    },
    /// An entry refers to an entry that does not exist.
    #[error("the line table refers in its {list} to entry {index}, which does not exist")]
    Index {
        /// The list that contains the reference.
        list: &'static str,
        /// The index.
        index: i64,
    },
    /// The table covers more instructions than an image has.
    #[error(
        "the line table covers more than the {} bytes of the largest image",
        limits::LOADED_IMAGE
    )]
    TooLong,
    /// Bytes follow the last list.
    #[error("{count} bytes follow the line table's last list")]
    Trailing {
        /// The number of these bytes.
        count: usize,
    },
}

/// A function of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Function {
    file: usize,
    name: String,
}

/// A line of a function, and the frame of its caller if it is inlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Frame {
    caller: Option<usize>,
    function: usize,
    line: u32,
}

/// Consecutive words of an image with the same frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    words: u32,
    innermost: Option<usize>,
}

/// The source lines of each instruction of an image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineTable {
    files: Vec<String>,
    functions: Vec<Function>,
    frames: Vec<Frame>,
    runs: Vec<Run>,
}

impl LineTable {
    /// The table of an image, from the frames of each of its words, the outermost function first; a word
    /// without known lines has no frames.
    pub fn of_words<'s>(words: impl IntoIterator<Item = &'s [SourceFrame]>) -> Self {
        let mut table = Self::default();
        let mut known = KnownEntries::default();
        for stack in words {
            let innermost = stack
                .iter()
                .fold(None, |caller, frame| Some(table.frame(&mut known, caller, frame)));
            match table.runs.last_mut() {
                Some(run) if run.innermost == innermost => run.words = run.words.saturating_add(1),
                _ => table.runs.push(Run { words: 1, innermost }),
            }
        }
        while table.runs.last().is_some_and(|run| run.innermost.is_none()) {
            table.runs.pop();
        }
        table
    }

    fn frame(
        &mut self,
        known: &mut KnownEntries,
        caller: Option<usize>,
        frame: &SourceFrame,
    ) -> usize {
        let SourceFrame { function, file, line } = frame;
        let file = index_of(&mut known.files, &mut self.files, file.clone());
        let function = Function { file, name: function.clone() };
        let function = index_of(&mut known.functions, &mut self.functions, function);
        let frame = Frame { caller, function, line: *line };
        index_of(&mut known.frames, &mut self.frames, frame)
    }

    /// Whether no instruction has a known line.
    pub const fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The frames of the instruction at an offset of the image, the outermost function first; empty if unknown.
    pub fn frames_at(&self, offset: u32) -> Vec<SourceFrame> {
        let mut left = offset / WORD;
        let run = self.runs.iter().find(|run| match left.checked_sub(run.words) {
            Some(after) => {
                left = after;
                false
            }
            None => true,
        });
        let mut frames = Vec::new();
        let mut next = run.and_then(|run| run.innermost);
        // A caller's frame precedes those of the functions that it calls, so this loop ends.
        while let Some(frame) = next.and_then(|index| self.frames.get(index)) {
            next = frame.caller;
            let Some(function) = self.functions.get(frame.function) else { continue };
            let Some(file) = self.files.get(function.file) else { continue };
            frames.push(SourceFrame {
                function: function.name.clone(),
                file: file.clone(),
                line: frame.line,
            });
        }
        frames.reverse();
        frames
    }

    /// The offsets of the instructions of a function of a file, inlined or not.
    pub(super) fn instructions_of(&self, function: &str, file: &str) -> Vec<Range<u32>> {
        let is_named = |function_index: usize| {
            self.functions.get(function_index).is_some_and(|known| {
                known.name == function && self.files.get(known.file).is_some_and(|f| f == file)
            })
        };
        // A caller's frame precedes those of the functions that it calls.
        let mut within: Vec<bool> = Vec::with_capacity(self.frames.len());
        for frame in &self.frames {
            let caller = frame.caller.and_then(|index| within.get(index).copied());
            within.push(is_named(frame.function) || caller == Some(true));
        }
        let mut ranges: Vec<Range<u32>> = Vec::new();
        let mut at = 0u32;
        for run in &self.runs {
            let end = at.saturating_add(run.words.saturating_mul(WORD));
            if run.innermost.is_some_and(|index| within.get(index) == Some(&true)) {
                match ranges.last_mut() {
                    Some(last) if last.end == at => last.end = end,
                    _ => ranges.push(at..end),
                }
            }
            at = end;
        }
        ranges
    }

    /// The table as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        number(&mut bytes, self.files.len());
        for file in &self.files {
            text(&mut bytes, file);
        }
        number(&mut bytes, self.functions.len());
        for Function { file, name } in &self.functions {
            number(&mut bytes, *file);
            text(&mut bytes, name);
        }
        number(&mut bytes, self.frames.len());
        let mut lines = BTreeMap::new();
        for (index, Frame { caller, function, line }) in self.frames.iter().enumerate() {
            number(&mut bytes, caller.map_or(0, |caller| index.saturating_sub(caller)));
            number(&mut bytes, *function);
            let before = lines.insert(*function, *line).unwrap_or_default();
            signed(&mut bytes, i64::from(*line) - i64::from(before));
        }
        number(&mut bytes, self.runs.len());
        let mut before = 0;
        for Run { words, innermost } in &self.runs {
            leb128(&mut bytes, (*words).into());
            let code = innermost.map_or(0, |index| index as i64 + 1);
            signed(&mut bytes, code - before);
            before = code;
        }
        bytes
    }

    /// Reads a table.
    ///
    /// # Errors
    /// See [`LineTableError`].
    pub fn decode(bytes: &[u8]) -> Result<Self, LineTableError> {
        if bytes.len() > limits::LINE_TABLE {
            return Err(LineTableError::TooLarge { size: bytes.len() });
        }
        let (version, rest) =
            bytes.split_first().ok_or(LineTableError::Truncated { list: "version" })?;
        if *version != VERSION {
            return Err(LineTableError::Version { found: *version });
        }
        let mut reader = Reader { rest, list: "files" };
        let mut table = Self::default();
        for _ in 0..reader.number()? {
            table.files.push(reader.text()?);
        }
        reader.list = "functions";
        for _ in 0..reader.number()? {
            let file = reader.index(table.files.len())?;
            table.functions.push(Function { file, name: reader.text()? });
        }
        reader.list = "frames";
        let mut lines = BTreeMap::new();
        for index in 0..reader.number()? {
            let caller = match reader.number()? {
                0 => None,
                earlier => {
                    Some(reader.at(i64::from(index) - i64::from(earlier), table.frames.len())?)
                }
            };
            let function = reader.index(table.functions.len())?;
            let before: i64 = lines.get(&function).copied().unwrap_or_default();
            let line = before.saturating_add(reader.signed()?);
            lines.insert(function, line);
            let list = reader.list;
            let line = u32::try_from(line).map_err(|_| LineTableError::Number { list })?;
            table.frames.push(Frame { caller, function, line });
        }
        reader.list = "runs";
        let mut before: i64 = 0;
        let mut left = limits::LOADED_IMAGE / WORD;
        for _ in 0..reader.number()? {
            let words = reader.number()?;
            left = left.checked_sub(words).ok_or(LineTableError::TooLong)?;
            before = before.saturating_add(reader.signed()?);
            let innermost = match before {
                0 => None,
                code => Some(reader.at(code.saturating_sub(1), table.frames.len())?),
            };
            table.runs.push(Run { words, innermost });
        }
        match reader.rest.len() {
            0 => Ok(table),
            count => Err(LineTableError::Trailing { count }),
        }
    }
}

/// The indices of entries that a table already contains.
#[derive(Default)]
struct KnownEntries {
    files: BTreeMap<String, usize>,
    functions: BTreeMap<Function, usize>,
    frames: BTreeMap<Frame, usize>,
}

fn index_of<T: Clone + Ord>(known: &mut BTreeMap<T, usize>, list: &mut Vec<T>, entry: T) -> usize {
    *known.entry(entry).or_insert_with_key(|entry| {
        list.push(entry.clone());
        list.len() - 1
    })
}

fn leb128(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn number(bytes: &mut Vec<u8>, value: usize) {
    leb128(bytes, value as u64);
}

/// Zigzag: the sign in the lowest bit, so that small numbers of either sign stay short.
fn signed(bytes: &mut Vec<u8>, value: i64) {
    leb128(bytes, (value << 1 ^ value >> 63) as u64);
}

fn text(bytes: &mut Vec<u8>, text: &str) {
    number(bytes, text.len());
    bytes.extend_from_slice(text.as_bytes());
}

/// The unread part of an encoded table, and the list that is being read.
struct Reader<'b> {
    rest: &'b [u8],
    list: &'static str,
}

impl Reader<'_> {
    fn leb128(&mut self) -> Result<u64, LineTableError> {
        let list = self.list;
        let mut value = 0;
        // Five groups of seven bits hold a zigzag number of 33 bits.
        for group in 0..5 {
            let (byte, rest) = self.rest.split_first().ok_or(LineTableError::Truncated { list })?;
            self.rest = rest;
            value |= u64::from(byte & 0x7F) << (7 * group);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(LineTableError::Number { list })
    }

    fn number(&mut self) -> Result<u32, LineTableError> {
        let list = self.list;
        u32::try_from(self.leb128()?).map_err(|_| LineTableError::Number { list })
    }

    fn signed(&mut self) -> Result<i64, LineTableError> {
        let value = self.leb128()?;
        // At most 35 bits, so the cast is exact.
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn text(&mut self) -> Result<String, LineTableError> {
        let length = self.number()? as usize;
        let list = self.list;
        let (text, rest) =
            self.rest.split_at_checked(length).ok_or(LineTableError::Truncated { list })?;
        self.rest = rest;
        match std::str::from_utf8(text) {
            Ok(text) if !text.contains(char::is_control) => Ok(text.to_owned()),
            _ => Err(LineTableError::Text { list }),
        }
    }

    /// Reads an index of a list with `entries` entries.
    fn index(&mut self, entries: usize) -> Result<usize, LineTableError> {
        let index = self.number()?;
        self.at(index.into(), entries)
    }

    fn at(&self, index: i64, entries: usize) -> Result<usize, LineTableError> {
        let found = usize::try_from(index).ok().filter(|index| *index < entries);
        found.ok_or(LineTableError::Index { list: self.list, index })
    }
}

#[cfg(test)]
#[path = "line_table_tests.rs"]
mod tests;
