//! Tile memory and registers through TLB windows.
//!
//! Every access is cut at window boundaries. A window that already points to the right place is used
//! again; otherwise the one that was used longest ago is pointed there. Registers and mailboxes go
//! through strictly ordered windows; for data, [`ChipAccess::order`] stands between it and the go.

use std::sync::Arc;

use hallmark_chip::{
    Activity, Advance, Awaited, Capabilities, ChipDescription, ConfigOffset, DescribedBuffer,
    DeviceError, Footprints, Forgettable, KernelRuns, LastWriter, LaunchDescription, Meaning, Noc,
    NocCoordinate, PciDevice, PhysicalCoordinate, PinnedMemory, PinnedMemoryId, Position,
    Processor, REGISTERS, TileAddress, Unwritten, WindowId, WindowOrder, WindowTarget,
};

/// Windows kept per kind. The chips have at least 8 of each size that is used.
const POOL: usize = 6;

/// A tile, or a rectangle of tiles for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AccessTarget {
    end: NocCoordinate,
    multicast_start: Option<NocCoordinate>,
}

#[derive(Debug)]
struct Window {
    id: WindowId,
    target: Option<(AccessTarget, u64)>,
    used: u64,
}

/// Windows of one size and order.
#[derive(Debug)]
struct Pool {
    size: u64,
    order: WindowOrder,
    windows: Vec<Window>,
}

/// Access to a chip's tiles above the PCIe device.
pub struct ChipAccess {
    device: Box<dyn PciDevice>,
    description: &'static ChipDescription,
    /// Strict: registers and mailboxes.
    strict: Pool,
    /// Data in L1, which one window spans.
    near: Pool,
    /// Data in DRAM.
    far: Pool,
    clock: u64,
}

impl std::fmt::Debug for ChipAccess {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ChipAccess").field("device", &self.device.name()).finish()
    }
}

impl ChipAccess {
    /// Access over a device that is known to be the chip described.
    pub fn new(device: Box<dyn PciDevice>, description: &'static ChipDescription) -> Self {
        let mut sizes: Vec<u64> =
            description.windows.groups.iter().map(|group| 1 << group.size_bits).collect();
        sizes.sort_unstable();
        let smallest = sizes.first().copied().unwrap_or(0);
        let near = sizes.iter().copied().find(|&size| size >= description.l1_size);
        let near = near.unwrap_or(smallest);
        // The largest that is no larger than a typical transfer: 4 GiB windows bring nothing.
        let far = sizes.iter().copied().rfind(|&size| size <= 16 << 20).unwrap_or(smallest);
        let pool = |size, order| Pool { size, order, windows: Vec::new() };
        Self {
            device,
            description,
            strict: pool(smallest, WindowOrder::Strict),
            near: pool(near, WindowOrder::Default),
            far: pool(far, WindowOrder::Default),
            clock: 0,
        }
    }

