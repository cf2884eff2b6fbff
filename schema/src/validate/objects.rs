//! The objects that the commands of a program part make, and what became of them.

use std::collections::BTreeMap;

use crate::error::{CaptureError, ObjectState, Path, Rule};
use crate::limits;
use crate::model::ObjectKind;

/// What became of an object so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Usable,
    Gone(ObjectState),
}

/// A buffer or view that the commands so far have made or tried to make.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Buffer {
    pub(crate) size: u64,
    pub(crate) page_size: u64,
    /// The buffer that holds the memory of a view.
    pub(crate) root: Option<u32>,
    /// Shards, or none.
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

/// Every object that the commands so far have made or tried to make.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    lives: [Vec<Life>; ObjectKind::ALL.len()],
    buffers: Vec<Buffer>,
    arguments: BTreeMap<u32, ArgumentCounts>,
    circular_buffers: BTreeMap<u32, CircularBuffer>,
}

/// How many argument words a kernel has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ArgumentCounts {
    /// On the core that has most of its own.
    pub(crate) unique: u64,
    /// Shared by all cores.
    pub(crate) common: u64,
}

impl ArgumentCounts {
    /// Both together keep within the limit of a core.
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

    /// Adds an object, which must have the id that comes next.
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

    /// Notes what the buffer that was created last is.
    pub(crate) fn buffer_of(&mut self, buffer: Buffer) {
        self.buffers.push(buffer);
    }

    /// What a buffer is.
    pub(crate) fn buffer(&self, buffer: u32) -> Buffer {
        let index = usize::try_from(buffer).unwrap_or(usize::MAX);
        self.buffers.get(index).copied().unwrap_or_default()
    }

    /// The argument counts of a kernel.
    pub(crate) fn arguments(&mut self, kernel: u32) -> &mut ArgumentCounts {
        self.arguments.entry(kernel).or_default()
    }

    /// Notes what a circular buffer is.
    pub(crate) fn circular_buffer_of(&mut self, id: u32, circular_buffer: CircularBuffer) {
        self.circular_buffers.insert(id, circular_buffer);
    }

    /// What a circular buffer is, if it was made.
    pub(crate) fn circular_buffer(&mut self, id: u32) -> Option<&mut CircularBuffer> {
        self.circular_buffers.get_mut(&id)
    }

    /// Checks a use: the id was given out, and the object is there if the use was `done`.
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

    /// Checks a use of a buffer's memory, which is gone with the buffer that a view is a part of.
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

    /// Notes that an object is gone.
    pub(crate) fn release(&mut self, kind: ObjectKind, id: u32) {
        let lives = self.lives.get_mut(slot(kind));
        let index = usize::try_from(id).unwrap_or(usize::MAX);
        if let Some(life) = lives.and_then(|lives| lives.get_mut(index)) {
            *life = Life::Gone(ObjectState::Released);
        }
    }
}
