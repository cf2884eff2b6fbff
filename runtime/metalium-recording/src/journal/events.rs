//! Decodes the content of an entry, by its kind.

use super::content::{Content, ContentError, Fields};
use super::kind::Kind;
use crate::event::{
    BufferAllocated, CircularBufferState, ComputeOptions, ConfiguredIndex, CoreWords,
    DataMovementOptions, DataflowBuffer, DeviceOpened, Event, KernelArguments, KernelDescription,
    KernelOptions, KernelText, LibraryLoaded, ObservedBuffer, ObservedEvent, ObservedProgram,
    ObservedTile, ObservedTrace, ProgramDescription, ProgramEnqueued, Scratchpad,
    SemaphoreDescription, Sharding, ThreadNumber, Transfer,
};
use crate::selection::Selection;

/// The event of an entry of a kind.
pub(super) fn read(
    kind: u32,
    thread: ThreadNumber,
    content: Content,
) -> Result<Event, ContentError> {
    let Content { payload, data } = content;
    let mut fields = Fields(&payload);
    let kind = Kind::of(kind)
        .ok_or(ContentError::UnknownValue { field: "its kind", value: kind.into() })?;
    if !data.is_empty() && !kind.has_data() {
        return Err(ContentError::TooLong(data.len()));
    }
    let event = match kind {
        Kind::LibraryLoaded => Event::LibraryLoaded(library(&mut fields)?),
        Kind::DeviceOpened => Event::DeviceOpened(device(&mut fields)?),
        Kind::DeviceClosed => Event::DeviceClosed { device: fields.u32()? },
        Kind::BufferAllocated => Event::BufferAllocated(buffer(&mut fields)?),
        Kind::BufferFreed => Event::BufferFreed { buffer: ObservedBuffer(fields.u64()?) },
        Kind::Written => Event::Written { transfer: transfer(&mut fields)?, data },
        Kind::ReadBegun => {
            let read = fields.u32()?;
            Event::ReadBegun { read, transfer: transfer(&mut fields)? }
        }
        Kind::ReadCompleted => Event::ReadCompleted { read: fields.u32()?, data },
        Kind::ProgramDescribed => Event::ProgramDescribed(program(&mut fields)?),
        Kind::BindingsGenerated => Event::BindingsGenerated {
            program: ObservedProgram(fields.u64()?),
            kernel: fields.u32()?,
            text: data,
        },
        Kind::ProgramEnqueued => Event::ProgramEnqueued(enqueued(&mut fields)?),
        Kind::ProgramDestroyed => {
            Event::ProgramDestroyed { program: ObservedProgram(fields.u64()?) }
        }
        Kind::Finish => Event::Finish { queue: fields.u8()? },
        Kind::EventRecorded => {
            let host_visible = fields.boolean("host visibility")?;
            Event::EventRecorded { event: event(&mut fields)?, host_visible }
        }
        Kind::EventWaitedFor => {
            let queue = fields.u8()?;
            Event::EventWaitedFor { queue, event: event(&mut fields)? }
        }
        Kind::EventSynchronized => Event::EventSynchronized { event: event(&mut fields)? },
        Kind::EventQueried => {
            let has_happened = fields.boolean("an answer")?;
            Event::EventQueried { event: event(&mut fields)?, has_happened }
        }
        Kind::TraceBegun => {
            let queue = fields.u8()?;
            Event::TraceBegun { queue, trace: ObservedTrace(fields.u32()?) }
        }
        Kind::TraceEnded => {
            let queue = fields.u8()?;
            Event::TraceEnded { queue, trace: ObservedTrace(fields.u32()?) }
        }
        Kind::TraceReplayed => {
            let queue = fields.u8()?;
            let blocking = fields.boolean("blocking")?;
            Event::TraceReplayed { queue, trace: ObservedTrace(fields.u32()?), blocking }
        }
        Kind::TraceReleased => Event::TraceReleased { trace: ObservedTrace(fields.u32()?) },
        Kind::CallThrew => Event::CallThrew { thread, text: fields.path()? },
        Kind::Unfollowed => Event::Unfollowed { what: fields.text()? },
        Kind::ProcessEnded => Event::ProcessEnded,
        Kind::CutBegun => Event::CutBegun,
        Kind::CutEnded => Event::CutEnded,
        Kind::ContentsReadBack => {
            Event::ContentsReadBack { buffer: ObservedBuffer(fields.u64()?), data }
        }
    };
    fields.end()?;
    Ok(event)
}

