//! Makes the calls of a capture through TT-Metalium.

mod buffers;
mod launches;
mod numbers;
mod programs;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hallmark_chip::ChipDescription;
use hallmark_schema::commands::Wait;
use hallmark_schema::model::{
    AssignedAddress, Blobs, BufferId, BufferRegion, Capture, Command, CommandIndex, EventId,
    FailureCode, FieldName, Grid, ObjectKind, QueueId, ShardSpec,
};

use self::launches::StatedPrograms;
use self::numbers::{narrow, ranges};
use self::programs::scratchpads;
use crate::ReleaseDescription;
use crate::annotations::{Annotations, Extent};
use crate::exceptions::{Refusal, essence};
use crate::interface::{Interface, List, Opening};

/// TT-Metalium cannot be used, or a capture is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetaliumError {
    /// The library does not load.
    #[error("TT-Metalium cannot be loaded: {reason}")]
    Load {
        /// The loader's message.
        reason: String,
    },
    /// The library's objects differ from their description.
    #[error(
        "TT-Metalium differs from the description of {release}: {reason}; use the ttnn wheel {release}"
    )]
    SelfTest {
        /// The described release.
        release: String,
        /// The object and its difference.
        reason: String,
    },
    /// The device does not open.
    #[error("TT-Metalium does not open its device: {reason}")]
    Open {
        /// The vendor's message.
        reason: String,
    },
    /// The chip's grid is smaller than the requested one.
    #[error(
        "the capture asks for {} columns and {} rows of cores, and TT-Metalium offers {} and {}",
        asked.columns, asked.rows, offered.columns, offered.rows
    )]
    Grid {
        /// The requested grid.
        asked: Grid,
        /// The device's grid.
        offered: Grid,
    },
    /// A source cannot be written to the folder for the vendor's build.
    #[error("{} cannot be written: {reason}", path.display())]
    Source {
        /// The file.
        path: PathBuf,
        /// The system's message.
        reason: String,
    },
    /// The capture breaks a rule of its format, or lacks data.
    #[error("command {command}: {what}; use an undamaged copy of the capture, or capture again")]
    Capture {
        /// The call.
        command: CommandIndex,
        /// The problem.
        what: String,
    },
}

/// The outcome of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallEnd {
    /// The call returned.
    Done,
    /// Upstream threw an exception.
    Exception {
        /// The essential part of the exception's text.
        text: String,
        /// The meaning of the text, if it is known.
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
    /// The bytes that it returned.
    pub bytes: Vec<u8>,
}

/// A buffer of the capture.
#[derive(Clone, Debug)]
struct BufferState {
    /// Its own id, or the id of a view's buffer.
    whole: BufferId,
    /// Its region of the whole buffer.
    region: BufferRegion,
    /// Bytes of the whole buffer.
    size: u64,
    extent: Extent,
    is_allocated: bool,
    shard_spec: Option<ShardSpec>,
}

/// A read that no call has waited for. Upstream has only blocking reads, so the bytes are already there; for
/// the capture the read completes with the call that waits for it.
#[derive(Clone, Debug)]
struct PendingRead {
    queue: QueueId,
    read: CompletedRead,
}

/// The smallest trace region passed to upstream if a capture has one: upstream's traces hold whole programs,
/// which take many times the room of Hallmark's.
const TRACE_REGION: u64 = 1 << 20;

/// The time limit for an event that is expected to have happened.
const EVENT_TIMEOUT: Duration = Duration::from_secs(10);

/// TT-Metalium with an open device.
#[derive(Debug)]
pub struct Metalium<'c> {
    interface: Interface,
    release: &'static ReleaseDescription,
    capture: &'c Capture,
    sources: PathBuf,
    grid: Grid,
    buffers: BTreeMap<BufferId, BufferState>,
    addresses: Vec<AssignedAddress>,
    pending: Vec<PendingRead>,
    /// The queue of each event, and the number of calls made before it.
    events: BTreeMap<EventId, (QueueId, CommandIndex)>,
    completed: Vec<CompletedRead>,
    annotations: Option<Annotations>,
    /// The programs, for a simulator that finds their launches.
    programs: Option<StatedPrograms>,
    /// A trace is being captured, so a wait could never end.
    is_capturing: bool,
}

/// A reference that validation should have refused.
fn unknown(what: ObjectKind, id: u32) -> String {
    format!("{what} {id} is used before it is created")
}

/// Why a call was not made, or why it failed.
enum Trouble {
    /// Upstream threw an exception.
    Exception(String),
    /// Upstream's answer about an event differs from the program's expectation.
    EventState { expected: bool, actual: bool },
    /// The capture is invalid.
    Capture(String),
}

impl From<String> for Trouble {
    fn from(text: String) -> Self {
        Self::Exception(text)
    }
}

