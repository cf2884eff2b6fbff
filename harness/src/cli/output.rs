//! Printing. Every write to standard output is checked: [`finish`] turns a lost one into the exit code. A reader that
//! closed the pipe has read enough, so nothing is said then. The command itself goes on in either case, because it may
//! have files to write.
//!
//! Texts may hold colours: a stream without colours drops them (`--color`, `NO_COLOR`, `CLICOLOR`,
//! `CLICOLOR_FORCE`).

use std::io::{self, ErrorKind, Write as _};
use std::sync::OnceLock;

use anstream::ColorChoice;
use anstyle::Style;
use hallmark_pipeline::report::style;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_report::untrusted::{for_json, for_terminal};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use terminal_size::{Width, terminal_size_of};

use super::wrap::wrapped;

/// The variables that say when streams show colours.
pub(super) const COLOR_VARIABLES: [&str; 3] = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"];

/// Why the first write to standard output failed. Nothing is written after it, so that no output has a gap.
static LOST: OnceLock<io::Error> = OnceLock::new();

/// Writes to standard output, unless a write failed before.
fn write(write: impl FnOnce() -> io::Result<()>) {
    if LOST.get().is_none()
        && let Err(error) = write()
    {
        let _ = LOST.set(error);
    }
}

/// Whether standard output can no longer be written, so that a command that would go on for ever has no reader. A closed
/// pipe is noticed before it is written.
pub(super) fn is_lost() -> bool {
    LOST.get().is_some() || is_closed()
}

/// Whether standard output is a pipe whose reader is gone.
fn is_closed() -> bool {
    let stdout = io::stdout();
    let mut polled = [PollFd::new(&stdout, PollFlags::empty())];
    poll(&mut polled, Some(&Timespec::default())).is_ok()
        && polled.iter().any(|it| it.revents().contains(PollFlags::ERR))
}

/// The exit code of the process after the last write to standard output: if something was lost, and the reader did not
/// close the pipe, a line says so on stderr.
pub(super) fn finish(code: ExitCode) -> ExitCode {
    write(|| io::stdout().flush());
    match LOST.get() {
        Some(error) if error.kind() != ErrorKind::BrokenPipe => {
            complain(&format!("standard output cannot be written: {error}"));
            ExitCode::first([code, ExitCode::INTERNAL])
        }
        Some(_) | None => code,
    }
}

/// Whether an option says when streams show colours.
static CHOSEN: OnceLock<()> = OnceLock::new();

/// Sets for both streams when they show colours, as an option says.
pub(super) fn use_color(choice: Option<clap::ColorChoice>) {
    if let Some(choice) = choice {
        let _ = CHOSEN.set(());
        set_color(choice);
    }
}

/// As [`use_color`] for what a configuration file says: an option and a variable count more.
pub(super) fn use_color_of_file(choice: clap::ColorChoice) {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if CHOSEN.get().is_none() && !COLOR_VARIABLES.into_iter().any(is_set) {
        set_color(choice);
    }
}

fn set_color(choice: clap::ColorChoice) {
    match choice {
        clap::ColorChoice::Auto => ColorChoice::Auto,
        clap::ColorChoice::Always => ColorChoice::Always,
        clap::ColorChoice::Never => ColorChoice::Never,
    }
    .write_global();
}

/// The columns of stdout if it is a terminal.
pub(super) fn width() -> Option<usize> {
    terminal_size_of(io::stdout()).map(|(Width(columns), _)| usize::from(columns))
}

/// The columns of stderr if it is a terminal.
pub(super) fn error_width() -> Option<usize> {
    terminal_size_of(io::stderr()).map(|(Width(columns), _)| usize::from(columns))
}

/// Prints lines for people on stdout, wrapped to the terminal. They may quote texts of people who are not trusted.
pub(super) fn say(text: &str) {
    let text = wrapped(&for_terminal(text), width());
    write(|| writeln!(anstream::stdout().lock(), "{text}"));
}

/// Prints lines for people on stdout with their own line ends, as they are wide. They may quote untrusted texts.
pub(super) fn say_lines(text: &str) {
    say_raw(&for_terminal(text));
}

/// Prints a JSON document and a line end on stdout.
pub(super) fn say_json(document: &str) {
    say_raw(&format!("{}\n", for_json(document.trim_end())));
}

/// Prints text on stdout unchanged: Hallmark's own, or made safe for the format that it has.
pub(super) fn say_raw(text: &str) {
    write(|| {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes())?;
        stdout.flush()
    });
}

/// Prints help or the version on stdout.
pub(super) fn say_help(help: &clap::Error) {
    write(|| help.print());
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
    let text = wrapped(&for_terminal(text), error_width());
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

fn message(kind: &str, style: Style, text: &str) {
    let text = for_terminal(&format!("{style}{kind}:{style:#} {text}"));
    let text = wrapped(&text, error_width());
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}
