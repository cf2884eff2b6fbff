//! The state of each object: plain data.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hallmark_chip::{DescribedBuffer, LogicalCore, Processor};
use hallmark_device_code::KernelImage;
use hallmark_engine::addresses::BufferExtent;
use hallmark_engine::launch::ProgramLaunch;
use hallmark_schema::model::{
    ArgumentRelocation, BufferId, BufferRegion, CircularBufferId, CircularBufferIndex,
    CoreArguments, CoreRange, Failure, Grid, KernelConfig, KernelId, NocId, ProgramId, SemaphoreId,
};

use super::argument_words::ArgumentWords;

/// A buffer that is allocated, or a view of one.
#[derive(Clone, Debug)]
pub(crate) struct BufferState {
    pub(crate) name: String,
    pub(crate) extent: BufferExtent,
    /// The buffer that a view is a part of, and whose memory it is.
    pub(crate) root: Option<BufferId>,
    /// Its memory as devices are told of it; a view has that of its root.
    pub(crate) described: Option<Arc<DescribedBuffer>>,
}

impl BufferState {
    /// A buffer with its memory as devices are told of it.
    pub(crate) const fn buffer(
        name: String,
        extent: BufferExtent,
        described: Arc<DescribedBuffer>,
    ) -> Self {
        Self { name, extent, root: None, described: Some(described) }
    }

    /// A view of a buffer.
    pub(crate) const fn view(name: String, extent: BufferExtent, root: BufferId) -> Self {
        Self { name, extent, root: Some(root), described: None }
    }

    /// A part of a buffer, which must be made of whole pages and lie within; `buffer` is its id.
    pub(crate) fn part(
        &self,
        buffer: BufferId,
        region: BufferRegion,
    ) -> Result<BufferExtent, Failure> {
        let BufferRegion { offset, size } = region;
        let extent = &self.extent;
        if !region.is_paged(extent.page_size) {
            let page_size = extent.page_size;
            return Err(Failure::RegionNotPageMultiple { offset, size, page_size });
        }
        let limit = extent.size();
        if !region.lies_within(limit) {
            return Err(Failure::RegionOutsideBuffer { buffer, offset, size, limit });
        }
        // It lies within, so nothing overflows.
        let start = extent.pages.start + offset / extent.page_size;
        Ok(BufferExtent { pages: start..start + size / extent.page_size, ..extent.clone() })
    }

