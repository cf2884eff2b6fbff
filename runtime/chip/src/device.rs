//! The narrow waist above every device: [`PciDevice`] and the types of its calls.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::window::{WindowId, WindowTarget, WindowTargetError};
use crate::{
    Activity, Awaited, BarOffset, ConfigOffset, DescribedBuffer, Fault, FaultMemory, FaultPlace,
    Footprints, HarvestingMask, KernelRuns, LaunchDescription, LogicalCore, PhysicalCoordinate,
    Processor, SourceFrame, TileAddress,
};

/// A chip behind PCIe: our simulator, any `libttsim.so`, or silicon through the kernel driver.
///
/// Everything above this trait is written once per architecture and is the same code for all devices. A device
/// is driven by one host thread.
pub trait PciDevice {
    /// The opened device, as the user writes it: `sim:wormhole_b0`, `ttsim:PATH`, `pci:0`.
    fn name(&self) -> &str;

    /// The checks and reports of this device beyond moving bytes.
    fn capabilities(&self) -> Capabilities;

    /// Reads a word of PCI configuration space.
    fn config_read(&mut self, offset: ConfigOffset) -> Result<u32, DeviceError>;

    /// Reads a device register with a single aligned 4-byte access.
    fn register_read(&mut self, offset: BarOffset) -> Result<u32, DeviceError>;

    /// Writes a device register with a single aligned 4-byte access.
    fn register_write(&mut self, offset: BarOffset, value: u32) -> Result<(), DeviceError>;

    /// Rows or columns of Tensix tiles that are fused off; none if the device does not know.
    fn harvesting(&mut self) -> Result<HarvestingMask, DeviceError> {
        Ok(HarvestingMask::NONE)
    }

    /// Allocates a free TLB window: the smallest of the chip's sizes that holds `size` bytes.
    fn allocate_window(&mut self, size: u64) -> Result<WindowId, DeviceError>;

    /// The size of a window in bytes.
    fn window_size(&self, window: WindowId) -> Result<u64, DeviceError>;

    /// Sets the target of a window: a tile or a rectangle of tiles.
    fn configure_window(
        &mut self,
        window: WindowId,
        target: &WindowTarget,
    ) -> Result<(), DeviceError>;