    /// The table of the chip.
    pub const fn description(&self) -> &'static ChipDescription {
        self.description
    }

    /// The name of the device.
    pub fn name(&self) -> &str {
        self.device.name()
    }

    /// The capabilities of the device.
    pub fn capabilities(&self) -> Capabilities {
        self.device.capabilities()
    }

    /// Whether programs were right only by an order that the documents do not promise, where the device knows it.
    pub fn relies_on_atomics_behind_writes(&self) -> bool {
        self.device.relies_on_atomics_behind_writes()
    }

    /// The kernels that have run so far, where the device judges them.
    pub fn kernel_runs(&self) -> KernelRuns {
        self.device.kernel_runs()
    }

    /// Reads a word of PCI configuration space.
    pub fn config_read(&mut self, offset: ConfigOffset) -> Result<u32, DeviceError> {
        self.device.config_read(offset)
    }

    /// Refuses a card that has dropped off the bus: everything of it reads as ones, its id too.
    fn still_there(&mut self) -> Result<(), DeviceError> {
        if self.device.config_read(ConfigOffset(0))? != u32::MAX {
            return Ok(());
        }
        Err(DeviceError::Lost {
            device: self.device.name().to_owned(),
            reason: "everything reads as ones, its configuration space too, so it has dropped off the bus; \
                     reset it (for a card: tt-smi --reset), or restart the machine"
                .to_owned(),
        })
    }

    /// Reads a tile's memory: L1 or DRAM.
    pub fn read(
        &mut self,
        tile: NocCoordinate,
        address: TileAddress,
        buffer: &mut [u8],
    ) -> Result<(), DeviceError> {
        let mut rest = buffer;
        let mut address = address.0;
        while !rest.is_empty() {
            let place = AccessTarget { end: tile, multicast_start: None };
            let (window, offset, room) = self.window(place, address, false)?;
            let length = usize::try_from(room).unwrap_or(usize::MAX).min(rest.len());
            let (chunk, after) = rest.split_at_mut(length);
            self.device.window_read(window, offset, chunk)?;
            if chunk.iter().all(|byte| *byte == u8::MAX) {
                self.still_there()?;
            }
            rest = after;
            address = next(address, length)?;
        }
        Ok(())
    }

    /// The first byte of a tile's memory that nothing has written, where the device knows.
    pub fn unwritten(
        &mut self,
        tile: NocCoordinate,
        address: TileAddress,
        length: u64,
    ) -> Result<Option<Unwritten>, DeviceError> {
        let mut done = 0;
        while done < length {
            let place = AccessTarget { end: tile, multicast_start: None };
            let address = address.0.saturating_add(done);
            let (window, offset, room) = self.window(place, address, false)?;
            let part = room.min(length - done);
            if let Some(found) = self.device.unwritten(window, offset, part)? {
                return Ok(Some(Unwritten { offset: done + found.offset, ..found }));
            }
            done += part;
        }
        Ok(None)
    }

    /// Writes a tile's memory: L1 or DRAM.
    pub fn write(
        &mut self,
        tile: NocCoordinate,
        address: TileAddress,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        self.write_target(AccessTarget { end: tile, multicast_start: None }, address, bytes, false)
    }

    /// Writes the same bytes to every tile of a rectangle of NoC coordinates, both corners included.
    pub fn multicast_write(
        &mut self,
        start: NocCoordinate,
        end: NocCoordinate,
        address: TileAddress,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        self.write_target(AccessTarget { end, multicast_start: Some(start) }, address, bytes, false)
    }

    /// Reads an aligned word through a strict window: a register or a mailbox.
    pub fn read_word(
        &mut self,
        tile: NocCoordinate,
        address: TileAddress,
    ) -> Result<u32, DeviceError> {
        let place = AccessTarget { end: tile, multicast_start: None };
        let (window, offset, _) = self.window(place, address.0, true)?;
        let mut bytes = [0; 4];
        self.device.window_read(window, offset, &mut bytes)?;
        if bytes == [u8::MAX; 4] {
            self.still_there()?;
        }
        Ok(u32::from_le_bytes(bytes))
    }

    /// Writes an aligned word through a strict window: a register or a mailbox.
    pub fn write_word(
        &mut self,
        tile: NocCoordinate,
        address: TileAddress,
        value: u32,
    ) -> Result<(), DeviceError> {
        let place = AccessTarget { end: tile, multicast_start: None };
        self.write_target(place, address, &value.to_le_bytes(), true)
    }

    /// Makes every earlier write visible before any later one: between data and go.
    pub fn order(&mut self) -> Result<(), DeviceError> {
        self.device.order()
    }

    /// Pins zeroed host memory so that the device can reach it.
    pub fn pin_host_memory(&mut self, size: u64) -> Result<PinnedMemory, DeviceError> {
        self.device.pin_host_memory(size)
    }

    /// Reads pinned host memory.
    pub fn pinned_read(
        &mut self,
        memory: PinnedMemoryId,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<(), DeviceError> {
        self.device.pinned_read(memory, offset, buffer)
    }

    /// The first byte of pinned memory that came from where nothing was written, where the device knows.
    pub fn pinned_unwritten(
        &mut self,
        memory: PinnedMemoryId,
        offset: u64,
        length: u64,
    ) -> Result<Option<u64>, DeviceError> {
        self.device.pinned_unwritten(memory, offset, length)
    }

    /// Moves a simulator's time.
    pub fn advance(&mut self, ticks: u64) -> Result<Advance, DeviceError> {
        self.device.advance(ticks)
    }

    /// Where running cores stand, as far as the device can tell.
    pub fn positions(&mut self) -> Vec<Position> {
        self.device.positions()
    }

    /// Reads L1 of a tile of a device that has stopped with a fault, as far as the device can.
    pub fn read_stopped(
        &mut self,
        tile: PhysicalCoordinate,
        address: TileAddress,
        buffer: &mut [u8],
    ) -> bool {
        self.device.read_stopped(tile, address, buffer)
    }

    /// The values that would end the wait of a parked core, as far as the device can tell.
    pub fn awaited(&mut self, tile: PhysicalCoordinate, processor: Processor) -> Option<Awaited> {
        self.device.awaited(tile, processor)
    }

    /// The activity of cores since the last question, where the device knows it.
    pub fn activity(&mut self) -> Option<Activity> {
        self.device.activity()
    }

    /// The last writer of a byte of a tile's memory since the last question, where the device knows it.
    pub fn last_writer(
        &mut self,
        tile: PhysicalCoordinate,
        address: TileAddress,
    ) -> Option<LastWriter> {
        self.device.last_writer(tile, address)
    }

    /// The memory that requests have touched since the last question, where the device knows it.
    pub fn footprint(&mut self) -> Option<Footprints> {
        self.device.footprint()
    }

    /// Whether the device, which misbehaves on purpose, forgets an operation that a queue is about to do.
    pub fn forgets(&mut self, what: Forgettable) -> bool {
        self.device.forgets(what)
    }

    /// Tells the device the meaning of a range of a tile's memory.
    pub fn annotate(
        &mut self,
        tile: PhysicalCoordinate,
        start: TileAddress,
        length: u64,
        meaning: Meaning,
    ) -> Result<(), DeviceError> {
        if length == 0 {
            return Ok(());
        }
        self.device.annotate(tile, start, length, meaning)
    }

    /// Names a buffer whose memory was annotated just before.
    pub fn describe_buffer(&mut self, buffer: &Arc<DescribedBuffer>) -> Result<(), DeviceError> {
        self.device.describe_buffer(buffer)
    }

    /// Describes the launches that begin on a tile from now on.
    pub fn describe_launches(
        &mut self,
        tile: PhysicalCoordinate,
        block: TileAddress,
        launches: &[Arc<LaunchDescription>],
    ) -> Result<(), DeviceError> {
        self.device.describe_launches(tile, block, launches)
    }

    fn write_target(
        &mut self,
        place: AccessTarget,
        address: TileAddress,
        bytes: &[u8],
        strict: bool,
    ) -> Result<(), DeviceError> {
        let mut rest = bytes;
        let mut address = address.0;
        while !rest.is_empty() {
            let (window, offset, room) = self.window(place, address, strict)?;
            let length = usize::try_from(room).unwrap_or(usize::MAX).min(rest.len());
            let (chunk, after) = rest.split_at(length);
            self.device.window_write(window, offset, chunk)?;
            rest = after;
            address = next(address, length)?;
        }
        Ok(())
    }

    /// A window that shows `address`, the offset of `address` in it and the bytes from there to its
    /// end.
    fn window(
        &mut self,
        place: AccessTarget,
        address: u64,
        strict: bool,
    ) -> Result<(WindowId, u64, u64), DeviceError> {
        let l1_size = self.description.l1_size;
        let pool = if strict || REGISTERS.contains(&address) {
            &mut self.strict
        } else if address < l1_size {
            &mut self.near
        } else {
            &mut self.far
        };
        self.clock += 1;
        let base = address - address % pool.size.max(1);
        let target = Some((place, base));
        let found = pool.windows.iter().position(|window| window.target == target);
        let index = match found {
            Some(index) => index,
            None => pool.point(self.device.as_mut(), place, base)?,
        };
        let window =
            pool.windows.get_mut(index).ok_or(DeviceError::NoWindow { size: pool.size })?;
        window.used = self.clock;
        let offset = address - base;
        Ok((window.id, offset, pool.size - offset))
    }
}

