//! Converts a recording to a capture: objects get ids, programs become the calls that create and change them,
//! argument words that are addresses become relocations, and content that captures cannot hold is left out and
//! named.

mod arguments;
mod bindings;
mod buffers;
mod calls;
mod core_ranges;
mod cuts;
mod data;
mod gaps;
mod live_buffers;
mod missing;
mod programs;
mod queues;
mod record;
mod relocations;
mod second;
mod sources;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use hallmark_chip::Architecture;
use hallmark_metalium::{ReleaseDescription, essence};
use hallmark_schema::CaptureError;
use hallmark_schema::limits;
use hallmark_schema::model::{
    AssignedAddress, Blobs, Capture, Command, CommandIndex, CommandKind, EventId, FieldName, Grid,
    ObjectKind, Outcome, ReadResult, TraceId,
};

pub use self::data::DataPolicy;
pub use self::missing::{BufferProblem, Inconvertible, Missing, TransferProblem};
pub use self::relocations::{RelocationStatistics, WordLocation};
pub use self::second::Difference;
pub use self::sources::{ReadSource, read_source};

use self::buffers::{BufferCall, Buffers};
use self::calls::Calls;
use self::cuts::Cuts;
use self::gaps::Gaps;
use self::programs::{ConvertedProgram, ProgramChanges, program_name};
use self::second::SecondRecording;
use self::sources::{SourceCollector, Sources};
use crate::event::{
    BufferAllocated, DeviceOpened, Entry, Event, ObservedBuffer, ObservedEvent, ObservedProgram,
    ObservedTrace, ProgramDescription, ThreadNumber,
};
use crate::selection::Selection;

/// The largest number of calls of one launch, without those for its arguments. A capture near its limit keeps
/// room for them.
const CALLS_OF_AN_EVENT: usize = 1 << 14;

/// Inputs of a conversion that the recording does not contain.
#[derive(Clone, Copy)]
pub struct ConversionOptions<'o> {
    /// Reads a file that a kernel includes.
    pub read: ReadSource<'o>,
    /// The release of TT-Metalium.
    pub release: &'o str,
    /// The description of its library.
    pub description: &'static ReleaseDescription,
    /// The build id of its library, as hexadecimal digits.
    pub build_id: &'o str,
    /// The compiler of its kernels, as the compiler identifies itself; empty if unknown.
    pub kernel_compiler: &'o str,
    /// The part of the data of writes that the capture keeps.
    pub data: DataPolicy,
    /// The same command recorded again, with its buffers at other addresses.
    pub second: Option<&'o [Entry]>,
}

/// A recording as a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// The capture.
    pub capture: Capture,
    /// The parts of the recording that the capture lacks, each once, in the order in which they were found.
    pub missing: Vec<Missing>,
    /// Statistics of the relocations of argument words.
    pub relocations: RelocationStatistics,
    /// Words that hold a placement as a plain number, in the order of the calls.
    pub placement_bound: Vec<WordLocation>,
    /// Differences of the second recording that addresses do not explain, in the order of the calls.
    pub differences: Vec<Difference>,
}

/// A recording from which no capture can be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConversionError {
    /// The recording opens no device.
    #[error("the command opened no device through TT-Metalium; record a command that does")]
    NoDevice,
    /// A chip of an unsupported architecture.
    #[error("the command used a chip that captures do not have (tt::ARCH {architecture})")]
    Architecture {
        /// Upstream's number of the architecture.
        architecture: u32,
    },
    /// The capture breaks a rule of the format.
    #[error("the recording gives no valid capture: {0}")]
    Invalid(#[from] CaptureError),
}

/// Makes a capture from a recording.
///
/// # Errors
/// [`ConversionError`]: no capture can be made. Content that captures cannot hold is not an error;
/// [`Conversion::missing`] lists it.
pub fn convert(
    entries: &[Entry],
    options: &ConversionOptions<'_>,
) -> Result<Conversion, ConversionError> {
    let opened = entries.iter().find_map(|entry| {
        let Event::DeviceOpened(opened) = &entry.event else { return None };
        Some(opened)
    });
    let opened = opened.ok_or(ConversionError::NoDevice)?;
    let mut converter = Converter::new(entries, opened, options)?;
    // Notes about the recording as a whole come after the last event.
    let last = entries.iter().rposition(|it| !matches!(it.event, Event::Unfollowed { .. }));
    for (number, entry) in entries.iter().enumerate() {
        if converter.calls.len().saturating_add(CALLS_OF_AN_EVENT) as u64 > limits::COMMANDS {
            let commands = limits::COMMANDS;
            converter.lacks(Missing::TooManyCommands { commands });
            break;
        }
        converter.take(entry);
        if converter.has_ended {
            break;
        }
        if last == Some(number)
            && let Some(begun) = converter.begun.get(&entry.thread)
        {
            // The recording does not show that the last call has returned.
            let (begun, is_now) = (begun.command, begun.entry == number);
            if is_now && converter.calls.is_last(begun) {
                converter.calls.end_with(begun, Outcome::Unfinished);
            }
        }
    }
    converter.finish()
}

