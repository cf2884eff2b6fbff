//! Binaries: programs whose input and output tensors are chosen at each submission.

use std::collections::BTreeSet;

use hallmark_schema::commands::{Command, CommandKind, CreateBuffer, Role};
use hallmark_schema::model::{Blobs, BufferId, ObjectKind, TensorRole};
use hallmark_tensor::TensorPages;

/// Programs with declared inputs and outputs: the calls that make and enqueue them, with free buffers for the
/// inputs and outputs. A submission assigns tensors to the free buffers.
#[derive(Clone, Debug, PartialEq)]
pub struct Binary {
    name: String,
    commands: Vec<Command>,
    blobs: Blobs,
    inputs: Vec<BinaryTensor>,
    outputs: Vec<BinaryTensor>,
}

/// An input or output of a binary.
#[derive(Clone, Debug, PartialEq)]
pub struct BinaryTensor {
    /// Its name, for messages.
    pub name: String,
    /// The buffer in the binary's calls that stands for it.
    pub buffer: BufferId,
    /// Its shape, type, layout and memory.
    pub pages: TensorPages,
}

/// Why calls form no binary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BinaryProblem {
    /// A call that needs the host while the binary runs, or that does not belong to a program.
    #[error(
        "command {place}, {}, cannot be part of a binary, which makes buffers, programs and their parts, writes \
         constants and enqueues programs, and never waits: no call of it is blocking",
        call.name()
    )]
    Call {
        /// The index of the call in the binary.
        place: usize,
        /// The call.
        call: CommandKind,
    },
    /// A call refers to an object that no earlier call makes.
    #[error("command {place}, {}, needs {kind} {id}, which no command before it makes", call.name())]
    NoSuchObject {
        /// The index of the call in the binary.
        place: usize,
        /// The call.
        call: CommandKind,
        /// The kind of the missing object.
        kind: ObjectKind,
        /// The object's id in the binary.
        id: u32,
    },
    /// No call makes the buffer that stands for an input or output.
    #[error("{} `{tensor}` has buffer {buffer}, which no command makes", role.name())]
    NoBuffer {
        /// Whether it is an input or an output.
        role: TensorRole,
        /// Its name.
        tensor: String,
        /// The missing buffer.
        buffer: BufferId,
    },
    /// The buffer of an input or output does not match the tensor's size, pages, memory or shards.
    #[error(
        "{} `{tensor}` takes {needed} B in pages of {needed_page} B, and its buffer `{buffer}` has {given} B in pages \
         of {given_page} B, or lies elsewhere: give the buffer the tensor's size, pages, memory and shards",
        role.name()
    )]
    OtherBuffer {
        /// Whether it is an input or an output.
        role: TensorRole,
        /// Its name.
        tensor: String,
        /// The name of the tensor's buffer.
        buffer: String,
        /// Bytes of the tensor's pages.
        needed: u64,
        /// Bytes of one of the tensor's pages.
        needed_page: u64,
        /// Bytes of the buffer.
        given: u64,
        /// Bytes of one of the buffer's pages.
        given_page: u64,
    },
    /// Two inputs or outputs have the same buffer.
    #[error("{} `{tensor}` shares its buffer {buffer} with another input or output", role.name())]
    SharedBuffer {
        /// Whether the second one is an input or an output.
        role: TensorRole,
        /// Its name.
        tensor: String,
        /// The shared buffer.
        buffer: BufferId,
    },
    /// The binary writes constants into an input or output.
    #[error("command {place} writes into buffer {buffer}, which stands for an input or output")]
    WritesFreeTensor {
        /// The index of the call in the binary.
        place: usize,
        /// The written buffer.
        buffer: BufferId,
    },
    /// No call enqueues a program.
    #[error("no command enqueues a program, so that the binary does nothing")]
    DoesNothing,
}

impl Binary {
    /// A binary of these calls, whose ids count from 0. `blobs` are the bytes of constants.
    ///
    /// # Errors
    /// Calls that cannot be part of a binary; inputs and outputs without a matching buffer in the calls.
    pub fn new(
        name: &str,
        commands: Vec<Command>,
        blobs: Blobs,
        inputs: Vec<BinaryTensor>,
        outputs: Vec<BinaryTensor>,
    ) -> Result<Self, BinaryProblem> {
        let binary = Self { name: name.to_owned(), commands, blobs, inputs, outputs };
        binary.check_tensors()?;
        binary.check_commands()?;
        Ok(binary)
    }

