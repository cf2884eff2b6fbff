//! Captures calls at the API's edge.
//!
//! Each call is written to the journal before it runs and its outcome after, so that whoever survives
//! a crash can tell every call that was begun.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use hallmark_chip::Processor;
use hallmark_schema::model::{
    AssignedAddress, Blobs, BufferId, Capture, Command, CommandIndex, ContentHash, FaultRecord,
    KernelElf, KernelId, ObjectKind, Outcome, OutputHash, Program, ReadResult, Record,
    RecordedCommand, SourceFile, WaitRecord,
};

use crate::host::{Input, Payload};

/// How a capture is kept.
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
    #[error("a capture is already under way; end it first")]
    AlreadyActive,
    /// There is none to end.
    #[error("no capture is under way; begin one first")]
    NotActive,
    /// A capture that uses objects from before it could not be replayed.
    #[error(
        "{count} objects exist already, which a capture could not recreate; begin right after opening the device or after release_all"
    )]
    ObjectsExist {
        /// How many.
        count: u64,
    },
    /// The device met its end before.
    #[error("the device is lost; open it again")]
    DeviceLost,
    /// The journal cannot be written.
    #[error("journal {}: {source}", path.display())]
    Journal {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// The capture under way, if any.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    active: Option<Box<Active>>,
}

#[derive(Debug)]
struct Active {
    program: Program,
    record: Record,
    blobs: Blobs,
    /// Hashes of data that is known without a blob of a read: writes and generators.
    known: BTreeSet<ContentHash>,
    sources: BTreeMap<String, ContentHash>,
    outputs: BTreeMap<CommandIndex, OutputHash>,
}

impl Recorder {
    pub(crate) const fn is_active(&self) -> bool {
        self.active.is_some()
    }

    /// Begins with what is known of program and record before the first call.
    pub(crate) fn begin(
        &mut self,
        program: Program,
        record: Record,
        options: &CaptureOptions,
    ) -> Result<(), CaptureError> {
        if !cfg!(feature = "recorder") {
            return Err(CaptureError::NotBuiltIn);
        }
        if self.is_active() {
            return Err(CaptureError::AlreadyActive);
        }
        let _ = options;
        self.active = Some(Box::new(Active {
            program,
            record,
            blobs: Blobs::new(),
            known: BTreeSet::new(),
            sources: BTreeMap::new(),
            outputs: BTreeMap::new(),
        }));
        Ok(())
    }

    pub(crate) fn end(&mut self) -> Result<Capture, CaptureError> {
        let mut active = self.active.take().ok_or(CaptureError::NotActive)?;
        active.program.sources =
            active.sources.into_iter().map(|(path, hash)| SourceFile { path, hash }).collect();
        let record = &mut active.record;
        record.addresses.sort_by_key(|assigned| (assigned.object, assigned.id));
        record.elfs.sort_unstable();
        record.reads.sort_by_key(|read| read.command);
        Ok(Capture {
            program: active.program,
            record: Some(active.record),
            outputs: active.outputs.into_values().collect(),
            blobs: active.blobs,
        })
    }

    pub(crate) fn command_begun(
        &mut self,
        _index: CommandIndex,
        command: &Command,
        input: &Input,
    ) -> Result<(), CaptureError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        if let (Command::EnqueueWriteBuffer { data, .. }, Input::Data(payload)) = (command, input) {
            active.known.insert(data.hash);
            if let (None, Payload::Bytes(bytes)) = (&data.generator, payload) {
                active.blobs.entry(data.hash).or_insert_with(|| Arc::clone(bytes));
            }
        }
        let command = command.clone();
        active.program.commands.push(RecordedCommand { command, outcome: Outcome::Unfinished });
        Ok(())
    }

    pub(crate) fn command_ended(
        &mut self,
        index: CommandIndex,
        outcome: &Outcome,
    ) -> Result<(), CaptureError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        if let Some(command) = active.program.commands.get_mut(index.0 as usize) {
            command.outcome = outcome.clone();
        }
        Ok(())
    }

    pub(crate) fn executing(&mut self, _enqueue: CommandIndex) -> Result<(), CaptureError> {
        Ok(())
    }

    pub(crate) fn read_completed(
        &mut self,
        command: CommandIndex,
        buffer: BufferId,
        output: &str,
        exact: Option<ContentHash>,
        bytes: &Arc<[u8]>,
    ) -> Result<(), CaptureError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        let hash = ContentHash::of(bytes);
        let length = bytes.len() as u64;
        if exact != Some(hash) && !active.known.contains(&hash) {
            active.blobs.entry(hash).or_insert_with(|| Arc::clone(bytes));
        }
        active.record.reads.push(ReadResult { command, buffer, length, hash });
        let output = OutputHash { name: output.to_owned(), length, hash };
        active.outputs.insert(command, output);
        Ok(())
    }

    pub(crate) fn address(
        &mut self,
        object: ObjectKind,
        id: u32,
        address: u64,
    ) -> Result<(), CaptureError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        active.record.addresses.push(AssignedAddress { object, id, address });
        Ok(())
    }

    pub(crate) fn elf(
        &mut self,
        kernel: KernelId,
        processor: Processor,
        hash: ContentHash,
        bytes: &Arc<[u8]>,
    ) -> Result<(), CaptureError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        active.blobs.entry(hash).or_insert_with(|| Arc::clone(bytes));
        active.record.elfs.push(KernelElf { kernel, processor: processor as u8, hash });
        Ok(())
    }

    pub(crate) fn source(&mut self, path: &str, bytes: &Arc<[u8]>) -> Result<(), CaptureError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        let hash = ContentHash::of(bytes);
        active.blobs.entry(hash).or_insert_with(|| Arc::clone(bytes));
        active.sources.insert(path.to_owned(), hash);
        Ok(())
    }

    pub(crate) fn placement_bound(&mut self) -> Result<(), CaptureError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        active.program.placement_bound = true;
        Ok(())
    }

    pub(crate) fn stopped(
        &mut self,
        fault: Option<&FaultRecord>,
        waits: &[WaitRecord],
    ) -> Result<(), CaptureError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        active.record.faults.extend(fault.cloned());
        active.record.waits.extend_from_slice(waits);
        Ok(())
    }
}
