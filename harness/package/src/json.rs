//! JSON in one form: what is read is what would be written.
//!
//! A document is one line. A key stands once in its object, an unknown key is an error, and a document is refused unless
//! writing its value gives the same bytes. So two readers of one document cannot take different values from it.

use std::collections::BTreeSet;
use std::fmt;

use hallmark_chip::error_checks;
use serde::Serialize;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor,
};

/// What is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonProblem {
    /// It is no JSON.
    #[error("this is no JSON: {message}")]
    Malformed {
        /// What the parser says.
        message: String,
    },
    /// An object has a key twice.
    #[error("duplicate key {key:?}")]
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// A value is missing, unknown or of another type.
    #[error("{message}")]
    Shape {
        /// What the parser says: `unknown field`, `missing field`, `invalid type`, …
        message: String,
    },
    /// It is not written as its value would be.
    #[error(
        "the text is not the one that is written for its value: one line without spaces, keys in their order"
    )]
    NotCanonical,
    /// A line does not end.
    #[error("the last line has no end")]
    NoLineEnd,
}

error_checks!(JsonProblem: DuplicateKey, NotCanonical, NoLineEnd; besides: Malformed, Shape);

/// What is wrong with a document or with a file of lines, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// The line, from 1, in a file that has a document on each line.
    pub line: Option<usize>,
    /// What is wrong.
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

/// The document of a value: one line, with its end.
///
/// # Errors
/// The value has no JSON: a map whose keys are no texts, a number that is not finite.
pub fn write<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = serde_json::to_vec(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// The documents of values, one a line.
///
/// # Errors
/// A value has no JSON.
pub fn write_lines<'a, T: Serialize + 'a>(
    values: impl IntoIterator<Item = &'a T>,
) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = Vec::new();
    for value in values {
        bytes.append(&mut write(value)?);
    }
    Ok(bytes)
}

/// The value of a document. The type says `deny_unknown_fields`.
///
/// # Errors
/// The document is not the one that is written for a value of this type.
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

/// The values of a file that has a document on each line. An empty file has none.
///
/// # Errors
/// The first line that is not the one that is written for a value of this type.
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

/// Walks through any value and notes the first key that an object has twice.
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
