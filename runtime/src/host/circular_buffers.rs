//! Circular buffers: how they are made and changed.

use std::collections::BTreeSet;

use hallmark_chip::LogicalCore;
use hallmark_schema::commands::{
    Command, CreateCircularBuffer, UpdateCircularBufferPageSize, UpdateCircularBufferTotalSize,
    UpdateDynamicCircularBufferAddress, UpdateDynamicCircularBufferAddressAndTotalSize,
};
use hallmark_schema::model::{
    BufferId, BufferType, CircularBufferId, CommandIndex, CommandKind, Failure,
    GloballyAllocatedAddress, ObjectKind,
};

use super::call::Perform;
use super::device::{Device, Host};
use super::live_buffers::Buffers;
use super::opened::Opened;
use super::programs::Programs;
use super::states::{CircularBufferState, PositionInBuffer, cores_of};
use super::types::{Buffer, CircularBuffer, CircularBufferConfig, Program};
use crate::defects::{Defect, planted};
use crate::error::{CallError, HostError};
use crate::payload::Input;

impl Device {
    /// `CreateCircularBuffer`.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::ProgramAlreadyCompiled`], [`Failure::EmptyCoreRange`],
    /// [`Failure::CoreOutsideGrid`], [`Failure::CircularBufferIndexTooLarge`],
    /// [`Failure::CircularBufferIndexInUse`], [`Failure::CircularBufferSizeNotPageMultiple`]; in a
    /// buffer also [`Failure::ReleasedObject`], [`Failure::CircularBufferNeedsL1Buffer`],
    /// [`Failure::CircularBufferOffsetMisaligned`], [`Failure::CircularBufferLargerThanBuffer`].
    pub fn create_circular_buffer(
        &mut self,
        program: Program,
        config: &CircularBufferConfig<'_>,
    ) -> Result<CircularBuffer, CallError> {
        let circular_buffer = self.next_circular_buffer();
        let mut indices = config.indices.to_vec();
        indices.sort_by_key(|index| index.index);
        let command = Command::CreateCircularBuffer(CreateCircularBuffer {
            circular_buffer: circular_buffer.id(),
            name: config.name.to_owned(),
            program: program.id(),
            cores: config.cores.to_vec(),
            total_size: config.total_size,
            indices,
            globally_allocated_address: config.globally_allocated_address.map(
                |(buffer, address_offset)| GloballyAllocatedAddress {
                    buffer: buffer.id(),
                    address_offset,
                },
            ),
        });
        self.call(command, Input::Nothing)?;
        Ok(circular_buffer)
    }

    /// `UpdateCircularBufferTotalSize`: another size for launches from now on. Pages need not fit
    /// before the next launch.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::CircularBufferSizeNotPageMultiple`] for a size of 0,
    /// [`Failure::CircularBufferLargerThanBuffer`].
    pub fn update_circular_buffer_total_size(
        &mut self,
        circular_buffer: CircularBuffer,
        total_size: u64,
    ) -> Result<(), CallError> {
        let circular_buffer = circular_buffer.id();
        let command = Command::UpdateCircularBufferTotalSize(UpdateCircularBufferTotalSize {
            circular_buffer,
            total_size,
        });
        self.call(command, Input::Nothing)
    }

    /// `UpdateCircularBufferPageSize`: another page size of one index for launches from now on.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::CircularBufferIndexTooLarge`],
    /// [`Failure::CircularBufferIndexNotConfigured`],
    /// [`Failure::CircularBufferSizeNotPageMultiple`].
    pub fn update_circular_buffer_page_size(
        &mut self,
        circular_buffer: CircularBuffer,
        index: u32,
        page_size: u32,
    ) -> Result<(), CallError> {
        let circular_buffer = circular_buffer.id();
        let command = Command::UpdateCircularBufferPageSize(UpdateCircularBufferPageSize {
            circular_buffer,
            index,
            page_size,
        });
        self.call(command, Input::Nothing)
    }

    /// `UpdateDynamicCircularBufferAddress`: the memory of another buffer for launches from now on.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::ReleasedObject`],
    /// [`Failure::CircularBufferNeedsL1Buffer`], [`Failure::CircularBufferOffsetMisaligned`],
    /// [`Failure::CircularBufferLargerThanBuffer`].
    pub fn update_dynamic_circular_buffer_address(
        &mut self,
        circular_buffer: CircularBuffer,
        buffer: Buffer,
        address_offset: u32,
    ) -> Result<(), CallError> {
        let command =
            Command::UpdateDynamicCircularBufferAddress(UpdateDynamicCircularBufferAddress {
                circular_buffer: circular_buffer.id(),
                buffer: buffer.id(),
                address_offset,
            });
        self.call(command, Input::Nothing)
    }

