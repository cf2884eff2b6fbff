//! Where cores stand, with the functions that the ELFs name and the lines of the kernels' line tables.

use hallmark_chip::{Fault, PhysicalCoordinate, Position, Processor, SourceFrame, Waiting};

use super::tile::KernelBinary;
use crate::engine::Engine;

impl Engine {
    /// A fault with the function and the source lines that each of its parties stood in.
    pub(crate) fn with_symbols(&self, mut fault: Fault) -> Fault {
        for place in fault.place.iter_mut().chain(&mut fault.against) {
            if let (Some(processor), Some(pc)) = (place.processor, place.pc) {
                place.symbol = self.symbol(place.tile, processor, pc);
                place.frames = self.frames(place.tile, pc);
            }
        }
        fault
    }

    /// Waiting cores with the function and the source lines that each stands in, and what would end the wait.
    pub(crate) fn waiting_in(&mut self, mut waiting: Vec<Waiting>) -> Vec<Waiting> {
        for wait in &mut waiting {
            wait.symbol = self.symbol(wait.tile, wait.processor, wait.pc);
            wait.frames = self.frames(wait.tile, wait.pc);
            wait.awaited = self.chip.awaited(wait.tile, wait.processor);
        }
        waiting
    }

    /// Cores that run inside a kernel, with the function and the source lines that each stands in; if there is
    /// none, all that run.
    pub(crate) fn running_cores(&mut self) -> Vec<Position> {
        let positions = self.chip.positions();
        let in_kernel = |at: &Position| self.kernel_at(at.tile, at.pc).is_some();
        let any = positions.iter().any(in_kernel);
        positions
            .into_iter()
            .filter(|at| !any || in_kernel(at))
            .map(|at| self.with_lines(at))
            .collect()
    }

    /// Where a core stands, with the function and the source lines.
    pub(crate) fn with_lines(&self, at: Position) -> Position {
        let symbol = self.symbol(at.tile, at.processor, at.pc);
        Position { symbol, frames: self.frames(at.tile, at.pc), ..at }
    }

    /// Cores that wait inside a kernel. Cores whose firmware waits for work, or for another core of
    /// its tile, say nothing about the program; if there are only those, they are all there is to say.
    pub(super) fn without_idle(&self, waiting: Vec<Waiting>) -> Vec<Waiting> {
        let in_kernel: Vec<Waiting> = waiting
            .iter()
            .filter(|waiting| self.kernel_at(waiting.tile, waiting.pc).is_some())
            .cloned()
            .collect();
        if in_kernel.is_empty() { waiting } else { in_kernel }
    }

    fn symbol(&self, tile: PhysicalCoordinate, processor: Processor, pc: u32) -> Option<String> {
        if self.dispatchers.iter().any(|dispatcher| dispatcher.physical == tile) {
            let (name, _) = self.firmware.dispatcher()?.symbols.symbol_at(pc)?;
            return Some(name.to_owned());
        }
        self.kernel_at(tile, pc)
            .and_then(|binary| binary.image.symbol_at(binary.base, pc))
            .map(|(name, _)| name.to_owned())
            .or_else(|| self.firmware.symbol_at(processor, pc).map(|(name, _)| name.to_owned()))
    }

    /// The source lines of a pc inside a kernel.
    pub(crate) fn frames(&self, tile: PhysicalCoordinate, pc: u32) -> Vec<SourceFrame> {
        let binary = self.kernel_at(tile, pc);
        binary.map(|binary| binary.image.frames_at(binary.base, pc)).unwrap_or_default()
    }

    /// The kernel's binary on a tile that a pc lies in.
    fn kernel_at(&self, tile: PhysicalCoordinate, pc: u32) -> Option<&KernelBinary> {
        self.binaries_of(tile).iter().find(|binary| binary.offset(pc).is_some())
    }

    /// The kernels' binaries on a tile.
    pub(crate) fn binaries_of(&self, tile: PhysicalCoordinate) -> &[KernelBinary] {
        let tile = self.tiles.values().find(|known| known.physical == tile);
        tile.map(|tile| tile.binaries.resident()).unwrap_or_default()
    }
}
