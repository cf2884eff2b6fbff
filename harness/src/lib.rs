//! Hallmark: a conformance harness for TT-Metalium host programs.

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
