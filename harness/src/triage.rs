//! From "it broke" to the first bad command: what failures are, and who is asked whether a capture still fails.

pub mod log;
pub mod probe;
pub mod signature;
