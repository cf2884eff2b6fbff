//! The interface to a card's kernel driver.

use hallmark_chip::{Fault, NocCoordinate, WindowTarget};

/// The calls of the kernel driver, tt-kmd, that Hallmark uses: one method for each, and loads and stores
/// through mapped windows.
///
/// All logic for cards lies above this trait, so that tests run it over a driver made of the simulator
/// ([`super::SimulatedDriver`]). The implementation for real cards, `KernelDriver`, makes no decisions.
pub trait Driver {
    /// The card's properties: `GET_DEVICE_INFO` and `GET_DRIVER_INFO`.
    fn card(&mut self) -> Result<CardInfo, DriverError>;

    /// The ids of other processes that have the card open.
    fn other_users(&mut self) -> Result<Vec<u32>, DriverError>;

    /// Takes one of the card's locks if it is free, until this driver is dropped: `LOCK_CTL`. Returns whether
    /// it was free.
    fn try_lock(&mut self, index: u8) -> Result<bool, DriverError>;

    /// Reads an aligned word of configuration space.
    fn config_read(&mut self, offset: u16) -> Result<u32, DriverError>;

    /// Allocates a window of exactly this size and maps it uncached, so that loads and stores reach the card
    /// one by one and in order: `ALLOCATE_TLB`.
    fn allocate_window(&mut self, size: u64) -> Result<u16, DriverError>;

    /// Sets the target of a window: `CONFIGURE_TLB`.
    fn configure_window(&mut self, window: u16, target: &WindowTarget) -> Result<(), DriverError>;

    /// Unmaps a window and frees it: `FREE_TLB`.
    fn free_window(&mut self, window: u16) -> Result<(), DriverError>;

    /// Loads words through a window, each with one access; `offset` is aligned and all words are inside.
    fn load(&mut self, window: u16, offset: u64, words: &mut [u32]) -> Result<(), DriverError>;

    /// Stores words through a window, each with one access; `offset` is aligned and all words are inside.
    fn store(&mut self, window: u16, offset: u64, words: &[u32]) -> Result<(), DriverError>;

    /// Pins whole zeroed pages of host memory for the card: `PIN_PAGES`. Returns the memory's number, counted
    /// from 0, and its tile address in the PCIe tile.
    fn pin(&mut self, size: u64) -> Result<(u32, u64), DriverError>;

    /// Reads pinned memory; the range is inside.
    fn pinned_read(
        &mut self,
        memory: u32,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<(), DriverError>;

    /// Writes pinned memory; the range is inside.
    fn pinned_write(&mut self, memory: u32, offset: u64, bytes: &[u8]) -> Result<(), DriverError>;

    /// Registers a word that is written to a tile when this process has ended in any way, or when this driver
    /// is dropped: `SET_NOC_CLEANUP` on a new file, since each file has one such write.
    fn write_at_end(&mut self, write: LastWrite) -> Result<(), DriverError>;

    /// Waits for about the time in which a core executes `ticks` instructions.
    fn wait(&mut self, ticks: u64) -> Result<(), DriverError>;
}

/// The properties of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardInfo {
    /// Configuration word 0: device id in the upper half, vendor id in the lower.
    pub pci_id: u32,
    /// The PCI address, such as `0000:01:00.0`.
    pub address: String,
    /// The driver's version.
    pub driver: (u8, u8, u8),
}

/// A word that is written when a process has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastWrite {
    /// The tile's coordinate on NoC 0.
    pub tile: NocCoordinate,
    /// The address in the tile.
    pub address: u64,
    /// The value to write.
    pub value: u32,
}

/// A call to the driver that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DriverError {
    /// The driver refused the call.
    Refused {
        /// The call, as in the driver's `ioctl.h`, or the file.
        call: &'static str,
        /// The Linux error number.
        errno: i32,
    },
    /// A simulated chip stopped with a fault.
    Fault(Box<Fault>),
}
