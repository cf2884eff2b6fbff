//! The live buffers of a program, and the traces that its queues capture, after some commands.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_schema::commands::{
    BeginTraceCapture, CreateBuffer, CreateBufferView, DeallocateBuffer, EndTraceCapture,
    EnqueueProgram, ReleaseTrace,
};
use hallmark_schema::limits;
use hallmark_schema::model::{
    BufferId, BufferRegion, Command, CommandIndex, Failure, Outcome, ProgramPart, QueueId,
    RecordedCommand, TraceId,
};

/// A buffer or a view that is live.
#[derive(Clone, Copy, Debug)]
struct LiveBuffer {
    size: u64,
    page_size: u64,
    /// The buffer that owns the memory of a view.
    root: Option<BufferId>,
}

/// The live objects after some commands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lifetimes {
    buffers: BTreeMap<BufferId, LiveBuffer>,
    traces: BTreeSet<TraceId>,
    capturing: BTreeMap<QueueId, TraceId>,
}

impl Lifetimes {
    /// Applies a command.
    pub(crate) fn follow(&mut self, recorded: &RecordedCommand) {
        match &recorded.outcome {
            Outcome::Done => self.done(&recorded.command),
            Outcome::Failed(failure) => self.failed(&recorded.command, failure),
            Outcome::Unfinished => {}
        }
    }

    fn done(&mut self, command: &Command) {
        match command {
            Command::CreateBuffer(CreateBuffer { buffer, size, page_size, .. }) => {
                let (size, page_size) = (*size, *page_size);
                self.buffers.insert(*buffer, LiveBuffer { size, page_size, root: None });
            }
            Command::CreateBufferView(CreateBufferView { buffer, parent, region, .. }) => {
                if let Some(&LiveBuffer { page_size, root, .. }) = self.buffers.get(parent) {
                    let root = root.or(Some(*parent));
                    self.buffers.insert(*buffer, LiveBuffer { size: region.size, page_size, root });
                }
            }
            Command::DeallocateBuffer(DeallocateBuffer { buffer }) => {
                self.buffers.remove(buffer);
                self.buffers.retain(|_, live| live.root != Some(*buffer));
            }
            Command::BeginTraceCapture(BeginTraceCapture { queue, trace, .. }) => {
                self.capturing.insert(*queue, *trace);
                self.traces.insert(*trace);
            }
            Command::EndTraceCapture(EndTraceCapture { queue, .. }) => {
                self.capturing.remove(queue);
            }
            Command::LoadTrace(call) => {
                self.traces.insert(call.trace);
            }
            Command::ReleaseTrace(ReleaseTrace { trace }) => {
                self.traces.remove(trace);
            }
            _ => {}
        }
    }

    fn failed(&mut self, command: &Command, failure: &Failure) {
        if let (
            Command::EndTraceCapture(EndTraceCapture { queue, trace }),
            Failure::TraceRegionTooSmall { .. },
        ) = (command, failure)
            && self.capturing.get(queue) == Some(trace)
        {
            self.capturing.remove(queue);
            self.traces.remove(trace);
        }
    }

    /// Whether any queue captures a trace.
    pub(crate) fn is_capturing(&self) -> bool {
        !self.capturing.is_empty()
    }

    /// The trace that a queue captures.
    pub(crate) fn captured_on(&self, queue: QueueId) -> Option<TraceId> {
        self.capturing.get(&queue).copied()
    }

    /// Whether a buffer can be read at this point; the whole of it if no region is given. One read brings at most
    /// [`limits::DATA_BYTES`].
    pub(crate) fn can_read(&self, buffer: BufferId, region: Option<BufferRegion>) -> bool {
        self.buffers.get(&buffer).is_some_and(|live| {
            region.map_or(live.size, |region| region.size) <= limits::DATA_BYTES
                && region.is_none_or(|region| {
                    region.size > 0
                        && region.lies_within(live.size)
                        && region.is_paged(live.page_size)
                })
        })
    }

    /// The size of a live buffer.
    pub(crate) fn size(&self, buffer: BufferId) -> Option<u64> {
        self.buffers.get(&buffer).map(|live| live.size)
    }

    /// Live buffers that are no views, ascending.
    pub(crate) fn live_buffers(&self) -> impl Iterator<Item = BufferId> {
        self.buffers.iter().filter(|(_, live)| live.root.is_none()).map(|(buffer, _)| *buffer)
    }

    /// Traces that are live, ascending.
    pub(crate) fn live_traces(&self) -> impl Iterator<Item = TraceId> {
        self.traces.iter().copied()
    }
}

/// The numbers of first commands that can be kept alone: those after which no trace is being captured.
/// Ascending; the list includes 0 and, unless the capture ends inside a trace, the number of all commands.
pub fn legal_cuts(program: &ProgramPart) -> Vec<u32> {
    let mut lifetimes = Lifetimes::default();
    let mut cuts = vec![0];
    for (count, recorded) in (1..).zip(&program.commands) {
        lifetimes.follow(recorded);
        if !lifetimes.is_capturing() {
            cuts.push(count);
        }
    }
    cuts
}

/// The buffers that are live after the first commands, without views, ascending.
pub fn live_buffers(program: &ProgramPart, commands: u32) -> Vec<BufferId> {
    after(program, commands).live_buffers().collect()
}

/// The live objects after the first commands.
pub(crate) fn after(program: &ProgramPart, commands: u32) -> Lifetimes {
    let mut lifetimes = Lifetimes::default();
    let commands = usize::try_from(commands).unwrap_or(usize::MAX);
    program.commands.iter().take(commands).for_each(|recorded| lifetimes.follow(recorded));
    lifetimes
}

/// The trace that contains each enqueued program, by the index of the enqueue.
pub(crate) fn members_of_traces(program: &ProgramPart) -> BTreeMap<CommandIndex, TraceId> {
    let mut lifetimes = Lifetimes::default();
    let mut members = BTreeMap::new();
    for (index, recorded) in (0..).map(CommandIndex).zip(&program.commands) {
        if let Command::EnqueueProgram(EnqueueProgram { queue, .. }) = recorded.command
            && let Some(trace) = lifetimes.captured_on(queue)
        {
            members.insert(index, trace);
        }
        lifetimes.follow(recorded);
    }
    members
}
