//! `SrcA` and `SrcB` (`SrcASrcB.md`): two banks, of which unpackers fill one while the matrix unit reads the other.

use super::{COLUMNS, Row};
use crate::formats::Format;

/// One of two banks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bank {
    /// Bank 0.
    #[default]
    First,
    /// Bank 1.
    Second,
}

impl Bank {
    /// The other bank.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// 0 or 1.
    #[must_use]
    pub const fn number(self) -> u32 {
        match self {
            Self::First => 0,
            Self::Second => 1,
        }
    }
}

/// `SrcA` or `SrcB`. A datum of 19 bits stands at the top of a word: sign, 8 bits of exponent, 10 bits of mantissa.
#[derive(Clone, Debug)]
pub struct Source {
    first: Contents,
    second: Contents,
    matrix_bank: Bank,
    unpacker_bank: Bank,
}

#[derive(Clone, Debug)]
struct Contents {
    rows: Box<[Row<u32>; Source::ROWS as usize]>,
    /// The matrix unit may read the bank, and unpackers may not write it (`AllowedClient`).
    valid: bool,
    /// The format that the unpacker wrote last (Blackhole).
    format: Format,
    /// The rows that were written since that was asked, a bit each.
    written: u64,
}

impl Contents {
    /// A row that is about to be written.
    fn place(&mut self, row: u32) -> Option<&mut Row<u32>> {
        let row = row % Source::ROWS;
        self.written |= 1 << row;
        self.rows.get_mut(row as usize)
    }
}

impl Default for Contents {
    fn default() -> Self {
        let unknown = Row { data: [0; COLUMNS], unknown: u16::MAX };
        Self {
            rows: Box::new([unknown; Source::ROWS as usize]),
            valid: false,
            format: Format::FLOAT32,
            written: 0,
        }
    }
}

impl Default for Source {
    fn default() -> Self {
        Self {
            first: Contents::default(),
            second: Contents::default(),
            matrix_bank: Bank::First,
            unpacker_bank: Bank::First,
        }
    }
}

impl Source {
    /// Rows of a bank.
    pub const ROWS: u32 = 64;

    fn contents(&self, bank: Bank) -> &Contents {
        match bank {
            Bank::First => &self.first,
            Bank::Second => &self.second,
        }
    }

    fn contents_mut(&mut self, bank: Bank) -> &mut Contents {
        match bank {
            Bank::First => &mut self.first,
            Bank::Second => &mut self.second,
        }
    }

    /// The bank that the matrix unit uses.
    #[must_use]
    pub fn matrix_bank(&self) -> Bank {
        self.matrix_bank
    }

    /// The bank that the unpacker uses.
    #[must_use]
    pub fn unpacker_bank(&self) -> Bank {
        self.unpacker_bank
    }

    /// Whether the matrix unit may read a bank.
    #[must_use]
    pub fn is_valid(&self, bank: Bank) -> bool {
        self.contents(bank).valid
    }

    /// The format of a bank (Blackhole).
    #[must_use]
    pub fn format(&self, bank: Bank) -> Format {
        self.contents(bank).format
    }

    /// A row of a bank; rows beyond the last begin anew.
    #[must_use]
    pub fn row(&self, bank: Bank, row: u32) -> &Row<u32> {
        static NO_ROW: Row<u32> = Row::known([0; COLUMNS]);
        self.contents(bank).rows.get((row % Self::ROWS) as usize).unwrap_or(&NO_ROW)
    }

    /// Rows of a bank from `first` on.
    pub fn rows(&self, bank: Bank, first: u32) -> impl Iterator<Item = &Row<u32>> {
        self.contents(bank).rows.iter().skip((first % Self::ROWS) as usize)
    }

    /// Writes a row of a bank; rows beyond the last begin anew.
    pub fn write_row(&mut self, bank: Bank, row: u32, contents: Row<u32>) {
        if let Some(place) = self.contents_mut(bank).place(row) {
            *place = contents;
        }
    }

    /// Writes a datum of a bank; rows and columns beyond the last begin anew.
    pub fn write_datum(&mut self, bank: Bank, row: u32, column: u32, datum: u32, unknown: bool) {
        let column = column as usize % COLUMNS;
        let Some(place) = self.contents_mut(bank).place(row) else { return };
        if let Some(data) = place.data.get_mut(column) {
            *data = datum;
        }
        place.unknown = place.unknown & !(1 << column) | u16::from(unknown) << column;
    }

    /// Every datum of a bank becomes `datum`.
    pub fn fill(&mut self, bank: Bank, datum: u32) {
        let contents = self.contents_mut(bank);
        contents.rows.fill(Row::known([datum; COLUMNS]));
        contents.written = u64::MAX;
    }

