//! Captures calls at the API's edge.
//!
//! Each call is written to the journal before it runs and its outcome after, so that a process that survives a crash can
//! tell every call that was begun.

mod defects;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hallmark_chip::{L1BankOrder, Processor};
use hallmark_engine::{Stop, StopCause};
use hallmark_schema::commands;
use hallmark_schema::journal::{AppendError, JournalBegin, JournalWriter, RecordUpdate};
use hallmark_schema::limits;
use hallmark_schema::model::{
    AssignedAddress, Blobs, BufferId, Capture, CollectedBytes, Command, CommandIndex, ContentHash,
    FaultRecord, KernelElf, KernelId, LineTableBytes, ObjectKind, Outcome, ProgramPart, QueuesEnd,
    ReadResult, Record, RecordedCommand, SharedBytes, SourceFile, WaitRecord,
};

use crate::defects::{Defect, planted};
use crate::mapped_file::MappedFile;
use crate::payload::{Input, Payload};

/// The options of a capture.
#[derive(Clone, Debug, Default)]
pub struct CaptureOptions {
    /// A file that outlives a crash: created anew, and from it
    /// [`hallmark_schema::journal::recover`] makes the capture of every call begun. Without it the
    /// capture lives in memory only.
    pub journal: Option<PathBuf>,
}

/// A capture cannot begin, be kept, or end.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// This build cannot record.
    #[error(
        "this build of hallmark-runtime has no recorder; build it with the cargo feature `recorder`"
    )]
    NotBuiltIn,
    /// One capture at a time.
    #[error("a capture is already under way; end that capture first")]
    AlreadyActive,
    /// No capture is under way.
    #[error("no capture is under way; begin a capture first")]
    NotActive,
    /// A capture that uses objects from before it could not be replayed.
    #[error(
        "{count} objects exist already, which a capture could not create again; begin the capture right after the device is opened, or after release_all"
    )]
    ObjectsExist {
        /// The number of objects.
        count: u64,
    },
    /// The device met its end before.
    #[error("the device is lost; open the device again")]
    DeviceLost,
    /// An earlier call failed in a way that is no outcome.
    #[error(
        "the capture ended at command {command}, because of an error that the host program did not cause"
    )]
    GivenUp {
        /// The call that was recorded last.
        command: CommandIndex,
    },
    /// A file was edited between two kernels that include it.
    #[error("source {path} changed while it was recorded; begin the capture again")]
    SourceChanged {
        /// The source's path.
        path: String,
    },
    /// The journal cannot be written.
    #[error("journal {}: {source}", path.display())]
    Journal {
        /// The journal's file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}

hallmark_chip::error_checks! {
    pub(crate) CaptureError: AlreadyActive, ObjectsExist, DeviceLost, GivenUp, SourceChanged;
    besides: NotBuiltIn, NotActive, Journal
}

/// The capture under way, if any.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    active: Option<Box<Active>>,
}

#[derive(Debug)]
struct Active {
    program: ProgramPart,
    record: Record,
    blobs: Blobs,
    /// Hashes of data that is known without a blob of a read: writes and generators.
    known: BTreeSet<ContentHash>,
    sources: BTreeMap<String, ContentHash>,
    /// The call that has no outcome; nothing can follow it.
    given_up: Option<CommandIndex>,
    journal: Option<Journal>,
}

#[derive(Debug)]
struct Journal {
    path: PathBuf,
    writer: JournalWriter<MappedFile>,
}

impl Active {
    fn journal(
        &mut self,
        write: impl FnOnce(&mut JournalWriter<MappedFile>) -> Result<(), AppendError<io::Error>>,
    ) -> Result<(), CaptureError> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        write(&mut journal.writer).map_err(|error| CaptureError::journal(&journal.path, error))
    }

    /// Keeps bytes by content, once.
    fn blob(
        &mut self,
        hash: ContentHash,
        bytes: impl Into<SharedBytes>,
    ) -> Result<(), CaptureError> {
        if self.blobs.contains_key(&hash) {
            return Ok(());
        }
        let bytes = bytes.into();
        self.journal(|writer| writer.blob(&bytes))?;
        self.blobs.insert(hash, bytes);
        Ok(())
    }
}

impl CaptureError {
    fn journal(path: &Path, error: AppendError<io::Error>) -> Self {
        let source = match error {
            AppendError::Buffer(source) => source,
            too_long @ AppendError::TooLong { .. } => io::Error::other(too_long.to_string()),
        };
        Self::Journal { path: path.to_owned(), source }
    }
}

impl Recorder {
    pub(crate) const fn is_active(&self) -> bool {
        self.active.is_some()
    }

