//! Host-driven dispatch: boots tiles, places kernels and their words, launches, polls.
//!
//! The region that firmware leaves to launches is filled from both ends: semaphores, launch block,
//! circular buffer table and arguments from its start, kernels from its end down. Kernels stay where
//! they are for later launches until their place is needed; the words are written at each launch.

mod boot;
mod plan;
mod report;
mod tile;

use std::sync::Arc;

use hallmark_chip::sabotage::{Defect, planted};
use hallmark_chip::{
    Advance, LogicalCore, Meaning, Noc, NocCoordinate, Processor, TileAddress, Waiting,
};
use hallmark_schema::model::ProgramId;

pub use self::plan::{PlannedLaunch, PlannedTile};
pub(crate) use self::tile::Tile;
use crate::device_code::{
    CircularBufferSlot, KernelImage, LaunchBlock, Mailbox, ProcessorLaunch, SEMAPHORE_STRIDE,
};
use crate::queue::Halt;
use crate::{Device, InternalError};

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
}

/// Bytes of a queued launch per tile and kernel, arguments not counted, roughly.
pub(crate) const TILE_WEIGHT: u64 = 512;

impl ProgramLaunch {
    /// Bytes that it holds while queued, roughly.
    pub(crate) fn weight(&self) -> u64 {
        let kernels = self.tiles.iter().flat_map(|tile| &tile.kernels);
        kernels.fold(0, |sum, kernel| {
            let words = kernel.arguments.len() + kernel.common.len();
            sum + TILE_WEIGHT + words as u64 * 4
        })
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
}

/// A kernel on one tile.
#[derive(Debug)]
pub(crate) struct KernelLaunch {
    pub(crate) images: Vec<(Processor, Arc<KernelImage>)>,
    pub(crate) arguments: Arc<[u32]>,
    /// Shared by all its cores.
    pub(crate) common: Arc<[u32]>,
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
    pub(crate) fn launch(&mut self, launch: &ProgramLaunch) -> Result<LaunchEnd, Halt> {
        self.boot_tiles(launch.tiles.iter().map(|tile| (tile.core, tile.noc)))?;
        self.launches = match self.launches.wrapping_add(1) {
            // The go word is never 0.
            0 => 1,
            number => number,
        };
        let number = self.launches;
        for tile in &launch.tiles {
            self.prepare(tile)?;
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
    fn prepare(&mut self, launch: &TileLaunch) -> Result<(), Halt> {
        let region = self.firmware.memory().kernel_config;
        let semaphores = self.firmware.limits().semaphores;
        let noc = launch.noc;
        let words_start = region.start + semaphores * SEMAPHORE_STRIDE;
        let words = u32::try_from(launch.words(semaphores))
            .map_err(|_| InternalError::new("a launch beyond its region"))?;
        let core = launch.core;
        let tile = self
            .tiles
            .get_mut(&core)
            .ok_or_else(|| InternalError::new(format!("tile {core} was not booted")))?;
        let physical = tile.physical;
        let images: Vec<&Arc<KernelImage>> = launch.images().map(|(_, _, image)| image).collect();
        let placed = tile
            .texts
            .place(&images, region.start + words)
            .ok_or_else(|| InternalError::new(format!("kernels do not fit on tile {core}")))?;
        // What earlier launches left below the texts is nobody's.
        let left_over = u64::from(tile.texts.lowest() - region.start);
        let start = TileAddress(u64::from(region.start));
        self.chip.annotate(physical, start, left_over, Meaning::Freed)?;
        let of_semaphores = u64::from(words_start - region.start);
        self.chip.annotate(physical, start, of_semaphores, Meaning::Semaphore)?;
        // Nor is what they left in circular buffers that lie on no buffer.
        for &(start, size) in &launch.circular_memory {
            let (start, size) = (TileAddress(u64::from(start)), u64::from(size));
            self.chip.annotate(physical, start, size, Meaning::Freed)?;
            self.chip.annotate(physical, start, size, Meaning::CircularBuffer)?;
        }
        for text in placed.new {
            let bytes = text
                .image
                .relocate(text.base)
                .map_err(|error| InternalError::new(format!("kernel on {core}: {error}")))?;
            let base = TileAddress(u64::from(text.base));
            self.chip.annotate(physical, base, bytes.len() as u64, Meaning::Code)?;
            self.chip.write(noc, base, &bytes)?;
        }
        let reset = self.launches == 1 || !planted(Defect::SemaphoresResetOnce);
        for &(number, value) in launch.semaphores.iter().filter(|_| reset) {
            let address = TileAddress(u64::from(region.start + number * SEMAPHORE_STRIDE));
            self.chip.write(noc, address, &value.to_le_bytes())?;
        }
        let mailbox = self.firmware.memory().mailbox.start;
        let block = words_start;
        let table = block + LaunchBlock::SIZE;
        let first = table + CircularBufferSlot::SIZE * launch.circular_buffers.len() as u32;
        let mut processors = [None; 5];
        let mut bases = placed.bases.iter();
        let mut argument_bytes = Vec::new();
        for kernel in &launch.kernels {
            let [unique_args, common_args] = kernel.vectors().map(|words| {
                let address = first + argument_bytes.len() as u32;
                argument_bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
                let end = argument_bytes.len().next_multiple_of(WORD_ALIGNMENT as usize);
                argument_bytes.resize(end, 0);
                address
            });
            for (processor, image) in &kernel.images {
                let base =
                    bases.next().ok_or_else(|| InternalError::new("a kernel without a place"))?;
                if let Some(slot) = processors.get_mut(processor.index()) {
                    *slot = Some(ProcessorLaunch {
                        entry: base + image.entry(),
                        unique_args,
                        common_args,
                    });
                }
            }
        }
        let mut bytes = LaunchBlock {
            processors,
            bank_tables: self.firmware.memory().bank_tables.start,
            semaphores: region.start,
            circular_buffers: table,
            circular_buffer_count: launch.circular_buffers.len() as u32,
            noc: Noc::ALL.map(|network| self.chip.description().on_noc(network, noc)),
            logical: core,
            atomic_return: mailbox + Mailbox::ATOMIC_RETURN,
        }
        .encode();
        bytes.extend(CircularBufferSlot::encode_table(&launch.circular_buffers));
        bytes.extend(argument_bytes);
        self.chip.write(noc, TileAddress(u64::from(block)), &bytes)?;
        let launch_word = TileAddress(u64::from(mailbox + Mailbox::LAUNCH_BLOCK));
        self.chip.write_word(noc, launch_word, block)?;
        Ok(())
    }
}
