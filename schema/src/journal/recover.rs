//! Recovers a capture from a journal whose writer ended normally or was killed. The bytes are untrusted.

use std::collections::BTreeMap;

use hallmark_chip::{Architecture, L1BankOrder};

use super::{ENTRY_HEADER_BYTES, HEADER_BYTES, MAGIC, MARK, checksum};
use crate::class::schema_hash;
use crate::error::{CaptureError, Part, Path, Problem, Version};
use crate::generated::capture as fb;
use crate::model::{
    AssignedAddress, Blobs, Capture, CommandIndex, ContentHash, DispatchMode, Grid, KernelElf,
    KernelId, ObjectKind, Outcome, ProgramPart, QueuesEnd, ReadResult, Record, RecordedCommand,
    SourceFile,
};
use crate::wire::{self, Wire};
use crate::{VERSION, limits};

/// A journal from which no capture can be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The bytes are no journal, or lack part of the header.
    #[error("byte 0: the file is not a journal, or it was cut off in its first 64 B")]
    NotAJournal,
    /// The journal is longer than the limit.
    #[error("the journal has {length} B; at most {limit} B are read")]
    TooLong {
        /// The bytes of the journal.
        length: u64,
        /// The largest accepted length.
        limit: u64,
    },
    /// The writer ended before anything was recorded.
    #[error("the writer ended before it had recorded anything; run the program again")]
    NeverBegan,
    /// A newer format, or one of another major version.
    #[error(
        "byte 4: the journal has format {found}, but this Hallmark reads journals up to format {known}; recover the journal with the Hallmark that wrote it"
    )]
    Version {
        /// The version in its header.
        found: Version,
        /// The newest version that this reader reads.
        known: Version,
    },
    /// The bytes of a committed entry have changed.
    #[error("byte {offset}: {what}: the journal was changed or cut off after it was written")]
    Corrupt {
        /// The offset of the entry's first byte.
        offset: u64,
        /// The defect of the entry's header, as a clause.
        what: &'static str,
    },
    /// An entry cannot be read.
    #[error("the entry at byte {offset}: {source}")]
    Entry {
        /// The offset of the entry's first byte.
        offset: u64,
        /// The problem of the entry.
        source: CaptureError,
    },
    /// An entry that cannot follow the entries before it.
    #[error("the entry at byte {offset}: {what}; the program that wrote the journal is at fault")]
    Order {
        /// The offset of the entry's first byte.
        offset: u64,
        /// The conflict between the entries, as a clause.
        what: &'static str,
    },
    /// The capture breaks a rule of the format.
    #[error("the recorded program breaks a rule: {0}")]
    Invalid(#[from] CaptureError),
}

/// Why the last command cannot be given an outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompleteError {
    /// Every command has its outcome.
    #[error("no command is unfinished")]
    NothingUnfinished,
    /// The capture breaks a rule of the format with that outcome.
    #[error("the outcome does not fit: {0}")]
    Invalid(#[from] CaptureError),
}

/// The content of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The capture of all commands begun; only the last can be unfinished.
    pub capture: Capture,
    /// The enqueued program on which the device was working when the journal ended, if there was one.
    pub executing: Option<CommandIndex>,
}

impl Recovered {
    /// The command that has not ended.
    pub fn unfinished(&self) -> Option<CommandIndex> {
        let last = self.capture.program.commands.len().checked_sub(1)?;
        let recorded = self.capture.program.commands.get(last)?;
        let index = CommandIndex(u32::try_from(last).ok()?);
        (recorded.outcome == Outcome::Unfinished).then_some(index)
    }

    /// Whether the queues were being drained when the journal ended.
    pub fn is_draining(&self) -> bool {
        self.capture.at_end().is_some_and(|end| end.outcome == Outcome::Unfinished)
    }

    /// Gives the unfinished command, or the end of the queues, its outcome. A parent process knows the outcome if a fault ended its child.
    /// The program bytes then agree with those of a device that returns the fault from the call.
    ///
    /// # Errors
    /// Nothing is unfinished, or the outcome does not fit; the capture is unchanged then.
    pub fn complete_with(&mut self, outcome: Outcome) -> Result<(), CompleteError> {
        if self.is_draining() {
            return self.end_with(outcome);
        }
        if self.unfinished().is_none() {
            return Err(CompleteError::NothingUnfinished);
        }
        if let Some(last) = self.capture.program.commands.last_mut() {
            last.outcome = outcome;
        }
        let result = self.capture.validate();
        if result.is_err()
            && let Some(last) = self.capture.program.commands.last_mut()
        {
            last.outcome = Outcome::Unfinished;
        }
        Ok(result?)
    }

