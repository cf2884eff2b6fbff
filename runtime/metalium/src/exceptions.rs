//! Maps texts of TT-Metalium's exceptions to Hallmark's failures for the same mistakes.
//!
//! The description of a release holds upstream's texts. Numbers in a text are compared with the fields of the captured
//! failure; fields that the text lacks are not compared.

use hallmark_chip::LogicalCore;
use hallmark_schema::model::{BufferType, Failure, FailureCode, FieldName, FieldValue};

use crate::ReleaseDescription;

/// A failure, as far as an exception's text states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The code of the failure.
    pub code: FailureCode,
    /// The fields that the text states, with their values as in captures.
    pub fields: Vec<(FieldName, u64)>,
}

impl Refusal {
    /// The failure, with `known` for the fields that the text lacks. `None` if a field is in neither.
    pub fn failure(&self, known: &[(FieldName, u64)]) -> Option<Failure> {
        let number = |name: &FieldName| {
            let mut all = self.fields.iter().chain(known);
            all.find(|(given, _)| given == name).map(|(_, number)| *number)
        };
        let numbers: Option<Vec<u64>> = self.code.fields().iter().map(number).collect();
        Failure::from_numbers(self.code, &numbers?)
    }

    /// The first difference from a captured failure; `None` if the two agree in everything that the text
    /// states.
    pub fn difference(&self, captured: &Failure) -> Option<RefusalDifference> {
        if self.code != captured.code() {
            return Some(RefusalDifference::Code(self.code));
        }
        let numbers = captured.numbers();
        self.fields.iter().find_map(|&(name, said)| {
            let at = self.code.fields().iter().position(|&field| field == name)?;
            let captured = *numbers.get(at)?;
            (captured != said).then_some(RefusalDifference::Field { name, said, captured })
        })
    }
}

/// A difference between upstream's refusal and the captured failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefusalDifference {
    /// The code differs.
    #[error("the exception means {}", .0.name())]
    Code(FailureCode),
    /// A field differs.
    #[error("the exception says {said} for `{}`, and the capture {captured}", name.name())]
    Field {
        /// The field.
        name: FieldName,
        /// The value in upstream's text, as in captures.
        said: u64,
        /// The captured value.
        captured: u64,
    },
}

/// A text of upstream's and its meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// Literal text, with `{field}` for the value of a field, and `{}` for any other text.
    pub(crate) text: String,
    pub(crate) code: FailureCode,
    /// A field whose value follows from the text itself.
    pub(crate) fixed: Option<(FieldName, u64)>,
}

/// The essential part of an exception's text, without the place and the backtrace that upstream adds.
pub fn essence(text: &str) -> String {
    let text = text.split("\nbacktrace:").next().unwrap_or(text);
    let text = text.split_once("\ninfo:\n").map_or(text, |(_, text)| text);
    // The format in which the user-mode driver appends the place.
    let text = text.split("\nLocation: ").next().unwrap_or(text);
    text.trim().to_owned()
}

impl ReleaseDescription {
    /// The meaning of an exception's text, if the description has it: the first text that it contains.
    pub fn refusal(&self, text: &str) -> Option<Refusal> {
        self.exceptions().iter().find_map(|row| {
            let mut fields = fields(&row.text, text)?;
            fields.extend(row.fixed);
            Some(Refusal { code: row.code, fields })
        })
    }
}

/// The fields in a text, if a pattern matches a part of it.
fn fields(pattern: &str, text: &str) -> Option<Vec<(FieldName, u64)>> {
    let mut fields = Vec::new();
    let mut field: Option<&str> = None;
    let (mut pattern, mut text) = (pattern, text);
    loop {
        let (literal, next) = match pattern.split_once('{') {
            Some((literal, next)) => (literal, Some(next)),
            None => (pattern, None),
        };
        let (before, after) = match literal {
            // The pattern ends with a field, or begins with one.
            "" if next.is_none() => (text, ""),
            "" => ("", text),
            literal => text.split_once(literal)?,
        };
        if let Some(field) = field.take().filter(|name| !name.is_empty()) {
            let name = FieldName::ALL.iter().copied().find(|known| known.name() == field)?;
            fields.push((name, value(name, before)?));
        }
        let Some(next) = next else { return Some(fields) };
        let (name, rest) = next.split_once('}')?;
        (field, pattern, text) = (Some(name), rest, after);
    }
}

/// A field's value as in captures.
fn value(name: FieldName, text: &str) -> Option<u64> {
    let mut numbers = text
        .split(|character: char| !character.is_ascii_digit())
        .filter_map(|digits| digits.parse::<u64>().ok());
    if name == FieldName::BufferType {
        return match text.trim() {
            "DRAM" => Some(BufferType::Dram.to_number()),
            "L1" => Some(BufferType::L1.to_number()),
            "L1_SMALL" => Some(BufferType::L1Small.to_number()),
            _ => None,
        };
    }
    if name == FieldName::Core {
        // `(x=1,y=2)`
        let (x, y) = (numbers.next()?, numbers.next()?);
        let [x, y] = [x, y].map(|coordinate| u32::try_from(coordinate).ok());
        return Some(LogicalCore { x: x?, y: y? }.to_number());
    }
    // The text before a field at the start of its pattern is arbitrary.
    numbers.next_back()
}

