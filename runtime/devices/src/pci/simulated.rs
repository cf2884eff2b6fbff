//! A driver made of the simulator, with windows, locks and last writes like tt-kmd's, so that everything above
//! the driver runs without a card.

mod arc;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use hallmark_chip::{
    Architecture, ChipDescription, ConfigOffset, DeviceError, Noc, NocCoordinate, PciDevice,
    PinnedMemory, TileAddress, WindowId, WindowOrder, WindowTarget,
};
use hallmark_sim::{SimulatedDevice, SimulatorError, SimulatorOptions};

use self::arc::Arc;
use super::super::SimulatedChip;
use super::{CardInfo, Driver, DriverError, ENODEV, ENOMEM, LastWrite, OLDEST_DRIVER};

/// The Linux error number for an invalid argument.
const EINVAL: i32 = 22;

/// A simulated chip in a slot: the state that outlives the process that used it.
pub struct SimulatedCard {
    chip: SimulatedDevice,
    arc: Arc,
    architecture: Architecture,
    /// The driver's version.
    pub driver_version: (u8, u8, u8),
    /// The ids of other processes that have the card open.
    pub users: Vec<u32>,
    /// Whether the card has dropped off the bus: reads return ones, and writes vanish.
    pub gone: bool,
    /// Whether the driver knows that the card was removed, and refuses every call.
    pub removed: bool,
    /// Whether only single pages can be pinned, as without an IOMMU.
    pub single_pages: bool,
    locks: Vec<u8>,
}

impl SimulatedCard {
    /// A card whose chip was just powered on.
    ///
    /// # Errors
    /// The simulator does not support the chip.
    pub fn new(chip: SimulatedChip, schedule_seed: u64) -> Result<Self, SimulatorError> {
        let SimulatedChip { architecture, harvesting } = chip;
        // The driver takes no annotations, so races could not be distinguished from permitted accesses.
        let options = SimulatorOptions {
            schedule_seed,
            allow_races: true,
            harvesting,
            ..SimulatorOptions::default()
        };
        let chip = SimulatedDevice::new(architecture, options)?;
        Ok(Self {
            arc: Arc::of(chip.chip().description()),
            chip,
            architecture,
            driver_version: OLDEST_DRIVER,
            users: Vec::new(),
            gone: false,
            removed: false,
            single_pages: false,
            locks: Vec::new(),
        })
    }

    /// The chip, for inspection.
    pub fn chip(&mut self) -> &mut SimulatedDevice {
        &mut self.chip
    }
}

/// A write that is late: writes through unordered windows arrive late, the latest first.
struct LateWrite {
    window: u16,
    offset: u64,
    bytes: Vec<u8>,
}

/// A process's view of a simulated card.
pub struct SimulatedDriver {
    card: Rc<RefCell<SimulatedCard>>,
    targets: BTreeMap<u16, WindowTarget>,
    sizes: BTreeMap<u16, u64>,
    late: Vec<LateWrite>,
    pinned: Vec<PinnedMemory>,
    locks: Vec<u8>,
    last_writes: Vec<LastWrite>,
}

impl SimulatedDriver {
    /// Opens the card for one process.
    pub fn new(card: &Rc<RefCell<SimulatedCard>>) -> Self {
        Self {
            card: Rc::clone(card),
            targets: BTreeMap::new(),
            sizes: BTreeMap::new(),
            late: Vec::new(),
            pinned: Vec::new(),
            locks: Vec::new(),
            last_writes: Vec::new(),
        }
    }

    fn call<T>(
        &self,
        call: &'static str,
        on: impl FnOnce(&mut SimulatedCard) -> Result<T, DeviceError>,
    ) -> Result<T, DriverError> {
        let mut card = self.card.borrow_mut();
        if card.removed {
            return Err(DriverError::Refused { call, errno: ENODEV });
        }
        on(&mut card).map_err(|error| match error {
            DeviceError::Fault(fault) => DriverError::Fault(fault),
            DeviceError::NoWindow { .. } => DriverError::Refused { call, errno: ENOMEM },
            _ => DriverError::Refused { call, errno: EINVAL },
        })
    }

