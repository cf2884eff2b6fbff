//! When something came into the format: the attributes `since`, `needed` and `droppable`, and their rules.
//!
//! `hallmark-schema`'s tests compile this file too, so that the rules are checked without `flatc`.

use super::fbs::{Attribute, Schema};

/// When something came into the format, and whether a copy for an older reader can be without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Introduced {
    /// With the major version.
    FirstRelease,
    /// With this minor version; a copy in an older one leaves it out.
    Droppable(u16),
    /// With this minor version; there is no copy in an older one.
    Needed(u16),
}

impl Introduced {
    /// The minor version.
    pub fn minor(self) -> u16 {
        match self {
            Self::FirstRelease => 0,
            Self::Droppable(minor) | Self::Needed(minor) => minor,
        }
    }
}

/// An addition that does not say properly when it came.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AdditionError {
    #[error("{what} came after 1.{released}: say when, with {attributes}")]
    Undated { what: String, released: u16, attributes: String },
    #[error("{what} came after 1.{released} and says 1.{minor}")]
    TooEarly { what: String, released: u16, minor: u16 },
    #[error("{what} is not as it was in 1.{released}")]
    Changed { what: String, released: u16 },
    #[error("{what}: `{attribute}` cannot stand here; only {attributes} can")]
    Misplaced { what: String, attribute: String, attributes: String },
    #[error("{what}: `{attribute}` needs a minor version of 1 or more, as `{attribute}: 1`")]
    NoMinor { what: String, attribute: String },
    #[error("{what} says twice when it came")]
    Twice { what: String },
}

/// What may say when a field came, by the file that declares its table: nothing can be taken out of a
/// program, a container is written anew for each reader, and a journal lives as long as a run.
fn allowed(file: &str) -> &'static [&'static str] {
    match file {
        "program" => &["since"],
        "record" => &["needed", "droppable"],
        "capture" => &["needed"],
        _ => &[],
    }
}

fn listed(attributes: &[&str]) -> String {
    let quoted: Vec<String> = attributes.iter().map(|name| format!("`{name}: 1`")).collect();
    if quoted.is_empty() { "nothing".to_owned() } else { quoted.join(" or ") }
}

/// When something came, by its attributes, of which only some can stand there.
pub fn introduced(
    what: &str,
    attributes: &[Attribute],
    allowed: &[&str],
) -> Result<Introduced, AdditionError> {
    let mut found = Introduced::FirstRelease;
    for attribute in attributes {
        let make: fn(u16) -> Introduced = match attribute.name.as_str() {
            "since" | "needed" => Introduced::Needed,
            "droppable" => Introduced::Droppable,
            _ => continue,
        };
        let (what, name) = (what.to_owned(), attribute.name.clone());
        if !allowed.contains(&name.as_str()) {
            let attributes = listed(allowed);
            return Err(AdditionError::Misplaced { what, attribute: name, attributes });
        }
        if found != Introduced::FirstRelease {
            return Err(AdditionError::Twice { what });
        }
        let minor = attribute.value.as_deref().and_then(|value| value.parse().ok());
        let minor = minor.filter(|minor| *minor > 0);
        found = make(minor.ok_or(AdditionError::NoMinor { what, attribute: name })?);
    }
    Ok(found)
}

/// When a field came.
pub fn of_field(
    table: &super::fbs::Table,
    field: &super::fbs::Field,
) -> Result<Introduced, AdditionError> {
    let what = format!("{}.{}", table.name, field.name);
    introduced(&what, &field.attributes, allowed(&table.file))
}

/// Checks that everything which the last released minor version lacks says when it came, and that nothing
/// else does.
pub fn check(released: &Schema, minor: u16, schema: &Schema) -> Result<(), AdditionError> {
    let dated = |what: String, was: Option<Introduced>, now: Introduced, allowed: &[&str]| {
        let released = minor;
        match was {
            Some(was) if was == now => Ok(()),
            Some(_) => Err(AdditionError::Changed { what, released }),
            None if now == Introduced::FirstRelease => {
                Err(AdditionError::Undated { what, released, attributes: listed(allowed) })
            }
            None if now.minor() <= minor => {
                Err(AdditionError::TooEarly { what, released, minor: now.minor() })
            }
            None => Ok(()),
        }
    };
    for table in &schema.tables {
        let was = released.tables.iter().find(|was| was.name == table.name);
        let journal = table.file == "journal";
        let of_table: &[&str] = if journal { &[] } else { &["since"] };
        let now = introduced(&table.name, &table.attributes, of_table)?;
        let before = was.map(|was| introduced(&was.name, &was.attributes, of_table)).transpose()?;
        if !journal {
            dated(table.name.clone(), before, now, of_table)?;
        }
        for field in &table.fields {
            let now = of_field(table, field)?;
            let Some(was) = was else {
                // It came with its table, or later.
                continue;
            };
            let before = was.fields.iter().find(|before| before.id == field.id);
            if before.is_some_and(|before| before.form() != field.form()) {
                let what = format!("{}.{}", table.name, field.name);
                return Err(AdditionError::Changed { what, released: minor });
            }
            let before = before.map(|before| of_field(was, before)).transpose()?;
            if !journal {
                let what = format!("{}.{}", table.name, field.name);
                dated(what, before, now, allowed(&table.file))?;
            }
        }
    }
    // A union's members are tables, which say it themselves.
    for enumeration in schema.enumerations.iter().filter(|enumeration| !enumeration.union) {
        let was = released.enumerations.iter().find(|was| was.name == enumeration.name);
        for value in &enumeration.values {
            let what = format!("{}.{}", enumeration.name, value.name);
            let now = introduced(&what, &value.attributes, &["since"])?;
            // What is new as a whole is held by fields that are.
            let Some(was) = was else { continue };
            let before = was.values.iter().find(|before| before.number == value.number);
            let before = before
                .map(|before| introduced(&what, &before.attributes, &["since"]))
                .transpose()?;
            dated(what, before, now, &["since"])?;
        }
    }
    Ok(())
}
