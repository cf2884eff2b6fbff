//! The calls of a capture, made through TT-Metalium.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hallmark_chip::ChipDescription;
use hallmark_schema::commands;
use hallmark_schema::commands::Wait;
use hallmark_schema::model::{
    ArgumentRelocation, AssignedAddress, Blobs, BufferId, BufferLayout, BufferRegion, BufferType,
    Capture, Command, CommandIndex, CoreRange, DataFormat, DataMovementProcessor, EventId,
    FailureCode, FieldName, Grid, KernelConfig, MathFidelity, NocId, ObjectKind, QueueId,
    RelocatedArgument, ShardOrientation, ShardSpec,
};

use crate::annotations::{Annotations, Extent, Meaning};
use crate::exceptions::{Refusal, refusal};
use crate::interface::{
    Buffer, CText, CircularBuffer, CircularBufferIndex, Interface, Kernel, List, MadeBuffer, Range,
    Sharding,
};

/// TT-Metalium cannot be used, or a capture is not what its validation says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetaliumError {
    /// The library does not load.
    #[error("TT-Metalium cannot be loaded: {reason}")]
    Load {
        /// The loader's words.
        reason: String,
    },
    /// The device does not open.
    #[error("TT-Metalium does not open its device: {reason}")]
    Open {
        /// The vendor's text.
        reason: String,
    },
    /// The chip's grid is smaller than the capture's.
    #[error(
        "the capture asks for {} columns and {} rows of cores, and TT-Metalium offers {} and {}",
        asked.columns, asked.rows, offered.columns, offered.rows
    )]
    Grid {
        /// What the capture asks for.
        asked: Grid,
        /// What the device has.
        offered: Grid,
    },
    /// A source cannot be written for the vendor's build.
    #[error("{} cannot be written: {reason}", path.display())]
    Source {
        /// The file.
        path: PathBuf,
        /// The system's text.
        reason: String,
    },
    /// The capture breaks a rule of its format, or lacks data.
    #[error("command {command}: {what}; use an undamaged copy of the capture, or capture again")]
    Capture {
        /// The call.
        command: CommandIndex,
        /// What is wrong.
        what: String,
    },
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallEnd {
    /// Well.
    Done,
    /// With an exception of upstream's.
    Exception {
        /// The text that says what it is about.
        text: String,
        /// What the text means, if it is known.
        refusal: Option<Refusal>,
    },
}

/// A read that has completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletedRead {
    /// The call that read.
    pub command: CommandIndex,
    /// The buffer that was read.
    pub buffer: BufferId,
    /// What it returned.
    pub bytes: Vec<u8>,
}

/// A buffer of the capture.
#[derive(Clone, Debug)]
struct BufferState {
    /// Its own id, or of a view that of the buffer that it shows a part of.
    whole: BufferId,
    /// What of the whole buffer it is.
    region: BufferRegion,
    /// Bytes of the whole buffer.
    size: u64,
    extent: Extent,
    is_allocated: bool,
    shard_spec: Option<ShardSpec>,
}

/// A read that nothing has waited for yet. Upstream has done it, because it knows only reads that block; for the
/// capture it completes with the call that waits for it.
#[derive(Clone, Debug)]
struct PendingRead {
    queue: QueueId,
    read: CompletedRead,
}

/// Bytes that upstream gets at least where a capture has room for traces: upstream's traces hold whole programs, which
/// take many times the room of Hallmark's.
const TRACE_REGION: u64 = 1 << 20;

/// How long a host asks for an event that it expects to have happened.
const EVENT_TIMEOUT: Duration = Duration::from_secs(10);

/// TT-Metalium with its device open.
#[derive(Debug)]
pub struct Metalium<'c> {
    interface: Interface,
    capture: &'c Capture,
    sources: PathBuf,
    grid: Grid,
    buffers: BTreeMap<BufferId, BufferState>,
    addresses: Vec<AssignedAddress>,
    pending: Vec<PendingRead>,
    /// For each event the queue that it was recorded on, and how many calls had been made by then.
    events: BTreeMap<EventId, (QueueId, CommandIndex)>,
    completed: Vec<CompletedRead>,
    annotations: Option<Annotations>,
    /// A trace is being captured: nothing runs that could be waited for.
    is_capturing: bool,
}

