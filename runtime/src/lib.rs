//! The TT-Metalium host API in Rust's idiom, its recorder and replayer. [`hallmark_engine`] does the work of the
//! calls. This crate re-exports the items of that crate, of [`device_code`] and of [`devices`] that users of the API
//! need.
//!
//! ```
//! use std::sync::Arc;
//!
//! use hallmark_chip::Architecture;
//! use hallmark_runtime::device_code::FirmwareBundle;
//! use hallmark_runtime::{
//!     BufferConfig, CaptureOptions, CommandQueue, Device, DeviceOptions, DeviceSettings, NoKernels,
//!     ReplayOptions, open_device, replay,
//! };
//! use hallmark_schema::model::{BufferType, Expectation};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let spec = "sim:wormhole_b0".parse()?;
//! let firmware = Arc::new(FirmwareBundle::builtin(Architecture::WormholeB0)?);
//! let options = DeviceOptions::new(Arc::clone(&firmware), Box::new(NoKernels));
//! let mut device = Device::open(open_device(&spec, DeviceSettings::default())?, options)?;
//! device.begin_capture(&CaptureOptions::default())?;
//! let (size, page_size) = (4096, 1024);
//! let config = BufferConfig::interleaved("b", BufferType::Dram, size, page_size);
//! let buffer = device.create_buffer(&config)?;
//! device.enqueue_write_buffer(CommandQueue::FIRST, buffer, &[7; 4096][..], false)?;
//! let expectation = Expectation::AsCaptured;
//! let read =
//!     device.enqueue_read_buffer(CommandQueue::FIRST, buffer, "out", expectation, true)?;
//! assert_eq!(device.take_read(read).map(|read| read.bytes.len()), Some(4096));
//! let capture = device.end_capture()?;
//! device.close()?;
//!
//! let again = open_device(&spec, DeviceSettings::default())?;
//! assert!(replay(&capture, again, &ReplayOptions::new(firmware))?.agrees());
//! # Ok(())
//! # }
//! ```
//!
//! # Traces as bytes
//!
//! `Device::collect_trace` gives a trace as bytes with a table of relocations ([`CollectedTrace`]).
//! `Device::load_trace` takes such bytes with other addresses, in another process, and on chips with
//! another harvesting mask, grid or dispatch row if these have the trace's cores. Bytes of another
//! architecture or firmware, damaged bytes, missing cores and missing symbols are refused by name
//! ([`LoadTraceError`]).
//!
//! In a capture's program a trace is the calls that made it; its bytes are a blob of the record. A replay
//! loads the bytes where chip and firmware are those of the record, and otherwise makes the trace by its
//! calls. While a capture is under way, bytes that were not collected in it are refused: nothing in the
//! capture would say what they hold.
//!
//! # Host, recorder, replayer
//!
//! Device code, devices and engine are crates of their own, so that the compiler enforces what they may know. Host,
//! recorder and replayer stay one crate: a call's error holds the recorder's error, the recorder is inside the host,
//! and the replayer reads values that the host shows to no other module, its next ids and the reason why it stopped.
//!
//! The recorder is at the edge of the host API. It writes each command to a memory-mapped journal before the command
//! runs. A process that survives a crash, a fault or a kill turns the journal into a capture.
//!
//! A program that ends a capture drains the queues first ([`Device::drain`]): work for which no call waits is done, and its end is
//! a field of the record, not of the program.
//!
//! # Host and engine
//!
//! A call becomes work in the host, which needs no device, and the engine has a chip do the work. The host is made of
//! parts that each own their fields; `host.rs` lists them. A modelled chip has a host alone: its calls are checked, placed
//! and recorded, and its work is not done. [`hallmark_engine`] says how work is done and dispatched.
//!
//! No rule of the host depends on the dispatch mode: grid, banks, addresses, program bytes and refusals are the same in
//! both modes. The row or column of dispatch tiles lies outside the compute grid in both. Only the record of a capture
//! names the mode. The host hands launches on assembled, with the order that queues and events give them; it waits for a
//! queue only where a call asks for that.
//!
//! Pages of interleaved L1 lie where TT-Metalium puts them: [`hallmark_chip`] computes the order of the banks. A
//! capture's record names the order (`l1_bank_order`). A replay takes that order, and row by row where the record names
//! none.
//!
//! # Checks and captures
//!
//! A capture's record names the kinds of faults that its writer's release looked for (`checks`). A replay may find a fault
//! of a kind that is not among them. The finding is a note and no difference ([`NewerFinding`]): the replay ends there, and
//! what came before is compared. Where the capture holds a fault of the same program under a kind that the new one says
//! more exactly, the two count as the same. The device does not decide: a check that the device of a capture lacks is as
//! old as the release, so that a replay on a device with more checks finds a difference.
//!
//! # Replays on other chips
//!
//! One place decides whether a capture can be replayed on another chip: `replayer/assess.rs`. There the host API itself
//! makes the capture's calls on a modelled chip, so no rule of the host API is written twice. Facts that no call shows
//! (kernels without an ELF, numbers that hold on one chip alone) have a `Reason` of their own.
//!
//! # Layers
//!
//! A module knows only modules further down in this list, which `runtime/tests/layers.rs` reads (`scripts/layers/` says
//! how):
//!
//! 1. `replayer`: makes the calls of a capture, on a device or on a modelled chip
//! 2. `host`: the host API; `Device`, objects, rules, and the work that calls become
//! 3. `error`: what a call can fail with
//! 4. `recorder`: the capture under way
//! 5. `kernel_library`: where kernels come from
//! 6. `payload`, `mapped_file`, `defects`: helpers that know none of the others

