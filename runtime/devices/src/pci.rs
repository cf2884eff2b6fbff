//! A card behind the kernel driver, tt-kmd.
//!
//! The driver allocates TLB windows and controls their registers. This module moves bytes through the windows,
//! keeps the order that the host API relies on, and makes sure that no core keeps running after the process has
//! ended. The same code runs over a card (`KernelDriver`, with the feature `pci`) and, in tests, over the
//! simulator ([`SimulatedDriver`]).

mod driver;
mod harvesting;
#[cfg(feature = "pci")]
mod kernel;
mod simulated;

use std::collections::{BTreeMap, BTreeSet};

use hallmark_chip::{
    Advance, Architecture, BarOffset, Capabilities, ChipDescription, ConfigOffset, DeviceError,
    HarvestingMask, LogicalCore, NocCoordinate, PciDevice, PinnedMemory, PinnedMemoryId, REGISTERS,
    TileAddress, WindowId, WindowOrder, WindowTarget, WindowTargetError,
};

pub use self::driver::{CardInfo, Driver, DriverError, LastWrite};
#[cfg(feature = "pci")]
pub use self::kernel::KernelDriver;
pub use self::simulated::{SimulatedCard, SimulatedDriver};

/// The lock by which users of a card exclude each other. The driver reserves the first 16 for Ethernet cores;
/// this one is the last.
const LOCK: u8 = 63;
/// The first driver version that writes last words, pins memory for tiles and reports who has a card open.
const OLDEST_DRIVER: (u8, u8, u8) = (2, 5, 0);
/// Bytes of a page of host memory.
const PAGE: u64 = 4096;
/// The largest number of words moved at a time.
const CHUNK: usize = 4096;
/// The Linux error numbers with a special meaning here.
const ENODEV: i32 = 19;
const ENOMEM: i32 = 12;

/// A card that the driver has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedCard {
    /// Its number, as in `pci:NUMBER`.
    pub number: u32,
    /// The card's properties, or why they could not be read.
    pub card: Result<CardInfo, OpenCardError>,
    /// The ids of processes that have the card open.
    pub users: Vec<u32>,
}

/// The cards of this machine; `None` if this build has no driver for them.
pub fn cards() -> Option<Vec<ListedCard>> {
    #[cfg(feature = "pci")]
    return Some(kernel::cards());
    #[cfg(not(feature = "pci"))]
    None
}

/// A card that could not be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenCardError {
    /// The card does not exist.
    #[error(
        "{device} was not found: {reason}; `hallmark doctor` lists the cards that the driver has found"
    )]
    Absent {
        /// The card's name.
        device: String,
        /// The error of the operating system.
        reason: String,
    },
    /// The user lacks permission.
    #[error("this user may not open {device}: {reason}")]
    Forbidden {
        /// The card's name.
        device: String,
        /// The error of the operating system.
        reason: String,
    },
    /// Another process uses the card.
    #[error("{device} is in use: {by}; wait until the device is free, or end that process")]
    InUse {
        /// The card's name.
        device: String,
        /// The users of the card, as a clause.
        by: String,
    },
    /// The driver is too old and lacks a call.
    #[error(
        "{device} is driven by tt-kmd {}.{}.{}; {}.{}.{} or later is needed, which puts cores into reset when a process \
         ends",
        found.0, found.1, found.2, OLDEST_DRIVER.0, OLDEST_DRIVER.1, OLDEST_DRIVER.2
    )]
    OldDriver {
        /// The card's name.
        device: String,
        /// The driver's version: major, minor, patch.
        found: (u8, u8, u8),
    },
    /// The PCI id is not that of a chip that the driver supports.
    #[error(
        "{device} has the PCI id {pci_id:#010x}, which belongs to no chip that Hallmark can drive"
    )]
    UnknownChip {
        /// The card's name.
        device: String,
        /// Configuration word 0.
        pci_id: u32,
    },
    /// A call to the driver failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// A window of the driver.
#[derive(Debug)]
struct Window {
    size: u64,
    target: Option<WindowTarget>,
    /// The last word written, until it has been read back.
    written: Option<u64>,
}

