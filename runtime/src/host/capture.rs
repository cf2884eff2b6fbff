//! Beginning and ending a capture of a device's calls.

use std::ops::{Deref, DerefMut};

use hallmark_chip::{FaultCategory, L1BankOrder};
use hallmark_device_code::LAUNCH_ABI;
use hallmark_schema::class::schema_hash;
use hallmark_schema::model::{
    Capture, ChipRecord, FirmwareRecord, Grid, ObjectKind, ProgramPart, Record, SharedBytes,
};

use super::device::Device;
use super::opened::Opened;
use crate::recorder::{CaptureError, CaptureOptions};

const KINDS: [ObjectKind; 7] = [
    ObjectKind::Buffer,
    ObjectKind::Program,
    ObjectKind::Kernel,
    ObjectKind::CircularBuffer,
    ObjectKind::Semaphore,
    ObjectKind::Event,
    ObjectKind::Trace,
];

impl Device {
    /// Keeps bytes in the capture under way, so that the capture is self-contained: the reference data of an
    /// expectation that no generator makes. Without a capture it does nothing.
    ///
    /// # Errors
    /// See [`CaptureError`].
    pub fn embed(&mut self, bytes: impl Into<SharedBytes>) -> Result<(), CaptureError> {
        self.host.calls.recorder().embed(bytes)
    }

    /// Begins to record every call. Ids and call numbers count from 0, so no object may exist.
    ///
    /// # Errors
    /// See [`CaptureError`].
    pub fn begin_capture(&mut self, options: &CaptureOptions) -> Result<(), CaptureError> {
        let Self { host, backend } = self;
        if host.calls.is_recording() {
            CaptureError::AlreadyActive.refuse()?;
        }
        if host.queues.stop().is_some() {
            CaptureError::DeviceLost.refuse()?;
        }
        let count = KINDS.into_iter().map(|kind| u64::from(host.next_id(kind))).sum();
        if count > 0 || backend.has_work() {
            CaptureError::ObjectsExist { count }.refuse()?;
        }
        let (program, record) = (program_part(&host.opened), record(&host.opened));
        host.calls.recorder().begin(program, record, options)?;
        if host.calls.is_placement_bound() {
            host.calls.recorder().placement_bound()?;
        }
        host.calls.restart();
        backend.forget_launches();
        host.reads.clear_names();
        host.traces.clear_collected();
        // The text of earlier calls belongs to no call of the capture.
        drop(self.take_printed());
        Ok(())
    }

    /// Ends recording and gives the capture. Reads that have not completed have no data in it.
    ///
    /// # Errors
    /// [`CaptureError::NotActive`], [`CaptureError::Journal`].
    pub fn end_capture(&mut self) -> Result<Capture, CaptureError> {
        let mut capture = self.host.calls.recorder().end()?;
        if let Some(record) = &mut capture.record {
            record.printed = self.take_printed();
        }
        Ok(capture)
    }

    /// Begins a capture that ends with the guard.
    ///
    /// # Errors
    /// As [`Device::begin_capture`].
    pub fn capture(&mut self, options: &CaptureOptions) -> Result<CaptureGuard<'_>, CaptureError> {
        self.begin_capture(options)?;
        Ok(CaptureGuard { device: self })
    }
}

/// A device whose calls are being recorded. Dropping it gives the capture up; its journal stays.
#[derive(Debug)]
pub struct CaptureGuard<'a> {
    device: &'a mut Device,
}

impl CaptureGuard<'_> {
    /// Ends recording and gives the capture.
    ///
    /// # Errors
    /// As [`Device::end_capture`].
    pub fn end(self) -> Result<Capture, CaptureError> {
        self.device.end_capture()
    }
}

impl Deref for CaptureGuard<'_> {
    type Target = Device;

    fn deref(&self) -> &Device {
        self.device
    }
}

impl DerefMut for CaptureGuard<'_> {
    fn deref_mut(&mut self) -> &mut Device {
        self.device
    }
}

impl Drop for CaptureGuard<'_> {
    fn drop(&mut self) {
        // After `end` there is nothing left to end.
        let _ = self.device.end_capture();
    }
}

/// The program part of a capture that begins.
fn program_part(opened: &Opened) -> ProgramPart {
    ProgramPart {
        architecture: opened.description().architecture,
        grid: opened.grid(),
        placement_bound: false,
        sources: Vec::new(),
        commands: Vec::new(),
        num_command_queues: opened.num_command_queues(),
        trace_region_size: opened.trace_region_size(),
        l1_small_size: opened.l1_small_size(),
        worker_l1_size: opened.worker_l1_size(),
        free_tensors: Vec::new(),
    }
}

/// The record part of a capture that begins.
fn record(opened: &Opened) -> Record {
    let (columns, rows) = opened.description().compute_grid();
    Record {
        writer: concat!("hallmark ", env!("CARGO_PKG_VERSION")).to_owned(),
        schema_hash: schema_hash(),
        chip: ChipRecord {
            device: device_kind(opened.name()),
            pci_id: opened.pci_id(),
            harvesting_mask: opened.description().harvesting.0,
            grid: Grid { columns, rows },
        },
        firmware: FirmwareRecord {
            name: opened.firmware().manifest().name.clone(),
            hash: opened.firmware().hash(),
            launch_abi: LAUNCH_ABI,
        },
        dispatch_mode: opened.dispatch(),
        addresses: Vec::new(),
        elfs: Vec::new(),
        faults: Vec::new(),
        waits: Vec::new(),
        reads: Vec::new(),
        collected: Vec::new(),
        expected_faults: Vec::new(),
        l1_bank_order: L1BankOrder::RowByRow,
        origin: None,
        asked: opened.requirements(),
        at_end: None,
        printed: Vec::new(),
        checks: FaultCategory::ALL.to_vec(),
    }
}

/// A device's name without what follows a colon where that is a path.
fn device_kind(name: &str) -> String {
    match name.split_once(':') {
        Some((kind, path)) if path.contains('/') => kind.to_owned(),
        _ => name.to_owned(),
    }
}
