//! Faults, deadlocks and hangs in words: which program, which core, in which kernel and function, and
//! what it waits for.

use hallmark_chip::{
    Fault, FaultCategory, FaultPlace, LogicalCore, Noc, PhysicalCoordinate, Position, Processor,
    SourceFrame, TileAddress, Waiting, Writer,
};
use hallmark_runtime::StopCause;
use hallmark_runtime::device_code::{NocCounter, WaitedWord, disassemble};
use hallmark_schema::commands;
use hallmark_schema::model::{
    Capture, Command, CommandIndex, CoreRange, Failure, ObjectKind, Outcome, ProgramId,
};
use hallmark_schema::plural::counted;

use super::execute::Executed;
use super::finding::Finding;
use super::judge;
use super::source_lines;
use crate::suite::bound::BoundStep;
use crate::verdict::Verdict;

/// Cores named in one report.
const SHOWN_CORES: usize = 12;

/// What a call met that stopped the device: a fault, a deadlock or a hang. `None` for every other failure.
pub fn finding(
    capture: &Capture,
    executed: &Executed,
    at: CommandIndex,
    failure: &Failure,
) -> Option<Finding> {
    let verdict = judge::verdict_of(failure);
    let finding = match failure {
        Failure::DeviceFault { category, enqueue } => {
            Some(fault(verdict, capture, executed, at, *category, *enqueue))
        }
        Failure::Deadlock { enqueue } => Some(deadlock(verdict, capture, executed, *enqueue)),
        Failure::Hang { enqueue } => Some(hang(verdict, capture, executed, *enqueue)),
        _ => None,
    };
    finding.map(Finding::of_device)
}

/// What stopped the device of a worker, in the words of the capture that it left.
pub fn lines(executed: &Executed) -> Vec<String> {
    let (Some(stop), Some(capture)) = (&executed.report.stop, &executed.capture) else {
        return Vec::new();
    };
    let met = usize::try_from(stop.command.0).ok();
    let met = met.and_then(|at| capture.program.commands.get(at)).map(|made| &made.outcome);
    let Some(Outcome::Failed(failure)) = met else { return Vec::new() };
    finding(capture, executed, stop.command, failure)
        .map(|finding| finding.report())
        .unwrap_or_default()
}

/// Whether a category says that the device does not implement something.
pub(super) const fn is_unsupported(category: FaultCategory) -> bool {
    matches!(
        category,
        FaultCategory::UnsupportedFunctionality
            | FaultCategory::UnimplementedFunctionality
            | FaultCategory::UntestedFunctionality
            | FaultCategory::MissingSpecification
    )
}

fn fault(
    verdict: Verdict,
    capture: &Capture,
    executed: &Executed,
    at: CommandIndex,
    category: FaultCategory,
    enqueue: CommandIndex,
) -> Finding {
    let known = fault_met_by(executed, at);
    let reason = known.map(|fault| fault.reason.as_str()).unwrap_or_default();
    Finding::new(verdict, format!("{category}: {reason}"))
        .of_category(category)
        .lines(known.iter().flat_map(|fault| parties(capture, enqueue, fault)))
        .line(format!("in {}", program_of(capture, enqueue)))
}

/// The fault that a call met, as the worker reported it.
fn fault_met_by(executed: &Executed, at: CommandIndex) -> Option<&Fault> {
    let stop = executed.report.stop.as_deref().filter(|stop| stop.command == at)?;
    stop.fault()
}

/// The program that an enqueue started, with its name.
fn enqueued(capture: &Capture, enqueue: CommandIndex) -> Option<(ProgramId, &str)> {
    let commands = &capture.program.commands;
    let recorded = commands.get(usize::try_from(enqueue.0).ok()?)?;
    let Command::EnqueueProgram(commands::EnqueueProgram { program: wanted, .. }) =
        recorded.command
    else {
        return None;
    };
    commands.iter().find_map(|recorded| match &recorded.command {
        Command::CreateProgram(commands::CreateProgram { program, name }) if *program == wanted => {
            Some((wanted, name.as_str()))
        }
        _ => None,
    })
}

/// "program `loop` (enqueued by command 6)".
fn program_of(capture: &Capture, enqueue: CommandIndex) -> String {
    let program = match enqueued(capture, enqueue) {
        Some((_, name)) => format!("program `{name}` (enqueued by command {enqueue})"),
        None => format!("the program enqueued by command {enqueue}"),
    };
    match trace_of(capture, enqueue) {
        Some(trace) => format!("{program} in trace `{trace}`"),
        None => program,
    }
}

