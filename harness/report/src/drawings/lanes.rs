//! The activity of processors during an operation, a lane each: the kernel, and its waits.

use maud::{Markup, html};

use super::captioned;
use super::svg::{Anchor, Area, Drawing, Point};
use crate::profile::{Lane, ProfiledOperation};
use crate::text::{counted, grouped, line, to_u64};

/// The largest number of lanes.
const DRAWN: usize = 40;
/// Pixels of the names on the left.
const NAMES: i32 = 130;
/// Pixels of the whole time axis.
const WIDTH: i32 = 720;
/// Pixels from one lane to the next, and the height of a lane.
const PITCH: i32 = 18;
const HEIGHT: i32 = 13;
/// Pixels above the first lane, for the upper half of its edge.
const ABOVE: i32 = 2;
/// Pixels of the scale below.
const BELOW: i32 = 18;

/// The lanes with their sentence.
pub(crate) fn figure(operation: &ProfiledOperation) -> Markup {
    let drawn = operation.lanes.get(..DRAWN.min(operation.lanes.len())).unwrap_or_default();
    let left_out = to_u64(operation.lanes.len().saturating_sub(drawn.len()));
    let caption = html! {
        "What the processors did over " (grouped(ticks(operation))) " ticks"
        @if left_out > 0 { "; " (counted(left_out, "processor more is", "processors more are")) " not drawn" }
    };
    let legend = html! {
        p.legend {
            span { span.swatch.runs {} "a kernel runs" }
            span { span.swatch.waits {} "it waits" }
        }
    };
    captioned("lanes", &caption, &html! { (drawing(operation, drawn)) (legend) })
}

/// The end of the scale.
fn ticks(operation: &ProfiledOperation) -> u64 {
    let kernels = operation.lanes.iter().filter_map(|lane| lane.kernel).map(|(_, until)| until);
    operation.ticks.unwrap_or(0).max(kernels.max().unwrap_or(0)).max(1)
}

fn drawing(operation: &ProfiledOperation, lanes: &[Lane]) -> Markup {
    let all = ticks(operation);
    let rows = i32::try_from(lanes.len()).unwrap_or(0);
    let height = rows.saturating_mul(PITCH).saturating_add(ABOVE + BELOW);
    let title = format!("What the processors of {} did", operation.program);
    let mut drawing = Drawing::new(NAMES.saturating_add(WIDTH), height, title);
    let x = |moment: u64| {
        let scaled = u128::from(moment.min(all)).saturating_mul(u128::from(WIDTH.unsigned_abs()));
        let pixels = scaled.checked_div(u128::from(all)).unwrap_or(0);
        NAMES.saturating_add(i32::try_from(pixels).unwrap_or(WIDTH))
    };
    let mut y = ABOVE;
    for lane in lanes {
        let name = format!("{} {}", lane.tile, lane.processor);
        let at = Point { x: NAMES.saturating_sub(8), y: y + HEIGHT - 3 };
        drawing.text(at, Anchor::End, "on", line(&name));
        let area = |from: u64, until: u64| {
            let (left, right) = (x(from), x(until));
            Area { x: left, y, width: right.saturating_sub(left).max(1), height: HEIGHT }
        };
        if let Some((from, until)) = lane.kernel {
            let about =
                format!("{name}: a kernel from tick {} to {}", grouped(from), grouped(until));
            drawing.rectangle(area(from, until), "runs", Some(line(&about)));
        }
        // Waits that would overlap in the drawing are merged.
        let mut merged: Vec<(u64, u64)> = Vec::new();
        for &(from, until) in &lane.waits {
            match merged.last_mut() {
                Some(last) if x(last.1) >= x(from) => last.1 = last.1.max(until),
                Some(_) | None => merged.push((from, until)),
            }
        }
        for (from, until) in merged {
            drawing.rectangle(area(from, until), "waits", None);
        }
        y = y.saturating_add(PITCH);
    }
    let scale = Point { x: NAMES, y: y + BELOW - 5 };
    drawing.text(scale, Anchor::Start, "", "0");
    let end = Point { x: NAMES.saturating_add(WIDTH), y: y + BELOW - 5 };
    drawing.text(end, Anchor::End, "", line(&format!("{} ticks", grouped(all))));
    drawing.render()
}
