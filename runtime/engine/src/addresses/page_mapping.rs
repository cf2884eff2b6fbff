//! Which page of a buffer lies where: in which bank, and how far into it.

use std::sync::Arc;

use hallmark_chip::ChipDescription;
use hallmark_schema::model::{
    BufferLayout, BufferType, Grid, ShardSpec, Sharding, ShardingProblem,
};

use crate::defects::{Defect, planted};

/// Where the pages of a buffer lie.
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
    /// The bank of each shard.
    banks: Vec<u64>,
}

/// Where a page lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLocation {
    /// The bank's number, counted from 0.
    pub bank: u64,
    /// Its place among the pages of the bank, padding included.
    pub slot: u64,
}

/// The cores that may hold shards in a memory: the compute grid, or the banks of DRAM as a row.
pub fn shard_grid(chip: &ChipDescription, buffer_type: BufferType, compute: Grid) -> Grid {
    match buffer_type {
        BufferType::L1 => compute,
        BufferType::Dram => {
            let columns = u32::try_from(chip.dram_banks.len()).unwrap_or(u32::MAX);
            Grid { columns, rows: 1 }
        }
    }
}

impl PageMapping {
    /// The mapping of a buffer of `pages` pages in a memory whose banks are numbered row by row over
    /// `grid`. The cores of `spec` lie in it.
    ///
    /// # Errors
    /// The shards do not hold the pages.
    pub fn new(
        layout: BufferLayout,
        spec: Option<&ShardSpec>,
        pages: u64,
        grid: Grid,
    ) -> Result<Self, ShardingProblem> {
        let columns = u64::from(grid.columns);
        let Some(spec) = spec.filter(|_| layout.is_sharded()) else {
            return Ok(Self::Interleaved { banks: (columns * u64::from(grid.rows)).max(1) });
        };
        let sharding = Sharding::new(layout, spec, pages)?;
        let bank = |core: hallmark_chip::LogicalCore| {
            u64::from(core.y).saturating_mul(columns).saturating_add(u64::from(core.x))
        };
        let banks = spec.cores_in_order().map(bank).collect();
        Ok(Self::Sharded(Arc::new(ShardedPages { sharding, banks })))
    }

    /// Over how many banks the pages are spread.
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

    /// Where a page lies.
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

    /// The arithmetic of a sharded buffer, and the bank of each shard.
    pub fn sharding(&self) -> Option<(&Sharding, &[u64])> {
        match self {
            Self::Interleaved { .. } => None,
            Self::Sharded(sharded) => Some((&sharded.sharding, &sharded.banks)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_pages_of_all_banks_are_the_pages(
            banks in 1_u32..15, start in 0_u64..40, count in 0_u64..40,
        ) {
            let grid = Grid { columns: banks, rows: 1 };
            let mapping = PageMapping::new(BufferLayout::Interleaved, None, 80, grid).unwrap();
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
