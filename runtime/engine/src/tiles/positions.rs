//! Where cores stand, with the functions that the ELFs name and the lines of the kernels' line tables.

use hallmark_chip::{
    DeviceError, Fault, FaultCategory, PhysicalCoordinate, Position, Processor, SourceFrame,
    Waiting,
};
use hallmark_device_code::{Assertion, EBREAK};

use super::{KernelBinary, Tiles};
use crate::InternalError;
use crate::defects::{Defect, planted};
use crate::stop::{RawStop, StopCause, Unfinished};

/// The cause of a stop with the functions and the source lines of the cores concerned, and our own error if the stop
/// is our doing.
pub(crate) fn explained(tiles: &mut Tiles, stop: RawStop) -> (StopCause, Option<InternalError>) {
    let ours =
        |error: InternalError| (StopCause::Internal { reason: error.to_string() }, Some(error));
    match stop {
        RawStop::Device(DeviceError::Fault(fault)) => {
            (StopCause::Fault(with_symbols(tiles, *fault)), None)
        }
        RawStop::Deadlock(waiting) => {
            (StopCause::Deadlock { waiting: waits_explained(tiles, waiting) }, None)
        }
        RawStop::Hang(Unfinished { ticks, cores: unfinished }) => {
            (StopCause::Hang { ticks, running: running_cores(tiles), unfinished }, None)
        }
        RawStop::Device(error @ DeviceError::Lost { .. }) => {
            (StopCause::Lost { reason: error.to_string() }, None)
        }
        RawStop::Device(error) => ours(error.into()),
        RawStop::Internal(error) => ours(error),
        RawStop::NotObserved => ours(InternalError::new("the recorder failed")),
    }
}

/// A fault with the function and the source lines in which each core concerned stood.
fn with_symbols(tiles: &Tiles, mut fault: Fault) -> Fault {
    for place in fault.place.iter_mut().chain(&mut fault.against) {
        if let (Some(processor), Some(pc)) = (place.processor, place.pc) {
            place.symbol = symbol(tiles, place.tile, processor, pc);
            place.frames = frames(tiles, place.tile, pc);
        }
    }
    if let Some(assertion) = assertion(tiles, &fault) {
        fault.category = FaultCategory::KernelAssertion;
        fault.reason = assertion.reason();
    }
    fault
}

/// The assertion whose `ebreak` is the fault.
fn assertion<'t>(tiles: &'t Tiles, fault: &Fault) -> Option<&'t Assertion> {
    let place = fault.place.as_deref()?;
    if fault.category != FaultCategory::UnsupportedFunctionality
        || place.instruction != Some(EBREAK)
        || planted(Defect::AssertionsAreNotRead)
    {
        return None;
    }
    let pc = place.pc?;
    let binary = kernel_at(tiles, place.tile, pc)?;
    binary.image().assertion_at(binary.base(), pc)
}

/// Waiting cores with the function and the source lines in which each stands, and the values that would end the wait.
fn waits_explained(tiles: &mut Tiles, mut waiting: Vec<Waiting>) -> Vec<Waiting> {
    for wait in &mut waiting {
        wait.symbol = symbol(tiles, wait.tile, wait.processor, wait.pc);
        wait.frames = frames(tiles, wait.tile, wait.pc);
        // What an instruction of the coprocessor waits for, the device says by itself.
        if wait.awaited.is_none() {
            wait.awaited = tiles.chip.access().awaited(wait.tile, wait.processor);
        }
        if let Some(lowered) = &mut wait.lowered {
            lowered.by = with_lines(tiles, lowered.by.clone());
        }
    }
    waiting
}

/// The cores that run inside a kernel, with the function and the source lines in which each stands; if there is
/// none, all cores that run.
fn running_cores(tiles: &mut Tiles) -> Vec<Position> {
    let positions = tiles.chip.access().positions();
    let in_kernel = |at: &Position| kernel_at(tiles, at.tile, at.pc).is_some();
    let any = positions.iter().any(in_kernel);
    positions
        .into_iter()
        .filter(|at| !any || in_kernel(at))
        .map(|at| with_lines(tiles, at))
        .collect()
}

/// The position of a core with its function and source lines.
pub(crate) fn with_lines(tiles: &Tiles, at: Position) -> Position {
    let symbol = symbol(tiles, at.tile, at.processor, at.pc);
    Position { symbol, frames: frames(tiles, at.tile, at.pc), ..at }
}

fn symbol(
    tiles: &Tiles,
    tile: PhysicalCoordinate,
    processor: Processor,
    pc: u32,
) -> Option<String> {
    let firmware = tiles.firmware();
    if tiles.is_dispatch_tile(tile) {
        let (name, _) = firmware.dispatcher()?.symbols.symbol_at(pc)?;
        return Some(name.to_owned());
    }
    kernel_at(tiles, tile, pc)
        .and_then(|binary| binary.image().symbol_at(binary.base(), pc))
        .map(|(name, _)| name.to_owned())
        .or_else(|| firmware.symbol_at(processor, pc).map(|(name, _)| name.to_owned()))
}

/// The source lines of a pc inside a kernel.
fn frames(tiles: &Tiles, tile: PhysicalCoordinate, pc: u32) -> Vec<SourceFrame> {
    let binary = kernel_at(tiles, tile, pc);
    binary.map(|binary| binary.image().frames_at(binary.base(), pc)).unwrap_or_default()
}

/// The kernel's binary on a tile in which a pc lies.
pub(super) fn kernel_at(tiles: &Tiles, tile: PhysicalCoordinate, pc: u32) -> Option<&KernelBinary> {
    tiles.binaries_of(tile).iter().find(|binary| binary.offset(pc).is_some())
}
