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
//! # Machine and observers
//!
//! The folder `machine` is the chip: `core` (the instructions of baby cores and their data cache), `tile` (registers,
//! resets, how a tile's cores take turns), `noc` (requests and their delivery), `memory` (L1, DRAM, the bytes that were
//! never written), and the scheduler that moves time. The files of `observers` listen to the machine: races, unwritten
//! memory, footprints, activity, the last writer of a byte. An observer knows the machine; the machine knows only the
//! trait `Observer`.
//!
//! # Waits
//!
//! A deadlock is reported and then explained: [`hallmark_chip::PciDevice::awaited`] says what would end each wait. The
//! simulator follows the core's loop once more (`machine/tile/awaited.rs`) and says nothing if it does not understand the loop.

mod chip;
mod defects;
mod device;
mod machine;
mod observers;
mod quick_hash;

pub use chip::Chip;
pub use defects::{DEFECTS, WRONG_INSTRUCTIONS};
pub use device::{SimulatedDevice, SimulatorError, SimulatorOptions};
pub use machine::HostMemory;

/// The chips that are simulated. [`hallmark_chip::ChipDescription`] may have tables of more.
pub const ARCHITECTURES: &[hallmark_chip::Architecture] = &[
    hallmark_chip::Architecture::Grayskull,
    hallmark_chip::Architecture::WormholeB0,
    hallmark_chip::Architecture::Blackhole,
];
