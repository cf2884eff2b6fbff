//! Certification: from a conformance profile to a package.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failing helper fails its test"
)]

#[path = "../common/mod.rs"]
mod common;
mod forgeries;
mod packages;
mod roots;
mod signed;
mod stopped;
