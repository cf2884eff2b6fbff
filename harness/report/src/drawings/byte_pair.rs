//! The first differing bytes, side by side as little-endian 32-bit words, as in reports on a terminal.

use maud::{Markup, html};

use super::captioned;
use crate::picture::BytePair;
use crate::text::{grouped, to_u64, word};

/// Bytes of a row.
const ROW: usize = 16;
/// The largest number of rows.
const ROWS: usize = 8;

/// The bytes with their sentence.
pub(super) fn figure(pair: &BytePair) -> Markup {
    let (left, right) = (words_of(&pair.left), words_of(&pair.right));
    let words = left.len().max(right.len());
    let differing = (0..words).filter(|&place| left.get(place) != right.get(place)).count();
    let bytes = |digits: &str| digits.len().div_ceil(2).min(ROW * ROWS);
    let shown = to_u64(bytes(&pair.left).max(bytes(&pair.right)));
    let last = pair.offset.saturating_add(shown.saturating_sub(1));
    let caption = html! {
        "Bytes " (grouped(pair.offset)) "–" (grouped(last)) " of " code { (word(&pair.object)) }
        ", as little-endian words; "
        b { (grouped(to_u64(differing))) } @if differing == 1 { " of these words differs" } @else { " of these words differ" }
    };
    let content = html! {
        div.pair {
            (side(&pair.left_name, pair.offset, &left, &right))
            (side(&pair.right_name, pair.offset, &right, &left))
        }
    };
    captioned("bytes", &caption, &content)
}

/// Words of up to four bytes; the first byte in memory is the last in the word.
fn words_of(digits: &str) -> Vec<String> {
    let digits: Vec<char> =
        digits.chars().filter(char::is_ascii_hexdigit).take(ROW * ROWS * 2).collect();
    digits
        .chunks(8)
        .map(|word| word.chunks(2).rev().flat_map(|byte| byte.iter()).collect())
        .collect()
}

fn side(name: &str, offset: u64, here: &[String], there: &[String]) -> Markup {
    let rows = here.chunks(ROW / 4).zip(0_u64..);
    html! {
        table {
            thead { tr { th {} th colspan="4" { (word(name)) } } }
            tbody {
                @for (row, number) in rows {
                    @let at = offset.saturating_add(number.saturating_mul(to_u64(ROW)));
                    tr {
                        th { (format!("{at:#x}")) }
                        @for (word, place) in row.iter().zip((number.saturating_mul(4))..) {
                            @let other = usize::try_from(place).ok().and_then(|at| there.get(at));
                            @if other == Some(word) { td { (word) } }
                            @else { td.differs { (word) } }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_differ_are_marked_on_both_sides() {
        let pair = BytePair {
            object: "out".to_owned(),
            left_name: "expected".to_owned(),
            right_name: "actual".to_owned(),
            offset: 0x40,
            left: "000102030405060708090a0b0c0d0e0f10".to_owned(),
            right: "00010203ff05060708090a0b0c0d0e0f".to_owned(),
        };
        let text = figure(&pair).into_string();
        assert!(text.contains("<td>03020100</td>"), "{text}");
        assert!(text.contains("<td class=\"differs\">07060504</td>"), "{text}");
        assert!(text.contains("<td class=\"differs\">070605ff</td>"), "{text}");
        // One side may be shorter.
        assert!(text.contains("<th>0x50</th><td class=\"differs\">10</td>"), "{text}");
        assert!(text.contains("Bytes 64–80 of") && text.contains("<b>2</b> of these"), "{text}");
    }

    #[test]
    fn no_more_than_the_rows_are_shown_and_nothing_but_digits() {
        let pair = BytePair {
            object: String::new(),
            left_name: String::new(),
            right_name: String::new(),
            offset: u64::MAX - 15,
            left: "<b>zz".repeat(1000),
            right: "ab".repeat(10_000),
        };
        let text = figure(&pair).into_string();
        assert!(text.matches("<td").count() <= 2 * ROW / 4 * ROWS, "{text}");
        assert!(!text.contains("zz"), "{text}");
    }
}
