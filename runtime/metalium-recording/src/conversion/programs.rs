//! Programs: the calls that create a program as described, and those that change it between two launches.

use std::collections::BTreeMap;

use hallmark_chip::{Architecture, ChipDescription};
use hallmark_metalium::{Numbers, tiles};
use hallmark_schema::commands::{
    CreateCircularBuffer, CreateKernel, CreateProgram, CreateSemaphore, EnqueueProgram,
    UpdateCircularBufferPageSize, UpdateCircularBufferTotalSize,
    UpdateDynamicCircularBufferAddress,
};
use hallmark_schema::limits;
use hallmark_schema::model::{
    BufferId, CircularBufferId, CircularBufferIndex, Command, CommandIndex, CoreRange,
    DataMovementProcessor, GeneratedBindings, GloballyAllocatedAddress, KernelConfig, KernelId,
    NocId, NocMode, OptLevel, ProgramId, QueueId, SemaphoreId, Shape2D, TileShape,
};

use super::arguments::{Arguments, WordContext};
use super::buffers::Buffers;
use super::calls::Calls;
use super::missing::Inconvertible;
use super::relocations::WordLocation;
use super::second::Difference;
use super::sources::{KernelSource, Sources, is_identifier, is_macro};
use crate::event::{
    CircularBufferState, ConfiguredIndex, DataflowBuffer, KernelDescription, KernelOptions,
    KernelText, ProgramDescription, ProgramEnqueued, SemaphoreDescription,
};

/// Definitions that upstream derives from the configuration of a data-movement kernel.
const ADDED_DEFINES: [&str; 2] = ["NOC_INDEX", "NOC_MODE"];

/// A program of the capture.
#[derive(Debug)]
pub(super) struct ConvertedProgram {
    id: ProgramId,
    kernels: Vec<(KernelId, Arguments)>,
    circular_buffers: Vec<ConvertedCircularBuffer>,
}

#[derive(Debug)]
struct ConvertedCircularBuffer {
    id: CircularBufferId,
    state: CircularBufferState,
    place: Option<(BufferId, u32)>,
}

/// The changes of programs during the conversion.
#[derive(Debug, Default)]
pub(super) struct ProgramChanges {
    pub(super) bindings: Vec<GeneratedBindings>,
    pub(super) dataflow_buffers: Vec<CircularBufferId>,
}

/// The name of a program: that of its operation.
pub(super) fn program_name(description: &ProgramDescription, id: u32) -> String {
    named(&description.operation, "program", id)
}

fn kernel_name(kernel: &KernelDescription, id: u32) -> String {
    let name = match &kernel.text {
        KernelText::File { path, .. } => path.rsplit('/').next().unwrap_or_default(),
        KernelText::Text(_) => "",
    };
    named(name.rsplit_once('.').map_or(name, |(stem, _)| stem), "kernel", id)
}

/// A valid name for a capture, made unique by a number.
fn named(text: &str, otherwise: &str, id: u32) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    // The rest is room for the number.
    let text: String = text.chars().take(limits::NAME_BYTES / 2).map(plain).collect();
    let text = if text.is_empty() { otherwise } else { &text };
    format!("{text}_{id}")
}

