//! A baby RISC-V core: RV32IM and the chip's extensions, in order, one instruction a tick.

pub(crate) mod cache;
pub(crate) mod control;
pub(crate) mod decode;
pub(crate) mod execute;
pub(crate) mod pointers;
pub(crate) mod taint;
pub(crate) mod word_function;

use hallmark_chip::{ChipDescription, CircularBufferTable, LaunchDescription, Processor};

use crate::machine::defects::{Defect, planted};
use crate::machine::memory::Poison;

/// No instruction lies here.
const NOWHERE: u32 = u32::MAX;

/// What a core is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Held in reset.
    Reset,
    /// Executes instructions.
    Running,
    /// Its loop cannot end before one of its watched words changes.
    Parked,
    /// Its load or store waits inside the memory system: a mailbox is empty or full.
    Blocked,
}

/// What a parked or blocked core is waiting for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) pc: u32,
    pub(crate) address: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Core {
    pub(crate) processor: Processor,
    /// x0 to x31, then the sink for writes to x0.
    pub(crate) registers: [u32; 64],
    /// What of the registers comes from memory that nobody wrote.
    pub(crate) unknown: taint::Unknown,
    /// What a kernel computes from the pointers of its circular buffers.
    pub(crate) pointers: pointers::Pointers,
    pub(crate) pc: u32,
    pub(crate) retired: u64,
    pub(crate) state: State,
    pub(crate) wait: Option<Wait>,
    /// Its private RAM; empty until the core starts or somebody writes there, because most tiles only hold data.
    pub(crate) private: Vec<u8>,
    /// Which bytes of it nobody wrote.
    pub(crate) private_poison: Poison,
    pub(crate) private_size: usize,
    pub(crate) private_base: u32,
    /// When it last left reset with its private RAM to be zeroed.
    pub(crate) zeroed: Option<u64>,
    pub(crate) has_instruction_ram: bool,
    pub(crate) control: control::ControlRegisters,
    pub(crate) cache: cache::DataCache,
    /// The instruction at which the tile was told of a launch last, so that it is executed then; odd if there is none.
    pub(crate) told: u32,
    /// Slices to go before the next look whether the core may be parked, and how many were waited
    /// the last time.
    pub(crate) patience: u32,
    pub(crate) patience_used: u32,
    /// Instructions executed beyond the slices that it had.
    pub(crate) debt: u32,
}

impl Core {
    pub(crate) fn new(
        processor: Processor,
        private_base: u32,
        private_size: u32,
        has_instruction_ram: bool,
        cache: cache::DataCache,
    ) -> Self {
        let more = 4 * usize::from(planted(Defect::PrivateMemoryOneWordMore));
        let less = 4 * usize::from(planted(Defect::PrivateMemoryOneWordLess));
        Self {
            processor,
            registers: [0; 64],
            unknown: taint::Unknown::default(),
            pointers: pointers::Pointers::default(),
            pc: 0,
            retired: 0,
            state: State::Reset,
            wait: None,
            private: Vec::new(),
            private_poison: Poison::default(),
            private_size: (private_size as usize).saturating_add(more).saturating_sub(less),
            private_base,
            zeroed: None,
            has_instruction_ram,
            control: control::ControlRegisters::default(),
            cache,
            told: NOWHERE,
            patience: 0,
            patience_used: 0,
            debt: 0,
        }
    }

    /// Leaves reset. The register file is cleared (TensixTile/SoftReset.md), private RAM by itself is
    /// not.
    pub(crate) fn start(&mut self, pc: u32) {
        self.make_private_memory();
        self.registers = [0; 64];
        self.leave_pointers();
        self.unknown = taint::Unknown::default();
        self.control = control::ControlRegisters::default();
        self.cache.flush();
        self.pc = pc;
        self.state = State::Running;
        self.wait = None;
        self.told = NOWHERE;
        self.patience = 0;
        self.patience_used = 0;
        self.debt = 0;
    }

    /// Turns the data cache on or off as the control registers say.
    pub(crate) fn configure_cache(&mut self, description: &ChipDescription) {
        let Some(cache) = description.data_cache else { return };
        let configuration = self.control.configuration();
        let enabled = configuration & cache.disable_bit == 0 && !self.control.fences_every_access();
        if !enabled {
            self.cache.flush();
        }
        self.cache.enabled = enabled;
        self.cache.hits_flush = configuration & cache.keep_bit == 0;
    }

    /// Turns the data cache on or off, as firmware does by the control register.
    pub(crate) fn switch_cache(&mut self, on: bool, description: &ChipDescription) {
        let Some(cache) = description.data_cache else { return };
        self.control.switch(cache.disable_bit, !on);
        self.configure_cache(description);
    }

    /// Makes its private RAM, of which nobody has written anything, unless that is done.
    pub(crate) fn make_private_memory(&mut self) {
        if self.private.is_empty() {
            self.private = vec![0; self.private_size];
            self.private_poison = Poison::new(self.private_size);
        }
    }

    /// Zeroes the private RAM of a core that leaves reset.
    pub(crate) fn zero_private_memory(&mut self, now: u64) {
        self.make_private_memory();
        self.private.fill(0);
        self.private_poison.write(0, self.private.len());
        self.zeroed = Some(now);
    }

    /// What the table of circular buffers holds of indices that a launch does not configure is of no meaning to it:
    /// another kernel may have left it there, or the reset.
    pub(crate) fn forget_circular_buffers(&mut self, launch: &LaunchDescription) {
        let table = launch.on(self.processor).and_then(|(_, image)| image.table);
        let Some(CircularBufferTable { address, entries, stride, .. }) = table else { return };
        let Some(offset) = address.checked_sub(self.private_base) else { return };
        let Ok(size) = u32::try_from(self.private.len()) else { return };
        for index in (0..entries).filter(|&index| launch.circular_buffer(index).is_none()) {
            let start = index.checked_mul(stride).and_then(|entry| entry.checked_add(offset));
            let Some(start) = start.filter(|start| start.saturating_add(stride) <= size) else {
                return;
            };
            self.private_poison.forget(start as usize, stride as usize);
        }
    }

    pub(crate) fn register(&self, index: usize) -> u32 {
        self.registers.get(index).copied().unwrap_or(0)
    }
}
