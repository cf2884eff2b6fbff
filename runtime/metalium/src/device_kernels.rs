//! The code that TT-Metalium compiles when it opens a device: its firmware and its dispatch kernels.

use std::path::Path;

use crate::ReleaseDescription;
use crate::calls::{MetaliumError, self_test};
use crate::exceptions::essence;
use crate::interface::{Interface, Opening};

/// Opens a device with this number of queues and closes it, so that its firmware and its dispatch kernels are
/// in the cache.
///
/// # Errors
/// [`MetaliumError`]: the library does not load, or the device does not open. The vendor's code may also
/// terminate the process.
pub fn build_device_kernels(
    interface: &Path,
    release: &ReleaseDescription,
    queues: u8,
) -> Result<(), MetaliumError> {
    let mut interface =
        Interface::load(interface).map_err(|reason| MetaliumError::Load { reason })?;
    self_test(&mut interface, release)?;
    let mut grid = [0; 2];
    let opening = Opening { queues: queues.into(), ..Opening::default() };
    interface
        .open(&opening, &mut grid)
        .map_err(|text| MetaliumError::Open { reason: essence(&text) })?;
    // Everything is compiled by now, so an error on closing does not matter.
    let _ = interface.close();
    Ok(())
}
