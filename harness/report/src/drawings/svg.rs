//! Drawings in SVG: rectangles, texts and arrows. Colours are classes of the page's style, so that a drawing
//! adapts to light mode, dark mode and paper.

use maud::{Markup, Render, html};

use crate::text::Text;

/// A drawing. Coordinates are pixels from the upper left.
pub(crate) struct Drawing {
    width: i32,
    height: i32,
    /// The description of the drawing, for screen readers.
    title: String,
    shapes: Vec<Markup>,
}

/// A point of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    /// Pixels from the left.
    pub(crate) x: i32,
    /// Pixels from the top.
    pub(crate) y: i32,
}

/// A rectangle of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Area {
    /// Pixels from the left.
    pub(crate) x: i32,
    /// Pixels from the top.
    pub(crate) y: i32,
    /// Its width in pixels.
    pub(crate) width: i32,
    /// Its height in pixels.
    pub(crate) height: i32,
}

/// The position of a text relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// To the right of the point.
    Start,
    /// Centred on the point.
    Middle,
    /// To the left of the point.
    End,
}

impl Anchor {
    const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// The length of an arrow's head.
const HEAD: f64 = 7.0;

impl Drawing {
    /// An empty drawing.
    pub(crate) fn new(width: i32, height: i32, title: impl Into<String>) -> Self {
        Self { width, height, title: title.into(), shapes: Vec::new() }
    }

    /// Draws a rectangle, with an optional tooltip.
    pub(crate) fn rectangle(&mut self, area: Area, class: &str, about: Option<Text<'_>>) {
        let Area { x, y, width, height } = area;
        self.shapes.push(html! {
            rect x=(x) y=(y) width=(width) height=(height) class=(class) {
                @if let Some(about) = about { title { (about) } }
            }
        });
    }

    /// Draws a text.
    pub(crate) fn text(&mut self, at: Point, anchor: Anchor, class: &str, text: impl Render) {
        self.shapes.push(html! {
            text x=(at.x) y=(at.y) text-anchor=(anchor.name()) class=(class) { (text) }
        });
    }

    /// Draws many rectangles of one size, without tooltips.
    pub(crate) fn rectangles(&mut self, corners: &[Point], size: (i32, i32), class: &str) {
        if corners.is_empty() {
            return;
        }
        let (width, height) = size;
        let mut path = String::new();
        for Point { x, y } in corners {
            path.push_str(&format!("M{x} {y}h{width}v{height}h-{width}z"));
        }
        self.shapes.push(html! { path d=(path) class=(class) {} });
    }

    /// Draws texts at their points, all of one class.
    pub(crate) fn texts(&mut self, texts: &[(Point, Text<'_>)], class: &str) {
        if texts.is_empty() {
            return;
        }
        self.shapes.push(html! {
            g text-anchor="middle" class=(class) {
                @for (at, text) in texts { text x=(at.x) y=(at.y) { (text) } }
            }
        });
    }

    /// Draws a curved arrow to a point.
    pub(crate) fn arrow(&mut self, from: Point, bend: Point, to: Point, class: &str) {
        let (dx, dy) = (f64::from(to.x) - f64::from(bend.x), f64::from(to.y) - f64::from(bend.y));
        let length = dx.hypot(dy);
        if length < 1.0 {
            return;
        }
        let (ux, uy) = (dx / length, dy / length);
        let (x, y) = (f64::from(to.x) - ux * HEAD, f64::from(to.y) - uy * HEAD);
        let half = HEAD / 2.0;
        let path = format!(
            "M{} {}Q{} {} {x:.1} {y:.1}M{} {}L{:.1} {:.1}L{:.1} {:.1}Z",
            from.x,
            from.y,
            bend.x,
            bend.y,
            to.x,
            to.y,
            x - uy * half,
            y + ux * half,
            x + uy * half,
            y - ux * half,
        );
        self.shapes.push(html! { path d=(path) class=(class) {} });
    }

    /// The drawing as a part of a page. On a narrow page it shrinks to at most three quarters, so that its
    /// letters stay legible; on a narrower page it scrolls.
    pub(crate) fn render(self) -> Markup {
        let Self { width, height, title, shapes } = self;
        html! {
            div.drawing {
                svg viewBox=(format!("0 0 {width} {height}")) width=(width) height=(height)
                    style=(format!("min-width:{}px", width.saturating_mul(3) / 4))
                    role="img" aria-label=(crate::text::line(&title)) {
                    @for shape in shapes { (shape) }
                }
            }
        }
    }
}
