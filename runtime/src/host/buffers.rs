use std::collections::BTreeSet;

use hallmark_chip::Meaning;
use hallmark_schema::commands;
use hallmark_schema::model::{
    BufferId, BufferRegion, BufferType, Command, CommandKind, CoreRange, Failure, Grid, ObjectKind,
    ShardSpec, ShardingProblem,
};

use super::Host;
use super::create::same_id;
use super::states::{BufferState, cores_of};
use crate::InternalError;
use crate::addresses::BufferExtent;
use crate::addresses::allocator::{BankAllocator, Direction};
use crate::addresses::page_mapping::{PageMapping, shard_grid};
use crate::engine::work::WorkItem;
use crate::error::{CallError, HostError};

/// Page sizes are multiples of a word (tt-metal `Buffer::validate`).
const PAGE_WORD: u64 = 4;

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
        }
    }

    pub(super) fn perform_create_buffer(&mut self, command: Command) -> Result<(), CallError> {
        let Command::CreateBuffer(commands::CreateBuffer {
            buffer,
            name,
            size,
            page_size,
            buffer_type,
            layout,
            shard_spec,
            bottom_up,
        }) = command
        else {
            return Err(InternalError::new("no create_buffer").into());
        };
        same_id(buffer.0, self.objects.buffers.reserve())?;
        let fail = |failure| HostError::new(CommandKind::CreateBuffer, failure).named(&name);
        if page_size == 0 || !page_size.is_multiple_of(PAGE_WORD) {
            return Err(fail(Failure::PageSizeInvalid { page_size, alignment: PAGE_WORD }).into());
        }
        if !size.is_multiple_of(page_size) {
            return Err(fail(Failure::SizeNotPageMultiple { size, page_size }).into());
        }
        let grid = shard_grid(self.description, buffer_type, self.grid);
        match (&shard_spec, layout.is_sharded()) {
            (None, true) => return Err(fail(Failure::ShardSpecMissing {}).into()),
            (Some(_), false) => return Err(fail(Failure::ShardSpecUnexpected {}).into()),
            (Some(spec), true) => check_cores(spec, grid).map_err(fail)?,
            (None, false) => {}
        }
        let pages = size / page_size;
        let mapping = PageMapping::new(layout, shard_spec.as_ref(), pages, grid)
            .map_err(|problem| fail(sharding_failure(problem, pages)))?;
        let direction = bottom_up
            .map(|bottom_up| if bottom_up { Direction::BottomUp } else { Direction::TopDown });
        // At most 160 banks on any chip.
        let banks = u32::try_from(mapping.banks()).unwrap_or(u32::MAX);
        let slots = mapping.slots(pages);
        let placed = self.allocator(buffer_type).allocate(slots, page_size, direction);
        let placement = placed.map_err(|no_space| {
            let needed = match no_space.bank_size {
                Some(bank_size) => format!("{bank_size} B"),
                None => "more than 2^64 B".to_owned(),
            };
            let detail = format!(
                "each bank needs {needed}, its largest free block has {} B",
                no_space.largest_free
            );
            fail(Failure::OutOfMemory { buffer_type, size, banks }).detail(detail)
        })?;
        let extent = BufferExtent { buffer_type, page_size, placement, mapping, pages: 0..pages };
        self.annotate(&extent, Meaning::Buffer);
        self.recorder.address(ObjectKind::Buffer, buffer.0, placement.address)?;
        self.objects.buffers.fill(buffer.0, BufferState { name, extent, root: None });
        Ok(())
    }

    pub(super) fn perform_create_buffer_view(
        &mut self,
        buffer: BufferId,
        name: String,
        parent: BufferId,
        region: BufferRegion,
    ) -> Result<(), CallError> {
        same_id(buffer.0, self.objects.buffers.reserve())?;
        let fail = |failure| HostError::new(CommandKind::CreateBufferView, failure).named(&name);
        let state = self.buffer(parent).map_err(fail)?;
        let extent = state.extent.part(parent, region).map_err(fail)?;
        let root = Some(state.root.unwrap_or(parent));
        // Kernels address pages from the start of the whole buffer, in a view too.
        self.recorder.address(ObjectKind::Buffer, buffer.0, extent.placement.address)?;
        self.objects.buffers.fill(buffer.0, BufferState { name, extent, root });
        Ok(())
    }

    /// Gives memory back. A view has none of its own: it only ceases to be.
    pub(super) fn perform_deallocate_buffer(&mut self, buffer: BufferId) -> Result<(), Failure> {
        let state = self.objects.buffers.release(buffer.0)?;
        self.give_back(&state);
        Ok(())
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
