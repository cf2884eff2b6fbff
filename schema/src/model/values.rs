//! The enums and structs of calls, under TT-Metalium's names, and a command with its outcome.

use std::collections::BTreeMap;

use hallmark_chip::{LogicalCore, Processor};
use serde::{Deserialize, Serialize};

use super::{BufferId, ContentHash, Data, DataType, Failure, Real, TileShape};
use crate::commands::Command;

/// The memory that holds a buffer's pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BufferType {
    /// Device DRAM.
    Dram,
    /// L1 of the compute grid's tiles.
    L1,
    /// The L1_SMALL region at the top of each L1, which is reserved when the device is opened.
    L1Small,
}

impl BufferType {
    /// Whether the memory is part of L1, so that each core has a bank of it.
    pub const fn is_l1(self) -> bool {
        match self {
            Self::L1 | Self::L1Small => true,
            Self::Dram => false,
        }
    }
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

/// The use of a NoC's command buffers by kernels: upstream's `NOC_MODE`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum NocMode {
    /// Each data-movement kernel of a core uses a NoC of its own.
    #[default]
    Dedicated,
    /// Both kernels use both NoCs, and share their command buffers.
    Dynamic,
}

/// The optimization level of a kernel's build: upstream's `KernelBuildOptLevel`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OptLevel {
    /// `-O0`.
    O0,
    /// `-O1`.
    O1,
    /// `-O2`, the default of data movement.
    O2,
    /// `-O3`, the default of compute.
    O3,
    /// `-Os`.
    Os,
    /// `-Ofast`.
    Ofast,
    /// `-Oz`.
    Oz,
}

impl OptLevel {
    /// The compiler option.
    pub const fn option(self) -> &'static str {
        match self {
            Self::O0 => "-O0",
            Self::O1 => "-O1",
            Self::O2 => "-O2",
            Self::O3 => "-O3",
            Self::Os => "-Os",
            Self::Ofast => "-Ofast",
            Self::Oz => "-Oz",
        }
    }
}

/// How a circular buffer is unpacked, if not in the default way: upstream's `UnpackToDestMode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnpackToDestMode {
    /// To the destination registers with 32 bits per element, bypassing the source registers.
    UnpackToDestFp32,
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

/// The data format declared for a circular buffer's index: upstream's `DataFormat`, by its names.
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
    /// IEEE half.
    Float16,
    /// 19 bits: the exponent of single, the mantissa of half.
    Tf32,
    /// 8 bits with an exponent of 5.
    Lf8,
    /// 8 bits with an exponent of 4.
    #[serde(rename = "fp8_e4m3")]
    Fp8E4M3,
    /// Blocks of 8-bit elements that share an exponent of 5 bits.
    Bfp8,
    /// Blocks of 8-bit elements that share an exponent of 8 bits.
    #[serde(rename = "bfp8_b")]
    Bfp8B,
    /// Blocks of 4-bit elements that share an exponent of 5 bits.
    Bfp4,
    /// Blocks of 4-bit elements that share an exponent of 8 bits.
    #[serde(rename = "bfp4_b")]
    Bfp4B,
    /// Blocks of 2-bit elements that share an exponent of 5 bits.
    Bfp2,
    /// Blocks of 2-bit elements that share an exponent of 8 bits.
    #[serde(rename = "bfp2_b")]
    Bfp2B,
    /// 8-bit signed.
    Int8,
    /// 8 bits without an interpretation.
    #[serde(rename = "raw_uint8")]
    RawUInt8,
    /// 16 bits without an interpretation.
    #[serde(rename = "raw_uint16")]
    RawUInt16,
    /// 32 bits without an interpretation.
    #[serde(rename = "raw_uint32")]
    RawUInt32,
    /// 16-bit signed.
    Int16,
    /// Blocks of 4-bit floating-point elements with a scale (OCP MX).
    MxFp4,
}

impl DataFormat {
    /// Every format, in the order of its number in captures.
    pub const ALL: [Self; 22] = [
        Self::Float32,
        Self::Float16B,
        Self::Int32,
        Self::UInt32,
        Self::UInt16,
        Self::UInt8,
        Self::Float16,
        Self::Tf32,
        Self::Lf8,
        Self::Fp8E4M3,
        Self::Bfp8,
        Self::Bfp8B,
        Self::Bfp4,
        Self::Bfp4B,
        Self::Bfp2,
        Self::Bfp2B,
        Self::Int8,
        Self::RawUInt8,
        Self::RawUInt16,
        Self::RawUInt32,
        Self::Int16,
        Self::MxFp4,
    ];

    /// The bits of an element in memory, without those that several elements share.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Float32 | Self::Int32 | Self::UInt32 | Self::Tf32 | Self::RawUInt32 => 32,
            Self::Float16B | Self::UInt16 | Self::Float16 | Self::RawUInt16 | Self::Int16 => 16,
            Self::UInt8
            | Self::Lf8
            | Self::Fp8E4M3
            | Self::Bfp8
            | Self::Bfp8B
            | Self::Int8
            | Self::RawUInt8 => 8,
            Self::Bfp4 | Self::Bfp4B | Self::MxFp4 => 4,
            Self::Bfp2 | Self::Bfp2B => 2,
        }
    }
}

