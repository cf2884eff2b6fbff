//! Edits on captures as data.
//!
//! An [`Edit`] takes a unit out of a capture, changes calls or inserts a call. [`apply`] turns any list of edits into a
//! capture, closes it over the lifetimes of objects and numbers it anew: an edit whose precondition does not hold is
//! left out, and a call goes if an object that it needs goes. So any subset of a list of edits is a candidate of a
//! reduction, edits that were found apart can be applied together, and a log of edits says how a capture came about.
//!
//! Only the schema's attributes say which call refers to which object. `cores.rs` and `values.rs` name the calls whose
//! cores, sizes, numbers and data an edit can change.

mod apply;
mod blobs;
mod closure;
mod concatenate;
mod cores;
mod cut;
mod defects;
mod draft;
mod edit;
mod end_as_call;
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
pub use end_as_call::with_end_as_call;
pub use lifetimes::{legal_cuts, live_buffers};
pub use record::NOT_YET_READ;
pub use symbols::numbered_symbol;
