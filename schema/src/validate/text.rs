//! The rules of texts: names, paths, definitions and prose, each with its limit.

use crate::error::{CaptureError, Path, Rule};
use crate::limits;

/// A name that can stand in a test's name: outputs must have one.
pub(crate) fn name(name: &str, path: &Path<'_>) -> Result<(), CaptureError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.+-".contains(&byte);
    if name.is_empty() || name.len() > limits::NAME_BYTES || !name.bytes().all(plain) {
        let shown = name.chars().take(limits::NAME_BYTES).collect();
        return Err(path.error(Rule::Name { name: shown, limit: limits::NAME_BYTES }));
    }
    Ok(())
}

/// The name of an object, which a program written in Rust need not give.
pub(crate) fn object_name(text: &str, path: &Path<'_>) -> Result<(), CaptureError> {
    if text.is_empty() { Ok(()) } else { name(text, path) }
}

/// A path that stays inside the folder that it is joined to, on every system.
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

/// A text for people.
pub(crate) fn prose(text: &str, path: &Path<'_>) -> Result<(), CaptureError> {
    path.at_most("bytes of text", text.len() as u64, limits::TEXT_BYTES as u64)
}

/// A text for people that has to say something.
pub(crate) fn reason(text: &str, path: &Path<'_>) -> Result<(), CaptureError> {
    if text.trim().is_empty() {
        return Err(path.error(Rule::NoReason));
    }
    prose(text, path)
}

/// The name of a compile-time argument, which a kernel writes as a text of C++.
pub(crate) fn argument_name(name: &str, path: &Path<'_>) -> Result<(), CaptureError> {
    if is_argument_name(name) {
        return Ok(());
    }
    let shown = name.chars().take(limits::NAME_BYTES).collect();
    Err(path.error(Rule::NamedCompileArg { name: shown }))
}

/// Whether a name between quotation marks is a text of C++ that means the name.
pub fn is_argument_name(name: &str) -> bool {
    !name.is_empty()
        && !name.contains(|letter: char| letter.is_control() || "\"\\".contains(letter))
}

/// A preprocessor definition that a compiler takes from its command line.
pub(crate) fn define(name: &str, value: &str, path: &Path<'_>) -> Result<(), CaptureError> {
    let mut letters = name.bytes();
    let identifier =
        letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
            && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == b'_');
    if !identifier || value.contains(['\0', '\n', '\r']) {
        let shown = name.chars().take(limits::NAME_BYTES).collect();
        return Err(path.error(Rule::Define { name: shown }));
    }
    Ok(())
}
