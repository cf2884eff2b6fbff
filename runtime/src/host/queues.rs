//! The command queues as the host sees them: their order, their events, the traces that they record, and the work
//! that has not been handed on yet.

use std::sync::Arc;

use hallmark_chip::{DescribedBuffer, LogicalCore, Meaning};
use hallmark_engine::Stop;
use hallmark_engine::addresses::BufferExtent;
use hallmark_engine::queue::{Order, Progress, QUEUES};
use hallmark_engine::work::{Annotation, Work, WorkItem};
use hallmark_schema::model::{
    CommandIndex, CommandKind, EventId, Failure, ObjectKind, QueueId, TraceId,
};

use super::core_owners::CoreOwners;
use super::objects::ObjectTable;
use crate::defects::{Defect, planted};
use crate::error::HostError;

/// An event that was recorded.
#[derive(Clone, Debug)]
pub(super) struct EventState {
    pub(super) name: String,
    pub(super) queue: QueueId,
    pub(super) host_visible: bool,
    /// The commands that are done once it has happened.
    pub(super) after: Progress,
}

/// The command queues of a device.
#[derive(Debug)]
pub(super) struct Queues {
    count: u8,
    /// The order of commands between the queues.
    order: Order,
    owners: CoreOwners,
    events: ObjectTable<EventState>,
    /// The number of event numbers that each queue has given out.
    event_numbers: [u32; QUEUES],
    /// The trace that each queue records.
    tracing: [Option<TraceId>; QUEUES],
    /// Work of calls that has not been handed on yet.
    work: Vec<WorkItem>,
    /// The stop by which the device was lost.
    stop: Option<Stop>,
}

impl Queues {
    pub(super) fn new(count: u8) -> Self {
        Self {
            count,
            order: Order::default(),
            owners: CoreOwners::default(),
            events: ObjectTable::new(ObjectKind::Event),
            event_numbers: [0; QUEUES],
            tracing: [None; QUEUES],
            work: Vec::new(),
            stop: None,
        }
    }

    /// All queues of the device.
    pub(super) fn all(&self) -> impl Iterator<Item = QueueId> + use<> {
        (0..self.count).map(QueueId)
    }

    pub(super) fn check_queue(&self, queue: QueueId) -> Result<(), Failure> {
        let (index, limit) = (u32::from(queue.0), u32::from(self.count));
        if index >= limit {
            return Err(Failure::UnknownQueue { index, limit });
        }
        Ok(())
    }

    /// The stop by which the device was lost, if it was.
    pub(super) const fn stop(&self) -> Option<&Stop> {
        self.stop.as_ref()
    }

    /// Notes the stop by which the device is lost.
    pub(super) fn lose(&mut self, stop: Stop) -> &Stop {
        self.stop.insert(stop)
    }

    /// Refuses calls that a lost device cannot carry out.
    pub(super) fn check_present(&self, call: CommandKind) -> Result<(), HostError> {
        match &self.stop {
            None => Ok(()),
            Some(stop) => Err(HostError::new(call, Failure::DeviceLost {})
                .detail(format!("command {}: {stop}", stop.command))),
        }
    }

    /// Gives a queue a command.
    pub(super) fn enqueue(&mut self, queue: QueueId, command: CommandIndex, work: Work) {
        let (position, before) = self.order.enqueued(queue);
        self.work.push(WorkItem::Enqueue { command, position, before, work });
    }

    /// Tells the device the meaning of a buffer's memory, and the buffer if it becomes one; a buffer without memory has no meaning.
    pub(super) fn annotate(
        &mut self,
        extent: &BufferExtent,
        meaning: Meaning,
        buffer: Option<&Arc<DescribedBuffer>>,
    ) {
        if extent.placement.bank_size > 0 {
            let (extent, buffer) = (extent.clone(), buffer.map(Arc::clone));
            self.work.push(WorkItem::Annotate(Annotation { extent, meaning, buffer }));
        }
    }

    /// Takes the work that has not been handed on yet.
    pub(super) fn take_work(&mut self) -> std::vec::Drain<'_, WorkItem> {
        self.work.drain(..)
    }

    /// The commands that are ordered before the next one of a queue.
    pub(super) fn before_next(&self, queue: QueueId) -> Progress {
        self.order.before_next(queue)
    }

    /// The commands that the host knows to be done.
    pub(super) const fn known_to_host(&self) -> Progress {
        self.order.host()
    }

    /// Notes that the host knows commands to be done.
    pub(super) fn host_saw(&mut self, done: Progress) {
        self.order.host_saw(done);
    }

    /// Notes that a queue waits for commands of the other one.
    pub(super) fn waits_for(&mut self, queue: QueueId, after: Progress) {
        self.order.waits_for(queue, after);
    }

    /// Refuses a launch on cores that another queue may still use (tt-metal: `CQOwnerState`).
    pub(super) fn check_cores(
        &self,
        queue: QueueId,
        cores: impl Iterator<Item = LogicalCore>,
    ) -> Result<(), Failure> {
        if self.count == 1 || planted(Defect::CoresHaveNoOwner) {
            return Ok(());
        }
        self.owners.check(self.order.before_next(queue), cores)
    }

    /// Notes the cores of the launch that a queue is given next.
    pub(super) fn occupy_cores(
        &mut self,
        queue: QueueId,
        enqueue: CommandIndex,
        cores: impl Iterator<Item = LogicalCore>,
    ) {
        if self.count > 1 {
            let position = self.order.next_position(queue);
            self.owners.occupy(position, enqueue, cores);
        }
    }

    /// The id that the next event takes.
    pub(super) fn next_event(&self) -> u32 {
        self.events.next()
    }

    /// Takes the next id of an event; [`Queues::add_event`] makes it usable.
    pub(super) fn reserve_event(&mut self) {
        self.events.reserve();
    }

    pub(super) fn add_event(&mut self, event: EventId, state: EventState) {
        self.events.fill(event.0, state);
    }

    pub(super) fn event(&self, event: EventId) -> Result<&EventState, Failure> {
        self.events.get(event.0)
    }

    pub(super) fn next_event_number(&self, queue: QueueId) -> u32 {
        let taken = self.event_numbers.get(counter(queue)).copied().unwrap_or_default();
        taken.wrapping_add(1)
    }

    /// A queue numbers its events from 1. A call that waits for the queue records an event of its own.
    pub(super) fn take_event_number(&mut self, queue: QueueId) {
        let next = self.next_event_number(queue);
        if let Some(taken) = self.event_numbers.get_mut(counter(queue)) {
            *taken = next;
        }
    }

    /// The trace that a queue records, if it does.
    pub(super) fn tracing(&self, queue: QueueId) -> Option<TraceId> {
        self.tracing.get(usize::from(queue.0)).copied().flatten()
    }

    pub(super) fn set_tracing(&mut self, queue: QueueId, trace: Option<TraceId>) {
        if let Some(place) = self.tracing.get_mut(usize::from(queue.0)) {
            *place = trace;
        }
    }

    /// Refuses, on a queue that records a trace, a call that no trace can hold.
    pub(super) fn check_no_capture(&self, queue: QueueId, failure: Failure) -> Result<(), Failure> {
        self.tracing(queue).map_or(Ok(()), |_| Err(failure))
    }

    /// Forgets events and traces under way: ids and numbers count from the start again.
    pub(super) fn clear(&mut self) {
        self.events.clear();
        self.tracing = Default::default();
        self.event_numbers = Default::default();
    }
}

/// The counter that numbers a queue's events.
fn counter(queue: QueueId) -> usize {
    if planted(Defect::EventNumbersShared) { 0 } else { usize::from(queue.0) }
}
