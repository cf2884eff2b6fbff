//! Where work on tensors is enqueued, and what it comes after.

use hallmark_runtime::{CommandQueue, Event};

/// Where work on tensors is enqueued, and what it comes after.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// The queue that gets the calls.
    pub queue: CommandQueue,
    /// What must have happened before the work begins.
    pub dependencies: &'a [Event],
    /// What the event, the read and the program of the work are called; by default they are numbered.
    pub name: Option<&'a str>,
}

impl<'a> Order<'a> {
    /// Work on a queue that depends on nothing but what that queue was given before.
    pub const fn on(queue: CommandQueue) -> Self {
        Self { queue, dependencies: &[], name: None }
    }

    /// The same, once these events have happened.
    #[must_use]
    pub const fn after(self, dependencies: &'a [Event]) -> Self {
        Self { dependencies, ..self }
    }

    /// The same, with a name for what it makes.
    #[must_use]
    pub const fn named(self, name: &'a str) -> Self {
        Self { name: Some(name), ..self }
    }
}
