//! The actions of a command on queues: launches, transfers, events and traces.

use hallmark_schema::commands::{
    BeginTraceCapture, EndTraceCapture, EnqueueReadBuffer, EnqueueRecordEvent, EnqueueWaitForEvent,
    EnqueueWriteBuffer, EventQuery, EventSynchronize, Finish, ReleaseTrace, ReplayTrace,
};
use hallmark_schema::model::{
    BufferId, BufferRegion, Command, CommandIndex, CommandKind, ContentHash, EventId, Expectation,
    FieldName, QueueId, ReadResult, TraceId,
};

use super::arguments::WordContext;
use super::missing::{Inconvertible, Missing, TransferProblem};
use super::programs::{ConvertedProgram, program_name};
use super::second::Difference;
use super::{Converter, DataPolicy, ProgramState, data};
use crate::event::{
    Entry, Event, ObservedEvent, ObservedTrace, ProgramEnqueued, ThreadNumber, Transfer,
};

/// The reason for an unchecked read.
const READ_OTHERWISE: &str = "two runs of the recorded command read different bytes";

/// The reason for an unchecked read.
const MISSING_PROGRAM: &str = "the capture lacks a program that may have made what is read";

/// The reason for an unchecked read.
const OTHER_DATA: &str = "the capture was made without data";

