//! Loaded binaries and their submissions.

use std::collections::BTreeMap;

use hallmark_runtime::Event;
use hallmark_schema::commands::{
    Command, Role, UpdateCommonRuntimeArgs, UpdateDynamicCircularBufferAddress,
};
use hallmark_schema::model::{BufferId, ObjectKind, QueueId};
use hallmark_tensor::TensorPages;

use crate::binary::{Binary, BinaryTensor};
use crate::defects::{Defect, planted};
use crate::tensors::{Home, Tensor};
use crate::{HostCalls, Order, OtherTensor, Stitching, StitchingError, TensorProperty, TensorRole};

/// A loaded binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Loaded(u32);

/// A binary, and the ids of its objects after its first submission.
#[derive(Debug)]
pub(crate) struct LoadedBinary {
    binary: Binary,
    /// The id of each of the binary's objects; `None` before the first submission.
    objects: Option<BTreeMap<(ObjectKind, u32), u32>>,
}

impl LoadedBinary {
    fn tensors(&self, role: TensorRole) -> &[BinaryTensor] {
        match role {
            TensorRole::Input => self.binary.inputs(),
            TensorRole::Output => self.binary.outputs(),
        }
    }

    fn tensor(&self, role: TensorRole, index: usize) -> Result<&BinaryTensor, StitchingError> {
        let tensors = self.tensors(role);
        tensors.get(index).ok_or_else(|| StitchingError::NoSuchBinaryTensor {
            binary: self.binary.name().to_owned(),
            role,
            index,
            has: tensors.len(),
        })
    }
}