/// The trace that an enqueued program is a part of.
fn trace_of(capture: &Capture, enqueue: CommandIndex) -> Option<&str> {
    let place = usize::try_from(enqueue.0).ok()?;
    let commands = &capture.program.commands;
    let queue = commands.get(place)?.command.queue()?;
    let before = commands.iter().take(place).rev().filter(|made| made.outcome == Outcome::Done);
    for recorded in before {
        match &recorded.command {
            Command::BeginTraceCapture(commands::BeginTraceCapture { queue: of, name, .. })
                if *of == queue =>
            {
                return Some(name);
            }
            Command::EndTraceCapture(commands::EndTraceCapture { queue: of, .. })
                if *of == queue =>
            {
                return None;
            }
            _ => {}
        }
    }
    None
}

fn logical(capture: &Capture, tile: PhysicalCoordinate) -> Option<LogicalCore> {
    capture.chip().logical(tile)
}

/// A core as people know it: logical where it is one.
fn core_name(capture: &Capture, tile: PhysicalCoordinate) -> String {
    logical(capture, tile).map_or_else(|| format!("tile {tile}"), |core| core.to_string())
}

fn holds(cores: &[CoreRange], core: LogicalCore) -> bool {
    cores.iter().any(|range| range.contains(core))
}

/// Name and source of the kernel that a program runs on a processor of a core.
fn kernel_on(
    capture: &Capture,
    enqueue: CommandIndex,
    tile: PhysicalCoordinate,
    processor: Processor,
) -> Option<(&str, &str)> {
    let (wanted, _) = enqueued(capture, enqueue)?;
    let core = logical(capture, tile)?;
    capture.program.commands.iter().find_map(|recorded| match &recorded.command {
        Command::CreateKernel(commands::CreateKernel {
            name,
            program,
            source,
            cores,
            config,
            ..
        }) if *program == wanted
            && holds(cores, core)
            && config.processors().contains(&processor) =>
        {
            let file = source.rsplit('/').next().unwrap_or(source);
            Some((name.as_str(), file))
        }
        _ => None,
    })
}

/// " in kernel_main of `copy`, dram_loopback.cpp:14: `noc_async_read_barrier();`", as far as it is known; without a
/// line " in kernel_main of `copy` (dram_loopback.cpp)".
fn function(
    capture: &Capture,
    enqueue: CommandIndex,
    core: (PhysicalCoordinate, Processor),
    symbol: Option<&str>,
    frames: &[SourceFrame],
) -> String {
    let (tile, processor) = core;
    let symbol = symbol.map(|symbol| format!(" in {symbol}")).unwrap_or_default();
    let line = source_lines::outermost(capture, frames);
    let kernel = kernel_on(capture, enqueue, tile, processor);
    let kernel = kernel.map(|(name, file)| {
        let name =
            if symbol.is_empty() { format!(" in `{name}`") } else { format!(" of `{name}`") };
        if line.is_some() { name } else { format!("{name} ({file})") }
    });
    let line = line.map(|line| format!(", {line}"));
    format!("{symbol}{}{}", kernel.unwrap_or_default(), line.unwrap_or_default())
}

/// A core and what is to be said of it: in one line, or below the source lines where they are known.
fn core_lines(
    capture: &Capture,
    core: String,
    frames: &[SourceFrame],
    about: String,
) -> Vec<String> {
    if frames.is_empty() {
        return vec![format!("{core}, {about}")];
    }
    let below = source_lines::inlined(capture, frames).into_iter().chain([about]);
    std::iter::once(core).chain(below.map(|line| format!("  {line}"))).collect()
}

/// Where a fault happened and, on a line of its own, where the other party to it stood.
fn parties(capture: &Capture, enqueue: CommandIndex, fault: &Fault) -> Vec<String> {
    let Fault { category: _, reason: _, place, against } = fault;
    let place = place.as_ref().map(|place| party(capture, enqueue, place, String::new()));
    let against = against.as_ref().map(|place| {
        let host = if place.processor.is_none() { "the host, at " } else { "" };
        party(capture, enqueue, place, format!("against {host}"))
    });
    place.into_iter().chain(against).flatten().collect()
}

