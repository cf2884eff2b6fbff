//! The directives by which a source names files, found without a preprocessor.
//!
//! Comments, line breaks behind a backslash, strings and raw strings are read as a compiler reads them, so that no
//! directive hides in them. Branches that are not compiled count as well. What only a preprocessor can read, such as a
//! macro's include, is reported as unread: the compiler's list of dependencies decides about it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use super::normalize;

/// A directive that names a file, or gives lines the name of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Directive {
    /// Its line, counted from 1.
    pub(super) line: usize,
    /// The text up to the end of its first line, for messages.
    pub(super) text: String,
    /// What it asks for.
    pub(super) kind: DirectiveKind,
}

/// What a directive asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DirectiveKind {
    /// `#include "…"` with this path.
    Include(String),
    /// Only a preprocessor knows the file.
    Unread,
    /// No kernel may ask for that.
    Refused(RefusedDirective),
}

/// Why a directive is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusedDirective {
    /// It names a file by an absolute path or one with `..` that leads out of the suites.
    OutsideOfSuites,
    /// Only a preprocessor could tell the file whose existence it asks for.
    UnreadCondition,
    /// It says that the next lines are from another file.
    RenamesLines,
    /// A carriage return without a line feed, which ends a line for compilers and not for editors.
    LoneCarriageReturn,
}

impl fmt::Display for RefusedDirective {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::OutsideOfSuites => {
                "names a file outside of the suites; copy the file beside the kernel and include it by `#include \"…\"`"
            }
            Self::UnreadCondition => {
                "asks for a file that only a preprocessor could name; write the file's path out behind `__has_include`"
            }
            Self::LoneCarriageReturn => {
                "holds a carriage return without a line feed; end lines with line feeds"
            }
            Self::RenamesLines => {
                "gives the next lines the name of a file; remove the name, so that messages show the kernel's own lines"
            }
        })
    }
}

/// The operators that ask for a file, which a macro can join from words.
const ASKING: [&[u8]; 3] = [b"__has_include", b"__has_include_next", b"__has_embed"];

/// What a text holds that may name files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Scan {
    /// The directives that name files, in the text's order.
    pub(super) directives: Vec<Directive>,
    /// The words that are a part of `__has_include` or of an operator like it.
    pub(super) pieces: Pieces,
}

/// Words that are a part of an operator that asks for a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pieces(BTreeSet<Vec<u8>>);

impl Pieces {
    /// Adds a word if it is a part of such an operator, and not one itself.
    fn add(&mut self, word: &[u8]) {
        let is_part = |name: &&[u8]| {
            name.len() > word.len() && name.windows(word.len().max(1)).any(|part| part == word)
        };
        if !ASKING.contains(&word) && ASKING.iter().any(is_part) {
            self.0.insert(word.to_owned());
        }
    }

    /// Adds all words of others.
    pub(super) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// Whether `##` can join an operator from these words.
    pub(super) fn can_ask(&self) -> bool {
        ASKING.iter().any(|name| self.can_join(name))
    }

    fn can_join(&self, name: &[u8]) -> bool {
        let mut ends = BTreeSet::from([0_usize]);
        while let Some(end) = ends.pop_first() {
            if end == name.len() {
                return true;
            }
            let rest = name.get(end..).unwrap_or_default();
            let next = self.0.iter().filter(|piece| rest.starts_with(piece));
            ends.extend(next.map(|piece| end.saturating_add(piece.len())));
        }
        false
    }
}

/// The directives of a text that name files, and the words from which a macro could join one.
pub(super) fn scan(text: &[u8]) -> Scan {
    let spliced = Spliced::new(text);
    let found = Scan::default();
    let mut lexer = Lexer { text, spliced: &spliced, at: 0, is_in_directive: false, found };
    lexer.refuse_lone_carriage_return();
    lexer.run();
    lexer.found
}

/// A text without the line breaks that follow a backslash. As for gcc, blanks may stand between the two.
struct Spliced<'a> {
    bytes: Cow<'a, [u8]>,
    /// Where line breaks were left out: the place in `bytes`, and how many bytes have been left out up to there.
    joints: Vec<(usize, usize)>,
}

