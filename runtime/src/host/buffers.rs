//! Buffers: how they are created, viewed and given back.

use std::collections::BTreeSet;

use hallmark_chip::{Meaning, PhysicalCoordinate};
use hallmark_engine::addresses::BufferExtent;
use hallmark_engine::addresses::page_mapping::{PageLocation, PageMapping};
use hallmark_engine::work::WorkItem;
use hallmark_schema::commands::{Command, CreateBuffer, CreateBufferView, DeallocateBuffer};
use hallmark_schema::model::{
    BufferId, BufferLayout, BufferRegion, BufferType, CommandIndex, CommandKind, CoreRange,
    Failure, Grid, ObjectKind, ShardSpec, ShardingProblem,
};

use super::allocator::{BankAllocator, Direction};
use super::call::Perform;
use super::states::{BufferState, cores_of};
use super::types::{Buffer, BufferConfig};
use super::{Device, Host};
use crate::error::{CallError, HostError};
use crate::payload::Input;

/// Page sizes are multiples of a word (tt-metal `Buffer::validate`).
const PAGE_WORD: u64 = 4;

/// Where a byte of a buffer lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteLocation {
    /// The page that holds it.
    pub page: u64,
    /// The bank that holds the page.
    pub bank: u64,
    /// The bank's tile on the die.
    pub tile: PhysicalCoordinate,
    /// The byte's address in that tile.
    pub address: u64,
}

impl Host {
    /// A buffer, or a view whose buffer still has its memory.
    pub(super) fn buffer(&self, buffer: BufferId) -> Result<&BufferState, Failure> {
        let state = self.objects.buffers.get(buffer.0)?;
        if let Some(root) = state.root {
            self.objects.buffers.get(root.0)?;
        }
        Ok(state)
    }

    const fn allocator(&mut self, buffer_type: BufferType) -> &mut BankAllocator {
        match buffer_type {
            BufferType::Dram => &mut self.dram,
            BufferType::L1 => &mut self.l1,
            BufferType::L1Small => &mut self.l1_small,
        }
    }

    /// Where the lowest buffer of L1 lies. L1_SMALL lies above all others.
    pub(super) fn lowest_l1_buffer(&self) -> Option<u64> {
        self.l1.lowest_taken().or_else(|| self.l1_small.lowest_taken())
    }

    /// Says what a buffer's memory is for from now on; one without memory has nothing to say.
    fn annotate(&mut self, extent: &BufferExtent, meaning: Meaning) {
        if extent.placement.bank_size > 0 {
            self.work.push(WorkItem::Annotate { extent: extent.clone(), meaning });
        }
    }

    pub(super) fn give_back(&mut self, state: &BufferState) {
        if state.root.is_none() {
            self.allocator(state.extent.buffer_type).free(&state.extent.placement);
            self.annotate(&state.extent, Meaning::Freed);
        }
    }
}

impl Device {
    /// `CreateBuffer`: allocates device memory.
    ///
    /// # Errors
    /// [`Failure::PageSizeInvalid`], [`Failure::SizeNotPageMultiple`], [`Failure::OutOfMemory`]; of a
    /// shard specification [`Failure::ShardSpecMissing`], [`Failure::ShardSpecUnexpected`],
    /// [`Failure::EmptyCoreRange`], [`Failure::CoreOutsideGrid`], [`Failure::CoreRangesOverlap`],
    /// [`Failure::ShardShapeInvalid`], [`Failure::TensorShapeMismatch`], [`Failure::ShardsTooSmall`].
    pub fn create_buffer(&mut self, config: &BufferConfig<'_>) -> Result<Buffer, CallError> {
        let buffer = self.next_buffer();
        let command = Command::CreateBuffer(CreateBuffer {
            buffer: buffer.id(),
            name: config.name.to_owned(),
            size: config.size,
            page_size: config.page_size,
            buffer_type: config.buffer_type,
            layout: config.layout,
            shard_spec: config.shard_spec.cloned(),
            bottom_up: config.bottom_up,
        });
        self.call(command, Input::Nothing)?;
        Ok(buffer)
    }

