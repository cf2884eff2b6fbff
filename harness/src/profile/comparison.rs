//! Compares two tables of operations and finds those that became slower.
//!
//! Ticks of a simulator are the same in every run of the same program, so every difference counts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hallmark_execution::whole_file;
use hallmark_schema::plural::grouped;

use super::columns::{COLUMNS, Column, SUBJECT, ticks_name};
use super::operation::Operation;

/// The largest accepted table, bytes.
const FILE_LIMIT: u64 = 256 << 20;
/// The column with the names of operations.
const NAME: &str = "OP CODE";
/// The column whose ticks are compared.
const DURATION: &str = "DEVICE FW DURATION [ns]";

/// The identity of an operation in two tables: the test or capture if a table has several, the program's name,
/// and the operation's index among those with that name.
type OperationKey = (Option<String>, String, usize);

/// The duration of each operation; `None` if unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Durations {
    ticks: BTreeMap<OperationKey, Option<u64>>,
}

impl Durations {
    /// The durations in the rows of a table: subject, name, ticks. Two tables with a single subject each are
    /// compared regardless of its name.
    fn of(rows: &[(String, String, Option<u64>)]) -> Self {
        let subjects: BTreeSet<&String> = rows.iter().map(|(subject, ..)| subject).collect();
        let mut seen: BTreeMap<(Option<String>, String), usize> = BTreeMap::new();
        let mut ticks = BTreeMap::new();
        for (subject, name, took) in rows {
            let subject = (subjects.len() > 1).then(|| subject.clone());
            let place = seen.entry((subject.clone(), name.clone())).or_default();
            ticks.insert((subject, name.clone(), *place), *took);
            *place += 1;
        }
        Self { ticks }
    }
}

/// The table of another run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherTable {
    durations: Durations,
}

/// Why a file cannot be compared with.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file cannot be read.
    #[error("{0}")]
    Unreadable(std::io::Error),
    /// The file is not a table of comma-separated values.
    #[error("{0}")]
    Csv(csv::Error),
    /// A column is missing.
    #[error("it has no column `{column}`; make it with `hallmark profile` of this release")]
    NoColumn {
        /// The first missing column.
        column: String,
    },
    /// A cell that is not a number.
    #[error("line {line}: `{cell}` is not a number of ticks")]
    NoTicks {
        /// The line, counted from 1.
        line: usize,
        /// The cell.
        cell: String,
    },
}

impl OtherTable {
    /// Reads a table written by `hallmark profile`.
    ///
    /// # Errors
    /// [`TableError`].
    pub fn read(path: &Path) -> Result<Self, TableError> {
        let bytes = whole_file::read(path, FILE_LIMIT).map_err(TableError::Unreadable)?;
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let names = reader.headers().map_err(TableError::Csv)?.clone();
        let place = |name: &str| {
            let place = names.iter().position(|it| it == name);
            place.ok_or_else(|| TableError::NoColumn { column: name.to_owned() })
        };
        let (name, ticks) = (place(NAME)?, place(&ticks_column())?);
        let subject = names.iter().position(|it| it == SUBJECT);
        let mut rows = Vec::new();
        for (row, line) in reader.records().zip(2..) {
            let row = row.map_err(TableError::Csv)?;
            let cell = |at: usize| row.get(at).unwrap_or_default();
            let duration = match cell(ticks) {
                "" => None,
                cell => {
                    let no_ticks = |_| TableError::NoTicks { line, cell: cell.to_owned() };
                    Some(cell.parse().map_err(no_ticks)?)
                }
            };
            let subject = subject.map(cell).unwrap_or_default();
            rows.push((subject.to_owned(), cell(name).to_owned(), duration));
        }
        Ok(Self { durations: Durations::of(&rows) })
    }
}

/// The result of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// A line for each differing operation, the slower ones first.
    pub lines: Vec<String>,
    /// The number of operations that became slower.
    pub slower: usize,
    /// The number of operations with a known duration in both.
    pub common: usize,
}

/// Compares operations with those of another table, paired by name and by index among those with that name.
pub fn compare(operations: &[Operation<'_>], other: &OtherTable) -> Comparison {
    let row = |it: &Operation<'_>| {
        (it.subject.to_owned(), it.name.to_owned(), it.firmware().map(|it| it.ticks()))
    };
    let now = Durations::of(&operations.iter().map(row).collect::<Vec<_>>());
    let mut common: usize = 0;
    let mut changed = Vec::new();
    let mut lines = Vec::new();
    for (key, after) in &now.ticks {
        let name = words(key);
        match other.durations.ticks.get(key) {
            None => lines.push(format!("new      {name}")),
            Some(None) if after.is_none() => {}
            Some(before) => match before.zip(*after) {
                Some((before, after)) => {
                    common = common.saturating_add(1);
                    if before != after {
                        changed.push((before, after, name));
                    }
                }
                None => lines
                    .push(format!("unknown  {name}: one of the two runs does not tell its time")),
            },
        }
    }
    let gone = other.durations.ticks.keys().filter(|key| !now.ticks.contains_key(*key));
    lines.extend(gone.map(|key| format!("gone     {}", words(key))));
    changed.sort_by_key(|(before, after, _)| i128::from(*before) - i128::from(*after));
    let slower = changed.iter().filter(|(before, after, _)| after > before).count();
    let told = changed.into_iter().map(|(before, after, name)| {
        let how = if after > before { "slower " } else { "quicker" };
        let (before_said, after_said) = (grouped(before), grouped(after));
        let percent = after.saturating_mul(100).checked_div(before);
        let percent = percent.map(|percent| format!(", {percent} % of before")).unwrap_or_default();
        format!("{how}  {name}: {before_said} → {after_said} ticks{percent}")
    });
    let lines = told.chain(lines).collect();
    Comparison { lines, slower, common }
}

/// The name of the column with the compared ticks.
fn ticks_column() -> String {
    let column = COLUMNS.iter().find(|column: &&Column| column.name == DURATION);
    column.and_then(ticks_name).unwrap_or_default()
}

fn words((subject, name, place): &OperationKey) -> String {
    let of = subject.as_ref().map(|subject| format!(" of {subject}")).unwrap_or_default();
    match place {
        0 => format!("`{name}`{of}"),
        place => format!("`{name}`{of}, run {}", place + 1),
    }
}
