//! Devices behind [`hallmark_chip::PciDevice`] that are not a crate of their own.

pub mod ttsim;
