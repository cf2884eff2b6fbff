//! Steps of tensors: each becomes the calls that [`Stitching`] writes down for it.

mod binaries;
mod specs;
mod stated;

use std::collections::BTreeMap;
use std::rc::Rc;

use hallmark_runtime::{CommandQueue, Event};
use hallmark_schema::commands::Command;
use hallmark_schema::model::{BufferId, EventId, Expectation, ObjectKind, Sharding, SharedBytes};
use hallmark_schema::plural::counted;
use hallmark_stitching::{
    Converter, Held, HostCalls as _, Loaded, Order, PlannedCalls, PlannedName, RefusalKind,
    Stitching, StitchingError, Tensor, TensorRole,
};
use hallmark_tensor::{DataType, Shape, TensorPages};

use self::stated::{stated, stated_length};
use super::data::BoundData;
use super::scope::{BufferFacts, KernelFacts, ProgramFacts, SemaphoreFacts};
use super::{Binder, BoundStep, Depth, ExpectedOutput, ReadSoFar, STEPS};
use crate::suite::known_bytes::KnownBytes;
use crate::suite::language::{
    AllocateBinaryTensor, AllocateTensor, CreateTensor, ExpectTensorError, Submit, TensorCall,
    TensorStep, ToLayout,
};
use crate::suite::mistake::{Mistake, Span, suggest};
use crate::suite::read::{Name, Number};

/// The tensors of a case.
#[derive(Debug)]
pub(super) struct CaseTensors {
    pub(super) stitching: Stitching<'static, PlannedCalls>,
    /// By the names that captures have for them.
    names: BTreeMap<String, Tensor>,
    /// The same the other way.
    called: BTreeMap<Tensor, String>,
    /// The binaries that steps have used; nothing of one that is wrong.
    binaries: BTreeMap<String, Option<Loaded>>,
    /// What must come of reads that only the host's conversions need.
    outputs: Vec<ExpectedOutput>,
    /// Whether a mistake keeps some tensors from being known.
    is_incomplete: bool,
}

/// What a read brings of a tensor.
#[derive(Debug)]
pub(super) struct ReadTensor {
    /// The tensor that is read, by the name that captures have for it.
    source: String,
    /// Its pages.
    pub(super) pages: TensorPages,
    /// What they hold, if that is known.
    held: Option<KnownBytes>,
    /// The type that the host's tensor has, whose elements expectations state.
    data_type: DataType,
}

/// Why a step makes no calls: mistakes are noted, or tensors are refused.
enum Stopped {
    Mistaken,
    Refused(StitchingError),
}

impl<E: Into<StitchingError>> From<E> for Stopped {
    fn from(error: E) -> Self {
        Self::Refused(error.into())
    }
}

type Made<T = ()> = Result<T, Stopped>;

/// What a mistake has kept from being known.
fn known<T>(value: Option<T>) -> Made<T> {
    value.ok_or(Stopped::Mistaken)
}

/// What a buffer holds once all calls so far are done, if that is known.
fn held(calls: &PlannedCalls, buffer: BufferId) -> Option<SharedBytes> {
    match calls.held(buffer) {
        Held::Bytes(bytes) => Some(bytes),
        Held::AskTheDevice | Held::Unknown => None,
    }
}

impl CaseTensors {
    fn name(&self, tensor: Tensor) -> Option<&str> {
        self.called.get(&tensor).map(String::as_str)
    }
}

