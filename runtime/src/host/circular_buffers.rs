//! Circular buffers: how they are made and changed, and where they lie.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hallmark_chip::LogicalCore;
use hallmark_device_code::CircularBufferSlot;
use hallmark_engine::launch::{CircularInBuffer, CircularMemory, TileLaunch};
use hallmark_schema::commands::{
    CreateCircularBuffer, UpdateCircularBufferPageSize, UpdateCircularBufferTotalSize,
    UpdateDynamicCircularBufferAddress, UpdateDynamicCircularBufferAddressAndTotalSize,
};
use hallmark_schema::model::{
    BufferId, BufferType, CircularBufferId, CommandIndex, CommandKind, Failure,
    GloballyAllocatedAddress, ObjectKind, ProgramId,
};

use super::call::Perform;
use super::states::{
    CircularBufferLayout, CircularBufferState, PositionInBuffer, ProgramState, cores_of,
};
use super::{Device, Host};
use crate::defects::{Defect, planted};
use crate::error::{CallError, HostError};
use crate::payload::Input;

impl Host {
    fn check_circular_buffer(
        &self,
        call: &CreateCircularBuffer,
    ) -> Result<(BTreeSet<LogicalCore>, Option<PositionInBuffer>), Failure> {
        let CreateCircularBuffer { total_size, ref indices, .. } = *call;
        let state = self.open_program(call.program, ObjectKind::CircularBuffer)?;
        let cores = cores_of(&call.cores, self.grid)?;
        if indices.is_empty() {
            let (index, size, page_size) = (0, total_size, 0);
            return Err(Failure::CircularBufferSizeNotPageMultiple { index, size, page_size });
        }
        for (place, index) in indices.iter().enumerate() {
            self.check_index(index.index)?;
            self.check_page_size(index.index, total_size, index.page_size)?;
            let twice = indices.iter().take(place).any(|other| other.index == index.index);
            let first_core = cores.iter().next().copied();
            if let (true, Some(core)) = (twice && !planted(Defect::IndexTwiceInABuffer), first_core)
            {
                return Err(Failure::CircularBufferIndexInUse { index: index.index, core });
            }
            for other in &state.circular_buffers {
                let other = self.objects.circular_buffers.get(other.0)?;
                let clash = other.indices.iter().any(|other| other.index == index.index)
                    && !planted(Defect::IndexTwiceOnACore);
                if let (true, Some(&core)) = (clash, cores.intersection(&other.cores).next()) {
                    return Err(Failure::CircularBufferIndexInUse { index: index.index, core });
                }
            }
        }
        let global = match call.globally_allocated_address {
            Some(GloballyAllocatedAddress { buffer, address_offset }) => {
                let place = self.position_in_buffer(buffer, address_offset)?;
                place.check_size(total_size)?;
                Some(place)
            }
            None => None,
        };
        Ok((cores, global))
    }

    fn check_index(&self, index: u32) -> Result<(), Failure> {
        let limit = self.description.circular_buffers;
        if index >= limit {
            return Err(Failure::CircularBufferIndexTooLarge { index, limit });
        }
        Ok(())
    }

    /// A circular buffer holds whole pages, and these are multiples of L1's alignment: compute threads
    /// count in units of that.
    fn check_page_size(&self, index: u32, size: u64, page_size: u32) -> Result<(), Failure> {
        let aligned = page_size.is_multiple_of(self.description.l1_alignment);
        let page_size = u64::from(page_size);
        if page_size == 0 || !aligned || size == 0 || !size.is_multiple_of(page_size) {
            return Err(Failure::CircularBufferSizeNotPageMultiple { index, size, page_size });
        }
        Ok(())
    }

    /// A place in a buffer, as the buffer lies now.
    fn position_in_buffer(
        &self,
        buffer: BufferId,
        offset: u32,
    ) -> Result<PositionInBuffer, Failure> {
        let extent = &self.buffer(buffer)?.extent;
        if extent.buffer_type != BufferType::L1 {
            return Err(Failure::CircularBufferNeedsL1Buffer { buffer });
        }
        let alignment = u64::from(self.description.l1_alignment);
        if !u64::from(offset).is_multiple_of(alignment) {
            return Err(Failure::CircularBufferOffsetMisaligned { offset, alignment });
        }
        let address = extent.placement.address.saturating_add(offset.into());
        Ok(PositionInBuffer { buffer, offset, address, bank_size: extent.placement.bank_size })
    }

    /// Ends an update: the program is assembled anew, and a failure names the circular buffer.
    fn updated(
        &mut self,
        call: CommandKind,
        circular_buffer: CircularBufferId,
        result: Result<(), Failure>,
    ) -> Result<(), CallError> {
        let state = self.objects.circular_buffers.get(circular_buffer.0).ok();
        let name = state.map_or_else(String::new, |state| state.name.clone());
        if let Some(program) = state.map(|state| state.program) {
            self.assemble_anew(program);
        }
        Ok(result.map_err(|failure| HostError::new(call, failure).named(&name))?)
    }

