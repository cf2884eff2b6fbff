//! The differences between two captures, by object and command, and by field and its class, never "bytes
//! differ".

mod align;
mod commands;
mod record;
mod values;

use std::collections::HashMap;
use std::fmt;

use hallmark_chip::sabotage::is_switched_off;

use crate::class::{FieldClass, TableSchema};
use crate::model::{Capture, CommandIndex, CommandKind, ContentHash, OutputHash, ProgramPart};

/// The name that switches off one of `diff`'s comparisons.
const DIFF: &str = "diff";
/// The comparisons of `diff`, by name. A test fails if one of them is missing.
pub const DIFF_CHECKS: [&str; 5] =
    ["OutputOfSecond", "SourceOfSecond", "CommandOfSecond", "IdOfAnotherObject", "TensorOfSecond"];

/// The place of a difference between two captures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DifferencePlace {
    /// The program as a whole.
    Program,
    /// A command of both captures, or of one.
    Command {
        /// Its index in the first capture, if the first has it.
        first: Option<CommandIndex>,
        /// Its index in the second capture, if the second has it.
        second: Option<CommandIndex>,
        /// The kind of call.
        kind: CommandKind,
        /// The call's subject: `` `stage1` (id 1) ``, or empty.
        subject: String,
    },
    /// The hash of an output.
    Output {
        /// The output name that the read gave.
        name: String,
    },
    /// The record part.
    Record,
}

/// One field that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The command, output or part that differs.
    pub place: DifferencePlace,
    /// The field relative to the place: `page_size`, `core (0,0), argument 2`. Empty if only one capture has
    /// the command or output.
    pub field: String,
    /// The class of the field.
    pub class: FieldClass,
    /// The value in the first capture; `None` if it has none.
    pub first: Option<String>,
    /// The value in the second capture; `None` if it has none.
    pub second: Option<String>,
}

/// The differences between two captures, in the order of the first's commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    found: Vec<Difference>,
    /// Whether some differences were left out.
    selected: bool,
}

impl Differences {
    /// The differences, in their order.
    pub fn as_slice(&self) -> &[Difference] {
        &self.found
    }

    /// Whether the list is empty.
    pub const fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Whether the programs differ: a stable or relocatable field.
    pub fn in_program(&self) -> bool {
        self.found.iter().any(|difference| difference.class.in_program())
    }

    /// The number of differences of a class.
    pub fn count(&self, class: FieldClass) -> usize {
        self.found.iter().filter(|difference| difference.class == class).count()
    }

    /// The differences of the given classes.
    #[must_use]
    pub fn of(mut self, classes: &[FieldClass]) -> Self {
        self.found.retain(|difference| classes.contains(&difference.class));
        self.selected = true;
        self
    }
}

/// Compares two captures. Embedded and referenced data compare equal.
pub fn diff(first: &Capture, second: &Capture) -> Differences {
    let mut found = program_differences(&first.program, &second.program);
    outputs(first, second, &mut found);
    record::compare(first, second, &mut found);
    Differences { found, selected: false }
}

/// Compares two program parts, without records.
pub fn diff_programs(first: &ProgramPart, second: &ProgramPart) -> Differences {
    Differences { found: program_differences(first, second), selected: false }
}

fn program_differences(first: &ProgramPart, second: &ProgramPart) -> Vec<Difference> {
    let mut found = Vec::new();
    let class = |field: &str| class_of("Program", field);
    let mut note = |field: &str, name: String, first: Option<String>, second: Option<String>| {
        if first != second {
            let place = DifferencePlace::Program;
            found.push(Difference { place, field: name, class: class(field), first, second });
        }
    };
    let text = |value: &dyn fmt::Display| Some(value.to_string());
    for (field, first, second) in [
        ("architecture", text(&first.architecture), text(&second.architecture)),
        ("grid", text(&grid(first)), text(&grid(second))),
        ("placement_bound", text(&first.placement_bound), text(&second.placement_bound)),
        ("num_command_queues", text(&first.num_command_queues), text(&second.num_command_queues)),
        ("trace_region_size", text(&first.trace_region_size), text(&second.trace_region_size)),
        ("l1_small_size", text(&first.l1_small_size), text(&second.l1_small_size)),
        ("worker_l1_size", text(&first.worker_l1_size), text(&second.worker_l1_size)),
    ] {
        note(field, field.to_owned(), first, second);
    }
    let hash = |program: &ProgramPart, path: &str| -> Option<ContentHash> {
        let sources = &program.sources;
        let at = sources.binary_search_by(|known| known.path.as_str().cmp(path)).ok()?;
        Some(sources.get(at)?.hash)
    };
    let new = second.sources.iter().filter(|_| !is_switched_off(DIFF, "SourceOfSecond"));
    let mut paths: Vec<&str> =
        first.sources.iter().chain(new).map(|source| source.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    for path in paths {
        let text = |program| hash(program, path).map(|hash| hash.to_string());
        note("sources", format!("source {path}"), text(first), text(second));
    }
    commands::compare(first, second, &mut found);
    found
}

fn grid(program: &ProgramPart) -> String {
    format!("{}×{}", program.grid.columns, program.grid.rows)
}

fn outputs<'c>(first: &'c Capture, second: &'c Capture, found: &mut Vec<Difference>) {
    let by_name = |capture: &'c Capture| -> HashMap<&'c str, &'c OutputHash> {
        capture.outputs.iter().map(|output| (output.name.as_str(), output)).collect()
    };
    let (before, after) = (by_name(first), by_name(second));
    let new = second.outputs.iter().filter(|output| {
        !before.contains_key(output.name.as_str()) && !is_switched_off(DIFF, "OutputOfSecond")
    });
    for OutputHash { name, .. } in first.outputs.iter().chain(new) {
        let (before, after) = (before.get(name.as_str()), after.get(name.as_str()));
        let length = |output: Option<&&OutputHash>| output.map(|output| output.length.to_string());
        let hash = |output: Option<&&OutputHash>| output.map(|output| output.hash.to_string());
        for (field, first, second) in
            [("length", length(before), length(after)), ("hash", hash(before), hash(after))]
        {
            if first != second {
                found.push(Difference {
                    place: DifferencePlace::Output { name: name.clone() },
                    field: field.to_owned(),
                    class: class_of("OutputHash", field),
                    first,
                    second,
                });
            }
        }
    }
}