impl<C: HostCalls> Stitching<'_, C> {
    /// Loads a binary for submission. Its objects are made by the first submission.
    pub fn load(&mut self, binary: Binary) -> Loaded {
        let number = u32::try_from(self.binaries.len()).unwrap_or(u32::MAX);
        self.binaries.push(LoadedBinary { binary, objects: None });
        Loaded(number)
    }

    /// A loaded binary.
    ///
    /// # Errors
    /// [`StitchingError::NoSuchBinary`].
    pub fn binary(&self, loaded: Loaded) -> Result<&Binary, StitchingError> {
        Ok(&self.loaded(loaded)?.binary)
    }

    fn loaded(&self, loaded: Loaded) -> Result<&LoadedBinary, StitchingError> {
        let found = self.binaries.get(loaded.0 as usize);
        found.ok_or(StitchingError::NoSuchBinary { number: loaded.0 })
    }

    /// `allocateInputTensor`: a tensor on the device that matches an input of the binary, without content.
    ///
    /// # Errors
    /// [`StitchingError::NoSuchBinaryTensor`], [`StitchingError::OutOfMemory`].
    pub fn allocate_input_tensor(
        &mut self,
        name: &str,
        binary: Loaded,
        index: usize,
    ) -> Result<Tensor, StitchingError> {
        let pages = self.loaded(binary)?.tensor(TensorRole::Input, index)?.pages.clone();
        self.allocate(name, pages)
    }

    /// `allocateOutputTensor`: a tensor on the device that matches an output of the binary, without content.
    ///
    /// # Errors
    /// As [`Self::allocate_input_tensor`].
    pub fn allocate_output_tensor(
        &mut self,
        name: &str,
        binary: Loaded,
        index: usize,
    ) -> Result<Tensor, StitchingError> {
        let pages = self.loaded(binary)?.tensor(TensorRole::Output, index)?.pages.clone();
        self.allocate(name, pages)
    }

    /// `submit`: enqueues a binary's programs with these inputs, after the order's dependencies. Allocates the
    /// outputs; the event happens when they are complete.
    ///
    /// # Errors
    /// As [`Self::submit_into`] and [`Self::allocate_output_tensor`].
    pub fn submit(
        &mut self,
        binary: Loaded,
        inputs: &[Tensor],
        order: Order<'_>,
    ) -> Result<(Vec<Tensor>, Event), StitchingError> {
        // Mismatched inputs are refused before any allocation.
        self.check_inputs(binary, inputs)?;
        let outputs = self.loaded(binary)?.binary.outputs().to_vec();
        let outputs = outputs.into_iter().map(|output| self.allocate(&output.name, output.pages));
        let outputs = outputs.collect::<Result<Vec<_>, _>>()?;
        let event = self.submit_into(binary, inputs, &outputs, order)?;
        Ok((outputs, event))
    }

    /// Checks that tensors match a binary's inputs and have content.
    ///
    /// # Errors
    /// As [`Self::submit_into`].
    pub fn check_inputs(&self, binary: Loaded, inputs: &[Tensor]) -> Result<(), StitchingError> {
        self.check_given(binary, TensorRole::Input, inputs).map(|_| ())
    }

    /// As [`Self::submit`], with existing tensors for the outputs.
    ///
    /// The first submission makes the binary's objects. Later ones set the arguments anew and enqueue the
    /// programs again. Two submissions that run at the same time therefore share the binary's own memory.
    ///
    /// [`StitchingError::OtherNumberOfTensors`], [`StitchingError::OtherTensor`],
    /// [`StitchingError::NoContent`], [`StitchingError::GivenTwice`]; the errors of the device's calls.
    pub fn submit_into(
        &mut self,
        binary: Loaded,
        inputs: &[Tensor],
        outputs: &[Tensor],
        order: Order<'_>,
    ) -> Result<Event, StitchingError> {
        let mut given = self.check_given(binary, TensorRole::Input, inputs)?;
        given.extend(self.check_given(binary, TensorRole::Output, outputs)?);
        let is_given_before = |(place, output): &(usize, &Tensor)| {
            let before = outputs.get(..*place).unwrap_or_default();
            inputs.contains(output) || before.contains(output)
        };
        if let Some((_, twice)) = outputs.iter().enumerate().find(is_given_before) {
            return Err(StitchingError::GivenTwice {
                binary: self.loaded(binary)?.binary.name().to_owned(),
                tensor: self.tensors.state(*twice)?.name.clone(),
            });
        }
        let name = self.name(order, "submission");
        self.wait_for(order)?;
        self.make_calls(binary, &given, order.queue.id())?;
        for output in outputs {
            if let Home::Device { buffer, is_written, .. } =
                &mut self.tensors.state_mut(*output)?.home
            {
                *is_written = true;
                self.calls.holds(*buffer, None);
            }
        }
        self.record(order.queue, &name)
    }

    /// The buffer for each free buffer of the binary, if the tensors match.
    fn check_given(
        &self,
        binary: Loaded,
        role: TensorRole,
        given: &[Tensor],
    ) -> Result<BTreeMap<BufferId, BufferId>, StitchingError> {
        let loaded = self.loaded(binary)?;
        let needed = loaded.tensors(role);
        let name = || loaded.binary.name().to_owned();
        if needed.len() != given.len() {
            return Err(StitchingError::OtherNumberOfTensors {
                binary: name(),
                role,
                needed: needed.len(),
                given: given.len(),
            });
        }
        let mut buffers = BTreeMap::new();
        for (index, (needs, tensor)) in needed.iter().zip(given).enumerate() {
            let state = self.tensors.state(*tensor)?;
            let there = match &state.home {
                Home::Host { spec, .. } => Err(spec),
                Home::Device { buffer, pages, .. } => Ok((*buffer, pages)),
            };
            let pages = there.map(|(_, pages)| &**pages);
            if let Some((what, needed, given)) = difference(&needs.pages, pages) {
                let remedy = match (what, role) {
                    (TensorProperty::Shape, _) => "give it a tensor of that shape",
                    (_, TensorRole::Input) => {
                        "bring the tensor by to_layout into one of allocate_input_tensor"
                    }
                    (_, TensorRole::Output) => "give it one of allocate_output_tensor",
                };
                let differs = OtherTensor {
                    binary: name(),
                    role,
                    index,
                    needs: needs.name.clone(),
                    tensor: state.name.clone(),
                    what,
                    needed,
                    given,
                    remedy,
                };
                return Err(StitchingError::OtherTensor(Box::new(differs)));
            }
            if role == TensorRole::Input && !state.has_content() {
                return Err(state.without_content());
            }
            if let Ok((buffer, _)) = there {
                let is_swapped = role == TensorRole::Output && planted(Defect::OutputsSwapped);
                let other = needed.len().saturating_sub(1).saturating_sub(index);
                let place = if is_swapped { needed.get(other).unwrap_or(needs) } else { needs };
                buffers.insert(place.buffer, buffer);
            }
        }
        Ok(buffers)
    }

    /// Makes the calls of a binary, with the given buffers in place of the free ones.
    fn make_calls(
        &mut self,
        binary: Loaded,
        given: &BTreeMap<BufferId, BufferId>,
        queue: QueueId,
    ) -> Result<(), StitchingError> {
        let loaded = self.loaded(binary)?;
        let (commands, blobs) = (loaded.binary.commands().to_vec(), loaded.binary.blobs().clone());
        let prefix = loaded.binary.name().to_owned();
        let is_first = loaded.objects.is_none();
        let mut objects = loaded.objects.clone().unwrap_or_default();
        for (free, buffer) in given {
            objects.insert((ObjectKind::Buffer, free.0), buffer.0);
        }
        let queue = if planted(Defect::SubmissionsOnTheFirstQueue) { QueueId(0) } else { queue };
        let last = commands.len().saturating_sub(1);
        let programs =
            commands.iter().filter(|it| matches!(it, Command::EnqueueProgram(_))).count();
        for (place, command) in commands.into_iter().enumerate() {
            if place == last && programs > 1 && planted(Defect::LastProgramNotEnqueued) {
                continue;
            }
            if let Command::CreateBuffer(call) = &command
                && given.contains_key(&call.buffer)
            {
                continue;
            }
            let is_constant = matches!(command, Command::EnqueueWriteBuffer(_));
            if is_constant && planted(Defect::ConstantsNotWritten) {
                continue;
            }
            let command = if is_first { Some(command) } else { again(command, given) };
            let Some(mut command) = command else { continue };
            let calls = &self.calls;
            command.for_each_reference_mut(|role, kind, id| {
                let known = match role {
                    Role::Creates => *objects.entry((kind, *id)).or_insert(calls.next_id(kind)),
                    Role::Uses | Role::Releases | Role::Names => {
                        objects.get(&(kind, *id)).copied().unwrap_or(*id)
                    }
                };
                *id = known;
            });
            let mut written = None;
            if let Some(name) = command.given_name_mut() {
                *name = format!("{prefix}_{name}");
            }
            match &mut command {
                Command::EnqueueProgram(call) => call.queue = queue,
                Command::EnqueueWriteBuffer(call) => {
                    call.queue = queue;
                    written = blobs.get(&call.data.hash).cloned();
                }
                _ => {}
            }
            self.calls.make(command, written)?;
        }
        if let Some(loaded) = self.binaries.get_mut(binary.0 as usize) {
            loaded.objects = Some(objects);
        }
        Ok(())
    }
}

