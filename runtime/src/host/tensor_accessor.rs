use hallmark_chip::ChipDescription;
use hallmark_schema::model::{BufferType, Failure};

use super::Buffer;
use crate::Device;
use crate::allocator::page_stride;

/// What a kernel's `TensorAccessorArgs` reads from the compile-time arguments for an interleaved
/// buffer (tt-metal `tensor_accessor_args.cpp`: one word of flags, then the aligned page size).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorAccessorArgs {
    flags: u32,
    aligned_page_size: u32,
}

/// `ArgConfig::IsDram` of tt-metal's `tensor_accessor_args.hpp`.
const IS_DRAM: u32 = 1 << 1;

impl TensorAccessorArgs {
    /// The arguments for a buffer.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`] or [`Failure::ReleasedObject`].
    pub fn new(device: &Device, buffer: Buffer) -> Result<Self, Failure> {
        let extent = &device.buffer(buffer.id())?.extent;
        Ok(Self::interleaved(device.description(), extent.buffer_type, extent.page_size))
    }

    /// The arguments for an interleaved buffer on a chip, known before there is one.
    pub fn interleaved(chip: &ChipDescription, buffer_type: BufferType, page_size: u64) -> Self {
        let flags = match buffer_type {
            BufferType::Dram => IS_DRAM,
            BufferType::L1 => 0,
        };
        // Pages lie in 32-bit memories: a larger one cannot be allocated.
        let stride = page_stride(chip, buffer_type, page_size);
        let aligned_page_size =
            stride.and_then(|stride| u32::try_from(stride).ok()).unwrap_or(u32::MAX);
        Self { flags, aligned_page_size }
    }

    /// The words to append to a kernel's compile-time arguments.
    pub const fn compile_args(self) -> [u32; 2] {
        [self.flags, self.aligned_page_size]
    }
}