    /// Performs the late writes of some windows.
    fn arrive(&mut self, of: impl Fn(&LateWrite) -> bool) -> Result<(), DriverError> {
        let (now, later) = std::mem::take(&mut self.late).into_iter().partition(|it| of(it));
        self.late = later;
        for LateWrite { window, offset, bytes } in Vec::into_iter(now).rev() {
            self.call("a store", |card| card.chip.window_write(WindowId(window), offset, &bytes))?;
        }
        Ok(())
    }

    fn gone(&self) -> bool {
        self.card.borrow().gone
    }

    /// The address of the first byte in the management processor's tile, if the window points there.
    fn at_arc(&self, window: u16, offset: u64) -> Option<u64> {
        let tile = ChipDescription::of(self.card.borrow().architecture).arc_tile;
        let target = self.targets.get(&window)?;
        (target.end == NocCoordinate { x: tile.x, y: tile.y }).then(|| target.address.0 + offset)
    }
}

impl Driver for SimulatedDriver {
    fn card(&mut self) -> Result<CardInfo, DriverError> {
        self.call("GET_DEVICE_INFO", |card| {
            Ok(CardInfo {
                pci_id: card.architecture.pci_id(),
                address: "0000:01:00.0".to_owned(),
                driver: card.driver_version,
            })
        })
    }

    fn other_users(&mut self) -> Result<Vec<u32>, DriverError> {
        self.call("the list of processes", |card| Ok(card.users.clone()))
    }

    fn try_lock(&mut self, index: u8) -> Result<bool, DriverError> {
        let taken = self.call("LOCK_CTL", |card| {
            let free = !card.locks.contains(&index);
            if free {
                card.locks.push(index);
            }
            Ok(free)
        })?;
        if taken {
            self.locks.push(index);
        }
        Ok(taken)
    }

    fn config_read(&mut self, offset: u16) -> Result<u32, DriverError> {
        let gone = self.gone();
        self.call("reading configuration space", |card| {
            if gone { Ok(u32::MAX) } else { card.chip.config_read(ConfigOffset(offset)) }
        })
    }

    fn allocate_window(&mut self, size: u64) -> Result<u16, DriverError> {
        let window = self.call("ALLOCATE_TLB", |card| {
            let groups = ChipDescription::of(card.architecture).windows.groups;
            if !groups.iter().any(|group| 1 << group.size_bits == size) {
                let what = "a window of no size that the chip has";
                return Err(DeviceError::BadAccess { what, offset: 0, length: size });
            }
            let window = card.chip.allocate_window(size)?;
            if card.chip.window_size(window)? != size {
                card.chip.free_window(window)?;
                return Err(DeviceError::NoWindow { size });
            }
            Ok(window)
        })?;
        self.sizes.insert(window.0, size);
        Ok(window.0)
    }

    fn configure_window(&mut self, window: u16, target: &WindowTarget) -> Result<(), DriverError> {
        if self.gone() {
            return Ok(());
        }
        // Earlier writes through the window go to its old target.
        self.arrive(|late| late.window == window)?;
        self.call("CONFIGURE_TLB", |card| card.chip.configure_window(WindowId(window), target))?;
        self.targets.insert(window, *target);
        Ok(())
    }

    fn free_window(&mut self, window: u16) -> Result<(), DriverError> {
        self.arrive(|late| late.window == window)?;
        self.call("FREE_TLB", |card| card.chip.free_window(WindowId(window)))?;
        self.targets.remove(&window);
        self.sizes.remove(&window);
        Ok(())
    }