    fn update_total_size(
        &mut self,
        circular_buffer: CircularBufferId,
        size: u64,
    ) -> Result<(), Failure> {
        let state = self.objects.circular_buffers.get_mut(circular_buffer.0)?;
        state.resize(size)?;
        if state.global.is_none() {
            // Those behind it move too.
            let program = state.program;
            self.objects.programs.get_mut(program.0)?.layout = None;
        }
        Ok(())
    }

    fn update_page_size(
        &mut self,
        circular_buffer: CircularBufferId,
        index: u32,
        page_size: u32,
    ) -> Result<(), Failure> {
        let state = self.objects.circular_buffers.get(circular_buffer.0)?;
        self.check_index(index)?;
        if !state.indices.iter().any(|known| known.index == index) {
            return Err(Failure::CircularBufferIndexNotConfigured { index });
        }
        self.check_page_size(index, state.total_size, page_size)?;
        let state = self.objects.circular_buffers.get_mut(circular_buffer.0)?;
        for known in state.indices.iter_mut().filter(|known| known.index == index) {
            known.page_size = page_size;
        }
        Ok(())
    }

    /// Puts a circular buffer into a buffer: at this offset, or at the one that it has. A circular
    /// buffer that the program placed leaves a gap: the others stay, as upstream.
    fn update_dynamic_address(
        &mut self,
        circular_buffer: CircularBufferId,
        buffer: BufferId,
        offset: Option<u32>,
        size: Option<u64>,
    ) -> Result<(), Failure> {
        let state = self.objects.circular_buffers.get(circular_buffer.0)?;
        let before = state.global.map_or(0, |place| place.offset);
        let place = self.position_in_buffer(buffer, offset.unwrap_or(before))?;
        let state = self.objects.circular_buffers.get_mut(circular_buffer.0)?;
        place.check_size(size.unwrap_or(state.total_size))?;
        let before = state.global.replace(place);
        match size.map_or(Ok(()), |size| state.resize(size)) {
            Ok(()) => Ok(()),
            Err(failure) => {
                state.global = before;
                Err(failure)
            }
        }
    }

    /// Where a program's circular buffers lie now; fails if they cannot lie there.
    pub(super) fn lay_out_circular_buffers(
        &mut self,
        program: ProgramId,
        name: &str,
    ) -> Result<Arc<CircularBufferLayout>, CallError> {
        let fail = |failure| HostError::new(CommandKind::EnqueueProgram, failure).named(name);
        let state = self.objects.programs.get(program.0).map_err(fail)?;
        let first = !state.compiled;
        let layout = match &state.layout {
            Some(layout) => Arc::clone(layout),
            None => Arc::new(self.place_circular_buffers(state).map_err(fail)?),
        };
        let members = if first { state.circular_buffers.clone() } else { Vec::new() };
        let state = self.objects.programs.get_mut(program.0).map_err(fail)?;
        state.compiled = true;
        state.layout = Some(Arc::clone(&layout));
        for id in members {
            if let Some(address) = self.circular_buffer_address(id, &layout) {
                self.recorder.address(ObjectKind::CircularBuffer, id.0, address)?;
            }
        }
        self.check_layout(program, &layout)
            .map_err(|(failure, detail)| fail(failure).detail(detail))?;
        Ok(layout)
    }

    fn circular_buffer_address(
        &self,
        id: CircularBufferId,
        layout: &CircularBufferLayout,
    ) -> Option<u64> {
        let state = self.objects.circular_buffers.get(id.0).ok()?;
        state.global.map(|place| place.address).or_else(|| layout.addresses.get(&id).copied())
    }

    /// Circular buffers grow from the base up, in the order of their creation, each at the same
    /// address on all its cores and aligned as DRAM pages are.
    fn place_circular_buffers(
        &self,
        state: &ProgramState,
    ) -> Result<CircularBufferLayout, Failure> {
        let description = self.description;
        let alignment = if planted(Defect::CircularBuffersPacked) {
            description.l1_alignment
        } else {
            description.dram_alignment
        };
        let alignment = u64::from(alignment);
        let base = u64::from(self.firmware.memory().unreserved_base);
        let mut layout = CircularBufferLayout::default();
        for &id in &state.circular_buffers {
            let buffer = self.objects.circular_buffers.get(id.0)?;
            if buffer.global.is_some() {
                continue;
            }
            let above = buffer
                .cores
                .iter()
                .filter_map(|core| layout.ends.get(core).copied())
                .max()
                .unwrap_or(base);
            let address = above.saturating_add(alignment - 1) / alignment * alignment;
            layout.addresses.insert(id, address);
            let end = address.saturating_add(buffer.total_size);
            layout.ends.extend(buffer.cores.iter().map(|&core| (core, end)));
        }
        Ok(layout)
    }

    fn check_layout(
        &self,
        program: ProgramId,
        layout: &CircularBufferLayout,
    ) -> Result<(), (Failure, String)> {
        let l1_size = self.description.l1_size;
        let lowest = self.l1.lowest_taken();
        for (&core, &end) in &layout.ends {
            if end > l1_size {
                let failure = Failure::CircularBuffersBeyondL1 { program, core };
                return Err((failure, format!("they end at {end:#x}, L1 has {l1_size:#x} B")));
            }
            if let Some(lowest) =
                lowest.filter(|&lowest| end > lowest && !planted(Defect::ClashIgnored))
            {
                let failure = Failure::CircularBuffersClash { program, core };
                let detail = format!(
                    "they end at {end:#x}, the lowest L1 buffer is allocated at {lowest:#x}"
                );
                return Err((failure, detail));
            }
        }
        Ok(())
    }

