//! The order of enqueued commands: by their queue, by events, and by calls that wait.

use hallmark_schema::limits::COMMAND_QUEUES;
use hallmark_schema::model::QueueId;

use crate::defects::{Defect, planted};

/// Command queues that a device can have.
pub const QUEUES: usize = COMMAND_QUEUES as usize;

/// How many commands of each queue are done at a point, at least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress([u64; QUEUES]);

impl Progress {
    fn of(self, queue: QueueId) -> u64 {
        self.0.get(usize::from(queue.0)).copied().unwrap_or_default()
    }

    fn join(&mut self, other: Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine = theirs.max(*mine);
        }
    }

    /// Whether a command is done at this point, whatever else happens.
    pub fn covers(self, position: QueuePosition) -> bool {
        self.of(position.queue) >= position.number
    }
}

/// A command's position: the number that it has on its queue, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuePosition {
    /// The queue that was given the command.
    pub queue: QueueId,
    /// How many commands the queue had been given then, this one counted.
    pub number: u64,
}

/// The order that calls have given so far.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// The commands that are done before the one that each queue is given next.
    queues: [Progress; QUEUES],
    /// The commands that the host knows to be done.
    host: Progress,
}

impl Order {
    /// The commands that are done before the one that a queue is given next, its own earlier ones included.
    pub fn before_next(&self, queue: QueueId) -> Progress {
        let mut before = self.queues.get(usize::from(queue.0)).copied().unwrap_or_default();
        before.join(self.host);
        before
    }

    /// The position of the command that a queue is given next.
    pub fn next_position(&self, queue: QueueId) -> QueuePosition {
        QueuePosition { queue, number: self.before_next(queue).of(queue).saturating_add(1) }
    }

    /// Gives a queue a command; gives its position, and the commands that are done before it begins.
    pub fn enqueued(&mut self, queue: QueueId) -> (QueuePosition, Progress) {
        let before = self.before_next(queue);
        let mut after = before;
        if let Some(own) = after.0.get_mut(usize::from(queue.0)) {
            *own = own.saturating_add(1);
        }
        if let Some(known) = self.queues.get_mut(usize::from(queue.0)) {
            *known = after;
        }
        (QueuePosition { queue, number: after.of(queue) }, before)
    }

    /// A queue is given a wait after which these commands are done.
    pub fn waits_for(&mut self, queue: QueueId, done: Progress) {
        if planted(Defect::EventsOrderNothing) {
            return;
        }
        if let Some(known) = self.queues.get_mut(usize::from(queue.0)) {
            known.join(done);
        }
    }

    /// The commands that the host knows to be done.
    pub const fn host(&self) -> Progress {
        self.host
    }

    /// The host has waited until these commands were done.
    pub fn host_saw(&mut self, done: Progress) {
        self.host.join(done);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: QueueId = QueueId(0);
    const SECOND: QueueId = QueueId(1);

    #[test]
    fn queues_are_ordered_by_events_and_by_the_host_only() {
        let mut order = Order::default();
        let (write, _) = order.enqueued(FIRST);
        let (_, before) = order.enqueued(SECOND);
        assert!(!before.covers(write));
        let event = order.before_next(FIRST);
        let (later, _) = order.enqueued(FIRST);
        order.waits_for(SECOND, event);
        let (launch, before) = order.enqueued(SECOND);
        assert!(before.covers(write) && !before.covers(later));
        order.host_saw(order.before_next(SECOND));
        let (_, before) = order.enqueued(FIRST);
        assert!(before.covers(launch) && before.covers(later));
    }
}
