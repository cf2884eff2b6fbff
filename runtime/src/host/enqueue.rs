//! Writes, reads and programs, with their arguments as they are then, are given to queues.

use std::sync::Arc;

use hallmark_engine::CompletedRead;
use hallmark_engine::launch::ProgramLaunch;
use hallmark_engine::trace::TracedLaunch;
use hallmark_engine::work::Work;
use hallmark_schema::commands::{Command, EnqueueProgram, EnqueueReadBuffer, EnqueueWriteBuffer};
use hallmark_schema::limits;
use hallmark_schema::model::{
    BufferRegion, CommandIndex, CommandKind, ContentHash, Data, Expectation, Failure, ProgramId,
};

use super::assembly::assembled;
use super::call::Perform;
use super::call_log::CallLog;
use super::circular_buffer_layout::lay_out_circular_buffers;
use super::device::{Device, Host};
use super::live_buffers::Buffers;
use super::opened::Opened;
use super::programs::Programs;
use super::queues::Queues;
use super::reads::Reads;
use super::types::{Buffer, CommandQueue, Program, Read, WriteData};
use crate::InternalError;
use crate::defects::{Defect, planted};
use crate::error::{CallError, HostError};
use crate::payload::{Input, Payload};

impl Device {
    /// `EnqueueWriteBuffer`: fills a buffer. The data is copied at the call.
    ///
    /// # Errors
    /// [`Failure::UnknownQueue`], [`Failure::UnknownObject`], [`Failure::ReleasedObject`],
    /// [`Failure::DataLengthMismatch`], [`Failure::DeviceLost`]; a blocking call also what
    /// [`Device::finish`] meets.
    pub fn enqueue_write_buffer<'a>(
        &mut self,
        queue: CommandQueue,
        buffer: Buffer,
        data: impl Into<WriteData<'a>>,
        blocking: bool,
    ) -> Result<(), CallError> {
        self.enqueue_write(queue, buffer, data.into(), None, blocking)
    }

    /// `EnqueueWriteSubBuffer`: fills a region of a buffer. The data is copied at the call.
    ///
    /// # Errors
    /// As [`Device::enqueue_write_buffer`], and [`Failure::RegionNotPageMultiple`],
    /// [`Failure::RegionOutsideBuffer`].
    pub fn enqueue_write_sub_buffer<'a>(
        &mut self,
        queue: CommandQueue,
        buffer: Buffer,
        data: impl Into<WriteData<'a>>,
        region: BufferRegion,
        blocking: bool,
    ) -> Result<(), CallError> {
        self.enqueue_write(queue, buffer, data.into(), Some(region), blocking)
    }

    fn enqueue_write(
        &mut self,
        queue: CommandQueue,
        buffer: Buffer,
        data: WriteData<'_>,
        region: Option<BufferRegion>,
        blocking: bool,
    ) -> Result<(), CallError> {
        let (data, payload) = match data {
            WriteData::Bytes(bytes) => {
                let data = Data {
                    length: bytes.len() as u64,
                    hash: ContentHash::of(bytes),
                    generator: None,
                };
                (data, Payload::Bytes(bytes.into()))
            }
            WriteData::Generated { generator, length } => {
                let fits = length <= limits::DATA_BYTES && generator.check(length).is_ok();
                // Data that does not fit is refused before it is made.
                let hash = if fits { generator.hash(length) } else { ContentHash([0; 32]) };
                let data = Data { length, hash, generator: Some(generator) };
                (data, Payload::Generated { generator, length })
            }
        };
        let (queue, buffer) = (queue.id(), buffer.id());
        let command = Command::EnqueueWriteBuffer(EnqueueWriteBuffer {
            queue,
            buffer,
            data,
            blocking,
            region,
        });
        self.call(command, Input::Data(payload))
    }

    /// `EnqueueReadBuffer`: reads a whole buffer. [`Device::take_read`] gives the bytes once the call, if
    /// blocking, or a later synchronizing call has returned.
    ///
    /// `output` names the bytes, and each name is taken once; a replay checks the bytes against `expectation`.
    ///
    /// # Errors
    /// [`Failure::UnknownQueue`], [`Failure::UnknownObject`], [`Failure::ReleasedObject`],
    /// [`Failure::DeviceLost`]; a blocking call also what
    /// [`Device::finish`] meets.
    pub fn enqueue_read_buffer(
        &mut self,
        queue: CommandQueue,
        buffer: Buffer,
        output: &str,
        expectation: Expectation,
        blocking: bool,
    ) -> Result<Read, CallError> {
        self.enqueue_read(queue, buffer, output, expectation, None, blocking)
    }

    /// `EnqueueReadSubBuffer`: reads a region of a buffer.
    ///
    /// # Errors
    /// As [`Device::enqueue_read_buffer`], and [`Failure::RegionNotPageMultiple`],
    /// [`Failure::RegionOutsideBuffer`].
    pub fn enqueue_read_sub_buffer(
        &mut self,
        queue: CommandQueue,
        buffer: Buffer,
        output: &str,
        expectation: Expectation,
        region: BufferRegion,
        blocking: bool,
    ) -> Result<Read, CallError> {
        self.enqueue_read(queue, buffer, output, expectation, Some(region), blocking)
    }

    fn enqueue_read(
        &mut self,
        queue: CommandQueue,
        buffer: Buffer,
        output: &str,
        expectation: Expectation,
        region: Option<BufferRegion>,
        blocking: bool,
    ) -> Result<Read, CallError> {
        let read = Read { command: self.next_command() };
        let command = Command::EnqueueReadBuffer(EnqueueReadBuffer {
            queue: queue.id(),
            buffer: buffer.id(),
            output: output.to_owned(),
            blocking,
            expectation,
            region,
        });
        self.call(command, Input::Nothing)?;
        Ok(read)
    }

    /// The bytes of a read, once; `None` if it has not completed or was taken.
    pub fn take_read(&mut self, read: Read) -> Option<CompletedRead> {
        self.host.reads.take(read.command())
    }

    /// Every read that completed and was not taken, in the order of the calls.
    pub fn take_reads(&mut self) -> Vec<CompletedRead> {
        self.host.reads.take_all()
    }

    /// `EnqueueProgram`: launches a program with its arguments as they are now.
    ///
    /// # Errors
    /// [`Failure::UnknownQueue`], [`Failure::UnknownObject`], [`Failure::EmptyProgram`],
    /// [`Failure::CircularBuffersBeyondL1`], [`Failure::CircularBuffersClash`],
    /// [`Failure::CircularBufferSizeNotPageMultiple`] after an update,
    /// [`Failure::ReleasedObject`] for an argument, [`Failure::KernelConfigTooLarge`],
    /// [`Failure::DeviceLost`]; a blocking call also what [`Device::finish`] meets.
    pub fn enqueue_program(
        &mut self,
        queue: CommandQueue,
        program: Program,
        blocking: bool,
    ) -> Result<(), CallError> {
        let command = Command::EnqueueProgram(EnqueueProgram {
            queue: queue.id(),
            program: program.id(),
            blocking,
        });
        self.call(command, Input::Nothing)
    }
}