/// A card.
pub struct CardDevice<D: Driver> {
    name: String,
    driver: D,
    description: &'static ChipDescription,
    windows: BTreeMap<WindowId, Window>,
    pinned: Vec<PinnedMemory>,
    /// The tiles that have cores.
    tensix: BTreeSet<NocCoordinate>,
    /// The tiles that are reset at the end.
    guarded: BTreeSet<NocCoordinate>,
    tensix_computes: bool,
}

impl<D: Driver> CardDevice<D> {
    /// Opens a card, unless another process uses it.
    ///
    /// # Errors
    /// See [`OpenCardError`].
    pub fn open(name: String, mut driver: D) -> Result<Self, OpenCardError> {
        let failed = |error| OpenCardError::Device(lost(&name, error));
        let card = driver.card().map_err(failed)?;
        if card.driver < OLDEST_DRIVER {
            return Err(OpenCardError::OldDriver { device: name, found: card.driver });
        }
        let architecture = Architecture::from_pci_id(card.pci_id)
            // The driver dropped Grayskull, together with the calls that this module uses.
            .filter(|architecture| *architecture != Architecture::Grayskull);
        let Some(architecture) = architecture else {
            return Err(OpenCardError::UnknownChip { device: name, pci_id: card.pci_id });
        };
        if !driver.try_lock(LOCK).map_err(failed)? {
            let by = "another Hallmark holds the lock of the card".to_owned();
            return Err(OpenCardError::InUse { device: name, by });
        }
        let others = driver.other_users().map_err(failed)?;
        if !others.is_empty() {
            let by = match others.as_slice() {
                [one] => format!("process {one} has it open"),
                many => {
                    let many: Vec<String> = many.iter().map(u32::to_string).collect();
                    format!("processes {} have it open", many.join(", "))
                }
            };
            return Err(OpenCardError::InUse { device: name, by });
        }
        let description = ChipDescription::of(architecture);
        Ok(Self {
            tensix: tensix(description),
            name,
            driver,
            description,
            windows: BTreeMap::new(),
            pinned: Vec::new(),
            guarded: BTreeSet::new(),
            tensix_computes: true,
        })
    }

    /// Disables the Tensix coprocessor of a simulated card.
    #[must_use]
    pub fn without_coprocessor(self) -> Self {
        Self { tensix_computes: false, ..self }
    }

    fn window(&self, window: WindowId) -> Result<&Window, DeviceError> {
        self.windows.get(&window).ok_or(DeviceError::UnknownWindow(window))
    }

    /// The target of a window, if the access stays inside it and does not split a register.
    fn target_of(
        &self,
        window: WindowId,
        offset: u64,
        length: usize,
    ) -> Result<WindowTarget, DeviceError> {
        let bad = |what| DeviceError::BadAccess { what, offset, length: length as u64 };
        let Window { size, target, .. } = self.window(window)?;
        let target = target.ok_or_else(|| bad("a TLB window that is not configured"))?;
        let end = offset.checked_add(length as u64).filter(|end| end <= size);
        let end = end.ok_or_else(|| bad("TLB window"))?;
        let first = target.address.0.saturating_add(offset);
        let last = target.address.0.saturating_add(end);
        let registers = first < REGISTERS.end && last > REGISTERS.start;
        if registers && !(offset.is_multiple_of(4) && end.is_multiple_of(4)) {
            return Err(bad("registers behind a TLB window"));
        }
        Ok(target)
    }

    fn load(
        &mut self,
        window: WindowId,
        offset: u64,
        words: &mut [u32],
    ) -> Result<(), DeviceError> {
        self.driver.load(window.0, offset, words).map_err(|error| lost(&self.name, error))
    }

    fn store(&mut self, window: WindowId, offset: u64, words: &[u32]) -> Result<(), DeviceError> {
        self.driver.store(window.0, offset, words).map_err(|error| lost(&self.name, error))
    }