impl<'a> Binder<'a> {
    /// The calls of a step of tensors, behind `before` calls; nothing where a mistake keeps them from being known.
    pub(super) fn tensor_step(
        &mut self,
        step: &TensorStep,
        before: usize,
    ) -> Option<Vec<BoundStep>> {
        self.check_device_lives(step.span);
        if self.in_binary {
            return self.mistakes.add(
                "a binary has no steps of tensors",
                step.span,
                "its inputs and outputs are buffers to its steps",
            );
        }
        let mut tensors = self.tensors.take().unwrap_or_else(|| self.no_tensors());
        let was_complete = !tensors.is_incomplete;
        let made = self.tensor_call(&mut tensors, &step.call);
        let (commands, blobs) = tensors.stitching.calls().take();
        let is_refused = matches!(step.expect_error, Some(ExpectTensorError::Refusal(..)));
        tensors.is_incomplete |= made.is_err() && !is_refused;
        self.tensors = Some(tensors);
        for (hash, bytes) in blobs {
            self.blobs.insert(hash, (&*bytes).into());
        }
        self.tensor_steps = self.tensor_steps.saturating_add(1);
        let steps = before.saturating_add(commands.len()).max(self.tensor_steps);
        if steps > STEPS {
            return self.mistakes.add(
                "this makes too many steps",
                step.span,
                format!("a test has at most {STEPS}"),
            );
        }
        let failure = match (made, &step.expect_error) {
            (Err(Stopped::Mistaken), _) => {
                self.scope.note_unknown_objects();
                return None;
            }
            (Err(Stopped::Refused(error)), expected) => {
                let expected = match expected {
                    Some(ExpectTensorError::Refusal(_, kind)) => Some(*kind),
                    Some(ExpectTensorError::Call(_)) | None => None,
                };
                if expected.is_some() && error.refusal() == expected {
                    if !commands.is_empty() {
                        return self.mistakes.add(
                            "this step makes calls before its tensors are refused",
                            step.span,
                            "report this: a refused step makes no call",
                        );
                    }
                    self.refusals = self.refusals.saturating_add(1);
                    return Some(Vec::new());
                }
                self.scope.note_unknown_objects();
                // What an earlier mistake leads to helps nobody.
                was_complete.then_some(())?;
                let help = match error.refusal() {
                    Some(RefusalKind::UnknownUntilRun) => {
                        "say it by `gives` where a binary writes it, or convert `by: device`"
                            .to_owned()
                    }
                    Some(kind) => {
                        let kind = kind.name();
                        format!(
                            "if this is what the case shows: `expect_error: {{ code: {kind} }}`"
                        )
                    }
                    None => String::new(),
                };
                return self.mistakes.add(error.to_string(), step.span, help);
            }
            (Ok(()), Some(ExpectTensorError::Refusal(span, kind))) => {
                return self.mistakes.add(
                    format!("these tensors are not refused, and {} is expected", kind.name()),
                    *span,
                    "remove `expect_error`, or change the tensors",
                );
            }
            (Ok(()), Some(ExpectTensorError::Call(error))) if commands.len() != 1 => {
                return self.mistakes.add(
                    format!("this step makes {} calls, and the error does not say of which one it comes", commands.len()),
                    error.span,
                    "expect it of the step that waits: `finish` or `event_synchronize`",
                );
            }
            (Ok(()), Some(ExpectTensorError::Call(error))) => Some(error),
            (Ok(()), None) => None,
        };
        let file = self.imported(step.span);
        let line = self.line_of_step(step.span);
        let mut bound = Vec::new();
        for command in commands {
            self.adopt(&command, step.span, failure.is_some());
            self.note_enqueue(&command);
            self.scope.commands = self.scope.commands.saturating_add(1);
            let failure = None;
            bound.push(BoundStep { line, file: file.clone(), command, failure, place: None });
        }
        if let (Some(error), Some(step)) = (failure, bound.last_mut()) {
            step.failure = Some(self.expected_error(error)?);
        }
        Some(bound)
    }

    /// No tensors yet, behind the calls so far.
    fn no_tensors(&self) -> Box<CaseTensors> {
        let mut calls = PlannedCalls::new(self.chip);
        calls.begin_after(self.scope.commands, |kind| match kind {
            ObjectKind::Buffer => self.scope.buffers.count(),
            ObjectKind::Program => self.scope.programs.count(),
            ObjectKind::Kernel => self.scope.kernels.count(),
            ObjectKind::CircularBuffer => self.scope.circular_buffers.count(),
            ObjectKind::Semaphore => self.scope.semaphores.count(),
            ObjectKind::Event => self.scope.events.count(),
            ObjectKind::Trace => self.scope.traces.count(),
        });
        Box::new(CaseTensors {
            stitching: Stitching::new(calls),
            names: BTreeMap::new(),
            called: BTreeMap::new(),
            binaries: BTreeMap::new(),
            outputs: Vec::new(),
            is_incomplete: false,
        })
    }

