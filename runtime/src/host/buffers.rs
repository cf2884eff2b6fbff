//! Buffers: how they are created, viewed and given back.

use std::collections::BTreeSet;
use std::sync::Arc;

use hallmark_chip::Meaning;
use hallmark_engine::addresses::page_mapping::PageMapping;
use hallmark_engine::addresses::{BufferExtent, Placement, described};
use hallmark_schema::commands::{Command, CreateBuffer, CreateBufferView, DeallocateBuffer};
use hallmark_schema::model::{
    BufferLayout, BufferRegion, BufferType, CommandIndex, CommandKind, CoreRange, Failure, Grid,
    ObjectKind, ShardSpec, ShardingProblem,
};

use super::allocator::Direction;
use super::call::Perform;
use super::call_log::CallLog;
use super::device::{Device, Host};
use super::live_buffers::Buffers;
use super::opened::Opened;
use super::queues::Queues;
use super::states::{BufferState, cores_of};
use super::types::{Buffer, BufferConfig, ByteLocation};
use crate::error::{CallError, HostError};
use crate::payload::Input;

/// Page sizes are multiples of a word (tt-metal `Buffer::validate`).
const PAGE_WORD: u64 = 4;

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

    /// The place of a byte of a buffer, for reports: its page, its bank, the tile on the die and the tile address.
    /// `None` behind the buffer's end. Does not mark a capture; do not pass it to a kernel.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::ReleasedObject`].
    pub fn locate(&self, buffer: Buffer, byte: u64) -> Result<Option<ByteLocation>, Failure> {
        let extent = &self.host.buffers.get(buffer.id())?.extent;
        Ok(self.host.opened.location(extent, byte))
    }
}

impl Perform for CreateBuffer {
    fn perform(self, device: &mut Device, index: CommandIndex, _: Input) -> Result<(), CallError> {
        let Host { opened, buffers, queues, calls, traces, .. } = &mut device.host;
        let buffer = self.buffer;
        create_buffer(self, opened, buffers, queues, calls)?;
        if let Some(described) = buffers.described(buffer)
            && let Some((trace, before)) = traces.given_memory_of(&described)
        {
            let new = &described.name;
            calls.warn(index, format!(
                "buffer `{new}` takes memory of buffer `{before}`, which was deallocated and which trace `{trace}` uses: a \
                 replay may write over `{new}`; keep `{before}` until the trace is released, or create `{new}` before \
                 `{before}` is deallocated"
            ));
        }
        Ok(())
    }
}

impl Perform for CreateBufferView {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Host { buffers, calls, .. } = &mut device.host;
        create_buffer_view(self, buffers, calls)
    }
}

impl Perform for DeallocateBuffer {
    /// A view has no memory of its own: it only ceases to be.
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Host { buffers, queues, .. } = &mut device.host;
        let fail = |failure| HostError::new(CommandKind::DeallocateBuffer, failure);
        Ok(buffers.release(self.buffer, queues).map_err(fail)?)
    }
}

fn create_buffer(
    call: CreateBuffer,
    opened: &Opened,
    buffers: &mut Buffers,
    queues: &mut Queues,
    calls: &mut CallLog,
) -> Result<(), CallError> {
    buffers.reserve();
    let fail = |error: HostError| error.named(&call.name);
    let mapping = page_mapping(&call, opened).map_err(fail)?;
    let placement = allocate(&call, &mapping, opened, buffers).map_err(fail)?;
    let CreateBuffer { buffer, name, size, page_size, buffer_type, layout, .. } = call;
    let pages = 0..size / page_size;
    let extent = BufferExtent { buffer_type, page_size, placement, mapping, pages };
    let described = Arc::new(described(opened.banks(), &extent, buffer.0, &name));
    queues.annotate(&extent, Meaning::Buffer, Some(&described));
    calls.recorder().address(ObjectKind::Buffer, buffer.0, placement.address)?;
    if buffer_type.is_l1() && layout == BufferLayout::Interleaved {
        calls.recorder().l1_bank_order(opened.l1_bank_order())?;
    }
    buffers.fill(buffer, BufferState::buffer(name, extent, described));
    Ok(())
}

