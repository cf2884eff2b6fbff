//! Encodes a recording as the recorder does, for tests of the reader.

use super::kind::Kind;
use super::{
    BUILD_ID, CHECKED, END_AT, ENDED, ENTRY, FORKED, FORKED_AT, FORMAT, HEADER, MAGIC, REFUSED,
    RUNNING, Recording, RecordingEnd, STOPPED, checksum,
};
use crate::event::{
    BufferAllocated, CircularBufferState, Event, KernelDescription, KernelOptions, KernelText,
    ObservedEvent, ProgramDescription, ProgramEnqueued, Transfer,
};
use hallmark_schema::model::CoreRange;

/// The bytes of a complete recording.
pub(super) fn bytes(recording: &Recording) -> Vec<u8> {
    let mut bytes = header(recording);
    for entry in &recording.entries {
        let (kind, payload, data) = content(&entry.event);
        let mut head = Vec::new();
        head.extend(((payload.len() + data.len()) as u64).to_le_bytes());
        head.extend(kind.to_le_bytes());
        head.extend(entry.thread.0.to_le_bytes());
        head.extend(checksum(&[&payload, &data]).to_le_bytes());
        head.extend([0; 8]);
        head.extend((payload.len() as u64).to_le_bytes());
        assert_eq!(head.len(), ENTRY);
        let sum = checksum(&[&head]);
        head[24..32].copy_from_slice(&sum.to_le_bytes());
        bytes.extend([head, payload, data].concat());
    }
    bytes
}

fn header(recording: &Recording) -> Vec<u8> {
    let mut header = vec![0; HEADER];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    header[12..16].copy_from_slice(&recording.process.to_le_bytes());
    header[BUILD_ID][..recording.build_id.len()].copy_from_slice(recording.build_id.as_bytes());
    let sum = checksum(&[&header[..CHECKED]]);
    header[CHECKED..CHECKED + 8].copy_from_slice(&sum.to_le_bytes());
    let (end, error) = match recording.end {
        RecordingEnd::Broken => (RUNNING, 0),
        RecordingEnd::Ended => (ENDED, 0),
        RecordingEnd::Stopped { error } => (STOPPED, error),
        RecordingEnd::Refused => (REFUSED, 0),
    };
    header[END_AT..END_AT + 8].copy_from_slice(end);
    header[END_AT + 8..END_AT + 12].copy_from_slice(&error.to_le_bytes());
    header[END_AT + 12..END_AT + 16].copy_from_slice(&(!error).to_le_bytes());
    if recording.has_forked_calls {
        header[FORKED_AT..FORKED_AT + 8].copy_from_slice(FORKED);
    }
    header
}

/// The encoded fields.
#[derive(Default)]
struct Payload(Vec<u8>);

impl Payload {
    fn u8(&mut self, value: u8) -> &mut Self {
        self.0.push(value);
        self
    }
    fn u32(&mut self, value: u32) -> &mut Self {
        self.0.extend(value.to_le_bytes());
        self
    }
    fn u64(&mut self, value: u64) -> &mut Self {
        self.0.extend(value.to_le_bytes());
        self
    }
    fn boolean(&mut self, value: bool) -> &mut Self {
        self.u8(value.into())
    }
    fn text(&mut self, value: &[u8]) -> &mut Self {
        self.u32(value.len() as u32);
        self.0.extend(value);
        self
    }
    fn pair(&mut self, (first, second): (u32, u32)) -> &mut Self {
        self.u32(first).u32(second)
    }
    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) -> &mut Self {
        self.u32(items.len() as u32);
        items.iter().for_each(|item| write(self, item));
        self
    }
    fn cores(&mut self, cores: &[CoreRange]) -> &mut Self {
        self.list(cores, |payload, range| {
            payload.pair(range.start.into()).pair(range.end.into());
        })
    }
    fn words(&mut self, words: &[u32]) -> &mut Self {
        self.list(words, |payload, &word| {
            payload.u32(word);
        })
    }
    fn event(&mut self, event: ObservedEvent) -> &mut Self {
        self.u8(event.queue).u32(event.number)
    }
    fn transfer(&mut self, transfer: &Transfer) -> &mut Self {
        let Transfer { buffer, queue, offset, size, blocking } = *transfer;
        self.u64(buffer.0).u8(queue).u64(offset).u64(size).boolean(blocking)
    }
}