impl<'a> Spliced<'a> {
    fn new(text: &'a [u8]) -> Self {
        let mut bytes = Vec::new();
        let mut joints = Vec::new();
        let mut kept = 0;
        for at in memchr::memchr_iter(b'\\', text) {
            let rest = text.get(at.saturating_add(1)..).unwrap_or_default();
            let blanks = rest.iter().take_while(|byte| is_blank(**byte) && **byte != b'\r').count();
            let end = match rest.get(blanks..).unwrap_or_default() {
                [b'\n', ..] => 1,
                [b'\r', b'\n', ..] => 2,
                _ => continue,
            };
            bytes.extend_from_slice(text.get(kept..at).unwrap_or_default());
            kept = at.saturating_add(1).saturating_add(blanks).saturating_add(end);
            joints.push((bytes.len(), kept.saturating_sub(bytes.len())));
        }
        if joints.is_empty() {
            return Self { bytes: Cow::Borrowed(text), joints };
        }
        bytes.extend_from_slice(text.get(kept..).unwrap_or_default());
        Self { bytes: Cow::Owned(bytes), joints }
    }

    /// The offset in the text of a place that has a byte.
    fn origin(&self, place: usize) -> Option<usize> {
        self.bytes.get(place)?;
        let before = self.joints.partition_point(|(joint, _)| *joint <= place);
        let left_out = before.checked_sub(1).and_then(|last| self.joints.get(last));
        Some(place.saturating_add(left_out.map_or(0, |(_, bytes)| *bytes)))
    }

    /// The first place whose byte is at an offset in the text or behind it.
    fn place(&self, origin: usize) -> usize {
        let (mut first, mut end) = (0, self.bytes.len());
        while first < end {
            let middle = first.midpoint(end);
            if self.origin(middle).is_some_and(|found| found < origin) {
                first = middle.saturating_add(1);
            } else {
                end = middle;
            }
        }
        first
    }
}

/// White space within a line. A line feed follows each carriage return of a text that is not refused.
const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0B | 0x0C | b'\r')
}

const fn begins_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

const fn is_of_word(byte: u8) -> bool {
    begins_word(byte) || byte.is_ascii_digit()
}

struct Lexer<'a> {
    text: &'a [u8],
    spliced: &'a Spliced<'a>,
    /// The place in the spliced text.
    at: usize,
    /// Whether the line is a directive, in which a raw string ends with its line.
    is_in_directive: bool,
    found: Scan,
}

