//! A device that counts the host's PCIe accesses.

use std::cell::Cell;
use std::ops::Sub;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hallmark_chip::{
    Advance, Awaited, BarOffset, Capabilities, ConfigOffset, DescribedBuffer, DeviceError,
    LaunchDescription, Meaning, PciDevice, PhysicalCoordinate, PinnedMemory, PinnedMemoryId,
    Position, Processor, TileAddress, Unwritten, WindowId, WindowTarget, Writer,
};

/// Accesses through windows and to registers, including window configuration. The device's writes to host
/// memory cost the host nothing.
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

/// The work of the device itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceWork {
    /// Time in a simulator's steps; the rest is the host's time.
    pub simulating: Duration,
    /// Instructions that dispatchers had retired at their last write to a word that a core waits for.
    pub dispatcher_instructions: u64,
}

/// The device and its counts.
pub struct Counting {
    inner: Box<dyn PciDevice>,
    traffic: Rc<Cell<Traffic>>,
    work: Rc<Cell<DeviceWork>>,
    asks_nothing: bool,
}

impl Counting {
    pub fn new(inner: Box<dyn PciDevice>) -> (Self, Rc<Cell<Traffic>>) {
        let traffic = Rc::new(Cell::new(Traffic::default()));
        let work = Rc::default();
        (Self { inner, traffic: Rc::clone(&traffic), work, asks_nothing: false }, traffic)
    }

    /// Like silicon, does not ask the host to declare memory, so the host does not stop for it.
    pub fn that_asks_nothing(self) -> Self {
        Self { asks_nothing: true, ..self }
    }

    /// The work of the device from now on.
    pub fn work(&self) -> Rc<Cell<DeviceWork>> {
        Rc::clone(&self.work)
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
        let known = self.inner.capabilities();
        if self.asks_nothing {
            Capabilities {
                detects_uninitialised: false,
                detects_races: false,
                detects_misuse: false,
                ..known
            }
        } else {
            known
        }
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
        let start = Instant::now();
        let advance = self.inner.advance(ticks);
        let mut work = self.work.get();
        work.simulating += start.elapsed();
        if let Ok(Advance::Quiescent(waiting)) = &advance {
            // Only dispatchers write to another tile's mailbox.
            for wait in waiting {
                if let Some(Writer::Core { tile, processor: Processor::Brisc, retired }) =
                    wait.last_writer
                    && tile != wait.tile
                {
                    work.dispatcher_instructions = work.dispatcher_instructions.max(retired);
                }
            }
        }
        self.work.set(work);
        advance
    }

    fn positions(&mut self) -> Vec<Position> {
        self.inner.positions()
    }

    fn awaited(&mut self, tile: PhysicalCoordinate, processor: Processor) -> Option<Awaited> {
        self.inner.awaited(tile, processor)
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
        let now = Instant::now();
        let annotated = self.inner.annotate(tile, start, length, meaning);
        let mut work = self.work.get();
        work.simulating += now.elapsed();
        self.work.set(work);
        annotated
    }

    fn describe_buffer(&mut self, buffer: &Arc<DescribedBuffer>) -> Result<(), DeviceError> {
        self.inner.describe_buffer(buffer)
    }

    fn describe_launches(
        &mut self,
        tile: PhysicalCoordinate,
        block: TileAddress,
        launches: &[Arc<LaunchDescription>],
    ) -> Result<(), DeviceError> {
        let now = Instant::now();
        let described = self.inner.describe_launches(tile, block, launches);
        let mut work = self.work.get();
        work.simulating += now.elapsed();
        self.work.set(work);
        described
    }
}