fn content(event: &Event) -> (u32, Vec<u8>, Vec<u8>) {
    let mut payload = Payload::default();
    let mut data = Vec::new();
    let kind = match event {
        Event::LibraryLoaded(library) => {
            payload.u32(library.process).text(library.path.as_bytes());
            payload.text(library.root.as_bytes()).text(library.folder.as_bytes());
            payload.text(library.cache.as_bytes()).boolean(library.is_slow_dispatch);
            payload.boolean(library.is_simulated);
            for text in library.selection.variables() {
                payload.text(text.as_bytes());
            }
            Kind::LibraryLoaded
        }
        Event::DeviceOpened(device) => {
            payload.u32(device.device).u32(device.architecture).pair(device.grid);
            payload.u64(device.l1_small_size).u64(device.trace_region_size);
            payload.u8(device.num_command_queues).u64(device.worker_l1_size).u32(device.chip);
            payload.list(&device.harvested, |payload, place| {
                payload.pair(*place);
            });
            Kind::DeviceOpened
        }
        Event::DeviceClosed { device } => {
            payload.u32(*device);
            Kind::DeviceClosed
        }
        Event::BufferAllocated(allocated) => {
            buffer(allocated, &mut payload);
            Kind::BufferAllocated
        }
        Event::BufferFreed { buffer } => {
            payload.u64(buffer.0);
            Kind::BufferFreed
        }
        Event::Written { transfer, data: written } => {
            payload.transfer(transfer);
            data.clone_from(written);
            Kind::Written
        }
        Event::ReadBegun { read, transfer } => {
            payload.u32(*read).transfer(transfer);
            Kind::ReadBegun
        }
        Event::ReadCompleted { read, data: returned } => {
            payload.u32(*read);
            data.clone_from(returned);
            Kind::ReadCompleted
        }
        Event::ProgramDescribed(described) => {
            program(described, &mut payload);
            Kind::ProgramDescribed
        }
        Event::BindingsGenerated { program, kernel, text } => {
            payload.u64(program.0).u32(*kernel);
            data.clone_from(text);
            Kind::BindingsGenerated
        }
        Event::ProgramEnqueued(program) => {
            enqueued(program, &mut payload);
            Kind::ProgramEnqueued
        }
        Event::ProgramDestroyed { program } => {
            payload.u64(program.0);
            Kind::ProgramDestroyed
        }
        Event::Finish { queue } => {
            payload.u8(*queue);
            Kind::Finish
        }
        Event::EventRecorded { event, host_visible } => {
            payload.boolean(*host_visible).event(*event);
            Kind::EventRecorded
        }
        Event::EventWaitedFor { queue, event } => {
            payload.u8(*queue).event(*event);
            Kind::EventWaitedFor
        }
        Event::EventSynchronized { event } => {
            payload.event(*event);
            Kind::EventSynchronized
        }
        Event::EventQueried { event, has_happened } => {
            payload.boolean(*has_happened).event(*event);
            Kind::EventQueried
        }
        Event::TraceBegun { queue, trace } => {
            payload.u8(*queue).u32(trace.0);
            Kind::TraceBegun
        }
        Event::TraceEnded { queue, trace } => {
            payload.u8(*queue).u32(trace.0);
            Kind::TraceEnded
        }
        Event::TraceReplayed { queue, trace, blocking } => {
            payload.u8(*queue).boolean(*blocking).u32(trace.0);
            Kind::TraceReplayed
        }
        Event::TraceReleased { trace } => {
            payload.u32(trace.0);
            Kind::TraceReleased
        }
        Event::CallThrew { thread: _, text } => {
            payload.text(text.as_bytes());
            Kind::CallThrew
        }
        Event::Unfollowed { what } => {
            payload.text(what.as_bytes());
            Kind::Unfollowed
        }
        Event::ProcessEnded => Kind::ProcessEnded,
        Event::CutBegun => Kind::CutBegun,
        Event::CutEnded => Kind::CutEnded,
        Event::ContentsReadBack { buffer, data: contents } => {
            payload.u64(buffer.0);
            data.clone_from(contents);
            Kind::ContentsReadBack
        }
    };
    (kind.number(), payload.0, data)
}