impl<'a> Lexer<'a> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.spliced.bytes.get(self.at.saturating_add(ahead)).copied()
    }

    fn step(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
    }

    fn refuse_lone_carriage_return(&mut self) {
        let lone = self.text.iter().enumerate().find(|(at, byte)| {
            **byte == b'\r' && self.text.get(at.saturating_add(1)) != Some(&b'\n')
        });
        if let Some((at, _)) = lone {
            let place = self.spliced.place(at);
            self.note(place, DirectiveKind::Refused(RefusedDirective::LoneCarriageReturn));
        }
    }

    fn run(&mut self) {
        let mut begins_line = true;
        while let Some(byte) = self.peek(0) {
            match (byte, self.peek(1)) {
                (b'\n', _) => {
                    begins_line = true;
                    self.is_in_directive = false;
                    self.step(1);
                    continue;
                }
                (b'/', Some(b'*' | b'/')) => {
                    self.comment();
                    continue;
                }
                (byte, _) if is_blank(byte) => {
                    self.step(1);
                    continue;
                }
                (b'#', _) if begins_line => self.directive(1),
                // The other spelling of `#`.
                (b'%', Some(b':')) if begins_line => self.directive(2),
                (b'"' | b'\'', _) => self.quoted(byte),
                (byte, next)
                    if byte.is_ascii_digit()
                        || (byte == b'.' && next.is_some_and(|next| next.is_ascii_digit())) =>
                {
                    self.number();
                }
                (byte, _) if begins_word(byte) => self.word(),
                _ => self.step(1),
            }
            begins_line = false;
        }
    }

    /// Skips a comment, without the line break behind it.
    fn comment(&mut self) {
        let spans_lines = self.peek(1) == Some(b'*');
        self.step(2);
        while let Some(byte) = self.peek(0) {
            match (spans_lines, byte, self.peek(1)) {
                (true, b'*', Some(b'/')) => {
                    self.step(2);
                    return;
                }
                (false, b'\n', _) => return,
                _ => self.step(1),
            }
        }
    }

    /// Skips white space and comments within a line. A comment may span lines, and its line goes on behind it.
    fn blanks(&mut self) {
        while let Some(byte) = self.peek(0) {
            match (byte, self.peek(1)) {
                (b'/', Some(b'*' | b'/')) => self.comment(),
                (byte, _) if is_blank(byte) => self.step(1),
                _ => return,
            }
        }
    }

    /// Skips a string or a character, which end with their line at the latest.
    fn quoted(&mut self, quote: u8) {
        self.step(1);
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\n' => return,
                b'\\' if self.peek(1) != Some(b'\n') => self.step(2),
                byte => {
                    self.step(1);
                    if byte == quote {
                        return;
                    }
                }
            }
        }
    }

    /// Skips a number: an apostrophe in it separates digits.
    fn number(&mut self) {
        while let Some(byte) = self.peek(0) {
            let signed = matches!(byte, b'e' | b'E' | b'p' | b'P')
                && matches!(self.peek(1), Some(b'+' | b'-'));
            match byte {
                _ if signed => self.step(2),
                b'\'' if self.peek(1).is_some_and(is_of_word) => self.step(2),
                byte if is_of_word(byte) || byte == b'.' => self.step(1),
                _ => return,
            }
        }
    }

    fn take_word(&mut self) -> &'a [u8] {
        let rest = self.spliced.bytes.get(self.at..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| is_of_word(**byte)).count();
        self.step(length);
        rest.get(..length).unwrap_or_default()
    }

    fn word(&mut self) {
        let begin = self.at;
        let word = self.take_word();
        self.found.pieces.add(word);
        match (word, self.peek(0)) {
            (b"R" | b"u8R" | b"uR" | b"UR" | b"LR", Some(b'"')) => self.raw_string(),
            (b"__has_include" | b"__has_include_next" | b"__has_embed", _) => {
                self.has_include(begin);
            }
            (b"defined", _) => self.defined(),
            _ => {}
        }
    }

    /// Skips a raw string. In it, a backslash joins no lines, so its end is looked for in the text itself.
    fn raw_string(&mut self) {
        let Some(begin) = self.spliced.origin(self.at) else { return };
        let rest = self.text.get(begin.saturating_add(1)..).unwrap_or_default();
        let is_of_delimiter =
            |byte: &u8| !matches!(byte, b'(' | b')' | b'\\' | b'"' | b'\n') && !is_blank(*byte);
        let length = rest.iter().take_while(|byte| is_of_delimiter(byte)).count();
        let (delimiter, content) = rest.split_at(length);
        if content.first() != Some(&b'(') {
            return self.quoted(b'"');
        }
        let end = [b")".as_slice(), delimiter, b"\""].concat();
        let length = memchr::memmem::find(content, &end)
            .map_or(content.len(), |found| found.saturating_add(end.len()));
        let length = match memchr::memchr(b'\n', content) {
            // gcc takes no raw string over lines in a directive, and reads the next line by itself.
            Some(end) if self.is_in_directive => length.min(end),
            Some(_) | None => length,
        };
        let until = begin.saturating_add(1).saturating_add(delimiter.len()).saturating_add(length);
        self.at = self.spliced.place(until);
    }

    /// Notes a directive that begins at a place of the spliced text.
    fn note(&mut self, begin: usize, kind: DirectiveKind) {
        let origin = self.spliced.origin(begin).unwrap_or(self.text.len());
        let before = self.text.get(..origin).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count().saturating_add(1);
        let first = self.text.get(origin..).unwrap_or_default();
        let first = first.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let text = String::from_utf8_lossy(first).trim_end().to_owned();
        self.found.directives.push(Directive { line, text, kind });
    }

    /// The text between `quote`s that begins here; nothing if the line ends before.
    fn named(&mut self, quote: u8) -> Option<String> {
        self.step(1);
        let mut name = Vec::new();
        loop {
            match self.peek(0)? {
                b'\n' => return None,
                byte => {
                    self.step(1);
                    if byte == quote {
                        return Some(String::from_utf8_lossy(&name).into_owned());
                    }
                    name.push(byte);
                }
            }
        }
    }

    /// Reads a directive up to the name of its file; the rest of the line is ordinary text.
    fn directive(&mut self, mark: usize) {
        let begin = self.at;
        self.is_in_directive = true;
        self.step(mark);
        self.blanks();
        if self.peek(0).is_some_and(|byte| byte.is_ascii_digit()) {
            return self.line_marker(begin);
        }
        let name = self.take_word();
        self.blanks();
        match name {
            b"include" => self.include(begin),
            b"include_next" | b"import" | b"embed" => self.note(begin, DirectiveKind::Unread),
            b"line" => self.line_marker(begin),
            b"pragma" => self.pragma(begin),
            // Asks whether there is such a word, and for no file.
            b"ifdef" | b"ifndef" => {
                self.take_word();
            }
            _ => {}
        }
    }

    /// `defined WORD` and `defined(WORD)` ask for no file.
    fn defined(&mut self) {
        self.blanks();
        if self.peek(0) == Some(b'(') {
            self.step(1);
            self.blanks();
        }
        self.take_word();
    }

    fn include(&mut self, begin: usize) {
        let kind = match self.peek(0) {
            Some(b'"') => self.named(b'"').map(|name| match name.starts_with('/') {
                false => DirectiveKind::Include(name),
                true => DirectiveKind::Refused(RefusedDirective::OutsideOfSuites),
            }),
            Some(b'<') => match self.named(b'>') {
                Some(name) if normalize(&name).is_some() => return,
                Some(_) => Some(DirectiveKind::Refused(RefusedDirective::OutsideOfSuites)),
                None => None,
            },
            _ => None,
        };
        self.note(begin, kind.unwrap_or(DirectiveKind::Unread));
    }

    /// The operand of `__has_include`. Without one, the word may get its operand from a macro.
    fn has_include(&mut self, begin: usize) {
        let after = self.at;
        self.blanks();
        let refusal = if self.peek(0) == Some(b'(') {
            self.step(1);
            self.blanks();
            let name = match self.peek(0) {
                Some(b'"') => Some(self.named(b'"')),
                Some(b'<') => Some(self.named(b'>')),
                _ => None,
            };
            match name {
                Some(name) if name.as_deref().and_then(normalize).is_some() => None,
                Some(_) => Some(RefusedDirective::OutsideOfSuites),
                None => Some(RefusedDirective::UnreadCondition),
            }
        } else {
            Some(RefusedDirective::UnreadCondition)
        };
        if let Some(refusal) = refusal {
            self.note(begin, DirectiveKind::Refused(refusal));
        }
        self.at = after;
    }

    /// `#line` and `# 1 "file"`: a number alone is the kernel's own matter.
    fn line_marker(&mut self, begin: usize) {
        loop {
            self.blanks();
            match self.peek(0) {
                Some(byte) if byte.is_ascii_digit() => self.number(),
                None | Some(b'\n') => return,
                Some(_) => break,
            }
        }
        self.note(begin, DirectiveKind::Refused(RefusedDirective::RenamesLines));
    }

    /// Pragmas of gcc that open a file.
    fn pragma(&mut self, begin: usize) {
        if self.take_word() == b"GCC" {
            self.blanks();
            if matches!(self.take_word(), b"dependency" | b"pch_preprocess") {
                self.note(begin, DirectiveKind::Refused(RefusedDirective::OutsideOfSuites));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(usize, DirectiveKind)> {
        let found = scan(text.as_bytes()).directives.into_iter();
        found.map(|found| (found.line, found.kind)).collect()
    }

    /// The offsets of the bytes that are left, one byte after the other.
    fn offsets(text: &[u8]) -> Vec<usize> {
        let mut offsets = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at + 1..];
            let blanks = rest.iter().take_while(|byte| is_blank(**byte) && **byte != b'\r').count();
            let break_bytes = match &rest[blanks..] {
                [b'\n', ..] => 1,
                [b'\r', b'\n', ..] => 2,
                _ => 0,
            };
            if text[at] == b'\\' && break_bytes > 0 {
                at += 1 + blanks + break_bytes;
            } else {
                offsets.push(at);
                at += 1;
            }
        }
        offsets
    }

    #[test]
    fn every_short_text_is_spliced_as_byte_by_byte() {
        let alphabet = b"\\\n\r a";
        for number in 0..5_usize.pow(7) {
            let digits = std::iter::successors(Some(number), |rest| Some(rest / 5));
            let text: Vec<u8> = digits.take(7).map(|digit| alphabet[digit % 5]).collect();
            let spliced = Spliced::new(&text);
            let expected = offsets(&text);
            let places = 0..spliced.bytes.len();
            let found: Vec<usize> = places.filter_map(|place| spliced.origin(place)).collect();
            assert_eq!(found, expected, "{text:?}");
            let left: Vec<u8> = expected.iter().map(|at| text[*at]).collect();
            assert_eq!(spliced.bytes, left, "{text:?}");
            for origin in 0..=text.len() {
                let place = expected.partition_point(|found| *found < origin);
                assert_eq!(spliced.place(origin), place, "{text:?} at {origin}");
            }
        }
    }

    fn include(name: &str) -> DirectiveKind {
        DirectiveKind::Include(name.to_owned())
    }

    #[test]
    fn no_spelling_hides_an_include() {
        for text in [
            "#include \"a.h\"",
            " \t# include \"a.h\"",
            "%:include \"a.h\"",
            "#include\"a.h\"",
            "/* x */ #include \"a.h\"",
            "#/**/include/* x */\"a.h\"",
            "#inc\\\nlude \"a.h\"",
            "#inc\\ \t\nlude \"a.h\"",
            "#inc\\\r\nlude \"a\\\n.h\"",
            "#include \\\n \"a.h\"",
            "#include /* two\nlines */ \"a.h\"",
        ] {
            assert_eq!(kinds(text), [(1, include("a.h"))], "{text:?}");
        }
        assert_eq!(kinds("/* one\n */ #include \"a.h\""), [(2, include("a.h"))]);
        assert_eq!(kinds("int a = 0x7000'0000; // '\n#include \"a.h\""), [(2, include("a.h"))]);
        assert_eq!(kinds("char a = '\"';\n#include \"a.h\""), [(2, include("a.h"))]);
        assert_eq!(kinds("auto a = \"\\\"/*\";\n#include \"a.h\""), [(2, include("a.h"))]);
        assert_eq!(kinds("auto a = R\"x(\")\" /* )x\";\n#include \"a.h\""), [(2, include("a.h"))]);
        assert_eq!(kinds("#define A R\"(\n#include \"a.h\"\n)\""), [(2, include("a.h"))]);
        assert_eq!(kinds("#define A R\"(#)\"\n#include \"a.h\""), [(2, include("a.h"))]);
        // A backslash joins no lines of a raw string: the string ends at its second `)x"`.
        let raw = "auto a = R\"x( )\\\nx\" /* )x\";\n#include \"a.h\"\n// */";
        assert_eq!(kinds(raw), [(3, include("a.h"))]);
    }

    #[test]
    fn text_that_only_looks_like_a_directive_is_none() {
        for text in [
            "// #include \"a.h\"",
            "// \\\n#include \"a.h\"",
            "/*\n#include \"a.h\"\n*/",
            "auto a = R\"(\n#include \"a.h\"\n)\";",
            "int a; #include \"a.h\"",
            "#define A #include \"a.h\"",
            "#includes \"a.h\"",
            "#include <stdint.h>",
            "#line 7\n# 12\n#line 0x1 // \"a\"",
            "#ifdef __has_include\n#if defined(__has_include)\n#if __has_include(\"a.h\")",
            "#if __has_include( <api/a.h> )",
            "#ifndef __has_include\n#if defined __has_include && defined ( __has_embed )",
            "int a;\r\nint b;\r\n",
            "#pragma once\n#pragma GCC unroll 4",
        ] {
            assert_eq!(kinds(text), [], "{text:?}");
        }
    }

    #[test]
    fn what_only_a_preprocessor_can_read_is_unread() {
        for text in [
            "#include HEADER",
            "#include \"a.h",
            "#include <a.h",
            "#include",
            "#include_next \"a.h\"",
            "#import <a.h>",
            "#embed \"a.bin\"",
        ] {
            assert_eq!(kinds(text), [(1, DirectiveKind::Unread)], "{text:?}");
        }
    }

    #[test]
    fn files_outside_and_names_for_lines_are_refused() {
        for text in [
            "#include </etc/passwd>",
            "#include <../x.h>",
            "#include \"/etc/passwd\"",
            "#inc\\\nlude </etc/passwd>",
            "#if __has_include(</etc/passwd>)",
            "#if __has_include ( \"../../x\" )",
            "#pragma GCC dependency \"/etc/passwd\"",
        ] {
            let outside = DirectiveKind::Refused(RefusedDirective::OutsideOfSuites);
            let found: Vec<_> = kinds(text).into_iter().map(|(_, kind)| kind).collect();
            assert_eq!(found, [outside], "{text:?}");
        }
        for text in [
            "#if __has_include(NAME)",
            "#define H __has_include\n#if H(\"a.h\")",
            "#if __has_embed NAME",
        ] {
            let unread = DirectiveKind::Refused(RefusedDirective::UnreadCondition);
            assert_eq!(kinds(text), [(1, unread)], "{text:?}");
        }
        let lone = DirectiveKind::Refused(RefusedDirective::LoneCarriageReturn);
        assert_eq!(kinds("int a;\n// c\r#include <a.h>"), [(2, lone.clone())]);
        assert_eq!(kinds("int a;\r"), [(1, lone)]);
        for text in ["#line 1 \"/etc/passwd\"", "# 1 \"/etc/passwd\" 2", "#line NUMBER"] {
            let renames = DirectiveKind::Refused(RefusedDirective::RenamesLines);
            assert_eq!(kinds(text), [(1, renames)], "{text:?}");
        }
        let found = scan(b"\n\n  #include </etc/passwd> // x\n").directives;
        let [found] = found.try_into().unwrap();
        assert_eq!((found.line, found.text.as_str()), (3, "#include </etc/passwd> // x"));
    }

    #[test]
    fn words_that_a_macro_can_join_to_has_include_are_told() {
        let can_ask = |text: &str| scan(text.as_bytes()).pieces.can_ask();
        for text in [
            "#define C(a, b) a##b\n#if C(__has_, include)(\"/etc/passwd\")",
            "#define A __has_inc\n#define B lude",
            "#define A(x) _##x\n#if A(_has_include)(</etc/passwd>)",
            "#define A __has_em %:%: bed",
            "#define A __has_\\\n_\n#define B include\n#define C __has_",
        ] {
            assert!(can_ask(text), "{text:?}");
        }
        for text in [
            "#include \"a.h\"\n#if __has_include(\"a.h\")\n#endif",
            "bool has_include; int include; // __has_ include",
            "auto a = \"__has_\"; int include;",
            "int __has_includes, __has_; bool embedded;",
            "",
        ] {
            assert!(!can_ask(text), "{text:?}");
        }
    }
}
