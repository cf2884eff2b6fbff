//! The class of every field of the format, as the schema declares it.

use std::fmt;

use crate::generated::fields::{SCHEMA_HASH, TABLES, UNIONS};
use crate::model::ContentHash;

/// How a difference in a field is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldClass {
    /// Part of the program: differs only if the program does.
    Stable,
    /// Part of the program: stands for something that the runtime places.
    Relocatable,
    /// Follows from the program and the machine that ran it.
    Derived,
    /// Where and by whom it was run; differs between any two runs.
    Volatile,
}

impl FieldClass {
    /// As the schema spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stable => "stable",
            Self::Relocatable => "relocatable",
            Self::Derived => "derived",
            Self::Volatile => "volatile",
        }
    }

    /// Whether fields of this class are part of the program, so that a difference is an instability.
    pub const fn in_program(self) -> bool {
        match self {
            Self::Stable | Self::Relocatable => true,
            Self::Derived | Self::Volatile => false,
        }
    }
}

impl fmt::Display for FieldClass {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// A field of a table of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldSchema {
    /// Its name, also in the text forms.
    pub name: &'static str,
    /// Its type in the schema language, without the brackets of a vector.
    pub type_name: &'static str,
    /// Whether it is a vector.
    pub vector: bool,
    /// Its id.
    pub id: u16,
    /// How a difference is judged.
    pub class: FieldClass,
}

/// A table of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableSchema {
    /// Its name.
    pub name: &'static str,
    /// The schema file that declares it, without extension.
    pub file: &'static str,
    /// Its fields, ascending by id.
    pub fields: &'static [FieldSchema],
}

/// A union of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnionSchema {
    /// Its name.
    pub name: &'static str,
    /// The tables that it can hold, in the order of their numbers.
    pub members: &'static [&'static str],
}

impl TableSchema {
    /// The table with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        TABLES.iter().find(|table| table.name == name)
    }

    /// Every table.
    pub fn all() -> &'static [Self] {
        TABLES
    }

    /// The field with this name.
    pub fn field(&self, name: &str) -> Option<&'static FieldSchema> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl UnionSchema {
    /// The union with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        UNIONS.iter().find(|union| union.name == name)
    }
}

/// BLAKE3 over the schema's files: what [`crate::model::Record::schema_hash`] holds.
pub const fn schema_hash() -> ContentHash {
    ContentHash(SCHEMA_HASH)
}

/// A generated table and how many fields it may have, counting the hidden ones of unions.
pub(crate) trait Known {
    /// One more than the highest id.
    const SLOTS: usize;

    /// The table underneath.
    fn table(&self) -> flatbuffers::Table<'_>;
}
