//! Tests of the crate as a whole.

mod files;
mod samples;
mod texts;
