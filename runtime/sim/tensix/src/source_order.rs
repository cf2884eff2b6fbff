//! Who wrote which rows of a bank of `SrcA` or `SrcB` last: unpackers, and instructions of the matrix unit that do not wait for
//! the bank (`MOVD2A.md`, `MOVD2B.md`, `MOVB2A.md` and `ZEROSRC.md`, "Instruction scheduling"). And which instruction gave a bank
//! to the unpacker last: `SETDVALID` and an `UNPACR_NOP` that does the same do not wait for that (`SETDVALID.md`,
//! `UNPACR_NOP_SETDVALID.md`). And the other way round: `SETRWC` and `CLEARDVALID` give a bank back without a wait for it.

use crate::destination_order::{Hazard, Overlap, Use};
use crate::registers;
use crate::units::{Source, Unit, Units};

/// A write of some rows, a bit each.
#[derive(Clone, Copy, Debug)]
struct Write {
    rows: u64,
    by: Use,
}

/// The writes of a bank, from the newest to the oldest. Each names the rows that no later one wrote.
#[derive(Clone, Debug, Default)]
struct Writes(Vec<Write>);

impl Writes {
    fn add(&mut self, rows: u64, by: Use) {
        self.0.retain_mut(|older| {
            older.rows &= !rows;
            older.rows != 0
        });
        self.0.insert(0, Write { rows, by });
    }
}

/// A bank.
#[derive(Clone, Debug, Default)]
struct Bank {
    /// Those of unpackers.
    filled: Writes,
    /// Those of the matrix unit since an unpacker has the bank.
    taken: Writes,
    /// The instruction that gave the bank to the unpacker last, and how often banks of the source had been given then.
    emptied: Option<(Use, u32)>,
    /// The instruction of an unpacker that gave the bank to the matrix unit last, since when the matrix unit has it.
    given: Option<Use>,
}

/// Both banks of both sources.
#[derive(Debug, Default)]
pub(crate) struct SourceOrder([[Bank; 2]; 2]);

/// A bank whose rows are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written {
    pub(crate) source: Source,
    pub(crate) second_bank: bool,
    /// The matrix unit has the bank.
    pub(crate) is_valid: bool,
    /// The rows, a bit each.
    pub(crate) rows: u64,
}

impl SourceOrder {
    fn bank(&mut self, source: Source, second_bank: bool) -> &mut Bank {
        let [[a_first, a_second], [b_first, b_second]] = &mut self.0;
        match (source, second_bank) {
            (Source::A, false) => a_first,
            (Source::A, true) => a_second,
            (Source::B, false) => b_first,
            (Source::B, true) => b_second,
        }
    }

    /// An instruction has written rows. Tells of each earlier one that it must come after.
    pub(crate) fn write<E>(
        &mut self,
        by: Use,
        Written { source, second_bank, is_valid, rows }: Written,
        mut comes_after: impl FnMut(&Overlap) -> Result<(), E>,
    ) -> Result<(), E> {
        let bank = self.bank(source, second_bank);
        let (unit, by_matrix_unit) = if by.units == Units::of(Unit::Matrix) {
            (Unit::that_fills(source), true)
        } else {
            (Unit::Matrix, false)
        };
        let others = if by_matrix_unit { &bank.filled } else { &bank.taken };
        for earlier in &others.0 {
            let common = earlier.rows & rows;
            let is_soon_over = earlier.by.thread == by.thread && earlier.by.is_soon_over();
            if common == 0 || is_soon_over {
                continue;
            }
            let rows = common.trailing_zeros()..u64::BITS - common.leading_zeros();
            let (earlier, hazard) = (earlier.by, Hazard::Bank(source));
            comes_after(&Overlap { earlier, unit, later: by, rows, hazard })?;
        }
        if !by_matrix_unit {
            bank.filled.add(rows, by);
        } else if !is_valid {
            bank.taken.add(rows, by);
        }
        Ok(())
    }

    /// The matrix unit has given a bank to the unpacker, as the last of so many banks of the source. Tells of the instruction
    /// by which it had got the bank.
    pub(crate) fn empty<E>(
        &mut self,
        by: Use,
        (source, second_bank): (Source, bool),
        count: u32,
        comes_after: impl FnOnce(&Overlap) -> Result<(), E>,
    ) -> Result<(), E> {
        let bank = self.bank(source, second_bank);
        bank.emptied = Some((by, count));
        bank.given.take().map_or(Ok(()), |earlier| {
            let (unit, rows) = (Unit::that_fills(source), 0..registers::Source::ROWS);
            let hazard = Hazard::Return(source);
            comes_after(&Overlap { earlier, unit, later: by, rows, hazard })
        })
    }

    /// An unpacker has given a bank to the matrix unit. `known`: how many banks of the source the matrix unit had given when
    /// the thread last waited for one. Tells of the instruction that gave this one, if that came later.
    pub(crate) fn give<E>(
        &mut self,
        by: Use,
        (source, second_bank): (Source, bool),
        known: u32,
        comes_after: impl FnOnce(&Overlap) -> Result<(), E>,
    ) -> Result<(), E> {
        let Bank { taken, emptied, given, .. } = self.bank(source, second_bank);
        *taken = Writes::default();
        // SETDVALID does not go through the unpacker.
        *given = (!by.units.is_empty()).then_some(by);
        match emptied.take() {
            // Counts begin anew behind the largest.
            Some((earlier, count))
                if count.wrapping_sub(known) as i32 > 0
                    && !(earlier.thread == by.thread && earlier.is_soon_over()) =>
            {
                let (unit, rows) = (Unit::Matrix, 0..registers::Source::ROWS);
                let hazard = Hazard::Gift(source);
                comes_after(&Overlap { earlier, unit, later: by, rows, hazard })
            }
            _ => Ok(()),
        }
    }

    /// Whatever comes next comes after all writes.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }
}
