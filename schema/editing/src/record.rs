//! The record of an edited capture: the facts that a replay needs, and those that remain known.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_chip::L1BankOrder;
use hallmark_schema::commands::{EnqueueReadBuffer, Wait};
use hallmark_schema::model::{
    BufferId, CircularBufferId, Command, CommandIndex, ContentHash, ExpectedFault,
    GeneratedBindings, KernelElf, KernelId, ObjectKind, Origin, Outcome, PlacementBoundWord,
    ProgramPart, QueueId, ReadResult, Record, RecordedCommand,
};

use crate::renumber::Numbers;

/// Replaces the hash of the bytes of a read that an edit inserted and that no replay has made yet.
pub const NOT_YET_READ: ContentHash = ContentHash([0; 32]);

/// The part of a record that remains true of an edited program: chip, firmware and dispatch, the kernels' ELFs,
/// and the results of the remaining reads. Addresses, faults, waits and printed text belong to another run
/// and are dropped.
pub(crate) fn trimmed(record: &Record, numbers: &Numbers, edited: &ProgramPart) -> Record {
    let kernel = |id: KernelId| numbers.object(ObjectKind::Kernel, id.0).map(KernelId);
    let elfs = record.elfs.iter().filter_map(|elf| {
        let kernel = kernel(elf.kernel)?;
        Some(KernelElf { kernel, ..elf.clone() })
    });
    let expected_faults = record.expected_faults.iter().filter_map(|fault| {
        let command = numbers.command(fault.command)?;
        let ends_the_run = match &at(edited, command)?.outcome {
            Outcome::Failed(failure) => failure.ends_the_run(),
            Outcome::Done | Outcome::Unfinished => false,
        };
        ends_the_run.then_some(ExpectedFault { command })
    });
    let order =
        if edited.has_interleaved_l1() { record.l1_bank_order } else { L1BankOrder::RowByRow };
    Record {
        writer: record.writer.clone(),
        schema_hash: record.schema_hash,
        chip: record.chip.clone(),
        firmware: record.firmware.clone(),
        dispatch_mode: record.dispatch_mode,
        addresses: Vec::new(),
        elfs: elfs.collect(),
        faults: Vec::new(),
        waits: Vec::new(),
        reads: reads(record, numbers, edited),
        collected: Vec::new(),
        expected_faults: expected_faults.collect(),
        l1_bank_order: order,
        origin: record.origin.as_ref().map(|origin| self::origin(origin, numbers, edited)),
        asked: record.asked,
        // Only what an edited program itself waits for is run: nothing is known of an end that it did not have.
        at_end: None,
        checks: record.checks.clone(),
        printed: Vec::new(),
    }
}

fn at(program: &ProgramPart, index: CommandIndex) -> Option<&RecordedCommand> {
    program.commands.get(usize::try_from(index.0).ok()?)
}

/// The known results of reads; [`NOT_YET_READ`] if a result is required and unknown.
fn reads(record: &Record, numbers: &Numbers, edited: &ProgramPart) -> Vec<ReadResult> {
    let known = record.reads.iter().filter_map(|read| {
        let command = numbers.command(read.command)?;
        Some((command, (read.length, read.hash)))
    });
    let known: BTreeMap<CommandIndex, (u64, ContentHash)> = known.collect();
    let completed = completed_reads(edited);
    let mut sizes: BTreeMap<BufferId, u64> = BTreeMap::new();
    let mut reads = Vec::new();
    for (command, recorded) in (0..).map(CommandIndex).zip(&edited.commands) {
        match &recorded.command {
            Command::CreateBuffer(call) => {
                sizes.insert(call.buffer, call.size);
            }
            Command::CreateBufferView(call) => {
                sizes.insert(call.buffer, call.region.size);
            }
            Command::EnqueueReadBuffer(EnqueueReadBuffer { buffer, region, .. })
                if !matches!(recorded.outcome, Outcome::Failed(_)) =>
            {
                let whole = sizes.get(buffer).copied().unwrap_or_default();
                let length = region.map_or(whole, |region| region.size);
                let before = known.get(&command).filter(|(before, _)| *before == length);
                let hash = before.map(|(_, hash)| *hash);
                let hash = hash.or_else(|| completed.contains(&command).then_some(NOT_YET_READ));
                reads.extend(hash.map(|hash| ReadResult {
                    command,
                    buffer: *buffer,
                    length,
                    hash,
                }));
            }
            _ => {}
        }
    }
    reads
}

/// The reads whose result the record must hold, because a later call waits for them.
fn completed_reads(program: &ProgramPart) -> BTreeSet<CommandIndex> {
    let mut waiting: BTreeMap<QueueId, Vec<CommandIndex>> = BTreeMap::new();
    let mut completed = BTreeSet::new();
    for (index, recorded) in (0..).map(CommandIndex).zip(&program.commands) {
        if recorded.outcome != Outcome::Done {
            continue;
        }
        if let Command::EnqueueReadBuffer(call) = &recorded.command {
            waiting.entry(call.queue).or_default().push(index);
        }
        match recorded.command.waits_for() {
            Wait::Nothing | Wait::Event(_) => {}
            Wait::Queue(queue) => completed.extend(waiting.remove(&queue).unwrap_or_default()),
            Wait::AllQueues => {
                completed.extend(std::mem::take(&mut waiting).into_values().flatten())
            }
        }
    }
    completed
}

fn origin(origin: &Origin, numbers: &Numbers, edited: &ProgramPart) -> Origin {
    let bindings = origin.generated_bindings.iter().filter_map(|bindings| {
        let kernel = numbers.object(ObjectKind::Kernel, bindings.kernel.0).map(KernelId)?;
        Some(GeneratedBindings { kernel, original: bindings.original.clone() })
    });
    let dataflow_buffers = origin.dataflow_buffers.iter().filter_map(|buffer| {
        numbers.object(ObjectKind::CircularBuffer, buffer.0).map(CircularBufferId)
    });
    let words = origin.placement_bound_words.iter().filter_map(|word| {
        let word = PlacementBoundWord { command: numbers.command(word.command)?, ..*word };
        has_word(edited, word).then_some(word)
    });
    Origin {
        executor: origin.executor.clone(),
        missing: origin.missing.clone(),
        relocations: origin.relocations,
        placement_bound_words: words.collect(),
        generated_bindings: bindings.collect(),
        dataflow_buffers: dataflow_buffers.collect(),
    }
}

/// Whether a call still sets a word for a core.
fn has_word(edited: &ProgramPart, word: PlacementBoundWord) -> bool {
    let Some(core) = word.core else { return true };
    match at(edited, word.command).map(|recorded| &recorded.command) {
        Some(Command::SetRuntimeArgs(call)) => {
            let ranges = call.args.iter().flat_map(|set| &set.cores);
            ranges.clone().any(|range| range.contains(core))
        }
        Some(_) | None => false,
    }
}
