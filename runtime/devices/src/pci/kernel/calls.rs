//! The driver's system calls, and accesses to mapped memory. The only `unsafe` of this device.
//!
//! Structures and numbers are those of tt-kmd's `ioctl.h`. They come from `luwen-kmd` if it has them, and are
//! written out here otherwise. `luwen-kmd` keeps its file private, so the other calls need a file opened here.
#![expect(unsafe_code, reason = "system calls, and registers that are mapped into memory")]

use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::sync::atomic::{Ordering, fence};

use hallmark_chip::WindowTarget;
use luwen_kmd::ioctl as known;
use memmap2::{MmapOptions, MmapRaw};
use rustix::ioctl::{Updater, ioctl, opcode};

use super::super::{DriverError, LastWrite};

/// `TENSTORRENT_IOCTL_MAGIC`.
const MAGIC: u8 = 0xFA;

fn refused<E: Into<std::io::Error>>(call: &'static str) -> impl Fn(E) -> DriverError {
    move |error| super::refused(call)(error.into())
}

/// Configuration word 0 and the PCI address of the card: `GET_DEVICE_INFO`.
pub(super) fn device_info(card: &File) -> Result<(u32, String), DriverError> {
    let mut info = known::GetDeviceInfo::default();
    // SAFETY: the driver writes no more than the length that the structure states for itself.
    unsafe { known::get_device_info(card.as_raw_fd(), &raw mut info) }
        .map_err(refused("GET_DEVICE_INFO"))?;
    let known::GetDeviceInfoOut { vendor_id, device_id, bus_dev_fn, pci_domain, .. } = info.output;
    let address = format!(
        "{pci_domain:04x}:{:02x}:{:02x}.{}",
        bus_dev_fn >> 8,
        bus_dev_fn >> 3 & 0x1F,
        bus_dev_fn & 7
    );
    Ok((u32::from(device_id) << 16 | u32::from(vendor_id), address))
}

/// `tenstorrent_lock_ctl`.
#[repr(C)]
#[derive(Default)]
struct LockControl {
    output_size: u32,
    flags: u32,
    index: u8,
    reserved: [u8; 3],
    value: u8,
    reserved_value: [u8; 3],
}

/// Takes a lock if it is free. Closing the file releases it.
pub(super) fn try_lock(card: &File, index: u8) -> Result<bool, DriverError> {
    // Flags 0: acquire without waiting.
    let mut control = LockControl { output_size: 4, index, ..LockControl::default() };
    // SAFETY: the structure is the one that this number takes; the driver writes `output_size` bytes of it.
    unsafe { ioctl(card, Updater::<{ opcode::none(MAGIC, 8) }, _>::new(&mut control)) }
        .map_err(refused("LOCK_CTL"))?;
    Ok(control.value == 1)
}

/// `tenstorrent_set_noc_cleanup`.
#[repr(C)]
#[derive(Default)]
struct SetNocCleanup {
    argument_size: u32,
    flags: u32,
    enabled: u8,
    x: u8,
    y: u8,
    noc: u8,
    reserved: u32,
    address: u64,
    data: u64,
}

/// Makes the driver write a word when the file is closed.
pub(super) fn write_at_close(file: &File, write: LastWrite) -> Result<(), DriverError> {
    let mut cleanup = SetNocCleanup {
        argument_size: size_of::<SetNocCleanup>() as u32,
        enabled: 1,
        x: write.tile.x,
        y: write.tile.y,
        noc: 0,
        address: write.address,
        data: u64::from(write.value),
        ..SetNocCleanup::default()
    };
    // SAFETY: the structure is the one that this number takes; the driver only reads it.
    unsafe { ioctl(file, Updater::<{ opcode::none(MAGIC, 14) }, _>::new(&mut cleanup)) }
        .map_err(refused("SET_NOC_CLEANUP"))
}

/// A mapped window.
pub(super) struct Mapping {
    memory: MmapRaw,
}

/// Allocates a window and maps it uncached.
pub(super) fn allocate_window(card: &File, size: u64) -> Result<(u16, Mapping), DriverError> {
    let input = known::AllocateTlbIn { size, reserved: 0 };
    let mut call = known::AllocateTlb { input, ..known::AllocateTlb::default() };
    // SAFETY: the structure is the one that this number takes.
    unsafe { known::allocate_tlb(card.as_raw_fd(), &raw mut call) }
        .map_err(refused("ALLOCATE_TLB"))?;
    let known::AllocateTlbOut { id, mmap_offset_uc, .. } = call.output;
    let length = usize::try_from(size).unwrap_or(usize::MAX);
    let memory = MmapOptions::new().len(length).offset(mmap_offset_uc).map_raw(card);
    match (memory, u16::try_from(id)) {
        (Ok(memory), Ok(number)) => Ok((number, Mapping { memory })),
        (memory, _) => {
            // A window that could not be mapped is freed. A failure to free it is not reported besides.
            let _ = free(card, id);
            let error = memory.err().unwrap_or_else(|| std::io::ErrorKind::InvalidData.into());
            Err(super::refused("mapping a window")(error))
        }
    }
}

/// Frees a window, which must not be mapped.
pub(super) fn free_window(card: &File, window: u16) -> Result<(), DriverError> {
    free(card, window.into())
}

fn free(card: &File, id: u32) -> Result<(), DriverError> {
    let mut call =
        known::FreeTlb { input: known::FreeTlbIn { id }, output: known::FreeTlbOut::default() };
    // SAFETY: the structure is the one that this number takes.
    unsafe { known::free_tlb(card.as_raw_fd(), &raw mut call) }.map_err(refused("FREE_TLB"))?;
    Ok(())
}

