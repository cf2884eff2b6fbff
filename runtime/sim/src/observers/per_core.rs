//! A value for each baby core.

use hallmark_chip::Processor;

use crate::machine::actor::{Actor, Unit};

/// A value for each core of each Tensix tile.
#[derive(Debug)]
pub(super) struct PerCore<T> {
    /// By the tile's number and the processor.
    values: Vec<T>,
}

impl<T: Default> PerCore<T> {
    pub(super) fn new(tiles: usize) -> Self {
        let cores = tiles.saturating_mul(Processor::ALL.len());
        Self { values: std::iter::repeat_with(T::default).take(cores).collect() }
    }

    /// The value of an actor that is a core.
    pub(super) fn get(&self, actor: Actor) -> Option<&T> {
        self.values.get(place(actor)?)
    }

    /// The value of an actor that is a core.
    pub(super) fn get_mut(&mut self, actor: Actor) -> Option<&mut T> {
        self.values.get_mut(place(actor)?)
    }
}

fn place(actor: Actor) -> Option<usize> {
    match actor {
        Actor::Host => None,
        Actor::Unit { tile, unit: Unit::Core(processor) } => {
            Some(usize::from(tile) * Processor::ALL.len() + processor.index())
        }
    }
}
