//! Printing. A closed pipe ends no run.

use std::io::Write as _;

/// A line on stdout.
pub(super) fn say(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// Text on stdout as it is.
pub(super) fn say_raw(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes());
    let _ = stdout.flush();
}

/// A message on stderr; one that does not begin with `error:` gets it.
pub(super) fn complain(text: &str) {
    let prefix = if text.starts_with("error:") { "" } else { "error: " };
    let _ = writeln!(std::io::stderr().lock(), "{prefix}{text}");
}

/// A warning on stderr, in one line.
pub(super) fn warn(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "warning: {text}");
}
