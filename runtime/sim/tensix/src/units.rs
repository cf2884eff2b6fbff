//! The units that reach L1, and the registers that they share with the matrix unit.

use std::fmt;

/// A unit that reads or writes L1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// An unpacker, by its number.
    Unpacker(u8),
    /// A packer, by its number.
    Packer(u8),
}

impl Unit {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Unpacker(0),
        Self::Unpacker(1),
        Self::Packer(0),
        Self::Packer(1),
        Self::Packer(2),
        Self::Packer(3),
    ];

    /// The unpacker that fills a source.
    pub(crate) const fn that_fills(source: Source) -> Self {
        match source {
            Source::A => Self::Unpacker(0),
            Source::B => Self::Unpacker(1),
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unpacker(number) => write!(f, "unpacker {number}"),
            Self::Packer(number) => write!(f, "packer {number}"),
        }
    }
}

/// A source register of the matrix unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// SrcA.
    A,
    /// SrcB.
    B,
}

impl Source {
    /// `SrcA`, or the second one.
    pub(crate) const fn of(second: bool) -> Self {
        if second { Self::B } else { Self::A }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "SrcA",
            Self::B => "SrcB",
        })
    }
}
