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
//! The Tensix coprocessor is a crate of its own, `hallmark_tensix`, which `machine/tile/coprocessor.rs` connects with a
//! tile: what cores push is executed at once in the schedule of seed 0, and in the thread's turn otherwise.
//!
//! The folder `machine` is the chip: `core` (the instructions of baby cores and their data cache), `tile` (registers,
//! resets, how a tile's cores take turns), `noc` (requests and their delivery), `memory` (L1, DRAM, the bytes that were
//! never written), and the scheduler that moves time. The files of `observers` listen to the machine: races, unwritten
//! memory, footprints, activity, the last writer of a byte. An observer knows the machine; the machine knows only the
//! trait `Observer`.
//!
//! A new observer is a module in `observers`, which implements `Observer`, and its line of the list in `observers.rs`.
//! Observers that look at each load and store of a core take part in `InstructionObserver` there, for which the
//! interpreter is compiled. Unwritten memory does not listen yet: what it knows of memories, registers and requests
//! is still kept by the machine (`memory/poison.rs`, `core/taint.rs`, `tile/unknown.rs`).
//!
//! # Layers
//!
//! A module knows only the layers below its own (`tests/layers.rs`).
//!
//! 1. `device`: the chip as a PCIe device
//! 2. `chip`: a machine and all its observers
//! 3. `unit_waits`: the waits for the coprocessor's units, as the device tells of them
//! 4. `observers`: who listens
//! 5. `machine`: the hardware, and the trait `Observer`
//! 6. `options`, `quick_hash`: what a chip is asked to be, and a helper
//!
//! # Waits
//!
//! A deadlock is reported and then explained: [`hallmark_chip::PciDevice::awaited`] says what would end each wait. The
//! simulator follows the core's loop once more (`machine/tile/awaited.rs`) and says nothing if it does not understand the loop.

mod chip;
mod device;
mod machine;
mod observers;
mod options;
mod quick_hash;
mod unit_waits;

pub use chip::Chip;
pub use device::SimulatedDevice;
pub use machine::defects::{DEFECTS, WRONG_INSTRUCTIONS};
pub use machine::{ARCHITECTURES, HostMemory};
pub use options::{SimulatorError, SimulatorOptions};