/// A kernel's configuration, and its optimization level if that is not the default.
fn config(
    number: usize,
    kernel: &KernelDescription,
    architecture: Architecture,
    numbers: &Numbers,
) -> Result<(KernelConfig, Option<OptLevel>), Inconvertible> {
    let lacks = |what| Inconvertible::Setting { kernel: number, what };
    let config = match &kernel.options {
        KernelOptions::DataMovement(options) => {
            let processor = match options.processor {
                0 => DataMovementProcessor::Riscv0,
                1 => DataMovementProcessor::Riscv1,
                _ => return Err(lacks("another processor than RISCV_0 and RISCV_1")),
            };
            let noc = match options.noc {
                0 => NocId::Noc0,
                1 => NocId::Noc1,
                _ => return Err(lacks("another NoC than 0 and 1")),
            };
            let noc_mode = match options.noc_mode {
                0 => NocMode::Dedicated,
                1 => NocMode::Dynamic,
                _ => return Err(lacks("an unknown NoC mode")),
            };
            KernelConfig::DataMovement { processor, noc, noc_mode }
        }
        KernelOptions::Compute(options) => {
            let math_fidelity = numbers.math_fidelity.value(options.math_fidelity.into());
            let math_fidelity = math_fidelity.ok_or_else(|| lacks("an unknown math fidelity"))?;
            let mut unpack_to_dest_mode = BTreeMap::new();
            // Upstream's list has an entry for each index of its largest chip.
            let indices = 0..ChipDescription::of(architecture).circular_buffers;
            for (index, mode) in indices.zip(&options.unpack_to_dest_mode) {
                let mode = u32::from(*mode);
                if mode != numbers.unpack_to_dest_mode.default_mode {
                    let known = numbers.unpack_to_dest_mode.value(mode);
                    let known = known.ok_or_else(|| lacks("an unknown mode of unpacking"))?;
                    unpack_to_dest_mode.insert(index, known);
                }
            }
            KernelConfig::Compute {
                math_fidelity,
                fp32_dest_acc_en: options.fp32_dest_acc_en,
                math_approx_mode: options.math_approx_mode,
                dst_full_sync_en: options.dst_full_sync_en,
                unpack_to_dest_mode,
                bfp8_pack_precise: options.bfp8_pack_precise,
            }
        }
        KernelOptions::Other(class) => {
            return Err(Inconvertible::KernelKind { kernel: number, class: class.clone() });
        }
    };
    let level = numbers.opt_level.value(kernel.opt_level.into());
    let level = level.ok_or_else(|| lacks("an unknown optimization level"))?;
    let opt_level = (level != config.default_opt_level()).then_some(level);
    Ok((config, opt_level))
}

fn defines(
    number: usize,
    kernel: &KernelDescription,
) -> Result<BTreeMap<String, String>, Inconvertible> {
    let is_added = |name: &str| match kernel.options {
        KernelOptions::DataMovement(_) => ADDED_DEFINES.contains(&name),
        KernelOptions::Compute(_) | KernelOptions::Other(_) => false,
    };
    let mut defines = BTreeMap::new();
    for (name, value) in kernel.defines.iter().filter(|(name, _)| !is_added(name)) {
        let is_in_front = is_macro(name) && !value.contains(['\0', '\n', '\r']);
        if is_in_front {
            continue;
        }
        if !is_identifier(name)
            || value.contains(['\0', '\n', '\r'])
            || value.len() > limits::DEFINE_BYTES
        {
            return Err(Inconvertible::Define { kernel: number, name: name.clone() });
        }
        defines.insert(name.clone(), value.clone());
    }
    Ok(defines)
}

/// Checks that `CreateSemaphore`, called in the order of the ids, returns the semaphores' actual ids. It
/// returns the lowest id that is free on all cores of the semaphore.
fn check_semaphores(semaphores: &[SemaphoreDescription]) -> Result<(), Inconvertible> {
    /// Upstream's `CoreType`s other than worker cores: DRAM, Ethernet.
    const OTHERS: [u32; 4] = [1, 2, 3, 10];
    for (at, semaphore) in semaphores.iter().enumerate() {
        if OTHERS.contains(&semaphore.core_type) {
            return Err(Inconvertible::SemaphoreCores { id: semaphore.id });
        }
        let before = semaphores.get(..at).unwrap_or_default();
        let is_taken = |id: u32| {
            before.iter().any(|other| {
                let shares = other
                    .cores
                    .iter()
                    .any(|range| semaphore.cores.iter().any(|mine| mine.overlaps(*range)));
                other.id == id && shares
            })
        };
        let given = (0..).find(|id| !is_taken(*id)).unwrap_or_default();
        if given != semaphore.id {
            return Err(Inconvertible::SemaphoreId { id: semaphore.id, given });
        }
    }
    Ok(())
}