impl Perform for EnqueueWriteBuffer {
    fn perform(
        self,
        device: &mut Device,
        index: CommandIndex,
        input: Input,
    ) -> Result<(), CallError> {
        let Input::Data(payload) = input else {
            return Err(InternalError::new("a write without data").into());
        };
        let Host { buffers, queues, .. } = &mut device.host;
        enqueue_write(&self, payload, index, buffers, queues)?;
        device.wait_if(self.blocking, self.queue, index, CommandKind::EnqueueWriteBuffer)
    }
}

impl Perform for EnqueueReadBuffer {
    fn perform(self, device: &mut Device, index: CommandIndex, _: Input) -> Result<(), CallError> {
        let (blocking, queue) = (self.blocking, self.queue);
        let Host { buffers, queues, reads, .. } = &mut device.host;
        enqueue_read(self, index, buffers, queues, reads)?;
        device.wait_if(blocking, queue, index, CommandKind::EnqueueReadBuffer)
    }
}

impl Perform for EnqueueProgram {
    fn perform(self, device: &mut Device, index: CommandIndex, _: Input) -> Result<(), CallError> {
        let call = CommandKind::EnqueueProgram;
        let Host { opened, buffers, programs, queues, traces, calls, .. } = &mut device.host;
        let launch = prepared_launch(&self, opened, buffers, programs, queues, calls)?;
        // A trace that is recorded launches nothing yet.
        if queues.tracing(self.queue).is_none() {
            warn_of_released_buffers(self.program, index, buffers, programs, calls);
        }
        if let Some(trace) = queues.tracing(self.queue) {
            queues.check_present(call)?;
            let named = buffers.named_in(opened, &launch);
            let launch = Arc::clone(&launch);
            traces.record(trace, TracedLaunch { command: index, launch }, named)?;
            if !planted(Defect::TracedProgramsRun) {
                return Ok(());
            }
        }
        enqueue_launch(&self, launch, index, programs, queues)?;
        device.wait_if(self.blocking, self.queue, index, call)
    }
}

fn enqueue_write(
    call: &EnqueueWriteBuffer,
    payload: Payload,
    index: CommandIndex,
    buffers: &Buffers,
    queues: &mut Queues,
) -> Result<(), CallError> {
    let EnqueueWriteBuffer { queue, buffer, region, .. } = *call;
    let kind = CommandKind::EnqueueWriteBuffer;
    let fail = |failure| HostError::new(kind, failure);
    queues.check_queue(queue).map_err(fail)?;
    let state = buffers.get(buffer).map_err(fail)?;
    let named = |failure| fail(failure).named(&state.name);
    let extent = state.whole_or_part(buffer, region).map_err(named)?;
    let (expected, actual) = (extent.size(), call.data.length);
    if actual != expected {
        return Err(named(Failure::DataLengthMismatch { buffer, expected, actual }).into());
    }
    if !planted(Defect::TraceTakesWrites) {
        queues.check_no_capture(queue, Failure::WriteDuringTrace { queue }).map_err(named)?;
    }
    queues.check_present(kind)?;
    queues.enqueue(queue, index, Work::Write { extent, payload });
    Ok(())
}

