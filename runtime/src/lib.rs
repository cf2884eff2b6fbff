//! The TT-Metalium host API in Rust's idiom, its recorder and replayer, and everything between it and
//! the PCIe device.

pub mod allocator;
mod capture;
pub mod chip_access;
mod device;
pub mod device_code;
pub mod devices;
mod dispatch;
mod error;
mod host;
mod kernel_library;
mod mapped_file;
mod queue;
mod recorder;
mod replayer;

pub use capture::CaptureGuard;
pub use device::{Device, DeviceOptions, GridAsked, OpenError, Stop};
pub use devices::{DeviceSettings, DeviceSpec, OpenDeviceError, ParseDeviceSpecError, open_device};
pub use error::{ArgumentError, CallError, HostError, InternalError};
pub use host::{
    Argument, Buffer, BufferConfig, ByteLocation, CircularBuffer, CircularBufferConfig,
    CommandQueue, CompletedRead, Kernel, KernelDescription, Program, Read, Semaphore,
    SemaphoreConfig, TensorAccessorArgs, WriteData,
};
pub use kernel_library::{
    KernelBinaries, KernelLibrary, KernelProblem, KernelRequest, NoKernels, SuiteKernels,
};
pub use recorder::{CaptureError, CaptureOptions};
pub use replayer::{
    DerivedDifference, ReplayError, ReplayMismatch, ReplayOptions, ReplayReport, replay,
};
