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
#[path = "../common/linked_files.rs"]
mod linked_files;
mod merged;
mod packages;
mod pages;
mod replayed;
mod required;
mod roots;
mod signed;
#[path = "../common/simulator_library.rs"]
mod simulator_library;
mod stopped;
mod subject;
mod subject_forgeries;
mod waived;
mod without_capture;
mod workloads;
