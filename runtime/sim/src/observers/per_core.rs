//! A value for each baby core.

use hallmark_chip::Processor;

use crate::machine::actor::{Actor, Unit};

const CORES: usize = Processor::ALL.len();

/// A value for each core of each Tensix tile. The values of a tile are made when one of them is first changed: most tests
/// use few tiles.
#[derive(Debug)]
pub(super) struct PerCore<T> {
    /// By the tile's number and the processor.
    tiles: Vec<Option<Box<[T; CORES]>>>,
}

impl<T: Default> PerCore<T> {
    pub(super) fn new(tiles: usize) -> Self {
        Self { tiles: std::iter::repeat_with(|| None).take(tiles).collect() }
    }

    /// The value of an actor that is a core, if a value of its tile was ever changed.
    pub(super) fn get(&self, actor: Actor) -> Option<&T> {
        let (tile, core) = place(actor)?;
        self.tiles.get(tile)?.as_ref()?.get(core)
    }

    /// The value of an actor that is a core.
    pub(super) fn get_mut(&mut self, actor: Actor) -> Option<&mut T> {
        let (tile, core) = place(actor)?;
        let new = || Box::new(std::array::from_fn(|_| T::default()));
        self.tiles.get_mut(tile)?.get_or_insert_with(new).get_mut(core)
    }
}

fn place(actor: Actor) -> Option<(usize, usize)> {
    match actor {
        Actor::Host | Actor::Unit { unit: Unit::Thread(_), .. } => None,
        Actor::Unit { tile, unit: Unit::Core(processor) } => {
            Some((usize::from(tile), processor.index()))
        }
    }
}