mod defects;
mod error;
mod host;
mod kernel_library;
mod mapped_file;
mod payload;
mod recorder;
mod replayer;

pub use devices::{
    DeviceSettings, DeviceSpec, OpenDeviceError, ParseDeviceSpecError, SIMULATED_ARCHITECTURES,
    SettingError, SimulatorSettings, open_device,
};
pub use error::{
    ArgumentError, ArgumentProblem, CallError, CallWarning, HostError, StoppedBeforeAnyProgram,
};
pub use hallmark_device_code as device_code;
pub use hallmark_devices as devices;
pub use hallmark_engine::addresses::{BankNumbers, page_mapping};
pub use hallmark_engine::{
    BufferBytes, CompletedRead, DispatcherProfile, Dispatching, DispatchingSpan, EventProfile,
    InternalError, Interval, LastWrite, LaunchProfile, Leftover, LineProfile, MarkedPlace,
    MovePlan, MovedPiece, PlannedBinary, PlannedCircularBuffer, PlannedLaunch, PlannedSemaphore,
    PlannedTile, ProcessorMarkers, ProcessorProfile, QueueDispatcher, QueuesProfile, ReplayProfile,
    ReplayedProcessor, Stop, StopCause, TraceReplay, WaitProfile, ZoneProfile, ZoneTotal,
    chip_access, usable_dispatch_settings,
};
pub use hallmark_metalium as metalium;
pub use hallmark_schema::model::{DispatchSettings, Printed};
pub use host::allocator;
pub use host::{
    Argument, Buffer, BufferConfig, ByteLocation, CallData, CaptureGuard, CircularBuffer,
    CircularBufferConfig, CollectedTrace, CommandQueue, Device, DeviceOptions, Drained, Event,
    GlobalSemaphore, GlobalSemaphoreConfig, GridAsked, Kernel, KernelDescription, LiveBuffer,
    LoadTraceError, OpenError, Program, Read, Semaphore, SemaphoreConfig, SemaphoreMemory,
    TICK_BUDGET, TensorAccessorArgs, Trace, TraceBytesError, TraceDescription, UnplacedSymbol,
    WriteData, refusals_of, semaphore_number,
};
pub use kernel_library::{
    CapturedKernels, CapturedKernelsError, KernelBinaries, KernelLibrary, KernelProblem,
    KernelRequest, NoKernels, SuiteKernels,
};
pub use recorder::{CaptureError, CaptureOptions};
pub use replayer::{
    DerivedDifference, FoundKernels, MetaliumPhase, MetaliumReplay, MetaliumReplayError, Moved,
    NewerFinding, Portability, REPLAY_CHECKS, Reason, ReplayError, ReplayMismatch, ReplayObserver,
    ReplayOptions, ReplayReport, ReplayTarget, TileCoordinates, assess, captured_kernels,
    find_kernels, lacks_kernels, profiled_kernels, replay, replay_observed, replay_on_metalium,
};

/// The deliberate defects of this crate, and of device code and engine below it: see [`hallmark_chip::sabotage`].
pub const DEFECTS: [&[hallmark_chip::sabotage::PlantedDefect]; 3] =
    [defects::DEFECTS, device_code::DEFECTS, hallmark_engine::DEFECTS];
