//! The journal's writer. It writes an entry for each command before the command runs, for each outcome, and for
//! each addition to the record.

use std::fmt;
use std::sync::atomic::{Ordering, fence};

use flatbuffers::{UnionWIPOffset, WIPOffset};
use hallmark_chip::{Architecture, FaultCategory, L1BankOrder};

use super::{ENTRY_HEADER_BYTES, HEADER_BYTES, MAGIC, MARK, checksum, weight};
use crate::generated::capture as fb;
use crate::model::{
    AssignedAddress, ChipRecord, CollectedBytes, Command, CommandIndex, DeviceRequirements,
    DispatchMode, FaultRecord, FirmwareRecord, Grid, KernelElf, Outcome, ReadResult, WaitRecord,
};
use crate::wire::{self, Builder, Wire};
use crate::{VERSION, limits};

/// Memory that outlives its writer's process, all zero at first. Implemented for `Vec<u8>`; a
/// recorder brings a mapped file.
pub trait JournalBuffer {
    /// Why the buffer cannot grow.
    type Error;

    /// Makes the buffer `length` bytes long; the new bytes are zero.
    ///
    /// # Errors
    /// The buffer cannot grow; it is unchanged.
    fn reserve(&mut self, length: usize) -> Result<(), Self::Error>;

    /// Writes `bytes` at `offset`, within the reserved length. Writes take effect in the order of the calls.
    fn write(&mut self, offset: usize, bytes: &[u8]);
}

impl JournalBuffer for Vec<u8> {
    type Error = std::convert::Infallible;

    fn reserve(&mut self, length: usize) -> Result<(), Self::Error> {
        if self.len() < length {
            self.resize(length, 0);
        }
        Ok(())
    }

    fn write(&mut self, offset: usize, bytes: &[u8]) {
        let room = self.get_mut(offset..).unwrap_or_default();
        for (to, from) in room.iter_mut().zip(bytes) {
            *to = *from;
        }
    }
}

/// The facts that are known before the first command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalBegin {
    /// The architecture on which the program runs.
    pub architecture: Architecture,
    /// The requested grid.
    pub grid: Grid,
    /// The version of the recording Hallmark.
    pub writer: String,
    /// The chip of the run.
    pub chip: ChipRecord,
    /// The firmware of the run.
    pub firmware: FirmwareRecord,
    /// How programs are launched.
    pub dispatch_mode: DispatchMode,
    /// The requirements on the device.
    pub asked: DeviceRequirements,
    /// The kinds of faults that the recording release looks for, ascending.
    pub checks: Vec<FaultCategory>,
    /// The requested number of command queues.
    pub num_command_queues: u8,
    /// Bytes of every DRAM bank that were set aside for traces.
    pub trace_region_size: u64,
    /// Bytes at the top of each core's L1 that were set aside for buffers of the type L1_SMALL.
    pub l1_small_size: u64,
    /// Bytes of each core's L1 for buffers and circular buffers; 0 stands for all that there are.
    pub worker_l1_size: u64,
}

/// Additions to the record. Addresses and ELFs replace earlier ones of the same object; faults, waits and
/// collected traces are appended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordUpdate {
    /// Whether an address or coordinate was turned into a plain number.
    pub placement_bound: bool,
    /// The assigned addresses of objects.
    pub addresses: Vec<AssignedAddress>,
    /// The ELFs of kernels.
    pub elfs: Vec<KernelElf>,
    /// Faults that a device has reported.
    pub faults: Vec<FaultRecord>,
    /// Waiting cores of a deadlock.
    pub waits: Vec<WaitRecord>,
    /// Collected traces, by their hash; the recorder keeps the bytes.
    pub collected: Vec<CollectedBytes>,
    /// The order of the L1 banks, once a buffer is interleaved over L1.
    pub l1_bank_order: L1BankOrder,
}

/// An entry could not be written; the journal is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError<E> {
    /// The buffer cannot grow.
    #[error("the journal cannot grow: {0}")]
    Buffer(E),
    /// The journal would exceed the length that readers accept.
    #[error(
        "the journal would grow to {length} B, and at most {limit} B are read; record less in one capture"
    )]
    TooLong {
        /// The length that the journal would reach, or the estimated size of an entry that alone is too long;
        /// bytes.
        length: u64,
        /// The largest accepted length, bytes.
        limit: u64,
    },
}

/// A journal that is being written; it can be recovered after every entry.
pub struct JournalWriter<B> {
    buffer: B,
    end: usize,
    /// Encodes every entry, so that its memory is allocated once.
    builder: Builder<'static>,
}

/// The initial capacity of the encoder, and the longest entry (`KEPT`) after which the encoder is kept; bytes.
const ENCODER: usize = 4096;
const KEPT: usize = 1 << 20;

impl<B: fmt::Debug> fmt::Debug for JournalWriter<B> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { buffer, end, .. } = self;
        let mut text = formatter.debug_struct("JournalWriter");
        text.field("buffer", buffer).field("end", end).finish_non_exhaustive()
    }
}