impl Pool {
    /// Points a window at a place: a new one while the pool is small and the device has one, else the
    /// one used longest ago.
    fn point(
        &mut self,
        device: &mut dyn PciDevice,
        place: AccessTarget,
        base: u64,
    ) -> Result<usize, DeviceError> {
        if self.windows.len() < POOL {
            match device.allocate_window(self.size) {
                Ok(id) if device.window_size(id)? != self.size => {
                    // Others hold all windows of this size. A larger one has another alignment.
                    device.free_window(id)?;
                    if self.windows.is_empty() {
                        return Err(DeviceError::NoWindow { size: self.size });
                    }
                }
                Ok(id) => self.windows.push(Window { id, target: None, used: 0 }),
                Err(error) if self.windows.is_empty() => return Err(error),
                Err(DeviceError::NoWindow { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let unused = self.windows.iter().position(|window| window.target.is_none());
        let oldest = self
            .windows
            .iter()
            .enumerate()
            .min_by_key(|(_, window)| window.used)
            .map(|(index, _)| index);
        let index = unused.or(oldest).ok_or(DeviceError::NoWindow { size: self.size })?;
        let window =
            self.windows.get_mut(index).ok_or(DeviceError::NoWindow { size: self.size })?;
        // A window is retargeted only when what went through it has arrived (tt-isa-documentation,
        // WormholeB0/PCIExpressTile/TLBs.md, "Ordering modes").
        if window.target.take().is_some() {
            device.order()?;
        }
        let target = WindowTarget {
            end: place.end,
            multicast_start: place.multicast_start,
            noc: Noc::Noc0,
            address: TileAddress(base),
            order: self.order,
        };
        device.configure_window(window.id, &target)?;
        window.target = Some((place, base));
        Ok(index)
    }
}

fn next(address: u64, length: usize) -> Result<u64, DeviceError> {
    address.checked_add(length as u64).ok_or(DeviceError::BadAccess {
        what: "tile address space",
        offset: address,
        length: length as u64,
    })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use std::rc::Rc;

    use hallmark_chip::{Architecture, BarOffset, BarWindows, RegisterWrite};

    use super::*;

    /// Windows as a chip has them, and a note of each access: where its window points, and which
    /// bytes of the tile it touches.
    #[derive(Default)]
    struct Notes {
        accesses: Vec<(WindowTarget, u64, usize)>,
        memory: BTreeMap<(u8, u8, u64), u8>,
        orders: usize,
        configured: usize,
    }

    struct Fake {
        windows: BarWindows,
        notes: Rc<RefCell<Notes>>,
    }

    impl Fake {
        fn note(
            &mut self,
            window: WindowId,
            offset: u64,
            length: usize,
        ) -> Result<(NocCoordinate, u64), DeviceError> {
            let access = self.windows.access(window, offset, length)?;
            let target = *self.windows.target(window)?.unwrap();
            self.notes.borrow_mut().accesses.push((target, access.address.0, length));
            Ok((target.end, access.address.0))
        }
    }

    impl PciDevice for Fake {
        fn name(&self) -> &str {
            "fake"
        }
        fn capabilities(&self) -> Capabilities {
            Capabilities::default()
        }
        fn config_read(&mut self, _: ConfigOffset) -> Result<u32, DeviceError> {
            Ok(Architecture::WormholeB0.pci_id())
        }
        fn register_read(&mut self, _: BarOffset) -> Result<u32, DeviceError> {
            Ok(0)
        }
        fn register_write(&mut self, _: BarOffset, _: u32) -> Result<(), DeviceError> {
            Ok(())
        }
        fn allocate_window(&mut self, size: u64) -> Result<WindowId, DeviceError> {
            self.windows.allocate(size)
        }
        fn window_size(&self, window: WindowId) -> Result<u64, DeviceError> {
            self.windows.size(window)
        }
        fn configure_window(&mut self, id: WindowId, to: &WindowTarget) -> Result<(), DeviceError> {
            let _: Vec<RegisterWrite> = self.windows.configure(id, to)?;
            self.notes.borrow_mut().configured += 1;
            Ok(())
        }
        fn window_read(&mut self, id: WindowId, at: u64, to: &mut [u8]) -> Result<(), DeviceError> {
            let (tile, address) = self.note(id, at, to.len())?;
            let notes = self.notes.borrow();
            for (byte, at) in to.iter_mut().zip(address..) {
                *byte = notes.memory.get(&(tile.x, tile.y, at)).copied().unwrap_or(0);
            }
            Ok(())
        }
        fn window_write(&mut self, id: WindowId, at: u64, from: &[u8]) -> Result<(), DeviceError> {
            let (tile, address) = self.note(id, at, from.len())?;
            let mut notes = self.notes.borrow_mut();
            for (byte, at) in from.iter().zip(address..) {
                notes.memory.insert((tile.x, tile.y, at), *byte);
            }
            Ok(())
        }
        fn free_window(&mut self, window: WindowId) -> Result<(), DeviceError> {
            self.windows.free(window)
        }
        fn order(&mut self) -> Result<(), DeviceError> {
            self.notes.borrow_mut().orders += 1;
            Ok(())
        }
        fn advance(&mut self, _: u64) -> Result<Advance, DeviceError> {
            Ok(Advance::Ran)
        }
        fn pin_host_memory(&mut self, _: u64) -> Result<PinnedMemory, DeviceError> {
            Err(DeviceError::NotAvailable { device: "fake".to_owned(), what: "pinned memory" })
        }
        fn pinned_read(
            &mut self,
            memory: PinnedMemoryId,
            _: u64,
            _: &mut [u8],
        ) -> Result<(), DeviceError> {
            Err(DeviceError::UnknownPinnedMemory(memory))
        }
        fn pinned_write(
            &mut self,
            memory: PinnedMemoryId,
            _: u64,
            _: &[u8],
        ) -> Result<(), DeviceError> {
            Err(DeviceError::UnknownPinnedMemory(memory))
        }
    }

    fn chip() -> (ChipAccess, Rc<RefCell<Notes>>) {
        let description = ChipDescription::of(Architecture::WormholeB0);
        let notes = Rc::<RefCell<Notes>>::default();
        let fake = Fake { windows: BarWindows::new(description), notes: Rc::clone(&notes) };
        (ChipAccess::new(Box::new(fake), description), notes)
    }

    const TILE: NocCoordinate = NocCoordinate { x: 18, y: 20 };

    #[test]
    fn an_access_is_cut_at_window_ends_and_comes_back_whole() {
        let (mut chip, notes) = chip();
        let bytes: Vec<u8> = (0..100).collect();
        let edge = (16 << 20) * 3 - 40;
        chip.write(NocCoordinate { x: 0, y: 5 }, TileAddress(edge), &bytes).unwrap();
        let mut back = [0; 100];
        chip.read(NocCoordinate { x: 0, y: 5 }, TileAddress(edge), &mut back).unwrap();
        assert_eq!(back, bytes[..]);
        let notes = notes.borrow();
        let lengths: Vec<usize> = notes.accesses.iter().map(|access| access.2).collect();
        assert_eq!(lengths, [40, 60, 40, 60]);
        // The second pass finds both windows where the first left them.
        assert_eq!((notes.configured, notes.orders), (2, 0));
    }

    #[test]
    fn registers_and_mailboxes_go_through_strict_windows_in_words() {
        let (mut chip, notes) = chip();
        chip.write_word(TILE, TileAddress(0xFFB1_21B0), 7).unwrap();
        assert_eq!(chip.read_word(TILE, TileAddress(0xFFB1_21B0)).unwrap(), 7);
        chip.write_word(TILE, TileAddress(0x20), 8).unwrap();
        chip.write(TILE, TileAddress(0x40), &[1]).unwrap();
        let orders: Vec<WindowOrder> =
            notes.borrow().accesses.iter().map(|access| access.0.order).collect();
        use WindowOrder::{Default, Strict};
        assert_eq!(orders, [Strict, Strict, Strict, Default]);
        assert!(chip.write_word(TILE, TileAddress(0xFFB1_21B2), 7).is_err());
    }

    #[test]
    fn a_window_is_retargeted_only_after_what_went_through_it_arrived() {
        let (mut chip, notes) = chip();
        for y in 18..28 {
            chip.write(NocCoordinate { x: 18, y }, TileAddress(0), &[y]).unwrap();
        }
        assert_eq!((notes.borrow().configured, notes.borrow().orders), (10, 10 - POOL));
        let start = NocCoordinate { x: 18, y: 18 };
        let end = NocCoordinate { x: 25, y: 26 };
        chip.multicast_write(start, end, TileAddress(0x100), &[1, 2, 3, 4]).unwrap();
        let (target, address, length) = *notes.borrow().accesses.last().unwrap();
        assert_eq!((target.end, target.multicast_start), (end, Some(start)));
        assert_eq!((address, length), (0x100, 4));
    }

    #[test]
    fn addresses_past_the_end_are_refused() {
        let (mut chip, _) = chip();
        assert!(chip.write(TILE, TileAddress(u64::MAX - 1), &[0; 4]).is_err());
        assert!(chip.read(TILE, TileAddress(1 << 40), &mut [0; 4]).is_err());
    }
}
