//! The capture format: the calls of a host program, and their results.
//!
//! [`model`] holds the vocabulary as Rust values. The other modules convert it to bytes or text and back.
#![deny(unsafe_code)]

mod capture;
pub mod checks;
pub mod class;
pub mod commands;
mod container;
mod defects;
mod diff;
mod dump;
mod element;
mod error;
mod generated;
mod generator;
mod hexadecimal;
pub mod journal;
mod jsonl;
pub mod limits;
mod minor;
pub mod model;
mod names;
pub mod plural;
#[cfg(test)]
mod tests;
mod tolerance;
mod validate;
mod wire;
mod wording;

pub use capture::{
    Golden, GoldenProgram, check_program, program_bytes, program_from_bytes, program_hash,
};
pub use defects::DEFECTS;
pub use diff::{DIFF_CHECKS, Difference, DifferencePlace, Differences, diff, diff_programs};
pub use dump::{dump, subject_of};
pub use error::{CaptureError, ErrorLocation, ObjectState, Part, Problem, Rule, Version};
pub use generator::{DataError, GeneratedBytes};
pub use jsonl::{from_jsonl, to_jsonl};
pub use names::Names;
pub use tolerance::{ElementError, Outside};
pub use validate::is_argument_name;
pub use wording::plain;

/// The newest format that this crate reads. A written file states the lowest minor version that holds its
/// content.
pub const VERSION: Version = Version { major: 1, minor: generated::fields::NEWEST_MINOR };
