//! The closed sets of values that calls take, under TT-Metalium's names, and a command with its outcome.

use hallmark_chip::{LogicalCore, Processor};
use serde::{Deserialize, Serialize};

use super::{BufferId, ContentHash, Data, DataType, Failure, Real};
use crate::commands::Command;

/// Where a buffer's pages live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BufferType {
    /// Device DRAM.
    Dram,
    /// L1 of the compute grid's tiles.
    L1,
}

/// How pages are spread over banks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BufferLayout {
    /// Page `i` lies in bank `i mod banks`.
    Interleaved,
    /// Shards are rows of pages, one after the other.
    HeightSharded,
    /// Shards are columns of pages.
    WidthSharded,
    /// Shards are rectangles of pages, row by row.
    BlockSharded,
}

impl BufferLayout {
    /// Whether each core of a shard specification holds one shard.
    pub const fn is_sharded(self) -> bool {
        match self {
            Self::Interleaved => false,
            Self::HeightSharded | Self::WidthSharded | Self::BlockSharded => true,
        }
    }
}

/// `RISCV_0` runs on BRISC, `RISCV_1` on NCRISC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataMovementProcessor {
    /// BRISC.
    #[serde(rename = "riscv_0")]
    Riscv0,
    /// NCRISC.
    #[serde(rename = "riscv_1")]
    Riscv1,
}

/// The network that a data-movement kernel uses by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum NocId {
    /// NoC 0.
    #[serde(rename = "noc_0")]
    Noc0,
    /// NoC 1.
    #[serde(rename = "noc_1")]
    Noc1,
}

/// Passes of the matrix unit; recorded for compute kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MathFidelity {
    /// One pass.
    LoFi,
    /// Two passes.
    #[serde(rename = "hifi2")]
    HiFi2,
    /// Three passes.
    #[serde(rename = "hifi3")]
    HiFi3,
    /// Four passes.
    #[serde(rename = "hifi4")]
    HiFi4,
}

/// The data format declared for a circular buffer's index, with upstream's meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataFormat {
    /// IEEE single.
    Float32,
    /// bfloat16.
    #[serde(rename = "float16_b")]
    Float16B,
    /// 32-bit signed.
    Int32,
    /// 32-bit unsigned.
    #[serde(rename = "uint32")]
    UInt32,
    /// 16-bit unsigned.
    #[serde(rename = "uint16")]
    UInt16,
    /// 8-bit unsigned.
    #[serde(rename = "uint8")]
    UInt8,
}

/// How programs are launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DispatchMode {
    /// The host writes, launches and polls.
    Host,
    /// Firmware on a reserved tile does, by commands that the host puts into its ring.
    Device,
}

/// A rectangle of logical cores, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoreRange {
    /// The corner with the smaller coordinates.
    #[serde(with = "core")]
    pub start: LogicalCore,
    /// The opposite corner.
    #[serde(with = "core")]
    pub end: LogicalCore,
}

impl CoreRange {
    /// The range of one core.
    pub const fn single(core: LogicalCore) -> Self {
        Self { start: core, end: core }
    }

    /// Its cores, row by row. Empty where start lies beyond end.
    pub fn cores(self) -> impl Iterator<Item = LogicalCore> {
        (self.start.y..=self.end.y)
            .flat_map(move |y| (self.start.x..=self.end.x).map(move |x| LogicalCore { x, y }))
    }

    /// Whether a core lies inside.
    pub const fn contains(self, core: LogicalCore) -> bool {
        self.start.x <= core.x
            && core.x <= self.end.x
            && self.start.y <= core.y
            && core.y <= self.end.y
    }

    /// Whether a core lies in both.
    pub const fn overlaps(self, other: Self) -> bool {
        self.start.x <= other.end.x
            && other.start.x <= self.end.x
            && self.start.y <= other.end.y
            && other.start.y <= self.end.y
    }
}

