//! What corrupt files, full disks and killed processes do: one clear error each, and nothing lost.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a failing helper fails its test, and counts are printed"
)]

mod common;
mod corrupt_captures;
mod corrupt_goldens;
mod endings;
mod hostile_files;
mod isolation;
mod killed_runs;
mod killed_workers;
