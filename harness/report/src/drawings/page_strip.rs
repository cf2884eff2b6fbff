//! The pages of a buffer as a strip of cells.

use maud::{Markup, html};

use super::captioned;
use super::svg::{Anchor, Area, Drawing, Point};
use crate::picture::{PageRange, PageStrip};
use crate::text::{counted, grouped, line, word};

/// Cells of a row.
const COLUMNS: u64 = 32;
/// The largest number of rows; in a longer buffer, a cell stands for several pages.
const ROWS: u64 = 8;
/// Width of a cell and the gap after it.
const CELL: (i32, i32) = (14, 2);
/// Height of a cell and the gap below it.
const LINE: (i32, i32) = (16, 3);
/// Width of the label before a row.
const MARGIN: i32 = 48;
/// The largest number of page ranges that the sentence names.
const NAMED: usize = 6;

/// The strip with its sentence.
pub(super) fn figure(strip: &PageStrip) -> Markup {
    let differing = strip.differing.iter().map(length).fold(0, u64::saturating_add);
    let caption = html! {
        b { (grouped(differing)) " of " (counted(strip.pages, "page", "pages")) }
        " of " code { (word(&strip.buffer)) } " (" (grouped(strip.page_size)) " B each) "
        @if differing == 1 { "differs" } @else { "differ" }
        @if !strip.differing.is_empty() { ": " (named(&strip.differing)) }
    };
    captioned("strip", &caption, &drawing(strip))
}

const fn length(range: &PageRange) -> u64 {
    range.last.saturating_sub(range.first).saturating_add(1)
}

/// `3, 9–12, …`.
fn named(ranges: &[PageRange]) -> String {
    let mut names: Vec<String> = ranges
        .iter()
        .take(NAMED)
        .map(|range| match range.first == range.last {
            true => grouped(range.first),
            false => format!("{}–{}", grouped(range.first), grouped(range.last)),
        })
        .collect();
    if ranges.len() > NAMED {
        names.push("…".to_owned());
    }
    names.join(", ")
}

/// The number of differing pages from `first` to `last`.
fn differing_between(ranges: &[PageRange], first: u64, last: u64) -> u64 {
    let overlap = |range: &PageRange| {
        let (first, last) = (range.first.max(first), range.last.min(last));
        if first > last { 0 } else { last.saturating_sub(first).saturating_add(1) }
    };
    // Ranges are sorted, so earlier ranges end before these pages.
    let from = ranges.partition_point(|range| range.last < first);
    let until = ranges.partition_point(|range| range.first <= last);
    let overlapping = ranges.get(from..until).unwrap_or_default();
    overlapping.iter().map(overlap).fold(0, u64::saturating_add)
}

fn drawing(strip: &PageStrip) -> Markup {
    let room = COLUMNS.saturating_mul(ROWS);
    let each = strip.pages.div_ceil(room).max(1);
    let cells = strip.pages.div_ceil(each);
    let rows = i32::try_from(cells.div_ceil(COLUMNS).max(1)).unwrap_or(1);
    let columns = i32::try_from(cells.min(COLUMNS)).unwrap_or(1);
    let width = MARGIN.saturating_add(columns.saturating_mul(CELL.0.saturating_add(CELL.1)));
    let height = rows.saturating_mul(LINE.0.saturating_add(LINE.1));
    let mut drawing = Drawing::new(width, height, format!("Pages of {}", strip.buffer));
    for cell in 0..cells {
        let first = cell.saturating_mul(each);
        let last = first.saturating_add(each).min(strip.pages).saturating_sub(1);
        let differing = differing_between(&strip.differing, first, last);
        let (column, row) = (cell.checked_rem(COLUMNS), cell.checked_div(COLUMNS));
        let column = column.and_then(|it| i32::try_from(it).ok()).unwrap_or_default();
        let row = row.and_then(|it| i32::try_from(it).ok()).unwrap_or_default();
        let (x, y) = (
            MARGIN.saturating_add(column.saturating_mul(CELL.0.saturating_add(CELL.1))),
            row.saturating_mul(LINE.0.saturating_add(LINE.1)),
        );
        if column == 0 {
            let at = Point { x: MARGIN.saturating_sub(8), y: y.saturating_add(12) };
            drawing.text(at, Anchor::End, "axis", grouped(first));
        }
        let area = Area { x, y, width: CELL.0, height: LINE.0 };
        let class = if differing > 0 { "bad" } else { "cell" };
        // Thousands of titles would make the page heavy, and an equal page needs none.
        if differing == 0 {
            drawing.rectangle(area, class, None);
            continue;
        }
        let about = match each {
            1 => format!("page {} differs", grouped(first)),
            _ => format!(
                "{} of pages {}–{} differ",
                grouped(differing),
                grouped(first),
                grouped(last)
            ),
        };
        drawing.rectangle(area, class, Some(line(&about)));
    }
    html! {
        (drawing.render())
        @if each > 1 { p.legend { "A cell stands for " (grouped(each)) " pages." } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip(pages: u64, differing: &[(u64, u64)]) -> String {
        let differing = differing.iter().map(|&(first, last)| PageRange { first, last }).collect();
        figure(&PageStrip { buffer: "dst".to_owned(), page_size: 2048, pages, differing })
            .into_string()
    }

    #[test]
    fn a_cell_for_each_page_or_for_several() {
        let small = strip(7, &[(3, 3)]);
        assert_eq!(small.matches("<rect").count(), 7);
        assert_eq!(small.matches("class=\"bad\"").count(), 1);
        assert!(small.contains("page 3 differs") && !small.contains("stands for"), "{small}");
        for (pages, cells, each) in [(256, 256, false), (257, 129, true), (u64::MAX, 256, true)] {
            let text = strip(pages, &[(0, 0), (pages - 1, pages - 1)]);
            assert_eq!(text.matches("<rect").count(), cells, "{pages}");
            assert_eq!(text.matches("class=\"bad\"").count(), 2, "{pages}");
            assert_eq!(text.contains("stands for"), each, "{pages}");
        }
    }

    #[test]
    fn pages_are_counted_and_named() {
        let text = strip(64, &[(1, 1), (9, 12)]);
        assert!(text.contains("<b>5 of 64 pages</b>") && text.contains("1, 9–12"), "{text}");
        let many: Vec<(u64, u64)> = (0..20).map(|page| (page * 2, page * 2)).collect();
        assert!(strip(64, &many).contains("0, 2, 4, 6, 8, 10, …"));
        // A buffer without pages has an empty strip.
        assert!(strip(0, &[]).contains("<b>0 of 0 pages</b>"));
    }
}
