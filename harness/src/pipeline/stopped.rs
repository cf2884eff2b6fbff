//! Faults, deadlocks and hangs in words: which program, which core, in which kernel and function, and
//! what it waits for.

use hallmark_chip::{FaultCategory, LogicalCore, PhysicalCoordinate, Processor};
use hallmark_runtime::device_code::{WaitedWord, disassemble};
use hallmark_schema::commands;
use hallmark_schema::model::{
    Capture, Command, CommandIndex, CoreRange, FaultRecord, ObjectKind, Outcome, ProgramId,
    WaitRecord,
};

use super::execute::Executed;
use super::finding::Finding;
use crate::suite::bound::BoundStep;
use crate::verdict::Verdict;
use crate::worker::job::{StopReport, WriterReport};
use hallmark_schema::plural::counted;

/// Cores named in one report.
const SHOWN_CORES: usize = 12;

pub(super) fn fault(
    capture: &Capture,
    executed: &Executed,
    at: CommandIndex,
    category: FaultCategory,
    enqueue: CommandIndex,
    verdict: Verdict,
) -> Finding {
    let record = capture.record.iter().flat_map(|record| &record.faults);
    let record = record.into_iter().find(|fault| fault.command == at);
    let reason = record
        .map(|record| record.reason.clone())
        .or_else(|| executed.ended.closing_fault().map(|fault| fault.detail));
    let mut finding = Finding::new(verdict, format!("{category}: {}", reason.unwrap_or_default()))
        .of_category(category);
    if let Some(record) = record {
        finding = finding.lines(fault_place(capture, enqueue, record));
    }
    finding.line(format!("in {}", program_of(capture, enqueue)))
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

fn processor_name(index: u8) -> &'static str {
    Processor::ALL.get(usize::from(index)).map_or("?", |processor| processor.name())
}

fn logical(capture: &Capture, (x, y): (u8, u8)) -> Option<LogicalCore> {
    capture.chip().logical(PhysicalCoordinate { x, y })
}

/// A core as people know it: logical where it is one.
fn core_name(capture: &Capture, tile: (u8, u8)) -> String {
    logical(capture, tile).map_or_else(|| format!("tile {tile:?}"), |core| core.to_string())
}

fn holds(cores: &[CoreRange], core: LogicalCore) -> bool {
    cores.iter().any(|range| range.contains(core))
}

/// Name and source of the kernel that a program runs on a processor of a core.
fn kernel_on(
    capture: &Capture,
    enqueue: CommandIndex,
    tile: (u8, u8),
    processor: u8,
) -> Option<(&str, &str)> {
    let (wanted, _) = enqueued(capture, enqueue)?;
    let core = logical(capture, tile)?;
    let processor = Processor::ALL.get(usize::from(processor))?;
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
            && config.processors().contains(processor) =>
        {
            let file = source.rsplit('/').next().unwrap_or(source);
            Some((name.as_str(), file))
        }
        _ => None,
    })
}

/// "in kernel_main of `copy` (dram_loopback.cpp)", as far as it is known.
fn function(
    capture: &Capture,
    enqueue: CommandIndex,
    tile: (u8, u8),
    processor: u8,
    symbol: Option<&str>,
) -> String {
    let symbol = symbol.map(|symbol| format!(" in {symbol}")).unwrap_or_default();
    match kernel_on(capture, enqueue, tile, processor) {
        Some((name, file)) if symbol.is_empty() => format!(" in `{name}` ({file})"),
        Some((name, file)) => format!("{symbol} of `{name}` ({file})"),
        None => symbol,
    }
}

/// Where a fault happened: `tile (2,3), logical (1,2), BRISC, pc 0x4a1c in kernel_main of …`.
fn fault_place(capture: &Capture, enqueue: CommandIndex, record: &FaultRecord) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some((x, y)) = record.tile {
        parts.push(format!("tile ({x},{y})"));
        if let Some(core) = logical(capture, (x, y)) {
            parts.push(format!("logical {core}"));
        }
    }
    parts.extend(record.processor.map(|index| processor_name(index).to_owned()));
    if let Some(pc) = record.pc {
        let function = match (record.tile, record.processor) {
            (Some(tile), Some(processor)) => {
                function(capture, enqueue, tile, processor, record.symbol.as_deref())
            }
            _ => String::new(),
        };
        parts.push(format!("pc {pc:#x}{function}"));
    }
    parts.extend(record.instruction.map(|word| instruction(word, record.pc)));
    if parts.is_empty() { Vec::new() } else { vec![parts.join(", ")] }
}

/// `bne a5, zero, 0x4a30 (0x00079463)`, or the word alone where it is none that has words.
fn instruction(word: u32, pc: Option<u32>) -> String {
    match pc.and_then(|pc| disassemble(word, pc)) {
        Some(text) => format!("{text} ({word:#010x})"),
        None => format!("instruction {word:#010x}"),
    }
}

