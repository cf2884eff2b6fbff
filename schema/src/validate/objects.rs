//! The objects that the commands of a program part create, and their lifetimes.

use std::collections::BTreeMap;

use crate::error::{CaptureError, ObjectState, Path, Rule};
use crate::limits;
use crate::model::ObjectKind;

/// The state of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Usable,
    Gone(ObjectState),
}

/// A buffer or view that the commands so far have created or tried to create.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Buffer {
    pub(crate) size: u64,
    pub(crate) page_size: u64,
    /// The buffer that owns the memory of a view.
    pub(crate) root: Option<u32>,
    /// The number of shards; 0 for an interleaved buffer.
    pub(crate) shards: u64,
}

/// A circular buffer as the calls so far have configured it.
#[derive(Clone, Debug)]
pub(crate) struct CircularBuffer {
    /// Bytes on each core.
    pub(crate) total_size: u64,
    /// The indices by which kernels name it.
    pub(crate) indices: Vec<u32>,
}

/// Every object that the commands so far have created or tried to create.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    lives: [Vec<Life>; ObjectKind::ALL.len()],
    buffers: Vec<Buffer>,
    arguments: BTreeMap<u32, ArgumentCounts>,
    circular_buffers: BTreeMap<u32, CircularBuffer>,
}

/// The argument counts of a kernel.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ArgumentCounts {
    /// The largest count of unique arguments on one core.
    pub(crate) unique: u64,
    /// The count of common arguments.
    pub(crate) common: u64,
}

impl ArgumentCounts {
    /// Checks that both together are within the limit of a core.
    pub(crate) fn within_limit(self, path: &Path<'_>) -> Result<(), CaptureError> {
        let count = self.unique.saturating_add(self.common);
        path.at_most("unique and common argument words", count, limits::RUNTIME_ARGUMENTS.into())
    }
}

const fn slot(kind: ObjectKind) -> usize {
    match kind {
        ObjectKind::Buffer => 0,
        ObjectKind::Program => 1,
        ObjectKind::Kernel => 2,
        ObjectKind::CircularBuffer => 3,
        ObjectKind::Semaphore => 4,
        ObjectKind::Event => 5,
        ObjectKind::Trace => 6,
    }
}

impl Objects {
    fn of(&self, kind: ObjectKind) -> &[Life] {
        self.lives.get(slot(kind)).map_or(&[], Vec::as_slice)
    }

    /// Adds an object, which must have the next id.
    pub(crate) fn create(
        &mut self,
        kind: ObjectKind,
        id: u32,
        done: bool,
        path: &Path<'_>,
    ) -> Result<(), CaptureError> {
        let expected = u32::try_from(self.of(kind).len()).unwrap_or(u32::MAX);
        if id != expected {
            return Err(path.error(Rule::IdOutOfOrder { expected, found: id }));
        }
        if let Some(lives) = self.lives.get_mut(slot(kind)) {
            lives.push(if done { Life::Usable } else { Life::Gone(ObjectState::NeverMade) });
        }
        Ok(())
    }

    /// Stores the properties of the buffer created last.
    pub(crate) fn buffer_of(&mut self, buffer: Buffer) {
        self.buffers.push(buffer);
    }

    /// The properties of a buffer.
    pub(crate) fn buffer(&self, buffer: u32) -> Buffer {
        let index = usize::try_from(buffer).unwrap_or(usize::MAX);
        self.buffers.get(index).copied().unwrap_or_default()
    }

    /// The argument counts of a kernel.
    pub(crate) fn arguments(&mut self, kernel: u32) -> &mut ArgumentCounts {
        self.arguments.entry(kernel).or_default()
    }

    /// Stores the configuration of a circular buffer.
    pub(crate) fn circular_buffer_of(&mut self, id: u32, circular_buffer: CircularBuffer) {
        self.circular_buffers.insert(id, circular_buffer);
    }

    /// The configuration of a circular buffer, if it was created.
    pub(crate) fn circular_buffer(&mut self, id: u32) -> Option<&mut CircularBuffer> {
        self.circular_buffers.get_mut(&id)
    }

    /// Checks a use: the id was once created, and the object exists if the use was `done`.
    pub(crate) fn used(
        &self,
        kind: ObjectKind,
        id: u32,
        done: bool,
        path: &Path<'_>,
    ) -> Result<(), CaptureError> {
        let life = usize::try_from(id).ok().and_then(|index| self.of(kind).get(index));
        match life {
            None => Err(path.error(Rule::Undefined { object: kind, id })),
            Some(Life::Gone(state)) if done => {
                Err(path.error(Rule::NotUsable { object: kind, id, state: *state }))
            }
            Some(Life::Gone(_) | Life::Usable) => Ok(()),
        }
    }

    /// Checks a use of a buffer's memory. A view loses its memory when the buffer is deallocated.
    pub(crate) fn memory_used(
        &self,
        buffer: u32,
        done: bool,
        path: &Path<'_>,
    ) -> Result<(), CaptureError> {
        self.used(ObjectKind::Buffer, buffer, done, path)?;
        match self.buffer(buffer).root {
            Some(root) => self.used(ObjectKind::Buffer, root, done, path),
            None => Ok(()),
        }
    }

    /// Marks an object as released.
    pub(crate) fn release(&mut self, kind: ObjectKind, id: u32) {
        let lives = self.lives.get_mut(slot(kind));
        let index = usize::try_from(id).unwrap_or(usize::MAX);
        if let Some(life) = lives.and_then(|lives| lives.get_mut(index)) {
            *life = Life::Gone(ObjectState::Released);
        }
    }
}
