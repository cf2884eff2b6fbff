//! Differences between two runs of bytes, as text.

use hallmark_schema::model::{BufferId, Capture};
use hallmark_schema::plural::{counted, grouped};

use super::place::ReadPlace;

/// The number of shown words of either side.
const SHOWN_WORDS: usize = 4;
/// The largest number of pages that are drawn; differing pages of a larger buffer are listed.
const DRAWN_PAGES: u64 = 128;

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks(4)
        .map(|chunk| {
            let mut word = [0; 4];
            for (to, from) in word.iter_mut().zip(chunk) {
                *to = *from;
            }
            u32::from_le_bytes(word)
        })
        .collect()
}

/// The index of the first differing word.
fn first_difference(expected: &[u32], actual: &[u32]) -> usize {
    expected
        .iter()
        .zip(actual)
        .position(|(one, other)| one != other)
        .unwrap_or_else(|| expected.len().min(actual.len()))
}

/// `out` differs from `src` in 512 of 3584 words, first at word 1536 (page 3, byte 0).
pub(super) fn headline(
    output: &str,
    against: &str,
    expected: &[u8],
    actual: &[u8],
    read: Option<&ReadPlace>,
) -> String {
    if expected.len() != actual.len() {
        return format!(
            "Mismatch: `{output}` has {} B, {against} has {} B",
            grouped(actual.len()),
            grouped(expected.len())
        );
    }
    format!("Mismatch: `{output}` differs from {against} {}", extent(expected, actual, read))
}

/// The extent of the difference: `in 512 of 3584 words, first at word 1536 (page 3, byte 0)`.
fn extent(expected: &[u8], actual: &[u8], read: Option<&ReadPlace>) -> String {
    let (expected, actual) = (words(expected), words(actual));
    let differing = expected.iter().zip(&actual).filter(|(one, other)| one != other).count();
    let first = first_difference(&expected, &actual);
    let byte = u64::try_from(first).unwrap_or(u64::MAX).saturating_mul(4);
    let place = read.map_or_else(String::new, |read| {
        format!(" (page {}, byte {})", byte / read.page_size, byte % read.page_size)
    });
    format!(
        "in {} of {}, first at word {first}{place}",
        grouped(differing),
        counted(expected.len(), "word", "words"),
    )
}

/// A buffer that two sides hold differently: how much of it, the words of both, the pages and the first one's place.
pub fn buffer_difference(
    capture: &Capture,
    buffer: BufferId,
    name: &str,
    [(one, expected), (other, actual)]: [(&str, &[u8]); 2],
) -> Vec<String> {
    let read = ReadPlace::of_buffer(capture, buffer, 0);
    let mut lines = vec![format!("`{name}` differs {}", extent(expected, actual, read.as_ref()))];
    let width = one.chars().count().max(other.chars().count());
    let sides = [format!("{one:<width$}"), format!("{other:<width$}")];
    let [one, other] = &sides;
    lines.extend(lines_of([(one, expected), (other, actual)], read.as_ref()));
    lines
}

/// The expected and the actual words, the drawn pages, and the place of the first differing page.
pub(super) fn lines(expected: &[u8], actual: &[u8], read: Option<&ReadPlace>) -> Vec<String> {
    lines_of([("expected", expected), ("actual", actual)], read)
}

/// The same lines for two sides with other names.
pub(super) fn lines_of(
    [(one, expected), (other, actual)]: [(&str, &[u8]); 2],
    read: Option<&ReadPlace>,
) -> Vec<String> {
    let (expected_words, actual_words) = (words(expected), words(actual));
    let first = first_difference(&expected_words, &actual_words);
    let shown = |words: &[u32]| {
        let mut text: Vec<String> =
            words.iter().skip(first).take(SHOWN_WORDS).map(|word| format!("{word:08x}")).collect();
        if words.len() > first.saturating_add(SHOWN_WORDS) {
            text.push("…".to_owned());
        }
        text.join(" ")
    };
    let mut lines = vec![
        format!("{one:<8}  {}", shown(&expected_words)),
        format!("{other:<8}  {}", shown(&actual_words)),
    ];
    lines.extend(differing_pages(expected, actual, read, |one, other| one != other));
    lines
}

