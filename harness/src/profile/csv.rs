//! The table of operations as a file of comma-separated values.

use std::num::NonZeroU64;

use super::columns::{COLUMNS, Content, ended, names};
use super::operation::Operation;

/// Nanoseconds of a second.
const NANOSECONDS: u128 = 1_000_000_000;

/// The file: a line with the columns' names, and one for each operation. `clock` is the number of ticks per
/// second, if the user states it.
///
/// # Errors
/// The writer's error.
pub fn write(
    operations: &[Operation<'_>],
    clock: Option<NonZeroU64>,
) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(names())?;
    for (place, operation) in operations.iter().enumerate() {
        let cell = |content: &Content| match content {
            Content::Text { text, .. } => text(operation, place),
            Content::Moment { tick, .. } => number(tick(operation).filter(|_| clock.is_some())),
            Content::Duration { ticks, .. } => {
                number(clock.and_then(|clock| Some(nanoseconds(ticks(operation)?, clock))))
            }
            Content::Empty { .. } => String::new(),
        };
        let cells = COLUMNS.iter().map(|column| cell(&column.content));
        let ticks = COLUMNS.iter().filter_map(|column| column.content.ticks(operation));
        let ended = ended(operation).to_owned();
        writer.write_record(
            cells.chain(ticks.map(number)).chain([ended, operation.subject.to_owned()]),
        )?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

fn number(value: Option<u64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Ticks as whole nanoseconds, rounded to the nearest.
pub(super) fn nanoseconds(ticks: u64, clock: NonZeroU64) -> u64 {
    let clock = u128::from(clock.get());
    let nanoseconds = (u128::from(ticks) * NANOSECONDS + clock / 2) / clock;
    u64::try_from(nanoseconds).unwrap_or(u64::MAX)
}
