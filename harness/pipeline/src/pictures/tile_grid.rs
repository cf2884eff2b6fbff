//! The chip with the tiles that a failure concerns.

use std::collections::BTreeSet;

use hallmark_chip::{ChipDescription, PhysicalCoordinate};
use hallmark_report::{Arrow, Cell, Picture, Tile, TileGrid, TileKind, TileMark};

/// The largest number of marks in a picture; a chip has fewer cores.
const MARKS: usize = 1_024;
/// The largest number of arrows in a picture.
const ARROWS: usize = 64;

/// A tile's cell in the grid.
pub(crate) fn cell(tile: PhysicalCoordinate) -> Cell {
    Cell { x: tile.x.into(), y: tile.y.into() }
}

/// The chip; `None` without marks.
pub(super) fn picture(
    chip: &ChipDescription,
    mut marks: Vec<TileMark>,
    arrows: Vec<Arrow>,
    arrow_meaning: &str,
) -> Option<Picture> {
    if marks.is_empty() {
        return None;
    }
    marks.truncate(MARKS);
    let arrows: BTreeSet<Arrow> = arrows.into_iter().filter(|it| it.from != it.to).collect();
    let arrows: Vec<Arrow> = arrows.into_iter().take(ARROWS).collect();
    let (columns, rows) = chip.noc_grid;
    let places = (0..rows).flat_map(|y| (0..columns).map(move |x| PhysicalCoordinate { x, y }));
    let arrow_meaning = if arrows.is_empty() { String::new() } else { arrow_meaning.to_owned() };
    Some(Picture::Tiles(TileGrid {
        architecture: chip.architecture.to_string(),
        columns: columns.into(),
        rows: rows.into(),
        tiles: places.filter_map(|place| tile(chip, place)).collect(),
        marks,
        arrows,
        arrow_meaning,
    }))
}

/// The kind and label of a tile, if known.
fn tile(chip: &ChipDescription, place: PhysicalCoordinate) -> Option<Tile> {
    let tile = |kind, label| Some(Tile { cell: cell(place), kind, label });
    if let Some(core) = chip.logical(place) {
        return tile(TileKind::Tensix, format!("{},{}", core.x, core.y));
    }
    let harvested = match chip.harvests_rows {
        true => chip.harvested.contains(&place.y) && chip.tensix_columns.contains(&place.x),
        false => chip.harvested.contains(&place.x) && chip.tensix_rows.contains(&place.y),
    };
    let kind = if harvested {
        TileKind::Harvested
    } else if chip.dram_tiles.iter().any(|dram| dram.ports.contains(&place)) {
        TileKind::Dram
    } else if chip.ethernet_tiles.contains(&place) {
        TileKind::Ethernet
    } else if chip.pcie_place == place {
        TileKind::Pcie
    } else if chip.arc_tile == place {
        TileKind::Arc
    } else {
        return None;
    };
    tile(kind, String::new())
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Architecture;
    use hallmark_report::TileRole;

    use super::*;

    fn grid(chip: &ChipDescription) -> TileGrid {
        let mark =
            |x, y| TileMark { cell: Cell { x, y }, role: TileRole::Fault, about: String::new() };
        let arrow = |x| Arrow { from: Cell { x: 1, y: 1 }, to: Cell { x, y: 1 } };
        let arrows = vec![arrow(1), arrow(2), arrow(2)];
        let Some(Picture::Tiles(grid)) = picture(chip, vec![mark(1, 1)], arrows, "there") else {
            panic!("there is a mark")
        };
        grid
    }

    #[test]
    fn every_chip_has_its_tiles() {
        for (architecture, tensix, dram) in [
            (Architecture::Grayskull, 120, 8),
            (Architecture::WormholeB0, 80, 18),
            (Architecture::Blackhole, 140, 24),
        ] {
            let grid = grid(ChipDescription::of(architecture));
            let count = |kind| grid.tiles.iter().filter(|tile| tile.kind == kind).count();
            assert_eq!(count(TileKind::Tensix), tensix, "{architecture}");
            assert_eq!(count(TileKind::Dram), dram, "{architecture}");
            assert_eq!((count(TileKind::Pcie), count(TileKind::Harvested)), (1, 0));
            assert_eq!(grid.arrows.len(), 1);
        }
    }

    #[test]
    fn nothing_is_drawn_where_nothing_is_marked() {
        let chip = ChipDescription::of(Architecture::WormholeB0);
        assert_eq!(picture(chip, Vec::new(), Vec::new(), "there"), None);
    }
}
