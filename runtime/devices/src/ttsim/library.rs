//! Dynamic loading of a simulator library, and calls into it. The only `unsafe` of this device.
#![expect(unsafe_code, reason = "calls through a C ABI that was loaded at run time")]

use std::ffi::c_void;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::OpenTtsimError;
use super::host_memory::HOST_MEMORY;

type DmaRead = extern "C" fn(u64, *mut c_void, u32);
type DmaWrite = extern "C" fn(u64, *const c_void, u32);

/// The functions of the ABI (ttsim's `docs/libttsim_api.md`) that Wormhole and Blackhole need. They stay valid
/// for the life of the process because the library is never unloaded.
#[derive(Debug)]
pub(super) struct Library {
    exit: unsafe extern "C" fn(),
    config_read: unsafe extern "C" fn(u32, u32) -> u32,
    memory_read: unsafe extern "C" fn(u64, *mut c_void, u32),
    memory_write: unsafe extern "C" fn(u64, *const c_void, u32),
    clock: unsafe extern "C" fn(u32),
}

static OPEN: AtomicBool = AtomicBool::new(false);

impl Library {
    /// Loads the library, installs the DMA callbacks and starts the simulator.
    pub(super) fn load(path: &Path) -> Result<Self, OpenTtsimError> {
        let error = |reason: libloading::Error| OpenTtsimError::Load {
            path: path.display().to_string(),
            // The loader's own message is in the error's source.
            reason: std::error::Error::source(&reason)
                .map_or_else(|| reason.to_string(), |source| format!("{reason}: {source}")),
        };
        if OPEN.swap(true, Ordering::SeqCst) {
            return Err(OpenTtsimError::AlreadyOpen);
        }
        let load = || {
            // SAFETY: loading runs the library's initialisers; that the file is a simulator library is
            // what the user said by naming it, and every function is looked up before any is called.
            let library = Box::leak(Box::new(unsafe { libloading::Library::new(path) }?));
            // SAFETY: the types are those of the documented ABI.
            unsafe {
                let init = library.get::<unsafe extern "C" fn()>(b"libttsim_init\0")?;
                let install = library.get::<unsafe extern "C" fn(DmaRead, DmaWrite)>(
                    b"libttsim_set_pci_dma_mem_callbacks\0",
                )?;
                let functions = Self {
                    exit: *library.get(b"libttsim_exit\0")?,
                    config_read: *library.get(b"libttsim_pci_config_rd32\0")?,
                    memory_read: *library.get(b"libttsim_pci_mem_rd_bytes\0")?,
                    memory_write: *library.get(b"libttsim_pci_mem_wr_bytes\0")?,
                    clock: *library.get(b"libttsim_clock\0")?,
                };
                install(dma_read, dma_write);
                init();
                Ok(functions)
            }
        };
        load().map_err(|reason| {
            OPEN.store(false, Ordering::SeqCst);
            error(reason)
        })
    }

    /// Reads a word of device 0's configuration space; `offset` is aligned and below 0x40.
    pub(super) fn config_read(&self, offset: u16) -> u32 {
        // SAFETY: the simulator is running from `load` to `drop`.
        unsafe { (self.config_read)(0, u32::from(offset)) }
    }

    /// Reads `buffer.len()` bytes, at most `u32::MAX`.
    pub(super) fn memory_read(&mut self, paddr: u64, buffer: &mut [u8]) {
        let Ok(length) = u32::try_from(buffer.len()) else { return };
        // SAFETY: the library writes exactly `length` bytes to a buffer of that length.
        unsafe { (self.memory_read)(paddr, buffer.as_mut_ptr().cast(), length) }
    }

    /// Writes `bytes`, at most `u32::MAX` of them.
    pub(super) fn memory_write(&mut self, paddr: u64, bytes: &[u8]) {
        let Ok(length) = u32::try_from(bytes.len()) else { return };
        // SAFETY: the library reads exactly `length` bytes from a buffer of that length.
        unsafe { (self.memory_write)(paddr, bytes.as_ptr().cast(), length) }
    }

    /// Advances time by `clocks`.
    pub(super) fn clock(&mut self, clocks: u32) {
        // SAFETY: the simulator is running from `load` to `drop`.
        unsafe { (self.clock)(clocks) }
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: the simulator is running, and nothing calls into it afterwards: `OPEN` stays set.
        unsafe { (self.exit)() }
    }
}

extern "C" fn dma_read(address: u64, buffer: *mut c_void, size: u32) {
    if size == 0 {
        return;
    }
    // SAFETY: the ABI hands a buffer of `size` bytes that nobody else uses during the call.
    let buffer = unsafe { std::slice::from_raw_parts_mut(buffer.cast::<u8>(), size as usize) };
    HOST_MEMORY.device_read(address, buffer);
}

extern "C" fn dma_write(address: u64, bytes: *const c_void, size: u32) {
    if size == 0 {
        return;
    }
    // SAFETY: the ABI hands a buffer of `size` bytes that nobody writes during the call.
    let bytes = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), size as usize) };
    HOST_MEMORY.device_write(address, bytes);
}