/// The differing pages, drawn, and the place of the first one.
pub(super) fn differing_pages(
    expected: &[u8],
    actual: &[u8],
    read: Option<&ReadPlace>,
    differ: impl Fn(&[u8], &[u8]) -> bool,
) -> Vec<String> {
    let Some(read) = read else { return Vec::new() };
    let Ok(page_size) = usize::try_from(read.page_size) else { return Vec::new() };
    let differs: Vec<bool> = expected
        .chunks(page_size)
        .zip(actual.chunks(page_size))
        .map(|(one, other)| differ(one, other))
        .collect();
    let mut lines: Vec<String> = pages(&differs).into_iter().collect();
    let first_page = differs.iter().position(|&differs| differs);
    lines.extend(
        first_page.and_then(|page| u64::try_from(page).ok()).and_then(|page| read.page(page)),
    );
    lines
}

/// The differing pages, drawn.
pub(super) fn drawn_pages(expected: &[u8], actual: &[u8], page_size: u64) -> Option<String> {
    let page_size = usize::try_from(page_size).ok().filter(|size| *size > 0)?;
    let both = expected.chunks(page_size).zip(actual.chunks(page_size));
    pages(&both.map(|(one, other)| one != other).collect::<Vec<_>>())
}

fn pages(differs: &[bool]) -> Option<String> {
    let count = u64::try_from(differs.len()).unwrap_or(u64::MAX);
    if count < 2 {
        return None;
    }
    if count <= DRAWN_PAGES {
        let drawn: String =
            differs.iter().map(|&differs| if differs { '■' } else { '·' }).collect();
        return Some(format!("pages     {drawn}  (■ differs)"));
    }
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for (page, _) in differs.iter().enumerate().filter(|(_, differs)| **differs) {
        match ranges.last_mut() {
            Some((_, end)) if end.saturating_add(1) == page => *end = page,
            _ => ranges.push((page, page)),
        }
    }
    let differing = differs.iter().filter(|differs| **differs).count();
    let total = ranges.len();
    let mut names: Vec<String> = ranges
        .iter()
        .take(8)
        .map(|(start, end)| if start == end { start.to_string() } else { format!("{start}–{end}") })
        .collect();
    if total > names.len() {
        names.push("…".to_owned());
    }
    let verb = if differing == 1 { "differs" } else { "differ" };
    Some(format!("pages     {differing} of {count} {verb}: {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_differ() {
        let expected: Vec<u8> = (0..64).collect();
        let mut actual = expected.clone();
        actual[20] = 99;
        insta::assert_snapshot!(
            headline("out", "`src`", &expected, &actual, None),
            @"Mismatch: `out` differs from `src` in 1 of 16 words, first at word 5"
        );
        insta::assert_snapshot!(lines(&expected, &actual, None).join("\n"), @r"
        expected  17161514 1b1a1918 1f1e1d1c 23222120 …
        actual    17161563 1b1a1918 1f1e1d1c 23222120 …
        ");
        assert_eq!(
            headline("out", "`src`", &expected, &[], None),
            "Mismatch: `out` has 0 B, `src` has 64 B"
        );
        // An ellipsis appears exactly if more words follow.
        for (words, ends) in [(4, "23222120"), (5, "…")] {
            let end = 20 + words * 4;
            let shown = lines(&expected[20..end], &actual[20..end], None);
            assert!(shown[0].ends_with(ends), "{shown:?}");
        }
    }

    #[test]
    fn pages_are_drawn_or_named() {
        assert_eq!(pages(&[false, true, false]).unwrap(), "pages     ·■·  (■ differs)");
        let mut many = vec![false; 640];
        for page in [3, 5, 9, 10, 11, 12] {
            many[page] = true;
        }
        assert_eq!(pages(&many).unwrap(), "pages     6 of 640 differ: 3, 5, 9–12");
        let one: Vec<bool> = (0..130).map(|page| page == 0).collect();
        assert_eq!(pages(&one).unwrap(), "pages     1 of 130 differs: 0");
        assert!(pages(&[true]).is_none());
        // Eight ranges are listed, followed by a note about the rest.
        let alternate = |ranges: usize| -> Vec<bool> {
            (0..640).map(|page| page % 2 == 0 && page / 2 < ranges).collect()
        };
        let eight = "differ: 0, 2, 4, 6, 8, 10, 12, 14";
        assert_eq!(pages(&alternate(8)).unwrap(), format!("pages     8 of 640 {eight}"));
        assert_eq!(pages(&alternate(9)).unwrap(), format!("pages     9 of 640 {eight}, …"));
    }
}
