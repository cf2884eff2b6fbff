//! Events: recorded on a queue, waited for by the other one or by the host.

use hallmark_engine::queue::{Progress, Until};
use hallmark_engine::work::Work;
use hallmark_schema::commands::{
    Command, EnqueueRecordEvent, EnqueueWaitForEvent, EventQuery, EventSynchronize,
};
use hallmark_schema::model::{CommandIndex, CommandKind, EventId, Failure, QueueId};

use super::call::Perform;
use super::types::{CommandQueue, Event};
use super::{Device, Host};
use crate::defects::{Defect, planted};
use crate::error::{CallError, HostError};
use crate::payload::Input;

/// An event that was recorded.
#[derive(Clone, Debug)]
pub(crate) struct EventState {
    pub(crate) name: String,
    pub(crate) queue: QueueId,
    pub(crate) host_visible: bool,
    /// What is done once it has happened.
    pub(crate) after: Progress,
}

impl Host {
    /// An event that the host may ask about.
    fn visible_event(&self, event: EventId, call: CommandKind) -> Result<EventState, CallError> {
        let fail = |failure| HostError::new(call, failure);
        let state = self.objects.events.get(event.0).map_err(fail)?;
        if !state.host_visible && !planted(Defect::HiddenEventsAreSeen) {
            return Err(fail(Failure::EventNotHostVisible { event }).named(&state.name).into());
        }
        Ok(state.clone())
    }

    fn next_event_number(&self, queue: QueueId) -> u32 {
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
}

impl Device {
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
        let command = Command::EnqueueRecordEvent(EnqueueRecordEvent {
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
            Command::EnqueueWaitForEvent(EnqueueWaitForEvent { queue, event }),
            Input::Nothing,
        )
    }

    /// `EventSynchronize`: waits until an event has happened.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::EventNotHostVisible`], and what [`Device::finish`] meets.
    pub fn event_synchronize(&mut self, event: Event) -> Result<(), CallError> {
        self.call(Command::EventSynchronize(EventSynchronize { event: event.id() }), Input::Nothing)
    }

    /// `EventQuery`: whether an event has happened. A capture keeps what the answer must be, if it is
    /// given, and not the answer.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::EventNotHostVisible`], [`Failure::EventStateMismatch`] for
    /// another answer than the one expected, and what [`Device::finish`] meets.
    pub fn event_query(&mut self, event: Event, expected: Option<bool>) -> Result<bool, CallError> {
        self.call(Command::EventQuery(EventQuery { event: event.id(), expected }), Input::Nothing)?;
        Ok(self.has_happened(event.id()))
    }
}

impl Perform for EnqueueRecordEvent {
    fn perform(self, device: &mut Device, index: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { queue, event, name, host_visible, number } = self;
        let host = &mut device.host;
        host.objects.events.reserve();
        let fail = |failure| HostError::new(CommandKind::EnqueueRecordEvent, failure).named(&name);
        host.check_queue(queue).map_err(fail)?;
        host.check_no_capture(queue, Failure::EventDuringTrace { queue }).map_err(fail)?;
        host.check_present(CommandKind::EnqueueRecordEvent)?;
        let actual = host.next_event_number(queue);
        if let Some(expected) = number.filter(|expected| *expected != actual) {
            return Err(fail(Failure::EventNumberMismatch { event, expected, actual }).into());
        }
        host.take_event_number(queue);
        let after = host.order.before_next(queue);
        host.objects.events.fill(event.0, EventState { name, queue, host_visible, after });
        host.enqueue(queue, index, Work::RecordEvent(event));
        Ok(())
    }
}

impl Perform for EnqueueWaitForEvent {
    fn perform(self, device: &mut Device, index: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { queue, event } = self;
        let host = &mut device.host;
        let fail = |failure| HostError::new(CommandKind::EnqueueWaitForEvent, failure);
        host.check_queue(queue).map_err(fail)?;
        let state = host.objects.events.get(event.0).map_err(fail)?;
        let fail = |failure| fail(failure).named(&state.name);
        host.check_no_capture(queue, Failure::EventDuringTrace { queue }).map_err(fail)?;
        let after = state.after;
        host.check_present(CommandKind::EnqueueWaitForEvent)?;
        host.enqueue(queue, index, Work::WaitForEvent(event));
        host.order.waits_for(queue, after);
        Ok(())
    }
}

impl Perform for EventSynchronize {
    fn perform(self, device: &mut Device, index: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { event } = self;
        let call = CommandKind::EventSynchronize;
        let EventState { queue, after, .. } = device.host.visible_event(event, call)?;
        device.host.check_present(call)?;
        device.run_until(Until::Happened { event, queue }, index, call)?;
        device.host.order.host_saw(after);
        device.report_races(call)
    }
}

impl Perform for EventQuery {
    /// A program may ask until the answer is yes, so that asking makes the device go on.
    fn perform(self, device: &mut Device, index: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { event, expected } = self;
        let call = CommandKind::EventQuery;
        let EventState { name, queue, after, .. } = device.host.visible_event(event, call)?;
        device.host.check_present(call)?;
        device.run_one(Until::Happened { event, queue }, index, call)?;
        let actual = device.has_happened(event) || planted(Defect::QueriesAnswerEarly);
        if actual && !planted(Defect::QueriesOrderNothing) {
            device.host.order.host_saw(after);
        }
        match expected {
            Some(expected) if expected != actual && !planted(Defect::QueriesSayYes) => {
                let (expected, actual) = (u32::from(expected), u32::from(actual));
                let failure = Failure::EventStateMismatch { event, expected, actual };
                Err(HostError::new(call, failure).named(&name).into())
            }
            _ => Ok(()),
        }
    }
}

/// Which counter numbers a queue's events.
fn counter(queue: QueueId) -> usize {
    if planted(Defect::EventNumbersShared) { 0 } else { usize::from(queue.0) }
}
