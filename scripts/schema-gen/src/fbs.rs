//! Reads the part of the FlatBuffers schema language that `schema/fbs` uses, and its rules.
//!
//! `hallmark-schema`'s tests compile this file too, so that the rules are checked without `flatc`.

/// How a difference in a field is judged; one of the four declared attributes.
pub const CLASSES: [&str; 4] = ["stable", "relocatable", "derived", "volatile"];

/// A field of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    /// The type without the brackets of a vector.
    pub type_name: String,
    pub vector: bool,
    pub id: u16,
    pub class: String,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    /// The file that declares it, without its extension.
    pub file: String,
    pub fields: Vec<Field>,
}

/// An enum or union and its numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumeration {
    pub name: String,
    pub union: bool,
    pub values: Vec<(String, u16)>,
}

/// What some schema files declare.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    pub tables: Vec<Table>,
    pub enumerations: Vec<Enumeration>,
}

impl Schema {
    /// Reads files given as name without extension and text.
    pub fn parse<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, String> {
        let mut schema = Self::default();
        for (file, text) in files {
            let mut parser = Parser { tokens: tokens(text), file };
            while let Some((_, word)) = parser.tokens.first().cloned() {
                match word.as_str() {
                    "table" => schema.tables.push(parser.table()?),
                    "enum" => schema.enumerations.push(parser.enumeration(false)?),
                    "union" => schema.enumerations.push(parser.enumeration(true)?),
                    "struct" => parser.skip_past("}")?,
                    "include" | "attribute" | "root_type" | "file_identifier"
                    | "file_extension" => {
                        parser.skip_past(";")?;
                    }
                    other => return Err(parser.error(&format!("unexpected `{other}`"))),
                }
            }
        }
        Ok(schema)
    }
}

fn tokens(text: &str) -> Vec<(usize, String)> {
    let mut tokens = Vec::new();
    for (line, content) in text.lines().enumerate() {
        let content = content.split("//").next().unwrap_or_default();
        let mut word = String::new();
        for character in content.chars() {
            if character.is_alphanumeric() || character == '_' {
                word.push(character);
                continue;
            }
            if !word.is_empty() {
                tokens.push((line + 1, std::mem::take(&mut word)));
            }
            if !character.is_whitespace() {
                tokens.push((line + 1, character.to_string()));
            }
        }
        if !word.is_empty() {
            tokens.push((line + 1, word));
        }
    }
    tokens
}

struct Parser<'a> {
    tokens: Vec<(usize, String)>,
    file: &'a str,
}

impl Parser<'_> {
    fn error(&self, message: &str) -> String {
        let line = self.tokens.first().map_or(0, |(line, _)| *line);
        format!("{}.fbs:{line}: {message}", self.file)
    }

    fn next(&mut self) -> Result<String, String> {
        if self.tokens.is_empty() {
            return Err(self.error("the file ends too early"));
        }
        Ok(self.tokens.remove(0).1)
    }

    fn expect(&mut self, wanted: &str) -> Result<(), String> {
        let error = self.error(&format!("expected `{wanted}`"));
        if self.next()? == wanted { Ok(()) } else { Err(error) }
    }

    fn accept(&mut self, wanted: &str) -> bool {
        let found = self.tokens.first().is_some_and(|(_, word)| word == wanted);
        if found {
            self.tokens.remove(0);
        }
        found
    }

    fn number(&mut self) -> Result<u16, String> {
        let error = self.error("expected a number");
        self.next()?.parse().map_err(|_| error)
    }

    fn skip_past(&mut self, end: &str) -> Result<(), String> {
        while self.next()? != end {}
        Ok(())
    }

    fn enumeration(&mut self, union: bool) -> Result<Enumeration, String> {
        self.next()?;
        let name = self.next()?;
        if self.accept(":") {
            self.next()?;
        }
        self.expect("{")?;
        let mut values: Vec<(String, u16)> = Vec::new();
        while !self.accept("}") {
            let value = self.next()?;
            self.expect("=")?;
            let number = self.number()?;
            let before = values.last().map(|(_, number)| *number);
            if before.is_some_and(|before| before >= number) {
                return Err(self.error(&format!("{name}.{value}: numbers must ascend")));
            }
            if !union && values.is_empty() && (value.as_str(), number) != ("Unspecified", 0) {
                return Err(self.error(&format!("{name} must start with `Unspecified = 0`")));
            }
            values.push((value, number));
            self.accept(",");
        }
        Ok(Enumeration { name, union, values })
    }

    fn table(&mut self) -> Result<Table, String> {
        self.next()?;
        let name = self.next()?;
        self.expect("{")?;
        let mut fields: Vec<Field> = Vec::new();
        while !self.accept("}") {
            let field = self.field(&name)?;
            if fields.last().is_some_and(|before| before.id >= field.id) {
                return Err(self.error(&format!("{name}.{}: ids must ascend", field.name)));
            }
            fields.push(field);
        }
        Ok(Table { name, file: self.file.to_owned(), fields })
    }

    fn field(&mut self, table: &str) -> Result<Field, String> {
        let name = self.next()?;
        self.expect(":")?;
        let vector = self.accept("[");
        let type_name = self.next()?;
        if vector {
            self.expect("]")?;
        }
        if self.accept("=") {
            self.next()?;
        }
        let mut id = None;
        let mut classes = Vec::new();
        self.expect("(")?;
        while !self.accept(")") {
            let attribute = self.next()?;
            match attribute.as_str() {
                "id" => {
                    self.expect(":")?;
                    id = Some(self.number()?);
                }
                "force_align" => {
                    self.expect(":")?;
                    self.number()?;
                }
                class if CLASSES.contains(&class) => classes.push(attribute),
                other => {
                    return Err(self.error(&format!("{table}.{name}: `{other}` is not used here")));
                }
            }
            self.accept(",");
        }
        self.expect(";")?;
        let id = id.ok_or_else(|| self.error(&format!("{table}.{name} has no `id`")))?;
        let [class] = classes.as_slice() else {
            return Err(self.error(&format!(
                "{table}.{name} has {} classes; it needs exactly one of {}",
                classes.len(),
                CLASSES.join(", ")
            )));
        };
        Ok(Field { name, type_name, vector, id, class: class.clone() })
    }
}
