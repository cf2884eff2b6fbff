//! Numbers in the interface's form.

use hallmark_schema::model::CoreRange;

use super::Trouble;
use crate::interface::Range;

/// Ranges of cores, ends included.
pub(super) fn ranges(cores: &[CoreRange]) -> Vec<Range> {
    cores
        .iter()
        .map(|range| Range {
            start_x: range.start.x,
            start_y: range.start.y,
            end_x: range.end.x,
            end_y: range.end.y,
        })
        .collect()
}

/// Converts to upstream's 32-bit sizes and addresses.
pub(super) fn narrow(value: u64) -> Result<u32, Trouble> {
    u32::try_from(value)
        .map_err(|_| Trouble::Exception(format!("{value} does not fit into 32 bits")))
}
