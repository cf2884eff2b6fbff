//! Devices that are not opened, and those that just are.

use std::sync::Arc;

use hallmark_chip::{
    Advance, Architecture, BarOffset, Capabilities, ChipDescription, ConfigOffset, DeviceError,
    PciDevice, PinnedMemory, PinnedMemoryId, WindowId, WindowTarget,
};
use hallmark_device_code::FirmwareBundle;
use hallmark_schema::limits;
use hallmark_schema::model::{DispatchMode, Grid};

use super::{ARCHITECTURE, opened, options};
use crate::host::opened::DRAM_BASE;
use crate::host::{Device, GridAsked, OpenError};

/// A slot that nothing is in: its configuration space reads as ones.
struct EmptySlot;

impl EmptySlot {
    fn has_nothing<T>(&self) -> Result<T, DeviceError> {
        Err(DeviceError::NotAvailable { device: self.name().to_owned(), what: "anything" })
    }
}

impl PciDevice for EmptySlot {
    fn name(&self) -> &str {
        "slot"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn config_read(&mut self, _: ConfigOffset) -> Result<u32, DeviceError> {
        Ok(u32::MAX)
    }

    fn register_read(&mut self, _: BarOffset) -> Result<u32, DeviceError> {
        self.has_nothing()
    }

    fn register_write(&mut self, _: BarOffset, _: u32) -> Result<(), DeviceError> {
        self.has_nothing()
    }

    fn allocate_window(&mut self, _: u64) -> Result<WindowId, DeviceError> {
        self.has_nothing()
    }

    fn window_size(&self, _: WindowId) -> Result<u64, DeviceError> {
        self.has_nothing()
    }

    fn configure_window(&mut self, _: WindowId, _: &WindowTarget) -> Result<(), DeviceError> {
        self.has_nothing()
    }

    fn window_read(&mut self, _: WindowId, _: u64, _: &mut [u8]) -> Result<(), DeviceError> {
        self.has_nothing()
    }

    fn window_write(&mut self, _: WindowId, _: u64, _: &[u8]) -> Result<(), DeviceError> {
        self.has_nothing()
    }

    fn free_window(&mut self, _: WindowId) -> Result<(), DeviceError> {
        self.has_nothing()
    }

    fn order(&mut self) -> Result<(), DeviceError> {
        self.has_nothing()
    }

    fn advance(&mut self, _: u64) -> Result<Advance, DeviceError> {
        self.has_nothing()
    }

    fn pin_host_memory(&mut self, _: u64) -> Result<PinnedMemory, DeviceError> {
        self.has_nothing()
    }

    fn pinned_read(&mut self, _: PinnedMemoryId, _: u64, _: &mut [u8]) -> Result<(), DeviceError> {
        self.has_nothing()
    }

    fn pinned_write(&mut self, _: PinnedMemoryId, _: u64, _: &[u8]) -> Result<(), DeviceError> {
        self.has_nothing()
    }
}

#[test]
fn a_device_that_does_not_answer() {
    let error = Device::open(Box::new(EmptySlot), options()).unwrap_err();
    assert!(matches!(error, OpenError::Absent { .. }), "{error}");
}

#[test]
fn firmware_of_another_chip() {
    let other = Arc::new(FirmwareBundle::builtin(Architecture::Blackhole).unwrap());
    let error = opened(|options| options.firmware = other).unwrap_err();
    assert!(matches!(error, OpenError::FirmwareArchitecture { .. }), "{error}");
}

#[test]
fn firmware_without_a_dispatcher() {
    let folder = tempfile::tempdir().unwrap();
    let bundle =
        format!("{}/firmware/bundles/hallmark-1/{ARCHITECTURE}", env!("CARGO_MANIFEST_DIR"));
    for file in std::fs::read_dir(bundle).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    let manifest = folder.path().join("manifest.json");
    let text = std::fs::read(&manifest).unwrap();
    let mut value: serde_json::Value = serde_json::from_slice(&text).unwrap();
    value.as_object_mut().unwrap().remove("dispatch").unwrap();
    std::fs::write(&manifest, value.to_string()).unwrap();
    let bundle = Arc::new(FirmwareBundle::load(folder.path(), ARCHITECTURE).unwrap());
    let with = |dispatch| {
        opened(|options| {
            options.firmware = Arc::clone(&bundle);
            options.dispatch = dispatch;
        })
    };
    with(DispatchMode::Host).unwrap();
    let error = with(DispatchMode::Device).unwrap_err();
    assert!(matches!(error, OpenError::NoDispatcher { .. }), "{error}");
}

#[test]
fn a_grid_fits_the_chip() {
    let (columns, rows) = ChipDescription::of(ARCHITECTURE).compute_grid();
    let with = |columns, rows| {
        opened(|options| options.grid = GridAsked::Cores(Grid { columns, rows })).map(|_| ())
    };
    with(columns, rows).unwrap();
    with(1, 1).unwrap();
    for (columns, rows) in [(columns + 1, rows), (columns, rows + 1), (0, rows), (columns, 0)] {
        let error = with(columns, rows).unwrap_err();
        assert!(matches!(error, OpenError::GridTooLarge { .. }), "{columns}×{rows}: {error}");
    }
}

#[test]
fn a_device_has_one_queue_or_two() {
    let with = |queues| opened(|options| options.num_command_queues = queues).map(|_| ());
    for queues in 1..=limits::COMMAND_QUEUES {
        with(queues).unwrap();
    }
    for queues in [0, limits::COMMAND_QUEUES + 1] {
        let error = with(queues).unwrap_err();
        assert!(matches!(error, OpenError::CommandQueues { .. }), "{queues}: {error}");
    }
}

#[test]
fn regions_of_l1_fit_what_the_firmware_leaves() {
    let with = |small, worker| {
        opened(|options| {
            options.l1_small_size = small;
            options.worker_l1_size = worker;
        })
        .map(|_| ())
    };
    let unreserved = FirmwareBundle::builtin(ARCHITECTURE).unwrap().memory().unreserved_base;
    let left = ChipDescription::of(ARCHITECTURE).l1_size - u64::from(unreserved);
    with(left, 0).unwrap();
    with(0, left).unwrap();
    with(4096, 4096).unwrap();
    let small = |small, worker| {
        let error = with(small, worker).unwrap_err();
        assert!(matches!(error, OpenError::L1Small { .. }), "{error}");
    };
    small(left + 1, 0);
    // Both regions are parts of the same L1.
    small(4097, 4096);
    let error = with(0, left + 1).unwrap_err();
    assert!(matches!(error, OpenError::WorkerL1 { .. }), "{error}");
}

#[test]
fn a_trace_region_fits_a_bank() {
    let with = |size| opened(|options| options.trace_region_size = size).map(|_| ());
    // All of a bank but the words below the first buffer.
    let bank = ChipDescription::of(ARCHITECTURE).dram_bank_size - DRAM_BASE;
    assert!(bank < limits::TRACE_REGION_BYTES);
    with(bank).unwrap();
    let error = with(bank + 1).unwrap_err();
    assert!(matches!(error, OpenError::TraceRegion { .. }), "{error}");
}
