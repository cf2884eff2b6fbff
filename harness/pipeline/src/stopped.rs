//! Faults, deadlocks and hangs in words: the program, the core, the kernel and the function.

use hallmark_chip::{Fault, FaultCategory, FaultPlace, Position};
use hallmark_execution::worker::report::WorkerReport;
use hallmark_runtime::StopCause;
use hallmark_runtime::device_code::disassemble;
use hallmark_schema::model::{Capture, CommandIndex, Failure, Outcome, QueuesEnd};
use hallmark_schema::plural::counted;
use hallmark_suite::bound::BoundPlace;

use super::core_groups::{self, GroupedCore};
use super::executed::Executed;
use super::finding::Finding;
use super::stopped_program::StoppedProgram;
use super::waits;
use super::{left_by_kernels, memory_names, object_terms, pictures, signatures, source_lines};
use crate::signature::CallEnd;
use crate::verdict::Verdict;

/// The largest number of named cores in a report.
const SHOWN_CORES: usize = 12;

/// The fault, deadlock or hang that stopped the device in a call. `None` for every other failure.
pub fn finding(
    capture: &Capture,
    report: &WorkerReport,
    at: CommandIndex,
    failure: &Failure,
) -> Option<Finding> {
    let verdict = Verdict::of_failure(failure);
    let finding = match failure {
        Failure::DeviceFault { category, enqueue } => {
            Some(fault(verdict, capture, report, at, *category, *enqueue))
        }
        Failure::Deadlock { enqueue } => Some(deadlock(verdict, capture, report, *enqueue)),
        Failure::Hang { enqueue } => Some(hang(verdict, capture, report, *enqueue)),
        _ => None,
    };
    finding.map(Finding::of_device)
}

/// The reason for the stop of a worker's device, in the words of its capture.
pub fn lines(executed: &Executed) -> Vec<String> {
    let (Some(stop), Some(capture)) = (&executed.report.stop, &executed.capture) else {
        return Vec::new();
    };
    let met = usize::try_from(stop.command.0).ok();
    let met = met.and_then(|at| capture.program.commands.get(at)).map(|made| &made.outcome);
    let failure = match met {
        Some(Outcome::Failed(failure)) => Some(failure),
        // No call met it: the queues were drained.
        Some(Outcome::Done | Outcome::Unfinished) | None => {
            capture.at_end().and_then(QueuesEnd::failure)
        }
    };
    let Some(failure) = failure else { return Vec::new() };
    finding(capture, &executed.report, stop.command, failure)
        .map(|finding| finding.report())
        .unwrap_or_default()
}

fn fault(
    verdict: Verdict,
    capture: &Capture,
    report: &WorkerReport,
    at: CommandIndex,
    category: FaultCategory,
    enqueue: CommandIndex,
) -> Finding {
    let known = fault_met_by(report, at);
    let reason = known.map(|fault| fault.reason.as_str()).unwrap_or_default();
    let program = StoppedProgram::new(capture, enqueue);
    let memory = known.and_then(|fault| fault.memory.as_deref());
    let memory = memory.and_then(|memory| memory_names::sentence(&program, at, memory));
    let parties = known.iter().flat_map(|fault| fault.place.iter().chain(&fault.against));
    let uses_objects = parties.clone().any(|it| object_terms::are_of(capture, &it.frames));
    let lines: Vec<String> =
        parties.filter_map(|it| source_lines::outermost(capture, &it.frames)).collect();
    let reason = match uses_objects {
        true => object_terms::of_zeros(object_terms::in_them(reason), &lines),
        false => reason.to_owned(),
    };
    Finding::new(verdict, format!("{category}: {reason}"))
        .of_category(category)
        .lines(memory)
        .lines(known.iter().flat_map(|fault| positions(&program, fault)))
        .line(format!("in {}", program.title()))
        .lines(known.map(|_| left_by_kernels::lines(report.stop.as_deref())).unwrap_or_default())
        .pictures(known.iter().flat_map(|fault| pictures::of_fault(&program, fault)))
}

/// The fault of a call, as the worker reported it.
fn fault_met_by(report: &WorkerReport, at: CommandIndex) -> Option<&Fault> {
    let stop = report.stop.as_deref().filter(|stop| stop.command == at)?;
    stop.fault()
}