/// Checks the form of a buffer, and gives the bank and slot of each of its pages.
fn page_mapping(call: &CreateBuffer, opened: &Opened) -> Result<PageMapping, HostError> {
    let fail = |failure| HostError::new(CommandKind::CreateBuffer, failure);
    let CreateBuffer { size, page_size, buffer_type, layout, ref shard_spec, .. } = *call;
    if page_size == 0 || !page_size.is_multiple_of(PAGE_WORD) {
        return Err(fail(Failure::PageSizeInvalid { page_size, alignment: PAGE_WORD }));
    }
    if !size.is_multiple_of(page_size) {
        return Err(fail(Failure::SizeNotPageMultiple { size, page_size }));
    }
    let numbers = opened.banks().numbers(buffer_type);
    match (shard_spec, layout.is_sharded()) {
        (None, true) => return Err(fail(Failure::ShardSpecMissing {})),
        (Some(_), false) => return Err(fail(Failure::ShardSpecUnexpected {})),
        (Some(spec), true) => check_cores(spec, numbers.grid()).map_err(fail)?,
        (None, false) if buffer_type == BufferType::L1Small => {
            let detail = "a buffer of the type L1_SMALL must be sharded".to_owned();
            return Err(fail(Failure::ShardSpecMissing {}).detail(detail));
        }
        (None, false) => {}
    }
    let pages = size / page_size;
    PageMapping::new(layout, shard_spec.as_ref(), pages, numbers)
        .map_err(|problem| fail(sharding_failure(problem, pages)))
}

/// Takes the memory of a buffer.
fn allocate(
    call: &CreateBuffer,
    mapping: &PageMapping,
    opened: &Opened,
    buffers: &mut Buffers,
) -> Result<Placement, HostError> {
    let CreateBuffer { size, page_size, buffer_type, bottom_up, .. } = *call;
    let direction =
        bottom_up.map(|bottom_up| if bottom_up { Direction::BottomUp } else { Direction::TopDown });
    // At most 160 banks on any chip.
    let banks = u32::try_from(mapping.banks()).unwrap_or(u32::MAX);
    let out_of_memory = |detail: String| {
        let failure = Failure::OutOfMemory { buffer_type, size, banks };
        HostError::new(CommandKind::CreateBuffer, failure).detail(detail)
    };
    let slots = mapping.slots(size / page_size);
    let placed = buffers.allocate(buffer_type, slots, page_size, direction);
    let placement = placed.map_err(|no_space| {
        let needed = match no_space.bank_size {
            Some(bank_size) => format!("{bank_size} B"),
            None => "more than 2^64 B".to_owned(),
        };
        out_of_memory(format!(
            "each bank needs {needed}, but the largest free block of a bank has {} B",
            no_space.largest_free
        ))
    })?;
    let end = placement.address.saturating_add(placement.bank_size);
    if buffer_type == BufferType::Dram
        && let Some(start) = opened.markers_start().filter(|start| end > *start)
    {
        buffers.free(buffer_type, &placement);
        return Err(out_of_memory(format!(
            "the buffer ends at {end:#x} of each bank, and the markers of a profile begin at {start:#x}"
        )));
    }
    Ok(placement)
}

fn create_buffer_view(
    call: CreateBufferView,
    buffers: &mut Buffers,
    calls: &mut CallLog,
) -> Result<(), CallError> {
    let CreateBufferView { buffer, name, parent, region } = call;
    buffers.reserve();
    let fail = |failure| HostError::new(CommandKind::CreateBufferView, failure).named(&name);
    let state = buffers.get(parent).map_err(fail)?;
    let extent = state.part(parent, region).map_err(fail)?;
    let root = state.root.unwrap_or(parent);
    // Kernels address pages from the start of the whole buffer, in a view too.
    calls.recorder().address(ObjectKind::Buffer, buffer.0, extent.placement.address)?;
    buffers.fill(buffer, BufferState::view(name, extent, root));
    Ok(())
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
