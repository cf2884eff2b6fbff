//! Text of people who are not trusted, made safe for each kind of output: one function for each.
//!
//! A suite, a kernel, a capture or a package may hold any letters. On a terminal they could move the cursor, ring, or
//! turn the direction of a line; in the log of a continuous-integration service, a line could be read as a command.

use std::fmt::Write as _;

/// The display of a letter.
pub(crate) enum Shown {
    Itself,
    Instead(char),
    Named,
}

/// The harmless display of a letter. Control characters have pictures of their own. Characters that change the
/// direction of a text, are blank, take no room or join other letters are shown by name.
pub(crate) fn harmless(letter: char) -> Shown {
    match letter {
        '\t' => Shown::Instead(' '),
        '\0'..='\x1f' => picture(u32::from(letter)),
        '\x7f' => Shown::Instead('␡'),
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{2000}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{205f}'..='\u{206f}'
        | '\u{2800}'
        | '\u{3000}'
        | '\u{3164}'
        | '\u{ffa0}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => Shown::Named,
        _ => Shown::Itself,
    }
}

/// The picture of a control character, such as `␛`.
fn picture(code: u32) -> Shown {
    char::from_u32(code.saturating_add(0x2400)).map_or(Shown::Named, Shown::Instead)
}

/// The name of a letter, such as `⟨U+202E⟩`.
pub(crate) fn named(letter: char) -> String {
    format!("⟨U+{:04X}⟩", u32::from(letter))
}

fn push(shown: &mut String, letter: char) {
    match harmless(letter) {
        Shown::Itself => shown.push(letter),
        Shown::Instead(other) => shown.push(other),
        Shown::Named => shown.push_str(&named(letter)),
    }
}

/// A name or another short text in backquotes, for a sentence: none of its words reads as one of the sentence around it.
/// Backquotes in it become apostrophes, and letters that are not harmless are escaped.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len().saturating_add(2));
    quoted.push('`');
    for letter in text.chars() {
        match harmless(letter) {
            Shown::Itself if letter == '`' => quoted.push('\''),
            Shown::Itself => quoted.push(letter),
            Shown::Instead(_) | Shown::Named => quoted.extend(letter.escape_default()),
        }
    }
    quoted.push('`');
    quoted
}

/// Lines for a terminal or a log. Line ends and colours stay; colours can neither hide a text nor move it. No line is
/// a command of a GitHub workflow, which begins with `::` or contains `##[`.
pub fn for_terminal(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut begins = true;
    let mut hashes: usize = 0;
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        if let Some(colour) = colour(rest) {
            shown.push_str(colour);
            rest = rest.strip_prefix(colour).unwrap_or_default();
            continue;
        }
        if begins && let Some(after) = rest.strip_prefix("::") {
            shown.push_str("⟨::⟩");
            (rest, begins, hashes) = (after, false, 0);
            continue;
        }
        match letter {
            '\n' => shown.push('\n'),
            '[' if hashes >= 2 => shown.push_str("⟨[⟩"),
            letter => push(&mut shown, letter),
        }
        begins = letter == '\n' || begins && (letter.is_whitespace() || letter.is_control());
        hashes = if letter == '#' { hashes.saturating_add(1) } else { 0 };
        rest = rest.strip_prefix(letter).unwrap_or_default();
    }
    shown
}

/// The escape sequence of a colour or of bold, faint, italic or underlined letters, at the beginning of a text. Black
/// is none, because it cannot be seen on most terminals.
fn colour(text: &str) -> Option<&str> {
    let parameters = text.strip_prefix("\x1b[")?;
    let length = parameters.find(|letter: char| !letter.is_ascii_digit() && letter != ';')?;
    let (parameters, rest) = parameters.split_at_checked(length)?;
    let is_visible = |parameter: &str| {
        matches!(parameter.parse(), Ok(0_u8..=4 | 22..=24 | 31..=37 | 39 | 91..=97))
            || parameter.is_empty()
    };
    if !rest.starts_with('m') || !parameters.split(';').all(is_visible) {
        return None;
    }
    text.get(..length.saturating_add("\x1b[m".len()))
}

