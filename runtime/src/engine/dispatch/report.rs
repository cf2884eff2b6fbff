//! What is said of cores that met a fault, wait, or have not finished.

use hallmark_chip::{Fault, PhysicalCoordinate, Position, Processor, Waiting};
use hallmark_schema::model::{CommandIndex, FaultRecord, WaitRecord};

use crate::engine::{Engine, RunningCore, Stop};

impl Engine {
    /// A fault as captures and reports hold it, with the function from the ELF.
    pub(crate) fn fault_record(&self, command: CommandIndex, fault: &Fault) -> FaultRecord {
        let place = fault.place.as_ref();
        let processor = place.and_then(|place| place.processor);
        let pc = place.and_then(|place| place.pc);
        let symbol = match (place, processor, pc) {
            (Some(place), Some(processor), Some(pc)) => self.symbol(place.tile, processor, pc),
            _ => None,
        };
        FaultRecord {
            command,
            category: fault.category,
            reason: fault.reason.chars().take(1000).collect(),
            tile: place.map(|place| (place.tile.x, place.tile.y)),
            processor: processor.map(|processor| processor as u8),
            pc,
            instruction: place.and_then(|place| place.instruction),
            symbol,
        }
    }

    pub(crate) fn wait_record(&self, waiting: &Waiting) -> WaitRecord {
        WaitRecord {
            tile: (waiting.tile.x, waiting.tile.y),
            processor: waiting.processor as u8,
            pc: waiting.pc,
            address: waiting.address.0,
            value: waiting.value,
            symbol: self.symbol(waiting.tile, waiting.processor, waiting.pc),
        }
    }

    /// Cores that run inside a kernel; if there is none, all that run.
    pub(crate) fn running_cores(&mut self) -> Vec<RunningCore> {
        let positions = self.chip.positions();
        let in_kernel = |at: &Position| self.kernel_symbol(at.tile, at.pc).is_some();
        let any = positions.iter().any(in_kernel);
        positions
            .iter()
            .filter(|at| !any || in_kernel(at))
            .map(|at| RunningCore {
                tile: at.tile,
                processor: at.processor,
                pc: at.pc,
                symbol: self.symbol(at.tile, at.processor, at.pc),
            })
            .collect()
    }

    /// Cores that wait inside a kernel. Cores whose firmware waits for work, or for another core of
    /// its tile, say nothing about the program; if there are only those, they are all there is to say.
    pub(super) fn without_idle(&self, waiting: Vec<Waiting>) -> Vec<Waiting> {
        let in_kernel: Vec<Waiting> = waiting
            .iter()
            .filter(|waiting| self.kernel_symbol(waiting.tile, waiting.pc).is_some())
            .cloned()
            .collect();
        if in_kernel.is_empty() { waiting } else { in_kernel }
    }

    fn symbol(&self, tile: PhysicalCoordinate, processor: Processor, pc: u32) -> Option<String> {
        if self.dispatchers.iter().any(|dispatcher| dispatcher.physical == tile) {
            let (name, _) = self.firmware.dispatcher()?.symbols.symbol_at(pc)?;
            return Some(name.to_owned());
        }
        self.kernel_symbol(tile, pc)
            .flatten()
            .or_else(|| self.firmware.symbol_at(processor, pc).map(|(name, _)| name.to_owned()))
    }

    /// Whether a pc lies in a kernel's binary on a tile, and in which function.
    fn kernel_symbol(&self, tile: PhysicalCoordinate, pc: u32) -> Option<Option<String>> {
        let tile = self.tiles.values().find(|known| known.physical == tile)?;
        let binary = tile.binaries.iter().find(|binary| {
            pc.checked_sub(binary.base).is_some_and(|offset| offset < binary.image.size())
        })?;
        Some(binary.image.symbol_at(binary.base, pc).map(|(name, _)| name.to_owned()))
    }
}

impl Stop {
    /// What happened and where, in one sentence.
    pub(crate) fn describe(&self) -> String {
        let mut text = self.reason.clone();
        let processor = |index: u8| {
            Processor::ALL.get(usize::from(index)).map_or("a core", |processor| processor.name())
        };
        if let Some(fault) = &self.fault {
            if let Some((x, y)) = fault.tile {
                text.push_str(&format!(", at tile ({x},{y})"));
            }
            if let Some(index) = fault.processor {
                text.push_str(&format!(" {}", processor(index)));
            }
            if let Some(pc) = fault.pc {
                text.push_str(&format!(" pc {pc:#x}"));
            }
            if let Some(symbol) = &fault.symbol {
                text.push_str(&format!(" in {symbol}"));
            }
        }
        for core in self.running.iter().take(4) {
            text.push_str(&format!("; {} {} pc {:#x}", core.tile, core.processor.name(), core.pc));
            if let Some(symbol) = &core.symbol {
                text.push_str(&format!(" in {symbol}"));
            }
        }
        if self.running.is_empty() {
            for core in self.unfinished.iter().take(4) {
                text.push_str(&format!("; core {core} has not finished"));
            }
        }
        for wait in self.waits.iter().take(4) {
            let (x, y) = wait.tile;
            text.push_str(&format!("; ({x},{y}) {} pc {:#x}", processor(wait.processor), wait.pc));
            if let Some(symbol) = &wait.symbol {
                text.push_str(&format!(" in {symbol}"));
            }
            text.push_str(&format!(" reads {} at {:#x}", wait.value, wait.address));
        }
        text
    }
}