impl Converter<'_> {
    /// Whether the device has a queue.
    pub(super) fn has_queue(&mut self, queue: u8) -> bool {
        let queues = self.opened.num_command_queues;
        if queue >= queues {
            self.lacks(Missing::Queue { queue, queues });
        }
        queue < queues
    }

    pub(super) fn enqueue_program(&mut self, thread: ThreadNumber, now: &ProgramEnqueued) {
        let number = self.launched;
        let launches = self.launches.entry(now.program).or_default();
        let launch = *launches;
        *launches = launch.saturating_add(1);
        let Some(description) = self.descriptions.get(&now.program).copied() else {
            if self.programs.insert(now.program, ProgramState::Missing).is_none() {
                let program = format!("program_{}", now.program.0);
                let reason = Inconvertible::NotDescribed;
                self.lacks(Missing::Program { program, reason });
            }
            self.gaps.missing_launch(now, &self.buffers);
            return;
        };
        let second = self.second.as_ref();
        let mut context = WordContext {
            numbers: self.options.description.numbers(),
            architecture: self.architecture,
            buffers: &self.buffers,
            second: second.map(|second| &second.addresses),
            statistics: &mut self.statistics,
            bound: &mut self.placement_bound,
            differs: false,
            differences: &mut self.differences,
        };
        if !self.programs.contains_key(&now.program) {
            let made = ConvertedProgram::make(
                description,
                second.and_then(|second| second.description(now.program)),
                now,
                &self.sources,
                &mut context,
                &mut self.calls,
                &mut self.changes,
            );
            match made {
                Ok(made) => {
                    self.programs.insert(now.program, ProgramState::Converted(Box::new(made)));
                }
                Err(reason) => {
                    self.gaps.missing_launch(now, &self.buffers);
                    return self.leave_out(description, reason);
                }
            }
        }
        let Some(ProgramState::Converted(program)) = self.programs.get_mut(&now.program) else {
            self.gaps.missing_launch(now, &self.buffers);
            return;
        };
        let moved = second.and_then(|second| second.enqueue(number));
        let launched = program.launch(now, moved, &mut context, &mut self.calls);
        let (differs, id) = (context.differs, program.id());
        match launched {
            Ok(command) => {
                self.gaps.launch(now, &self.buffers);
                self.cuts.launched(now, &self.buffers);
                if differs {
                    self.differences.push(Difference::Arguments { command });
                }
                let known =
                    [(FieldName::Program, id.0.into()), (FieldName::Queue, now.queue.into())];
                self.begun(thread, command, &known);
            }
            Err(reason) => {
                let program = program_name(description, id.0);
                self.gaps.missing_launch(now, &self.buffers);
                self.programs.insert(now.program, ProgramState::Missing);
                self.lacks(Missing::Launches { program, launch, reason });
            }
        }
    }

    /// The buffer of a write or read, and the transferred region.
    fn target(
        &self,
        transfer: &Transfer,
    ) -> Result<(BufferId, Option<BufferRegion>), TransferProblem> {
        let live = self.buffers.get(transfer.buffer).ok_or(TransferProblem::NoBuffer)?;
        if live.place.is_none() {
            return Err(TransferProblem::NoBuffer);
        }
        let id = live.id.ok_or(TransferProblem::OtherPages)?;
        let region = BufferRegion { offset: transfer.offset, size: transfer.size };
        if region == BufferRegion::whole(live.made.size) {
            return Ok((id, None));
        }
        if region.lies_within(live.made.size) && region.is_paged(live.made.page_size) {
            Ok((id, Some(region)))
        } else {
            Err(TransferProblem::PartOfPage)
        }
    }

    fn left_out(&mut self, command: CommandKind, transfer: &Transfer, reason: TransferProblem) {
        let number = self.buffers.get(transfer.buffer).map_or(self.buffers.made(), |it| it.number);
        let (offset, size) = (transfer.offset, transfer.size);
        self.lacks(Missing::Transfer { command, number, offset, size, reason });
    }

    pub(super) fn write(&mut self, thread: ThreadNumber, transfer: &Transfer, data: &[u8]) {
        let (buffer, region) = match self.target(transfer) {
            Ok(target) if data.len() as u64 == transfer.size => target,
            Ok(_) => {
                let reason = TransferProblem::NoBytes;
                return self.left_out(CommandKind::EnqueueWriteBuffer, transfer, reason);
            }
            Err(reason) => return self.left_out(CommandKind::EnqueueWriteBuffer, transfer, reason),
        };
        let other = self.second.as_ref().and_then(|second| second.written(self.written));
        let command = self.add_write(transfer, (buffer, region), data, other);
        let queue = transfer.queue;
        let known = [(FieldName::Buffer, buffer.0.into()), (FieldName::Queue, queue.into())];
        self.begun(thread, command, &known);
    }

    /// Adds a write, and notes differences from the `other` data of a second recording.
    pub(super) fn add_write(
        &mut self,
        transfer: &Transfer,
        (buffer, region): (BufferId, Option<BufferRegion>),
        data: &[u8],
        other: Option<&[u8]>,
    ) -> CommandIndex {
        if region.is_none() {
            self.gaps.written(buffer);
        }
        let queue = QueueId(transfer.queue);
        let blocking = transfer.blocking;
        let (content, is_same) = data::data(data, self.options.data, self.written, &mut self.blobs);
        self.has_other_data |= !is_same;
        let call = EnqueueWriteBuffer { queue, buffer, data: content, blocking, region };
        let command = self.calls.push(Command::EnqueueWriteBuffer(call));
        let second = self.second.as_ref();
        let Some((other, second)) = other.filter(|other| *other != data).zip(second) else {
            return command;
        };
        let (moved, otherwise) = second.addresses.differing_words(data, other);
        if moved > 0 {
            self.differences.push(Difference::AddressesInData { command, words: moved });
        }
        if otherwise > 0 {
            self.differences.push(Difference::Data { command, words: otherwise });
        }
        command
    }

    pub(super) fn read(&mut self, thread: ThreadNumber, read: u32, transfer: &Transfer) {
        let (buffer, region) = match self.target(transfer) {
            Ok(target) => target,
            Err(reason) => return self.left_out(CommandKind::EnqueueReadBuffer, transfer, reason),
        };
        let returned = self.returned.get(&read).copied();
        let returned = returned.filter(|bytes| bytes.len() as u64 == transfer.size);
        if returned.is_none() && self.is_waited_for(transfer) && !self.throws(thread) {
            let reason = TransferProblem::NoBytes;
            return self.left_out(CommandKind::EnqueueReadBuffer, transfer, reason);
        }
        let second = self.second.as_ref().and_then(|second| second.returned(self.read));
        let command = self.add_read(transfer, (buffer, region), returned, second);
        let queue = transfer.queue;
        let known = [(FieldName::Buffer, buffer.0.into()), (FieldName::Queue, queue.into())];
        self.begun(thread, command, &known);
    }

    /// Adds a read with its result, and notes differences from the result in the `second` recording.
    pub(super) fn add_read(
        &mut self,
        transfer: &Transfer,
        (buffer, region): (BufferId, Option<BufferRegion>),
        returned: Option<&[u8]>,
        second: Option<&[u8]>,
    ) -> CommandIndex {
        let number = self.calls.take(|next| &mut next.read);
        let differs = second.zip(returned).is_some_and(|(second, first)| second != first);
        let unchecked = |reason: &str| Expectation::Unchecked { reason: reason.to_owned() };
        let expectation = if differs {
            unchecked(READ_OTHERWISE)
        } else if self.has_other_data {
            unchecked(OTHER_DATA)
        } else if self.buffers.get(transfer.buffer).is_some_and(|live| self.gaps.is_unknown(live)) {
            unchecked(MISSING_PROGRAM)
        } else {
            Expectation::AsCaptured
        };
        let call = EnqueueReadBuffer {
            queue: QueueId(transfer.queue),
            buffer,
            output: format!("read_{number}"),
            blocking: transfer.blocking,
            expectation,
            region,
        };
        let command = self.calls.push(Command::EnqueueReadBuffer(call));
        if differs {
            self.differences.push(Difference::Returned { command });
        }
        if let Some(bytes) = returned {
            let hash = ContentHash::of(bytes);
            if self.options.data == DataPolicy::Whole {
                self.blobs.entry(hash).or_insert_with(|| bytes.into());
            }
            self.reads.push(ReadResult { command, buffer, length: bytes.len() as u64, hash });
        }
        command
    }

    /// Whether the current entry or a later one waits for a queue. If so and the bytes of a read are missing,
    /// the recording of that read is incomplete.
    fn is_waited_for(&self, transfer: &Transfer) -> bool {
        let later = self.entries.get(self.entry.saturating_add(1)..).unwrap_or_default();
        let waits = |entry: &Entry| entry.event.waits_for_queue() == Some(transfer.queue);
        !later.is_empty() && (transfer.blocking || later.iter().any(waits))
    }

    /// Whether the call that the current entry begins ends with an exception.
    fn throws(&self, thread: ThreadNumber) -> bool {
        let later = self.entries.get(self.entry.saturating_add(1)..).unwrap_or_default();
        let end = later.iter().find_map(|entry| match &entry.event {
            Event::CallThrew { thread: by, .. } => (*by == thread).then_some(true),
            event => (entry.thread == thread && event.is_begun_call()).then_some(false),
        });
        end == Some(true)
    }

    fn trace(&mut self, trace: ObservedTrace, command: CommandKind) -> Option<TraceId> {
        let known = self.traces.get(&trace).copied();
        if known.is_none() {
            self.lacks(Missing::Unknown { command });
        }
        known
    }

    fn event(&mut self, event: ObservedEvent, command: CommandKind) -> Option<EventId> {
        let known = self.events.get(&event).copied();
        if known.is_none() {
            self.lacks(Missing::Unknown { command });
        }
        known
    }

    pub(super) fn finish_queue(&mut self, thread: ThreadNumber, queue: u8) {
        let known = [(FieldName::Queue, queue.into())];
        self.begin(thread, Command::Finish(Finish { queue: QueueId(queue) }), &known);
    }

    pub(super) fn record_event(&mut self, event: ObservedEvent, host_visible: bool) {
        let number = self.calls.take(|next| &mut next.event);
        self.events.insert(event, EventId(number));
        self.calls.push(Command::EnqueueRecordEvent(EnqueueRecordEvent {
            queue: QueueId(event.queue),
            event: EventId(number),
            name: format!("event_{number}"),
            host_visible,
            // Upstream's numbers also count the events of its own calls.
            number: None,
        }));
    }

    pub(super) fn wait_for_event(&mut self, thread: ThreadNumber, queue: u8, event: ObservedEvent) {
        let Some(event) = self.event(event, CommandKind::EnqueueWaitForEvent) else { return };
        let call = EnqueueWaitForEvent { queue: QueueId(queue), event };
        let known = [(FieldName::Queue, queue.into()), (FieldName::Event, event.0.into())];
        self.begin(thread, Command::EnqueueWaitForEvent(call), &known);
    }

    pub(super) fn synchronize_event(&mut self, thread: ThreadNumber, event: ObservedEvent) {
        let Some(event) = self.event(event, CommandKind::EventSynchronize) else { return };
        let known = [(FieldName::Event, event.0.into())];
        self.begin(thread, Command::EventSynchronize(EventSynchronize { event }), &known);
    }

    /// Converts a query. The number of unsuccessful queries depends on time, so only a successful one counts.
    pub(super) fn query_event(&mut self, event: ObservedEvent, has_happened: bool) {
        if !has_happened {
            return;
        }
        let Some(event) = self.event(event, CommandKind::EventQuery) else { return };
        self.calls.push(Command::EventSynchronize(EventSynchronize { event }));
        self.calls.push(Command::EventQuery(EventQuery { event, expected: Some(true) }));
    }

    pub(super) fn begin_trace(&mut self, queue: u8, trace: ObservedTrace) {
        self.cuts.trace_begun(trace);
        let number = self.calls.take(|next| &mut next.trace);
        self.traces.insert(trace, TraceId(number));
        self.calls.push(Command::BeginTraceCapture(BeginTraceCapture {
            queue: QueueId(queue),
            trace: TraceId(number),
            name: format!("trace_{number}"),
        }));
    }

    pub(super) fn end_trace(&mut self, thread: ThreadNumber, queue: u8, trace: ObservedTrace) {
        self.cuts.trace_ended();
        let Some(trace) = self.trace(trace, CommandKind::EndTraceCapture) else { return };
        let call = EndTraceCapture { queue: QueueId(queue), trace };
        self.begin_on_trace(thread, Command::EndTraceCapture(call), trace, queue);
    }

    pub(super) fn replay_trace(
        &mut self,
        thread: ThreadNumber,
        queue: u8,
        trace: ObservedTrace,
        blocking: bool,
    ) {
        self.cuts.trace_replayed(trace);
        let Some(trace) = self.trace(trace, CommandKind::ReplayTrace) else { return };
        let call = ReplayTrace { queue: QueueId(queue), trace, blocking };
        self.begin_on_trace(thread, Command::ReplayTrace(call), trace, queue);
    }

    pub(super) fn release_trace(&mut self, thread: ThreadNumber, trace: ObservedTrace) {
        let Some(id) = self.trace(trace, CommandKind::ReleaseTrace) else { return };
        self.traces.remove(&trace);
        let known = [(FieldName::Trace, id.0.into())];
        self.begin(thread, Command::ReleaseTrace(ReleaseTrace { trace: id }), &known);
    }

    fn begin_on_trace(
        &mut self,
        thread: ThreadNumber,
        command: Command,
        trace: TraceId,
        queue: u8,
    ) {
        let known = [(FieldName::Trace, trace.0.into()), (FieldName::Queue, queue.into())];
        self.begin(thread, command, &known);
    }
}
