//! Any library with the C ABI of Tenstorrent's simulator as a device.
//!
//! A rule broken by a device program ends the process with a closing line on standard output. Such a device is
//! therefore opened in a worker, and the worker's parent reads that line
//! ([`FaultCategory`](hallmark_chip::FaultCategory) is the name in it).

mod host_memory;
mod library;

use std::path::Path;

use hallmark_chip::{
    Advance, Architecture, Bar, BarOffset, BarWindows, Capabilities, ChipDescription, ConfigOffset,
    DeviceError, HarvestingError, HarvestingMask, PciDevice, PinnedMemory, PinnedMemoryId,
    TileAddress, WindowId, WindowTarget,
};

use self::host_memory::HOST_MEMORY;
use self::library::Library;
use crate::LibraryChip;

/// A simulator library that could not be opened as a device.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenTtsimError {
    /// The file is no loadable library, or lacks a function of the ABI.
    #[error("{path} cannot be loaded as a simulator library: {reason}")]
    Load {
        /// The library's file.
        path: String,
        /// The loader's message.
        reason: String,
    },
    /// The ABI allows one instance per process.
    #[error("a simulator library is already open in this process; the library's ABI allows one")]
    AlreadyOpen,
    /// The PCI id is not that of a Tenstorrent chip.
    #[error("{path} has the PCI id {pci_id:#010x}, which belongs to no chip that Hallmark knows")]
    UnknownChip {
        /// The library's file.
        path: String,
        /// Configuration word 0.
        pci_id: u32,
    },
    /// No chip of the architecture has the stated harvesting.
    #[error(transparent)]
    Harvesting(#[from] HarvestingError),
}

/// A simulator library behind the PCIe device.
#[derive(Debug)]
pub struct TtsimDevice {
    name: String,
    library: Library,
    description: &'static ChipDescription,
    harvesting: HarvestingMask,
    windows: BarWindows,
    bar_bases: [u64; 3],
}

/// Configuration offsets of the lower halves of BAR0, BAR2 and BAR4.
const BAR_REGISTERS: [u16; 3] = [0x10, 0x18, 0x20];

impl TtsimDevice {
    /// Loads the library at `path`, installs the DMA callbacks and starts the simulator. `harvesting` is that
    /// of the simulated chip. The ABI does not report it: the variable `HALLMARK_SIM_HARVESTING` tells the
    /// library, and this argument tells the device.
    ///
    /// # Errors
    /// [`OpenTtsimError`]: the library cannot be loaded, or the chip is unknown or not supported. A library
    /// that breaks its own rules while it starts ends the process.
    pub fn open(path: &Path, harvesting: HarvestingMask) -> Result<Self, OpenTtsimError> {
        let shown = path.display().to_string();
        let library = Library::load(path)?;
        let pci_id = library.config_read(0);
        let architecture = Architecture::from_pci_id(pci_id)
            .ok_or_else(|| OpenTtsimError::UnknownChip { path: shown.clone(), pci_id })?;
        let description = ChipDescription::harvested(architecture, harvesting)?;
        let bar_bases = BAR_REGISTERS.map(|register| {
            let low = library.config_read(register);
            let high = library.config_read(register + 4);
            u64::from(high) << 32 | u64::from(low & !0xF)
        });
        Ok(Self {
            name: format!("ttsim:{}", LibraryChip { path: path.to_owned(), harvesting }),
            library,
            description,
            harvesting,
            windows: BarWindows::new(description),
            bar_bases,
        })
    }

    /// The chip that the library simulates.
    pub const fn description(&self) -> &'static ChipDescription {
        self.description
    }

    fn paddr(&self, offset: BarOffset) -> u64 {
        let [bar0, bar2, bar4] = self.bar_bases;
        let base = match offset.bar {
            Bar::Bar0 => bar0,
            Bar::Bar2 => bar2,
            Bar::Bar4 => bar4,
        };
        base.wrapping_add(offset.offset)
    }

    fn read(&mut self, offset: BarOffset, buffer: &mut [u8]) -> Result<(), DeviceError> {
        // The ABI's lengths are 32-bit, and it refuses an empty access.
        for (part, at) in buffer.chunks_mut(CHUNK).zip((0u64..).step_by(CHUNK)) {
            let offset = BarOffset { bar: offset.bar, offset: offset.offset.saturating_add(at) };
            self.library.memory_read(self.paddr(offset), part);
        }
        self.after_device_ran()
    }

    fn write(&mut self, offset: BarOffset, bytes: &[u8]) -> Result<(), DeviceError> {
        for (part, at) in bytes.chunks(CHUNK).zip((0u64..).step_by(CHUNK)) {
            let offset = BarOffset { bar: offset.bar, offset: offset.offset.saturating_add(at) };
            self.library.memory_write(self.paddr(offset), part);
        }
        self.after_device_ran()
    }

    /// Returns a bad DMA access as an error after the library has returned, because a DMA callback cannot.
    fn after_device_ran(&self) -> Result<(), DeviceError> {
        match HOST_MEMORY.take_fault() {
            Some(fault) => Err(fault.into()),
            None => Ok(()),
        }
    }
}

