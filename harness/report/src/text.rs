//! Strings of a report for HTML: escaped, shortened, and without characters that move other text.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, Render};

use crate::untrusted::{Shown, harmless, named};

/// The largest number of shown letters of a name.
pub(crate) const NAME: usize = 400;
/// The largest number of shown letters of a line.
pub(crate) const LINE: usize = 1_000;
/// The largest number of shown letters of a word or two.
pub(crate) const WORD: usize = 80;

/// The average number of HTML bytes that a letter of a text may take: most letters take one, and `⟨U+E0001⟩`
/// takes thirteen.
const BYTES: usize = 3;
/// The largest number of combining marks on one letter; more would be drawn over other lines.
const MARKS: usize = 2;

/// An escaped string of limited length. Control characters are shown by name, so that neither a terminal nor a
/// browser obeys them.
pub(crate) struct Text<'a> {
    text: &'a str,
    letters: usize,
    kind: Kind,
}

/// The kind of a text, which determines its display.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Plain text.
    Plain,
    /// The name of a test: lines may break after `::`.
    Name,
    /// Sentences with code in backticks.
    Prose,
}

/// A line of text.
pub(crate) const fn line(text: &str) -> Text<'_> {
    Text::of(text, LINE)
}

/// A line of text with code in backticks.
pub(crate) const fn prose(text: &str) -> Text<'_> {
    Text { text, letters: LINE, kind: Kind::Prose }
}

/// A word or two.
pub(crate) const fn word(text: &str) -> Text<'_> {
    Text::of(text, WORD)
}

/// The name of a test, which may be broken after `::`.
pub(crate) const fn name(text: &str) -> Text<'_> {
    Text { text, letters: NAME, kind: Kind::Name }
}

impl<'a> Text<'a> {
    /// A text of at most `letters` letters.
    pub(crate) const fn of(text: &'a str, letters: usize) -> Self {
        Self { text, letters, kind: Kind::Plain }
    }

    /// The shown text before it is escaped.
    pub(crate) fn plain(&self) -> String {
        let mut shown = String::new();
        let mut room = self.letters.saturating_mul(BYTES);
        let mut marks: usize = 0;
        let mut letters = self.text.chars().enumerate();
        let mut left_out: usize = 0;
        for (place, letter) in letters.by_ref() {
            marks = if is_mark(letter) { marks.saturating_add(1) } else { 0 };
            let text = match harmless(letter) {
                Shown::Itself if marks > MARKS => named(letter),
                Shown::Itself => letter.to_string(),
                Shown::Instead(other) => other.to_string(),
                Shown::Named => named(letter),
            };
            match room.checked_sub(cost(&text)) {
                Some(left) if place < self.letters => room = left,
                Some(_) | None => {
                    left_out = 1;
                    break;
                }
            }
            shown.push_str(&text);
        }
        left_out = left_out.saturating_add(letters.count());
        if left_out > 0 {
            let _ =
                write!(shown, "… ({})", counted(to_u64(left_out), "more letter", "more letters"));
        }
        shown
    }
}

impl Render for Text<'_> {
    fn render(&self) -> Markup {
        let plain = self.plain();
        let mut escaped = String::with_capacity(plain.len());
        maud::Escaper::new(&mut escaped).write_str(&plain).ok();
        PreEscaped(match self.kind {
            Kind::Plain => escaped,
            Kind::Name => escaped.replace("::", "::<wbr>"),
            Kind::Prose => with_code(&escaped),
        })
    }
}

/// Escaped text with its code marked up. A backtick without a partner is shown.
fn with_code(escaped: &str) -> String {
    let mut marked = String::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some((before, after)) = rest.split_once('`') {
        let Some((code, behind)) = after.split_once('`') else { break };
        let _ = write!(marked, "{before}<code>{code}</code>");
        rest = behind;
    }
    marked.push_str(rest);
    marked
}

/// The number of bytes of an escaped text.
fn cost(text: &str) -> usize {
    let of = |letter: char| match letter {
        '&' | '<' | '>' => 5,
        '"' => 6,
        _ => letter.len_utf8(),
    };
    text.chars().map(of).sum()
}

