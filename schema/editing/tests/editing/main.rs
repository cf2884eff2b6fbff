//! Edits of committed captures, and of small ones made here.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops where it fails")]

mod captures;
mod changes;
mod concatenation;
mod insertion;
mod removal;
mod subsets;
