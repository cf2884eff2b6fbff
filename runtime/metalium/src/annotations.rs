//! Annotations of upstream's buffers for a simulator that accepts them, so that it detects reads of unwritten
//! memory, and races.

use hallmark_chip::ChipDescription;
use hallmark_schema::model::{BufferType, Grid};

use crate::interface::Interface;

/// `hallmark_annotate`'s numbers for the meanings of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Meaning {
    Freed = 0,
    Buffer = 1,
}

/// The memory of a buffer. Upstream gives a buffer the same addresses in every bank of its type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) buffer_type: BufferType,
    pub(crate) address: u64,
    pub(crate) size_per_bank: u64,
}

/// The NoC 0 coordinate of a bank, with its offset.
#[derive(Clone, Copy, Debug)]
struct Bank {
    tile: [u32; 2],
    offset: u64,
}

/// The banks of a chip whose simulator accepts annotations.
#[derive(Debug)]
pub(crate) struct Annotations {
    dram: Vec<Bank>,
    l1: Vec<Bank>,
}

impl Annotations {
    /// `None` if the chip below upstream's driver accepts no annotations.
    pub(crate) fn of(
        interface: &mut Interface,
        chip: &ChipDescription,
        grid: Grid,
    ) -> Result<Option<Self>, String> {
        let mut takes = 0;
        interface.takes_annotations(&mut takes)?;
        if takes == 0 {
            return Ok(None);
        }
        let mut l1 = Vec::new();
        for y in 0..grid.rows {
            for x in 0..grid.columns {
                let mut tile = [0; 2];
                interface.worker_core(x, y, &mut tile)?;
                l1.push(Bank { tile, offset: 0 });
            }
        }
        let dram = chip.dram_banks.iter().map(|bank| Bank {
            tile: [bank.tile.x.into(), bank.tile.y.into()],
            offset: bank.offset,
        });
        Ok(Some(Self { dram: dram.collect(), l1 }))
    }

    /// Sets the meaning of a buffer's memory from now on.
    pub(crate) fn say(
        &self,
        interface: &mut Interface,
        extent: Extent,
        meaning: Meaning,
    ) -> Result<(), String> {
        let banks = match extent.buffer_type {
            BufferType::Dram => &self.dram,
            BufferType::L1 | BufferType::L1Small => &self.l1,
        };
        for Bank { tile: [x, y], offset } in banks {
            let start = offset.saturating_add(extent.address);
            interface.annotate(*x, *y, start, extent.size_per_bank, meaning as u32)?;
        }
        Ok(())
    }
}
