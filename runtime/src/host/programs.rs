//! Programs, and the kernels, circular buffers and semaphores that were added to them.

use hallmark_schema::model::{
    CircularBufferId, Failure, KernelId, ObjectKind, ProgramId, SemaphoreId,
};

use super::objects::ObjectTable;
use super::states::{CircularBufferState, KernelState, ProgramState, SemaphoreState};
use crate::defects::{Defect, planted};

/// Programs and their members by id.
#[derive(Debug)]
pub(super) struct Programs {
    programs: ObjectTable<ProgramState>,
    kernels: ObjectTable<KernelState>,
    circular_buffers: ObjectTable<CircularBufferState>,
    semaphores: ObjectTable<SemaphoreState>,
}

impl Programs {
    pub(super) const fn new() -> Self {
        Self {
            programs: ObjectTable::new(ObjectKind::Program),
            kernels: ObjectTable::new(ObjectKind::Kernel),
            circular_buffers: ObjectTable::new(ObjectKind::CircularBuffer),
            semaphores: ObjectTable::new(ObjectKind::Semaphore),
        }
    }

    pub(super) fn next_program(&self) -> u32 {
        self.programs.next()
    }

    pub(super) fn next_kernel(&self) -> u32 {
        self.kernels.next()
    }

    pub(super) fn next_circular_buffer(&self) -> u32 {
        self.circular_buffers.next()
    }

    pub(super) fn next_semaphore(&self) -> u32 {
        self.semaphores.next()
    }

    /// Forgets everything: ids count from 0 again.
    pub(super) fn clear(&mut self) {
        self.programs.clear();
        self.kernels.clear();
        self.circular_buffers.clear();
        self.semaphores.clear();
    }

    pub(super) fn program(&self, program: ProgramId) -> Result<&ProgramState, Failure> {
        self.programs.get(program.0)
    }

    pub(super) fn program_mut(&mut self, program: ProgramId) -> Result<&mut ProgramState, Failure> {
        self.programs.get_mut(program.0)
    }

    /// The program, if objects may still be added to it.
    pub(super) fn open_program(
        &self,
        program: ProgramId,
        object: ObjectKind,
    ) -> Result<&ProgramState, Failure> {
        let state = self.program(program)?;
        if state.compiled {
            return Err(Failure::ProgramAlreadyCompiled { object, program });
        }
        Ok(state)
    }

    pub(super) fn kernel(&self, kernel: KernelId) -> Result<&KernelState, Failure> {
        self.kernels.get(kernel.0)
    }

    pub(super) fn kernel_mut(&mut self, kernel: KernelId) -> Result<&mut KernelState, Failure> {
        self.kernels.get_mut(kernel.0)
    }

    pub(super) fn circular_buffer(
        &self,
        circular_buffer: CircularBufferId,
    ) -> Result<&CircularBufferState, Failure> {
        self.circular_buffers.get(circular_buffer.0)
    }

    pub(super) fn circular_buffer_mut(
        &mut self,
        circular_buffer: CircularBufferId,
    ) -> Result<&mut CircularBufferState, Failure> {
        self.circular_buffers.get_mut(circular_buffer.0)
    }

    pub(super) fn semaphore(&self, semaphore: SemaphoreId) -> Result<&SemaphoreState, Failure> {
        self.semaphores.get(semaphore.0)
    }

    pub(super) fn add_program(&mut self, program: ProgramId, state: ProgramState) {
        self.programs.reserve();
        self.programs.fill(program.0, state);
    }

    /// Takes the next id of a kernel; [`Programs::add_kernel`] makes it usable.
    pub(super) fn reserve_kernel(&mut self) {
        self.kernels.reserve();
    }

    /// Adds a kernel to its program.
    pub(super) fn add_kernel(&mut self, kernel: KernelId, state: KernelState) {
        if let Ok(program) = self.programs.get_mut(state.program.0) {
            program.kernels.push(kernel);
        }
        self.kernels.fill(kernel.0, state);
    }

    /// Takes the next id of a circular buffer; [`Programs::add_circular_buffer`] makes it usable.
    pub(super) fn reserve_circular_buffer(&mut self) {
        self.circular_buffers.reserve();
    }

    /// Adds a circular buffer to its program.
    pub(super) fn add_circular_buffer(
        &mut self,
        circular_buffer: CircularBufferId,
        state: CircularBufferState,
    ) {
        if let Ok(program) = self.programs.get_mut(state.program.0) {
            program.circular_buffers.push(circular_buffer);
        }
        self.circular_buffers.fill(circular_buffer.0, state);
    }

    /// Takes the next id of a semaphore; [`Programs::add_semaphore`] makes it usable.
    pub(super) fn reserve_semaphore(&mut self) {
        self.semaphores.reserve();
    }

    /// Adds a semaphore to its program.
    pub(super) fn add_semaphore(&mut self, semaphore: SemaphoreId, state: SemaphoreState) {
        if let Ok(program) = self.programs.get_mut(state.program.0) {
            program.semaphores.push(semaphore);
        }
        self.semaphores.fill(semaphore.0, state);
    }

    /// Notes a change that launches of a program depend on.
    pub(super) fn assemble_anew(&mut self, program: ProgramId) {
        if let Ok(state) = self.programs.get_mut(program.0)
            && !planted(Defect::ChangedArgumentsNotSent)
        {
            state.assembled = None;
        }
    }
}
