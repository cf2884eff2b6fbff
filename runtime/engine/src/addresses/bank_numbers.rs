//! The numbers of a memory's banks, by core of a grid.

use hallmark_chip::{ChipDescription, L1BankOrder, LogicalCore};
use hallmark_schema::model::{BufferType, Grid};

/// The numbers of a memory's banks. Each core of a grid has one bank; the banks of DRAM count as a row of cores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankNumbers {
    grid: Grid,
    /// The bank of each core, row by row.
    banks: Vec<u32>,
    /// The place in `banks` of each bank.
    places: Vec<u32>,
}

impl BankNumbers {
    /// The numbers of a memory's banks on a chip whose host programs use the cores of `compute`. The order is that of
    /// L1's banks; DRAM's banks have only one order.
    pub fn new(
        chip: &ChipDescription,
        buffer_type: BufferType,
        compute: Grid,
        order: L1BankOrder,
    ) -> Self {
        let (grid, order) = match buffer_type {
            BufferType::L1 | BufferType::L1Small => (compute, order),
            BufferType::Dram => {
                let columns = u32::try_from(chip.dram_banks.len()).unwrap_or(u32::MAX);
                (Grid { columns, rows: 1 }, L1BankOrder::RowByRow)
            }
        };
        let banks = order.banks_of_cores(grid.columns.saturating_mul(grid.rows));
        let mut places: Vec<u32> = banks.clone();
        for (place, bank) in (0..).zip(&banks) {
            if let Some(of_bank) = usize::try_from(*bank).ok().and_then(|bank| places.get_mut(bank))
            {
                *of_bank = place;
            }
        }
        Self { grid, banks, places }
    }

    /// The cores that have a bank, which may hold shards.
    pub const fn grid(&self) -> Grid {
        self.grid
    }

    /// The number of banks.
    pub const fn count(&self) -> u64 {
        self.banks.len() as u64
    }

    /// The bank of a core, if the grid has the core.
    pub fn bank(&self, core: LogicalCore) -> Option<u64> {
        let Grid { columns, rows } = self.grid;
        let inside = core.x < columns && core.y < rows;
        let place = usize::try_from(core.y.checked_mul(columns)?.checked_add(core.x)?).ok()?;
        self.banks.get(place).filter(|_| inside).map(|bank| u64::from(*bank))
    }

    /// The core that has a bank.
    pub fn core(&self, bank: u64) -> Option<LogicalCore> {
        let place = *self.places.get(usize::try_from(bank).ok()?)?;
        let columns = self.grid.columns;
        Some(LogicalCore { x: place.checked_rem(columns)?, y: place.checked_div(columns)? })
    }

    /// The core of each bank, ascending by the bank's number.
    pub fn cores(&self) -> impl Iterator<Item = LogicalCore> {
        (0..self.count()).filter_map(|bank| self.core(bank))
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Architecture;

    use super::*;

    const GRID: Grid = Grid { columns: 3, rows: 2 };

    fn numbers(buffer_type: BufferType, order: L1BankOrder) -> BankNumbers {
        BankNumbers::new(ChipDescription::of(Architecture::WormholeB0), buffer_type, GRID, order)
    }

    /// libstdc++ shuffles six banks to 2 3 1 4 5 0.
    #[test]
    fn the_first_core_has_the_first_of_the_shuffled_numbers() {
        let numbers = numbers(BufferType::L1, L1BankOrder::Shuffled);
        let core = |x, y| LogicalCore { x, y };
        let row_by_row = [core(0, 0), core(1, 0), core(2, 0), core(0, 1), core(1, 1), core(2, 1)];
        assert_eq!(row_by_row.map(|core| numbers.bank(core).unwrap()), [2, 3, 1, 4, 5, 0]);
        let expected = [core(2, 1), core(2, 0), core(0, 0), core(1, 0), core(0, 1), core(1, 1)];
        assert!(numbers.cores().eq(expected));
        assert_eq!((numbers.count(), numbers.grid()), (6, GRID));
    }

    #[test]
    fn what_is_outside_has_no_number() {
        for order in [L1BankOrder::RowByRow, L1BankOrder::Shuffled] {
            let numbers = numbers(BufferType::L1, order);
            for core in [(3, 0), (0, 2), (u32::MAX, 1), (1, u32::MAX)] {
                assert_eq!(numbers.bank(LogicalCore { x: core.0, y: core.1 }), None, "{core:?}");
            }
            assert_eq!(numbers.core(6), None);
            assert_eq!(numbers.core(u64::MAX), None);
        }
    }

    #[test]
    fn the_banks_of_dram_are_a_row_in_their_own_order() {
        let numbers = numbers(BufferType::Dram, L1BankOrder::Shuffled);
        assert_eq!(numbers.grid(), Grid { columns: 12, rows: 1 });
        let row = (0..12).map(|x| LogicalCore { x, y: 0 });
        assert!(numbers.cores().eq(row));
        assert_eq!(numbers.bank(LogicalCore { x: 11, y: 0 }), Some(11));
    }
}
