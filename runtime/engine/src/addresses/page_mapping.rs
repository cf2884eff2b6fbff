//! The places of a buffer's pages: the bank of each, and its place in the bank.

use std::sync::Arc;

use hallmark_chip::LogicalCore;
use hallmark_schema::model::{BufferLayout, ShardSpec, Sharding, ShardingProblem};

use super::BankNumbers;
use crate::defects::{Defect, planted};

/// The places of a buffer's pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageMapping {
    /// Page `i` lies in bank `i mod banks`.
    Interleaved {
        /// Banks of the memory.
        banks: u64,
    },
    /// Pages lie in shards.
    Sharded(Arc<ShardedPages>),
}

/// The pages of a sharded buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardedPages {
    sharding: Sharding,
    /// The core of each shard.
    cores: Vec<LogicalCore>,
    /// The bank of each shard.
    banks: Vec<u64>,
}

/// The place of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLocation {
    /// The bank's number, counted from 0.
    pub bank: u64,
    /// Its place among the pages of the bank, padding included.
    pub slot: u64,
}

impl PageMapping {
    /// The mapping of a buffer of `pages` pages in a memory with these banks. The cores of `spec` have some of them.
    ///
    /// # Errors
    /// The shards do not hold the pages.
    pub fn new(
        layout: BufferLayout,
        spec: Option<&ShardSpec>,
        pages: u64,
        numbers: &BankNumbers,
    ) -> Result<Self, ShardingProblem> {
        let Some(spec) = spec.filter(|_| layout.is_sharded()) else {
            return Ok(Self::Interleaved { banks: numbers.count().max(1) });
        };
        let sharding = Sharding::new(layout, spec, pages)?;
        let cores: Vec<LogicalCore> = spec.cores_in_order().collect();
        // A core that has no bank holds nothing that could be found.
        let banks = cores.iter().map(|core| numbers.bank(*core).unwrap_or(u64::MAX)).collect();
        Ok(Self::Sharded(Arc::new(ShardedPages { sharding, cores, banks })))
    }

    /// The number of banks over which the pages are spread.
    pub fn banks(&self) -> u64 {
        match self {
            Self::Interleaved { banks } => *banks,
            Self::Sharded(sharded) => sharded.sharding.shards(),
        }
    }

    /// Pages of the bank that holds the most of `pages`, padding included.
    pub fn slots(&self, pages: u64) -> u64 {
        match self {
            Self::Interleaved { banks } if planted(Defect::LastRoundForgotten) => pages / banks,
            Self::Interleaved { banks } => pages.div_ceil(*banks),
            Self::Sharded(_) if pages == 0 => 0,
            Self::Sharded(sharded) => sharded.sharding.slots(),
        }
    }

    /// Whether a bank holds pages, or padding, of the buffer.
    pub fn uses(&self, bank: u64) -> bool {
        match self {
            Self::Interleaved { banks } => bank < *banks,
            Self::Sharded(sharded) => sharded.banks.contains(&bank),
        }
    }

    /// The place of a page.
    pub fn locate(&self, page: u64) -> Option<PageLocation> {
        match self {
            Self::Interleaved { banks } => {
                Some(PageLocation { bank: page % banks, slot: page / banks })
            }
            Self::Sharded(sharded) => {
                let place = sharded.sharding.place(page)?;
                let bank = *sharded.banks.get(usize::try_from(place.shard).ok()?)?;
                Some(PageLocation { bank, slot: place.slot })
            }
        }
    }

    /// The pages of a bank among `pages`, ascending, each with its place in the bank.
    pub fn pages_of(
        &self,
        bank: u64,
        pages: std::ops::Range<u64>,
    ) -> Box<dyn Iterator<Item = (u64, u64)>> {
        match self {
            Self::Interleaved { banks } => {
                let banks = *banks;
                let before = pages.start.saturating_sub(bank).div_ceil(banks);
                let slots = before..pages.end.saturating_sub(bank).div_ceil(banks);
                Box::new(slots.map(move |slot| (bank + slot * banks, slot)))
            }
            Self::Sharded(sharded) => {
                let shard = sharded.banks.iter().position(|other| *other == bank);
                match shard.and_then(|shard| u64::try_from(shard).ok()) {
                    Some(shard) => sharded.sharding.pages_of(shard, pages),
                    None => Box::new(std::iter::empty()),
                }
            }
        }
    }

    /// The arithmetic of a sharded buffer, and the core of each shard.
    pub fn sharding(&self) -> Option<(&Sharding, &[LogicalCore])> {
        match self {
            Self::Interleaved { .. } => None,
            Self::Sharded(sharded) => Some((&sharded.sharding, &sharded.cores)),
        }
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::{Architecture, ChipDescription, L1BankOrder};
    use hallmark_schema::model::{BufferType, Grid};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_pages_of_all_banks_are_the_pages(
            banks in 1_u32..15, start in 0_u64..40, count in 0_u64..40,
        ) {
            let grid = Grid { columns: banks, rows: 1 };
            let chip = ChipDescription::of(Architecture::WormholeB0);
            let numbers = BankNumbers::new(chip, BufferType::L1, grid, L1BankOrder::Shuffled);
            let mapping = PageMapping::new(BufferLayout::Interleaved, None, 80, &numbers).unwrap();
            let mut found = Vec::new();
            for bank in 0..u64::from(banks) {
                let mut before = None;
                for (page, slot) in mapping.pages_of(bank, start..start + count) {
                    prop_assert_eq!(mapping.locate(page), Some(PageLocation { bank, slot }));
                    prop_assert!(before < Some(slot));
                    before = Some(slot);
                    found.push(page);
                }
            }
            found.sort_unstable();
            prop_assert_eq!(found, (start..start + count).collect::<Vec<_>>());
        }
    }
}