fn configured(
    index: &ConfiguredIndex,
    numbers: &Numbers,
) -> Result<CircularBufferIndex, Inconvertible> {
    let number = u32::from(index.index);
    let tile = match index.tile {
        None => None,
        Some(observed) => {
            let shape = |(height, width)| Shape2D { height, width };
            let tile = TileShape {
                shape: shape(observed.shape),
                face_shape: shape(observed.face_shape),
                transpose: observed.transposes_faces,
            };
            let is_alike = observed.transposes_faces == observed.transposes_within_face;
            if tile.problem().is_some() || !is_alike {
                return Err(Inconvertible::Tile { index: number, tile: observed });
            }
            Some(tile).filter(|tile| *tile != TileShape::of(Shape2D { height: 32, width: 32 }))
        }
    };
    let (index_number, format) = (number, index.data_format);
    let data_format = numbers.data_format.value(format.into());
    let data_format =
        data_format.ok_or(Inconvertible::DataFormat { index: index_number, format })?;
    Ok(CircularBufferIndex { index: number, page_size: index.page_size, data_format, tile })
}

/// The buffer of a circular buffer, and the offset from the buffer's address.
fn place(
    state: &CircularBufferState,
    buffers: &Buffers,
) -> Result<Option<(BufferId, u32)>, Inconvertible> {
    let Some(address) = state.given_address else { return Ok(None) };
    let inside = buffers.live().around(address.into()).filter(|live| live.is_in_l1());
    let best = inside.filter(|live| live.place.is_some()).max_by_key(|live| live.is_whole);
    let found = best.and_then(|live| {
        let (buffer, offset) = live.place?;
        let between = u64::from(address).checked_sub(live.made.address)?;
        Some((buffer, offset.checked_add(u32::try_from(between).ok()?)?))
    });
    found.map(Some).ok_or(Inconvertible::CircularBufferAddress { address })
}

const fn globally_allocated((buffer, address_offset): (BufferId, u32)) -> GloballyAllocatedAddress {
    GloballyAllocatedAddress { buffer, address_offset }
}

/// The call that makes a kernel, without ids.
struct PlannedKernel {
    source: KernelSource,
    config: KernelConfig,
    opt_level: Option<OptLevel>,
    defines: BTreeMap<String, String>,
}

/// The call that makes a circular buffer, without its id.
struct PlannedCircularBuffer {
    state: CircularBufferState,
    indices: Vec<CircularBufferIndex>,
    place: Option<(BufferId, u32)>,
}

