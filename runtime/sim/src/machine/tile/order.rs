//! What registers mean for the order of accesses to memory.

use hallmark_chip::{ChipDescription, Processor};

use super::registers::{mailbox_number, offset, overlay_offset};
use super::{Surroundings, Tile, map};
use crate::machine::coordinates::TileKind;
use crate::machine::fault::Origin;
use crate::machine::noc;
use crate::observers::races::{Actor, Races, Writes};

impl Tile {
    fn actor(&self, core: usize) -> Actor {
        Actor::core(self.number, core)
    }

    /// The registers whose loads come after a store to this one: page counts of circular buffers, and
    /// semaphores of the coprocessor.
    pub(crate) fn synchronized_by(address: u64, description: &ChipDescription) -> [Option<u32>; 2] {
        let Ok(address) = u32::try_from(address) else { return [None; 2] };
        let overlay = &description.overlay;
        if let Some(offset) = overlay_offset(address, overlay) {
            let field = offset % overlay.stride;
            let space = address - field + overlay.space_available;
            return match field {
                field if field == overlay.space_available_update => [Some(space), None],
                field if field == overlay.buffer_size => [Some(address), Some(space)],
                _ => [Some(address), None],
            };
        }
        [offset(address, map::SYNCHRONIZATION, 0x1000).map(|_| address), None]
    }

    /// A core has loaded a register.
    pub(super) fn has_loaded(
        &self,
        index: usize,
        address: u32,
        description: &ChipDescription,
        races: &mut Races,
    ) {
        let actor = self.actor(index);
        for (noc, base) in description.noc.base.into_iter().enumerate() {
            if let Some(counter) = offset(address, base, 0x1_0000)
                .and_then(|offset| noc::counter_at(offset, &description.noc.offsets))
            {
                return races.read_counter((self.number, noc), counter, actor);
            }
        }
        races.load_register(self.number, address, actor);
        let core = self.cores.get(index).map(|core| core.processor);
        if let Some(offset) = offset(address, map::MAILBOXES, 0x4000)
            && offset & 4 == 0
            && let Ok(to) = mailbox_number(core)
        {
            races.receive(self.number, (offset / 0x1000) as usize, to, actor);
        }
    }

    /// A core has stored to a register.
    pub(super) fn has_stored(
        &self,
        index: usize,
        address: u32,
        description: &ChipDescription,
        races: &mut Races,
    ) {
        let actor = self.actor(index);
        for register in Self::synchronized_by(address.into(), description).into_iter().flatten() {
            races.store_register(self.number, register, Writes::Actor(actor));
        }
        let core = self.cores.get(index).map(|core| core.processor);
        if let Some(offset) = offset(address, map::MAILBOXES, 0x4000)
            && let Ok(from) = mailbox_number(core)
        {
            races.send(self.number, from, (offset / 0x1000) as usize, actor);
        }
    }

    /// A core that leaves reset comes after what was done before; who holds one comes after all that it
    /// did, and what it sent and nobody received is gone.
    pub(super) fn order_resets(
        &self,
        entered: &[Processor],
        left: &[Processor],
        surroundings: &mut Surroundings<'_>,
    ) {
        let by = match surroundings.origin {
            Origin::Host => Actor::HOST,
            Origin::Core(core) => match surroundings.coordinates.kind(core.tile) {
                TileKind::Tensix(tile) => Actor::core(tile, core.processor.index()),
                _ => return,
            },
        };
        for processor in entered {
            surroundings.races.follow(by, self.actor(processor.index()));
            if let Ok(from) = mailbox_number(Some(*processor)) {
                surroundings.races.discard_mailboxes(self.number, from);
            }
        }
        for processor in left {
            surroundings.races.follow(self.actor(processor.index()), by);
        }
    }
}
