//! A Tensix tile: five cores, their memory, and the registers they share.

mod awaited;
mod coprocessor;
mod private_view;
mod registers;
mod reset;
mod run;
mod synchronization;
mod system;
mod unknown;

use std::collections::VecDeque;

use hallmark_chip::{ChipDescription, Noc, PhysicalCoordinate, Processor};

use crate::machine::coordinates::{Coordinates, TileKind};
use crate::machine::core::cache::DataCache;
use crate::machine::core::{Core, State};
use crate::machine::fault::Origin;
use crate::machine::launches::Launches;
use crate::machine::memory::TileMemory;
use crate::machine::noc::{Heard, Network, Niu};
use crate::machine::observer::{CoreAt, Observer, Scene};
use hallmark_chip::Random;

pub(crate) use registers::mailbox_number;
pub(crate) use run::{LOOK, Slice};
pub(crate) use synchronization::synchronized_by;

use self::coprocessor::Coprocessor;

/// Where a tile's register files lie on every architecture (TensixTile/BabyRISCV/README.md).
mod map {
    pub(super) const MOVER: u32 = 0xFFB1_1000;
    pub(super) const MACRO_OPERATIONS: u32 = 0xFFB8_0000;
    pub(super) const COPROCESSOR_REGISTERS: u32 = 0xFFE0_0000;
    pub(super) const PUSH: u32 = 0xFFE4_0000;
    pub(super) const SYNCHRONIZATION: u32 = 0xFFE8_0000;
    /// Where a core waits until its thread of the coprocessor has executed all, and until no macro is left (TTSync.md).
    pub(super) const COPROCESSOR_DONE: u32 = SYNCHRONIZATION + 4;
    pub(super) const MACROS_DONE: u32 = SYNCHRONIZATION + 8;
    pub(super) const MAILBOXES: u32 = 0xFFEC_0000;
    pub(super) const CONFIGURATION: u32 = 0xFFEF_0000;
}

/// The part of an overlay stream that circular buffers use. 17 bits each.
#[derive(Clone, Copy, Debug, Default)]
struct Stream {
    remote_source: u32,
    buffer_start: u32,
    buffer_size: u32,
    space_available: u32,
}

#[derive(Debug, Default)]
struct Mover {
    source: u32,
    size: u32,
}

/// A Tensix tile.
#[derive(Debug)]
pub(crate) struct Tile {
    pub(crate) at: PhysicalCoordinate,
    /// Its number among the Tensix tiles.
    pub(crate) number: u16,
    pub(crate) memory: TileMemory,
    pub(crate) cores: [Core; 5],
    pub(crate) nius: [Niu; 2],
    /// Cores, by bit, that execute instructions, and from bit 5 on the threads of the coprocessor.
    pub(crate) running: u8,
    streams: Vec<Stream>,
    /// From each of B, T0, T1, T2 to each of them.
    mailboxes: [[VecDeque<u32>; 4]; 4],
    mover: Mover,
    coprocessor: Coprocessor,
    /// The launches that were described, and those that run.
    pub(crate) launches: Launches,
    soft_reset: u32,
    reset_settings: reset::Settings,
    wall_clock_latch: u32,
    heard: Heard,
}

/// What a register access may touch beyond the tile.
pub(crate) struct Surroundings<'a> {
    pub(crate) description: &'static ChipDescription,
    pub(crate) coordinates: &'a Coordinates,
    pub(crate) network: &'a mut Network,
    pub(crate) observers: &'a mut dyn Observer,
    /// The tick at which the access happens.
    pub(crate) now: u64,
    /// Who makes the access.
    pub(crate) origin: Origin,
    /// The core, by [`Processor::index`], if one of this tile's does.
    pub(crate) core: Option<Processor>,
    /// The coprocessor executes each instruction when a core pushes it.
    pub(crate) issues_at_once: bool,
}

impl Tile {
    pub(crate) fn new(
        description: &ChipDescription,
        coordinates: &Coordinates,
        at: PhysicalCoordinate,
        seed: u64,
    ) -> Self {
        let private = &description.private_memory;
        let core = |processor: Processor| {
            let size = private.size.get(processor.index()).copied().unwrap_or(0);
            let has_ram =
                processor == Processor::Ncrisc && private.ncrisc_instruction_ram.is_some();
            let random = (seed != 0).then(|| {
                let place = u64::from(at.x) << 16 | u64::from(at.y) << 8;
                Random::new(seed ^ (place | processor.index() as u64) << 32)
            });
            let cache = DataCache::new(description.data_cache, random);
            Core::new(processor, private.base, size, has_ram, cache)
        };
        let number = match coordinates.kind(at) {
            TileKind::Tensix(number) => number,
            _ => 0,
        };
        let mut memory = TileMemory::new(at, description);
        if let Some((start, length)) = description.arc.and_then(|arc| arc.l1_scratch) {
            memory.poison.write(start as usize, length as usize);
        }
        Self {
            at,
            number,
            memory,
            cores: Processor::ALL.map(core),
            nius: Noc::ALL.map(|noc| Niu::new(noc, description, coordinates, at)),
            running: 0,
            streams: vec![Stream::default(); description.overlay.streams as usize],
            mailboxes: Default::default(),
            mover: Mover::default(),
            coprocessor: Coprocessor::new(description),
            launches: Launches::default(),
            soft_reset: description.reset.all(),
            reset_settings: reset::Settings::new(&description.reset),
            wall_clock_latch: 0,
            heard: Heard::default(),
        }
    }

    /// One of its cores.
    pub(crate) const fn core_at(&self, processor: Processor) -> CoreAt {
        CoreAt { tile: self.number, at: self.at, processor }
    }

    /// The tile as observers see it.
    pub(crate) const fn scene<'a>(&'a mut self, coordinates: &'a Coordinates) -> Scene<'a> {
        Scene { tile: self, coordinates }
    }

    /// Where each running core stands.
    pub(crate) fn positions(&self) -> impl Iterator<Item = hallmark_chip::Position> {
        let running = self.cores.iter().filter(|core| core.state == State::Running);
        running.map(|core| hallmark_chip::Position {
            tile: self.at,
            processor: core.processor,
            pc: core.pc,
            symbol: None,
            frames: Vec::new(),
        })
    }

    /// Wakes the cores whose watched words were written.
    pub(crate) fn settle(&mut self) {
        self.wake_threads();
        if self.memory.woken == 0 {
            return;
        }
        let woken = std::mem::take(&mut self.memory.woken);
        for (index, core) in self.cores.iter_mut().enumerate() {
            if woken >> index & 1 == 1 && matches!(core.state, State::Parked | State::Blocked) {
                core.state = State::Running;
                core.wait = None;
                core.patience = 0;
                core.patience_used = 0;
                self.running |= 1 << index;
                self.memory.unwatch(index);
            }
        }
    }

    /// Counters of the NoC interfaces tell something new, though they may not have changed.
    pub(crate) fn tells_something_new(&mut self) {
        self.heard.forget();
    }

    /// A counter or register of this NoC interface changed.
    pub(crate) fn wake_niu(&mut self, base: u32) {
        self.heard.forget();
        self.memory.wake_for_registers(base);
    }
}
