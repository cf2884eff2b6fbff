//! Tensors on the host or on a device; [`Stitching::to_layout`], which transfers content between tensors of
//! different types, layouts and memories; and [`Stitching::submit`], which runs a [`Binary`] with tensors as
//! its inputs. Events order the work.
//!
//! # Binaries
//!
//! A [`Binary`] is a list of calls that make and enqueue programs, with free buffers for inputs and outputs. It
//! is a capture with `free_tensors` ([`Binary::from_capture`], [`Binary::declare`]), so that a compiler can
//! write one:
//!
//! - *Calls*, all recorded as done: `create_buffer` for each input and output and for the binary's own memory,
//!   `create_program`, `create_kernel`, `create_circular_buffer`, `create_semaphore`, arguments, writes of
//!   constants into the binary's own memory, and `enqueue_program`. No call blocks, waits, reads or frees.
//!   Addresses in arguments are relocations, never numbers.
//! - *Tensors*: for each input, then for each output, its name, shape, format and tile, and its buffer in the
//!   calls. Size, pages, memory and shards of that buffer are those of the tensor's pages
//!   ([`hallmark_tensor::TensorPages`]), and no call uses the buffer's content.
//! - *Record and blobs*: the sources of kernels and their ELFs, for one architecture, and the bytes of
//!   constants without a generator. Kernels without ELFs are taken from another library.
//!
//! A program without a writer of its own makes the calls between `begin_capture` and `end_capture`, for
//! instance on [`Device::modelled`](hallmark_runtime::Device::modelled), and declares the tensors. The
//! submitting device is opened with [`CapturedKernels`](hallmark_runtime::CapturedKernels) of the captures:
//!
//! ```no_run
//! # use hallmark_runtime::{CapturedKernels, NoKernels};
//! # use hallmark_schema::model::Capture;
//! # use hallmark_stitching::Binary;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let capture = Capture::from_bytes(&std::fs::read("add.lmb")?)?;
//! let mut kernels = CapturedKernels::before(Box::new(NoKernels));
//! kernels.add(&capture)?;
//! let add = Binary::from_capture("add", &capture)?;
//! // `DeviceOptions::new(firmware, Box::new(kernels))`, then `Stitching::load(add)` and `Stitching::submit`.
//! # Ok(())
//! # }
//! ```
//!
//! # Tensors
//!
//! Each step becomes ordinary host API calls (`CreateBuffer`, `EnqueueWriteBuffer`, programs, events), so its
//! capture is an ordinary capture. The host or the device's own cores convert ([`Converter`]);
//! `hallmark_tensor` documents the bytes.
//!
//! ```
//! use std::sync::Arc;
//!
//! use hallmark_runtime::device_code::FirmwareBundle;
//! use hallmark_runtime::{CommandQueue, Device, DeviceOptions, DeviceSettings, NoKernels, open_device};
//! use hallmark_schema::model::BufferType;
//! use hallmark_stitching::{Order, Stitching};
//! use hallmark_tensor::{DataType, Layout, MemoryConfig, Shape, TensorSpec, TileShape};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let spec = "sim:wormhole_b0".parse()?;
//! # let firmware = Arc::new(FirmwareBundle::builtin(hallmark_chip::Architecture::WormholeB0)?);
//! # let options = DeviceOptions::new(firmware, Box::new(NoKernels));
//! # let device = Device::open(open_device(&spec, DeviceSettings::default())?, options)?;
//! let mut stitching = Stitching::new(device);
//! let shape = Shape::new(&[2, 4])?;
//! let data: Vec<u8> = (1..=8_u32).flat_map(u32::to_le_bytes).collect();
//! let rows = stitching.create_tensor("rows", data, &shape, &[4, 1], 4, DataType::Uint32)?;
//! // Tiles of 16 bits in DRAM.
//! let tiles = TensorSpec::new(shape.clone(), DataType::Uint16, Layout::Tile(TileShape::FULL))?;
//! let memory = MemoryConfig::interleaved(BufferType::Dram);
//! let there = stitching.allocate_device("tiles", tiles, &memory)?;
//! let back = stitching.allocate_host("back", TensorSpec::new(shape, DataType::Int32, Layout::RowMajor)?);
//! let order = Order::on(CommandQueue::FIRST);
//! let written = stitching.to_layout(there, rows, order)?;
//! let read = stitching.to_layout(back, there, order.after(&[written]))?;
//! stitching.wait(read)?;
//! assert_eq!(stitching.content(back)?.value(&[1, 3])?, 8.0);
//! # Ok(())
//! # }
//! ```
//!
//! # Who makes the calls
//!
//! Tensors are no part of a capture. Each operation on tensors becomes calls of the host API, through [`HostCalls`]. A
//! `Device` makes those calls at once. [`PlannedCalls`] writes them down for later: so the tensor steps of a suite
//! (`harness/suite/src/bind/tensors.rs`) become the calls of a test, and their ids, names and data are known before the
//! run. Data that the host converts must therefore be known before the run, or the program's data would depend on the
//! device. `PlannedCalls` keeps the content of each buffer, and a suite states the output of its binaries.
//!
//! `hallmark_tensor` alone decides the bytes of conversions. The kernel by which a device converts
//! (`runtime/firmware/kernels/to_layout.cpp`) gets the places of elements from `on_device.rs`. The report draws a
//! tensor that differs (`harness/pipeline/src/tensor_difference.rs`).
//!
//! # Binaries as captures
//!
//! `binary.rs` says which calls a binary may hold, makes a [`Binary`] of a capture and checks its pages. A compiler
//! writes such captures, and `hallmark capture TEST --binary NAME` writes one of a suite. A replay refuses binaries
//! (`ReplayError::Binary`), because their inputs are given only by the caller who submits them.

mod binary;
mod calls;
mod captured;
mod defects;
mod error;
mod on_device;
mod order;
mod planned;
mod refusal;
mod stitching;
mod submission;
mod tensors;

pub use binary::{Binary, BinaryProblem, BinaryTensor};
pub use calls::{Held, HostCalls, ReadContent};
pub use captured::BinaryError;
pub use defects::DEFECTS;
pub use error::{OtherTensor, StitchingError, TensorProperty};
pub use hallmark_schema::model::TensorRole;
pub use on_device::{Placed, on_device};
pub use order::{Converter, Order};
pub use planned::{PlannedCalls, PlannedName};
pub use refusal::RefusalKind;
pub use stitching::Stitching;
pub use submission::Loaded;
pub use tensors::Tensor;
