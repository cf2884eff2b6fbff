//! Dispatch: boots tiles, places kernels and their words, launches, waits.
//!
//! The host does all that itself, or it tells a dispatcher what to do: [`on_device`].
//!
//! The region that firmware leaves to launches is filled from both ends: semaphores, launch block,
//! circular buffer table and arguments from its start, kernels from its end down. Kernels stay where
//! they are for later launches until their place is needed; the words are written at each launch.

mod boot;
mod commands;
mod defects;
mod dispatcher;
mod layout;
mod on_device;
mod plan;
mod program_store;
mod replay;
mod report;
mod text_store;
mod tile;

use std::sync::Arc;

use hallmark_chip::{Advance, LogicalCore, NocCoordinate, Processor, TileAddress, Waiting};
use hallmark_schema::model::{ArgumentRelocation, BufferId, ProgramId};

pub(crate) use self::defects::DEFECTS;
use self::defects::{Defect, planted};
pub use self::dispatcher::DispatchSettings;
pub(crate) use self::dispatcher::{Dispatcher, PendingRead, Replay};
pub(crate) use self::layout::LaidOut;
use self::layout::TileLayout;
pub use self::plan::{PlannedLaunch, PlannedTile};
pub(crate) use self::tile::Tile;
use crate::Device;
use crate::device_code::{CircularBufferSlot, KernelImage, LaunchBlock, Mailbox, SEMAPHORE_STRIDE};
use crate::queue::Halt;

/// Ticks between two looks at unfinished tiles: short at first, for small programs, then doubling.
const FIRST_SLICE: u64 = 256;
const LONGEST_SLICE: u64 = 65_536;
/// Arguments, tables and blocks start at multiples of this.
const WORD_ALIGNMENT: u32 = 16;

/// A program as it was when it was enqueued.
#[derive(Debug)]
pub(crate) struct ProgramLaunch {
    pub(crate) program: ProgramId,
    pub(crate) tiles: Vec<TileLaunch>,
    /// See [`ProgramLaunch::weight`].
    weight: u64,
}

/// Bytes of a queued launch per tile and kernel, arguments not counted, roughly.
pub(crate) const TILE_WEIGHT: u64 = 512;

impl ProgramLaunch {
    pub(crate) fn new(program: ProgramId, tiles: Vec<TileLaunch>) -> Self {
        let kernels = tiles.iter().flat_map(|tile| &tile.kernels);
        let weight = kernels.fold(0, |sum, kernel| {
            let words = kernel.arguments.len() + kernel.common.len();
            sum + TILE_WEIGHT + words as u64 * 4
        });
        Self { program, tiles, weight }
    }

    /// Bytes that it holds while queued, roughly.
    pub(crate) const fn weight(&self) -> u64 {
        self.weight
    }
}

/// What one tile is to run.
#[derive(Debug)]
pub(crate) struct TileLaunch {
    pub(crate) core: LogicalCore,
    pub(crate) noc: NocCoordinate,
    pub(crate) kernels: Vec<KernelLaunch>,
    /// Number and initial value.
    pub(crate) semaphores: Vec<(u32, u32)>,
    /// By index.
    pub(crate) circular_buffers: Vec<CircularBufferSlot>,
    /// Address and size of each circular buffer's memory.
    pub(crate) circular_memory: Vec<(u32, u32)>,
    /// Circular buffers that lie in a buffer: the index, the buffer, and the offset in it.
    pub(crate) circular_in_buffers: Vec<(usize, BufferId, u32)>,
}

/// A kernel on one tile.
#[derive(Debug)]
pub(crate) struct KernelLaunch {
    pub(crate) images: Vec<(Processor, Arc<KernelImage>)>,
    pub(crate) arguments: Arc<[u32]>,
    /// Shared by all its cores.
    pub(crate) common: Arc<[u32]>,
    /// Where addresses and coordinates stand in both, for whoever puts them elsewhere.
    pub(crate) relocations: [Arc<[ArgumentRelocation]>; 2],
}

impl KernelLaunch {
    fn vectors(&self) -> [&Arc<[u32]>; 2] {
        [&self.arguments, &self.common]
    }
}

impl TileLaunch {
    pub(crate) const fn new(core: LogicalCore, noc: NocCoordinate) -> Self {
        Self {
            core,
            noc,
            kernels: Vec::new(),
            semaphores: Vec::new(),
            circular_buffers: Vec::new(),
            circular_memory: Vec::new(),
            circular_in_buffers: Vec::new(),
        }
    }

    /// Every image with its kernel and processor.
    pub(crate) fn images(
        &self,
    ) -> impl Iterator<Item = (&KernelLaunch, Processor, &Arc<KernelImage>)> {
        self.kernels.iter().flat_map(|kernel| {
            kernel.images.iter().map(move |(processor, image)| (kernel, *processor, image))
        })
    }

    /// Bytes of the words at the start of the region, for so many semaphores.
    fn words(&self, semaphores: u32) -> u64 {
        let arguments: u64 = self
            .kernels
            .iter()
            .flat_map(KernelLaunch::vectors)
            .map(|words| (words.len() as u64 * 4).next_multiple_of(WORD_ALIGNMENT.into()))
            .sum();
        u64::from(semaphores) * u64::from(SEMAPHORE_STRIDE)
            + u64::from(LaunchBlock::SIZE)
            + self.circular_buffers.len() as u64 * u64::from(CircularBufferSlot::SIZE)
            + arguments
    }

    /// Bytes that the launch needs at most, whatever is resident.
    pub(crate) fn needed(&self, semaphores: u32) -> u64 {
        let text: u64 = self
            .images()
            .map(|(_, _, image)| u64::from(image.size()) + u64::from(image.alignment()))
            .sum();
        self.words(semaphores) + text
    }
}

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

impl Device {
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
        let mailbox = self.firmware.memory().mailbox.start;
        let go = TileAddress(u64::from(mailbox + Mailbox::GO));
        let dropped = usize::from(planted(Defect::LastTileNotLaunched));
        for tile in launch.tiles.iter().take(launch.tiles.len().saturating_sub(dropped)) {
            self.chip.write_word(tile.noc, go, number)?;
        }
        let done = TileAddress(u64::from(mailbox + Mailbox::DONE));
        let awaited = if planted(Defect::OneTileDoneIsEnough) { 1 } else { launch.tiles.len() };
        let waiting: Vec<NocCoordinate> =
            launch.tiles.iter().map(|tile| tile.noc).take(awaited).collect();
        self.poll(waiting, done, number, self.tick_budget)
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
        for text in &layout.texts {
            let base = TileAddress(u64::from(text.base));
            self.chip.write(noc, base, &text.bytes(layout.core)?)?;
        }
        let reset = self.launches == 1 || !planted(Defect::SemaphoresResetOnce);
        for &(address, value) in layout.semaphores.iter().filter(|_| reset) {
            self.chip.write(noc, TileAddress(u64::from(address)), &value.to_le_bytes())?;
        }
        self.chip.write(noc, TileAddress(u64::from(layout.block)), &layout.words)?;
        let mailbox = self.firmware.memory().mailbox.start;
        let launch_word = TileAddress(u64::from(mailbox + Mailbox::LAUNCH_BLOCK));
        self.chip.write_word(noc, launch_word, layout.block)?;
        Ok(())
    }
}
