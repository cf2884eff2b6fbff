//! What a launch of a program needs on each tile, addresses filled in: later calls do not change it.

use std::sync::Arc;

use hallmark_chip::{LogicalCore, NocCoordinate, Processor};
use hallmark_schema::model::{ArgumentRelocation, BufferId, ProgramId};

use crate::device_code::{CircularBufferSlot, KernelImage, LaunchBlock, SEMAPHORE_STRIDE};

/// Arguments, tables and blocks start at multiples of this.
pub(super) const WORD_ALIGNMENT: u32 = 16;

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
    pub(super) fn vectors(&self) -> [&Arc<[u32]>; 2] {
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
    pub(crate) fn needed(&self, semaphores: u32) -> u64 {
        let binary: u64 = self
            .images()
            .map(|(_, _, image)| u64::from(image.size()) + u64::from(image.alignment()))
            .sum();
        self.words(semaphores) + binary
    }
}
