//! The kernel driver, tt-kmd, through its files. No machine of this project has a card, so this code has been
//! compiled and reviewed but never run; all decisions are made in [`super::CardDevice`].

mod calls;

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::time::Duration;

use hallmark_chip::WindowTarget;
use rustix::fs::OFlags;

use self::calls::{Mapping, PinnedPages};
use super::{CardInfo, Driver, DriverError, LastWrite, ListedCard, OpenCardError};

/// The assumed duration of a tick: a core that waits for memory retires an instruction in some ten cycles at 1
/// GHz.
const TIME_OF_A_TICK: Duration = Duration::from_nanos(10);

/// A card, through the driver's files.
pub struct KernelDriver {
    number: u32,
    address: String,
    configuration: File,
    // Dropped in this order: all windows are unmapped before the last words are written, and the card is
    // released after them.
    windows: BTreeMap<u16, Mapping>,
    pinned: Vec<PinnedPages>,
    last_writes: Vec<File>,
    card: File,
}

impl KernelDriver {
    /// Opens a card's files.
    ///
    /// # Errors
    /// [`OpenCardError`] says whether it is absent, forbidden or in use.
    pub fn open(number: u32) -> Result<Self, OpenCardError> {
        let device = || format!("pci:{number}");
        // If another process has requested exclusive use of the card, this call does not wait for it.
        let card =
            open_card(number, OFlags::NONBLOCK).map_err(|error| not_opened(number, &error))?;
        let absent = |reason: String| OpenCardError::Absent { device: device(), reason };
        let refused = |error| OpenCardError::Device(super::lost(&device(), error));
        let address = calls::device_info(&card).map_err(refused)?.1;
        let configuration = format!("/sys/bus/pci/devices/{address}/config");
        let configuration = File::open(&configuration)
            .map_err(|error| absent(format!("{configuration}: {error}")))?;
        Ok(Self {
            number,
            address,
            configuration,
            windows: BTreeMap::new(),
            pinned: Vec::new(),
            last_writes: Vec::new(),
            card,
        })
    }

    fn window(&self, window: u16) -> Result<&Mapping, DriverError> {
        let unknown = DriverError::Refused { call: "an unmapped window", errno: libc_einval() };
        self.windows.get(&window).ok_or(unknown)
    }

    fn pages(&self, memory: u32) -> Result<&PinnedPages, DriverError> {
        let unknown = DriverError::Refused { call: "unpinned memory", errno: libc_einval() };
        self.pinned.get(memory as usize).ok_or(unknown)
    }
}

fn libc_einval() -> i32 {
    rustix::io::Errno::INVAL.raw_os_error()
}

fn path(number: u32) -> String {
    format!("/dev/tenstorrent/{number}")
}

fn open_card(number: u32, flags: OFlags) -> std::io::Result<File> {
    let flags = flags.bits().cast_signed();
    OpenOptions::new().read(true).write(true).custom_flags(flags).open(path(number))
}

/// Why the system does not open a card's file.
fn not_opened(number: u32, error: &std::io::Error) -> OpenCardError {
    let device = format!("pci:{number}");
    let reason = format!("{}: {error}", path(number));
    match error.kind() {
        std::io::ErrorKind::PermissionDenied => OpenCardError::Forbidden { device, reason },
        std::io::ErrorKind::WouldBlock => {
            let by = "another process has opened the card exclusively".to_owned();
            OpenCardError::InUse { device, by }
        }
        _ => OpenCardError::Absent { device, reason },
    }
}

fn refused(call: &'static str) -> impl Fn(std::io::Error) -> DriverError {
    move |error| {
        let errno = error.raw_os_error().unwrap_or_else(|| rustix::io::Errno::IO.raw_os_error());
        DriverError::Refused { call, errno }
    }
}

/// The ids of other processes that have a card open.
fn users(number: u32) -> Result<Vec<u32>, DriverError> {
    let list = std::fs::read_to_string(format!("/proc/driver/tenstorrent/{number}/pids"));
    let list = list.map_err(refused("the list of processes that have it open"))?;
    let mut users: Vec<u32> = list.lines().filter_map(|line| line.trim().parse().ok()).collect();
    users.retain(|user| *user != std::process::id());
    users.sort_unstable();
    users.dedup();
    Ok(users)
}