const CHUNK: usize = 16 << 20;

fn register_offset(offset: BarOffset) -> Result<BarOffset, DeviceError> {
    if offset.offset.is_multiple_of(4) {
        Ok(offset)
    } else {
        Err(DeviceError::BadAccess { what: "device register", offset: offset.offset, length: 4 })
    }
}

// The library's C interface takes neither meanings nor launches: it checks nothing by them.
impl PciDevice for TtsimDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn harvesting(&mut self) -> Result<HarvestingMask, DeviceError> {
        Ok(self.harvesting)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { tensix: true, fault_ends_process: true, ..Capabilities::default() }
    }

    fn config_read(&mut self, offset: ConfigOffset) -> Result<u32, DeviceError> {
        if offset.0 < 0x40 && offset.0.is_multiple_of(4) {
            Ok(self.library.config_read(offset.0))
        } else {
            Err(DeviceError::BadAccess {
                what: "PCI configuration space",
                offset: u64::from(offset.0),
                length: 4,
            })
        }
    }

    fn register_read(&mut self, offset: BarOffset) -> Result<u32, DeviceError> {
        let mut word = [0; 4];
        self.read(register_offset(offset)?, &mut word)?;
        Ok(u32::from_le_bytes(word))
    }

    fn register_write(&mut self, offset: BarOffset, value: u32) -> Result<(), DeviceError> {
        self.write(register_offset(offset)?, &value.to_le_bytes())
    }

    fn allocate_window(&mut self, size: u64) -> Result<WindowId, DeviceError> {
        self.windows.allocate(size)
    }

    fn window_size(&self, window: WindowId) -> Result<u64, DeviceError> {
        self.windows.size(window)
    }

    fn configure_window(
        &mut self,
        window: WindowId,
        target: &WindowTarget,
    ) -> Result<(), DeviceError> {
        for write in self.windows.configure(window, target)? {
            self.register_write(write.offset, write.value)?;
        }
        Ok(())
    }

    fn window_read(
        &mut self,
        window: WindowId,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<(), DeviceError> {
        let access = self.windows.access(window, offset, buffer.len())?;
        for (piece, at) in buffer.chunks_mut(access.piece_length()).zip(access.piece_offsets()) {
            self.read(at, piece)?;
        }
        Ok(())
    }

    fn window_write(
        &mut self,
        window: WindowId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        let access = self.windows.access(window, offset, bytes.len())?;
        for (piece, at) in bytes.chunks(access.piece_length()).zip(access.piece_offsets()) {
            self.write(at, piece)?;
        }
        Ok(())
    }

    fn free_window(&mut self, window: WindowId) -> Result<(), DeviceError> {
        self.windows.free(window)
    }

    fn order(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn advance(&mut self, ticks: u64) -> Result<Advance, DeviceError> {
        let mut left = ticks;
        while left > 0 {
            let now = u32::try_from(left).unwrap_or(u32::MAX);
            self.library.clock(now);
            left -= u64::from(now);
        }
        self.after_device_ran()?;
        Ok(Advance::Ran)
    }

    fn pin_host_memory(&mut self, size: u64) -> Result<PinnedMemory, DeviceError> {
        let (id, bus_address) = HOST_MEMORY.pin(size).ok_or_else(|| DeviceError::Lost {
            device: self.name.clone(),
            reason: format!("{size} bytes of host memory cannot be pinned"),
        })?;
        Ok(PinnedMemory {
            id,
            size,
            noc_address: TileAddress(self.description.pcie_host_base.0 + bus_address),
        })
    }

    fn pinned_read(
        &mut self,
        memory: PinnedMemoryId,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<(), DeviceError> {
        HOST_MEMORY.host_read(memory, offset, buffer)
    }

    fn pinned_write(
        &mut self,
        memory: PinnedMemoryId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        HOST_MEMORY.host_write(memory, offset, bytes)
    }
}
