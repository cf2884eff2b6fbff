//! The one decision whether a capture can be replayed on a chip: its calls are made on a modelled chip,
//! by the same host API that the replay goes through, and what comes of them is compared.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_chip::sabotage::is_switched_off;
use hallmark_chip::{ChipDescription, FaultCategory, L1BankOrder, LogicalCore};
use hallmark_engine::addresses::BankNumbers;
use hallmark_schema::Names;
use hallmark_schema::commands;
use hallmark_schema::model::{
    ArgumentRelocation, BufferId, BufferLayout, BufferType, Capture, Command, CommandIndex,
    CoreArguments, CoreRange, Data, Failure, Grid, KernelId, ObjectKind, Outcome, ProgramId,
    QueuesEnd, Record, RecordedCommand,
};

use super::library::{ReplayKernels, has_elf};
use super::portability::{Moved, Portability, Reason, ReplayTarget, TileCoordinates};
use super::{CallResult, ReplayError, ReplayOptions, call_result, check};
use crate::defects::{Defect, planted};
use crate::error::HostError;
use crate::host::allocator::page_stride;
use crate::payload::{Input, Payload};
use crate::recorder::CaptureOptions;
use crate::{Device, DeviceOptions, GridAsked, OpenError, Stop, StopCause};

/// Says whether a capture can be replayed on a chip, exactly or with some things elsewhere, or gives
/// every reason why it cannot. Nothing runs. A capture for another architecture needs the kernels in
/// [`ReplayOptions::kernels`].
///
/// # Errors
/// See [`ReplayError`]: the capture itself cannot be replayed, wherever.
pub fn assess(
    capture: &Capture,
    target: &ReplayTarget,
    options: &ReplayOptions,
) -> Result<Portability, ReplayError> {
    let record = check(capture, target, options)?;
    let names = Names::of(&capture.program);
    let mut reasons = missing_kernels(capture, target, options);
    reasons.extend(undetected(capture, target));
    reasons.extend(rules(capture, target));
    let here = match on_modelled_chip(capture, target, options) {
        Ok(here) => here,
        Err(ReplayError::Open(OpenError::TraceRegion { asked, available })) => {
            // Without an open device nothing can be placed.
            reasons.push(Reason::TraceRegion { asked, available });
            reasons.retain(counts);
            return Ok(Portability::Refused { reasons });
        }
        Err(ReplayError::Open(OpenError::L1Small { asked, available })) => {
            reasons.push(Reason::L1Region { setting: "l1_small_size", asked, available });
            reasons.retain(counts);
            return Ok(Portability::Refused { reasons });
        }
        Err(ReplayError::Open(OpenError::WorkerL1 { asked, available })) => {
            reasons.push(Reason::L1Region { setting: "worker_l1_size", asked, available });
            reasons.retain(counts);
            return Ok(Portability::Refused { reasons });
        }
        Err(error) => return Err(error),
    };
    let otherwise = here.otherwise(capture, &names);
    // Of a kernel that is missing it is said why: that it cannot be built says no more.
    let missing: BTreeSet<CommandIndex> = reasons.iter().filter_map(missing_kernel).collect();
    let is_news =
        |reason: &Reason| !could_not_build(reason).is_some_and(|at| missing.contains(&at));
    reasons.extend(otherwise.into_iter().filter(is_news));
    let before = chip_of(record, capture);
    let after = target.description;
    let moved = moved(capture, (record, before), (&here.record, after), &names);
    if let Some(before) = before {
        reasons.extend(stated_strides(capture, before, after, &names));
    }
    if capture.program.placement_bound {
        let broken = moved.iter().filter(|moved| moved.breaks_numbers()).cloned();
        reasons.extend(broken.map(|moved| Reason::PlacementBound { moved }));
    }
    if planted(Defect::AssessmentForgetsCircularBuffers) {
        let beyond = |outcome: &Outcome| {
            matches!(outcome, Outcome::Failed(Failure::CircularBufferIndexTooLarge { .. }))
        };
        reasons.retain(|reason| match reason {
            Reason::Call { captured, here, .. } => !beyond(captured) && !beyond(here),
            _ => true,
        });
    }
    reasons.retain(counts);
    // Reasons without a call are about the capture as a whole and come last.
    reasons.sort_by_key(|reason| reason.command().map_or(u32::MAX, |command| command.0));
    Ok(if !reasons.is_empty() {
        Portability::Refused { reasons }
    } else if moved.is_empty() {
        Portability::Exact
    } else {
        Portability::Adapted { moved }
    })
}

