//! One test from its suite to its verdict: capture, expectations, bytes, golden, replay in a fresh process, comparison.
//!
//! # Captured failures
//!
//! A replay that agrees with its capture succeeds only if the captured run succeeded. A read that misses the program's
//! expectation, a fault, a deadlock, a hang or a lost device ends `hallmark replay` with the exit code of that verdict,
//! unless `--as-captured` asks for the repetition alone ([`captured_failure`]). Faults that a suite expects stand in
//! the record (`expected_faults`); a capture without that field expects none.
//!
//! # Words for failures
//!
//! `waits.rs` puts into words what the cores of a deadlock wait for. A fault names memory by tile and address;
//! `memory_names.rs` is the one place that finds the buffer, circular buffer or semaphore there. [`signatures`] makes
//! the signature of a failure from the files that workers leave. `tensor_difference.rs` draws a tensor that differs.
//!
//! # Work for other commands
//!
//! [`markers`] builds firmware and kernels with markers for a replay that is profiled, and [`profiled`] keeps the notes
//! of each replay that `hallmark profile -- COMMAND` starts. `device_kernels.rs` compiles the kernels that TT-Metalium
//! needs to open a device, before any test's time begins.

mod awaited_enqueue;
pub(crate) mod buffer_places;
pub mod captured_failure;
pub mod captured_test;
pub mod compare;
mod core_groups;
mod device_kernels;
mod differing_reads;
pub mod execute;
mod executed;
mod failure_details;
pub mod finding;
mod first_bad_line;
mod golden_check;
pub mod judge;
mod known_deviation;
pub mod markers;
mod memory_names;
mod mismatch;
mod notices;
mod open_buffers;
mod perform;
mod pictures;
mod place;
mod prepared;
pub mod probe;
pub mod profiled;
mod repetition;
mod replay;
mod run;
pub mod seeds;
mod settings;
mod sightings;
pub mod signatures;
pub(crate) mod source_lines;
pub mod stopped;
mod stopped_program;
mod tensor_difference;
mod test_executors;
mod test_folder;
mod test_result;
mod tolerance;
pub(crate) mod waits;
mod writer;

pub use self::execute::prepare_capture;
pub use self::executed::{Executed, Limits, ReplayOf};
pub use self::failure_details::{FailureDetails, Remedy, RemedyKind};
pub use self::finding::Finding;
pub use self::first_bad_line::FirstBadLine;
pub use self::golden_check::{GoldenError, golden_bytes, program_size};
pub(crate) use self::mismatch::buffer_difference;
pub use self::notices::Notices;
pub(crate) use self::open_buffers::open_buffers;
pub use self::perform::{
    GoldenCheck, JudgedCapture, Ran, captured_and_judged, perform, perform_when_ready, rewritten,
};
pub use self::prepared::{Prepared, start};
pub use self::repetition::quoted;
pub use self::replay::{assess_capture, replay_capture, replay_noting_state, replay_profiling};
pub use self::run::run_test;
pub use self::settings::{Settings, WorkerSettings};
pub use self::sightings::Sightings;
pub use self::test_executors::TestExecutors;
pub use self::test_folder::TestFolder;
pub use self::test_result::{FailedRun, TestResult, TestRun};
pub(crate) use self::writer::{enqueues_on, writer_in_words};
