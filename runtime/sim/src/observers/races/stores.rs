//! Stores to L1 that may not have landed yet.
//!
//! A store waits in a queue of the core and then on its way to L1. A NoC request that the core fires after it
//! takes another way and may read L1 first (BabyRISCV/MemoryOrdering.md, "Enforcing stronger ordering"). A load
//! of the same word comes after the store, and after every earlier store, because L1 takes what comes from one
//! core in order.

/// Stores that are remembered; of two words with the same remainder the later.
const SLOTS: usize = 8;

/// A store to L1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct L1Store {
    /// Its word's number; none has this one's.
    word: u32,
    pub(crate) pc: u32,
    /// The instruction's number, as far as it fits.
    number: u32,
}

impl L1Store {
    pub(crate) const fn address(&self) -> u32 {
        self.word << 2
    }
}

/// The last stores of a core to L1.
#[derive(Clone, Debug)]
pub(crate) struct RecentStores {
    slots: [L1Store; SLOTS],
    /// The last store that was loaded back.
    landed: u32,
}

impl Default for RecentStores {
    fn default() -> Self {
        Self { slots: [L1Store { word: u32::MAX, pc: 0, number: 0 }; SLOTS], landed: 0 }
    }
}

impl RecentStores {
    /// The core stores to L1.
    #[inline]
    pub(crate) fn store(&mut self, start: usize, pc: u32, number: u32) {
        if let Some(slot) = self.slots.get_mut(start >> 2 & (SLOTS - 1)) {
            *slot = L1Store { word: (start >> 2) as u32, pc, number };
        }
    }

    /// The core loads from L1.
    #[inline]
    pub(crate) fn load(&mut self, start: usize) {
        if let Some(slot) = self.slots.get(start >> 2 & (SLOTS - 1))
            && slot.word == (start >> 2) as u32
            && is_after(slot.number, self.landed)
        {
            self.landed = slot.number;
        }
    }

    /// The first store to a range of L1 that need not have landed yet.
    pub(crate) fn pending(&self, start: u32, length: u32) -> Option<&L1Store> {
        let words = start >> 2..start.saturating_add(length).div_ceil(4);
        let pending = |stored: &&L1Store| {
            words.contains(&stored.word) && is_after(stored.number, self.landed)
        };
        self.slots.iter().filter(pending).min_by_key(|stored| stored.word)
    }
}

/// Numbers go round.
const fn is_after(later: u32, earlier: u32) -> bool {
    (later.wrapping_sub(earlier) as i32) > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_of_the_last_word_confirms_all_stores_before() {
        let mut stores = RecentStores::default();
        for (number, word) in (0..4).enumerate() {
            stores.store(0x100 + 4 * word, 0x40, number as u32 + 1);
        }
        assert_eq!(stores.pending(0x100, 16).map(L1Store::address), Some(0x100));
        assert_eq!(stores.pending(0x10C, 1).map(L1Store::address), Some(0x10C));
        assert!(stores.pending(0x110, 16).is_none() && stores.pending(0xF0, 16).is_none());
        stores.load(0x104);
        assert_eq!(stores.pending(0x100, 16).map(L1Store::address), Some(0x108));
        stores.load(0x10C);
        assert!(stores.pending(0x100, 16).is_none());
        stores.load(0x100);
        assert!(stores.pending(0x100, 16).is_none());
    }

    #[test]
    fn a_store_after_the_load_is_pending_again() {
        let mut stores = RecentStores::default();
        stores.store(0x200, 0x40, 10);
        stores.load(0x200);
        assert!(stores.pending(0x200, 4).is_none());
        stores.store(0x202, 0x44, 12);
        assert_eq!(stores.pending(0x200, 4).map(|stored| stored.pc), Some(0x44));
        stores.load(0x300);
        stores.load(0x220);
        assert!(stores.pending(0x200, 4).is_some());
    }

    #[test]
    fn numbers_may_go_round() {
        let mut stores = RecentStores::default();
        stores.store(0, 0, 0x6000_0000);
        stores.load(0);
        stores.store(4, 0, 0xC000_0000);
        stores.load(4);
        stores.store(8, 0, 4);
        assert!(stores.pending(8, 4).is_some());
        stores.load(8);
        assert!(stores.pending(8, 4).is_none());
    }
}
