//! Steps to commands.

use std::collections::BTreeMap;

use hallmark_schema::commands;
use hallmark_schema::is_argument_name;
use hallmark_schema::model::{
    BufferId, CircularBufferId, CircularBufferIndex, Command, DataFormat, DataMovementProcessor,
    FailureCode, GloballyAllocatedAddress, KernelConfig, KernelId, MathFidelity, NocId, NocMode,
    OptLevel, ProgramId, QueueId, SemaphoreId, TileShape, TraceBuffer, TraceId, UnpackToDestMode,
};

use super::failure::ends_the_device;
use super::scope::{KernelFacts, SemaphoreFacts};
use super::{Binder, BoundStep};
use crate::suite::language::{
    CreateCircularBuffer, CreateKernel, CreateSemaphore, GlobalAddress, KernelSource, LoadTrace,
    SetRuntimeArgs, Step, StepKind, TileEntry, UnpackToDestEntry,
};
use crate::suite::mistake::{Mistake, Span, suggest};
use crate::suite::read::{Name, Named, Number};

impl<'a> Binder<'a> {
    /// A name that a step gives out, as captures know it.
    pub(super) fn given(&self, name: &Name) -> String {
        self.scope.frames.full(&name.text)
    }

    /// Notes a mistake where an earlier step ends the device.
    pub(super) fn check_device_lives(&mut self, span: Span) {
        if let Some(end) = self.ended.take() {
            self.mistakes.add::<()>(
                "no step can follow the one that ends the device",
                span,
                format!("the step in {} ends it", self.place(end)),
            );
        }
    }

    pub(super) fn step(&mut self, step: &Step) -> Option<BoundStep> {
        self.check_device_lives(step.span);
        // An id is given out by the call, so `expect_error` may name the object that it fails to make.
        let command = self.command(step);
        let mut place = None;
        let failure = match (&step.expect_error, &step.expect_fault) {
            (Some(error), _) => Some(self.expected_error(error)),
            (None, Some(fault)) => {
                Some(self.expected_fault(fault, step.span).map(|(failure, at)| {
                    place = Some(at);
                    failure
                }))
            }
            (None, None) => None,
        };
        if let Some(Some(failure)) = &failure
            && ends_the_device(failure.code())
        {
            self.ended = Some(step.span);
        }
        self.scope.commands = self.scope.commands.saturating_add(1);
        let failure = match failure {
            Some(failure) => Some(failure?),
            None => None,
        };
        let file = self.imported(step.span);
        let line = self.line_of_step(step.span);
        Some(BoundStep { line, file, command: command?, failure, place })
    }

