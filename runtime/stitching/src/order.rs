//! The queue and the dependencies of work on tensors.

use hallmark_runtime::{CommandQueue, Event};

/// The queue and the dependencies of work on tensors.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// The queue of the calls.
    pub queue: CommandQueue,
    /// The events that must have happened before the work begins.
    pub dependencies: &'a [Event],
    /// The name of the work's event, read and program; they are numbered by default.
    pub name: Option<&'a str>,
    /// The converter.
    pub converter: Converter,
}

/// The converter of layouts. Both converters give the same bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Converter {
    /// The host, which reads and writes the device's memory.
    #[default]
    Host,
    /// The device's own cores: only between tensors on the device, and only for layouts and memories.
    Device,
}

impl<'a> Order<'a> {
    /// Work on a queue that depends only on earlier work of that queue.
    pub const fn on(queue: CommandQueue) -> Self {
        Self { queue, dependencies: &[], name: None, converter: Converter::Host }
    }

    /// The same order, after these events.
    #[must_use]
    pub const fn after(self, dependencies: &'a [Event]) -> Self {
        Self { dependencies, ..self }
    }

    /// The same order, with a name for the objects that it makes.
    #[must_use]
    pub const fn named(self, name: &'a str) -> Self {
        Self { name: Some(name), ..self }
    }

    /// The same order, with another converter.
    #[must_use]
    pub const fn by(self, converter: Converter) -> Self {
        Self { converter, ..self }
    }
}