    /// Gives the end of the queues its outcome.
    fn end_with(&mut self, outcome: Outcome) -> Result<(), CompleteError> {
        let Some(record) = &mut self.capture.record else {
            return Err(CompleteError::NothingUnfinished);
        };
        let before = record.at_end.replace(QueuesEnd::of(outcome));
        let result = self.capture.validate();
        if result.is_err()
            && let Some(record) = &mut self.capture.record
        {
            record.at_end = before;
        }
        Ok(result?)
    }
}

/// Makes a capture from a journal. The capture holds every command begun; only the last command, the end of the queues,
/// and reads that were not completed, can be unfinished. Bytes after the last entry are ignored.
///
/// # Errors
/// Recording never began, or the bytes are not those that a writer leaves.
pub fn recover(journal: &[u8]) -> Result<Recovered, JournalError> {
    let length = journal.len() as u64;
    if length > limits::JOURNAL_BYTES {
        return Err(JournalError::TooLong { length, limit: limits::JOURNAL_BYTES });
    }
    header(journal)?;
    let mut state: Option<State> = None;
    let mut offset = HEADER_BYTES;
    while let Some((payload, next)) = entry(journal, offset)? {
        let at = offset as u64;
        let form = read(payload).map_err(|source| JournalError::Entry { offset: at, source })?;
        apply(&mut state, &form, at)?;
        offset = next;
    }
    state.ok_or(JournalError::NeverBegan)?.finish()
}

fn header(journal: &[u8]) -> Result<(), JournalError> {
    let header = journal.get(..HEADER_BYTES).ok_or(JournalError::NotAJournal)?;
    let (content, hash) = header.split_at(32);
    let [a, b, c, d, e, f, g, h, ..] = *header else { return Err(JournalError::NotAJournal) };
    if blake3::hash(content).as_bytes() != hash {
        // A writer that was killed here leaves a partial header and no entries.
        let written = [a, b, c, d].iter().take_while(|byte| **byte != 0).count();
        let ours = MAGIC.starts_with(header.get(..written).unwrap_or_default());
        let alone = journal.iter().skip(HEADER_BYTES).all(|byte| *byte == 0);
        return Err(match (ours, alone) {
            (true, true) => JournalError::NeverBegan,
            (true, false) => {
                JournalError::Corrupt { offset: 0, what: "the header's hash is wrong" }
            }
            (false, _) => JournalError::NotAJournal,
        });
    }
    if [a, b, c, d] != MAGIC {
        return Err(JournalError::NotAJournal);
    }
    let found = Version { major: u16::from_le_bytes([e, f]), minor: u16::from_le_bytes([g, h]) };
    // A journal lives as long as a run, and states the newest format that its writer knew.
    if found.major != VERSION.major || found.minor > VERSION.minor {
        return Err(JournalError::Version { found, known: VERSION });
    }
    Ok(())
}

/// The payload of the entry at `offset` and the offset of the next one; `None` after the last.
fn entry(journal: &[u8], offset: usize) -> Result<Option<(&[u8], usize)>, JournalError> {
    let at = offset as u64;
    let corrupt = |what| JournalError::Corrupt { offset: at, what };
    let rest = journal.get(offset..).unwrap_or_default();
    let Some((&commit, rest)) = rest.split_first_chunk::<8>() else {
        return Err(corrupt("the file ends before its last entry"));
    };
    let [a, b, c, d, mark @ ..] = commit;
    if mark != MARK {
        // A writer that was killed within the commit word leaves a partial mark.
        let written = mark.iter().take_while(|byte| **byte != 0).count();
        let (begun, empty) = mark.split_at_checked(written).unwrap_or_default();
        let torn = MARK.starts_with(begun) && empty.iter().all(|byte| *byte == 0);
        return if torn { Ok(None) } else { Err(corrupt("the mark of an entry is missing")) };
    }
    let length = u32::from_le_bytes([a, b, c, d]);
    let Some((&check, rest)) = rest.split_first_chunk::<16>() else {
        return Err(corrupt("the file ends within an entry"));
    };
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let payload = rest.get(..length).ok_or_else(|| corrupt("the file ends within an entry"))?;
    if checksum(at, payload) != check {
        return Err(corrupt("an entry's checksum is wrong"));
    }
    let next = offset
        .checked_add(ENTRY_HEADER_BYTES)
        .and_then(|next| next.checked_add(length))
        .and_then(|next| next.checked_next_multiple_of(8))
        .ok_or_else(|| corrupt("the file ends within an entry"))?;
    Ok(Some((payload, next)))
}

fn read(payload: &[u8]) -> Result<fb::JournalEntry<'_>, CaptureError> {
    let form = wire::root::<fb::JournalEntry<'_>>(Part::Journal, payload)?;
    wire::check_fields(&form, &Path::root(Part::Journal))?;
    Ok(form)
}

