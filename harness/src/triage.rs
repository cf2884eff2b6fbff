//! From "it broke" to the first bad command: what failures are.

pub mod signature;
