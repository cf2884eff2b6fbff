//! The registers between unpackers, the matrix unit, the vector unit and packers.

mod destination;
mod source;
mod vector;

pub use destination::Destination;
pub(crate) use destination::{Span, Touched};
pub use source::{Bank, Source};
pub(crate) use vector::{Due, LANE_BITS, LaneBit, LaneConfiguration, Late, MacroUnit};
pub use vector::{Flags, LANES, Lanes, STACK, Vector, Vectors};

/// Columns of every register.
pub const COLUMNS: usize = 16;

/// A row of a register. Bit `n` of `unknown` says that nothing determined datum `n` since power-on: it may be copied, and
/// no result may depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row<Datum> {
    /// The data; those that are unknown have the value that the register happens to hold.
    pub data: [Datum; COLUMNS],
    /// The columns that are unknown.
    pub unknown: u16,
}

impl<Datum: Copy> Row<Datum> {
    /// A row of known data.
    pub const fn known(data: [Datum; COLUMNS]) -> Self {
        Self { data, unknown: 0 }
    }

    /// The row with each datum changed, and nothing else.
    pub fn map<Other>(self, change: impl FnMut(Datum) -> Other) -> Row<Other> {
        Row { data: self.data.map(change), unknown: self.unknown }
    }

    /// Replaces some columns; `others` become unknown.
    fn replace(&mut self, columns: u16, by: Self, others: u16) {
        for ((column, datum), new) in (0..).zip(&mut self.data).zip(by.data) {
            *datum = if columns >> column & 1 == 0 { *datum } else { new };
        }
        self.unknown = (self.unknown | others) & !columns | by.unknown & columns;
    }

    /// A row of which all columns are column 0.
    pub fn of_column_zero(self) -> Self {
        let [first, ..] = self.data;
        Self { data: [first; COLUMNS], unknown: if self.unknown & 1 == 0 { 0 } else { u16::MAX } }
    }
}

/// The registers of a tile that the matrix unit works on.
#[derive(Clone, Debug, Default)]
pub struct Registers {
    /// `SrcA`, which unpacker 0 fills.
    pub source_a: Source,
    /// `SrcB`, which unpacker 1 fills.
    pub source_b: Source,
    /// `Dst`.
    pub destination: Destination,
}
