//! A capture for people: one line per command.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::commands;
use crate::model::{
    ArgumentRelocation, BufferId, BufferRegion, Capture, Command, CommandKind, ContentHash,
    CoreArguments, CoreRange, Data, DataType, Expectation, Generator, KernelConfig, ObjectKind,
    Outcome, Program, RecordedCommand, RelocationKind, Shape2D, ShardSpec, TraceBuffer,
};
use crate::names::Names;
use crate::{VERSION, plural};

/// How many words of one core's arguments are shown.
const SHOWN_ARGUMENTS: usize = 16;

/// The text of `hallmark dump`.
pub fn dump(capture: &Capture) -> String {
    let names = Names::of(&capture.program);
    let mut text = heading(capture);
    let commands = &capture.program.commands;
    let reads: HashMap<usize, ContentHash> = capture
        .record
        .iter()
        .flat_map(|record| &record.reads)
        .filter_map(|read| Some((usize::try_from(read.command.0).ok()?, read.hash)))
        .collect();
    let digits = commands.len().saturating_sub(1).to_string().len().max(2);
    let subjects: Vec<String> =
        commands.iter().map(|made| subject(&made.command, &names)).collect();
    let width = subjects.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(24);
    let kinds = commands.iter().map(|made| made.command.kind().name().len());
    let kinds = kinds.max().unwrap_or(0).clamp(22, 38);
    for (index, (recorded, subject)) in commands.iter().zip(&subjects).enumerate() {
        let RecordedCommand { command, outcome } = recorded;
        let kind = command.kind().name();
        let detail = detail(&names, reads.get(&index).copied(), command);
        let joined = match command {
            // A read's arrow follows the buffer's name directly.
            Command::EnqueueReadBuffer(_) => format!("{subject} {detail}"),
            _ => format!("{subject:width$}  {detail}"),
        };
        let line = format!("{index:>digits$} {kind:<kinds$} {joined}");
        text.push_str(line.trim_end());
        match outcome {
            Outcome::Done => {}
            Outcome::Failed(failure) => {
                let _ = write!(text, " → failed, {}: {failure}", failure.code().name());
            }
            Outcome::Unfinished => text.push_str(" → unfinished"),
        }
        text.push('\n');
    }
    footer(&mut text, capture, &names);
    text
}

fn heading(capture: &Capture) -> String {
    let Program { architecture, grid, commands, placement_bound, .. } = &capture.program;
    let mut text = format!(
        "Light Metal binary {VERSION} · {architecture}, grid {}×{} · {}",
        grid.columns,
        grid.rows,
        plural::count(commands.len() as u64, "command"),
    );
    let is_kernel = |made: &&RecordedCommand| made.command.kind() == CommandKind::CreateKernel;
    let kernels = commands.iter().filter(is_kernel).count() as u64;
    if kernels > 0 {
        let _ = write!(text, ", {}", plural::count(kernels, "kernel"));
    }
    let (mut generated, mut kept) = (0_u64, 0_u64);
    for recorded in commands {
        if let Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer { data, .. }) =
            &recorded.command
        {
            let sum = if data.generator.is_some() { &mut generated } else { &mut kept };
            *sum = sum.saturating_add(data.length);
        }
    }
    for (sum, how) in [(generated, "of data by generator"), (kept, "of data by hash")] {
        if sum > 0 {
            let _ = write!(text, ", {} {how}", plural::bytes(sum));
        }
    }
    if capture.program.num_command_queues != 1 {
        let _ = write!(text, " · {} command queues", capture.program.num_command_queues);
    }
    if capture.program.trace_region_size > 0 {
        let size = plural::bytes(capture.program.trace_region_size);
        let _ = write!(text, " · trace region of {size} a bank");
    }
    if *placement_bound {
        text.push_str(" · placement-bound");
    }
    match capture.missing_blobs().len() as u64 {
        0 => text.push_str(" · stands alone"),
        missing => {
            let _ =
                write!(text, " · needs {} that it does not embed", plural::count(missing, "blob"));
        }
    }
    text.push('\n');
    text
}

