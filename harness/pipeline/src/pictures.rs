//! Pictures of failures as data: differing pages and banks, the chip with the tiles at fault, waits between
//! cores, lines of kernels.

mod differing_bytes;
mod tile_grid;

use hallmark_chip::{Fault, FaultPlace, PhysicalCoordinate, Position, Processor, SourceFrame};
use hallmark_report::{Arrow, Picture, TileMark, TileRole};

pub(super) use self::differing_bytes::{Sides, differing_bytes};
pub(super) use self::tile_grid::cell;
use super::source_lines;
use super::stopped_program::StoppedProgram;

/// The largest number of kernel lines in one failure.
const SHOWN_SOURCES: usize = 3;

/// Pictures of a fault: the tiles of both parties and of the memory, and the source lines of both parties.
pub(super) fn of_fault(program: &StoppedProgram<'_>, fault: &Fault) -> Vec<Picture> {
    let mut marks = Vec::new();
    let mut arrows = Vec::new();
    let memory = fault.memory.as_deref();
    if let Some(memory) = memory {
        let about = format!("memory {memory}");
        marks.push(TileMark { cell: cell(memory.tile), role: TileRole::Memory, about });
    }
    let parties = [(&fault.place, TileRole::Fault), (&fault.against, TileRole::Against)];
    for (place, role) in parties {
        // If the host is the other party, the place is that of the memory.
        let Some(place) = place.as_deref() else { continue };
        let Some(processor) = place.processor else { continue };
        let about = format!("{} {processor}", program.core_name(place.tile));
        marks.push(TileMark { cell: cell(place.tile), role, about });
        if let Some(memory) = memory
            && memory.tile != place.tile
        {
            arrows.push(Arrow { from: cell(place.tile), to: cell(memory.tile) });
        }
    }
    let at = |place: &Option<Box<FaultPlace>>| {
        let FaultPlace { tile, processor, frames, .. } = place.as_deref()?;
        source(program, *tile, (*processor)?, frames)
    };
    let meaning = "from a core to the memory that it used";
    let grid = tile_grid::picture(program.capture.chip(), marks, arrows, meaning);
    grid.into_iter().chain([at(&fault.place), at(&fault.against)].into_iter().flatten()).collect()
}

/// Pictures of cores that were still running at the time limit: their tiles, and the source lines of the first
/// ones.
pub(super) fn of_running(program: &StoppedProgram<'_>, running: &[Position]) -> Vec<Picture> {
    let mark = |position: &Position| TileMark {
        cell: cell(position.tile),
        role: TileRole::Runs,
        about: format!("{} {}", program.core_name(position.tile), position.processor),
    };
    let marks = running.iter().map(mark).collect();
    let grid = tile_grid::picture(program.capture.chip(), marks, Vec::new(), "");
    let places = running.iter().map(|it| (it.tile, it.processor, it.frames.as_slice()));
    grid.into_iter().chain(sources(program, places)).collect()
}

/// Pictures of waiting cores: their tiles, an arrow from each to the last writer of the awaited word, and their
/// source lines.
pub(super) fn of_tiles_that_wait<'a>(
    program: &StoppedProgram<'_>,
    marks: Vec<TileMark>,
    arrows: Vec<Arrow>,
    places: impl Iterator<Item = (PhysicalCoordinate, Processor, &'a [SourceFrame])>,
) -> Vec<Picture> {
    let meaning = "from a core that waits to who wrote last what it waits for";
    let grid = tile_grid::picture(program.capture.chip(), marks, arrows, meaning);
    grid.into_iter().chain(sources(program, places)).collect()
}

/// The source lines of cores, each line once.
fn sources<'a>(
    program: &StoppedProgram<'_>,
    places: impl Iterator<Item = (PhysicalCoordinate, Processor, &'a [SourceFrame])>,
) -> Vec<Picture> {
    let mut seen: Vec<&SourceFrame> = Vec::new();
    let mut pictures = Vec::new();
    for (tile, processor, frames) in places {
        let Some(frame) = frames.first() else { continue };
        if seen.contains(&frame) {
            continue;
        }
        seen.push(frame);
        pictures.extend(source(program, tile, processor, frames));
        if pictures.len() == SHOWN_SOURCES {
            break;
        }
    }
    pictures
}

/// The source line of a core in its kernel, with the surrounding lines.
fn source(
    program: &StoppedProgram<'_>,
    tile: PhysicalCoordinate,
    processor: Processor,
    frames: &[SourceFrame],
) -> Option<Picture> {
    let who = format!("{} {processor}", program.core_name(tile));
    source_lines::excerpt(program.capture, frames, who).map(Picture::Source)
}
