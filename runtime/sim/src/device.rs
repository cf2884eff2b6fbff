//! A simulated chip as a [`PciDevice`] in this process.

use std::sync::Arc;

use hallmark_chip::{
    Activity, Advance, Architecture, Awaited, BarOffset, BarWindows, Capabilities, ConfigOffset,
    DescribedBuffer, DeviceError, Fault, Footprints, HarvestingMask, KernelRuns, LastWriter,
    LaunchDescription, Meaning, PciDevice, PhysicalCoordinate, PinnedMemory, PinnedMemoryId,
    Position, Processor, TileAddress, Unwritten, WindowId, WindowTarget,
};

use crate::chip::Chip;
use crate::machine::HostMemory;
use crate::machine::observer::Observer;
use crate::options::{SimulatorError, SimulatorOptions};

/// Where the first pinned memory lies in the device's view of the host; 0 stays free so that a
/// forgotten address is noticed.
const FIRST_PINNED: u64 = 0x1_0000;
/// Alignment of pinned memory, that of the host's pages.
const PAGE: u64 = 4096;

#[derive(Debug)]
struct Region {
    address: u64,
    bytes: Vec<u8>,
    /// Per byte the bits that the device copied here from where nobody wrote; empty if there are none.
    unknown: Vec<u8>,
}

/// Pinned host memory, by the address under which the device sees it.
#[derive(Debug, Default)]
struct PinnedRegions {
    regions: Vec<Region>,
}

impl PinnedRegions {
    fn slice(&mut self, address: u64, length: usize) -> Option<&mut [u8]> {
        self.regions.iter_mut().find_map(|region| {
            let start = usize::try_from(address.checked_sub(region.address)?).ok()?;
            region.bytes.get_mut(start..start.checked_add(length)?)
        })
    }

    /// Notes that a range was written with known bytes.
    fn note(&mut self, address: u64, length: usize) {
        for region in &mut self.regions {
            let Some(start) = address.checked_sub(region.address) else { continue };
            let start = start as usize;
            if let Some(unknown) = region.unknown.get_mut(start..start.saturating_add(length)) {
                unknown.fill(0);
            }
        }
    }

    fn region(
        &mut self,
        memory: PinnedMemoryId,
        offset: u64,
        length: usize,
    ) -> Result<&mut [u8], DeviceError> {
        let region = self
            .regions
            .get_mut(memory.0 as usize)
            .ok_or(DeviceError::UnknownPinnedMemory(memory))?;
        usize::try_from(offset)
            .ok()
            .and_then(|start| region.bytes.get_mut(start..start.checked_add(length)?))
            .ok_or(DeviceError::BadAccess { what: "pinned memory", offset, length: length as u64 })
    }
}

impl HostMemory for PinnedRegions {
    fn read(&mut self, address: u64, buffer: &mut [u8]) -> bool {
        match self.slice(address, buffer.len()) {
            Some(source) => {
                buffer.copy_from_slice(source);
                true
            }
            None => false,
        }
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        match self.slice(address, bytes.len()) {
            Some(target) => {
                target.copy_from_slice(bytes);
                self.note(address, bytes.len());
                true
            }
            None => false,
        }
    }

    fn forget(&mut self, address: u64, unknown: &[u8]) {
        for region in &mut self.regions {
            let Some(start) = address.checked_sub(region.address) else { continue };
            let start = start as usize;
            if start.saturating_add(unknown.len()) <= region.bytes.len() {
                region.unknown.resize(region.bytes.len(), 0);
                if let Some(target) = region.unknown.get_mut(start..start + unknown.len()) {
                    target.copy_from_slice(unknown);
                }
            }
        }
    }

    fn unknown(&mut self, address: u64, unknown: &mut [u8]) {
        let held = self.regions.iter().find_map(|region| {
            let start = address.checked_sub(region.address)? as usize;
            region.unknown.get(start..start.checked_add(unknown.len())?)
        });
        if let Some(held) = held {
            unknown.copy_from_slice(held);
        }
    }
}

