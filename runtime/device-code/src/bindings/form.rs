//! A text with `${…}` in the places of values, which is both written and read.

use std::collections::BTreeMap;

/// A text with placeholders.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(try_from = "String")]
pub struct Form {
    /// The lines, each as the parts of its text.
    lines: Vec<Vec<Part>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Value(String),
}

/// The values that were read in the places of a form.
pub type Filled<'t> = BTreeMap<String, &'t str>;

/// A text that is no form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormError {
    /// A placeholder without its end.
    #[error("`${{` has no `}}` in `{line}`")]
    Open {
        /// The line.
        line: String,
    },
    /// Two placeholders side by side: a reader could not tell them apart.
    #[error("two values stand side by side in `{line}`; put a text between them")]
    Touching {
        /// The line.
        line: String,
    },
}

impl TryFrom<String> for Form {
    type Error = FormError;

    fn try_from(text: String) -> Result<Self, FormError> {
        let lines = text.trim_end().split('\n').map(parts);
        Ok(Self { lines: lines.collect::<Result<_, _>>()? })
    }
}

fn parts(line: &str) -> Result<Vec<Part>, FormError> {
    let mut parts = Vec::new();
    let mut rest = line;
    while let Some((text, behind)) = rest.split_once("${") {
        if !text.is_empty() {
            parts.push(Part::Text(text.to_owned()));
        } else if matches!(parts.last(), Some(Part::Value(_))) {
            return Err(FormError::Touching { line: line.to_owned() });
        }
        let open = || FormError::Open { line: line.to_owned() };
        let (value, behind) = behind.split_once('}').ok_or_else(open)?;
        parts.push(Part::Value(value.to_owned()));
        rest = behind;
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest.to_owned()));
    }
    Ok(parts)
}

impl Form {
    /// The text with values; `None` if a value is missing.
    pub fn fill(&self, value: impl Fn(&str) -> Option<String>) -> Option<String> {
        let mut text = String::new();
        for (at, line) in self.lines.iter().enumerate() {
            text.push_str(if at == 0 { "" } else { "\n" });
            for part in line {
                match part {
                    Part::Text(part) => text.push_str(part),
                    Part::Value(name) => text.push_str(&value(name)?),
                }
            }
        }
        Some(text)
    }

    /// The number of its lines.
    pub const fn lines(&self) -> usize {
        self.lines.len()
    }

    /// The values in the first lines of a text, if these have the form. The lines come without the spaces around them. A
    /// value that stands in several places is the same in all of them.
    pub fn read<'t>(&self, text: &[&'t str]) -> Option<Filled<'t>> {
        let mut filled = Filled::new();
        let text = text.get(..self.lines.len())?;
        self.lines
            .iter()
            .zip(text)
            .all(|(parts, line)| read(parts, line, &mut filled))
            .then_some(filled)
    }
}

fn read<'t>(parts: &[Part], line: &'t str, filled: &mut Filled<'t>) -> bool {
    let mut rest = line;
    let mut parts = parts.iter().peekable();
    let mut is_first = true;
    while let Some(part) = parts.next() {
        let behind = match part {
            Part::Text(text) if is_first => rest.strip_prefix(text.trim_start()),
            Part::Text(text) => rest.strip_prefix(text.as_str()),
            Part::Value(name) => {
                let end = match parts.peek() {
                    Some(Part::Text(text)) => rest.find(text.as_str()),
                    Some(Part::Value(_)) | None => Some(rest.len()),
                };
                let split = end.and_then(|end| rest.split_at_checked(end));
                split.and_then(|(value, behind)| {
                    let before = filled.insert(name.clone(), value);
                    before.is_none_or(|before| before == value).then_some(behind)
                })
            }
        };
        let Some(behind) = behind else { return false };
        rest = behind;
        is_first = false;
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(text: &str) -> Form {
        Form::try_from(text.to_owned()).unwrap()
    }

    #[test]
    fn a_form_reads_what_it_writes() {
        let two =
            form("using ${name}_t = Token<${first}, ${last}>;\nconstexpr ${name}_t ${name}{};");
        assert_eq!(two.lines(), 2);
        let value = |name: &str| match name {
            "name" => Some("src_t".to_owned()),
            "first" => Some("4u".to_owned()),
            "last" => Some("8u".to_owned()),
            _ => None,
        };
        let text = two.fill(value).unwrap();
        assert_eq!(text, "using src_t_t = Token<4u, 8u>;\nconstexpr src_t_t src_t{};");
        assert_eq!(two.fill(|name| value(name).filter(|_| name != "last")), None);
        for text in [
            "using src_t = Token<4u, 8u>;\nconstexpr dst_t dst{};",
            "using src_t = Token<4u, 8u>;\nconstexpr src_t src{}; int more;",
            "using src_t = Token<4u>;\nconstexpr src_t src{};",
            "using src_t = Token<4u, 8u>;",
        ] {
            assert_eq!(two.read(&text.lines().collect::<Vec<_>>()), None, "{text}");
        }
        let text = "using src_t = Token<4u, 8u>;\nconstexpr src_t src{};\nint behind;";
        let read = two.read(&text.lines().collect::<Vec<_>>()).unwrap();
        let expected = [("first", "4u"), ("last", "8u"), ("name", "src")];
        assert_eq!(read, expected.map(|(name, value)| (name.to_owned(), value)).into());
    }

    #[test]
    fn a_text_with_a_bad_placeholder_is_no_form() {
        let error = Form::try_from("int ${name".to_owned()).unwrap_err();
        assert_eq!(error.to_string(), "`${` has no `}` in `int ${name`");
        let error = Form::try_from("int ${a}${b}".to_owned()).unwrap_err();
        assert!(error.to_string().starts_with("two values stand side by side"), "{error}");
    }
}