/// The object that a command of a program is about, by its name where it has one.
pub fn subject_of(program: &Program, command: &Command) -> String {
    subject(command, &Names::of(program))
}

/// The object that a command is about.
pub(crate) fn subject(command: &Command, names: &Names<'_>) -> String {
    match command {
        Command::CreateBuffer(commands::CreateBuffer { buffer, .. })
        | Command::CreateBufferView(commands::CreateBufferView { buffer, .. })
        | Command::DeallocateBuffer(commands::DeallocateBuffer { buffer })
        | Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer { buffer, .. })
        | Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { buffer, .. }) => {
            names.show(ObjectKind::Buffer, buffer.0)
        }
        Command::CreateProgram(commands::CreateProgram { program, .. })
        | Command::EnqueueProgram(commands::EnqueueProgram { program, .. }) => {
            names.show(ObjectKind::Program, program.0)
        }
        Command::CreateKernel(commands::CreateKernel { kernel, .. })
        | Command::SetRuntimeArgs(commands::SetRuntimeArgs { kernel, .. })
        | Command::SetCommonRuntimeArgs(commands::SetCommonRuntimeArgs { kernel, .. })
        | Command::UpdateCommonRuntimeArgs(commands::UpdateCommonRuntimeArgs { kernel, .. }) => {
            names.show(ObjectKind::Kernel, kernel.0)
        }
        Command::CreateCircularBuffer(commands::CreateCircularBuffer {
            circular_buffer, ..
        })
        | Command::UpdateCircularBufferTotalSize(commands::UpdateCircularBufferTotalSize {
            circular_buffer,
            ..
        })
        | Command::UpdateCircularBufferPageSize(commands::UpdateCircularBufferPageSize {
            circular_buffer,
            ..
        })
        | Command::UpdateDynamicCircularBufferAddress(
            commands::UpdateDynamicCircularBufferAddress { circular_buffer, .. },
        )
        | Command::UpdateDynamicCircularBufferAddressAndTotalSize(
            commands::UpdateDynamicCircularBufferAddressAndTotalSize { circular_buffer, .. },
        ) => names.show(ObjectKind::CircularBuffer, circular_buffer.0),
        Command::CreateSemaphore(commands::CreateSemaphore { semaphore, .. }) => {
            names.show(ObjectKind::Semaphore, semaphore.0)
        }
        Command::EnqueueRecordEvent(commands::EnqueueRecordEvent { event, .. })
        | Command::EnqueueWaitForEvent(commands::EnqueueWaitForEvent { event, .. })
        | Command::EventSynchronize(commands::EventSynchronize { event })
        | Command::EventQuery(commands::EventQuery { event, .. }) => {
            names.show(ObjectKind::Event, event.0)
        }
        Command::BeginTraceCapture(commands::BeginTraceCapture { trace, .. })
        | Command::EndTraceCapture(commands::EndTraceCapture { trace, .. })
        | Command::ReplayTrace(commands::ReplayTrace { trace, .. })
        | Command::ReleaseTrace(commands::ReleaseTrace { trace })
        | Command::CollectTrace(commands::CollectTrace { trace, .. })
        | Command::LoadTrace(commands::LoadTrace { trace, .. }) => {
            names.show(ObjectKind::Trace, trace.0)
        }
        Command::Finish(_) => String::new(),
    }
}

