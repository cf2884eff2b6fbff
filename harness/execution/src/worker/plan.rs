//! Where a test's objects would lie.

use hallmark_chip::{LogicalCore, PhysicalCoordinate, Processor};
use hallmark_runtime::device_code::MemoryRange;
use serde::{Deserialize, Serialize};

/// Where everything would lie.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Buffers and views, in the order of the calls that make them.
    pub buffers: Vec<BufferPlan>,
    /// Launches, in the order of the calls that enqueue them.
    pub launches: Vec<LaunchPlan>,
}

/// Where a buffer would lie.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BufferPlan {
    /// The call that makes it.
    pub command: u32,
    /// Its banks, in the order in which its pages come to them.
    pub banks: Vec<BankPlan>,
    /// Pages that were not looked at.
    pub more_pages: u64,
}

/// A buffer's part of one bank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BankPlan {
    /// The bank's number, counted from 0.
    pub bank: u64,
    /// Its tile on the die.
    pub tile: PhysicalCoordinate,
    /// The first byte in that tile.
    pub start: u64,
    /// The first byte past its last page.
    pub end: u64,
    /// How many of the buffer's pages lie in the bank.
    pub pages: u64,
}

/// Where a launch would put everything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchPlan {
    /// The call that enqueues it.
    pub command: u32,
    /// Cores, with what lies on each.
    pub cores: Vec<CorePlan>,
}

/// What a launch puts on one core; addresses in L1, ranges without their ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorePlan {
    /// The core that everything below lies on.
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

/// A semaphore as a launch would leave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SemaphorePlan {
    /// The number by which kernels name it.
    pub number: u32,
    /// Where its word lies.
    pub address: u32,
    /// What the word holds when the kernels start.
    pub initial_value: u32,
}

/// A circular buffer as kernels would find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CircularBufferPlan {
    /// The index by which kernels name it.
    pub index: u32,
    /// Where its first page lies.
    pub address: u32,
    /// Bytes of all its pages.
    pub size: u32,
    /// How many pages it has.
    pub pages: u32,
}

/// The binary of the kernel that would run on a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelBinaryPlan {
    /// The processor that the kernel would run on.
    pub processor: Processor,
    /// Where the binary lies.
    pub range: MemoryRange,
}