    /// The rows of the first bank, and of the second, that were written since the last call; a bit each.
    pub(crate) const fn take_written(&mut self) -> [u64; 2] {
        let Self { first, second, .. } = self;
        [std::mem::replace(&mut first.written, 0), std::mem::replace(&mut second.written, 0)]
    }

    /// The unpacker gives its bank to the matrix unit and goes on with the other. `false`, and nothing happens, if the
    /// matrix unit has the bank already.
    #[must_use]
    pub fn give_to_matrix_unit(&mut self, format: Format) -> bool {
        let bank = self.unpacker_bank;
        let contents = self.contents_mut(bank);
        if contents.valid {
            return false;
        }
        contents.valid = true;
        contents.format = format;
        self.unpacker_bank = bank.other();
        true
    }

    /// The matrix unit gives its bank to the unpacker, unless it `keeps` it, and goes on with the other. `false`, and
    /// nothing happens, if it gives what it does not have.
    #[must_use]
    pub fn give_to_unpacker(&mut self, keeps: bool) -> bool {
        let bank = self.matrix_bank;
        let contents = self.contents_mut(bank);
        if !keeps && !contents.valid {
            return false;
        }
        contents.valid &= keeps;
        self.matrix_bank = bank.other();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn banks_go_round() {
        let mut source = Source::default();
        for bank in [Bank::First, Bank::Second] {
            assert_eq!(source.unpacker_bank(), bank);
            assert!(source.give_to_matrix_unit(Format::BFP8));
            assert!(source.is_valid(bank));
            assert_eq!(source.format(bank), Format::BFP8);
        }
        assert!(!source.give_to_matrix_unit(Format::TF32));
        assert_eq!(source.format(Bank::First), Format::BFP8);
        for bank in [Bank::First, Bank::Second] {
            assert_eq!(source.matrix_bank(), bank);
            assert!(source.give_to_unpacker(false));
            assert!(!source.is_valid(bank));
        }
        assert!(!source.give_to_unpacker(false));
        assert_eq!(source.matrix_bank(), Bank::First);
    }

    #[test]
    fn a_kept_bank_stays_valid() {
        let mut source = Source::default();
        assert!(source.give_to_unpacker(true));
        assert_eq!(source.matrix_bank(), Bank::Second);
        assert!(source.give_to_unpacker(true));
        assert!(source.give_to_matrix_unit(Format::TF32));
        assert!(source.give_to_unpacker(true));
        assert!(source.is_valid(Bank::First));
    }

    #[test]
    fn power_on_leaves_data_unknown() {
        let mut source = Source::default();
        assert_eq!(source.row(Bank::Second, 63).unknown, u16::MAX);
        source.write_datum(Bank::Second, 63, 5, 0x3F80_0000, false);
        source.write_datum(Bank::Second, 63, 22, 0x4000_0000, false);
        let row = source.row(Bank::Second, 63);
        assert_eq!(row.unknown, !(1 << 5 | 1 << 6));
        assert_eq!((row.data[5], row.data[6]), (0x3F80_0000, 0x4000_0000));
        source.write_datum(Bank::Second, 63, 5, 0, true);
        assert_eq!(source.row(Bank::Second, 63).unknown, !(1 << 6));
        assert_eq!(source.row(Bank::First, 63).unknown, u16::MAX);
        source.fill(Bank::First, 0xFFFF_E000);
        assert_eq!(*source.row(Bank::First, 9), Row::known([0xFFFF_E000; 16]));
    }

    #[test]
    fn the_rows_that_were_written_are_told_once() {
        let mut source = Source::default();
        assert_eq!(source.take_written(), [0, 0]);
        source.write_row(Bank::First, 66, Row::known([7; 16]));
        source.write_row(Bank::First, 5, Row::known([7; 16]));
        source.write_datum(Bank::Second, 63, 5, 0, true);
        let _ = source.row(Bank::Second, 1);
        assert_eq!(source.take_written(), [1 << 2 | 1 << 5, 1 << 63]);
        assert_eq!(source.take_written(), [0, 0]);
        source.fill(Bank::Second, 3);
        assert_eq!(source.take_written(), [0, u64::MAX]);
    }

    #[test]
    fn rows_begin_anew() {
        let mut source = Source::default();
        source.write_row(Bank::First, 66, Row::known([7; 16]));
        assert_eq!(source.row(Bank::First, 2).data, [7; 16]);
        assert_eq!(source.rows(Bank::First, 62).count(), 2);
    }
}
