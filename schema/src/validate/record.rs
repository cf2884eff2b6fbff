//! The rules of a record: it agrees with its program and outputs.

use std::collections::{BTreeMap, HashMap, HashSet};

use hallmark_chip::{FaultPlace, L1BankOrder, Processor, SourceFrame};

use super::text;
use crate::commands::{self, Wait};
use crate::error::{CaptureError, Part, Path, Rule};
use crate::limits;
use crate::model::{
    BufferLayout, Command, CommandIndex, CommandKind, Failure, KernelId, ObjectKind, Outcome,
    OutputHash, Printed, ProgramPart, QueueId, QueuesEnd, ReadResult, Record, RecordedCommand,
};

type Result = std::result::Result<(), CaptureError>;

/// Checks a record against its program and outputs.
pub(crate) fn record(record: &Record, program: &ProgramPart, outputs: &[OutputHash]) -> Result {
    let root = Path::root(Part::Record);
    text::prose(&record.writer, &root.field("writer"))?;
    text::prose(&record.chip.device, &root.field("chip").field("device"))?;
    let chip = root.field("chip");
    let refused = |error| chip.field("harvesting_mask").error(Rule::Harvesting(error));
    record.chip(program.architecture).map_err(refused)?;
    text::prose(&record.firmware.name, &root.field("firmware").field("name"))?;
    let created = Created::of(program);
    let is_kernel = |made: &&RecordedCommand| made.command.kind() == CommandKind::CreateKernel;
    let kernels = program.commands.iter().filter(is_kernel).count();
    let kernels = u32::try_from(kernels).unwrap_or(u32::MAX);

    let interleaved = program.commands.iter().any(is_interleaved_over_l1);
    match record.l1_bank_order {
        L1BankOrder::Shuffled if !interleaved => {
            let rule =
                Rule::Contradiction { other: "the buffers, none of which is interleaved over L1" };
            return Err(root.field("l1_bank_order").error(rule));
        }
        L1BankOrder::Shuffled | L1BankOrder::RowByRow => {}
    }

    if let Some(origin) = &record.origin {
        super::origin::check(origin, program, &root.field("origin"))?;
    }

    let path = root.field("addresses");
    path.at_most("addresses", record.addresses.len() as u64, limits::RECORD_ENTRIES)?;
    ascending(&record.addresses, |assigned| (assigned.object, assigned.id), &path)?;
    for (index, assigned) in record.addresses.iter().enumerate() {
        let path = path.index(index);
        created.has_address(assigned.object, assigned.id, &path)?;
    }

    let path = root.field("elfs");
    path.at_most("ELFs", record.elfs.len() as u64, limits::RECORD_ENTRIES)?;
    ascending(&record.elfs, |elf| (elf.kernel, elf.processor), &path)?;
    for (index, elf) in record.elfs.iter().enumerate() {
        let KernelId(id) = elf.kernel;
        if id >= kernels {
            return Err(path
                .index(index)
                .error(Rule::Undefined { object: ObjectKind::Kernel, id }));
        }
        let path = path.index(index);
        processor(elf.processor, &path)?;
        let size = elf.lines.len() as u64;
        path.field("lines").at_most("bytes of a line table", size, limits::LINE_TABLE_BYTES)?;
    }

    let path = root.field("faults");
    path.at_most("faults", record.faults.len() as u64, limits::RECORD_ENTRIES)?;
    for (index, recorded) in record.faults.iter().enumerate() {
        let path = path.index(index);
        if command(program, recorded.command()).is_none() {
            return Err(path.error(Rule::NoSuchCommand { command: recorded.command() }));
        }
        let fault = recorded.fault();
        text::prose(&fault.reason, &path.field("reason"))?;
        let symbol = |place: Option<&FaultPlace>, path: &Path<'_>| {
            let symbol = place.and_then(|place| place.symbol.as_deref());
            text::prose(symbol.unwrap_or_default(), &path.field("symbol"))?;
            frames(place.map(|place| place.frames.as_slice()).unwrap_or_default(), path)
        };
        symbol(fault.place.as_deref(), &path)?;
        symbol(fault.against.as_deref(), &path.field("against"))?;
    }

    let path = root.field("waits");
    path.at_most("waits", record.waits.len() as u64, limits::RECORD_ENTRIES)?;
    for (index, wait) in record.waits.iter().enumerate() {
        let path = path.index(index);
        text::prose(wait.symbol.as_deref().unwrap_or_default(), &path.field("symbol"))?;
        frames(&wait.frames, &path)?;
    }

    let path = root.field("reads");
    path.at_most("reads", record.reads.len() as u64, limits::RECORD_ENTRIES)?;
    ascending(&record.reads, |read| read.command, &path)?;
    let outputs = outputs.iter().map(|output| (output.name.as_str(), output)).collect();
    let sizes: Vec<u64> = program.commands.iter().filter_map(buffer_size).collect();
    for (index, result) in record.reads.iter().enumerate() {
        read(result, program, &sizes, &outputs, &path.index(index))?;
    }
    completed(&record.reads, program, &path)?;

    let path = root.field("collected");
    path.at_most("collected traces", record.collected.len() as u64, limits::RECORD_ENTRIES)?;
    ascending(&record.collected, |bytes| bytes.command, &path)?;
    for (index, bytes) in record.collected.iter().enumerate() {
        match command(program, bytes.command) {
            Some(RecordedCommand {
                command: Command::CollectTrace(_),
                outcome: Outcome::Done | Outcome::Unfinished,
            }) => {}
            _ => {
                let rule = Rule::NotThatCollect { command: bytes.command };
                return Err(path.index(index).error(rule));
            }
        }
    }

    let path = root.field("expected_faults");
    path.at_most("expected faults", record.expected_faults.len() as u64, limits::RECORD_ENTRIES)?;
    ascending(&record.expected_faults, |fault| fault.command, &path)?;
    for (index, fault) in record.expected_faults.iter().enumerate() {
        match command(program, fault.command).map(|recorded| &recorded.outcome) {
            Some(Outcome::Failed(failure)) if failure.ends_the_run() => {}
            Some(Outcome::Failed(_) | Outcome::Done | Outcome::Unfinished) | None => {
                let rule = Rule::NotThatFault { command: fault.command };
                return Err(path.index(index).error(rule));
            }
        }
    }
    ascending(&record.checks, |check| *check, &root.field("checks"))?;
    printed(&record.printed, program, &root.field("printed"))?;

    match &record.at_end {
        Some(end) => queues_end(end, program, &root.field("at_end")),
        None => Ok(()),
    }
}

