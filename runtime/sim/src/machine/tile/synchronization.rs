//! Which accesses to registers put what actors do in order. Observers are told of them.

use hallmark_chip::{ChipDescription, Processor};

use super::registers::{mailbox_number, offset, overlay_offset};
use super::{Surroundings, Tile, map};
use crate::machine::actor::Actor;
use crate::machine::coordinates::TileKind;
use crate::machine::fault::{Origin, Violation};
use crate::machine::noc;
use crate::machine::observer::{Observer, PageCount, PageCounts, SyncRegister};

/// Bytes of the registers of a NoC interface (NoC/MemoryMap.md).
const NIU_SIZE: u32 = 0x1_0000;

/// The registers whose loads come after a store to this one: page counts of circular buffers, and semaphores of the
/// coprocessor.
pub(crate) fn synchronized_by(
    address: u64,
    description: &ChipDescription,
) -> [Option<SyncRegister>; 2] {
    let Ok(address) = u32::try_from(address) else { return [None; 2] };
    let overlay = &description.overlay;
    if let Some(offset) = overlay_offset(address, overlay) {
        let field = offset % overlay.stride;
        let space = SyncRegister::Word(address - field + overlay.space_available);
        let own = SyncRegister::Word(address);
        return match field {
            field if field == overlay.space_available_update => [Some(space), None],
            field if field == overlay.buffer_size => [Some(own), Some(space)],
            _ => [Some(own), None],
        };
    }
    let is_semaphore = offset(address, map::SYNCHRONIZATION, 0x1000).is_some();
    [is_semaphore.then_some(SyncRegister::Word(address)), None]
}

impl Tile {
    /// The count of a circular buffer's pages at an address, and both counts.
    pub(super) fn page_counts(
        &self,
        address: u32,
        description: &ChipDescription,
    ) -> Option<(PageCount, PageCounts)> {
        let overlay = &description.overlay;
        let offset = overlay_offset(address, overlay)?;
        let index = offset / overlay.stride;
        if index >= description.circular_buffers {
            return None;
        }
        let count = match offset % overlay.stride {
            field if field == overlay.buffer_size => PageCount::Received,
            field if field == overlay.buffer_start => PageCount::Acknowledged,
            _ => return None,
        };
        let (received, acknowledged) = self.stream_buffer(index)?;
        Some((count, PageCounts { index, received, acknowledged }))
    }

    /// A core has loaded a register. Says whether that is a counter of a NoC interface.
    pub(super) fn has_loaded(
        &mut self,
        index: usize,
        address: u32,
        description: &ChipDescription,
        observers: &mut dyn Observer,
    ) -> Result<bool, Violation> {
        let Some(core) = self.cores.get(index) else { return Ok(false) };
        let actor = Actor::core(self.number, core.processor);
        for (noc, base) in description.noc.base.into_iter().enumerate() {
            if let Some(counter) = offset(address, base, NIU_SIZE)
                .and_then(|offset| noc::counter_at(offset, &description.noc.offsets))
            {
                let (noc, counter) = (noc as u8, counter as u8);
                let at = self.core_at(core.processor);
                observers.core_loads_counter(at, core.pc, (noc, counter))?;
                let register = SyncRegister::Counter { noc, counter };
                observers.register_loaded(actor, self.number, register);
                return Ok(true);
            }
        }
        if let Some((count, counts)) = self.page_counts(address, description) {
            observers.core_loads_pages(self.core_at(core.processor), count, counts)?;
        }
        if address == map::COPROCESSOR_DONE || address == map::MACROS_DONE {
            self.coprocessor.macros_are_expanded(core.processor);
        }
        if address == map::COPROCESSOR_DONE {
            self.coprocessor.tell_of_end(core.processor, (actor, core.pc), self.number, observers);
        }
        let register = match offset(address, map::MAILBOXES, 0x4000) {
            Some(offset)
                if offset & 4 == 0
                    && let Ok(to) = mailbox_number(Some(core.processor)) =>
            {
                SyncRegister::Mailbox { from: (offset / 0x1000) as u8, to: to as u8 }
            }
            _ => SyncRegister::Word(address),
        };
        observers.register_loaded(actor, self.number, register);
        Ok(false)
    }

    /// A core has stored to a register.
    pub(super) fn has_stored(
        &self,
        index: usize,
        address: u32,
        description: &ChipDescription,
        observers: &mut dyn Observer,
    ) {
        // Nearly all stores to registers make NoC requests.
        if description.noc.base.iter().any(|base| offset(address, *base, NIU_SIZE).is_some()) {
            return;
        }
        let Some(core) = self.cores.get(index) else { return };
        let actor = Actor::core(self.number, core.processor);
        self.tell_of_store(actor, address, description, observers);
        if let Some(offset) = offset(address, map::MAILBOXES, 0x4000)
            && let Ok(from) = mailbox_number(Some(core.processor))
        {
            let register = SyncRegister::Mailbox { from: from as u8, to: (offset / 0x1000) as u8 };
            observers.register_stored(actor, self.number, register);
        }
    }

    /// An actor has stored to a register that may synchronize.
    pub(super) fn tell_of_store(
        &self,
        actor: Actor,
        address: u32,
        description: &ChipDescription,
        observers: &mut dyn Observer,
    ) {
        for register in synchronized_by(address.into(), description).into_iter().flatten() {
            observers.register_stored(actor, self.number, register);
        }
    }

    /// Cores have entered and left reset.
    pub(super) fn tell_of_resets(
        &self,
        entered: &[Processor],
        left: &[Processor],
        surroundings: &mut Surroundings<'_>,
    ) {
        let by = match surroundings.origin {
            Origin::Host => Some(Actor::Host),
            Origin::Core(core) => match surroundings.coordinates.kind(core.tile) {
                TileKind::Tensix(tile) => Some(Actor::core(tile, core.processor)),
                _ => None,
            },
        };
        for processor in entered {
            surroundings.observers.core_held(self.core_at(*processor), by);
        }
        for processor in left {
            surroundings.observers.core_released(self.core_at(*processor), by);
        }
    }
}
