//! A capture and its two parts: the program, which goldens compare, and the record of its run.

use std::collections::BTreeMap;

use hallmark_chip::{
    Architecture, ChipDescription, FaultCategory, HarvestingError, HarvestingMask, L1BankOrder,
};
use serde::{Deserialize, Serialize};

use crate::commands::{Command, EnqueueReadBuffer};

use super::{
    BufferId, BufferLayout, CommandIndex, ContentHash, DeviceRequirements, DispatchMode, Failure,
    FaultRecord, FreeTensor, KernelId, LineTableBytes, ObjectKind, Origin, Outcome, Printed,
    RecordedCommand, SharedBytes, WaitRecord,
};

/// Content-addressed bytes.
pub type Blobs = BTreeMap<ContentHash, SharedBytes>;

/// The grid of cores that a host program requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// Columns of compute cores.
    pub columns: u32,
    /// Rows of compute cores.
    pub rows: u32,
}

/// A kernel's source or one of its own includes; Hallmark's headers are not listed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceFile {
    /// Relative to the suites, with `/`.
    pub path: String,
    /// The hash of its bytes.
    pub hash: ContentHash,
}

/// The calls and their expected results: the part with canonical bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramPart {
    /// The architecture on which the program runs.
    pub architecture: Architecture,
    /// The requested grid.
    pub grid: Grid,
    /// Whether an address or coordinate was turned into a plain number.
    pub placement_bound: bool,
    /// Sources, ascending by path, each once.
    pub sources: Vec<SourceFile>,
    /// The calls in their order.
    pub commands: Vec<RecordedCommand>,
    /// The requested number of command queues.
    pub num_command_queues: u8,
    /// Bytes of every DRAM bank that were set aside for traces.
    pub trace_region_size: u64,
    /// Bytes at the top of each core's L1 that were set aside for buffers of the type L1_SMALL.
    pub l1_small_size: u64,
    /// Bytes of each core's L1 for buffers and circular buffers; 0 stands for all that there are.
    pub worker_l1_size: u64,
    /// Inputs in their order, then outputs in theirs; empty unless the program is a binary.
    pub free_tensors: Vec<FreeTensor>,
}

impl ProgramPart {
    /// A program of these calls, for a device with one command queue and no memory set aside. It has no sources
    /// yet.
    pub const fn new(
        architecture: Architecture,
        grid: Grid,
        commands: Vec<RecordedCommand>,
    ) -> Self {
        Self {
            architecture,
            grid,
            placement_bound: false,
            sources: Vec::new(),
            commands,
            num_command_queues: 1,
            trace_region_size: 0,
            l1_small_size: 0,
            worker_l1_size: 0,
            free_tensors: Vec::new(),
        }
    }

    /// Whether the program has free tensors. A binary can be submitted with tensors, but not be replayed alone.
    pub const fn is_binary(&self) -> bool {
        !self.free_tensors.is_empty()
    }

    /// Whether the order of the L1 banks matters, because a buffer is interleaved over them.
    pub fn has_interleaved_l1(&self) -> bool {
        self.commands.iter().any(|made| match (&made.command, &made.outcome) {
            (Command::CreateBuffer(call), Outcome::Done | Outcome::Unfinished) => {
                call.buffer_type.is_l1() && call.layout == BufferLayout::Interleaved
            }
            _ => false,
        })
    }
}

/// The chip of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChipRecord {
    /// The opened device, without a path: `sim:wormhole_b0`, `ttsim`.
    pub device: String,
    /// Word 0 of the PCIe configuration space: vendor and device.
    pub pci_id: u32,
    /// Rows (Grayskull, Wormhole) or columns (Blackhole) fused off, one bit each.
    pub harvesting_mask: u32,
    /// The compute grid of the chip, which may be larger than the requested one.
    pub grid: Grid,
}

/// The firmware of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FirmwareRecord {
    /// The name in the bundle's manifest.
    pub name: String,
    /// The hash of manifest and ELFs.
    pub hash: ContentHash,
    /// The version of the launch block that kernels and firmware agree on.
    pub launch_abi: u32,
}

/// The assigned address of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssignedAddress {
    /// The kind of object: buffer, circular buffer or semaphore.
    pub object: ObjectKind,
    /// The object's id among those of its kind.
    pub id: u32,
    /// A buffer's bank-relative address; otherwise a tile address.
    pub address: u64,
}