impl ConvertedProgram {
    /// Makes the calls that create a program in its state at the first launch. A program that captures cannot
    /// hold gets no calls.
    pub(super) fn make(
        description: &ProgramDescription,
        second: Option<&ProgramDescription>,
        first: &ProgramEnqueued,
        sources: &Sources,
        context: &mut WordContext<'_>,
        calls: &mut Calls,
        changes: &mut ProgramChanges,
    ) -> Result<Self, Inconvertible> {
        let mut planned = Vec::new();
        for buffer in &description.dataflow_buffers {
            planned.push(plan(dataflow_buffer(buffer)?, context)?);
        }
        for state in &first.circular_buffers {
            planned.push(plan(state.clone(), context)?);
        }
        let mut kernels = Vec::new();
        for (number, kernel) in description.kernels.iter().enumerate() {
            let source = sources.kernel((description.program, number));
            let (config, opt_level) =
                config(number, kernel, context.architecture, context.numbers)?;
            let source = source.ok_or(Inconvertible::NotDescribed)?.clone();
            let mut defines = defines(number, kernel)?;
            // The compute API configures the coprocessor by the formats of tiles.
            let computes = matches!(config, KernelConfig::Compute { .. });
            if computes || sources.ask_for_tiles(&source) {
                let shares = |range: &CoreRange| kernel.cores.iter().any(|it| it.overlaps(*range));
                let here = planned.iter().filter(|buffer| buffer.state.cores.iter().any(shares));
                let tiles = tiles::definition(here.flat_map(|buffer| &buffer.indices));
                if !tiles.is_empty() {
                    defines.entry(tiles::TILES.to_owned()).or_insert(tiles);
                }
            }
            kernels.push(PlannedKernel { source, config, opt_level, defines });
        }
        check_semaphores(&description.semaphores)?;
        let dataflow_buffers = description.dataflow_buffers.len();
        let program = ProgramId(calls.take(|next| &mut next.program));
        let name = program_name(description, program.0);
        calls.push(Command::CreateProgram(CreateProgram { program, name }));
        for semaphore in &description.semaphores {
            let id = calls.take(|next| &mut next.semaphore);
            calls.push(Command::CreateSemaphore(CreateSemaphore {
                semaphore: SemaphoreId(id),
                name: format!("semaphore_{id}"),
                program,
                cores: semaphore.cores.clone(),
                initial_value: semaphore.initial_value,
            }));
        }
        let mut converted = Self { id: program, kernels: Vec::new(), circular_buffers: Vec::new() };
        for (number, (kernel, plan)) in description.kernels.iter().zip(kernels).enumerate() {
            let id = calls.take(|next| &mut next.kernel);
            let command = calls.push(Command::CreateKernel(CreateKernel {
                kernel: KernelId(id),
                name: kernel_name(kernel, id),
                program,
                source: plan.source.path,
                cores: kernel.cores.clone(),
                config: plan.config,
                compile_args: kernel.compile_args.clone(),
                defines: plan.defines,
                named_compile_args: kernel.named_compile_args.iter().cloned().collect(),
                opt_level: plan.opt_level,
                bindings: plan.source.bindings,
            }));
            if let Some(second) = second.and_then(|second| second.kernels.get(number)) {
                compare(kernel, second, (command, KernelId(id)), context);
            }
            if plan.source.has_text {
                let original = plan.source.original;
                changes.bindings.push(GeneratedBindings { kernel: KernelId(id), original });
            }
            converted.kernels.push((KernelId(id), Arguments::new(&kernel.scratchpads)));
        }
        for (at, PlannedCircularBuffer { state, indices, place }) in planned.into_iter().enumerate()
        {
            let id = calls.take(|next| &mut next.circular_buffer);
            let circular_buffer = CircularBufferId(id);
            calls.push(Command::CreateCircularBuffer(CreateCircularBuffer {
                circular_buffer,
                name: format!("cb_{id}"),
                program,
                cores: state.cores.clone(),
                total_size: state.total_size.into(),
                indices,
                globally_allocated_address: place.map(globally_allocated),
            }));
            if at < dataflow_buffers {
                changes.dataflow_buffers.push(circular_buffer);
                continue;
            }
            let made = ConvertedCircularBuffer { id: circular_buffer, state, place };
            converted.circular_buffers.push(made);
        }
        Ok(converted)
    }

    /// Makes the calls that change the program to its state at a launch, and the launch.
    pub(super) fn launch(
        &mut self,
        now: &ProgramEnqueued,
        moved: Option<&ProgramEnqueued>,
        context: &mut WordContext<'_>,
        calls: &mut Calls,
    ) -> Result<CommandIndex, Inconvertible> {
        if now.circular_buffers.len() != self.circular_buffers.len() {
            let number = now.circular_buffers.len().min(self.circular_buffers.len());
            return Err(Inconvertible::CircularBufferChange { number });
        }
        let both = self.circular_buffers.iter_mut().zip(&now.circular_buffers);
        for (number, (made, state)) in both.enumerate() {
            made.change(number, state, context.buffers, calls)?;
        }
        for (number, (kernel, arguments)) in self.kernels.iter_mut().enumerate() {
            let Some(now) = now.arguments.get(number) else { continue };
            let moved = moved.and_then(|moved| moved.arguments.get(number));
            arguments.launch(*kernel, number, now, moved, context, calls)?;
        }
        Ok(calls.push(Command::EnqueueProgram(EnqueueProgram {
            queue: QueueId(now.queue),
            program: self.id,
            blocking: now.blocking,
        })))
    }

