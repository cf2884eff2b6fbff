//! Profiles: the time that calls and launches took. A profile is a table of operations, made from the notes of a replay
//! worker (`harness/execution/src/worker/profile.rs`). An *operation* is one enqueued program, or one program of a replayed trace. The notes
//! say how long each call took, and the engine sums up the cores' activity during each launch
//! (`runtime/engine/src/observation.rs`).
//!
//! The table has the columns that TT-Metalium's tools write, under their names and in their order. [`columns`] is the
//! one table of these columns; the file and `--columns` follow from it. A column that a device cannot fill is empty.
//! Durations of a simulator are ticks: the columns in nanoseconds are empty unless the user says how many ticks a
//! second has.
//!
//! [`queues`] finds out when queues wrote and read, and what their dispatchers did meanwhile
//! (`runtime/engine/src/profile/queues.rs`). [`timeline`] draws the same operations for Perfetto; `timeline/trace.rs`
//! holds the messages of Perfetto's schema.
//!
//! Markers need builds of their own. `harness/pipeline/src/markers.rs` asks for them, `runtime/firmware/profiler/` holds the code
//! that writes them, `runtime/device-code/src/profiler_abi.rs` says where their words lie, and
//! `runtime/engine/src/observation/markers.rs` assigns them to launches.

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