/// The ELF of a kernel for one processor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelElf {
    /// The kernel.
    pub kernel: KernelId,
    /// The processor, by [`hallmark_chip::Processor::index`].
    pub processor: u8,
    /// The hash of the ELF, a blob.
    pub hash: ContentHash,
    /// The ELF's line table; empty if it has none.
    #[serde(default, skip_serializing_if = "LineTableBytes::is_empty")]
    pub lines: LineTableBytes,
}

/// The result of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadResult {
    /// The command that read.
    pub command: CommandIndex,
    /// The buffer that was read.
    pub buffer: BufferId,
    /// The number of bytes that it returned.
    pub length: u64,
    /// The hash of the bytes. They are a blob unless the capture holds them in another form.
    pub hash: ContentHash,
}

/// A trace as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectedBytes {
    /// The call that collected it.
    pub command: CommandIndex,
    /// The hash of the bytes, a blob.
    pub hash: ContentHash,
}

/// A call that was expected to fail: see [`Failure::ends_the_run`](super::Failure::ends_the_run).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedFault {
    /// The call that failed.
    pub command: CommandIndex,
}

/// How the work ended that was enqueued and that no call had waited for. No call of the host program: after the last
/// one, every queue is drained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueuesEnd {
    /// Its outcome; unfinished if the run was broken off meanwhile. A failure names the calls that enqueued the work.
    pub outcome: Outcome,
    /// Whether the program's author expected the failure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub expected: bool,
}

impl QueuesEnd {
    /// An end with this outcome that nobody has judged yet.
    pub const fn of(outcome: Outcome) -> Self {
        Self { outcome, expected: false }
    }

    /// The failure, if there was one.
    pub const fn failure(&self) -> Option<&Failure> {
        match &self.outcome {
            Outcome::Failed(failure) => Some(failure),
            Outcome::Done | Outcome::Unfinished => None,
        }
    }
}

/// The circumstances of a run: everything that may differ between two runs of the same program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The version of Hallmark that recorded the run.
    pub writer: String,
    /// The hash of the writer's schema.
    pub schema_hash: ContentHash,
    /// The chip of the run.
    pub chip: ChipRecord,
    /// The firmware of the run.
    pub firmware: FirmwareRecord,
    /// How programs were launched.
    pub dispatch_mode: DispatchMode,
    /// The assigned addresses of objects, ascending by kind and id.
    pub addresses: Vec<AssignedAddress>,
    /// The ELFs of kernels, ascending.
    pub elfs: Vec<KernelElf>,
    /// Faults that the device reported, in their order.
    pub faults: Vec<FaultRecord>,
    /// Waiting cores of a deadlock.
    pub waits: Vec<WaitRecord>,
    /// Results of reads, ascending by command; a read that did not complete has none.
    pub reads: Vec<ReadResult>,
    /// Traces as bytes, ascending by command. A replay that cannot use them executes the commands and collects
    /// the trace again.
    pub collected: Vec<CollectedBytes>,
    /// Calls that the program's author expected to end in a fault, a deadlock, a hang or the loss of the
    /// device, ascending by command. A replay that fails at another call repeats a failure.
    pub expected_faults: Vec<ExpectedFault>,
    /// The core of each bank, where a buffer is interleaved over L1; otherwise row by row.
    pub l1_bank_order: L1BankOrder,
    /// The origin of the capture, if another runtime than Hallmark's ran the program.
    pub origin: Option<Origin>,
    /// The requirements on the device.
    pub asked: DeviceRequirements,
    /// How the queues ended after the last call; `None` if they were not drained, because the device had stopped or the
    /// calls were broken off.
    pub at_end: Option<QueuesEnd>,
    /// The kinds of faults that the writer's release looks for, ascending. Empty in captures of the first release, which
    /// looks for every kind that is no misuse and no assertion.
    pub checks: Vec<FaultCategory>,
    /// The text that kernels printed (`DPRINT`), in the order of each first piece.
    pub printed: Vec<Printed>,
}

/// The hash of an output, as a golden keeps it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputHash {
    /// The output name of the read.
    pub name: String,
    /// The number of bytes that the read returned.
    pub length: u64,
    /// The hash of the bytes.
    pub hash: ContentHash,
}

impl Record {
    /// Whether the release that recorded the run looked for this kind of fault, whatever its device noticed of it.
    pub fn knows(&self, category: FaultCategory) -> bool {
        let of_first_release = !category.is_misuse() && category != FaultCategory::KernelAssertion;
        if self.checks.is_empty() { of_first_release } else { self.checks.contains(&category) }
    }

