//! From a recording to a capture: objects get ids, programs become the calls that make and change them, words that
//! are addresses become relocations, and what captures cannot hold is left out by name.

mod arguments;
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
use hallmark_metalium::{essence, refusal};
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

/// Calls that one launch makes at most beside those for its arguments: room that a capture near its limit keeps.
const CALLS_OF_AN_EVENT: usize = 1 << 14;

/// What a recording does not say.
#[derive(Clone, Copy)]
pub struct ConversionOptions<'o> {
    /// Reads the files that kernels include.
    pub read: ReadSource<'o>,
    /// The release of TT-Metalium.
    pub release: &'o str,
    /// The build id of its library, as hexadecimal digits.
    pub build_id: &'o str,
    /// What compiles its kernels, as the compiler names itself; empty if that is not known.
    pub kernel_compiler: &'o str,
    /// What of the data of writes the capture keeps.
    pub data: DataPolicy,
    /// The same command recorded again, with its buffers at other addresses.
    pub second: Option<&'o [Entry]>,
}

/// A recording as a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// The capture.
    pub capture: Capture,
    /// What of the recording the capture lacks, each once, in the order in which it was found.
    pub missing: Vec<Missing>,
    /// How argument words became relocations.
    pub relocations: RelocationStatistics,
    /// Words that hold a place as a number, in the order of the calls.
    pub placement_bound: Vec<WordLocation>,
    /// What a second recording has otherwise, though no address explains it, in the order of the calls.
    pub differences: Vec<Difference>,
}

/// A recording gives no capture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConversionError {
    /// No device was opened.
    #[error("the command opened no device through TT-Metalium; record a command that does")]
    NoDevice,
    /// A chip of another kind.
    #[error("the command used a chip that captures do not have (tt::ARCH {architecture})")]
    Architecture {
        /// Upstream's number.
        architecture: u32,
    },
    /// What was made breaks a rule of the format.
    #[error("the recording gives no valid capture: {0}")]
    Invalid(#[from] CaptureError),
}

/// Makes a capture of a recording.
///
/// # Errors
/// [`ConversionError`]: there is nothing to capture. What captures cannot hold is no error: it is in
/// [`Conversion::missing`].
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
    // What is said of the recording as a whole follows what happened.
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
            // Nothing says that the last call has returned.
            let (begun, is_now) = (begun.command, begun.entry == number);
            if is_now && converter.calls.is_last(begun) {
                converter.calls.end_with(begun, Outcome::Unfinished);
            }
        }
    }
    converter.finish()
}

/// A call of the command's that has begun.
#[derive(Clone, Debug)]
struct CallInProgress {
    /// Its number in the recording.
    entry: usize,
    /// The call in the capture.
    command: CommandIndex,
    /// Numbers that a failure of the call may name.
    known: Vec<(FieldName, u64)>,
}

/// A program of the recording.
enum ProgramState {
    /// In the capture.
    Converted(Box<ConvertedProgram>),
    /// Not, or no longer.
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
    /// Which launches the recording was asked for.
    selection: Option<&'e Selection>,
    sources: Sources,
    calls: Calls,
    blobs: Blobs,
    buffers: Buffers,
    addresses: Vec<AssignedAddress>,
    descriptions: BTreeMap<ObservedProgram, &'e ProgramDescription>,
    programs: BTreeMap<ObservedProgram, ProgramState>,
    /// Programs with a name of their own in what is missing.
    unnamed: u32,
    launches: BTreeMap<ObservedProgram, u32>,
    /// Launches of all programs so far.
    launched: usize,
    /// Writes so far.
    written: usize,
    /// Reads so far.
    read: usize,
    changes: ProgramChanges,
    cuts: Cuts,
    gaps: Gaps,
    /// Whether a write writes something else than was recorded.
    has_other_data: bool,
    events: BTreeMap<ObservedEvent, EventId>,
    traces: BTreeMap<ObservedTrace, TraceId>,
    /// What the reads of the recording returned.
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
    /// Whether nothing behind the current entry is in the capture.
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
        // `tt::ARCH` of release 0.81.1.
        let architecture = match opened.architecture {
            2 => Architecture::WormholeB0,
            3 => Architecture::Blackhole,
            architecture => return Err(ConversionError::Architecture { architecture }),
        };
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
            buffers: Buffers::default(),
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
        let mut collector = SourceCollector::new(root, options.read);
        for entry in entries {
            let Event::ProgramDescribed(description) = &entry.event else { continue };
            converter.describe(description, &bindings, &mut collector);
        }
        converter.sources = collector.finish();
        let course = converter.second.as_ref().and_then(|second| second.course);
        converter.differences.extend(course.map(|number| Difference::Course { number }));
        Ok(converter)
    }

    /// Takes a program's sources, or leaves the program out where they are not there.
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

    /// Adds a call that its thread has begun.
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
            // What these say was taken before.
            Event::LibraryLoaded(_)
            | Event::ReadCompleted { .. }
            | Event::BindingsGenerated { .. }
            | Event::ProcessEnded => {}
            Event::DeviceOpened(opened) => self.open(opened),
            // Its buffers were freed before.
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

    /// A device that is opened again as it was, after it was closed, is the same one. With another one the capture ends:
    /// a launch does not say where it goes.
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
        // Memory is given to one at a time: whatever was there is gone, though nobody saw it go.
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
        // A view of a buffer that is gone is gone with it.
        let is_there = freed.is_whole
            || freed
                .place
                .is_some_and(|(of, _)| self.buffers.live().placed_in(of).any(|it| it.is_whole));
        if is_there {
            let call = hallmark_schema::commands::DeallocateBuffer { buffer };
            self.calls.push(Command::DeallocateBuffer(call));
        }
    }

    /// A call ended with an exception: the failure that it means, or none of the call.
    fn threw(&mut self, thread: ThreadNumber, text: &str) {
        let Some(begun) = self.begun.remove(&thread) else { return };
        let text = essence(text);
        let failure = refusal(&text).and_then(|refused| refused.failure(&begun.known));
        if let Some(failure) = failure {
            self.calls.end_with(begun.command, Outcome::Failed(failure));
            return;
        }
        // Calls of other threads may have come behind it.
        if let Some(command) = self.take_back(begun.command) {
            self.lacks(Missing::Exception { command, text });
        }
    }

    /// Takes a call back that made no object.
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
