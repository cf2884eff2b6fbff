//! Writes `schema/src/generated/fields.rs`: what each table holds, as Rust tables.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::additions::{self, AdditionError, Introduced};
use super::fbs::{Schema, Struct};

/// What a type is, as its place in one of the lists.
#[derive(Clone, Copy)]
enum Holds {
    Plain,
    Table(usize),
    Union(usize),
    Enumeration(usize),
    Struct(usize),
}

impl Holds {
    fn rust(self) -> String {
        match self {
            Self::Plain => "Holds::Plain".to_owned(),
            Self::Table(place) => format!("Holds::Table({place})"),
            Self::Union(place) => format!("Holds::Union({place})"),
            Self::Enumeration(place) => format!("Holds::Enumeration({place})"),
            Self::Struct(place) => format!("Holds::Struct({place})"),
        }
    }
}

fn introduced(introduced: Introduced) -> String {
    match introduced {
        Introduced::FirstRelease => "Introduced::FirstRelease".to_owned(),
        Introduced::Droppable(minor) => format!("Introduced::Droppable({minor})"),
        Introduced::Needed(minor) => format!("Introduced::Needed({minor})"),
    }
}

/// A schema and what is worked out of it.
struct SchemaTables<'a> {
    schema: &'a Schema,
    holds: BTreeMap<&'a str, Holds>,
    /// For each table, the latest minor version of anything that it can hold.
    newest: Vec<u16>,
}

/// When a value of an enum came, by its number.
fn later_values(schema: &Schema, name: &str) -> Result<Vec<(u16, String, u16)>, AdditionError> {
    let Some(enumeration) = schema.enumerations.iter().find(|it| it.name == name) else {
        return Ok(Vec::new());
    };
    let mut later = Vec::new();
    for value in &enumeration.values {
        let what = format!("{name}.{}", value.name);
        let minor = additions::introduced(&what, &value.attributes, &["since"])?.minor();
        if minor > 0 {
            later.push((value.number, value.name.clone(), minor));
        }
    }
    Ok(later)
}

/// The bytes of a type that is no offset.
fn size(schema: &Schema, name: &str) -> usize {
    match name {
        "bool" | "byte" | "ubyte" => return 1,
        "short" | "ushort" => return 2,
        "int" | "uint" | "float" => return 4,
        "long" | "ulong" | "double" => return 8,
        _ => {}
    }
    if let Some(enumeration) = schema.enumerations.iter().find(|it| it.name == name) {
        return size(schema, &enumeration.base);
    }
    let found = schema.structs.iter().find(|it| it.name == name);
    found.map_or(0, |found| layout(schema, found).1)
}

fn alignment(schema: &Schema, name: &str) -> usize {
    match schema.structs.iter().find(|it| it.name == name) {
        Some(found) => {
            found.fields.iter().map(|field| alignment(schema, &field.type_name)).max().unwrap_or(1)
        }
        None => size(schema, name).max(1),
    }
}

/// Where the fields of a struct lie, and its bytes.
fn layout(schema: &Schema, structure: &Struct) -> (Vec<usize>, usize) {
    let (mut offsets, mut end) = (Vec::new(), 0_usize);
    for field in &structure.fields {
        end = end.next_multiple_of(alignment(schema, &field.type_name));
        offsets.push(end);
        end += size(schema, &field.type_name) * usize::from(field.length);
    }
    (offsets, end.next_multiple_of(alignment(schema, &structure.name)))
}

impl<'a> SchemaTables<'a> {
    fn of(schema: &'a Schema) -> Result<Self, AdditionError> {
        let mut holds = BTreeMap::new();
        for (place, table) in schema.tables.iter().enumerate() {
            holds.insert(table.name.as_str(), Holds::Table(place));
        }
        for (place, structure) in schema.structs.iter().enumerate() {
            holds.insert(structure.name.as_str(), Holds::Struct(place));
        }
        let unions = schema.enumerations.iter().filter(|it| it.union);
        for (place, union) in unions.enumerate() {
            holds.insert(union.name.as_str(), Holds::Union(place));
        }
        let plain = schema.enumerations.iter().filter(|it| !it.union);
        for (place, enumeration) in plain.enumerate() {
            holds.insert(enumeration.name.as_str(), Holds::Enumeration(place));
        }
        let mut worked = Self { schema, holds, newest: vec![0; schema.tables.len()] };
        loop {
            let mut newest = Vec::new();
            for table in &schema.tables {
                let mut minor =
                    additions::introduced(&table.name, &table.attributes, &["since"])?.minor();
                for field in &table.fields {
                    minor = minor
                        .max(additions::of_field(table, field)?.minor())
                        .max(worked.newest_of(&field.type_name)?);
                }
                newest.push(minor);
            }
            if newest == worked.newest {
                return Ok(worked);
            }
            worked.newest = newest;
        }
    }

    fn holds(&self, name: &str) -> Holds {
        self.holds.get(name).copied().unwrap_or(Holds::Plain)
    }

    /// The latest minor version of anything that a type can hold, as far as it is known.
    fn newest_of(&self, name: &str) -> Result<u16, AdditionError> {
        let of_enumeration = |name: &str| -> Result<u16, AdditionError> {
            let later = later_values(self.schema, name)?;
            Ok(later.iter().map(|(_, _, minor)| *minor).max().unwrap_or(0))
        };
        Ok(match self.holds(name) {
            Holds::Plain => 0,
            Holds::Table(place) => self.newest[place],
            Holds::Enumeration(_) => of_enumeration(name)?,
            Holds::Struct(place) => {
                let mut newest = 0;
                for field in &self.schema.structs[place].fields {
                    newest = newest.max(of_enumeration(&field.type_name)?);
                }
                newest
            }
            Holds::Union(_) => {
                let union = self.schema.enumerations.iter().find(|it| it.name == name);
                let members = union.into_iter().flat_map(|union| &union.values);
                let mut newest = 0;
                for member in members {
                    newest = newest.max(self.newest_of(&member.name)?);
                }
                newest
            }
        })
    }

