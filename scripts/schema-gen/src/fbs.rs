//! Reads the part of the FlatBuffers schema language that `schema/fbs` uses, and its rules.
//!
//! `hallmark-schema`'s tests compile this file too, so that the rules are checked without `flatc`.

use std::collections::VecDeque;

/// How a difference in a field is judged; one of the four declared attributes.
pub const CLASSES: [&str; 4] = ["stable", "relocatable", "derived", "volatile"];

/// Attributes that the language has from the start.
const BUILT_IN: [&str; 2] = ["id", "force_align"];

/// A schema that cannot be read, or breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}.fbs:{line}: {message}")]
pub struct SchemaError {
    /// The file, without its extension.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// One of the words in parentheses behind a declaration: `stable`, `id: 3`, `creates: "buffer"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    pub name: String,
    /// What stands behind the colon, without quotes.
    pub value: Option<String>,
}

/// A field of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    /// The type without the brackets of a vector.
    pub type_name: String,
    pub vector: bool,
    /// As it is spelled: `null`, `1`.
    pub default: Option<String>,
    pub id: u16,
    pub class: String,
    /// All others, in the order in which they stand.
    pub attributes: Vec<Attribute>,
    /// The lines of its documentation.
    pub doc: Vec<String>,
}

impl Field {
    /// The attribute with this name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// What a released field may never change.
    pub fn form(&self) -> (&str, &str, bool, u16, &str) {
        (&self.name, &self.type_name, self.vector, self.id, &self.class)
    }
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    /// The file that declares it, without its extension.
    pub file: String,
    pub fields: Vec<Field>,
    pub attributes: Vec<Attribute>,
    /// The lines of its documentation.
    pub doc: Vec<String>,
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructField {
    pub name: String,
    /// The type of one element.
    pub type_name: String,
    /// Elements; 1 for a field that is no array.
    pub length: u16,
}

/// A struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Struct {
    pub name: String,
    pub fields: Vec<StructField>,
}

/// A value of an enum, or a member of a union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    pub name: String,
    pub number: u16,
    pub attributes: Vec<Attribute>,
}

/// An enum or union and its numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumeration {
    pub name: String,
    /// The file that declares it, without its extension.
    pub file: String,
    pub union: bool,
    /// The type of its numbers; a union's is `ubyte`.
    pub base: String,
    pub values: Vec<Value>,
}

/// What some schema files declare.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    pub tables: Vec<Table>,
    pub structs: Vec<Struct>,
    pub enumerations: Vec<Enumeration>,
}

impl Schema {
    /// Reads files given as name without extension and text.
    pub fn parse<'a>(
        files: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, SchemaError> {
        let mut schema = Self::default();
        let mut declared: Vec<String> =
            CLASSES.iter().chain(&BUILT_IN).map(|name| (*name).to_owned()).collect();
        for (file, text) in files {
            let mut parser = Parser { tokens: tokens(text).into(), file, declared };
            loop {
                let doc = parser.doc();
                let Some((_, word)) = parser.tokens.front().cloned() else { break };
                match word.as_str() {
                    "table" => schema.tables.push(parser.table(doc)?),
                    "enum" => schema.enumerations.push(parser.enumeration(false)?),
                    "union" => schema.enumerations.push(parser.enumeration(true)?),
                    "struct" => schema.structs.push(parser.structure()?),
                    "attribute" => parser.declaration()?,
                    "include" | "root_type" | "file_identifier" | "file_extension" => {
                        parser.skip_past(";")?;
                    }
                    other => return Err(parser.error(&format!("unexpected `{other}`"))),
                }
            }
            declared = parser.declared;
        }
        Ok(schema)
    }
}

/// Words, single characters, whole literals with their quotes, and lines of documentation with their
/// three strokes, each with its line.
fn tokens(text: &str) -> Vec<(usize, String)> {
    let mut tokens = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        if content.trim_start().starts_with("///") {
            tokens.push((line, content.trim_start().to_owned()));
            continue;
        }
        let mut word = String::new();
        let mut characters = content.chars().peekable();
        while let Some(character) = characters.next() {
            if character.is_alphanumeric() || character == '_' {
                word.push(character);
                continue;
            }
            if !word.is_empty() {
                tokens.push((line, std::mem::take(&mut word)));
            }
            if character == '/' && characters.peek() == Some(&'/') {
                break;
            }
            if character == '"' {
                let literal: String = characters.by_ref().take_while(|it| *it != '"').collect();
                tokens.push((line, format!("\"{literal}\"")));
            } else if !character.is_whitespace() {
                tokens.push((line, character.to_string()));
            }
        }
        if !word.is_empty() {
            tokens.push((line, word));
        }
    }
    tokens
}

struct Parser<'a> {
    tokens: VecDeque<(usize, String)>,
    file: &'a str,
    /// Attributes that may be used.
    declared: Vec<String>,
}