struct State {
    program: ProgramPart,
    record: Record,
    // Maps until the end, so that no order of entries makes recovery slow.
    sources: BTreeMap<String, ContentHash>,
    addresses: BTreeMap<(ObjectKind, u32), AssignedAddress>,
    elfs: BTreeMap<(KernelId, u8), KernelElf>,
    reads: BTreeMap<CommandIndex, ReadResult>,
    blobs: Blobs,
    executing: Option<CommandIndex>,
    /// Whether the last command is unfinished.
    open: bool,
}

fn apply(
    state: &mut Option<State>,
    form: &fb::JournalEntry<'_>,
    offset: u64,
) -> Result<(), JournalError> {
    let order = |what| JournalError::Order { offset, what };
    let in_entry = |source| JournalError::Entry { offset, source };
    let root = Path::root(Part::Journal);
    let path = root.field("event");
    let member = form.event_type();
    if member == fb::JournalEvent::Begin {
        if state.is_some() {
            return Err(order("the journal begins a second time"));
        }
        *state = Some(State::begin(form, &path).map_err(in_entry)?);
        return Ok(());
    }
    let state = state.as_mut().ok_or_else(|| order("the first entry is not the beginning"))?;
    let event = state.event(form, &path).map_err(in_entry)?;
    match event {
        AfterEntry::Done => Ok(()),
        AfterEntry::Disorder(what) => Err(order(what)),
    }
}

enum AfterEntry {
    Done,
    Disorder(&'static str),
}

impl State {
    fn begin(form: &fb::JournalEntry<'_>, path: &Path<'_>) -> Result<Self, CaptureError> {
        let begin = wire::required(form.event_as_begin(), path)?;
        wire::check_fields(&begin, path)?;
        let grid = wire::required(begin.grid(), &path.field("grid"))?;
        let dispatch = &path.field("dispatch_mode");
        Ok(Self {
            program: ProgramPart {
                architecture: Architecture::from_wire(
                    begin.architecture(),
                    &path.field("architecture"),
                )?,
                grid: Grid::from_wire(*grid, path)?,
                placement_bound: false,
                sources: Vec::new(),
                commands: Vec::new(),
                num_command_queues: begin.num_command_queues(),
                trace_region_size: begin.trace_region_size(),
                l1_small_size: begin.l1_small_size(),
                worker_l1_size: begin.worker_l1_size(),
                // Tensors are declared only on a complete capture.
                free_tensors: Vec::new(),
            },
            record: Record {
                writer: wire::text(begin.writer()),
                schema_hash: schema_hash(),
                chip: wire::chip(begin.chip(), &path.field("chip"))?,
                firmware: wire::firmware(begin.firmware(), &path.field("firmware"))?,
                dispatch_mode: DispatchMode::from_wire(begin.dispatch_mode(), dispatch)?,
                addresses: Vec::new(),
                elfs: Vec::new(),
                faults: Vec::new(),
                waits: Vec::new(),
                reads: Vec::new(),
                collected: Vec::new(),
                expected_faults: Vec::new(),
                l1_bank_order: L1BankOrder::RowByRow,
                origin: None,
                asked: wire::decode_device_requirements(begin.asked(), &path.field("asked"))?,
                at_end: None,
                printed: Vec::new(),
                checks: wire::checks(begin.checks(), &path.field("checks"))?,
            },
            sources: BTreeMap::new(),
            addresses: BTreeMap::new(),
            elfs: BTreeMap::new(),
            reads: BTreeMap::new(),
            blobs: Blobs::new(),
            executing: None,
            open: false,
        })
    }

    fn embed(&mut self, content: &[u8]) -> ContentHash {
        let hash = ContentHash::of(content);
        self.blobs.entry(hash).or_insert_with(|| content.into());
        hash
    }

