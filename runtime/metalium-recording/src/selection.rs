//! The launches that a recording is requested for, by the names of their operations or by number.

use std::ffi::OsString;
use std::fmt;
use std::str::FromStr;

use crate::conversion::Missing;
use crate::event::{Entry, Event, ProgramEnqueued};

/// The environment variables that the recorder reads.
pub(crate) const ONLY_VARIABLE: &str = "HALLMARK_METALIUM_ONLY";
pub(crate) const SKIP_VARIABLE: &str = "HALLMARK_METALIUM_SKIP";
pub(crate) const FROM_VARIABLE: &str = "HALLMARK_METALIUM_FROM";
pub(crate) const UNTIL_VARIABLE: &str = "HALLMARK_METALIUM_UNTIL";

/// A user's reference to launches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// All launches of an operation: letters, digits and underscores, as in the names of a capture's programs.
    Name(String),
    /// One launch by its number among all launches of the recording, from 0.
    Number(u32),
}

/// A text that is not an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OperationError {
    /// The text contains other characters than names have.
    #[error(
        "an operation is a name of letters, digits and underscores, or the number of a launch, from 0"
    )]
    Letters,
    /// The number exceeds that of any recording's launches.
    #[error("the number of a launch is at most {}", u32::MAX)]
    Number,
}

impl FromStr for Operation {
    type Err = OperationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if text.is_empty() || !text.bytes().all(is_name) {
            return Err(OperationError::Letters);
        }
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            return text.parse().map(Self::Number).map_err(|_| OperationError::Number);
        }
        Ok(Self::Name(text.to_owned()))
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => formatter.write_str(name),
            Self::Number(number) => number.fmt(formatter),
        }
    }
}

impl Operation {
    fn is(&self, launch: &Launch<'_>) -> bool {
        match self {
            Self::Name(name) => name == launch.operation,
            Self::Number(number) => *number == launch.number,
        }
    }

    const fn number(&self) -> Option<u32> {
        match self {
            Self::Name(_) => None,
            Self::Number(number) => Some(*number),
        }
    }
}

/// The requested launches of a recording. The default is all of them.
///
/// A trace is never cut: a trace with any requested launch is kept whole, and so are its replays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only these launches, unless the list is empty.
    pub only: Vec<Operation>,
    /// All launches except these.
    pub skip: Vec<Operation>,
    /// The launches from the first of these on.
    pub from: Option<Operation>,
    /// The launches up to the first of these after the beginning.
    pub until: Option<Operation>,
}

/// A selection that is empty for every command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    /// The range ends before it begins.
    #[error("--from {from} --until {until} is empty: the range ends before it begins")]
    EmptyRange {
        /// Its first launch.
        from: u32,
        /// Its last launch.
        until: u32,
    },
    /// A single requested launch is outside the range.
    #[error("--only {number} is outside of the range of --from and --until")]
    OutsideRange {
        /// The launch.
        number: u32,
    },
}

/// An option of a selection, in the user's spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SelectionOption {
    /// [`Selection::only`].
    Only,
    /// [`Selection::skip`].
    Skip,
    /// [`Selection::from`].
    From,
    /// [`Selection::until`].
    Until,
}

impl fmt::Display for SelectionOption {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Only => "--only",
            Self::Skip => "--skip",
            Self::From => "--from",
            Self::Until => "--until",
        })
    }
}

/// A launch of a recording.
struct Launch<'e> {
    number: u32,
    operation: &'e str,
}

/// The launches of a recording, in their order.
fn launches(entries: &[Entry]) -> Vec<Launch<'_>> {
    let mut launches = Vec::new();
    let mut programs = std::collections::BTreeMap::new();
    for entry in entries {
        if let Event::ProgramDescribed(description) = &entry.event {
            programs.insert(description.program, description.operation.as_str());
        } else if let Event::ProgramEnqueued(ProgramEnqueued { program, .. }) = &entry.event {
            let number = u32::try_from(launches.len()).unwrap_or(u32::MAX);
            let operation = programs.get(program).copied().unwrap_or_default();
            launches.push(Launch { number, operation });
        }
    }
    launches
}

impl Selection {
    /// Whether all launches are requested.
    pub fn is_everything(&self) -> bool {
        *self == Self::default()
    }

    /// Checks that some command could launch the requested operations.
    ///
    /// # Errors
    /// [`SelectionError`]: no command could.
    pub fn check(&self) -> Result<(), SelectionError> {
        let number = |operation: &Option<Operation>| operation.as_ref().and_then(Operation::number);
        let (from, until) = (number(&self.from), number(&self.until));
        if let Some((from, until)) = from.zip(until).filter(|(from, until)| from > until) {
            return Err(SelectionError::EmptyRange { from, until });
        }
        let is_outside = |number: &u32| {
            from.is_some_and(|from| *number < from) || until.is_some_and(|until| *number > until)
        };
        let mut numbers = self.only.iter().filter_map(Operation::number);
        numbers
            .find(is_outside)
            .map_or(Ok(()), |number| Err(SelectionError::OutsideRange { number }))
    }

