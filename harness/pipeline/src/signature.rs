//! A failure's signature, by which two failures are the same or not.
//!
//! A signature says what happened and leaves out where on the chip: no pc, no tile, no address, no command's number, no
//! seed. So it stays the same on another board, under another seed, and in a capture from which something was taken
//! away. A failure of the machine around the device has none: a device that is absent, a worker that was killed, a file
//! that cannot be written.
//!
//! [`MatchLevel`] has the three levels at which two signatures are compared. `pipeline/signatures.rs` makes signatures
//! from the files that workers leave.

mod file;
mod object;
mod shape;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use hallmark_chip::{FaultCategory, Processor};
use hallmark_schema::model::{ContentHash, Failure, Outcome};
use serde::{Deserialize, Serialize};

pub use self::file::{SignatureFileError, read, text};
pub use self::object::{WaitedBuffer, WaitedObject};
pub use self::shape::{Contents, Shape};

/// What a failure is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Signature {
    /// A device program broke a rule.
    Fault {
        /// The kind of rule.
        category: FaultCategory,
        /// The name of the program, if one is to blame.
        program: Option<String>,
        /// The processor that did it, where the device tells.
        processor: Option<Processor>,
        /// The function that did it, where it is known.
        symbol: Option<String>,
    },
    /// Every running core waited for another.
    Deadlock {
        /// What was waited for, each once, however many cores did.
        waits: BTreeSet<SignatureWait>,
    },
    /// A program did not come to its end.
    Hang {
        /// The name of the program, if it is known.
        program: Option<String>,
    },
    /// The process with the device died.
    Crash {
        /// How it ended.
        end: ProcessEnd,
        /// The place in a source where it ended, where it said one.
        frame: Option<String>,
    },
    /// A call did not end as it should.
    Outcome {
        /// The call, as suites spell it.
        call: String,
        /// How it should have ended.
        expected: CallEnd,
        /// How it ended.
        actual: CallEnd,
    },
    /// Memory or what a read returned differs from what it should be.
    Differs {
        /// The buffer, or the output where the buffer is not known.
        object: String,
        /// How it differs.
        shape: Shape,
        /// The hash of what was there, where it is known.
        bytes: Option<ContentHash>,
    },
    /// The program of the capture came out otherwise: in a replay, or than its golden.
    Unstable {
        /// The class of the first field that differs, as the schema spells it.
        class: String,
        /// That field, without numbers.
        field: String,
    },
}

/// A wait of a deadlock.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignatureWait {
    /// The processor that waited.
    pub processor: Processor,
    /// The function that it was in, where that is known.
    pub symbol: Option<String>,
    /// What it waited for.
    pub object: WaitedObject,
}

/// How a process ended that did not report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessEnd {
    /// By itself, with this code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
}

impl ProcessEnd {
    /// Whether somebody else ended the process: a user, a shutdown, the system for want of memory. That says nothing
    /// about the device.
    pub const fn is_from_outside(self) -> bool {
        // SIGHUP, SIGINT, SIGQUIT, SIGKILL and SIGTERM.
        matches!(self, Self::Signal(1 | 2 | 3 | 9 | 15))
    }
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CallEnd {
    /// It succeeded.
    Done,
    /// It failed.
    Failed {
        /// The failure's code, as suites spell it.
        code: String,
        /// The failure's fields as numbers.
        fields: BTreeMap<String, u64>,
    },
    /// It was refused in words: by another runtime's exception, or by a compiler.
    Refused {
        /// The first line of those words.
        reason: String,
    },
    /// It did not come to its end.
    Unfinished,
}

impl From<&Failure> for CallEnd {
    fn from(failure: &Failure) -> Self {
        let code = failure.code();
        let names = code.fields().iter().map(|field| field.name().to_owned());
        let fields = names.zip(failure.numbers()).collect();
        Self::Failed { code: code.name().to_owned(), fields }
    }
}

impl From<&Outcome> for CallEnd {
    fn from(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Done => Self::Done,
            Outcome::Failed(failure) => failure.into(),
            Outcome::Unfinished => Self::Unfinished,
        }
    }
}

impl CallEnd {
    /// What of it stays the same where objects have other numbers.
    fn without_numbers(&self) -> Self {
        match self {
            Self::Failed { code, .. } => {
                Self::Failed { code: code.clone(), fields: BTreeMap::new() }
            }
            Self::Refused { reason } => Self::Refused { reason: without_numbers(reason) },
            Self::Done | Self::Unfinished => self.clone(),
        }
    }
}

/// When two failures count as the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum MatchLevel {
    /// If everything that a signature says is equal: functions, fields and bytes, too.
    Exact,
    /// If what happened is equal, perhaps in another function, with other numbers or with other bytes.
    #[default]
    Same,
    /// Always: any failure will do.
    Any,
}

impl Signature {
    /// Whether two failures are the same.
    pub fn matches(&self, other: &Self, level: MatchLevel) -> bool {
        match level {
            MatchLevel::Exact => self == other,
            MatchLevel::Same => self.is_same(other),
            MatchLevel::Any => true,
        }
    }

    /// Whether what happened is equal. How bytes differ that were not kept is not known, and may be in any way.
    fn is_same(&self, other: &Self) -> bool {
        if let (
            Self::Differs { object, shape, .. },
            Self::Differs { object: other_object, shape: other_shape, .. },
        ) = (self, other)
            && (*shape == Shape::Other || *other_shape == Shape::Other)
        {
            return object == other_object;
        }
        self.compared() == other.compared()
    }