/// Checks printed text: each entry is of a launch of its own, and no launch is of a call that the program lacks.
fn printed(printed: &[Printed], program: &ProgramPart, path: &Path<'_>) -> Result {
    path.at_most("printed texts", printed.len() as u64, limits::PRINTED_TEXTS)?;
    let mut total = 0_u64;
    let mut known = HashSet::new();
    for (index, printed) in printed.iter().enumerate() {
        let path = path.index(index);
        if let Some(launch) = printed.launch
            && command(program, launch).is_none()
        {
            return Err(path.error(Rule::NoSuchCommand { command: launch }));
        }
        if !known.insert((printed.launch, printed.core, printed.processor)) {
            let other = "an earlier text of the same launch, core and processor";
            return Err(path.error(Rule::Contradiction { other }));
        }
        let size = printed.text.len() as u64;
        path.field("text").at_most("bytes of printed text", size, limits::PRINTED_BYTES)?;
        total = total.saturating_add(size);
    }
    path.at_most("bytes of all printed text", total, limits::TOTAL_PRINTED_BYTES)
}

/// Checks the end of the queues: it comes after complete calls on a device that has not stopped, only work of the device
/// can fail in it, and only a failure can be expected.
fn queues_end(end: &QueuesEnd, program: &ProgramPart, path: &Path<'_>) -> Result {
    let other = |other| Err(path.field("outcome").error(Rule::Contradiction { other }));
    if program.commands.iter().any(|made| made.outcome.breaks_off()) {
        return other("a call that broke the run off");
    }
    let Some(failure) = end.failure() else {
        return if end.expected { other("`expected`, which takes a failure") } else { Ok(()) };
    };
    let named = match failure {
        Failure::QueueRace { first, .. } => [failure.blamed(), Some(*first)],
        Failure::DeviceLost {} => [None, None],
        _ if failure.ends_the_run() => [failure.blamed(), None],
        _ => return other("the queues, whose work cannot fail in this way"),
    };
    let missing = named.into_iter().flatten().find(|index| command(program, *index).is_none());
    match missing {
        Some(command) => Err(path.field("failure").error(Rule::NoSuchCommand { command })),
        None => Ok(()),
    }
}

/// Checks the source lines of a fault's party or of a wait.
fn frames(frames: &[SourceFrame], path: &Path<'_>) -> Result {
    let path = path.field("frames");
    path.at_most("functions of a place", frames.len() as u64, limits::SOURCE_FRAMES)?;
    for (index, SourceFrame { function, file, line: _ }) in frames.iter().enumerate() {
        let path = path.index(index);
        text::prose(function, &path.field("function"))?;
        text::prose(file, &path.field("file"))?;
    }
    Ok(())
}

