//! Sets of cores as rectangles.

use std::collections::BTreeSet;

use hallmark_chip::LogicalCore;
use hallmark_schema::model::CoreRange;

/// Rectangles that cover the cores: adjacent cores of a row form one range, and equal ranges of adjacent rows
/// are joined.
pub(super) fn core_ranges(cores: &BTreeSet<(u32, u32)>) -> Vec<CoreRange> {
    let mut rows: Vec<CoreRange> = Vec::new();
    let by_row: BTreeSet<(u32, u32)> = cores.iter().map(|&(x, y)| (y, x)).collect();
    for (y, x) in by_row {
        match rows.last_mut() {
            Some(last) if last.end.y == y && last.end.x.checked_add(1) == Some(x) => last.end.x = x,
            Some(_) | None => rows.push(CoreRange::single(LogicalCore { x, y })),
        }
    }
    let mut ranges: Vec<CoreRange> = Vec::new();
    for row in rows {
        let above = ranges.iter_mut().find(|above| {
            (above.start.x, above.end.x) == (row.start.x, row.end.x)
                && above.end.y.checked_add(1) == Some(row.start.y)
        });
        match above {
            Some(above) => above.end.y = row.end.y,
            None => ranges.push(row),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(cores: &[(u32, u32)]) -> Vec<(u32, u32, u32, u32)> {
        let ranges = core_ranges(&cores.iter().copied().collect());
        ranges.iter().map(|it| (it.start.x, it.start.y, it.end.x, it.end.y)).collect()
    }

    #[test]
    fn a_full_grid_is_one_rectangle_and_its_rest_another() {
        let grid: Vec<(u32, u32)> = (0..8).flat_map(|x| (0..3).map(move |y| (x, y))).collect();
        assert_eq!(ranges(&grid), [(0, 0, 7, 2)]);
        assert_eq!(ranges(&[&grid[..], &[(0, 3), (1, 3)]].concat()), [(0, 0, 7, 2), (0, 3, 1, 3)]);
        assert_eq!(ranges(&[(0, 0), (2, 0), (0, 1), (2, 1)]), [(0, 0, 0, 1), (2, 0, 2, 1)]);
        assert_eq!(ranges(&[]), []);
    }
}