/// Sets the target of a window.
pub(super) fn configure_window(
    card: &File,
    window: u16,
    target: &WindowTarget,
) -> Result<(), DriverError> {
    let start = target.multicast_start;
    let config = known::NocTlbConfig {
        addr: target.address.0,
        x_end: target.end.x.into(),
        y_end: target.end.y.into(),
        x_start: start.map_or(0, |start| start.x.into()),
        y_start: start.map_or(0, |start| start.y.into()),
        noc: target.noc.index() as u8,
        mcast: start.is_some().into(),
        ordering: target.order as u8,
        ..known::NocTlbConfig::default()
    };
    let input = known::ConfigureTlbIn { id: window.into(), config };
    let mut call = known::ConfigureTlb { input, ..known::ConfigureTlb::default() };
    // SAFETY: the structure is the one that this number takes.
    unsafe { known::configure_tlb(card.as_raw_fd(), &raw mut call) }
        .map_err(refused("CONFIGURE_TLB"))?;
    Ok(())
}

/// A pointer to the first of `count` items of `size` bytes at an offset, if all lie inside and the offset is
/// aligned.
fn inside(
    memory: &MmapRaw,
    offset: u64,
    size: usize,
    count: usize,
) -> Result<*mut u8, DriverError> {
    let offset = usize::try_from(offset).ok().filter(|offset| offset.is_multiple_of(size));
    let end = offset.and_then(|offset| offset.checked_add(size.checked_mul(count)?));
    match (offset, end) {
        (Some(offset), Some(end)) if end <= memory.len() => {
            Ok(memory.as_mut_ptr().wrapping_add(offset))
        }
        _ => Err(DriverError::Refused {
            call: "an access outside a mapping",
            errno: super::libc_einval(),
        }),
    }
}

impl Mapping {
    pub(super) fn load(&self, offset: u64, words: &mut [u32]) -> Result<(), DriverError> {
        let first = inside(&self.memory, offset, 4, words.len())?.cast::<u32>();
        for (index, word) in words.iter_mut().enumerate() {
            // SAFETY: `inside` has checked that the word is mapped and aligned; no reference to it exists.
            *word = unsafe { first.wrapping_add(index).read_volatile() };
        }
        Ok(())
    }

    pub(super) fn store(&self, offset: u64, words: &[u32]) -> Result<(), DriverError> {
        let first = inside(&self.memory, offset, 4, words.len())?.cast::<u32>();
        for (index, word) in words.iter().enumerate() {
            // SAFETY: as for loads; the store affects the card and not this process's memory.
            unsafe { first.wrapping_add(index).write_volatile(*word) };
        }
        Ok(())
    }
}

/// `tenstorrent_pin_pages` with the extended output.
#[repr(C)]
#[derive(Default)]
struct PinPages {
    output_size: u32,
    flags: u32,
    virtual_address: u64,
    size: u64,
    physical_address: u64,
    noc_address: u64,
}

/// `TENSTORRENT_PIN_PAGES_NOC_DMA`: tiles may reach them.
const NOC_DMA: u32 = 2;

/// Memory of this process that the card reads and writes.
pub(super) struct PinnedPages {
    memory: MmapRaw,
}

impl PinnedPages {
    /// Zeroed pages, and their tile address in the PCIe tile. They stay pinned until the file is closed.
    pub(super) fn pin(card: &File, size: u64) -> Result<(Self, u64), DriverError> {
        let length = usize::try_from(size).unwrap_or(usize::MAX);
        let memory =
            MmapOptions::new().len(length).map_anon().map_err(super::refused("mapping"))?;
        let memory = MmapRaw::from(memory);
        let mut call = PinPages {
            output_size: 16,
            flags: NOC_DMA,
            virtual_address: memory.as_mut_ptr() as u64,
            size,
            ..PinPages::default()
        };
        // SAFETY: the structure is the one that this number takes; the driver writes `output_size` bytes of
        // it. The pages are this process's, and only reached through volatile accesses.
        unsafe { ioctl(card, Updater::<{ opcode::none(MAGIC, 7) }, _>::new(&mut call)) }
            .map_err(refused("PIN_PAGES"))?;
        Ok((Self { memory }, call.noc_address))
    }

    pub(super) fn read(&self, offset: u64, buffer: &mut [u8]) -> Result<(), DriverError> {
        let first = inside(&self.memory, offset, 1, buffer.len())?;
        if offset.is_multiple_of(4) && buffer.len().is_multiple_of(4) {
            // Words are read whole, so that none mixes old and new bytes.
            for (index, bytes) in buffer.chunks_exact_mut(4).enumerate() {
                // SAFETY: `inside` has found it mapped, and it is aligned as the offset is.
                let word = unsafe { first.cast::<u32>().wrapping_add(index).read_volatile() };
                bytes.copy_from_slice(&word.to_ne_bytes());
            }
        } else {
            for (index, byte) in buffer.iter_mut().enumerate() {
                // SAFETY: `inside` has found it mapped.
                *byte = unsafe { first.wrapping_add(index).read_volatile() };
            }
        }
        // Later reads must not be reordered before these: they may depend on a flag that was just read.
        fence(Ordering::Acquire);
        Ok(())
    }

    pub(super) fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), DriverError> {
        let first = inside(&self.memory, offset, 1, bytes.len())?;
        for (index, byte) in bytes.iter().enumerate() {
            // SAFETY: `inside` has found it mapped.
            unsafe { first.wrapping_add(index).write_volatile(*byte) };
        }
        fence(Ordering::Release);
        Ok(())
    }
}