    /// Reads through a window; `offset + buffer.len()` must not pass its end. An access to registers
    /// ([`crate::REGISTERS`]) is made in single aligned 4-byte reads.
    fn window_read(
        &mut self,
        window: WindowId,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<(), DeviceError>;

    /// The first byte of a range of a window that has not been written since power-on or since it was freed.
    /// `None` if every byte was written, and on every device that does not track this.
    ///
    /// Reading unwritten bytes is legal, since padding between a buffer's pages is read too, but the requested
    /// bytes must have been written. Only the caller can tell padding from requested bytes, so it calls this
    /// after a read, for the requested bytes alone.
    fn unwritten(
        &mut self,
        window: WindowId,
        offset: u64,
        length: u64,
    ) -> Result<Option<Unwritten>, DeviceError> {
        let _ = (window, offset, length);
        Ok(None)
    }

    /// Writes through a window; the same rules as for reading.
    fn window_write(
        &mut self,
        window: WindowId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceError>;

    /// Frees a window.
    fn free_window(&mut self, window: WindowId) -> Result<(), DeviceError>;

    /// Makes every earlier write visible to the device before any later one. A simulator needs no action;
    /// silicon needs a store fence and a read-back.
    fn order(&mut self) -> Result<(), DeviceError>;

    /// Advances a simulator's time by at most `ticks`; in one tick each running core executes about one
    /// instruction. On silicon time passes by itself, and this only yields.
    fn advance(&mut self, ticks: u64) -> Result<Advance, DeviceError>;

    /// The position of each core that executes instructions now, as far as the device knows, for the report of
    /// a hang. Empty on silicon.
    fn positions(&mut self) -> Vec<Position> {
        Vec::new()
    }

    /// Reads L1 of a tile of a device that has stopped and answers every other call with its fault, for the report of the
    /// fault. False if the device cannot.
    fn read_stopped(
        &mut self,
        tile: PhysicalCoordinate,
        address: TileAddress,
        buffer: &mut [u8],
    ) -> bool {
        let _ = (tile, address, buffer);
        false
    }

    /// The values that would end the wait of a parked core, as far as the device knows, for the report of a
    /// deadlock.
    fn awaited(&mut self, tile: PhysicalCoordinate, processor: Processor) -> Option<Awaited> {
        let _ = (tile, processor);
        None
    }

    /// Whether programs were right so far only because an atomic arrived behind a write of the same core, NoC and virtual
    /// channel, which TT-Metalium relies on and the documents do not promise. `false` on every device that tracks no order.
    fn relies_on_atomics_behind_writes(&self) -> bool {
        false
    }

    /// The kernels that have run so far, by what the device judged them by. All 0 on every device that checks no launches.
    fn kernel_runs(&self) -> KernelRuns {
        KernelRuns::default()
    }

    /// The memory that NoC requests have read and written, at both ends, by the tile whose cores issued them.
    /// The first call starts the tracking; each later call returns the accesses since the call before. `None`
    /// on every device without tracking.
    fn footprint(&mut self) -> Option<Footprints> {
        None
    }

    /// The activity of cores. The first call starts the tracking; each later call returns the activity since
    /// the call before. Tracking changes neither a program's results nor its timing. `None` on every device
    /// without tracking.
    fn activity(&mut self) -> Option<Activity> {
        None
    }

    /// The last writer of a byte of a tile's memory since the previous call for that byte. The first call for a
    /// byte starts the tracking. `None` on every device without tracking.
    fn last_writer(
        &mut self,
        tile: PhysicalCoordinate,
        address: TileAddress,
    ) -> Option<LastWriter> {
        let _ = (tile, address);
        None
    }

    /// Whether the device makes a queue skip its next action. The runtime asks before each launch, before the
    /// launch on each core that the host performs itself, and before each wait for an event. Only a misbehaving
    /// device, used to test the layers above, returns `true`.
    fn forgets(&mut self, what: Forgettable) -> bool {
        let _ = what;
        false
    }

    /// Allocates zeroed host memory that the device can reach.
    fn pin_host_memory(&mut self, size: u64) -> Result<PinnedMemory, DeviceError>;

    /// Reads pinned host memory.
    fn pinned_read(
        &mut self,
        memory: PinnedMemoryId,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<(), DeviceError>;

    /// The first byte of a range of pinned memory that the device copied from unwritten memory, counted from
    /// the start of the range. `None` if there is no such byte, and on every device that does not track this;
    /// see [`PciDevice::unwritten`].
    fn pinned_unwritten(
        &mut self,
        memory: PinnedMemoryId,
        offset: u64,
        length: u64,
    ) -> Result<Option<u64>, DeviceError> {
        let _ = (memory, offset, length);
        Ok(None)
    }

    /// Writes pinned host memory.
    fn pinned_write(
        &mut self,
        memory: PinnedMemoryId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceError>;

    /// Sets the meaning of a range of a tile's memory from now on. A strict simulator uses it for checks;
    /// others ignore it. It never changes the results of a valid program.
    fn annotate(
        &mut self,
        tile: PhysicalCoordinate,
        start: TileAddress,
        length: u64,
        meaning: Meaning,
    ) -> Result<(), DeviceError> {
        let _ = (tile, start, length, meaning);
        Ok(())
    }

    /// Names a buffer whose memory was annotated as [`Meaning::Buffer`] just before. It has the memory until that is
    /// annotated as [`Meaning::Freed`]. A strict simulator uses it for checks; others ignore it.
    fn describe_buffer(&mut self, buffer: &Arc<DescribedBuffer>) -> Result<(), DeviceError> {
        let _ = buffer;
        Ok(())
    }

    /// Describes the launches that begin on a tile from now on, in their order, all through the launch block at
    /// `block`. Earlier descriptions of the block whose launches have not begun are forgotten. Nothing runs on the tile
    /// meanwhile. A launch by the host or a dispatcher is described alone, the launches of a trace that a dispatcher
    /// replays together. A strict simulator uses it for checks; others ignore it. It never changes the results of a
    /// valid program.
    fn describe_launches(
        &mut self,
        tile: PhysicalCoordinate,
        block: TileAddress,
        launches: &[Arc<LaunchDescription>],
    ) -> Result<(), DeviceError> {
        let _ = (tile, block, launches);
        Ok(())
    }
}

/// Unwritten bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwritten {
    /// The tile on the die.
    pub tile: PhysicalCoordinate,
    /// The first unwritten byte, counted from the start of the range in question.
    pub offset: u64,
    /// The number of consecutive unwritten bytes, at least 1. A caller that needs the next such byte asks again
    /// past these.
    pub length: u64,
    /// The place of the byte before it was first copied, for people.
    pub source: String,
    /// The same place, if it lies in a tile's memory.
    pub memory: Option<FaultMemory>,
    /// The instruction whose NoC request copied the byte first, if one did.
    pub carrier: Option<FaultPlace>,
}

/// The identifier of a range of pinned host memory of one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PinnedMemoryId(pub u32);

/// Host memory that the device can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PinnedMemory {
    /// Its identifier on this device.
    pub id: PinnedMemoryId,
    /// Its length in bytes.
    pub size: u64,
    /// The tile address in the PCIe tile at which the device reaches its first byte.
    pub noc_address: TileAddress,
}

/// The optional features of a device. Suites may require them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// [`PciDevice::advance`] reports quiescence, so that a deadlock is distinguished from a hang.
    pub detects_deadlock: bool,
    /// The use of never-written memory is a fault.
    pub detects_uninitialised: bool,
    /// Unordered accesses to the same byte are a fault.
    pub detects_races: bool,
    /// A breach of a rule that the host API or the kernel API sets is a fault: see
    /// [`FaultCategory::is_misuse`](crate::FaultCategory::is_misuse).
    pub detects_misuse: bool,
    /// Transfers may be delayed and reordered within the rules.
    pub reorders_noc: bool,
    /// The cache between cores and L1 is simulated, and is no more coherent than on the chip.
    pub data_cache: bool,
    /// Faults come with tile, core and pc.
    pub reports_fault_place: bool,
    /// The Tensix coprocessor computes.
    pub tensix: bool,
    /// A fault ends the process and is not returned as a value.
    pub fault_ends_process: bool,
}

/// The result of advancing time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advance {
    /// Work may still happen by itself.
    Ran,
    /// No work happens until the host acts: every core is parked or in reset, and no request is in flight.
    Quiescent(Vec<Waiting>),
}