    /// Notes the object that a call makes, so that later steps can name it.
    fn adopt(&mut self, command: &Command, span: Span, fails: bool) {
        let Some((kind, _, name)) = command.created() else { return };
        let is_free = match (kind, command) {
            (ObjectKind::Buffer, Command::CreateBuffer(call)) => {
                let pages = call.size.checked_div(call.page_size).unwrap_or_default();
                let sharding = call.shard_spec.as_ref();
                let facts = BufferFacts {
                    size: Some(call.size),
                    page_size: Some(call.page_size),
                    buffer_type: Some(call.buffer_type),
                    root: None,
                    sharding: sharding
                        .and_then(|spec| Sharding::new(call.layout, spec, pages).ok()),
                };
                self.scope.buffers.adopt(name, facts)
            }
            (ObjectKind::Kernel, Command::CreateKernel(call)) => {
                self.scope.kernels.adopt(name, KernelFacts { cores: call.cores.clone() })
            }
            (ObjectKind::Semaphore, Command::CreateSemaphore(call)) => {
                let number = self.scope.semaphore_number(call.program.0, &call.cores);
                let cores = call.cores.clone();
                let facts = SemaphoreFacts { program: call.program.0, cores, number, made: !fails };
                self.scope.semaphores.adopt(name, facts)
            }
            (ObjectKind::Program, _) => self.scope.programs.adopt(name, ProgramFacts::default()),
            (ObjectKind::CircularBuffer, _) => self.scope.circular_buffers.adopt(name, ()),
            // A name means the event that was recorded last.
            (ObjectKind::Event, _) => {
                self.scope.events.adopt(name, ());
                true
            }
            (ObjectKind::Buffer | ObjectKind::Kernel | ObjectKind::Semaphore, _)
            | (ObjectKind::Trace, _) => true,
        };
        if !is_free {
            self.mistakes.add::<()>(
                format!("this step makes {kind} `{name}`, which is already defined in this case"),
                span,
                "choose another name",
            );
        }
    }

    /// Notes what a call enqueues, so that expected failures can name it: a program, or the tensor that is written.
    fn note_enqueue(&mut self, command: &Command) {
        let place = self.scope.commands;
        let name = match command {
            Command::EnqueueProgram(call) => {
                self.scope.last_program = Some(place);
                if let Some(facts) = self.scope.programs.get_mut(call.program.0) {
                    facts.last_enqueue = Some(place);
                }
                self.scope.programs.name(call.program.0)
            }
            Command::EnqueueWriteBuffer(call) => self.scope.buffers.name(call.buffer.0),
            _ => None,
        };
        if let Some(name) = name.map(str::to_owned) {
            self.scope.enqueued.insert(name, place);
        }
    }

    fn tensor_call(&mut self, tensors: &mut CaseTensors, call: &TensorCall) -> Made {
        match call {
            TensorCall::Create(call) => self.create_tensor(tensors, call),
            TensorCall::Allocate(call) => self.allocate_tensor(tensors, call),
            TensorCall::AllocateInput(call) => {
                self.allocate_binary_tensor(tensors, call, TensorRole::Input)
            }
            TensorCall::AllocateOutput(call) => {
                self.allocate_binary_tensor(tensors, call, TensorRole::Output)
            }
            TensorCall::Deallocate(call) => {
                let tensor = self.tensor(tensors, &call.tensor)?;
                Ok(tensors.stitching.deallocate(tensor)?)
            }
            TensorCall::ToLayout(call) => self.convert_tensor(tensors, call),
            TensorCall::Submit(call) => self.submit(tensors, call),
        }
    }

    /// Notes a tensor's name; a second one of that name is a mistake.
    fn name_tensor(&mut self, tensors: &mut CaseTensors, name: &Name, tensor: Tensor) -> Made {
        let full = self.given(name);
        tensors.called.insert(tensor, full.clone());
        if tensors.names.insert(full.clone(), tensor).is_some() {
            return known(self.mistakes.add(
                format!("tensor `{full}` is already defined in this case"),
                name.span,
                "choose another name",
            ));
        }
        Ok(())
    }

    /// The tensor that a name means here, if there is one.
    fn find_tensor(&self, tensors: &CaseTensors, name: &Name) -> Option<Tensor> {
        let candidates = self.scope.frames.candidates(&name.text);
        candidates.iter().find_map(|full| tensors.names.get(full)).copied()
    }

