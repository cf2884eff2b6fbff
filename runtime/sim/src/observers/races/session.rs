//! What is looked at before each load and store of a core.

use super::stores::RecentStores;
use super::{Conflict, Order, Races, Shadow, TileAccesses};
use crate::machine::actor::Actor;
use crate::machine::observer::CoreAt;

/// A core that executes.
pub(crate) struct RaceSession<'a> {
    order: &'a mut Order,
    conflict: &'a mut Option<Box<Conflict>>,
    shadow: &'a mut Shadow,
    stores: &'a mut RecentStores,
    actor: Actor,
    /// The mark of the core's accesses: see [`Order::mark`].
    mark: u32,
}

impl Races {
    /// What is remembered of a tile.
    #[inline]
    pub(super) fn tile_mut(
        tiles: &mut [Option<Box<TileAccesses>>],
        tile: u16,
        l1_size: usize,
    ) -> Option<&mut TileAccesses> {
        let slot = tiles.get_mut(usize::from(tile))?;
        if slot.is_none() {
            *slot = Some(TileAccesses::boxed(l1_size));
        }
        slot.as_deref_mut()
    }

    /// A core executes instructions.
    #[inline(always)]
    pub(crate) fn session(&mut self, core: CoreAt) -> Option<RaceSession<'_>> {
        let Self { order, tiles, l1_size, conflict, .. } = self;
        let TileAccesses { shadow, stores } = Self::tile_mut(tiles, core.tile, *l1_size)?;
        let stores = stores.get_mut(core.processor.index())?;
        let actor = core.actor();
        let mark = order.mark(actor);
        Some(RaceSession { order, conflict, shadow, stores, actor, mark })
    }
}

impl RaceSession<'_> {
    /// An access that memory does not hold yet.
    #[inline(always)]
    fn access(&mut self, at: (u32, u32), pc: u32, writes: bool) -> bool {
        match self.order.access(self.shadow, self.actor, at, pc, writes) {
            Ok(mark) => {
                self.mark = mark;
                true
            }
            Err(conflict) => {
                *self.conflict = Some(conflict);
                false
            }
        }
    }
}

impl RaceSession<'_> {
    /// The core is about to load through its data cache. `false`: the instruction is not executed yet.
    pub(crate) fn looks_through_cache(&mut self, start: u32, pc: u32) -> bool {
        match self.order.looks_through_cache(self.shadow, self.actor, (start, pc)) {
            Ok(()) => {
                self.mark = self.order.mark(self.actor);
                true
            }
            Err(conflict) => {
                *self.conflict = Some(conflict);
                false
            }
        }
    }

    /// The core is about to load `SIZE` bytes. `allows` is asked unless the core has accessed them since it last heard of
    /// another actor. `false`: the instruction is not executed yet.
    #[inline(always)]
    pub(crate) fn loads<const SIZE: usize>(
        &mut self,
        start: u32,
        pc: u32,
        allows: impl FnOnce() -> bool,
    ) -> bool {
        let known = self.shadow.has_loaded::<SIZE>(start as usize, self.mark);
        let may = known || (allows() && self.access((start, SIZE as u32), pc, false));
        if !may {
            return false;
        }
        self.stores.load(start as usize);
        true
    }

    /// The same for a store.
    #[inline(always)]
    pub(crate) fn stores<const SIZE: usize>(
        &mut self,
        start: u32,
        (pc, number): (u32, u32),
        allows: impl FnOnce() -> bool,
    ) -> bool {
        let known = self.shadow.has_stored::<SIZE>(start as usize, self.mark);
        let may = known || (allows() && self.access((start, SIZE as u32), pc, true));
        if !may {
            return false;
        }
        self.stores.store(start as usize, pc, number);
        true
    }
}