    /// Begins a capture; `program` and `record` hold everything that is known before the first call.
    pub(crate) fn begin(
        &mut self,
        program: ProgramPart,
        record: Record,
        options: &CaptureOptions,
    ) -> Result<(), CaptureError> {
        if !cfg!(feature = "recorder") {
            return Err(CaptureError::NotBuiltIn);
        }
        if self.is_active() {
            CaptureError::AlreadyActive.refuse()?;
        }
        let journal = options.journal.as_ref().map(|path| {
            let file = MappedFile::create(path)
                .map_err(|source| CaptureError::Journal { path: path.clone(), source })?;
            let begin = JournalBegin {
                architecture: program.architecture,
                grid: program.grid,
                writer: record.writer.clone(),
                chip: record.chip.clone(),
                firmware: record.firmware.clone(),
                dispatch_mode: record.dispatch_mode,
                asked: record.asked,
                checks: record.checks.clone(),
                num_command_queues: program.num_command_queues,
                trace_region_size: program.trace_region_size,
                l1_small_size: program.l1_small_size,
                worker_l1_size: program.worker_l1_size,
            };
            let capacity = file.capacity() as u64;
            let writer = JournalWriter::begin(file, capacity, &begin)
                .map_err(|error| CaptureError::journal(path, error))?;
            Ok(Journal { path: path.clone(), writer })
        });
        self.active = Some(Box::new(Active {
            program,
            record,
            blobs: Blobs::new(),
            known: BTreeSet::new(),
            sources: BTreeMap::new(),
            given_up: None,
            journal: journal.transpose()?,
        }));
        Ok(())
    }