/// A call of the command that has begun.
#[derive(Clone, Debug)]
struct CallInProgress {
    /// The index of its entry in the recording.
    entry: usize,
    /// The call in the capture.
    command: CommandIndex,
    /// Values for fields that a failure of the call may have.
    known: Vec<(FieldName, u64)>,
}

/// The state of a recorded program.
enum ProgramState {
    /// In the capture.
    Converted(Box<ConvertedProgram>),
    /// Not in the capture, or not any more.
    Missing,
}

struct Converter<'e> {
    entries: &'e [Entry],
    options: ConversionOptions<'e>,
    second: Option<SecondRecording<'e>>,
    opened: &'e DeviceOpened,
    architecture: Architecture,
    is_slow_dispatch: bool,
    is_simulated: bool,
    /// The launches that the recording was requested for.
    selection: Option<&'e Selection>,
    sources: Sources,
    calls: Calls,
    blobs: Blobs,
    buffers: Buffers,
    addresses: Vec<AssignedAddress>,
    descriptions: BTreeMap<ObservedProgram, &'e ProgramDescription>,
    programs: BTreeMap<ObservedProgram, ProgramState>,
    /// The number of missing programs without a name of their own.
    unnamed: u32,
    launches: BTreeMap<ObservedProgram, u32>,
    /// The number of launches of all programs so far.
    launched: usize,
    /// The number of writes so far.
    written: usize,
    /// The number of reads so far.
    read: usize,
    changes: ProgramChanges,
    cuts: Cuts,
    gaps: Gaps,
    /// Whether a write has other data than the recorded ones.
    has_other_data: bool,
    events: BTreeMap<ObservedEvent, EventId>,
    traces: BTreeMap<ObservedTrace, TraceId>,
    /// The results of the recording's reads.
    returned: BTreeMap<u32, &'e [u8]>,
    reads: Vec<ReadResult>,
    missing: Vec<Missing>,
    statistics: RelocationStatistics,
    placement_bound: Vec<WordLocation>,
    differences: Vec<Difference>,
    /// The last call that each thread began.
    begun: BTreeMap<ThreadNumber, CallInProgress>,
    entry: usize,
    /// Whether the device is open.
    is_open: bool,
    /// Whether the capture ends before the current entry.
    has_ended: bool,
}

fn grid(opened: &DeviceOpened) -> Grid {
    let (columns, rows) = opened.grid;
    Grid { columns, rows }
}

impl<'e> Converter<'e> {
    fn new(
        entries: &'e [Entry],
        opened: &'e DeviceOpened,
        options: &ConversionOptions<'e>,
    ) -> Result<Self, ConversionError> {
        let numbers = options.description.numbers();
        let number = opened.architecture;
        let architecture = numbers.architecture.value(number);
        let architecture =
            architecture.ok_or(ConversionError::Architecture { architecture: number })?;
        let loaded = entries.iter().find_map(|entry| {
            let Event::LibraryLoaded(loaded) = &entry.event else { return None };
            Some(loaded)
        });
        let bindings = entries.iter().filter_map(|entry| {
            let Event::BindingsGenerated { program, kernel, text } = &entry.event else {
                return None;
            };
            Some(((*program, usize::try_from(*kernel).ok()?), text.as_slice()))
        });
        let bindings: BTreeMap<(ObservedProgram, usize), &[u8]> = bindings.collect();
        let returned = entries.iter().filter_map(|entry| {
            let Event::ReadCompleted { read, data } = &entry.event else { return None };
            Some((*read, data.as_slice()))
        });
        let mut converter = Self {
            entries,
            options: *options,
            second: options.second.map(|second| SecondRecording::new(entries, second)),
            opened,
            architecture,
            is_slow_dispatch: loaded.is_some_and(|loaded| loaded.is_slow_dispatch),
            is_simulated: loaded.is_some_and(|loaded| loaded.is_simulated),
            selection: loaded.map(|loaded| &loaded.selection),
            sources: Sources::default(),
            calls: Calls::default(),
            blobs: Blobs::new(),
            buffers: Buffers::new(*numbers),
            addresses: Vec::new(),
            descriptions: BTreeMap::new(),
            programs: BTreeMap::new(),
            unnamed: 0,
            launches: BTreeMap::new(),
            launched: 0,
            written: 0,
            read: 0,
            changes: ProgramChanges::default(),
            cuts: Cuts::of(entries),
            gaps: Gaps::default(),
            has_other_data: false,
            events: BTreeMap::new(),
            traces: BTreeMap::new(),
            returned: returned.collect(),
            reads: Vec::new(),
            missing: Vec::new(),
            statistics: RelocationStatistics::default(),
            placement_bound: Vec::new(),
            differences: Vec::new(),
            begun: BTreeMap::new(),
            entry: 0,
            is_open: false,
            has_ended: false,
        };
        let root = loaded.map_or("", |loaded| loaded.root.as_str());
        let mut collector =
            SourceCollector::new(root, options.read, options.description.bindings());
        for entry in entries {
            let Event::ProgramDescribed(description) = &entry.event else { continue };
            converter.describe(description, &bindings, &mut collector);
        }
        converter.sources = collector.finish();
        let course = converter.second.as_ref().and_then(|second| second.course);
        converter.differences.extend(course.map(|number| Difference::Course { number }));
        Ok(converter)
    }

