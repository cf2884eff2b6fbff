//! Patterns by which options and arguments name several tests at once.

use std::fmt;
use std::str::FromStr;

use glob::Pattern;

use super::name::TestName;

/// What is matched as a glob: no test, folder or suite has one of these in its name.
const SPECIAL: [char; 3] = ['*', '?', '['];

/// A text that a name contains, or a glob that the whole name matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamePattern {
    /// Part of a name.
    Part(String),
    /// A glob over the whole name.
    Whole(Pattern),
}

/// A glob that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a pattern: {problem}; `*` stands for any characters, `?` for one, `[ab]` for one of these"
)]
pub struct NamePatternError {
    text: String,
    problem: &'static str,
}

/// The glob that a text is, if it is one.
pub fn as_glob(text: &str) -> Result<Option<Pattern>, NamePatternError> {
    if !text.contains(SPECIAL) {
        return Ok(None);
    }
    // `**` means folders within folders, and names have none.
    let mut simple = text.to_owned();
    while simple.contains("**") {
        simple = simple.replace("**", "*");
    }
    let pattern = Pattern::new(&simple)
        .map_err(|error| NamePatternError { text: text.to_owned(), problem: error.msg })?;
    Ok(Some(pattern))
}

/// Whether a glob matches a text up to one of its separators, or to its end.
pub fn matches_beginning(pattern: &Pattern, text: &str, separator: &str) -> bool {
    let ends = text.match_indices(separator).map(|(end, _)| end).chain([text.len()]);
    let mut beginnings = ends.filter_map(|end| text.get(..end));
    beginnings.any(|beginning| pattern.matches(beginning))
}

impl NamePattern {
    /// Whether it takes a name.
    pub fn matches(&self, name: &str) -> bool {
        match self {
            Self::Part(text) => name.contains(text.as_str()),
            Self::Whole(pattern) => pattern.matches(name),
        }
    }
}

impl FromStr for NamePattern {
    type Err = NamePatternError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match as_glob(text)? {
            Some(pattern) => Self::Whole(pattern),
            None => Self::Part(text.to_owned()),
        })
    }
}

impl fmt::Display for NamePattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Part(text) => formatter.write_str(text),
            Self::Whole(pattern) => formatter.write_str(pattern.as_str()),
        }
    }
}

/// The first parts of names of tests, such as `noc::multicast`, as a glob or as they are; with or without the architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstParts {
    text: String,
    glob: Pattern,
}

impl FirstParts {
    /// The pattern as it is written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it takes a test.
    pub fn matches(&self, name: &TestName) -> bool {
        let full = name.to_string();
        let (_, without) = full.split_once("::").unwrap_or_default();
        [full.as_str(), without].iter().any(|name| matches_beginning(&self.glob, name, "::"))
    }
}

impl FromStr for FirstParts {
    type Err = NamePatternError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = |problem| NamePatternError { text: text.to_owned(), problem };
        let glob = match as_glob(text)? {
            Some(glob) => glob,
            None => Pattern::new(text).map_err(|error| wrong(error.msg))?,
        };
        Ok(Self { text: text.to_owned(), glob })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "wormhole_b0::dataflow::loopback::one_core::pages=64::page_size=32";

    #[test]
    fn a_text_is_a_part_and_a_glob_is_the_whole() {
        for (pattern, taken) in [
            ("loopback", true),
            ("pages=6", true),
            ("pages=7", false),
            ("", true),
            ("*loopback*", true),
            ("**::one_core::**", true),
            ("loop*", false),
            ("*::pages=?4::*", true),
            ("*::pages=?::*", false),
            ("*page_size=[13]2", true),
            ("*page_size=[!3]2", false),
            ("*", true),
        ] {
            assert_eq!(pattern.parse::<NamePattern>().unwrap().matches(NAME), taken, "{pattern}");
        }
    }

    #[test]
    fn first_parts_are_whole_parts_with_or_without_the_architecture() {
        let name: TestName = NAME.parse().unwrap();
        for (pattern, taken) in [
            ("dataflow", true),
            ("dataflow::loopback", true),
            ("wormhole_b0::dataflow", true),
            ("dataflow::loop", false),
            ("loopback", false),
            ("blackhole", false),
            ("*::loopback", true),
            ("**", true),
            ("dataflow::*::one_core", true),
        ] {
            assert_eq!(pattern.parse::<FirstParts>().unwrap().matches(&name), taken, "{pattern}");
        }
    }

    #[test]
    fn a_glob_that_cannot_be_read_says_how_one_is_written() {
        let error = "pages=[1".parse::<NamePattern>().unwrap_err().to_string();
        assert!(error.starts_with("`pages=[1` is not a pattern: "), "{error}");
        assert!(error.contains("`[ab]` for one of these"), "{error}");
    }
}
