//! Who acts on a chip.

use hallmark_chip::Processor;
use hallmark_tensix::Thread;

/// The host, or a unit of a Tensix tile. What one actor does happens in the order in which it does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Actor {
    Host,
    Unit {
        /// The tile's number among the Tensix tiles.
        tile: u16,
        unit: Unit,
    },
}

/// A unit of a Tensix tile that acts by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unit {
    /// A baby core.
    Core(Processor),
    /// A thread of the coprocessor, which goes on beside the core that pushes its instructions.
    Thread(Thread),
}

impl Actor {
    /// A baby core.
    pub(crate) const fn core(tile: u16, processor: Processor) -> Self {
        Self::Unit { tile, unit: Unit::Core(processor) }
    }

    /// A thread of the coprocessor.
    pub(crate) const fn thread(tile: u16, thread: Thread) -> Self {
        Self::Unit { tile, unit: Unit::Thread(thread) }
    }
}
