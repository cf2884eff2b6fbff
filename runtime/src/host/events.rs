//! Events: recorded on a queue, waited for by the other one or by the host.

use hallmark_engine::queue::Until;
use hallmark_engine::work::Work;
use hallmark_schema::commands::{
    Command, EnqueueRecordEvent, EnqueueWaitForEvent, EventQuery, EventSynchronize,
};
use hallmark_schema::model::{CommandIndex, CommandKind, EventId, Failure};

use super::backend::Goal;
use super::call::Perform;
use super::device::{Device, Host};
use super::queues::{EventState, Queues};
use super::types::{CommandQueue, Event};
use super::waiting::{report_races, work};
use crate::defects::{Defect, planted};
use crate::error::{CallError, HostError};
use crate::payload::Input;

impl Device {
    /// `EnqueueRecordEvent`, or `EnqueueRecordEventToHost` if `host_visible`: an event that happens once
    /// everything enqueued before on the queue is done. `number` is the number that the queue must give
    /// it: events of a queue count from 1, and a call that waits for the queue takes a number too.
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
    /// [`Failure::UnknownObject`], [`Failure::EventNotHostVisible`], and those that [`Device::finish`] meets.
    pub fn event_synchronize(&mut self, event: Event) -> Result<(), CallError> {
        self.call(Command::EventSynchronize(EventSynchronize { event: event.id() }), Input::Nothing)
    }

    /// `EventQuery`: whether an event has happened. A capture keeps the expected answer, if one is
    /// given, and not the answer.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::EventNotHostVisible`], [`Failure::EventStateMismatch`] for
    /// another answer than the expected one, and those that [`Device::finish`] meets.
    pub fn event_query(&mut self, event: Event, expected: Option<bool>) -> Result<bool, CallError> {
        self.call(Command::EventQuery(EventQuery { event: event.id(), expected }), Input::Nothing)?;
        Ok(self.backend.has_happened(event.id()))
    }
}

impl Perform for EnqueueRecordEvent {
    fn perform(self, device: &mut Device, index: CommandIndex, _: Input) -> Result<(), CallError> {
        record_event(self, index, &mut device.host.queues)
    }
}

impl Perform for EnqueueWaitForEvent {
    fn perform(self, device: &mut Device, index: CommandIndex, _: Input) -> Result<(), CallError> {
        wait_for_event(&self, index, &mut device.host.queues)
    }
}

impl Perform for EventSynchronize {
    fn perform(self, device: &mut Device, index: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { event } = self;
        let call = CommandKind::EventSynchronize;
        let Host { queues, reads, calls, .. } = &mut device.host;
        let EventState { queue, after, .. } = visible_event(queues, event, call)?;
        queues.check_present(call)?;
        let goal = Goal::Reach(Until::Happened { event, queue });
        work(&mut device.backend, queues, reads, calls, goal, index, call)?;
        queues.host_saw(after);
        report_races(&mut device.backend, queues, call)
    }
}

impl Perform for EventQuery {
    /// A program may ask until the answer is yes, so that asking makes the device go on.
    fn perform(self, device: &mut Device, index: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { event, expected } = self;
        let call = CommandKind::EventQuery;
        let Host { queues, reads, calls, .. } = &mut device.host;
        let EventState { name, queue, after, .. } = visible_event(queues, event, call)?;
        queues.check_present(call)?;
        let goal = Goal::Approach(Until::Happened { event, queue });
        work(&mut device.backend, queues, reads, calls, goal, index, call)?;
        let actual = device.backend.has_happened(event) || planted(Defect::QueriesAnswerEarly);
        if actual && !planted(Defect::QueriesOrderNothing) {
            queues.host_saw(after);
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

fn record_event(
    call: EnqueueRecordEvent,
    index: CommandIndex,
    queues: &mut Queues,
) -> Result<(), CallError> {
    let EnqueueRecordEvent { queue, event, name, host_visible, number } = call;
    queues.reserve_event();
    let fail = |failure| HostError::new(CommandKind::EnqueueRecordEvent, failure).named(&name);
    queues.check_queue(queue).map_err(fail)?;
    queues.check_no_capture(queue, Failure::EventDuringTrace { queue }).map_err(fail)?;
    queues.check_present(CommandKind::EnqueueRecordEvent)?;
    let actual = queues.next_event_number(queue);
    if let Some(expected) = number.filter(|expected| *expected != actual) {
        return Err(fail(Failure::EventNumberMismatch { event, expected, actual }).into());
    }
    queues.take_event_number(queue);
    let after = queues.before_next(queue);
    queues.add_event(event, EventState { name, queue, host_visible, after });
    queues.enqueue(queue, index, Work::RecordEvent(event));
    Ok(())
}

fn wait_for_event(
    call: &EnqueueWaitForEvent,
    index: CommandIndex,
    queues: &mut Queues,
) -> Result<(), CallError> {
    let EnqueueWaitForEvent { queue, event } = *call;
    let fail = |failure| HostError::new(CommandKind::EnqueueWaitForEvent, failure);
    queues.check_queue(queue).map_err(fail)?;
    let state = queues.event(event).map_err(fail)?;
    let fail = |failure| fail(failure).named(&state.name);
    queues.check_no_capture(queue, Failure::EventDuringTrace { queue }).map_err(fail)?;
    let after = state.after;
    queues.check_present(CommandKind::EnqueueWaitForEvent)?;
    queues.enqueue(queue, index, Work::WaitForEvent(event));
    queues.waits_for(queue, after);
    Ok(())
}

/// An event that the host may ask about.
fn visible_event(
    queues: &Queues,
    event: EventId,
    call: CommandKind,
) -> Result<EventState, CallError> {
    let fail = |failure| HostError::new(call, failure);
    let state = queues.event(event).map_err(fail)?;
    if !state.host_visible && !planted(Defect::HiddenEventsAreSeen) {
        return Err(fail(Failure::EventNotHostVisible { event }).named(&state.name).into());
    }
    Ok(state.clone())
}