/// Whether a reason counts: always, unless its kind is switched off.
fn counts(reason: &Reason) -> bool {
    !is_switched_off("reason", reason.kind())
}

/// Whether a capture would be replayed where it was made: the same chip and firmware, so that
/// everything lies where it lay.
pub(super) fn is_at_home(
    capture: &Capture,
    target: &ReplayTarget,
    options: &ReplayOptions,
) -> bool {
    let firmware = capture.record.as_ref().map(|record| record.firmware.hash);
    !capture.program.placement_bound
        && is_on_its_chip(capture, target)
        && firmware == Some(options.firmware.hash())
        && undetected(capture, target).next().is_none()
}

/// Whether the capture was made on this chip.
pub(super) fn is_on_its_chip(capture: &Capture, target: &ReplayTarget) -> bool {
    let chip = capture.record.as_ref().and_then(|record| chip_of(record, capture));
    chip.is_some_and(|chip| chip == target.description)
}

/// The chip that a capture was made on, if its description is known.
fn chip_of(record: &Record, capture: &Capture) -> Option<&'static ChipDescription> {
    record.chip(capture.program.architecture).ok()
}

/// The cores that a capture is opened with on a chip: those that it asked for, as far as they are there.
pub(super) fn grid_on(asked: Grid, chip: &ChipDescription) -> Grid {
    let (columns, rows) = chip.compute_grid();
    Grid { columns: asked.columns.min(columns), rows: asked.rows.min(rows) }
}

/// Kernels that neither the capture nor anyone else has ELFs of for the chip's architecture.
fn missing_kernels(
    capture: &Capture,
    target: &ReplayTarget,
    options: &ReplayOptions,
) -> Vec<Reason> {
    let architecture = target.description.architecture;
    let mut reasons = Vec::new();
    for (command, recorded) in done(capture) {
        let Command::CreateKernel(commands::CreateKernel { kernel, name, source, .. }) = recorded
        else {
            continue;
        };
        if has_elf(capture, *kernel, architecture) {
            continue;
        }
        let problem = match options.kernels.get(kernel) {
            Some(Ok(_)) => continue,
            Some(Err(problem)) => problem.to_string(),
            None => "the replay was given no ELF of the kernel".to_owned(),
        };
        reasons.push(Reason::KernelMissing {
            command,
            kernel: *kernel,
            name: name.clone(),
            source_path: source.clone(),
            architecture,
            problem,
        });
    }
    reasons
}

/// The call that makes a kernel which is missing.
const fn missing_kernel(reason: &Reason) -> Option<CommandIndex> {
    let Reason::KernelMissing { command, .. } = reason else { return None };
    Some(*command)
}

/// The call that fails because its kernel is not to be had.
const fn could_not_build(reason: &Reason) -> Option<CommandIndex> {
    let Reason::Call { command, here: Outcome::Failed(failure), .. } = reason else { return None };
    let is_of_the_kernel =
        matches!(failure, Failure::KernelBuildFailed {} | Failure::KernelSourceNotFound {});
    if is_of_the_kernel { Some(*command) } else { None }
}

