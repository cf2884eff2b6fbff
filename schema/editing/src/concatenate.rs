//! Several captures joined into one.

use std::collections::BTreeMap;

use hallmark_chip::L1BankOrder;
use hallmark_schema::commands::{DeallocateBuffer, ReleaseTrace, Role};
use hallmark_schema::model::{
    Capture, Command, CommandIndex, ContentHash, ExpectedFault, FailureReference, KernelElf,
    KernelId, ObjectKind, Outcome, ProgramPart, Record, RecordedCommand, SourceFile,
};
use hallmark_schema::{CaptureError, limits};

use crate::draft::{finish, queues_of};
use crate::lifetimes::after;

/// A joined capture, and the origin of each command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Concatenated {
    /// The joined capture.
    pub capture: Capture,
    /// For each command, the index of its original capture and of the command there. A command without one
    /// waits for a queue or frees an object that a capture left behind.
    pub sources: Vec<(usize, Option<CommandIndex>)>,
}

/// Why captures cannot be joined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConcatenateError {
    /// The list of captures is empty.
    #[error("no capture is given; give at least one")]
    Nothing,
    /// Captures of different devices.
    #[error(
        "capture {capture} has another {what} than the first; join captures that were made on one device with one firmware"
    )]
    Differs {
        /// The index of the capture, counted from 0.
        capture: usize,
        /// The differing property.
        what: &'static str,
    },
    /// A capture whose end allows no further command.
    #[error("capture {capture} {reason}; leave it out, or make it the last one")]
    CannotBeFollowed {
        /// The index of the capture, counted from 0.
        capture: usize,
        /// How it ends, as a clause.
        reason: &'static str,
    },
    /// A capture of a program that did not use Hallmark's runtime.
    #[error("capture {capture} was recorded under another runtime; leave it out")]
    Recorded {
        /// The index of the capture, counted from 0.
        capture: usize,
    },
    /// A capture with free tensors.
    #[error("capture {capture} is a binary, whose inputs are free; leave it out")]
    Binary {
        /// The index of the capture, counted from 0.
        capture: usize,
    },
    /// Two sources with the same path and different content.
    #[error("the captures hold different files `{path}`; capture them again from the same sources")]
    Source {
        /// The path of the source.
        path: String,
    },
    /// The joined capture exceeds a limit of the format.
    #[error("together the captures are no capture: {0}; join fewer of them")]
    Invalid(#[from] CaptureError),
}

/// Joins captures: the commands of each follow those of the one before it. Names get the prefix `c0.`, `c1.`
/// and so on. Objects that a capture leaves behind are freed before the next one begins.
///
/// # Errors
/// See [`ConcatenateError`].
pub fn concatenate(captures: &[&Capture]) -> Result<Concatenated, ConcatenateError> {
    let (first, rest) = captures.split_first().ok_or(ConcatenateError::Nothing)?;
    for (capture, other) in (1..).zip(rest) {
        let differs = |what| Err(ConcatenateError::Differs { capture, what });
        same_device(first, other).map_or(Ok(()), differs)?;
    }
    let mut joined = Joined::new(first);
    for (number, capture) in captures.iter().enumerate() {
        joined.add(number, capture, number.saturating_add(1) < captures.len())?;
    }
    let Joined { capture, sources, .. } = joined;
    capture.validate()?;
    Ok(Concatenated { capture, sources })
}

/// The property that prevents two captures from running on one device, if there is one.
fn same_device(first: &Capture, other: &Capture) -> Option<&'static str> {
    let (one, two) = (&first.program, &other.program);
    if one.architecture != two.architecture {
        return Some("architecture");
    }
    if one.grid != two.grid {
        return Some("grid");
    }
    if one.worker_l1_size != two.worker_l1_size {
        return Some("size of L1 for buffers");
    }
    match (&first.record, &other.record) {
        (None, None) => None,
        (Some(one), Some(two)) if one.chip != two.chip => Some("chip"),
        (Some(one), Some(two)) if one.firmware != two.firmware => Some("firmware"),
        (Some(one), Some(two)) if one.dispatch_mode != two.dispatch_mode => Some("dispatch mode"),
        (Some(one), Some(two)) if one.asked != two.asked => Some("what is asked of the device"),
        (Some(_), Some(_)) => None,
        (None, Some(_)) | (Some(_), None) => Some("record: only one of them has one"),
    }
}

