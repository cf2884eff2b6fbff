//! Buffers that the host itself annotates, writes and reads.

use std::sync::Arc;

use hallmark_chip::{DeviceError, TileAddress};

use super::Chip;
use crate::addresses::{BufferExtent, HostPages, Run, runs, runs_in};
use crate::defects::{Defect, planted};
use crate::work::Annotation;

/// Tells the device the meaning that a buffer's memory has from now on, and the buffer.
///
/// # Errors
/// The device's.
pub(crate) fn annotate(
    chip: &mut Chip,
    Annotation { extent, meaning, buffer }: &Annotation,
) -> Result<(), DeviceError> {
    let length = extent.placement.bank_size;
    let banks = Arc::clone(chip.banks());
    let used = banks.of(extent.buffer_type).iter().zip(0..);
    let used = used.filter(|(_, index)| extent.mapping.uses(*index));
    for (bank, _) in used.filter(|_| !planted(Defect::FreedMemoryKeepsItsMeaning)) {
        let start = TileAddress(bank.offset.saturating_add(extent.placement.address));
        chip.access().annotate(bank.physical, start, length, *meaning)?;
    }
    match buffer {
        Some(buffer) => chip.access().describe_buffer(buffer),
        None => Ok(()),
    }
}

/// Writes the host's bytes of an extent.
///
/// # Errors
/// The device's.
pub(crate) fn write(
    chip: &mut Chip,
    extent: &BufferExtent,
    bytes: &[u8],
) -> Result<(), DeviceError> {
    let mut banks = chip.banks().of(extent.buffer_type).to_vec();
    if planted(Defect::WritesToTheNextBank) {
        banks.rotate_left(1);
    }
    let host = HostPages::of(extent);
    let mut memory = Vec::new();
    for (bank, Run { start, pages }) in runs_in(&banks, extent) {
        // Padding between pages stays as it is: a run has none.
        let gathered = host.gathered(&pages, bytes, &mut memory);
        chip.access().write(bank.tile, start, gathered)?;
    }
    chip.access().order()
}

/// Reads an extent into the host's bytes. With the buffer's name in `refuses_unwritten`, a byte that nothing has written is a
/// fault where the device knows of it, because it must not equal an expectation by chance. Padding is not asked about.
///
/// # Errors
/// The device's.
pub(crate) fn read(
    chip: &mut Chip,
    extent: &BufferExtent,
    bytes: &mut [u8],
    refuses_unwritten: Option<&str>,
) -> Result<(), DeviceError> {
    let banks = Arc::clone(chip.banks());
    let host = HostPages::of(extent);
    let page_size = host.size();
    let mut scattered = Vec::new();
    let asks = refuses_unwritten.filter(|_| chip.capabilities().detects_uninitialised);
    for (bank, Run { start, pages }) in runs(&banks, extent) {
        scattered.resize(pages.len() * page_size, 0);
        chip.access().read(bank.tile, start, &mut scattered)?;
        if let Some(name) = asks {
            let length = scattered.len() as u64;
            if let Some(found) = chip.access().unwritten(bank.tile, start, length)? {
                return Err(host.unwritten(name, &pages, found).into());
            }
        }
        if planted(Defect::ReadsMissAPage) {
            scattered.truncate(scattered.len() - page_size);
        }
        host.scatter(&pages, &scattered, bytes);
    }
    Ok(())
}
