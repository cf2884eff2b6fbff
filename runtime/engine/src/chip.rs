//! An open chip as it is before any firmware runs: access to it, its firmware bundle, its banks.

mod buffers;
mod inspect;
mod markers;

use std::sync::Arc;

use hallmark_chip::{
    Capabilities, ChipDescription, DeviceError, KernelRuns, Noc, NocCoordinate, PciDevice,
    ReservedMemory, ReservedUse,
};
use hallmark_device_code::{
    BankTables, FirmwareBundle, Mailbox, MemoryRange, NocBank, SEMAPHORE_STRIDE, TileMemoryMap,
};

pub(crate) use self::buffers::{annotate, read, write};
pub use self::inspect::BufferBytes;
pub(crate) use self::inspect::inspect;
pub use self::markers::start_of_markers;
pub(crate) use self::markers::{prepare_markers, read_markers};
use crate::InternalError;
use crate::addresses::{Bank, Banks};
use crate::chip_access::ChipAccess;

/// A tile as device code names it: the NoC coordinate x from bit 0, y from bit 6.
pub(crate) fn tile_word(tile: NocCoordinate) -> u32 {
    u32::from(tile.x) | u32::from(tile.y) << 6
}

/// The memory of a worker tile below all programs' data.
fn reserved(memory: &TileMemoryMap, banks: &Banks) -> Arc<[ReservedMemory]> {
    let MemoryRange { start: mailbox, end: mailbox_end } = memory.mailbox;
    let of_kernels = mailbox.saturating_add(Mailbox::ATOMIC_RETURN);
    let range = |memory: MemoryRange| memory.start..memory.end;
    let tables = range(memory.bank_tables);
    let [dram, l1] =
        [(BankTables::DRAM, &banks.dram), (BankTables::L1, &banks.l1)].map(|(first, banks)| {
            let count = u32::try_from(banks.len()).unwrap_or(u32::MAX);
            let start = tables.start.saturating_add(first);
            start
                ..start
                    .saturating_add(count.saturating_mul(BankTables::BANK_STRIDE))
                    .min(tables.end)
        });
    let all = [
        (range(memory.firmware), ReservedUse::Firmware),
        (mailbox..of_kernels, ReservedUse::Mailbox),
        (of_kernels..mailbox_end, ReservedUse::KernelApi),
        (tables.start..dram.end, ReservedUse::BankTables),
        (dram.end..l1.start, ReservedUse::NoBanks),
        (l1.start..l1.end, ReservedUse::BankTables),
        (l1.end..tables.end, ReservedUse::NoBanks),
        (range(memory.kernel_config), ReservedUse::Launches),
    ];
    let markers = memory.profiler.map(|place| (range(place), ReservedUse::Markers));
    let all = all.into_iter().chain(markers);
    all.map(|(range, purpose)| ReservedMemory { range, purpose }).collect()
}

/// An open chip.
#[derive(Debug)]
pub(crate) struct Chip {
    access: ChipAccess,
    firmware: Arc<FirmwareBundle>,
    banks: Arc<Banks>,
    /// Memory of each worker tile that no program's data lies in.
    reserved: Arc<[ReservedMemory]>,
    /// Bytes at the top of every DRAM bank.
    trace_region_size: u64,
}

impl Chip {
    /// Takes a device that is known to be the chip described, and holds every core of the grid in reset.
    ///
    /// # Errors
    /// The device's.
    pub(crate) fn open(
        device: Box<dyn PciDevice>,
        description: &'static ChipDescription,
        firmware: Arc<FirmwareBundle>,
        banks: Arc<Banks>,
        trace_region_size: u64,
    ) -> Result<Self, DeviceError> {
        let mut access = ChipAccess::new(device, description);
        for bank in &banks.l1 {
            access.write_word(bank.tile, description.reset.soft_reset, description.reset.all())?;
        }
        access.order()?;
        let reserved = reserved(firmware.memory(), &banks);
        Ok(Self { access, firmware, banks, reserved, trace_region_size })
    }

    pub(crate) const fn access(&mut self) -> &mut ChipAccess {
        &mut self.access
    }

    pub(crate) const fn description(&self) -> &'static ChipDescription {
        self.access.description()
    }

    pub(crate) const fn firmware(&self) -> &Arc<FirmwareBundle> {
        &self.firmware
    }

    pub(crate) const fn banks(&self) -> &Arc<Banks> {
        &self.banks
    }

    /// Memory of each worker tile that no program's data lies in.
    pub(crate) const fn reserved(&self) -> &Arc<[ReservedMemory]> {
        &self.reserved
    }

    /// The capabilities of the device.
    pub(crate) fn capabilities(&self) -> Capabilities {
        self.access.capabilities()
    }

    /// Whether programs were right only by an order that the documents do not promise, where the device knows it.
    pub(crate) fn relies_on_atomics_behind_writes(&self) -> bool {
        self.access.relies_on_atomics_behind_writes()
    }

    /// The kernels that have run so far, where the device judges them.
    pub(crate) fn kernel_runs(&self) -> KernelRuns {
        self.access.kernel_runs()
    }

    /// Whether the device wants to know the meaning of memory.
    pub(crate) fn wants_meanings(&self) -> bool {
        let capabilities = self.capabilities();
        capabilities.detects_uninitialised
            || capabilities.detects_races
            || capabilities.detects_misuse
    }

    /// Where the region for traces starts in every DRAM bank.
    pub(crate) fn start_of_traces(&self) -> u64 {
        self.description().dram_bank_size.saturating_sub(self.trace_region_size)
    }

    /// Bytes of a tile's semaphores.
    pub(crate) fn semaphores_size(&self) -> u64 {
        u64::from(self.firmware.limits().semaphores) * u64::from(SEMAPHORE_STRIDE)
    }

    /// The tables of banks that firmware is given.
    pub(crate) fn bank_tables(&self) -> Result<Vec<u8>, InternalError> {
        let description = self.description();
        let bank = |bank: &Bank| NocBank {
            tile: Noc::ALL.map(|noc| description.on_noc(noc, bank.tile)),
            // Banks of all known chips start below 4 GiB of their tile.
            offset: u32::try_from(bank.offset).unwrap_or(u32::MAX),
        };
        let tables = BankTables {
            dram: self.banks.dram.iter().map(bank).collect(),
            l1: self.banks.l1.iter().map(bank).collect(),
        };
        tables.encode().map_err(|error| InternalError::new(error.to_string()))
    }

    /// The device is lost for this reason. Firmware is not ours alone: its faults are no bug of the runtime.
    pub(crate) fn lost(&self, reason: String) -> DeviceError {
        DeviceError::Lost { device: self.access.name().to_owned(), reason }
    }
}