impl<'c> Metalium<'c> {
    /// Loads the interface to a library of this release, writes the capture's sources into a folder, and opens the
    /// device.
    ///
    /// # Errors
    /// [`MetaliumError`]. The vendor's code may also terminate the process.
    pub fn open(
        interface: &Path,
        release: &'static ReleaseDescription,
        capture: &'c Capture,
        sources: &Path,
    ) -> Result<Self, MetaliumError> {
        write_sources(capture, sources)?;
        let mut interface =
            Interface::load(interface).map_err(|reason| MetaliumError::Load { reason })?;
        self_test(&mut interface, release)?;
        let mut grid = [0; 2];
        let queues = u32::from(capture.program.num_command_queues);
        let trace_region = match capture.program.trace_region_size {
            0 => 0,
            asked => asked.max(TRACE_REGION),
        };
        let opening = Opening {
            trace_region_size: trace_region,
            l1_small_size: capture.program.l1_small_size,
            worker_l1_size: capture.program.worker_l1_size,
            queues,
        };
        interface
            .open(&opening, &mut grid)
            .map_err(|text| MetaliumError::Open { reason: essence(&text) })?;
        let [columns, rows] = grid;
        let (asked, offered) = (capture.program.grid, Grid { columns, rows });
        if asked.columns > offered.columns || asked.rows > offered.rows {
            return Err(MetaliumError::Grid { asked, offered });
        }
        let chip = ChipDescription::of(capture.program.architecture);
        let annotations = Annotations::of(&mut interface, chip, offered)
            .map_err(|text| MetaliumError::Open { reason: essence(&text) })?;
        let mut finds_launches = 0;
        interface
            .takes_programs(&mut finds_launches)
            .map_err(|text| MetaliumError::Open { reason: essence(&text) })?;
        let messages = release.launch_messages(capture.program.architecture);
        let messages = messages.filter(|_| finds_launches != 0);
        Ok(Self {
            interface,
            release,
            annotations,
            programs: messages.map(StatedPrograms::new),
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

    /// The grid of cores of the device.
    pub const fn grid(&self) -> Grid {
        self.grid
    }

    /// The addresses that upstream has assigned to buffers, in the order of the calls.
    pub fn addresses(&self) -> &[AssignedAddress] {
        &self.addresses
    }

    /// Takes the reads completed since the last call of this function, in the order of their calls.
    pub fn take_reads(&mut self) -> Vec<CompletedRead> {
        std::mem::take(&mut self.completed)
    }

    /// Makes a call.
    ///
    /// # Errors
    /// [`MetaliumError::Capture`]: the capture is invalid, or lacks data.
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
                let refusal = self.release.refusal(&text);
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

    /// Waits for everything that was enqueued. While a trace is being captured nothing is done, because upstream then
    /// waits for no queue.
    ///
    /// # Errors
    /// The essential part of the vendor's message.
    pub fn drain(&mut self) -> Result<(), String> {
        if self.is_capturing {
            return Ok(());
        }
        for queue in 0..u32::from(self.capture.program.num_command_queues) {
            self.interface.finish(queue).map_err(|text| essence(&text))?;
        }
        Ok(())
    }

    /// Closes the device.
    ///
    /// # Errors
    /// The vendor's message.
    pub fn close(mut self) -> Result<(), String> {
        self.interface.close().map_err(|text| essence(&text))
    }

    /// Completes the reads that a call has waited for.
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
                // The release of a view does not release its buffer.
                if self.buffer(call.buffer)?.whole != call.buffer {
                    return Ok(());
                }
                self.interface.deallocate_buffer(call.buffer.0)?;
                self.annotate_freed(call.buffer)
            }
            Command::CreateProgram(call) => self.create_program(call.program),
            Command::CreateKernel(call) => self.create_kernel(call),
            Command::SetRuntimeArgs(call) => self.set_runtime_args(call),
            Command::SetCommonRuntimeArgs(call) => {
                let words = self.words(&call.values, &call.relocations)?;
                let scratchpads = scratchpads(&call.relocations);
                let made = scratchpads.as_slice().into();
                let given = words.as_slice().into();
                self.interface.set_common_runtime_args(call.kernel.0, given, made)?;
                self.note(|programs| programs.set_common_arguments(call.kernel, words.len()));
                Ok(())
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
                self.interface.create_semaphore(program, cores, value, &mut number)?;
                self.note(|programs| programs.add_semaphore(call, number));
                Ok(())
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
                self.state_program(call.program)?;
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
                // Upstream's device runs on its own, independent of the number of queries.
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
                self.state_captured_programs()?;
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
}

/// Looks whether the library's objects are as described.
///
/// # Errors
/// [`MetaliumError::SelfTest`]. Objects of other sizes may also terminate the process.
pub(crate) fn self_test(
    interface: &mut Interface,
    release: &ReleaseDescription,
) -> Result<(), MetaliumError> {
    interface.self_test().map_err(|text| MetaliumError::SelfTest {
        release: release.version().to_owned(),
        reason: essence(&text),
    })
}

/// Writes the capture's sources to the folder for the vendor's build.
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