/// Where one party stood: `tile (2,3), logical (1,2), BRISC, pc 0x4a1c in kernel_main of …`, and the lines below it.
fn party(
    capture: &Capture,
    enqueue: CommandIndex,
    place: &FaultPlace,
    introduction: String,
) -> Vec<String> {
    let FaultPlace { tile, processor, pc, instruction: word, retired: _, symbol, frames } = place;
    let mut parts = vec![format!("{introduction}tile {tile}")];
    parts.extend(logical(capture, *tile).map(|core| format!("logical {core}")));
    parts.extend(processor.map(|processor| processor.to_string()));
    if let Some(pc) = pc {
        let function = processor.map(|processor| {
            function(capture, enqueue, (*tile, processor), symbol.as_deref(), frames)
        });
        parts.push(format!("pc {pc:#x}{}", function.unwrap_or_default()));
    }
    match word.map(|word| instruction(word, *pc)) {
        Some(instruction) => core_lines(capture, parts.join(", "), frames, instruction),
        None => {
            let inlined = source_lines::inlined(capture, frames).into_iter();
            let below = inlined.map(|line| format!("  {line}"));
            std::iter::once(parts.join(", ")).chain(below).collect()
        }
    }
}

/// `bne a5, zero, 0x4a30 (0x00079463)`, or the word alone where it is none that has words.
fn instruction(word: u32, pc: Option<u32>) -> String {
    match pc.and_then(|pc| disassemble(word, pc)) {
        Some(text) => format!("{text} ({word:#010x})"),
        None => format!("instruction {word:#010x}"),
    }
}

fn deadlock(
    verdict: Verdict,
    capture: &Capture,
    executed: &Executed,
    enqueue: CommandIndex,
) -> Finding {
    let waits = match executed.report.stop.as_deref().map(|stop| &stop.cause) {
        Some(StopCause::Deadlock { waiting }) => waiting.as_slice(),
        _ => &[],
    };
    let lines = |wait: &Waiting| {
        let Waiting { tile, processor, pc, symbol, frames, .. } = wait;
        let function = function(capture, enqueue, (*tile, *processor), symbol.as_deref(), frames);
        let core = format!("{} {processor:<6}{function}", core_name(capture, *tile));
        let writer = wait.last_writer.map(|writer| last_writer(capture, writer));
        let about = format!(
            "pc {pc:#x}: {}{}",
            waited_for(capture, enqueue, wait),
            writer.unwrap_or_default()
        );
        core_lines(capture, core, frames, about)
    };
    let mut finding = Finding::new(
        verdict,
        format!(
            "{} cannot finish: every running core waits for another",
            program_of(capture, enqueue)
        ),
    )
    .lines(waits.iter().take(SHOWN_CORES).flat_map(lines));
    if waits.len() > SHOWN_CORES {
        let more = waits.len().saturating_sub(SHOWN_CORES);
        finding = finding.line(format!("and {} more", counted(more, "core", "cores")));
    }
    finding
}

/// What a core waits for, in the host program's terms where they are known.
fn waited_for(capture: &Capture, enqueue: CommandIndex, wait: &Waiting) -> String {
    let Waiting { address: TileAddress(address), value, .. } = wait;
    let buffer = |index: u32| {
        let name = circular_buffer(capture, enqueue, wait.tile, index);
        let name = name.map(|name| format!(" `{name}`")).unwrap_or_default();
        format!("circular buffer {index}{name}")
    };
    let pages = |count: u32| if count == 1 { "page" } else { "pages" };
    let chip = capture.chip();
    match WaitedWord::at(chip, *address) {
        Some(WaitedWord::PagesReceived(index)) => {
            format!(
                "waits for {} to be filled: {value} {} received so far",
                buffer(index),
                pages(*value)
            )
        }
        Some(WaitedWord::PagesAcknowledged(index)) => format!(
            "waits for {} to be emptied: {value} {} acknowledged so far",
            buffer(index),
            pages(*value)
        ),
        Some(WaitedWord::NocCounter(noc, counter)) => transfers(noc, counter, *value),
        None if *address == u64::from(wait.pc) => {
            "waits for nothing that could change: its loop reads only the core's own memory and registers".to_owned()
        }
        None => match semaphore(capture, enqueue, wait.tile, *address) {
            Some(name) => {
                format!("waits for semaphore `{name}` ({address:#x}), which holds {value}")
            }
            None => format!("waits for the word at {address:#x}, which holds {value:#x}"),
        },
    }
}

