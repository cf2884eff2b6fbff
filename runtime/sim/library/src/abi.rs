//! The exported functions. The only `unsafe` of this library.
#![expect(unsafe_code, reason = "a C ABI: exported names, buffers and callbacks of the client's")]

use std::cell::Cell;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

use hallmark_chip::library_variables::{SIM_ARCH, SIM_HARVESTING, SIM_ORDER, SIM_WAITS};
use hallmark_chip::{Fault, FaultCategory, WaitReport};
use hallmark_sim::HostMemory;

use crate::simulator::{Simulator, Variables, error_line, fault};

type DmaRead = extern "C" fn(u64, *mut c_void, u32);
type DmaWrite = extern "C" fn(u64, *const c_void, u32);

/// What the ABI keeps in globals: the process's one simulator and the client's callbacks.
struct Library {
    simulator: Option<Simulator>,
    host: Callbacks,
    /// Where the waits for units are written, and those of the process up to now.
    waits: Option<(PathBuf, WaitReport)>,
}

static LIBRARY: Mutex<Library> =
    Mutex::new(Library { simulator: None, host: Callbacks { dma: None }, waits: None });

thread_local! {
    /// Whether the thread is inside a call, so that a callback of the client's would wait for itself.
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Host memory as the client's callbacks show it.
#[derive(Clone, Copy)]
struct Callbacks {
    dma: Option<(DmaRead, DmaWrite)>,
}

impl HostMemory for Callbacks {
    fn read(&mut self, address: u64, buffer: &mut [u8]) -> bool {
        let (Some((read, _)), Ok(size)) = (self.dma, u32::try_from(buffer.len())) else {
            return false;
        };
        read(address, buffer.as_mut_ptr().cast(), size);
        true
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let (Some((_, write)), Ok(size)) = (self.dma, u32::try_from(bytes.len())) else {
            return false;
        };
        write(address, bytes.as_ptr().cast(), size);
        true
    }
}

/// Runs a function of the ABI, and ends the process if it breaks a rule or is a bug of ours. A panic
/// must not unwind into C.
fn enter<T>(function: &str, call: impl FnOnce(&mut Library) -> Result<T, Fault>) -> T {
    match catch_unwind(AssertUnwindSafe(|| in_turn(call))) {
        Ok(Ok(value)) => value,
        // The guard keeps other threads out until the process has ended.
        Ok(Err(Failed { clock, fault, guard: _guard })) => end(clock, function, &fault),
        Err(_) => end(0, function, &own_bug()),
    }
}

/// A call that ends the process, at this time.
struct Failed {
    clock: u64,
    fault: Fault,
    guard: Option<MutexGuard<'static, Library>>,
}

/// Runs a call when the calls of other threads have ended: TT-Metalium's print server has a thread of its own.
fn in_turn<T>(call: impl FnOnce(&mut Library) -> Result<T, Fault>) -> Result<T, Failed> {
    if IS_INSIDE.replace(true) {
        let fault = configuration("called by a callback of another call");
        return Err(Failed { clock: 0, fault, guard: None });
    }
    let Ok(mut library) = LIBRARY.lock() else {
        // A bug in another thread's call is ending the process.
        loop {
            std::thread::park();
        }
    };
    let result = call(&mut library);
    IS_INSIDE.set(false);
    let clock = library.simulator.as_ref().map_or(0, Simulator::clock);
    result.map_err(|fault| Failed { clock, fault, guard: Some(library) })
}

fn running<T>(
    function: &str,
    call: impl FnOnce(&mut Simulator, &mut Callbacks) -> Result<T, Fault>,
) -> T {
    enter(function, |library| match &mut library.simulator {
        Some(simulator) => call(simulator, &mut library.host),
        None => Err(configuration("the simulator is not running: libttsim_init comes first")),
    })
}

impl Library {
    /// Writes the report of the waits for units, if it is asked for, beside its place first.
    fn write_waits(&mut self) -> Result<(), Fault> {
        let (Some((file, report)), Some(simulator)) = (&mut self.waits, &mut self.simulator) else {
            return Ok(());
        };
        simulator.add_waits(report);
        let mut part = file.as_os_str().to_owned();
        part.push(".part");
        let written =
            std::fs::write(&part, report.to_string()).and_then(|()| std::fs::rename(&part, &*file));
        written.map_err(|error| {
            configuration(&format!("{SIM_WAITS}: {} is not written: {error}", file.display()))
        })
    }
}

fn configuration(reason: &str) -> Fault {
    fault(FaultCategory::ConfigurationError, reason)
}

fn own_bug() -> Fault {
    fault(FaultCategory::AssertionFailure, "a bug of Hallmark's simulator; please report it")
}

#[expect(clippy::print_stdout, reason = "the ABI's errors are a line on standard output")]
fn end(clock: u64, function: &str, fault: &Fault) -> ! {
    use std::io::Write as _;
    println!("{}", error_line(clock, function, fault));
    // Nobody is left to tell that this failed.
    let _ = std::io::stdout().flush();
    // SAFETY: it takes the process down and touches nothing. `std::process::exit` would run the
    // client's exit handlers, which the ABI promises not to.
    unsafe { libc::_exit(1) }
}

/// Installs the callbacks by which the chip reaches host memory; before `libttsim_init`.
///
/// # Safety
/// Both transfer exactly `size` bytes and do not call back into the library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn libttsim_set_pci_dma_mem_callbacks(read: DmaRead, write: DmaWrite) {
    enter("libttsim_set_pci_dma_mem_callbacks", |library| {
        if library.simulator.is_some() {
            return Err(configuration("the simulator is already running"));
        }
        library.host.dma = Some((read, write));
        Ok(())
    });
}

