//! Pinned host memory of the one simulator library that a process may open. It is global because the
//! ABI's DMA callbacks carry no context.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hallmark_chip::{DeviceError, Fault, FaultCategory, PinnedMemoryId};

/// The alignment of pinned ranges. An unpinned page separates two ranges, so that a DMA past the end of one is
/// detected.
const PAGE: u64 = 4096;

/// The largest pinned range: more than any ring needs, and less than would strain the machine.
const LARGEST: u64 = 1 << 30;

/// The process's pinned memory.
pub(super) static HOST_MEMORY: HostMemory = HostMemory { inner: Mutex::new(Inner::EMPTY) };

pub(super) struct HostMemory {
    inner: Mutex<Inner>,
}

struct Inner {
    pieces: Vec<Piece>,
    fault: Option<Fault>,
}

struct Piece {
    bus_address: u64,
    bytes: Vec<u8>,
}

impl Inner {
    const EMPTY: Self = Self { pieces: Vec::new(), fault: None };

    fn at(&mut self, address: u64, length: usize) -> Option<&mut [u8]> {
        self.pieces.iter_mut().find_map(|piece| {
            let start = usize::try_from(address.checked_sub(piece.bus_address)?).ok()?;
            piece.bytes.get_mut(start..start.checked_add(length)?)
        })
    }

    fn refuse(&mut self, what: &str, address: u64, length: usize) {
        self.fault.get_or_insert_with(|| {
            let reason = format!(
                "the device {what} {length} bytes at host address {address:#x}, which is not pinned"
            );
            Fault::without_place(FaultCategory::UndefinedBehavior, reason)
        });
    }
}

impl HostMemory {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Pins zeroed memory; returns its id and the bus address of its first byte.
    pub(super) fn pin(&self, size: u64) -> Option<(PinnedMemoryId, u64)> {
        if size == 0 || size > LARGEST {
            return None;
        }
        let mut inner = self.lock();
        let bus_address = inner.pieces.last().map_or(PAGE, |last| {
            (last.bus_address + last.bytes.len() as u64).next_multiple_of(PAGE) + PAGE
        });
        let id = PinnedMemoryId(u32::try_from(inner.pieces.len()).ok()?);
        inner.pieces.push(Piece { bus_address, bytes: vec![0; usize::try_from(size).ok()?] });
        Some((id, bus_address))
    }

    /// The first bad DMA access since the last call.
    pub(super) fn take_fault(&self) -> Option<Fault> {
        self.lock().fault.take()
    }

    pub(super) fn device_read(&self, address: u64, buffer: &mut [u8]) {
        let mut inner = self.lock();
        match inner.at(address, buffer.len()) {
            Some(bytes) => buffer.copy_from_slice(bytes),
            None => {
                buffer.fill(0xFF);
                inner.refuse("reads", address, buffer.len());
            }
        }
    }

    pub(super) fn device_write(&self, address: u64, bytes: &[u8]) {
        let mut inner = self.lock();
        match inner.at(address, bytes.len()) {
            Some(target) => target.copy_from_slice(bytes),
            None => inner.refuse("writes", address, bytes.len()),
        }
    }

    fn host_access(
        &self,
        memory: PinnedMemoryId,
        offset: u64,
        length: usize,
        access: impl FnOnce(&mut [u8]),
    ) -> Result<(), DeviceError> {
        let mut inner = self.lock();
        let piece = inner
            .pieces
            .get_mut(memory.0 as usize)
            .ok_or(DeviceError::UnknownPinnedMemory(memory))?;
        let range = usize::try_from(offset)
            .ok()
            .and_then(|start| piece.bytes.get_mut(start..start.checked_add(length)?))
            .ok_or(DeviceError::BadAccess {
                what: "pinned host memory",
                offset,
                length: length as u64,
            })?;
        access(range);
        Ok(())
    }

    pub(super) fn host_read(
        &self,
        memory: PinnedMemoryId,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<(), DeviceError> {
        self.host_access(memory, offset, buffer.len(), |range| buffer.copy_from_slice(range))
    }

    pub(super) fn host_write(
        &self,
        memory: PinnedMemoryId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        self.host_access(memory, offset, bytes.len(), |range| range.copy_from_slice(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dma_stays_inside_pinned_pieces() {
        let memory = HostMemory { inner: Mutex::new(Inner::EMPTY) };
        let (first, address) = memory.pin(16).unwrap();
        let (_, second_address) = memory.pin(16).unwrap();
        assert!(second_address >= address + 2 * PAGE);
        memory.device_write(address + 4, &[1, 2, 3]);
        let mut back = [0; 4];
        memory.host_read(first, 3, &mut back).unwrap();
        assert_eq!(back, [0, 1, 2, 3]);
        assert_eq!(memory.take_fault(), None);
        memory.device_write(address + 15, &[1, 2]);
        assert_eq!(memory.take_fault().unwrap().category, FaultCategory::UndefinedBehavior);
        assert!(memory.host_write(first, 16, &[0]).is_err());
        assert!(memory.host_read(PinnedMemoryId(9), 0, &mut back).is_err());
        assert!(memory.pin(0).is_none() && memory.pin(u64::MAX).is_none());
    }
}
