//! The tiles and the memory of commands.

use std::collections::BTreeSet;

use hallmark_chip::{ChipDescription, Footprint, PhysicalCoordinate};

use crate::addresses::{Banks, footprint};
use crate::defects::{Defect, planted};
use crate::trace::{Trace, TracedLaunch};
use crate::work::Work;

/// The memory that a write or a read touches. For other commands the device tells it.
pub(super) fn buffer_footprint(banks: &Banks, work: &Work) -> Footprint {
    match work {
        Work::Write { extent, .. } => footprint(banks, extent, true),
        Work::Read { extent, .. } => footprint(banks, extent, false),
        Work::Launch(_) | Work::Replay(_) | Work::RecordEvent(_) | Work::WaitForEvent(_) => {
            Footprint::default()
        }
    }
}

/// Drops the tiles of dispatchers from a footprint: they are no memory of programs.
pub(super) fn forget_dispatch_tiles(description: &ChipDescription, touched: &mut Footprint) {
    let (columns, rows) = description.compute_grid();
    touched.retain(|tile| {
        let core = description.logical(tile);
        core.is_none_or(|core| core.x < columns && core.y < rows)
    });
}

/// The tiles on which a command runs programs.
pub(super) fn tiles_of(description: &ChipDescription, work: &Work) -> BTreeSet<PhysicalCoordinate> {
    let physical = |core| description.physical(core);
    match work {
        Work::Launch(launch) => {
            launch.tiles.iter().filter_map(|tile| physical(tile.core)).collect()
        }
        Work::Replay(trace) => trace.cores.iter().filter_map(|core| physical(*core)).collect(),
        Work::Write { .. } | Work::Read { .. } | Work::RecordEvent(_) | Work::WaitForEvent(_) => {
            BTreeSet::new()
        }
    }
}

/// The launches of a replay that are made one by one.
pub(super) fn launches_of(trace: &Trace) -> impl Iterator<Item = &TracedLaunch> {
    let forgotten = usize::from(planted(Defect::TraceForgetsItsLastProgram));
    trace.launches.iter().take(trace.launches.len().saturating_sub(forgotten))
}
