//! What the machine tells of what it does, and whom it tells.
//!
//! The machine knows [`Observer`] and no observer. An event that an observer does not override costs nothing: the set of
//! all observers is one type, made in `crate::observers`, and the machine is compiled for that type.

use std::fmt::Debug;

use hallmark_chip::{PhysicalCoordinate, Processor, Tick};

use super::core::Wait;
use super::fault::Origin;
use super::noc::Transfer;

/// A baby core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CoreAt {
    /// Its tile's number among the Tensix tiles.
    pub(crate) tile: u16,
    pub(crate) at: PhysicalCoordinate,
    pub(crate) processor: Processor,
}

/// A memory in which the host places buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum BufferMemory {
    /// L1 of a Tensix tile, by its number.
    L1(u16),
    /// A channel of DRAM.
    Dram(u8),
}

/// A range of a memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryRange {
    pub(crate) memory: BufferMemory,
    pub(crate) at: PhysicalCoordinate,
    pub(crate) start: u64,
    /// In bytes.
    pub(crate) length: u64,
}

impl MemoryRange {
    /// Whether a byte of the same memory is in it.
    pub(crate) fn contains(&self, address: u64) -> bool {
        (self.start..self.start.saturating_add(self.length)).contains(&address)
    }
}

/// What an instruction does, as far as waiting goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Only registers of the core change.
    Pure,
    /// A word is loaded that another core, a request or the host may change.
    Watches(u32),
    /// Anything else.
    Acts,
}

/// An instruction that a core is about to execute.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction<'a> {
    pub(crate) pc: u32,
    pub(crate) effect: Effect,
    /// The core's registers before it.
    pub(crate) registers: &'a [u32; 64],
}

/// Listens to a machine.
pub(crate) trait Observer: Debug {
    /// A request or the host is about to read or write memory.
    fn accesses(&mut self, range: &MemoryRange, writes: bool, by: Origin) {
        let _ = (range, writes, by);
    }

    /// A request, the host, or an atomic of a core has written memory; or a core has stored to a word that
    /// [`mark`](super::memory::TileMemory::mark) was asked to tell of.
    fn wrote(&mut self, range: &MemoryRange, by: Origin) {
        let _ = (range, by);
    }

    /// A core begins to execute instructions of a slice.
    fn core_runs(&mut self, core: CoreAt, now: Tick) {
        let _ = (core, now);
    }

    /// A core executes nothing from now on: it waits for something, or is in reset.
    fn core_stops(&mut self, core: CoreAt, now: Tick, wait: Option<Wait>) {
        let _ = (core, now, wait);
    }

    /// Whether [`Observer::core_executes`] is to be told of each instruction, which makes cores several times slower.
    fn follows_instructions(&self) -> bool {
        false
    }

    /// A core is about to execute an instruction.
    fn core_executes(&mut self, core: CoreAt, instruction: Instruction<'_>, now: Tick) {
        let _ = (core, instruction, now);
    }

    /// The last response of a request has arrived, or its data if it has no response.
    fn request_ended(&mut self, request: &Transfer, now: Tick) {
        let _ = (request, now);
    }
}

/// Nobody listens.
impl Observer for () {}
