//! The TT-Metalium host API in Rust's idiom, its recorder and replayer, and everything between it and
//! the PCIe device.

pub mod device_code;
pub mod devices;
