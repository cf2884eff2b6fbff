//! Printing. A closed pipe ends no run.
//!
//! Texts may hold colours: a stream that shows none drops them (`--color`, `NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE`).

use std::io::Write as _;

use anstream::ColorChoice;
use anstyle::Style;
use hallmark_pipeline::report::style;
use terminal_size::{Width, terminal_size_of};

use super::wrap::wrapped;

/// Sets when colours are shown, for both streams.
pub(super) fn use_color(choice: clap::ColorChoice) {
    match choice {
        clap::ColorChoice::Auto => ColorChoice::Auto,
        clap::ColorChoice::Always => ColorChoice::Always,
        clap::ColorChoice::Never => ColorChoice::Never,
    }
    .write_global();
}

/// Columns of the terminal that stdout is, if it is one.
pub(super) fn width() -> Option<usize> {
    terminal_size_of(std::io::stdout()).map(|(Width(columns), _)| usize::from(columns))
}

/// Columns of the terminal that stderr is, if it is one.
pub(super) fn error_width() -> Option<usize> {
    terminal_size_of(std::io::stderr()).map(|(Width(columns), _)| usize::from(columns))
}

/// Lines for people on stdout, which fit the terminal.
pub(super) fn say(text: &str) {
    let text = wrapped(text, width());
    let _ = writeln!(anstream::stdout().lock(), "{text}");
}

/// Text on stdout as it is.
pub(super) fn say_raw(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes());
    let _ = stdout.flush();
}

/// An error on stderr.
pub(super) fn complain(text: &str) {
    message("error", style::BAD, text.strip_prefix("error: ").unwrap_or(text));
}

/// A message on stderr about something that changes no exit code.
pub(super) fn warn(text: &str) {
    message("warning", style::EXCUSED, text);
}

/// A line for people on stderr, beside what goes to stdout.
pub(super) fn note(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{}", wrapped(text, error_width()));
}

fn message(kind: &str, style: Style, text: &str) {
    let text = wrapped(&format!("{style}{kind}:{style:#} {text}"), error_width());
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}
