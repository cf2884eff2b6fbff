//! Compares a capture's program part with the one that its test makes: the calls with their arguments, data and
//! expectations, and the sources of the kernels.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_chip::ChipDescription;
use hallmark_schema::commands;
use hallmark_schema::model::{
    Capture, Command, ContentHash, Grid, Outcome, ProgramPart, SourceFile,
};

use hallmark_execution::worker::job::JobKernel;
use hallmark_suite::bound::BoundTest;

/// The kernels of a test, by their ids.
pub(super) type Kernels = BTreeMap<u32, JobKernel>;

/// The first difference of a program part from the one that a bound test makes on a chip. Outcomes are ignored.
/// With `may_end_early`, the calls recorded before the run broke off suffice.
pub(super) fn difference(
    program: &ProgramPart,
    bound: &BoundTest,
    chip: &ChipDescription,
    may_end_early: bool,
) -> Option<String> {
    let case = &bound.case;
    let (columns, rows) = chip.compute_grid();
    let settings = [
        (program.architecture == chip.architecture, "the architecture"),
        (program.grid == Grid { columns, rows }, "the grid"),
        (program.num_command_queues == case.num_command_queues, "the number of command queues"),
        (program.trace_region_size == case.trace_region_size, "the size of the trace region"),
        (program.l1_small_size == case.l1_small_size, "the size of the region for L1_SMALL"),
        (program.worker_l1_size == case.worker_l1_size, "the size of the cores' L1"),
        (program.free_tensors.is_empty(), "the list of inputs and outputs"),
    ];
    if let Some((_, what)) = settings.into_iter().find(|(is_equal, _)| !is_equal) {
        return Some(what.to_owned());
    }
    let calls = program.commands.iter().zip(&case.steps);
    for (index, (recorded, step)) in calls.enumerate() {
        if recorded.command != step.command {
            let (found, expected) = (recorded.command.kind().name(), step.command.kind().name());
            let calls = if found == expected {
                format!("another {found} than that")
            } else {
                format!("{found}, and not the {expected}")
            };
            return Some(format!("command {index} is {calls} of {}", step.written_at()));
        }
    }
    let (found, expected) = (program.commands.len(), case.steps.len());
    let is_whole = found == expected || (may_end_early && found < expected);
    (!is_whole).then(|| format!("it has {found} calls, and the test has {expected}"))
}

/// The difference between a program part's sources and those of its test's kernels.
pub(super) fn source_difference(program: &ProgramPart, kernels: &Kernels) -> Option<String> {
    let of_kernel = |kernel: &JobKernel| -> Vec<(String, ContentHash)> {
        match kernel {
            JobKernel::Ready { sources, .. } => {
                sources.iter().map(|source| (source.path.clone(), source.hash)).collect()
            }
            JobKernel::SourceNotFound(_) | JobKernel::BuildFailed(_) | JobKernel::Unusable(_) => {
                Vec::new()
            }
        }
    };
    let known: BTreeSet<(String, ContentHash)> = kernels.values().flat_map(of_kernel).collect();
    let stated = |SourceFile { path, hash }: &SourceFile| (path.clone(), *hash);
    let listed: BTreeSet<(String, ContentHash)> = program.sources.iter().map(stated).collect();
    if let Some((path, _)) = listed.difference(&known).next() {
        return Some(format!("the source `{path}` is not the test's"));
    }
    let made = program.commands.iter().filter(|recorded| recorded.outcome == Outcome::Done);
    let made = made.filter_map(|recorded| match &recorded.command {
        Command::CreateKernel(commands::CreateKernel { kernel, .. }) => kernels.get(&kernel.0),
        _ => None,
    });
    let needed: BTreeSet<(String, ContentHash)> = made.flat_map(of_kernel).collect();
    let absent = needed.difference(&listed).next();
    absent.map(|(path, _)| format!("the source `{path}` of a kernel is not listed"))
}

/// The difference between a capture's ELFs and those of its test's kernels.
pub(super) fn elf_difference(capture: &Capture, kernels: &Kernels) -> Option<String> {
    let known: BTreeSet<(u32, u8, ContentHash)> = kernels
        .iter()
        .flat_map(|(id, kernel)| match kernel {
            JobKernel::Ready { elfs, .. } => {
                elfs.iter().map(|elf| (*id, elf.processor, elf.hash)).collect()
            }
            JobKernel::SourceNotFound(_) | JobKernel::BuildFailed(_) | JobKernel::Unusable(_) => {
                Vec::new()
            }
        })
        .collect();
    let ran: BTreeSet<(u32, u8, ContentHash)> = capture
        .record
        .iter()
        .flat_map(|record| &record.elfs)
        .map(|elf| (elf.kernel.0, elf.processor, elf.hash))
        .collect();
    if let Some((kernel, processor, hash)) = ran.difference(&known).next() {
        return Some(format!("kernel {kernel} ran as {hash} on processor {processor}"));
    }
    let made = capture.program.commands.iter().filter_map(|recorded| match &recorded.command {
        Command::CreateKernel(commands::CreateKernel { kernel, .. })
            if recorded.outcome == Outcome::Done =>
        {
            Some(kernel.0)
        }
        _ => None,
    });
    let made: BTreeSet<u32> = made.collect();
    let absent = known.difference(&ran).find(|(kernel, ..)| made.contains(kernel));
    let absent = absent.map(|(kernel, processor, _)| {
        format!("nothing says as what kernel {kernel} ran on processor {processor}")
    });
    absent.or_else(|| line_table_difference(capture, kernels))
}

/// The difference between a capture's line tables, from which source lines in reports follow, and those of its test's kernels.
fn line_table_difference(capture: &Capture, kernels: &Kernels) -> Option<String> {
    let table = |kernel: u32, on: u8| match kernels.get(&kernel)? {
        JobKernel::Ready { lines, .. } => {
            lines.iter().find(|table| table.processor == on).map(|table| table.hash)
        }
        JobKernel::SourceNotFound(_) | JobKernel::BuildFailed(_) | JobKernel::Unusable(_) => None,
    };
    let mut ran = capture.record.iter().flat_map(|record| &record.elfs);
    let other = ran.find(|elf| {
        let own = (!elf.lines.is_empty()).then(|| ContentHash::of(&elf.lines));
        own != table(elf.kernel.0, elf.processor)
    });
    other.map(|elf| {
        format!("kernel {} has another line table on processor {}", elf.kernel.0, elf.processor)
    })
}
