//! Hallmark: a conformance harness for TT-Metalium host programs.

pub mod interrupt;
pub mod plural;
pub mod suite;
pub mod verdict;
pub mod whole_file;
pub mod worker;