    /// A part of a buffer, or all of it.
    pub(crate) fn whole_or_part(
        &self,
        buffer: BufferId,
        region: Option<BufferRegion>,
    ) -> Result<BufferExtent, Failure> {
        match region {
            Some(region) => self.part(buffer, region),
            None => Ok(self.extent.clone()),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct ProgramState {
    pub(crate) name: String,
    pub(crate) kernels: Vec<KernelId>,
    pub(crate) circular_buffers: Vec<CircularBufferId>,
    pub(crate) semaphores: Vec<SemaphoreId>,
    /// Whether it was enqueued: nothing may be added from then on.
    pub(crate) compiled: bool,
    /// Whether its kernels were sent to the device: a trace cannot do it.
    pub(crate) warm: bool,
    /// The addresses of circular buffers at the last enqueue, unless a size has changed since.
    pub(crate) layout: Option<Arc<CircularBufferLayout>>,
    /// The launch of the last enqueue, unless arguments or circular buffers have changed since.
    pub(crate) assembled: Option<Assembled>,
}

/// A launch that holds for later ones too.
#[derive(Clone, Debug)]
pub(crate) struct Assembled {
    pub(crate) launch: Arc<ProgramLaunch>,
    /// The number of buffers that had been released then: an argument may stand for a buffer.
    pub(crate) released: u64,
}

/// The addresses of a program's circular buffers that take their memory from no buffer, and of its scratchpads.
#[derive(Debug, Default)]
pub(crate) struct CircularBufferLayout {
    pub(crate) addresses: BTreeMap<CircularBufferId, u64>,
    /// By the kernel and the index of its common argument.
    pub(crate) scratchpads: BTreeMap<(KernelId, u32), u64>,
    /// The end of the last circular buffer or scratchpad, by core.
    pub(crate) ends: BTreeMap<LogicalCore, u64>,
}

#[derive(Clone, Debug)]
pub(crate) struct KernelState {
    pub(crate) name: String,
    pub(crate) program: ProgramId,
    pub(crate) cores: BTreeSet<LogicalCore>,
    pub(crate) config: KernelConfig,
    pub(crate) images: Vec<(Processor, Arc<KernelImage>)>,
    /// The numbers that it was built with: compile-time arguments, and defines that are numbers.
    pub(crate) numbers: Arc<[u32]>,
    /// Arguments as they were set; addresses are filled in when the program is enqueued.
    pub(crate) arguments: BTreeMap<LogicalCore, Arc<CoreArguments>>,
    /// The arguments that all cores share; empty if none were set.
    pub(crate) common_arguments: ArgumentWords,
}

impl KernelState {
    /// The scratchpads that its common arguments make, by the index of the argument, with their bytes.
    pub(crate) fn scratchpads(&self) -> impl Iterator<Item = (u32, u32)> {
        self.common_arguments.relocations.iter().filter_map(ArgumentRelocation::scratchpad)
    }

    pub(crate) fn noc(&self) -> Option<NocId> {
        match self.config {
            KernelConfig::DataMovement { noc, .. } => Some(noc),
            KernelConfig::Compute { .. } => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct CircularBufferState {
    pub(crate) name: String,
    pub(crate) program: ProgramId,
    pub(crate) cores: BTreeSet<LogicalCore>,
    pub(crate) total_size: u64,
    pub(crate) indices: Vec<CircularBufferIndex>,
    /// Its place in a buffer, if the program does not place it.
    pub(crate) global: Option<PositionInBuffer>,
}

/// A circular buffer's place in a buffer, which stays although the buffer may be released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PositionInBuffer {
    pub(crate) buffer: BufferId,
    /// From the buffer's address on.
    pub(crate) offset: u32,
    /// The buffer's address plus the offset.
    pub(crate) address: u64,
    /// Bytes of the buffer in each bank.
    pub(crate) bank_size: u64,
    /// Whether the program was enqueued while the buffer was there.
    pub(crate) has_run: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct SemaphoreState {
    pub(crate) program: ProgramId,
    pub(crate) ranges: Vec<CoreRange>,
    pub(crate) cores: BTreeSet<LogicalCore>,
    /// The number by which kernels ask for it.
    pub(crate) number: u32,
    pub(crate) initial_value: u32,
}

/// The number that a new semaphore gets: the lowest below `limit` that no other semaphore of its program
/// has on one of its cores.
pub fn semaphore_number<'a>(
    limit: u32,
    cores: &[CoreRange],
    others: impl IntoIterator<Item = (&'a [CoreRange], u32)>,
) -> Option<u32> {
    let taken: BTreeSet<u32> = others
        .into_iter()
        .filter(|(ranges, _)| {
            ranges.iter().any(|&left| cores.iter().any(|&right| left.overlaps(right)))
        })
        .map(|(_, number)| number)
        .collect();
    (0..limit).find(|number| !taken.contains(number))
}

/// The cores of a range set, which must lie in the grid. Cores named twice count once.
pub(crate) fn cores_of(ranges: &[CoreRange], grid: Grid) -> Result<BTreeSet<LogicalCore>, Failure> {
    let outside = |core: LogicalCore| core.x >= grid.columns || core.y >= grid.rows;
    if ranges.is_empty() {
        return Err(Failure::EmptyCoreRange {});
    }
    let mut cores = BTreeSet::new();
    for range in ranges {
        if range.start.x > range.end.x || range.start.y > range.end.y {
            return Err(Failure::EmptyCoreRange {});
        }
        // Checked before the range is walked: it may have 2^64 cores.
        if let Some(core) = [range.start, range.end].into_iter().find(|&core| outside(core)) {
            let Grid { columns, rows } = grid;
            return Err(Failure::CoreOutsideGrid { core, columns, rows });
        }
        cores.extend(range.cores());
    }
    Ok(cores)
}
