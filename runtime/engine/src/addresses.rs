//! The places of buffers: banks, and the pages of a buffer over them. They follow from calls and the chip's
//! description, so that they are computed without a device.

mod bank_numbers;
mod banks;
mod described;
mod extent;
pub mod page_mapping;
mod runs;

pub use self::bank_numbers::BankNumbers;
pub use self::banks::{Bank, Banks};
pub use self::described::described;
pub use self::extent::{BufferExtent, Placement};
pub(crate) use self::runs::{HostPages, Run, footprint, runs, runs_in};