    /// The tensor with this name.
    fn tensor(&mut self, tensors: &CaseTensors, name: &Name) -> Made<Tensor> {
        if let Some(tensor) = self.find_tensor(tensors, name) {
            return Ok(tensor);
        }
        if tensors.is_incomplete {
            return Err(Stopped::Mistaken);
        }
        let is_outside = self.scope.frames.in_fragment() && tensors.names.contains_key(&name.text);
        let help = match is_outside {
            true => "a fragment knows only what it is given: add it to its `names`".to_owned(),
            false => suggest(&name.text, tensors.names.keys().map(String::as_str)),
        };
        let message = format!("tensor `{}` is not defined here", name.text);
        let mistake = Mistake::new(message, name.span, help);
        known(self.mistakes.add_unknown_name(&format!("tensor {}", name.text), mistake))
    }

    /// What the host converts is made here: it must not fill the memory.
    fn check_size(&mut self, tensors: &CaseTensors, tensor: Tensor, span: Span) -> Made {
        let spec = tensors.stitching.spec(tensor)?;
        let pages = tensors.stitching.buffer(tensor)?.map_or(0, |(_, pages)| pages.bytes());
        let bytes = u64::try_from(spec.bytes()).unwrap_or(u64::MAX).max(pages);
        known(self.limited(bytes, span)).map(|_| ())
    }

    fn create_tensor(&mut self, tensors: &mut CaseTensors, call: &CreateTensor) -> Made {
        let shape = self.dimensions(&call.shape);
        let data_type = self.setting(&call.dtype);
        let stride = match &call.stride {
            Some(stride) => self.dimensions(stride).map(Some),
            None => Some(None),
        };
        let item_size = match &call.itemsize {
            Some(size) => self.u32(size, "the size of an item").map(Some),
            None => Some(None),
        };
        let (shape, data_type) = (known(shape)?, known(data_type)?);
        let (stride, item_size) = (known(stride)?, known(item_size)?);
        let size = item_size.or_else(|| data_type.item_size()).unwrap_or(1);
        let shape = Shape::new(&shape)?;
        let stride = stride.unwrap_or_else(|| shape.contiguous_stride());
        // As much data as the strides reach.
        let reach = shape.dimensions().iter().zip(&stride).fold(1_u64, |sum, (count, stride)| {
            let more = u64::from(count.saturating_sub(1)).saturating_mul((*stride).into());
            sum.saturating_add(more)
        });
        let reach = if shape.elements() == 0 { 0 } else { reach };
        let data = self.value(&call.data, Some(reach.saturating_mul(size.into())));
        let data = known(data)?;
        if data.hash.is_some() {
            return known(self.mistakes.add(
                "a tensor needs its data, and not their hash",
                call.data.span,
                "give the data",
            ));
        }
        // Strides of 0 make much of little data.
        known(self.limited(shape.elements().saturating_mul(size.into()), call.id.span))?;
        let bytes = match &data.bytes {
            Some(bytes) => bytes.to_vec(),
            // A suite is only checked.
            None => vec![0; usize::try_from(data.length).unwrap_or_default()],
        };
        let name = self.given(&call.id);
        let tensor =
            tensors.stitching.create_tensor(&name, bytes, &shape, &stride, size, data_type)?;
        self.name_tensor(tensors, &call.id, tensor)?;
        // A read that comes next may be compared with it already.
        self.note_content(tensors, &name, tensor, self.scope.commands.saturating_sub(1))
    }

    fn allocate_tensor(&mut self, tensors: &mut CaseTensors, call: &AllocateTensor) -> Made {
        let spec = self.tensor_spec(call.entry())?;
        let memory = self.memory(call.entry(), call.id.span)?;
        let name = self.given(&call.id);
        let tensor = match memory {
            None => tensors.stitching.allocate_host(&name, spec),
            Some(memory) => tensors.stitching.allocate_device(&name, spec, &memory)?,
        };
        self.name_tensor(tensors, &call.id, tensor)
    }

    fn allocate_binary_tensor(
        &mut self,
        tensors: &mut CaseTensors,
        call: &AllocateBinaryTensor,
        role: TensorRole,
    ) -> Made {
        let binary = self.binary(tensors, &call.binary)?;
        let index = known(self.u32(&call.index, "the index"))?;
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        let name = self.given(&call.id);
        let tensor = match role {
            TensorRole::Input => tensors.stitching.allocate_input_tensor(&name, binary, index)?,
            TensorRole::Output => tensors.stitching.allocate_output_tensor(&name, binary, index)?,
        };
        self.name_tensor(tensors, &call.id, tensor)
    }

