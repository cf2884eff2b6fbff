//! Parts of a recording that the user excluded: their calls are left out. The contents of buffers before such a
//! part become reads, so that a replay has results to compare, and the contents after it become writes.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_schema::commands::Finish;
use hallmark_schema::model::{BufferId, Command, QueueId};

use super::Converter;
use super::buffers::Buffers;
use super::gaps::{named, words_of};
use super::missing::Missing;
use crate::event::{
    Entry, Event, ObservedBuffer, ObservedEvent, ObservedProgram, ObservedTrace, ProgramEnqueued,
    Transfer,
};

/// The parts left out so far.
#[derive(Debug, Default)]
pub(super) struct Cuts {
    /// Whether the current entry is left out.
    is_open: bool,
    launches: u32,
    prepared: u32,
    written: u32,
    read: u32,
    /// The number of contents read back so far.
    contents: usize,
    /// Whether the capture waits for all queues since the current cut began.
    has_finished: bool,
    /// Events recorded within a cut. The recorder has waited for them.
    events: BTreeSet<ObservedEvent>,
    /// The traces of the capture, by the entries that begin them.
    wanted_traces: BTreeSet<usize>,
    /// Programs of these traces that have no remaining launch before them. Upstream captures only programs that
    /// it has launched before.
    unprepared: BTreeSet<ObservedProgram>,
    /// Traces that the capture lacks.
    traces: BTreeSet<ObservedTrace>,
    /// A trace within a cut that is replayed after the cut, and its queue: the capture contains it.
    whole_trace: Option<(ObservedTrace, u8)>,
    /// The trace that is being captured, and the buffers that each trace may write.
    trace: Option<ObservedTrace>,
    of_traces: BTreeMap<ObservedTrace, BTreeSet<BufferId>>,
    /// The words of launches, by their entries, and of the builds of programs; some of them are addresses.
    words: BTreeMap<usize, BTreeSet<u32>>,
    built_with: BTreeMap<ObservedProgram, BTreeSet<u32>>,
    /// The buffers used since the last cut.
    used: BTreeSet<BufferId>,
}

/// A trace of the recording.
struct Trace {
    begun: usize,
    programs: Vec<ObservedProgram>,
    is_wanted: bool,
}

impl Cuts {
    /// The state before the first entry of a recording.
    pub(super) fn of(entries: &[Entry]) -> Self {
        let mut traces: Vec<Trace> = Vec::new();
        // Indices in `traces`.
        let mut known: BTreeMap<ObservedTrace, usize> = BTreeMap::new();
        let mut captured = None;
        let mut is_open = false;
        for (number, event) in entries.iter().map(|entry| &entry.event).enumerate() {
            if let Event::CutBegun | Event::CutEnded = event {
                is_open = matches!(event, Event::CutBegun);
            } else if let Event::TraceBegun { trace, .. } = event {
                known.insert(*trace, traces.len());
                captured = Some(traces.len());
                traces.push(Trace { begun: number, programs: Vec::new(), is_wanted: !is_open });
            } else if let Event::TraceEnded { .. } = event {
                captured = None;
            } else if let Event::ProgramEnqueued(launch) = event
                && let Some(trace) = captured.and_then(|captured| traces.get_mut(captured))
            {
                trace.programs.push(launch.program);
            } else if let Event::TraceReplayed { trace, .. } = event
                && let Some(trace) = known.get(trace).and_then(|known| traces.get_mut(*known))
            {
                trace.is_wanted |= !is_open;
            }
        }
        traces.retain(|trace| trace.is_wanted);
        let is_read_back = |entry: &Entry| matches!(entry.event, Event::ContentsReadBack { .. });
        let (mut words, mut built_with) = (BTreeMap::new(), BTreeMap::new());
        let looked_at = if entries.iter().any(is_read_back) { entries } else { &[] };
        for (number, entry) in looked_at.iter().enumerate() {
            if let Event::ProgramEnqueued(launch) = &entry.event {
                words.insert(number, words_of(launch));
            } else if let Event::ProgramDescribed(program) = &entry.event {
                let built = program.kernels.iter().flat_map(|kernel| {
                    let named = kernel.named_compile_args.iter().map(|(_, word)| word);
                    kernel.compile_args.iter().chain(named)
                });
                built_with.insert(program.program, built.copied().collect());
            }
        }
        Self {
            words,
            built_with,
            wanted_traces: traces.iter().map(|trace| trace.begun).collect(),
            unprepared: traces.iter().flat_map(|trace| &trace.programs).copied().collect(),
            ..Self::default()
        }
    }

    pub(super) const fn begin(&mut self) {
        self.is_open = true;
        self.has_finished = false;
    }

    pub(super) fn end(&mut self) {
        self.is_open = false;
        self.used.clear();
    }

    /// The note about what was left out, if anything was.
    pub(super) fn missing(&self) -> Option<Missing> {
        let Self { launches, prepared, written, read, .. } = *self;
        let is_any = [launches, prepared, written, read].iter().any(|count| *count > 0);
        is_any.then_some(Missing::Cut { launches, prepared, written, read })
    }

    /// Notes that the capture contains a launch.
    pub(super) fn launched(&mut self, launch: &ProgramEnqueued, buffers: &Buffers) {
        self.unprepared.remove(&launch.program);
        let used = match self.trace {
            Some(trace) => self.of_traces.entry(trace).or_default(),
            None => &mut self.used,
        };
        used.extend(named(launch, buffers));
    }

    pub(super) fn trace_begun(&mut self, trace: ObservedTrace) {
        self.trace = Some(trace);
        self.traces.remove(&trace);
        self.of_traces.remove(&trace);
    }

    pub(super) const fn trace_ended(&mut self) {
        self.trace = None;
    }