    /// The program of the capture.
    pub(super) const fn id(&self) -> ProgramId {
        self.id
    }
}

/// Notes differences between the builds of a kernel in two recordings.
fn compare(
    first: &KernelDescription,
    second: &KernelDescription,
    (command, kernel): (CommandIndex, KernelId),
    context: &mut WordContext<'_>,
) {
    let Some(addresses) = context.second else { return };
    let text = |kernel: &'_ KernelDescription| match &kernel.text {
        KernelText::File { text, .. } => text.clone(),
        KernelText::Text(text) => Some(text.clone()),
    };
    let mut is_alike = first.compile_args.len() == second.compile_args.len()
        && first.named_compile_args == second.named_compile_args
        && first.defines == second.defines
        && first.options == second.options
        && first.cores == second.cores
        && first.scratchpads == second.scratchpads
        && text(first) == text(second);
    for (index, (before, after)) in (0..).zip(first.compile_args.iter().zip(&second.compile_args)) {
        let shift = after.wrapping_sub(*before);
        if addresses.is_a_shift(shift) {
            context.bound.push(WordLocation { command, core: None, index, kernel });
        } else {
            is_alike &= shift == 0;
        }
    }
    if !is_alike {
        context.differences.push(Difference::Build { command, kernel });
    }
}

fn plan(
    state: CircularBufferState,
    context: &WordContext<'_>,
) -> Result<PlannedCircularBuffer, Inconvertible> {
    let buffers = context.buffers;
    let indices = state.indices.iter().map(|index| configured(index, context.numbers));
    let indices = indices.collect::<Result<_, _>>()?;
    let place = place(&state, buffers)?;
    Ok(PlannedCircularBuffer { state, indices, place })
}

fn dataflow_buffer(buffer: &DataflowBuffer) -> Result<CircularBufferState, Inconvertible> {
    let total = buffer.entry_size.checked_mul(buffer.entries);
    let index = u8::try_from(buffer.index).ok();
    let (Some(total_size), Some(index)) = (total, index) else {
        return Err(Inconvertible::DataFormat { index: buffer.index, format: buffer.data_format });
    };
    Ok(CircularBufferState {
        cores: buffer.cores.clone(),
        total_size,
        indices: vec![ConfiguredIndex {
            index,
            page_size: buffer.entry_size,
            data_format: buffer.data_format,
            tile: None,
        }],
        given_address: None,
    })
}

impl ConvertedCircularBuffer {
    fn change(
        &mut self,
        number: usize,
        now: &CircularBufferState,
        buffers: &Buffers,
        calls: &mut Calls,
    ) -> Result<(), Inconvertible> {
        let fixed = |state: &CircularBufferState| {
            let indices = state.indices.iter();
            let indices: Vec<_> =
                indices.map(|index| (index.index, index.data_format, index.tile)).collect();
            (state.cores.clone(), state.given_address.is_some(), indices)
        };
        if fixed(&self.state) != fixed(now) {
            return Err(Inconvertible::CircularBufferChange { number });
        }
        let place = place(now, buffers)?;
        let circular_buffer = self.id;
        if let Some((buffer, address_offset)) = place.filter(|_| place != self.place) {
            let call =
                UpdateDynamicCircularBufferAddress { circular_buffer, buffer, address_offset };
            calls.push(Command::UpdateDynamicCircularBufferAddress(call));
        }
        if now.total_size != self.state.total_size {
            let total_size = now.total_size.into();
            let call = UpdateCircularBufferTotalSize { circular_buffer, total_size };
            calls.push(Command::UpdateCircularBufferTotalSize(call));
        }
        for (before, now) in self.state.indices.iter().zip(&now.indices) {
            if before.page_size != now.page_size {
                let (index, page_size) = (now.index.into(), now.page_size);
                let call = UpdateCircularBufferPageSize { circular_buffer, index, page_size };
                calls.push(Command::UpdateCircularBufferPageSize(call));
            }
        }
        self.place = place;
        self.state.clone_from(now);
        Ok(())
    }
}