    /// The recorder's environment variables.
    pub(crate) fn environment(&self) -> Vec<(&'static str, OsString)> {
        let names = [ONLY_VARIABLE, SKIP_VARIABLE, FROM_VARIABLE, UNTIL_VARIABLE];
        let given = names.into_iter().zip(self.variables()).filter(|(_, text)| !text.is_empty());
        given.map(|(name, text)| (name, text.into())).collect()
    }

    /// The texts of the variables, in the order of the fields.
    pub(crate) fn variables(&self) -> [String; 4] {
        let list = |operations: &[Operation]| {
            operations.iter().map(Operation::to_string).collect::<Vec<_>>().join(",")
        };
        let (from, until) = (self.from.as_slice(), self.until.as_slice());
        [list(&self.only), list(&self.skip), list(from), list(until)]
    }

    /// The selection in the recorder's environment.
    ///
    /// # Errors
    /// A text is not an operation.
    pub(crate) fn of_variables(texts: [&str; 4]) -> Result<Self, OperationError> {
        let list = |text: &str| -> Result<Vec<Operation>, OperationError> {
            let operations = text.split(',').filter(|_| !text.is_empty());
            operations.map(str::parse).collect()
        };
        let [only, skip, from, until] = texts.map(list);
        Ok(Self { only: only?, skip: skip?, from: from?.pop(), until: until?.pop() })
    }

    /// The requested operations that were never launched.
    pub(crate) fn never_came(&self, entries: &[Entry]) -> Vec<Missing> {
        if self.is_everything() {
            return Vec::new();
        }
        let launches = launches(entries);
        let begin = match &self.from {
            Some(from) => launches.iter().position(|launch| from.is(launch)),
            None => Some(0),
        };
        let range = begin.and_then(|begin| launches.get(begin..)).unwrap_or_default();
        let only = self.only.iter().map(|it| (SelectionOption::Only, it, launches.as_slice()));
        let skip = self.skip.iter().map(|it| (SelectionOption::Skip, it, launches.as_slice()));
        let from = self.from.iter().map(|it| (SelectionOption::From, it, launches.as_slice()));
        let until = self.until.iter().map(|it| (SelectionOption::Until, it, range));
        let asked = only.chain(skip).chain(from).chain(until);
        let missing =
            asked.filter(|(_, operation, among)| !among.iter().any(|launch| operation.is(launch)));
        let mut came: Vec<String> = Vec::new();
        for launch in &launches {
            if !came.iter().any(|name| name == launch.operation) {
                came.push(launch.operation.to_owned());
            }
        }
        missing
            .map(|(option, operation, _)| Missing::NeverLaunched {
                option,
                operation: operation.to_string(),
                launches: launches.len(),
                came: came.clone(),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Operation {
        text.parse().expect("the test names operations")
    }

    #[test]
    fn an_operation_is_a_name_or_a_number() {
        assert_eq!("matmul".parse(), Ok(Operation::Name("matmul".to_owned())));
        assert_eq!("7".parse(), Ok(Operation::Number(7)));
        assert_eq!("7th".parse(), Ok(Operation::Name("7th".to_owned())));
        assert_eq!("4294967295".parse(), Ok(Operation::Number(u32::MAX)));
        assert_eq!("4294967296".parse::<Operation>(), Err(OperationError::Number));
        for text in ["", "a,b", "a b", "-1", "ä", "ttnn.add"] {
            assert_eq!(text.parse::<Operation>(), Err(OperationError::Letters), "{text}");
        }
    }

    #[test]
    fn a_range_that_can_hold_nothing_is_refused() {
        let range = |from: &str, until: &str, only: &[&str]| {
            let only = only.iter().map(|text| named(text)).collect();
            let selection = Selection {
                only,
                from: Some(named(from)),
                until: Some(named(until)),
                skip: vec![],
            };
            selection.check()
        };
        assert_eq!(range("3", "3", &["3"]), Ok(()));
        assert_eq!(range("4", "3", &[]), Err(SelectionError::EmptyRange { from: 4, until: 3 }));
        // The order of these depends on the command.
        assert_eq!(range("add", "3", &["3"]), Ok(()));
        let outside = |number| Err(SelectionError::OutsideRange { number });
        assert_eq!(range("3", "5", &["add", "3", "5", "2"]), outside(2));
        assert_eq!(range("3", "5", &["6"]), outside(6));
    }

    #[test]
    fn the_recorder_gets_what_was_asked_for() {
        assert_eq!(Selection::default().environment(), []);
        let selection = Selection {
            only: vec![named("add"), named("4")],
            until: Some(named("9")),
            ..Selection::default()
        };
        let expected: [(&str, OsString); 2] =
            [(ONLY_VARIABLE, "add,4".into()), (UNTIL_VARIABLE, "9".into())];
        assert_eq!(selection.environment(), expected);
    }
}
