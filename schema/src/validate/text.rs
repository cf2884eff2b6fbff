//! The rules of texts: names, paths, definitions and prose, each with its limit.

use crate::error::{CaptureError, Path, Rule};
use crate::limits;

/// Checks a name that test names and filters can hold. Outputs must have one.
pub(crate) fn name(name: &str, path: &Path<'_>) -> Result<(), CaptureError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.+-".contains(&byte);
    if name.is_empty() || name.len() > limits::NAME_BYTES || !name.bytes().all(plain) {
        let shown = name.chars().take(limits::NAME_BYTES).collect();
        return Err(path.error(Rule::Name { name: shown, limit: limits::NAME_BYTES }));
    }
    Ok(())
}

/// Checks the name of an object; a program written in Rust may leave it empty.
pub(crate) fn object_name(text: &str, path: &Path<'_>) -> Result<(), CaptureError> {
    if text.is_empty() { Ok(()) } else { name(text, path) }
}

/// Checks that a path stays inside its base folder on every system.
pub(crate) fn relative_path(text: &str, path: &Path<'_>) -> Result<(), CaptureError> {
    let forbidden = |letter: char| letter.is_control() || matches!(letter, '\\' | ':');
    let plain = |part: &str| !part.is_empty() && part != "." && part != "..";
    let fits = text.len() <= limits::PATH_BYTES;
    if !fits || text.contains(forbidden) || !text.split('/').all(plain) {
        let shown = text.chars().take(limits::PATH_BYTES).collect();
        return Err(path.error(Rule::Path { path: shown }));
    }
    Ok(())
}

/// Checks a text for people.
pub(crate) fn prose(text: &str, path: &Path<'_>) -> Result<(), CaptureError> {
    path.at_most("bytes of text", text.len() as u64, limits::TEXT_BYTES as u64)
}

/// Checks a text for people that must not be empty.
pub(crate) fn reason(text: &str, path: &Path<'_>) -> Result<(), CaptureError> {
    if text.trim().is_empty() {
        return Err(path.error(Rule::NoReason));
    }
    prose(text, path)
}

/// Checks the name of a compile-time argument, which a kernel spells as a C++ string literal.
pub(crate) fn argument_name(name: &str, path: &Path<'_>) -> Result<(), CaptureError> {
    if is_argument_name(name) {
        return Ok(());
    }
    let shown = name.chars().take(limits::NAME_BYTES).collect();
    Err(path.error(Rule::NamedCompileArg { name: shown }))
}

/// Whether a name between quotation marks is a C++ string literal with the same value.
pub fn is_argument_name(name: &str) -> bool {
    !name.is_empty()
        && !name.contains(|letter: char| letter.is_control() || "\"\\".contains(letter))
}

/// Whether a compiler accepts a preprocessor definition behind `-D`, as TT-Metalium passes it. Its name is an identifier, behind
/// which parameters may stand, as in `SCALED(x, by)`. Its value is one line.
///
/// ```
/// use hallmark_schema::is_definition;
/// assert!(is_definition("FAST", "") && is_definition("SCALED(x,by)", "x * by") && is_definition("PRINTED(...)", ""));
/// assert!(!is_definition("A-B", "") && !is_definition("SCALED(x", "x") && !is_definition("FAST", "1\n"));
/// ```
pub fn is_definition(name: &str, value: &str) -> bool {
    is_definition_name(name) && !value.contains(['\0', '\n', '\r'])
}

fn is_definition_name(name: &str) -> bool {
    let is_identifier = |text: &str| {
        let mut letters = text.bytes();
        letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
            && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == b'_')
    };
    let Some((name, parameters)) = name.split_once('(') else { return is_identifier(name) };
    let Some(parameters) = parameters.strip_suffix(')') else { return false };
    let parameters: Vec<&str> = parameters.split(',').map(|it| it.trim_matches(' ')).collect();
    let (last, first) = parameters.split_last().unwrap_or((&"", &[]));
    let ends = is_identifier(last) || *last == "..." || (last.is_empty() && first.is_empty());
    is_identifier(name) && ends && first.iter().all(|parameter| is_identifier(parameter))
}

/// Checks a preprocessor definition that a compiler accepts on its command line.
pub(crate) fn define(name: &str, value: &str, path: &Path<'_>) -> Result<(), CaptureError> {
    if !is_definition(name, value) {
        let shown = name.chars().take(limits::NAME_BYTES).collect();
        return Err(path.error(Rule::Define { name: shown }));
    }
    Ok(())
}
