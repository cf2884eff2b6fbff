//! Edits of the captures that are committed, and of small ones that are made here.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops where it fails")]

mod captures;
mod changes;
mod concatenation;
mod removal;
mod subsets;
