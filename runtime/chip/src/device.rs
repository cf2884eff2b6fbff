//! The narrow waist above every device: [`PciDevice`], and what passes through it.

use serde::{Deserialize, Serialize};

use crate::window::{WindowId, WindowTarget, WindowTargetError};
use crate::{
    Activity, Awaited, BarOffset, ConfigOffset, Fault, FaultMemory, Footprints, HarvestingMask,
    LogicalCore, PhysicalCoordinate, Processor, SourceFrame, TileAddress,
};

/// A chip behind PCIe: our simulator, any `libttsim.so`, or silicon through the kernel driver.
///
/// Everything above this trait is written once per architecture and is the same code on all of them.
/// A device is driven by one host thread.
pub trait PciDevice {
    /// What was opened, as the user would write it: `sim:wormhole_b0`, `ttsim:PATH`, `pci:0`.
    fn name(&self) -> &str;

    /// What this device can notice and report beyond moving bytes.
    fn capabilities(&self) -> Capabilities;

    /// Reads a word of PCI configuration space.
    fn config_read(&mut self, offset: ConfigOffset) -> Result<u32, DeviceError>;

    /// Reads a device register with a single aligned 4-byte access.
    fn register_read(&mut self, offset: BarOffset) -> Result<u32, DeviceError>;

    /// Writes a device register with a single aligned 4-byte access.
    fn register_write(&mut self, offset: BarOffset, value: u32) -> Result<(), DeviceError>;

    /// Rows or columns of Tensix tiles that are fused off. None where the device has no say in it.
    fn harvesting(&mut self) -> Result<HarvestingMask, DeviceError> {
        Ok(HarvestingMask::NONE)
    }

    /// Takes a free TLB window of at least `size` bytes; the smallest size that the chip has and that fits.
    fn allocate_window(&mut self, size: u64) -> Result<WindowId, DeviceError>;

    /// Bytes that a window spans.
    fn window_size(&self, window: WindowId) -> Result<u64, DeviceError>;

    /// Points a window at a tile or a rectangle of tiles.
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

    /// The first byte of a range of a window that nothing has written since power-on or since it was
    /// freed. `None` if there is none, and on every device that does not know.
    ///
    /// Reading such bytes is legal, since padding between a buffer's pages is read with them; what was
    /// asked for must not be among them. Only the caller can tell the two apart, so it asks, after a
    /// read and for those bytes alone, instead of being told by every read.
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

    /// Gives a window back.
    fn free_window(&mut self, window: WindowId) -> Result<(), DeviceError>;

    /// Makes every earlier write visible to the device before any later one. Nothing to do in a
    /// simulator; on silicon a store fence and a read-back.
    fn order(&mut self) -> Result<(), DeviceError>;

    /// Moves a simulator's time by at most `ticks`; one tick lets each running core execute about one
    /// instruction. On silicon time moves by itself, and this only yields.
    fn advance(&mut self, ticks: u64) -> Result<Advance, DeviceError>;

    /// Where each core stands that executes instructions right now, as far as the device can tell: what
    /// a hang is reported with. Nothing on silicon.
    fn positions(&mut self) -> Vec<Position> {
        Vec::new()
    }

    /// What would end the wait of a parked core, as far as the device can tell: what a deadlock is reported with.
    fn awaited(&mut self, tile: PhysicalCoordinate, processor: Processor) -> Option<Awaited> {
        let _ = (tile, processor);
        None
    }

    /// Memory that NoC requests have read and written since the last call, both ends of each, by the
    /// tile whose cores asked for it; or since the first call, which begins to look. `None` on every
    /// device that does not know.
    fn footprint(&mut self) -> Option<Footprints> {
        None
    }

    /// What cores have done since the last call; or since the first call, which begins to look. Looking changes nothing
    /// that a program computes, nor when. `None` on every device that does not know.
    fn activity(&mut self) -> Option<Activity> {
        None
    }

    /// Who has written a byte of a tile's memory last since this was asked about the byte before; the first time begins to
    /// look. `None` on every device that does not know.
    fn last_writer(
        &mut self,
        tile: PhysicalCoordinate,
        address: TileAddress,
    ) -> Option<LastWriter> {
        let _ = (tile, address);
        None
    }

    /// Whether the device forgets what a queue is about to do: asked once for each launch, for each core of one that the
    /// host launches itself, and for each wait for an event, before it. Only a device that misbehaves so that what is above it can be tested forgets anything.
    fn forgets(&mut self, what: Forgettable) -> bool {
        let _ = what;
        false
    }

    /// Pins zeroed host memory so that the device can reach it.
    fn pin_host_memory(&mut self, size: u64) -> Result<PinnedMemory, DeviceError>;

    /// Reads pinned host memory.
    fn pinned_read(
        &mut self,
        memory: PinnedMemoryId,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<(), DeviceError>;

    /// The first byte of a range of pinned memory that the device copied there from memory which nothing
    /// has written, counted from the start of the range. `None` if there is none, and on every device
    /// that does not know; see [`PciDevice::unwritten`].
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

    /// Says what a range of a tile's memory means from now on. A strict simulator uses it for checks;
    /// others ignore it, and it never changes what a valid program computes.
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
}

/// A byte that nothing has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwritten {
    /// The tile on the die.
    pub tile: PhysicalCoordinate,
    /// The byte, counted from the start of the range that was asked about.
    pub offset: u64,
    /// So many bytes from it on nothing has written, at least 1; whoever needs to know of the next one asks about it.
    pub length: u64,
    /// Where it lay before anybody copied it, for people.
    pub source: String,
    /// The same place, if it is in the memory of a tile.
    pub memory: Option<FaultMemory>,
}

