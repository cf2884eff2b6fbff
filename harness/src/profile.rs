//! Where time went: what a replay worker notes of calls and launches, as a table of operations. An *operation* is one
//! enqueued program, or one program of a replayed trace.
//!
//! The table has the columns that TT-Metalium's tools write, under their names and in their order
//! ([`columns`]). A column that a device cannot fill is empty. Durations of a simulator are ticks: the columns in
//! nanoseconds are empty unless somebody says how many ticks a second has.

pub mod columns;
pub mod comparison;
pub mod csv;
pub mod device_log;
pub mod operation;
mod own_lines;
pub mod page;
pub mod queues;
pub mod summary;
pub mod timeline;
pub mod zones;
