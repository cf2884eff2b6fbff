//! `Dst` (`Dst.md`): 1024 rows of 16 bits, or 512 of 32, over the same storage.

use std::cell::Cell;
use std::ops::Range;

use super::{COLUMNS, Row};

/// Rows of 16 bits.
const ROWS: usize = 1024;

/// Rows of 16 bits from the first to the last of some. Of a row of 32 bits, that of its high half counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    first: u16,
    end: u16,
}

impl Span {
    pub(crate) const fn is_empty(self) -> bool {
        self.first == self.end
    }

    const fn with(self, row: u32) -> Self {
        let row = (row % ROWS as u32) as u16;
        if self.is_empty() {
            return Self { first: row, end: row + 1 };
        }
        Self {
            first: if row < self.first { row } else { self.first },
            end: if row < self.end { self.end } else { row + 1 },
        }
    }

    /// The rows of both.
    pub(crate) fn common(self, other: Self) -> Option<Range<u32>> {
        let common = self.first.max(other.first).into()..self.end.min(other.end).into();
        (!common.is_empty()).then_some(common)
    }
}

/// Parts of [`ROWS`] that were read and written, a bit each, and in which rows that was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Touched {
    pub(crate) read: u16,
    pub(crate) written: u16,
    pub(crate) rows_read: Span,
    /// Not those that became undefined.
    pub(crate) rows_written: Span,
}

impl Touched {
    /// Rows of 16 bits in a part: those of a tile.
    pub(crate) const ROWS: u32 = 64;
    pub(crate) const PARTS: u32 = ROWS as u32 / Self::ROWS;

    const NONE: Self = Self {
        read: 0,
        written: 0,
        rows_read: Span { first: 0, end: 0 },
        rows_written: Span { first: 0, end: 0 },
    };

    /// Whether no part was used.
    pub(crate) const fn is_none(self) -> bool {
        self.read | self.written == 0
    }

    const fn part(row: u32) -> u16 {
        1 << (row / Self::ROWS % Self::PARTS)
    }
}

/// `Dst`. Rows beyond the last begin anew.
#[derive(Clone, Debug)]
pub struct Destination {
    rows: Box<[Row<u16>; ROWS]>,
    /// Rows that `ZEROACC` made undefined, which read as 0; a bit each. A row of 32 bits has that of its high half.
    undefined: [u64; ROWS / 64],
    touched: Cell<Touched>,
}

impl Default for Destination {
    fn default() -> Self {
        let unknown = Row { data: [0; COLUMNS], unknown: u16::MAX };
        let touched = Cell::default();
        Self { rows: Box::new([unknown; ROWS]), undefined: [0; ROWS / 64], touched }
    }
}

impl Destination {
    /// Rows of 16 bits.
    pub const ROWS: u32 = ROWS as u32;

    /// The row of 16 bits that holds the high half of a row of 32 bits; the low half stands 8 rows later.
    #[must_use]
    pub const fn high_half(row: u32) -> u32 {
        (row & 0x1F8) << 1 | row & 0x207
    }

    /// The parts that were used since the last call.
    pub(crate) const fn take_touched(&self) -> Touched {
        self.touched.replace(Touched::NONE)
    }

    #[inline]
    fn is_read(&self, row: u32) {
        let touched = self.touched.get();
        let rows_read = touched.rows_read.with(row);
        self.touched.set(Touched { read: touched.read | Touched::part(row), rows_read, ..touched });
    }

    #[inline]
    fn is_written(&self, row: u32) {
        self.is_defined_or_not(row);
        let touched = self.touched.get();
        self.touched.set(Touched { rows_written: touched.rows_written.with(row), ..touched });
    }

    /// A row becomes defined, with what it holds, or undefined.
    #[inline]
    fn is_defined_or_not(&self, row: u32) {
        let touched = self.touched.get();
        self.touched.set(Touched { written: touched.written | Touched::part(row), ..touched });
    }

    fn stored(&self, row: u32) -> Row<u16> {
        self.rows.get(row as usize % ROWS).copied().unwrap_or_default()
    }

    fn stored_mut(&mut self, row: u32) -> Option<&mut Row<u16>> {
        self.rows.get_mut(row as usize % ROWS)
    }

    fn mark(&mut self, row: u32, undefined: bool) {
        let row = row as usize % ROWS;
        if let Some(bits) = self.undefined.get_mut(row / 64) {
            *bits = *bits & !(1 << (row % 64)) | u64::from(undefined) << (row % 64);
        }
    }

    /// Whether a row of 16 bits is undefined.
    #[must_use]
    pub fn is_undefined(&self, row: u32) -> bool {
        let row = row as usize % ROWS;
        self.undefined.get(row / 64).is_some_and(|bits| bits >> (row % 64) & 1 == 1)
    }

