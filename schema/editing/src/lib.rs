//! Edits on captures as data.
//!
//! An [`Edit`] says what is taken away from a capture, changed in it or put into it. [`apply`] is total: any list of
//! edits gives a capture, an edit whose precondition does not hold is left out, and whatever cannot stand without what
//! is taken away goes with it. So any subset of a list of edits is a candidate of a reduction, edits that were found
//! apart can be made together, and a log of edits says how a capture came about.

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