    /// `Buffer::view`: a part of a buffer as a buffer of its own for writes and reads. Its address is
    /// the whole buffer's, for kernels count pages from there.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::ReleasedObject`], [`Failure::RegionNotPageMultiple`],
    /// [`Failure::RegionOutsideBuffer`].
    pub fn create_buffer_view(
        &mut self,
        name: &str,
        parent: Buffer,
        region: BufferRegion,
    ) -> Result<Buffer, CallError> {
        let buffer = self.next_buffer();
        let command = Command::CreateBufferView(CreateBufferView {
            buffer: buffer.id(),
            name: name.to_owned(),
            parent: parent.id(),
            region,
        });
        self.call(command, Input::Nothing)?;
        Ok(buffer)
    }

    /// `DeallocateBuffer`: gives a buffer's memory back. Commands enqueued before still use it, its
    /// views are useless from now on. A view that is deallocated leaves the memory as it is.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::ReleasedObject`].
    pub fn deallocate_buffer(&mut self, buffer: Buffer) -> Result<(), CallError> {
        self.call(
            Command::DeallocateBuffer(DeallocateBuffer { buffer: buffer.id() }),
            Input::Nothing,
        )
    }

    /// Where a buffer lies, for reports: its bank-relative address, and for a byte of it the bank,
    /// the tile on the die and the tile address. Does not mark a capture; do not pass it to a kernel.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::ReleasedObject`].
    pub fn locate(&self, buffer: Buffer, byte: u64) -> Result<Option<ByteLocation>, Failure> {
        let extent = &self.host.buffer(buffer.id())?.extent;
        Ok(self.host.location(extent, byte))
    }
}

impl Host {
    /// Where a byte of a buffer lies; `None` behind its end.
    pub(super) fn location(&self, extent: &BufferExtent, byte: u64) -> Option<ByteLocation> {
        if byte >= extent.size() {
            return None;
        }
        let page = byte / extent.page_size.max(1);
        let PageLocation { bank, slot } = extent.mapping.locate(extent.pages.start + page)?;
        let in_bank = extent.placement.address
            + slot * extent.placement.page_stride
            + byte % extent.page_size.max(1);
        let place = self.banks.of(extent.buffer_type).get(usize::try_from(bank).ok()?)?;
        let address = place.offset.saturating_add(in_bank);
        Some(ByteLocation { page, bank, tile: place.physical, address })
    }
}

