//! Where buffers lie: banks, the free space in them, and the pages of a buffer over them. All of it
//! follows from calls and the chip's description, so that it is computed without a device.

pub mod allocator;
mod banks;
mod extent;
pub mod page_mapping;

pub(crate) use self::banks::{Bank, Banks};
pub(crate) use self::extent::BufferExtent;