fn library(fields: &mut Fields<'_>) -> Result<LibraryLoaded, ContentError> {
    Ok(LibraryLoaded {
        process: fields.u32()?,
        path: fields.path()?,
        root: fields.path()?,
        folder: fields.path()?,
        cache: fields.path()?,
        is_slow_dispatch: fields.boolean("slow dispatch")?,
        is_simulated: fields.boolean("simulation")?,
        selection: selection(fields)?,
    })
}

/// Reads the selection that the recorder found in its environment.
fn selection(fields: &mut Fields<'_>) -> Result<Selection, ContentError> {
    let [only, skip, from, until] =
        [fields.text()?, fields.text()?, fields.text()?, fields.text()?];
    Selection::of_variables([&only, &skip, &from, &until]).map_err(ContentError::Operation)
}

fn device(fields: &mut Fields<'_>) -> Result<DeviceOpened, ContentError> {
    Ok(DeviceOpened {
        device: fields.u32()?,
        architecture: fields.u32()?,
        grid: fields.pair()?,
        l1_small_size: fields.u64()?,
        trace_region_size: fields.u64()?,
        num_command_queues: fields.u8()?,
        worker_l1_size: fields.u64()?,
        chip: fields.u32()?,
        harvested: fields.list(Fields::pair)?,
    })
}

fn buffer(fields: &mut Fields<'_>) -> Result<BufferAllocated, ContentError> {
    let buffer = ObservedBuffer(fields.u64()?);
    let address = fields.u64()?;
    let is_at_given_address = fields.boolean("a given address")?;
    let size = fields.u64()?;
    let page_size = fields.u64()?;
    let size_per_bank = fields.u64()?;
    let buffer_type = fields.u32()?;
    let layout = fields.u32()?;
    let bottom_up = match fields.u8()? {
        0 => Some(false),
        1 => Some(true),
        2 => None,
        value => {
            return Err(ContentError::UnknownValue { field: "bottom_up", value: value.into() });
        }
    };
    let is_sharded = fields.boolean("sharding")?;
    let sharding = if is_sharded { Some(sharding(fields)?) } else { None };
    let device = fields.u32()?;
    Ok(BufferAllocated {
        buffer,
        device,
        address,
        is_at_given_address,
        size,
        page_size,
        size_per_bank,
        buffer_type,
        layout,
        bottom_up,
        sharding,
    })
}

fn sharding(fields: &mut Fields<'_>) -> Result<Sharding, ContentError> {
    Ok(Sharding {
        cores: fields.cores()?,
        shape: fields.pair()?,
        orientation: fields.u32()?,
        page_shape: fields.pair()?,
        tensor_shape_in_pages: fields.pair()?,
    })
}

fn transfer(fields: &mut Fields<'_>) -> Result<Transfer, ContentError> {
    Ok(Transfer {
        buffer: ObservedBuffer(fields.u64()?),
        queue: fields.u8()?,
        offset: fields.u64()?,
        size: fields.u64()?,
        blocking: fields.boolean("blocking")?,
    })
}

fn event(fields: &mut Fields<'_>) -> Result<ObservedEvent, ContentError> {
    Ok(ObservedEvent { queue: fields.u8()?, number: fields.u32()? })
}

fn program(fields: &mut Fields<'_>) -> Result<ProgramDescription, ContentError> {
    Ok(ProgramDescription {
        program: ObservedProgram(fields.u64()?),
        operation: fields.text()?,
        kernels: fields.list(kernel)?,
        dataflow_buffers: fields.list(dataflow_buffer)?,
        semaphores: fields.list(semaphore)?,
    })
}

fn kernel_text(fields: &mut Fields<'_>) -> Result<KernelText, ContentError> {
    match fields.u8()? {
        0 => {
            let path = fields.path()?;
            let resolved = fields.path()?;
            let is_read = fields.boolean("a text that was read")?;
            let text = fields.counted()?;
            Ok(KernelText::File { path, resolved, text: is_read.then_some(text) })
        }
        1 => Ok(KernelText::Text(fields.counted()?)),
        value => Err(ContentError::UnknownValue { field: "where a text is", value: value.into() }),
    }
}