    /// `UpdateDynamicCircularBufferAddressAndTotalSize`: another buffer and another size for launches
    /// from now on. The offset stays.
    ///
    /// # Errors
    /// As [`Device::update_dynamic_circular_buffer_address`], and
    /// [`Failure::CircularBufferSizeNotPageMultiple`] for a size of 0.
    pub fn update_dynamic_circular_buffer_address_and_total_size(
        &mut self,
        circular_buffer: CircularBuffer,
        buffer: Buffer,
        total_size: u64,
    ) -> Result<(), CallError> {
        let command = Command::UpdateDynamicCircularBufferAddressAndTotalSize(
            UpdateDynamicCircularBufferAddressAndTotalSize {
                circular_buffer: circular_buffer.id(),
                buffer: buffer.id(),
                total_size,
            },
        );
        self.call(command, Input::Nothing)
    }
}

impl Perform for CreateCircularBuffer {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Host { opened, buffers, programs, .. } = &mut device.host;
        create_circular_buffer(self, opened, buffers, programs)
    }
}

impl Perform for UpdateCircularBufferTotalSize {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { circular_buffer, total_size } = self;
        let programs = &mut device.host.programs;
        let result = update_total_size(programs, circular_buffer, total_size);
        updated(programs, CommandKind::UpdateCircularBufferTotalSize, circular_buffer, result)
    }
}

impl Perform for UpdateCircularBufferPageSize {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { circular_buffer, index, page_size } = self;
        let Host { opened, programs, .. } = &mut device.host;
        let result = update_page_size(opened, programs, circular_buffer, index, page_size);
        updated(programs, CommandKind::UpdateCircularBufferPageSize, circular_buffer, result)
    }
}

impl Perform for UpdateDynamicCircularBufferAddress {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { circular_buffer, buffer, address_offset } = self;
        let Host { opened, buffers, programs, .. } = &mut device.host;
        let offset = Some(address_offset);
        let result = update_dynamic_address(
            opened,
            buffers,
            programs,
            circular_buffer,
            buffer,
            offset,
            None,
        );
        updated(programs, CommandKind::UpdateDynamicCircularBufferAddress, circular_buffer, result)
    }
}

impl Perform for UpdateDynamicCircularBufferAddressAndTotalSize {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { circular_buffer, buffer, total_size } = self;
        let Host { opened, buffers, programs, .. } = &mut device.host;
        let size = Some(total_size);
        let result =
            update_dynamic_address(opened, buffers, programs, circular_buffer, buffer, None, size);
        updated(
            programs,
            CommandKind::UpdateDynamicCircularBufferAddressAndTotalSize,
            circular_buffer,
            result,
        )
    }
}

fn create_circular_buffer(
    call: CreateCircularBuffer,
    opened: &Opened,
    buffers: &Buffers,
    programs: &mut Programs,
) -> Result<(), CallError> {
    programs.reserve_circular_buffer();
    let checked = check_circular_buffer(opened, buffers, programs, &call);
    let (cores, global) = checked.map_err(|failure| {
        HostError::new(CommandKind::CreateCircularBuffer, failure).named(&call.name)
    })?;
    let CreateCircularBuffer { circular_buffer, name, program, total_size, indices, .. } = call;
    let state = CircularBufferState { name, program, cores, total_size, indices, global };
    programs.add_circular_buffer(circular_buffer, state);
    Ok(())
}

