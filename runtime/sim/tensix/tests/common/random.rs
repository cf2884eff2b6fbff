//! Random numbers and hashes that another simulator can have, too.

use hallmark_chip::FaultCategory;

/// The chip whose instructions are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chip {
    WormholeB0,
    Blackhole,
}

/// SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ mixed >> 31) >> 32) as u32
    }

    pub(crate) fn below(&mut self, end: u32) -> u32 {
        ((u64::from(self.next()) * u64::from(end)) >> 32) as u32
    }

    /// Once in `of` times.
    pub(crate) fn once_in(&mut self, of: u32) -> bool {
        self.below(of) == 0
    }

    pub(crate) fn one_of<Item: Copy>(&mut self, items: &[Item]) -> Item {
        items[self.below(items.len() as u32) as usize]
    }
}

/// FNV-1a over words of 32 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hash(pub(crate) u64);

impl Hash {
    pub(crate) fn new() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }

    pub(crate) fn add(&mut self, word: u32) {
        self.0 = (self.0 ^ u64::from(word)).wrapping_mul(0x0100_0000_01B3);
    }
}

/// The categories in the order of Tenstorrent's simulator.
pub(crate) fn category(category: FaultCategory) -> u32 {
    match category {
        FaultCategory::UndefinedBehavior => 0,
        FaultCategory::UnpredictableValueUsed => 1,
        FaultCategory::NonContractualBehavior => 2,
        FaultCategory::UntestedFunctionality => 5,
        FaultCategory::UnimplementedFunctionality => 6,
        FaultCategory::UnsupportedFunctionality => 7,
        other => panic!("{other:?}"),
    }
}