#[cfg(test)]
mod tests {
    use hallmark_schema::model::{BufferId, ObjectKind};

    use super::*;

    fn newest() -> &'static ReleaseDescription {
        ReleaseDescription::all().unwrap().last().unwrap()
    }

    fn refusal(text: &str) -> Option<Refusal> {
        newest().refusal(text)
    }

    #[test]
    fn a_text_gives_the_failure_and_its_fields() {
        let text = "Total circular buffer size 192 B must be divisible by page size 128 B";
        let refused = refusal(text).unwrap();
        assert_eq!(refused.code, FailureCode::CircularBufferSizeNotPageMultiple);
        assert_eq!(refused.fields, [(FieldName::Size, 192), (FieldName::PageSize, 128)]);
        let captured = |size| Failure::CircularBufferSizeNotPageMultiple {
            index: 7, // the text does not say it
            size,
            page_size: 128,
        };
        assert_eq!(refused.difference(&captured(192)), None);
        let other = refused.difference(&captured(64)).unwrap();
        assert_eq!(other.to_string(), "the exception says 192 for `size`, and the capture 64");
        let missing = Failure::ShardSpecMissing {};
        assert_eq!(
            refused.difference(&missing).unwrap().to_string(),
            "the exception means CircularBufferSizeNotPageMultiple"
        );
    }

    #[test]
    fn an_exception_is_told_without_its_place_and_backtrace() {
        let text = "TT_FATAL @ /a/b.cpp:12: size > 0\ninfo:\nsize is 0\nbacktrace:\n --- x\n";
        assert_eq!(essence(text), "size is 0");
        assert_eq!(essence("vector::_M_range_check"), "vector::_M_range_check");
        let text = "Failed to dlopen\nLocation: /a/b.cpp:4\n 1. tt::umd::a()\n 2. main\n";
        assert_eq!(essence(text), "Failed to dlopen");
    }

    #[test]
    fn a_failure_is_whole_only_if_every_field_is_known() {
        let text = "Total circular buffer size 192 B must be divisible by page size 128 B";
        let refused = refusal(text).unwrap();
        assert_eq!(refused.failure(&[]), None);
        let whole =
            Failure::CircularBufferSizeNotPageMultiple { index: 7, size: 192, page_size: 128 };
        // A value in the text is not overridden.
        let known = [(FieldName::Index, 7), (FieldName::Size, 64)];
        assert_eq!(refused.failure(&known), Some(whole));
    }

    #[test]
    fn cores_counts_and_memories_are_read() {
        let text = "342 unique+common runtime args targeting kernel k on (x=1,y=2) are too large. Max allowable is 341";
        let refused = refusal(text).unwrap();
        let core = LogicalCore { x: 1, y: 2 };
        let captured = Failure::TooManyRuntimeArgs { count: 342, limit: 341, core };
        assert_eq!(refused.difference(&captured), None);
        assert_eq!(refused.fields.len(), 3);
        let text =
            "Out of Memory: Not enough space to allocate 64 B L1 buffer across 72 banks, where";
        let expected =
            [(FieldName::BufferType, BufferType::L1.to_number()), (FieldName::Banks, 72)];
        assert_eq!(refusal(text).unwrap().fields, expected);
        let text = "Cannot add semaphore on core 0-0. Max number of semaphores (16) reached!";
        assert_eq!(
            refusal(text).unwrap().difference(&Failure::TooManySemaphores { limit: 16 }),
            None
        );
        let text = "Cannot add semaphore to an already compiled program 12";
        let expected = [(FieldName::Object, ObjectKind::Semaphore.to_number())];
        assert_eq!(refusal(text).unwrap().fields, expected);
    }

    #[test]
    fn a_text_that_is_not_in_the_table_means_nothing() {
        assert_eq!(refusal("vector::_M_range_check"), None);
        assert_eq!(
            refusal("Total circular buffer size many B must be divisible by page size 1 B"),
            None
        );
        let captured = Failure::CircularBufferNeedsL1Buffer { buffer: BufferId(0) };
        let refused = refusal("Only L1 buffers can have an associated circular buffer!").unwrap();
        assert_eq!(refused.difference(&captured), None);
    }

    #[test]
    fn every_row_names_fields_of_its_failure_and_is_reached() {
        for release in ReleaseDescription::all().unwrap() {
            for row in release.exceptions() {
                // The row's own text, with a value that is valid for every field.
                let said = row.text.replace("{buffer_type}", "L1").replace("{core}", "(x=1,y=1)");
                let said = FieldName::ALL
                    .iter()
                    .fold(said, |said, name| said.replace(&format!("{{{}}}", name.name()), "7"));
                let refused = release.refusal(&said).unwrap_or_else(|| panic!("{}", row.text));
                assert_eq!(refused.code, row.code, "{}", row.text);
                for (name, _) in refused.fields {
                    assert!(row.code.fields().contains(&name), "{} in {}", name.name(), row.text);
                }
            }
        }
    }
}