    /// Its name, for messages and for the names of the objects that it makes.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The tensors that it reads.
    pub fn inputs(&self) -> &[BinaryTensor] {
        &self.inputs
    }

    /// The tensors that it writes.
    pub fn outputs(&self) -> &[BinaryTensor] {
        &self.outputs
    }

    /// The calls that make it and enqueue its programs.
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// The bytes of its constants.
    pub const fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    /// Inputs and outputs, with their roles.
    pub fn tensors(&self) -> impl Iterator<Item = (TensorRole, &BinaryTensor)> {
        let inputs = self.inputs.iter().map(|tensor| (TensorRole::Input, tensor));
        inputs.chain(self.outputs.iter().map(|tensor| (TensorRole::Output, tensor)))
    }

    fn check_tensors(&self) -> Result<(), BinaryProblem> {
        let mut taken = BTreeSet::new();
        for (role, tensor) in self.tensors() {
            let (name, buffer) = (tensor.name.clone(), tensor.buffer);
            if !taken.insert(buffer) {
                return Err(BinaryProblem::SharedBuffer { role, tensor: name, buffer });
            }
            let made = self.commands.iter().find_map(|command| match command {
                Command::CreateBuffer(call) if call.buffer == buffer => Some(call),
                _ => None,
            });
            let Some(made) = made else {
                return Err(BinaryProblem::NoBuffer { role, tensor: name, buffer });
            };
            if !tensor.fits(made) {
                return Err(BinaryProblem::OtherBuffer {
                    role,
                    tensor: name,
                    buffer: made.name.clone(),
                    needed: tensor.pages.bytes(),
                    needed_page: tensor.pages.page_bytes(),
                    given: made.size,
                    given_page: made.page_size,
                });
            }
        }
        Ok(())
    }

    fn check_commands(&self) -> Result<(), BinaryProblem> {
        let free: BTreeSet<BufferId> = self.tensors().map(|(_, tensor)| tensor.buffer).collect();
        let mut made = BTreeSet::new();
        let mut does_something = false;
        for (place, command) in self.commands.iter().enumerate() {
            let call = command.kind();
            let is_part = match command {
                Command::CreateBuffer(_)
                | Command::CreateProgram(_)
                | Command::CreateKernel(_)
                | Command::CreateCircularBuffer(_)
                | Command::CreateSemaphore(_)
                | Command::SetRuntimeArgs(_)
                | Command::SetCommonRuntimeArgs(_) => true,
                Command::EnqueueProgram(call) => {
                    does_something = true;
                    !call.blocking
                }
                Command::EnqueueWriteBuffer(call) => {
                    let buffer = call.buffer;
                    if free.contains(&buffer) {
                        return Err(BinaryProblem::WritesFreeTensor { place, buffer });
                    }
                    !call.blocking
                }
                _ => false,
            };
            if !is_part {
                return Err(BinaryProblem::Call { place, call });
            }
            let mut missing = None;
            command.for_each_reference(|role, kind, id| match role {
                Role::Creates => {
                    made.insert((kind, id));
                }
                Role::Uses | Role::Releases | Role::Names => {
                    if !made.contains(&(kind, id)) {
                        missing = missing.or(Some((kind, id)));
                    }
                }
            });
            if let Some((kind, id)) = missing {
                return Err(BinaryProblem::NoSuchObject { place, call, kind, id });
            }
        }
        if does_something { Ok(()) } else { Err(BinaryProblem::DoesNothing) }
    }
}

impl BinaryTensor {
    /// Whether a buffer can hold this tensor.
    fn fits(&self, buffer: &CreateBuffer) -> bool {
        let pages = &self.pages;
        buffer.size == pages.bytes()
            && buffer.page_size == pages.page_bytes()
            && buffer.buffer_type == pages.buffer_type()
            && buffer.layout == pages.layout()
            && buffer.shard_spec.as_ref() == pages.shard_spec()
    }

    /// The call that makes a buffer for this tensor.
    pub fn create_buffer(&self) -> CreateBuffer {
        create_buffer(self.buffer, &self.name, &self.pages)
    }
}

/// The call that makes a buffer for a tensor.
pub(crate) fn create_buffer(buffer: BufferId, name: &str, pages: &TensorPages) -> CreateBuffer {
    CreateBuffer {
        buffer,
        name: name.to_owned(),
        size: pages.bytes(),
        page_size: pages.page_bytes(),
        buffer_type: pages.buffer_type(),
        layout: pages.layout(),
        shard_spec: pages.shard_spec().cloned(),
        bottom_up: None,
    }
}
