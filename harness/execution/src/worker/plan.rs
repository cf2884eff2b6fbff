//! The planned placement of a test's objects.

use hallmark_chip::{LogicalCore, PhysicalCoordinate, Processor};
use hallmark_runtime::device_code::MemoryRange;
use serde::{Deserialize, Serialize};

/// The planned placement of a test's objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Buffers and views, in the order of the calls that make them.
    pub buffers: Vec<BufferPlan>,
    /// Launches, in the order of the calls that enqueue them.
    pub launches: Vec<LaunchPlan>,
}

/// The planned placement of a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BufferPlan {
    /// The call that makes it.
    pub command: u32,
    /// Its banks, in the order of its pages.
    pub banks: Vec<BankPlan>,
    /// The number of pages that were not examined.
    pub more_pages: u64,
}

/// The part of a buffer in one bank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BankPlan {
    /// The bank's number, counted from 0.
    pub bank: u64,
    /// The physical coordinate of its tile.
    pub tile: PhysicalCoordinate,
    /// The first byte in the tile.
    pub start: u64,
    /// The first byte past its last page.
    pub end: u64,
    /// The number of the buffer's pages in the bank.
    pub pages: u64,
}

/// The planned placement of a launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchPlan {
    /// The call that enqueues it.
    pub command: u32,
    /// The cores, with their content.
    pub cores: Vec<CorePlan>,
}

/// The planned content of one core; addresses in L1, half-open ranges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorePlan {
    /// The core.
    pub core: LogicalCore,
    /// The program's semaphores.
    pub semaphores: Vec<SemaphorePlan>,
    /// Launch block, table of circular buffers, arguments.
    pub words: MemoryRange,
    /// The program's circular buffers, ascending by index.
    pub circular_buffers: Vec<CircularBufferPlan>,
    /// The binaries of the kernels.
    #[serde(rename = "texts")]
    pub kernel_binaries: Vec<KernelBinaryPlan>,
}

/// A semaphore at the start of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SemaphorePlan {
    /// The number that kernels use.
    pub number: u32,
    /// The address of its word.
    pub address: u32,
    /// The value of the word when the kernels start.
    pub initial_value: u32,
}

/// A circular buffer at the start of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CircularBufferPlan {
    /// The index that kernels use.
    pub index: u32,
    /// The address of its first page.
    pub address: u32,
    /// The size of all its pages, bytes.
    pub size: u32,
    /// The number of its pages.
    pub pages: u32,
}

/// The binary of a processor's kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelBinaryPlan {
    /// The processor.
    pub processor: Processor,
    /// The range of the binary.
    pub range: MemoryRange,
}
