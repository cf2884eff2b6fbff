//! The limits that the host API promises on every device with any firmware. Firmware with smaller limits is
//! refused, and larger limits are not used, so that the same calls have the same outcomes.

pub use hallmark_schema::limits::RUNTIME_ARGUMENTS;

/// Semaphores of a core (tt-metal `NUM_SEMAPHORES`).
pub const SEMAPHORES: u32 = 16;
