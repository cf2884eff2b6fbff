//! The counters by which instructions address registers and memory.

pub(crate) mod address;
mod read_write;

pub use read_write::{AddressModifier, Counter, ReadWriteCounters};