/// A parked core and its awaited word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waiting {
    /// The tile on the die.
    pub tile: PhysicalCoordinate,
    /// The core of that tile.
    pub processor: Processor,
    /// The pc of its waiting loop.
    pub pc: u32,
    /// The word that it reads repeatedly.
    pub address: TileAddress,
    /// The value of that word.
    pub value: u32,
    /// The values that would end the wait. In the result of [`PciDevice::advance`] only an instruction of the
    /// coprocessor has them; for a core the runtime adds them from [`PciDevice::awaited`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awaited: Option<Awaited>,
    /// The last writer of the word, if known.
    pub last_writer: Option<Writer>,
    /// The write by a core that last gave the word a smaller value, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lowered: Option<Box<Lowered>>,
    /// The function that contains the pc. `None` from a device; the runtime adds it from the ELF.
    pub symbol: Option<String>,
    /// The source lines of the pc, the outermost function first. Empty from a device; the runtime adds them
    /// from the kernel's line table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<SourceFrame>,
}

/// A write by a core that gave a word a smaller value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lowered {
    /// The value before.
    pub before: u32,
    /// The value that was written.
    pub value: u32,
    /// The store, or the instruction that issued the NoC request.
    pub by: Position,
}

/// The position of a core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// The tile on the die.
    pub tile: PhysicalCoordinate,
    /// The core of that tile.
    pub processor: Processor,
    /// The address of the instruction that it executes, or executes next.
    pub pc: u32,
    /// The function that contains the pc. `None` from a device; the runtime adds it from the ELF.
    pub symbol: Option<String>,
    /// The source lines of the pc, the outermost function first. Empty from a device; the runtime adds them
    /// from the kernel's line table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<SourceFrame>,
}

/// The writer of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Writer {
    /// The host, through a window or pinned memory.
    Host,
    /// A core, by its own store or by a NoC request that it issued.
    Core {
        /// The tile on the die.
        tile: PhysicalCoordinate,
        /// The core of that tile.
        processor: Processor,
        /// The number of instructions that it had retired at that time.
        retired: u64,
    },
}

/// The last writer of a byte of memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum LastWriter {
    /// No write was observed.
    Nobody,
    /// The host, through a window.
    Host,
    /// A core, by a store or a NoC request at this position.
    Core(Position),
}

/// An action that a misbehaving device can make a queue skip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Forgettable {
    /// The launch of a program.
    Launch,
    /// The launch of a program on one of its cores.
    LaunchOn(LogicalCore),
    /// A queue's wait for an event.
    WaitForEvent,
}

/// The use of a range of a tile's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meaning {
    /// Freed: the content has no owner.
    Freed,
    /// A buffer's pages.
    Buffer,
    /// A semaphore: aligned word accesses to it synchronize.
    Semaphore,
    /// A mailbox between host and firmware: aligned word accesses to it synchronize.
    Mailbox,
    /// A circular buffer's pages.
    CircularBuffer,
    /// Instructions and constants.
    Code,
}

/// A failure of a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// A device program broke a rule.
    #[error(transparent)]
    Fault(Box<Fault>),
    /// The device does not exist, has died, or does not answer.
    #[error("device {device} is lost: {reason}")]
    Lost {
        /// The opened device, as in [`PciDevice::name`].
        device: String,
        /// The symptom.
        reason: String,
    },
    /// The device lacks this capability.
    #[error("device {device} has no {what}")]
    NotAvailable {
        /// The opened device, as in [`PciDevice::name`].
        device: String,
        /// The requested capability.
        what: &'static str,
    },
    /// All windows of a sufficient size are allocated.
    #[error("no TLB window of at least {size} bytes is free")]
    NoWindow {
        /// The requested size in bytes.
        size: u64,
    },
    /// A window that is not allocated.
    #[error("TLB window {} is not allocated", .0.0)]
    UnknownWindow(WindowId),
    /// Pinned memory that does not exist.
    #[error("pinned memory {} does not exist", .0.0)]
    UnknownPinnedMemory(PinnedMemoryId),
    /// A target that a window cannot have.
    #[error(transparent)]
    Target(#[from] WindowTargetError),
    /// An access passes the end of a window, a register space or pinned memory, or is misaligned.
    #[error(
        "{what}: an access of {length:#x} bytes at offset {offset:#x} is misaligned or out of range"
    )]
    BadAccess {
        /// The accessed window, register space or memory.
        what: &'static str,
        /// Byte offset of the access.
        offset: u64,
        /// Its length in bytes.
        length: u64,
    },
}

impl From<Fault> for DeviceError {
    fn from(fault: Fault) -> Self {
        Self::Fault(Box::new(fault))
    }
}
