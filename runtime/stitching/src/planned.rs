//! Recorded calls: a suite's steps on tensors become the calls of a test.

use std::collections::BTreeMap;

use hallmark_chip::ChipDescription;
use hallmark_runtime::CallError;
use hallmark_schema::commands::{Command, Wait};
use hallmark_schema::model::{
    Blobs, BufferId, CommandIndex, EventId, ObjectKind, QueueId, SharedBytes,
};

use crate::{Held, HostCalls, ReadContent};

/// Recorded calls, with the content of the device's memory as far as it is known without a device.
#[derive(Debug)]
pub struct PlannedCalls {
    chip: &'static ChipDescription,
    /// The number of objects of each kind.
    objects: BTreeMap<ObjectKind, u32>,
    /// The number of calls before the recorded ones.
    before: u32,
    calls: Vec<Command>,
    blobs: Blobs,
    /// The known contents of buffers; the content of any other buffer is unknown.
    memory: BTreeMap<BufferId, SharedBytes>,
    reads: BTreeMap<CommandIndex, PlannedRead>,
    /// The reads that no call has waited for.
    open: Vec<CommandIndex>,
    /// The parent of each view.
    views: BTreeMap<BufferId, BufferId>,
    /// The queue of each event, and the call that records it.
    events: BTreeMap<EventId, (QueueId, CommandIndex)>,
}

/// The name of an object that an order makes.
#[derive(Debug, PartialEq, Eq)]
pub enum PlannedName<'a> {
    /// The name of a read's output.
    Output(&'a mut String),
    /// The name of an event.
    Event(&'a mut String),
}

#[derive(Debug)]
struct PlannedRead {
    queue: QueueId,
    bytes: Option<SharedBytes>,
    has_completed: bool,
}

impl PlannedCalls {
    /// An empty list of calls for a chip.
    pub const fn new(chip: &'static ChipDescription) -> Self {
        Self {
            chip,
            objects: BTreeMap::new(),
            before: 0,
            calls: Vec::new(),
            blobs: Blobs::new(),
            memory: BTreeMap::new(),
            reads: BTreeMap::new(),
            open: Vec::new(),
            views: BTreeMap::new(),
            events: BTreeMap::new(),
        }
    }

    /// Continues after earlier calls, which have made these numbers of objects of each kind.
    pub fn begin_after(&mut self, calls: u32, objects: impl Fn(ObjectKind) -> u32) {
        self.before = calls;
        self.objects = ObjectKind::ALL.iter().map(|kind| (*kind, objects(*kind))).collect();
    }

    /// Notes a call that is made between the recorded ones by other code. A failed call only takes ids. A
    /// program may write any reachable memory, so all contents are unknown after its launch.
    pub fn observe(&mut self, call: &Command, fails: bool) {
        match (fails, call) {
            (true, _) => self.note_created(call),
            (false, Command::EnqueueProgram(_) | Command::ReplayTrace(_)) => {
                self.note(call);
                self.memory.clear();
            }
            (false, _) => _ = self.note(call),
        }
        self.before = self.before.saturating_add(1);
    }

    /// Notes the call with the next index among the recorded ones.
    fn note(&mut self, call: &Command) -> CommandIndex {
        let place = self.next_command();
        self.note_created(call);
        match call {
            Command::CreateBufferView(call) => {
                self.views.insert(call.buffer, call.parent);
            }
            Command::EnqueueRecordEvent(call) => {
                self.events.insert(call.event, (call.queue, place));
            }
            Command::EnqueueWriteBuffer(call) => {
                let mut buffer = Some(&call.buffer);
                while let Some(written) = buffer {
                    self.memory.remove(written);
                    buffer = self.views.get(written);
                }
            }
            Command::DeallocateBuffer(call) => {
                self.memory.remove(&call.buffer);
            }
            Command::EnqueueReadBuffer(call) => {
                let bytes = match call.region {
                    None => self.memory.get(&call.buffer).cloned(),
                    Some(_) => None,
                };
                let read = PlannedRead { queue: call.queue, bytes, has_completed: false };
                self.reads.insert(place, read);
                self.open.push(place);
            }
            _ => {}
        }
        let waits_for = call.waits_for();
        if waits_for == Wait::Nothing {
            return place;
        }
        let (reads, events) = (&mut self.reads, &self.events);
        self.open.retain(|made| {
            let Some(read) = reads.get_mut(made) else { return false };
            read.has_completed = match waits_for {
                Wait::Nothing => false,
                Wait::AllQueues => true,
                Wait::Queue(queue) => queue == read.queue,
                Wait::Event(event) => events
                    .get(&event)
                    .is_some_and(|(queue, place)| *queue == read.queue && made < place),
            };
            !read.has_completed
        });
        place
    }

    fn note_created(&mut self, call: &Command) {
        if let Some((kind, id, _)) = call.created() {
            self.objects.insert(kind, id.saturating_add(1));
        }
    }

    /// The index of the next call among all calls.
    pub fn next_command(&self) -> CommandIndex {
        let here = u32::try_from(self.calls.len()).unwrap_or(u32::MAX);
        CommandIndex(self.before.saturating_add(here))
    }

    /// The recorded calls that have not been taken yet.
    pub fn made(&self) -> &[Command] {
        &self.calls
    }

    /// The mutable names of the read and of the event among them.
    pub fn names_mut(&mut self) -> impl Iterator<Item = PlannedName<'_>> {
        self.calls.iter_mut().filter_map(|call| match call {
            Command::EnqueueReadBuffer(call) => Some(PlannedName::Output(&mut call.output)),
            Command::EnqueueRecordEvent(call) => Some(PlannedName::Event(&mut call.name)),
            _ => None,
        })
    }

    /// Takes the calls recorded since the last time, and the bytes that they write.
    pub fn take(&mut self) -> (Vec<Command>, Blobs) {
        self.before = self.next_command().0;
        (std::mem::take(&mut self.calls), std::mem::take(&mut self.blobs))
    }
}

impl HostCalls for PlannedCalls {
    fn next_id(&self, kind: ObjectKind) -> u32 {
        self.objects.get(&kind).copied().unwrap_or_default()
    }

    fn chip(&self) -> &'static ChipDescription {
        self.chip
    }

    fn make(
        &mut self,
        command: Command,
        written: Option<SharedBytes>,
    ) -> Result<CommandIndex, CallError> {
        let place = self.note(&command);
        if let (Command::EnqueueWriteBuffer(call), Some(bytes)) = (&command, written) {
            self.blobs.insert(call.data.hash, bytes.clone());
            if call.region.is_none() {
                self.memory.insert(call.buffer, bytes);
            }
        }
        self.calls.push(command);
        Ok(place)
    }

    fn take_read(&mut self, read: CommandIndex) -> ReadContent {
        match self.reads.get(&read) {
            Some(PlannedRead { has_completed: false, .. }) => ReadContent::Pending,
            Some(_) | None => match self.reads.remove(&read).and_then(|read| read.bytes) {
                Some(bytes) => ReadContent::Bytes(bytes),
                None => ReadContent::Unknown,
            },
        }
    }

    fn held(&self, buffer: BufferId) -> Held {
        self.memory.get(&buffer).map_or(Held::Unknown, |bytes| Held::Bytes(bytes.clone()))
    }

    fn holds(&mut self, buffer: BufferId, bytes: Option<SharedBytes>) {
        match bytes {
            Some(bytes) => self.memory.insert(buffer, bytes),
            None => self.memory.remove(&buffer),
        };
    }
}