    /// Keeps bytes that a command names without using them.
    pub(crate) fn embed(&mut self, bytes: impl Into<SharedBytes>) -> Result<(), CaptureError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        let bytes = bytes.into();
        active.blob(ContentHash::of(&bytes), bytes)
    }

    pub(crate) fn end(&mut self) -> Result<Capture, CaptureError> {
        let active = *self.active.take().ok_or(CaptureError::NotActive)?;
        let Active { mut program, mut record, blobs, sources, .. } = active;
        program.sources =
            sources.into_iter().map(|(path, hash)| SourceFile { path, hash }).collect();
        record.addresses.sort_by_key(|assigned| (assigned.object, assigned.id));
        record.elfs.sort_unstable();
        record.reads.sort_by_key(|read| read.command);
        let mut capture = Capture { program, record: Some(record), outputs: Vec::new(), blobs };
        capture.outputs = capture.outputs_of_reads();
        Ok(capture)
    }

    pub(crate) fn command_begun(
        &mut self,
        index: CommandIndex,
        command: &Command,
        input: &Input,
    ) -> Result<(), CaptureError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        if let Some(command) = active.given_up {
            CaptureError::GivenUp { command }.refuse()?;
        }
        if let (
            Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer { data, .. }),
            Input::Data(payload),
        ) = (command, input)
        {
            active.known.insert(data.hash);
            if let (None, Payload::Bytes(bytes)) = (&data.generator, payload) {
                active.blob(data.hash, bytes.clone())?;
            }
        }
        let command = defects::recorded(command.clone());
        active.journal(|writer| writer.command_begun(index, &command))?;
        active.program.commands.push(RecordedCommand { command, outcome: Outcome::Unfinished });
        Ok(())
    }

    /// A call ended without an outcome that could be recorded.
    pub(crate) fn give_up(&mut self, index: CommandIndex) {
        if let Some(active) = &mut self.active {
            active.given_up.get_or_insert(index);
        }
    }

    pub(crate) fn command_ended(
        &mut self,
        index: CommandIndex,
        outcome: &Outcome,
    ) -> Result<(), CaptureError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        let outcome = &defects::outcome(outcome.clone());
        active.journal(|writer| writer.command_ended(index, outcome))?;
        if let Some(command) = active.program.commands.get_mut(index.0 as usize) {
            command.outcome = outcome.clone();
        }
        if let Outcome::Failed(_) = outcome {
            // It returned nothing, though its bytes may have come.
            active.record.reads.retain(|read| read.command != index);
        }
        Ok(())
    }

    /// Notes the program that the device works on from here on.
    pub(crate) fn executing(&mut self, enqueue: CommandIndex) -> Result<(), CaptureError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        active.journal(|writer| writer.executing(enqueue))
    }

    pub(crate) fn read_completed(
        &mut self,
        command: CommandIndex,
        buffer: BufferId,
        exact: Option<ContentHash>,
        bytes: &SharedBytes,
    ) -> Result<(), CaptureError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        let hash = ContentHash::of(bytes);
        let first = active.record.reads.first().map(|read| read.hash);
        let hash = first.filter(|_| planted(Defect::RecorderKeepsTheFirstRead)).unwrap_or(hash);
        let result = ReadResult { command, buffer, length: bytes.len() as u64, hash };
        let elsewhere =
            exact == Some(hash) || active.known.contains(&hash) || active.blobs.contains_key(&hash);
        let content = (!elsewhere).then_some(&**bytes);
        active.journal(|writer| writer.read_completed(&result, content))?;
        if !elsewhere {
            active.blobs.insert(hash, bytes.clone());
        }
        active.record.reads.push(result);
        Ok(())
    }

    pub(crate) fn address(
        &mut self,
        object: ObjectKind,
        id: u32,
        address: u64,
    ) -> Result<(), CaptureError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        let assigned = AssignedAddress { object, id, address };
        let update = RecordUpdate { addresses: vec![assigned], ..RecordUpdate::default() };
        active.journal(|writer| writer.update(&update))?;
        active.record.addresses.push(assigned);
        Ok(())
    }

    pub(crate) fn elf(
        &mut self,
        kernel: KernelId,
        processor: Processor,
        hash: ContentHash,
        bytes: &Arc<[u8]>,
        lines: Option<&[u8]>,
    ) -> Result<(), CaptureError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        active.blob(hash, bytes)?;
        let lines = LineTableBytes::from(lines.unwrap_or_default());
        let elf = KernelElf { kernel, processor: processor as u8, hash, lines };
        let update = RecordUpdate { elfs: vec![elf.clone()], ..RecordUpdate::default() };
        active.journal(|writer| writer.update(&update))?;
        active.record.elfs.push(elf);
        Ok(())
    }

    /// Notes a trace as bytes; the program part does not hold the bytes.
    pub(crate) fn collected(
        &mut self,
        command: CommandIndex,
        bytes: &Arc<[u8]>,
    ) -> Result<(), CaptureError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        let hash = ContentHash::of(bytes);
        active.blob(hash, bytes)?;
        let collected = CollectedBytes { command, hash };
        let update = RecordUpdate { collected: vec![collected], ..RecordUpdate::default() };
        active.journal(|writer| writer.update(&update))?;
        active.record.collected.push(collected);
        Ok(())
    }

    pub(crate) fn source(&mut self, path: &str, bytes: &Arc<[u8]>) -> Result<(), CaptureError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        let hash = ContentHash::of(bytes);
        match active.sources.get(path) {
            Some(known) if *known == hash => return Ok(()),
            Some(_) => CaptureError::SourceChanged { path: path.to_owned() }.refuse()?,
            None => {}
        }
        active.journal(|writer| writer.source(path, bytes))?;
        active.blobs.entry(hash).or_insert_with(|| bytes.into());
        active.sources.insert(path.to_owned(), hash);
        Ok(())
    }

    /// A buffer is interleaved over L1, whose banks have this order.
    pub(crate) fn l1_bank_order(&mut self, order: L1BankOrder) -> Result<(), CaptureError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        if active.record.l1_bank_order == order {
            return Ok(());
        }
        let update = RecordUpdate { l1_bank_order: order, ..RecordUpdate::default() };
        active.journal(|writer| writer.update(&update))?;
        active.record.l1_bank_order = order;
        Ok(())
    }

    pub(crate) fn placement_bound(&mut self) -> Result<(), CaptureError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        let update = RecordUpdate { placement_bound: true, ..RecordUpdate::default() };
        active.journal(|writer| writer.update(&update))?;
        active.program.placement_bound = true;
        Ok(())
    }

    /// Notes how the queues end: unfinished before they are drained, the outcome after.
    pub(crate) fn queues_drained(&mut self, outcome: &Outcome) -> Result<(), CaptureError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        if let Some(command) = active.given_up {
            CaptureError::GivenUp { command }.refuse()?;
        }
        if planted(Defect::RecorderForgetsTheEnd) {
            return Ok(());
        }
        active.journal(|writer| writer.queues_drained(outcome))?;
        active.record.at_end = Some(QueuesEnd::of(outcome.clone()));
        Ok(())
    }

    /// Notes the faults and waits by which the device was lost.
    pub(crate) fn stopped(&mut self, stop: &Stop) -> Result<(), CaptureError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        let mut update = RecordUpdate::default();
        match &stop.cause {
            StopCause::Fault(fault) => {
                let mut fault = fault.clone();
                let end = fault.reason.floor_char_boundary(limits::TEXT_BYTES);
                fault.reason.truncate(end);
                update.faults.push(FaultRecord::new(stop.command, fault));
            }
            StopCause::Deadlock { waiting } => {
                update.waits.extend(waiting.iter().map(WaitRecord::from));
            }
            StopCause::Hang { .. }
            | StopCause::Lost { .. }
            | StopCause::Internal { .. }
            | StopCause::Captured { .. } => {}
        }
        active.journal(|writer| writer.update(&update))?;
        active.record.faults.extend(update.faults);
        active.record.waits.extend(update.waits);
        Ok(())
    }
}