/// The faults and waits of the capture that the device would not notice.
fn undetected<'c>(
    capture: &'c Capture,
    target: &ReplayTarget,
) -> impl Iterator<Item = Reason> + use<'c> {
    let has = target.capabilities;
    failures(capture).filter_map(move |(command, failure)| {
        let (present, capability) = match failure {
            Failure::DeviceFault { category: FaultCategory::DataRace, .. } => {
                (has.detects_races, "detects_races")
            }
            Failure::QueueRace { first, second } => {
                let of_transfers = [first, second].into_iter().all(|&it| is_transfer(capture, it));
                (of_transfers || has.detects_races, "detects_races")
            }
            Failure::DeviceFault { category, .. } if category.is_misuse() => {
                (has.detects_misuse, "detects_misuse")
            }
            Failure::DeviceFault { category: FaultCategory::UnpredictableValueUsed, .. } => {
                (has.detects_uninitialised, "detects_uninitialised")
            }
            Failure::DeviceFault { category: FaultCategory::KernelAssertion, .. } => {
                (has.reports_fault_place, "asserts")
            }
            Failure::Deadlock { .. } => (has.detects_deadlock, "detects_deadlock"),
            _ => return None,
        };
        let failure = failure.clone();
        (!present).then_some(Reason::NotDetected { command, failure, capability })
    })
}

/// Whether a call moves data of a buffer. The host knows on every device which memory such a call touches; only the
/// device knows which memory a program touches.
fn is_transfer(capture: &Capture, command: CommandIndex) -> bool {
    let index = usize::try_from(command.0).ok();
    let recorded = index.and_then(|index| capture.program.commands.get(index));
    recorded.is_some_and(|recorded| {
        matches!(recorded.command, Command::EnqueueWriteBuffer(_) | Command::EnqueueReadBuffer(_))
    })
}

/// Rules that programs broke and that another architecture may not have. Every architecture demands that accesses
/// are ordered, and that values were written before they are read. The rules of the host API and of the kernel API are the same on each.
fn rules<'c>(
    capture: &'c Capture,
    target: &ReplayTarget,
) -> impl Iterator<Item = Reason> + use<'c> {
    let (captured, here) = (capture.program.architecture, target.description.architecture);
    failures(capture).filter_map(move |(command, failure)| match *failure {
        Failure::DeviceFault { category, .. }
            if captured != here
                && !matches!(
                    category,
                    FaultCategory::DataRace
                        | FaultCategory::UnpredictableValueUsed
                        | FaultCategory::KernelAssertion
                )
                && !category.is_misuse() =>
        {
            Some(Reason::RuleOfArchitecture { command, category, captured, here })
        }
        _ => None,
    })
}

fn indexed(capture: &Capture) -> impl Iterator<Item = (CommandIndex, &RecordedCommand)> {
    (0..).map(CommandIndex).zip(&capture.program.commands)
}

/// The failures of calls, each with its call, and that of the end of the queues with the call that enqueued the work.
fn failures(capture: &Capture) -> impl Iterator<Item = (CommandIndex, &Failure)> {
    let of_calls = indexed(capture).filter_map(|(command, recorded)| match &recorded.outcome {
        Outcome::Failed(failure) => Some((command, failure)),
        Outcome::Done | Outcome::Unfinished => None,
    });
    let at_end = capture.at_end().and_then(QueuesEnd::failure);
    of_calls.chain(at_end.map(|failure| (failure.blamed().unwrap_or(CommandIndex(0)), failure)))
}

/// Calls that succeeded.
fn done(capture: &Capture) -> impl Iterator<Item = (CommandIndex, &Command)> {
    let done = indexed(capture).filter(|(_, recorded)| recorded.outcome == Outcome::Done);
    done.map(|(index, recorded)| (index, &recorded.command))
}

/// The results of a capture's calls on a modelled chip.
struct OnModelledChip {
    /// The record with the addresses of objects.
    record: Record,
    /// Calls with other outcomes: each with its outcome here and details.
    differing: Vec<(CommandIndex, Outcome, Option<String>)>,
}