    /// Called before cores of a tile leave reset. They will be reset when this process ends, however it ends.
    fn guard(
        &mut self,
        target: &WindowTarget,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        let reset = &self.description.reset;
        let first = target.address.0.saturating_add(offset);
        let at = reset.soft_reset.0.checked_sub(first).and_then(|at| usize::try_from(at).ok());
        let Some(value) = at.and_then(|at| bytes.get(at..)?.first_chunk()) else { return Ok(()) };
        if u32::from_le_bytes(*value) & reset.all() == reset.all() {
            return Ok(());
        }
        let NocCoordinate { x: left, y: top } = target.multicast_start.unwrap_or(target.end);
        let NocCoordinate { x: right, y: bottom } = target.end;
        for tile in (top..=bottom).flat_map(|y| (left..=right).map(move |x| NocCoordinate { x, y }))
        {
            if self.tensix.contains(&tile) && !self.guarded.contains(&tile) {
                let address = reset.soft_reset.0;
                let write = LastWrite { tile, address, value: reset.all() };
                self.driver.write_at_end(write).map_err(|error| lost(&self.name, error))?;
                self.guarded.insert(tile);
            }
        }
        Ok(())
    }

    /// Reads a word back through a window. A multicast window is pointed at a single tile meanwhile.
    fn read_back(&mut self, window: WindowId, offset: u64) -> Result<u32, DeviceError> {
        let mut word = [0];
        let target = self.window(window)?.target;
        match target {
            Some(target @ WindowTarget { multicast_start: Some(_), .. }) => {
                let one = WindowTarget { multicast_start: None, ..target };
                self.point(window, &one)?;
                self.load(window, offset, &mut word)?;
                self.point(window, &target)?;
            }
            _ => self.load(window, offset, &mut word)?,
        }
        Ok(word.first().copied().unwrap_or(u32::MAX))
    }

    fn point(&mut self, window: WindowId, target: &WindowTarget) -> Result<(), DeviceError> {
        self.driver.configure_window(window.0, target).map_err(|error| lost(&self.name, error))
    }

    fn pinned_range(
        &self,
        memory: PinnedMemoryId,
        offset: u64,
        length: usize,
    ) -> Result<(), DeviceError> {
        let pinned = self.pinned.get(memory.0 as usize);
        let PinnedMemory { size, .. } = pinned.ok_or(DeviceError::UnknownPinnedMemory(memory))?;
        match offset.checked_add(length as u64) {
            Some(end) if end <= *size => Ok(()),
            _ => Err(DeviceError::BadAccess {
                what: "pinned host memory",
                offset,
                length: length as u64,
            }),
        }
    }
}

/// The tiles that have cores, by their NoC coordinates.
fn tensix(description: &ChipDescription) -> BTreeSet<NocCoordinate> {
    let (columns, rows) = description.tensix_grid();
    let cores = (0..rows).flat_map(|y| (0..columns).map(move |x| LogicalCore { x, y }));
    cores.filter_map(|core| description.noc_coordinate(core)).collect()
}

/// The device error for a failed call to the driver.
fn lost(device: &str, error: DriverError) -> DeviceError {
    let reason = match error {
        DriverError::Fault(fault) => return DeviceError::Fault(fault),
        DriverError::Refused { call, errno: ENODEV } => format!(
            "the driver answers {call} with ENODEV: the card was removed, or somebody else reset it; open the device again"
        ),
        DriverError::Refused { call, errno } => {
            format!("the driver refuses {call}: {}", std::io::Error::from_raw_os_error(errno))
        }
    };
    DeviceError::Lost { device: device.to_owned(), reason }
}

/// The aligned words that contain some bytes: the offset of the first word, and their number.
fn words_around(offset: u64, length: usize) -> (u64, usize) {
    let lead = offset % 4;
    (offset - lead, (lead as usize + length).div_ceil(4))
}

