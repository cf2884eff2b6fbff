//! Calls that order queues and the host by events.

use serde::{Deserialize, Serialize};

use crate::model::{EventId, QueueId};

/// `EnqueueRecordEvent`, or `EnqueueRecordEventToHost`: an event that happens once everything
/// enqueued before it on its queue is done. Every call makes another event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnqueueRecordEvent {
    /// On which queue.
    pub queue: QueueId,
    /// Its id.
    pub event: EventId,
    /// Its name in the suite.
    pub name: String,
    /// Whether the host may wait for it and ask about it.
    pub host_visible: bool,
    /// The number that the queue must give it, if the host program expects one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
}

/// `EnqueueWaitForEvent`: nothing enqueued later on the queue begins before the event happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnqueueWaitForEvent {
    /// Which queue waits.
    pub queue: QueueId,
    /// For what.
    pub event: EventId,
}

/// `EventSynchronize`: the host waits for an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventSynchronize {
    /// For what.
    pub event: EventId,
}

/// `EventQuery`: whether an event has happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventQuery {
    /// Which.
    pub event: EventId,
    /// What the answer must be, if the host program expects one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<bool>,
}
