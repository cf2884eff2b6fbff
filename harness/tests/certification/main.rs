//! Certification: from a conformance profile to a package.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failing helper fails its test"
)]

mod challenged;
#[path = "../common/mod.rs"]
mod common;
mod firmware;
#[path = "../common/firmware_builds.rs"]
mod firmware_builds;
mod forgeries;
mod merged;
mod packages;
mod pages;
mod replayed;
mod roots;
mod signed;
mod stopped;
mod workloads;