/// Reads the options, followed by the optimization level.
fn kernel_options(fields: &mut Fields<'_>) -> Result<(KernelOptions, u8), ContentError> {
    match fields.u8()? {
        0 => {
            let options = DataMovementOptions {
                processor: fields.u32()?,
                noc: fields.u8()?,
                noc_mode: fields.u8()?,
            };
            Ok((KernelOptions::DataMovement(options), fields.u8()?))
        }
        1 => {
            let options = ComputeOptions {
                math_fidelity: fields.u8()?,
                fp32_dest_acc_en: fields.boolean("fp32_dest_acc_en")?,
                dst_full_sync_en: fields.boolean("dst_full_sync_en")?,
                unpack_to_dest_mode: fields.counted()?,
                bfp8_pack_precise: fields.boolean("bfp8_pack_precise")?,
                math_approx_mode: fields.boolean("math_approx_mode")?,
            };
            Ok((KernelOptions::Compute(options), fields.u8()?))
        }
        2 => Ok((KernelOptions::Other(fields.text()?), 0)),
        value => Err(ContentError::UnknownValue { field: "a kernel's class", value: value.into() }),
    }
}

fn kernel(fields: &mut Fields<'_>) -> Result<KernelDescription, ContentError> {
    let text = kernel_text(fields)?;
    let cores = fields.cores()?;
    let (options, opt_level) = kernel_options(fields)?;
    Ok(KernelDescription {
        text,
        cores,
        options,
        opt_level,
        compile_args: fields.words()?,
        named_compile_args: fields.list(|fields| Ok((fields.text()?, fields.u32()?)))?,
        defines: fields.list(|fields| Ok((fields.text()?, fields.text()?)))?,
        has_generated_bindings: fields.boolean("generated bindings")?,
        scratchpads: fields
            .list(|fields| Ok(Scratchpad { argument: fields.u32()?, size: fields.u32()? }))?,
    })
}

fn dataflow_buffer(fields: &mut Fields<'_>) -> Result<DataflowBuffer, ContentError> {
    Ok(DataflowBuffer {
        id: fields.u32()?,
        index: fields.u32()?,
        cores: fields.cores()?,
        entry_size: fields.u32()?,
        entries: fields.u32()?,
        data_format: fields.u8()?,
    })
}

fn semaphore(fields: &mut Fields<'_>) -> Result<SemaphoreDescription, ContentError> {
    Ok(SemaphoreDescription {
        id: fields.u32()?,
        cores: fields.cores()?,
        initial_value: fields.u32()?,
        core_type: fields.u32()?,
    })
}

fn enqueued(fields: &mut Fields<'_>) -> Result<ProgramEnqueued, ContentError> {
    Ok(ProgramEnqueued {
        program: ObservedProgram(fields.u64()?),
        queue: fields.u8()?,
        blocking: fields.boolean("blocking")?,
        circular_buffers: fields.list(circular_buffer)?,
        arguments: fields.list(arguments)?,
    })
}

fn circular_buffer(fields: &mut Fields<'_>) -> Result<CircularBufferState, ContentError> {
    let cores = fields.cores()?;
    let total_size = fields.u32()?;
    let indices = fields.list(|fields| {
        let index = fields.u8()?;
        let page_size = fields.u32()?;
        let data_format = fields.u8()?;
        let has_tile = fields.boolean("a tile")?;
        let tile = if has_tile { Some(tile(fields)?) } else { None };
        Ok(ConfiguredIndex { index, page_size, data_format, tile })
    })?;
    let is_given = fields.boolean("a given address")?;
    let address = fields.u32()?;
    Ok(CircularBufferState {
        cores,
        total_size,
        indices,
        given_address: is_given.then_some(address),
    })
}

fn tile(fields: &mut Fields<'_>) -> Result<ObservedTile, ContentError> {
    Ok(ObservedTile {
        shape: fields.pair()?,
        face_shape: fields.pair()?,
        transposes_within_face: fields.boolean("transposition within faces")?,
        transposes_faces: fields.boolean("transposition of faces")?,
    })
}

fn arguments(fields: &mut Fields<'_>) -> Result<KernelArguments, ContentError> {
    Ok(KernelArguments {
        common: fields.words()?,
        cores: fields
            .list(|fields| Ok(CoreWords { core: fields.pair()?, words: fields.words()? }))?,
    })
}