/// The cards that the driver has found, and their users.
pub(super) fn cards() -> Vec<ListedCard> {
    let numbers = luwen_kmd::PciDevice::scan().into_iter();
    let numbers = numbers.filter_map(|number| u32::try_from(number).ok());
    let card = |number| {
        // A file opened to append does not make the driver power the card.
        let file = open_card(number, OFlags::NONBLOCK | OFlags::APPEND)
            .map_err(|error| not_opened(number, &error))?;
        let (pci_id, address) =
            calls::device_info(&file).map_err(|error| super::lost(&path(number), error))?;
        Ok(CardInfo { pci_id, address, driver: driver_version() })
    };
    let listed = |number| ListedCard {
        number,
        card: card(number),
        users: users(number).unwrap_or_default(),
    };
    numbers.map(listed).collect()
}

fn driver_version() -> (u8, u8, u8) {
    let version = luwen_kmd::get_version().unwrap_or_default();
    let [major, minor, patch] = [version.major, version.minor, version.patch]
        .map(|part| u8::try_from(part).unwrap_or(u8::MAX));
    (major, minor, patch)
}

impl Driver for KernelDriver {
    fn card(&mut self) -> Result<CardInfo, DriverError> {
        let (pci_id, _) = calls::device_info(&self.card)?;
        Ok(CardInfo { pci_id, address: self.address.clone(), driver: driver_version() })
    }

    fn other_users(&mut self) -> Result<Vec<u32>, DriverError> {
        users(self.number)
    }

    fn try_lock(&mut self, index: u8) -> Result<bool, DriverError> {
        calls::try_lock(&self.card, index)
    }

    fn config_read(&mut self, offset: u16) -> Result<u32, DriverError> {
        let mut word = [0; 4];
        let read = self.configuration.read_exact_at(&mut word, offset.into());
        read.map_err(refused("reading configuration space"))?;
        Ok(u32::from_le_bytes(word))
    }

    fn allocate_window(&mut self, size: u64) -> Result<u16, DriverError> {
        let (id, mapping) = calls::allocate_window(&self.card, size)?;
        self.windows.insert(id, mapping);
        Ok(id)
    }

    fn configure_window(&mut self, window: u16, target: &WindowTarget) -> Result<(), DriverError> {
        calls::configure_window(&self.card, window, target)
    }

    fn free_window(&mut self, window: u16) -> Result<(), DriverError> {
        // A mapped window cannot be freed.
        self.windows.remove(&window);
        calls::free_window(&self.card, window)
    }

    fn load(&mut self, window: u16, offset: u64, words: &mut [u32]) -> Result<(), DriverError> {
        self.window(window)?.load(offset, words)
    }

    fn store(&mut self, window: u16, offset: u64, words: &[u32]) -> Result<(), DriverError> {
        self.window(window)?.store(offset, words)
    }

    fn pin(&mut self, size: u64) -> Result<(u32, u64), DriverError> {
        let number = u32::try_from(self.pinned.len()).unwrap_or(u32::MAX);
        let (pages, noc_address) = PinnedPages::pin(&self.card, size)?;
        self.pinned.push(pages);
        Ok((number, noc_address))
    }

    fn pinned_read(
        &mut self,
        memory: u32,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<(), DriverError> {
        self.pages(memory)?.read(offset, buffer)
    }

    fn pinned_write(&mut self, memory: u32, offset: u64, bytes: &[u8]) -> Result<(), DriverError> {
        self.pages(memory)?.write(offset, bytes)
    }

    fn write_at_end(&mut self, write: LastWrite) -> Result<(), DriverError> {
        // Opened like the card itself, so that the tile stays powered until the write is done.
        let file = open_card(self.number, OFlags::NONBLOCK).map_err(refused("open"))?;
        calls::write_at_close(&file, write)?;
        self.last_writes.push(file);
        Ok(())
    }

    fn wait(&mut self, ticks: u64) -> Result<(), DriverError> {
        let ticks = u32::try_from(ticks).unwrap_or(u32::MAX);
        std::thread::sleep(TIME_OF_A_TICK.saturating_mul(ticks));
        Ok(())
    }
}