    /// Puts circular buffers into a launch, as they are now.
    pub(super) fn assemble_circular_buffers(
        &self,
        state: &ProgramState,
        layout: &CircularBufferLayout,
        tiles: &mut BTreeMap<LogicalCore, TileLaunch>,
    ) -> Result<(), Failure> {
        for &id in &state.circular_buffers {
            let buffer = self.objects.circular_buffers.get(id.0)?;
            for index in &buffer.indices {
                self.check_page_size(index.index, buffer.total_size, index.page_size)?;
            }
            let address = self.circular_buffer_address(id, layout).unwrap_or(0);
            // Checked against L1 or its buffer before, so nothing is cut off.
            let (address, size) = (address as u32, buffer.total_size as u32);
            for core in &buffer.cores {
                let Some(tile) = tiles.get_mut(core) else { continue };
                if buffer.global.is_none() {
                    tile.circular_memory.push(CircularMemory { address, size });
                }
                for index in &buffer.indices {
                    let place = index.index as usize;
                    if let Some(global) = &buffer.global {
                        let (buffer, offset) = (global.buffer, global.offset);
                        let lies = CircularInBuffer { index: place, buffer, offset };
                        tile.circular_in_buffers.push(lies);
                    }
                    if tile.circular_buffers.len() <= place {
                        tile.circular_buffers.resize(place + 1, CircularBufferSlot::default());
                    }
                    if let Some(slot) = tile.circular_buffers.get_mut(place) {
                        *slot = CircularBufferSlot {
                            address,
                            size,
                            num_pages: size / index.page_size.max(1)
                                + u32::from(planted(Defect::OnePageTooMany)),
                            page_size: index.page_size,
                        };
                    }
                }
            }
        }
        Ok(())
    }
}

impl Perform for CreateCircularBuffer {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let host = &mut device.host;
        host.objects.circular_buffers.reserve();
        let (cores, global) = host.check_circular_buffer(&self).map_err(|failure| {
            HostError::new(CommandKind::CreateCircularBuffer, failure).named(&self.name)
        })?;
        let Self { circular_buffer, name, program, total_size, indices, .. } = self;
        let state = CircularBufferState { name, program, cores, total_size, indices, global };
        host.objects.circular_buffers.fill(circular_buffer.0, state);
        if let Ok(state) = host.objects.programs.get_mut(program.0) {
            state.circular_buffers.push(circular_buffer);
        }
        Ok(())
    }
}

impl Perform for UpdateCircularBufferTotalSize {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { circular_buffer, total_size } = self;
        let result = device.host.update_total_size(circular_buffer, total_size);
        device.host.updated(CommandKind::UpdateCircularBufferTotalSize, circular_buffer, result)
    }
}

impl Perform for UpdateCircularBufferPageSize {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { circular_buffer, index, page_size } = self;
        let result = device.host.update_page_size(circular_buffer, index, page_size);
        device.host.updated(CommandKind::UpdateCircularBufferPageSize, circular_buffer, result)
    }
}

impl Perform for UpdateDynamicCircularBufferAddress {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { circular_buffer, buffer, address_offset } = self;
        let result =
            device.host.update_dynamic_address(circular_buffer, buffer, Some(address_offset), None);
        device.host.updated(
            CommandKind::UpdateDynamicCircularBufferAddress,
            circular_buffer,
            result,
        )
    }
}

impl Perform for UpdateDynamicCircularBufferAddressAndTotalSize {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { circular_buffer, buffer, total_size } = self;
        let result =
            device.host.update_dynamic_address(circular_buffer, buffer, None, Some(total_size));
        device.host.updated(
            CommandKind::UpdateDynamicCircularBufferAddressAndTotalSize,
            circular_buffer,
            result,
        )
    }
}

impl PositionInBuffer {
    /// Whether so many bytes fit into the buffer's share of a bank.
    fn check_size(&self, total_size: u64) -> Result<(), Failure> {
        let size = u64::from(self.offset).saturating_add(total_size);
        let (buffer, limit) = (self.buffer, self.bank_size);
        if size > limit {
            return Err(Failure::CircularBufferLargerThanBuffer { buffer, size, limit });
        }
        Ok(())
    }
}

impl CircularBufferState {
    /// Another size. Whether pages still fit is seen when the program is enqueued, because their sizes
    /// may follow.
    fn resize(&mut self, size: u64) -> Result<(), Failure> {
        if size == 0 {
            let index = self.indices.first();
            return Err(Failure::CircularBufferSizeNotPageMultiple {
                index: index.map_or(0, |index| index.index),
                size,
                page_size: index.map_or(0, |index| index.page_size.into()),
            });
        }
        if let Some(place) = &self.global {
            place.check_size(size)?;
        }
        self.total_size = size;
        Ok(())
    }
}
