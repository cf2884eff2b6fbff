//! A kernel's line table in a record: bytes that only device code decodes.

use std::ops::Deref;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::hexadecimal;

/// An encoded line table; empty without one. Its text form is hexadecimal.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineTableBytes(Vec<u8>);

impl LineTableBytes {
    /// Whether the table is absent.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Deref for LineTableBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl From<&[u8]> for LineTableBytes {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

impl Serialize for LineTableBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hexadecimal::encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for LineTableBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = hexadecimal::decode(&text);
        bytes.map(Self).ok_or_else(|| de::Error::custom(hexadecimal::EXPECTED))
    }
}
