//! A capture as text for people: one line per command.

use std::collections::HashMap;
use std::fmt::Write as _;

use hallmark_chip::{Fault, L1BankOrder};

use crate::commands;
use crate::model::{
    Capture, Command, CommandKind, ContentHash, ExecutorRecord, ExpectedFault, FreeTensor,
    GeneratedBindings, ObjectKind, Origin, Outcome, PlacementBoundWord, ProgramPart, QueuesEnd,
    RecordedCommand, Shape2D, TensorRole, WaitRecord,
};
use crate::names::Names;
use crate::plural;
use crate::wording::{Wording, fault_place, first, other_party, plain, source_line, word};

/// The last lines of a processor's text that are shown.
const PRINTED_LINES: usize = 20;

/// The text of `hallmark dump`.
pub fn dump(capture: &Capture) -> String {
    let names = Names::of(&capture.program);
    let mut text = heading(capture);
    free_tensors(&mut text, &capture.program, &names);
    let commands = &capture.program.commands;
    let reads: HashMap<usize, ContentHash> = capture
        .record
        .iter()
        .flat_map(|record| &record.reads)
        .filter_map(|read| Some((usize::try_from(read.command.0).ok()?, read.hash)))
        .collect();
    let digits = commands.len().saturating_sub(1).to_string().len().max(2);
    let subjects: Vec<String> = commands.iter().map(|made| names.subject(&made.command)).collect();
    let width = subjects.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(24);
    let kinds = commands.iter().map(|made| made.command.kind().name().len());
    let kinds = kinds.max().unwrap_or(0).clamp(22, 38);
    for (index, (recorded, subject)) in commands.iter().zip(&subjects).enumerate() {
        let RecordedCommand { command, outcome } = recorded;
        let kind = command.kind().name();
        let wording = Wording { names: &names, returned: reads.get(&index).copied() };
        let detail = command.sentence(&wording);
        let joined = match command {
            // The arrow of a read follows the buffer's name directly.
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
    let ProgramPart { architecture, grid, commands, placement_bound, .. } = &capture.program;
    let mut text = format!(
        "Light Metal binary {} · {architecture}, grid {}×{} · {}",
        capture.version(),
        grid.columns,
        grid.rows,
        plural::counted(commands.len() as u64, "command", "commands"),
    );
    let is_kernel = |made: &&RecordedCommand| made.command.kind() == CommandKind::CreateKernel;
    let kernels = commands.iter().filter(is_kernel).count() as u64;
    if kernels > 0 {
        let _ = write!(text, ", {}", plural::counted(kernels, "kernel", "kernels"));
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
    let regions = [
        (capture.program.l1_small_size, "L1_SMALL of", " a core"),
        (capture.program.worker_l1_size, "", " of L1 a core"),
    ];
    for (size, before, after) in regions {
        if size > 0 {
            let size = format!("{before} {}{after}", plural::bytes(size));
            let _ = write!(text, " · {}", size.trim_start());
        }
    }
    let free = &capture.program.free_tensors;
    if !free.is_empty() {
        let of = |role: TensorRole| {
            let count = free.iter().filter(|tensor| tensor.role == role).count();
            plural::counted(count as u64, role.name(), role.plural())
        };
        let (inputs, outputs) = (of(TensorRole::Input), of(TensorRole::Output));
        let _ = write!(text, " · a binary of {inputs} and {outputs}");
    }
    if *placement_bound {
        text.push_str(" · placement-bound");
    }
    match capture.missing_blobs().len() as u64 {
        0 => text.push_str(" · self-contained"),
        missing => {
            let _ = write!(
                text,
                " · needs {} that it does not embed",
                plural::counted(missing, "blob", "blobs")
            );
        }
    }
    text.push('\n');
    text
}

/// Writes the inputs and outputs of a binary, each with the buffer that stands for it.
fn free_tensors(text: &mut String, program: &ProgramPart, names: &Names<'_>) {
    let mut places = [0_u32; 2];
    for tensor in &program.free_tensors {
        let FreeTensor { role, name, buffer, shape, data_format, tile } = tensor;
        let [inputs, outputs] = &mut places;
        let place = match role {
            TensorRole::Input => inputs,
            TensorRole::Output => outputs,
        };
        let shape = match shape.as_slice() {
            [] => "one element".to_owned(),
            sizes => sizes.iter().map(u32::to_string).collect::<Vec<_>>().join("×"),
        };
        let layout = match tile {
            Some(Shape2D { height, width }) => format!("tiles of {height}×{width}"),
            None => "rows".to_owned(),
        };
        let _ = writeln!(
            text,
            "{} {place} `{name}`: {shape}, {} in {layout}; buffer {} stands for it",
            role.name(),
            word(data_format),
            names.show(ObjectKind::Buffer, buffer.0),
        );
        *place = place.saturating_add(1);
    }
}

/// The subject of a command, by its name if it has one.
pub fn subject_of(program: &ProgramPart, command: &Command) -> String {
    Names::of(program).subject(command)
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
    match record.l1_bank_order {
        L1BankOrder::RowByRow => {}
        L1BankOrder::Shuffled => text.push_str("; banks of L1 shuffled as TT-Metalium's"),
    }
    for kind in [ObjectKind::CircularBuffer, ObjectKind::Semaphore] {
        let placed = placed(kind);
        if !placed.is_empty() {
            let _ = write!(text, "; {placed}");
        }
    }
    text.push('\n');
    if let Some(origin) = &record.origin {
        described(text, origin, &capture.program, names);
    }
    for recorded in &record.faults {
        let Fault { category, reason, place, against, memory: _ } = recorded.fault();
        let _ = write!(text, "fault at command {}: {category}", recorded.command());
        if !reason.is_empty() {
            let _ = write!(text, ": {}", plain(reason));
        }
        if let Some(place) = place {
            let _ = write!(text, ", {}", fault_place(place));
        }
        if let Some(against) = against {
            let _ = write!(text, ", against {}", other_party(against));
        }
        text.push('\n');
    }
    for ExpectedFault { command } in &record.expected_faults {
        let _ = writeln!(text, "the failure of command {command} was expected");
    }
    if let Some(QueuesEnd { outcome, expected }) = &record.at_end
        && *outcome != Outcome::Done
    {
        let expected = if *expected { ", as expected" } else { "" };
        let _ = writeln!(text, "at the end, work that no call waits for {outcome}{expected}");
    }
    for printed in &record.printed {
        let launch =
            printed.launch.map_or_else(String::new, |launch| format!(" for command {launch}"));
        let place = format!("{} {}{launch}", printed.core, printed.processor);
        for line in printed.last_lines(&place, PRINTED_LINES) {
            let _ = writeln!(text, "{}", plain(&line));
        }
    }
    for wait in &record.waits {
        let WaitRecord { tile, processor, pc, address, value, symbol: _, frames } = wait;
        let line = source_line(frames);
        let _ = writeln!(
            text,
            "waiting: tile {tile} {processor} at pc {pc:#x}{line} for {address}, which holds {value}"
        );
    }
}

/// Describes the origin of the capture in sentences.
fn described(text: &mut String, origin: &Origin, program: &ProgramPart, names: &Names<'_>) {
    let ExecutorRecord { name, release, build_id, kernel_compiler } = &origin.executor;
    let _ = write!(text, "made from a program under {} {}", plain(name), plain(release));
    if !build_id.is_empty() {
        let _ = write!(text, " ({}…)", first(&plain(build_id)));
    }
    if !kernel_compiler.is_empty() {
        let _ = write!(text, ", kernels compiled by {}", plain(kernel_compiler));
    }
    let _ = writeln!(text, "; relocations {}", word(&origin.relocations));
    for what in &origin.missing {
        let _ = writeln!(text, "missing: {}", plain(what));
    }
    for word in &origin.placement_bound_words {
        let _ = writeln!(text, "placement-bound: {}", bound_word(word, program, names));
    }
    for GeneratedBindings { kernel, original } in &origin.generated_bindings {
        let kernel = names.show(ObjectKind::Kernel, kernel.0);
        let _ = match original.as_str() {
            "" => writeln!(text, "generated bindings stand in front of {kernel}"),
            path => {
                writeln!(text, "generated bindings stand in front of {kernel}: {}", plain(path))
            }
        };
    }
    for buffer in &origin.dataflow_buffers {
        let buffer = names.show(ObjectKind::CircularBuffer, buffer.0);
        let _ = writeln!(text, "{buffer} was a dataflow buffer");
    }
}

/// `command 4, argument 2 of k on core (0,0)`.
pub(crate) fn bound_word(
    word: &PlacementBoundWord,
    program: &ProgramPart,
    names: &Names<'_>,
) -> String {
    let PlacementBoundWord { command, core, index } = *word;
    let made = usize::try_from(command.0).ok().and_then(|at| program.commands.get(at));
    let kind = match made.map(|made| &made.command) {
        Some(Command::CreateKernel(_)) => "compile-time argument",
        Some(_) if core.is_none() => "common argument",
        Some(_) | None => "argument",
    };
    let mut text = format!("command {command}, {kind} {index}");
    if let Some(made) = made {
        let _ = write!(text, " of {}", names.subject(&made.command));
    }
    if let Some(core) = core {
        let _ = write!(text, " on core {core}");
    }
    text
}
