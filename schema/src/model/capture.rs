//! A capture and its two parts: the program, which goldens compare, and the record of where it ran.

use std::collections::BTreeMap;

use hallmark_chip::{Architecture, ChipDescription, HarvestingError, HarvestingMask, L1BankOrder};
use serde::{Deserialize, Serialize};

use super::{
    BufferId, CommandIndex, ContentHash, DeviceRequirements, DispatchMode, FaultRecord, FreeTensor,
    KernelId, LineTableBytes, ObjectKind, Origin, RecordedCommand, SharedBytes, WaitRecord,
};

/// Content-addressed bytes.
pub type Blobs = BTreeMap<ContentHash, SharedBytes>;

/// The cores that a host program asked for.
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

/// What was asked and what must come of it: the part with canonical bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramPart {
    /// The architecture that it ran on.
    pub architecture: Architecture,
    /// The grid asked for.
    pub grid: Grid,
    /// Whether an address or coordinate was turned into a plain number.
    pub placement_bound: bool,
    /// Sources, ascending by path, each once.
    pub sources: Vec<SourceFile>,
    /// The calls in their order.
    pub commands: Vec<RecordedCommand>,
    /// Command queues asked for.
    pub num_command_queues: u8,
    /// Bytes of every DRAM bank that were set aside for traces.
    pub trace_region_size: u64,
    /// Bytes at the top of each core's L1 that were set aside for buffers of the type L1_SMALL.
    pub l1_small_size: u64,
    /// Bytes of each core's L1 for buffers and circular buffers; 0 stands for all that there are.
    pub worker_l1_size: u64,
    /// Inputs in their order, then outputs in theirs; none unless it is a binary.
    pub free_tensors: Vec<FreeTensor>,
}

impl ProgramPart {
    /// Calls on a device with one command queue and no memory set aside; the sources come later.
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

    /// Whether its tensors are free, so that it can be submitted with tensors and not be replayed by itself.
    pub const fn is_binary(&self) -> bool {
        !self.free_tensors.is_empty()
    }
}

/// The chip that ran it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChipRecord {
    /// What was opened, without a path: `sim:wormhole_b0`, `ttsim`.
    pub device: String,
    /// Word 0 of the PCIe configuration space: vendor and device.
    pub pci_id: u32,
    /// Rows (Grayskull, Wormhole) or columns (Blackhole) fused off, one bit each.
    pub harvesting_mask: u32,
    /// The compute grid of the chip, which may be larger than the one asked for.
    pub grid: Grid,
}

/// The firmware that ran it.
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

/// Where an object was put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssignedAddress {
    /// Buffer, circular buffer or semaphore.
    pub object: ObjectKind,
    /// The object's id among those of its kind.
    pub id: u32,
    /// Bank-relative for buffers, a tile address otherwise.
    pub address: u64,
}

/// The ELF that a kernel ran as.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelElf {
    /// The kernel that ran.
    pub kernel: KernelId,
    /// The processor, by [`hallmark_chip::Processor::index`].
    pub processor: u8,
    /// The hash of the ELF, a blob.
    pub hash: ContentHash,
    /// Its line table; empty if it has none.
    #[serde(default, skip_serializing_if = "LineTableBytes::is_empty")]
    pub lines: LineTableBytes,
}

/// What a read returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadResult {
    /// The call that read.
    pub command: CommandIndex,
    /// The buffer that was read.
    pub buffer: BufferId,
    /// How many bytes it returned.
    pub length: u64,
    /// Their hash; a blob where they are not known otherwise.
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

/// A call whose failure was expected: see [`Failure::ends_the_run`](super::Failure::ends_the_run).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedFault {
    /// The call that failed.
    pub command: CommandIndex,
}

/// Where and how it ran: everything that may differ between two runs of the same program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The version of Hallmark that recorded it.
    pub writer: String,
    /// The hash of the schema that it was written with.
    pub schema_hash: ContentHash,
    /// The chip that ran it.
    pub chip: ChipRecord,
    /// The firmware that ran it.
    pub firmware: FirmwareRecord,
    /// How programs were launched.
    pub dispatch_mode: DispatchMode,
    /// Where objects were put, ascending by kind and id.
    pub addresses: Vec<AssignedAddress>,
    /// What kernels ran as, ascending.
    pub elfs: Vec<KernelElf>,
    /// Faults that the device reported, in their order.
    pub faults: Vec<FaultRecord>,
    /// Waiting cores of a deadlock.
    pub waits: Vec<WaitRecord>,
    /// What reads returned, ascending by command; a read that did not complete has none.
    pub reads: Vec<ReadResult>,
    /// Traces as bytes, ascending by command. A replay that cannot use them collects the trace again,
    /// which the commands make.
    pub collected: Vec<CollectedBytes>,
    /// Calls that the program's author expected to end in a fault, a deadlock, a hang or the loss of the device,
    /// ascending by command. A replay that meets another one repeats a failure.
    pub expected_faults: Vec<ExpectedFault>,
    /// Which core had which bank, where a buffer is interleaved over L1; otherwise row by row.
    pub l1_bank_order: L1BankOrder,
    /// How it was made, if not by Hallmark's runtime.
    pub origin: Option<Origin>,
    /// What was asked of the device.
    pub asked: DeviceRequirements,
}

/// An output's hash as a golden keeps it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputHash {
    /// The read's output name.
    pub name: String,
    /// How many bytes the read returned.
    pub length: u64,
    /// The hash of the bytes.
    pub hash: ContentHash,
}

impl Record {
    /// The chip that ran it.
    ///
    /// # Errors
    /// [`HarvestingError`] if no chip of that architecture is harvested so.
    pub fn chip(
        &self,
        architecture: Architecture,
    ) -> Result<&'static ChipDescription, HarvestingError> {
        ChipDescription::harvested(architecture, HarvestingMask(self.chip.harvesting_mask))
    }
}

impl Capture {
    /// The chip that ran it; a whole one where nothing else is known.
    pub fn chip(&self) -> &'static ChipDescription {
        let architecture = self.program.architecture;
        let recorded = self.record.as_ref().and_then(|record| record.chip(architecture).ok());
        recorded.unwrap_or(ChipDescription::of(architecture))
    }

    /// What a replay is to ask of its device; nothing where it has no record.
    pub fn asked(&self) -> DeviceRequirements {
        self.record.as_ref().map(|record| record.asked).unwrap_or_default()
    }

    /// Which core has which bank of interleaved L1; its chip's order where it has no record.
    pub fn l1_bank_order(&self) -> L1BankOrder {
        let recorded = self.record.as_ref().map(|record| record.l1_bank_order);
        recorded.unwrap_or(self.chip().l1_bank_order)
    }
}

/// A capture with all it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// What was asked and what must come of it.
    pub program: ProgramPart,
    /// Where it ran; a golden has none.
    pub record: Option<Record>,
    /// Hashes of the outputs, in the order of the reads.
    pub outputs: Vec<OutputHash>,
    /// Embedded bytes: data, sources, ELFs.
    pub blobs: Blobs,
}
