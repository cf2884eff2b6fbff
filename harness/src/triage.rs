//! From "it broke" to the first bad command: what failures are, who is asked whether a capture still fails, and where a bad
//! executor leaves the way of a good one.

pub mod bisect;
pub mod first_bad;
pub mod log;
pub mod probe;
pub mod reduce;
pub mod signature;
pub mod versions;
