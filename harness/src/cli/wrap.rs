//! Wraps lines for a terminal. No word is broken, and a command can still be copied.

use textwrap::core::display_width;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

/// A narrower terminal breaks lines by itself.
const NARROWEST: usize = 20;

/// Wraps a text to lines of at most `columns` columns; a longer word stays whole. A continued line is indented
/// two columns more than its beginning; a continued command ends with `\`.
pub(super) fn wrapped(text: &str, columns: Option<usize>) -> String {
    let Some(columns) = columns.filter(|columns| *columns >= NARROWEST) else {
        return text.to_owned();
    };
    let lines: Vec<String> = text.lines().map(|line| wrapped_line(line, columns)).collect();
    lines.join("\n")
}

fn wrapped_line(line: &str, columns: usize) -> String {
    // A line of a suite and the marks below it must stay aligned by column.
    if display_width(line) <= columns || line.contains(['│', '┌']) {
        return line.to_owned();
    }
    let indent = line.len().saturating_sub(line.trim_start_matches(' ').len());
    let (first, next) = (" ".repeat(indent), " ".repeat(indent.saturating_add(2)));
    let content = line.get(indent..).unwrap_or_default();
    let Some((before, command)) = split_command(content) else {
        return filled(content, columns, &first, &next).join("\n");
    };
    // A quoted part cannot continue on another line.
    if command.contains(['\'', '"']) {
        return line.to_owned();
    }
    let (text, spaces) = before.split_at(before.trim_end().len());
    let mut lines = filled(text, columns, &first, &next);
    // Room for ` \\`.
    let mut parts =
        filled(command, columns.saturating_sub(2), &next, &format!("{next}  ")).into_iter();
    let part = parts.next().unwrap_or_default();
    match lines.last_mut() {
        // The command stays on its line if its first part fits there.
        Some(last)
            if display_width(last) + spaces.len() + part.trim_start().len() + 2 <= columns =>
        {
            last.push_str(spaces);
            last.push_str(part.trim_start());
        }
        _ => lines.push(part),
    }
    let mut wrapped = lines.join("\n");
    for part in parts {
        wrapped.push_str(" \\\n");
        wrapped.push_str(&part);
    }
    wrapped
}

/// The command at the end of a line, to be copied: it follows a key or a colon.
fn split_command(line: &str) -> Option<(&str, &str)> {
    let mut places = line.match_indices("hallmark ").map(|(at, _)| at);
    let at = places.find(|at| {
        let before = line.get(..*at).unwrap_or_default();
        before.ends_with("  ") || before.ends_with(": ")
    })?;
    line.split_at_checked(at)
}

fn filled(text: &str, columns: usize, first: &str, next: &str) -> Vec<String> {
    let options = Options::new(columns)
        .initial_indent(first)
        .subsequent_indent(next)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    textwrap::wrap(text, options).into_iter().map(|line| line.into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "FAIL wormhole_b0::group::suite::case
  `out` differs from what the suite computes in 48 of 48 words, first at word 0 (page 0, byte 0)
    expected  00000005 00000005 00000005 00000005 00000005 00000005 00000005 00000005
  The capturing run and the replay agree, so the device did it both times.
  again     hallmark run --exact wormhole_b0::group::suite::case --dispatch device --schedule-seed 7
12 │       - set_runtime_args: { kernel: k, args: [{ buffer: src }, { buffer: dst }] }";

    #[test]
    fn a_text_is_itself_where_nobody_says_how_wide_it_may_be() {
        assert_eq!(wrapped(TEXT, None), TEXT);
        assert_eq!(wrapped(TEXT, Some(200)), TEXT);
        assert_eq!(wrapped(TEXT, Some(NARROWEST - 1)), TEXT);
    }

    #[test]
    fn no_word_is_broken_and_none_is_lost() {
        let words = |text: &str| -> Vec<String> {
            text.split_whitespace().filter(|it| *it != "\\").map(str::to_owned).collect()
        };
        for columns in NARROWEST..120 {
            let narrow = wrapped(TEXT, Some(columns));
            assert_eq!(words(&narrow), words(TEXT), "{columns}");
            for line in narrow.lines().filter(|line| !line.contains('│')) {
                // Only a word wider than the terminal may be longer.
                let fits = display_width(line) <= columns;
                let content = line.trim_start().trim_end_matches(" \\");
                assert!(fits || !content.contains(' '), "{columns}: {line}");
            }
        }
    }

    #[test]
    fn a_command_can_be_copied() {
        let line = "  again     hallmark run --exact wormhole_b0::a::b::c --dispatch device";
        assert_eq!(
            wrapped(line, Some(40)),
            "  again     hallmark run --exact \\
      wormhole_b0::a::b::c --dispatch \\
      device"
        );
        assert_eq!(
            wrapped("If this is intended: hallmark bless wormhole_b0::group::suite", Some(40)),
            "If this is intended: hallmark bless \\
    wormhole_b0::group::suite"
        );
        let quoted =
            "  again     hallmark run --device 'sim dispatch=device' --exact wormhole_b0::a::b::c";
        let narrow = wrapped(quoted, Some(40));
        assert!(narrow.contains("'sim dispatch=device'"), "{narrow}");
        assert!(!narrow.contains('\\'), "{narrow}");
    }

    #[test]
    fn colours_take_no_room() {
        let style = hallmark_pipeline::report::style::BAD;
        let line = format!("{style}error:{style:#} one two three");
        assert_eq!(wrapped(&line, Some(20)), line);
    }
}
