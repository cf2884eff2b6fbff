//! The chip as a grid of tiles: the tiles that a failure concerns, and arrows between tiles.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::captioned;
use super::svg::{Anchor, Area, Drawing, Point};
use crate::picture::{Cell, TileGrid, TileKind, TileRole};
use crate::text::{Text, counted, line, to_u64, word};

/// Width and height of a tile, and the gap after it.
const TILE: (i32, i32, i32) = (36, 26, 4);
/// The position of the first tile.
const MARGIN: (i32, i32) = (24, 18);
/// The largest number of drawn columns, and of rows.
const DRAWN: u32 = 32;
/// The largest number of tiles and marks that are processed.
const LOOKED_AT: usize = 2_048;
/// The largest number of texts about one tile; a tile has five cores.
const TEXTS: usize = 8;
/// The largest number of arrows; more would hide the tiles.
const ARROWS: usize = 64;

/// The grid with its sentence.
pub(super) fn figure(grid: &TileGrid) -> Markup {
    let roles = roles(grid);
    let caption = html! {
        b { (word(&grid.architecture)) }
        ", columns and rows as NoC 0 counts them; logical coordinates in the tiles"
    };
    let content = html! {
        (drawing(grid, &roles))
        ul.legend {
            @for role in ROLES {
                @let count = to_u64(roles.values().filter(|known| **known == role).count());
                @if count > 0 {
                    li { span class={ "swatch " (class(role)) } {} (counted(count, "tile ", "tiles ")) (meaning(role)) }
                }
            }
            @if !grid.arrows.is_empty() { li { span.swatch { "→" } (line(&grid.arrow_meaning)) } }
            @for (kind, what) in OTHERS {
                @if grid.tiles.iter().take(LOOKED_AT).any(|tile| tile.kind == kind) {
                    li { b { (letter(kind)) } " " (what) }
                }
            }
        }
    };
    captioned("grid", &caption, &content)
}

/// Every role, the most severe first.
const ROLES: [TileRole; 5] =
    [TileRole::Fault, TileRole::Against, TileRole::Waits, TileRole::Runs, TileRole::Memory];

const fn class(role: TileRole) -> &'static str {
    match role {
        TileRole::Fault => "bad",
        TileRole::Against => "against",
        TileRole::Memory => "memory",
        TileRole::Waits => "waits",
        TileRole::Runs => "runs",
    }
}

const fn meaning(role: TileRole) -> &'static str {
    match role {
        TileRole::Fault => "with the core at fault",
        TileRole::Against => "with the other party",
        TileRole::Memory => "whose memory it is about",
        TileRole::Waits => "whose cores wait",
        TileRole::Runs => "whose cores still run",
    }
}

/// The letter of a tile without a logical coordinate.
const fn letter(kind: TileKind) -> &'static str {
    match kind {
        TileKind::Tensix | TileKind::Harvested => "",
        TileKind::Dram => "D",
        TileKind::Ethernet => "E",
        TileKind::Pcie => "P",
        TileKind::Arc => "A",
    }
}

/// The kinds of tiles with a letter, and their names.
const OTHERS: [(TileKind, &str); 4] = [
    (TileKind::Dram, "DRAM"),
    (TileKind::Ethernet, "Ethernet"),
    (TileKind::Pcie, "PCIe"),
    (TileKind::Arc, "management processor"),
];

/// The most severe role of each tile.
fn roles(grid: &TileGrid) -> BTreeMap<Cell, TileRole> {
    let rank = |role: TileRole| ROLES.iter().position(|known| *known == role);
    let mut roles: BTreeMap<Cell, TileRole> = BTreeMap::new();
    for mark in grid.marks.iter().take(LOOKED_AT) {
        let known = roles.entry(mark.cell).or_insert(mark.role);
        if rank(mark.role) < rank(*known) {
            *known = mark.role;
        }
    }
    roles
}

/// The texts about each tile.
fn about(grid: &TileGrid) -> BTreeMap<Cell, BTreeSet<&str>> {
    let mut about: BTreeMap<Cell, BTreeSet<&str>> = BTreeMap::new();
    for mark in grid.marks.iter().take(LOOKED_AT) {
        about.entry(mark.cell).or_default().insert(&mark.about);
    }
    about
}

/// The upper left corner of a tile, if it is drawn.
fn corner(grid: &TileGrid, cell: Cell) -> Option<Point> {
    if cell.x >= grid.columns.min(DRAWN) || cell.y >= grid.rows.min(DRAWN) {
        return None;
    }
    let at = |margin: i32, number: u32, size: i32| {
        i32::try_from(number).ok()?.checked_mul(size.checked_add(TILE.2)?)?.checked_add(margin)
    };
    Some(Point { x: at(MARGIN.0, cell.x, TILE.0)?, y: at(MARGIN.1, cell.y, TILE.1)? })
}

fn middle(corner: Point) -> Point {
    Point { x: corner.x.saturating_add(TILE.0 / 2), y: corner.y.saturating_add(TILE.1 / 2) }
}

