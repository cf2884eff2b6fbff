//! Suites: from YAML text to tests with all parameters bound.
//!
//! `language/` holds the types that parse a suite, and `language/step.rs` has a type for each step. `bind/` turns a
//! case with one set of parameters into a `BoundCase` ([`bound`]): the calls of one test. [`discover`] finds the tests
//! of a folder, and [`name`] is a test's name. [`mod@reference`] makes the JSON Schema and `suites/README.md` from the
//! types of the language. `hallmark_stitching::PlannedCalls` turns the steps of tensors into calls (`bind/tensors.rs`).
//!
//! # Layers
//!
//! A module knows only the modules of the layers below its own; `tests/layers.rs` checks that.
//!
//! 1. `tests`: tests of whole suites
//! 2. `narrowed`, `used_files`: the tests near a test, for whoever looks for the smallest; the files of a test
//! 3. `deviations`: what another runtime is known to do otherwise
//! 4. `discover`: files of suites, and the tests in them
//! 5. `bind`: a case with its parameters bound
//! 6. `bound`, `fragments`, `pattern`, `reference`: bound tests, shared steps, patterns of names, schema and reference
//! 7. `language`, `name`: what stands in a suite, and names of tests
//! 8. `read`: how types are read from YAML
//! 9. `node`: YAML as a tree with spans
//! 10. `expression`, `yaml_error`: expressions of numbers, and mistakes of the YAML parser
//! 11. `built_in`, `checks`, `contents_hash`, `editor_schema`, `flow`, `known_bytes`, `mistake`, `text_of_case`: helpers

pub mod bind;
pub mod bound;
pub mod built_in;
pub mod checks;
pub mod contents_hash;
pub mod deviations;
pub mod discover;
mod editor_schema;
pub mod expression;
pub mod flow;
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
mod text_of_case;
pub mod used_files;
mod yaml_error;

#[cfg(test)]
mod tests;