    fn load(&mut self, window: u16, offset: u64, words: &mut [u32]) -> Result<(), DriverError> {
        if self.gone() {
            words.fill(u32::MAX);
            return Ok(());
        }
        // A read flushes earlier writes.
        self.arrive(|_| true)?;
        if let Some(first) = self.at_arc(window, offset) {
            let card = self.card.borrow();
            let places = (first..).step_by(4);
            words.iter_mut().zip(places).for_each(|(word, at)| *word = card.arc.read(at));
            return Ok(());
        }
        let mut bytes = vec![0; words.len() * 4];
        self.call("a load", |card| card.chip.window_read(WindowId(window), offset, &mut bytes))?;
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = bytes.first_chunk().copied().map_or(0, u32::from_le_bytes);
        }
        Ok(())
    }

    fn store(&mut self, window: u16, offset: u64, words: &[u32]) -> Result<(), DriverError> {
        if self.gone() {
            return Ok(());
        }
        if let Some(first) = self.at_arc(window, offset) {
            let mut card = self.card.borrow_mut();
            let places = (first..).step_by(4);
            words.iter().zip(places).for_each(|(word, at)| card.arc.write(at, *word));
            return Ok(());
        }
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let ordered =
            self.targets.get(&window).is_none_or(|target| target.order == WindowOrder::Strict);
        if ordered {
            return self
                .call("a store", |card| card.chip.window_write(WindowId(window), offset, &bytes));
        }
        // Of two writes to the same bytes through the same window the later one wins.
        let end = offset + bytes.len() as u64;
        self.arrive(|late| {
            let late_end = late.offset + late.bytes.len() as u64;
            late.window == window && late.offset < end && offset < late_end
        })?;
        self.late.push(LateWrite { window, offset, bytes });
        Ok(())
    }

    fn pin(&mut self, size: u64) -> Result<(u32, u64), DriverError> {
        let pinned = self.call("PIN_PAGES", |card| {
            if card.single_pages && size > super::PAGE {
                let what = "pages that do not lie side by side";
                return Err(DeviceError::BadAccess { what, offset: 0, length: size });
            }
            card.chip.pin_host_memory(size)
        })?;
        self.pinned.push(pinned);
        Ok((self.pinned.len() as u32 - 1, pinned.noc_address.0))
    }

    fn pinned_read(
        &mut self,
        memory: u32,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<(), DriverError> {
        let id = self.pinned.get(memory as usize).map(|pinned| pinned.id);
        let id = id.ok_or(DriverError::Refused { call: "pinned memory", errno: EINVAL })?;
        self.call("pinned memory", |card| card.chip.pinned_read(id, offset, buffer))
    }

    fn pinned_write(&mut self, memory: u32, offset: u64, bytes: &[u8]) -> Result<(), DriverError> {
        let id = self.pinned.get(memory as usize).map(|pinned| pinned.id);
        let id = id.ok_or(DriverError::Refused { call: "pinned memory", errno: EINVAL })?;
        self.call("pinned memory", |card| card.chip.pinned_write(id, offset, bytes))
    }

    fn write_at_end(&mut self, write: LastWrite) -> Result<(), DriverError> {
        self.call("SET_NOC_CLEANUP", |_| Ok(()))?;
        self.last_writes.push(write);
        Ok(())
    }

    fn wait(&mut self, ticks: u64) -> Result<(), DriverError> {
        if self.gone() {
            return Ok(());
        }
        self.call("waiting", |card| card.chip.advance(ticks))?;
        // A write that is late by now cannot overtake a write that was ordered after it.
        self.arrive(|_| true)
    }
}

/// Closes the files, as when a process ends: its writes arrive, last words are written, and its windows and
/// locks are free again.
impl Drop for SimulatedDriver {
    fn drop(&mut self) {
        if self.card.borrow().removed || self.gone() {
            self.card.borrow_mut().locks.retain(|lock| !self.locks.contains(lock));
            return;
        }
        // An error in `drop` cannot be reported.
        let _ = self.arrive(|_| true);
        let mut card = self.card.borrow_mut();
        for &window in self.sizes.keys() {
            let _ = card.chip.free_window(WindowId(window));
        }
        for LastWrite { tile, address, value } in std::mem::take(&mut self.last_writes) {
            let _ = (|| {
                let window = card.chip.allocate_window(4)?;
                let size = card.chip.window_size(window)?;
                let target = WindowTarget {
                    end: tile,
                    multicast_start: None,
                    noc: Noc::Noc0,
                    address: TileAddress(address - address % size),
                    order: WindowOrder::Strict,
                };
                card.chip.configure_window(window, &target)?;
                card.chip.window_write(window, address % size, &value.to_le_bytes())?;
                card.chip.free_window(window)
            })();
        }
        card.locks.retain(|lock| !self.locks.contains(lock));
    }
}
