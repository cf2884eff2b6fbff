//! What the YAML parser refuses, as a mistake at the line that has to be edited.
//!
//! A parser notices a bracket that is not closed only where it cannot go on, which may be many lines further or the
//! end of the file. The mistake is where the bracket was opened.

use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::granit_parser::{ErrorKind, Marker, Scanner, StrInput, TokenType};
use serde_saphyr::{Error, ExternalMessageSource};

use super::mistake::{Mistake, Span};

/// Why the parser refuses a file.
pub(super) fn refusal(text: &str, file: u16, error: &Error) -> Mistake {
    let place = error.location().map(|location| {
        let narrow = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let span = location.span();
        let start = span.byte_offset().map_or_else(
            || byte_of(text, narrow(location.line()), narrow(location.column())),
            narrow,
        );
        let length = span.byte_len().map_or(1, narrow);
        Span { start: start.min(text.len()), length, file }
    });
    let span = place.unwrap_or(Span { file, ..Span::default() });
    match error {
        Error::DuplicateMappingKey { key, .. } => {
            let key = key.as_ref().map_or_else(String::new, |key| format!(" `{key}`"));
            Mistake::new(format!("duplicate key{key}"), span, "remove one of the two")
        }
        Error::Budget { breach, .. } => {
            let (message, help) = beyond_budget(breach);
            Mistake::new(message, span, help)
        }
        Error::MultipleDocuments { .. } => Mistake::new(SECOND_DOCUMENT.0, span, SECOND_DOCUMENT.1),
        Error::ExternalMessage { source, .. } => match &**source {
            ExternalMessageSource::Parser(error) => syntax(text, span, error.kind()),
            ExternalMessageSource::Garde | ExternalMessageSource::Validator => other(span, error),
            _ => other(span, error),
        },
        _ => other(span, error),
    }
}

const SECOND_DOCUMENT: (&str, &str) = ("a second YAML document begins here", "write another file");

/// What a file has too much of, and what to do.
const fn beyond_budget(breach: &BudgetBreach) -> (&'static str, &'static str) {
    match breach {
        BudgetBreach::Documents { .. } => SECOND_DOCUMENT,
        BudgetBreach::Anchors { .. } | BudgetBreach::Aliases { .. } => (
            "a suite cannot have YAML anchors or aliases",
            "name numbers in `variables`, data in `values`, and steps in `fragments`",
        ),
        BudgetBreach::Depth { .. } => {
            ("this YAML is nested too deeply", "a suite has at most 32 levels")
        }
        _ => ("this YAML is too large", "split the suite by what its cases test"),
    }
}

/// The library's own words, without its place and its advice to programmers.
fn other(span: Span, error: &Error) -> Mistake {
    let message = error.without_snippet().to_string();
    let message = message.split(" at line ").next().unwrap_or(&message);
    Mistake::new(format!("invalid YAML: {message}"), span, "")
}

fn syntax(text: &str, span: Span, kind: &ErrorKind) -> Mistake {
    // A bracket that is left open swallows the lines behind it, and what is wrong there is an accident.
    if stops_within_brackets(kind)
        && let Some(open) = left_open(text, span.start)
    {
        let (bracket, closing) = match open.bracket {
            Bracket::List => ("[", "]"),
            Bracket::Map => ("{", "}"),
        };
        return Mistake::new(
            format!("this `{bracket}` is not closed"),
            Span { start: open.start, length: 1, file: span.file },
            format!("add `{closing}`"),
        );
    }
    let (message, help): (String, &str) = match kind {
        ErrorKind::UnclosedFlowCollection { open } => {
            let closing = if *open == '[' { "add `]`" } else { "add `}`" };
            (format!("this `{open}` is not closed"), closing)
        }
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
            (format!("this `{open}` is closed by `{close}`"), "brackets close in pairs")
        }
        ErrorKind::MisplacedFlowCollectionEnd => {
            ("this bracket closes nothing".to_owned(), "remove it")
        }
        ErrorKind::UnclosedQuotedScalar | ErrorKind::DocumentIndicatorInQuotedScalar => {
            ("this quote is not closed".to_owned(), "")
        }
        ErrorKind::InvalidQuotedScalarIndent => (
            "this line lies within a quoted text, and is not indented".to_owned(),
            "close the quote before it",
        ),
        ErrorKind::InvalidTrailingSingleQuotedScalar
        | ErrorKind::InvalidTrailingDoubleQuotedScalar => {
            ("nothing but a comma, a bracket or a comment can follow a quoted text".to_owned(), "")
        }
        ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabNotAllowed
        | ErrorKind::TabInPlainScalar => ("a tab cannot indent YAML".to_owned(), "use spaces"),
        ErrorKind::InvalidIndentation
        | ErrorKind::ExpectedBlockMappingKey
        | ErrorKind::ExpectedBlockSequenceEntry
            if indentation(text, span.start).contains('\t') =>
        {
            ("a tab cannot indent YAML".to_owned(), "use spaces")
        }
        ErrorKind::InvalidIndentation | ErrorKind::ExpectedBlockMappingKey => (
            "this line does not fit the lines before it".to_owned(),
            "keys of one map begin in one column",
        ),
        ErrorKind::ExpectedBlockSequenceEntry | ErrorKind::BlockSequenceEntryNotAllowed => (
            "this line does not fit the lines before it".to_owned(),
            "the `-` of one list stand in one column",
        ),
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => {
            ("a key without `:`".to_owned(), "write `key: value`")
        }
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => (
            "`: ` cannot stand in a text without quotes".to_owned(),
            "quote the text, or write `{ key: value }`",
        ),
        ErrorKind::ExpectedFlowMappingSeparator => ("`,` or `}` is missing here".to_owned(), ""),
        ErrorKind::ExpectedFlowSequenceSeparator => ("`,` or `]` is missing here".to_owned(), ""),
        ErrorKind::UnexpectedCharacter { character } => {
            (format!("no value can begin with `{character}`"), "quote the text")
        }
        other => (format!("invalid YAML: {other}"), ""),
    };
    Mistake::new(message, span, help)
}