fn detail(names: &Names<'_>, read: Option<ContentHash>, command: &Command) -> String {
    let program_of = |program: u32| names.show(ObjectKind::Program, program);
    let waits = |blocking: bool| if blocking { ", waits" } else { "" };
    match command {
        Command::CreateBuffer(commands::CreateBuffer {
            size,
            page_size,
            buffer_type,
            layout,
            shard_spec,
            bottom_up,
            ..
        }) => {
            let kind = buffer_type.to_string().to_lowercase();
            let mut text = match size.checked_div(*page_size) {
                Some(pages) if size.is_multiple_of(*page_size) => {
                    format!("{kind}, {pages} × {page_size} B")
                }
                _ => format!("{kind}, {size} B in pages of {page_size} B"),
            };
            if layout.is_sharded() {
                let _ = write!(text, ", {}", word(layout));
            }
            if let Some(spec) = shard_spec {
                let _ = write!(text, " {}", shards(spec));
            }
            match bottom_up {
                Some(true) => text.push_str(", from the bottom up"),
                Some(false) => text.push_str(", from the top down"),
                None => {}
            }
            text
        }
        Command::CreateBufferView(commands::CreateBufferView { parent, region, .. }) => {
            format!("{} of {}", part(*region), names.show(ObjectKind::Buffer, parent.0))
        }
        Command::DeallocateBuffer(_) | Command::CreateProgram(_) => String::new(),
        Command::CreateKernel(commands::CreateKernel {
            program,
            source,
            cores,
            config,
            compile_args,
            defines,
            ..
        }) => {
            let file = plain(source.rsplit('/').next().unwrap_or_default());
            let (on, extra) = match config {
                KernelConfig::DataMovement { processor, noc } => {
                    (word(processor), format!(", {}", word(noc)))
                }
                KernelConfig::Compute { math_fidelity, .. } => {
                    ("compute".to_owned(), format!(", {}", word(math_fidelity)))
                }
            };
            let mut text =
                format!("{}, {file} on {on} at {}{extra}", program_of(program.0), ranges(cores));
            if !compile_args.is_empty() {
                let _ = write!(text, ", compile arguments {}", list(compile_args.iter()));
            }
            for (name, value) in defines {
                let _ = write!(text, ", {}={}", plain(name), plain(value));
            }
            text
        }
        Command::SetRuntimeArgs(commands::SetRuntimeArgs { args, .. }) => {
            let sets: Vec<String> = args.iter().map(|set| arguments(set, names)).collect();
            sets.join("; ")
        }
        Command::SetCommonRuntimeArgs(commands::SetCommonRuntimeArgs {
            values,
            relocations,
            ..
        }) => words(values, relocations, names),
        Command::UpdateCommonRuntimeArgs(commands::UpdateCommonRuntimeArgs {
            first,
            values,
            relocations,
            ..
        }) => {
            format!("from {first}: {}", words(values, relocations, names))
        }
        Command::CreateCircularBuffer(commands::CreateCircularBuffer {
            program,
            cores,
            total_size,
            indices,
            globally_allocated_address: place,
            ..
        }) => {
            let place = place.map(|place| {
                format!(" in {}", buffer_address(place.buffer.0, place.address_offset, names))
            });
            let indices = indices.iter().map(|index| {
                let CircularBufferIndexText(text) = index.into();
                text
            });
            format!(
                "{}, {} at {}{}, {}",
                program_of(program.0),
                plural::bytes(*total_size),
                ranges(cores),
                place.unwrap_or_default(),
                indices.collect::<Vec<_>>().join(", ")
            )
        }
        Command::UpdateCircularBufferTotalSize(commands::UpdateCircularBufferTotalSize {
            total_size,
            ..
        }) => plural::bytes(*total_size),
        Command::UpdateCircularBufferPageSize(commands::UpdateCircularBufferPageSize {
            index,
            page_size,
            ..
        }) => {
            format!("index {index} of {page_size} B pages")
        }
        Command::UpdateDynamicCircularBufferAddress(
            commands::UpdateDynamicCircularBufferAddress { buffer, address_offset, .. },
        ) => {
            format!("in {}", buffer_address(buffer.0, *address_offset, names))
        }
        Command::UpdateDynamicCircularBufferAddressAndTotalSize(
            commands::UpdateDynamicCircularBufferAddressAndTotalSize { buffer, total_size, .. },
        ) => {
            let place = buffer_address(buffer.0, 0, names);
            format!("{} in {place}, offset as before", plural::bytes(*total_size))
        }
        Command::CreateSemaphore(commands::CreateSemaphore {
            program,
            cores,
            initial_value,
            ..
        }) => {
            format!("{} at {}, starts at {initial_value}", program_of(program.0), ranges(cores))
        }
        Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer {
            queue,
            data,
            blocking,
            region,
            ..
        }) => {
            let where_to =
                region.map_or_else(String::new, |region| format!(" to {}", part(region)));
            format!("{}{where_to}{}{}", describe(data), on_queue(queue.0), waits(*blocking))
        }
        Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
            queue,
            output,
            blocking,
            expectation,
            region,
            ..
        }) => {
            let returned = returned(read, expectation);
            let from = region.map_or_else(String::new, |region| format!("{} ", part(region)));
            format!("{from}→ {output}{returned}{}{}", on_queue(queue.0), waits(*blocking))
        }
        Command::EnqueueProgram(commands::EnqueueProgram { queue, blocking, .. }) => {
            format!("{}{}", on_queue(queue.0), waits(*blocking)).trim_start_matches(", ").to_owned()
        }
        Command::Finish(commands::Finish { queue })
        | Command::EnqueueWaitForEvent(commands::EnqueueWaitForEvent { queue, .. })
        | Command::BeginTraceCapture(commands::BeginTraceCapture { queue, .. })
        | Command::EndTraceCapture(commands::EndTraceCapture { queue, .. }) => {
            on_queue(queue.0).trim_start_matches(", ").to_owned()
        }
        Command::ReplayTrace(commands::ReplayTrace { queue, blocking, .. }) => {
            format!("{}{}", on_queue(queue.0), waits(*blocking)).trim_start_matches(", ").to_owned()
        }
        Command::EnqueueRecordEvent(commands::EnqueueRecordEvent {
            queue,
            host_visible,
            number,
            ..
        }) => {
            let visible = if *host_visible { ", to the host" } else { "" };
            let number = number.map_or_else(String::new, |number| format!(", number {number}"));
            format!("{}{visible}{number}", on_queue(queue.0)).trim_start_matches(", ").to_owned()
        }
        Command::EventQuery(commands::EventQuery { expected, .. }) => match expected {
            Some(true) => "has happened".to_owned(),
            Some(false) => "has not happened".to_owned(),
            None => String::new(),
        },
        Command::CollectTrace(commands::CollectTrace { collected, .. }) => format!("→ {collected}"),
        Command::LoadTrace(commands::LoadTrace { from, buffers, .. }) => {
            let buffers = buffers.iter().map(|TraceBuffer { recorded, buffer }| {
                let name = |buffer: BufferId| names.show(ObjectKind::Buffer, buffer.0);
                format!(", {} for {}", name(*buffer), name(*recorded))
            });
            format!("from {from}{}", buffers.collect::<String>())
        }
        Command::EventSynchronize(_) | Command::ReleaseTrace(_) => String::new(),
    }
}