pub(super) fn deadlock(capture: &Capture, executed: &Executed, enqueue: CommandIndex) -> Finding {
    let waits: Vec<&WaitRecord> = capture.record.iter().flat_map(|record| &record.waits).collect();
    let stop = executed.report.stop.as_deref();
    let line = |wait: &&WaitRecord| {
        format!(
            "{} {:<6}{}, pc {:#x}: {}{}",
            core_name(capture, wait.tile),
            processor_name(wait.processor),
            function(capture, enqueue, wait.tile, wait.processor, wait.symbol.as_deref()),
            wait.pc,
            waited_for(capture, enqueue, wait),
            writer(capture, stop, wait),
        )
    };
    let mut finding = Finding::new(
        Verdict::Deadlock,
        format!(
            "{} cannot finish: every running core waits for another",
            program_of(capture, enqueue)
        ),
    )
    .lines(waits.iter().take(SHOWN_CORES).map(line));
    if waits.len() > SHOWN_CORES {
        let more = waits.len().saturating_sub(SHOWN_CORES);
        finding = finding.line(format!("and {} more", counted(more, "core", "cores")));
    }
    finding
}

/// What a core waits for, in the host program's terms where they are known.
fn waited_for(capture: &Capture, enqueue: CommandIndex, wait: &WaitRecord) -> String {
    let WaitRecord { address, value, .. } = wait;
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
        None => match semaphore(capture, enqueue, wait.tile, *address) {
            Some(name) => {
                format!("waits for semaphore `{name}` ({address:#x}), which holds {value}")
            }
            None => format!("waits for the word at {address:#x}, which holds {value:#x}"),
        },
    }
}

fn circular_buffer(
    capture: &Capture,
    enqueue: CommandIndex,
    tile: (u8, u8),
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
    tile: (u8, u8),
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

/// ", last by (1,1) BRISC at instruction 1920", where the device told it.
fn writer(capture: &Capture, stop: Option<&StopReport>, wait: &WaitRecord) -> String {
    let found = stop.and_then(|stop| {
        stop.writers
            .iter()
            .find(|writer| writer.tile == wait.tile && writer.processor == wait.processor)
    });
    match found.map(|found| &found.writer) {
        Some(WriterReport::Host) => ", last written by the host".to_owned(),
        Some(WriterReport::Core { tile, processor, retired }) => format!(
            ", last written by {} {} at instruction {retired}",
            core_name(capture, *tile),
            processor_name(*processor)
        ),
        None => String::new(),
    }
}

pub(super) fn hang(capture: &Capture, executed: &Executed, enqueue: CommandIndex) -> Finding {
    let stop = executed.report.stop.as_deref();
    let reason = stop.map_or("it did not finish within its budget", |stop| stop.reason.as_str());
    let mut finding =
        Finding::new(Verdict::Hang, format!("{}: {reason}", program_of(capture, enqueue)));
    if let Some(stop) = stop {
        let running = stop.running.iter().take(SHOWN_CORES).map(|core| {
            format!(
                "{} {:<6}{}, pc {:#x}: still running",
                core_name(capture, core.tile),
                processor_name(core.processor),
                function(capture, enqueue, core.tile, core.processor, core.symbol.as_deref()),
                core.pc,
            )
        });
        finding = finding.lines(running);
        let unfinished: Vec<String> =
            stop.unfinished.iter().take(SHOWN_CORES).map(|[x, y]| format!("({x},{y})")).collect();
        if !unfinished.is_empty() {
            finding = finding.line(format!(
                "{} not finished: {}{}",
                counted(stop.unfinished.len(), "core has", "cores have"),
                unfinished.join(" "),
                if stop.unfinished.len() > SHOWN_CORES { " …" } else { "" },
            ));
        }
    }
    finding.line("The limit is the case's `budget`, in ticks.")
}

/// Whether an expected fault happened elsewhere, where the device tells the place.
pub(super) fn wrong_place(
    capture: &Capture,
    at: CommandIndex,
    enqueue: CommandIndex,
    step: &BoundStep,
) -> Option<Finding> {
    let expected = step.place.as_ref()?;
    let mut faults = capture.record.iter().flat_map(|record| &record.faults);
    let record = faults.find(|fault| fault.command == at)?;
    let core = record.tile.and_then(|tile| logical(capture, tile)).map(|core| [core.x, core.y]);
    let mut lines = Vec::new();
    if let (Some([x, y]), Some(actual)) = (expected.core, core)
        && [x, y] != actual
    {
        let [actual_x, actual_y] = actual;
        lines.push(format!("core: expected ({x},{y}), actual ({actual_x},{actual_y})"));
    }
    if let (Some(expected), Some(actual)) = (expected.processor, record.processor)
        && expected != actual
    {
        lines.push(format!(
            "processor: expected {}, actual {}",
            processor_name(expected),
            processor_name(actual)
        ));
    }
    if let (Some(expected), Some(actual)) = (&expected.symbol, &record.symbol)
        && expected != actual
    {
        lines.push(format!("function: expected {expected}, actual {actual}"));
    }
    if lines.is_empty() {
        return None;
    }
    Some(
        Finding::new(Verdict::Mismatch, "the expected fault happened in another place")
            .lines(lines)
            .lines(fault_place(capture, enqueue, record)),
    )
}
