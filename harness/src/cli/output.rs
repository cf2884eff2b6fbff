//! Printing. A closed pipe does not end the process.
//!
//! Texts may hold colours: a stream without colours drops them (`--color`, `NO_COLOR`, `CLICOLOR`,
//! `CLICOLOR_FORCE`).

use std::io::Write as _;

use anstream::ColorChoice;
use anstyle::Style;
use hallmark_pipeline::report::style;
use terminal_size::{Width, terminal_size_of};

use super::wrap::wrapped;

/// Sets for both streams when they show colours.
pub(super) fn use_color(choice: clap::ColorChoice) {
    match choice {
        clap::ColorChoice::Auto => ColorChoice::Auto,
        clap::ColorChoice::Always => ColorChoice::Always,
        clap::ColorChoice::Never => ColorChoice::Never,
    }
    .write_global();
}

/// The columns of stdout if it is a terminal.
pub(super) fn width() -> Option<usize> {
    terminal_size_of(std::io::stdout()).map(|(Width(columns), _)| usize::from(columns))
}

/// The columns of stderr if it is a terminal.
pub(super) fn error_width() -> Option<usize> {
    terminal_size_of(std::io::stderr()).map(|(Width(columns), _)| usize::from(columns))
}

/// Prints lines for people on stdout, wrapped to the terminal.
pub(super) fn say(text: &str) {
    let text = wrapped(text, width());
    let _ = writeln!(anstream::stdout().lock(), "{text}");
}

/// Prints text on stdout unchanged.
pub(super) fn say_raw(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes());
    let _ = stdout.flush();
}

/// Prints an error on stderr.
pub(super) fn complain(text: &str) {
    message("error", style::BAD, text.strip_prefix("error: ").unwrap_or(text));
}

/// Prints a message on stderr that does not change the exit code.
pub(super) fn warn(text: &str) {
    message("warning", style::EXCUSED, text);
}

/// Prints a line for people on stderr, apart from the output on stdout.
pub(super) fn note(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{}", wrapped(text, error_width()));
}

fn message(kind: &str, style: Style, text: &str) {
    let text = wrapped(&format!("{style}{kind}:{style:#} {text}"), error_width());
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}
