//! The capture format: what a host program asked of a device and what came of it.
//!
//! [`model`] holds the vocabulary as Rust values. Everything else here turns it into bytes or text
//! and back.

pub mod model;
