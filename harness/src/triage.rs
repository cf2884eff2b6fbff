//! From "it broke" to the first bad command: what failures are, who is asked whether a capture still fails, and where a bad
//! executor leaves the way of a good one.

mod at_once;
pub mod bisect;
pub mod board;
mod defects;
pub mod first_bad;
pub mod log;
pub mod parts;
pub mod probe;
pub mod reduce;
mod root_buffer;
pub mod seeds;
pub mod smallest_test;
pub mod sought_failure;
pub mod stopped;
pub mod tick_budget;
pub mod versions;

pub use self::defects::DEFECTS;
