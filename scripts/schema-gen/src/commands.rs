//! Writes what is mechanical about commands: the enum over them, their wire form, the objects that
//! they refer to, and about how much they weigh.
//!
//! The structs themselves, their rules and their sentences are written by hand in
//! `schema/src/commands/`; a struct has the fields of its table, by the same names.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::fbs::{Enumeration, Field, Schema, Table};

/// The union of all commands.
const COMMAND: &str = "Command";
/// The file that declares what commands hold.
const FILE: &str = "program";

/// What a field's type is in the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Scalar,
    Double,
    Text,
    Enum,
    Struct,
    Table,
    Union,
}

/// The text of `schema/src/generated/commands.rs`.
pub fn generate(schema: &Schema) -> Result<String, String> {
    let generator = Generator { schema };
    let command = generator.union(COMMAND)?;
    let members: Vec<&Table> = command
        .values
        .iter()
        .map(|value| generator.table(&value.name))
        .collect::<Result<_, _>>()?;
    let mut rust = String::from(
        "use flatbuffers::{UnionWIPOffset, WIPOffset};\n\
         use serde::{Deserialize, Serialize};\n\n\
         use crate::commands::{self, AnyCall, CallField, CallValue, Presence, References, Role, Visit, VisitMut};\n\
         use crate::error::{CaptureError, Path};\n\
         use crate::generated::capture as fb;\n\
         use crate::journal::weight::{self, Weight};\n\
         use crate::model::{self, ObjectKind, QueueId};\n\
         use crate::wire::read::{check_fields, hash, list, real, required, text, words};\n\
         use crate::wire::table::{Builder, TableList, TableWire, string, structs, vector};\n\
         use crate::wire::{Wire, unknown_value};\n\n",
    );
    generator.command_enum(&mut rust, &members)?;
    for table in generator.reachable(&members) {
        generator.table_wire(&mut rust, table)?;
        generator.references(&mut rust, table)?;
        generator.weight(&mut rust, table)?;
    }
    for union in &schema.enumerations {
        if union.union && union.file == FILE {
            generator.encode_union(&mut rust, union)?;
        }
    }
    for table in &schema.tables {
        for field in &table.fields {
            if let Some(union) = schema
                .enumerations
                .iter()
                .find(|union| union.union && union.file == FILE && union.name == field.type_name)
            {
                generator.decode_union(&mut rust, table, field, union)?;
            }
        }
    }
    Ok(rust)
}

struct Generator<'s> {
    schema: &'s Schema,
}

/// `CreateBuffer` as `create_buffer`.
fn snake(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

/// `circular_buffer` as `CircularBuffer`.
fn camel(name: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    name.split('_').map(capital).collect()
}

fn doc(rust: &mut String, indent: &str, lines: &[String]) {
    for line in lines {
        let _ = writeln!(rust, "{indent}/// {line}");
    }
}

/// A function that is a match over all calls, with an arm for each.
fn function(
    rust: &mut String,
    members: &[&Table],
    head: &str,
    arm: impl FnMut(&Table) -> String,
) {
    let arms: Vec<String> = members.iter().copied().map(arm).collect();
    let _ = writeln!(rust, "\n{head} {{ match self {{ {} }} }}", arms.join(", "));
}

/// The role that a field plays for an object, and the object's kind in snake_case.
fn role(field: &Field) -> Option<(&'static str, &str)> {
    ["creates", "uses", "releases", "names"].into_iter().find_map(|role| {
        let kind = field.attribute(role)?.value.as_deref()?;
        Some((role, kind))
    })
}

/// Whether a suite may leave a field out.
fn presence(field: &Field) -> &'static str {
    if field.default.as_deref() == Some("null") {
        "Presence::Absent"
    } else if field.attribute("optional").is_some()
        || field.attribute("queue").is_some()
        || field.type_name == "bool"
    {
        "Presence::Zero"
    } else {
        "Presence::Required"
    }
}

