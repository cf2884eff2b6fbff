//! Which tile a coordinate names, and of what kind it is.

use hallmark_chip::{ChipDescription, Noc, NocCoordinate, PhysicalCoordinate};

use crate::machine::fault::Violation;

/// What kind of tile stands somewhere on the die; numbers index the chip's own lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TileKind {
    Tensix(u16),
    Dram(u8),
    Ethernet(u8),
    Pcie,
    Arc,
    /// A Tensix tile that is fused off.
    Harvested,
    Empty,
}

/// Which tile a coordinate in a NoC request names.
#[derive(Clone, Debug)]
pub(crate) struct Coordinates {
    grid: (u8, u8),
    raw_below: u8,
    columns: [Option<u8>; 64],
    rows: [Option<u8>; 64],
    /// Rows in whose requests columns of the grid stand for themselves.
    rows_of_untranslated_columns: &'static [u8],
    kinds: Vec<TileKind>,
    tensix: Vec<PhysicalCoordinate>,
    /// Bit x is set for each column that holds no Tensix tile.
    pub(crate) other_columns: u32,
    /// Bit y is set for each row that holds no Tensix tile.
    pub(crate) other_rows: u32,
}

fn table(pairs: &[(u8, u8)]) -> [Option<u8>; 64] {
    let mut table = [None; 64];
    for &(translated, physical) in pairs {
        if let Some(entry) = table.get_mut(usize::from(translated)) {
            *entry = Some(physical);
        }
    }
    table
}

fn others(size: u8, taken: &[u8]) -> u32 {
    (0..size).filter(|place| !taken.contains(place)).fold(0, |mask, place| mask | 1 << place)
}

/// What a request to a tile that is fused off comes to: its clock is off, so that nothing ever answers.
pub(crate) fn harvested(at: PhysicalCoordinate) -> Violation {
    Violation::undefined(format!(
        "tile {at} is harvested: it is fused off, and nothing there takes or answers a request"
    ))
}

impl Coordinates {
    pub(crate) fn new(description: &ChipDescription) -> Self {
        let grid = description.noc_grid;
        let mut coordinates = Self {
            grid,
            raw_below: description.raw_coordinates_below,
            columns: table(description.translated_columns),
            rows: table(description.translated_rows),
            rows_of_untranslated_columns: description.rows_of_untranslated_columns,
            kinds: vec![TileKind::Empty; usize::from(grid.0) * usize::from(grid.1)],
            tensix: Vec::new(),
            other_columns: others(grid.0, description.tensix_columns),
            other_rows: others(grid.1, description.tensix_rows),
        };
        for &y in description.tensix_rows {
            for &x in description.tensix_columns {
                let index = coordinates.tensix.len() as u16;
                coordinates.tensix.push(PhysicalCoordinate { x, y });
                coordinates.put(PhysicalCoordinate { x, y }, TileKind::Tensix(index));
            }
        }
        for index in 0..coordinates.kinds.len() {
            let (x, y) = (index % usize::from(grid.0), index / usize::from(grid.0));
            let at = PhysicalCoordinate { x: x as u8, y: y as u8 };
            if description.is_harvested(at) {
                coordinates.put(at, TileKind::Harvested);
            }
        }
        for (channel, tile) in description.dram_tiles.iter().enumerate() {
            for &port in tile.ports {
                coordinates.put(port, TileKind::Dram(channel as u8));
            }
        }
        for (channel, &tile) in description.ethernet_tiles.iter().enumerate() {
            coordinates.put(tile, TileKind::Ethernet(channel as u8));
        }
        coordinates.put(description.pcie_place, TileKind::Pcie);
        coordinates.put(description.arc_tile, TileKind::Arc);
        coordinates
    }

    fn put(&mut self, at: PhysicalCoordinate, kind: TileKind) {
        let index = usize::from(at.y) * usize::from(self.grid.0) + usize::from(at.x);
        if let Some(slot) = self.kinds.get_mut(index) {
            *slot = kind;
        }
    }

    /// Tensix tiles in the order of their numbers.
    pub(crate) fn tensix(&self) -> &[PhysicalCoordinate] {
        &self.tensix
    }

    pub(crate) fn kind(&self, at: PhysicalCoordinate) -> TileKind {
        let index = usize::from(at.y) * usize::from(self.grid.0) + usize::from(at.x);
        self.kinds.get(index).copied().unwrap_or(TileKind::Empty)
    }

    /// NoC 1 counts from the opposite corner.
    pub(crate) fn mirrored(&self, at: PhysicalCoordinate) -> PhysicalCoordinate {
        PhysicalCoordinate {
            x: self.grid.0.saturating_sub(1).saturating_sub(at.x),
            y: self.grid.1.saturating_sub(1).saturating_sub(at.y),
        }
    }

    /// The place on the die that a request names: translated numbers are the same on both networks,
    /// raw ones are mirrored on NoC 1, and each axis is looked up by itself
    /// (NoC/Coordinates.md). Numbers that are in no table stand for themselves.
    pub(crate) fn resolve(
        &self,
        noc: Noc,
        named: NocCoordinate,
    ) -> Result<PhysicalCoordinate, Violation> {
        let axis = |table: &[Option<u8>; 64], size: u8, number: u8| match table
            .get(usize::from(number))
            .copied()
            .flatten()
        {
            Some(physical) => Some(physical),
            None if number < size => Some(match noc {
                Noc::Noc1 if number < self.raw_below => {
                    size.saturating_sub(1).saturating_sub(number)
                }
                _ => number,
            }),
            None => None,
        };
        let untranslated =
            named.x < self.grid.0 && self.rows_of_untranslated_columns.contains(&named.y);
        let columns = if untranslated { &[None; 64] } else { &self.columns };
        match (axis(columns, self.grid.0, named.x), axis(&self.rows, self.grid.1, named.y)) {
            (Some(x), Some(y)) => Ok(PhysicalCoordinate { x, y }),
            _ => Err(Violation::unimplemented(format!("no tile has the coordinate {named}"))
                .naming_nothing()),
        }
    }
}