struct Joined {
    capture: Capture,
    sources: Vec<(usize, Option<CommandIndex>)>,
    /// The number of objects of each kind so far.
    objects: BTreeMap<ObjectKind, u32>,
    /// The order of the L1 banks, if a capture depends on it.
    order: Option<L1BankOrder>,
}

impl Joined {
    fn new(first: &Capture) -> Self {
        let program = ProgramPart {
            worker_l1_size: first.program.worker_l1_size,
            ..ProgramPart::new(first.program.architecture, first.program.grid, Vec::new())
        };
        let record = first.record.as_ref().map(|record| Record {
            addresses: Vec::new(),
            elfs: Vec::new(),
            faults: Vec::new(),
            waits: Vec::new(),
            reads: Vec::new(),
            collected: Vec::new(),
            expected_faults: Vec::new(),
            l1_bank_order: L1BankOrder::RowByRow,
            origin: None,
            at_end: None,
            printed: Vec::new(),
            ..record.clone()
        });
        let (outputs, blobs) = (Vec::new(), BTreeMap::new());
        Self {
            capture: Capture { program, record, outputs, blobs },
            sources: Vec::new(),
            objects: BTreeMap::new(),
            order: None,
        }
    }

    fn add(
        &mut self,
        number: usize,
        added: &Capture,
        is_followed: bool,
    ) -> Result<(), ConcatenateError> {
        if is_followed && let Some(reason) = cannot_be_followed(&added.program) {
            return Err(ConcatenateError::CannotBeFollowed { capture: number, reason });
        }
        if added.program.is_binary() {
            return Err(ConcatenateError::Binary { capture: number });
        }
        let program = &mut self.capture.program;
        let settings = &added.program;
        program.num_command_queues = program.num_command_queues.max(settings.num_command_queues);
        program.trace_region_size = program.trace_region_size.max(settings.trace_region_size);
        program.l1_small_size = program.l1_small_size.max(settings.l1_small_size);
        if settings.placement_bound && number > 0 {
            let what = "memory before it, and holds numbers that depend on that";
            return Err(ConcatenateError::Differs { capture: number, what });
        }
        program.placement_bound |= settings.placement_bound;
        self.add_sources(&settings.sources)?;
        let offsets = Offsets {
            commands: u32::try_from(self.capture.program.commands.len()).unwrap_or(u32::MAX),
            objects: self.objects.clone(),
        };
        self.add_record(number, added, &offsets)?;
        self.capture.blobs.extend(added.blobs.iter().map(|(hash, blob)| (*hash, blob.clone())));
        let mut outputs = added.outputs.clone();
        outputs.iter_mut().for_each(|output| prefix(number, &mut output.name));
        self.capture.outputs.extend(outputs);
        for (index, recorded) in (0..).map(CommandIndex).zip(&added.program.commands) {
            let mut recorded = recorded.clone();
            self.renumber(&mut recorded, &offsets);
            rename(number, &mut recorded.command);
            self.capture.program.commands.push(recorded);
            self.sources.push((number, Some(index)));
        }
        if is_followed {
            self.tidy(number, &added.program, &offsets);
        }
        Ok(())
    }

    fn add_sources(&mut self, sources: &[SourceFile]) -> Result<(), ConcatenateError> {
        let known = &mut self.capture.program.sources;
        for source in sources {
            match known.binary_search_by(|known| known.path.cmp(&source.path)) {
                Err(at) => known.insert(at, source.clone()),
                Ok(at) if known.get(at).is_some_and(|known| known.hash != source.hash) => {
                    return Err(ConcatenateError::Source { path: source.path.clone() });
                }
                Ok(_) => {}
            }
        }
        Ok(())
    }

    fn add_record(
        &mut self,
        number: usize,
        added: &Capture,
        offsets: &Offsets,
    ) -> Result<(), ConcatenateError> {
        let (Some(record), Some(other)) = (&mut self.capture.record, &added.record) else {
            return Ok(());
        };
        if other.origin.is_some() {
            return Err(ConcatenateError::Recorded { capture: number });
        }
        if added.program.has_interleaved_l1() {
            let order = self.order.get_or_insert(other.l1_bank_order);
            if *order != other.l1_bank_order {
                let what = "order of L1's banks";
                return Err(ConcatenateError::Differs { capture: number, what });
            }
            record.l1_bank_order = *order;
        }
        record.elfs.extend(other.elfs.iter().map(|elf| KernelElf {
            kernel: KernelId(offsets.object(ObjectKind::Kernel, elf.kernel.0)),
            ..elf.clone()
        }));
        record.reads.extend(other.reads.iter().map(|read| {
            let mut read = *read;
            read.command = offsets.command(read.command);
            read.buffer.0 = offsets.object(ObjectKind::Buffer, read.buffer.0);
            read
        }));
        record.expected_faults.extend(
            other
                .expected_faults
                .iter()
                .map(|fault| ExpectedFault { command: offsets.command(fault.command) }),
        );
        Ok(())
    }

