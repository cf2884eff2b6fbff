//! Hallmark: a conformance harness for TT-Metalium host programs.
//!
//! [`hallmark_suite`] turns YAML text into tests with all parameters bound. [`hallmark_execution`] starts workers, which
//! make the calls of a test on an executor. [`hallmark_pipeline`] runs a test: it captures, judges what the workers
//! leave, compares with the golden and gives a verdict and a report. [`hallmark_triage`] and
//! [`hallmark_certification`] build on the same pipeline and do not know each other. This crate is the `hallmark`
//! command: only [`cli`] prints. Each crate tells its decisions on its own front page.
//!
//! # Layers
//!
//! A module knows only the modules of the layers below its own; `tests/layers.rs` checks that.
//!
//! 1. `main`: the executable
//! 2. `cli`: the command line
//! 3. `configuration`, `explain`, `profile`, `slots`, `source_diff`, `unit_waits`: configuration files; what a test does;
//!    profiles; cards of the test binary; differences of texts; what waits for the coprocessor's units put in order

pub mod cli;
pub mod configuration;
pub mod explain;
pub mod profile;
pub mod slots;
mod source_diff;
pub mod unit_waits;