    /// Applies an entry after the first.
    fn event(
        &mut self,
        form: &fb::JournalEntry<'_>,
        path: &Path<'_>,
    ) -> Result<AfterEntry, CaptureError> {
        match form.event_type() {
            fb::JournalEvent::Source => {
                let source = wire::required(form.event_as_source(), path)?;
                wire::check_fields(&source, path)?;
                let hash = self.embed(source.content().map_or(&[], |content| content.bytes()));
                let known = self.sources.insert(wire::text(source.path()), hash);
                if known.is_some_and(|known| known != hash) {
                    return Ok(AfterEntry::Disorder("a source changed while it was recorded"));
                }
            }
            fb::JournalEvent::BlobAdded => {
                let blob = wire::required(form.event_as_blob_added(), path)?;
                wire::check_fields(&blob, path)?;
                self.embed(blob.content().map_or(&[], |content| content.bytes()));
            }
            fb::JournalEvent::CommandBegun => {
                let begun = wire::required(form.event_as_command_begun(), path)?;
                wire::check_fields(&begun, path)?;
                let command = wire::command_of_begun(&begun, &path.field("command"))?;
                let count = self.program.commands.len();
                let is_over = self.open || self.record.at_end.is_some();
                if is_over || u32::try_from(count) != Ok(begun.index()) {
                    return Ok(AfterEntry::Disorder("a command begins out of turn"));
                }
                path.at_most("commands", count as u64, limits::COMMANDS)?;
                let outcome = Outcome::Unfinished;
                self.program.commands.push(RecordedCommand { command, outcome });
                self.open = true;
            }
            fb::JournalEvent::CommandEnded => {
                let ended = wire::required(form.event_as_command_ended(), path)?;
                wire::check_fields(&ended, path)?;
                let outcome = wire::outcome(ended.outcome(), ended.failure(), path)?;
                let last = self.program.commands.len().checked_sub(1);
                let is_last = last.and_then(|last| u32::try_from(last).ok()) == Some(ended.index());
                let Some(command) = self.program.commands.last_mut().filter(|_| is_last) else {
                    return Ok(AfterEntry::Disorder("a command ends out of turn"));
                };
                if !self.open {
                    return Ok(AfterEntry::Disorder("a command ends twice"));
                }
                self.open = outcome == Outcome::Unfinished;
                if let Outcome::Failed(_) = outcome {
                    // The bytes of the read may have arrived before the read reported the failure of an earlier
                    // call.
                    self.reads.remove(&CommandIndex(ended.index()));
                }
                command.outcome = outcome;
            }
            fb::JournalEvent::ReadCompleted => {
                let completed = wire::required(form.event_as_read_completed(), path)?;
                wire::check_fields(&completed, path)?;
                let place = path.field("result");
                let result = wire::required(completed.result(), &place)?;
                let result = wire::read_result(result, &place)?;
                if completed.embedded() {
                    let content = completed.content().map_or(&[][..], |content| content.bytes());
                    if self.embed(content) != result.hash {
                        return Ok(AfterEntry::Disorder("what a read returned has another hash"));
                    }
                }
                if self.reads.insert(result.command, result).is_some() {
                    return Ok(AfterEntry::Disorder("a read completes twice"));
                }
            }
            fb::JournalEvent::ExecutingEnqueue => {
                let executing = wire::required(form.event_as_executing_enqueue(), path)?;
                wire::check_fields(&executing, path)?;
                self.executing = Some(CommandIndex(executing.index()));
            }
            fb::JournalEvent::RecordUpdate => {
                let update = wire::required(form.event_as_record_update(), path)?;
                wire::check_fields(&update, path)?;
                self.program.placement_bound |= update.placement_bound();
                let addresses = wire::addresses(update.addresses(), &path.field("addresses"))?;
                let placed = |address: AssignedAddress| ((address.object, address.id), address);
                self.addresses.extend(addresses.into_iter().map(placed));
                let elfs = wire::elfs(update.elfs(), &path.field("elfs"))?;
                self.elfs.extend(elfs.into_iter().map(|elf| ((elf.kernel, elf.processor), elf)));
                self.record.faults.extend(wire::faults(update.faults(), &path.field("faults"))?);
                self.record.waits.extend(wire::waits(update.waits(), &path.field("waits"))?);
                let place = path.field("collected");
                self.record.collected.extend(wire::collected(update.collected(), &place)?);
                let place = path.field("l1_bank_order");
                match L1BankOrder::from_wire(update.l1_bank_order(), &place)? {
                    L1BankOrder::RowByRow => {}
                    order @ L1BankOrder::Shuffled => self.record.l1_bank_order = order,
                }
            }
            fb::JournalEvent::QueuesDrained => {
                let drained = wire::required(form.event_as_queues_drained(), path)?;
                wire::check_fields(&drained, path)?;
                if self.open {
                    return Ok(AfterEntry::Disorder("the queues are drained within a command"));
                }
                let outcome = wire::outcome(drained.outcome(), drained.failure(), path)?;
                self.record.at_end = Some(QueuesEnd::of(outcome));
            }
            fb::JournalEvent::NONE => return Err(path.error(Problem::Missing)),
            other => return Err(wire::unknown_value(path, "journal event", other.0)),
        }
        Ok(AfterEntry::Done)
    }

    fn finish(self) -> Result<Recovered, JournalError> {
        let Self { mut program, mut record, blobs, executing, .. } = self;
        let sources = self.sources.into_iter();
        program.sources = sources.map(|(path, hash)| SourceFile { path, hash }).collect();
        record.addresses = self.addresses.into_values().collect();
        record.elfs = self.elfs.into_values().collect();
        record.reads = self.reads.into_values().collect();
        let mut capture = Capture { program, record: Some(record), outputs: Vec::new(), blobs };
        capture.outputs = capture.outputs_of_reads();
        capture.validate()?;
        Ok(Recovered { capture, executing })
    }
}