    /// Takes a program's sources, or leaves the program out if they are missing.
    fn describe(
        &mut self,
        description: &'e ProgramDescription,
        bindings: &BTreeMap<(ObservedProgram, usize), &[u8]>,
        collector: &mut SourceCollector<'_>,
    ) {
        let program = description.program;
        for (number, kernel) in description.kernels.iter().enumerate() {
            let bindings = bindings.get(&(program, number)).copied();
            if let Err(reason) = collector.add((program, number), kernel, bindings) {
                self.leave_out(description, reason);
                return;
            }
        }
    }

    fn leave_out(&mut self, description: &ProgramDescription, reason: Inconvertible) {
        let program = program_name(description, self.unnamed);
        self.unnamed = self.unnamed.saturating_add(1);
        self.programs.insert(description.program, ProgramState::Missing);
        self.lacks(Missing::Program { program, reason });
    }

    fn lacks(&mut self, missing: Missing) {
        if !self.missing.contains(&missing) {
            self.missing.push(missing);
        }
    }

    /// Adds the call that its thread has begun.
    fn begin(&mut self, thread: ThreadNumber, command: Command, known: &[(FieldName, u64)]) {
        let command = self.calls.push(command);
        self.begun(thread, command, known);
    }

    fn begun(&mut self, thread: ThreadNumber, command: CommandIndex, known: &[(FieldName, u64)]) {
        let known = known.to_vec();
        self.begun.insert(thread, CallInProgress { entry: self.entry, command, known });
    }

    fn take(&mut self, entry: &'e Entry) {
        if entry.event.is_begun_call() {
            self.begun.remove(&entry.thread);
        }
        let is_out = self.cuts_out(&entry.event);
        if !is_out && entry.event.queue().is_none_or(|queue| self.has_queue(queue)) {
            self.take_event(entry.thread, &entry.event);
        }
        if let Event::ProgramEnqueued(_) = entry.event {
            self.launched = self.launched.saturating_add(1);
        } else if let Event::Written { .. } = entry.event {
            self.written = self.written.saturating_add(1);
        } else if let Event::ReadBegun { .. } = entry.event {
            self.read = self.read.saturating_add(1);
        }
        self.entry = self.entry.saturating_add(1);
    }