    /// A row of 16 bits as it is stored, undefined or not.
    #[must_use]
    pub fn storage(&self, row: u32) -> Row<u16> {
        self.stored(row)
    }

    /// A row of 16 bits; an undefined row is 0.
    #[must_use]
    pub fn read_16(&self, row: u32) -> Row<u16> {
        self.is_read(row);
        if self.is_undefined(row) { Row::default() } else { self.stored(row) }
    }

    /// A row of 32 bits; an undefined row is 0.
    #[must_use]
    pub fn read_32(&self, row: u32) -> Row<u32> {
        let high_row = Self::high_half(row);
        self.is_read(high_row);
        if self.is_undefined(high_row) {
            return Row::default();
        }
        let (high, low) = (self.stored(high_row), self.stored(high_row + 8));
        let mut data = [0; COLUMNS];
        for (datum, (high, low)) in data.iter_mut().zip(high.data.iter().zip(&low.data)) {
            *datum = u32::from(*high) << 16 | u32::from(*low);
        }
        Row { data, unknown: high.unknown | low.unknown }
    }

    /// A row of 16 bits for the vector unit, as pairs of columns, and the unknown columns. An undefined row is unknown: the
    /// documentation leaves its data open (`ZEROACC.md`).
    #[inline(always)]
    pub(crate) fn pairs_16(&self, row: u32) -> ([[u32; 2]; COLUMNS / 2], u16) {
        self.is_read(row);
        let mut pairs = [[0; 2]; COLUMNS / 2];
        let Some(stored) = self.rows.get(row as usize % ROWS) else { return (pairs, 0) };
        if self.is_undefined(row) {
            return (pairs, u16::MAX);
        }
        for (datum, stored) in pairs.as_flattened_mut().iter_mut().zip(&stored.data) {
            *datum = (*stored).into();
        }
        (pairs, stored.unknown)
    }

    /// [`Self::pairs_16`] of a row of 32 bits.
    #[inline(always)]
    pub(crate) fn pairs_32(&self, row: u32) -> ([[u32; 2]; COLUMNS / 2], u16) {
        let high_row = Self::high_half(row);
        let (mut pairs, mut unknown) = self.pairs_16(high_row);
        let low = self.rows.get((high_row as usize + 8) % ROWS);
        if let Some(low) = low.filter(|_| !self.is_undefined(high_row)) {
            for (datum, low) in pairs.as_flattened_mut().iter_mut().zip(&low.data) {
                *datum = *datum << 16 | u32::from(*low);
            }
            unknown |= low.unknown;
        }
        (pairs, unknown)
    }

    /// Writes a row of 16 bits, which is defined then.
    pub fn write_16(&mut self, row: u32, contents: Row<u16>) {
        if let Some(place) = self.stored_mut(row) {
            *place = contents;
        }
        self.is_written(row);
        self.mark(row, false);
    }

    /// Writes a row of 32 bits, which is defined then.
    pub fn write_32(&mut self, row: u32, contents: Row<u32>) {
        let high_row = Self::high_half(row);
        self.write_16(high_row, contents.map(|datum| (datum >> 16) as u16));
        if let Some(place) = self.stored_mut(high_row + 8) {
            *place = contents.map(|datum| datum as u16);
        }
    }

    /// Writes the low half of a row of 32 bits, which is defined then: an undefined high half becomes 0.
    pub fn write_low_half(&mut self, row: u32, contents: Row<u16>) {
        let high_row = Self::high_half(row);
        self.is_written(high_row);
        if self.is_undefined(high_row) {
            self.write_16(high_row, Row::default());
        }
        if let Some(place) = self.stored_mut(high_row + 8) {
            *place = contents;
        }
    }

    /// Writes a datum of 32 bits. The rest of a row that was undefined is unknown then: the documentation leaves it open
    /// (`ZEROACC.md`).
    pub fn write_datum_32(&mut self, row: u32, column: u32, datum: u32, unknown: bool) {
        let high_row = Self::high_half(row);
        let was_undefined = self.is_undefined(high_row);
        self.is_written(high_row);
        self.mark(high_row, false);
        for (row, half) in [(high_row, (datum >> 16) as u16), (high_row + 8, datum as u16)] {
            let column = column as usize % COLUMNS;
            let Some(place) = self.stored_mut(row) else { continue };
            if was_undefined {
                place.unknown = u16::MAX;
            }
            place.unknown = place.unknown & !(1 << column) | u16::from(unknown) << column;
            if let Some(stored) = place.data.get_mut(column) {
                *stored = half;
            }
        }
    }

