//! What the host API promises on every device, whatever firmware runs there: firmware that offers less is
//! refused, and what it offers beyond is not used, so that the same calls have the same outcomes.

pub use hallmark_schema::limits::RUNTIME_ARGUMENTS;

/// Semaphores of a core (tt-metal `NUM_SEMAPHORES`).
pub const SEMAPHORES: u32 = 16;
