//! The tiles of a chip whose firmware runs, and the binaries and layouts on them.
//!
//! The region that firmware leaves to launches is filled from both ends: semaphores, launch block, circular buffer
//! table and arguments from its start, kernels from its end down. Kernels stay where they are for later launches
//! until their place is needed; the words are written at each launch.

mod binaries;
mod boot;
mod described;
mod layout;
mod leftovers;
mod plan;
mod positions;
mod prints;
mod wait;

use std::collections::BTreeMap;

use hallmark_chip::{DeviceError, LogicalCore, NocCoordinate, PhysicalCoordinate};
use hallmark_device_code::FirmwareBundle;
use hallmark_schema::model::QueueId;

pub(crate) use self::binaries::{KernelBinary, ResidentBinaries};
pub(crate) use self::boot::{boot_dispatch_tile, boot_tiles};
pub(crate) use self::described::{describe_launches, description};
use self::layout::LaidOutPrograms;
pub(crate) use self::layout::{SemaphoreWord, TileLayout, announce_configuration, lay_out_program};
pub(crate) use self::leftovers::leftovers;
pub(crate) use self::plan::planned_launches;
pub use self::plan::{
    PlannedBinary, PlannedCircularBuffer, PlannedLaunch, PlannedSemaphore, PlannedTile,
};
pub(crate) use self::positions::{explained, with_lines};
pub(crate) use self::prints::Advanced;
use self::prints::Prints;
pub(crate) use self::wait::{FIRST_SLICE, LONGEST_SLICE, unfinished, wait_for_word, without_idle};
use crate::chip::Chip;

/// A tile whose firmware runs.
#[derive(Debug)]
struct Tile {
    noc: NocCoordinate,
    physical: PhysicalCoordinate,
    binaries: ResidentBinaries,
}

/// A tile whose BRISC runs a dispatcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DispatchTile {
    /// The tile as the host names it.
    pub(crate) noc: NocCoordinate,
    /// The same tile on the die.
    pub(crate) physical: PhysicalCoordinate,
}

/// A chip, and the tiles of it whose firmware runs.
#[derive(Debug)]
pub(crate) struct Tiles {
    chip: Chip,
    /// Ticks that a tile's firmware may take to come up.
    boot_budget: u64,
    booted: BTreeMap<LogicalCore, Tile>,
    /// By queue.
    dispatch: Vec<DispatchTile>,
    /// Counts the changes of where kernel binaries lie on tiles.
    binaries_placed: u64,
    laid_out: LaidOutPrograms,
    prints: Prints,
}

impl Tiles {
    /// The tiles of a chip whose cores are all held in reset.
    ///
    /// Firmware is loaded on a tile when a program first launches there, so that a program on one
    /// core does not pay for the whole grid.
    pub(crate) fn new(chip: Chip, boot_budget: u64) -> Self {
        Self {
            chip,
            boot_budget,
            booted: BTreeMap::new(),
            dispatch: Vec::new(),
            binaries_placed: 0,
            laid_out: LaidOutPrograms::default(),
            prints: Prints::default(),
        }
    }

    /// Puts every core that was started back into reset.
    ///
    /// # Errors
    /// The device's.
    pub(crate) fn reset(&mut self) -> Result<(), DeviceError> {
        let reset = self.chip.description().reset;
        let workers = self.booted.values().map(|tile| tile.noc);
        for tile in workers.chain(self.dispatch.iter().map(|tile| tile.noc)) {
            self.chip.access().write_word(tile, reset.soft_reset, reset.all())?;
        }
        self.chip.access().order()
    }

    pub(crate) const fn chip(&self) -> &Chip {
        &self.chip
    }

    pub(crate) const fn chip_mut(&mut self) -> &mut Chip {
        &mut self.chip
    }

    fn firmware(&self) -> &FirmwareBundle {
        self.chip.firmware()
    }

    /// How the host names the tile of a core whose firmware runs.
    pub(crate) fn noc(&self, core: LogicalCore) -> Option<NocCoordinate> {
        self.booted.get(&core).map(|tile| tile.noc)
    }

    /// The tiles of dispatchers that run, with their queues.
    pub(crate) fn dispatch_tiles(&self) -> impl Iterator<Item = (QueueId, DispatchTile)> {
        (0..).map(QueueId).zip(self.dispatch.iter().copied())
    }

    /// Whether a dispatcher runs on a tile.
    pub(crate) fn is_dispatch_tile(&self, tile: PhysicalCoordinate) -> bool {
        self.dispatch.iter().any(|dispatch| dispatch.physical == tile)
    }

    /// The kernels' binaries on a tile.
    pub(crate) fn binaries_of(&self, tile: PhysicalCoordinate) -> &[KernelBinary] {
        let tile = self.booted.values().find(|known| known.physical == tile);
        tile.map(|tile| tile.binaries.resident()).unwrap_or_default()
    }

    /// The number of the placing of binaries that holds now: it changes with every binary that is placed.
    pub(crate) const fn binaries_placed(&self) -> u64 {
        self.binaries_placed
    }

    /// The binaries on these tiles are others from now on. Gives the number of the new placing.
    pub(crate) fn replace_binaries<'a>(
        &mut self,
        tiles: impl Iterator<Item = (&'a LogicalCore, &'a ResidentBinaries)>,
    ) -> u64 {
        for (core, binaries) in tiles {
            if let Some(tile) = self.booted.get_mut(core) {
                if binaries.resident().iter().any(KernelBinary::prints) {
                    self.prints.note_kernel();
                }
                tile.binaries = binaries.clone();
            }
        }
        self.binaries_placed = self.binaries_placed.wrapping_add(1);
        self.binaries_placed
    }
}
