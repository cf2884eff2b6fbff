//! What objects are called.

use std::collections::{BTreeMap, BTreeSet};

use crate::commands;
use crate::model::{Command, ObjectKind, Program};

/// The names that a program gives its objects.
#[derive(Debug, Default)]
pub struct Names<'p> {
    names: BTreeMap<(ObjectKind, u32), &'p str>,
    /// Names that several objects of a kind have.
    shared: BTreeSet<(ObjectKind, &'p str)>,
}

/// The object that a command makes, with its id and name.
pub fn created(command: &Command) -> Option<(ObjectKind, u32, &str)> {
    match command {
        Command::CreateBuffer(commands::CreateBuffer { buffer, name, .. })
        | Command::CreateBufferView(commands::CreateBufferView { buffer, name, .. }) => {
            Some((ObjectKind::Buffer, buffer.0, name))
        }
        Command::CreateProgram(commands::CreateProgram { program, name }) => {
            Some((ObjectKind::Program, program.0, name))
        }
        Command::CreateKernel(commands::CreateKernel { kernel, name, .. }) => {
            Some((ObjectKind::Kernel, kernel.0, name))
        }
        Command::CreateCircularBuffer(commands::CreateCircularBuffer {
            circular_buffer,
            name,
            ..
        }) => Some((ObjectKind::CircularBuffer, circular_buffer.0, name)),
        Command::CreateSemaphore(commands::CreateSemaphore { semaphore, name, .. }) => {
            Some((ObjectKind::Semaphore, semaphore.0, name))
        }
        Command::EnqueueRecordEvent(commands::EnqueueRecordEvent { event, name, .. }) => {
            Some((ObjectKind::Event, event.0, name))
        }
        Command::BeginTraceCapture(commands::BeginTraceCapture { trace, name, .. })
        | Command::LoadTrace(commands::LoadTrace { trace, name, .. }) => {
            Some((ObjectKind::Trace, trace.0, name))
        }
        Command::DeallocateBuffer(_)
        | Command::SetRuntimeArgs(_)
        | Command::EnqueueWriteBuffer(_)
        | Command::EnqueueReadBuffer(_)
        | Command::EnqueueProgram(_)
        | Command::Finish(_)
        | Command::SetCommonRuntimeArgs(_)
        | Command::UpdateCommonRuntimeArgs(_)
        | Command::UpdateCircularBufferTotalSize(_)
        | Command::UpdateCircularBufferPageSize(_)
        | Command::UpdateDynamicCircularBufferAddress(_)
        | Command::UpdateDynamicCircularBufferAddressAndTotalSize(_)
        | Command::EnqueueWaitForEvent(_)
        | Command::EventSynchronize(_)
        | Command::EventQuery(_)
        | Command::EndTraceCapture(_)
        | Command::ReplayTrace(_)
        | Command::ReleaseTrace(_)
        | Command::CollectTrace(_) => None,
    }
}

impl<'p> Names<'p> {
    /// Those of a program.
    pub fn of(program: &'p Program) -> Self {
        let mut names = Self::default();
        let mut seen = BTreeSet::new();
        for (kind, id, name) in program.commands.iter().filter_map(|made| created(&made.command)) {
            names.names.insert((kind, id), name);
            if !seen.insert((kind, name)) {
                names.shared.insert((kind, name));
            }
        }
        names
    }

    /// The object's name, if it has one.
    pub(crate) fn get(&self, kind: ObjectKind, id: u32) -> Option<&'p str> {
        self.names.get(&(kind, id)).copied().filter(|name| !name.is_empty())
    }

    /// The object's kind and name, or its kind and id; all three where the name alone does not tell.
    pub fn title(&self, kind: ObjectKind, id: u32) -> String {
        match self.get(kind, id) {
            None => format!("{kind} {id}"),
            Some(name) if self.shared.contains(&(kind, name)) => {
                format!("{kind} `{name}` (id {id})")
            }
            Some(name) => format!("{kind} `{name}`"),
        }
    }

    /// The object that a command is about.
    pub fn subject(&self, command: &Command) -> String {
        crate::dump::subject(command, self)
    }

    /// The object's name, or its kind and id; both where the name alone does not tell.
    pub fn show(&self, kind: ObjectKind, id: u32) -> String {
        match self.get(kind, id) {
            None => format!("{kind} {id}"),
            Some(name) if self.shared.contains(&(kind, name)) => format!("{name} (id {id})"),
            Some(name) => name.to_owned(),
        }
    }
}