    fn tables(&self, rust: &mut String) -> Result<(), AdditionError> {
        rust.push_str("pub(crate) static TABLES: &[TableSchema] = &[\n");
        for (table, newest) in self.schema.tables.iter().zip(&self.newest) {
            let since = additions::introduced(&table.name, &table.attributes, &["since"])?.minor();
            // Formatting into a string cannot fail.
            let _ = writeln!(
                rust,
                "    TableSchema {{ name: {:?}, file: {:?}, since: {since}, newest: {newest}, fields: &[",
                table.name, table.file
            );
            for field in &table.fields {
                let mut class = field.class.clone();
                class.replace_range(..1, &class[..1].to_uppercase());
                let _ = writeln!(
                    rust,
                    "        FieldSchema {{ name: {:?}, type_name: {:?}, holds: {}, vector: {}, id: {}, class: FieldClass::{class}, introduced: {} }},",
                    field.name,
                    field.type_name,
                    self.holds(&field.type_name).rust(),
                    field.vector,
                    field.id,
                    introduced(additions::of_field(table, field)?),
                );
            }
            rust.push_str("    ] },\n");
        }
        rust.push_str("];\n\n");
        Ok(())
    }

    fn unions(&self, rust: &mut String) -> Result<(), AdditionError> {
        rust.push_str("\npub(crate) static UNIONS: &[UnionSchema] = &[\n");
        for union in self.schema.enumerations.iter().filter(|it| it.union) {
            let members: Vec<&str> =
                union.values.iter().map(|member| member.name.as_str()).collect();
            let place = |name: &&str| match self.holds(name) {
                Holds::Table(place) => Some(place),
                _ => None,
            };
            let tables: Vec<usize> = members.iter().filter_map(place).collect();
            let newest = self.newest_of(&union.name)?;
            let _ = writeln!(
                rust,
                "    UnionSchema {{ name: {:?}, newest: {newest}, members: &{members:?}, tables: &{tables:?} }},",
                union.name
            );
        }
        rust.push_str("];\n");
        Ok(())
    }

    fn enumerations(&self, rust: &mut String) -> Result<(), AdditionError> {
        rust.push_str("\npub(crate) static ENUMERATIONS: &[EnumerationSchema] = &[\n");
        for enumeration in self.schema.enumerations.iter().filter(|it| !it.union) {
            let later: Vec<String> = later_values(self.schema, &enumeration.name)?
                .iter()
                .map(|(number, name, since)| {
                    format!("crate::class::LaterValue {{ number: {number}, name: {name:?}, since: {since} }}")
                })
                .collect();
            let _ = writeln!(
                rust,
                "    EnumerationSchema {{ name: {:?}, bytes: {}, later: &[{}] }},",
                enumeration.name,
                size(self.schema, &enumeration.base),
                later.join(", ")
            );
        }
        rust.push_str("];\n");
        Ok(())
    }

    fn structs(&self, rust: &mut String) {
        rust.push_str("\npub(crate) static STRUCTS: &[StructSchema] = &[\n");
        for structure in &self.schema.structs {
            let (offsets, bytes) = layout(self.schema, structure);
            let enumerations: Vec<String> = structure
                .fields
                .iter()
                .zip(offsets)
                .filter_map(|(field, offset)| match self.holds(&field.type_name) {
                    Holds::Enumeration(place) => Some(format!("({place}, {offset})")),
                    _ => None,
                })
                .collect();
            let _ = writeln!(
                rust,
                "    StructSchema {{ name: {:?}, bytes: {bytes}, enumerations: &[{}] }},",
                structure.name,
                enumerations.join(", ")
            );
        }
        rust.push_str("];\n");
    }
}

/// The Rust tables of a schema that has this hash.
pub fn rust(schema: &Schema, hash: &[u8; 32]) -> Result<String, AdditionError> {
    let worked = SchemaTables::of(schema)?;
    let mut rust = String::from(
        "// Written by scripts/schema-gen from schema/fbs; do not modify.\n// @generated\n\n\
         use crate::class::{EnumerationSchema, FieldClass, FieldSchema, Holds, Introduced, KnownTable, \
         StructSchema, TableSchema, UnionSchema};\n\n",
    );
    let _ = writeln!(rust, "pub(crate) const SCHEMA_HASH: [u8; 32] = {hash:?};\n");
    let newest = worked.newest.iter().max().copied().unwrap_or(0);
    let _ = writeln!(
        rust,
        "/// The latest minor version of anything in the schema.\npub(crate) const NEWEST_MINOR: u16 = {newest};\n"
    );
    worked.tables(&mut rust)?;
    for table in &schema.tables {
        let lifetime = format!("crate::generated::capture::{}<'_>", table.name);
        let slots = table.fields.last().map_or(0, |field| field.id + 1);
        let _ = writeln!(
            rust,
            "impl KnownTable for {lifetime} {{ const SLOTS: usize = {slots}; fn table(&self) -> flatbuffers::Table<'_> {{ self._tab }} }}",
        );
    }
    worked.unions(&mut rust)?;
    worked.enumerations(&mut rust)?;
    worked.structs(&mut rust);
    Ok(rust)
}
