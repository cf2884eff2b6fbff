//! A Tenstorrent chip in software, behind the same [`hallmark_chip::PciDevice`] as silicon.
//!
//! It is functional and strict: it computes what the hardware computes, and answers with a
//! [`hallmark_chip::Fault`] where the hardware's documentation leaves the result open. Documents are
//! named relative to `WormholeB0/` or `BlackholeA0/` of `tenstorrent/tt-isa-documentation`.
//!
//! Memory that nobody wrote, and memory that was given back, is poison: cores and NoC may carry it
//! anywhere, but once it decides a branch, an address, a register of a device or an atomic, that is a
//! fault which names where it came from.
//!
//! Time is a count of ticks, moved by [`hallmark_chip::PciDevice::advance`] alone. The same calls with
//! the same [`SimulatorOptions`] give the same results on every machine.
//!
//! # Waits
//!
//! A deadlock is reported and then explained: [`hallmark_chip::PciDevice::awaited`] says what would end each wait. The
//! simulator follows the core's loop once more (`tile/awaited.rs`) and says nothing if it does not understand the loop.

mod activity;
mod address_translation;
mod arc;
mod bars;
mod chip;
mod coordinates;
mod core;
mod defects;
mod device;
mod ethernet;
mod fault;
#[cfg(test)]
mod limit_tests;
mod memory;
mod noc;
mod poison;
mod quick_hash;
mod races;
mod scheduler;
mod tile;
mod watched_bytes;

pub use chip::{Chip, HostMemory};
pub use defects::{DEFECTS, WRONG_INSTRUCTIONS};
pub use device::{SimulatedDevice, SimulatorError, SimulatorOptions};

/// The chips that are simulated. [`hallmark_chip::ChipDescription`] may have tables of more.
pub const ARCHITECTURES: &[hallmark_chip::Architecture] = &[
    hallmark_chip::Architecture::Grayskull,
    hallmark_chip::Architecture::WormholeB0,
    hallmark_chip::Architecture::Blackhole,
];