/// The call that a later submission makes in place of a first one. Programs are enqueued again and arguments that
/// depend on the tensors are set anew; other calls are not repeated (`None`).
fn again(command: Command, given: &BTreeMap<BufferId, BufferId>) -> Option<Command> {
    let mut names_free = false;
    command.for_each_reference(|_, kind, id| {
        names_free |= kind == ObjectKind::Buffer && given.contains_key(&BufferId(id));
    });
    match command {
        Command::EnqueueProgram(_) => Some(command),
        Command::SetRuntimeArgs(_) if planted(Defect::ArgumentsOfTheFirstSubmission) => None,
        Command::SetRuntimeArgs(_) if names_free => Some(command),
        Command::SetCommonRuntimeArgs(call) if names_free => {
            Some(Command::UpdateCommonRuntimeArgs(UpdateCommonRuntimeArgs {
                kernel: call.kernel,
                first: 0,
                values: call.values,
                relocations: call.relocations,
            }))
        }
        Command::CreateCircularBuffer(call) => {
            let place = call.globally_allocated_address.filter(|_| names_free)?;
            Some(Command::UpdateDynamicCircularBufferAddress(UpdateDynamicCircularBufferAddress {
                circular_buffer: call.circular_buffer,
                buffer: place.buffer,
                address_offset: place.address_offset,
            }))
        }
        _ => None,
    }
}

/// The first difference between the needed pages and those of a tensor on the device.
fn difference(
    needed: &TensorPages,
    given: Result<&TensorPages, &hallmark_tensor::TensorSpec>,
) -> Option<(TensorProperty, String, String)> {
    let spec = given.map_or_else(|spec| spec, TensorPages::spec);
    let needs = needed.spec();
    let shape = |spec: &hallmark_tensor::TensorSpec| format!("{:?}", spec.shape().dimensions());
    if spec.shape() != needs.shape() {
        return Some((TensorProperty::Shape, shape(needs), shape(spec)));
    }
    if spec.data_type() != needs.data_type() {
        let (needed, given) = (needs.data_type(), spec.data_type());
        return Some((TensorProperty::DataType, needed.to_string(), given.to_string()));
    }
    if spec.layout() != needs.layout() {
        let (needed, given) = (needs.layout(), spec.layout());
        return Some((TensorProperty::Layout, needed.to_string(), given.to_string()));
    }
    let Ok(given) = given else {
        return Some((TensorProperty::Memory, needed.memory(), "the host's".to_owned()));
    };
    (given != needed).then(|| (TensorProperty::Memory, needed.memory(), given.memory()))
}
