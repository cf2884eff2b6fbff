//! Calls that order queues and the host by events.

use serde::{Deserialize, Serialize};

use crate::commands::{Call, Wait};
use crate::model::{EventId, QueueId};
use crate::wording::{self, Wording};

/// `EnqueueRecordEvent`, or `EnqueueRecordEventToHost`: an event that happens once everything
/// enqueued before it on its queue is done. Every call makes another event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnqueueRecordEvent {
    /// The queue whose earlier commands the event comes after.
    pub queue: QueueId,
    /// What later commands call it: the number of events before it, over all queues.
    pub event: EventId,
    /// Its name in the suite.
    pub name: String,
    /// Whether the host may wait for it and ask about it.
    pub host_visible: bool,
    /// The number that the queue must give it, if the host program expects one.
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

/// `EnqueueWaitForEvent`: nothing enqueued later on the queue begins before the event happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnqueueWaitForEvent {
    /// The queue whose later commands wait.
    pub queue: QueueId,
    /// The event that they wait for.
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
    /// The event that the host waits for.
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
    /// The event that the host asks about.
    pub event: EventId,
    /// What the answer must be, if the host program expects one.
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
