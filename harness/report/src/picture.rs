//! Pictures of a failure as data: differing pages, banks, tiles, and waits.

use serde::{Deserialize, Serialize};

/// A picture of a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Picture {
    /// The pages of a buffer, with the differing ones.
    Pages(PageStrip),
    /// The banks of a buffer, with the numbers of differing pages.
    Banks(BankBars),
    /// The first differing bytes, side by side.
    Bytes(BytePair),
    /// The chip, with the tiles that a failure concerns.
    Tiles(TileGrid),
    /// The waits of cores.
    Waits(WaitChart),
    /// The source line at which a core stands.
    Source(SourceExcerpt),
}

/// The pages of a buffer, with the differing ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageStrip {
    /// The buffer's name.
    pub buffer: String,
    /// Bytes of a page.
    pub page_size: u64,
    /// The number of compared pages.
    pub pages: u64,
    /// The differing pages as ascending, non-adjacent ranges.
    pub differing: Vec<PageRange>,
}

/// Consecutive pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageRange {
    /// The first page.
    pub first: u64,
    /// The last page, inclusive.
    pub last: u64,
}

/// The banks of a buffer's pages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BankBars {
    /// The kind of memory, such as "DRAM".
    pub memory: String,
    /// The buffer's name.
    pub buffer: String,
    /// The banks with pages, in their order.
    pub banks: Vec<Bank>,
}

/// A bank with some of a buffer's pages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bank {
    /// The bank's number.
    pub bank: u64,
    /// The place of the bank, such as "tile (0,5)".
    pub place: String,
    /// The number of compared pages in the bank.
    pub pages: u64,
    /// The number of differing pages in the bank.
    pub differing: u64,
}

/// The first differing bytes, side by side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BytePair {
    /// The name of the object with these bytes, such as an output.
    pub object: String,
    /// The name of the left side, such as "expected".
    pub left_name: String,
    /// The name of the right side, such as "actual".
    pub right_name: String,
    /// The offset of the first byte shown, a multiple of 16.
    pub offset: u64,
    /// The left side's bytes from there on, two hexadecimal digits each.
    pub left: String,
    /// The right side's bytes from there on, two hexadecimal digits each.
    pub right: String,
}

/// A NoC 0 coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// The column.
    pub x: u32,
    /// The row.
    pub y: u32,
}

/// The chip, with the tiles that a failure concerns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TileGrid {
    /// The architecture.
    pub architecture: String,
    /// Columns of the chip.
    pub columns: u32,
    /// Rows of the chip.
    pub rows: u32,
    /// The tiles of known kind.
    pub tiles: Vec<Tile>,
    /// The tiles that the failure concerns.
    pub marks: Vec<TileMark>,
    /// Arrows between tiles.
    pub arrows: Vec<Arrow>,
    /// The meaning of an arrow; empty without arrows.
    pub arrow_meaning: String,
}

/// A tile of the chip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tile {
    /// The tile's coordinate.
    pub cell: Cell,
    /// The kind of tile.
    pub kind: TileKind,
    /// The text in the tile: the logical coordinate of a worker tile.
    pub label: String,
}

/// The kind of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TileKind {
    /// A Tensix tile.
    Tensix,
    /// A Tensix tile that is fused off.
    Harvested,
    /// A port of a DRAM controller.
    Dram,
    /// An Ethernet tile.
    Ethernet,
    /// The tile of PCIe.
    Pcie,
    /// The tile of the management processor.
    Arc,
}

/// A tile that a failure concerns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TileMark {
    /// The tile's coordinate.
    pub cell: Cell,
    /// The role of the tile in the failure.
    pub role: TileRole,
    /// The text about the tile.
    pub about: String,
}

/// The role of a tile in a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TileRole {
    /// A core of it broke a rule.
    Fault,
    /// A core of it is the other party of a fault.
    Against,
    /// The fault concerns its memory.
    Memory,
    /// A core of it waits.
    Waits,
    /// A core of it still runs.
    Runs,
}

/// An arrow between two tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arrow {
    /// The first tile.
    pub from: Cell,
    /// The last tile.
    pub to: Cell,
}

/// The waits of cores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaitChart {
    /// The waiting cores; those with the same wait are one entry.
    pub cores: Vec<WaitingCores>,
    /// The edges from waiting cores to those that could end their waits.
    pub edges: Vec<WaitEdge>,
}

/// Cores with the same wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaitingCores {
    /// The cores, such as "(1,1) TRISC0".
    pub name: String,
    /// The awaited event, in a few words.
    pub awaited: String,
    /// Whether no core can end the wait any more.
    pub is_stuck: bool,
}

/// An edge of the chart. Both ends are indices of `cores`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaitEdge {
    /// The waiting cores.
    pub from: usize,
    /// The cores that could end the wait.
    pub to: usize,
}

/// Some lines of a kernel's source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceExcerpt {
    /// The core at the marked line, such as "(1,2) BRISC".
    pub who: String,
    /// The file.
    pub file: String,
    /// The number of the first line shown.
    pub first: u32,
    /// The number of the marked line.
    pub line: u32,
    /// The lines.
    pub lines: Vec<String>,
}