/// Powers the chip on.
#[unsafe(no_mangle)]
pub extern "C" fn libttsim_init() {
    enter("libttsim_init", |library| {
        if library.simulator.is_some() {
            return Err(configuration("the simulator is already running"));
        }
        let architecture = std::env::var_os(SIM_ARCH);
        let harvesting = std::env::var_os(SIM_HARVESTING);
        let order = std::env::var_os(SIM_ORDER);
        let mut simulator = Simulator::power_on(Variables {
            architecture: architecture.as_deref(),
            harvesting: harvesting.as_deref(),
            order: order.as_deref(),
        })?;
        if library.waits.is_none() {
            let file = std::env::var_os(SIM_WAITS).map(PathBuf::from);
            library.waits = file.map(|file| (file, WaitReport::default()));
        }
        if library.waits.is_some() {
            simulator.add_waits(&mut WaitReport::default());
        }
        library.simulator = Some(simulator);
        Ok(())
    });
}

/// Takes the chip down.
#[unsafe(no_mangle)]
pub extern "C" fn libttsim_exit() {
    enter("libttsim_exit", |library| {
        let written = library.write_waits();
        match library.simulator.take() {
            Some(_) => written,
            None => Err(configuration("the simulator is not running")),
        }
    });
}

/// Reads a word of PCI configuration space; all ones for a device that there is not.
#[unsafe(no_mangle)]
pub extern "C" fn libttsim_pci_config_rd32(bus_device_function: u32, offset: u32) -> u32 {
    running("libttsim_pci_config_rd32", |simulator, _| {
        simulator.config_read(bus_device_function, offset)
    })
}

/// Reserved by the ABI.
#[unsafe(no_mangle)]
pub extern "C" fn libttsim_pci_config_wr32(_bus_device_function: u32, offset: u32, _data: u32) {
    running("libttsim_pci_config_wr32", |_, _| {
        Err::<(), _>(fault(
            FaultCategory::UnimplementedFunctionality,
            format!("a write to configuration space at {offset:#x}"),
        ))
    });
}

/// Reads from a base address register's memory.
///
/// # Safety
/// `target` is valid for writes of `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn libttsim_pci_mem_rd_bytes(paddr: u64, target: *mut c_void, size: u32) {
    running("libttsim_pci_mem_rd_bytes", |simulator, _| {
        if size == 0 || target.is_null() {
            return Err(fault(FaultCategory::UndefinedBehavior, "an access of no bytes"));
        }
        // SAFETY: the caller's promise. Any byte is a valid `u8`, but the client's may be
        // uninitialised, so they are given a value before a reference to them is made.
        let buffer = unsafe {
            std::ptr::write_bytes(target.cast::<u8>(), 0, size as usize);
            std::slice::from_raw_parts_mut(target.cast::<u8>(), size as usize)
        };
        simulator.memory_read(paddr, buffer)
    });
}

/// Writes to a base address register's memory.
///
/// # Safety
/// `source` is valid for reads of `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn libttsim_pci_mem_wr_bytes(paddr: u64, source: *const c_void, size: u32) {
    running("libttsim_pci_mem_wr_bytes", |simulator, _| {
        if size == 0 || source.is_null() {
            return Err(fault(FaultCategory::UndefinedBehavior, "an access of no bytes"));
        }
        // SAFETY: the caller's promise.
        let bytes = unsafe { std::slice::from_raw_parts(source.cast::<u8>(), size as usize) };
        simulator.memory_write(paddr, bytes)
    });
}

