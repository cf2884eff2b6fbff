//! The ids that creations take, and their start from 0.

use hallmark_schema::model::{
    BufferId, CircularBufferId, EventId, KernelId, ObjectKind, ProgramId, SemaphoreId, TraceId,
};

use super::device::Device;
use super::types::{Buffer, CircularBuffer, Event, Kernel, Program, Semaphore, Trace};
use crate::InternalError;
use crate::error::CallError;

impl Device {
    /// The id that the next creation of a kind takes: as many were given out, failed creations included.
    pub fn next_id(&self, kind: ObjectKind) -> u32 {
        self.host.next_id(kind)
    }

    /// The handle that the next creation of a buffer gives.
    pub fn next_buffer(&self) -> Buffer {
        BufferId(self.host.buffers.next()).into()
    }

    /// The handle that the next creation of a program gives.
    pub fn next_program(&self) -> Program {
        ProgramId(self.host.programs.next_program()).into()
    }

    /// The handle that the next creation of a kernel gives.
    pub fn next_kernel(&self) -> Kernel {
        KernelId(self.host.programs.next_kernel()).into()
    }

    /// The handle that the next creation of a circular buffer gives.
    pub fn next_circular_buffer(&self) -> CircularBuffer {
        CircularBufferId(self.host.programs.next_circular_buffer()).into()
    }

    /// The handle that the next creation of a semaphore gives.
    pub fn next_semaphore(&self) -> Semaphore {
        SemaphoreId(self.host.programs.next_semaphore()).into()
    }

    /// The handle that the next recorded event gets.
    pub fn next_event(&self) -> Event {
        EventId(self.host.queues.next_event()).into()
    }

    /// The handle that the next trace gets.
    pub fn next_trace(&self) -> Trace {
        TraceId(self.host.traces.next()).into()
    }

    /// Releases every object and makes ids count from 0 again, so that a capture can begin. What was
    /// enqueued must have been finished.
    ///
    /// # Errors
    /// [`InternalError`] if commands are still queued or a capture is under way.
    pub fn release_all(&mut self) -> Result<(), CallError> {
        let Self { host, backend } = self;
        if backend.has_work() || host.calls.is_recording() {
            return Err(
                InternalError::new("release_all with commands queued or while capturing").into()
            );
        }
        host.buffers.clear(&mut host.queues);
        host.programs.clear();
        host.traces.clear();
        host.traces.clear_collected();
        backend.take_work(&mut host.queues);
        host.queues.clear();
        host.reads.clear();
        host.calls.restart();
        backend.forget_events();
        backend.forget_launches();
        Ok(())
    }
}
