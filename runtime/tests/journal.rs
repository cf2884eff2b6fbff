//! The journal holds every begun call, at any moment its process ends.
#![cfg(feature = "recorder")]

mod common;

use std::path::PathBuf;

use common::{buffer, options};
use hallmark_chip::{
    Advance, Architecture, BarOffset, Capabilities, ConfigOffset, DeviceError, PciDevice,
    PhysicalCoordinate, PinnedMemory, PinnedMemoryId, TileAddress, WindowId, WindowTarget,
};
use hallmark_runtime::{CallError, CaptureError, CaptureOptions, CommandQueue, Device, WriteData};
use hallmark_schema::journal::recover;
use hallmark_schema::model::{BufferType, CommandIndex, DataType, Expectation, Generator, Outcome};

const QUEUE: CommandQueue = CommandQueue::FIRST;

/// Reads the journal from inside the device, as if the process ended at that moment.
struct Witness {
    device: Box<dyn PciDevice>,
    journal: PathBuf,
    /// The journal at each write through a window.
    seen: std::rc::Rc<std::cell::RefCell<Vec<Vec<u8>>>>,
}

impl PciDevice for Witness {
    fn name(&self) -> &str {
        self.device.name()
    }
    fn capabilities(&self) -> Capabilities {
        self.device.capabilities()
    }
    fn config_read(&mut self, offset: ConfigOffset) -> Result<u32, DeviceError> {
        self.device.config_read(offset)
    }
    fn register_read(&mut self, offset: BarOffset) -> Result<u32, DeviceError> {
        self.device.register_read(offset)
    }
    fn register_write(&mut self, offset: BarOffset, value: u32) -> Result<(), DeviceError> {
        self.device.register_write(offset, value)
    }
    fn allocate_window(&mut self, size: u64) -> Result<WindowId, DeviceError> {
        self.device.allocate_window(size)
    }
    fn window_size(&self, window: WindowId) -> Result<u64, DeviceError> {
        self.device.window_size(window)
    }
    fn configure_window(&mut self, id: WindowId, to: &WindowTarget) -> Result<(), DeviceError> {
        self.device.configure_window(id, to)
    }
    fn window_read(&mut self, id: WindowId, at: u64, to: &mut [u8]) -> Result<(), DeviceError> {
        self.device.window_read(id, at, to)
    }
    fn unwritten(
        &mut self,
        id: WindowId,
        at: u64,
        length: u64,
    ) -> Result<Option<hallmark_chip::Unwritten>, DeviceError> {
        self.device.unwritten(id, at, length)
    }
    fn window_write(&mut self, id: WindowId, at: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        if let Ok(journal) = std::fs::read(&self.journal) {
            self.seen.borrow_mut().push(journal);
        }
        self.device.window_write(id, at, bytes)
    }
    fn free_window(&mut self, window: WindowId) -> Result<(), DeviceError> {
        self.device.free_window(window)
    }
    fn order(&mut self) -> Result<(), DeviceError> {
        self.device.order()
    }
    fn advance(&mut self, ticks: u64) -> Result<Advance, DeviceError> {
        self.device.advance(ticks)
    }
    fn pin_host_memory(&mut self, size: u64) -> Result<PinnedMemory, DeviceError> {
        self.device.pin_host_memory(size)
    }
    fn pinned_read(
        &mut self,
        memory: PinnedMemoryId,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<(), DeviceError> {
        self.device.pinned_read(memory, offset, buffer)
    }
    fn pinned_write(
        &mut self,
        memory: PinnedMemoryId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        self.device.pinned_write(memory, offset, bytes)
    }
    fn annotate(
        &mut self,
        tile: PhysicalCoordinate,
        start: TileAddress,
        length: u64,
        meaning: hallmark_chip::Meaning,
    ) -> Result<(), DeviceError> {
        self.device.annotate(tile, start, length, meaning)
    }
    fn describe_buffer(
        &mut self,
        buffer: &std::sync::Arc<hallmark_chip::DescribedBuffer>,
    ) -> Result<(), DeviceError> {
        self.device.describe_buffer(buffer)
    }
    fn describe_launches(
        &mut self,
        tile: PhysicalCoordinate,
        block: TileAddress,
        launches: &[std::sync::Arc<hallmark_chip::LaunchDescription>],
    ) -> Result<(), DeviceError> {
        self.device.describe_launches(tile, block, launches)
    }
}

#[test]
fn whoever_survives_finds_every_call() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("journal");
    let seen = std::rc::Rc::default();
    let device = Box::new(Witness {
        device: common::simulator(),
        journal: journal.clone(),
        seen: std::rc::Rc::clone(&seen),
    });
    let mut device = Device::open(device, options()).unwrap();
    let capturing = CaptureOptions { journal: Some(journal.clone()) };
    device.begin_capture(&capturing).unwrap();
    let recovered = || recover(&std::fs::read(&journal).unwrap()).unwrap();
    assert_eq!(recovered().capture.program.commands.len(), 0);

