//! Pictures of a failure as data: which pages differ, which banks, which tiles, who waits for whom.

use serde::{Deserialize, Serialize};

/// A picture of a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Picture {
    /// The pages of a buffer, and which of them differ.
    Pages(PageStrip),
    /// The banks that hold them, and in which of them pages differ.
    Banks(BankBars),
    /// The first bytes that differ, side by side.
    Bytes(BytePair),
    /// The chip, and the tiles that a failure is about.
    Tiles(TileGrid),
    /// Who waits for whom.
    Waits(WaitChart),
    /// The line of a kernel at which a core stands.
    Source(SourceExcerpt),
}

/// The pages of a buffer, and which of them differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageStrip {
    /// The buffer's name.
    pub buffer: String,
    /// Bytes of a page.
    pub page_size: u64,
    /// How many pages were looked at.
    pub pages: u64,
    /// The pages that differ, ascending, no two ranges touching.
    pub differing: Vec<PageRange>,
}

/// Pages in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageRange {
    /// The first page.
    pub first: u64,
    /// The last page, which belongs to the range.
    pub last: u64,
}

/// The banks that hold a buffer's pages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BankBars {
    /// The kind of memory, such as "DRAM".
    pub memory: String,
    /// The buffer's name.
    pub buffer: String,
    /// The banks that hold pages, in their order.
    pub banks: Vec<Bank>,
}

/// A bank, as far as a buffer's pages are concerned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bank {
    /// The bank's number.
    pub bank: u64,
    /// Where the bank is, such as "tile (0,5)".
    pub place: String,
    /// How many of the pages that were looked at the bank holds.
    pub pages: u64,
    /// How many of those differ.
    pub differing: u64,
}

/// The first bytes that differ, side by side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BytePair {
    /// What the bytes are of, such as an output's name.
    pub object: String,
    /// What the left side is, such as "expected".
    pub left_name: String,
    /// What the right side is, such as "actual".
    pub right_name: String,
    /// The offset of the first byte shown, a multiple of 16.
    pub offset: u64,
    /// The left side's bytes from there on, two hexadecimal digits each.
    pub left: String,
    /// The right side's bytes from there on, two hexadecimal digits each.
    pub right: String,
}

/// A place in the chip's grid, as NoC 0 counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// The column.
    pub x: u32,
    /// The row.
    pub y: u32,
}

/// The chip, and the tiles that a failure is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TileGrid {
    /// The architecture.
    pub architecture: String,
    /// Columns of the chip.
    pub columns: u32,
    /// Rows of the chip.
    pub rows: u32,
    /// The tiles whose kind is known.
    pub tiles: Vec<Tile>,
    /// The tiles that the failure is about.
    pub marks: Vec<TileMark>,
    /// Arrows between tiles.
    pub arrows: Vec<Arrow>,
    /// What an arrow means; empty where there are none.
    pub arrow_meaning: String,
}

/// A tile of the chip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tile {
    /// Where it is.
    pub cell: Cell,
    /// What it is.
    pub kind: TileKind,
    /// What stands in it: the logical coordinate of a worker's tile.
    pub label: String,
}

/// What a tile is.
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

/// A tile that a failure is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TileMark {
    /// Where it is.
    pub cell: Cell,
    /// What it has to do with the failure.
    pub role: TileRole,
    /// What is said of it.
    pub about: String,
}

/// What a tile has to do with a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TileRole {
    /// A core of it broke a rule.
    Fault,
    /// A core of it is the other party of a fault.
    Against,
    /// Its memory is what a fault is about.
    Memory,
    /// A core of it waits.
    Waits,
    /// A core of it still runs.
    Runs,
}

/// An arrow from one tile to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arrow {
    /// Where it begins.
    pub from: Cell,
    /// Where it ends.
    pub to: Cell,
}

/// Who waits for whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaitChart {
    /// The cores that wait; those that wait alike are one entry.
    pub cores: Vec<WaitingCores>,
    /// Which of them waits for which.
    pub edges: Vec<WaitEdge>,
}

/// Cores that wait for the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaitingCores {
    /// The cores, such as "(1,1) TRISC0".
    pub name: String,
    /// What is waited for, in a few words.
    pub awaited: String,
    /// Whether nobody is left who could end the wait.
    pub is_stuck: bool,
}

/// A core that waits for another one. Both are places among the cores of the chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaitEdge {
    /// Who waits.
    pub from: usize,
    /// Who could end the wait.
    pub to: usize,
}

/// Some lines of a kernel's source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceExcerpt {
    /// Who stands there, such as "(1,2) BRISC".
    pub who: String,
    /// The file.
    pub file: String,
    /// The number of the first line shown.
    pub first: u32,
    /// The number of the line that is meant.
    pub line: u32,
    /// The lines.
    pub lines: Vec<String>,
}
