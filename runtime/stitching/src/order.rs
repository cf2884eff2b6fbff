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
    /// Who brings a tensor into another layout.
    pub converter: Converter,
}

/// Who brings a tensor into another layout. Both give the same bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Converter {
    /// The host, which reads and writes whatever the device holds.
    #[default]
    Host,
    /// The device's own cores: between tensors on the device, and layouts and memories only.
    Device,
}

impl<'a> Order<'a> {
    /// Work on a queue that depends on nothing but what that queue was given before.
    pub const fn on(queue: CommandQueue) -> Self {
        Self { queue, dependencies: &[], name: None, converter: Converter::Host }
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

    /// The same, with the layouts converted by somebody else.
    #[must_use]
    pub const fn by(self, converter: Converter) -> Self {
        Self { converter, ..self }
    }
}