/// The part of an exception's text that says what it is about: upstream adds where, and a backtrace.
fn essence(text: &str) -> String {
    let text = text.split("\nbacktrace:").next().unwrap_or(text);
    let text = text.split_once("\ninfo:\n").map_or(text, |(_, text)| text);
    text.trim().to_owned()
}

/// A rule of the format that validation checks.
fn unknown(what: ObjectKind, id: u32) -> String {
    format!("{what} {id} is used before it is created")
}

fn ranges(cores: &[CoreRange]) -> Vec<Range> {
    cores
        .iter()
        .map(|range| Range {
            start_x: range.start.x,
            start_y: range.start.y,
            end_x: range.end.x,
            end_y: range.end.y,
        })
        .collect()
}

/// Upstream's `TensorMemoryLayout`.
const fn layout(layout: BufferLayout) -> u32 {
    match layout {
        BufferLayout::Interleaved => 0,
        BufferLayout::HeightSharded => 2,
        BufferLayout::WidthSharded => 3,
        BufferLayout::BlockSharded => 4,
    }
}

/// Upstream's `tt::DataFormat`.
const fn data_format(format: DataFormat) -> u32 {
    match format {
        DataFormat::Float32 => 0,
        DataFormat::Float16B => 5,
        DataFormat::Int32 => 8,
        DataFormat::UInt16 => 9,
        DataFormat::UInt32 => 24,
        DataFormat::UInt8 => 30,
    }
}

/// Upstream's `MathFidelity`.
const fn math_fidelity(fidelity: MathFidelity) -> u32 {
    match fidelity {
        MathFidelity::LoFi => 0,
        MathFidelity::HiFi2 => 2,
        MathFidelity::HiFi3 => 3,
        MathFidelity::HiFi4 => 4,
    }
}

/// Why a call was not made, or how it failed.
enum Trouble {
    /// Upstream threw an exception.
    Exception(String),
    /// Upstream gave another answer about an event than the program expects.
    EventState { expected: bool, actual: bool },
    /// The capture is at fault.
    Capture(String),
}

impl From<String> for Trouble {
    fn from(text: String) -> Self {
        Self::Exception(text)
    }
}

impl<'c> Metalium<'c> {
    /// Loads the interface, writes the capture's sources into a folder, and opens the device.
    ///
    /// # Errors
    /// [`MetaliumError`]. The vendor's code may also end the process.
    pub fn open(
        interface: &Path,
        capture: &'c Capture,
        sources: &Path,
    ) -> Result<Self, MetaliumError> {
        write_sources(capture, sources)?;
        let mut interface =
            Interface::load(interface).map_err(|reason| MetaliumError::Load { reason })?;
        let mut grid = [0; 2];
        let queues = u32::from(capture.program.num_command_queues);
        let trace_region = match capture.program.trace_region_size {
            0 => 0,
            asked => asked.max(TRACE_REGION),
        };
        interface
            .open(trace_region, queues, &mut grid)
            .map_err(|text| MetaliumError::Open { reason: essence(&text) })?;
        let [columns, rows] = grid;
        let (asked, offered) = (capture.program.grid, Grid { columns, rows });
        if asked.columns > offered.columns || asked.rows > offered.rows {
            return Err(MetaliumError::Grid { asked, offered });
        }
        let chip = ChipDescription::of(capture.program.architecture);
        let annotations = Annotations::of(&mut interface, chip, offered)
            .map_err(|text| MetaliumError::Open { reason: essence(&text) })?;
        Ok(Self {
            interface,
            annotations,
            is_capturing: false,
            capture,
            sources: sources.to_owned(),
            grid: offered,
            buffers: BTreeMap::new(),
            addresses: Vec::new(),
            pending: Vec::new(),
            events: BTreeMap::new(),
            completed: Vec::new(),
        })
    }

    /// The cores that it offers.
    pub const fn grid(&self) -> Grid {
        self.grid
    }