    pub(super) fn trace_replayed(&mut self, trace: ObservedTrace) {
        self.used.extend(self.of_traces.get(&trace).into_iter().flatten());
    }
}

/// Whether a cut leaves out a call: one that puts work on a queue or waits for it. Calls on objects stay.
const fn is_cut(event: &Event) -> bool {
    event.is_begun_call()
        || matches!(
            event,
            Event::EventRecorded { .. }
                | Event::EventQueried { .. }
                | Event::TraceBegun { .. }
                | Event::CallThrew { .. }
        )
}

/// The event that a call waits for or queries.
const fn awaited(event: &Event) -> Option<ObservedEvent> {
    if let Event::EventWaitedFor { event, .. }
    | Event::EventSynchronized { event }
    | Event::EventQueried { event, .. } = event
    {
        return Some(*event);
    }
    None
}

impl Converter<'_> {
    /// Whether the current entry is left out; counts it if so.
    pub(super) fn cuts_out(&mut self, event: &Event) -> bool {
        if let Some((_, queue)) = self.cuts.whole_trace
            && event.queue() == Some(queue)
        {
            if let Event::TraceEnded { .. } = event {
                self.cuts.whole_trace = None;
            }
            return false;
        }
        // A released trace no longer belongs to the capture.
        if let Event::TraceReleased { trace } = event {
            return self.cuts.traces.remove(trace);
        }
        if !self.cuts.is_open {
            if let Event::EventRecorded { event, .. } = event {
                self.cuts.events.remove(event);
            }
            return awaited(event).is_some_and(|event| self.cuts.events.contains(&event));
        }
        if let Event::TraceBegun { queue, trace } = event {
            if self.cuts.wanted_traces.contains(&self.entry) {
                self.cuts.whole_trace = Some((*trace, *queue));
                return false;
            }
            self.cuts.traces.insert(*trace);
        } else if let Event::EventRecorded { event, .. } = event {
            self.cuts.events.insert(*event);
        } else if let Event::ProgramEnqueued(launch) = event {
            if self.cuts.unprepared.contains(&launch.program) {
                self.cuts.prepared = self.cuts.prepared.saturating_add(1);
                return false;
            }
            self.cuts.launches = self.cuts.launches.saturating_add(1);
        }
        is_cut(event)
    }

    /// Handles the content of a buffer at a cut.
    pub(super) fn take_contents(&mut self, buffer: ObservedBuffer, contents: &[u8]) {
        let number = self.cuts.contents;
        self.cuts.contents = number.saturating_add(1);
        let Some(live) = self.buffers.get(buffer) else { return };
        let Some(id) = live.id.filter(|_| live.is_whole) else { return };
        if contents.len() as u64 != live.made.size {
            return;
        }
        let size = live.made.size;
        let transfer = Transfer { buffer, queue: 0, offset: 0, size, blocking: true };
        let second = self.second.as_ref().and_then(|second| second.contents(number));
        if !self.cuts.is_open {
            if self.is_needed(buffer) {
                self.add_write(&transfer, (id, None), contents, second);
                self.cuts.written = self.cuts.written.saturating_add(1);
            }
            return;
        }
        if !self.cuts.used.contains(&id) {
            return;
        }
        if !self.cuts.has_finished {
            self.cuts.has_finished = true;
            for queue in (0..self.opened.num_command_queues).map(QueueId) {
                self.calls.push(Command::Finish(Finish { queue }));
            }
        }
        self.add_read(&transfer, (id, None), Some(contents), second);
        self.cuts.read = self.cuts.read.saturating_add(1);
    }

    /// Whether a later entry may read a buffer before the whole of it is written.
    fn is_needed(&self, buffer: ObservedBuffer) -> bool {
        let Some(live) = self.buffers.get(buffer) else { return false };
        let address = u32::try_from(live.made.address);
        let end = live.made.address.saturating_add(live.made.size_per_bank);
        let words = address.map(|first| first..u32::try_from(end).unwrap_or(u32::MAX));
        let names = |number: usize, launch: &ProgramEnqueued| {
            let Ok(words) = &words else { return false };
            let named = self.cuts.words.get(&number);
            let built = self.cuts.built_with.get(&launch.program);
            named.is_some_and(|named| named.range(words.clone()).next().is_some())
                || built.is_some_and(|built| built.contains(&words.start))
        };
        let shown = live.id.into_iter().flat_map(|id| self.buffers.live().placed_in(id));
        let shown = shown.map(|other| other.made.buffer);
        let mut names_of_memory: BTreeSet<ObservedBuffer> = shown.chain([buffer]).collect();
        let next = self.entry.saturating_add(1);
        let later = self.entries.get(next..).unwrap_or_default();
        let mut is_open = false;
        for (number, event) in (next..).zip(later.iter().map(|entry| &entry.event)) {
            if let Event::CutBegun | Event::CutEnded = event {
                is_open = matches!(event, Event::CutBegun);
            } else if let Event::BufferFreed { buffer: gone } = event
                && *gone == buffer
            {
                return false;
            } else if let Event::BufferAllocated(made) = event
                && made.is_at_given_address
                && live.contains(made.address)
            {
                names_of_memory.insert(made.buffer);
            } else if is_open {
                continue;
            } else if let Event::Written { transfer, .. } = event
                && transfer.buffer == buffer
                && transfer.size == live.made.size
            {
                return false;
            } else if let Event::ReadBegun { transfer, .. } = event
                && names_of_memory.contains(&transfer.buffer)
            {
                return true;
            } else if let Event::ProgramEnqueued(launch) = event
                && names(number, launch)
            {
                return true;
            } else if let Event::TraceReplayed { .. } = event {
                // The inputs of a trace were determined when it was captured.
                return true;
            }
        }
        false
    }
}
