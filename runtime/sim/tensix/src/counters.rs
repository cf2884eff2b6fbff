//! The counters by which instructions address registers.

mod read_write;

pub use read_write::{AddressModifier, Counter, ReadWriteCounters};
