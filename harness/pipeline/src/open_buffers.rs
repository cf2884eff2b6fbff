//! The buffers that may differ between two devices.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_schema::commands;
use hallmark_schema::model::{Command, Expectation};

/// The ids of the buffers with memory of their own of which a read is open, as `is_open` says by the read's place among
/// the calls and by what it expects.
pub fn open_buffers<'a>(
    calls: impl Iterator<Item = &'a Command>,
    is_open: impl Fn(u32, &Expectation) -> bool,
) -> BTreeSet<u32> {
    let mut parents = BTreeMap::new();
    let mut open = BTreeSet::new();
    for (index, call) in (0_u32..).zip(calls) {
        match call {
            Command::CreateBufferView(commands::CreateBufferView { buffer, parent, .. }) => {
                parents.insert(buffer.0, parent.0);
            }
            Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
                buffer, expectation, ..
            }) if is_open(index, expectation) => {
                let mut root = buffer.0;
                // A view comes after its parent, so this loop ends.
                while let Some(parent) = parents.get(&root).filter(|parent| **parent < root) {
                    root = *parent;
                }
                open.insert(root);
            }
            _ => {}
        }
    }
    open
}
