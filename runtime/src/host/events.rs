//! Events: recorded on a queue, waited for by the other one or by the host.

use hallmark_schema::model::{CommandIndex, CommandKind, EventId, Failure, QueueId};

use super::create::same_id;
use super::{Device, Host};
use crate::defects::{Defect, planted};
use crate::engine::queue::{Progress, Until};
use crate::engine::work::Work;
use crate::error::{CallError, HostError};

/// An event that was recorded.
#[derive(Clone, Debug)]
pub(crate) struct EventState {
    pub(crate) name: String,
    pub(crate) queue: QueueId,
    pub(crate) host_visible: bool,
    /// What is done once it has happened.
    pub(crate) after: Progress,
}

/// What an event is recorded with.
pub(super) struct EventAsked {
    pub(super) name: String,
    pub(super) host_visible: bool,
    pub(super) number: Option<u32>,
}

impl Host {
    pub(super) fn perform_record_event(
        &mut self,
        index: CommandIndex,
        queue: QueueId,
        event: EventId,
        asked: EventAsked,
    ) -> Result<(), CallError> {
        same_id(event.0, self.objects.events.reserve())?;
        let EventAsked { name, host_visible, number } = asked;
        let fail = |failure| HostError::new(CommandKind::EnqueueRecordEvent, failure).named(&name);
        self.check_queue(queue).map_err(fail)?;
        self.check_no_capture(queue, Failure::EventDuringTrace { queue }).map_err(fail)?;
        self.check_present(CommandKind::EnqueueRecordEvent)?;
        let actual = self.next_event_number(queue);
        if let Some(expected) = number.filter(|expected| *expected != actual) {
            return Err(fail(Failure::EventNumberMismatch { event, expected, actual }).into());
        }
        self.take_event_number(queue);
        let after = self.order.before_next(queue);
        self.objects.events.fill(event.0, EventState { name, queue, host_visible, after });
        self.enqueue(queue, index, Work::RecordEvent(event));
        Ok(())
    }

    pub(super) fn perform_wait_for_event(
        &mut self,
        index: CommandIndex,
        queue: QueueId,
        event: EventId,
    ) -> Result<(), CallError> {
        let fail = |failure| HostError::new(CommandKind::EnqueueWaitForEvent, failure);
        self.check_queue(queue).map_err(fail)?;
        let state = self.objects.events.get(event.0).map_err(fail)?;
        let fail = |failure| fail(failure).named(&state.name);
        self.check_no_capture(queue, Failure::EventDuringTrace { queue }).map_err(fail)?;
        let after = state.after;
        self.check_present(CommandKind::EnqueueWaitForEvent)?;
        self.enqueue(queue, index, Work::WaitForEvent(event));
        self.order.waits_for(queue, after);
        Ok(())
    }

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
    pub(super) fn perform_event_synchronize(
        &mut self,
        index: CommandIndex,
        event: EventId,
    ) -> Result<(), CallError> {
        let call = CommandKind::EventSynchronize;
        let EventState { queue, after, .. } = self.host.visible_event(event, call)?;
        self.host.check_present(call)?;
        self.run_until(Until::Happened { event, queue }, index, call)?;
        self.host.order.host_saw(after);
        self.report_races(call)
    }

    /// A program may ask until the answer is yes, so that asking makes the device go on.
    pub(super) fn perform_event_query(
        &mut self,
        index: CommandIndex,
        event: EventId,
        expected: Option<bool>,
    ) -> Result<(), CallError> {
        let call = CommandKind::EventQuery;
        let EventState { name, queue, after, .. } = self.host.visible_event(event, call)?;
        self.host.check_present(call)?;
        self.run_one(Until::Happened { event, queue }, index, call)?;
        let actual = self.has_happened(event);
        if actual {
            self.host.order.host_saw(after);
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