    /// The description of the chip.
    ///
    /// # Errors
    /// [`HarvestingError`] if no chip of that architecture has this harvesting mask.
    pub fn chip(
        &self,
        architecture: Architecture,
    ) -> Result<&'static ChipDescription, HarvestingError> {
        ChipDescription::harvested(architecture, HarvestingMask(self.chip.harvesting_mask))
    }
}

impl Capture {
    /// The call of a read; `None` if the command is no read.
    pub fn read_call(&self, command: CommandIndex) -> Option<&EnqueueReadBuffer> {
        let place = usize::try_from(command.0).ok()?;
        match &self.program.commands.get(place)?.command {
            Command::EnqueueReadBuffer(call) => Some(call),
            _ => None,
        }
    }

    /// The recorded result of a read; `None` if the command is no read or the read did not complete.
    pub fn read_result(&self, command: CommandIndex) -> Option<&ReadResult> {
        let reads = &self.record.as_ref()?.reads;
        reads.get(reads.binary_search_by_key(&command, |read| read.command).ok()?)
    }

    /// The address that an object was assigned, if the run was recorded and the object has one.
    pub fn address_of(&self, object: ObjectKind, id: u32) -> Option<u64> {
        let addresses = &self.record.as_ref()?.addresses;
        let wanted = (object, id);
        let place =
            addresses.binary_search_by_key(&wanted, |known| (known.object, known.id)).ok()?;
        addresses.get(place).map(|assigned| assigned.address)
    }

    /// Whether the program's author expected the call to fail, as far as the run was recorded.
    pub fn expects_fault_of(&self, command: CommandIndex) -> bool {
        self.record.as_ref().is_some_and(|Record { expected_faults, .. }| {
            expected_faults.binary_search_by_key(&command, |fault| fault.command).is_ok()
        })
    }

    /// The chip of the recorded run; an unharvested one without a record.
    pub fn chip(&self) -> &'static ChipDescription {
        let architecture = self.program.architecture;
        let recorded = self.record.as_ref().and_then(|record| record.chip(architecture).ok());
        recorded.unwrap_or(ChipDescription::of(architecture))
    }

    /// How the queues ended after the last call, if they were drained.
    pub fn at_end(&self) -> Option<&QueuesEnd> {
        self.record.as_ref()?.at_end.as_ref()
    }

    /// The requirements of a replay on its device; the default without a record.
    pub fn asked(&self) -> DeviceRequirements {
        self.record.as_ref().map(|record| record.asked).unwrap_or_default()
    }

    /// The order of the banks of L1. It is recorded where a buffer is interleaved over L1, and decides nothing elsewhere but
    /// the numbers by which banks are called: without a record of it, the chip's default order.
    pub fn l1_bank_order(&self) -> L1BankOrder {
        let recorded = self.record.as_ref().map(|record| record.l1_bank_order);
        let recorded = recorded.filter(|_| self.program.has_interleaved_l1());
        recorded.unwrap_or(self.chip().l1_bank_order)
    }
}

/// A capture with all its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The calls and their expected results.
    pub program: ProgramPart,
    /// The circumstances of the run; a golden has none.
    pub record: Option<Record>,
    /// Hashes of the outputs, in the order of the reads.
    pub outputs: Vec<OutputHash>,
    /// Embedded bytes: data, sources, ELFs.
    pub blobs: Blobs,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::samples;

    #[test]
    fn reads_and_expected_faults_are_found_by_their_command() {
        let at = |index: u32| CommandIndex(index);
        let mut capture = samples::loopback();
        let record = capture.record.as_mut().unwrap();
        record.reads = [3, 7, 8]
            .map(|index| ReadResult {
                command: at(index),
                buffer: BufferId(index),
                length: 4,
                hash: ContentHash([index as u8; 32]),
            })
            .to_vec();
        record.expected_faults = [2, 9].map(|index| ExpectedFault { command: at(index) }).to_vec();
        let read = |index| capture.read_result(at(index)).map(|read| read.buffer.0);
        assert_eq!([0, 3, 4, 7, 8, 9].map(read), [None, Some(3), None, Some(7), Some(8), None]);
        let is_expected = |index| capture.expects_fault_of(at(index));
        assert_eq!([0, 2, 3, 9, 10].map(is_expected), [false, true, false, true, false]);
    }
}