fn check_circular_buffer(
    opened: &Opened,
    buffers: &Buffers,
    programs: &Programs,
    call: &CreateCircularBuffer,
) -> Result<(BTreeSet<LogicalCore>, Option<PositionInBuffer>), Failure> {
    let CreateCircularBuffer { total_size, ref indices, .. } = *call;
    let state = programs.open_program(call.program, ObjectKind::CircularBuffer)?;
    let cores = cores_of(&call.cores, opened.grid())?;
    if indices.is_empty() {
        let (index, size, page_size) = (0, total_size, 0);
        return Err(Failure::CircularBufferSizeNotPageMultiple { index, size, page_size });
    }
    for (place, index) in indices.iter().enumerate() {
        opened.check_index(index.index)?;
        opened.check_page_size(index.index, total_size, index.page_size)?;
        if index.tile.is_some_and(|tile| tile.problem().is_some()) {
            return Err(Failure::TileShapeInvalid { index: index.index });
        }
        let twice = indices.iter().take(place).any(|other| other.index == index.index);
        let first_core = cores.iter().next().copied();
        if let (true, Some(core)) = (twice && !planted(Defect::IndexTwiceInABuffer), first_core) {
            return Err(Failure::CircularBufferIndexInUse { index: index.index, core });
        }
        for other in &state.circular_buffers {
            let other = programs.circular_buffer(*other)?;
            let clash = other.indices.iter().any(|other| other.index == index.index)
                && !planted(Defect::IndexTwiceOnACore);
            if let (true, Some(&core)) = (clash, cores.intersection(&other.cores).next()) {
                return Err(Failure::CircularBufferIndexInUse { index: index.index, core });
            }
        }
    }
    let global = match call.globally_allocated_address {
        Some(GloballyAllocatedAddress { buffer, address_offset }) => {
            let place = position_in_buffer(opened, buffers, buffer, address_offset)?;
            place.check_size(total_size)?;
            Some(place)
        }
        None => None,
    };
    Ok((cores, global))
}

/// A place in a buffer, as the buffer lies now.
fn position_in_buffer(
    opened: &Opened,
    buffers: &Buffers,
    buffer: BufferId,
    offset: u32,
) -> Result<PositionInBuffer, Failure> {
    let extent = &buffers.get(buffer)?.extent;
    if extent.buffer_type != BufferType::L1 {
        return Err(Failure::CircularBufferNeedsL1Buffer { buffer });
    }
    let alignment = u64::from(opened.description().l1_alignment);
    if !u64::from(offset).is_multiple_of(alignment) {
        return Err(Failure::CircularBufferOffsetMisaligned { offset, alignment });
    }
    let address = extent.placement.address.saturating_add(offset.into());
    let bank_size = extent.placement.bank_size;
    Ok(PositionInBuffer { buffer, offset, address, bank_size, has_run: false })
}

/// Ends an update: the program is assembled anew, and a failure names the circular buffer.
fn updated(
    programs: &mut Programs,
    call: CommandKind,
    circular_buffer: CircularBufferId,
    result: Result<(), Failure>,
) -> Result<(), CallError> {
    let state = programs.circular_buffer(circular_buffer).ok();
    let name = state.map_or_else(String::new, |state| state.name.clone());
    if let Some(program) = state.map(|state| state.program) {
        programs.assemble_anew(program);
    }
    Ok(result.map_err(|failure| HostError::new(call, failure).named(&name))?)
}

fn update_total_size(
    programs: &mut Programs,
    circular_buffer: CircularBufferId,
    size: u64,
) -> Result<(), Failure> {
    let state = programs.circular_buffer_mut(circular_buffer)?;
    state.resize(size)?;
    if state.global.is_none() {
        // The circular buffers behind it move too.
        let program = state.program;
        programs.program_mut(program)?.layout = None;
    }
    Ok(())
}

fn update_page_size(
    opened: &Opened,
    programs: &mut Programs,
    circular_buffer: CircularBufferId,
    index: u32,
    page_size: u32,
) -> Result<(), Failure> {
    let state = programs.circular_buffer(circular_buffer)?;
    opened.check_index(index)?;
    if !state.indices.iter().any(|known| known.index == index) {
        return Err(Failure::CircularBufferIndexNotConfigured { index });
    }
    opened.check_page_size(index, state.total_size, page_size)?;
    let state = programs.circular_buffer_mut(circular_buffer)?;
    for known in state.indices.iter_mut().filter(|known| known.index == index) {
        known.page_size = page_size;
    }
    Ok(())
}

/// Puts a circular buffer into a buffer: at this offset, or at the one that it has. A circular
/// buffer that the program placed leaves a gap: the others stay, as upstream.
fn update_dynamic_address(
    opened: &Opened,
    buffers: &Buffers,
    programs: &mut Programs,
    circular_buffer: CircularBufferId,
    buffer: BufferId,
    offset: Option<u32>,
    size: Option<u64>,
) -> Result<(), Failure> {
    let state = programs.circular_buffer(circular_buffer)?;
    let before = state.global.map_or(0, |place| place.offset);
    let place = position_in_buffer(opened, buffers, buffer, offset.unwrap_or(before))?;
    let state = programs.circular_buffer_mut(circular_buffer)?;
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