impl Perform for CreateBuffer {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { buffer, name, size, page_size, buffer_type, layout, shard_spec, bottom_up } =
            self;
        let host = &mut device.host;
        host.objects.buffers.reserve();
        let fail = |failure| HostError::new(CommandKind::CreateBuffer, failure).named(&name);
        if page_size == 0 || !page_size.is_multiple_of(PAGE_WORD) {
            return Err(fail(Failure::PageSizeInvalid { page_size, alignment: PAGE_WORD }).into());
        }
        if !size.is_multiple_of(page_size) {
            return Err(fail(Failure::SizeNotPageMultiple { size, page_size }).into());
        }
        let numbers = host.banks.numbers(buffer_type);
        match (&shard_spec, layout.is_sharded()) {
            (None, true) => return Err(fail(Failure::ShardSpecMissing {}).into()),
            (Some(_), false) => return Err(fail(Failure::ShardSpecUnexpected {}).into()),
            (Some(spec), true) => check_cores(spec, numbers.grid()).map_err(fail)?,
            (None, false) if buffer_type == BufferType::L1Small => {
                let detail = "a buffer of the type L1_SMALL must be sharded".to_owned();
                return Err(fail(Failure::ShardSpecMissing {}).detail(detail).into());
            }
            (None, false) => {}
        }
        let pages = size / page_size;
        let mapping = PageMapping::new(layout, shard_spec.as_ref(), pages, numbers)
            .map_err(|problem| fail(sharding_failure(problem, pages)))?;
        let direction = bottom_up
            .map(|bottom_up| if bottom_up { Direction::BottomUp } else { Direction::TopDown });
        // At most 160 banks on any chip.
        let banks = u32::try_from(mapping.banks()).unwrap_or(u32::MAX);
        let slots = mapping.slots(pages);
        let placed = host.allocator(buffer_type).allocate(slots, page_size, direction);
        let placement = placed.map_err(|no_space| {
            let needed = match no_space.bank_size {
                Some(bank_size) => format!("{bank_size} B"),
                None => "more than 2^64 B".to_owned(),
            };
            let detail = format!(
                "each bank needs {needed}, but the largest free block of a bank has {} B",
                no_space.largest_free
            );
            fail(Failure::OutOfMemory { buffer_type, size, banks }).detail(detail)
        })?;
        let end = placement.address.saturating_add(placement.bank_size);
        if buffer_type == BufferType::Dram
            && let Some(start) = host.markers_start.filter(|start| end > *start)
        {
            let detail = format!(
                "the buffer ends at {end:#x} of each bank, and the markers of a profile begin at {start:#x}"
            );
            host.allocator(buffer_type).free(&placement);
            return Err(fail(Failure::OutOfMemory { buffer_type, size, banks })
                .detail(detail)
                .into());
        }
        let extent = BufferExtent { buffer_type, page_size, placement, mapping, pages: 0..pages };
        host.annotate(&extent, Meaning::Buffer);
        host.recorder.address(ObjectKind::Buffer, buffer.0, placement.address)?;
        if buffer_type.is_l1() && layout == BufferLayout::Interleaved {
            host.recorder.l1_bank_order(host.l1_bank_order)?;
        }
        host.objects.buffers.fill(buffer.0, BufferState { name, extent, root: None });
        Ok(())
    }
}

impl Perform for CreateBufferView {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { buffer, name, parent, region } = self;
        let host = &mut device.host;
        host.objects.buffers.reserve();
        let fail = |failure| HostError::new(CommandKind::CreateBufferView, failure).named(&name);
        let state = host.buffer(parent).map_err(fail)?;
        let extent = part_of(&state.extent, parent, region).map_err(fail)?;
        let root = Some(state.root.unwrap_or(parent));
        // Kernels address pages from the start of the whole buffer, in a view too.
        host.recorder.address(ObjectKind::Buffer, buffer.0, extent.placement.address)?;
        host.objects.buffers.fill(buffer.0, BufferState { name, extent, root });
        Ok(())
    }
}

impl Perform for DeallocateBuffer {
    /// A view has no memory of its own: it only ceases to be.
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let host = &mut device.host;
        let fail = |failure| HostError::new(CommandKind::DeallocateBuffer, failure);
        let state = host.objects.buffers.release(self.buffer.0).map_err(fail)?;
        host.give_back(&state);
        Ok(())
    }
}

/// A part of a buffer, which must be made of whole pages and lie within.
pub(super) fn part_of(
    extent: &BufferExtent,
    buffer: BufferId,
    region: BufferRegion,
) -> Result<BufferExtent, Failure> {
    let BufferRegion { offset, size } = region;
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

/// Shards lie on cores of the grid, one on each.
fn check_cores(spec: &ShardSpec, grid: Grid) -> Result<(), Failure> {
    cores_of(&spec.cores, grid)?;
    let mut seen = BTreeSet::new();
    let mut cores = spec.cores.iter().copied().flat_map(CoreRange::cores);
    match cores.find(|core| !seen.insert(*core)) {
        Some(core) => Err(Failure::CoreRangesOverlap { core }),
        None => Ok(()),
    }
}

const fn sharding_failure(problem: ShardingProblem, pages: u64) -> Failure {
    let expected = pages;
    match problem {
        ShardingProblem::Shape { size, page_size } => {
            Failure::ShardShapeInvalid { size, page_size }
        }
        ShardingProblem::Tensor { actual } => Failure::TensorShapeMismatch { expected, actual },
        ShardingProblem::TooSmall { actual } => Failure::ShardsTooSmall { expected, actual },
    }
}
