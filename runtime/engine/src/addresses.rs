//! Where the bytes of buffers lie: banks, and the pages of a buffer over them. All of it follows from
//! calls and the chip's description, so that it is computed without a device.

mod bank_numbers;
mod banks;
mod extent;
pub mod page_mapping;

pub use self::bank_numbers::BankNumbers;
pub use self::banks::{Bank, Banks};
pub use self::extent::{BufferExtent, Placement};