    /// Writes some columns of a row of 16 bits; in others, unknown data decide whether they are written. The rest of a row
    /// that was undefined is unknown then.
    pub fn write_columns_16(&mut self, row: u32, columns: u16, contents: Row<u16>, open: u16) {
        let was_undefined = self.is_undefined(row);
        self.is_written(row);
        self.mark(row, false);
        if let Some(place) = self.stored_mut(row) {
            place.replace(columns, contents, if was_undefined { u16::MAX } else { open });
        }
    }

    /// [`Self::write_columns_16`] of a row of 32 bits.
    pub fn write_columns_32(&mut self, row: u32, columns: u16, contents: Row<u32>, open: u16) {
        let high_row = Self::high_half(row);
        let others = if self.is_undefined(high_row) { u16::MAX } else { open };
        self.write_columns_16(high_row, columns, contents.map(|datum| (datum >> 16) as u16), open);
        if let Some(place) = self.stored_mut(high_row + 8) {
            place.replace(columns, contents.map(|datum| datum as u16), others);
        }
    }

    /// `count` rows of 16 bits from `first` on become undefined.
    pub fn undefine(&mut self, first: u32, count: u32) {
        let end = first.saturating_add(count.min(Self::ROWS));
        let mut row = first;
        while row < end {
            self.is_defined_or_not(row);
            let bits = if row.is_multiple_of(64) && end - row >= 64 { 64 } else { 1 };
            if bits == 1 {
                self.mark(row, true);
            } else if let Some(rows) = self.undefined.get_mut(row as usize % ROWS / 64) {
                *rows = u64::MAX;
            }
            row += bits;
        }
    }

