//! A device that counts what the host asks of it over PCIe.

use std::cell::Cell;
use std::ops::Sub;
use std::rc::Rc;

use hallmark_chip::{
    Advance, BarOffset, Capabilities, ConfigOffset, DeviceError, Meaning, PciDevice,
    PhysicalCoordinate, PinnedMemory, PinnedMemoryId, Position, TileAddress, Unwritten, WindowId,
    WindowTarget,
};

/// Accesses through windows and to registers, configuration of windows included. What the device writes
/// to the host's memory costs the host none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    pub accesses: u64,
    pub bytes: u64,
}

impl Sub for Traffic {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { accesses: self.accesses - other.accesses, bytes: self.bytes - other.bytes }
    }
}

/// The device and its counts.
pub struct Counting {
    inner: Box<dyn PciDevice>,
    traffic: Rc<Cell<Traffic>>,
}

impl Counting {
    pub fn new(inner: Box<dyn PciDevice>) -> (Self, Rc<Cell<Traffic>>) {
        let traffic = Rc::new(Cell::new(Traffic::default()));
        (Self { inner, traffic: Rc::clone(&traffic) }, traffic)
    }

    fn count(&self, bytes: usize) {
        let Traffic { accesses, bytes: sum } = self.traffic.get();
        self.traffic.set(Traffic { accesses: accesses + 1, bytes: sum + bytes as u64 });
    }
}

impl PciDevice for Counting {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn config_read(&mut self, offset: ConfigOffset) -> Result<u32, DeviceError> {
        self.inner.config_read(offset)
    }

    fn register_read(&mut self, offset: BarOffset) -> Result<u32, DeviceError> {
        self.count(4);
        self.inner.register_read(offset)
    }

    fn register_write(&mut self, offset: BarOffset, value: u32) -> Result<(), DeviceError> {
        self.count(4);
        self.inner.register_write(offset, value)
    }

    fn allocate_window(&mut self, size: u64) -> Result<WindowId, DeviceError> {
        self.inner.allocate_window(size)
    }

    fn window_size(&self, window: WindowId) -> Result<u64, DeviceError> {
        self.inner.window_size(window)
    }

    fn configure_window(
        &mut self,
        window: WindowId,
        target: &WindowTarget,
    ) -> Result<(), DeviceError> {
        self.count(8);
        self.inner.configure_window(window, target)
    }

    fn window_read(
        &mut self,
        window: WindowId,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<(), DeviceError> {
        self.count(buffer.len());
        self.inner.window_read(window, offset, buffer)
    }

    fn unwritten(
        &mut self,
        window: WindowId,
        offset: u64,
        length: u64,
    ) -> Result<Option<Unwritten>, DeviceError> {
        self.inner.unwritten(window, offset, length)
    }

    fn window_write(
        &mut self,
        window: WindowId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        self.count(bytes.len());
        self.inner.window_write(window, offset, bytes)
    }

    fn free_window(&mut self, window: WindowId) -> Result<(), DeviceError> {
        self.inner.free_window(window)
    }

    fn order(&mut self) -> Result<(), DeviceError> {
        self.inner.order()
    }

    fn advance(&mut self, ticks: u64) -> Result<Advance, DeviceError> {
        self.inner.advance(ticks)
    }

    fn positions(&mut self) -> Vec<Position> {
        self.inner.positions()
    }

    fn pin_host_memory(&mut self, size: u64) -> Result<PinnedMemory, DeviceError> {
        self.inner.pin_host_memory(size)
    }

    fn pinned_read(
        &mut self,
        memory: PinnedMemoryId,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<(), DeviceError> {
        self.inner.pinned_read(memory, offset, buffer)
    }

    fn pinned_unwritten(
        &mut self,
        memory: PinnedMemoryId,
        offset: u64,
        length: u64,
    ) -> Result<Option<u64>, DeviceError> {
        self.inner.pinned_unwritten(memory, offset, length)
    }

    fn pinned_write(
        &mut self,
        memory: PinnedMemoryId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        self.inner.pinned_write(memory, offset, bytes)
    }

    fn annotate(
        &mut self,
        tile: PhysicalCoordinate,
        start: TileAddress,
        length: u64,
        meaning: Meaning,
    ) -> Result<(), DeviceError> {
        self.inner.annotate(tile, start, length, meaning)
    }
}