/// A simulated chip in this process.
#[derive(Debug)]
pub struct SimulatedDevice {
    name: String,
    chip: Chip,
    windows: BarWindows,
    pinned: PinnedRegions,
}

impl SimulatedDevice {
    /// Powers a chip on.
    ///
    /// # Errors
    /// [`SimulatorError::UnknownArchitecture`] for a chip that is not among [`crate::ARCHITECTURES`],
    /// [`SimulatorError::Harvesting`] for one that cannot be harvested so, [`SimulatorError::NoDataCache`] for one
    /// without the data cache that the options ask for.
    pub fn new(
        architecture: Architecture,
        options: SimulatorOptions,
    ) -> Result<Self, SimulatorError> {
        let chip = Chip::new(architecture, &options)?;
        let harvesting = match options.harvesting {
            HarvestingMask::NONE => String::new(),
            mask => format!(":harvested={mask}"),
        };
        Ok(Self {
            name: format!("sim:{architecture}{harvesting}"),
            windows: BarWindows::new(chip.description()),
            chip,
            pinned: PinnedRegions::default(),
        })
    }

    /// The chip behind the PCIe device.
    pub fn chip(&self) -> &Chip {
        &self.chip
    }
}

fn faulted(fault: Fault) -> DeviceError {
    fault.into()
}