/// The class that the schema declares for a field. A test checks that the schema declares every field that is
/// passed here.
fn class_of(table: &str, field: &str) -> FieldClass {
    let declared = TableSchema::named(table).and_then(|table| table.field(field));
    declared.map_or(FieldClass::Stable, |field| field.class)
}

impl fmt::Display for DifferencePlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program => formatter.write_str("program"),
            Self::Command { first, second, kind, subject } => {
                match (first, second) {
                    (Some(first), Some(second)) if first != second => {
                        write!(formatter, "command {first} ({second} in the second)")?;
                    }
                    (Some(index), _) | (None, Some(index)) => write!(formatter, "command {index}")?,
                    (None, None) => formatter.write_str("command")?,
                }
                let of = match kind {
                    CommandKind::SetRuntimeArgs
                    | CommandKind::SetCommonRuntimeArgs
                    | CommandKind::UpdateCommonRuntimeArgs => "of ",
                    _ => "",
                };
                write!(formatter, ", {}", kind.name())?;
                if subject.is_empty() { Ok(()) } else { write!(formatter, " {of}{subject}") }
            }
            Self::Output { name } => write!(formatter, "output `{name}`"),
            Self::Record => formatter.write_str("record"),
        }
    }
}

impl Difference {
    /// The sentence without the class.
    fn sentence(&self) -> String {
        let Self { place, field, first, second, .. } = self;
        // An argument belongs to a core of the command, a field to the command itself.
        let is_argument = field.starts_with("core (") || field.starts_with("common argument ");
        let joint = if is_argument { ", " } else { ": " };
        let nothing = "nothing".to_owned();
        match (first, second) {
            (Some(_), None) if field.is_empty() => format!("{place}: only in the first"),
            (None, Some(_)) if field.is_empty() => format!("{place}: only in the second"),
            _ => {
                let short = (first.as_deref().map(shorten), second.as_deref().map(shorten));
                // If the shortened hashes look equal, the whole hashes are shown.
                let (first, second) = if short.0 == short.1 {
                    (first.as_ref(), second.as_ref())
                } else {
                    (short.0.as_ref(), short.1.as_ref())
                };
                let colon = if joint == ", " { ":" } else { "" };
                format!(
                    "{place}{joint}{field}{colon} {} → {}",
                    first.unwrap_or(&nothing),
                    second.unwrap_or(&nothing)
                )
            }
        }
    }
}

/// The text with every hash shortened to eight digits.
fn shorten(text: &str) -> String {
    let is_hash =
        |word: &str| word.len() == 64 && word.bytes().all(|digit| digit.is_ascii_hexdigit());
    let words = text.split(' ').map(|word| match word.get(..8) {
        Some(short) if is_hash(word) => format!("{short}…"),
        _ => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

impl fmt::Display for Differences {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.found.is_empty() {
            let equal = if self.selected { "No such difference." } else { "Both are equal." };
            return writeln!(formatter, "  {equal}");
        }
        let sentences: Vec<String> = self.found.iter().map(Difference::sentence).collect();
        let widths = sentences.iter().map(|sentence| sentence.chars().count());
        let width = widths.filter(|width| *width <= 100).max().unwrap_or(0);
        for (difference, sentence) in self.found.iter().zip(sentences) {
            writeln!(formatter, "  {sentence:width$}  {} field", difference.class)?;
        }
        if self.selected { Ok(()) } else { writeln!(formatter, "  Everything else is equal.") }
    }
}