/// A wait for transfers although nothing is on its way any more: the kernel counts others than it made.
fn transfers(noc: Noc, counter: NocCounter, value: u32) -> String {
    let cause = match counter {
        NocCounter::WriteAcknowledgements => {
            "; a multicast with a wrong number of destinations does that"
        }
        NocCounter::AtomicResponses
        | NocCounter::ReadResponses
        | NocCounter::WritesSent
        | NocCounter::PostedWritesSent => "",
    };
    format!(
        "waits for another number of {} than the {value} that came ({} of NoC {}), and nothing is on its way{cause}",
        counter.counts(),
        counter.name(),
        noc as u8
    )
}

fn circular_buffer(
    capture: &Capture,
    enqueue: CommandIndex,
    tile: PhysicalCoordinate,
    wanted: u32,
) -> Option<&str> {
    let (owner, _) = enqueued(capture, enqueue)?;
    let core = logical(capture, tile)?;
    capture.program.commands.iter().find_map(|recorded| match &recorded.command {
        Command::CreateCircularBuffer(commands::CreateCircularBuffer {
            name,
            program,
            cores,
            indices,
            ..
        }) if *program == owner
            && holds(cores, core)
            && indices.iter().any(|index| index.index == wanted) =>
        {
            Some(name.as_str())
        }
        _ => None,
    })
}

fn semaphore(
    capture: &Capture,
    enqueue: CommandIndex,
    tile: PhysicalCoordinate,
    address: u64,
) -> Option<&str> {
    let (owner, _) = enqueued(capture, enqueue)?;
    let core = logical(capture, tile)?;
    let addresses = &capture.record.as_ref()?.addresses;
    capture.program.commands.iter().find_map(|recorded| match &recorded.command {
        Command::CreateSemaphore(commands::CreateSemaphore {
            semaphore,
            name,
            program,
            cores,
            ..
        }) if *program == owner && holds(cores, core) => {
            let lies_there = addresses.iter().any(|assigned| {
                assigned.object == ObjectKind::Semaphore
                    && assigned.id == semaphore.0
                    && assigned.address == address
            });
            lies_there.then_some(name.as_str())
        }
        _ => None,
    })
}

/// ", last written by (1,1) BRISC at instruction 1920".
fn last_writer(capture: &Capture, writer: Writer) -> String {
    match writer {
        Writer::Host => ", last written by the host".to_owned(),
        Writer::Core { tile, processor, retired } => format!(
            ", last written by {} {processor} at instruction {retired}",
            core_name(capture, tile)
        ),
    }
}

fn hang(
    verdict: Verdict,
    capture: &Capture,
    executed: &Executed,
    enqueue: CommandIndex,
) -> Finding {
    let stop = executed.report.stop.as_deref();
    let reason =
        stop.map_or_else(|| "it did not finish within its budget".to_owned(), ToString::to_string);
    let mut finding = Finding::new(verdict, format!("{}: {reason}", program_of(capture, enqueue)));
    if let Some(StopCause::Hang { ticks: _, running, unfinished }) = stop.map(|stop| &stop.cause) {
        let running = running.iter().take(SHOWN_CORES).flat_map(|core| {
            let Position { tile, processor, pc, symbol, frames } = core;
            let function =
                function(capture, enqueue, (*tile, *processor), symbol.as_deref(), frames);
            let core = format!("{} {processor:<6}{function}", core_name(capture, *tile));
            core_lines(capture, core, frames, format!("pc {pc:#x}: still running"))
        });
        finding = finding.lines(running);
        let shown: Vec<String> =
            unfinished.iter().take(SHOWN_CORES).map(ToString::to_string).collect();
        if !shown.is_empty() {
            finding = finding.line(format!(
                "{} not finished: {}{}",
                counted(unfinished.len(), "core has", "cores have"),
                shown.join(" "),
                if unfinished.len() > SHOWN_CORES { " …" } else { "" },
            ));
        }
    }
    finding.line("The limit is the case's `budget`, in ticks.")
}

/// Whether an expected fault happened elsewhere, where the device tells the place.
pub(super) fn wrong_place(
    capture: &Capture,
    executed: &Executed,
    at: CommandIndex,
    enqueue: CommandIndex,
    step: &BoundStep,
) -> Option<Finding> {
    let fault = fault_met_by(executed, at)?;
    let lines = step.place_differences(fault.place.as_deref()?, capture.chip());
    if lines.is_empty() {
        return None;
    }
    Some(
        Finding::new(Verdict::Mismatch, "the expected fault happened in another place")
            .of_device()
            .lines(lines)
            .lines(parties(capture, enqueue, fault)),
    )
}