mod core {
    use hallmark_chip::LogicalCore;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(core: &LogicalCore, to: S) -> Result<S::Ok, S::Error> {
        [core.x, core.y].serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<LogicalCore, D::Error> {
        let [x, y] = <[u32; 2]>::deserialize(from)?;
        Ok(LogicalCore { x, y })
    }
}

/// What a kernel runs on and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum KernelConfig {
    /// On one of the two data-movement processors.
    DataMovement {
        /// The one of the two data movement processors.
        processor: DataMovementProcessor,
        /// Its default network.
        noc: NocId,
    },
    /// On the three compute threads: one source built three times.
    Compute {
        /// Passes of the matrix unit.
        math_fidelity: MathFidelity,
        /// 32-bit accumulation in the destination registers.
        fp32_dest_acc_en: bool,
        /// Approximate transcendental functions.
        math_approx_mode: bool,
    },
}

impl KernelConfig {
    /// The processors that such a kernel occupies, each with a build of its own.
    pub const fn processors(&self) -> &'static [Processor] {
        match self {
            Self::DataMovement { processor: DataMovementProcessor::Riscv0, .. } => {
                &[Processor::Brisc]
            }
            Self::DataMovement { processor: DataMovementProcessor::Riscv1, .. } => {
                &[Processor::Ncrisc]
            }
            Self::Compute { .. } => &[Processor::Trisc0, Processor::Trisc1, Processor::Trisc2],
        }
    }
}

/// One index of a circular buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CircularBufferIndex {
    /// The number by which kernels name it.
    pub index: u32,
    /// Bytes per page.
    pub page_size: u32,
    /// The format that its pages are declared to have.
    pub data_format: DataFormat,
}

/// Where a circular buffer lies that takes its memory from a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GloballyAllocatedAddress {
    /// The buffer, in L1.
    pub buffer: BufferId,
    /// Bytes from its address on.
    pub address_offset: u32,
}

/// What must come back from a read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Expectation {
    /// Nothing is known beforehand: a replay must return what the capture returned.
    AsCaptured,
    /// Exactly the bytes with this hash.
    Exact {
        /// The hash of the bytes.
        hash: ContentHash,
    },
    /// Something close to reference data.
    Reference {
        /// The bytes that a read is compared with.
        data: Data,
        /// How far a number may lie from its reference.
        tolerance: Tolerance,
    },
    /// Nothing is compared, not even between capture and replay.
    Unchecked {
        /// Why it is not checked, for whoever reads the test.
        reason: String,
    },
}

/// How far a value may lie from its reference: within any one of the limits that are not 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// Element encoding of both sides.
    pub data_type: DataType,
    /// Units in the last place.
    pub ulp: u32,
    /// Why the result is not exact.
    pub reason: String,
    /// The largest difference.
    #[serde(default, skip_serializing_if = "Real::is_zero")]
    pub absolute: Real,
    /// The largest difference as a part of the reference's magnitude.
    #[serde(default, skip_serializing_if = "Real::is_zero")]
    pub relative: Real,
}

/// Which buffer takes the place of one that stood in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceBuffer {
    /// The buffer whose address stood in the trace when it was made.
    pub recorded: BufferId,
    /// The one whose address stands there now.
    pub buffer: BufferId,
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The call returned.
    Done,
    /// The call returned this error.
    Failed(Failure),
    /// The process ended before the call returned.
    Unfinished,
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Done => formatter.write_str("succeeds"),
            Self::Failed(failure) => {
                write!(formatter, "fails with {}: {failure}", failure.code().name())
            }
            Self::Unfinished => formatter.write_str("does not end"),
        }
    }
}

/// A command and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedCommand {
    /// The call as it was made.
    pub command: Command,
    /// What came of the call.
    pub outcome: Outcome,
}

impl std::fmt::Display for BufferType {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(match self {
            Self::Dram => "DRAM",
            Self::L1 => "L1",
        })
    }
}
