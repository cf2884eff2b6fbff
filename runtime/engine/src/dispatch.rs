//! Dispatch: boots tiles, places kernels and their words, launches, waits.
//!
//! The host does all that itself, or it tells a dispatcher what to do: [`on_device`].
//!
//! The region that firmware leaves to launches is filled from both ends: semaphores, launch block,
//! circular buffer table and arguments from its start, kernels from its end down. Kernels stay where
//! they are for later launches until their place is needed; the words are written at each launch.

mod binary_store;
mod boot;
mod commands;
mod dispatcher;
mod layout;
mod loaded_traces;
mod on_device;
mod plan;
mod program_store;
mod report;
mod ring;
mod tile;

use std::sync::Arc;

use hallmark_chip::{Advance, Forgettable, LogicalCore, NocCoordinate, TileAddress, Waiting};
use hallmark_device_code::Mailbox;

pub(crate) use self::commands::tile_word;
pub use self::dispatcher::usable_dispatch_settings;
pub(crate) use self::dispatcher::{Dispatcher, PendingRead, ReplayedTrace};
pub(crate) use self::layout::LaidOut;
use self::layout::{SemaphoreWord, TileLayout};
pub use self::plan::{
    PlannedBinary, PlannedCircularBuffer, PlannedLaunch, PlannedSemaphore, PlannedTile,
};
pub(crate) use self::tile::{KernelBinary, Tile};
use crate::defects::{Defect, planted};
use crate::engine::Engine;
use crate::halt::Halt;
use crate::launch::ProgramLaunch;

/// Ticks between two looks at unfinished tiles: short at first, for small programs, then doubling.
pub(crate) const FIRST_SLICE: u64 = 256;
const LONGEST_SLICE: u64 = 65_536;

/// How a launch ended.
pub(crate) enum LaunchEnd {
    Done,
    Deadlock(Vec<Waiting>),
    Hang(Unfinished),
}

/// What a program that did not end leaves.
pub(crate) struct Unfinished {
    /// What it took.
    pub(crate) ticks: u64,
    /// Cores that have not finished.
    pub(crate) cores: Vec<LogicalCore>,
}

impl Engine {
    /// Runs a program to its end.
    pub(crate) fn launch(&mut self, launch: &Arc<ProgramLaunch>) -> Result<LaunchEnd, Halt> {
        self.launches = match self.launches.wrapping_add(1) {
            // The go word is never 0.
            0 => 1,
            number => number,
        };
        let number = self.launches;
        for layout in self.lay_out_program(launch)?.iter() {
            self.prepare(layout)?;
        }
        self.chip.order()?;
        // Booting a tile for the first time is no part of the program.
        self.profile_begins();
        let mailbox = self.firmware.memory().mailbox.start;
        let go = TileAddress(u64::from(mailbox + Mailbox::GO));
        let mut tiles: Vec<NocCoordinate> = Vec::with_capacity(launch.tiles.len());
        for tile in &launch.tiles {
            if !self.chip.forgets(Forgettable::LaunchOn(tile.core)) {
                tiles.push(tile.noc);
            }
        }
        let dropped = usize::from(planted(Defect::LastTileNotLaunched));
        for &tile in tiles.iter().take(tiles.len().saturating_sub(dropped)) {
            self.chip.write_word(tile, go, number)?;
        }
        let done = TileAddress(u64::from(mailbox + Mailbox::DONE));
        let awaited = if planted(Defect::OneTileDoneIsEnough) { 1 } else { tiles.len() };
        let waiting: Vec<NocCoordinate> = tiles.into_iter().take(awaited).collect();
        self.poll(waiting, done, number, self.settings.tick_budget)
    }

    /// Waits until a word of every tile has a value.
    fn poll(
        &mut self,
        mut tiles: Vec<NocCoordinate>,
        word: TileAddress,
        value: u32,
        budget: u64,
    ) -> Result<LaunchEnd, Halt> {
        let mut slice = FIRST_SLICE;
        let mut spent = 0u64;
        loop {
            let ticks = slice.min(budget.saturating_sub(spent));
            if ticks == 0 {
                let cores = self.unfinished(&tiles, word, value)?;
                return Ok(LaunchEnd::Hang(Unfinished { ticks: spent, cores }));
            }
            let advance = self.chip.advance(ticks)?;
            spent = spent.saturating_add(ticks);
            slice = (slice * 2).min(LONGEST_SLICE);
            // Stops at the first unfinished tile: the ones before it are not asked again.
            while let Some(&tile) = tiles.last() {
                if self.chip.read_word(tile, word)? != value {
                    break;
                }
                tiles.pop();
            }
            if tiles.is_empty() {
                return Ok(LaunchEnd::Done);
            }
            if let Advance::Quiescent(waiting) = advance {
                return Ok(LaunchEnd::Deadlock(self.without_idle(waiting)));
            }
        }
    }

    /// The cores among some tiles where a word does not have a value yet.
    fn unfinished(
        &mut self,
        tiles: &[NocCoordinate],
        word: TileAddress,
        value: u32,
    ) -> Result<Vec<LogicalCore>, Halt> {
        let mut cores = Vec::new();
        for &noc in tiles {
            if self.chip.read_word(noc, word)? != value {
                let known = self.tiles.iter().find(|(_, tile)| tile.noc == noc);
                cores.extend(known.map(|(core, _)| *core));
            }
        }
        cores.sort_unstable();
        Ok(cores)
    }

    /// Writes what a tile needs for a launch, all but the go.
    fn prepare(&mut self, layout: &TileLayout) -> Result<(), Halt> {
        let noc = layout.noc;
        for binary in &layout.binaries {
            let base = TileAddress(u64::from(binary.base));
            self.chip.write(noc, base, &binary.bytes(layout.core)?)?;
        }
        let reset = self.launches == 1 || !planted(Defect::SemaphoresResetOnce);
        for &SemaphoreWord { address, value } in layout.semaphores.iter().filter(|_| reset) {
            self.chip.write(noc, TileAddress(u64::from(address)), &value.to_le_bytes())?;
        }
        self.chip.write(noc, TileAddress(u64::from(layout.block)), &layout.words)?;
        let mailbox = self.firmware.memory().mailbox.start;
        let launch_word = TileAddress(u64::from(mailbox + Mailbox::LAUNCH_BLOCK));
        self.chip.write_word(noc, launch_word, layout.block)?;
        Ok(())
    }
}
