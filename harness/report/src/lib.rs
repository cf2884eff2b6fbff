//! A report of a run or of a conformance package: plain data, and one self-contained HTML file made of it.
//!
//! A caller with results fills in a [`Report`]; [`html`] makes the file's text. A profile has a page of its own:
//! [`ProfileReport`] and [`profile_html`]. The text contains no script, refers to no other file, and escapes and
//! shortens every string of the report, because a report may hold strings from people who are not trusted. The text has
//! at most [`LARGEST`] bytes, whatever the size of the report.
//!
//! This crate depends on no other crate of Hallmark's and does no I/O. `scripts/report-screenshots` opens such files in
//! a browser and keeps the pictures.

mod drawings;
mod model;
mod page;
mod picture;
mod profile;
mod room;
mod sections;
mod text;
pub mod untrusted;

pub use self::model::{
    Basis, Claim, Conclusion, Count, Difference, DifferenceGroup, Fact, Failure, FailureGroup,
    Headroom, ListedTest, Reason, ReasonList, Remedy, Report, Row, Tone, Waiver,
};
pub use self::page::{LARGEST, html, profile_html};
pub use self::picture::{
    Arrow, Bank, BankBars, BytePair, Cell, PageRange, PageStrip, Picture, SourceExcerpt, Tile,
    TileGrid, TileKind, TileMark, TileRole, WaitChart, WaitEdge, WaitingCores,
};
pub use self::profile::{Lane, LineCost, ProfileReport, ProfiledOperation, WaitShare, ZoneCost};