/// Whether a parser that takes the following lines for the content of a bracket stops so.
const fn stops_within_brackets(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::BlockEntryInFlowCollection
            | ErrorKind::UnclosedFlowCollection { .. }
            | ErrorKind::UnexpectedEofFlowSequence
            | ErrorKind::UnexpectedEofFlowMapping
            | ErrorKind::UnexpectedEofImplicitFlowMapping
            | ErrorKind::ExpectedFlowMappingSeparator
            | ErrorKind::ExpectedFlowSequenceSeparator
            | ErrorKind::MappingValueNotAllowed
            | ErrorKind::InvalidColonPlacement
            | ErrorKind::InvalidFlowScalarIndent
            | ErrorKind::InvalidIndentation
            | ErrorKind::SimpleKeyExpected
            | ErrorKind::InvalidSimpleKey
    )
}

#[derive(Clone, Copy)]
enum Bracket {
    List,
    Map,
}

struct OpenBracket {
    start: usize,
    bracket: Bracket,
}

/// The innermost bracket that is open at `place` and was opened in an earlier line.
fn left_open(text: &str, place: usize) -> Option<OpenBracket> {
    let mut open: Vec<OpenBracket> = Vec::new();
    // What comes behind the place where the parser stopped has no meaning.
    for token in Scanner::new(StrInput::new(text)).map_while(Result::ok) {
        let start = offset(text, &token.span().start);
        if start >= place {
            break;
        }
        match token.token_type() {
            TokenType::FlowSequenceStart => {
                open.push(OpenBracket { start, bracket: Bracket::List });
            }
            TokenType::FlowMappingStart => open.push(OpenBracket { start, bracket: Bracket::Map }),
            TokenType::FlowSequenceEnd | TokenType::FlowMappingEnd => {
                open.pop();
            }
            _ => {}
        }
    }
    open.pop().filter(|open| text.get(open.start..place).is_some_and(|it| it.contains('\n')))
}

fn offset(text: &str, marker: &Marker) -> usize {
    marker
        .byte_offset()
        .unwrap_or_else(|| byte_of(text, marker.line(), marker.col().saturating_add(1)))
}

/// What stands in front of the first character of the line of a place.
fn indentation(text: &str, place: usize) -> &str {
    let before = text.get(..place).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |at| at.saturating_add(1));
    let line = text.get(line..).unwrap_or_default();
    line.get(..line.len().saturating_sub(line.trim_start_matches([' ', '\t']).len()))
        .unwrap_or_default()
}

/// The byte at a line and a column in characters, both counted from 1.
fn byte_of(text: &str, line: usize, column: usize) -> usize {
    let mut start = 0_usize;
    for _ in 1..line {
        let Some(length) = text.get(start..).and_then(|rest| rest.find('\n')) else { break };
        start = start.saturating_add(length).saturating_add(1);
    }
    let rest = text.get(start..).unwrap_or_default();
    let characters = rest.char_indices().map(|(at, _)| at);
    let within = characters.take(column).last().unwrap_or_default();
    start.saturating_add(within)
}
