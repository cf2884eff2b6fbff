//! Tests of the crate as a whole.

mod bank_orders;
mod device_requirements;
mod differences;
mod faults;
mod files;
pub(crate) mod free_tensors;
mod generators;
mod journals;
mod liars;
mod limits;
mod origins;
mod properties;
mod rules;
mod sample_origins;
mod sample_queues;
pub(crate) mod sample_source_lines;
mod sample_updates;
pub(crate) mod samples;
mod schema;
mod sweeps;
mod texts;