fn buffer(buffer: &BufferAllocated, payload: &mut Payload) {
    payload.u64(buffer.buffer.0).u64(buffer.address).boolean(buffer.is_at_given_address);
    payload.u64(buffer.size).u64(buffer.page_size).u64(buffer.size_per_bank);
    payload.u32(buffer.buffer_type).u32(buffer.layout);
    payload.u8(buffer.bottom_up.map_or(2, u8::from)).boolean(buffer.sharding.is_some());
    if let Some(sharding) = &buffer.sharding {
        payload.cores(&sharding.cores).pair(sharding.shape).u32(sharding.orientation);
        payload.pair(sharding.page_shape).pair(sharding.tensor_shape_in_pages);
    }
    payload.u32(buffer.device);
}

fn program(program: &ProgramDescription, payload: &mut Payload) {
    payload.u64(program.program.0).text(program.operation.as_bytes());
    payload.list(&program.kernels, |payload, each| kernel(each, payload));
    payload.list(&program.dataflow_buffers, |payload, buffer| {
        payload.u32(buffer.id).u32(buffer.index).cores(&buffer.cores).u32(buffer.entry_size);
        payload.u32(buffer.entries).u8(buffer.data_format);
    });
    payload.list(&program.semaphores, |payload, semaphore| {
        payload.u32(semaphore.id).cores(&semaphore.cores);
        payload.u32(semaphore.initial_value).u32(semaphore.core_type);
    });
}

fn kernel(kernel: &KernelDescription, payload: &mut Payload) {
    match &kernel.text {
        KernelText::File { path, resolved, text } => {
            payload.u8(0).text(path.as_bytes()).text(resolved.as_bytes());
            payload.boolean(text.is_some()).text(text.as_deref().unwrap_or_default());
        }
        KernelText::Text(text) => {
            payload.u8(1).text(text);
        }
    }
    payload.cores(&kernel.cores);
    match &kernel.options {
        KernelOptions::DataMovement(options) => {
            payload.u8(0).u32(options.processor).u8(options.noc).u8(options.noc_mode);
            payload.u8(kernel.opt_level);
        }
        KernelOptions::Compute(options) => {
            payload.u8(1).u8(options.math_fidelity).boolean(options.fp32_dest_acc_en);
            payload.boolean(options.dst_full_sync_en).text(&options.unpack_to_dest_mode);
            payload.boolean(options.bfp8_pack_precise).boolean(options.math_approx_mode);
            payload.u8(kernel.opt_level);
        }
        KernelOptions::Other(class) => {
            payload.u8(2).text(class.as_bytes());
        }
    }
    payload.words(&kernel.compile_args);
    payload.list(&kernel.named_compile_args, |payload, (name, value)| {
        payload.text(name.as_bytes()).u32(*value);
    });
    payload.list(&kernel.defines, |payload, (name, value)| {
        payload.text(name.as_bytes()).text(value.as_bytes());
    });
    payload.boolean(kernel.has_generated_bindings);
    payload.list(&kernel.scratchpads, |payload, scratchpad| {
        payload.u32(scratchpad.argument).u32(scratchpad.size);
    });
}

fn enqueued(program: &ProgramEnqueued, payload: &mut Payload) {
    payload.u64(program.program.0).u8(program.queue).boolean(program.blocking);
    payload.list(&program.circular_buffers, |payload, buffer| circular_buffer(buffer, payload));
    payload.list(&program.arguments, |payload, arguments| {
        payload.words(&arguments.common).list(&arguments.cores, |payload, core| {
            payload.pair(core.core).words(&core.words);
        });
    });
}

fn circular_buffer(buffer: &CircularBufferState, payload: &mut Payload) {
    payload.cores(&buffer.cores).u32(buffer.total_size);
    payload.list(&buffer.indices, |payload, index| {
        payload.u8(index.index).u32(index.page_size).u8(index.data_format);
        payload.boolean(index.tile.is_some());
        if let Some(tile) = index.tile {
            payload.pair(tile.shape).pair(tile.face_shape);
            payload.boolean(tile.transposes_within_face).boolean(tile.transposes_faces);
        }
    });
    payload.boolean(buffer.given_address.is_some()).u32(buffer.given_address.unwrap_or_default());
}
