//! A program as it is launched, with all addresses filled in: later calls do not change it.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_chip::{DescribedBuffer, LogicalCore, Noc, NocCoordinate, Processor};
use hallmark_device_code::{CircularBufferSlot, KernelImage, LaunchBlock, SEMAPHORE_STRIDE};
use hallmark_schema::model::{ArgumentRelocation, BufferId, ProgramId};
use serde::{Deserialize, Serialize};

/// Arguments, tables and blocks start at multiples of this.
pub(crate) const WORD_ALIGNMENT: u32 = 16;

/// A program as it was when it was enqueued.
#[derive(Debug)]
pub struct ProgramLaunch {
    /// The program; a trace that was loaded from bytes has none, and says `u32::MAX`.
    pub program: ProgramId,
    /// Its tiles, by core.
    pub tiles: Vec<TileLaunch>,
    /// The buffers that its arguments and circular buffers name, by the id in the relocation. A view stands for the
    /// buffer that it is a part of.
    pub buffers: BTreeMap<BufferId, Arc<DescribedBuffer>>,
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
        Self { program, tiles, buffers: BTreeMap::new(), weight }
    }

    /// The same launch, which was given these buffers.
    #[must_use]
    pub fn with_buffers(self, buffers: BTreeMap<BufferId, Arc<DescribedBuffer>>) -> Self {
        Self { buffers, ..self }
    }

    /// Bytes that it holds while queued, roughly.
    pub const fn weight(&self) -> u64 {
        self.weight
    }
}

/// The work of a launch for one tile.
#[derive(Debug)]
pub struct TileLaunch {
    /// The core that the tile is in the compute grid.
    pub core: LogicalCore,
    /// How the host names its tile.
    pub noc: NocCoordinate,
    /// The kernels that run there, each on processors of its own.
    pub kernels: Vec<KernelLaunch>,
    /// The program's semaphores on the tile.
    pub semaphores: Vec<SemaphoreLaunch>,
    /// The table of circular buffers, by the index that kernels use.
    pub circular_buffers: Vec<CircularBufferSlot>,
    /// The memory of the circular buffers that lie in no buffer, and of the scratchpads.
    pub circular_memory: Vec<CircularMemory>,
    /// The circular buffers that lie in a buffer.
    pub circular_in_buffers: Vec<CircularInBuffer>,
}

/// A semaphore of a launch. The bytes of a collected trace hold it as a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u32, u32)", into = "(u32, u32)")]
pub struct SemaphoreLaunch {
    /// The number by which kernels name it.
    pub number: u32,
    /// The value of its word when the kernels start.
    pub initial_value: u32,
}

impl From<(u32, u32)> for SemaphoreLaunch {
    fn from((number, initial_value): (u32, u32)) -> Self {
        Self { number, initial_value }
    }
}

impl From<SemaphoreLaunch> for (u32, u32) {
    fn from(SemaphoreLaunch { number, initial_value }: SemaphoreLaunch) -> Self {
        (number, initial_value)
    }
}

/// Memory of a circular buffer in L1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CircularMemory {
    /// Where its first page lies.
    pub address: u32,
    /// Bytes of all its pages.
    pub size: u32,
}

/// A scratchpad of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScratchpadLaunch {
    /// The index of the common argument that holds its address.
    pub argument: u32,
    /// Its memory, which the tile lists too.
    pub memory: CircularMemory,
}

/// A circular buffer that lies in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CircularInBuffer {
    /// The index by which kernels name the circular buffer.
    pub index: usize,
    /// The buffer that it lies in.
    pub buffer: BufferId,
    /// Bytes from the buffer's start.
    pub offset: u32,
}

/// A kernel on one tile.
#[derive(Debug)]
pub struct KernelLaunch {
    /// The name that the host program gave it; empty in a trace that was loaded from bytes.
    pub name: Arc<str>,
    /// The NoC that it was built for, if it moves data and that is known.
    pub noc: Option<Noc>,
    /// The numbers that it was built with: compile-time arguments, and defines that are numbers.
    pub numbers: Arc<[u32]>,
    /// The processors that it runs on, and its ELF for each.
    pub images: Vec<(Processor, Arc<KernelImage>)>,
    /// The core's own words.
    pub arguments: Arc<[u32]>,
    /// The words that all its cores share.
    pub common: Arc<[u32]>,
    /// The words of both that are addresses or coordinates, for a launch at other places.
    pub relocations: [Arc<[ArgumentRelocation]>; 2],
    /// The scratchpads that its common arguments make.
    pub scratchpads: Arc<[ScratchpadLaunch]>,
}

impl KernelLaunch {
    pub(crate) fn vectors(&self) -> [&Arc<[u32]>; 2] {
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
    pub(crate) fn words(&self, semaphores: u32) -> u64 {
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

    /// The most bytes that the launch needs, if none of its binaries is resident.
    pub fn needed(&self, semaphores: u32) -> u64 {
        let binary: u64 = self
            .images()
            .map(|(_, _, image)| u64::from(image.size()) + u64::from(image.alignment()))
            .sum();
        self.words(semaphores) + binary
    }
}