    let made = device.create_buffer(&buffer("b", BufferType::Dram, 4096, 1024)).unwrap();
    device.create_buffer(&buffer("odd", BufferType::Dram, 100, 64)).unwrap_err();
    let generator = Generator::Sequence { data_type: DataType::Uint16, start: 1, step: 3 };
    let data = WriteData::Generated { generator, length: 4096 };
    device.enqueue_write_buffer(QUEUE, made, data, false).unwrap();
    device.enqueue_write_buffer(QUEUE, made, &common::pattern(4096)[..], false).unwrap();
    let before = recovered();
    assert_eq!((before.unfinished(), before.executing), (None, None));
    assert_eq!(before.capture.program.commands.len(), 4);
    assert_eq!(seen.borrow().len(), 0);

    device.enqueue_read_buffer(QUEUE, made, "out", Expectation::AsCaptured, true).unwrap();
    // From inside the device, the read has begun and has no outcome.
    let within = recover(&seen.borrow()[0]).unwrap();
    assert_eq!(within.unfinished(), Some(CommandIndex(4)));
    assert_eq!(within.capture.program.commands[..4], before.capture.program.commands[..]);
    assert_eq!(within.capture.record.as_ref().unwrap().reads, []);
    assert_eq!(recovered().unfinished(), None);

    // The journal yields the recorder's capture.
    let after = recovered().capture;
    let capture = device.end_capture().unwrap();
    assert_eq!(after, capture);
    assert_eq!(after.to_bytes().unwrap(), capture.to_bytes().unwrap());
    assert!(matches!(capture.program.commands[1].outcome, Outcome::Failed(_)));
}

#[test]
fn a_journal_that_cannot_be_made_is_an_error_and_nothing_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let mut device = common::open();
    let there = CaptureOptions { journal: Some(folder.path().to_owned()) };
    let error = device.begin_capture(&there).unwrap_err();
    assert!(matches!(error, CaptureError::Journal { .. }), "{error}");
    assert!(matches!(device.end_capture(), Err(CaptureError::NotActive)));
    device.begin_capture(&CaptureOptions::default()).unwrap();
    let error = device.begin_capture(&CaptureOptions::default()).unwrap_err();
    assert!(matches!(error, CaptureError::AlreadyActive));
}

#[test]
fn a_capture_begins_before_the_first_object() {
    let mut device = common::open();
    device.create_program("early").unwrap();
    let error = device.begin_capture(&CaptureOptions::default()).unwrap_err();
    assert!(matches!(error, CaptureError::ObjectsExist { count: 1 }), "{error}");
    device.release_all().unwrap();
    let mut guard = device.capture(&CaptureOptions::default()).unwrap();
    guard.create_program("first").unwrap();
    let capture = guard.end().unwrap();
    assert_eq!(capture.program.commands.len(), 1);
    assert_eq!(capture.program.architecture, Architecture::WormholeB0);
    let lost: Result<(), CallError> = device.release_all();
    lost.unwrap();
}
