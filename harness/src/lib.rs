//! Hallmark: a conformance harness for TT-Metalium host programs.
//!
//! [`suite`] turns YAML text into tests with all parameters bound. [`pipeline`] runs a test: it starts [`worker`]s, which
//! make the test's calls on an [`executor`], judges what they leave, compares with the [`golden`] and gives a
//! [`verdict`]. [`report`] shows verdicts. [`triage`], [`certification`] and [`profile`] build on the same pipeline.
//! [`cli`] is the `hallmark` command, and only that layer prints. Each of these modules tells its decisions on its own
//! page.

pub mod applicability;
pub mod certification;
pub mod checks;
pub mod cli;
pub mod commit;
pub mod contents_hash;
pub mod devices;
pub mod executor;
pub mod explain;
pub mod golden;
pub mod interrupt;
pub mod parallel;
pub mod pipeline;
pub mod profile;
pub mod report;
pub mod shard;
pub mod signature;
pub mod slots;
mod source_diff;
pub mod suite;
pub mod triage;
pub mod verdict;
pub mod whole_file;
pub mod worker;