/// How programs are launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DispatchMode {
    /// The host writes, launches and polls.
    Host,
    /// Firmware on a reserved tile launches, driven by commands that the host puts into a ring.
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

    /// Its cores, row by row. Empty if the start lies beyond the end.
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

    /// Whether the two ranges have a core in common.
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

/// The processors and the configuration of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum KernelConfig {
    /// On one of the two data-movement processors.
    DataMovement {
        /// The data-movement processor.
        processor: DataMovementProcessor,
        /// Its default network.
        noc: NocId,
        /// Whether the kernel shares both networks with the other data-movement kernel of its cores.
        #[serde(default, skip_serializing_if = "is_default")]
        noc_mode: NocMode,
    },
    /// On the three compute threads: one source built three times.
    Compute {
        /// Passes of the matrix unit.
        math_fidelity: MathFidelity,
        /// 32-bit accumulation in the destination registers.
        fp32_dest_acc_en: bool,
        /// Approximate transcendental functions.
        math_approx_mode: bool,
        /// The destination registers as a whole, instead of two halves.
        #[serde(default, skip_serializing_if = "is_default")]
        dst_full_sync_en: bool,
        /// The circular buffers that are not unpacked in the default way, by index.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        unpack_to_dest_mode: BTreeMap<u32, UnpackToDestMode>,
        /// More precise packing of 8-bit blocks.
        #[serde(default, skip_serializing_if = "is_default")]
        bfp8_pack_precise: bool,
    },
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl KernelConfig {
    /// A kernel of one data-movement processor, with upstream's defaults for the rest.
    pub const fn data_movement(processor: DataMovementProcessor, noc: NocId) -> Self {
        Self::DataMovement { processor, noc, noc_mode: NocMode::Dedicated }
    }

    /// A kernel of the compute threads, with upstream's defaults for the rest.
    pub const fn compute(math_fidelity: MathFidelity) -> Self {
        Self::Compute {
            math_fidelity,
            fp32_dest_acc_en: false,
            math_approx_mode: false,
            dst_full_sync_en: false,
            unpack_to_dest_mode: BTreeMap::new(),
            bfp8_pack_precise: false,
        }
    }

    /// The optimization level of a kernel that states none, as in upstream.
    pub const fn default_opt_level(&self) -> OptLevel {
        match self {
            Self::DataMovement { .. } => OptLevel::O2,
            Self::Compute { .. } => OptLevel::O3,
        }
    }

    /// The processors of the kernel, each with a build of its own.
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
    /// The index that kernels use.
    pub index: u32,
    /// Bytes per page.
    pub page_size: u32,
    /// The declared format of its pages.
    pub data_format: DataFormat,
    /// The declared tile shape of its pages; `None` stands for 32×32 elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tile: Option<TileShape>,
}

/// The place of a circular buffer that takes its memory from a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GloballyAllocatedAddress {
    /// The buffer, in L1.
    pub buffer: BufferId,
    /// Offset from the buffer's address, bytes.
    pub address_offset: u32,
}

/// The expected content of a read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Expectation {
    /// No expectation: a replay must return the captured bytes.
    AsCaptured,
    /// Exactly the bytes with this hash.
    Exact {
        /// The hash of the bytes.
        hash: ContentHash,
    },
    /// Data close to a reference.
    Reference {
        /// The reference.
        data: Data,
        /// The largest distance from the reference.
        tolerance: Tolerance,
    },
    /// No comparison, not even between capture and replay.
    Unchecked {
        /// Why the read is not checked, for readers of the test.
        reason: String,
    },
}

/// The largest distance from a reference. Each element must satisfy at least one of the limits that are not 0,
/// and all elements together must reach the least correlation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// The element encoding of both sides.
    pub data_type: DataType,
    /// Units in the last place.
    pub ulp: u32,
    /// Why the result is not exact.
    pub reason: String,
    /// The largest difference.
    #[serde(default, skip_serializing_if = "Real::is_zero")]
    pub absolute: Real,
    /// The largest difference relative to the reference's magnitude.
    #[serde(default, skip_serializing_if = "Real::is_zero")]
    pub relative: Real,
    /// The least Pearson correlation coefficient of all elements with those of the reference, up to 1; 0
    /// disables it. Without another limit it decides alone.
    #[serde(default, skip_serializing_if = "Real::is_zero")]
    pub pcc: Real,
}

/// A buffer of a loaded trace and the buffer that replaces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceBuffer {
    /// The buffer whose address stood in the trace when it was made.
    pub recorded: BufferId,
    /// The buffer whose address replaces it.
    pub buffer: BufferId,
}

/// The outcome of a command.
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

impl Outcome {
    /// Whether no further call is made after it: the device has stopped, or the process has ended.
    pub const fn breaks_off(&self) -> bool {
        match self {
            // A race of queues stops no device.
            Self::Done | Self::Failed(Failure::QueueRace { .. }) => false,
            Self::Failed(failure) => failure.ends_the_run(),
            Self::Unfinished => true,
        }
    }
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

/// A command and its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedCommand {
    /// The call with its arguments.
    pub command: Command,
    /// The outcome of the call.
    pub outcome: Outcome,
}

impl std::fmt::Display for BufferType {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(match self {
            Self::Dram => "DRAM",
            Self::L1 => "L1",
            Self::L1Small => "L1_SMALL",
        })
    }
}
