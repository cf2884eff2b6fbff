//! From "it broke" to the first bad command and a small capture: bisection, reduction, and the guilty kernel, image,
//! core, wait or version.
//!
//! # Searches
//!
//! A search is a state machine without I/O (`hallmark_search`): it asks questions and is told the answers. The modules
//! here run candidates through a [`Prober`](probe::Prober), which keeps each result by candidate, executor, seed and
//! run. A log ([`log`]) holds those results, and for a search over commands the comparisons of both sides
//! (`bisect/comparison.rs`). A search that is resumed begins anew with a prober that remembers the log, so no search
//! stores state of its own. The same inputs must lead to the same questions: the first line of the log holds all
//! inputs.
//!
//! A search looks for one failure, which it knows by its signature (`harness/pipeline/src/signature.rs`) at one of three levels.
//!
//! # The first bad command
//!
//! [`bisect`] looks for the first bad command by notes of state (`harness/execution/src/worker/state.rs`): digests by page of every live
//! buffer, which any replay job can write. Memory that nothing has written on the good side is not compared. The
//! executable of an older release says in its answer to `__hallmark_versions` whether it writes these notes.
//! [`first_bad`] decides for a failed test whether the simulator, the suite's model or the device itself can say which
//! command went wrong first.
//!
//! # Commits
//!
//! With `bisect --git`, the versions are commits of a repository. [`versions`] knows where the product of each commit will
//! lie, and asks [`commits`] to build one before it is run.
//!
//! # Installations of TT-Metalium
//!
//! [`versions`] finds the last good and the first bad executor. If both are TT-Metalium, `hallmark bisect` looks closer
//! (`harness/src/cli/bisect/between_releases.rs`): [`bisect`] names the first bad command of the two, and
//! [`installations`] the files of device code that differ. TT-Metalium keeps the names of those files beside its objects
//! (`runtime/metalium/src/device_code.rs`).
//!
//! # Guilty parts
//!
//! [`parts`] asks which parts of the bad side cause the failure. Its candidates are *mixtures*: a capture and an
//! executor with some parts of either side. Kernels are exchanged in the capture's record, and images in a firmware
//! bundle that is put together for the run (`runtime/device-code/src/bundle_files.rs`).
//!
//! # Reduction
//!
//! [`reduce`] asks a prober about lists of edits (`hallmark_schema_editing`). It cuts the calls behind the failure off,
//! slices, takes commands away with `hallmark_search`, and then makes queues, cores, sizes, numbers and data smaller,
//! until nothing becomes smaller. A candidate that reads memory that it never wrote is not asked about. Its calls alone
//! show that (`reduce/validity.rs`); a program counts as writing the whole of each buffer that it is given. The capture
//! that is saved was recorded on the good side. The log of a reduction holds the edits of each candidate.
//!
//! A test is reduced before its capture is ([`smallest_test`]): `harness/suite/src/narrowed.rs` writes the case at another point of
//! its matrix, and the tests that this case gives are run.
//!
//! `cargo test --package hallmark --test reduction -- --ignored --nocapture` prints the table of planted defects,
//! beside the smallest capture that exists for each. `HALLMARK_TEST_SABOTAGED` names a build with the feature
//! `sabotage`.
//!
//! # Layers
//!
//! A module knows only the modules of the layers below its own; `tests/layers.rs` checks that.
//!
//! 1. `first_bad`, `parts`, `seeds`, `versions`: searches that users ask for, and the line *first bad*
//! 2. `bisect`, `smallest_test`, `stopped`: the first bad command; the smallest test of a suite; what ends a search
//! 3. `log`, `reduce`, `sought_failure`, `tick_budget`: the log of a search; reductions; the failure that is looked for
//! 4. `probe`: whether a candidate fails, asked of an executor
//! 5. `board`: cards, and whether they are sound
//! 6. `at_once`, `commits`, `defects`, `installations`, `root_buffer`: helpers; builds of a repository's
//!    commits; what differs between two installations of TT-Metalium

mod at_once;
pub mod bisect;
pub mod board;
pub mod commits;
mod defects;
pub mod first_bad;
pub mod installations;
pub mod log;
pub mod parts;
pub mod probe;
pub mod reduce;
mod root_buffer;
pub mod seeds;
pub mod smallest_test;
pub mod sought_failure;
pub mod stopped;
pub mod tick_budget;
pub mod versions;

pub use self::defects::DEFECTS;
