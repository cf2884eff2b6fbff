//! The calls by TT-Metalium's names.

use hallmark_chip::LogicalCore;
use hallmark_engine::CompletedRead;
use hallmark_engine::addresses::page_mapping::PageLocation;
use hallmark_schema::commands;
use hallmark_schema::limits;
use hallmark_schema::model::{
    BufferId, BufferRegion, CircularBufferId, Command, ContentHash, CoreArguments, CoreRange, Data,
    EventId, Expectation, Failure, GloballyAllocatedAddress, KernelId, ProgramId, SemaphoreId,
    TraceId,
};

use super::Device;
use super::argument_vectors::Argument;
use super::device::Backend;
use super::types::{
    Buffer, BufferConfig, CircularBuffer, CircularBufferConfig, CommandQueue, Event, Kernel,
    KernelDescription, Program, Read, Semaphore, SemaphoreConfig, Trace, WriteData,
};
use crate::InternalError;
use crate::error::CallError;
use crate::payload::{Input, Payload};

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
        let command = Command::CreateBuffer(commands::CreateBuffer {
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
        let command = Command::CreateBufferView(commands::CreateBufferView {
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
            Command::DeallocateBuffer(commands::DeallocateBuffer { buffer: buffer.id() }),
            Input::Nothing,
        )
    }

    /// `CreateProgram`.
    ///
    /// # Errors
    /// None of the host program's making.
    pub fn create_program(&mut self, name: &str) -> Result<Program, CallError> {
        let program = self.next_program();
        let command = Command::CreateProgram(commands::CreateProgram {
            program: program.id(),
            name: name.to_owned(),
        });
        self.call(command, Input::Nothing)?;
        Ok(program)
    }

    /// `CreateKernel`: adds a kernel to a program and gets its ELFs from the kernel library.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::ProgramAlreadyCompiled`], [`Failure::EmptyCoreRange`],
    /// [`Failure::CoreOutsideGrid`], [`Failure::CoreOverlap`], [`Failure::NocInUse`],
    /// [`Failure::DefineInvalid`], [`Failure::KernelSourceNotFound`], [`Failure::KernelBuildFailed`].
    pub fn create_kernel(
        &mut self,
        program: Program,
        description: KernelDescription<'_>,
    ) -> Result<Kernel, CallError> {
        let kernel = self.next_kernel();
        let command = Command::CreateKernel(commands::CreateKernel {
            kernel: kernel.id(),
            name: description.name.to_owned(),
            program: program.id(),
            source: description.source.to_owned(),
            cores: description.cores.to_vec(),
            config: description.config,
            compile_args: description.compile_args,
            defines: description.defines,
        });
        self.call(command, Input::Nothing)?;
        Ok(kernel)
    }

    /// `SetRuntimeArgs` for a set of cores that all get the same vector.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::EmptyCoreRange`], [`Failure::CoreOutsideGrid`],
    /// [`Failure::KernelNotOnCore`], [`Failure::TooManyRuntimeArgs`],
    /// [`Failure::RuntimeArgsCountChanged`], and for arguments that name objects
    /// [`Failure::ReleasedObject`] and [`Failure::WrongProgram`].
    pub fn set_runtime_args(
        &mut self,
        kernel: Kernel,
        cores: &[CoreRange],
        arguments: &[Argument],
    ) -> Result<(), CallError> {
        self.set_recorded_args(kernel, vec![Argument::record(arguments, cores)])
    }

    /// `SetRuntimeArgs` for a vector of cores and a vector of argument vectors.
    ///
    /// # Errors
    /// As [`Device::set_runtime_args`], and [`Failure::ArgsVectorMismatch`].
    pub fn set_runtime_args_per_core(
        &mut self,
        kernel: Kernel,
        cores: &[LogicalCore],
        arguments: &[Vec<Argument>],
    ) -> Result<(), CallError> {
        self.set_recorded_args(kernel, Argument::record_per_core(cores, arguments))
    }

    /// `SetRuntimeArgs` from its recorded form: several sets of cores, each with its vector.
    ///
    /// # Errors
    /// As [`Device::set_runtime_args_per_core`].
    pub fn set_recorded_args(
        &mut self,
        kernel: Kernel,
        args: Vec<CoreArguments>,
    ) -> Result<(), CallError> {
        self.call(
            Command::SetRuntimeArgs(commands::SetRuntimeArgs { kernel: kernel.id(), args }),
            Input::Nothing,
        )
    }

    /// `SetCommonRuntimeArgs`: words that all cores of a kernel share, set once.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::CommonRuntimeArgsAlreadySet`],
    /// [`Failure::TooManyRuntimeArgs`], and for arguments that name objects
    /// [`Failure::ReleasedObject`] and [`Failure::WrongProgram`].
    pub fn set_common_runtime_args(
        &mut self,
        kernel: Kernel,
        arguments: &[Argument],
    ) -> Result<(), CallError> {
        let CoreArguments { values, relocations, .. } = Argument::record(arguments, &[]);
        let kernel = kernel.id();
        let command = Command::SetCommonRuntimeArgs(commands::SetCommonRuntimeArgs {
            kernel,
            values,
            relocations,
        });
        self.call(command, Input::Nothing)
    }

    /// Other common arguments from the `first`-th on, for launches from now on: upstream writes to what
    /// `GetCommonRuntimeArgs` gives.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::CommonRuntimeArgOutOfRange`], and for arguments that
    /// name objects [`Failure::ReleasedObject`] and [`Failure::WrongProgram`].
    pub fn update_common_runtime_args(
        &mut self,
        kernel: Kernel,
        first: u32,
        arguments: &[Argument],
    ) -> Result<(), CallError> {
        let CoreArguments { values, relocations, .. } = Argument::record(arguments, &[]);
        let kernel = kernel.id();
        let command = Command::UpdateCommonRuntimeArgs(commands::UpdateCommonRuntimeArgs {
            kernel,
            first,
            values,
            relocations,
        });
        self.call(command, Input::Nothing)
    }

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
        let command = Command::CreateCircularBuffer(commands::CreateCircularBuffer {
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
        let command =
            Command::UpdateCircularBufferTotalSize(commands::UpdateCircularBufferTotalSize {
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
        let command =
            Command::UpdateCircularBufferPageSize(commands::UpdateCircularBufferPageSize {
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
        let command = Command::UpdateDynamicCircularBufferAddress(
            commands::UpdateDynamicCircularBufferAddress {
                circular_buffer: circular_buffer.id(),
                buffer: buffer.id(),
                address_offset,
            },
        );
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
            commands::UpdateDynamicCircularBufferAddressAndTotalSize {
                circular_buffer: circular_buffer.id(),
                buffer: buffer.id(),
                total_size,
            },
        );
        self.call(command, Input::Nothing)
    }

    /// `CreateSemaphore`.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::ProgramAlreadyCompiled`], [`Failure::EmptyCoreRange`],
    /// [`Failure::CoreOutsideGrid`], [`Failure::TooManySemaphores`].
    pub fn create_semaphore(
        &mut self,
        program: Program,
        config: &SemaphoreConfig<'_>,
    ) -> Result<Semaphore, CallError> {
        let semaphore = self.next_semaphore();
        let command = Command::CreateSemaphore(commands::CreateSemaphore {
            semaphore: semaphore.id(),
            name: config.name.to_owned(),
            program: program.id(),
            cores: config.cores.to_vec(),
            initial_value: config.initial_value,
        });
        self.call(command, Input::Nothing)?;
        Ok(semaphore)
    }

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
                // What does not fit is refused before it is made.
                let hash = if fits { generator.hash(length) } else { ContentHash([0; 32]) };
                let data = Data { length, hash, generator: Some(generator) };
                (data, Payload::Generated { generator, length })
            }
        };
        let (queue, buffer) = (queue.id(), buffer.id());
        let command = Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer {
            queue,
            buffer,
            data,
            blocking,
            region,
        });
        self.call(command, Input::Data(payload))
    }

    /// `EnqueueReadBuffer`: reads a whole buffer. [`Device::take_read`] hands out what came back once
    /// the call, if blocking, or a later synchronizing call has returned.
    ///
    /// `output` names what comes back, each name once; `expectation` says what a replay checks it
    /// against.
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
        let command = Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
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
        let command = Command::EnqueueProgram(commands::EnqueueProgram {
            queue: queue.id(),
            program: program.id(),
            blocking,
        });
        self.call(command, Input::Nothing)
    }

    /// `EnqueueRecordEvent`, or `EnqueueRecordEventToHost` if `host_visible`: an event that happens once
    /// everything enqueued before on the queue is done. `number` is what the queue must call it: events
    /// of a queue count from 1, and a call that waits for the queue takes a number too.
    ///
    /// # Errors
    /// [`Failure::UnknownQueue`], [`Failure::EventDuringTrace`], [`Failure::EventNumberMismatch`],
    /// [`Failure::DeviceLost`].
    pub fn enqueue_record_event(
        &mut self,
        queue: CommandQueue,
        name: &str,
        host_visible: bool,
        number: Option<u32>,
    ) -> Result<Event, CallError> {
        let event = self.next_event();
        let command = Command::EnqueueRecordEvent(commands::EnqueueRecordEvent {
            queue: queue.id(),
            event: event.id(),
            name: name.to_owned(),
            host_visible,
            number,
        });
        self.call(command, Input::Nothing)?;
        Ok(event)
    }

    /// `EnqueueWaitForEvent`: nothing enqueued later on the queue begins before the event has happened.
    ///
    /// # Errors
    /// [`Failure::UnknownQueue`], [`Failure::UnknownObject`], [`Failure::EventDuringTrace`],
    /// [`Failure::DeviceLost`].
    pub fn enqueue_wait_for_event(
        &mut self,
        queue: CommandQueue,
        event: Event,
    ) -> Result<(), CallError> {
        let (queue, event) = (queue.id(), event.id());
        self.call(
            Command::EnqueueWaitForEvent(commands::EnqueueWaitForEvent { queue, event }),
            Input::Nothing,
        )
    }

    /// `EventSynchronize`: waits until an event has happened.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::EventNotHostVisible`], and what [`Device::finish`] meets.
    pub fn event_synchronize(&mut self, event: Event) -> Result<(), CallError> {
        self.call(
            Command::EventSynchronize(commands::EventSynchronize { event: event.id() }),
            Input::Nothing,
        )
    }

    /// `EventQuery`: whether an event has happened. A capture keeps what the answer must be, if it is
    /// given, and not the answer.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::EventNotHostVisible`], [`Failure::EventStateMismatch`] for
    /// another answer than the one expected, and what [`Device::finish`] meets.
    pub fn event_query(&mut self, event: Event, expected: Option<bool>) -> Result<bool, CallError> {
        self.call(
            Command::EventQuery(commands::EventQuery { event: event.id(), expected }),
            Input::Nothing,
        )?;
        Ok(self.has_happened(event.id()))
    }

    /// `BeginTraceCapture`: programs enqueued on the queue become part of a trace instead of running.
    ///
    /// # Errors
    /// [`Failure::UnknownQueue`], [`Failure::QueueAlreadyTracing`], [`Failure::DeviceLost`].
    pub fn begin_trace_capture(
        &mut self,
        queue: CommandQueue,
        name: &str,
    ) -> Result<Trace, CallError> {
        let trace = self.next_trace();
        let command = Command::BeginTraceCapture(commands::BeginTraceCapture {
            queue: queue.id(),
            trace: trace.id(),
            name: name.to_owned(),
        });
        self.call(command, Input::Nothing)?;
        Ok(trace)
    }

    /// `EndTraceCapture`: the trace is complete. If the trace region does not hold it beside all live
    /// ones, there is no trace.
    ///
    /// # Errors
    /// [`Failure::UnknownQueue`], [`Failure::UnknownObject`], [`Failure::ReleasedObject`],
    /// [`Failure::QueueNotTracing`], [`Failure::TraceRegionTooSmall`], [`Failure::DeviceLost`].
    pub fn end_trace_capture(
        &mut self,
        queue: CommandQueue,
        trace: Trace,
    ) -> Result<(), CallError> {
        let (queue, trace) = (queue.id(), trace.id());
        self.call(
            Command::EndTraceCapture(commands::EndTraceCapture { queue, trace }),
            Input::Nothing,
        )
    }

    /// `ReplayTrace`: runs every program of a trace as it was when it was enqueued.
    ///
    /// # Errors
    /// [`Failure::UnknownQueue`], [`Failure::UnknownObject`], [`Failure::ReleasedObject`],
    /// [`Failure::TraceNotCaptured`], [`Failure::ReplayDuringTrace`], [`Failure::CoreInUseByQueue`],
    /// [`Failure::DeviceLost`]; a blocking call also what [`Device::finish`] meets.
    pub fn replay_trace(
        &mut self,
        queue: CommandQueue,
        trace: Trace,
        blocking: bool,
    ) -> Result<(), CallError> {
        let (queue, trace) = (queue.id(), trace.id());
        self.call(
            Command::ReplayTrace(commands::ReplayTrace { queue, trace, blocking }),
            Input::Nothing,
        )
    }

    /// `ReleaseTrace`: gives a trace's room back. Replays enqueued before still run.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::ReleasedObject`], [`Failure::TraceNotCaptured`].
    pub fn release_trace(&mut self, trace: Trace) -> Result<(), CallError> {
        self.call(
            Command::ReleaseTrace(commands::ReleaseTrace { trace: trace.id() }),
            Input::Nothing,
        )
    }

    /// `Finish`: executes everything enqueued on a queue and waits for it.
    ///
    /// # Errors
    /// [`Failure::UnknownQueue`], [`Failure::EventDuringTrace`]; [`Failure::DeviceFault`],
    /// [`Failure::Deadlock`] and [`Failure::Hang`], which name the enqueue; [`Failure::DeviceLost`] after any of these.
    pub fn finish(&mut self, queue: CommandQueue) -> Result<(), CallError> {
        self.call(Command::Finish(commands::Finish { queue: queue.id() }), Input::Nothing)
    }

    /// What a read returned, once; `None` if it has not completed or was taken.
    pub fn take_read(&mut self, read: Read) -> Option<CompletedRead> {
        self.host.reads.remove(&read.command())
    }

    /// Every read that completed and was not taken, in the order of the calls.
    pub fn take_reads(&mut self) -> Vec<CompletedRead> {
        std::mem::take(&mut self.host.reads).into_values().collect()
    }

    /// A buffer's bank-relative address as a plain number, which marks the capture under way as
    /// placement-bound: its replay depends on the same address. Pass
    /// [`Argument::BufferAddress`] instead wherever that is possible.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::ReleasedObject`].
    pub fn buffer_address_as_number(&mut self, buffer: Buffer) -> Result<u32, CallError> {
        let address =
            self.host.buffer_address(buffer.id()).map_err(|failure| self.query(failure))?;
        self.mark_placement_bound()?;
        Ok(address)
    }

    /// How NoC requests name a core, as plain numbers x and y, which marks the capture under way as
    /// placement-bound. Needed for compile-time arguments and defines only.
    ///
    /// # Errors
    /// [`Failure::CoreOutsideGrid`].
    pub fn core_noc_coordinate_as_number(
        &mut self,
        core: LogicalCore,
    ) -> Result<(u32, u32), CallError> {
        let noc = self.host.noc_coordinate(core).map_err(|failure| self.query(failure))?;
        self.mark_placement_bound()?;
        Ok((u32::from(noc.x), u32::from(noc.y)))
    }

    /// Where a buffer lies, for reports: its bank-relative address, and for a byte of it the bank,
    /// the tile on the die and the tile address. Does not mark a capture; do not pass it to a kernel.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::ReleasedObject`].
    pub fn locate(&self, buffer: Buffer, byte: u64) -> Result<Option<ByteLocation>, Failure> {
        let extent = &self.host.buffer(buffer.id())?.extent;
        if byte >= extent.size() {
            return Ok(None);
        }
        let page = byte / extent.page_size.max(1);
        let Some(PageLocation { bank, slot }) = extent.mapping.locate(extent.pages.start + page)
        else {
            return Ok(None);
        };
        let in_bank = extent.placement.address
            + slot * extent.placement.page_stride
            + byte % extent.page_size.max(1);
        let banks = self.host.banks.of(extent.buffer_type);
        let found = usize::try_from(bank).ok().and_then(|bank| banks.get(bank));
        Ok(found.map(|place| ByteLocation {
            page,
            bank,
            tile: place.physical,
            address: place.offset.saturating_add(in_bank),
        }))
    }

    /// The handle that the next creation of a buffer gives.
    pub fn next_buffer(&self) -> Buffer {
        BufferId(self.host.objects.buffers.next()).into()
    }

    /// The handle that the next creation of a program gives.
    pub fn next_program(&self) -> Program {
        ProgramId(self.host.objects.programs.next()).into()
    }

    /// The handle that the next creation of a kernel gives.
    pub fn next_kernel(&self) -> Kernel {
        KernelId(self.host.objects.kernels.next()).into()
    }

    /// The handle that the next creation of a circular buffer gives.
    pub fn next_circular_buffer(&self) -> CircularBuffer {
        CircularBufferId(self.host.objects.circular_buffers.next()).into()
    }

    /// The handle that the next creation of a semaphore gives.
    pub fn next_semaphore(&self) -> Semaphore {
        SemaphoreId(self.host.objects.semaphores.next()).into()
    }

    /// The handle that the next recorded event gets.
    pub fn next_event(&self) -> Event {
        EventId(self.host.objects.events.next()).into()
    }

    /// The handle that the next trace gets.
    pub fn next_trace(&self) -> Trace {
        TraceId(self.host.objects.traces.next()).into()
    }

    /// Releases every object and makes ids count from 0 again, so that a capture can begin. What was
    /// enqueued must have been finished.
    ///
    /// # Errors
    /// [`InternalError`] if commands are still queued or a capture is under way.
    pub fn release_all(&mut self) -> Result<(), CallError> {
        if self.has_work() || self.host.recorder.is_active() {
            return Err(
                InternalError::new("release_all with commands queued or while capturing").into()
            );
        }
        let buffers: Vec<_> =
            self.host.objects.buffers.live().map(|(_, state)| state.clone()).collect();
        for state in buffers {
            self.host.give_back(&state);
        }
        self.host.objects.buffers.clear();
        self.host.objects.programs.clear();
        self.host.objects.kernels.clear();
        self.host.objects.circular_buffers.clear();
        self.host.objects.semaphores.clear();
        self.host.objects.events.clear();
        self.host.objects.traces.clear();
        self.hand_on();
        self.host.tracing = Default::default();
        self.host.event_numbers = Default::default();
        self.host.outputs.clear();
        self.host.collected.clear();
        self.host.collected_names.clear();
        self.host.reads.clear();
        self.host.next_command = 0;
        match &mut self.backend {
            Backend::Engine(engine) => {
                engine.forget_events();
                engine.forget_launches();
            }
            Backend::Paper(queues) => queues.forget_events(),
        }
        Ok(())
    }

    /// Marks the capture under way, and every later one: the number may be used in it as well.
    fn mark_placement_bound(&mut self) -> Result<(), CallError> {
        self.host.placement_bound = true;
        Ok(self.host.recorder.placement_bound()?)
    }

    fn query(&self, failure: Failure) -> CallError {
        // Queries are no commands; the nearest call is the one that their result is for.
        crate::HostError::new(hallmark_schema::model::CommandKind::SetRuntimeArgs, failure).into()
    }
}

/// Where a byte of a buffer lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteLocation {
    /// The page that holds it.
    pub page: u64,
    /// The bank that holds the page.
    pub bank: u64,
    /// The bank's tile on the die.
    pub tile: hallmark_chip::PhysicalCoordinate,
    /// The byte's address in that tile.
    pub address: u64,
}
