//! The capture format: the calls of a host program, and their results.
//!
//! [`model`] holds the vocabulary as Rust values. The other modules turn these values into bytes or text, and back.
//! `README.md` beside this crate says how to add a call.
//!
//! # Program and record
//!
//! A capture has two parts. The *program* holds the calls and the results that they must have: commands, names,
//! arguments, outcomes, data by hash or generator, kernel sources by hash, expected results. The program has canonical
//! bytes, and goldens compare those bytes. The *record* says where the program ran: chip, firmware, addresses, ELF
//! hashes, places of faults, the bytes that each read returned. Another firmware, build, folder or device changes no
//! program byte.
//!
//! The record names the order of L1's banks (`l1_bank_order`). A replay uses that order, and row by row if the record
//! names none. The record lists the faults that the suite expects (`expected_faults`). A capture without that field
//! expects none. The record says how the work ended for which no call waits (`at_end`): after the last call a recorder drains
//! every queue. A replay drains them exactly if the record says so, so that a cut or a killed recording runs no more than
//! its calls wait for. A capture from a harvested chip holds the chip's mask. The text that kernels printed (`printed`) is a
//! circumstance of the run: it enters no golden and no signature, and a replay does not compare it.
//!
//! # Generated names
//!
//! A kernel of TT-Metalium may use names that its program binds (`args::`, `dfb::`, `sem::`, `tensor::`, `scratch::`), and
//! TT-Metalium generates headers with their definitions. A capture holds no such header. `CreateKernel.bindings` has each
//! name with its kind and numbers ([`model::KernelBindings`]), and every executor writes the headers for its own classes:
//! `hallmark_device_code::bindings` has the forms of this build, and the description of a release of TT-Metalium those of
//! that release. Captures from before have one release's headers as text in front of the source, and the record names
//! those kernels (`Origin.generated_bindings`): their kernels compile for that release. A recorder still does so with a
//! header that has a line of no known form.
//!
//! # Versions
//!
//! A capture states the lowest minor version of the format that holds its content. [`model::Capture::to_bytes`] finds
//! that version, and a file that states too low a version is refused. Each addition that is newer than
//! `schema/released` names its minor version by an attribute in the `.fbs`, and nowhere else:
//!
//! | addition | attribute | copy for a reader of an older minor version ([`model::Capture::to_bytes_for`]) |
//! |---|---|---|
//! | a field of the record | `droppable: 1` | the copy lacks the field |
//! | a field of the record or the container | `needed: 1` | no copy is written; the error names the field |
//! | a command, a field or a value of an enum of the program | `since: 1` | no copy is written; the error names the addition |
//!
//! The newest minor version is the highest that any attribute names. When that version is released, its schema goes to
//! `schema/released/1.<minor>/`, together with captures that hold all additions and with the firmware of those
//! captures. The released executable makes the captures once, and tests replay them. A journal states the newest format
//! that its writer knew. Every reader of that format or of a newer one can read the journal.
//!
//! # Binaries
//!
//! A capture whose program has *free tensors* ([`model::FreeTensor`]) is a binary: the caller who submits it gives its
//! inputs and outputs. A free tensor states its direction (input or output), name, shape, element format and tile, and
//! which buffer of the calls stands for it. The `create_buffer` of that buffer says where the tensor lies and how it is
//! cut into shards. A free buffer is created once, and no command writes, reads, views or deallocates it
//! (`schema/src/validate/free_tensors.rs`). The record holds the sources and ELFs of the kernels. `hallmark_stitching`
//! runs binaries; a replay refuses them.
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
mod stated_size;
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
pub use stated_size::{most_bytes_of_file, stated_bytes_of_parts};
pub use tolerance::{ElementError, Outside};
pub use validate::{is_argument_name, is_definition};
pub use wording::plain;

/// The newest format that this crate reads. A written file states the lowest minor version that holds its
/// content.
pub const VERSION: Version = Version { major: 1, minor: generated::fields::NEWEST_MINOR };
