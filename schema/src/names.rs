//! What objects are called.

use std::collections::BTreeMap;

use crate::model::{Command, ObjectKind, Program};

/// The names that a program gives its objects.
#[derive(Debug, Default)]
pub(crate) struct Names<'p>(BTreeMap<(ObjectKind, u32), &'p str>);

/// The object that a command makes, with its id and name.
pub(crate) fn created(command: &Command) -> Option<(ObjectKind, u32, &str)> {
    match command {
        Command::CreateBuffer { buffer, name, .. } => Some((ObjectKind::Buffer, buffer.0, name)),
        Command::CreateProgram { program, name } => Some((ObjectKind::Program, program.0, name)),
        Command::CreateKernel { kernel, name, .. } => Some((ObjectKind::Kernel, kernel.0, name)),
        Command::CreateCircularBuffer { circular_buffer, name, .. } => {
            Some((ObjectKind::CircularBuffer, circular_buffer.0, name))
        }
        Command::CreateSemaphore { semaphore, name, .. } => {
            Some((ObjectKind::Semaphore, semaphore.0, name))
        }
        Command::DeallocateBuffer { .. }
        | Command::SetRuntimeArgs { .. }
        | Command::EnqueueWriteBuffer { .. }
        | Command::EnqueueReadBuffer { .. }
        | Command::EnqueueProgram { .. }
        | Command::Finish { .. } => None,
    }
}

impl<'p> Names<'p> {
    pub(crate) fn of(program: &'p Program) -> Self {
        let objects = program.commands.iter().filter_map(|made| created(&made.command));
        Self(objects.map(|(kind, id, name)| ((kind, id), name)).collect())
    }

    /// The object's name, if it has one.
    pub(crate) fn get(&self, kind: ObjectKind, id: u32) -> Option<&'p str> {
        self.0.get(&(kind, id)).copied().filter(|name| !name.is_empty())
    }

    /// The object's name, or its kind and id.
    pub(crate) fn show(&self, kind: ObjectKind, id: u32) -> String {
        self.get(kind, id).map_or_else(|| format!("{kind} {id}"), str::to_owned)
    }
}
