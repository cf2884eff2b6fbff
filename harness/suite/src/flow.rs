//! YAML in flow style, written so that suites read back what was meant.

use std::fmt;

use hallmark_schema::model::Real;

/// A value in flow style.
#[derive(Clone, Debug)]
pub enum Flow {
    /// Nothing: `null`.
    Nothing,
    /// A name or text, quoted where it could be taken for something else.
    Text(String),
    /// A number.
    Number(i128),
    /// A number that may have a fraction.
    Real(Real),
    /// `true` or `false`.
    Bool(bool),
    /// A list.
    List(Vec<Flow>),
    /// A map, in order.
    Map(Vec<(&'static str, Flow)>),
    /// A map with keys of the capture's.
    Named(Vec<(String, Flow)>),
}

impl Flow {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A whole number.
    pub fn number(number: impl Into<i128>) -> Self {
        Self::Number(number.into())
    }
}

/// Whether a text stands for itself without quotes.
fn is_plain(text: &str) -> bool {
    let reserved = ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"];
    text.chars().next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_./-".contains(c))
        && !reserved.contains(&text.to_ascii_lowercase().as_str())
}

impl fmt::Display for Flow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => formatter.write_str("null"),
            Self::Text(text) if is_plain(text) => formatter.write_str(text),
            // JSON's quoting is YAML's.
            Self::Text(text) => {
                formatter.write_str(&serde_json::Value::from(text.as_str()).to_string())
            }
            Self::Number(number) => write!(formatter, "{number}"),
            // All digits that it takes to read the same number back.
            Self::Real(number) => write!(formatter, "{:?}", number.get()),
            Self::Bool(flag) => write!(formatter, "{flag}"),
            Self::List(list) => {
                formatter.write_str("[")?;
                for (place, value) in list.iter().enumerate() {
                    write!(formatter, "{}{value}", if place > 0 { ", " } else { "" })?;
                }
                formatter.write_str("]")
            }
            Self::Map(map) => {
                let map: Vec<(String, &Self)> =
                    map.iter().map(|(key, value)| ((*key).to_owned(), value)).collect();
                write_map(formatter, &map)
            }
            Self::Named(map) => {
                let map: Vec<(String, &Self)> = map
                    .iter()
                    .map(|(key, value)| (Self::text(key.as_str()).to_string(), value))
                    .collect();
                write_map(formatter, &map)
            }
        }
    }
}

fn write_map(formatter: &mut fmt::Formatter<'_>, map: &[(String, &Flow)]) -> fmt::Result {
    if map.is_empty() {
        return formatter.write_str("{}");
    }
    formatter.write_str("{ ")?;
    for (place, (key, value)) in map.iter().enumerate() {
        write!(formatter, "{}{key}: {value}", if place > 0 { ", " } else { "" })?;
    }
    formatter.write_str(" }")
}
