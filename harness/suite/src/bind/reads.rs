//! The reads of the steps so far.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::tensors::ReadTensor;
use crate::mistake::Span;

/// A read of the case so far.
#[derive(Clone, Debug)]
pub(super) struct ReadSoFar {
    /// The name of the output.
    pub(super) output: String,
    pub(super) span: Span,
    pub(super) command: u32,
    /// Bytes, unless a mistake keeps them from being known.
    pub(super) length: Option<u64>,
    /// Whether the call returns with the bytes.
    pub(super) blocking: bool,
    /// The tensor that is read, if the read is one of a tensor.
    pub(super) tensor: Option<Rc<ReadTensor>>,
}

/// The reads of the steps so far, in their order, and the names of their outputs.
#[derive(Debug, Default)]
pub(super) struct Reads {
    list: Vec<ReadSoFar>,
    outputs: BTreeSet<String>,
}

impl Reads {
    /// Adds a read and the name of its output.
    pub(super) fn add(&mut self, read: ReadSoFar) {
        self.outputs.insert(read.output.clone());
        self.list.push(read);
    }

    /// Whether an earlier step reads an output of this name.
    pub(super) fn has_output(&self, name: &str) -> bool {
        self.outputs.contains(name)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &ReadSoFar> {
        self.list.iter()
    }

    /// The last read of each output.
    pub(super) fn by_output(&self) -> BTreeMap<String, ReadSoFar> {
        self.iter().map(|read| (read.output.clone(), read.clone())).collect()
    }
}