/// The text of a JSON document. Letters that are not harmless can stand only in its strings, where an escape means the
/// same.
pub fn for_json(document: &str) -> String {
    let mut safe = String::with_capacity(document.len());
    for letter in document.chars() {
        match harmless(letter) {
            // No JSON holds `##[` outside of a string.
            Shown::Itself if letter == '[' && safe.ends_with("##") => safe.push_str("\\u005b"),
            Shown::Itself => safe.push(letter),
            Shown::Instead(_) if matches!(letter, '\n' | '\r' | '\t') => safe.push(letter),
            Shown::Instead(_) | Shown::Named => {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    // Writing to a `String` cannot fail.
                    let _ = write!(safe, "\\u{unit:04x}");
                }
            }
        }
    }
    safe
}

/// A message for another format that has its own escapes, such as XML or an annotation. Line ends stay.
pub fn for_message(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => safe.push('\n'),
            '[' if safe.ends_with("##") => safe.push_str("⟨[⟩"),
            letter => push(&mut safe, letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_external_text_stays_within_its_quotes() {
        assert_eq!(quoted("build 1.1"), "`build 1.1`");
        assert_eq!(quoted("x` conforms to `strict"), "`x' conforms to 'strict`");
        assert_eq!(quoted("a\nb\u{1b}[2K"), r"`a\nb\u{1b}[2K`");
        assert_eq!(quoted("a\u{202e}b\u{200b}\u{feff}"), r"`a\u{202e}b\u{200b}\u{feff}`");
        assert_eq!(quoted("a\tb\u{3164}"), r"`a\tb\u{3164}`");
        assert_eq!(quoted("Füße – 中"), "`Füße – 中`");
    }

    #[test]
    fn a_terminal_obeys_no_letter() {
        for (text, shown) in [
            ("a\x1b[2J\x07b\r\nc\td", "a␛[2J␇b␍\nc d"),
            ("a\u{202e}b\u{2066}c\u{200b}", "a⟨U+202E⟩b⟨U+2066⟩c⟨U+200B⟩"),
            ("\u{9b}2J\x7f", "⟨U+009B⟩2J␡"),
            // Colours stay unless they hide.
            ("\x1b[1m\x1b[31mFAIL\x1b[0m a", "\x1b[1m\x1b[31mFAIL\x1b[0m a"),
            ("\x1b[1;31ma\x1b[m", "\x1b[1;31ma\x1b[m"),
            ("\x1b[8ma\x1b[30mb\x1b[1;47mc\x1b[38;5;0md", "␛[8ma␛[30mb␛[1;47mc␛[38;5;0md"),
            ("\x1b]0;title\x07\x1b[99999999999m\x1b[", "␛]0;title␇␛[99999999999m␛["),
            ("grün ■ 漢 6\u{202f}553", "grün ■ 漢 6\u{202f}553"),
        ] {
            assert_eq!(for_terminal(text), shown, "{text:?}");
        }
    }

    #[test]
    fn no_line_is_a_workflow_command() {
        for (text, shown) in [
            ("::error::x", "⟨::⟩error::x"),
            ("a\n  ::error::x\nb::c", "a\n  ⟨::⟩error::x\nb::c"),
            ("a\n\t\x1b[1m::add-mask::x", "a\n \x1b[1m⟨::⟩add-mask::x"),
            ("a\n\x1b::error::x", "a\n␛⟨::⟩error::x"),
            (
                "##[error]x ##\x1b[0m[error] # [a] #[b]",
                "##⟨[⟩error]x ##\x1b[0m⟨[⟩error] # [a] #[b]",
            ),
            ("wormhole_b0::a::b", "wormhole_b0::a::b"),
        ] {
            assert_eq!(for_terminal(text), shown, "{text:?}");
        }
    }

    #[test]
    fn json_means_the_same() {
        let text = "a\x1b\x07\u{202e}\u{e0001}\x7f\"\\\n漢##[a]";
        let document = serde_json::to_string_pretty(&[text]).unwrap();
        let safe = for_json(&document);
        assert_eq!(serde_json::from_str::<Vec<String>>(&safe).unwrap(), [text]);
        assert!(!safe.contains("##["), "{safe}");
        assert!(!safe.contains(['\u{202e}', '\u{e0001}', '\x7f', '\x1b', '\x07']), "{safe}");
        assert!(safe.contains("\\u202e\\udb40\\udc01\\u007f") && safe.contains('漢'), "{safe}");
    }

    #[test]
    fn a_message_keeps_its_lines_alone() {
        assert_eq!(for_message("a\nb\r\x1b[31m\u{2028}c##[d"), "a\nb␍␛[31m⟨U+2028⟩c##⟨[⟩d");
    }
}
