//! Edits on captures as data.
//!
//! An [`Edit`] removes a part of a capture, changes it or inserts into it. [`apply`] is total: any list of
//! edits gives a capture. An edit whose precondition does not hold is left out, and everything that depends on
//! a removed part is removed too. So any subset of a list of edits is a candidate of a reduction, edits found
//! separately can be combined, and a log of edits documents how a capture was made.

mod apply;
mod blobs;
mod closure;
mod concatenate;
mod cores;
mod cut;
mod defects;
mod draft;
mod edit;
mod insertion;
mod lifetimes;
mod naming;
mod queues;
mod record;
mod removal;
mod renumber;
mod sizes;
mod symbols;
mod traces;
mod values;

pub use apply::{Edited, apply};
pub use concatenate::{ConcatenateError, Concatenated, concatenate};
pub use cut::{insert_finish_after, prefix};
pub use defects::DEFECTS;
pub use draft::CommandSource;
pub use edit::{Edit, Fill, InsertedExpectation, Symbols, Unit};
pub use lifetimes::{legal_cuts, live_buffers};
pub use record::NOT_YET_READ;
pub use symbols::numbered_symbol;
