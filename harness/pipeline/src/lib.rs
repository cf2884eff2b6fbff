//! One test from its suite to its verdict: capture, expectations, bytes, golden, replay in a fresh process, comparison.
//!
//! # Captured failures
//!
//! A replay that agrees with its capture succeeds only if the captured run succeeded. A read that misses the program's
//! expectation, a fault, a deadlock, a hang or a lost device ends `hallmark replay` with the exit code of that verdict,
//! unless `--as-captured` asks for the repetition alone ([`captured_failure`]). Faults that a suite expects stand in
//! the record (`expected_faults`); a capture without that field expects none. The end of the queues (`at_end`) is judged like
//! a call.
//!
//! # Words for failures
//!
//! `waits.rs` puts into words what the cores of a deadlock wait for. A fault names memory by tile and address;
//! `memory_names.rs` is the one place that finds the buffer, circular buffer or semaphore there. `object_terms.rs`
//! says the device's advice by the functions of objects if the kernel uses them. [`signatures`] makes
//! the signature of a failure from the files that workers leave. `tensor_difference.rs` draws a tensor that differs.
//!
//! # Work for other commands
//!
//! [`markers`] builds firmware and kernels with markers for a replay that is profiled, and [`profiled`] keeps the notes
//! of each replay that `hallmark profile -- COMMAND` starts. `device_kernels.rs` compiles the kernels that TT-Metalium
//! needs to open a device, before any test's time begins.
//!
//! # Layers
//!
//! A module knows only the modules of the layers below its own; `tests/layers.rs` checks that.
//!
//! 1. `report`: reports of runs, as text, JSON, JUnit and HTML
//! 2. `seeds`: a test under several schedule seeds
//! 3. `run`: one test from its suite to its result
//! 4. `known_deviation`: what the list of deviations excuses
//! 5. `compare`, `perform`: a test on several devices; a test captured, judged and replayed
//! 6. `execute`: the jobs of a bound test
//! 7. `profiled`: replays that note what calls take
//! 8. `probe`, `replay`: whether a device opens; replays of a capture's file
//! 9. `captured_failure`, `device_kernels`, `golden_check`, `program_kernels`: a capture's own failure; TT-Metalium's kernels; goldens
//! 10. `judge`: the findings of a run: each deviation from the expected result
//! 11. `stopped`, `unavailable_kernels`: why a device stopped, and why it did not begin, in words
//! 12. `signatures`: signatures of what workers leave
//! 13. `differing_reads`, `waits`: reads that differ, and waits, in words
//! 14. `baseline`, `core_groups`, `memory_names`, `object_terms`, `pictures`, `prepared`, `printing_kernels`, `read_tolerance`, `repeated_fault`, `repetition`, `tensor_difference`, `test_folder`, `tolerance`, `writer`: known failures of a device; parts of findings; a worker's job; the folder of a test
//! 15. `buffer_places`, `finding`, `markers`, `mismatch`, `settings`, `stopped_program`, `test_result`: data of a run, and places in memory and programs
//! 16. `awaited_enqueue`, `captured_test`, `commit`, `executed`, `failure_details`, `first_bad_line`, `golden`, `left_by_kernels`, `lifetimes`, `notices`, `open_buffers`, `place`, `printed`, `shard`, `sightings`, `signature`, `source_lines`, `test_executors`, `tile_pages`, `verdict`: data

mod awaited_enqueue;
pub mod baseline;
pub mod buffer_places;
pub mod captured_failure;
pub mod captured_test;
pub mod commit;
pub mod compare;
mod core_groups;
mod device_kernels;
mod differing_reads;
pub mod execute;
mod executed;
mod failure_details;
pub mod finding;
mod first_bad_line;
pub mod golden;
mod golden_check;
pub mod judge;
pub mod known_deviation;
mod left_by_kernels;
mod lifetimes;
pub mod markers;
mod memory_names;
mod mismatch;
mod notices;
mod object_terms;
mod open_buffers;
pub mod perform;
mod pictures;
mod place;
mod prepared;
mod printed;
mod printing_kernels;
pub mod probe;
pub mod profiled;
mod program_kernels;
pub mod read_tolerance;
pub mod repeated_fault;
mod repetition;
mod replay;
pub mod report;
mod run;
pub mod seeds;
mod settings;
pub mod shard;
mod sightings;
pub mod signature;
pub mod signatures;
pub mod source_lines;
pub mod stopped;
mod stopped_program;
mod tensor_difference;
mod test_executors;
mod test_folder;
mod test_result;
mod tile_pages;
mod tolerance;
mod unavailable_kernels;
pub mod verdict;
pub mod waits;
mod writer;

pub use self::differing_reads::first_differing_read;
pub use self::execute::prepare_capture;
pub use self::executed::{Executed, Limits, ReplayOf};
pub use self::failure_details::{FailureDetails, Remedy, RemedyKind};
pub use self::finding::Finding;
pub use self::first_bad_line::FirstBadLine;
pub use self::golden_check::{GoldenError, golden_bytes, program_size};
pub use self::mismatch::buffer_difference;
pub use self::notices::Notices;
pub use self::open_buffers::open_buffers;
pub use self::perform::{
    BOTH_TIMES, GoldenCheck, JudgedCapture, Ran, captured_and_judged, perform, perform_when_ready,
    rewritten,
};
pub use self::prepared::{Prepared, start};
pub use self::printed::PrintedLines;
pub use self::repetition::quoted;
pub use self::replay::{
    assess_capture, replay_capture, replay_noting_state, replay_noting_waits, replay_profiling,
};
pub use self::run::run_test;
pub use self::settings::{Settings, WorkerSettings};
pub use self::sightings::Sightings;
pub use self::test_executors::TestExecutors;
pub use self::test_folder::TestFolder;
pub use self::test_result::{FailedRun, TestResult, TestRun};
pub use self::writer::{enqueues_on, writer_in_words};
