//! Suites: from YAML text to tests with all parameters bound.

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
