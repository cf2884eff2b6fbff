//! Beginning and ending a capture of a device's calls.

use std::ops::{Deref, DerefMut};

use hallmark_chip::L1BankOrder;
use hallmark_device_code::LAUNCH_ABI;
use hallmark_schema::class::schema_hash;
use hallmark_schema::model::{
    Capture, ChipRecord, FirmwareRecord, Grid, ObjectKind, ProgramPart, Record, SharedBytes,
};

use super::Device;
use super::device::Backend;
use crate::recorder::{CaptureError, CaptureOptions};

impl Device {
    /// Keeps bytes in the capture under way, so that the capture is self-contained: the reference data of an
    /// expectation that no generator makes. Without a capture it does nothing.
    ///
    /// # Errors
    /// See [`CaptureError`].
    pub fn embed(&mut self, bytes: impl Into<SharedBytes>) -> Result<(), CaptureError> {
        self.host.recorder.embed(bytes)
    }

    /// Begins to record every call. Ids and call numbers count from 0, so no object may exist.
    ///
    /// # Errors
    /// See [`CaptureError`].
    pub fn begin_capture(&mut self, options: &CaptureOptions) -> Result<(), CaptureError> {
        if self.host.recorder.is_active() {
            CaptureError::AlreadyActive.refuse()?;
        }
        if self.host.stop.is_some() {
            CaptureError::DeviceLost.refuse()?;
        }
        let kinds = [
            ObjectKind::Buffer,
            ObjectKind::Program,
            ObjectKind::Kernel,
            ObjectKind::CircularBuffer,
            ObjectKind::Semaphore,
            ObjectKind::Event,
            ObjectKind::Trace,
        ];
        let count = kinds.into_iter().map(|kind| u64::from(self.host.objects.next(kind))).sum();
        if count > 0 || self.has_work() {
            CaptureError::ObjectsExist { count }.refuse()?;
        }
        let architecture = self.host.description.architecture;
        let (columns, rows) = self.host.description.compute_grid();
        let chip_grid = Grid { columns, rows };
        let program = ProgramPart {
            architecture,
            grid: self.host.grid,
            placement_bound: false,
            sources: Vec::new(),
            commands: Vec::new(),
            num_command_queues: self.host.num_command_queues,
            trace_region_size: self.host.trace_region_size,
            l1_small_size: self.host.l1_small_size,
            worker_l1_size: self.host.worker_l1_size,
            free_tensors: Vec::new(),
        };
        let record = Record {
            writer: concat!("hallmark ", env!("CARGO_PKG_VERSION")).to_owned(),
            schema_hash: schema_hash(),
            chip: ChipRecord {
                device: device_kind(self.name()),
                pci_id: self.host.pci_id,
                harvesting_mask: self.host.description.harvesting.0,
                grid: chip_grid,
            },
            firmware: FirmwareRecord {
                name: self.host.firmware.manifest().name.clone(),
                hash: self.host.firmware.hash(),
                launch_abi: LAUNCH_ABI,
            },
            dispatch_mode: self.host.dispatch,
            addresses: Vec::new(),
            elfs: Vec::new(),
            faults: Vec::new(),
            waits: Vec::new(),
            reads: Vec::new(),
            collected: Vec::new(),
            expected_faults: Vec::new(),
            l1_bank_order: L1BankOrder::RowByRow,
            origin: None,
            asked: self.host.requirements,
        };
        self.host.recorder.begin(program, record, options)?;
        if self.host.placement_bound {
            self.host.recorder.placement_bound()?;
        }
        self.host.next_command = 0;
        if let Backend::Engine(engine) = &mut self.backend {
            engine.forget_launches();
        }
        self.host.outputs.clear();
        self.host.collected.clear();
        self.host.collected_names.clear();
        Ok(())
    }

    /// Ends recording and gives the capture. Reads that have not completed have no data in it.
    ///
    /// # Errors
    /// [`CaptureError::NotActive`], [`CaptureError::Journal`].
    pub fn end_capture(&mut self) -> Result<Capture, CaptureError> {
        self.host.recorder.end()
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

/// A device's name without what follows a colon where that is a path.
fn device_kind(name: &str) -> String {
    match name.split_once(':') {
        Some((kind, path)) if path.contains('/') => kind.to_owned(),
        _ => name.to_owned(),
    }
}
