//! The buffers of a device, and the memory of banks that they take.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_chip::{DescribedBuffer, Meaning};
use hallmark_engine::addresses::{BufferExtent, Placement};
use hallmark_engine::launch::ProgramLaunch;
use hallmark_schema::model::{BufferId, BufferType, Failure, ObjectKind};

use super::allocator::{BankAllocator, Direction, NoSpace, bank_alignment};
use super::objects::ObjectTable;
use super::opened::{DRAM_BASE, Opened};
use super::queues::Queues;
use super::states::BufferState;
use super::trace_states::BufferSymbol;
use crate::defects::{Defect, planted};

/// Buffers and views by id, and the free memory of each kind of bank.
#[derive(Debug)]
pub(super) struct Buffers {
    table: ObjectTable<BufferState>,
    dram: BankAllocator,
    l1: BankAllocator,
    /// The region at the top of each L1.
    l1_small: BankAllocator,
    /// The names of buffers and views that were released, for messages.
    released: BTreeMap<BufferId, String>,
}

impl Buffers {
    pub(super) fn new(opened: &Opened) -> Self {
        let description = opened.description();
        let region = opened.trace_region_size();
        let set_aside = if planted(Defect::TraceRegionNotSetAside) { 0 } else { region };
        let dram = BankAllocator::new(
            Direction::BottomUp,
            bank_alignment(description, BufferType::Dram),
            bank_alignment(description, BufferType::Dram),
            DRAM_BASE,
            description.dram_bank_size.saturating_sub(set_aside),
        );
        let regions = opened.l1();
        let allocator = |start, end| {
            let (alignment, block) = (BufferType::L1, BufferType::Dram);
            BankAllocator::new(
                Direction::TopDown,
                bank_alignment(description, alignment),
                bank_alignment(description, block),
                start,
                end,
            )
        };
        Self {
            table: ObjectTable::new(ObjectKind::Buffer),
            dram,
            l1: allocator(regions.base, regions.small),
            l1_small: allocator(regions.small, description.l1_size),
            released: BTreeMap::new(),
        }
    }

    /// The id that the next creation takes.
    pub(super) fn next(&self) -> u32 {
        self.table.next()
    }

    /// Takes the next id; [`Buffers::fill`] makes it usable.
    pub(super) fn reserve(&mut self) {
        self.table.reserve();
    }

    pub(super) fn fill(&mut self, buffer: BufferId, state: BufferState) {
        self.table.fill(buffer.0, state);
    }

    /// A buffer, or a view whose buffer still has its memory.
    pub(super) fn get(&self, buffer: BufferId) -> Result<&BufferState, Failure> {
        let state = self.table.get(buffer.0)?;
        if let Some(root) = state.root {
            self.table.get(root.0)?;
        }
        Ok(state)
    }

    /// A buffer or a view, although the view's buffer may have been released.
    pub(super) fn get_alone(&self, buffer: BufferId) -> Result<&BufferState, Failure> {
        self.table.get(buffer.0)
    }

    /// The name of a buffer or view that was released.
    pub(super) fn released_name(&self, buffer: BufferId) -> Option<&str> {
        self.released.get(&buffer).map(String::as_str)
    }

    /// Buffers and views that were created and not released, ascending by id.
    pub(super) fn live(&self) -> impl Iterator<Item = (BufferId, &BufferState)> {
        self.table.live().map(|(id, state)| (BufferId(id), state))
    }

    /// The number of buffers and views that were released so far.
    pub(super) const fn released(&self) -> u64 {
        self.table.released()
    }

    /// Takes memory in each bank of a type.
    pub(super) fn allocate(
        &mut self,
        buffer_type: BufferType,
        slots: u64,
        page_size: u64,
        direction: Option<Direction>,
    ) -> Result<Placement, NoSpace> {
        self.allocator(buffer_type).allocate(slots, page_size, direction)
    }

    /// Gives back memory that no buffer has come to own.
    pub(super) fn free(&mut self, buffer_type: BufferType, placement: &Placement) {
        self.allocator(buffer_type).free(placement);
    }

    /// Releases a buffer and gives its memory back; a view has no memory of its own.
    pub(super) fn release(&mut self, buffer: BufferId, queues: &mut Queues) -> Result<(), Failure> {
        let state = self.table.release(buffer.0)?;
        self.give_back(&state, queues);
        self.released.insert(buffer, state.name);
        Ok(())
    }