/// Moves time.
#[unsafe(no_mangle)]
pub extern "C" fn libttsim_clock(clocks: u32) {
    running("libttsim_clock", |simulator, host| simulator.clock_by(clocks, host));
}

/// Refused, as the ABI says for chips with base address registers.
///
/// # Safety
/// Nothing is accessed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn libttsim_tile_rd_bytes(
    _x: u32,
    _y: u32,
    _address: u64,
    _target: *mut c_void,
    _size: u32,
) {
    refuse_tile_access("libttsim_tile_rd_bytes");
}

/// Refused, as the ABI says for chips with base address registers.
///
/// # Safety
/// Nothing is accessed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn libttsim_tile_wr_bytes(
    _x: u32,
    _y: u32,
    _address: u64,
    _source: *const c_void,
    _size: u32,
) {
    refuse_tile_access("libttsim_tile_wr_bytes");
}

/// Says what a range of a tile's memory is for from now on: not of Tenstorrent's ABI. From the first call on races are
/// found.
///
/// `x` and `y` name the tile as requests on NoC 0 do; `start` and `length` are in bytes, inside the tile. `meaning` is
/// 0 for memory that was given back, 1 for a buffer, 2 for a semaphore, 3 for a mailbox, 4 for a circular buffer, 5
/// for code. Memory that is given back or becomes a buffer holds nothing until it is written. To be called while no
/// program runs.
#[unsafe(no_mangle)]
pub extern "C" fn hallmark_annotate(x: u32, y: u32, start: u64, length: u64, meaning: u32) {
    running("hallmark_annotate", |simulator, _| simulator.annotate((x, y), start, length, meaning));
}

/// States the kernels of a program: not of Tenstorrent's ABI. Its launches are found by the messages in L1 that the
/// client's firmware reads. runtime/README.md lists what is then checked.
///
/// `text` is a [`StatedProgram`](hallmark_chip::StatedProgram) as JSON. A program that was stated before is stated anew. To
/// be called while no program runs.
///
/// # Safety
/// `text` is valid for reads of `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hallmark_state_program(text: *const u8, length: usize) {
    running("hallmark_state_program", |simulator, _| {
        if text.is_null() {
            return Err(configuration("a statement without a text"));
        }
        // SAFETY: the caller's promise.
        let text = unsafe { std::slice::from_raw_parts(text, length) };
        simulator.state_program(text)
    });
}

/// Writes the report of waits to the file that `HALLMARK_SIM_WAITS` names, if it does: for a client that ends its process
/// without `libttsim_exit`.
#[unsafe(no_mangle)]
pub extern "C" fn hallmark_write_waits() {
    enter("hallmark_write_waits", Library::write_waits);
}

fn refuse_tile_access(function: &str) {
    running(function, |_, _| {
        Err::<(), _>(fault(
            FaultCategory::UnsupportedFunctionality,
            "tiles are reached through the base address registers",
        ))
    });
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::channel;

    use super::*;

    fn passed<T>(result: Result<T, Failed>) -> T {
        result.unwrap_or_else(|failed| panic!("{}", failed.fault.reason))
    }

    #[test]
    fn calls_of_threads_wait_for_one_another() {
        let is_done = AtomicBool::new(false);
        let (inside, entered) = channel();
        std::thread::scope(|scope| {
            let (ended, is_done) = (&is_done, &is_done);
            scope.spawn(move || {
                passed(in_turn(|_| {
                    inside.send(()).unwrap();
                    // The other thread is called meanwhile; it cannot be seen to wait.
                    std::thread::yield_now();
                    ended.store(true, Ordering::SeqCst);
                    Ok(())
                }));
            });
            entered.recv().unwrap();
            assert!(passed(in_turn(|_| Ok(is_done.load(Ordering::SeqCst)))));
        });
    }

    #[test]
    fn a_call_by_a_callback_is_refused() {
        let inner = passed(in_turn(|_| Ok(in_turn(|_| Ok(())))));
        let Err(Failed { clock, fault, guard: None }) = inner else { panic!() };
        assert_eq!((clock, fault.category), (0, FaultCategory::ConfigurationError));
        assert_eq!(fault.reason, "called by a callback of another call");
        // The next call is a call of its own.
        passed(in_turn(|_| Ok(())));
    }
}
