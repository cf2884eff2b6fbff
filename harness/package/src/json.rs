//! JSON in a canonical form: a document that is read equals the one that would be written.
//!
//! A document is one line. A duplicate key in an object and an unknown key are errors. A document is refused
//! unless writing its value gives the same bytes. So two readers of one document cannot get different values.

use std::collections::BTreeSet;
use std::fmt;

use hallmark_chip::error_checks;
use serde::Serialize;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor,
};

/// A problem of a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonProblem {
    /// The text is not JSON.
    #[error("this is no JSON: {message}")]
    Malformed {
        /// The parser's message.
        message: String,
    },
    /// A duplicate key in an object.
    #[error("duplicate key {key:?}")]
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// A value is missing, unknown or of another type.
    #[error("{message}")]
    Shape {
        /// The parser's message: `unknown field`, `missing field`, `invalid type`, …
        message: String,
    },
    /// The text is not the canonical form of its value.
    #[error(
        "the text is not the one that is written for its value: one line without spaces, keys in their order"
    )]
    NotCanonical,
    /// A line without a line feed.
    #[error("the last line has no end")]
    NoLineEnd,
}

error_checks!(JsonProblem: DuplicateKey, NotCanonical, NoLineEnd; besides: Malformed, Shape);

/// A problem of a document or of a file of lines, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// The line, counted from 1, in a file with one document per line.
    pub line: Option<usize>,
    /// The problem.
    pub problem: JsonProblem,
}

impl fmt::Display for JsonError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "line {line}: {}", self.problem),
            None => write!(formatter, "{}", self.problem),
        }
    }
}

impl std::error::Error for JsonError {}

impl From<JsonProblem> for JsonError {
    fn from(problem: JsonProblem) -> Self {
        Self { line: None, problem }
    }
}

/// The document of a value: one line with a line feed.
///
/// # Errors
/// The value has no JSON form: a map with keys that are not texts, or a number that is not finite.
pub fn write<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = serde_json::to_vec(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// The documents of values, one per line.
///
/// # Errors
/// A value has no JSON form.
pub fn write_lines<'a, T: Serialize + 'a>(
    values: impl IntoIterator<Item = &'a T>,
) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = Vec::new();
    for value in values {
        bytes.append(&mut write(value)?);
    }
    Ok(bytes)
}

/// The value of a document. Its type must be `deny_unknown_fields`.
///
/// # Errors
/// The document is not the canonical form of a value of this type.
pub fn read<T: Serialize + DeserializeOwned>(bytes: &[u8]) -> Result<T, JsonError> {
    let malformed =
        |error: serde_json::Error| JsonProblem::Malformed { message: error.to_string() };
    let mut duplicate = None;
    let mut parser = serde_json::Deserializer::from_slice(bytes);
    let seen = Keys { duplicate: &mut duplicate }.deserialize(&mut parser);
    if let Some(key) = duplicate {
        JsonProblem::DuplicateKey { key }.refuse()?;
    } else {
        seen.and_then(|()| parser.end()).map_err(malformed)?;
    }
    let value: T = serde_json::from_slice(bytes)
        .map_err(|error| JsonProblem::Shape { message: error.to_string() })?;
    if !write(&value).is_ok_and(|again| again == bytes) {
        JsonProblem::NotCanonical.refuse()?;
    }
    Ok(value)
}

/// The values of a file with one document per line. An empty file has none.
///
/// # Errors
/// The first line that is not the canonical form of a value of this type.
pub fn read_lines<T: Serialize + DeserializeOwned>(bytes: &[u8]) -> Result<Vec<T>, JsonError> {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n').enumerate();
    let values = lines.map(|(index, line)| {
        let at = |mut error: JsonError| {
            error.line = Some(index.saturating_add(1));
            error
        };
        if !line.ends_with(b"\n") {
            JsonProblem::NoLineEnd.refuse().map_err(|problem| at(problem.into()))?;
        }
        read(line).map_err(at)
    });
    values.collect()
}

/// Walks through any value and records the first duplicate key of an object.
struct Keys<'a> {
    duplicate: &'a mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for Keys<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Keys<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Keys { duplicate: &mut *self.duplicate })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut keys = BTreeSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            if keys.contains(&key) {
                let error = A::Error::custom("duplicate key");
                *self.duplicate = Some(key);
                return Err(error);
            }
            keys.insert(key);
            entries.next_value_seed(Keys { duplicate: &mut *self.duplicate })?;
        }
        Ok(())
    }
}