fn on_modelled_chip(
    capture: &Capture,
    target: &ReplayTarget,
    options: &ReplayOptions,
) -> Result<OnModelledChip, ReplayError> {
    let kernels = ReplayKernels::new(capture, &options.kernels).standing_in();
    let mut open = DeviceOptions::new(options.firmware.clone(), Box::new(kernels));
    open.grid = GridAsked::Cores(grid_on(capture.program.grid, target.description));
    open.num_command_queues = capture.program.num_command_queues;
    open.trace_region_size = capture.program.trace_region_size;
    open.l1_small_size = capture.program.l1_small_size;
    open.worker_l1_size = capture.program.worker_l1_size;
    open.l1_bank_order = capture.record.as_ref().map(|record| record.l1_bank_order);
    open.dispatch = options.dispatch;
    open.schedule_seed = options.schedule_seed;
    let mut device = Device::modelled(target.description, open)?;
    device.begin_capture(&CaptureOptions::default())?;
    let mut differing = Vec::new();
    for (index, recorded) in indexed(capture) {
        let captured = &recorded.outcome;
        if *captured == Outcome::Unfinished {
            continue;
        }
        let input = unchecked_input(capture, index, &recorded.command)?;
        let made = device.call(recorded.command.clone(), input);
        let CallResult { outcome, error } = call_result(index, made)?;
        if let Some(what) = ends_the_device(captured) {
            // From here on every call finds the device as it was.
            device.lose_as_captured(|| lost(index, what));
        }
        if *captured != outcome
            && !is_met_while_running(captured)
            && !is_met_while_running(&outcome)
        {
            let detail = error.and_then(|error: HostError| error.detail);
            differing.push((index, outcome, detail));
        }
    }
    let again = device.end_capture()?;
    let record = again.record.ok_or(ReplayError::NoRecord)?;
    Ok(OnModelledChip { record, differing })
}

/// Whether an outcome depends on what programs do, and not on the call and the chip alone.
fn is_met_while_running(outcome: &Outcome) -> bool {
    let Outcome::Failed(failure) = outcome else { return false };
    ends_the_device(outcome).is_some()
        || matches!(failure, Failure::EventStateMismatch { .. } | Failure::QueueRace { .. })
}

fn ends_the_device(outcome: &Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Failed(Failure::DeviceFault { .. }) => Some("a fault"),
        Outcome::Failed(Failure::Deadlock { .. }) => Some("a deadlock"),
        Outcome::Failed(Failure::Hang { .. }) => Some("a hang"),
        Outcome::Failed(Failure::DeviceLost {}) => Some("its loss"),
        _ => None,
    }
}

fn lost(command: CommandIndex, what: &str) -> Stop {
    Stop {
        command,
        enqueue: None,
        replaying: None,
        cause: StopCause::Captured { what: what.to_owned() },
        leftovers: Vec::new(),
    }
}

impl OnModelledChip {
    /// The calls that end otherwise by themselves, and not because an earlier one did.
    fn otherwise(&self, capture: &Capture, names: &Names<'_>) -> Vec<Reason> {
        let mut after = Aftermath::default();
        let mut reasons = Vec::new();
        for (index, here, detail) in &self.differing {
            let recorded = usize::try_from(index.0).ok();
            let recorded = recorded.and_then(|at| capture.program.commands.get(at));
            let Some(RecordedCommand { command, outcome: captured }) = recorded else { continue };
            let follows = after.explains(captured) || after.explains(here);
            after.note(command);
            if !follows {
                reasons.push(Reason::Call {
                    command: *index,
                    kind: command.kind(),
                    subject: names.subject(command),
                    captured: captured.clone(),
                    here: here.clone(),
                    detail: detail.clone(),
                });
            }
        }
        reasons
    }
}

/// Objects that are there in the capture and not on the modelled chip, or the other way round, because the
/// call that makes them ended otherwise; and programs that lack such an object.
#[derive(Default)]
struct Aftermath {
    objects: BTreeSet<(ObjectKind, u32)>,
    programs: BTreeSet<ProgramId>,
}

