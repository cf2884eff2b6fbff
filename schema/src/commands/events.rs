//! Calls that order queues and the host by events.

use serde::{Deserialize, Serialize};

use crate::commands::{Call, Wait};
use crate::model::{EventId, QueueId};
use crate::wording::{self, Wording};

/// `EnqueueRecordEvent`, or `EnqueueRecordEventToHost`: an event that happens once all earlier work on its
/// queue is done. Every call makes a new event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnqueueRecordEvent {
    /// The queue on which the event is recorded.
    pub queue: QueueId,
    /// Its id: the number of events recorded before it, over all queues.
    pub event: EventId,
    /// Its name in the suite.
    pub name: String,
    /// Whether the host may wait for the event and query it.
    pub host_visible: bool,
    /// The number that the queue must give the event, if the host program expects one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
}

impl Call for EnqueueRecordEvent {
    fn sentence(&self, _: &Wording<'_>) -> String {
        let visible = if self.host_visible { ", to the host" } else { "" };
        let number = self.number.map(|number| format!(", number {number}")).unwrap_or_default();
        wording::phrase(&[&wording::on_queue(self.queue), visible, &number])
    }
}

/// `EnqueueWaitForEvent`: later work on the queue begins only after the event has happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnqueueWaitForEvent {
    /// The queue that waits.
    pub queue: QueueId,
    /// The awaited event.
    pub event: EventId,
}

impl Call for EnqueueWaitForEvent {
    fn sentence(&self, _: &Wording<'_>) -> String {
        wording::phrase(&[&wording::on_queue(self.queue)])
    }
}

/// `EventSynchronize`: the host waits for an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventSynchronize {
    /// The awaited event.
    pub event: EventId,
}

impl Call for EventSynchronize {
    fn waits_for(&self) -> Wait {
        Wait::Event(self.event)
    }
}

/// `EventQuery`: whether an event has happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventQuery {
    /// The queried event.
    pub event: EventId,
    /// The required answer, if the host program expects one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<bool>,
}

impl Call for EventQuery {
    fn sentence(&self, _: &Wording<'_>) -> String {
        match self.expected {
            Some(true) => "has happened".to_owned(),
            Some(false) => "has not happened".to_owned(),
            None => String::new(),
        }
    }
}
