//! Executors and their worker processes: they make the calls of a test or of a capture on a device.
//!
//! [`executor`] reads executors as users write them. [`worker`] holds the jobs, the processes that open devices, and the
//! files between a process and its parent. [`devices`] and [`applicability`] say which tests a device can run.
//!
//! # Layers
//!
//! A module knows only the modules of the layers below its own; `tests/layers.rs` checks that.
//!
//! 1. `applicability`: whether a test applies to a device
//! 2. `executor`: a device with its settings, or another release, as users write it
//! 3. `worker`: the processes that open devices, and the files between them and their parent
//! 4. `devices`, `interrupt`, `parallel`, `whole_file`, `whole_folder`: facts of devices, signals, threads, files

pub mod applicability;
pub mod devices;
pub mod executor;
pub mod interrupt;
pub mod parallel;
pub mod whole_file;
pub mod whole_folder;
pub mod worker;