fn drawing(grid: &TileGrid, roles: &BTreeMap<Cell, TileRole>) -> Markup {
    let extent = |number: u32, margin: i32, size: i32| {
        let number = i32::try_from(number.min(DRAWN)).unwrap_or_default();
        number.saturating_mul(size.saturating_add(TILE.2)).saturating_add(margin)
    };
    let width = extent(grid.columns, MARGIN.0, TILE.0);
    let height = extent(grid.rows, MARGIN.1, TILE.1);
    let title = format!("Tiles of {}", grid.architecture);
    let mut drawing = Drawing::new(width, height, title);
    for x in 0..grid.columns.min(DRAWN) {
        let Some(corner) = corner(grid, Cell { x, y: 0 }) else { continue };
        drawing.text(Point { x: middle(corner).x, y: 12 }, Anchor::Middle, "axis", x);
    }
    for y in 0..grid.rows.min(DRAWN) {
        let Some(corner) = corner(grid, Cell { x: 0, y }) else { continue };
        let at = Point { x: MARGIN.0.saturating_sub(8), y: middle(corner).y.saturating_add(4) };
        drawing.text(at, Anchor::End, "axis", y);
    }
    let about = about(grid);
    let mut drawn: BTreeSet<Cell> = BTreeSet::new();
    let mut plain: BTreeMap<&str, Vec<Point>> = BTreeMap::new();
    let mut texts: Vec<(Point, Text<'_>)> = Vec::new();
    for tile in grid.tiles.iter().take(LOOKED_AT) {
        let Some(corner) = corner(grid, tile.cell) else { continue };
        if !drawn.insert(tile.cell) {
            continue;
        }
        let inside = if tile.label.is_empty() { letter(tile.kind) } else { &tile.label };
        let at = Point { x: middle(corner).x, y: middle(corner).y.saturating_add(4) };
        match roles.get(&tile.cell) {
            Some(role) => {
                let area = Area { x: corner.x, y: corner.y, width: TILE.0, height: TILE.1 };
                let texts = about.get(&tile.cell).into_iter().flatten().copied();
                let about = texts.take(TEXTS).collect::<Vec<_>>().join("; ");
                drawing.rectangle(area, class(*role), Some(line(&about)));
                let class = format!("on {}", class(*role));
                drawing.text(at, Anchor::Middle, &class, word(inside));
            }
            None => {
                plain.entry(plain_class(tile.kind)).or_default().push(corner);
                texts.extend((!inside.is_empty()).then_some((at, word(inside))));
            }
        }
    }
    for (class, corners) in plain {
        drawing.rectangles(&corners, (TILE.0, TILE.1), class);
    }
    drawing.texts(&texts, "in");
    for arrow in grid.arrows.iter().take(ARROWS) {
        if arrow.from == arrow.to {
            continue;
        }
        let (Some(from), Some(to)) = (corner(grid, arrow.from), corner(grid, arrow.to)) else {
            continue;
        };
        let (from, to) = (middle(from), middle(to));
        // The arrow runs beside the straight line, so that two tiles that wait for each other have two separate
        // arrows.
        let (dx, dy) = (to.x.saturating_sub(from.x), to.y.saturating_sub(from.y));
        let bend = Point {
            x: (from.x.saturating_add(to.x) / 2).saturating_sub(dy / 5),
            y: (from.y.saturating_add(to.y) / 2).saturating_add(dx / 5),
        };
        drawing.arrow(from, bend, to, "arrow");
    }
    drawing.render()
}

/// The class of a tile that the failure does not concern.
const fn plain_class(kind: TileKind) -> &'static str {
    match kind {
        TileKind::Tensix => "cell",
        TileKind::Harvested => "off",
        TileKind::Dram | TileKind::Ethernet | TileKind::Pcie | TileKind::Arc => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::{Arrow, Tile, TileMark};

    fn grid() -> TileGrid {
        let tile =
            |x, y| Tile { cell: Cell { x, y }, kind: TileKind::Tensix, label: format!("{x},{y}") };
        TileGrid {
            architecture: "wormhole_b0".to_owned(),
            columns: 3,
            rows: 2,
            tiles: (0..3).flat_map(|x| (0..2).map(move |y| tile(x, y))).collect(),
            marks: vec![
                TileMark {
                    cell: Cell { x: 1, y: 1 },
                    role: TileRole::Against,
                    about: "b".to_owned(),
                },
                TileMark {
                    cell: Cell { x: 1, y: 1 },
                    role: TileRole::Fault,
                    about: "a".to_owned(),
                },
            ],
            arrows: Vec::new(),
            arrow_meaning: "from who waits".to_owned(),
        }
    }

    #[test]
    fn a_tile_has_its_gravest_role_and_all_that_is_said_of_it() {
        let text = figure(&grid()).into_string();
        assert_eq!(text.matches("<rect").count(), 1, "{text}");
        assert_eq!(text.matches("h36v26h-36z").count(), 5, "{text}");
        assert_eq!(text.matches(r#"<g text-anchor="middle" class="in">"#).count(), 1, "{text}");
        assert!(text.contains("class=\"bad\"><title>a; b</title>"), "{text}");
        assert!(text.contains("1 tile with the core at fault"), "{text}");
        assert!(!text.contains("other party") && !text.contains("who waits"), "{text}");
    }

    #[test]
    fn arrows_lead_to_other_tiles_that_are_there() {
        let mut grid = grid();
        let arrow = |from: (u32, u32), to: (u32, u32)| Arrow {
            from: Cell { x: from.0, y: from.1 },
            to: Cell { x: to.0, y: to.1 },
        };
        grid.arrows = vec![
            arrow((0, 0), (2, 1)),
            arrow((2, 1), (0, 0)),
            arrow((1, 1), (1, 1)),
            arrow((0, 0), (u32::MAX, 7)),
        ];
        let text = figure(&grid).into_string();
        assert_eq!(text.matches("class=\"arrow\"").count(), 2, "{text}");
        assert!(text.contains("from who waits"), "{text}");
    }

    #[test]
    fn a_grid_of_any_size_is_drawn_in_bounds() {
        let mut grid = grid();
        (grid.columns, grid.rows) = (u32::MAX, 0);
        let text = figure(&grid).into_string();
        assert_eq!(text.matches("<rect").count(), 0, "{text}");
        assert!(text.len() < 10_000);
    }
}
