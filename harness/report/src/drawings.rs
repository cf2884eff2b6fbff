//! Pictures of a failure as inline SVG and tables, each with a descriptive sentence.

mod bank_bars;
mod byte_pair;
pub(crate) mod lanes;
mod page_strip;
mod source_excerpt;
mod svg;
mod tile_grid;
mod wait_chart;

use maud::{Markup, html};

use crate::picture::Picture;

/// A picture with its sentence.
pub(crate) fn picture(picture: &Picture) -> Markup {
    match picture {
        Picture::Pages(strip) => page_strip::figure(strip),
        Picture::Banks(bars) => bank_bars::figure(bars),
        Picture::Bytes(pair) => byte_pair::figure(pair),
        Picture::Tiles(grid) => tile_grid::figure(grid),
        Picture::Waits(chart) => wait_chart::figure(chart),
        Picture::Source(excerpt) => source_excerpt::figure(excerpt),
    }
}

/// A figure with its sentence above it.
fn captioned(class: &str, caption: &Markup, content: &Markup) -> Markup {
    html! {
        figure class=(class) {
            figcaption { (caption) }
            (content)
        }
    }
}