/// Whether a letter is a combining mark, in the blocks shared by all scripts.
const fn is_mark(letter: char) -> bool {
    matches!(
        letter,
        '\u{300}'..='\u{36f}'
            | '\u{1ab0}'..='\u{1aff}'
            | '\u{1dc0}'..='\u{1dff}'
            | '\u{20d0}'..='\u{20ff}'
            | '\u{fe20}'..='\u{fe2f}'
    )
}

/// A number with its digits in groups of three.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && digits.len().saturating_sub(place).is_multiple_of(3) {
            // A narrow no-break space.
            grouped.push('\u{202f}');
        }
        grouped.push(digit);
    }
    grouped
}

/// "1 test", "2 tests".
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// A length or an index as a number for display.
pub(crate) fn to_u64(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// A duration in human-readable form: `0.42 s`, `3 min 20 s`.
pub(crate) fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "?".to_owned();
    }
    if seconds < 10.0 {
        return format!("{seconds:.2} s");
    }
    if seconds < 120.0 {
        return format!("{seconds:.1} s");
    }
    let minutes = (seconds / 60.0).floor();
    format!("{minutes:.0} min {:.0} s", (seconds - minutes * 60.0).floor())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &Text<'_>) -> String {
        text.render().into_string()
    }

    #[test]
    fn marks_of_html_are_escaped() {
        assert_eq!(
            rendered(&line("<b onclick=\"x\">&amp;'</b>")),
            "&lt;b onclick=&quot;x&quot;&gt;&amp;amp;'&lt;/b&gt;"
        );
        assert_eq!(rendered(&name("a::<b>::c")), "a::<wbr>&lt;b&gt;::<wbr>c");
    }

    #[test]
    fn what_stands_between_backticks_is_code() {
        assert_eq!(
            rendered(&prose("`a<b>` differs from `c`, and ` alone")),
            "<code>a&lt;b&gt;</code> differs from <code>c</code>, and ` alone"
        );
        assert_eq!(rendered(&prose("`<`b`")), "<code>&lt;</code>b`");
        assert_eq!(rendered(&line("`a`")), "`a`");
    }

    #[test]
    fn what_cannot_be_seen_is_named() {
        assert_eq!(rendered(&line("a\x1b[2J\r\nb\x7f")), "a␛[2J␍␊b␡");
        assert_eq!(rendered(&line("a\u{202e}b\u{200b}c\u{85}")), "a⟨U+202E⟩b⟨U+200B⟩c⟨U+0085⟩");
        assert_eq!(rendered(&line("grün ■ é 漢")), "grün ■ é 漢");
        assert_eq!(rendered(&line("a\u{3000}b\u{3164}")), "a⟨U+3000⟩b⟨U+3164⟩");
        let stacked = format!("e{}", "\u{301}".repeat(4));
        assert_eq!(rendered(&line(&stacked)), "e\u{301}\u{301}⟨U+0301⟩⟨U+0301⟩");
    }

    #[test]
    fn a_long_text_is_cut_at_its_limit_and_says_so() {
        let of = |letters: usize| rendered(&line(&"x".repeat(letters)));
        assert_eq!(of(LINE), "x".repeat(LINE));
        assert_eq!(of(LINE + 1), format!("{}… (1 more letter)", "x".repeat(LINE)));
        assert!(of(1 << 20).len() < LINE + 40);
        // A text whose letters take more bytes than allowed is cut earlier.
        let of = |letter: &str| rendered(&line(&letter.repeat(LINE + 1)));
        for letter in ["\"", "\u{e0001}", "𝄞", "漢"] {
            assert!(of(letter).len() <= BYTES * LINE + 40, "{letter:?}");
        }
        assert!(of("\u{e0001}").ends_with("⟩… (771 more letters)"), "{}", of("\u{e0001}"));
    }

    #[test]
    fn numbers_and_times() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(counted(1, "test", "tests"), "1 test");
        assert_eq!(duration(0.004), "0.00 s");
        assert_eq!(duration(61.25), "61.2 s");
        assert_eq!(duration(200.9), "3 min 20 s");
        assert_eq!(duration(f64::NAN), "?");
        assert_eq!(duration(-1.0), "?");
    }
}
