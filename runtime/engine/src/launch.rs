//! What a launch of a program needs on each tile, addresses filled in: later calls do not change it.

use std::sync::Arc;

use hallmark_chip::{LogicalCore, NocCoordinate, Processor};
use hallmark_device_code::{CircularBufferSlot, KernelImage, LaunchBlock, SEMAPHORE_STRIDE};
use hallmark_schema::model::{ArgumentRelocation, BufferId, ProgramId};

/// Arguments, tables and blocks start at multiples of this.
pub(super) const WORD_ALIGNMENT: u32 = 16;

/// A program as it was when it was enqueued.
#[derive(Debug)]
pub struct ProgramLaunch {
    /// The program; a trace that was loaded from bytes has none, and says `u32::MAX`.
    pub program: ProgramId,
    /// Its tiles, by core.
    pub tiles: Vec<TileLaunch>,
    /// See [`ProgramLaunch::weight`].
    weight: u64,
}

/// Bytes of a queued launch per tile and kernel, arguments not counted, roughly.
pub const TILE_WEIGHT: u64 = 512;

impl ProgramLaunch {
    /// A launch on some tiles.
    pub fn new(program: ProgramId, tiles: Vec<TileLaunch>) -> Self {
        let kernels = tiles.iter().flat_map(|tile| &tile.kernels);
        let weight = kernels.fold(0, |sum, kernel| {
            let words = kernel.arguments.len() + kernel.common.len();
            sum + TILE_WEIGHT + words as u64 * 4
        });
        Self { program, tiles, weight }
    }

    /// Bytes that it holds while queued, roughly.
    pub const fn weight(&self) -> u64 {
        self.weight
    }
}

/// What one tile is to run.
#[derive(Debug)]
pub struct TileLaunch {
    /// The core.
    pub core: LogicalCore,
    /// How the host names its tile.
    pub noc: NocCoordinate,
    /// The kernels that run there, each on processors of its own.
    pub kernels: Vec<KernelLaunch>,
    /// Number and initial value.
    pub semaphores: Vec<(u32, u32)>,
    /// By index.
    pub circular_buffers: Vec<CircularBufferSlot>,
    /// Address and size of each circular buffer's memory.
    pub circular_memory: Vec<(u32, u32)>,
    /// Circular buffers that lie in a buffer: the index, the buffer, and the offset in it.
    pub circular_in_buffers: Vec<(usize, BufferId, u32)>,
}

/// A kernel on one tile.
#[derive(Debug)]
pub struct KernelLaunch {
    /// The processors that it runs on, and its ELF for each.
    pub images: Vec<(Processor, Arc<KernelImage>)>,
    /// The core's own words.
    pub arguments: Arc<[u32]>,
    /// Shared by all its cores.
    pub common: Arc<[u32]>,
    /// Where addresses and coordinates stand in both, for whoever puts them elsewhere.
    pub relocations: [Arc<[ArgumentRelocation]>; 2],
}

impl KernelLaunch {
    pub(super) fn vectors(&self) -> [&Arc<[u32]>; 2] {
        [&self.arguments, &self.common]
    }
}

impl TileLaunch {
    /// A tile on which nothing runs yet.
    pub const fn new(core: LogicalCore, noc: NocCoordinate) -> Self {
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
    pub fn images(&self) -> impl Iterator<Item = (&KernelLaunch, Processor, &Arc<KernelImage>)> {
        self.kernels.iter().flat_map(|kernel| {
            kernel.images.iter().map(move |(processor, image)| (kernel, *processor, image))
        })
    }

    /// Bytes of the words at the start of the region, for so many semaphores.
    pub(super) fn words(&self, semaphores: u32) -> u64 {
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
    pub fn needed(&self, semaphores: u32) -> u64 {
        let binary: u64 = self
            .images()
            .map(|(_, _, image)| u64::from(image.size()) + u64::from(image.alignment()))
            .sum();
        self.words(semaphores) + binary
    }
}
