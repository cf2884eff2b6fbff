//! The units that work on after an instruction was issued, and the registers that they share.

use std::fmt;

/// A unit that works on after an instruction was issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// An unpacker, by its number.
    Unpacker(u8),
    /// A packer, by its number.
    Packer(u8),
    /// The matrix unit.
    Matrix,
    /// The vector unit.
    Vector,
}

impl Unit {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Unpacker(0),
        Self::Unpacker(1),
        Self::Packer(0),
        Self::Packer(1),
        Self::Packer(2),
        Self::Packer(3),
        Self::Matrix,
        Self::Vector,
    ];

    /// Whether it reads or writes L1.
    #[must_use]
    pub const fn reaches_l1(self) -> bool {
        match self {
            Self::Unpacker(_) | Self::Packer(_) => true,
            Self::Matrix | Self::Vector => false,
        }
    }

    /// The condition of `STALLWAIT` that waits for it, as TT-Metalium's low-level kernels call it.
    #[must_use]
    pub fn stall_condition(self) -> String {
        match self {
            Self::Unpacker(number) => format!("p_stall::UNPACK{number}"),
            Self::Packer(_) => "p_stall::PACK".to_owned(),
            Self::Matrix => "p_stall::MATH".to_owned(),
            Self::Vector => "p_stall::WAIT_SFPU".to_owned(),
        }
    }

    /// Its number among [`Self::ALL`].
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Self::Unpacker(number) => number as usize & 1,
            Self::Packer(number) => 2 + (number as usize & 3),
            Self::Matrix => 6,
            Self::Vector => 7,
        }
    }

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
            Self::Matrix => f.write_str("the matrix unit"),
            Self::Vector => f.write_str("the vector unit"),
        }
    }
}

/// Some units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Units(u8);

impl Units {
    /// One.
    #[inline]
    pub(crate) const fn of(unit: Unit) -> Self {
        Self(1 << unit.index())
    }

    /// Packers by a mask of their numbers.
    pub(crate) const fn packers(mask: u32) -> Self {
        Self(((mask & 0xF) << Unit::Packer(0).index()) as u8)
    }

    /// Both unpackers.
    pub(crate) const UNPACKERS: Self = Self::of(Unit::Unpacker(0)).and(Self::of(Unit::Unpacker(1)));

    /// A bit for each, by [`Unit::index`].
    pub(crate) const fn bits(self) -> u8 {
        self.0
    }

    /// Those and others.
    pub(crate) const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Those that are not among others.
    pub(crate) const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = Unit> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let next = Unit::ALL.get(left.trailing_zeros() as usize);
            left &= left.saturating_sub(1);
            next.copied()
        })
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
    /// The condition of `STALLWAIT` that waits until the matrix unit has the bank that it uses, as TT-Metalium's low-level
    /// kernels call it.
    #[must_use]
    pub const fn valid_condition(self) -> &'static str {
        match self {
            Self::A => "p_stall::SRCA_VLD",
            Self::B => "p_stall::SRCB_VLD",
        }
    }

    /// The condition of `STALLWAIT` that waits until the unpacker has the bank that it uses.
    #[must_use]
    pub const fn cleared_condition(self) -> &'static str {
        match self {
            Self::A => "p_stall::SRCA_CLR",
            Self::B => "p_stall::SRCB_CLR",
        }
    }

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
