//! Tensors that live on the host or on a device; [`Stitching::to_layout`], which brings the content of one into another,
//! between types, layouts and memories; and [`Stitching::submit`], which runs a [`Binary`] with tensors for its inputs.
//! Events say what comes after what.
//!
//! Each step is one of the calls that host programs make (`CreateBuffer`, `EnqueueWriteBuffer`, `EnqueueReadBuffer`,
//! events), so that a capture of it is as every other capture. The host converts; see `hallmark_tensor` for the bytes.
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
pub use order::Order;
pub use planned::{PlannedCalls, PlannedName};
pub use refusal::RefusalKind;
pub use stitching::Stitching;
pub use submission::Loaded;
pub use tensors::Tensor;