/// `bytes 64–127`.
fn part(region: BufferRegion) -> String {
    let BufferRegion { offset, size } = region;
    match offset.checked_add(size).and_then(|end| end.checked_sub(1)) {
        Some(last) if size > 0 => format!("bytes {offset}–{last}"),
        _ => format!("{size} bytes at {offset}"),
    }
}

/// `4×2 pages as shards of 64×64 elements, pages of 32×32, at (0,0)–(0,1), row_major`.
fn shards(spec: &ShardSpec) -> String {
    let shape = |shape: Shape2D| format!("{}×{}", shape.height, shape.width);
    format!(
        "{} pages as shards of {} elements, pages of {}, at {}, {}",
        shape(spec.tensor2d_shape_in_pages),
        shape(spec.shape),
        shape(spec.page_shape),
        ranges(&spec.cores),
        word(&spec.orientation)
    )
}

fn on_queue(queue: u8) -> String {
    if queue == 0 { String::new() } else { format!(", queue {queue}") }
}

struct CircularBufferIndexText(String);

impl From<&crate::model::CircularBufferIndex> for CircularBufferIndexText {
    fn from(index: &crate::model::CircularBufferIndex) -> Self {
        let format = word(&index.data_format);
        Self(format!("index {} of {} B pages, {format}", index.index, index.page_size))
    }
}