    /// Where upstream has put buffers, in the order of the calls.
    pub fn addresses(&self) -> &[AssignedAddress] {
        &self.addresses
    }

    /// The reads that have completed since this was called last, in the order of their calls.
    pub fn take_reads(&mut self) -> Vec<CompletedRead> {
        std::mem::take(&mut self.completed)
    }

    /// Makes a call.
    ///
    /// # Errors
    /// [`MetaliumError::Capture`]: the capture was not validated, or lacks data.
    pub fn make_call(
        &mut self,
        index: CommandIndex,
        command: &Command,
    ) -> Result<CallEnd, MetaliumError> {
        match self.call(index, command) {
            Ok(()) => {
                self.complete(command.waits_for());
                Ok(CallEnd::Done)
            }
            Err(Trouble::Exception(text)) => {
                let text = essence(&text);
                let refusal = refusal(&text);
                Ok(CallEnd::Exception { text, refusal })
            }
            Err(Trouble::EventState { expected, actual }) => {
                let numbers = [(FieldName::Expected, expected), (FieldName::Actual, actual)];
                let fields = numbers.map(|(name, said)| (name, u64::from(said))).to_vec();
                let said = if actual { "has happened" } else { "has not happened" };
                Ok(CallEnd::Exception {
                    text: format!("EventQuery: the event {said}"),
                    refusal: Some(Refusal { code: FailureCode::EventStateMismatch, fields }),
                })
            }
            Err(Trouble::Capture(what)) => Err(MetaliumError::Capture { command: index, what }),
        }
    }

    /// Closes the device.
    ///
    /// # Errors
    /// The vendor's text.
    pub fn close(mut self) -> Result<(), String> {
        self.interface.close().map_err(|text| essence(&text))
    }

    /// The reads that a call has waited for are complete.
    fn complete(&mut self, wait: Wait) {
        let is_done = |pending: &PendingRead| match wait {
            Wait::Nothing => false,
            Wait::Queue(queue) => pending.queue == queue,
            Wait::AllQueues => true,
            Wait::Event(event) => self.events.get(&event).is_some_and(|(queue, before)| {
                pending.queue == *queue && pending.read.command < *before
            }),
        };
        let (done, pending) =
            std::mem::take(&mut self.pending).into_iter().partition::<Vec<_>, _>(is_done);
        self.pending = pending;
        self.completed.extend(done.into_iter().map(|pending| pending.read));
    }

    fn buffer(&self, id: BufferId) -> Result<&BufferState, Trouble> {
        let unknown = || Trouble::Capture(unknown(ObjectKind::Buffer, id.0));
        self.buffers.get(&id).ok_or_else(unknown)
    }