// The kernel driver takes neither meanings nor launches, and a card checks nothing by them.
impl<D: Driver> PciDevice for CardDevice<D> {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            reorders_noc: true,
            data_cache: self.description.data_cache.is_some(),
            tensix: self.tensix_computes,
            ..Capabilities::default()
        }
    }

    fn config_read(&mut self, offset: ConfigOffset) -> Result<u32, DeviceError> {
        if offset.0 < 0x40 && offset.0.is_multiple_of(4) {
            return self.driver.config_read(offset.0).map_err(|error| lost(&self.name, error));
        }
        let offset = u64::from(offset.0);
        Err(DeviceError::BadAccess { what: "PCI configuration space", offset, length: 4 })
    }

    fn register_read(&mut self, _: BarOffset) -> Result<u32, DeviceError> {
        let what = "registers outside its windows; the driver keeps those to itself";
        Err(DeviceError::NotAvailable { device: self.name.clone(), what })
    }

    fn register_write(&mut self, offset: BarOffset, _: u32) -> Result<(), DeviceError> {
        self.register_read(offset).map(drop)
    }

    fn harvesting(&mut self) -> Result<HarvestingMask, DeviceError> {
        let mask = self.ask_harvesting()?;
        // A mask that leaves no usable grid is reported by the caller.
        if let Ok(chip) = ChipDescription::harvested(self.description.architecture, mask) {
            (self.tensix, self.description) = (tensix(chip), chip);
        }
        Ok(mask)
    }

    fn allocate_window(&mut self, size: u64) -> Result<WindowId, DeviceError> {
        let groups = self.description.windows.groups.iter();
        let mut sizes: Vec<u64> = groups.map(|group| 1 << group.size_bits).collect();
        sizes.sort_unstable();
        for fitting in sizes.into_iter().filter(|fitting| *fitting >= size) {
            match self.driver.allocate_window(fitting) {
                Ok(number) => {
                    let window = Window { size: fitting, target: None, written: None };
                    self.windows.insert(WindowId(number), window);
                    return Ok(WindowId(number));
                }
                // All windows of this size are allocated.
                Err(DriverError::Refused { errno: ENOMEM, .. }) => {}
                Err(error) => return Err(lost(&self.name, error)),
            }
        }
        Err(DeviceError::NoWindow { size })
    }

    fn window_size(&self, window: WindowId) -> Result<u64, DeviceError> {
        Ok(self.window(window)?.size)
    }

    fn configure_window(
        &mut self,
        window: WindowId,
        target: &WindowTarget,
    ) -> Result<(), DeviceError> {
        let size = self.window(window)?.size;
        if !target.address.0.is_multiple_of(size) {
            return Err(WindowTargetError::Misaligned { address: target.address, size }.into());
        }
        // A posted write may be overtaken even by the read that should flush it.
        let order = match target.order {
            WindowOrder::Posted => WindowOrder::Default,
            order => order,
        };
        let target = WindowTarget { order, ..*target };
        self.point(window, &target)?;
        if let Some(held) = self.windows.get_mut(&window) {
            held.target = Some(target);
        }
        Ok(())
    }

    fn window_read(
        &mut self,
        window: WindowId,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<(), DeviceError> {
        let target = self.target_of(window, offset, buffer.len())?;
        if target.multicast_start.is_some() {
            let length = buffer.len() as u64;
            return Err(DeviceError::BadAccess { what: "reading from many tiles", offset, length });
        }
        let (mut at, mut left) = words_around(offset, buffer.len());
        let mut skipped = (offset - at) as usize;
        let mut rest = buffer;
        while left > 0 {
            let mut words = vec![0; left.min(CHUNK)];
            self.load(window, at, &mut words)?;
            let bytes = words.iter().flat_map(|word| word.to_le_bytes()).skip(skipped);
            let length = rest.len().min(words.len() * 4 - skipped);
            let (now, after) = rest.split_at_mut(length);
            now.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
            (rest, skipped) = (after, 0);
            at += words.len() as u64 * 4;
            left -= words.len();
        }
        Ok(())
    }

    fn window_write(
        &mut self,
        window: WindowId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        let target = self.target_of(window, offset, bytes.len())?;
        let (mut at, mut left) = words_around(offset, bytes.len());
        if left == 0 {
            return Ok(());
        }
        let mut skipped = (offset - at) as usize;
        let whole = skipped == 0 && bytes.len().is_multiple_of(4);
        if target.multicast_start.is_some() && !whole {
            let length = bytes.len() as u64;
            let what = "writing parts of words to many tiles";
            return Err(DeviceError::BadAccess { what, offset, length });
        }
        self.guard(&target, offset, bytes)?;
        let mut rest = bytes;
        while left > 0 {
            let mut words = vec![0; left.min(CHUNK)];
            let count = words.len();
            // The other bytes of the first and last word are preserved.
            if skipped > 0 {
                self.load(window, at, words.get_mut(..1).unwrap_or_default())?;
            }
            let length = rest.len().min(count * 4 - skipped);
            if !(skipped + length).is_multiple_of(4) && (count > 1 || skipped == 0) {
                let last = at + (count as u64 - 1) * 4;
                self.load(window, last, words.get_mut(count - 1..).unwrap_or_default())?;
            }
            let (now, after) = rest.split_at(length);
            let mut image: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            image.iter_mut().skip(skipped).zip(now).for_each(|(to, from)| *to = *from);
            for (word, bytes) in words.iter_mut().zip(image.chunks_exact(4)) {
                *word = bytes.first_chunk().copied().map_or(0, u32::from_le_bytes);
            }
            self.store(window, at, &words)?;
            (rest, skipped) = (after, 0);
            at += count as u64 * 4;
            left -= count;
        }
        if let Some(held) = self.windows.get_mut(&window) {
            held.written = Some(at - 4);
        }
        Ok(())
    }

    fn free_window(&mut self, window: WindowId) -> Result<(), DeviceError> {
        self.window(window)?;
        self.order()?;
        self.windows.remove(&window);
        self.driver.free_window(window.0).map_err(|error| lost(&self.name, error))
    }

    /// A read does not overtake earlier writes through windows that are not posted. When the read has returned,
    /// these writes have arrived (tt-isa-documentation, PCIExpressTile/TLBs.md, "Ordering modes").
    fn order(&mut self) -> Result<(), DeviceError> {
        // Orders writes to host memory before later accesses to the card, which may make it read this memory.
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
        let written = self.windows.iter().filter_map(|(id, window)| Some((*id, window.written?)));
        for (window, offset) in written.collect::<Vec<_>>() {
            let word = self.read_back(window, offset)?;
            if word == u32::MAX && self.config_read(ConfigOffset(0))? == u32::MAX {
                let reason = "everything reads as ones, the configuration space too, so the card has dropped off the bus; \
                              reset the card (tt-smi --reset), or restart the machine";
                let device = self.name.clone();
                return Err(DeviceError::Lost { device, reason: reason.to_owned() });
            }
            if let Some(held) = self.windows.get_mut(&window) {
                held.written = None;
            }
        }
        Ok(())
    }

    fn advance(&mut self, ticks: u64) -> Result<Advance, DeviceError> {
        self.driver.wait(ticks).map_err(|error| lost(&self.name, error))?;
        Ok(Advance::Ran)
    }

    fn pin_host_memory(&mut self, size: u64) -> Result<PinnedMemory, DeviceError> {
        let pages = size.max(1).checked_next_multiple_of(PAGE);
        let pages = pages.ok_or(DeviceError::BadAccess {
            what: "pinning host memory",
            offset: 0,
            length: size,
        })?;
        let (number, noc_address) = self.driver.pin(pages).map_err(|error| match error {
            DriverError::Refused { errno, .. } if errno != ENODEV => DeviceError::NotAvailable {
                device: self.name.clone(),
                what: "host memory of that size that it could reach: the driver refuses PIN_PAGES, as it does \
                       for more than a page while the IOMMU is off; switch that on, or let the host dispatch",
            },
            error => lost(&self.name, error),
        })?;
        let id = PinnedMemoryId(number);
        let pinned = PinnedMemory { id, size, noc_address: TileAddress(noc_address) };
        self.pinned.push(pinned);
        Ok(pinned)
    }

    fn pinned_read(
        &mut self,
        memory: PinnedMemoryId,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<(), DeviceError> {
        self.pinned_range(memory, offset, buffer.len())?;
        let read = self.driver.pinned_read(memory.0, offset, buffer);
        read.map_err(|error| lost(&self.name, error))
    }

    fn pinned_write(
        &mut self,
        memory: PinnedMemoryId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        self.pinned_range(memory, offset, bytes.len())?;
        let written = self.driver.pinned_write(memory.0, offset, bytes);
        written.map_err(|error| lost(&self.name, error))
    }
}
