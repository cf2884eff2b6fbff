//! A report of a run or of a conformance package: plain data, and one self-contained HTML file made from it.
//!
//! A profile has a page of its own: [`ProfileReport`] and [`profile_html`].
//!
//! The caller fills in a [`Report`]; [`html`] makes the file's text. The text contains no script and no
//! external reference, and every string of the report is escaped and shortened, because a report may contain
//! untrusted strings. The text has at most [`LARGEST`] bytes for any report.

mod drawings;
mod model;
mod page;
mod picture;
mod profile;
mod room;
mod sections;
mod text;

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