    fn take_event(&mut self, thread: ThreadNumber, event: &'e Event) {
        match event {
            // These events were evaluated before the conversion.
            Event::LibraryLoaded(_)
            | Event::ReadCompleted { .. }
            | Event::BindingsGenerated { .. }
            | Event::ProcessEnded => {}
            Event::DeviceOpened(opened) => self.open(opened),
            // Its buffers have been freed before.
            Event::DeviceClosed { .. } => self.is_open = false,
            Event::BufferAllocated(made) => self.make_buffer(made),
            Event::BufferFreed { buffer } => self.free_buffer(*buffer),
            Event::Written { transfer, data } => self.write(thread, transfer, data),
            Event::ReadBegun { read, transfer } => self.read(thread, *read, transfer),
            Event::ProgramDescribed(description) => {
                self.descriptions.insert(description.program, description);
            }
            Event::ProgramEnqueued(enqueued) => self.enqueue_program(thread, enqueued),
            Event::ProgramDestroyed { program } => {
                self.programs.remove(program);
                self.descriptions.remove(program);
                self.launches.remove(program);
            }
            Event::Finish { queue } => self.finish_queue(thread, *queue),
            Event::EventRecorded { event, host_visible } => {
                self.record_event(*event, *host_visible);
            }
            Event::EventWaitedFor { queue, event } => self.wait_for_event(thread, *queue, *event),
            Event::EventSynchronized { event } => self.synchronize_event(thread, *event),
            Event::EventQueried { event, has_happened } => self.query_event(*event, *has_happened),
            Event::TraceBegun { queue, trace } => self.begin_trace(*queue, *trace),
            Event::TraceEnded { queue, trace } => self.end_trace(thread, *queue, *trace),
            Event::TraceReplayed { queue, trace, blocking } => {
                self.replay_trace(thread, *queue, *trace, *blocking);
            }
            Event::TraceReleased { trace } => self.release_trace(thread, *trace),
            Event::CallThrew { thread, text } => self.threw(*thread, text),
            Event::CutBegun => self.cuts.begin(),
            Event::CutEnded => self.cuts.end(),
            Event::ContentsReadBack { buffer, data } => self.take_contents(*buffer, data),
            Event::Unfollowed { what } => self.lacks(Missing::Unfollowed { what: what.clone() }),
        }
    }

    /// Handles the opening of a device. A device with the same properties as the closed one counts as the same.
    /// With any other, the capture ends, because a launch does not name its device.
    fn open(&mut self, opened: &DeviceOpened) {
        let device = self.opened.device;
        let is_alike = DeviceOpened { device, ..opened.clone() } == *self.opened;
        if self.is_open || !is_alike {
            self.has_ended = true;
            self.lacks(Missing::OtherDevice { device: opened.device });
        }
        self.is_open = true;
    }

    fn make_buffer(&mut self, made: &BufferAllocated) {
        // A range of memory has one owner, so any buffer there has been freed, even if the recorder did not see
        // it.
        for gone in self.buffers.below(made) {
            self.free_buffer(gone);
        }
        let number = self.buffers.made();
        match self.buffers.make(made, self.architecture, grid(self.opened)) {
            Ok(BufferCall::Buffer(call)) => {
                let (object, id) = (ObjectKind::Buffer, call.buffer.0);
                let address = made.address;
                self.addresses.push(AssignedAddress { object, id, address });
                self.calls.push(Command::CreateBuffer(call));
            }
            Ok(BufferCall::View(call)) => {
                self.calls.push(Command::CreateBufferView(call));
            }
            Ok(BufferCall::Nothing) => {}
            Err(reason) => self.lacks(Missing::Buffer { number, bytes: made.size, reason }),
        }
    }

    fn free_buffer(&mut self, buffer: ObservedBuffer) {
        let Some(freed) = self.buffers.free(buffer) else { return };
        let Some(buffer) = freed.id else { return };
        // A view ends together with its buffer.
        let is_there = freed.is_whole
            || freed
                .place
                .is_some_and(|(of, _)| self.buffers.live().placed_in(of).any(|it| it.is_whole));
        if is_there {
            let call = hallmark_schema::commands::DeallocateBuffer { buffer };
            self.calls.push(Command::DeallocateBuffer(call));
        }
    }

    /// Handles an exception at the end of a call: the call gets the failure that the text means, or is removed.
    fn threw(&mut self, thread: ThreadNumber, text: &str) {
        let Some(begun) = self.begun.remove(&thread) else { return };
        let text = essence(text);
        let failure = self.options.description.refusal(&text);
        let failure = failure.and_then(|refused| refused.failure(&begun.known));
        if let Some(failure) = failure {
            self.calls.end_with(begun.command, Outcome::Failed(failure));
            return;
        }
        // Calls of other threads may follow it.
        if let Some(command) = self.take_back(begun.command) {
            self.lacks(Missing::Exception { command, text });
        }
    }

    /// Removes a call that made no object.
    fn take_back(&mut self, index: CommandIndex) -> Option<CommandKind> {
        let kind = self.calls.remove(index)?;
        self.reads.retain(|read| read.command != index);
        self.differences.retain_mut(|difference| {
            difference.command_mut().is_none_or(|command| *command != index)
        });
        let reads = self.reads.iter_mut().map(|read| &mut read.command);
        let bound = self.placement_bound.iter_mut().map(|word| &mut word.command);
        let differences = self.differences.iter_mut().filter_map(Difference::command_mut);
        let begun = self.begun.values_mut().map(|begun| &mut begun.command);
        for command in reads.chain(bound).chain(differences).chain(begun) {
            if *command > index {
                command.0 = command.0.saturating_sub(1);
            }
        }
        Some(kind)
    }
}
