//! The waits of cores: the cores in a column, and an arrow from each to those that could end its wait.

use maud::{Markup, html};

use super::captioned;
use super::svg::{Anchor, Area, Drawing, Point};
use crate::picture::{WaitChart, WaitEdge};
use crate::text::{Text, counted, to_u64, word};

/// The largest number of drawn cores or groups of cores.
const DRAWN: usize = 12;
/// The largest number of arrows.
const ARROWS: usize = 48;
/// Width and height of a box, and the gap below it.
const BOX: (i32, i32, i32) = (330, 40, 10);
/// The bend of an arrow: the least, and the addition for each box that it passes.
const BEND: (i32, i32) = (34, 26);
/// The number of letters that fit into a box.
const LETTERS: usize = 52;

/// The chart with its sentence.
pub(super) fn figure(chart: &WaitChart) -> Markup {
    let caption = html! {
        "An arrow leads from who waits to "
        b { "who could end the wait" }
        @if edges(chart).iter().any(|edge| edge.from == edge.to) { "; one that returns leads to others in its box" }
        @if chart.cores.iter().any(|core| core.is_stuck) { "; nobody is left to end a wait in red" }
    };
    let left_out = to_u64(chart.cores.len().saturating_sub(DRAWN));
    let content = html! {
        (drawing(chart))
        @if left_out > 0 { p.legend { "and " (counted(left_out, "more group of cores", "more groups of cores")) } }
    };
    captioned("waits", &caption, &content)
}

fn top(place: usize) -> i32 {
    let place = i32::try_from(place).unwrap_or_default();
    place.saturating_mul(BOX.1.saturating_add(BOX.2)).saturating_add(1)
}

const fn short(text: &str) -> Text<'_> {
    Text::of(text, LETTERS)
}

/// The drawn arrows.
fn edges(chart: &WaitChart) -> Vec<&WaitEdge> {
    let drawn = chart.cores.len().min(DRAWN);
    let is_drawn = |edge: &&WaitEdge| edge.from < drawn && edge.to < drawn;
    chart.edges.iter().filter(is_drawn).take(ARROWS).collect()
}

fn drawing(chart: &WaitChart) -> Markup {
    let drawn = chart.cores.len().min(DRAWN);
    let edges = edges(chart);
    let far = edges.iter().map(|edge| edge.from.abs_diff(edge.to)).max().unwrap_or(0);
    let reach = |boxes: usize| {
        let boxes = i32::try_from(boxes).unwrap_or_default();
        boxes.saturating_mul(BEND.1).saturating_add(BEND.0)
    };
    let width = BOX.0.saturating_add(if edges.is_empty() { 2 } else { reach(far) });
    let mut drawing = Drawing::new(width, top(drawn), "Who waits for whom");
    for (place, core) in chart.cores.iter().take(drawn).enumerate() {
        let y = top(place);
        let area = Area { x: 1, y, width: BOX.0.saturating_sub(2), height: BOX.1 };
        drawing.rectangle(area, if core.is_stuck { "against" } else { "waits" }, None);
        let at = |below: i32| Point { x: 12, y: y.saturating_add(below) };
        drawing.text(at(17), Anchor::Start, "on waits strong", word(&core.name));
        drawing.text(at(32), Anchor::Start, "on waits", short(&core.awaited));
    }
    for edge in edges {
        let middle = |place: usize, off: i32| Point {
            x: BOX.0,
            y: top(place).saturating_add(BOX.1 / 2).saturating_add(off),
        };
        // Outgoing arrows leave a box above incoming ones, so that two boxes that wait for each other have two
        // separate arrows.
        let (from, to) = (middle(edge.from, -8), middle(edge.to, 8));
        let bend = Point {
            x: BOX.0.saturating_add(reach(edge.from.abs_diff(edge.to))),
            y: from.y.saturating_add(to.y) / 2,
        };
        drawing.arrow(from, bend, to, "arrow");
    }
    html! { (drawing.render()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::WaitingCores;

    fn chart(cores: usize, edges: &[(usize, usize)]) -> String {
        let core = |number: usize| WaitingCores {
            name: format!("({number},0) BRISC"),
            awaited: "semaphore `go`".to_owned(),
            is_stuck: edges.iter().all(|&(from, _)| from != number),
        };
        let edges = edges.iter().map(|&(from, to)| WaitEdge { from, to }).collect();
        figure(&WaitChart { cores: (0..cores).map(core).collect(), edges }).into_string()
    }

    #[test]
    fn a_box_for_each_core_and_an_arrow_for_each_wait() {
        let text = chart(2, &[(0, 1), (1, 0)]);
        assert_eq!(text.matches("<rect").count(), 2, "{text}");
        assert_eq!(text.matches("class=\"arrow\"").count(), 2, "{text}");
        assert!(!text.contains("in red"), "{text}");
        let stuck = chart(2, &[(0, 1)]);
        assert!(stuck.contains("in red"), "{stuck}");
        assert_eq!(stuck.matches("class=\"against\"").count(), 1, "{stuck}");
    }

    /// Cores with the same wait form one box, and may wait for each other.
    #[test]
    fn equal_waits_have_an_arrow_that_returns() {
        let text = chart(1, &[(0, 0)]);
        assert_eq!(text.matches("class=\"arrow\"").count(), 1, "{text}");
        assert!(text.contains("one that returns leads to others in its box"), "{text}");
        let width = BOX.0 + BEND.0;
        assert!(text.contains(&format!("viewBox=\"0 0 {width} ")), "{text}");
        assert!(!chart(2, &[(0, 1)]).contains("returns"));
    }

    #[test]
    fn what_does_not_fit_is_counted_and_what_is_not_there_is_ignored() {
        let text = chart(DRAWN + 1, &[(0, DRAWN), (usize::MAX, 0)]);
        assert_eq!(text.matches("<rect").count(), DRAWN, "{text}");
        assert_eq!(text.matches("class=\"arrow\"").count(), 0, "{text}");
        assert!(text.contains("and 1 more group of cores"), "{text}");
        assert!(!chart(DRAWN, &[]).contains("more group"));
    }
}