impl Aftermath {
    fn note(&mut self, command: &Command) {
        if let Some((kind, id, _)) = command.created() {
            self.objects.insert((kind, id));
        }
        match command {
            Command::CreateKernel(commands::CreateKernel { program, .. })
            | Command::EnqueueProgram(commands::EnqueueProgram { program, .. }) => {
                self.programs.insert(*program);
            }
            Command::EndTraceCapture(commands::EndTraceCapture { trace, .. }) => {
                self.objects.insert((ObjectKind::Trace, trace.0));
            }
            _ => {}
        }
    }

    fn explains(&self, outcome: &Outcome) -> bool {
        let Outcome::Failed(failure) = outcome else { return false };
        match failure {
            Failure::UnknownObject { object, id } | Failure::ReleasedObject { object, id } => {
                self.objects.contains(&(*object, *id))
            }
            Failure::EmptyProgram { program } | Failure::ProgramNotWarm { program } => {
                self.programs.contains(program)
            }
            _ => false,
        }
    }
}

/// The objects that lie elsewhere.
fn moved(
    capture: &Capture,
    (before, chip_before): (&Record, Option<&'static ChipDescription>),
    (after, chip_after): (&Record, &'static ChipDescription),
    names: &Names<'_>,
) -> Vec<Moved> {
    let program = &capture.program;
    let mut moved = Vec::new();
    let (captured, here) = (program.architecture, chip_after.architecture);
    if captured != here {
        let kernels = done(capture).filter(|(_, it)| matches!(it, Command::CreateKernel(_)));
        let kernels = u32::try_from(kernels.count()).unwrap_or(u32::MAX);
        moved.push(Moved::Architecture { captured, here, kernels });
    }
    let grid = grid_on(program.grid, chip_after);
    if grid != program.grid {
        moved.push(Moved::Grid { captured: program.grid, here: grid });
    }
    if let Some(chip_before) = chip_before {
        let orders = (before.l1_bank_order, after.l1_bank_order);
        moved.extend(moved_banks(capture, (chip_before, program.grid), (chip_after, grid), orders));
        moved.extend(moved_strides(capture, chip_before, chip_after, names));
    }
    let place = |record: &Record| -> BTreeMap<_, _> {
        let addresses = record.addresses.iter();
        addresses.map(|assigned| ((assigned.object, assigned.id), assigned.address)).collect()
    };
    let (old, new) = (place(before), place(after));
    let keys: BTreeSet<_> = old.keys().chain(new.keys()).copied().collect();
    for (object, id) in keys {
        let (captured, here) = (old.get(&(object, id)).copied(), new.get(&(object, id)).copied());
        if captured != here {
            let name = names.title(object, id);
            moved.push(Moved::Address { name, object, id, captured, here });
        }
    }
    if let Some(chip_before) = chip_before {
        for core in cores(capture, grid) {
            let places =
                (TileCoordinates::of(chip_before, core), TileCoordinates::of(chip_after, core));
            if let (Some(captured), Some(here)) = places
                && captured != here
            {
                moved.push(Moved::Core { core, captured, here });
            }
        }
    }
    moved
}

/// Banks over which pages go otherwise, of those memories that the capture has buffers in.
fn moved_banks(
    capture: &Capture,
    (before, grid_before): (&ChipDescription, Grid),
    (after, grid_after): (&ChipDescription, Grid),
    (order_before, order_after): (L1BankOrder, L1BankOrder),
) -> Vec<Moved> {
    let mut interleaved_l1 = false;
    let mut dram = false;
    for (_, command) in done(capture) {
        match command {
            Command::CreateBuffer(commands::CreateBuffer {
                buffer_type: BufferType::Dram, ..
            }) => dram = true,
            Command::CreateBuffer(commands::CreateBuffer {
                layout: BufferLayout::Interleaved,
                ..
            }) => interleaved_l1 = true,
            _ => {}
        }
    }
    let count = |banks: usize| u32::try_from(banks).unwrap_or(u32::MAX);
    let mut moved = Vec::new();
    let places = |chip: &ChipDescription| -> Vec<_> {
        chip.dram_banks.iter().map(|bank| (bank.tile, bank.offset)).collect()
    };
    if dram && places(before) != places(after) {
        moved.push(Moved::Banks {
            buffer_type: BufferType::Dram,
            captured: count(before.dram_banks.len()),
            here: count(after.dram_banks.len()),
        });
    }
    let tiles = |chip: &ChipDescription, grid: Grid, order| -> Vec<_> {
        let numbers = BankNumbers::new(chip, BufferType::L1, grid, order);
        numbers.cores().filter_map(|core| TileCoordinates::of(chip, core)).collect()
    };
    let before = tiles(before, grid_before, order_before);
    let after = tiles(after, grid_after, order_after);
    if interleaved_l1 && before != after {
        let (captured, here) = (count(before.len()), count(after.len()));
        moved.push(Moved::Banks { buffer_type: BufferType::L1, captured, here });
    }
    moved
}

/// A buffer whose pages are aligned otherwise.
struct Stride {
    buffer: BufferId,
    captured: u64,
    here: u64,
}

fn strides(capture: &Capture, before: &ChipDescription, after: &ChipDescription) -> Vec<Stride> {
    let buffers = done(capture).filter_map(|(_, command)| match command {
        Command::CreateBuffer(commands::CreateBuffer {
            buffer,
            buffer_type,
            page_size,
            size,
            ..
        }) => {
            // The distance from the first page to the last is nothing where there is but one.
            let several = size > page_size;
            let stride = |chip| page_stride(chip, *buffer_type, *page_size);
            Some((*buffer, stride(before)?, stride(after)?)).filter(|_| several)
        }
        _ => None,
    });
    buffers
        .filter(|(_, captured, here)| captured != here)
        .map(|(buffer, captured, here)| Stride { buffer, captured, here })
        .collect()
}

fn moved_strides(
    capture: &Capture,
    before: &ChipDescription,
    after: &ChipDescription,
    names: &Names<'_>,
) -> Vec<Moved> {
    let strides = strides(capture, before, after).into_iter();
    strides
        .map(|Stride { buffer, captured, here }| Moved::PageStride {
            name: names.title(ObjectKind::Buffer, buffer.0),
            buffer,
            captured,
            here,
        })
        .collect()
}

/// The arguments of a kernel: its words, and the buffers whose addresses are among them.
#[derive(Default)]
struct KernelNumbers {
    words: BTreeSet<u32>,
    buffers: BTreeSet<BufferId>,
}

/// Kernels that get the address of a buffer and a number that is the distance of its pages, as
/// `TensorAccessorArgs` hands out among compile-time arguments.
fn stated_strides(
    capture: &Capture,
    before: &ChipDescription,
    after: &ChipDescription,
    names: &Names<'_>,
) -> Vec<Reason> {
    let strides = strides(capture, before, after);
    if strides.is_empty() {
        return Vec::new();
    }
    let mut views: BTreeMap<BufferId, BufferId> = BTreeMap::new();
    let mut kernels: BTreeMap<KernelId, KernelNumbers> = BTreeMap::new();
    for (_, command) in done(capture) {
        if let Command::CreateBufferView(commands::CreateBufferView { buffer, parent, .. }) =
            command
        {
            let root = views.get(parent).copied().unwrap_or(*parent);
            views.insert(*buffer, root);
        }
        let (kernel, vectors) = match command {
            Command::CreateKernel(commands::CreateKernel { kernel, compile_args, .. }) => {
                (kernel, vec![(compile_args, None)])
            }
            Command::SetRuntimeArgs(commands::SetRuntimeArgs { kernel, args }) => {
                let vectors = args.iter().map(|one| (&one.values, Some(&one.relocations)));
                (kernel, vectors.collect())
            }
            Command::SetCommonRuntimeArgs(commands::SetCommonRuntimeArgs {
                kernel,
                values,
                relocations,
            })
            | Command::UpdateCommonRuntimeArgs(commands::UpdateCommonRuntimeArgs {
                kernel,
                values,
                relocations,
                ..
            }) => (kernel, vec![(values, Some(relocations))]),
            _ => continue,
        };
        let told = kernels.entry(*kernel).or_default();
        for (words, relocations) in vectors {
            told.words.extend(words);
            for relocation in relocations.into_iter().flatten() {
                if let Some(buffer) = relocation.argument.buffer() {
                    told.buffers.insert(views.get(&buffer).copied().unwrap_or(buffer));
                }
            }
        }
    }
    let mut reasons = Vec::new();
    for Stride { buffer, captured, here } in strides {
        for (kernel, told) in &kernels {
            let stated = u32::try_from(captured).is_ok_and(|stride| told.words.contains(&stride));
            if stated && told.buffers.contains(&buffer) {
                reasons.push(Reason::StatedPageStride {
                    kernel: *kernel,
                    kernel_name: names.show(ObjectKind::Kernel, kernel.0),
                    buffer: names.title(ObjectKind::Buffer, buffer.0),
                    captured,
                    here,
                });
            }
        }
    }
    reasons
}

/// The cores of a grid, row by row.
fn cores_of(grid: Grid) -> impl Iterator<Item = LogicalCore> {
    (0..grid.rows).flat_map(move |y| (0..grid.columns).map(move |x| LogicalCore { x, y }))
}

/// The cores of a chip's grid that the capture's calls name; all of them where any number may name one.
fn cores(capture: &Capture, grid: Grid) -> BTreeSet<LogicalCore> {
    let mut all: BTreeSet<LogicalCore> = cores_of(grid).collect();
    if capture.program.placement_bound {
        return all;
    }
    let mut named = BTreeSet::new();
    let mut name = |ranges: &[CoreRange]| {
        // Each core is looked at until it is named.
        all.retain(|core| {
            let found = ranges.iter().any(|range| range.contains(*core));
            if found {
                named.insert(*core);
            }
            !found
        });
    };
    for (_, command) in done(capture) {
        match command {
            Command::CreateKernel(commands::CreateKernel { cores, .. })
            | Command::CreateCircularBuffer(commands::CreateCircularBuffer { cores, .. })
            | Command::CreateSemaphore(commands::CreateSemaphore { cores, .. }) => name(cores),
            Command::CreateBuffer(commands::CreateBuffer {
                buffer_type: BufferType::L1 | BufferType::L1Small,
                shard_spec: Some(spec),
                ..
            }) => {
                name(&spec.cores);
            }
            _ => {}
        }
        for relocation in relocations(command) {
            if let Some(core) = relocation.argument.core() {
                name(&[CoreRange::single(core)]);
            }
        }
    }
    named
}

/// The arguments of a call that the runtime fills in.
fn relocations(command: &Command) -> impl Iterator<Item = &ArgumentRelocation> {
    let (several, one): (&[CoreArguments], &[ArgumentRelocation]) = match command {
        Command::SetRuntimeArgs(call) => (&call.args, &[]),
        Command::SetCommonRuntimeArgs(call) => (&[], &call.relocations),
        Command::UpdateCommonRuntimeArgs(call) => (&[], &call.relocations),
        _ => (&[], &[]),
    };
    several.iter().flat_map(|arguments| &arguments.relocations).chain(one)
}

/// The data of a write, unchecked: a modelled chip does not look at data, so no data is made or hashed.
fn unchecked_input(
    capture: &Capture,
    index: CommandIndex,
    command: &Command,
) -> Result<Input, ReplayError> {
    let Command::EnqueueWriteBuffer(call) = command else { return Ok(Input::Nothing) };
    let Data { length, hash, generator } = call.data;
    Ok(Input::Data(match generator {
        Some(generator) => Payload::Generated { generator, length },
        None => Payload::Bytes(capture.blobs.get(&hash).cloned().ok_or_else(|| {
            let what = format!("the data of command {index}");
            ReplayError::BlobMissing { hash, what }
        })?),
    }))
}