/// What a read returned, or what was expected of it.
fn returned(hash: Option<ContentHash>, wanted: &Expectation) -> String {
    let shown = hash.map(|hash| format!(", blake3 {}…", first(&hash.to_string())));
    let shown = shown.unwrap_or_default();
    match wanted {
        Expectation::AsCaptured => format!("{shown}, as captured"),
        Expectation::Exact { hash: wanted } if hash.is_none_or(|hash| hash == *wanted) => {
            format!(", blake3 {}…", first(&wanted.to_string()))
        }
        Expectation::Exact { hash: wanted } => {
            format!("{shown}, expected {}…", first(&wanted.to_string()))
        }
        Expectation::Reference { data, tolerance } => {
            format!("{shown}, within {} of {}", tolerance.limits(), describe(data))
        }
        Expectation::Unchecked { reason } => format!("{shown}, unchecked: {}", plain(reason)),
    }
}

fn first(hash: &str) -> &str {
    hash.get(..4).unwrap_or(hash)
}

/// The name of an enum's value as suites write it.
pub(crate) fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => text,
        _ => String::new(),
    }
}

fn describe(data: &Data) -> String {
    let made = match &data.generator {
        None => plural::bytes(data.length),
        Some(Generator::Constant { data_type, bits }) => {
            format!("constant {} {bits:#x}", name(*data_type))
        }
        Some(Generator::Sequence { data_type, start, step }) => {
            format!("sequence {} from {start} by {step}", name(*data_type))
        }
        Some(Generator::Uniform { data_type, seed }) => {
            format!("uniform {}, seed {seed}", name(*data_type))
        }
        Some(Generator::UniformBetween { data_type, seed, minimum, maximum }) => {
            format!("uniform {} from {minimum} to {maximum}, seed {seed}", name(*data_type))
        }
        Some(Generator::Normal { data_type, seed, mean, deviation }) => {
            format!("normal {} around {mean} ± {deviation}, seed {seed}", name(*data_type))
        }
    };
    format!("{made}, blake3 {}…", first(&data.hash.to_string()))
}

fn name(data_type: DataType) -> String {
    word(&data_type)
}

/// `(0,0)`, `(0,0)–(1,1)`, several with commas.
pub(crate) fn ranges(cores: &[CoreRange]) -> String {
    let texts: Vec<String> = cores
        .iter()
        .map(|range| {
            if range.start == range.end {
                range.start.to_string()
            } else {
                format!("{}–{}", range.start, range.end)
            }
        })
        .collect();
    if texts.is_empty() { "no core".to_owned() } else { texts.join(", ") }
}

fn list<T: ToString>(items: impl ExactSizeIterator<Item = T>) -> String {
    let more = items.len().saturating_sub(SHOWN_ARGUMENTS);
    let mut texts: Vec<String> = items.take(SHOWN_ARGUMENTS).map(|item| item.to_string()).collect();
    if more > 0 {
        texts.push(format!("and {more} more"));
    }
    texts.join(", ")
}

fn arguments(set: &CoreArguments, names: &Names<'_>) -> String {
    format!("{}: {}", ranges(&set.cores), words(&set.values, &set.relocations, names))
}

fn words(values: &[u32], relocations: &[ArgumentRelocation], names: &Names<'_>) -> String {
    let words: Vec<String> = values
        .iter()
        .enumerate()
        .map(|(index, value)| {
            let relocated = relocations
                .iter()
                .find(|relocation| usize::try_from(relocation.index) == Ok(index));
            relocated.map_or_else(|| value.to_string(), |relocation| reference(relocation, names))
        })
        .take(SHOWN_ARGUMENTS + 1)
        .collect();
    let more = values.len().saturating_sub(SHOWN_ARGUMENTS);
    let mut shown = words.into_iter().take(SHOWN_ARGUMENTS).collect::<Vec<_>>().join(", ");
    if more > 0 {
        let _ = write!(shown, ", and {more} more");
    }
    shown
}

