//! Suites: from YAML text to tests with all parameters bound.
//!
//! `language/` holds the types that parse a suite, and `language/step.rs` has a type for each step. `bind/` turns a
//! case with one set of parameters into a `BoundCase` ([`bound`]): the calls of one test. [`discover`] finds the tests
//! of a folder, and [`name`] is a test's name. [`mod@reference`] makes the JSON Schema and `suites/README.md` from the
//! types of the language. `hallmark_stitching::PlannedCalls` turns the steps of tensors into calls (`bind/tensors.rs`).

pub mod bind;
pub mod bound;
pub mod built_in;
pub mod deviations;
pub mod discover;
pub mod expression;
pub(crate) mod flow;
pub mod fragments;
pub mod known_bytes;
pub mod language;
pub mod mistake;
pub mod name;
pub mod narrowed;
pub mod node;
pub mod pattern;
pub mod read;
pub mod reference;
mod yaml_error;

#[cfg(test)]
mod tests;