    /// Whether it is a fault that was known under a broader category: of the same program and processor.
    pub fn is_more_exact_than(&self, known: &Self) -> bool {
        match (self, known) {
            (
                Self::Fault { category, program, processor, symbol: _ },
                Self::Fault { category: older, program: of, processor: on, symbol: _ },
            ) => category.is_more_exact_than(*older) && program == of && processor == on,
            _ => false,
        }
    }

    /// What of it [`MatchLevel::Same`] compares.
    pub(crate) fn compared(&self) -> Self {
        match self {
            Self::Fault { category, program, processor, symbol: _ } => Self::Fault {
                category: *category,
                program: program.clone(),
                processor: *processor,
                symbol: None,
            },
            Self::Deadlock { waits } => {
                let waits = waits.iter().cloned();
                Self::Deadlock {
                    waits: waits.map(|wait| SignatureWait { symbol: None, ..wait }).collect(),
                }
            }
            Self::Hang { program } => Self::Hang { program: program.clone() },
            // The line of a place in a source is another one after any change above it.
            Self::Crash { end, frame } => {
                Self::Crash { end: *end, frame: frame.as_deref().map(without_numbers) }
            }
            Self::Outcome { call, expected, actual } => Self::Outcome {
                call: call.clone(),
                expected: expected.without_numbers(),
                actual: actual.without_numbers(),
            },
            Self::Differs { object, shape, bytes: _ } => {
                Self::Differs { object: object.clone(), shape: shape.compared(), bytes: None }
            }
            Self::Unstable { class, field } => {
                Self::Unstable { class: class.clone(), field: field.clone() }
            }
        }
    }

    /// Its kind, as JSON spells it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Fault { .. } => "fault",
            Self::Deadlock { .. } => "deadlock",
            Self::Hang { .. } => "hang",
            Self::Crash { .. } => "crash",
            Self::Outcome { .. } => "outcome",
            Self::Differs { .. } => "differs",
            Self::Unstable { .. } => "unstable",
        }
    }

    /// A program's field that differs, whatever the numbers in its name.
    pub fn unstable(class: hallmark_schema::class::FieldClass, field: &str) -> Self {
        Self::Unstable { class: class.name().to_owned(), field: without_numbers(field) }
    }
}

/// A text in which every number is the same, decimal or hexadecimal: those are addresses, ids and places.
fn without_numbers(text: &str) -> String {
    let mut blanked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let length = match number_length(rest) {
            0 => {
                blanked.push(letter);
                letter.len_utf8()
            }
            length => {
                if !blanked.ends_with('#') {
                    blanked.push('#');
                }
                length
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    blanked
}

/// The length in bytes of the number that a text begins with; 0 if it begins with none.
fn number_length(text: &str) -> usize {
    let digits = |text: &str, is_digit: fn(&u8) -> bool| text.bytes().take_while(is_digit).count();
    let hexadecimal = text
        .strip_prefix("0x")
        .map_or(0, |behind| digits(behind, |byte: &u8| byte.is_ascii_hexdigit()));
    match hexadecimal {
        0 => digits(text, |byte: &u8| byte.is_ascii_digit()),
        length => length.saturating_add("0x".len()),
    }
}

impl fmt::Display for ProcessEnd {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(formatter, "exit code {code}"),
            Self::Signal(signal) => write!(formatter, "signal {signal}"),
        }
    }
}

impl fmt::Display for CallEnd {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => formatter.write_str("succeeds"),
            Self::Failed { code, .. } => write!(formatter, "fails with {code}"),
            Self::Refused { reason } => write!(formatter, "is refused: {reason}"),
            Self::Unfinished => formatter.write_str("does not end"),
        }
    }
}

/// One line for people.
impl fmt::Display for Signature {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = |program: &Option<String>| {
            program.as_ref().map_or_else(String::new, |name| format!(" in program `{name}`"))
        };
        match self {
            Self::Fault { category, program: of, processor, symbol } => {
                write!(formatter, "{category}{}", program(of))?;
                if let Some(processor) = processor {
                    write!(formatter, " on {processor}")?;
                }
                match symbol {
                    Some(symbol) => write!(formatter, " in {symbol}"),
                    None => Ok(()),
                }
            }
            Self::Deadlock { waits } => {
                let waits: Vec<String> = waits
                    .iter()
                    .map(|wait| format!("{} waits for {}", wait.processor, wait.object))
                    .collect();
                write!(formatter, "deadlock: {}", waits.join(", "))
            }
            Self::Hang { program: of } => write!(formatter, "hang{}", program(of)),
            Self::Crash { end, frame } => {
                write!(formatter, "crash: {end}")?;
                match frame {
                    Some(frame) => write!(formatter, " at {frame}"),
                    None => Ok(()),
                }
            }
            Self::Outcome { call, expected, actual } => {
                write!(formatter, "{call} {actual} (expected: {expected})")
            }
            Self::Differs { object, shape, bytes: _ } => {
                write!(formatter, "`{object}` differs: {shape}")
            }
            Self::Unstable { class, field } => {
                write!(formatter, "the program differs: {class} field {field}")
            }
        }
    }
}

#[cfg(test)]
mod tests;
