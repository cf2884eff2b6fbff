//! The rules of a binary's inputs and outputs.

use std::collections::{BTreeMap, BTreeSet};

use super::text;
use crate::error::{CaptureError, Part, Path, Rule};
use crate::limits;
use crate::model::{
    BufferId, Command, CommandIndex, FreeTensor, Outcome, ProgramPart, TensorRole, TileShape,
};

type Result = std::result::Result<(), CaptureError>;

/// The names and buffers of the tensors so far, and the commands that use buffers.
#[derive(Debug, Default)]
struct Taken<'p> {
    names: BTreeSet<(TensorRole, &'p str)>,
    buffers: BTreeSet<BufferId>,
    has_output: bool,
    /// Bytes of each buffer that the program creates.
    made: BTreeMap<BufferId, u64>,
    /// The first command that uses the content of each buffer, makes a view of the buffer, or deallocates it.
    used: BTreeMap<BufferId, CommandIndex>,
}

impl ProgramPart {
    /// Checks the rules of inputs and outputs. An error comes with the index of its tensor.
    pub(super) fn check_free_tensors(&self) -> std::result::Result<(), (usize, CaptureError)> {
        if self.free_tensors.is_empty() {
            return Ok(());
        }
        let root = Path::root(Part::Program);
        let path = root.field("free_tensors");
        let mut taken = Taken::default();
        for (index, recorded) in (0..).zip(&self.commands) {
            if let Command::CreateBuffer(call) = &recorded.command
                && recorded.outcome == Outcome::Done
            {
                taken.made.insert(call.buffer, call.size);
            }
            if let Some(buffer) = with_content_of(&recorded.command) {
                taken.used.entry(buffer).or_insert(CommandIndex(index));
            }
        }
        for (index, tensor) in self.free_tensors.iter().enumerate() {
            let checked = taken.check(tensor, &path.index(index));
            checked.map_err(|error| (index, error))?;
        }
        Ok(())
    }
}

impl<'p> Taken<'p> {
    fn check(&mut self, tensor: &'p FreeTensor, path: &Path<'_>) -> Result {
        self.check_name(tensor, path)?;
        let shape = path.field("shape");
        let dimensions = tensor.shape.len() as u64;
        shape.at_most("dimensions", dimensions, limits::TENSOR_DIMENSIONS)?;
        shape.at_most("elements", tensor.elements(), limits::TENSOR_ELEMENTS)?;
        if let Some(reason) = tensor.tile.and_then(|tile| TileShape::of(tile).problem()) {
            refuse(Rule::TileShape { reason }, &path.field("tile"))?;
        }
        self.check_buffer(tensor, &path.field("buffer"))
    }

    fn check_name(&mut self, tensor: &'p FreeTensor, path: &Path<'_>) -> Result {
        let FreeTensor { role, name, .. } = tensor;
        match role {
            TensorRole::Input if self.has_output => refuse(Rule::InputAfterOutput, path)?,
            TensorRole::Input => {}
            TensorRole::Output => self.has_output = true,
        }
        let path = path.field("name");
        text::name(name, &path).or_else(CaptureError::refuse)?;
        if !self.names.insert((*role, name)) {
            refuse(Rule::TensorTwice { role: *role, name: name.clone() }, &path)?;
        }
        Ok(())
    }

    fn check_buffer(&mut self, tensor: &FreeTensor, path: &Path<'_>) -> Result {
        let buffer = tensor.buffer.0;
        if !self.buffers.insert(tensor.buffer) {
            refuse(Rule::SharedTensorBuffer { buffer }, path)?;
        }
        match self.made.get(&tensor.buffer) {
            None => refuse(Rule::NoTensorBuffer { buffer }, path)?,
            Some(size) => {
                let (needed, size) = (tensor.least_bytes(), *size);
                if needed > size {
                    refuse(Rule::TensorBeyondBuffer { needed, size }, path)?;
                }
            }
        }
        match self.used.get(&tensor.buffer) {
            Some(command) => refuse(Rule::FreeBufferUsed { buffer, command: *command }, path),
            None => Ok(()),
        }
    }
}

fn refuse(rule: Rule, path: &Path<'_>) -> Result {
    path.error(rule).refuse()
}

/// The buffer whose content the command uses, of which it makes a view, or that it deallocates, whatever the
/// outcome.
const fn with_content_of(command: &Command) -> Option<BufferId> {
    match command {
        Command::EnqueueWriteBuffer(call) => Some(call.buffer),
        Command::EnqueueReadBuffer(call) => Some(call.buffer),
        Command::CreateBufferView(call) => Some(call.parent),
        Command::DeallocateBuffer(call) => Some(call.buffer),
        // These commands create buffers, pass a buffer's address to kernels and circular buffers, or use none.
        Command::CreateBuffer(_)
        | Command::CreateProgram(_)
        | Command::CreateKernel(_)
        | Command::SetRuntimeArgs(_)
        | Command::CreateCircularBuffer(_)
        | Command::CreateSemaphore(_)
        | Command::EnqueueProgram(_)
        | Command::Finish(_)
        | Command::SetCommonRuntimeArgs(_)
        | Command::UpdateCommonRuntimeArgs(_)
        | Command::UpdateCircularBufferTotalSize(_)
        | Command::UpdateCircularBufferPageSize(_)
        | Command::UpdateDynamicCircularBufferAddress(_)
        | Command::UpdateDynamicCircularBufferAddressAndTotalSize(_)
        | Command::EnqueueRecordEvent(_)
        | Command::EnqueueWaitForEvent(_)
        | Command::EventSynchronize(_)
        | Command::EventQuery(_)
        | Command::BeginTraceCapture(_)
        | Command::EndTraceCapture(_)
        | Command::ReplayTrace(_)
        | Command::ReleaseTrace(_)
        | Command::CollectTrace(_)
        | Command::LoadTrace(_)
        | Command::Synchronize(_) => None,
    }
}
