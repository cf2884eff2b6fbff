//! What Hallmark asks of a card's kernel driver.

use hallmark_chip::{Fault, NocCoordinate, WindowTarget};

/// The calls of the kernel driver, tt-kmd, that a card is used with: one method for each, and loads and
/// stores through mapped windows.
///
/// Everything a card does for Hallmark is above this trait, so that it runs in tests over a driver that is
/// made of the simulator ([`super::SimulatedDriver`]). What is below it on a machine with a card,
/// `KernelDriver`, decides nothing.
pub trait Driver {
    /// What the card is: `GET_DEVICE_INFO` and `GET_DRIVER_INFO`.
    fn card(&mut self) -> Result<CardInfo, DriverError>;

    /// Processes other than this one that have the card open.
    fn other_users(&mut self) -> Result<Vec<u32>, DriverError>;

    /// Takes one of the card's locks if it is free, until this driver is dropped: `LOCK_CTL`. Whether it
    /// was.
    fn try_lock(&mut self, index: u8) -> Result<bool, DriverError>;

    /// Reads an aligned word of configuration space.
    fn config_read(&mut self, offset: u16) -> Result<u32, DriverError>;

    /// Takes a window of exactly this size and maps it uncached, so that loads and stores reach the card
    /// one by one and in their order: `ALLOCATE_TLB`.
    fn allocate_window(&mut self, size: u64) -> Result<u16, DriverError>;

    /// Points a window at a tile: `CONFIGURE_TLB`.
    fn configure_window(&mut self, window: u16, target: &WindowTarget) -> Result<(), DriverError>;

    /// Unmaps a window and gives it back: `FREE_TLB`.
    fn free_window(&mut self, window: u16) -> Result<(), DriverError>;

    /// Loads words through a window, each with one access; `offset` is aligned and all are inside.
    fn load(&mut self, window: u16, offset: u64, words: &mut [u32]) -> Result<(), DriverError>;

    /// Stores words through a window, each with one access; `offset` is aligned and all are inside.
    fn store(&mut self, window: u16, offset: u64, words: &[u32]) -> Result<(), DriverError>;

    /// Pins zeroed host memory of whole pages where the card can reach it: `PIN_PAGES`. Its number, counted
    /// from 0, and the address by which tiles reach it at the PCIe tile.
    fn pin(&mut self, size: u64) -> Result<(u32, u64), DriverError>;

    /// Reads pinned memory; all is inside.
    fn pinned_read(
        &mut self,
        memory: u32,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<(), DriverError>;

    /// Writes pinned memory; all is inside.
    fn pinned_write(&mut self, memory: u32, offset: u64, bytes: &[u8]) -> Result<(), DriverError>;

    /// Has a word written to a tile when this process has ended, however that happens, or when this driver is
    /// dropped: `SET_NOC_CLEANUP` on one more file, since each file has one such write.
    fn write_at_end(&mut self, write: LastWrite) -> Result<(), DriverError>;

    /// Waits while a core can execute about so many instructions.
    fn wait(&mut self, ticks: u64) -> Result<(), DriverError>;
}

/// What a driver says of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardInfo {
    /// Configuration word 0: device id in the upper half, vendor id in the lower.
    pub pci_id: u32,
    /// Where it is plugged in, `0000:01:00.0`.
    pub address: String,
    /// The driver's version.
    pub driver: (u8, u8, u8),
}

/// A word that is written when a process has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastWrite {
    /// The tile, as requests on NoC 0 name it.
    pub tile: NocCoordinate,
    /// The address in it.
    pub address: u64,
    /// What the word holds then.
    pub value: u32,
}

/// A call to the driver did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DriverError {
    /// It was refused.
    Refused {
        /// The call, as the driver's `ioctl.h` names it, or the file.
        call: &'static str,
        /// Linux' number for the reason.
        errno: i32,
    },
    /// A chip in software stopped.
    Fault(Box<Fault>),
}
