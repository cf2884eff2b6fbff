//! A chip on paper: what stands behind a device that only checks and places.

use hallmark_chip::{
    Advance, BarOffset, Capabilities, ChipDescription, ConfigOffset, DeviceError, PciDevice,
    PinnedMemory, PinnedMemoryId, WindowId, WindowTarget,
};

/// Has a name and nothing else: no memory, no registers and no time.
#[derive(Debug)]
pub(crate) struct PaperChip {
    name: String,
}

impl PaperChip {
    pub(crate) fn new(description: &ChipDescription) -> Self {
        Self { name: format!("paper:{}", description.architecture) }
    }

    fn nothing<T>(&self, what: &'static str) -> Result<T, DeviceError> {
        Err(DeviceError::NotAvailable { device: self.name.clone(), what })
    }
}

impl PciDevice for PaperChip {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn config_read(&mut self, _: ConfigOffset) -> Result<u32, DeviceError> {
        self.nothing("configuration space")
    }

    fn register_read(&mut self, _: BarOffset) -> Result<u32, DeviceError> {
        self.nothing("registers")
    }

    fn register_write(&mut self, _: BarOffset, _: u32) -> Result<(), DeviceError> {
        self.nothing("registers")
    }

    fn allocate_window(&mut self, _: u64) -> Result<WindowId, DeviceError> {
        self.nothing("windows")
    }

    fn window_size(&self, _: WindowId) -> Result<u64, DeviceError> {
        self.nothing("windows")
    }

    fn configure_window(&mut self, _: WindowId, _: &WindowTarget) -> Result<(), DeviceError> {
        self.nothing("windows")
    }

    fn window_read(&mut self, _: WindowId, _: u64, _: &mut [u8]) -> Result<(), DeviceError> {
        self.nothing("windows")
    }

    fn window_write(&mut self, _: WindowId, _: u64, _: &[u8]) -> Result<(), DeviceError> {
        self.nothing("windows")
    }

    fn free_window(&mut self, _: WindowId) -> Result<(), DeviceError> {
        self.nothing("windows")
    }

    fn order(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn advance(&mut self, _: u64) -> Result<Advance, DeviceError> {
        self.nothing("time")
    }

    fn pin_host_memory(&mut self, _: u64) -> Result<PinnedMemory, DeviceError> {
        self.nothing("pinned memory")
    }

    fn pinned_read(&mut self, _: PinnedMemoryId, _: u64, _: &mut [u8]) -> Result<(), DeviceError> {
        self.nothing("pinned memory")
    }

    fn pinned_write(&mut self, _: PinnedMemoryId, _: u64, _: &[u8]) -> Result<(), DeviceError> {
        self.nothing("pinned memory")
    }
}
