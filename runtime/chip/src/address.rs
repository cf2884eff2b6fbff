//! A type for each address space and each way to name a tile.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Tile addresses of private memory and registers, on every chip: only single aligned 4-byte accesses
/// reach them (tt-isa-documentation, WormholeB0/TensixTile/BabyRISCV/README.md, "Memory map").
pub const REGISTERS: std::ops::Range<u64> = 0xFFB0_0000..0x1_0000_0000;

/// An address inside one tile as its NoC interface sees it: L1 from 0, [`REGISTERS`], a DRAM channel
/// from 0. 36 bits on Wormhole, 64 on Blackhole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TileAddress(pub u64);

impl TileAddress {
    /// The address `bytes` further on, or `None` past the end of the address space.
    pub fn checked_add(self, bytes: u64) -> Option<Self> {
        self.0.checked_add(bytes).map(Self)
    }
}

impl fmt::Display for TileAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:#x}", self.0)
    }
}

/// A coordinate as it is put into a NoC request: translated where the architecture translates
/// (Wormhole, Blackhole), raw on Grayskull.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NocCoordinate {
    /// The x of a request, 0 to 63.
    pub x: u8,
    /// The y of a request, 0 to 63.
    pub y: u8,
}

impl fmt::Display for NocCoordinate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "({},{})", self.x, self.y)
    }
}

/// A tile's place on the die in NoC 0 coordinates, whatever is harvested or translated.
///
/// Its text form is `[x, y]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "(u8, u8)", from = "(u8, u8)")]
pub struct PhysicalCoordinate {
    /// Column on the die, in the direction in which NoC 0 routes.
    pub x: u8,
    /// Row on the die, in the direction in which NoC 0 routes.
    pub y: u8,
}

impl From<PhysicalCoordinate> for (u8, u8) {
    fn from(PhysicalCoordinate { x, y }: PhysicalCoordinate) -> Self {
        (x, y)
    }
}

impl From<(u8, u8)> for PhysicalCoordinate {
    fn from((x, y): (u8, u8)) -> Self {
        Self { x, y }
    }
}

impl fmt::Display for PhysicalCoordinate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "({},{})", self.x, self.y)
    }
}

/// A core of the compute grid as a host program names it, counted from (0,0) without gaps.
///
/// Its text form is `[x, y]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "(u32, u32)", from = "(u32, u32)")]
pub struct LogicalCore {
    /// Column of the compute grid.
    pub x: u32,
    /// Row of the compute grid.
    pub y: u32,
}

impl From<LogicalCore> for (u32, u32) {
    fn from(LogicalCore { x, y }: LogicalCore) -> Self {
        (x, y)
    }
}

impl From<(u32, u32)> for LogicalCore {
    fn from((x, y): (u32, u32)) -> Self {
        Self { x, y }
    }
}

impl fmt::Display for LogicalCore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "({},{})", self.x, self.y)
    }
}

/// A base address register of the PCIe function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bar {
    /// TLB windows and, at its top, the registers that configure them.
    Bar0,
    /// The PCIe controller's own registers.
    Bar2,
    /// Wormhole: system registers. Blackhole: the 4 GiB windows.
    Bar4,
}

impl fmt::Display for Bar {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Bar0 => "BAR0",
            Self::Bar2 => "BAR2",
            Self::Bar4 => "BAR4",
        })
    }
}

/// A byte offset from the start of a base address register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BarOffset {
    /// The base address register that the offset counts in.
    pub bar: Bar,
    /// Bytes from its start.
    pub offset: u64,
}

/// A byte offset into PCI configuration space, a multiple of 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConfigOffset(pub u16);
