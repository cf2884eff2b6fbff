//! The class of every field of the format, as the schema declares it.

use std::fmt;

use crate::generated::fields::{ENUMERATIONS, SCHEMA_HASH, STRUCTS, TABLES, UNIONS};
use crate::model::ContentHash;

/// How a difference in a field is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldClass {
    /// Part of the program: differs only if the program does.
    Stable,
    /// Part of the program: stands for a value that the runtime assigns.
    Relocatable,
    /// Follows from the program and the machine that ran it.
    Derived,
    /// The place and the writer of a run; differs between any two runs.
    Volatile,
}

impl FieldClass {
    /// The name in the schema's spelling.
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

/// When an item came into the format, and whether a copy for an older reader can leave it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Introduced {
    /// With the major version.
    FirstRelease,
    /// With this minor version; a copy in an older one leaves it out.
    Droppable(u16),
    /// With this minor version; a copy in an older version is impossible.
    Needed(u16),
}

impl Introduced {
    /// The minor version, 0 for the first release.
    pub const fn minor(self) -> u16 {
        match self {
            Self::FirstRelease => 0,
            Self::Droppable(minor) | Self::Needed(minor) => minor,
        }
    }
}

/// The type of a field, with the index of its table, union, enum or struct in the schema's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// A number, a truth value or a string.
    Plain,
    /// A table.
    Table(usize),
    /// One of several tables; the field with the preceding id holds its number.
    Union(usize),
    /// A named number.
    Enumeration(usize),
    /// A struct.
    Struct(usize),
}

/// A field of a table of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldSchema {
    /// Its name, also in the text forms.
    pub name: &'static str,
    /// Its type in the schema language, without the brackets of a vector.
    pub type_name: &'static str,
    /// The same type as an index into the schema's lists.
    pub holds: Holds,
    /// Whether it is a vector.
    pub vector: bool,
    /// The `id` that the schema gives it, counted from 0; never given to another field of the table.
    pub id: u16,
    /// How a difference is judged.
    pub class: FieldClass,
    /// When the field came into the format.
    pub introduced: Introduced,
}

/// A table of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableSchema {
    /// Its name in the schema, equal to the name of the model's type.
    pub name: &'static str,
    /// The schema file that declares it, without extension.
    pub file: &'static str,
    /// The minor version that introduced it.
    pub since: u16,
    /// The latest minor version among its fields and everything that they can hold.
    pub newest: u16,
    /// Its fields, ascending by id.
    pub fields: &'static [FieldSchema],
}

/// A union of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnionSchema {
    /// Its name in the schema, equal to the name of the model's enum.
    pub name: &'static str,
    /// The latest minor version among its members and everything that they can hold.
    pub newest: u16,
    /// The tables that it can hold, in the order of their numbers, which count from 1.
    pub members: &'static [&'static str],
    /// The same tables as indices into the schema's lists.
    pub tables: &'static [usize],
}

/// An enum value that was added after the first release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaterValue {
    /// The number on the wire.
    pub number: u16,
    /// The name in the schema.
    pub name: &'static str,
    /// The minor version that introduced it.
    pub since: u16,
}

/// An enum of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnumerationSchema {
    /// The name in the schema.
    pub name: &'static str,
    /// Bytes of its numbers: 1 or 2.
    pub bytes: usize,
    /// The values that were added after the first release.
    pub later: &'static [LaterValue],
}

/// A struct of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StructSchema {
    /// The name in the schema.
    pub name: &'static str,
    /// Its size on the wire, in bytes.
    pub bytes: usize,
    /// The enums in it: each one's index in the schema's list, and its byte offset in the struct.
    pub enumerations: &'static [(usize, usize)],
}

/// All declarations of the schema files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormatSchema {
    pub(crate) tables: &'static [TableSchema],
    pub(crate) unions: &'static [UnionSchema],
    pub(crate) enumerations: &'static [EnumerationSchema],
    pub(crate) structs: &'static [StructSchema],
}

/// The current format.
pub(crate) static FORMAT: FormatSchema =
    FormatSchema { tables: TABLES, unions: UNIONS, enumerations: ENUMERATIONS, structs: STRUCTS };

impl TableSchema {
    /// The table with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        TABLES.iter().find(|table| table.name == name)
    }

    /// Every table of the format.
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

/// BLAKE3 over the schema's files, as in [`crate::model::Record::schema_hash`].
pub const fn schema_hash() -> ContentHash {
    ContentHash(SCHEMA_HASH)
}

/// A generated table and the number of fields that it may have, counting the hidden number fields of unions.
pub(crate) trait KnownTable {
    /// One more than the highest id.
    const SLOTS: usize;

    /// The bytes behind the generated type, in which every field can be looked for by its number.
    fn table(&self) -> flatbuffers::Table<'_>;
}