    fn command(&mut self, step: &Step) -> Option<Command> {
        let fails = step.expect_error.is_some() || step.expect_fault.is_some();
        match &step.kind {
            StepKind::CreateBuffer(call) => self.create_buffer(call),
            StepKind::CreateBufferView(call) => self.create_buffer_view(call),
            StepKind::Plain(step) => self.plain_step(step),
            StepKind::CreateKernel(call) => {
                let expected = step.expect_error.as_ref().map(|error| error.code);
                let source = match expected {
                    Some(FailureCode::KernelSourceNotFound) => self.kernel_source(&call.kernel),
                    Some(_) | None => self.kernel_file(&call.kernel),
                };
                self.create_kernel(call, source, expected.is_some(), step.span)
            }
            StepKind::SetRuntimeArgs(call) => self.set_runtime_args(call, step.span),
            StepKind::CreateCircularBuffer(call) => self.create_circular_buffer(call, fails),
            StepKind::CreateSemaphore(call) => self.create_semaphore(call, fails),
            StepKind::EnqueueWriteBuffer(call) => self.enqueue_write_buffer(call, step.span, fails),
            StepKind::EnqueueReadBuffer(call) => self.enqueue_read_buffer(call, fails),
            StepKind::EnqueueProgram(call) => {
                let queue = self.queue(call.queue.as_ref());
                let blocking = self.setting_or(call.blocking.as_ref(), false);
                let (id, _) = self.scope.programs.get(&call.program, self.mistakes)?;
                let command = self.scope.commands;
                // A call that is refused enqueues nothing; one that meets the device's end did.
                let refused =
                    step.expect_error.as_ref().is_some_and(|it| !ends_the_device(it.code));
                if !refused {
                    self.scope.last_program = Some(command);
                    self.scope.enqueues(&call.program);
                    if let Some(facts) = self.scope.programs.get_mut(id) {
                        facts.last_enqueue = Some(command);
                    }
                }
                Some(Command::EnqueueProgram(commands::EnqueueProgram {
                    queue: queue?,
                    program: ProgramId(id),
                    blocking: blocking?,
                }))
            }
            StepKind::ReplayTrace(call) => {
                let queue = self.queue(call.queue.as_ref());
                let blocking = self.setting_or(call.blocking.as_ref(), false);
                let trace = self.trace(&call.trace)?;
                if !fails {
                    self.scope.enqueues(&call.trace);
                }
                Some(Command::ReplayTrace(commands::ReplayTrace {
                    queue: queue?,
                    trace,
                    blocking: blocking?,
                }))
            }
            StepKind::CollectTrace(call) => {
                let trace = self.trace(&call.trace);
                let collected = self.scope.collected.add(&call.r#as, !fails, self.mistakes);
                let collected = self.scope.collected.name(collected).unwrap_or_default().to_owned();
                Some(Command::CollectTrace(commands::CollectTrace { trace: trace?, collected }))
            }
            StepKind::LoadTrace(call) => self.load_trace(call),
            StepKind::SetCommonRuntimeArgs(call) => {
                let kernel = self.scope.kernels.get(&call.kernel, self.mistakes).map(|(id, _)| id);
                let (values, relocations) = self.argument_words(&call.args)?;
                let kernel = KernelId(kernel?);
                Some(Command::SetCommonRuntimeArgs(commands::SetCommonRuntimeArgs {
                    kernel,
                    values,
                    relocations,
                }))
            }
            StepKind::UpdateCommonRuntimeArgs(call) => {
                let kernel = self.scope.kernels.get(&call.kernel, self.mistakes).map(|(id, _)| id);
                let first = match &call.first {
                    Some(first) => self.u32(first, "the first word"),
                    None => Some(0),
                };
                let (values, relocations) = self.argument_words(&call.args)?;
                let kernel = KernelId(kernel?);
                Some(Command::UpdateCommonRuntimeArgs(commands::UpdateCommonRuntimeArgs {
                    kernel,
                    first: first?,
                    values,
                    relocations,
                }))
            }
        }
    }

    pub(super) fn queue(&mut self, queue: Option<&Number>) -> Option<QueueId> {
        queue.map_or(Some(QueueId(0)), |queue| {
            self.ranged::<u8>(queue, "the queue", "0 to 255").map(QueueId)
        })
    }

    fn trace(&mut self, name: &Name) -> Option<TraceId> {
        self.scope.traces.get(name, self.mistakes).map(|(id, ())| TraceId(id))
    }

    fn load_trace(&mut self, call: &LoadTrace) -> Option<Command> {
        let from = self.scope.collected.get(&call.from, self.mistakes);
        let from = from.map(|(id, there)| (id, *there));
        let mut buffers = Some(Vec::new());
        for (recorded, buffer) in call.buffers.iter().flat_map(|buffers| &buffers.0) {
            let recorded = Name { text: recorded.value.clone(), span: recorded.span };
            let pair = [&recorded, buffer].map(|name| self.scope.buffers.get(name, self.mistakes));
            let pair = pair.map(|found| found.map(|(id, _)| BufferId(id)));
            match (pair, &mut buffers) {
                ([Some(recorded), Some(buffer)], Some(buffers)) => {
                    buffers.push(TraceBuffer { recorded, buffer });
                }
                _ => buffers = None,
            }
        }
        let trace = TraceId(self.scope.traces.add(&call.id, (), self.mistakes));
        let (from, there) = from?;
        if !there {
            return self.mistakes.add(
                format!("trace `{}` is never collected", call.from.text),
                call.from.span,
                "the step that would collect it is expected to fail",
            );
        }
        let mut buffers = buffers?;
        buffers.sort_by_key(|pair| pair.recorded);
        let from = self.scope.collected.name(from).unwrap_or_default().to_owned();
        Some(Command::LoadTrace(commands::LoadTrace {
            trace,
            name: self.given(&call.id),
            from,
            buffers,
        }))
    }

    fn create_kernel(
        &mut self,
        call: &CreateKernel,
        source: Option<&'a KernelSource>,
        fails: bool,
        span: Span,
    ) -> Option<Command> {
        let program = self.scope.programs.get(&call.program, self.mistakes).map(|(id, _)| id);
        let cores = self.cores(&call.cores);
        let compile_args = self.compile_arguments(call.compile_args.as_deref().unwrap_or_default());
        let named_compile_args = self.named_arguments(call, fails);
        let config = self.kernel_config(call, span);
        let opt_level = self.opt_level(call, config.as_ref());
        let facts = KernelFacts { cores: cores.clone().unwrap_or_default() };
        let id = self.scope.kernels.add(&call.id, facts, self.mistakes);
        let source = source?;
        let mut defines = self.defines(source.defines.as_ref());
        if let (Some(defines), Some(more)) = (&mut defines, self.defines(call.defines.as_ref())) {
            defines.extend(more);
        }
        Some(Command::CreateKernel(commands::CreateKernel {
            kernel: KernelId(id),
            name: self.given(&call.id),
            program: ProgramId(program?),
            source: source.source.value.clone(),
            cores: cores?,
            config: config?,
            compile_args: compile_args?,
            defines: defines?,
            named_compile_args: named_compile_args?,
            opt_level: opt_level?,
        }))
    }

    /// The source of a kernel: of the file that the step stands in, or one that a fragment was given.
    fn kernel_source(&mut self, name: &Name) -> Option<&'a KernelSource> {
        let (kernels, text) = match self.scope.frames.alias(&name.text) {
            Some(given) => (self.context.kernels, given.to_owned()),
            None => (self.kernels, name.text.clone()),
        };
        if let Some(source) = kernels.and_then(|kernels| kernels.get(&text)) {
            return Some(source);
        }
        let help = kernels.map_or_else(
            || "this file has no `kernels`".to_owned(),
            |kernels| suggest(&text, kernels.names()),
        );
        let mistake = Mistake::new(format!("unknown kernel source `{text}`"), name.span, help);
        self.mistakes.add_unknown_name(&format!("kernel source {text}"), mistake)
    }