impl PciDevice for SimulatedDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            detects_deadlock: true,
            detects_uninitialised: true,
            detects_misuse: true,
            detects_races: self.chip.machine.observers.races.is_watching(),
            reorders_noc: true,
            data_cache: self.chip.description().data_cache.is_some(),
            reports_fault_place: true,
            tensix: hallmark_tensix::Chip::of(self.chip.description().architecture).computes(),
            fault_ends_process: false,
        }
    }

    fn relies_on_atomics_behind_writes(&self) -> bool {
        self.chip.machine.observers.races.relies_on_atomics_behind_writes()
    }

    fn kernel_runs(&self) -> KernelRuns {
        let observers = &self.chip.machine.observers;
        let mut runs = observers.grants.runs();
        runs += observers.requests.runs();
        runs
    }

    fn config_read(&mut self, offset: ConfigOffset) -> Result<u32, DeviceError> {
        self.chip.config_read(offset.0).map_err(faulted)
    }

    fn register_read(&mut self, offset: BarOffset) -> Result<u32, DeviceError> {
        if !offset.offset.is_multiple_of(4) {
            return Err(misaligned_register(offset));
        }
        let mut word = [0; 4];
        self.chip.bar_read(offset, &mut word).map_err(faulted)?;
        Ok(u32::from_le_bytes(word))
    }

    fn register_write(&mut self, offset: BarOffset, value: u32) -> Result<(), DeviceError> {
        if !offset.offset.is_multiple_of(4) {
            return Err(misaligned_register(offset));
        }
        self.chip.bar_write(offset, &value.to_le_bytes()).map_err(faulted)
    }

    fn harvesting(&mut self) -> Result<HarvestingMask, DeviceError> {
        Ok(self.chip.description().harvesting)
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
            self.chip.bar_read(at, piece).map_err(faulted)?;
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
            self.chip.bar_write(at, piece).map_err(faulted)?;
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
        self.chip.advance(ticks, &mut self.pinned).map_err(faulted)
    }

    fn positions(&mut self) -> Vec<Position> {
        self.chip.positions()
    }

    fn read_stopped(
        &mut self,
        tile: PhysicalCoordinate,
        address: TileAddress,
        buffer: &mut [u8],
    ) -> bool {
        self.chip.read_stopped(tile, address, buffer)
    }

    fn awaited(&mut self, tile: PhysicalCoordinate, processor: Processor) -> Option<Awaited> {
        self.chip.awaited(tile, processor)
    }

    fn pin_host_memory(&mut self, size: u64) -> Result<PinnedMemory, DeviceError> {
        let address = self.pinned.regions.last().map_or(FIRST_PINNED, |region| {
            (region.address + region.bytes.len() as u64).next_multiple_of(PAGE) + PAGE
        });
        // The device sees 4 GiB less 128 KiB of host memory (tt-isa-documentation,
        // WormholeB0/PCIExpressTile/README.md, "NoC to Host").
        if size == 0 || address.saturating_add(size) > 0xFFFE_0000 {
            return Err(DeviceError::NotAvailable {
                device: self.name.clone(),
                what: "host memory of that size that it can see",
            });
        }
        let id = PinnedMemoryId(self.pinned.regions.len() as u32);
        self.pinned.regions.push(Region {
            address,
            bytes: vec![0; size as usize],
            unknown: Vec::new(),
        });
        let base = self.chip.description().pcie_host_base.0;
        Ok(PinnedMemory { id, size, noc_address: TileAddress(base + address) })
    }

    fn pinned_read(
        &mut self,
        memory: PinnedMemoryId,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<(), DeviceError> {
        self.chip.machine.observers.host_reads_own_memory();
        buffer.copy_from_slice(self.pinned.region(memory, offset, buffer.len())?);
        Ok(())
    }

    fn pinned_unwritten(
        &mut self,
        memory: PinnedMemoryId,
        offset: u64,
        length: u64,
    ) -> Result<Option<u64>, DeviceError> {
        self.pinned.region(memory, offset, usize::try_from(length).unwrap_or(usize::MAX))?;
        let Some(region) = self.pinned.regions.get(memory.0 as usize) else { return Ok(None) };
        let held = region.unknown.get(offset as usize..(offset + length) as usize);
        let first = held.and_then(|held| held.iter().position(|unknown| *unknown != 0));
        Ok(first.map(|first| first as u64))
    }

    fn pinned_write(
        &mut self,
        memory: PinnedMemoryId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        self.pinned.region(memory, offset, bytes.len())?.copy_from_slice(bytes);
        if let Some(region) = self.pinned.regions.get(memory.0 as usize) {
            self.pinned.note(region.address + offset, bytes.len());
        }
        Ok(())
    }

    fn unwritten(
        &mut self,
        window: WindowId,
        offset: u64,
        length: u64,
    ) -> Result<Option<Unwritten>, DeviceError> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let access = self.windows.access(window, offset, length)?;
        if length == 0 || access.registers {
            return Ok(None);
        }
        self.chip.unwritten(access.offset, length).map_err(faulted)
    }

    fn last_writer(
        &mut self,
        tile: PhysicalCoordinate,
        address: TileAddress,
    ) -> Option<LastWriter> {
        self.chip.last_writer(tile, address)
    }

    fn activity(&mut self) -> Option<Activity> {
        Some(self.chip.take_activity())
    }

    fn footprint(&mut self) -> Option<Footprints> {
        Some(self.chip.take_footprints())
    }

    fn annotate(
        &mut self,
        tile: PhysicalCoordinate,
        start: TileAddress,
        length: u64,
        meaning: Meaning,
    ) -> Result<(), DeviceError> {
        self.chip.annotate(tile, start, length, meaning);
        Ok(())
    }

    fn describe_buffer(&mut self, buffer: &Arc<DescribedBuffer>) -> Result<(), DeviceError> {
        self.chip.describe_buffer(buffer);
        Ok(())
    }

    fn describe_launches(
        &mut self,
        tile: PhysicalCoordinate,
        block: TileAddress,
        launches: &[Arc<LaunchDescription>],
    ) -> Result<(), DeviceError> {
        self.chip.describe_launches(tile, block, launches);
        Ok(())
    }
}

fn misaligned_register(at: BarOffset) -> DeviceError {
    DeviceError::BadAccess { what: "a register", offset: at.offset, length: 4 }
}