impl<B: JournalBuffer> JournalWriter<B> {
    /// Begins a journal in a buffer that is all zero. The header states `capacity`, the room that the buffer
    /// has now, for programs that read the file.
    ///
    /// # Errors
    /// The buffer cannot grow.
    pub fn begin(
        mut buffer: B,
        capacity: u64,
        begin: &JournalBegin,
    ) -> Result<Self, AppendError<B::Error>> {
        buffer.reserve(HEADER_BYTES).map_err(AppendError::Buffer)?;
        let mut header = Vec::with_capacity(HEADER_BYTES);
        header.extend_from_slice(&MAGIC);
        header.extend_from_slice(&VERSION.major.to_le_bytes());
        header.extend_from_slice(&VERSION.minor.to_le_bytes());
        header.extend_from_slice(&capacity.to_le_bytes());
        header.extend_from_slice(&[0; 16]);
        let hash = blake3::hash(&header);
        header.extend_from_slice(hash.as_bytes());
        buffer.write(0, &header);
        let builder = Builder::with_capacity(ENCODER);
        let mut writer = Self { buffer, end: HEADER_BYTES, builder };
        writer.append(0, |builder| {
            let args = fb::BeginArgs {
                architecture: begin.architecture.to_wire(),
                grid: Some(&begin.grid.to_wire()),
                writer: wire::string(builder, &begin.writer),
                chip: Some(wire::encode_chip(builder, &begin.chip)),
                firmware: Some(wire::encode_firmware(builder, &begin.firmware)),
                dispatch_mode: begin.dispatch_mode.to_wire(),
                num_command_queues: begin.num_command_queues,
                trace_region_size: begin.trace_region_size,
                l1_small_size: begin.l1_small_size,
                worker_l1_size: begin.worker_l1_size,
                asked: wire::encode_device_requirements(builder, &begin.asked),
                checks: wire::encode_checks(builder, &begin.checks),
            };
            (fb::JournalEvent::Begin, fb::Begin::create(builder, &args).as_union_value())
        })?;
        Ok(writer)
    }

    /// Adds a kernel's source or one of its own includes. The same path again must have the same
    /// content.
    ///
    /// # Errors
    /// The entry could not be written.
    pub fn source(&mut self, path: &str, content: &[u8]) -> Result<(), AppendError<B::Error>> {
        self.append(
            weight::bytes(content).saturating_add(weight::bytes(path.as_bytes())),
            |builder| {
                let args = fb::SourceArgs {
                    path: wire::string(builder, path),
                    content: wire::vector(builder, content),
                };
                (fb::JournalEvent::Source, fb::Source::create(builder, &args).as_union_value())
            },
        )
    }

    /// Adds bytes by content: data or an ELF.
    ///
    /// # Errors
    /// The entry could not be written.
    pub fn blob(&mut self, content: &[u8]) -> Result<(), AppendError<B::Error>> {
        self.append(weight::bytes(content), |builder| {
            let args = fb::BlobAddedArgs { content: wire::vector(builder, content) };
            (fb::JournalEvent::BlobAdded, fb::BlobAdded::create(builder, &args).as_union_value())
        })
    }

    /// Records a command before it runs. Indices count from 0 without gaps.
    ///
    /// # Errors
    /// The entry could not be written.
    pub fn command_begun(
        &mut self,
        index: CommandIndex,
        command: &Command,
    ) -> Result<(), AppendError<B::Error>> {
        self.append(weight::command(command), |builder| {
            let (command_type, command) = wire::encode_command(builder, command);
            let args =
                fb::CommandBegunArgs { index: index.0, command_type, command: Some(command) };
            let made = fb::CommandBegun::create(builder, &args);
            (fb::JournalEvent::CommandBegun, made.as_union_value())
        })
    }

    /// Records the outcome of the command that was begun last.
    ///
    /// # Errors
    /// The entry could not be written.
    pub fn command_ended(
        &mut self,
        index: CommandIndex,
        outcome: &Outcome,
    ) -> Result<(), AppendError<B::Error>> {
        self.append(0, |builder| {
            let args = fb::CommandEndedArgs {
                index: index.0,
                outcome: wire::outcome_kind(outcome),
                failure: wire::encode_failure(builder, outcome),
            };
            let made = fb::CommandEnded::create(builder, &args);
            (fb::JournalEvent::CommandEnded, made.as_union_value())
        })
    }

    /// Records the result of a read, with its bytes if they are to be embedded.
    ///
    /// # Errors
    /// The entry could not be written.
    pub fn read_completed(
        &mut self,
        result: &ReadResult,
        content: Option<&[u8]>,
    ) -> Result<(), AppendError<B::Error>> {
        self.append(content.map_or(0, weight::bytes), |builder| {
            let args = fb::ReadCompletedArgs {
                result: Some(wire::encode_read_result(builder, result)),
                embedded: content.is_some(),
                content: content.and_then(|content| wire::vector(builder, content)),
            };
            let made = fb::ReadCompleted::create(builder, &args);
            (fb::JournalEvent::ReadCompleted, made.as_union_value())
        })
    }