/// The position of a fault and, on a separate line, that of the other party.
fn positions(program: &StoppedProgram<'_>, fault: &Fault) -> Vec<String> {
    let Fault { category: _, reason: _, place, against, memory: _ } = fault;
    let place = place.as_ref().map(|place| party(program, place, String::new()));
    let against = against.as_ref().map(|place| {
        let host = if place.processor.is_none() { "the host, at " } else { "" };
        party(program, place, format!("against {host}"))
    });
    place.into_iter().chain(against).flatten().collect()
}

/// The position of one party: `tile (2,3), logical (1,2), BRISC, pc 0x4a1c in kernel_main of …`, and the lines
/// below it.
fn party(program: &StoppedProgram<'_>, place: &FaultPlace, introduction: String) -> Vec<String> {
    let FaultPlace { tile, processor, pc, instruction: word, retired: _, symbol, frames } = place;
    let mut parts = vec![format!("{introduction}tile {tile}")];
    parts.extend(program.logical(*tile).map(|core| format!("logical {core}")));
    parts.extend(processor.map(|processor| processor.to_string()));
    if let Some(pc) = pc {
        let function = processor
            .map(|processor| program.function(*tile, processor, symbol.as_deref(), frames));
        parts.push(format!("pc {pc:#x}{}", function.unwrap_or_default()));
    }
    let about = word.map(|word| instruction(word, *pc));
    core_groups::below_core(program, parts.join(", "), frames, about.into_iter().collect())
}

/// `bne a5, zero, 0x4a30 (0x00079463)`, or the word alone for an unknown instruction.
fn instruction(word: u32, pc: Option<u32>) -> String {
    match pc.and_then(|pc| disassemble(word, pc)) {
        Some(text) => format!("{text} ({word:#010x})"),
        None => format!("instruction {word:#010x}"),
    }
}

fn deadlock(
    verdict: Verdict,
    capture: &Capture,
    report: &WorkerReport,
    enqueue: CommandIndex,
) -> Finding {
    let waits = match report.stop.as_deref().map(|stop| &stop.cause) {
        Some(StopCause::Deadlock { waiting }) => waiting.as_slice(),
        _ => &[],
    };
    let program = StoppedProgram::new(capture, enqueue);
    let headline =
        format!("{} cannot finish: every running core waits for another", program.title());
    Finding::new(verdict, headline)
        .lines(waits::shared_ends::lines(&program, waits))
        .lines(waits::lines(&program, waits))
        .lines(left_by_kernels::lines(report.stop.as_deref()))
        .pictures(waits::pictures(&program, waits))
}

fn hang(
    verdict: Verdict,
    capture: &Capture,
    report: &WorkerReport,
    enqueue: CommandIndex,
) -> Finding {
    let stop = report.stop.as_deref();
    let reason =
        stop.map_or_else(|| "it did not finish within its budget".to_owned(), ToString::to_string);
    let program = StoppedProgram::new(capture, enqueue);
    let mut finding = Finding::new(verdict, format!("{}: {reason}", program.title()));
    if let Some(StopCause::Hang { ticks: _, running, unfinished }) = stop.map(|stop| &stop.cause) {
        finding = finding.pictures(pictures::of_running(&program, running));
        let running = running.iter().map(|core| {
            let Position { tile, processor, pc, symbol, frames } = core;
            let core = GroupedCore {
                tile: *tile,
                processor: *processor,
                symbol: symbol.as_deref(),
                frames,
                about: format!("pc {pc:#x}: still running"),
            };
            (core, ())
        });
        let running = core_groups::groups(&program, running, |_| (None, Vec::new()));
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
    finding.lines(left_by_kernels::lines(stop)).line("The limit is the case's `budget`, in ticks.")
}

/// Whether an expected fault occurred at another place, if the device reports places.
pub(super) fn wrong_place(
    capture: &Capture,
    report: &WorkerReport,
    at: CommandIndex,
    enqueue: CommandIndex,
    expected: Option<&BoundPlace>,
) -> Option<Finding> {
    let fault = fault_met_by(report, at)?;
    let lines = expected?.differences(fault.place.as_deref()?, capture.chip());
    if lines.is_empty() {
        return None;
    }
    let failure = Failure::DeviceFault { category: fault.category, enqueue };
    let stop = report.stop.as_deref();
    let expected = CallEnd::from(&failure);
    let signature = signatures::of_failure(capture, stop, at, &expected, &failure);
    Some(
        Finding::new(Verdict::Mismatch, "the expected fault happened in another place")
            .of_device()
            .signed(signature)
            .lines(lines)
            .lines(positions(&StoppedProgram::new(capture, enqueue), fault))
            .pictures(pictures::of_fault(&StoppedProgram::new(capture, enqueue), fault)),
    )
}