impl<'s> Generator<'s> {
    fn union(&self, name: &str) -> Result<&'s Enumeration, String> {
        let found = self.schema.enumerations.iter().find(|it| it.union && it.name == name);
        found.ok_or_else(|| format!("the schema has no union `{name}`"))
    }

    fn table(&self, name: &str) -> Result<&'s Table, String> {
        let found = self.schema.tables.iter().find(|table| table.name == name);
        found.ok_or_else(|| format!("the schema has no table `{name}`"))
    }

    fn shape(&self, field: &Field) -> Result<Shape, String> {
        Ok(match field.type_name.as_str() {
            "bool" | "ubyte" | "ushort" | "uint" | "ulong" | "long" => Shape::Scalar,
            "double" => Shape::Double,
            "string" => Shape::Text,
            name if self.schema.structs.iter().any(|it| it.name == name) => Shape::Struct,
            name if self.schema.tables.iter().any(|it| it.name == name) => Shape::Table,
            name => match self.schema.enumerations.iter().find(|it| it.name == name) {
                Some(Enumeration { union: true, .. }) => Shape::Union,
                Some(_) => Shape::Enum,
                None => return Err(format!("`{}` has the unknown type `{name}`", field.name)),
            },
        })
    }

    /// The tables of commands and of what they hold, but for members of other unions and map entries.
    fn reachable(&self, members: &[&'s Table]) -> Vec<&'s Table> {
        let mut wanted: BTreeSet<&str> = members.iter().map(|it| it.name.as_str()).collect();
        // Unions hold tables too.
        let held = self.schema.enumerations.iter();
        let held = held.filter(|it| it.union && it.file == FILE && it.name != COMMAND);
        let held: BTreeSet<&str> =
            held.flat_map(|it| &it.values).map(|value| value.name.as_str()).collect();
        loop {
            let before = wanted.len();
            for table in &self.schema.tables {
                if wanted.contains(table.name.as_str()) || held.contains(table.name.as_str()) {
                    wanted.extend(table.fields.iter().map(|field| field.type_name.as_str()));
                }
            }
            if wanted.len() == before {
                break;
            }
        }
        let is_map = |it: &Table| it.attributes.iter().any(|it| it.name == "map_entry");
        let tables = self.schema.tables.iter();
        tables.filter(|it| wanted.contains(it.name.as_str()) && !is_map(it)).collect()
    }

    fn model(&self, table: &Table) -> String {
        let is_command = self
            .union(COMMAND)
            .is_ok_and(|union| union.values.iter().any(|value| value.name == table.name));
        let module = if is_command { "commands" } else { "model" };
        format!("{module}::{}", table.name)
    }

    /// What a field of a call holds, for those who bind calls by their fields.
    fn call_value(&self, table: &Table, field: &Field) -> Result<String, String> {
        if let Some((role, kind)) = role(field) {
            return Ok(format!("CallValue::Object(Role::{}, ObjectKind::{})", camel(role), camel(kind)));
        }
        let creates = table.fields.iter().any(|field| field.attribute("creates").is_some());
        let text = match (self.shape(field)?, field.type_name.as_str()) {
            _ if field.vector => "Other",
            _ if field.attribute("queue").is_some() => "Queue",
            (Shape::Scalar, "bool") => "Flag",
            (Shape::Scalar, "uint") => "Number32",
            (Shape::Scalar, "ulong") => "Number64",
            (Shape::Text, _) if creates && field.name == "name" => "GivenName",
            _ => "Other",
        };
        Ok(format!("CallValue::{text}"))
    }

    fn command_enum(&self, rust: &mut String, members: &[&Table]) -> Result<(), String> {
        rust.push_str(
            "/// A call of the host API.\n\
             #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]\n\
             #[serde(rename_all = \"snake_case\", deny_unknown_fields)]\n\
             pub enum Command {\n",
        );
        for table in members {
            doc(rust, "    ", &table.doc);
            let _ = writeln!(rust, "    {0}(commands::{0}),", table.name);
        }
        rust.push_str("}\n\n");
        for table in members {
            let _ = writeln!(
                rust,
                "impl From<commands::{0}> for Command {{ fn from(call: commands::{0}) -> Self {{ Self::{0}(call) }} }}",
                table.name
            );
        }
        Self::command_functions(rust, members);
        self.command_kinds(rust, members)?;
        Self::with_call(rust, members);
        Ok(())
    }

    /// What differs from call to call, and nothing else.
    fn command_functions(rust: &mut String, members: &[&Table]) {
        rust.push_str("\nimpl Command {\n");
        function(
            rust,
            members,
            "/// Which call it is.\npub const fn kind(&self) -> CommandKind",
            |table| format!("Self::{0}(_) => CommandKind::{0}", table.name),
        );
        function(
            rust,
            members,
            "/// The command queue that it is given to, if it is.\n\
             pub const fn queue(&self) -> Option<QueueId>",
            |table| {
                let queue = table.fields.iter().find(|field| field.attribute("queue").is_some());
                match queue {
                    Some(field) => format!("Self::{}(call) => Some(call.{})", table.name, field.name),
                    None => format!("Self::{}(_) => None", table.name),
                }
            },
        );
        function(
            rust,
            members,
            "/// The name that it gives to the object that it creates.\n\
             pub(crate) fn given_name(&self) -> Option<&str>",
            |table| {
                if table.fields.iter().any(|field| field.attribute("creates").is_some()) {
                    format!("Self::{}(call) => Some(&call.name)", table.name)
                } else {
                    format!("Self::{}(_) => None", table.name)
                }
            },
        );
        function(
            rust,
            members,
            "/// The command queue that it is given to, to be changed.\n\
             pub const fn queue_mut(&mut self) -> Option<&mut QueueId>",
            |table| {
                let queue = table.fields.iter().find(|field| field.attribute("queue").is_some());
                match queue {
                    Some(field) => {
                        format!("Self::{}(call) => Some(&mut call.{})", table.name, field.name)
                    }
                    None => format!("Self::{}(_) => None", table.name),
                }
            },
        );
        function(
            rust,
            members,
            "/// The name that it gives to the object that it creates, to be changed.\n\
             pub const fn given_name_mut(&mut self) -> Option<&mut String>",
            |table| {
                if table.fields.iter().any(|field| field.attribute("creates").is_some()) {
                    format!("Self::{}(call) => Some(&mut call.name)", table.name)
                } else {
                    format!("Self::{}(_) => None", table.name)
                }
            },
        );
        function(
            rust,
            members,
            "/// What every call can do, whichever it is.\npub(crate) fn as_call(&self) -> &dyn AnyCall",
            |table| format!("Self::{}(call) => call", table.name),
        );
        function(
            rust,
            members,
            "/// The same, to be changed.\npub(crate) fn as_call_mut(&mut self) -> &mut dyn AnyCall",
            |table| format!("Self::{}(call) => call", table.name),
        );
        rust.push_str("}\n");
    }

    fn command_kinds(&self, rust: &mut String, members: &[&Table]) -> Result<(), String> {
        rust.push_str(
            "\n/// A command without its arguments: its name wherever one is written.\n\
             #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\n\
             pub enum CommandKind {\n",
        );
        for table in members {
            let _ = writeln!(rust, "    /// `{}`.\n    {},", snake(&table.name), table.name);
        }
        rust.push_str(
            "}\n\nimpl CommandKind {\n    /// Every kind, in the order of its number in the capture format.\n    \
             pub const ALL: &'static [Self] = &[\n",
        );
        for table in members {
            let _ = writeln!(rust, "        Self::{},", table.name);
        }
        rust.push_str("    ];\n");
        function(
            rust,
            members,
            "/// Its name in snake_case.\npub const fn name(self) -> &'static str",
            |table| format!("Self::{} => {:?}", table.name, snake(&table.name)),
        );
        function(
            rust,
            members,
            "/// The name of its table in the schema.\npub const fn table_name(self) -> &'static str",
            |table| format!("Self::{0} => {0:?}", table.name),
        );
        function(
            rust,
            members,
            "/// What the call does.\npub const fn doc(self) -> &'static str",
            |table| format!("Self::{} => {:?}", table.name, table.doc.join("\n")),
        );
        let fields: Vec<String> =
            members.iter().map(|table| self.call_fields(table)).collect::<Result<_, _>>()?;
        let mut fields = fields.iter();
        function(
            rust,
            members,
            "/// The call's fields, in the order of the schema.\n\
             pub const fn fields(self) -> &'static [CallField]",
            |table| {
                let fields = fields.next().map_or("", String::as_str);
                format!("Self::{} => &[{fields}]", table.name)
            },
        );
        rust.push_str("}\n");
        Ok(())
    }

    fn call_fields(&self, table: &Table) -> Result<String, String> {
        let mut fields = String::new();
        for field in &table.fields {
            let _ = write!(
                fields,
                "CallField {{ name: {:?}, doc: {:?}, value: {}, presence: {} }}, ",
                field.name,
                field.doc.join("\n"),
                self.call_value(table, field)?,
                presence(field),
            );
        }
        Ok(fields)
    }

    fn with_call(rust: &mut String, members: &[&Table]) {
        rust.push_str(
            "\n/// Does the same with the call of a command, whichever it is:\n\
             /// `with_call!(command, call => call.detail())`. Every struct of a call must be able to.\n\
             #[macro_export]\n\
             macro_rules! with_call {\n    ($command:expr, $call:ident => $body:expr) => {\n        match $command {\n",
        );
        for table in members {
            let name = &table.name;
            let _ =
                writeln!(rust, "            $crate::commands::Command::{name}($call) => $body,");
        }
        rust.push_str("        }\n    };\n}\n\n");
    }

    /// The statements that encode fields held by reference under their own names, and the arguments
    /// of the table.
    fn encode_fields(&self, table: &Table) -> Result<(String, String), String> {
        let (mut before, mut arguments) = (String::new(), String::new());
        for field in &table.fields {
            let name = &field.name;
            let optional = field.attribute("optional").is_some();
            let is_id = role(field).is_some() || field.attribute("queue").is_some();
            let shape = self.shape(field)?;
            let (statement, argument) = match (shape, field.vector) {
                (Shape::Scalar, false) if is_id => (String::new(), format!("{name}: {name}.0")),
                (Shape::Scalar, false) => (String::new(), format!("{name}: *{name}")),
                (Shape::Double, false) => (String::new(), format!("{name}: {name}.get()")),
                (Shape::Enum, false) => (String::new(), format!("{name}: {name}.to_wire()")),
                (Shape::Text, false) => (format!("string(builder, {name})"), name.clone()),
                (Shape::Struct, false) if optional => (
                    format!("{name}.as_ref().map(Wire::to_wire)"),
                    format!("{name}: {name}.as_ref()"),
                ),
                (Shape::Struct, false) => {
                    (format!("{name}.to_wire()"), format!("{name}: Some(&{name})"))
                }
                (Shape::Table, false) if optional => {
                    (format!("{name}.as_ref().map(|{name}| {name}.encode(builder))"), name.clone())
                }
                (Shape::Table, false) => (format!("Some({name}.encode(builder))"), name.clone()),
                (Shape::Scalar, true) => (format!("vector(builder, {name})"), name.clone()),
                (Shape::Struct, true) => (format!("structs(builder, {name})"), name.clone()),
                (Shape::Table, true) => {
                    (format!("TableList::encode({name}, builder)"), name.clone())
                }
                (Shape::Union, false) => {
                    let encode = format!("encode_{}", snake(&field.type_name));
                    let statement = if optional {
                        format!(
                            "let ({name}_type, {name}) = match {name} {{ None => (fb::{}::NONE, None), Some({name}) => {{ let ({name}_type, {name}) = {encode}(builder, {name}); ({name}_type, Some({name})) }} }};\n",
                            field.type_name
                        )
                    } else {
                        format!("let ({name}_type, {name}) = {encode}(builder, {name});\n")
                    };
                    before.push_str(&statement);
                    let argument =
                        if optional { name.clone() } else { format!("{name}: Some({name})") };
                    (String::new(), format!("{name}_type, {argument}"))
                }
                (Shape::Double | Shape::Enum | Shape::Text | Shape::Union, true) => {
                    return Err(format!("{}.{name}: such a vector is not written yet", table.name));
                }
            };
            if !statement.is_empty() {
                let _ = writeln!(before, "let {name} = {statement};");
            }
            let _ = write!(arguments, "{argument}, ");
        }
        Ok((before, arguments))
    }

    /// What the fields of a form are in the model.
    fn decode_fields(&self, table: &Table) -> Result<String, String> {
        let mut fields = String::new();
        for field in &table.fields {
            let name = &field.name;
            let optional = field.attribute("optional").is_some();
            let at = format!("&path.field({name:?})");
            let id = role(field).map(|(_, kind)| format!("model::{}Id", camel(kind)));
            let id = id.or_else(|| field.attribute("queue").map(|_| "QueueId".to_owned()));
            let value = match (self.shape(field)?, field.vector) {
                (Shape::Scalar, false) => match id {
                    Some(id) => format!("{id}(form.{name}())"),
                    None => format!("form.{name}()"),
                },
                (Shape::Double, false) => format!("real(form.{name}(), {at})?"),
                (Shape::Enum, false) => format!("Wire::from_wire(form.{name}(), {at})?"),
                (Shape::Text, false) => format!("text(form.{name}())"),
                (Shape::Struct, false) if field.type_name == "ContentHash" => {
                    format!("hash(form.{name}(), {at})?")
                }
                (Shape::Struct, false) if optional => {
                    format!(
                        "form.{name}().map(|{name}| Wire::from_wire(*{name}, {at})).transpose()?"
                    )
                }
                (Shape::Struct, false) => {
                    format!("Wire::from_wire(*required(form.{name}(), {at})?, {at})?")
                }
                (Shape::Table, false) if optional => {
                    format!(
                        "form.{name}().map(|{name}| TableWire::decode({name}, {at})).transpose()?"
                    )
                }
                (Shape::Table, false) => {
                    format!("TableWire::decode(required(form.{name}(), {at})?, {at})?")
                }
                (Shape::Scalar, true) => format!("words(form.{name}())"),
                (Shape::Struct, true) => {
                    format!("list(form.{name}(), {at}, |item, path| Wire::from_wire(*item, path))?")
                }
                (Shape::Table, true) => format!("TableList::decode(form.{name}(), {at})?"),
                (Shape::Union, false) => {
                    let decoded = format!("{}_{name}(&form, {at})?", snake(&table.name));
                    if optional { decoded } else { format!("required({decoded}, {at})?") }
                }
                (Shape::Double | Shape::Enum | Shape::Text | Shape::Union, true) => {
                    return Err(format!("{}.{name}: such a vector is not read yet", table.name));
                }
            };
            let _ = writeln!(fields, "{name}: {value},");
        }
        Ok(fields)
    }

    fn names(table: &Table) -> String {
        let names: Vec<&str> = table.fields.iter().map(|field| field.name.as_str()).collect();
        names.join(", ")
    }

    fn table_wire(&self, rust: &mut String, table: &Table) -> Result<(), String> {
        let (before, arguments) = self.encode_fields(table)?;
        let decoded = self.decode_fields(table)?;
        let name = &table.name;
        let model = self.model(table);
        let fields = Self::names(table);
        let _ = writeln!(
            rust,
            "impl TableWire for {model} {{\n\
             type Form<'b> = fb::{name}<'b>;\n\n\
             fn encode<'b>(&self, builder: &mut Builder<'b>) -> WIPOffset<fb::{name}<'b>> {{\n\
             let Self {{ {fields} }} = self;\n{before}\
             fb::{name}::create(builder, &fb::{name}Args {{ {arguments} }})\n}}\n\n\
             fn decode(form: fb::{name}<'_>, path: &Path<'_>) -> Result<Self, CaptureError> {{\n\
             check_fields(&form, path)?;\nOk(Self {{\n{decoded}}})\n}}\n}}\n"
        );
        Ok(())
    }

    fn references(&self, rust: &mut String, table: &Table) -> Result<(), String> {
        let (mut body, mut changes) = (String::new(), String::new());
        for field in &table.fields {
            let name = &field.name;
            if let Some((role, kind)) = role(field) {
                let (role, kind) = (camel(role), camel(kind));
                let _ = writeln!(
                    body,
                    "visit(Role::{role}, ObjectKind::{kind}, self.{name}.0, &path.field({name:?}))?;"
                );
                let _ = writeln!(
                    changes,
                    "visit(Role::{role}, ObjectKind::{kind}, &mut self.{name}.0);"
                );
                continue;
            }
            let shape = self.shape(field)?;
            let holds = shape == Shape::Table && self.refers(self.table(&field.type_name)?)?;
            if !holds && field.attribute("references").is_none() {
                continue;
            }
            let optional = field.attribute("optional").is_some();
            let _ = if field.vector || optional {
                writeln!(
                    changes,
                    "for item in self.{name}.iter_mut() {{ item.references_mut(visit); }}"
                )
            } else {
                writeln!(changes, "self.{name}.references_mut(visit);")
            };
            let _ = if field.vector {
                writeln!(
                    body,
                    "let place = path.field({name:?});\nfor (index, item) in self.{name}.iter().enumerate() {{ item.references(&place.index(index), visit)?; }}"
                )
            } else if optional {
                writeln!(
                    body,
                    "if let Some(item) = &self.{name} {{ item.references(&path.field({name:?}), visit)?; }}"
                )
            } else {
                writeln!(body, "self.{name}.references(&path.field({name:?}), visit)?;")
            };
        }
        let (path, visit) = if body.is_empty() { ("_", "_") } else { ("path", "visit") };
        let _ = writeln!(
            rust,
            "impl References for {} {{\n\
             fn references(&self, {path}: &Path<'_>, {visit}: Visit<'_>) -> Result<(), CaptureError> {{\n\
             {body}Ok(())\n}}\n\n\
             fn references_mut(&mut self, {visit}: VisitMut<'_>) {{\n{changes}}}\n}}\n",
            self.model(table)
        );
        Ok(())
    }

    /// Whether a value of this table can refer to an object.
    fn refers(&self, table: &Table) -> Result<bool, String> {
        for field in &table.fields {
            let nested =
                self.shape(field)? == Shape::Table && self.refers(self.table(&field.type_name)?)?;
            if nested || role(field).is_some() || field.attribute("references").is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn weight(&self, rust: &mut String, table: &Table) -> Result<(), String> {
        let mut parts = String::new();
        for field in &table.fields {
            let name = &field.name;
            let optional = field.attribute("optional").is_some();
            let added = match (self.shape(field)?, field.vector) {
                (Shape::Scalar | Shape::Double | Shape::Enum, false) => continue,
                (Shape::Text, false) => format!("weight::text(&self.{name})"),
                (Shape::Struct | Shape::Union, false) => "weight::INLINE".to_owned(),
                (Shape::Table, false) if optional => {
                    format!("self.{name}.as_ref().map_or(0, Weight::weight)")
                }
                (Shape::Table, false) => format!("self.{name}.weight()"),
                (Shape::Table, true) => format!("self.{name}.weight()"),
                (_, true) => format!("weight::vector(&self.{name})"),
            };
            let _ = write!(parts, "{added}, ");
        }
        let table_itself = format!("weight::table({})", table.fields.len());
        let body = if parts.is_empty() {
            table_itself
        } else {
            format!("[{parts}].into_iter().fold({table_itself}, u64::saturating_add)")
        };
        let _ = writeln!(
            rust,
            "impl Weight for {} {{\nfn weight(&self) -> u64 {{\n{body}\n}}\n}}\n",
            self.model(table)
        );
        Ok(())
    }

    fn encode_union(&self, rust: &mut String, union: &Enumeration) -> Result<(), String> {
        let name = &union.name;
        let mut arms = String::new();
        for member in &union.values {
            let table = self.table(&member.name)?;
            let member = &table.name;
            let _ = if name == COMMAND {
                writeln!(
                    arms,
                    "model::{name}::{member}(call) => (fb::{name}::{member}, call.encode(builder).as_union_value()),"
                )
            } else {
                let (before, arguments) = self.encode_fields(table)?;
                let fields = Self::names(table);
                let pattern =
                    if fields.is_empty() { String::new() } else { format!(" {{ {fields} }}") };
                writeln!(
                    arms,
                    "model::{name}::{member}{pattern} => {{\n{before}let form = fb::{member}::create(builder, &fb::{member}Args {{ {arguments} }});\n(fb::{name}::{member}, form.as_union_value())\n}}"
                )
            };
        }
        let _ = writeln!(
            rust,
            "/// Writes a value of the union and says which member it is.\n\
             pub(crate) fn encode_{}<'b>(builder: &mut Builder<'b>, value: &model::{name}) -> (fb::{name}, WIPOffset<UnionWIPOffset>) {{\n\
             match value {{\n{arms}}}\n}}\n",
            snake(name)
        );
        Ok(())
    }

    fn decode_union(
        &self,
        rust: &mut String,
        holder: &Table,
        field: &Field,
        union: &Enumeration,
    ) -> Result<(), String> {
        let (name, field) = (&union.name, &field.name);
        let mut arms = String::new();
        for member in &union.values {
            let table = self.table(&member.name)?;
            let (member, snake_member) = (&table.name, snake(&table.name));
            let form = format!("required(form.{field}_as_{snake_member}(), path)?");
            let _ = if name == COMMAND {
                writeln!(
                    arms,
                    "fb::{name}::{member} => model::{name}::{member}(TableWire::decode({form}, &path.field({snake_member:?}))?),"
                )
            } else {
                let decoded = self.decode_fields(table)?;
                let value =
                    if decoded.is_empty() { String::new() } else { format!(" {{\n{decoded}}}") };
                writeln!(
                    arms,
                    "fb::{name}::{member} => {{\nlet form = {form};\ncheck_fields(&form, path)?;\nmodel::{name}::{member}{value}\n}}"
                )
            };
        }
        let words = snake(name).replace('_', " ");
        let _ = writeln!(
            rust,
            "/// The `{field}` of a `{0}`, if there is one.\n\
             pub(crate) fn {1}_{field}(form: &fb::{0}<'_>, path: &Path<'_>) -> Result<Option<model::{name}>, CaptureError> {{\n\
             let member = form.{field}_type();\nOk(Some(match member {{\nfb::{name}::NONE => return Ok(None),\n{arms}\
             _ => return Err(unknown_value(path, {words:?}, member.0)),\n}}))\n}}\n",
            holder.name,
            snake(&holder.name)
        );
        Ok(())
    }
}