/// Names a piece of pinned host memory of one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PinnedMemoryId(pub u32);

/// Host memory that the device can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PinnedMemory {
    /// Its name on this device.
    pub id: PinnedMemoryId,
    /// Its length in bytes.
    pub size: u64,
    /// The address at the PCIe tile under which the device sees its first byte.
    pub noc_address: TileAddress,
}

/// What a device can do beyond the required core. Suites may ask for these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// [`PciDevice::advance`] reports quiescence, so a deadlock is told from a hang.
    pub detects_deadlock: bool,
    /// Use of never-written memory is a fault.
    pub detects_uninitialised: bool,
    /// Unordered accesses to the same byte are a fault.
    pub detects_races: bool,
    /// Transfers may be delayed and reordered within the rules.
    pub reorders_noc: bool,
    /// The cache between cores and L1 is there and no more coherent than on the chip.
    pub data_cache: bool,
    /// Faults come with tile, core and pc.
    pub reports_fault_place: bool,
    /// The Tensix coprocessor computes.
    pub tensix: bool,
    /// A fault ends the process instead of coming back as a value.
    pub fault_ends_process: bool,
}

/// What moving time did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advance {
    /// Something may still happen by itself.
    Ran,
    /// Nothing will happen until the host acts: every core is parked or in reset and nothing is in flight.
    Quiescent(Vec<Waiting>),
}

/// A parked core and the word that it waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waiting {
    /// The tile on the die.
    pub tile: PhysicalCoordinate,
    /// The core of that tile.
    pub processor: Processor,
    /// Where its loop stands.
    pub pc: u32,
    /// The word it reads again and again.
    pub address: TileAddress,
    /// What that word holds.
    pub value: u32,
    /// What would end the wait. Nothing in what [`PciDevice::advance`] says: whoever reports the wait asks
    /// [`PciDevice::awaited`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awaited: Option<Awaited>,
    /// Who wrote it last, where known.
    pub last_writer: Option<Writer>,
    /// The function that the pc lies in. A device knows none: whoever holds the ELF adds it.
    pub symbol: Option<String>,
    /// The source lines that the pc comes from, the outermost function first. A device knows none: whoever
    /// holds the kernel's line table adds them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<SourceFrame>,
}

/// Where a core stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// The tile on the die.
    pub tile: PhysicalCoordinate,
    /// The core of that tile.
    pub processor: Processor,
    /// The instruction that it executes, or executes next.
    pub pc: u32,
    /// The function that the pc lies in. A device knows none: whoever holds the ELF adds it.
    pub symbol: Option<String>,
    /// The source lines that the pc comes from, the outermost function first. A device knows none: whoever
    /// holds the kernel's line table adds them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<SourceFrame>,
}

/// Who wrote a word.
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
        /// How many instructions it had retired then.
        retired: u64,
    },
}

/// Who wrote a byte of memory last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum LastWriter {
    /// Nobody.
    Nobody,
    /// The host, through a window.
    Host,
    /// A core, by the store or the NoC request that it stood at.
    Core(Position),
}

/// What a device that misbehaves may forget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Forgettable {
    /// To run a program.
    Launch,
    /// To run a program on one of its cores.
    LaunchOn(LogicalCore),
    /// To let a queue wait until an event has happened.
    WaitForEvent,
}

/// What a range of a tile's memory is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meaning {
    /// Given back: what it holds is no longer anybody's.
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

/// What went wrong with a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// A device program broke a rule.
    #[error(transparent)]
    Fault(Box<Fault>),
    /// The device is not there, has died, or does not answer.
    #[error("device {device} is lost: {reason}")]
    Lost {
        /// What was opened, as [`PciDevice::name`] has it.
        device: String,
        /// What was seen that says so.
        reason: String,
    },
    /// The device lacks this capability.
    #[error("device {device} has no {what}")]
    NotAvailable {
        /// What was opened, as [`PciDevice::name`] has it.
        device: String,
        /// What was asked of it.
        what: &'static str,
    },
    /// All windows of a fitting size are taken.
    #[error("no TLB window of at least {size} bytes is free")]
    NoWindow {
        /// The size asked for.
        size: u64,
    },
    /// A window was named that is not allocated.
    #[error("TLB window {} is not allocated", .0.0)]
    UnknownWindow(WindowId),
    /// Pinned memory was named that does not exist.
    #[error("pinned memory {} does not exist", .0.0)]
    UnknownPinnedMemory(PinnedMemoryId),
    /// A window cannot be pointed there.
    #[error(transparent)]
    Target(#[from] WindowTargetError),
    /// An access passes the end of a window, a register space or pinned memory, or is misaligned.
    #[error(
        "{what}: an access of {length:#x} bytes at offset {offset:#x} is misaligned or out of range"
    )]
    BadAccess {
        /// What was accessed.
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