    /// Records that the device now works on an enqueued program, so that a fault that ends the process can be
    /// attributed to it.
    ///
    /// # Errors
    /// The entry could not be written.
    pub fn executing(&mut self, enqueue: CommandIndex) -> Result<(), AppendError<B::Error>> {
        self.append(0, |builder| {
            let args = fb::ExecutingEnqueueArgs { index: enqueue.0 };
            let made = fb::ExecutingEnqueue::create(builder, &args);
            (fb::JournalEvent::ExecutingEnqueue, made.as_union_value())
        })
    }

    /// Records how the queues end: unfinished before they are drained, the outcome after. No command follows.
    ///
    /// # Errors
    /// The entry could not be written.
    pub fn queues_drained(&mut self, outcome: &Outcome) -> Result<(), AppendError<B::Error>> {
        self.append(0, |builder| {
            let args = fb::QueuesDrainedArgs {
                outcome: wire::outcome_kind(outcome),
                failure: wire::encode_failure(builder, outcome),
            };
            let drained = fb::QueuesDrained::create(builder, &args);
            (fb::JournalEvent::QueuesDrained, drained.as_union_value())
        })
    }

    /// Adds to the record.
    ///
    /// # Errors
    /// The entry could not be written.
    pub fn update(&mut self, update: &RecordUpdate) -> Result<(), AppendError<B::Error>> {
        self.append(weight::update(update), |builder| {
            let args = fb::RecordUpdateArgs {
                placement_bound: update.placement_bound,
                addresses: wire::encode_addresses(builder, &update.addresses),
                elfs: wire::encode_elfs(builder, &update.elfs),
                faults: wire::encode_faults(builder, &update.faults),
                waits: wire::encode_waits(builder, &update.waits),
                collected: wire::encode_collected(builder, &update.collected),
                l1_bank_order: update.l1_bank_order.to_wire(),
            };
            let made = fb::RecordUpdate::create(builder, &args);
            (fb::JournalEvent::RecordUpdate, made.as_union_value())
        })
    }

    /// The number of bytes written so far.
    pub const fn len(&self) -> usize {
        self.end
    }

    /// Always `false`: a journal has a header.
    pub const fn is_empty(&self) -> bool {
        false
    }

    /// The journal's buffer.
    pub const fn buffer(&self) -> &B {
        &self.buffer
    }

    /// Returns the journal's buffer.
    pub fn into_buffer(self) -> B {
        self.buffer
    }

    /// Encodes and appends an entry of about `weight` bytes. The caller estimates the weight because the
    /// encoder itself cannot fail.
    fn append(
        &mut self,
        weight: u64,
        event: impl for<'b> FnOnce(&mut Builder<'b>) -> (fb::JournalEvent, WIPOffset<UnionWIPOffset>),
    ) -> Result<(), AppendError<B::Error>> {
        let limit = limits::JOURNAL_BYTES;
        if weight > limit / 2 {
            return Err(AppendError::TooLong { length: weight, limit });
        }
        let builder = &mut self.builder;
        builder.reset();
        let (event_type, event) = event(builder);
        let args = fb::JournalEntryArgs { event_type, event: Some(event) };
        let root = fb::JournalEntry::create(builder, &args);
        builder.finish(root, None);
        let payload = builder.finished_data();

        let too_long = |length: usize| AppendError::TooLong { length: length as u64, limit };
        let end = payload
            .len()
            .checked_add(ENTRY_HEADER_BYTES)
            .and_then(|length| length.checked_add(self.end))
            .and_then(|end| end.checked_next_multiple_of(8))
            .ok_or_else(|| too_long(usize::MAX))?;
        let length = u32::try_from(payload.len()).map_err(|_| too_long(end))?;
        // The next commit word must lie within the buffer and be zero.
        let room = end.checked_add(8).ok_or_else(|| too_long(end))?;
        if room as u64 > limit {
            return Err(too_long(room));
        }
        self.buffer.reserve(room).map_err(AppendError::Buffer)?;
        let [commit, check, content] = [0, 8, ENTRY_HEADER_BYTES].map(|at| self.end + at);
        self.buffer.write(content, payload);
        self.buffer.write(check, &checksum(self.end as u64, payload));
        // A reader that sees the commit word must see the committed bytes.
        fence(Ordering::Release);
        let [a, b, c, d] = length.to_le_bytes();
        let [e, f, g, h] = MARK;
        self.buffer.write(commit, &[a, b, c, d, e, f, g, h]);
        self.end = end;
        if payload.len() > KEPT {
            self.builder = Builder::with_capacity(ENCODER);
        }
        Ok(())
    }
}