    /// The queue and the dependencies of a step.
    fn order(
        &mut self,
        queue: Option<&Number>,
        dependencies: Option<&[Name]>,
    ) -> Made<(CommandQueue, Vec<Event>)> {
        let queue = self.queue(queue);
        let mut events = Some(Vec::new());
        for name in dependencies.unwrap_or_default() {
            let event = self.scope.events.get(name, self.mistakes);
            let event = event.map(|(id, ())| Event::with_id(EventId(id)));
            match (&mut events, event) {
                (Some(events), Some(event)) => events.push(event),
                _ => events = None,
            }
        }
        Ok((known(queue)?.into(), known(events)?))
    }

    /// Gives the event that a step's last call records the name that the step asks for.
    fn name_event(&self, tensors: &mut CaseTensors, event: Option<&Name>) {
        // A name that is known means the event that is recorded now, as that of a plain step does.
        let full = event.map(|event| self.scope.events.meant_again(&event.text));
        for name in tensors.stitching.calls().names_mut() {
            if let PlannedName::Event(name) = name {
                // No step asks for an event of such a name.
                *name = full.clone().unwrap_or_else(|| format!("{name}.done"));
            }
        }
    }

    fn convert_tensor(&mut self, tensors: &mut CaseTensors, call: &ToLayout) -> Made {
        let destination = self.tensor(tensors, &call.dst);
        let source = self.tensor(tensors, &call.src);
        let order = self.order(call.queue.as_ref(), call.dependencies.as_deref());
        let converter = self.setting_or(call.by.as_ref(), Converter::Host);
        let (destination, source, (queue, dependencies)) = (destination?, source?, order?);
        let converter = known(converter)?;
        let name = tensors.name(destination).unwrap_or_default().to_owned();
        let source_name = tensors.name(source).unwrap_or_default().to_owned();
        for tensor in [source, destination] {
            self.check_size(tensors, tensor, call.dst.span)?;
        }
        let stitching = &mut tensors.stitching;
        let from = stitching.buffer(source)?.map(|(buffer, pages)| (buffer, pages.clone()));
        let is_read = from.is_some() && stitching.buffer(destination)?.is_none();
        let reads_first = self.outputs_read.contains(&name);
        if is_read && reads_first {
            return known(self.mistakes.add(
                format!("an earlier step brings content of the device into `{name}`"),
                call.dst.span,
                "bring it into another tensor of the host",
            ));
        }
        // A conversion that the host makes between two tensors of the device reads one of them.
        let first = self.scope.commands;
        // A program needs a name of its own each time.
        let program = format!("to_{name}_{first}");
        let called = match converter {
            Converter::Host => &name,
            Converter::Device => &program,
        };
        let order = Order::on(queue).after(&dependencies).named(called).by(converter);
        let brought = match (self.depth, stitching.known_content(source)?) {
            (Depth::Full, Some(content)) => {
                Some(content.to_spec(stitching.spec(destination)?, 0.0)?.into_owned())
            }
            (Depth::Check | Depth::Full, _) => None,
        };
        stitching.to_layout(destination, source, order)?;
        let read = stitching.calls().made().iter().zip(first..).find_map(|(made, command)| {
            let Command::EnqueueReadBuffer(call) = made else { return None };
            Some((command, call.blocking, call.expectation.clone()))
        });
        // Expected failures name the program by the tensor that it writes.
        let launch = stitching.calls().made().iter().zip(first..);
        let launch = launch.filter(|(made, _)| matches!(made, Command::EnqueueProgram(_))).last();
        if let Some((_, command)) = launch {
            self.scope.enqueued.insert(name.clone(), command);
        }
        let spec = stitching.spec(destination)?.clone();
        if let (Some((command, blocking, expectation)), Some((buffer, pages))) = (read, from) {
            let held = held(stitching.calls(), buffer);
            if is_read {
                self.outputs_read.insert(name.clone());
                self.scope.enqueued.insert(name.clone(), command);
                let data_type = spec.data_type();
                self.reads.push(ReadSoFar {
                    output: name.clone(),
                    span: call.dst.span,
                    command,
                    length: Some(stated_length(&spec, data_type)),
                    blocking,
                    tensor: Some(Rc::new(ReadTensor {
                        source: source_name,
                        pages,
                        held: held.map(KnownBytes::from),
                        data_type,
                    })),
                });
            } else if let Expectation::Exact { hash } = expectation {
                let output = format!("{source_name}_{command}");
                for name in tensors.stitching.calls().names_mut() {
                    if let PlannedName::Output(name) = name {
                        name.clone_from(&output);
                    }
                }
                tensors.outputs.push(ExpectedOutput {
                    output,
                    against: format!("what `{source_name}` must hold"),
                    bytes: held.map(KnownBytes::from),
                    hash: Some(hash),
                    tolerance: None,
                    command,
                    tensor: Some(Box::new(pages)),
                });
            }
        }
        self.name_event(tensors, call.event.as_ref());
        let length = stated_length(&spec, spec.data_type());
        match (self.depth, brought) {
            (Depth::Full, Some(content)) => {
                let bytes = stated(&content)?;
                self.known.insert(name, first, Some(BoundData::of(bytes)));
            }
            (Depth::Full, None) => self.known.forget(&name, first),
            (Depth::Check, _) => {
                self.known.insert(name, first, Some(BoundData::unmade(length)));
            }
        }
        Ok(())
    }