    /// Gives the memory of all buffers back, and makes ids count from 0 again.
    pub(super) fn clear(&mut self, queues: &mut Queues) {
        let live: Vec<_> = self.table.live().map(|(_, state)| state.clone()).collect();
        for state in live {
            self.give_back(&state, queues);
        }
        self.table.clear();
        self.released.clear();
    }

    fn give_back(&mut self, state: &BufferState, queues: &mut Queues) {
        if state.root.is_none() {
            self.free(state.extent.buffer_type, &state.extent.placement);
            queues.annotate(&state.extent, Meaning::Freed, None);
        }
    }

    const fn allocator(&mut self, buffer_type: BufferType) -> &mut BankAllocator {
        match buffer_type {
            BufferType::Dram => &mut self.dram,
            BufferType::L1 => &mut self.l1,
            BufferType::L1Small => &mut self.l1_small,
        }
    }

    /// The address of the lowest buffer of L1. L1_SMALL lies above all others.
    pub(super) fn lowest_in_l1(&self) -> Option<u64> {
        self.l1.lowest_taken().or_else(|| self.l1_small.lowest_taken())
    }

    /// The words for the buffer of L1 at an address: "L1 buffer `dst` of 4096 B".
    pub(super) fn named_at(&self, address: u64) -> String {
        let mut whole = self.live().map(|(_, state)| state).filter(|state| state.root.is_none());
        let there = whole.find(|BufferState { extent, .. }| {
            extent.buffer_type != BufferType::Dram && extent.placement.address == address
        });
        there.map_or_else(
            || "the lowest L1 buffer".to_owned(),
            |state| format!("L1 buffer `{}` of {} B", state.name, state.extent.size()),
        )
    }

    /// A buffer's bank-relative address.
    pub(super) fn address(&self, buffer: BufferId) -> Result<u32, Failure> {
        let address = self.get(buffer)?.extent.placement.address;
        // Banks are smaller than 4 GiB on every chip.
        Ok(u32::try_from(address).unwrap_or(u32::MAX))
    }

    /// The memory of a buffer, or of the buffer that a view is a part of, as launches are described.
    pub(super) fn described(&self, buffer: BufferId) -> Option<Arc<DescribedBuffer>> {
        let state = self.get(buffer).ok()?;
        let whole = match state.root {
            Some(root) => self.get(root).ok()?,
            None => state,
        };
        whole.described.as_ref().map(Arc::clone)
    }

    /// A buffer as a trace that is taken elsewhere asks for it.
    pub(super) fn symbol(&self, opened: &Opened, buffer: BufferId) -> Option<BufferSymbol> {
        let state = self.get(buffer).ok()?;
        let extent = &state.extent;
        Some(BufferSymbol {
            name: state.name.clone(),
            buffer_type: extent.buffer_type,
            size: extent.size(),
            page_size: extent.page_size,
            shards: shards(opened, extent),
        })
    }

    /// The buffers whose addresses stand in a launch, as they are now.
    pub(super) fn named_in(
        &self,
        opened: &Opened,
        launch: &ProgramLaunch,
    ) -> BTreeMap<BufferId, BufferSymbol> {
        let kernels = launch.tiles.iter().flat_map(|tile| &tile.kernels);
        let relocations =
            kernels.flat_map(|kernel| kernel.relocations.iter()).flat_map(|of| of.iter());
        let in_arguments = relocations.filter_map(|relocation| relocation.argument.buffer());
        let circular = launch.tiles.iter().flat_map(|tile| &tile.circular_in_buffers);
        let all = in_arguments.chain(circular.map(|it| it.buffer));
        let symbols = all.filter_map(|buffer| Some((buffer, self.symbol(opened, buffer)?)));
        symbols.collect()
    }
}

/// The shards of a buffer and the bank of each, as a trace states them; nothing for an interleaved buffer.
fn shards(opened: &Opened, extent: &BufferExtent) -> String {
    let Some((sharding, cores)) = extent.mapping.sharding() else { return String::new() };
    let columns = u64::from(opened.grid().columns);
    // The banks of DRAM are the cores of one row.
    let numbers = cores
        .iter()
        .map(|core| u64::from(core.y).saturating_mul(columns).saturating_add(core.x.into()));
    sharding.trace_key(&numbers.collect::<Vec<_>>())
}
