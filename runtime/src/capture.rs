//! Beginning and ending a capture of a device's calls.

use std::ops::{Deref, DerefMut};

use hallmark_schema::class::schema_hash;

use hallmark_schema::model::{
    Capture, ChipRecord, FirmwareRecord, Grid, Program, Record, SharedBytes,
};

use crate::recorder::{CaptureError, CaptureOptions};
use crate::{Device, device_code::LAUNCH_ABI};

impl Device {
    /// Keeps bytes in the capture under way, so that it stands alone: the reference data of an
    /// expectation that no generator makes. Without a capture it does nothing.
    ///
    /// # Errors
    /// See [`CaptureError`].
    pub fn embed(&mut self, bytes: impl Into<SharedBytes>) -> Result<(), CaptureError> {
        self.recorder.embed(bytes)
    }

    /// Begins to record every call. Ids and call numbers count from 0, so no object may exist.
    ///
    /// # Errors
    /// See [`CaptureError`].
    pub fn begin_capture(&mut self, options: &CaptureOptions) -> Result<(), CaptureError> {
        if self.recorder.is_active() {
            return Err(CaptureError::AlreadyActive);
        }
        if self.stop.is_some() {
            return Err(CaptureError::DeviceLost);
        }
        let objects = &self.objects;
        let count = [
            objects.buffers.next(),
            objects.programs.next(),
            objects.kernels.next(),
            objects.circular_buffers.next(),
            objects.semaphores.next(),
            objects.events.next(),
            objects.traces.next(),
        ];
        let count: u64 = count.into_iter().map(u64::from).sum();
        if count > 0 || self.queue.has_work() {
            return Err(CaptureError::ObjectsExist { count });
        }
        let architecture = self.chip.description().architecture;
        let (columns, rows) = self.chip.description().compute_grid();
        let chip_grid = Grid { columns, rows };
        let program = Program {
            architecture,
            grid: self.grid,
            placement_bound: false,
            sources: Vec::new(),
            commands: Vec::new(),
            num_command_queues: self.num_command_queues,
            trace_region_size: self.trace_region_size,
        };
        let record = Record {
            writer: concat!("hallmark ", env!("CARGO_PKG_VERSION")).to_owned(),
            schema_hash: schema_hash(),
            chip: ChipRecord {
                device: device_kind(self.name()),
                pci_id: self.pci_id,
                harvesting_mask: self.chip.description().harvesting.0,
                grid: chip_grid,
            },
            firmware: FirmwareRecord {
                name: self.firmware.manifest().name.clone(),
                hash: self.firmware.hash(),
                launch_abi: LAUNCH_ABI,
            },
            dispatch_mode: self.dispatch,
            addresses: Vec::new(),
            elfs: Vec::new(),
            faults: Vec::new(),
            waits: Vec::new(),
            reads: Vec::new(),
            collected: Vec::new(),
        };
        self.recorder.begin(program, record, options)?;
        if self.placement_bound {
            self.recorder.placement_bound()?;
        }
        self.next_command = 0;
        self.last_launch = None;
        self.outputs.clear();
        self.collected.clear();
        self.collected_names.clear();
        Ok(())
    }

    /// Ends recording and gives the capture. Reads that have not completed have no data in it.
    ///
    /// # Errors
    /// [`CaptureError::NotActive`], [`CaptureError::Journal`].
    pub fn end_capture(&mut self) -> Result<Capture, CaptureError> {
        self.recorder.end()
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