    fn submit(&mut self, tensors: &mut CaseTensors, call: &Submit) -> Made {
        let binary = self.binary(tensors, &call.binary)?;
        let inputs: Vec<_> = call.inputs.iter().map(|name| self.tensor(tensors, name)).collect();
        let inputs = inputs.into_iter().collect::<Made<Vec<_>>>()?;
        let order = self.order(call.queue.as_ref(), call.dependencies.as_deref());
        let (queue, dependencies) = order?;
        let called = tensors.stitching.binary(binary)?;
        let (needed, given) = (called.outputs().len(), call.outputs.len());
        if needed != given {
            let binary = called.name().to_owned();
            let role = TensorRole::Output;
            return Err(StitchingError::OtherNumberOfTensors { binary, role, needed, given }.into());
        }
        // What is refused allocates nothing.
        tensors.stitching.check_inputs(binary, &inputs)?;
        let mut outputs = Vec::new();
        let mut made = Vec::new();
        for (index, name) in call.outputs.iter().enumerate() {
            outputs.push(match self.find_tensor(tensors, name) {
                Some(tensor) => tensor,
                None => {
                    let full = self.given(name);
                    let allocated =
                        tensors.stitching.allocate_output_tensor(&full, binary, index)?;
                    made.push((name, allocated));
                    allocated
                }
            });
        }
        if let (Some(padding), None) = (&call.padding, &call.gives) {
            return known(self.mistakes.add(
                "`padding` says nothing without `gives`",
                padding.0.span(),
                "add `gives`, or remove `padding`",
            ));
        }
        if let Some(given) = &call.gives
            && given.len() != call.outputs.len()
        {
            let message = format!(
                "{} and {}",
                counted(call.outputs.len(), "output", "outputs"),
                counted(given.len(), "value", "values")
            );
            let span = given.first().map_or(call.binary.span, |value| value.span);
            return known(self.mistakes.add(message, span, "`gives` has a value for each output"));
        }
        let name = format!("{}_{}", call.binary.text, self.scope.commands);
        let order = Order::on(queue).after(&dependencies).named(&name);
        tensors.stitching.submit_into(binary, &inputs, &outputs, order)?;
        self.name_event(tensors, call.event.as_ref());
        for (name, tensor) in made {
            self.name_tensor(tensors, name, tensor)?;
        }
        let padding = match &call.padding {
            Some(padding) => known(self.real(padding))?.get(),
            None => 0.0,
        };
        for (place, tensor) in outputs.iter().enumerate() {
            let name = tensors.name(*tensor).unwrap_or_default().to_owned();
            if let Some(value) = call.gives.as_ref().and_then(|given| given.get(place)) {
                self.give(tensors, *tensor, value, padding)?;
            }
            self.note_content(tensors, &name, *tensor, self.scope.commands)?;
        }
        Ok(())
    }

    /// What must come of the reads that only the host's conversions need.
    pub(super) fn outputs_of_conversions(&mut self) -> Vec<ExpectedOutput> {
        self.tensors.as_mut().map(|it| std::mem::take(&mut it.outputs)).unwrap_or_default()
    }
}