    /// The same, and its file must be there.
    fn kernel_file(&mut self, name: &Name) -> Option<&'a KernelSource> {
        let kernel = self.kernel_source(name)?;
        let path = &kernel.source.value;
        // A path that leads elsewhere is a mistake of its own.
        if !kernel.is_inside() || self.context.suites.join(path).is_file() {
            return Some(kernel);
        }
        self.mistakes.add(
            format!("kernel source file `{path}` does not exist"),
            kernel.source.span,
            "the path is relative to the folder `suites`",
        )
    }

    fn defines(&mut self, defines: Option<&Named<String>>) -> Option<BTreeMap<String, String>> {
        let mut map = BTreeMap::new();
        for (name, text) in defines.iter().flat_map(|defines| &defines.0) {
            map.insert(name.value.clone(), self.text(text, name.span)?);
        }
        Some(map)
    }

    fn named_arguments(
        &mut self,
        call: &CreateKernel,
        fails: bool,
    ) -> Option<BTreeMap<String, u32>> {
        let mut words = BTreeMap::new();
        let mut complete = true;
        let arguments = call.named_compile_args.as_ref();
        for (name, number) in arguments.iter().flat_map(|arguments| &arguments.0) {
            if !fails && !is_argument_name(&name.value) {
                complete = false;
                self.mistakes.add::<()>(
                    format!("`{}` cannot be the name of a compile-time argument", name.value),
                    name.span,
                    "a name is not empty and holds no quotation mark or backslash",
                );
            }
            match self.word(number) {
                Some(word) => {
                    words.insert(name.value.clone(), word);
                }
                None => complete = false,
            }
        }
        complete.then_some(words)
    }

    /// The level, where it is not the default of the kernel's kind.
    fn opt_level(
        &mut self,
        call: &CreateKernel,
        config: Option<&KernelConfig>,
    ) -> Option<Option<OptLevel>> {
        let Some(level) = &call.opt_level else { return Some(None) };
        let level = self.setting(level)?;
        let default = config.map(KernelConfig::default_opt_level);
        Some(Some(level).filter(|level| default != Some(*level)))
    }

    fn kernel_config(&mut self, call: &CreateKernel, span: Span) -> Option<KernelConfig> {
        match (&call.compute, &call.processor) {
            (Some(compute), None) => {
                if let Some(_noc) = &call.noc {
                    self.mistakes.add::<()>("a compute kernel has no NoC", span, "remove `noc`");
                }
                if let Some(_mode) = &call.noc_mode {
                    self.mistakes.add::<()>(
                        "a compute kernel has no NoC",
                        span,
                        "remove `noc_mode`",
                    );
                }
                let fidelity = self.setting_or(compute.math_fidelity.as_ref(), MathFidelity::HiFi4);
                let fp32 = self.setting_or(compute.fp32_dest_acc_en.as_ref(), false);
                let approximate = self.setting_or(compute.math_approx_mode.as_ref(), false);
                let full_sync = self.setting_or(compute.dst_full_sync_en.as_ref(), false);
                let precise = self.setting_or(compute.bfp8_pack_precise.as_ref(), false);
                let modes =
                    self.unpack_modes(compute.unpack_to_dest_mode.as_deref().unwrap_or_default());
                Some(KernelConfig::Compute {
                    math_fidelity: fidelity?,
                    fp32_dest_acc_en: fp32?,
                    math_approx_mode: approximate?,
                    dst_full_sync_en: full_sync?,
                    unpack_to_dest_mode: modes?,
                    bfp8_pack_precise: precise?,
                })
            }
            (None, Some(processor)) => {
                let processor = self.setting(processor)?;
                let default = match processor {
                    DataMovementProcessor::Riscv0 => NocId::Noc0,
                    DataMovementProcessor::Riscv1 => NocId::Noc1,
                };
                let noc = self.setting_or(call.noc.as_ref(), default)?;
                let noc_mode = self.setting_or(call.noc_mode.as_ref(), NocMode::Dedicated)?;
                Some(KernelConfig::DataMovement { processor, noc, noc_mode })
            }
            (Some(_), Some(_)) => self.mistakes.add(
                "a kernel runs either on a data-movement processor or on the compute threads",
                span,
                "remove `processor` or `compute`",
            ),
            (None, None) => self.mistakes.add(
                "`create_kernel` needs `processor` or `compute`",
                span,
                "add `processor: riscv_0`, `processor: riscv_1` or `compute: {}`",
            ),
        }
    }

    fn unpack_modes(
        &mut self,
        entries: &[UnpackToDestEntry],
    ) -> Option<BTreeMap<u32, UnpackToDestMode>> {
        let mut modes = BTreeMap::new();
        let mut complete = true;
        for entry in entries {
            let index = self.u32(&entry.index, "the index");
            let mode = self.setting(&entry.mode);
            let (Some(index), Some(mode)) = (index, mode) else {
                complete = false;
                continue;
            };
            if modes.insert(index, mode).is_some() {
                complete = false;
                self.mistakes.add::<()>(
                    format!("duplicate index {index}"),
                    entry.index.0.span(),
                    "keep one of the entries",
                );
            }
        }
        complete.then_some(modes)
    }

    fn tile(&mut self, entry: Option<&TileEntry>) -> Option<Option<TileShape>> {
        let Some(entry) = entry else { return Some(None) };
        let shape = self.shape(&entry.shape);
        let face_shape = entry.face_shape.as_ref().map(|face| self.shape(face));
        let transpose = self.setting_or(entry.transpose.as_ref(), false);
        let plain = TileShape::of(shape?);
        let face_shape = face_shape.map_or(Some(plain.face_shape), |face| face)?;
        Some(Some(TileShape { face_shape, transpose: transpose?, ..plain }))
    }

    fn set_runtime_args(&mut self, call: &SetRuntimeArgs, span: Span) -> Option<Command> {
        let kernel = self
            .scope
            .kernels
            .get(&call.kernel, self.mistakes)
            .map(|(id, facts)| (id, facts.cores.clone()));
        let args = match (&call.args, &call.per_core) {
            (Some(args), None) => {
                let cores = match &call.cores {
                    Some(cores) => self.cores(cores),
                    None => {
                        Some(kernel.as_ref().map(|(_, cores)| cores.clone()).unwrap_or_default())
                    }
                };
                cores.and_then(|cores| self.arguments(args, cores)).map(|args| vec![args])
            }
            (None, Some(entries)) if call.cores.is_none() => self.per_core(entries),
            (None, Some(_)) => self.mistakes.add(
                "each entry of `per_core` names its own cores",
                span,
                "remove `cores`",
            ),
            (Some(_), Some(_)) | (None, None) => self.mistakes.add(
                "`set_runtime_args` needs either `args` or `per_core`",
                span,
                "give one of the two",
            ),
        };
        Some(Command::SetRuntimeArgs(commands::SetRuntimeArgs {
            kernel: KernelId(kernel?.0),
            args: args?,
        }))
    }

    fn create_circular_buffer(
        &mut self,
        call: &CreateCircularBuffer,
        fails: bool,
    ) -> Option<Command> {
        let program = self.scope.programs.get(&call.program, self.mistakes).map(|(id, _)| id);
        let cores = self.cores(&call.cores);
        let total_size = self.u64(&call.total_size, "the total size");
        let mut indices = Vec::new();
        let mut complete = true;
        for entry in &call.indices {
            let index = self.u32(&entry.index, "the index");
            let page_size = self.u32(&entry.page_size, "the page size");
            let data_format = self.setting_or(entry.data_format.as_ref(), DataFormat::UInt32);
            let tile = self.tile(entry.tile.as_ref());
            match (index, page_size, data_format, tile) {
                (Some(index), Some(page_size), Some(data_format), Some(tile)) => {
                    let twice =
                        indices.iter().any(|known: &CircularBufferIndex| known.index == index);
                    if twice && !fails {
                        self.mistakes.add::<()>(
                            format!("duplicate index {index} in this circular buffer"),
                            entry.index.0.span(),
                            "the runtime refuses it: remove one of the two, or expect the error",
                        );
                    }
                    indices.push(CircularBufferIndex { index, page_size, data_format, tile });
                }
                _ => complete = false,
            }
        }
        indices.sort_by_key(|index| index.index);
        let id = self.scope.circular_buffers.add(&call.id, (), self.mistakes);
        let place = match &call.globally_allocated_address {
            None => Some(None),
            Some(GlobalAddress { buffer, address_offset }) => {
                self.global_address(buffer, address_offset.as_ref()).map(Some)
            }
        };
        complete.then_some(())?;
        Some(Command::CreateCircularBuffer(commands::CreateCircularBuffer {
            circular_buffer: CircularBufferId(id),
            name: self.given(&call.id),
            program: ProgramId(program?),
            cores: cores?,
            total_size: total_size?,
            indices,
            globally_allocated_address: place?,
        }))
    }

    fn global_address(
        &mut self,
        buffer: &Name,
        offset: Option<&Number>,
    ) -> Option<GloballyAllocatedAddress> {
        let buffer = self.scope.buffers.get(buffer, self.mistakes).map(|(id, _)| BufferId(id));
        let offset = offset.map_or(Some(0), |offset| self.u32(offset, "the offset"));
        Some(GloballyAllocatedAddress { buffer: buffer?, address_offset: offset? })
    }

    fn create_semaphore(&mut self, call: &CreateSemaphore, fails: bool) -> Option<Command> {
        let program = self.scope.programs.get(&call.program, self.mistakes).map(|(id, _)| id);
        let cores = self.cores(&call.cores);
        let initial = match &call.initial_value {
            Some(value) => self.u32(value, "the initial value"),
            None => Some(0),
        };
        let facts = SemaphoreFacts {
            program: program.unwrap_or_default(),
            number: self.scope.semaphore_number(
                program.unwrap_or_default(),
                cores.as_deref().unwrap_or_default(),
            ),
            cores: cores.clone().unwrap_or_default(),
            made: !fails,
        };
        let id = self.scope.semaphores.add(&call.id, facts, self.mistakes);
        Some(Command::CreateSemaphore(commands::CreateSemaphore {
            semaphore: SemaphoreId(id),
            name: self.given(&call.id),
            program: ProgramId(program?),
            cores: cores?,
            initial_value: initial?,
        }))
    }
}