fn plus(offset: u32) -> String {
    if offset == 0 { String::new() } else { format!(" + {offset}") }
}

/// `&src`, `&src + 32`.
fn buffer_address(buffer: u32, offset: u32, names: &Names<'_>) -> String {
    format!("&{}{}", names.show(ObjectKind::Buffer, buffer), plus(offset))
}

/// `&src`, `&src + 32`, `x of (1,2)`.
pub(crate) fn reference(relocation: &ArgumentRelocation, names: &Names<'_>) -> String {
    let object = relocation.object;
    let plus = plus(relocation.offset);
    let core = || format!("({},{})", object & 0xffff, object >> 16);
    match relocation.kind {
        RelocationKind::BufferAddress => buffer_address(object, relocation.offset, names),
        RelocationKind::SemaphoreAddress => {
            format!("&{}{plus}", names.show(ObjectKind::Semaphore, object))
        }
        RelocationKind::ShardBankPair => {
            let pair = u64::from(relocation.offset) * 2;
            format!("banks {pair}, {} of {}", pair + 1, names.show(ObjectKind::Buffer, object))
        }
        RelocationKind::CoreNocX => format!("x of {}{plus}", core()),
        RelocationKind::CoreNocY => format!("y of {}{plus}", core()),
    }
}

fn footer(text: &mut String, capture: &Capture, names: &Names<'_>) {
    let Some(record) = &capture.record else {
        text.push_str("no record: a golden, or stripped of where it ran\n");
        return;
    };
    let _ = write!(
        text,
        "recorded on {}, firmware {} ({}…), {} dispatch",
        plain(&record.chip.device),
        plain(&record.firmware.name),
        first(&record.firmware.hash.to_string()),
        word(&record.dispatch_mode)
    );
    let placed = |kind: ObjectKind| {
        let of_kind = record.addresses.iter().filter(move |assigned| assigned.object == kind);
        let texts: Vec<String> = of_kind
            .map(|assigned| format!("{} at {:#x}", names.show(kind, assigned.id), assigned.address))
            .collect();
        texts.join(", ")
    };
    let buffers = placed(ObjectKind::Buffer);
    if !buffers.is_empty() {
        let _ = write!(text, "; {buffers} in every bank");
    }
    for kind in [ObjectKind::CircularBuffer, ObjectKind::Semaphore] {
        let placed = placed(kind);
        if !placed.is_empty() {
            let _ = write!(text, "; {placed}");
        }
    }
    text.push('\n');
    for fault in &record.faults {
        let _ = write!(text, "fault at command {}: {}", fault.command, fault.category);
        if !fault.reason.is_empty() {
            let _ = write!(text, ": {}", plain(&fault.reason));
        }
        if let Some((x, y)) = fault.tile {
            let _ = write!(text, ", tile ({x},{y})");
        }
        if let Some(processor) = fault.processor {
            let _ = write!(text, ", {}", processor_name(processor));
        }
        if let Some(pc) = fault.pc {
            let _ = write!(text, ", pc {pc:#x}");
        }
        if let Some(symbol) = &fault.symbol {
            let _ = write!(text, " in {}", plain(symbol));
        }
        text.push('\n');
    }
    for wait in &record.waits {
        let (x, y) = wait.tile;
        let who = processor_name(wait.processor);
        let _ = writeln!(
            text,
            "waiting: tile ({x},{y}) {who} at pc {:#x} for {:#x}, which holds {}",
            wait.pc, wait.address, wait.value
        );
    }
}

/// A text that came from outside, without anything that could move a terminal's cursor.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() {
            plain.extend(letter.escape_default());
        } else {
            plain.push(letter);
        }
    }
    plain
}

fn processor_name(index: u8) -> String {
    let known = hallmark_chip::Processor::ALL.get(usize::from(index));
    known.map_or_else(|| format!("processor {index}"), ToString::to_string)
}
