//! Hallmark: a conformance harness for TT-Metalium host programs.

pub mod plural;
pub mod suite;
