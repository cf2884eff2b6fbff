//! The banks of a device's memories, in the order in which pages go round them.

use hallmark_chip::{ChipDescription, LogicalCore, NocCoordinate, PhysicalCoordinate};
use hallmark_schema::model::{BufferType, Grid};

use crate::InternalError;

/// A bank of interleaved memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bank {
    /// How the host names the tile that holds it.
    pub tile: NocCoordinate,
    /// The same tile on the die.
    pub physical: PhysicalCoordinate,
    /// The tile's address of the bank's first byte.
    pub offset: u64,
}

/// All banks of a device: those of DRAM, and L1 of each core of its grid, row by row.
#[derive(Debug)]
pub struct Banks {
    /// In the order of the chip's description.
    pub dram: Vec<Bank>,
    /// One for each core, row by row.
    pub l1: Vec<Bank>,
}

impl Banks {
    /// The banks of a chip whose host programs use the cores of `grid`.
    ///
    /// # Errors
    /// A core of the grid that the chip does not have.
    pub fn new(description: &ChipDescription, grid: Grid) -> Result<Self, InternalError> {
        let dram = description
            .dram_banks
            .iter()
            .map(|bank| Bank { tile: bank.tile, physical: bank.place, offset: bank.offset })
            .collect();
        let mut l1 = Vec::new();
        for y in 0..grid.rows {
            for x in 0..grid.columns {
                let core = LogicalCore { x, y };
                let (Some(tile), Some(physical)) =
                    (description.noc_coordinate(core), description.physical(core))
                else {
                    return Err(InternalError::new(format!("no tile for core {core}")));
                };
                l1.push(Bank { tile, physical, offset: 0 });
            }
        }
        Ok(Self { dram, l1 })
    }

    /// The banks of a memory.
    pub fn of(&self, buffer_type: BufferType) -> &[Bank] {
        match buffer_type {
            BufferType::Dram => &self.dram,
            BufferType::L1 => &self.l1,
        }
    }
}
