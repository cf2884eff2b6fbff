//! The banks of a device's memories, in the order in which interleaved pages go round them.

use hallmark_chip::{ChipDescription, L1BankOrder, NocCoordinate, PhysicalCoordinate};
use hallmark_schema::model::{BufferType, Grid};

use super::BankNumbers;
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

/// All banks of a device: those of DRAM, and L1 of each core of its grid.
#[derive(Debug)]
pub struct Banks {
    /// Ascending by their numbers, which follow the chip's description.
    pub dram: Vec<Bank>,
    /// One for each core, ascending by their numbers.
    pub l1: Vec<Bank>,
    dram_numbers: BankNumbers,
    l1_numbers: BankNumbers,
}

impl Banks {
    /// The banks of a chip whose host programs use the cores of `grid`, those of L1 in that order.
    ///
    /// # Errors
    /// A core of the grid that the chip does not have.
    pub fn new(
        description: &ChipDescription,
        grid: Grid,
        order: L1BankOrder,
    ) -> Result<Self, InternalError> {
        let dram = description
            .dram_banks
            .iter()
            .map(|bank| Bank { tile: bank.tile, physical: bank.place, offset: bank.offset })
            .collect();
        let numbers = |buffer_type| BankNumbers::new(description, buffer_type, grid, order);
        let l1_numbers = numbers(BufferType::L1);
        let bank = |core| {
            let (tile, physical) = description
                .noc_coordinate(core)
                .zip(description.physical(core))
                .ok_or_else(|| InternalError::new(format!("no tile for core {core}")))?;
            Ok(Bank { tile, physical, offset: 0 })
        };
        let l1 = l1_numbers.cores().map(bank).collect::<Result<_, InternalError>>()?;
        Ok(Self { dram, l1, dram_numbers: numbers(BufferType::Dram), l1_numbers })
    }

    /// The numbers of a memory's banks.
    pub const fn numbers(&self, buffer_type: BufferType) -> &BankNumbers {
        match buffer_type {
            BufferType::Dram => &self.dram_numbers,
            BufferType::L1 | BufferType::L1Small => &self.l1_numbers,
        }
    }

    /// The banks of a memory.
    pub fn of(&self, buffer_type: BufferType) -> &[Bank] {
        match buffer_type {
            BufferType::Dram => &self.dram,
            BufferType::L1 | BufferType::L1Small => &self.l1,
        }
    }
}
