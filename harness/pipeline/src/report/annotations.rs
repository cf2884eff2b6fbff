//! Annotations: output lines that make GitHub Actions show a failure beside a line of a file.
//! <https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands>

use std::fmt;

use hallmark_report::untrusted::for_message;

/// Whether the reader of this process's output shows annotations.
pub fn are_shown() -> bool {
    std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// The severity of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A failure.
    Error,
    /// An excused failure.
    Warning,
}

/// A message beside a line of a file, counted from 1, or about the whole run if it has no line.
#[derive(Clone, Copy, Debug)]
pub struct Annotation<'a> {
    /// The severity.
    pub level: Level,
    /// The file and the line.
    pub place: Option<(&'a str, usize)>,
    /// Its title, if it has one.
    pub title: Option<&'a str>,
    /// The message.
    pub message: &'a str,
}

impl fmt::Display for Annotation<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { level, place, title, message } = self;
        let command = match level {
            Level::Error => "error",
            Level::Warning => "warning",
        };
        let place = place.map(|(file, line)| format!("file={},line={line}", property(file)));
        let title = title.map(|title| format!("title={}", property(title)));
        let properties: Vec<String> = place.into_iter().chain(title).collect();
        let space = if properties.is_empty() { "" } else { " " };
        write!(formatter, "::{command}{space}{}::{}", properties.join(","), data(message))
    }
}

/// A failure at a line of a file.
pub fn error(file: &str, line: usize, title: &str, message: &str) -> String {
    let (place, title) = (Some((file, line)), Some(title));
    Annotation { level: Level::Error, place, title, message }.to_string()
}

/// A failure of the run as a whole.
pub fn error_anywhere(title: &str, message: &str) -> String {
    Annotation { level: Level::Error, place: None, title: Some(title), message }.to_string()
}

/// Escapes line ends and escape characters, and shows letters by name that no log shows.
fn data(text: &str) -> String {
    for_message(text).replace('%', "%25").replace('\n', "%0A")
}

/// Also escapes the delimiters of properties.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_an_annotation_is_escaped() {
        assert_eq!(
            error("suites/a,b.yaml", 7, "FAIL x::y", "100 % of\nboth: a, b"),
            "::error file=suites/a%2Cb.yaml,line=7,title=FAIL x%3A%3Ay::100 %25 of%0Aboth: a, b"
        );
        assert_eq!(error_anywhere("hallmark", "a\r\nb"), "::error title=hallmark::a␍%0Ab");
    }
}