    fn renumber(&mut self, recorded: &mut RecordedCommand, offsets: &Offsets) {
        recorded.command.for_each_reference_mut(|role, kind, id| {
            *id = offsets.object(kind, *id);
            if role == Role::Creates {
                self.objects.insert(kind, id.saturating_add(1));
            }
        });
        if let Outcome::Failed(failure) = &mut recorded.outcome {
            let again = failure.renumbered(|reference| {
                Some(match reference {
                    FailureReference::Object(kind, id) => offsets.object(kind, id),
                    FailureReference::Command(index) => offsets.command(index).0,
                })
            });
            if let Some(again) = again {
                *failure = again;
            }
        }
        // Earlier calls took numbers of this queue.
        if let Command::EnqueueRecordEvent(call) = &mut recorded.command
            && offsets.commands > 0
        {
            call.number = None;
        }
    }

    /// Waits for all queues of a capture, and frees the objects that it has left behind.
    fn tidy(&mut self, number: usize, program: &ProgramPart, offsets: &Offsets) {
        let count = u32::try_from(program.commands.len()).unwrap_or(u32::MAX);
        let lifetimes = after(program, count);
        let mut commands: Vec<Command> =
            queues_of(&program.commands).into_iter().map(finish).collect();
        commands.extend(lifetimes.live_traces().map(|mut trace| {
            trace.0 = offsets.object(ObjectKind::Trace, trace.0);
            Command::ReleaseTrace(ReleaseTrace { trace })
        }));
        commands.extend(lifetimes.live_buffers().map(|mut buffer| {
            buffer.0 = offsets.object(ObjectKind::Buffer, buffer.0);
            Command::DeallocateBuffer(DeallocateBuffer { buffer })
        }));
        for command in commands {
            let recorded = RecordedCommand { command, outcome: Outcome::Done };
            self.capture.program.commands.push(recorded);
            self.sources.push((number, None));
        }
    }
}

/// The numbers of commands and objects before a capture's first command.
struct Offsets {
    commands: u32,
    objects: BTreeMap<ObjectKind, u32>,
}

impl Offsets {
    fn object(&self, kind: ObjectKind, id: u32) -> u32 {
        id.saturating_add(self.objects.get(&kind).copied().unwrap_or_default())
    }

    const fn command(&self, index: CommandIndex) -> CommandIndex {
        CommandIndex(index.0.saturating_add(self.commands))
    }
}

/// Why no command can follow a program; `None` if one can.
fn cannot_be_followed(program: &ProgramPart) -> Option<&'static str> {
    let count = u32::try_from(program.commands.len()).unwrap_or(u32::MAX);
    if after(program, count).is_capturing() {
        return Some("ends while a trace is being captured");
    }
    program.commands.iter().find_map(|recorded| match &recorded.outcome {
        Outcome::Failed(failure) if failure.ends_the_run() => {
            Some("ends in a failure of the device")
        }
        Outcome::Unfinished => Some("ends in an unfinished call"),
        Outcome::Done | Outcome::Failed(_) => None,
    })
}

/// Prefixes the capture's number to every name that a command gives or refers to.
fn rename(number: usize, command: &mut Command) {
    if let Some(name) = command.given_name_mut()
        && !name.is_empty()
    {
        prefix(number, name);
    }
    match command {
        Command::EnqueueReadBuffer(call) => prefix(number, &mut call.output),
        Command::CollectTrace(call) => prefix(number, &mut call.collected),
        Command::LoadTrace(call) => prefix(number, &mut call.from),
        _ => {}
    }
}

/// `c<number>.<name>`. A name that would become too long is cut, and gets a hash.
fn prefix(number: usize, name: &mut String) {
    let long = format!("c{number}.{name}");
    if long.len() <= limits::NAME_BYTES {
        *name = long;
        return;
    }
    let hash = ContentHash::of(name.as_bytes()).short();
    let room = limits::NAME_BYTES.saturating_sub(hash.len()).saturating_sub(1);
    let start: String = long.chars().take(room).collect();
    *name = format!("{start}-{hash}");
}