fn enqueue_read(
    call: EnqueueReadBuffer,
    index: CommandIndex,
    buffers: &Buffers,
    queues: &mut Queues,
    reads: &mut Reads,
) -> Result<(), CallError> {
    let EnqueueReadBuffer { queue, buffer, output, expectation, region, .. } = call;
    // The name is taken whatever comes of the call.
    reads.take_name(&output);
    let kind = CommandKind::EnqueueReadBuffer;
    let fail = |failure| HostError::new(kind, failure);
    queues.check_queue(queue).map_err(fail)?;
    let state = buffers.get(buffer).map_err(fail)?;
    let named = |failure| fail(failure).named(&state.name);
    let extent = state.whole_or_part(buffer, region).map_err(named)?;
    queues.check_no_capture(queue, Failure::ReadDuringTrace { queue }).map_err(named)?;
    queues.check_present(kind)?;
    let name = state.name.as_str().into();
    let exact = match expectation {
        Expectation::Exact { hash } => Some(hash),
        Expectation::AsCaptured | Expectation::Reference { .. } | Expectation::Unchecked { .. } => {
            None
        }
    };
    queues.enqueue(queue, index, Work::Read { extent, buffer, name, output, exact });
    Ok(())
}

/// Checks that a program may be enqueued, and gives its launch.
fn prepared_launch(
    call: &EnqueueProgram,
    opened: &Opened,
    buffers: &Buffers,
    programs: &mut Programs,
    queues: &Queues,
    calls: &mut CallLog,
) -> Result<Arc<ProgramLaunch>, CallError> {
    let EnqueueProgram { queue, program, blocking } = *call;
    let fail = |failure| HostError::new(CommandKind::EnqueueProgram, failure);
    queues.check_queue(queue).map_err(fail)?;
    let state = programs.program(program).map_err(fail)?;
    let name = state.name.clone();
    let named = |failure| fail(failure).named(&name);
    if state.kernels.is_empty() {
        return Err(named(Failure::EmptyProgram { program }).into());
    }
    if queues.tracing(queue).is_some() {
        let warm = state.warm || planted(Defect::TracesTakeColdPrograms);
        let refusal = match (blocking, warm) {
            (true, _) => Some(Failure::BlockingDuringTrace { queue }),
            (false, false) => Some(Failure::ProgramNotWarm { program }),
            (false, true) => None,
        };
        if let Some(failure) = refusal {
            return Err(named(failure).into());
        }
    }
    let layout = lay_out_circular_buffers(opened, buffers, programs, calls, program, &name)?;
    let launch = assembled(opened, buffers, programs, program, &layout);
    Ok(launch.map_err(|error| error.named(&name))?)
}

/// Warns of circular buffers that lay in a buffer at an earlier launch and still lie there, although the buffer was released
/// since: the call that moves them was forgotten. Without an earlier launch it may be meant, as in TTNN's Move.
fn warn_of_released_buffers(
    program: ProgramId,
    index: CommandIndex,
    buffers: &Buffers,
    programs: &mut Programs,
    calls: &mut CallLog,
) {
    let Ok(state) = programs.program(program) else { return };
    for id in state.circular_buffers.clone() {
        let Ok(state) = programs.circular_buffer_mut(id) else { continue };
        let Some(place) = &mut state.global else { continue };
        let is_there = buffers.get(place.buffer).is_ok();
        let was_there = std::mem::replace(&mut place.has_run, is_there);
        if was_there && !is_there {
            let (name, gone) =
                (&state.name, buffers.released_name(place.buffer).unwrap_or_default());
            calls.warn(index, format!(
                "circular buffer `{name}` lies where buffer `{gone}` lay, which was deallocated after an earlier launch of the \
                 program: call update_dynamic_circular_buffer_address for `{name}` before the program is enqueued again, or \
                 keep `{gone}`"
            ));
        }
    }
}

/// Gives a queue the launch of a program.
fn enqueue_launch(
    call: &EnqueueProgram,
    launch: Arc<ProgramLaunch>,
    index: CommandIndex,
    programs: &mut Programs,
    queues: &mut Queues,
) -> Result<(), CallError> {
    let EnqueueProgram { queue, program, .. } = *call;
    let kind = CommandKind::EnqueueProgram;
    let fail = |failure| HostError::new(kind, failure);
    let state = programs.program_mut(program).map_err(fail)?;
    let cores = || launch.tiles.iter().map(|tile| tile.core);
    queues.check_cores(queue, cores()).map_err(|failure| fail(failure).named(&state.name))?;
    queues.check_present(kind)?;
    state.warm = true;
    queues.occupy_cores(queue, index, cores());
    queues.enqueue(queue, index, Work::Launch(launch));
    Ok(())
}