impl Parser<'_> {
    fn error(&self, message: &str) -> SchemaError {
        let line = self.tokens.front().map_or(0, |(line, _)| *line);
        SchemaError { file: self.file.to_owned(), line, message: message.to_owned() }
    }

    fn next(&mut self) -> Result<String, SchemaError> {
        let word = self.tokens.pop_front().map(|(_, word)| word);
        word.ok_or_else(|| self.error("the file ends too early"))
    }

    fn expect(&mut self, wanted: &str) -> Result<(), SchemaError> {
        let error = self.error(&format!("expected `{wanted}`"));
        if self.next()? == wanted { Ok(()) } else { Err(error) }
    }

    fn accept(&mut self, wanted: &str) -> bool {
        self.tokens.pop_front_if(|(_, word)| word == wanted).is_some()
    }

    /// The lines of documentation that come next.
    fn doc(&mut self) -> Vec<String> {
        let mut doc = Vec::new();
        while let Some((_, word)) = self.tokens.pop_front_if(|(_, word)| word.starts_with("///")) {
            let line = word.trim_start_matches('/');
            doc.push(line.strip_prefix(' ').unwrap_or(line).to_owned());
        }
        doc
    }

    /// Past the end of a struct; its name.
    fn number(&mut self) -> Result<u16, SchemaError> {
        let error = self.error("expected a number");
        self.next()?.parse().map_err(|_| error)
    }

    fn skip_past(&mut self, end: &str) -> Result<(), SchemaError> {
        while self.next()? != end {}
        Ok(())
    }

    /// `attribute "name";`
    fn declaration(&mut self) -> Result<(), SchemaError> {
        self.next()?;
        let name = self.next()?;
        self.declared.push(name.trim_matches('"').to_owned());
        self.expect(";")
    }

    /// What stands in parentheses behind `what`, if anything does.
    fn attributes(&mut self, what: &str) -> Result<Vec<Attribute>, SchemaError> {
        let mut attributes: Vec<Attribute> = Vec::new();
        if !self.accept("(") {
            return Ok(attributes);
        }
        while !self.accept(")") {
            let name = self.next()?;
            if !self.declared.contains(&name) {
                return Err(self.error(&format!("{what}: `{name}` is not used here")));
            }
            if attributes.iter().any(|before| before.name == name) {
                return Err(self.error(&format!("{what}: `{name}` stands twice")));
            }
            let value = match self.accept(":") {
                true => Some(self.next()?.trim_matches('"').to_owned()),
                false => None,
            };
            attributes.push(Attribute { name, value });
            self.accept(",");
        }
        Ok(attributes)
    }

    fn enumeration(&mut self, union: bool) -> Result<Enumeration, SchemaError> {
        self.next()?;
        let name = self.next()?;
        let base = if self.accept(":") { self.next()? } else { "ubyte".to_owned() };
        self.expect("{")?;
        let mut values: Vec<Value> = Vec::new();
        loop {
            self.doc();
            if self.accept("}") {
                break;
            }
            let value = self.next()?;
            self.expect("=")?;
            let number = self.number()?;
            let what = format!("{name}.{value}");
            if values.last().is_some_and(|before| before.number >= number) {
                return Err(self.error(&format!("{what}: numbers must ascend")));
            }
            if !union && values.is_empty() && (value.as_str(), number) != ("Unspecified", 0) {
                return Err(self.error(&format!("{name} must start with `Unspecified = 0`")));
            }
            let attributes = self.attributes(&what)?;
            values.push(Value { name: value, number, attributes });
            self.accept(",");
        }
        Ok(Enumeration { name, file: self.file.to_owned(), union, base, values })
    }

    fn structure(&mut self) -> Result<Struct, SchemaError> {
        self.next()?;
        let name = self.next()?;
        self.attributes(&name)?;
        self.expect("{")?;
        let mut fields = Vec::new();
        loop {
            self.doc();
            if self.accept("}") {
                break;
            }
            let name = self.next()?;
            self.expect(":")?;
            let array = self.accept("[");
            let type_name = self.next()?;
            let mut length = 1;
            if array {
                self.expect(":")?;
                length = self.number()?;
                self.expect("]")?;
            }
            self.expect(";")?;
            fields.push(StructField { name, type_name, length });
        }
        Ok(Struct { name, fields })
    }

    fn table(&mut self, doc: Vec<String>) -> Result<Table, SchemaError> {
        self.next()?;
        let name = self.next()?;
        let attributes = self.attributes(&name)?;
        self.expect("{")?;
        let mut fields: Vec<Field> = Vec::new();
        loop {
            let doc = self.doc();
            if self.accept("}") {
                break;
            }
            let field = self.field(&name, doc)?;
            if fields.last().is_some_and(|before| before.id >= field.id) {
                return Err(self.error(&format!("{name}.{}: ids must ascend", field.name)));
            }
            fields.push(field);
        }
        Ok(Table { name, file: self.file.to_owned(), fields, attributes, doc })
    }

    fn field(&mut self, table: &str, doc: Vec<String>) -> Result<Field, SchemaError> {
        let name = self.next()?;
        self.expect(":")?;
        let vector = self.accept("[");
        let type_name = self.next()?;
        if vector {
            self.expect("]")?;
        }
        let default = if self.accept("=") { Some(self.next()?) } else { None };
        let what = format!("{table}.{name}");
        let mut attributes = self.attributes(&what)?;
        self.expect(";")?;
        let error = |message: String| self.error(&format!("{what} {message}"));
        let id = attributes.extract_if(.., |attribute| attribute.name == "id").next();
        let id = id.ok_or_else(|| error("has no `id`".to_owned()))?.value.unwrap_or_default();
        let id = id.parse().map_err(|_| error(format!("has the id `{id}`, which is no number")))?;
        let is_class = |attribute: &mut Attribute| CLASSES.contains(&attribute.name.as_str());
        let mut classes: Vec<Attribute> = attributes.extract_if(.., is_class).collect();
        let (Some(class), []) = (classes.pop(), classes.as_slice()) else {
            return Err(error(format!("has not exactly one class of {}", CLASSES.join(", "))));
        };
        Ok(Field { name, type_name, vector, default, id, class: class.name, attributes, doc })
    }
}