    fn call(&mut self, index: CommandIndex, command: &Command) -> Result<(), Trouble> {
        match command {
            Command::CreateBuffer(call) => self.create_buffer(call),
            Command::CreateBufferView(call) => self.create_view(call),
            Command::DeallocateBuffer(call) => {
                // The end of a view is none of its buffer's.
                if self.buffer(call.buffer)?.whole != call.buffer {
                    return Ok(());
                }
                self.interface.deallocate_buffer(call.buffer.0)?;
                self.annotate_freed(call.buffer)
            }
            Command::CreateProgram(call) => Ok(self.interface.create_program(call.program.0)?),
            Command::CreateKernel(call) => self.create_kernel(call),
            Command::SetRuntimeArgs(call) => self.set_runtime_args(call),
            Command::SetCommonRuntimeArgs(call) => {
                let words = self.words(&call.values, &call.relocations)?;
                let words = List::from(words.as_slice());
                Ok(self.interface.set_common_runtime_args(call.kernel.0, words)?)
            }
            Command::UpdateCommonRuntimeArgs(call) => {
                let words = self.words(&call.values, &call.relocations)?;
                let words = List::from(words.as_slice());
                Ok(self.interface.update_common_runtime_args(call.kernel.0, call.first, words)?)
            }
            Command::CreateSemaphore(call) => {
                let cores = ranges(&call.cores);
                let mut number = 0;
                let cores = List::from(cores.as_slice());
                let (program, value) = (call.program.0, call.initial_value);
                Ok(self.interface.create_semaphore(program, cores, value, &mut number)?)
            }
            Command::CreateCircularBuffer(call) => self.create_circular_buffer(call),
            Command::UpdateCircularBufferTotalSize(call) => {
                let total = narrow(call.total_size)?;
                let id = call.circular_buffer.0;
                Ok(self.interface.update_circular_buffer_total_size(id, total)?)
            }
            Command::UpdateCircularBufferPageSize(call) => {
                let id = call.circular_buffer.0;
                let (index, page_size) = (call.index, call.page_size);
                Ok(self.interface.update_circular_buffer_page_size(id, index, page_size)?)
            }
            Command::UpdateDynamicCircularBufferAddress(call) => {
                let buffer = self.buffer(call.buffer)?.whole.0;
                let (id, offset) = (call.circular_buffer.0, call.address_offset);
                Ok(self.interface.update_dynamic_circular_buffer_address(id, buffer, offset)?)
            }
            Command::UpdateDynamicCircularBufferAddressAndTotalSize(call) => {
                let buffer = self.buffer(call.buffer)?.whole.0;
                let (id, total) = (call.circular_buffer.0, narrow(call.total_size)?);
                let interface = &mut self.interface;
                let update = Interface::update_dynamic_circular_buffer_address_and_total_size;
                Ok(update(interface, id, buffer, total)?)
            }
            Command::EnqueueWriteBuffer(call) => self.write(call),
            Command::EnqueueReadBuffer(call) => self.read(index, call),
            Command::EnqueueProgram(call) => {
                let blocking = u32::from(call.blocking);
                let (queue, program) = (u32::from(call.queue.0), call.program.0);
                Ok(self.interface.enqueue_program(queue, program, blocking)?)
            }
            Command::Finish(call) => Ok(self.interface.finish(u32::from(call.queue.0))?),
            Command::Synchronize(_) => self.finish_all(),
            Command::EnqueueRecordEvent(call) => {
                let (queue, event) = (u32::from(call.queue.0), call.event.0);
                self.interface.record_event(queue, event, u32::from(call.host_visible))?;
                self.events.insert(call.event, (call.queue, index));
                Ok(())
            }
            Command::EnqueueWaitForEvent(call) => {
                Ok(self.interface.wait_for_event(u32::from(call.queue.0), call.event.0)?)
            }
            Command::EventSynchronize(call) => {
                Ok(self.interface.synchronize_event(call.event.0)?)
            }
            Command::EventQuery(call) => {
                let mut answer = 0;
                let begin = Instant::now();
                // Upstream's device runs by itself, and not as often as it is asked.
                loop {
                    self.interface.query_event(call.event.0, &mut answer)?;
                    let is_late = call.expected == Some(true) && answer == 0;
                    if !is_late || begin.elapsed() > EVENT_TIMEOUT {
                        break;
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
                match call.expected {
                    Some(expected) if expected != (answer != 0) => {
                        Err(Trouble::EventState { expected, actual: answer != 0 })
                    }
                    Some(_) | None => Ok(()),
                }
            }
            Command::BeginTraceCapture(call) => {
                self.interface.begin_trace(u32::from(call.queue.0), call.trace.0)?;
                self.is_capturing = true;
                Ok(())
            }
            Command::EndTraceCapture(call) => {
                self.is_capturing = false;
                Ok(self.interface.end_trace(u32::from(call.queue.0), call.trace.0)?)
            }
            Command::ReplayTrace(call) => {
                let (queue, blocking) = (u32::from(call.queue.0), u32::from(call.blocking));
                Ok(self.interface.replay_trace(queue, call.trace.0, blocking)?)
            }
            Command::ReleaseTrace(call) => Ok(self.interface.release_trace(call.trace.0)?),
            Command::CollectTrace(_) | Command::LoadTrace(_) => {
                Err(Trouble::Capture("TT-Metalium has no traces as bytes".to_owned()))
            }
        }
    }

    fn finish_all(&mut self) -> Result<(), Trouble> {
        for queue in 0..u32::from(self.capture.program.num_command_queues) {
            self.interface.finish(queue)?;
        }
        Ok(())
    }

    /// Tells a simulator that wants to know what memory is for: while nothing runs, so that programs keep what they
    /// were enqueued with.
    fn annotate(&mut self, extent: Extent, meaning: Meaning) -> Result<(), Trouble> {
        if self.annotations.is_none() || self.is_capturing {
            return Ok(());
        }
        self.finish_all()?;
        let Some(annotations) = &self.annotations else { return Ok(()) };
        Ok(annotations.say(&mut self.interface, extent, meaning)?)
    }

    /// Memory that was given back twice may be another buffer's by then.
    fn annotate_freed(&mut self, buffer: BufferId) -> Result<(), Trouble> {
        let Some(state) = self.buffers.get_mut(&buffer) else { return Ok(()) };
        if !std::mem::take(&mut state.is_allocated) {
            return Ok(());
        }
        let extent = state.extent;
        self.annotate(extent, Meaning::Freed)
    }

    fn create_buffer(&mut self, call: &commands::CreateBuffer) -> Result<(), Trouble> {
        let cores = call.shard_spec.as_ref().map(|spec| ranges(&spec.cores)).unwrap_or_default();
        let sharding = call.shard_spec.as_ref().map(|spec| Sharding {
            cores: List::from(cores.as_slice()),
            shape: [spec.shape.height, spec.shape.width],
            page_shape: [spec.page_shape.height, spec.page_shape.width],
            tensor_shape_in_pages: [
                spec.tensor2d_shape_in_pages.height,
                spec.tensor2d_shape_in_pages.width,
            ],
            is_column_major: u32::from(spec.orientation == ShardOrientation::ColMajor),
        });
        let buffer = Buffer {
            size: call.size,
            page_size: call.page_size,
            is_l1: u32::from(call.buffer_type == BufferType::L1),
            bottom_up: call.bottom_up.map_or(-1, i32::from),
            layout: layout(call.layout),
        };
        let mut made = MadeBuffer::default();
        self.interface.create_buffer(call.buffer.0, &buffer, sharding.as_ref(), &mut made)?;
        let MadeBuffer { address, size_per_bank } = made;
        let extent = Extent { buffer_type: call.buffer_type, address, size_per_bank };
        self.annotate(extent, Meaning::Buffer)?;
        let state = BufferState {
            whole: call.buffer,
            region: BufferRegion::whole(call.size),
            size: call.size,
            extent,
            is_allocated: true,
            shard_spec: call.shard_spec.clone(),
        };
        self.buffers.insert(call.buffer, state);
        let (object, id) = (ObjectKind::Buffer, call.buffer.0);
        self.addresses.push(AssignedAddress { object, id, address });
        Ok(())
    }

    /// Upstream's mesh buffers have no views: a view is a region of the whole buffer, with its address. Upstream checks
    /// it on the device's buffer behind the mesh buffer.
    fn create_view(&mut self, call: &commands::CreateBufferView) -> Result<(), Trouble> {
        let parent = self.buffer(call.parent)?.clone();
        let offset = parent.region.offset.saturating_add(call.region.offset);
        let region = BufferRegion { offset, size: call.region.size };
        let (of, within) = (parent.region, call.region);
        self.interface.check_view(
            parent.whole.0,
            of.offset,
            of.size,
            within.offset,
            within.size,
        )?;
        self.buffers.insert(call.buffer, BufferState { region, ..parent });
        Ok(())
    }

    fn create_kernel(&mut self, call: &commands::CreateKernel) -> Result<(), Trouble> {
        let text = |text: &str| {
            CString::new(text).map_err(|_| Trouble::Capture("a text holds a zero".to_owned()))
        };
        let path = text(&self.sources.join(&call.source).display().to_string())?;
        let cores = ranges(&call.cores);
        let mut defines = Vec::new();
        for (name, value) in &call.defines {
            defines.push([text(name)?, text(value)?]);
        }
        let borrowed: Vec<[CText<'_>; 2]> = defines
            .iter()
            .map(|[name, value]| [name.as_c_str().into(), value.as_c_str().into()])
            .collect();
        let (cores, compile_args) = (cores.as_slice().into(), call.compile_args.as_slice().into());
        let defines = borrowed.as_slice().into();
        let kernel = Kernel::new(path.as_c_str().into(), cores, compile_args, defines);
        let kernel = match call.config {
            KernelConfig::DataMovement { processor, noc } => Kernel {
                processor: u32::from(processor == DataMovementProcessor::Riscv1),
                noc: u32::from(noc == NocId::Noc1),
                ..kernel
            },
            KernelConfig::Compute { math_fidelity: passes, fp32_dest_acc_en, math_approx_mode } => {
                Kernel {
                    is_compute: 1,
                    math_fidelity: math_fidelity(passes),
                    fp32_dest_acc_en: u32::from(fp32_dest_acc_en),
                    math_approx_mode: u32::from(math_approx_mode),
                    ..kernel
                }
            }
        };
        Ok(self.interface.create_kernel(call.kernel.0, call.program.0, &kernel)?)
    }

    fn set_runtime_args(&mut self, call: &commands::SetRuntimeArgs) -> Result<(), Trouble> {
        for arguments in &call.args {
            let words = self.words(&arguments.values, &arguments.relocations)?;
            let cores = ranges(&arguments.cores);
            let (cores, words) = (cores.as_slice().into(), words.as_slice().into());
            self.interface.set_runtime_args(call.kernel.0, cores, words)?;
        }
        Ok(())
    }

    fn create_circular_buffer(
        &mut self,
        call: &commands::CreateCircularBuffer,
    ) -> Result<(), Trouble> {
        let cores = ranges(&call.cores);
        let indices: Vec<CircularBufferIndex> = call
            .indices
            .iter()
            .map(|index| CircularBufferIndex {
                index: index.index,
                page_size: index.page_size,
                data_format: data_format(index.data_format),
            })
            .collect();
        let (buffer, address_offset) = match &call.globally_allocated_address {
            Some(address) => {
                (i64::from(self.buffer(address.buffer)?.whole.0), address.address_offset)
            }
            None => (-1, 0),
        };
        let made = CircularBuffer {
            cores: cores.as_slice().into(),
            total_size: narrow(call.total_size)?,
            indices: indices.as_slice().into(),
            buffer,
            address_offset,
        };
        let (id, program) = (call.circular_buffer.0, call.program.0);
        Ok(self.interface.create_circular_buffer(id, program, &made)?)
    }

    fn write(&mut self, call: &commands::EnqueueWriteBuffer) -> Result<(), Trouble> {
        let state = self.buffer(call.buffer)?;
        let region = within(state.region, call.region);
        let whole = state.whole.0;
        let bytes = call
            .data
            .bytes(&self.capture.blobs)
            .map_err(|error| Trouble::Capture(error.to_string()))?;
        let (queue, blocking) = (u32::from(call.queue.0), u32::from(call.blocking));
        Ok(self.interface.write(queue, whole, &bytes, region.offset, blocking)?)
    }

    fn read(
        &mut self,
        command: CommandIndex,
        call: &commands::EnqueueReadBuffer,
    ) -> Result<(), Trouble> {
        let state = self.buffer(call.buffer)?;
        let region = within(state.region, call.region);
        let size = usize::try_from(state.size)
            .map_err(|_| Trouble::Capture("the buffer is larger than memory".to_owned()))?;
        let whole = state.whole.0;
        let all = self.interface.read(u32::from(call.queue.0), whole, size)?;
        let range = usize::try_from(region.offset)
            .ok()
            .zip(usize::try_from(region.offset.saturating_add(region.size)).ok())
            .and_then(|(start, end)| all.get(start..end));
        let bytes = range.unwrap_or_default().to_vec();
        let read = CompletedRead { command, buffer: call.buffer, bytes };
        self.pending.push(PendingRead { queue: call.queue, read });
        Ok(())
    }

    /// Arguments with everything filled in that the runtime fills in.
    fn words(
        &mut self,
        values: &[u32],
        relocations: &[ArgumentRelocation],
    ) -> Result<Vec<u32>, Trouble> {
        let mut words = values.to_vec();
        for relocation in relocations {
            let value = self.word(relocation.argument)?;
            let word = usize::try_from(relocation.index).ok().and_then(|at| words.get_mut(at));
            let missing = || Trouble::Capture("a relocation lies behind the last word".to_owned());
            *word.ok_or_else(missing)? = value;
        }
        Ok(words)
    }

    fn word(&mut self, argument: RelocatedArgument) -> Result<u32, Trouble> {
        match argument {
            RelocatedArgument::BufferAddress { buffer, offset } => {
                Ok(narrow(self.buffer(buffer)?.extent.address)?.wrapping_add(offset))
            }
            RelocatedArgument::SemaphoreAddress { .. } => {
                Err(Trouble::Capture("an argument holds a semaphore's address".to_owned()))
            }
            RelocatedArgument::CoreNocX { x, y } => Ok(self.worker_core(x.into(), y.into())?[0]),
            RelocatedArgument::CoreNocY { x, y } => Ok(self.worker_core(x.into(), y.into())?[1]),
            RelocatedArgument::ShardBankPair { buffer, pair } => {
                let first = u64::from(pair).saturating_mul(2);
                let low = self.shard_bank(buffer, first)?;
                let high = self.shard_bank(buffer, first.saturating_add(1))?;
                Ok(low | high << 16)
            }
        }
    }

    /// The bank of a shard as `TensorAccessor` reads it.
    fn shard_bank(&mut self, buffer: BufferId, shard: u64) -> Result<u32, Trouble> {
        let state = self.buffer(buffer)?;
        let kind = state.extent.buffer_type;
        let Some(spec) = &state.shard_spec else {
            return Err(Trouble::Capture("a buffer without shards has no shard's bank".to_owned()));
        };
        let at = usize::try_from(shard).unwrap_or(usize::MAX);
        let Some(core) = spec.cores_in_order().nth(at) else { return Ok(0) };
        match kind {
            BufferType::Dram => Ok(core.x << 8),
            BufferType::L1 => {
                let [x, y] = self.worker_core(core.x, core.y)?;
                Ok(x << 8 | y)
            }
        }
    }

    fn worker_core(&mut self, x: u32, y: u32) -> Result<[u32; 2], Trouble> {
        let mut core = [0; 2];
        self.interface.worker_core(x, y, &mut core)?;
        Ok(core)
    }
}

/// Sizes and addresses are 32-bit numbers upstream.
fn narrow(value: u64) -> Result<u32, Trouble> {
    u32::try_from(value)
        .map_err(|_| Trouble::Exception(format!("{value} does not fit into 32 bits")))
}

/// A region of a view as a region of the whole buffer.
fn within(view: BufferRegion, region: Option<BufferRegion>) -> BufferRegion {
    match region {
        None => view,
        Some(region) => {
            BufferRegion { offset: view.offset.saturating_add(region.offset), size: region.size }
        }
    }
}

/// Writes the capture's sources for the vendor's build.
fn write_sources(capture: &Capture, folder: &Path) -> Result<(), MetaliumError> {
    let blobs: &Blobs = &capture.blobs;
    for source in &capture.program.sources {
        let path = folder.join(&source.path);
        let failed = |error: std::io::Error| MetaliumError::Source {
            path: path.clone(),
            reason: error.to_string(),
        };
        let missing = || std::io::Error::other("the capture does not embed it");
        let bytes = blobs.get(&source.hash).ok_or_else(|| failed(missing()))?;
        std::fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(failed)?;
        std::fs::write(&path, bytes).map_err(failed)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_is_told_without_its_place_and_backtrace() {
        let text = "TT_FATAL @ /a/b.cpp:12: size > 0\ninfo:\nsize is 0\nbacktrace:\n --- x\n";
        assert_eq!(essence(text), "size is 0");
        assert_eq!(essence("vector::_M_range_check"), "vector::_M_range_check");
    }
}