    /// Undefined rows of 16 bits become defined, with what they held.
    pub fn define(&mut self, row: u32) {
        self.is_defined_or_not(row);
        self.mark(row, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_32_bits_stand_eight_rows_apart() {
        let mut destination = Destination::default();
        destination.write_32(13, Row { data: [0x1234_5678; 16], unknown: 0x10 });
        assert_eq!(destination.read_16(21), Row { data: [0x1234; 16], unknown: 0x10 });
        assert_eq!(destination.read_16(29), Row { data: [0x5678; 16], unknown: 0x10 });
        assert_eq!(destination.read_32(13), Row { data: [0x1234_5678; 16], unknown: 0x10 });
    }

    #[test]
    fn rows_of_32_bits_cover_the_storage_once() {
        let mut halves: Vec<_> = (0..1024)
            .filter(|row| row & 0x200 == 0)
            .flat_map(|row| [Destination::high_half(row), Destination::high_half(row) + 8])
            .collect();
        halves.sort_unstable();
        assert!(halves.iter().copied().eq(0..1024));
    }

    #[test]
    fn ranges_of_rows_become_undefined() {
        for (first, count) in [(60, 70), (64, 64), (128, 127), (512, 512), (1000, 40)] {
            let mut destination = Destination::default();
            destination.undefine(first, count);
            for row in 0..Destination::ROWS {
                let is_within = (row + Destination::ROWS - first) % Destination::ROWS < count;
                assert_eq!(destination.is_undefined(row), is_within, "{row} of {count}");
            }
        }
    }

    #[test]
    fn undefined_rows_are_zero_until_they_are_written() {
        let mut destination = Destination::default();
        destination.write_16(40, Row::known([9; 16]));
        destination.undefine(40, 2);
        assert_eq!(destination.read_16(40), Row::default());
        assert_eq!(destination.read_16(41), Row::default());
        assert_eq!(destination.read_16(42).unknown, u16::MAX);
        assert_eq!(destination.storage(40), Row::known([9; 16]));
        destination.define(40);
        assert_eq!(destination.read_16(40), Row::known([9; 16]));
        destination.write_16(41, Row::known([3; 16]));
        assert_eq!(destination.read_16(41), Row::known([3; 16]));
    }

    #[test]
    fn the_high_half_says_whether_32_bits_are_undefined() {
        let mut destination = Destination::default();
        destination.write_32(9, Row::known([5 << 16 | 7; 16]));
        destination.undefine(Destination::high_half(9) + 8, 1);
        assert_eq!(destination.read_32(9), Row::known([5 << 16 | 7; 16]));
        destination.undefine(Destination::high_half(9), 1);
        assert_eq!(destination.read_32(9), Row::default());
    }

    #[test]
    fn the_low_half_leaves_the_high_half() {
        let mut destination = Destination::default();
        let half = Row { data: [7; 16], unknown: 2 };
        destination.write_32(9, Row { data: [5 << 16; 16], unknown: 4 });
        destination.write_low_half(9, half);
        assert_eq!(destination.read_32(9), Row { data: [5 << 16 | 7; 16], unknown: 6 });
        destination.undefine(Destination::high_half(9), 1);
        destination.write_low_half(9, half);
        assert_eq!(destination.read_32(9), Row { data: [7; 16], unknown: 2 });
    }

    #[test]
    fn a_datum_defines_its_row_and_leaves_the_rest_unknown() {
        let mut destination = Destination::default();
        destination.write_32(9, Row::known([5; 16]));
        destination.write_datum_32(9, 3, 0x0001_0002, false);
        let row = destination.read_32(9);
        assert_eq!((row.unknown, row.data[3], row.data[4]), (0, 0x0001_0002, 5));
        destination.undefine(Destination::high_half(9), 1);
        destination.write_datum_32(9, 18, 0x0003_0004, false);
        let row = destination.read_32(9);
        assert_eq!((row.unknown, row.data[2]), (!(1 << 2), 0x0003_0004));
        destination.write_datum_32(9, 2, 0, true);
        assert_eq!(destination.read_32(9).unknown, u16::MAX);
    }

    #[test]
    fn columns_define_their_row_and_leave_the_rest_unknown() {
        let mut destination = Destination::default();
        destination.write_32(9, Row::known([5; 16]));
        let contents = Row { data: [0x0001_0002; 16], unknown: 1 << 4 };
        destination.write_columns_32(9, 0b11_0000, contents, 0b1);
        let row = destination.read_32(9);
        assert_eq!((row.unknown, row.data[4], row.data[5]), (0b1_0001, 0x0001_0002, 0x0001_0002));
        assert_eq!(row.data[6], 5);
        destination.undefine(Destination::high_half(9), 1);
        destination.write_columns_32(9, 0b11_0000, contents, 0);
        assert_eq!(destination.read_32(9).unknown, !(1 << 5));
        destination.write_16(40, Row::known([9; 16]));
        destination.undefine(40, 1);
        destination.write_columns_16(40, 0b10, Row::known([7; 16]), 0);
        let row = destination.read_16(40);
        assert_eq!((row.unknown, row.data[1], row.data[2]), (!0b10, 7, 9));
    }

    #[test]
    fn the_parts_that_were_used_are_told_once() {
        let parts = |destination: &Destination| {
            let touched = destination.take_touched();
            [touched.read, touched.written]
        };
        let mut destination = Destination::default();
        destination.take_touched();
        destination.undefine(64, 128);
        let _ = destination.read_16(3 * 64 + 63);
        assert_eq!(parts(&destination), [1 << 3, 0b110]);
        assert!(destination.take_touched().is_none());
        // Row 32 of 32 bits stands in rows 64 and 72; row 992 of 16 bits is of the last part, and 1027 of the first.
        let _ = destination.read_32(32);
        destination.write_32(32 + 5 * 32, Row::default());
        destination.write_low_half(32, Row::default());
        destination.write_columns_16(992, 1, Row::default(), 0);
        destination.write_16(1027, Row::default());
        assert_eq!(parts(&destination), [1 << 1, 1 << 6 | 1 << 1 | 1 << 15 | 1]);
    }

    #[test]
    fn the_rows_that_were_used_are_told_once() {
        let spans = |destination: &Destination| {
            let Touched { rows_read, rows_written, .. } = destination.take_touched();
            [rows_read, rows_written].map(|span| span.common(Span { first: 0, end: ROWS as u16 }))
        };
        let mut destination = Destination::default();
        destination.undefine(64, 128);
        destination.undefine(5, 2);
        destination.define(6);
        assert_eq!(spans(&destination), [None, None]);
        for row in [9, 12, 10] {
            destination.write_16(row, Row::default());
        }
        let _ = destination.read_16(1024 + 8);
        assert_eq!(spans(&destination), [Some(8..9), Some(9..13)]);
        assert_eq!(spans(&destination), [None, None]);
        destination.write_datum_32(9, 1, 0, false);
        let _ = destination.pairs_32(1);
        assert_eq!(spans(&destination), [Some(1..2), Some(17..18)]);
        destination.write_columns_16(1023, 1, Row::default(), 0);
        destination.write_low_half(511, Row::default());
        assert_eq!(spans(&destination), [None, Some(1015..1024)]);
    }

    #[test]
    fn rows_begin_anew() {
        let mut destination = Destination::default();
        destination.write_16(1024 + 6, Row::known([4; 16]));
        assert_eq!(destination.read_16(6), Row::known([4; 16]));
        destination.undefine(1020, 8);
        assert!([1020, 1023, 0, 3].map(|row| destination.is_undefined(row)).iter().all(|row| *row));
        assert!(!destination.is_undefined(4));
    }
}