fn is_interleaved_over_l1(made: &RecordedCommand) -> bool {
    let done = match made.outcome {
        Outcome::Done | Outcome::Unfinished => true,
        Outcome::Failed(_) => false,
    };
    match made.command {
        Command::CreateBuffer(commands::CreateBuffer { buffer_type, layout, .. }) => {
            done && buffer_type.is_l1() && layout == BufferLayout::Interleaved
        }
        _ => false,
    }
}

const fn buffer_size(made: &RecordedCommand) -> Option<u64> {
    match made.command {
        Command::CreateBuffer(commands::CreateBuffer { size, .. }) => Some(size),
        Command::CreateBufferView(commands::CreateBufferView { region, .. }) => Some(region.size),
        _ => None,
    }
}

pub(super) fn command(program: &ProgramPart, index: CommandIndex) -> Option<&RecordedCommand> {
    program.commands.get(usize::try_from(index.0).ok()?)
}

/// Checks that every read before a completed call that waited for the read's queue has a result.
fn completed(reads: &[ReadResult], program: &ProgramPart, path: &Path<'_>) -> Result {
    let mut waiting: BTreeMap<QueueId, Vec<CommandIndex>> = BTreeMap::new();
    for (by, recorded) in (0..).map(CommandIndex).zip(&program.commands) {
        if recorded.outcome != Outcome::Done {
            continue;
        }
        if let Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { queue, .. }) =
            recorded.command
        {
            waiting.entry(queue).or_default().push(by);
        }
        let queues = match recorded.command.waits_for() {
            Wait::Nothing | Wait::Event(_) => Vec::new(),
            Wait::Queue(queue) => vec![queue],
            Wait::AllQueues => waiting.keys().copied().collect(),
        };
        let done = queues.iter().filter_map(|queue| waiting.remove(queue)).flatten();
        for command in done.collect::<Vec<_>>() {
            if reads.binary_search_by_key(&command, |read| read.command).is_err() {
                return Err(path.error(Rule::ReadWithoutResult { command, by }));
            }
        }
    }
    Ok(())
}

fn read(
    result: &ReadResult,
    program: &ProgramPart,
    sizes: &[u64],
    outputs: &HashMap<&str, &OutputHash>,
    path: &Path<'_>,
) -> Result {
    let (output, region) = match command(program, result.command) {
        Some(RecordedCommand {
            command:
                Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
                    buffer, output, region, ..
                }),
            outcome: Outcome::Done | Outcome::Unfinished,
        }) if *buffer == result.buffer => (output, region),
        _ => {
            let rule = Rule::NotThatRead { command: result.command, buffer: result.buffer.0 };
            return Err(path.error(rule));
        }
    };
    path.field("length").at_most("bytes", result.length, limits::DATA_BYTES)?;
    let whole = usize::try_from(result.buffer.0).ok().and_then(|buffer| sizes.get(buffer).copied());
    if region.map(|region| region.size).or(whole) != Some(result.length) {
        let rule = Rule::Contradiction { other: "the size of the buffer that was read" };
        return Err(path.field("length").error(rule));
    }
    if let Some(same) = outputs.get(output.as_str())
        && (same.length, same.hash) != (result.length, result.hash)
    {
        return Err(path.error(Rule::Contradiction { other: "the output of the same read" }));
    }
    Ok(())
}

fn processor(index: u8, path: &Path<'_>) -> Result {
    if usize::from(index) >= Processor::ALL.len() {
        return Err(path.field("processor").error(Rule::Processor { index }));
    }
    Ok(())
}

pub(super) fn ascending<T, K: Ord>(items: &[T], key: impl Fn(&T) -> K, path: &Path<'_>) -> Result {
    for (index, pair) in items.windows(2).enumerate() {
        if let [before, after] = pair
            && key(before) >= key(after)
        {
            return Err(path.index(index + 1).error(Rule::NotAscending));
        }
    }
    Ok(())
}

/// The number of objects of each kind that the program creates or tries to create.
struct Created([(ObjectKind, u32); 3]);

impl Created {
    fn of(program: &ProgramPart) -> Self {
        let count = |wanted: ObjectKind| {
            let made = program.commands.iter().filter_map(|made| made.command.created());
            let made = made.filter(|(kind, ..)| *kind == wanted).count();
            (wanted, u32::try_from(made).unwrap_or(u32::MAX))
        };
        Self([ObjectKind::Buffer, ObjectKind::CircularBuffer, ObjectKind::Semaphore].map(count))
    }

    fn has_address(&self, object: ObjectKind, id: u32, path: &Path<'_>) -> Result {
        match self.0.iter().find(|(kind, _)| *kind == object) {
            None => Err(path.error(Rule::NoAddress { object })),
            Some((_, count)) if id >= *count => Err(path.error(Rule::Undefined { object, id })),
            Some(_) => Ok(()),
        }
    }
}
