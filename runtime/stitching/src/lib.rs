//! Tensors that live on the host or on a device; [`Stitching::to_layout`], which brings the content of one into another,
//! between types, layouts and memories; and [`Stitching::submit`], which runs a [`Binary`] with tensors for its inputs.
//! Events say what comes after what.
//!
//! # Binaries
//!
//! A [`Binary`] is calls that make programs and enqueue them, in which the buffers of inputs and outputs are free. It is
//! a capture with `free_tensors` ([`Binary::from_capture`], [`Binary::declare`]), so that a compiler can write one:
//!
//! - *Calls*, all recorded as done: `create_buffer` for each input and output and for memory of the binary's own,
//!   `create_program`, `create_kernel`, `create_circular_buffer`, `create_semaphore`, arguments, writes of constants into
//!   memory of its own, and `enqueue_program`. None is blocking, waits, reads or frees anything. Addresses in arguments
//!   are relocations, and never numbers.
//! - *Tensors*: of each input, then of each output, its name, shape, format and tile, and the buffer that stands for it.
//!   Size, pages, memory and shards of that buffer are those of the tensor's pages ([`hallmark_tensor::TensorPages`]),
//!   and no call uses what the buffer holds.
//! - *Record and blobs*: the sources of kernels and their ELFs, for one architecture, and the bytes of constants that no
//!   generator makes. Kernels without ELFs are looked for elsewhere.
//!
//! Whoever does not write these bytes by other means makes the calls under `begin_capture` and `end_capture`, on
//! [`Device::modelled`](hallmark_runtime::Device::modelled) if need be, and declares the tensors. The device that submits
//! is opened with [`CapturedKernels`](hallmark_runtime::CapturedKernels) of the captures:
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
//! Each step becomes calls that host programs make (`CreateBuffer`, `EnqueueWriteBuffer`, programs, events), so that a
//! capture of it is as every other capture. The host converts, or the device's own cores do ([`Converter`]); see
//! `hallmark_tensor` for the bytes.
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
